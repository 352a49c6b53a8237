// SPDX-License-Identifier: GPL-2.0-only
/* hist list: lists the contents of a recording, or the events of this machine. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/recipe_answer.h"
#include "record/record.h"

struct list {
	struct cmd_context *cx;
	struct cmd_input input;
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

static error_t parse(int key, const char *arg, struct argp_state *state)
{
	struct list *l = state->input;

	switch (key) {
	case ARGP_KEY_END:
		if (l->live && l->input.paths.n)
			argp_error(state,
				   "--live lists the events of this machine; it does not read '%s'",
				   l->input.paths.v[0]);
		return 0;
	case ARGP_KEY_ARG:
		return array_push(&l->input.paths, arg) ? ENOMEM : 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct cmd_shared shared[] = {
	{ &cmd_input_options, offsetof(struct list, input) },
	{ 0 },
};

static const struct cmd_options command_line = {
	.options = options,
	.parse = parse,
	.shared = shared,
	.args_doc = "[FILE...]",
	.doc = "Lists what is in a recording: buffers, CPUs, clock, span, events, lost events, the stored script.\v"
	       "Exit status: 0, 2 on trouble.",
};

/*
 * Open this machine as a recording without records, from a file that is needed only until it is
 * open.
 */
static int open_machine(struct hist **h, struct diags *diags)
{
	const char *tmp = getenv("TMPDIR"), *name = "this machine";
	struct strbuf dir = STRBUF_INIT, path = STRBUF_INIT;
	struct hist_options recording = { .n_inputs = 1, .names = &name };
	int err = HIST_NOMEM;

	strbuf_addf(&dir, "%s/hist.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!dir.failed && !mkdtemp(dir.s))
		err = diags_error(diags, -HIST_EIO, "%s: %s", dir.s, strerror(errno));
	else if (!dir.failed)
		strbuf_addf(&path, "%s/trace.dat", dir.s);
	if (path.len && !path.failed) {
		recording.inputs = (const char *const[]){ path.s };
		err = record_machine(path.s, diags);
		if (!err)
			err = hist_open(&recording, h, diags);
		unlink(path.s);
		rmdir(dir.s);
	}
	strbuf_release(&dir);
	strbuf_release(&path);
	return err;
}

/* 0, CMD_TROUBLE if parts of the recording are missing, or an error. */
static int list_opened(struct list *l, struct hist *h, const char *path, struct cmd_output *out)
{
	struct strbuf recipes = STRBUF_INIT;
	int err = hist_list(h, l->flags, cmd_output_write, out, l->cx->diags);

	if (!err && !l->live && !l->json)
		err = recipe_answers_text(h, path, &recipes);
	if (!err && recipes.len)
		cmd_output_write(out, recipes.s, recipes.len);
	strbuf_release(&recipes);
	return cmd_input_result(h, err);
}

static int list_machine(struct list *l, struct cmd_output *out)
{
	struct hist *h = NULL;
	int err = open_machine(&h, l->cx->diags);

	if (!err)
		err = list_opened(l, h, NULL, out);
	hist_close(h);
	return err;
}

/* List each recording separately: they need not share a timeline. Returns the first error. */
static int list_files(struct list *l, struct cmd_output *out)
{
	struct hist_options one = l->input.options;
	int first = 0;

	for (size_t i = 0; i < l->input.options.n_inputs; i++) {
		struct hist *h = NULL;
		int err;

		one.inputs = &l->input.options.inputs[i];
		one.names = &l->input.options.names[i];
		one.n_inputs = 1;
		err = hist_open(&one, &h, l->cx->diags);
		if (!err)
			err = list_opened(l, h, l->input.paths.v[i], out);
		hist_close(h);
		first = first ? first : err;
	}
	return first;
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct list l = { .cx = cx, .input = CMD_INPUT_INIT };
	struct cmd_output out;
	int err;

	err = cmd_parse(&command_line, cx, argc, argv, &l);
	if (!err && !l.live)
		err = cmd_input_resolve(&l.input, cx->diags);
	l.flags = (l.events ? HIST_LIST_EVENTS : 0) | (l.all || l.live ? HIST_LIST_FULL : 0) |
		  (l.json ? HIST_LIST_JSON : 0) |
		  (cmd_is_colourful(cx, STDOUT_FILENO) ? HIST_LIST_RATES : 0);
	if (!err)
		err = cmd_output_open(&out, NULL, NULL, cx->diags);
	if (!err) {
		err = l.live ? list_machine(&l, &out) : list_files(&l, &out);
		err = cmd_output_close(&out, true, err, cx->diags);
	}
	cmd_input_release(&l.input);
	return err;
}

const struct cmd cmd_list = {
	.name = "list",
	.summary = "lists what is in a trace.dat",
	.run = run,
};
