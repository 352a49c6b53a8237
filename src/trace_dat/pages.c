// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The sub-buffers of one CPU. Uncompressed ones are used in the map. Compressed ones are inflated,
 * one chunk at a time, into the cursor, or where they are kept for the next question.
 *
 * Chunks have to be visited in order, because each one only gives the start of the next. To avoid a
 * seek from the start, the locations of some chunks are marked on the way. When the marks are full,
 * every second one is removed and their distance doubles, so memory does not grow with the file.
 * Our writer notes some chunks in the option CHUNKS: an array of u64 offset of the chunk, its first
 * sub-buffer, its number, the time of that sub-buffer; at the end of each CPU there is one more.
 * This is used only for parts of a CPU, after all that is used of it was compared with the chunks.
 *
 * Invariant: the position is at the header of chunk ->chunk, whose first sub-buffer is ->first;
 * ->loaded is an earlier chunk.
 */
#include <sys/mman.h>

#include "trace_dat/internal.h"

enum { MARKS = 256, CHUNK_HEAD = 8, NOTE = 32 };

/* Limits: a chunk may be large, or contain many empty sub-buffers, but not both. */
enum { MAX_CHUNK = 16 << 20, MAX_CHUNK_SUBBUFS = 16, SMALL_CHUNK = 4 << 20, CHUNK_RATIO = 1024 };

struct page_mark {
	u64 pos, first;
	u32 chunk;
};

struct trace_dat_pages {
	struct trace_dat *td;          /* ->unreadable may be set, the rest is constant */
	const struct codec_ops *codec; /* NULL: uncompressed */
	u32 subbuf_size, cpu;
	u64 start, end;                         /* offset in the file */
	const struct trace_dat_extent *extents; /* of an uncompressed stream; borrowed */
	size_t n_extents, extent;
	u64 next;   /* index of the sub-buffer to return */
	u64 offset; /* file offset of the last returned sub-buffer */
	u64 count;
	bool counted;
	bool cut;  /* already reported that the file ends early */
	bool kept; /* all chunks are kept inflated (kept_chunks.h) */

	u32 n_chunks; /* as announced */
	u32 chunk;
	u64 pos, first;
	struct trace_dat_chunk loaded; /* ->buf: also an unaligned sub-buffer */
	void *decoder;
	struct page_mark marks[MARKS];
	size_t n_marks;
	u32 stride;
	const u8 *notes; /* of the file */
	size_t n_notes;  /* 0: not used */

	u64 bad_pos, bad_chunks; /* the first chunk that failed, and the number of failures */
	bool torn;               /* the chunks end before the announced number */
	bool torn_reported;
};

int trace_dat_pages_open(struct trace_dat *td, size_t buffer, size_t cpu,
			 struct trace_dat_pages **pages, struct diags *diags)
{
	const struct trace_dat_buffer *b;
	const struct trace_dat_cpu *c;
	struct trace_dat_pages *p;
	struct bytes head;

	if (td->later && !td->made.n) {
		int err = trace_dat_make_all(td, diags);

		if (err)
			return err;
	}
	if (td->made.n)
		return trace_dat_pages_open(td->made.v[td->made.n - 1], buffer, cpu, pages, diags);
	if (buffer >= td->buffers.n || cpu >= td->buffers.v[buffer].n_cpus)
		return -HIST_EINVAL;
	b = &td->buffers.v[buffer];
	c = &b->cpus[cpu];
	p = calloc(1, sizeof(*p));
	if (!p)
		return diags_error(diags, HIST_NOMEM, "%s: out of memory", td->info.path);
	*p = (struct trace_dat_pages){
		.td = td,
		.subbuf_size = b->subbuf_size,
		.cpu = c->cpu,
		.start = c->offset,
		.end = c->offset + c->size,
		.extents = c->extents,
		.n_extents = c->n_extents,
		.stride = 1,
	};
	if (c->n_extents) {
		const struct trace_dat_extent *last = &c->extents[c->n_extents - 1];

		p->end = last->offset + c->size - last->first * b->subbuf_size;
	}
	/* salvaged extents extend to the end of the file */
	p->cut = c->missing || (td->info.cut && p->end >= td->info.file_size);
	*pages = p;
	if (!b->compressed) {
		p->count = (c->size + b->subbuf_size - 1) / b->subbuf_size;
		p->counted = true;
		return 0;
	}
	p->codec = codec_ops_of(td->info.codec);
	/* trace-cmd 3.0 and 3.1 do not include the word with the number of chunks */
	p->end = min_t(u64, p->end + 4, td->info.file_size);
	head = trace_dat_at(td, p->start);
	p->n_chunks = c->size ? bytes_u32(&head) : 0;
	p->pos = p->start + 4;
	p->kept = td->kept && kept_chunks_all(td->kept, p->start, p->n_chunks);
	return 0;
}

