// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The script language: accepted scripts, positions of errors, and, if shells are available, that
 * dash and bash have the same result for every accepted script.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lang/script.h"

/* --- parsed scripts as text: "> PATH [TEXT]" and "< PATH" --- */

static void dump(const struct script *script, struct strbuf *out)
{
	for (size_t i = 0; i < script->cmds.n; i++) {
		const struct script_cmd *c = &script->cmds.v[i];

		if (c->verb == SCRIPT_CAT) {
			strbuf_addf(out, "< %s|", c->path);
			continue;
		}
		assert_int_equal(strlen(c->text), c->len);
		strbuf_addf(out, "%s %s [%s]|", c->append ? ">>" : ">", c->path, c->text);
	}
}

static void check_accepts(const char *text, const char *want)
{
	struct script script = SCRIPT_INIT;
	struct diags diags = DIAGS_INIT;
	struct strbuf got = STRBUF_INIT;
	int err = script_parse(&script, "t", text, strlen(text), &diags);

	for (size_t i = 0; i < diags.list.n; i++)
		diag_print(&diags.list.v[i], "t", false, &got);
	dump(&script, &got);
	assert_string_equal(got.s, want);
	assert_int_equal(err, 0);
	strbuf_release(&got);
	script_release(&script);
	diags_release(&diags);
}

static const char *const accepted[][2] = {
	{ "", "" },
	{ "\n\n  \t\n", "" },
	{ "#!/bin/sh\n# a comment\n", "" },
	{ "echo 1 > events/enable", "> events/enable [1\n]|" },
	{ "echo 1 >events/enable\n", "> events/enable [1\n]|" },
	{ "echo > set_event", "> set_event [\n]|" },
	{ "echo -n > set_event", "> set_event []|" },
	{ "echo -n a  b\t c >> f", ">> f [a b c]|" },
	{ "> f echo x", "> f [x\n]|" },
	{ "echo a >f b", "> f [a b\n]|" },
	{ "echo -n >f b", "> f [b]|" },
	{ "echo b -n > f", "> f [b -n\n]|" },
	{ "'echo' \"-n\" x > 'f'", "> f [x]|" },
	{ "ec\\ho x > \\f", "> f [x\n]|" },
	{ "echo 'a  b' \"c  d\" '' e > f", "> f [a  b c  d  e\n]|" },
	{ "echo 'a'\"b\"c\\ d > f", "> f [abc d\n]|" },
	{ "echo '$ts0 `x` \"' > f", "> f [$ts0 `x` \"\n]|" },
	{ "echo \"\\$ts0 \\` \\\" a$ $.$\" $ > f", "> f [$ts0 ` \" a$ $.$ $\n]|" },
	{ "echo 'it'\\''s' > f", "> f [it's\n]|" },
	{ "echo a \\\n   b > \\\n f", "> f [a b\n]|" },
	{ "ec\\\nho a\\\nb \"c\\\nd\" > f", "> f [ab cd\n]|" },
	{ "echo 'a\nb' > f", "> f [a\nb\n]|" },
	{ "echo *:* ?: [x]= [ x > f", "> f [*:* ?: [x]= [ x\n]|" },
	{ "echo a#b '#c' \\#d > f #e", "> f [a#b #c #d\n]|" },
	{ "echo a > f;echo b > g ; cat f", "> f [a\n]|> g [b\n]|< f|" },
	{ "echo a > f; # c", "> f [a\n]|" },
	{ "echo x~ a:b '~' \\~ > f", "> f [x~ a:b ~ ~\n]|" },
	{ "echo {} {a} { } a,b CPUS{1-2} > f", "> f [{} {a} { } a,b CPUS{1-2}\n]|" },
	{ "echo ! % ^ , = a=b > f", "> f [! % ^ , = a=b\n]|" },
	{ "echo 12 > f", "> f [12\n]|" },
	{ "echo '12'> f", "> f [12\n]|" },
	{ "echo a2> f", "> f [a2\n]|" },
	{ "cat a b/c", "< a|< b/c|" },
	{ "cat ./a//b/../c", "< a/c|" },
	{ "cd events/sched\ncat sched_switch/hist ../enable ../../trace",
	  "< events/sched/sched_switch/hist|< events/enable|< trace|" },
	{ "cd events; cd ..; cat trace", "< trace|" },
	{ "cd events; cd /sys/kernel/tracing/; cat trace", "< trace|" },
	{ "cd /sys/kernel/debug/tracing/events/; cat enable", "< events/enable|" },
	{ "cd /sys/kernel/tracing", "" },
	{ "cd .; cat /sys/kernel/tracing/trace", "< trace|" },
	{ "echo x > /sys/kernel/debug/tracing/events/enable", "> events/enable [x\n]|" },
};

