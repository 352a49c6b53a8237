/* SPDX-License-Identifier: LGPL-2.1-only */
/* Updating histograms. */
#pragma once
#include "count/count.h"
#include "run/fuse.h"

/* Update the histogram with a record that passed the trigger's filter; whether anything changed. */
bool hist_hit(struct hist_count *hc, const struct hit *hit);

/* The same with another program of the histogram. */
bool hist_hit_by(struct hist_count *hc, const struct hist_program *p, const struct hit *hit);

/* event_hit_values() of a program with ->recent; hit->rec is changed. */
void hist_hit_values(const struct fused_trace *fused, struct hit *hit, size_t n);

/* The same by the plainest code; see hist_plain.c. */
bool hist_hit_plain(struct hist_count *hc, const struct hit *hit);

enum { HIST_KEY_WORDS_MAX = 8192 / 8 };

/* One part of the key: step->size bytes at @to. */
void hist_key_part(const struct hist_program *p, const struct key_step *step, const struct hit *hit,
		   u8 *to);

/* The references, as used by a key. */
extern const u64 hist_unread_refs[TRACING_MAP_VARS_MAX];

/* Run the actions of a hit: trace, or the actions on a new extreme. */
struct hist_hit_ctx {
	const struct hist_data *hd;
	const struct hist_count *hc;
	const struct hit *hit;
	struct tracing_map *map;
	struct tracing_map_elt *elt;
	const u64 *key;
	const struct update_list *saves; /* of save(), as the program has them */
	u64 refs[N_REFS];
};

void hist_actions(struct hist_hit_ctx *c);

/* Copy a string or a stack to the entry, or find a part of one: the value of the variable. */
u64 hist_keep_any(struct hist_hit_ctx *c, const struct update_step *step);

/* The steps after the update: samples, then actions. */
void hist_follow(struct hist_hit_ctx *c);

/*
 * Build the record of @event, whose fields are the references @var_ref_idx of @var_ref_vals, and
 * run the triggers of the event, in all instances where it is on.
 */
void trace_synth(const struct hist_data *from, struct synth_event *event, const u64 *var_ref_vals,
		 const u32 *var_ref_idx, const struct hit *hit);

static inline void hist_trace(struct hist_hit_ctx *c, const struct action_data *data)
{
	c->refs[REF_NULL] = 0;
	trace_synth(c->hd, data->synth_event, c->refs, data->var_ref_idx, c->hit);
}

/* Not text_copy(), which reads whole words: some names are shorter constants. */
static inline void comm_copy(char *to, const char *comm)
{
	memset(to, 0, TASK_COMM_LEN);
	memcpy(to, comm, strnlen(comm, TASK_COMM_LEN - 1));
}

/* The hit is the first one of an entry. */
void hist_first_hit(struct first_hit *first, const struct hit *hit);

/*
 * Set the names of tasks in the histogram's own entries, which were not known when the entries were
 * counted.
 */
void hist_set_names(const struct hist_count *hc, const struct hit_context *context);

/* Add a sample of each value to an entry; @refs are the resolved references. */
void hist_samples_hit(const struct hist_count *hc, struct tracing_map_elt *elt,
		      const struct hit *hit, const u64 *refs);

/* A sample for each entry. */
struct hist_column {
	struct tracing_map_elt *const *elts;
	const u64 *values;
	u32 n;
};

/* Add a sample of statistic @stat to each of the entries; false if out of memory. */
bool hist_samples_column(const struct hist_data *hd, u32 stat, const struct hist_column *column);

/* Add the hit as an exemplar of its entry, if its value is large enough. */
void hist_exemplars_hit(const struct hist_count *hc, struct tracing_map_elt *elt,
			const struct hit *hit, const u64 *refs);

/* The same for a value that is known; false if out of memory. */
bool hist_exemplars_add(const struct hist_count *hc, struct tracing_map_elt *elt, u64 value,
			const struct hit *hit);

/* Set the variables of save(). */
void hist_save(struct hist_hit_ctx *c);
