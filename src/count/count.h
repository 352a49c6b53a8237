/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * count: what changes while a replay counts. `program` and `tracing` describe what is to be
 * counted, and stay as they are; a struct count, one for each replay, owns the maps with all that
 * belongs to their entries.
 *
 * A histogram has parts, each with a map of its own: the first part is its result; the others are
 * those of threads that count at the same time, and are joined with it. Threads that process
 * arbitrary records have arbitrary keys, and their maps are added up; threads that process the
 * records of a part of the keys have disjoint keys, and entries are moved with their variables.
 */
#ifndef HIST_COUNT_COUNT_H
#define HIST_COUNT_COUNT_H

#include "base/base.h"
#include "program/hist_data.h"
#include "program/hit.h"
#include "tracing/tracing.h"

typedef ARRAY(struct sketch_row *) sketch_row_array;
typedef ARRAY(struct exemplar_row *) exemplar_row_array;

struct hist_part {
	struct tracing_map *map;
	/* all rows to which entries point; entries of results may share them */
	sketch_row_array sketches;
	exemplar_row_array exemplars;
};

/* The counts of a histogram. */
struct hist_count {
	const struct hist_data *hd;
	const struct hist_program
		*program;           /* what a hit executes: hd->program, or see run/fuse.h */
	struct hist_part *parts;    /* [0]: its own; from 1: of threads, see struct hit */
	u32 n_parts;                /* of threads */
	struct hist_count **owners; /* of the variables in program->other_refs */
	u8 ways; /* a bit for each enum plan_way in which its events are counted */
};

typedef ARRAY(struct hist_count *) hist_count_array;

struct count {
	struct hist_count **hists; /* by hist_data.serial, from 1; NULL: removed */
	size_t n_hists;
	struct arena arena;
};

/**
 * count_new() - empty counts of all histograms
 *
 * Return: NULL if out of memory
 */
struct count *count_new(const struct tracing *t);
void count_free(struct count *count);

/* Its counts in the current replay. Context: a replay has started */
static inline struct hist_count *hist_count_of(const struct hist_data *hd)
{
	return hd->tracing->count->hists[hd->serial];
}

/* The same, or NULL: it was not in a replay yet. */
static inline struct hist_count *hist_count_find(const struct hist_data *hd)
{
	const struct count *count = hd->tracing->count;

	return count && hd->serial < count->n_hists ? count->hists[hd->serial] : NULL;
}

static inline struct tracing_map *hist_map(const struct hist_count *hc)
{
	return hc->parts->map;
}

/* --- one part; threads may work on different parts at the same time --- */

/* Without entries. Return: 0, -HIST_ENOMEM */
int hist_part_init(struct hist_part *part, const struct hist_data *hd);
void hist_part_release(struct hist_part *part);

/* Free the samples of all entries; the caller removes or resets the entries. */
void hist_part_release_rows(struct hist_part *part);

/* Remove all entries. */
void hist_part_clear(struct hist_part *part);

/* The same, except for the state that later records need: the next slice of time starts. */
void hist_part_slice(struct hist_part *part, const struct hist_data *hd);

/* Whether it is full: then only a replay in order determines what is dropped. */
bool hist_part_is_full(const struct hist_part *part);

/* The sketches of an entry, which samples may change; NULL if out of memory. */
struct sketch_row *hist_part_sketches(struct hist_part *part, const struct hist_data *hd,
				      struct sketch_row **at);

/* The exemplars of an entry; as above. */
struct exemplar_row *hist_part_exemplars(struct hist_part *part, const struct hist_data *hd,
					 struct exemplar_row **at);

/* --- all parts --- */

/* Clear the counts, and remove the parts of threads. */
void hist_count_clear(struct hist_count *hc);

/**
 * hist_parts_start() - create @n empty parts for threads
 * @frozen: they accept only the keys of the histogram's own part; others are dropped
 *
 * Return: 0, -HIST_ENOMEM
 */
int hist_parts_start(struct hist_count *hc, u32 n, bool frozen);

/* Remove them; joined entries point to their strings until then. */
void hist_parts_drop(struct hist_count *hc);

/* Add a part, which was not counted in @hc; false if a map is too small, or out of memory. */
bool hist_part_join(struct hist_count *hc, struct hist_part *part);

/* Move all entries to the histogram's own part; as above. */
bool hist_parts_join(struct hist_count *hc);

/*
 * After hist_parts_join(), when the slice of time is printed: the @n parts go on with the next one.
 * 0, -HIST_ENOMEM
 */
int hist_parts_slice(struct hist_count *hc, u32 n);

/* Keep the entries of a full map, without hits; clear another map. */
void hist_keep_keys(struct hist_count *hc);

#endif
