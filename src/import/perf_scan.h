/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * perf.data: where the samples of each CPU are.
 *
 * All records are read once. Samples that follow each other, are of one CPU and in order become a
 * part; perf writes the samples of one buffer after those of another, so most parts are long.
 * Records are made from parts later, those of several CPUs at the same time, and only of the events
 * that are asked for.
 *
 * Threads read ranges of the records (perf_range.c), and guess where the first record of a range
 * is. Ranges are joined in their order: one that does not begin where the one before it ended is
 * read again from there. So the result is that of one thread, whatever the file contains.
 */
#pragma once
#include "import/perf.h"

enum { PERF_NO_PART = UINT32_MAX, PERF_RANGE = 1 << 20 };

/* Samples of a CPU, or one loss; records of other types may be between them. */
struct perf_part {
	const u8 *p;
	u64 first, last; /* times */
	u64 ids;         /* bit @i: may have samples of an event whose id is @i modulo 64 */
	u32 len, cpu;
	u32 next; /* index of the next part of the CPU; PERF_NO_PART: the last one */
	bool loss;
	bool sorted; /* in order, after all parts before it, and before all after it */
};

/* perf's FINISHED_ROUND: what comes after the parts before ->part is not older than ->limit. */
struct perf_round {
	size_t part;
	u64 limit;
};

struct perf_rename_at {
	u64 ts;
	size_t rename; /* index of struct perf_tasks */
};

struct perf_cpu {
	u32 part, last_part; /* indices of the first and the last one */
	u64 first, last;     /* times of its samples; first > last: none */
	u64 earliest, latest;
	ARRAY(struct perf_rename_at) renames; /* in time order */
};

struct perf_counts {
	u64 taken, unknown, damaged;
	/* pids of samples and of their records: some are equal, some differ, some have none */
	bool pids_same, pids_differ, pids_outside;
};

/* A record that is not a sample, in a range. */
struct perf_note {
	const u8 *p;
	size_t parts; /* of the range, before it */
};

/* Samples of an event in a range. */
struct perf_seen {
	u64 samples;
	bool listed;
};

/* The records of a range, whatever is before them. */
struct perf_range {
	const u8 *from, *to; /* of the first record, and after the last one; NULL: none was found */
	int end;             /* of perf_event_next() at ->to; 0: the range ends there */
	ARRAY(struct perf_part) parts;
	ARRAY(struct perf_note) notes;
	struct perf_seen *seen; /* of each event */
	ARRAY(u32) others;      /* indices of events with samples that are not tracepoints */
	struct perf_part part;  /* the current one; ->p NULL: none */
	struct perf_counts counts;
	int err;
};

struct perf_scan {
	struct perf_file *f;
	unsigned int threads;          /* 0: one */
	size_t range;                  /* bytes that a thread reads at a time; 0: PERF_RANGE */
	ARRAY(struct perf_part) parts; /* in the order of the file */
	ARRAY(struct perf_round) rounds;
	ARRAY(struct perf_cpu) cpus;
	ARRAY(struct perf_attr *) others; /* events with samples that are not tracepoints */
	struct perf_counts counts;
	u64 limit, latest; /* of rounds */
};

/* Called for the records that are not samples. */
typedef int (*perf_other_fn)(void *arg, const struct perf_event *ev);

/* Read all records of the file. 0, -HIST_ENOMEM, or what @fn returns */
int perf_scan_file(struct perf_scan *s, struct perf_file *f, perf_other_fn fn, void *arg);
/* Add records that were lost, at that time. */
int perf_scan_lost(struct perf_scan *s, const struct perf_event *ev, u32 cpu, u64 ts);
/* Add a change of name, in the order of time. */
int perf_scan_rename(struct perf_scan *s, u32 cpu, struct perf_rename_at rename);
void perf_scan_release(struct perf_scan *s);

/* --- perf_range.c --- */

/* The first record from @p on and before @end that others follow, up to @data_end; or NULL. */
const u8 *perf_range_find(const struct perf_file *f, const u8 *p, const u8 *end,
			  const u8 *data_end);
/* Read the records from @from on that begin before @end. ->err: 0, -HIST_ENOMEM */
void perf_range_read(struct perf_range *r, const struct perf_file *f, struct bytes b,
		     const u8 *end);
void perf_range_release(struct perf_range *r);

/* Whether a sample becomes a record: 0; 1: it has no data; -HIST_EFORMAT: it is damaged. */
static inline int perf_sample_check(const struct perf_sample *s)
{
	enum { COMMON_SIZE = 8 };
	const bool tracepoint = s->attr->type == PERF_TYPE_TRACEPOINT;

	if (tracepoint && !s->raw)
		return 1;
	return (tracepoint && s->raw_len < COMMON_SIZE) || s->cpu >= IMPORT_MAX_CPUS ? -HIST_EFORMAT
										     : 0;
}

/*
 * As perf_sample_read() and perf_sample_check(), for most samples of tracepoints, without a call
 * and byte orders: their tid, time, CPU and data. False: the sample is another one, or damaged.
 */
static inline bool perf_sample_quick(const struct perf_file *f, const struct perf_event *ev,
				     struct perf_sample *s)
{
	const u32 id_at = (u32)f->attrs.v->id_at;
	struct perf_attr *a;
	u64 id;

	if (ev->len < id_at + 8)
		return false;
	id = load_u64(ev->body + id_at, false) - f->low_id;
	a = likely(id < f->n_by_id) ? f->by_id[id] : NULL;
	if (unlikely(!a || !a->quick || ev->len < a->fixed + 4))
		return false;
	s->attr = a;
	s->tid = (s32)load_u32(ev->body + a->tid_at, false);
	s->ts = load_u64(ev->body + a->time_at, false);
	s->cpu = load_u32(ev->body + a->cpu_at, false);
	s->raw_len = load_u32(ev->body + a->fixed, false);
	s->raw = ev->body + a->fixed + 4;
	return likely(s->raw_len >= 8 && s->raw_len <= ev->len - a->fixed - 4 &&
		      s->cpu < IMPORT_MAX_CPUS);
}

/* The next record, if it is such a sample; otherwise, nothing is consumed. */
static inline bool perf_event_quick(const struct perf_file *f, struct bytes *b,
				    struct perf_event *ev, struct perf_sample *s)
{
	const size_t left = bytes_left(b);
	u64 size;

	if (!f->quick || left < 8 || load_u32(b->p, false) != PERF_SAMPLE)
		return false;
	size = load_u16(b->p + 6, false);
	ev->body = b->p + 8;
	ev->len = size - 8;
	if (unlikely(size < 8 || size > left) || !perf_sample_quick(f, ev, s))
		return false;
	/* the size is needed to find the next one, so the processor does not look far ahead */
	__builtin_prefetch(b->p + 4096);
	b->p += size;
	return true;
}
