// SPDX-License-Identifier: GPL-2.0-only
/* hist dump: shows the ring buffer itself, and audits its time stamps. */
#include "cmd/cmd.h"
#include "hist-dump.h"

struct dump_args {
	struct cmd_context *cx;
	struct cmd_input input;
	struct hist_dump_options options;
	struct cmd_output_args to;
};

static const struct cmd_option options[] = {
	{ "audit", 0, NULL, 0,
	  "Show only anomalies: time that goes back, runs of zero deltas, needless time extends, lost events",
	  2, CMD_TRUE(struct dump_args, options.audit) },
	{ "totals", 0, NULL, 0, "Show only the totals of each CPU", 2,
	  CMD_TRUE(struct dump_args, options.totals) },
	{ "text", 0, NULL, 0, "Also print the text of each event", 2,
	  CMD_TRUE(struct dump_args, options.text) },
	{ "format", 0, "FORMAT", 0, "text (default), or json: one object a line", 3,
	  CMD_CHOICE(struct dump_args, options.format, "text|json") },
	{ 0 },
};

static error_t parse(int key, const char *arg, struct argp_state *state)
{
	struct dump_args *d = state->input;

	switch (key) {
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

static const struct cmd_shared shared[] = {
	{ &cmd_input_options, offsetof(struct dump_args, input) },
	{ &cmd_buffer_options, offsetof(struct dump_args, input) },
	{ &cmd_part_options, offsetof(struct dump_args, input) },
	{ &cmd_output_options, offsetof(struct dump_args, to) },
	{ 0 },
};

static const struct cmd_options command_line = {
	.options = options,
	.parse = parse,
	.shared = shared,
	.args_doc = "[FILE...]",
	.doc = "Shows the ring buffer that was recorded: sub-buffers, records, time extends and stamps, lost events.\v"
	       "Exit status: 0, 1 if the audit found something, 2 on trouble.",
};

static int dump(struct dump_args *d, struct hist *h)
{
	struct diags *diags = d->cx->diags;
	struct cmd_output out;
	int err = cmd_output_open(&out, d->to.path, &d->input.files, diags);

	if (!err)
		err = hist_dump(h, &d->options, cmd_output_write, &out, diags);
	return cmd_output_close(&out, err >= 0, err, diags);
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct dump_args d = { .cx = cx, .input = CMD_INPUT_INIT };
	struct hist *h = NULL;
	int err;

	err = cmd_parse(&command_line, cx, argc, argv, &d);
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
