// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Traces kept events again. If only their values count, and only one kind of them is kept, several
 * threads count blocks, each with a map of its own; if a map is too small for all keys, the order
 * matters, and they are counted again by one thread.
 */
#include "base/base.h"
#include "derive/kept_state.h"
#include "derive/values.h"
#include "run/run.h"

static inline __attribute__((always_inline)) u64 number_at(const void *from, u32 width, u32 i)
{
	return width == 1   ? ((const u8 *)from)[i]
	       : width == 2 ? ((const u16 *)from)[i]
	       : width == 4 ? ((const u32 *)from)[i]
			    : ((const u64 *)from)[i];
}

static inline __attribute__((always_inline)) void unpack_all(const u64 *from, u32 width,
							     u64 *column, size_t stride, u32 n)
{
	for (u32 i = 0; i < n; i++)
		column[i * stride] = from[1] + (width ? number_at(from + 2, width, i) : 0);
}

/* The same back. @column: NULL: they are skipped */
static size_t unpack_column(const u64 *from, u64 *column, size_t stride, u32 n)
{
	if (!column)
		;
	else if (from[0] == 1)
		unpack_all(from, 1, column, stride, n);
	else if (from[0] == 2)
		unpack_all(from, 2, column, stride, n);
	else if (from[0] == 4)
		unpack_all(from, 4, column, stride, n);
	else
		unpack_all(from, (u32)from[0], column, stride, n);
	return 2 + ALIGN_UP((size_t)n * from[0], 8) / 8;
}

/* A block, as columns of all rows, and rows of each event. */
struct kept_rows {
	const struct kept_events *of;
	bool reads_all, reads_hit; /* all fields; times, CPUs and tasks */
	bool by_column;            /* ->values are columns; texts are numbers */
	u64 *ts, *cpu, *task, *buffer;
	const struct receiver *to[UINT8_MAX];
	u64 read[UINT8_MAX]; /* a bit for each field that is needed */
	u64 *values[UINT8_MAX];
	u32 n[UINT8_MAX];
};

/* Whether a field is needed. */
static bool is_read(const struct kept_rows *rows, size_t event, size_t field)
{
	return rows->reads_all || !rows->to[event]->fused || rows->read[event] >> field & 1;
}

/* @only: one of the histograms; NULL: all that there are */
static int rows_open(struct kept_rows *rows, const struct derive *d, const struct kept_events *k,
		     const struct fused_trace *only)
{
	size_t words = 3;
	u64 *at;

	for (size_t e = 0; e < k->events.n; e++)
		words += k->events.v[e].fields.n;
	*rows = (struct kept_rows){ .of = k,
				    .reads_all = d->chooses,
				    .buffer = calloc(words, KEPT_ROWS * sizeof(*at)) };
	at = rows->buffer;
	if (!at)
		return HIST_NOMEM;
	rows->ts = at;
	rows->cpu = rows->ts + KEPT_ROWS;
	rows->task = rows->cpu + KEPT_ROWS;
	at = rows->task + KEPT_ROWS;
	for (size_t e = 0; e < k->events.n; e++) {
		rows->to[e] = derive_receiver(d, k->events.v[e].of);
		rows->reads_hit |= d->chooses || !rows->to[e]->fused || k->events.n > 1;
		for (const struct fused_trace *f = only ?: rows->to[e]->fused; f; f = f->next) {
			rows->reads_hit |= f->reads_hit;
			rows->read[e] |= f->read;
		}
		rows->values[e] = at;
		at += k->events.v[e].fields.n * KEPT_ROWS;
	}
	return 0;
}

/* Numbers of texts become their addresses. */
static void place_texts(const struct kept_field *f, u64 *column, size_t stride, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		const u64 number = column[i * stride];

		column[i * stride] = number ? (uintptr_t)(f->texts.v[number - 1] + 1) : 0;
	}
}

