/* SPDX-License-Identifier: LGPL-2.1-only */
/* The data of a map entry besides sums and variables. */
#ifndef HIST_PROGRAM_ENTRY_H
#define HIST_PROGRAM_ENTRY_H

#include "program/exemplar_row.h"
#include "program/hist_data.h"
#include "program/sketch_row.h"

/* With has_comm: the first hit of the entry, from which its comm is. */
struct first_hit {
	char comm[TASK_COMM_LEN];
	u64 ts, at; /* see struct hit */
	u32 cpu;
	s32 pid;
};

/* Whether a hit at this place comes before the one of @first, or is the first of all. */
static inline bool first_hit_is_after(const struct first_hit *first, u64 ts, u64 at)
{
	return !first->at || ts < first->ts || (ts == first->ts && at < first->at);
}

struct first_hit *elt_first_hit(const struct hist_data *hd, struct tracing_map_elt *elt);

/* Offsets in an entry's private area: of the comm of its task, and of string @i of a variable. */
const char *elt_comm(const struct hist_data *hd, struct tracing_map_elt *elt);
u32 elt_string_at(const struct hist_data *hd, u32 i);

/*
 * With save(): offset of the time of the last save. With statistics: of the sketches. With
 * exemplars: of the exemplars.
 */
u64 *elt_saved_at(const struct hist_data *hd, struct tracing_map_elt *elt);
struct sketch_row **elt_sketches(const struct hist_data *hd, struct tracing_map_elt *elt);
struct exemplar_row **elt_exemplars(const struct hist_data *hd, struct tracing_map_elt *elt);

/* Their indices in elt->words, for loops over many entries. */
u32 elt_sketches_word(const struct hist_data *hd);
u32 elt_exemplars_word(const struct hist_data *hd);

#endif
