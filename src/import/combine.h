/* SPDX-License-Identifier: LGPL-2.1-only */
/* Several recordings of one machine as one recording. */
#ifndef HIST_IMPORT_COMBINE_H
#define HIST_IMPORT_COMBINE_H

#include "import/sink.h"

/* The format with another id; false: out of memory. */
bool combine_format_text(struct span text, u32 id, struct strbuf *out);

/* job->combined: files that are trace.dats, with what messages call them; job->in is the first of
 * them. */
struct import_combined {
	const struct import_input *inputs;
	size_t n;
};

extern const struct importer import_combine;

#endif
