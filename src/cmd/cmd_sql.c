// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist sql: runs statements of SQL on the events of a recording: those of the command line, of
 * files, of a pipe, or of a person who types them.
 */
#include "cmd/hosts.h"
#include "cmd/line_input.h"
#include "hist-session.h"
#include "sqlite/sqlite.h"

struct sql_args {
	struct cmd_args a;
	text_array statements, files;
	struct sqlite_session_options how;
	cmd_hosts hosts;
	ARRAY(struct sqlite_source) sources; /* of each machine; without --hosts, of one */
	struct sqlite_session *session;
	struct hist_session *kept; /* NULL: none, or that of a program */
};

static error_t store_timeout(const struct cmd_option *o, void *to, const char *arg,
			     struct argp_state *state)
{
	if (!span_time(span_of(arg), to) || !*(u64 *)to)
		argp_error(state, "--%s takes a time such as 30s, not '%s'", o->name, arg);
	return 0;
}

static const struct cmd_option options[] = {
	CMD_HEADING("The recording, and how it is read:", 1),
	CMD_HEADING("The statements:", 3),
	CMD_HEADING("The output:", 5),
	{ "file", 'f', "FILE", 0, "Run the statements in FILE, before those of the command line", 3,
	  CMD_TEXTS(struct sql_args, files) },
	{ "hosts", 0, NULL, 0,
	  "Each -i is of a machine of its own: tables have the rows of all, with the column host",
	  1, CMD_TRUE(struct cmd_args, hosts) },
	{ "script", 'S', "SCRIPT", 0,
	  "Tables for the synthetic events of this script, too, or of the recipe of that name", 3,
	  CMD_PARSE },
	{ "define", 'D', "NAME=VALUE", 0, "Set a parameter of the recipe", 3,
	  CMD_CALL(struct cmd_args, script.defines, cmd_store_define) },
	{ "timeout", 0, "TIME", 0, "Stop statements after this time, such as 30s", 3,
	  CMD_CALL(struct sql_args, how.timeout, store_timeout) },
	{ "format", 0, "FORMAT", 0, "text (the default), " CMD_ROW_FORMATS ", of one statement", 5,
	  CMD_TEXT(struct sql_args, how.format) },
	{ "csv-safe", 0, NULL, 0,
	  "csv and tsv for a spreadsheet: put ' before texts that it would run as formulas", 5,
	  CMD_TRUE(struct cmd_args, to.csv_safe) },
	{ 0 },
};