static void test_accepted(void **state)
{

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(accepted); i++)
		check_accepts(accepted[i][0], accepted[i][1]);
}

/* @want is LINE:COL: and the beginning of the text of the first error */
static void check_refuses(const char *text, size_t len, const char *want)
{
	struct script script = SCRIPT_INIT;
	struct diags diags = DIAGS_INIT;
	struct strbuf got = STRBUF_INIT;
	int err = script_parse(&script, "t", text, len, &diags);

	for (size_t i = 0; i < diags.list.n && !got.len; i++) {
		const struct diag *d = &diags.list.v[i];

		if (d->level == DIAG_ERROR)
			strbuf_addf(&got, "%u:%u: %s", d->line, d->col, d->text);
	}
	if (strncmp(got.s, want, strlen(want)))
		fail_msg("script: %s\nwant: %s\ngot:  %s", text, want, got.s);
	assert_int_equal(err, -HIST_EINVAL);
	strbuf_release(&got);
	script_release(&script);
	diags_release(&diags);
}

static const char *const refused[][2] = {
	{ "echo 'hist:keys=a", "1:6: unterminated single quote" },
	{ "\necho \"a\nb", "2:6: unterminated double quote" },
	{ "echo 'a > f\necho 'b' > f", "2:8: unterminated single" },
	{ "echo \"a-$ts0\" > f", "1:9: a shell would replace $ts0" },
	{ "echo a$ts0 > f", "1:7: a shell would replace $ts0" },
	{ "echo $$ > f", "1:6: a shell would put its process id" },
	{ "echo \"$$\" > f", "1:7: a shell would put its process id" },
	{ "echo $1 > f", "1:6: a shell would replace $1" },
	{ "echo \"$?\" > f", "1:7: a shell would replace $?" },
	{ "echo ${a} > f", "1:6: '${' starts an expansion" },
	{ "echo \"$[1]\" > f", "1:7: '$[' starts an expansion" },
	{ "echo $(ls) > f", "1:6: '$(' starts a command substitution" },
	{ "echo $'a' > f", "1:6: shells differ on '$''" },
	{ "echo $\\\na > f", "1:6: '$' at the end" },
	{ "echo `ls` > f", "1:6: a backquote" },
	{ "echo \"`ls`\" > f", "1:7: a backquote" },
	{ "echo a~b ~ > f", "1:10: a shell would take '~'" },
	{ "echo ~root > f", "1:6: a shell would take '~'" },
	{ "echo a=~ > f", "1:8: a shell would take '~'" },
	{ "echo x > ~/f", "1:10: a shell would take '~'" },
	{ "echo a{b,c} > f", "1:7: bash would expand" },
	{ "echo {1..3} > f", "1:6: bash would expand" },
	{ "echo * > f", "1:6: a shell would replace '*'" },
	{ "echo x\\", "1:7: a backslash at the end" },
	{ "echo x", "1:1: echo needs > FILE" },
	{ "\n  echo x >\n", "2:10: a file name is missing" },
	{ "echo x > ; echo y > f", "1:8: a file name is missing" },
	{ "echo x > > f", "1:8: a file name is missing" },
	{ "echo x > f > g", "1:14: a second redirection" },
	{ "echo x 2> f", "1:8: a shell takes '2>'" },
	{ "echo 1> f", "1:6: a shell takes '1>'" },
	{ "echo 1\\\n>> f", "1:6: a shell takes" },
	{ "echo {x}> f", "1:6: a shell takes" },
	{ "echo x >& f", "1:8: '>&' is not part" },
	{ "echo x >| f", "1:8: '>|' is not part" },
	{ "echo x &> f", "1:8: '&' is not part" },
	{ "echo x | tee f", "1:8: pipes are not part" },
	{ "echo a && echo b", "1:8: '&' is not part" },
	{ "cat < f", "1:5: '<' is not part" },
	{ "cat <<EOF\n$x\nEOF\n", "1:5: here-documents" },
	{ "(echo x > f)", "1:1: '(' is not part" },
	{ "{ echo x > f; }", "1:1: '{' is not a command" },
	{ "! echo x > f", "1:1: '!' is not a command" },
	{ "if true", "1:1: 'if' is not a command" },
	{ "trace-cmd start", "1:1: 'trace-cmd' is not a command" },
	{ "'' x", "1:1: '' is not a command" },
	{ "a=b", "1:1: a script has no variables" },
	{ "a=b echo x > f", "1:1: a script has no variables" },
	{ "> f", "1:1: a redirection without a command" },
	{ "echo x > f;; cat f", "1:12: a command is missing before ';'" },
	{ "; cat f", "1:1: a command is missing" },
	{ "$ echo x > f", "1:1: '$' looks like the prompt" },
	{ "root@box:/sys/kernel/tracing# echo x > f",
	  "1:1: 'root@box:/sys/kernel/tracing#' looks like" },
	{ "echo -e x > f", "1:6: shells differ on echo -e" },
	{ "echo -nn x > f", "1:6: shells differ on echo -nn" },
	{ "echo -n -n x > f", "1:9: shells differ on echo -n" },
	{ "cat", "1:1: cat needs a file name" },
	{ "cat -n f", "1:5: cat takes neither options" },
	{ "cat -", "1:5: cat takes neither options" },
	{ "cat f > g", "1:9: the output of cat cannot" },
	{ "cat events/*/hist", "1:5: a file name contains a pattern" },
	{ "cat events/sched/", "1:5: this is a directory" },
	{ "cat /sys/kernel/tracing", "1:5: this is a directory" },
	{ "cat /etc/passwd", "1:5: a path is relative" },
	{ "cat /sys/kernel/tracingx/f", "1:5: a path is relative" },
	{ "echo x > ''", "1:10: the file name is empty" },
	{ "echo x > /dev/null", "1:10: a path is relative" },
	{ "cat ../trace", "1:5: this path leaves" },
	{ "cat events/../../tracing/trace", "1:5: this path leaves" },
	{ "cd", "1:1: cd takes one" },
	{ "cd -", "1:1: cd takes one" },
	{ "cd a b", "1:1: cd takes one" },
	{ "cd ..", "1:4: this path leaves" },
	{ "cd /", "1:4: a path is relative" },
	{ "cd events > f", "1:13: the output of cd cannot" },
	{ "echo x > f\r\ncat f\r\n", "1:11: the line ends in CR LF" },
	{ "\357\273\277echo x > f", "1:1: the script begins with a byte order mark" },
};

