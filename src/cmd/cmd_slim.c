// SPDX-License-Identifier: GPL-2.0-only
/* hist slim: writes a smaller recording with the same results for a script, or all events of a
 * part. */
#include "cmd/cmd.h"
#include "hist-list.h"
#include "hist-save.h"

struct slim_args {
	struct cmd_args a;
	struct hist_slim_options to;
	bool drop_tasks;
};

static const struct cmd_option options[] = {
	CMD_HEADING("The recording, and how it is read:", 1),
	CMD_HEADING("The question:", 2),
	CMD_HEADING("What to write:", 3),
	{ "output", 'o', "FILE", 0,
	  "The file to write; it appears under this name when it is complete", 3,
	  CMD_TEXT(struct slim_args, to.output) },
	{ "compression", 'z', "none|zlib|zstd", 0,
	  "Compression of FILE; default: that of the recording", 3,
	  CMD_TEXT(struct slim_args, to.compression) },
	{ "file-version", 0, "6|7", 0, "Version of the file format; default: that of the recording",
	  3, CMD_WORD_FROM(struct slim_args, to.version, "6|7", 6) },
	{ "trace", 0, NULL, 0,
	  "Keep events that only trace and snapshot show, even if there are many", 3,
	  CMD_TRUE(struct slim_args, to.trace) },
	{ "around", 0, "NAME>=N", 0,
	  "Keep all records around the hits for which this comparison is true; NAME is a value, variable or key",
	  3, CMD_TEXT(struct slim_args, to.around) },
	{ "context", 0, "TIME", 0, "Time to keep before and after them; default 1ms", 3,
	  CMD_TEXT(struct slim_args, to.context) },
	{ "drop-tasks", 0, NULL, 0,
	  "Leave out the journal of tasks, which contains the arguments of programs", 3,
	  CMD_TRUE(struct slim_args, drop_tasks) },
	{ "keep-going", 'k', NULL, 0, "Continue after a rejected line, as a shell would", 3,
	  CMD_TRUE(struct slim_args, to.keep_going) },
	{ 0 },
};

static error_t slim_parse(int key, const char *arg UNUSED, struct argp_state *state)
{
	const struct slim_args *s = state->input;

	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	if (s->to.context && !s->to.around)
		argp_error(state, "--context needs --around");
	if (!s->to.output)
		argp_error(state, "name the file to write with -o FILE");
	return 0;
}

/* The script to store: a single script unchanged, several parts as equivalent lines. */
static int script_text(const struct slim_args *s, const struct hist_script *script, char **text)
{
	const struct cmd_script_piece *piece = s->a.script.pieces.n ? s->a.script.pieces.v : NULL;

	*text = NULL;
	if (!piece)
		return 0;
	if (s->a.script.pieces.n == 1 && (piece->key == 'x' || piece->key == (int)ARGP_KEY_ARG) &&
	    !memchr(piece->text, '\0', piece->len))
		*text = strndup(piece->text, piece->len);
	else
		*text = hist_script_text(script);
	return *text ? 0 : HIST_NOMEM;
}

static int slim_prepare(void *args)
{
	const struct slim_args *s = args;

	return cmd_output_check_file(s->to.output, s->a.diags);
}

/* Whether all events are kept: those of -e all, or those of a recording without a question. */
static bool keeps_all(const struct slim_args *s)
{
	const struct cmd_script *cs = &s->a.script;

	if (!cs->pieces.n)
		return !s->to.around && !hist_stored_script(s->a.h);
	return !s->to.around && cs->pieces.n == 1 && cs->pieces.v[0].key == 'e' &&
	       !strcmp(cs->pieces.v[0].text, "all");
}

static int slim_main(void *args)
{
	struct slim_args *s = args;
	struct hist *h = s->a.h;
	struct diags *diags = s->a.diags;
	const bool all = keeps_all(s);
	int rejected = all ? 0 : cmd_script_build(&s->a.script, h, s->a.lines, diags), err;
	char *text;

	if (rejected && (rejected != -HIST_EREJECTED || !s->to.keep_going))
		return rejected;
	err = input_files_check_output(&s->a.input.files, s->to.output, diags);
	if (err)
		return err;
	if (!all && !s->a.script.pieces.n && !s->to.around)
		diags_add(diags, DIAG_NOTE,
			  "what the stored script needs is kept; -e all keeps all events");
	err = script_text(s, s->a.lines, &text);
	if (!err) {
		/* on the remaining part of the recording its results would differ */
		s->to.script_text = s->to.around || all ? NULL : text;
		if (s->drop_tasks)
			hist_slim_drop_tasks(h);
		err = hist_slim(h, s->a.lines, &s->to, diags);
	}
	free(text);
	return err ? err : rejected;
}

const struct cmd cmd_slim = {
	.name = "slim",
	.summary = "writes a smaller trace.dat: a part of the time, or what a question needs",
	.uses = CMD_RECORDING,
	.size = sizeof(struct slim_args),
	.alone = "all",
	.line = {
		.options = options,
		.parse = slim_parse,
		.shared = CMD_SHARED(&cmd_input_options, &cmd_buffer_options, &cmd_kernel_options,
				     &cmd_part_options, &cmd_select_options, &cmd_script_options),
		.args_doc = "[SCRIPT...]",
		.doc = "Writes a smaller recording for which a script gives the same results. It contains only the records that can change a result, and the formats, symbols and comms that the records and the script need. Without a script: one with all events of a part of the time, for which every question has the same answer.\v"
		       "Without a script, the one stored in the recording is used; -e all keeps all events. The script is stored in FILE.\n\n"
		       "  hist slim -i FILE -o part.dat --from +10 --to +12\n"
		       "  hist slim -i FILE -o small.dat wakeup.script\n"
		       "  hist report -i small.dat\n\n"
		       "Exit status: 0, 1 if a line of a script was rejected, 2 on trouble.",
	},
	.prepare = slim_prepare,
	.main = slim_main,
};
