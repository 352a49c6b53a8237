// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist: finds the verb, runs it, prints its diagnoses, and exits with its status.
 *
 * The only place that prints errors. The result of a verb is its exit status, or a negative code of
 * libhist: a rejected line of a script is 1, everything else is trouble.
 */
#include <signal.h>

#include "cmd/cmd.h"

static const struct cmd *const verbs[] = { &cmd_summary, &cmd_record, &cmd_report, &cmd_check,
					   &cmd_list,    &cmd_dump,   &cmd_merge,  &cmd_diff,
					   &cmd_trend,   &cmd_slim,   &cmd_import, &cmd_recipe,
					   &cmd_why,     &cmd_events, &cmd_sql,    &cmd_top,
					   &cmd_mcp };

static void print_verbs(FILE *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		fprintf(f, "  %-8s %s\n", verbs[i]->name, verbs[i]->summary);
	fputs("\nhist help VERB shows the options of a verb, man hist-VERB explains them.\n"
	      "hist help --json lists verbs, options, recipes and derived events for programs.\n",
	      f);
}

/* --- from a verb to an exit status --- */

static int run_verb(const struct cmd *cmd, struct cmd_context *cx, int argc, char **argv)
{
	const int trouble = cmd->trouble ? cmd->trouble : CMD_TROUBLE;
	struct strbuf command = STRBUF_INIT;
	scoped(free_scoped) char *name = NULL;
	int result;

	strbuf_addf(&command, "hist %s", cmd->name);
	for (int i = 1; i < argc; i++) {
		strbuf_addch(&command, ' ');
		strbuf_addword(&command, argv[i]);
	}
	cx->command = command.failed ? NULL : command.s;
	argp_err_exit_status = trouble;
	if (cmd != &cmd_record)           /* hist record passes its signals on to a command */
		signal(SIGXFSZ, SIG_IGN); /* a file size limit is an error, like a full disk */
	hist_survive_shrinking();
	if (asprintf(&name, "hist %s", cmd->name) >= 0)
		argv[0] = name;
	result = cmd_main(cmd, cx, argc, argv);
	clearerr(stdout); /* already reported by the verb */
	cmd_print_diagnoses(cx);
	strbuf_release(&command);
	if (result >= 0)
		return result;
	if (!diags_has_error(cx->diags, 0))
		fprintf(stderr, "hist: error: %s\n", hist_strerror(result));
	return result == -HIST_EREJECTED ? CMD_REJECTED : trouble;
}

/* --- finding the verb --- */

static const struct cmd *find_verb(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		if (!strcmp(verbs[i]->name, name))
			return verbs[i];
	return NULL;
}

/* Names of verbs in other tools; a command that has no blanks to fill in, nor a comma, is run. */
static const char *other_tools_word(const char *name)
{
	static const struct {
		const char *word, *here;
	} words[] = {
		{ "script", "hist events" },
		{ "show", "hist events" },
		{ "trace", "hist events" },
		{ "trace-cmd-report", "hist events" },
		{ "trace -s", "hist report syscall-latency" },
		{ "trace --summary", "hist report syscall-latency" },
		{ "strace -c", "hist report syscall-latency" },
		{ "stat", "hist list" },
		{ "lost", "hist list" },
		{ "hist", "hist report -e EVENT --by FIELD" },
		{ "query", "hist sql" },
		{ "sched", "hist report wakeup-latency" },
		{ "lock", "hist report lock-contention" },
		{ "kmem", "hist report kmalloc-by-site" },
		{ "recipes", "hist recipe" },
		{ "timehist", "hist events -e derived:task_state" },
		{ "sched-timehist", "hist events -e derived:task_state" },
		{ "mpstat", "hist report on-cpu --by cpu" },
		{ "latency", "hist report wakeup-latency" },
		{ "start", "hist record, which stops at Ctrl-C or after --duration TIME" },
		{ "stop", "hist record, which stops at Ctrl-C or after --duration TIME" },
		{ "extract", "hist record --take, which reads what another program recorded" },
		{ "timeline", "hist events --format timeline -o FILE.html" },
		{ "info", "hist list" },
		{ "count", "hist report -e all --by event" },
		{ "ps", "hist sql FILE 'SELECT * FROM tasks'" },
		{ "tasks", "hist sql FILE 'SELECT * FROM tasks'" },
		{ "pstree", "hist sql FILE 'SELECT * FROM tasks'" },
		{ "split", "hist slim" },
		{ "convert", "hist import" },
		{ "flamegraph", "hist report --format svg -o FILE.svg, with -e EVENT --by stack" },
		{ "stats", "hist summary" },
		{ "analyze", "hist summary" },
		{ "compare", "hist diff" },
		{ "live", "hist top" },
		{ "bpftrace", "hist report -e EVENT -f FILTER --by FIELD; man hist-faq" },
		{ "watch", "hist top" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i].word, name))
			return words[i].here;
	return NULL;
}

