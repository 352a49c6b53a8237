// SPDX-License-Identifier: GPL-2.0-only
/* hist dump: shows the ring buffer itself, and audits its time stamps. */
#include "cmd/cmd.h"
#include "hist-dump.h"

enum { KEY_AUDIT = 0x600, KEY_TOTALS, KEY_TEXT, KEY_FORMAT };

struct dump_args {
	struct cmd_context *cx;
	struct cmd_input input;
	struct hist_dump_options options;
	struct cmd_output_args to;
};

static const struct argp_option options[] = {
	{ "audit", KEY_AUDIT, NULL, 0,
	  "Show only anomalies: time that goes back, runs of zero deltas, needless time extends, lost events",
	  2 },
	{ "totals", KEY_TOTALS, NULL, 0, "Show only the totals of each CPU", 2 },
	{ "text", KEY_TEXT, NULL, 0, "Also print the text of each event", 2 },
	{ "format", KEY_FORMAT, "FORMAT", 0, "text (default), or json: one object a line", 3 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct dump_args *d = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		for (int i = 0; i < 3; i++)
			state->child_inputs[i] = &d->input;
		state->child_inputs[3] = &d->to;
		state->child_inputs[4] = d->cx;
		return 0;
	case KEY_AUDIT:
		d->options.audit = true;
		return 0;
	case KEY_TOTALS:
		d->options.totals = true;
		return 0;
	case KEY_TEXT:
		d->options.text = true;
		return 0;
	case KEY_FORMAT:
		if (strcmp(arg, "text") && strcmp(arg, "json"))
			argp_error(state, "--format takes text or json, not '%s'", arg);
		d->options.format = arg;
		return 0;
	case ARGP_KEY_ARG:
		return array_push(&d->input.paths, arg) ? ENOMEM : 0;
	case ARGP_KEY_SUCCESS:
		if (d->options.audit && d->options.totals)
			argp_error(state, "--audit and --totals cannot be used together");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ .argp = &cmd_input_argp },  { .argp = &cmd_buffer_argp }, { .argp = &cmd_part_argp },
	{ .argp = &cmd_output_argp }, { .argp = &cmd_common_argp }, { 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "[FILE...]",
	.doc = "Shows the ring buffer that was recorded: sub-buffers, records, time extends and stamps, lost events.\v"
	       "Exit status: 0, 1 if the audit found something, 2 on trouble.",
};

static int dump(struct dump_args *d, struct hist *h)
{
	struct diags *diags = d->cx->diags;
	struct cmd_output out;
	int err = cmd_output_open(&out, d->to.path, &d->input.files, diags), closed;

	if (!err)
		err = hist_dump(h, &d->options, cmd_output_write, &out, diags);
	closed = cmd_output_close(&out, err >= 0, diags);
	return closed ? closed : err;
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct dump_args d = { .cx = cx, .input = CMD_INPUT_INIT };
	struct hist *h = NULL;
	int err;

	err = cmd_parse(&argp, argc, argv, &d);
	if (!err)
		err = cmd_input_open(&d.input, &h, cx->diags);
	if (!err)
		err = cmd_input_result(h, dump(&d, h));
	hist_close(h);
	cmd_input_release(&d.input);
	return err;
}

const struct cmd cmd_dump = {
	.name = "dump",
	.summary = "shows the ring buffer itself, and audits its time stamps",
	.run = run,
};
