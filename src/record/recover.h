/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What recordings left behind that could not clean up.
 */
#ifndef HIST_RECORD_RECOVER_H
#define HIST_RECORD_RECOVER_H

#include "record/record.h"

/* A work directory to which not all has been added that the kernel still has of it. */
struct unsaved_work {
	u64 dev, ino;
};

struct unsaved {
	ARRAY(struct unsaved_work) works;
	bool unknown; /* a journal could not be read, so it may be any */
};

#define UNSAVED_INIT              \
	{                         \
		ARRAY_INIT, false \
	}

/**
 * sweep() - undo what dead recordings changed
 * @tell:    say how to recover their data
 * @unsaved: gets those of which something is left; NULL: nobody wants to know
 *
 * What their instances still hold goes into their work directories first. Where that cannot be
 * done the instance stays, and the journal, for the next attempt.
 */
void sweep(bool tell, struct unsaved *unsaved, struct diags *diags);

/* Say which recordings of @output an earlier sweep found dead; before sweep(). */
void sweep_mention(const char *output, struct diags *diags);

/* Store the kernel's statistics of each CPU of @s in @w. */
struct session;
struct workdir;
int store_stats(struct workdir *w, const struct session *s);

#endif