static struct near near_verbs(const char *name)
{
	struct near near = NEAR_INIT(name);

	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++)
		near_offer(&near, verbs[i]->name, verbs[i]->name);
	return near;
}

static void unknown_verb(const char *name, const char *recipe, struct diags *diags)
{
	const char *here = other_tools_word(name);
	const struct near near = near_verbs(name);
	scoped(strbuf_release) struct strbuf verb_names = STRBUF_INIT, why = STRBUF_INIT;

	near_text(&near, &verb_names);
	diags_error(diags, -HIST_EINVAL, "'%s' is not a verb of hist; hist --help lists them",
		    name);
	if (here)
		diags_add(diags, DIAG_NOTE, "hist has this instead: %s", here);
	else if (near.n)
		diags_add(diags, DIAG_NOTE,
			  recipe ? "did you mean %s, or hist report %s?" : "did you mean %s?",
			  verb_names.s, recipe);
	else {
		recipe_suggest(name, &why);
		diags_add(diags, DIAG_NOTE, "questions are asked by hist report%s", why.s ?: "");
	}
}

/* Whether the recipe has this name, here or in other tools; not only its words. */
static bool is_name_of(const char *recipe, const char *name)
{
	scoped(free_scoped) char *text = recipe_read(recipe);

	return !strcmp(recipe, name) || (text && recipe_has_alias(span_of(text), name));
}

/* hist FILE is hist summary FILE; hist RECIPE and hist FILE RECIPE are hist report. */
static int run_without_verb(const struct cmd *cmd, struct cmd_context *cx, int argc, char **argv)
{
	scoped(free_scoped) char **words = calloc((size_t)argc + 2, sizeof(*words));
	int result = CMD_TROUBLE;

	if (words) {
		memcpy(words + 1, argv, (size_t)argc * sizeof(*words));
		result = run_verb(cmd, cx, argc + 1, words);
	}
	return result;
}

/*
 * Run "hist VERB WORD...", which has no blanks to fill in and is no prose, with the arguments of
 * the user, unless those begin with a word of that tool, such as "map" of "sched map".
 *
 * Return:  exit status, or -1: nothing was run
 */
static int run_command(const char *name, const char *here, struct cmd_context *cx, int argc,
		       char **argv)
{
	scoped(free_scoped) ARRAY(char *) words = ARRAY_INIT;
	const bool complete = !strpbrk(here, ",'ABCDEFGHIJKLMNOPQRSTUVWXYZ");
	struct span rest = span_of(here), word = span_sep(&rest, " ");
	int err = 0, n;

	while (complete && rest.s && !err) {
		word = span_sep(&rest, " ");
		err = array_push(&words, arena_strndup(cx->words, word.s, word.n));
	}
	n = (int)words.n;
	for (int i = 1; i <= argc && !err; i++)
		err = array_push(&words, argv[i]);
	if (err || !n || !words.v[0] || !find_verb(words.v[0]) ||
	    (n > 1 && argc > 1 && argv[1][0] != '-' && access(argv[1], F_OK)))
		return -1;
	diags_add(cx->diags, DIAG_NOTE, "%s: %s", name, here);
	return run_verb(find_verb(words.v[0]), cx, n + argc - 1, words.v);
}

/*
 * hist help VERB is hist VERB --help, that of a recipe is hist recipe; hist help --json is for
 * programs.
 */
static int run_named(const char *name, struct cmd_context *cx, int argc, char **argv)
{
	static char help[] = "--help";
	char *help_argv[] = { NULL, help, NULL };
	const struct cmd *cmd = find_verb(name);
	scoped(free_scoped) char *recipe = NULL;
	const bool is_tool = !strcmp(name, "perf") || !strcmp(name, "trace-cmd");
	const char *here = NULL;
	char *words;
	int status;

	if (!strcmp(name, "help") && argc > 1 && !strcmp(argv[1], "--json")) {
		status = cmd_help_json(verbs, ARRAY_SIZE(verbs), cx->diags);

		cmd_print_diagnoses(cx);
		return status;
	}
	if (!strcmp(name, "help") && argc > 1) {
		name = help_argv[0] = argv[1];
		cmd = find_verb(name);
		recipe = cmd || other_tools_word(name) ? NULL : cmd_find_recipe(name);
		if (recipe)
			return run_verb(find_verb("recipe"), cx, 2, argv);
		argc = 2;
		argv = help_argv;
	}
	if (cmd)
		return run_verb(cmd, cx, argc, argv);
	/* "sched latency", "trace -s" */
	if (argc > 1 && access(name, F_OK) && access(argv[1], F_OK)) {
		words = arena_printf(cx->words, "%s%s%s", name, argv[1][0] == '-' ? " " : "-",
				     argv[1]);
		here = words ? other_tools_word(words) : NULL;
		recipe = words && !is_tool ? cmd_find_recipe(words) : NULL;
		if (here || recipe) {
			name = argv[1] = words;
			argc--;
			argv++;
		}
	}
	/* "perf report", "trace-cmd list" */
	if (is_tool && !here && argc > 1 && argv[1][0] != '-' && access(name, F_OK))
		return run_named(argv[1], cx, argc - 1, argv + 1);
	here = access(name, F_OK) ? other_tools_word(name) : NULL;
	if (here && !recipe) {
		status = run_command(name, here, cx, argc, argv);
		if (status >= 0)
			return status;
	}
	/* no verb has such a name, so the file is missing */
	if (!access(name, F_OK) || strpbrk(name, "./"))
		return run_without_verb(any_of(i, (size_t)argc, i && cmd_is_recipe(argv[i]))
						? &cmd_report
						: &cmd_summary,
					cx, argc, argv);
	recipe = recipe ?: cmd_find_recipe(name);
	if (recipe && !here && (!near_verbs(name).n || is_name_of(recipe, name)))
		return run_without_verb(&cmd_report, cx, argc, argv);
	unknown_verb(name, recipe, cx->diags);
	cmd_print_diagnoses(cx);
	return CMD_TROUBLE;
}

