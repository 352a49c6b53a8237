// SPDX-License-Identifier: GPL-2.0-only
/* hist list: lists the contents of a recording, or the events of this machine. */
#include "cmd/cmd.h"
#include "hist-session.h"
#include "record/record.h"

struct list {
	struct cmd_args a;
	unsigned int flags; /* enum hist_list_flags */
	bool live, events, all;
	const char *format;
	u64 table; /* enum hist_list_table, from 1 on; 0: by the other options */
};

static const struct cmd_option options[] = {
	{ "events", 'e', NULL, 0, "List every event with its fields", 2,
	  CMD_TRUE(struct list, events) },
	{ "all", 'a', NULL, 0, "Also list events that were not recorded", 2,
	  CMD_TRUE(struct list, all) },
	{ "live", 0, NULL, 0, "List the events that can be recorded on this machine", 2,
	  CMD_TRUE(struct list, live) },
	{ "format", 0, "FORMAT", 0,
	  "text (the default), json (an object for each file, with all of it), or one table (of events, "
	  "or with -e of fields) as csv, tsv, ndjson, markdown, html, sql or parquet",
	  2, CMD_TEXT(struct list, format) },
	{ "show", 0, "N", 0,
	  "Which table, where only one is printed: 1 events, 2 CPUs, 3 when records are missing, 4 fields",
	  2, CMD_RANGE(struct list, table, 1, HIST_LIST_OF_FIELDS + 1) },
	{ 0 },
};

static error_t list_parse(int key, const char *arg UNUSED, struct argp_state *state)
{
	const struct list *l = state->input;

	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	if (l->table && !cmd_prints_rows(l->format))
		argp_error(state, "--show chooses a table for --format csv and others of rows");
	if (l->live && l->a.input.paths.n)
		argp_error(state, "--live lists the events of this machine; it does not read '%s'",
			   l->a.input.paths.v[0]);
	return 0;
}

/*
 * Open this machine as a recording without records, from a file that is needed only until it is
 * open.
 */
static int open_machine(struct list *l, struct hist **h)
{
	const char *name = "this machine", *path;
	scoped(strbuf_release) struct strbuf dir = STRBUF_INIT;
	int err;

	if (!fd_make_tmp(&dir, "hist."))
		return dir.failed ? HIST_NOMEM
				  : diags_error(l->a.diags, -HIST_EIO, "%s: %s", dir.s,
						strerror(errno));
	path = arena_printf(&l->a.input.arena, "%s/trace.dat", dir.s);
	err = path ? record_machine(path, l->a.diags) : HIST_NOMEM;
	err = err
		      ?: hist_open(&(struct hist_options){ .inputs = &path,
							   .n_inputs = 1,
							   .names = &name },
				   h, l->a.diags);
	if (path)
		unlink(path);
	rmdir(dir.s);
	return err;
}

/* The events that can be derived: all that they need was recorded, or hist record will do it. */
static void add_derived(struct hist *h, bool live, struct strbuf *out)
{
	const char *derived;
	size_t n = 0;

	for (size_t i = 0; (derived = hist_derived_event(i)); i++)
		if (live || hist_can_derive(h, derived))
			strbuf_addf(out, "%s%s", n++ ? ", " : "  derived      ", derived);
	if (n)
		strbuf_addch(out, '\n');
}

/* One table of all recordings. */
static int list_rows(struct list *l, struct hist *const *h, size_t n)
{
	const struct hist_list_options how = {
		.format = l->format,
		.flags = l->flags & HIST_LIST_FULL,
		.table = l->table    ? (enum hist_list_table)(l->table - 1)
			 : l->events ? HIST_LIST_OF_FIELDS
				     : HIST_LIST_OF_EVENTS,
	};
	int err = hist_list_rows(h, n, &how, cmd_output_write, &l->a.out, l->a.diags);

	if (!err && !l->table && !l->events)
		diags_add(l->a.diags, DIAG_NOTE,
			  "%s contains the events; others: --show 2 (CPUs), 3 (when records are "
			  "missing), 4 (fields)",
			  l->format);
	for (size_t i = 0; i < n; i++)
		err = cmd_input_result(h[i], err);
	return err;
}

/* List an opened recording, which is closed. */
static int list_opened(struct list *l, struct hist *h, const char *path)
{
	const bool json = l->flags & HIST_LIST_JSON;
	scoped(strbuf_release) struct strbuf recipes = STRBUF_INIT;
	int err;

	if (cmd_prints_rows(l->format)) {
		err = list_rows(l, &h, 1);
		hist_close(h);
		return err;
	}
	err = hist_list(h, l->flags, cmd_output_write, &l->a.out, l->a.diags);

	if (!err && !json)
		add_derived(h, l->live, &recipes);
	if (!err && !l->live && !json)
		err = recipe_answers_text(h, path, &recipes);
	if (!err && recipes.len)
		cmd_output_write(&l->a.out, recipes.s, recipes.len);
	err = cmd_input_result(h, err);
	hist_close(h);
	return err;
}

/* List each recording separately: they need not share a timeline. Returns the first error. */
static int list_files(struct list *l)
{
	const struct hist_options *all = &l->a.input.options;
	struct hist_options one = *all;
	const bool rows = cmd_prints_rows(l->format);
	scoped(free_scoped) ARRAY(struct hist *) opened = ARRAY_INIT;
	int first = 0;

	for (size_t i = 0; i < all->n_inputs; i++) {
		struct hist *h = NULL;
		int err;

		one.inputs = &all->inputs[i];
		one.names = &all->names[i];
		one.n_inputs = 1;
		err = hist_session_open(l->a.input.session, &one, &h, l->a.diags);
		if (!err && !rows) {
			err = list_opened(l, h, l->a.input.paths.v[i]);
		} else if (!err && array_push(&opened, h)) {
			hist_close(h);
			err = HIST_NOMEM;
		}
		first = first ? first : err;
	}
	if (opened.n)
		first = list_rows(l, opened.v, opened.n) ?: first;
	for (size_t i = 0; i < opened.n; i++)
		hist_close(opened.v[i]);
	return first;
}

static int list_main(void *args)
{
	struct list *l = args;
	struct hist *h = NULL;
	int err = l->live ? 0 : cmd_input_resolve(&l->a.input, l->a.diags);

	l->flags = (l->events ? HIST_LIST_EVENTS : 0) | (l->all || l->live ? HIST_LIST_FULL : 0) |
		   (l->format && !strcmp(l->format, "json") ? HIST_LIST_JSON : 0) |
		   (cmd_is_colourful(l->a.cx, STDOUT_FILENO) ? HIST_LIST_RATES : 0);
	err = err ?: cmd_check_binary(&l->a, l->format) ?: cmd_open_output(&l->a);
	if (err || !l->live)
		return err ? err : list_files(l);
	return open_machine(l, &h) ?: list_opened(l, h, NULL);
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "lists what is in a trace.dat",
	.size = sizeof(struct list),
	.line = {
		.options = options,
		.parse = list_parse,
		.shared = CMD_SHARED(&cmd_input_options),
		.arguments = offsetof(struct cmd_args, input.paths),
		.args_doc = "[FILE...]",
		.doc = "Lists what is in a recording: buffers, CPUs, clock, span, events, lost events, the stored script.\v"
		       "Exit status: 0, 2 on trouble.",
	},
	.main = list_main,
};
