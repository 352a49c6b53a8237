/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The records of one CPU of one buffer of one file: the data that all readers of them share. A
 * reader is a struct source (source.h).
 */
#pragma once
#include "replay/dispatch.h"
#include "replay/feed.h"

enum { COMMON_PID_AT = 4 }; /* stored in every record */

/*
 * The only part of the recording that is read: what is before ->from and after ->to is as if it had
 * not been recorded, and a name that would follow from it is NAMES_UNSURE. Context: an observer,
 * options.open_intervals
 */
struct replay_window {
	bool on;
	bool begins, ends; /* nothing is before ->from, after ->to */
	u64 from, to;
	/* what the replay found: that records before, or after it are needed; that all are */
	bool early, late, all;
};

static inline void replay_window_limit(const struct replay_window *w, struct names *names)
{
	names->part = w->on;
	names->part_begins = w->begins;
	names->part_ends = w->ends;
}

static inline bool replay_window_has(const struct replay_window *w, u64 ts)
{
	return !w->on || (ts >= w->from && ts <= w->to);
}

/* Results of a pass over a stream. */
struct stream_account {
	u64 missed, damaged;
	bool missed_unknown;
	u64 short_records; /* see dispatch_is_short(): skipped */
	u64 pages;         /* sub-buffers that were read */
	u64 first, last;   /* times of their records; ->first > ->last: none */
};

struct stream {
	struct recording_cpu of;
	u32 cpu;
	u32 rank; /* of equal times, the records of the lower rank are merged first */
	struct trace_array *tr;
	struct dispatch_table *table;
	struct ring_buffer_layout layout;
	struct trace_dat_pages
		*pages; /* a cursor that has passed all chunks; not used for reading */
	u64 n_pages;    /* sub-buffers */
	u64 first, end; /* range of the sub-buffers to read, excluding ->end */
	bool stays;     /* sub-buffers stay in memory until the file is closed */
	bool names;     /* of a CPU that is not selected: its records only name tasks */
	const struct replay_feed *feed; /* NULL: the sub-buffers are those of the file */
	struct stream_account account;
};

/*
 * If the records of the file are made now (trace_dat/later.h), only those that @table needs; NULL:
 * all. 0, -HIST_ENOMEM, or an error with a diagnosis
 */
int stream_make_records(const struct hist *h, const struct recording *rec,
			const struct dispatch_table *table, struct diags *diags);

/**
 * stream_open() - select the sub-buffers of a stream
 * @s:    the members that identify it are set
 * @part: read only sub-buffers that can have records of its window or span of time, after
 *        recordings_find_times(); NULL: all
 *
 * Return: 0, -HIST_EINVAL, -HIST_ENOMEM
 */
int stream_open(struct stream *s, const struct hist *part, struct diags *diags);
void stream_close(struct stream *s);

/*
 * How to handle a record; NULL: its id is unknown. Only a record of at least ->min_size may be
 * examined further.
 */
static inline struct dispatch *stream_dispatch(const struct stream *s,
					       const struct ring_buffer_record *rec)
{
	u32 id;

	if (rec->len < 2)
		return NULL;
	id = load_u16(rec->data, s->layout.big_endian);
	return id < s->table->n ? &s->table->by_id[id] : NULL;
}

enum { STREAM_PLACE_BITS = 47 };

/* The place of a sub-buffer, from which those of its records are counted; see struct hit. */
static inline u64 stream_page_at(const struct stream *s, u64 page)
{
	return ((u64)s->rank << STREAM_PLACE_BITS | page * s->layout.subbuf_size) << 1;
}

/* The place of a record of the sub-buffer whose place is @page_at. */
static inline u64 stream_record_at(u64 page_at, const struct ring_buffer_record *rec)
{
	return page_at + 2ull * rec->offset;
}

static inline u64 stream_at(const struct stream *s, u64 page, const struct ring_buffer_record *rec)
{
	return stream_record_at(stream_page_at(s, page), rec);
}

static inline s32 stream_pid(const struct stream *s, const struct ring_buffer_record *rec)
{
	return (s32)load_u32(rec->data + COMMON_PID_AT, s->layout.big_endian);
}

/* Before a replay: mark the eprobes whose format was recorded, but no event (probe->made). 0, or an
 * error of reading */
int eprobes_find_unrecorded(const struct tracing *t, const struct stream *streams, size_t n,
			    struct diags *diags);