/* --- the options before the verb --- */

/* The input is the index of the verb's word; 0: none. */
static error_t parse_root(int key, const char *arg, struct argp_state *state)
{
	int *verb = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	/* the rest is the verb's */
	*verb = state->next - 1;
	state->next = state->argc;
	if (!strcmp(arg, "help") && *verb == state->argc - 1)
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
	return 0;
}

/* The list of verbs follows the options in hist --help. */
static char *root_help(int key, const char *text, void *input UNUSED)
{
	char *list = NULL;
	size_t size;
	FILE *f;

	if (key != ARGP_KEY_HELP_POST_DOC)
		return (char *)text;
	f = open_memstream(&list, &size);
	if (!f)
		return NULL;
	fputs("Verbs:\n", f);
	print_verbs(f);
	fclose(f);
	return list;
}

static const struct cmd_options root_line = {
	.parse = parse_root,
	.help_filter = root_help,
	.command = true,
	.args_doc = "VERB [OPTION...]",
	.doc = "Answers questions about ftrace recordings, and replays them under the kernel's hist triggers.\vx",
};

/* hist -i FILE report is hist report -i FILE: options before the verb, except hist's own. */
static void verb_first(int argc, char **argv)
{
	static const char *const own[] = { "-?", "--help", "--usage", "-V", "--version", "--" };
	int at = 1;

	for (size_t i = 0; i < ARRAY_SIZE(own) && argc > 1; i++)
		if (argv[1][0] != '-' || !strcmp(argv[1], own[i]))
			return;
	while (at < argc && !find_verb(argv[at]))
		at++;
	if (at < argc) {
		char *verb = argv[at];

		memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
		argv[1] = verb;
	}
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	int verb = 0, err;

	argp_program_version = "hist " HIST_VERSION;
	argp_err_exit_status = CMD_TROUBLE;
	verb_first(argc, argv);
	/* hist -i FILE is hist FILE */
	if (argc > 1 && !strncmp(argv[1], "-i", 2))
		return run_without_verb(&cmd_summary, cx, argc - 1, argv + 1);
	err = cmd_parse(&root_line, cx, argc, argv, &verb);
	if (err) {
		fprintf(stderr, "hist: error: %s\n", hist_strerror(err));
		return CMD_TROUBLE;
	}
	if (verb)
		return run_named(argv[verb], cx, argc - verb, argv + verb);
	fputs("usage: hist VERB [OPTION...]\n\n", stderr);
	print_verbs(stderr);
	return CMD_TROUBLE;
}

/* --- the process --- */

/* Flush what argp printed for --help; this may fail, too. */
static void close_stdout(void)
{
	bool failed = ferror(stdout); /* errno of the earlier write is lost */

	errno = 0;
	if (!failed && !fflush(stdout) && (!fclose(stdout) || errno == EBADF))
		return;
	fprintf(stderr, "hist: error: standard output: %s\n",
		failed ? "cannot write" : strerror(errno));
	_exit(CMD_TROUBLE);
}

int main(int argc, char **argv)
{
	static char name[] = "hist";
	scoped(diags_release) struct diags diags = DIAGS_INIT;
	scoped(arena_release) struct arena words = ARENA_INIT;
	struct cmd_context cx = { .diags = &diags, .words = &words };

	/* A file opened later must not become standard output. */
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			_exit(CMD_TROUBLE);
	signal(SIGPIPE, SIG_DFL);
	atexit(close_stdout);
	if (argc)
		argv[0] = name;
	return run(&cx, argc, argv);
}
