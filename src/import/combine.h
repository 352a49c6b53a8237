/* SPDX-License-Identifier: LGPL-2.1-only */
/* Combines several recordings of one machine into one; copies the recording of a guest. */
#ifndef HIST_IMPORT_COMBINE_H
#define HIST_IMPORT_COMBINE_H

#include "import/sink.h"

/* job->combined: the trace.dat files and their names for messages; job->in is the first of them. */
struct import_combined {
	const struct import_input *inputs;
	size_t n;
};

extern const struct importer import_combine;
extern const struct importer import_guest; /* job->guest and job->in */

#endif
