// SPDX-License-Identifier: GPL-2.0-only
/* hist summary: what a stranger should know about a recording. */
#include "cmd/cmd.h"
#include "hist-summary.h"

struct summary_args {
	struct cmd_args a;
	struct hist_summary_options summary;
	const char *baseline;
};

static const struct cmd_option options[] = {
	{ "baseline", 0, "FILE", 0,
	  "Another recording: lines name what takes twice as much time as in it, or more", 3,
	  CMD_TEXT(struct summary_args, baseline) },
	{ "format", 0, "FORMAT", 0,
	  "text (default: forty lines of 80 columns), html (a page), markdown, or with the numbers of each line csv, "
	  "tsv, json (an array of objects), ndjson, sql or parquet",
	  5, CMD_TEXT(struct summary_args, summary.format) },
	{ 0 },
};

static error_t summary_parse(int key, const char *arg, struct argp_state *state)
{
	struct summary_args *s = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (cmd_is_recipe(arg))
		argp_error(state, "%s is a question, not a recording: hist report -i FILE %s", arg,
			   arg);
	return array_push(&s->a.input.paths, arg) ? ENOMEM : 0;
}

/* The options that name the same part of the same recording, for commands that go on. */
static const char *input_words(struct summary_args *s)
{
	const struct hist_options *o = &s->a.input.options;
	const struct {
		const char *option, *value;
	} parts[] = {
		{ "-B", o->buffer }, { "--cpu", o->cpus }, { "--from", o->from }, { "--to", o->to }
	};
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < s->a.input.paths.n - o->n_inputs; i++) {
		strbuf_addstr(&sb, sb.len ? " -i " : "-i ");
		strbuf_addword(&sb, s->a.input.paths.v[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (parts[i].value) {
			strbuf_addf(&sb, "%s%s ", sb.len ? " " : "", parts[i].option);
			strbuf_addword(&sb, parts[i].value);
		}
	return sb.len || sb.failed ? arena_take(&s->a.input.arena, &sb) : NULL;
}

static int summary_main(void *args)
{
	struct summary_args *s = args;
	int err = cmd_check_binary(&s->a, s->summary.format);

	s->summary.command = s->a.cx->command;
	s->summary.input = s->a.cx->session ? NULL : input_words(s);
	if (s->baseline && !err)
		err = hist_open(&(struct hist_options){ .inputs = &s->baseline, .n_inputs = 1 },
				&s->summary.baseline, s->a.diags);
	err = err ?: cmd_open_output(&s->a);
	err = err ?: hist_summary(s->a.h, &s->summary, cmd_output_write, &s->a.out, s->a.diags);
	if (s->summary.baseline)
		hist_close(s->summary.baseline);
	return err;
}

const struct cmd cmd_summary = {
	.name = "summary",
	.summary = "shows what is in a recording, and what is wrong",
	.uses = CMD_RECORDING,
	.size = sizeof(struct summary_args),
	.line = {
		.options = options,
		.parse = summary_parse,
		.shared = CMD_SHARED(&cmd_input_options, &cmd_buffer_options, &cmd_part_options,
				     &cmd_output_options),
		.args_doc = "[FILE...]",
		.doc = "Sums a recording up in at most forty lines: what is wrong, who used the CPUs, who waited for what, "
		       "which system calls failed or took long, interrupts, locks, disks, and what was not recorded.\v"
		       "Each line is followed by the command that goes on.\n\n"
		       "  hist summary -i FILE\n"
		       "  hist FILE\n"
		       "\n"
		       "Exit status: 0, 2 on trouble.",
	},
	.main = summary_main,
};