static void read_block(struct kept_rows *rows, const struct kept_block *b)
{
	const struct kept_events *k = rows->of;
	const u8 *event = (const u8 *)b->data;
	const u64 *at = b->data + KEPT_ROWS / sizeof(*at);

	memset(rows->n, 0, sizeof(rows->n));
	rows->n[0] = k->events.n == 1 ? b->n : 0;
	for (u32 i = 0; i < b->n && k->events.n > 1; i++)
		rows->n[event[i]]++;
	at += unpack_column(at, rows->reads_hit ? rows->ts : NULL, 1, b->n);
	at += unpack_column(at, rows->reads_hit ? rows->cpu : NULL, 1, b->n);
	at += unpack_column(at, rows->reads_hit ? rows->task : NULL, 1, b->n);
	for (size_t e = 0; e < k->events.n; e++) {
		const size_t stride = k->events.v[e].fields.n;

		for (size_t f = 0; f < stride && rows->n[e]; f++) {
			u64 *column = !is_read(rows, e, f) ? NULL
				      : rows->by_column    ? rows->values[e] + f * KEPT_ROWS
							   : rows->values[e] + f;

			at += unpack_column(at, column, rows->by_column ? 1 : stride, rows->n[e]);
			if (column && !rows->by_column && k->events.v[e].fields.v[f].is_text)
				place_texts(&k->events.v[e].fields.v[f], column, stride,
					    rows->n[e]);
		}
	}
}

static void trace_block(struct derive *d, const struct kept_rows *rows, const struct kept_block *b)
{
	const u8 *event = (const u8 *)b->data;
	u32 done[UINT8_MAX] = { 0 };

	for (u32 i = 0; i < b->n; i++) {
		const struct kept_event *e = &rows->of->events.v[event[i]];
		const u64 *values = rows->values[event[i]] + done[event[i]]++ * e->fields.n;
		const struct derive_record r = { .ts = rows->ts[i], .cpu = (u32)rows->cpu[i] };

		derive_trace(d, e->of, values, &r, (s32)rows->task[i]);
	}
}

struct kept_reader {
	struct derive *d;
	struct kept_rows rows;
	size_t next; /* block */
};

struct kept_reader *kept_reader_open(struct derive *d, const struct kept_events *k)
{
	struct kept_reader *r = calloc(1, sizeof(*r));

	if (!r || rows_open(&r->rows, d, k, NULL)) {
		free(r);
		return NULL;
	}
	r->d = d;
	d->kept = &k->account;
	return r;
}

bool kept_reader_next(struct kept_reader *r)
{
	const struct kept_events *k = r->rows.of;

	if (r->next == k->blocks.n)
		return false;
	read_block(&r->rows, &k->blocks.v[r->next]);
	trace_block(r->d, &r->rows, &k->blocks.v[r->next++]);
	return true;
}

void kept_reader_close(struct kept_reader *r)
{
	if (r)
		free(r->rows.buffer);
	free(r);
}

/* --- values of one event --- */

/* Threads below that number of blocks for each take longer than what they save. */
#ifdef SMALL_PARTS
enum { PART_BLOCKS = 1, PARTS_MAX = 64 };
#else
enum { PART_BLOCKS = 64, PARTS_MAX = 64 };
#endif

struct kept_part {
	struct derive *d;
	const struct kept_events *of;
	struct fused_trace fused; /* the only one */
	struct fused_recent recent;
	u16 part; /* of the maps */
	size_t first, end;
	bool failed;
};

static void hit_block(const struct kept_part *p, const struct kept_rows *rows)
{
	const size_t size = p->of->events.v[0].fields.n * sizeof(u64);
	struct hit hit = { .file = rows->to[0]->file,
			   .rec = (const u8 *)rows->values[0],
			   .len = (u32)size,
			   .part = p->part,
			   .context = p->d->context };

	if (!rows->reads_hit) {
		event_hit_values(&p->fused, &hit, rows->n[0]);
		return;
	}
	for (u32 i = 0; i < rows->n[0]; i++) {
		hit.rec = (const u8 *)rows->values[0] + i * size;
		hit.ts = rows->ts[i];
		hit.cpu = (u32)rows->cpu[i];
		hit.pid = (s32)rows->task[i];
		event_hit_values(&p->fused, &hit, 1);
	}
}

