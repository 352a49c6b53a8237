/* SPDX-License-Identifier: LGPL-2.1-only */
/* Cleaning up after killed recordings. */
#ifndef HIST_RECORD_RECOVER_H
#define HIST_RECORD_RECOVER_H

#include "record/record.h"

/* A work directory whose recording has data in the kernel that was not saved. */
struct unsaved_work {
	u64 dev, ino;
};

struct unsaved {
	ARRAY(struct unsaved_work) works;
	bool unknown; /* a journal could not be read, so any directory may be affected */
};

#define UNSAVED_INIT              \
	{                         \
		ARRAY_INIT, false \
	}

/**
 * sweep() - undo the changes of dead recordings
 * @start:   for a recording that starts: report how to recover their data; do not wait long for
 *           another process that does this, and then leave it to a later recording
 * @unsaved: set to the recordings with data left in the kernel; NULL: not needed
 *
 * The data in their instances is moved to their work directories first. If that fails, the instance
 * and the journal remain for the next attempt.
 */
void sweep(bool start, struct unsaved *unsaved, struct diags *diags);

/* Report the recordings of @output that an earlier sweep found dead; call before sweep(). */
void sweep_note_dead(const char *output, struct diags *diags);

#endif
