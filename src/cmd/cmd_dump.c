// SPDX-License-Identifier: GPL-2.0-only
/* hist dump: shows the ring buffer itself, and audits its time stamps. */
#include "cmd/cmd.h"
#include "hist-dump.h"

struct dump_args {
	struct cmd_args a;
	struct hist_dump_options options;
};

static const struct cmd_option options[] = {
	{ "audit", 0, NULL, 0,
	  "Show only anomalies: time that goes back, runs of zero deltas, needless time extends, lost events",
	  2, CMD_TRUE(struct dump_args, options.audit) },
	{ "totals", 0, NULL, 0, "Show only the totals of each CPU", 2,
	  CMD_TRUE(struct dump_args, options.totals) },
	{ "text", 0, NULL, 0, "Also print the text of each event", 2,
	  CMD_TRUE(struct dump_args, options.text) },
	{ "format", 0, "FORMAT", 0,
	  "text (the default), json (all of it, an object in each line), or the entries, with --totals "
	  "the totals, with --audit what it found, as csv, tsv, ndjson, markdown, html, sql or parquet",
	  3, CMD_TEXT(struct dump_args, options.format) },
	{ 0 },
};

static error_t dump_parse(int key, const char *arg UNUSED, struct argp_state *state)
{
	const struct dump_args *d = state->input;

	if (key != ARGP_KEY_SUCCESS)
		return ARGP_ERR_UNKNOWN;
	if (d->options.audit && d->options.totals)
		argp_error(state, "--audit and --totals cannot be used together");
	return 0;
}

static int dump_main(void *args)
{
	struct dump_args *d = args;
	const char *format = d->options.format;
	int err = cmd_check_binary(&d->a, format) ?: cmd_open_output(&d->a);

	err = err ?: hist_dump(d->a.h, &d->options, cmd_output_write, &d->a.out, d->a.diags);
	if (err >= 0 && cmd_prints_rows(format) && !d->options.audit && !d->options.totals)
		diags_add(
			d->a.diags, DIAG_NOTE,
			"%s contains the entries; --totals: of each CPU, --audit: what is unusual",
			format);
	return err;
}

const struct cmd cmd_dump = {
	.name = "dump",
	.summary = "shows the ring buffer itself, and audits its time stamps",
	.uses = CMD_RECORDING,
	.size = sizeof(struct dump_args),
	.line = {
		.options = options,
		.parse = dump_parse,
		.shared = CMD_SHARED(&cmd_input_options, &cmd_buffer_options, &cmd_part_options,
				     &cmd_output_options),
		.arguments = offsetof(struct cmd_args, input.paths),
		.args_doc = "[FILE...]",
		.doc = "Shows the ring buffer that was recorded: sub-buffers, records, time extends and stamps, lost events.\v"
		       "Exit status: 0, 1 if the audit found something, 2 on trouble.",
	},
	.main = dump_main,
};