int trace_dat_pages_open_like(const struct trace_dat_pages *like, struct trace_dat_pages **pages)
{
	struct trace_dat_pages *p = malloc(sizeof(*p));

	*pages = p;
	if (!p)
		return HIST_NOMEM;
	*p = *like;
	p->next = p->offset = 0;
	p->loaded = (struct trace_dat_chunk){ .n = 0 };
	p->decoder = NULL;
	p->bad_pos = p->bad_chunks = 0;
	p->torn_reported = false;
	return 0;
}

void trace_dat_pages_close(struct trace_dat_pages *p)
{
	if (!p)
		return;
	if (p->codec)
		p->codec->decoder_free(p->decoder);
	free(p->loaded.buf);
	free(p);
}

/* --- uncompressed --- */

/* Where a sub-buffer is in the file. */
static u64 place_of(struct trace_dat_pages *p, u64 index)
{
	const struct trace_dat_extent *e;

	if (!p->n_extents)
		return p->start + index * p->subbuf_size;
	e = p->extents + p->extent;
	/* mostly this part or the next one */
	if (p->extent + 1 < p->n_extents && index >= e[1].first)
		e = p->extents + ++p->extent;
	if (index < e->first || (p->extent + 1 < p->n_extents && index >= e[1].first)) {
		p->extent = partition_point(i, p->n_extents, p->extents[i].first <= index) - 1;
		e = p->extents + p->extent;
	}
	return e->offset + (index - e->first) * p->subbuf_size;
}

static int next_plain(struct trace_dat_pages *p, const u8 **page, size_t *len)
{
	const u8 *at;

	if (p->next >= p->count)
		return 1;
	p->offset = place_of(p, p->next);
	at = p->td->map + p->offset;
	*len = min_t(u64, p->subbuf_size, p->end - p->offset);
	if (!trace_dat_pages_stay(p)) {
		if (!bytes_reserve(&p->loaded.buf, &p->loaded.size, p->subbuf_size))
			return HIST_NOMEM;
		at = memcpy(p->loaded.buf, at, *len);
		trace_dat_times_convert(p->td, p->subbuf_size, p->loaded.buf, *len);
	}
	*page = at;
	p->next++;
	return 0;
}

bool trace_dat_pages_stay(const struct trace_dat_pages *p)
{
	return p->kept ||
	       (!p->codec && !((uintptr_t)(p->td->map + p->start) & 7) && !p->td->times.converts);
}

/* --- compressed --- */

static void leave_mark(struct trace_dat_pages *p)
{
	if (p->chunk % p->stride || (p->n_marks && p->chunk <= p->marks[p->n_marks - 1].chunk))
		return;
	if (p->n_marks == MARKS) {
		for (size_t i = 0; i < MARKS / 2; i++)
			p->marks[i] = p->marks[2 * i];
		p->n_marks = MARKS / 2;
		p->stride *= 2;
		if (p->chunk % p->stride)
			return;
	}
	p->marks[p->n_marks++] =
		(struct page_mark){ .pos = p->pos, .first = p->first, .chunk = p->chunk };
}

static bool chunk_sane(const struct trace_dat_pages *p, u32 csize, u32 usize)
{
	u64 cap = max_t(u64, MAX_CHUNK, (u64)MAX_CHUNK_SUBBUFS * p->subbuf_size);

	if (!csize || !usize || usize > cap || usize > (u64)csize * p->codec->max_ratio)
		return false;
	return usize <= SMALL_CHUNK || usize <= (u64)csize * CHUNK_RATIO;
}

/* Set for a later query; other threads read other CPUs of the same file. */
static void note_unreadable(struct trace_dat_pages *p)
{
	__atomic_store_n(&p->td->unreadable, true, __ATOMIC_RELAXED);
}