static void test_refused(void **state)
{
	static const char nul[] = "echo x > f\necho \0 > f\n";

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		check_refuses(refused[i][0], strlen(refused[i][0]), refused[i][1]);
	check_refuses(nul, sizeof(nul) - 1, "2:6: the text contains a NUL byte");
}

/* Every invalid line has one error, and the valid ones are parsed. */
static void test_goes_on(void **state)
{
	static const char text[] =
		"echo a > f\necho $x $y > f\necho b > f\nls\n\necho \"$z\" | (a;b) &\ncat f\n";
	struct script script = SCRIPT_INIT;
	struct diags diags = DIAGS_INIT;
	struct strbuf got = STRBUF_INIT;

	(void)state;
	assert_int_equal(script_parse(&script, "t", text, strlen(text), &diags), -HIST_EINVAL);
	dump(&script, &got);
	assert_string_equal(got.s, "> f [a\n]|> f [b\n]|< f|");
	assert_int_equal(diags.list.n, 3);
	assert_int_equal(diags.list.v[0].line, 2);
	assert_int_equal(diags.list.v[1].line, 4);
	assert_int_equal(diags.list.v[2].line, 6);
	assert_string_equal(diags.list.v[2].source, "echo \"$z\" | (a;b) &");
	assert_int_equal(script.cmds.v[1].line, 3);
	strbuf_release(&got);
	script_release(&script);
	diags_release(&diags);
}

static void test_gives_up(void **state)
{
	struct script script = SCRIPT_INIT;
	struct diags diags = DIAGS_INIT;
	struct strbuf text = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 100; i++)
		strbuf_addstr(&text, "nonsense\n");
	assert_int_equal(script_parse(&script, "t", text.s, text.len, &diags), -HIST_EINVAL);
	assert_int_equal(diags.list.n, 21);
	strbuf_fill(&text, 'x', 5 << 20);
	assert_int_equal(script_parse(&script, "t", text.s, text.len, &diags), -HIST_ELIMIT);
	strbuf_release(&text);
	script_release(&script);
	diags_release(&diags);
}

