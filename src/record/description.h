/* SPDX-License-Identifier: LGPL-2.1-only */
/* The metadata of a trace.dat, from the blocks of a manifest. */
#pragma once
#include "record/blocks.h"
#include "trace_dat/trace_dat.h"

/* What a manifest states; texts are parts of ->text. */
struct description {
	struct span text;
	struct trace_dat_machine machine; /* ->clock is in ->arena */
	const char *instance;             /* "": a private one */
	u64 ring;                         /* bytes of a CPU's ring; 0: none */
	bool kept;                        /* sub-buffers are in slots (kept.h) */
	bool rotated;                     /* which are in a line */
	struct arena arena;
};

/**
 * description_parse() - the values of a manifest
 *
 * Return: 0, -HIST_EFORMAT if it is damaged, -HIST_ENOMEM; call description_release() in any case
 */
int description_parse(struct description *m, struct span text);
void description_release(struct description *m);

/* Write formats, sections and options to @w. Return: 0, -HIST_ENOMEM, or an error of @w */
int description_write(struct description *m, struct trace_dat_writer *w);

/* The number of blocks "cut", which are files that were written; @last: the last one. */
u64 description_cuts(struct span manifest, struct manifest_block *last);

/* The data of the last block "@word CPU"; absent if there is none. */
struct span description_of_cpu(const struct description *m, const char *word, u32 cpu);
