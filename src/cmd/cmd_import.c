// SPDX-License-Identifier: GPL-2.0-only
/* hist import: converts recordings of other tools to a trace.dat. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/cmd.h"

enum { KEY_KALLSYMS = 0x400, KEY_FORMATS };

struct import {
	struct cmd_context *cx;
	struct cmd_input *in;
	struct hist_import_options to;
};

static const struct argp_option options[] = {
	{ "output", 'o', "FILE", 0,
	  "The trace.dat to write; it appears under this name when it is complete", 1 },
	{ "compression", 'z', "none|zlib|zstd", 0, "Compression of the output; default: none", 1 },
	{ "kallsyms", KEY_KALLSYMS, "FILE", 0,
	  "Take symbols from a copy of the recorded machine's /proc/kallsyms", 1 },
	{ "formats", KEY_FORMATS, "FILE|DIR", 0,
	  "Take event formats from a copy of that machine's events directory, or one file with all of them",
	  1 },
	{ 0 },
};

/* NOLINTNEXTLINE(readability-non-const-parameter): argp requires this type */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct import *im = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = im->cx;
		return 0;
	case 'o':
		im->to.output = arg;
		return 0;
	case 'z':
		im->to.compression = arg;
		return 0;
	case KEY_KALLSYMS:
		im->to.kallsyms = arg;
		return 0;
	case KEY_FORMATS:
		im->to.formats = arg;
		return 0;
	case ARGP_KEY_ARG:
		return array_push(&im->in->paths, arg) ? ENOMEM : 0;
	case ARGP_KEY_END:
		if (!im->in->paths.n)
			argp_error(state, "name the file or directory to import");
		if (!im->to.output)
			argp_error(state, "name the file to write with -o FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = { { .argp = &cmd_common_argp }, { 0 } };

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "INPUT...",
	.doc = "Converts perf.data, a copy of the tracing directory, or the text of a trace to a trace.dat.\v"
	       "All other verbs read these inputs directly: import them to keep them, or for other programs.\n\n"
	       "  hist import perf.data -o trace.dat\n\n"
	       "Several inputs must be from one machine and have one clock; they become one recording.\n\n"
	       "Exit status: 0; 2 on trouble, and if parts of the input are missing or damaged.",
};

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct cmd_input in = CMD_INPUT_INIT;
	struct import im = { .cx = cx, .in = &in };
	int err = cmd_parse(&argp, argc, argv, &im);

	in.options.kallsyms = im.to.kallsyms;
	in.options.formats = im.to.formats;
	if (!err)
		err = cmd_output_check_file(im.to.output, cx->diags);
	if (!err)
		err = cmd_input_resolve(&in, cx->diags);
	if (!err)
		err = cmd_input_distinct(&in, cx->diags);
	if (!err)
		err = input_files_check_output(&in.files, im.to.output, cx->diags);
	if (!err)
		err = hist_import_files(in.options.inputs, in.options.names, in.options.n_inputs,
					&im.to, cx->diags);
	cmd_input_release(&in);
	return err == 1 ? CMD_TROUBLE : err;
}

const struct cmd cmd_import = {
	.name = "import",
	.summary = "converts perf.data and other recordings to a trace.dat",
	.run = run,
};