static error_t sql_parse(int key, const char *arg, struct argp_state *state)
{
	struct sql_args *s = state->input;

	switch (key) {
	case 'S':
		return cmd_script_add_file(&s->a.script, arg);
	case ARGP_KEY_ARG:
		/* a recording may be an argument, as of other verbs */
		return array_push(s->a.cx->session || access(arg, R_OK) ? &s->statements
									: &s->a.input.paths,
				  arg)
			       ? ENOMEM
			       : 0;
	case ARGP_KEY_SUCCESS:
		if (s->a.to.csv_safe)
			s->how.format = cmd_csv_safe(s->how.format, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Statements that follow one another are a session. */
static int start_session(void *args)
{
	struct sql_args *s = args;

	if (s->a.input.session || s->statements.n)
		return 0;
	s->kept = hist_session_new(s->a.input.selection.memory / 2);
	s->a.input.session = s->kept;
	return s->kept ? 0 : HIST_NOMEM;
}

static int open_recording(void *arg, struct hist **h, struct diags *diags)
{
	return cmd_input_reopen(arg, h, diags);
}

/* --- texts --- */

static int run_fd(struct sql_args *s, const char *name, int fd)
{
	enum { STEP = 1 << 14, MAX = 1 << 26 };
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	ssize_t n;
	int err;

	do
		n = fd_append(fd, &text, STEP);
	while (n > 0 && text.len < MAX);
	if (n < 0)
		err = diags_error(s->a.diags, -HIST_EIO, "%s: %s", name, strerror(errno));
	else if (text.failed)
		err = HIST_NOMEM;
	else if (n || memchr(text.s, 0, text.len))
		err = diags_error(s->a.diags, -HIST_EINVAL, "%s: is not a text of SQL statements",
				  name);
	else
		err = sqlite_session_run(s->session, name, text.len ? text.s : "", s->a.diags);
	return err;
}

static int run_file(struct sql_args *s, const char *path)
{
	int fd, err;

	if (!strcmp(path, "-")) {
		err = cmd_input_take_stdin(&s->a.input, s->a.diags);
		return err ? err : run_fd(s, "standard input", STDIN_FILENO);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diags_error(s->a.diags, -HIST_EIO, "%s: %s", path, strerror(errno));
	err = run_fd(s, path, fd);
	close(fd);
	return err;
}

/* --- the prompt --- */

static const char help[] =
	"Statements end with ; and may have several lines.\n"
	".tables [GLOB]  lists tables: of events, and of the answers of recipes\n"
	".schema TABLE   lists the columns of a table\n"
	".quit           ends, as ^D does\n"
	"TAB completes names of tables and columns.\n";

/* A line that begins with a dot; false: it ends the session. */
static bool run_dot(struct sql_args *s, const char *line)
{
	const struct span word = span_trim(span_between(line, line + strcspn(line, " \t\n")));

	if (span_eq(word, ".quit") || span_eq(word, ".exit"))
		return false;
	if (span_eq(word, ".tables") || span_eq(word, ".schema"))
		sqlite_session_run(s->session, "hist sql", line, s->a.diags);
	else
		cmd_output_write(&s->a.out, help, sizeof(help) - 1);
	return true;
}

/* The statement that is being typed. */
struct typing {
	struct sql_args *s;
	struct line_input in;
	struct strbuf text; /* its lines so far */
};

static void complete(void *arg, const char *line, struct strbuf *candidates)
{
	struct typing *t = arg;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	strbuf_addf(&text, "%s%s", t->text.s, line);
	if (!text.failed)
		sqlite_session_complete(t->s->session, text.s, line_input_word(text.s, text.len),
					candidates);
}

/* The next line in ->in.line, which ends with a newline; false: the end. */
static bool read_line(struct typing *t)
{
	const char *mark = t->text.len ? "...> " : "hist> ";
	char *line = NULL;
	size_t size = 0;
	bool read;

	if (!t->s->a.to.path && line_input_possible()) {
		read = line_input_read(&t->in, mark);
		strbuf_addch(&t->in.line, '\n');
		return read;
	}
	cmd_output_write(&t->s->a.out, mark, strlen(mark));
	read = getline(&line, &size, stdin) >= 0;
	strbuf_reset(&t->in.line);
	strbuf_addstr(&t->in.line, read ? line : "");
	free(line);
	if (!read)
		cmd_output_write(&t->s->a.out, "\n", 1);
	return read;
}

/* Add a line to the statement, and run it if it is complete. */
static void add_line(struct typing *t)
{
	if (!t->text.len && !t->in.line.s[strspn(t->in.line.s, " \t\n")])
		return;
	strbuf_addstr(&t->text, t->in.line.s);
	if (t->text.failed || !sqlite_is_complete(t->text.s))
		return;
	sqlite_session_run(t->s->session, "hist sql", t->text.s, t->s->a.diags);
	strbuf_reset(&t->text);
}

/* Errors of a statement do not end the session. */
static int prompt(struct sql_args *s)
{
	struct typing t = { .s = s,
			    .in = { .complete = complete, .arg = &t, .line = STRBUF_INIT },
			    .text = STRBUF_INIT };
	bool more = true;

	while (more && read_line(&t)) {
		if (!t.text.len && t.in.line.s[0] == '.')
			more = run_dot(s, t.in.line.s);
		else
			add_line(&t);
		cmd_print_diagnoses(s->a.cx);
		diags_release(s->a.diags);
	}
	line_input_release(&t.in);
	strbuf_release(&t.text);
	return 0;
}

/* The recording of a machine, and the script as it is there. */
static int add_source(struct sql_args *s, struct hist *h, struct cmd_input *input, const char *host)
{
	struct cmd_args *a = &s->a;
	struct sqlite_source source = {
		.open = open_recording, .arg = input, .diags = a->diags, .host = host
	};
	struct hist_script *lines = NULL;
	int err = 0;

	if (a->script.pieces.n) {
		lines = hist_script_new();
		a->script.only_triggers = true;
		err = lines ? cmd_script_build(&a->script, h, lines, a->diags) : HIST_NOMEM;
		source.script = lines;
	}
	if (array_push(&s->sources, source)) {
		hist_script_free(lines);
		err = HIST_NOMEM;
	}
	return err;
}

static int add_sources(struct sql_args *s)
{
	struct cmd_args *a = &s->a;
	int err = a->hosts ? cmd_hosts_open(a, false, &s->hosts) : 0;

	for (size_t i = 0; i < s->hosts.n && !err; i++) {
		struct cmd_host *host = &s->hosts.v[i];

		err = add_source(s, host->h, i ? &host->input : &a->input, host->name);
	}
	if (!a->hosts)
		err = add_source(s, a->h, &a->input, NULL);
	for (size_t i = 1; i < s->sources.n; i++)
		s->sources.v[i - 1].next = &s->sources.v[i];
	return err;
}

static int sql_main(void *args)
{
	struct sql_args *s = args;
	struct cmd_args *a = &s->a;
	bool cut = false;
	int err = add_sources(s);

	s->how.format = cmd_format_of_name(a, s->how.format, "html") ?: "text";
	err = err ?: cmd_check_binary(a, s->how.format);
	s->how.memory = a->input.selection.memory;
	s->how.sink = cmd_output_write;
	s->how.arg = &a->out;
	err = err ?: cmd_open_output(a);
	err = err ?: sqlite_session_open(&s->session, s->sources.v, &s->how, a->diags);
	for (size_t i = 0; i < s->files.n && !err; i++)
		err = run_file(s, s->files.v[i]);
	for (size_t i = 0; i < s->statements.n && !err; i++)
		err = sqlite_session_run(s->session, "hist sql", s->statements.v[i], a->diags);
	if (!s->files.n && !s->statements.n && !err)
		err = isatty(STDIN_FILENO) ? prompt(s) : run_file(s, "-");
	array_each(const struct sqlite_source, source, &s->sources)
		cut |= source->cut;
	return err ? err : cut ? CMD_TROUBLE : CMD_OK;
}

static void sql_release(void *args)
{
	struct sql_args *s = args;

	sqlite_session_close(s->session);
	array_each(const struct sqlite_source, source, &s->sources)
		hist_script_free((struct hist_script *)(uintptr_t)source->script);
	array_release(&s->sources);
	cmd_hosts_release(&s->hosts);
	hist_session_free(s->kept);
	array_release(&s->statements);
	array_release(&s->files);
}

const struct cmd cmd_sql = {
	.name = "sql",
	.summary = "runs SQL on the events of a recording",
	.uses = CMD_RECORDING,
	.size = sizeof(struct sql_args),
	.line = {
		.options = options,
		.parse = sql_parse,
		.shared = CMD_SHARED(&cmd_input_options, &cmd_buffer_options, &cmd_kernel_options,
				     &cmd_symbol_options, &cmd_part_options, &cmd_select_options,
				     &cmd_output_options),
		.args_doc = "[FILE] [STATEMENT...]",
		.doc = "Runs SQL (that of SQLite) on a recording, with a table for each event: recorded, derived, or made by a script.\v"
		       "  hist sql -i FILE 'SELECT * FROM tables'\n"
		       "  hist sql -i FILE 'SELECT next_comm, count(*) FROM sched_switch GROUP BY 1'\n\n"
		       "Without a statement, they are read from standard input.\n\n"
		       "Exit status: 0, 1 if a line of a script was rejected, 2 on trouble.",
	},
	.prepare = start_session,
	.main = sql_main,
	.release = sql_release,
};
