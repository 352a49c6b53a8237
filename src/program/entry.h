/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The private area of a map entry: the first hit, strings of variables, the time of save(),
 * exemplars, samples.
 */
#pragma once
#include "program/exemplar_row.h"
#include "program/hist_data.h"

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

static inline struct first_hit *elt_first_hit(const struct hist_data *hd,
					      struct tracing_map_elt *elt)
{
	return (void *)(elt->words + tracing_map_private_at(&hd->desc));
}

static inline const char *elt_comm(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return hd->has_comm ? elt_first_hit(hd, elt)->comm : "(no comm)";
}

/* Offset of string @i of a variable, in bytes from the start of the entry. */
static inline u32 elt_string_at(const struct hist_data *hd, u32 i)
{
	return tracing_map_private_at(&hd->desc) * 8 +
	       (hd->has_comm ? (u32)sizeof(struct first_hit) : 0) + i * hd->str_room;
}

/* With save(): the time of the last save. */
static inline u64 *elt_saved_at(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return elt->words + tracing_map_private_at(&hd->desc) + hd->private_at / 8;
}

/* Indices in elt->words of the exemplars, and of the samples of each statistic. */
static inline u32 elt_exemplars_word(const struct hist_data *hd)
{
	return tracing_map_private_at(&hd->desc) + hd->private_at / 8 + (hd->n_save_vars != 0);
}

static inline u32 elt_samples_word(const struct hist_data *hd)
{
	return elt_exemplars_word(hd) + (hd->exemplars != NULL);
}

static inline u64 *elt_samples(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return elt->words + elt_samples_word(hd);
}

static inline struct exemplar_row **elt_exemplars(const struct hist_data *hd,
						  struct tracing_map_elt *elt)
{
	return (struct exemplar_row **)(void *)(elt->words + elt_exemplars_word(hd));
}