static void check_warns(const char *text, unsigned int line, unsigned int col, const char *want)
{
	struct script script = SCRIPT_INIT;
	struct diags diags = DIAGS_INIT;

	assert_int_equal(script_parse(&script, "t", text, strlen(text), &diags), 0);
	assert_int_equal(diags.list.n, !!want);
	if (want) {
		assert_int_equal(diags.list.v[0].level, DIAG_WARNING);
		assert_int_equal(diags.list.v[0].line, line);
		assert_int_equal(diags.list.v[0].col, col);
		assert_non_null(strstr(diags.list.v[0].text, want));
	}
	script_release(&script);
	diags_release(&diags);
}

static void test_warnings(void **state)
{
	(void)state;
	check_warns("cat f\n# echo 'hist:keys=a' > f\n", 2, 1, "prompt");
	check_warns("  # cat f", 1, 3, "prompt");
	check_warns("# cats are nice\n#echo x > f\n# echoes\n cat f # echo x", 0, 0, NULL);
	check_warns("echo 'a\\nb' > f\necho '\\t' > f", 1, 8, "backslash");
	check_warns("echo a \"b\\\\\" > f", 1, 11, "backslash");
	check_warns("echo a\\ b > f", 0, 0, NULL);
	check_warns("echo sched_* > f", 1, 6, "literally");
	check_warns("echo \342\200\230hist:keys=a\342\200\231 > f", 1, 6, "typographic");
	check_warns("echo 'a\342\200\246' > f", 0, 0, NULL);
}

/* Each byte of a write has its position in the script. */
static void test_places(void **state)
{
	static const char text[] = "# c\necho 'hist:keys'\\\n=\"pid\"  'x' > \"e/trigger\"\n";
	static const struct {
		const char *byte;
		unsigned int line, col;
	} want[] = {
		{ "hist", 2, 7 }, { "keys", 2, 12 }, { "=", 3, 1 },   { "pid", 3, 3 },
		{ " x", 3, 7 },   { "x", 3, 10 },    { "\n", 3, 12 }, { "", 3, 12 },
	};
	struct script script = SCRIPT_INIT;
	struct diags diags = DIAGS_INIT;
	const struct script_cmd *c;
	struct diag d;

	(void)state;
	assert_int_equal(script_parse(&script, "t", text, strlen(text), &diags), 0);
	assert_int_equal(script.cmds.n, 1);
	c = &script.cmds.v[0];
	assert_string_equal(c->text, "hist:keys=pid x\n");
	assert_int_equal(c->line, 2);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		size_t at = *want[i].byte ? (size_t)(strstr(c->text, want[i].byte) - c->text)
					  : c->len;

		script_locate(c, c->offsets[at], &d, &diags);
		assert_int_equal(d.line, want[i].line);
		assert_int_equal(d.col, want[i].col);
	}
	script_locate(c, c->path_offset, &d, &diags);
	assert_int_equal(d.col, 15);
	assert_string_equal(d.source, "=\"pid\"  'x' > \"e/trigger\"");

	assert_int_equal(script_write(&script, "-R", "events/a/b/trigger", "hist:keys=x\n", true),
			 0);
	c = &script.cmds.v[1];
	script_locate(c, c->offsets[10], &d, &diags);
	assert_string_equal(d.file, "-R");
	assert_int_equal(d.col, 11);
	assert_string_equal(d.source, "hist:keys=x");
	script_release(&script);
	diags_release(&diags);
}