/* The remaining chunks cannot be located. Set at once, because counting does not load chunks. */
static void set_torn(struct trace_dat_pages *p)
{
	p->torn = true;
	if (!p->cut)
		note_unreadable(p);
}

/* Read the header at the current position and skip the chunk: 0, 1 at the end. */
static int walk(struct trace_dat_pages *p, struct trace_dat_chunk *c)
{
	struct bytes b;
	u32 csize, usize;

	/* the announced number is too low for the space: ignore it */
	if (p->chunk >= p->n_chunks && p->pos < p->end && p->end - p->pos > 4)
		set_torn(p);
	if (p->torn || p->chunk >= p->n_chunks) {
		p->count = p->first;
		p->counted = true;
		return 1;
	}
	b = bytes_of(p->td->map + p->pos, p->pos < p->end ? p->end - p->pos : 0,
		     p->td->info.big_endian);
	csize = bytes_u32(&b);
	usize = bytes_u32(&b);
	if (b.bad || csize > bytes_left(&b) || !chunk_sane(p, csize, usize)) {
		set_torn(p);
		return walk(p, c);
	}
	leave_mark(p);
	*c = (struct trace_dat_chunk){
		.pos = p->pos,
		.first = p->first,
		.csize = csize,
		.usize = usize,
		.n = ((u64)usize + p->subbuf_size - 1) / p->subbuf_size,
	};
	p->pos += CHUNK_HEAD + csize;
	p->first += c->n;
	p->chunk++;
	return 0;
}

static u64 note_word(const struct trace_dat_pages *p, size_t i, size_t word)
{
	return load_u64(p->notes + i * NOTE + word * sizeof(u64), p->td->info.big_endian);
}

static struct page_mark noted(const struct trace_dat_pages *p, size_t i)
{
	return (struct page_mark){ .pos = note_word(p, i, 0),
				   .first = note_word(p, i, 1),
				   .chunk = (u32)note_word(p, i, 2) };
}

static void go_to(struct trace_dat_pages *p, struct page_mark m)
{
	p->pos = m.pos;
	p->first = m.first;
	p->chunk = m.chunk;
	p->torn = false;
}

/* Advance to the chunk that contains sub-buffer @index: 0, 1 if there is none. */
static int find_chunk(struct trace_dat_pages *p, u64 index, struct trace_dat_chunk *c)
{
	size_t n = partition_point(i, p->n_marks, p->marks[i].first <= index);
	size_t k = partition_point(i, p->n_notes, note_word(p, i, 1) <= index);
	struct page_mark m = n ? p->marks[n - 1] : (struct page_mark){ .pos = p->start + 4 };

	/* Move to the chunk that contains sub-buffer @index, or to an earlier one. */
	if (k && note_word(p, k - 1, 1) > m.first)
		m = noted(p, k - 1);
	if (p->first > index || p->first < m.first)
		go_to(p, m); /* otherwise the position is already closer */
	do {
		if (walk(p, c))
			return 1;
	} while (index >= c->first + c->n);
	return 0;
}

static int decode_chunk(struct trace_dat_pages *p, const struct trace_dat_chunk *c, u8 *to)
{
	const struct span src = { (const char *)p->td->map + c->pos + CHUNK_HEAD, c->csize };

	if (!p->decoder)
		p->decoder = p->codec->decoder_new();
	if (!p->decoder)
		return HIST_NOMEM;
	if (p->codec->decode(p->decoder, src, to, c->usize)) {
		if (!p->bad_chunks++)
			p->bad_pos = c->pos;
		note_unreadable(p);
		p->next = c->first + c->n;
		return -HIST_EFORMAT;
	}
	for (u64 at = 0; at < c->usize && p->td->times.converts; at += p->subbuf_size)
		trace_dat_times_convert(p->td, p->subbuf_size, to + at,
					min_t(u64, p->subbuf_size, c->usize - at));
	return 0;
}

