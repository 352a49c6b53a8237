/* SPDX-License-Identifier: LGPL-2.1-only */
/* Combines several recordings of one machine into one. */
#ifndef HIST_IMPORT_COMBINE_H
#define HIST_IMPORT_COMBINE_H

#include "import/sink.h"

/* Append the format with another id; false: out of memory. */
bool combine_format_text(struct span text, u32 id, struct strbuf *out);

/* job->combined: the trace.dat files and their names for messages; job->in is the first of them. */
struct import_combined {
	const struct import_input *inputs;
	size_t n;
};

extern const struct importer import_combine;

#endif