/* As echo, but no shell reads it. */
static void test_ask(void **state)
{
	static const char text[] = "ask -n a > f\n"
				   "echo b > f; ask 'comm ~ \\*' >> f; echo c > f\n"
				   "ask pid > f";
	static const bool want[] = { true, false, true, false, true };
	struct script script = SCRIPT_INIT;
	struct diags diags = DIAGS_INIT;

	(void)state;
	assert_int_equal(script_parse(&script, "s", text, strlen(text), &diags), 0);
	assert_int_equal(diags.list.n, 0);
	assert_int_equal(script.cmds.n, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(script.cmds.v[i].question, want[i]);
	assert_string_equal(script.cmds.v[0].text, "a");
	assert_string_equal(script.cmds.v[2].text, "comm ~ \\*\n");
	assert_true(script.cmds.v[2].append);
	assert_null(script.title);
	assert_int_equal(script_parse(&script, "s", "ask a", 5, &diags), -HIST_EINVAL);
	assert_string_equal(diags.list.v[0].text, "ask needs > FILE or >> FILE");
	script_release(&script);
	diags_release(&diags);
}

/* A title makes a question of all that is written, wherever it is. */
static void test_title(void **state)
{
	static const struct {
		const char *text, *title;
		bool question;
	} cases[] = {
		{ "echo a > f\ntitle How long?", "How long?", true },
		{ "title  How long? \necho a > f", "How long?", true },
		{ "# x: How long?\necho a > f\ntitle How long?\n", "How long?", true },
		{ "# x: How long?\necho a > f\n", "How long?", false },
		{ "# x: How long?\ntable a:b by c\necho a > f\n", "How long?", true },
		{ "title How long?\ntitle Who?\necho a > f\n", "", true },
		{ "# question: How long?\necho a > f # question\n", "How long?", true },
		{ "# x: y\necho a > f\n# questions\n", NULL, true },
		{ "echo 'b\n title c' > f", NULL, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct script script = SCRIPT_INIT;
		struct diags diags = DIAGS_INIT;
		const char *text = cases[i].text;

		assert_int_equal(script_parse(&script, "s", text, strlen(text), &diags), 0);
		if (cases[i].title)
			assert_string_equal(script.title, cases[i].title);
		else
			assert_null(script.title);
		array_each(const struct script_cmd, cmd, &script.cmds)
			assert_true(cmd->verb != SCRIPT_ECHO || cmd->question == cases[i].question);
		script_release(&script);
		diags_release(&diags);
	}
}

/* Of older versions: "# question" marks the command before it, and no other. */
static void test_question(void **state)
{
	static const char text[] = "# question\n"
				   "echo a > f # question\n"
				   "echo b > f; echo '# question' > f #question\n"
				   "echo c > f # question of mine\n"
				   "echo d > f #   question   \n"
				   "echo e > f";
	static const bool want[] = { true, false, true, false, true, false };
	struct script script = SCRIPT_INIT;
	struct diags diags = DIAGS_INIT;

	(void)state;
	assert_int_equal(script_parse(&script, "s", text, strlen(text), &diags), 0);
	assert_int_equal(script.cmds.n, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++)
		assert_int_equal(script.cmds.v[i].question, want[i]);
	script_release(&script);
	diags_release(&diags);
}

/* --- the same script, run by a shell --- */

static const char *const files[] = { "f", "g", "events/f", "events/sched/f", "events/sched/g" };

enum { N_FILES = ARRAY_SIZE(files), N_ROUNDS = 4000 };

struct outcome {
	struct strbuf content[N_FILES], out;
};

static void outcome_init(struct outcome *o)
{
	for (size_t i = 0; i < N_FILES; i++)
		o->content[i] = (struct strbuf)STRBUF_INIT;
	o->out = (struct strbuf)STRBUF_INIT;
}

static void outcome_release(struct outcome *o)
{
	for (size_t i = 0; i < N_FILES; i++)
		strbuf_release(&o->content[i]);
	strbuf_release(&o->out);
}

static u32 random_below(u64 *seed, u32 n)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (u32)(*seed >> 33) % n;
}

/* The effect that a script should have on the directory; false if it names other files. */
static bool run_here(const struct script *script, struct outcome *o)
{
	for (size_t i = 0; i < script->cmds.n; i++) {
		const struct script_cmd *c = &script->cmds.v[i];
		size_t f = 0;

		while (f < N_FILES && strcmp(files[f], c->path))
			f++;
		if (f == N_FILES)
			return false;
		if (c->verb == SCRIPT_CAT) {
			strbuf_add(&o->out, o->content[f].s, o->content[f].len);
			continue;
		}
		if (!c->append)
			strbuf_reset(&o->content[f]);
		strbuf_add(&o->content[f], c->text, c->len);
	}
	return true;
}

static void slurp(const char *path, struct strbuf *sb)
{
	int fd = open(path, O_RDONLY);
	char buf[4096];
	ssize_t n;

	assert_true(fd >= 0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		strbuf_add(sb, buf, (size_t)n);
	close(fd);
}

static void spit(const char *path, const char *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), (ssize_t)len);
	close(fd);
}

