// SPDX-License-Identifier: GPL-2.0-only
/* hist import: converts recordings of other tools to a trace.dat. */
#include "cmd/cmd.h"

struct import {
	struct cmd_args a;
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

static error_t import_parse(int key, const char *arg UNUSED, struct argp_state *state)
{
	const struct import *im = state->input;

	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	if (!im->a.input.paths.n)
		argp_error(state, "name the file or directory to import");
	if (!im->to.output)
		argp_error(state, "name the file to write with -o FILE");
	return 0;
}

static int import_main(void *args)
{
	struct import *im = args;
	struct cmd_input *in = &im->a.input;
	struct diags *diags = im->a.diags;
	int err = cmd_output_check_file(im->to.output, diags);

	in->options.kallsyms = im->to.kallsyms;
	in->options.formats = im->to.formats;
	err = err ?: cmd_input_resolve(in, diags);
	err = err ?: cmd_input_distinct(in, diags);
	err = err ?: input_files_check_output(&in->files, im->to.output, diags);
	err = err
		      ?: hist_import_files(in->options.inputs, in->options.names,
					   in->options.n_inputs, &im->to, diags);
	return err == 1 ? CMD_TROUBLE : err;
}

const struct cmd cmd_import = {
	.name = "import",
	.summary = "converts perf.data and other recordings to a trace.dat",
	.size = sizeof(struct import),
	.line = {
		.options = options,
		.parse = import_parse,
		.arguments = offsetof(struct cmd_args, input.paths),
		.args_doc = "INPUT...",
		.doc = "Converts perf.data, traces of Perfetto and LTTng (CTF), a copy of the tracing directory, or the text "
		       "of a trace to a trace.dat.\v"
		       "All other verbs read these inputs directly: import them to keep them, or for other programs.\n\n"
		       "  hist import perf.data -o trace.dat\n\n"
		       "Several inputs must be from one machine and have one clock; they become one recording.\n\n"
		       "Exit status: 0; 2 on trouble, and if parts of the input are missing or damaged.",
	},
	.main = import_main,
};
