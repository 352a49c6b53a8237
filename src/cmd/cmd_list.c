// SPDX-License-Identifier: GPL-2.0-only
/* hist list: lists the contents of a recording, or the events of this machine. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "record/record.h"

struct list {
	struct cmd_args a;
	unsigned int flags; /* enum hist_list_flags */
	bool live, events, all, json;
};

static const struct cmd_option options[] = {
	{ "events", 'e', NULL, 0, "List every event with its fields", 2,
	  CMD_TRUE(struct list, events) },
	{ "all", 'a', NULL, 0, "Also list events that were not recorded", 2,
	  CMD_TRUE(struct list, all) },
	{ "live", 0, NULL, 0, "List the events that can be recorded on this machine", 2,
	  CMD_TRUE(struct list, live) },
	{ "format", 0, "text|json", 0, "Text (the default), or json: an object for each file", 2,
	  CMD_WORD(struct list, json, "text|json") },
	{ 0 },
};

static error_t list_parse(int key, const char *arg, struct argp_state *state)
{
	const struct list *l = state->input;

	(void)arg;
	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
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
	const char *tmp = getenv("TMPDIR"), *name = "this machine", *path;
	char *dir = arena_printf(&l->a.input.arena, "%s/hist.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	int err;

	if (!dir)
		return HIST_NOMEM;
	if (!mkdtemp(dir))
		return diags_error(l->a.diags, -HIST_EIO, "%s: %s", dir, strerror(errno));
	path = arena_printf(&l->a.input.arena, "%s/trace.dat", dir);
	err = path ? record_machine(path, l->a.diags) : HIST_NOMEM;
	err = err
		      ?: hist_open(&(struct hist_options){ .inputs = &path,
							   .n_inputs = 1,
							   .names = &name },
				   h, l->a.diags);
	if (path)
		unlink(path);
	rmdir(dir);
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

/* List an opened recording, which is closed. */
static int list_opened(struct list *l, struct hist *h, const char *path)
{
	struct strbuf recipes = STRBUF_INIT;
	int err = hist_list(h, l->flags, cmd_output_write, &l->a.out, l->a.diags);

	if (!err && !l->json)
		add_derived(h, l->live, &recipes);
	if (!err && !l->live && !l->json)
		err = recipe_answers_text(h, path, &recipes);
	if (!err && recipes.len)
		cmd_output_write(&l->a.out, recipes.s, recipes.len);
	strbuf_release(&recipes);
	err = cmd_input_result(h, err);
	hist_close(h);
	return err;
}

/* List each recording separately: they need not share a timeline. Returns the first error. */
static int list_files(struct list *l)
{
	const struct hist_options *all = &l->a.input.options;
	struct hist_options one = *all;
	int first = 0;

	for (size_t i = 0; i < all->n_inputs; i++) {
		struct hist *h = NULL;
		int err;

		one.inputs = &all->inputs[i];
		one.names = &all->names[i];
		one.n_inputs = 1;
		err = hist_open(&one, &h, l->a.diags);
		err = err ?: list_opened(l, h, l->a.input.paths.v[i]);
		first = first ? first : err;
	}
	return first;
}

static int list_main(void *args)
{
	struct list *l = args;
	struct hist *h = NULL;
	int err = l->live ? 0 : cmd_input_resolve(&l->a.input, l->a.diags);

	l->flags = (l->events ? HIST_LIST_EVENTS : 0) | (l->all || l->live ? HIST_LIST_FULL : 0) |
		   (l->json ? HIST_LIST_JSON : 0) |
		   (cmd_is_colourful(l->a.cx, STDOUT_FILENO) ? HIST_LIST_RATES : 0);
	err = err ?: cmd_open_output(&l->a);
	if (err || !l->live)
		return err ? err : list_files(l);
	err = open_machine(l, &h);
	return err ? err : list_opened(l, h, NULL);
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
