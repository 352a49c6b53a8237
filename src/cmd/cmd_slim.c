// SPDX-License-Identifier: GPL-2.0-only
/* hist slim: writes a smaller recording for which a script gives the same results. */
#include <stdlib.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "hist-save.h"

enum { KEY_VERSION = 0x400 };

struct slim_args {
	struct cmd_context *cx;
	struct cmd_input input;
	struct cmd_script script;
	struct hist_slim_options to;
	bool drop_tasks;
};

static const struct cmd_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "The file to write; it appears under this name when it is complete", 3,
	  CMD_TEXT(struct slim_args, to.output) },
	{ "compression", 'z', "none|zlib|zstd", 0,
	  "Compression of FILE; default: that of the recording", 3,
	  CMD_TEXT(struct slim_args, to.compression) },
	{ "file-version", KEY_VERSION, "6|7", 0,
	  "Version of the file format; default: that of the recording", 3, CMD_PARSE },
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

static error_t parse(int key, const char *arg, struct argp_state *state)
{
	struct slim_args *s = state->input;

	switch (key) {
	case KEY_VERSION:
		if (strcmp(arg, "6") != 0 && strcmp(arg, "7") != 0)
			argp_error(state, "--file-version takes 6 or 7, not '%s'", arg);
		s->to.version = arg[0] - '0';
		return 0;
	case ARGP_KEY_END:
		if (s->to.context && !s->to.around)
			argp_error(state, "--context needs --around");
		if (!s->to.output)
			argp_error(state, "name the file to write with -o FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct cmd_shared shared[] = {
	{ &cmd_input_options, offsetof(struct slim_args, input) },
	{ &cmd_target_options, offsetof(struct slim_args, input) },
	{ &cmd_select_options, offsetof(struct slim_args, input) },
	{ &cmd_script_options, offsetof(struct slim_args, script) },
	{ 0 },
};

static const struct cmd_options command_line = {
	.options = options,
	.parse = parse,
	.shared = shared,
	.doc = "Writes a smaller recording for which a script gives the same results. It contains only the records that can change a result, and the formats, symbols and comms that the records and the script need.\v"
	       "Without a script, the one stored in the recording is used. The script is stored in FILE.\n\n"
	       "  hist slim -i FILE -o small.dat wakeup.script\n"
	       "  hist report -i small.dat\n\n"
	       "Exit status: 0, 1 if a line of a script was rejected, 2 on trouble.",
};

/* The script to store: a single script unchanged, several parts as equivalent lines. */
static int script_text(const struct slim_args *s, const struct hist_script *script, char **text)
{
	const struct cmd_script_piece *piece = s->script.pieces.n ? s->script.pieces.v : NULL;

	*text = NULL;
	if (!piece)
		return 0;
	if (s->script.pieces.n == 1 && (piece->key == 'x' || piece->key == (int)ARGP_KEY_ARG) &&
	    !memchr(piece->text, '\0', piece->len))
		*text = strndup(piece->text, piece->len);
	else
		*text = hist_script_text(script);
	return *text ? 0 : HIST_NOMEM;
}

static int slim(struct slim_args *s, struct hist *h, struct hist_script *script)
{
	struct diags *diags = s->cx->diags;
	int rejected = cmd_script_build(&s->script, h, script, diags), err;
	char *text;

	if (rejected && (rejected != -HIST_EREJECTED || !s->to.keep_going))
		return rejected;
	err = input_files_check_output(&s->input.files, s->to.output, diags);
	if (err)
		return err;
	err = script_text(s, script, &text);
	if (!err) {
		/* on the remaining part of the recording its results would differ */
		s->to.script_text = s->to.around ? NULL : text;
		if (s->drop_tasks)
			hist_slim_drop_tasks(h);
		err = hist_slim(h, script, &s->to, diags);
	}
	free(text);
	if (err && err != -HIST_EREJECTED)
		return err;
	return err ? err : rejected;
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct slim_args s = { .cx = cx,
			       .input = CMD_INPUT_INIT,
			       .script = CMD_SCRIPT_INIT(&s.input) };
	struct hist_script *script = hist_script_new();
	struct hist *h = NULL;
	int err;

	err = script ? cmd_parse(&command_line, cx, argc, argv, &s) : HIST_NOMEM;
	if (!err)
		err = cmd_output_check_file(s.to.output, cx->diags);
	if (!err)
		err = cmd_script_load(&s.script, cx->diags);
	if (!err)
		err = cmd_input_open(&s.input, &h, cx->diags);
	if (!err)
		err = cmd_input_result(h, slim(&s, h, script));
	hist_close(h);
	hist_script_free(script);
	cmd_script_release(&s.script);
	cmd_input_release(&s.input);
	return err;
}

const struct cmd cmd_slim = {
	.name = "slim",
	.summary = "writes a smaller trace.dat that gives the same histograms",
	.run = run,
};