/*
 * Keys of texts and small numbers are indices of counters: an entry, its hits, its sums. The first
 * event of a key is hit as any other, so that entries have the same order; those that follow are
 * counted, and added to the entry at the end.
 */
struct kept_counts {
	const struct kept_part *part;
	const struct kept_rows *rows;
	const struct fused_recent *keys;
	u64 limits[FUSED_PARTS_MAX];
	u64 n, *counters;
	u32 at[KEPT_ROWS]; /* the counter of each row */
};

enum { SMALL_NUMBERS = 1 << 15, COUNTERS_MAX = 1 << 16 };

static const struct kept_field *field_of(const struct kept_counts *c, const struct fused_value *v)
{
	return &c->rows->of->events.v[0].fields.v[v->at / sizeof(u64)];
}

static const u64 *column_of(const struct kept_counts *c, const struct fused_value *v)
{
	return c->rows->values[0] + v->at / sizeof(u64) * KEPT_ROWS;
}

/* False: the keys are others, or there are too many. */
static bool counts_open(struct kept_counts *c)
{
	const struct fused_recent *r = c->part->fused.values;
	bool ok = r && !c->part->fused.filter && !c->part->fused.reader->paused &&
		  !c->rows->reads_hit;

	c->keys = r;
	c->n = 1;
	for (u32 i = 0; ok && i < r->n_parts; i++) {
		const struct kept_field *f = field_of(c, &r->parts[i]);

		c->limits[i] = f->is_text ? f->texts.n + 1 : SMALL_NUMBERS;
		c->n *= min_t(u64, c->limits[i], COUNTERS_MAX);
		ok = c->n <= COUNTERS_MAX && !r->parts[i].number;
	}
	for (u32 i = 0; ok && i < r->n_sums; i++)
		ok = !r->sums[i].number;
	c->counters = ok ? calloc(c->n * (2 + r->n_sums), sizeof(*c->counters)) : NULL;
	return c->counters;
}

/* Hit a row. Return: as hist_hit_entry() */
static u32 hit_row(const struct kept_counts *c, u32 i)
{
	const struct kept_event *e = &c->rows->of->events.v[0];
	u64 row[64] = { 0 };
	const struct hit hit = { .file = c->rows->to[0]->file,
				 .rec = (const u8 *)row,
				 .len = (u32)(e->fields.n * sizeof(u64)),
				 .part = c->part->part,
				 .context = c->part->d->context };

	for (size_t f = 0; f < e->fields.n && f < ARRAY_SIZE(row); f++)
		if (is_read(c->rows, 0, f)) {
			row[f] = c->rows->values[0][f * KEPT_ROWS + i];
			if (e->fields.v[f].is_text)
				place_texts(&e->fields.v[f], &row[f], 1, 1);
		}
	return hist_hit_entry(&c->part->fused, &hit);
}

/* False: numbers are too large; nothing was counted. */
static bool count_block(struct kept_counts *c)
{
	const u32 n = c->rows->n[0], size = 2 + c->keys->n_sums;
	u64 above = 0;

	memset(c->at, 0, sizeof(c->at));
	for (u32 k = 0; k < c->keys->n_parts; k++) {
		const u64 *column = column_of(c, &c->keys->parts[k]), limit = c->limits[k];

		for (u32 i = 0; i < n; i++) {
			above |= column[i] >= limit;
			c->at[i] = c->at[i] * (u32)limit + (u32)column[i];
		}
	}
	for (u32 i = 0; i < n && !above; i++) {
		u64 *counter = c->counters + (size_t)c->at[i] * size;

		if (unlikely(!counter[0])) {
			counter[0] = hit_row(c, i);
			counter[1]--;
			for (u32 k = 0; k < c->keys->n_sums; k++)
				counter[2 + k] -= column_of(c, &c->keys->sums[k])[i];
		}
		counter[1]++;
	}
	for (u32 k = 0; k < c->keys->n_sums && !above; k++) {
		const u64 *column = column_of(c, &c->keys->sums[k]);

		for (u32 i = 0; i < n; i++)
			c->counters[(size_t)c->at[i] * size + 2 + k] += column[i];
	}
	return !above;
}

