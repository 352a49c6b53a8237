// SPDX-License-Identifier: GPL-2.0-only
/* hist import: converts recordings of other tools to a trace.dat. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/cmd.h"

struct import {
	struct cmd_context *cx;
	struct cmd_input in;
	struct hist_import_options to;
};

static const struct cmd_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "The trace.dat to write; it appears under this name when it is complete", 1,
	  CMD_TEXT(struct import, to.output) },
	{ "compression", 'z', "none|zlib|zstd", 0, "Compression of the output; default: none", 1,
	  CMD_TEXT(struct import, to.compression) },
	{ "kallsyms", 0, "FILE", 0,
	  "Take symbols from a copy of the recorded machine's /proc/kallsyms", 1,
	  CMD_TEXT(struct import, to.kallsyms) },
	{ "formats", 0, "FILE|DIR", 0,
	  "Take event formats from a copy of that machine's events directory, or one file with all of them",
	  1, CMD_TEXT(struct import, to.formats) },
	{ 0 },
};

static error_t parse(int key, const char *arg, struct argp_state *state)
{
	struct import *im = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		return array_push(&im->in.paths, arg) ? ENOMEM : 0;
	case ARGP_KEY_END:
		if (!im->in.paths.n)
			argp_error(state, "name the file or directory to import");
		if (!im->to.output)
			argp_error(state, "name the file to write with -o FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct cmd_options command_line = {
	.options = options,
	.parse = parse,

	.args_doc = "INPUT...",
	.doc = "Converts perf.data, a copy of the tracing directory, or the text of a trace to a trace.dat.\v"
	       "All other verbs read these inputs directly: import them to keep them, or for other programs.\n\n"
	       "  hist import perf.data -o trace.dat\n\n"
	       "Several inputs must be from one machine and have one clock; they become one recording.\n\n"
	       "Exit status: 0; 2 on trouble, and if parts of the input are missing or damaged.",
};

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct import im = { .cx = cx, .in = CMD_INPUT_INIT };
	struct cmd_input *in = &im.in;
	int err = cmd_parse(&command_line, cx, argc, argv, &im);

	in->options.kallsyms = im.to.kallsyms;
	in->options.formats = im.to.formats;
	if (!err)
		err = cmd_output_check_file(im.to.output, cx->diags);
	if (!err)
		err = cmd_input_resolve(in, cx->diags);
	if (!err)
		err = cmd_input_distinct(in, cx->diags);
	if (!err)
		err = input_files_check_output(&in->files, im.to.output, cx->diags);
	if (!err)
		err = hist_import_files(in->options.inputs, in->options.names, in->options.n_inputs,
					&im.to, cx->diags);
	cmd_input_release(in);
	return err == 1 ? CMD_TROUBLE : err;
}

const struct cmd cmd_import = {
	.name = "import",
	.summary = "converts perf.data and other recordings to a trace.dat",
	.run = run,
};
