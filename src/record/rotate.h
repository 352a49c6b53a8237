/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Files of a recording that follow each other: hist record --rotate.
 *
 * Everything is kept (kept.h) until it is in a file. A file ends at a sub-buffer of each CPU, which
 * the readers complete for that: no event is in two files, or in none.
 */
#pragma once
#include "record/kept.h"
#include "record/record.h"
#include "record/workdir.h"

/* A file that was written, in the directory of the output. */
struct rotated {
	char *name;
	struct stat st; /* when it had got its name */
};

struct rotate {
	const struct record_plan *plan;
	const struct workdir *work;
	struct diags *diags;
	struct record_keep keep; /* what the recording asks, and reports to */
	struct kept *kept;
	struct kept_range *parts;      /* of the current file, which begins at ->from */
	u64 since;                     /* CLOCK_MONOTONIC: its begin */
	u64 flushed;                   /* since when the readers complete it; 0: they do not */
	u64 number;                    /* of the last file that was written */
	char *output;                  /* of the one that is being written */
	ARRAY(struct rotated) written; /* at most as many as are kept */
	bool asked;
	bool failed; /* the last file was not written: its events are in the work directory */
	bool ended;  /* the last attempt was made */
};

/* Prepare ->keep; release it with rotate_release(). Everything is borrowed. */
void rotate_init(struct rotate *r, const struct record_plan *plan, const struct workdir *work,
		 struct diags *diags);
void rotate_release(struct rotate *r);

/* Seconds until the next file begins, if so many bytes are recorded in each; < 0: never */
double rotate_left(const struct rotate *r, double byte_rate);