/* Run it in "t" of the current directory; the script and its output are next to that. */
static int run_shell(const char *shell, struct outcome *o)
{
	char path[64];
	int status;
	pid_t pid;

	for (size_t i = 0; i < N_FILES; i++) {
		snprintf(path, sizeof(path), "t/%s", files[i]);
		spit(path, "", 0);
	}
	pid = fork();
	if (!pid) {
		int out = open("stdout", O_WRONLY | O_CREAT | O_TRUNC, 0666);
		int err = open("stderr", O_WRONLY | O_CREAT | O_TRUNC, 0666);

		dup2(out, 1);
		dup2(err, 2);
		if (!chdir("t"))
			execl(shell, shell, "../script", (char *)NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	for (size_t i = 0; i < N_FILES; i++) {
		snprintf(path, sizeof(path), "t/%s", files[i]);
		slurp(path, &o->content[i]);
	}
	slurp("stdout", &o->out);
	slurp("stderr", &o->out);
	return status;
}

/* Parts of scripts, with and without errors. */
static const char *const pieces[] = {
	"echo",
	"echo",
	"echo",
	"echo",
	"cat",
	"cat",
	"cd",
	"echo -n",
	"-n",
	"-e",
	"--",
	"-",
	" ",
	" ",
	" ",
	" ",
	" ",
	" ",
	" ",
	" ",
	" ",
	" ",
	" ",
	"\t",
	"\n",
	"\n",
	"\n",
	"\n",
	";",
	" ; ",
	"\\\n",
	" > f\n",
	" >> f\n",
	" > g",
	">>g ",
	" > events/f\n",
	" >> events/sched/f\n",
	" > sched/f\n",
	" > sched/../f ",
	" > ../f\n",
	" f\n",
	" g f",
	" events/f ",
	"cd events\n",
	"cd sched;",
	"cd ..\n",
	"cd ../..\n",
	"cd ./events//sched/\n",
	"hist:keys=pid",
	"1",
	"2",
	"a",
	"b{",
	"{c}",
	"{}",
	"{d,e}",
	"{1..2}",
	",",
	"..",
	"=",
	":",
	"x=",
	"_",
	"*:*",
	"?=",
	"[a]:",
	"[",
	"]",
	"!",
	"%",
	"^",
	"+",
	"/",
	"#",
	"#x",
	" # c\n",
	"~",
	"x~",
	"\\~",
	"$",
	"$x",
	"$1",
	"$$",
	"$ ",
	"\"$\"",
	"\"$ a\"",
	"\"$.\"",
	"'",
	"\"",
	"'a b'",
	"'$x'",
	"\"c  d\"",
	"''",
	"\"\"",
	"'it'\\''s'",
	"\"\\$y\"",
	"\"\\\"\"",
	"\"'\"",
	"'\"'",
	"\"a\\\nb\"",
	"'l\nm'",
	"\\ ",
	"\\;",
	"\\>",
	"\\'",
	"\\\"",
	"\\$",
	"\\a",
	"\\&",
	"\\|",
	"';'",
	"\">\"",
	"<",
	">",
	">>",
	"&",
	"|",
	"(",
	")",
	"\303\251",
	"\001",
	"\177",
	"\v",
	"\f",
	"if",
	"do",
	"{",
	"}",
	"2>",
	"1\\\n>",
	"{x}>",
};

static void random_script(u64 *seed, struct strbuf *sb)
{
	u32 n = 1 + random_below(seed, 14);

	if (random_below(seed, 2))
		strbuf_addstr(sb, "echo ");
	for (u32 i = 0; i < n; i++) {
		if (random_below(seed, 4))
			strbuf_addstr(sb, pieces[random_below(seed, ARRAY_SIZE(pieces))]);
		else
			strbuf_addch(
				sb,
				(char)(1 + random_below(seed, random_below(seed, 9) ? 126 : 255)));
	}
	if (random_below(seed, 2))
		strbuf_addstr(sb, " > f\n");
	if (random_below(seed, 3))
		strbuf_addstr(sb, random_below(seed, 2) ? "echo end >> f" : "\necho end >> g\n");
}

/* A random script; whether it was accepted and therefore compared. */
static bool compare(u64 *seed, const char *const *shells)
{
	struct script script = SCRIPT_INIT;
	struct diags diags = DIAGS_INIT;
	struct strbuf text = STRBUF_INIT;
	struct outcome here, there;
	int status;
	bool ok;

	random_script(seed, &text);
	outcome_init(&here);
	/* a warning means that shells differ */
	ok = !script_parse(&script, "t", text.s, text.len, &diags) && !diags.list.n &&
	     script.cmds.n && run_here(&script, &here);
	if (ok)
		spit("script", text.s, text.len);
	for (size_t i = 0; ok && shells[i]; i++) {
		if (access(shells[i], X_OK))
			continue;
		outcome_init(&there);
		status = run_shell(shells[i], &there);
		if (strstr(there.out.s, ": cd: "))
			ok = false; /* only a shell knows which directories exist */
		else if (status)
			fail_msg("%s failed on an accepted script:\n%s\n%s", shells[i], text.s,
				 there.out.s);
		for (size_t f = 0; ok && f < N_FILES; f++)
			if (strcmp(here.content[f].s, there.content[f].s))
				fail_msg("%s: %s holds [%s], not [%s], after:\n%s", shells[i],
					 files[f], there.content[f].s, here.content[f].s, text.s);
		if (ok && strcmp(here.out.s, there.out.s))
			fail_msg("%s: shows [%s], not [%s], for:\n%s", shells[i], there.out.s,
				 here.out.s, text.s);
		outcome_release(&there);
	}
	outcome_release(&here);
	strbuf_release(&text);
	script_release(&script);
	diags_release(&diags);
	return ok;
}

static void test_same_as_shells(void **state)
{
	static const char *const shells[] = { "/bin/dash", "/bin/bash", NULL };
	static const char *const dirs[] = { "t", "t/sched", "t/events", "t/events/sched",
					    "t/events/sched/sched" };
	static const char *const made[] = {
		"t/f",    "t/g",    "t/events/f", "t/events/sched/f", "t/events/sched/g",
		"script", "stdout", "stderr"
	};
	const char *rounds = getenv("SCRIPT_TEST_ROUNDS"), *start = getenv("SCRIPT_TEST_SEED");
	char dir[] = "/tmp/lang_script_test.XXXXXX";
	u64 seed = start ? strtoull(start, NULL, 0) : 1;
	long n = rounds ? strtol(rounds, NULL, 0) : N_ROUNDS;
	int compared = 0;

	(void)state;
	if (access(shells[0], X_OK) && access(shells[1], X_OK))
		skip();
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		assert_int_equal(mkdir(dirs[i], 0777), 0);
	while (n--)
		compared += compare(&seed, shells);
	/* a directory with other files created by a shell cannot be removed */
	for (size_t i = 0; i < ARRAY_SIZE(made); i++)
		assert_int_equal(unlink(made[i]), 0);
	for (size_t i = ARRAY_SIZE(dirs); i--;)
		assert_int_equal(rmdir(dirs[i]), 0);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(dir), 0);
	print_message("# %d scripts held against the shells\n", compared);
	assert_true(compared > 0);
}

/* Random text results in commands or errors, never in both without a message, or in a crash. */
static void test_noise(void **state)
{
	static const char some[] = " \t\n'\"\\$`#;><|&()*?[]{}~=!-naecho cd.cat/f01\r\0\377";
	u64 seed = 7;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		struct script script = SCRIPT_INIT;
		struct diags diags = DIAGS_INIT;
		struct strbuf text = STRBUF_INIT;
		u32 n = random_below(&seed, 40);
		int err;

		if (round & 1)
			random_script(&seed, &text);
		for (u32 i = 0; i < n; i++)
			strbuf_addch(&text, some[random_below(&seed, sizeof(some) - 1)]);
		err = script_parse(&script, "t", text.s, text.len, &diags);
		assert_true(err == 0 || err == -HIST_EINVAL);
		assert_int_equal(!!err, diags_has_error(&diags, 0));
		for (size_t i = 0; i < script.cmds.n; i++)
			for (size_t k = 0; script.cmds.v[i].text && k <= script.cmds.v[i].len; k++)
				assert_true(script.cmds.v[i].offsets[k] <= text.len);
		strbuf_release(&text);
		script_release(&script);
		diags_release(&diags);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_accepted),       cmocka_unit_test(test_refused),
		cmocka_unit_test(test_goes_on),        cmocka_unit_test(test_gives_up),
		cmocka_unit_test(test_warnings),       cmocka_unit_test(test_places),
		cmocka_unit_test(test_same_as_shells), cmocka_unit_test(test_noise),
		cmocka_unit_test(test_question),       cmocka_unit_test(test_ask),
		cmocka_unit_test(test_title),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