static void counts_close(struct kept_counts *c)
{
	const u32 size = 2 + c->keys->n_sums;

	for (u64 *counter = c->counters; c->n; c->n--, counter += size)
		if (counter[0])
			hist_add_hits(&c->part->fused, c->part->part, (u32)counter[0], counter[1],
				      counter + 2);
	free(c->counters);
}

static void *hit_part(void *part)
{
	struct kept_part *p = part;
	struct kept_rows rows;
	struct kept_counts counts = { .part = p, .rows = &rows };
	bool counted;

	p->fused.next = NULL;
	p->failed |= rows_open(&rows, p->d, p->of, &p->fused) != 0;
	counted = !p->failed && counts_open(&counts);
	for (size_t i = p->first; i < p->end && !p->failed; i++) {
		rows.by_column = counted;
		read_block(&rows, &p->of->blocks.v[i]);
		if (counted && count_block(&counts))
			continue;
		rows.by_column = false;
		if (counted)
			read_block(&rows, &p->of->blocks.v[i]);
		hit_block(p, &rows);
	}
	if (counted)
		counts_close(&counts);
	free(rows.buffer);
	return NULL;
}

static bool is_any_full(const struct hist_count *hc)
{
	bool full = false;

	for (u32 i = 0; i <= hc->n_parts; i++)
		full |= tracing_map_is_full(hc->parts[i].map);
	return full;
}

/* False: they are to be counted in order. */
static bool hit_parts(struct derive *d, const struct kept_events *k,
		      const struct fused_trace *fused, u32 n)
{
	const size_t size = sizeof(u32) << FUSED_RECENT_SHIFT;
	scoped(free_scoped) struct kept_part *parts = calloc(n, sizeof(*parts));
	scoped(free_scoped) u32 *entries = calloc(n, size);
	bool ok = parts && entries && !hist_parts_start(fused->count, n, false);

	for (u32 i = 0; i < n && ok; i++) {
		struct kept_part *p = &parts[i];

		*p = (struct kept_part){ .d = d,
					 .of = k,
					 .fused = *fused,
					 .recent = *fused->recent,
					 .part = (u16)(i + 1),
					 .first = k->blocks.n * i / n,
					 .end = k->blocks.n * (i + 1) / n };
		p->recent.entries = entries + i * size / sizeof(*entries);
		p->fused.recent = &p->recent;
	}
	if (ok)
		threads_run(&(struct thread_job){
			.work = hit_part, .elements = parts, .size = sizeof(*parts), .n = n });
	for (u32 i = 0; i < n && ok; i++)
		ok = !parts[i].failed;
	ok = ok && !is_any_full(fused->count) && hist_parts_join(fused->count);
	if (!ok)
		hist_count_clear(fused->count);
	return ok;
}

void derive_from_kept(struct derive *d, const struct kept_events *k, u32 threads)
{
	const u32 n = (u32)min_t(size_t, min_t(u32, threads, PARTS_MAX), k->blocks.n / PART_BLOCKS);
	const struct fused_trace *fused = derive_receiver(d, k->events.v[0].of)->fused;

	d->kept = &k->account;
	if (!fused || d->chooses || k->events.n > 1) {
		struct kept_reader *r = kept_reader_open(d, k);

		if (!r)
			derive_fail(d);
		while (r && kept_reader_next(r))
			;
		kept_reader_close(r);
		return;
	}
	for (; fused; fused = fused->next) {
		struct kept_part all = { .d = d, .of = k, .fused = *fused, .end = k->blocks.n };

		if (n > 1 && fused->recent && !fused->reader->paused && hit_parts(d, k, fused, n))
			continue;
		hit_part(&all);
		if (all.failed)
			derive_fail(d);
	}
}