/* Inflate the chunk with the next sub-buffer, unless it is kept. */
static int load_chunk(struct trace_dat_pages *p, struct trace_dat_chunk *to)
{
	struct kept_file *kept = p->td->kept;
	struct trace_dat_chunk c;
	u8 *room = NULL;
	int err;

	to->n = 0;
	if (find_chunk(p, p->next, &c))
		return 1;
	c.data = kept ? kept_chunk(kept, p->start, p->chunk - 1) : NULL;
	if (!c.data) {
		room = kept ? kept_chunk_room(kept, c.usize) : NULL;
		if (!room && !bytes_reserve(&to->buf, &to->size, c.usize))
			return HIST_NOMEM;
		err = decode_chunk(p, &c, room ?: to->buf);
		if (err)
			return err;
		c.data = room ? kept_chunk_add(kept, p->start, p->chunk - 1, room) : to->buf;
	}
	c.buf = to->buf;
	c.size = to->size;
	*to = c;
	return 0;
}

int trace_dat_pages_inflate(struct trace_dat_pages *p, struct trace_dat_chunk *to)
{
	int err = p->codec ? load_chunk(p, to) : 1;

	if (!err)
		p->next = to->first + to->n;
	return err;
}

bool trace_dat_pages_use(struct trace_dat_pages *p, struct trace_dat_chunk *chunk)
{
	const struct trace_dat_chunk unused = p->loaded;

	if (p->next < chunk->first || p->next - chunk->first >= chunk->n)
		return false;
	p->loaded = *chunk;
	*chunk = unused;
	return true;
}

static int next_inflated(struct trace_dat_pages *p, const u8 **page, size_t *len)
{
	const struct trace_dat_chunk *c = &p->loaded;
	u64 at;

	if (p->next < c->first || p->next - c->first >= c->n) {
		int err = load_chunk(p, &p->loaded);

		if (err > 0 && p->torn && !p->cut && !p->torn_reported) {
			p->torn_reported = true;
			return -HIST_EFORMAT;
		}
		if (err)
			return err;
	}
	at = (p->next - c->first) * p->subbuf_size;
	*page = c->data + at;
	*len = min_t(u64, p->subbuf_size, c->usize - at);
	p->offset = c->pos;
	p->next++;
	return 0;
}

int trace_dat_pages_next(struct trace_dat_pages *p, const u8 **page, size_t *len)
{
	return p->codec ? next_inflated(p, page, len) : next_plain(p, page, len);
}

void trace_dat_pages_map(const struct trace_dat_pages *p, u64 first, u64 end, bool map)
{
	u64 from = p->start + min_t(u64, first, p->count) * p->subbuf_size;
	u64 to = min_t(u64, p->start + min_t(u64, end, p->count) * p->subbuf_size, p->end);
	uintptr_t at = (uintptr_t)(p->td->map + from), page = at & ~(uintptr_t)4095;

	/* parts of a stream are small */
	if (!p->codec && !p->n_extents && from < to)
		(void)madvise((void *)page, to - from + (at - page),
			      map ? MADV_POPULATE_READ : MADV_DONTNEED);
}

bool trace_dat_pages_next_keeps(const struct trace_dat_pages *p)
{
	if (!p->codec || p->kept)
		return trace_dat_pages_stay(p);
	return p->next >= p->loaded.first && p->next - p->loaded.first < p->loaded.n;
}

u64 trace_dat_pages_index(const struct trace_dat_pages *p)
{
	return p->next;
}

u64 trace_dat_pages_count(struct trace_dat_pages *p)
{
	struct trace_dat_chunk c;

	while (!p->counted)
		walk(p, &c);
	return p->count;
}

int trace_dat_pages_seek(struct trace_dat_pages *p, u64 index)
{
	struct trace_dat_chunk c;

	p->next = index;
	if (!p->codec || p->counted)
		return index >= p->count;
	if (index - p->loaded.first < p->loaded.n)
		return 0;
	if (find_chunk(p, index, &c))
		return 1;
	/* step back, so that the chunk is found without a search */
	p->pos = c.pos;
	p->first = c.first;
	p->chunk--;
	return 0;
}

/* Whether the notes are in order, from the first to the last chunk; the file may lie. */
static bool notes_ascend(const struct trace_dat_pages *p)
{
	const struct page_mark first = noted(p, 0), last = noted(p, p->n_notes - 1);
	bool ascend = first.pos == p->start + 4 && !first.first && !first.chunk &&
		      last.pos == p->end - 4 && note_word(p, p->n_notes - 1, 2) == p->n_chunks &&
		      last.first <= (p->end - p->start) * p->codec->max_ratio;

	for (size_t i = 1; i < p->n_notes && ascend; i++)
		for (size_t word = 0; word < NOTE / sizeof(u64) && ascend; word++)
			ascend = note_word(p, i - 1, word) < note_word(p, i, word) ||
				 (word == 3 && note_word(p, i - 1, 3) == note_word(p, i, 3));
	return ascend;
}

