/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * ring_buffer: sub-buffers and the records in them.
 *
 * Reading side: a page decoder that works in place, an iterator over the sub-buffers of one CPU,
 * and the merge of several CPUs in time order. Sub-buffers are supplied by a callback; nothing here
 * depends on trace.dat.
 *
 * A sub-buffer consists of the u64 time stamp of its first record; the commit word (a long of the
 * kernel) with the number of bytes of data, bit 31 "records were lost before this sub-buffer" and
 * bit 30 "their number is stored after the data"; then records, each a 32-bit word with type (5
 * bits) and time delta (27 bits), and its payload.
 */
#pragma once
#include "base/base.h"

enum ring_buffer_type {
	RINGBUF_TYPE_DATA_TYPE_LEN_MAX = 28,
	RINGBUF_TYPE_PADDING = 29,
	RINGBUF_TYPE_TIME_EXTEND = 30,
	RINGBUF_TYPE_TIME_STAMP = 31,
};

enum { RINGBUF_TS_SHIFT = 27 };

#define RB_MISSED_EVENTS (1u << 31) /* in the commit word: records were lost before it */
#define RB_MISSED_STORED (1u << 30) /* in the commit word: their number is stored */

/* Layout of the sub-buffers of a recording. */
struct ring_buffer_layout {
	bool big_endian;
	u32 long_size;   /* of the kernel, 4 or 8 */
	u32 subbuf_size; /* including the header */
};

static inline u32 ring_buffer_header_size(const struct ring_buffer_layout *l)
{
	return 8 + l->long_size;
}

/* One record. */
struct ring_buffer_record {
	u64 ts;         /* in units of the trace clock */
	const u8 *data; /* payload, 4-byte aligned; borrowed from the page */
	u32 len;        /* bytes of payload; may include up to 7 bytes of padding */
	u32 offset;     /* offset of the record's first word in the sub-buffer */
	u32 delta;      /* as stored */
	u8 type_len;    /* as stored */
};

struct ring_buffer_page {
	const u8 *base, *p, *end;
	const u8 *stamped; /* the previous entry was a time stamp for the entry at this address */
	u64 page_ts, ts;
	u64 last; /* at the end: time of the last data record, if there are any */
	bool big;
	bool cut;       /* the file ends within this page; not damage of the page itself */
	bool damaged;   /* a length did not fit: the rest of the page was skipped */
	bool backwards; /* a data record has a lower time stamp than the one, or the page, before */
	u32 late;   /* ns that libtraceevent adds to the times so far, see ring_buffer_page_raw() */
	s64 missed; /* records lost before this page; -1: an unknown number */
};

/**
 * ring_buffer_page_open() - start decoding a sub-buffer
 * @bytes: borrowed until the last record is not needed any more
 * @len:   available bytes; may be less than a sub-buffer (cut file)
 *
 * Return: 0; -HIST_EFORMAT if the header is missing or its commit invalid (the page then has no
 *         records)
 * Source: struct buffer_data_page, ring_buffer_read_page() @ v6.12
 */
int ring_buffer_page_open(struct ring_buffer_page *pg, const struct ring_buffer_layout *layout,
			  const void *bytes, size_t len);

/**
 * ring_buffer_page_raw() - step to the next raw entry of the sub-buffer
 * @rec: also padding and stamps: @rec->data follows the first word of a stamp (its upper bits) or
 *    of padding (its length), @rec->ts is the time after this entry
 *
 * For dump and audit; use either this or ring_buffer_page_next() on a page.
 *
 * Return: 0, 1 at the end of the page
 */
int ring_buffer_page_raw(struct ring_buffer_page *pg, struct ring_buffer_record *rec);

/* The times of the records of a sub-buffer. */
struct ring_buffer_times {
	u64 first, last; /* the lowest and the highest; ->first > ->last: no records */
	bool ascend;     /* from that of the sub-buffer on; all of it could be decoded */
};

/* The times of a page just opened. */
struct ring_buffer_times ring_buffer_page_times(const struct ring_buffer_page *pg);

/* Whether a page just opened is all zeros, which is a hole in a file. */
bool ring_buffer_page_is_hole(const struct ring_buffer_page *pg);

/* @pg as it was after @rec, one of its records. Its time is not restored. */
static inline struct ring_buffer_page ring_buffer_page_after(const struct ring_buffer_page *pg,
							     const struct ring_buffer_record *rec)
{
	struct ring_buffer_page next = *pg;

	next.p = rec->data + ALIGN_UP(rec->len, 4);
	return next;
}

/* ring_buffer_page_next() */
#include "ring_buffer/decode.h"
/* struct ring_buffer_iter */
#include "ring_buffer/iter.h"

/*
 * --- merge.c: the records of several CPUs in time order, as the `trace` file of the kernel ---
 *
 * At equal times, the lowest CPU comes first, then the order of the iterators. If times of a source
 * decrease, its record is delivered when it is at the head of the source. The merge fetches several
 * records ahead, from an iterator at most the rest of a sub-buffer.
 */

enum { RING_BUFFER_MERGE_AHEAD = 64 };

/*
 * A source of the records of one CPU. The function returns the number of records, borrowed until
 * the next call; 0 at the end.
 */
struct ring_buffer_source {
	int (*fill)(void *arg, const struct ring_buffer_record **recs);
	void *arg;
	u32 cpu;
};

struct ring_buffer_merge_leaf {
	struct ring_buffer_source source;
	size_t index;                         /* position in the array of the caller */
	const struct ring_buffer_record *rec; /* the next record */
	const struct ring_buffer_record *end;
};

/* An iterator as a source. */
struct ring_buffer_merge_iter {
	struct ring_buffer_iter *iter;
	struct ring_buffer_record recs[RING_BUFFER_MERGE_AHEAD];
};

struct ring_buffer_merge {
	struct ring_buffer_merge_leaf *leaves; /* by rank */
	struct ring_buffer_merge_iter *iters;  /* NULL: other sources */
	u64 *ts;   /* by rank: time of the next record; the highest at the end */
	u32 *tree; /* ranks; tree[0] has the overall earliest record */
	size_t n;
	size_t started; /* leaves that have fetched their first records */
	size_t n_live;  /* leaves that are not at the end */
	bool empty;     /* the source in tree[0] has to be refilled */
	u32 streak;     /* number of successive wins of the same source */
	u32 second;     /* after a long streak: the earliest of the other sources */
};

/* A record and the index of its iterator or source. */
struct ring_buffer_merged {
	const struct ring_buffer_record *rec;
	size_t index;
};

/**
 * ring_buffer_merge_init() - merge @n iterators
 * @iters: borrowed until ring_buffer_merge_release()
 *
 * Return: 0, -HIST_ENOMEM
 */
int ring_buffer_merge_init(struct ring_buffer_merge *m, struct ring_buffer_iter *iters, size_t n);

/* As ring_buffer_merge_init(), for other kinds of sources. */
int ring_buffer_merge_init_sources(struct ring_buffer_merge *m,
				   const struct ring_buffer_source *sources, size_t n);

void ring_buffer_merge_release(struct ring_buffer_merge *m);

/**
 * ring_buffer_merge_next() - return the next records of all sources
 * @out: set to up to @max of them, in order; borrowed, with their data, until the next call
 *
 * Return:  their number, 0 at the end, < 0: error of the source with index out->index (the next
 *          call continues)
 * Context: hot path; allocates nothing
 * Source:  __find_next_entry() @ v6.12, trace.c
 */
int ring_buffer_merge_next(struct ring_buffer_merge *m, struct ring_buffer_merged *out, int max);