bool trace_dat_pages_check_notes(struct trace_dat_pages *p, u64 first, u64 end)
{
	size_t i = partition_point(k, p->n_notes, note_word(p, k, 1) <= first);
	bool same = true;
	struct trace_dat_chunk c;

	if (!p->n_notes)
		return true;
	go_to(p, noted(p, i - 1));
	while (same && p->first < end && i < p->n_notes) {
		const struct page_mark m = noted(p, i);

		same = !walk(p, &c) && (p->chunk != m.chunk) == (p->pos != m.pos) &&
		       (p->chunk != m.chunk) == (p->first != m.first);
		i += p->chunk == m.chunk;
	}
	if (same)
		return true;
	p->n_notes = p->n_marks = 0;
	p->counted = false;
	go_to(p, (struct page_mark){ .pos = p->start + 4 });
	return false;
}

void trace_dat_pages_use_notes(struct trace_dat_pages *p)
{
	const struct trace_dat_option *o =
		p->codec && !p->td->times.converts
			? trace_dat_option_find(p->td, TRACE_DAT_HIST_CHUNKS)
			: NULL;
	size_t n = o ? o->size / NOTE : 0, first;

	if (!n)
		return;
	p->notes = o->data;
	first = partition_point(i, n, note_word(p, i, 0) < p->start + 4);
	n = partition_point(i, n, note_word(p, i, 0) < p->end);
	p->notes += first * NOTE;
	p->n_notes = n - first;
	if (n < first + 2 || !notes_ascend(p)) {
		p->n_notes = 0;
		return;
	}
	p->count = note_word(p, p->n_notes - 1, 1);
	p->counted = true;
	trace_dat_pages_check_notes(p, p->count - 1, p->count);
}

bool trace_dat_pages_notes(const struct trace_dat_pages *p, u64 ts, struct trace_dat_note around[2])
{
	size_t n = partition_point(i, p->n_notes, note_word(p, i, 3) < ts);

	/* the last one is of no sub-buffer that has its time, so the first of two is another */
	for (size_t i = 0; i < 2 && p->n_notes; i++) {
		size_t at = min_t(size_t, n - (n && !i), p->n_notes - 2 + i);

		around[i] = (struct trace_dat_note){ note_word(p, at, 1), note_word(p, at, 3) };
	}
	return p->n_notes;
}

u64 trace_dat_pages_offset(const struct trace_dat_pages *p)
{
	return p->offset;
}

bool trace_dat_pages_cut(const struct trace_dat_pages *p)
{
	return p->cut;
}

bool trace_dat_pages_damaged(const struct trace_dat_pages *p)
{
	return p->bad_chunks || (p->torn && !p->cut);
}

u64 trace_dat_pages_unread(const struct trace_dat_pages *p)
{
	return p->bad_chunks + (p->torn && p->n_chunks > p->chunk ? p->n_chunks - p->chunk : 0);
}

void trace_dat_pages_diagnose(const struct trace_dat_pages *p, struct diags *diags)
{
	const char *path = p->td->info.path;

	if (!p->bad_chunks && !p->torn_reported)
		return;
	for (size_t i = 0; i < p->td->diagnosed.n; i++)
		if (p->td->diagnosed.v[i] == p->start)
			return;
	/* if out of memory, it may be reported twice */
	(void)!array_push(&p->td->diagnosed, p->start);
	if (p->bad_chunks)
		diags_error(diags, -HIST_EFORMAT,
			    "%s: damaged at offset %llu: %llu chunk%s of CPU %u cannot be "
			    "inflated",
			    path, p->bad_pos, p->bad_chunks, plural(p->bad_chunks), p->cpu);
	if (p->torn_reported)
		diags_error(diags, -HIST_EFORMAT,
			    "%s: damaged at offset %llu: CPU %u has only %u of %u chunks", path,
			    p->pos, p->cpu, p->chunk, p->n_chunks);
}
