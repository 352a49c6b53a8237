// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as the compressed chunks of a CPU. A model decodes them with single calls of the
 * libraries. Every cursor must return exactly the bytes of the model, and report each chunk that is
 * damaged and each end that is missing.
 */
#include "fuzz.h"

#include "chunk_mutator.h"
#include "trace_dat/internal.h"

enum { MODEL_CHUNKS = 512, MODEL_BYTES = 1 << 20, MAX_PAGES = 4096 };

struct model_chunk {
	const u8 *bytes; /* NULL: damaged */
	u64 pos, first, n;
	u32 usize;
};

struct model {
	struct model_chunk chunks[MODEL_CHUNKS];
	size_t n;
	u64 count, good; /* number of sub-buffers, and of those in intact chunks */
	u64 bad;         /* number of damaged chunks */
	bool torn;       /* the chunks do not end with the data */
	bool partial;    /* more chunks or bytes than the model has room for */
	u8 bytes[MODEL_BYTES];
	size_t used;
};

/*
 * These replace the functions of the library: allocating 160 KB for each cursor under
 * AddressSanitizer would take most of the time.
 */
static ZSTD_DCtx *idle[4];

ZSTD_DCtx *ZSTD_createDCtx(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++) {
		ZSTD_DCtx *z = idle[i];

		idle[i] = NULL;
		if (z && !ZSTD_isError(ZSTD_DCtx_reset(z, ZSTD_reset_session_and_parameters)))
			return z;
	}
	return ZSTD_createDCtx_advanced(ZSTD_defaultCMem);
}

size_t ZSTD_freeDCtx(ZSTD_DCtx *z)
{
	for (size_t i = 0; i < ARRAY_SIZE(idle); i++)
		if (!idle[i]) {
			idle[i] = z;
			return 0;
		}
	return 0;
}

/* --- model --- */

static bool decode(bool zstd, const u8 *src, u32 csize, u8 *dst, u32 usize)
{
	static ZSTD_DCtx *z;
	uLongf len = usize;

	if (!z)
		z = ZSTD_createDCtx();
	if (zstd)
		return ZSTD_decompressDCtx(z, dst, usize, src, csize) == usize;
	return uncompress(dst, &len, src, csize) == Z_OK && len == usize;
}

static void model_add(struct model *m, const struct trace_dat *td, const u8 *src, u32 csize,
		      u32 usize)
{
	u32 subbuf = td->buffers.v[0].subbuf_size;
	u8 *bytes = m->bytes + m->used;
	bool ok = decode(td->info.codec == CODEC_ZSTD, src, csize, bytes, usize);

	m->chunks[m->n++] = (struct model_chunk){
		.bytes = ok ? bytes : NULL,
		.pos = (u64)(src - td->map) - 8,
		.first = m->count,
		.n = (usize + subbuf - 1) / subbuf,
		.usize = usize,
	};
	m->used += usize;
	m->count += m->chunks[m->n - 1].n;
	m->good += ok ? m->chunks[m->n - 1].n : 0;
	m->bad += !ok;
}

static void model_fill(struct model *m, const struct trace_dat *td)
{
	u64 ratio = td->info.codec == CODEC_ZSTD ? 1 << 15 : 1032;
	struct bytes b = bytes_of(td->map, td->info.file_size, td->info.big_endian);
	u32 count = bytes_u32(&b), i;

	m->n = m->used = m->count = m->good = m->bad = 0;
	m->torn = m->partial = false;
	for (i = 0; i < count; i++) {
		u32 csize = bytes_u32(&b), usize = bytes_u32(&b);
		const u8 *src = bytes_take(&b, csize);

		m->torn = b.bad || !csize || !usize || usize > csize * ratio;
		m->partial = !m->torn && (m->n == MODEL_CHUNKS || usize > MODEL_BYTES - m->used);
		if (m->torn || m->partial)
			return;
		model_add(m, td, src, csize, usize);
	}
	m->torn = bytes_left(&b) > 4;
}

static const struct model_chunk *model_find(const struct model *m, u64 index)
{
	size_t low = 0, high = m->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (m->chunks[mid].first + m->chunks[mid].n <= index)
			low = mid + 1;
		else
			high = mid;
	}
	return low < m->n ? &m->chunks[low] : NULL;
}

/* --- cursors --- */

struct page {
	const u8 *bytes;
	size_t len;
	u64 index;
};

static void check_page(const struct model *m, const struct page *page, u32 subbuf)
{
	const struct model_chunk *c = model_find(m, page->index);
	u64 at;

	MUST(c || m->partial);
	if (!c)
		return;
	MUST(c->bytes);
	at = (page->index - c->first) * subbuf;
	MUST(page->len == min_t(u64, subbuf, c->usize - at));
	MUST(!memcmp(page->bytes, c->bytes + at, page->len));
}

/* The next page, which must be that of the model. */
static int next(const struct model *m, struct trace_dat_pages *p, u32 subbuf)
{
	struct page page = { .index = trace_dat_pages_index(p) };
	const struct model_chunk *c = model_find(m, page.index);
	int err = trace_dat_pages_next(p, &page.bytes, &page.len);

	if (!err) {
		check_page(m, &page, subbuf);
		MUST(trace_dat_pages_index(p) == page.index + 1);
		MUST(!c || trace_dat_pages_offset(p) == c->pos);
	} else if (c && !c->bytes) {
		MUST(err == -HIST_EFORMAT);
		MUST(trace_dat_pages_index(p) == c->first + c->n);
	} else {
		MUST(!c && (err == 1 || err == -HIST_EFORMAT));
	}
	return err;
}

static void check_forwards(const struct model *m, struct trace_dat *td, struct trace_dat_pages *p)
{
	struct diags diags = DIAGS_INIT;
	const struct trace_dat_cpu *cpu = &td->buffers.v[0].cpus[0];
	/* a chunk that is missing because the file is cut was reported when it was opened */
	bool cut = td->info.cut && cpu->size >= td->info.file_size;
	u64 pages = 0, errors = 0, torn = m->torn && !cut;
	u32 subbuf = td->buffers.v[0].subbuf_size;
	int err;

	while ((err = next(m, p, subbuf)) <= 0 && pages + errors < MAX_PAGES) {
		pages += !err;
		errors += err < 0;
	}
	trace_dat_pages_diagnose(p, &diags);
	if (err == 1) {
		MUST(pages >= m->good && trace_dat_pages_count(p) >= m->count);
		MUST(trace_dat_unreadable(td) == (errors > 0));
	}
	if (err == 1 && !m->partial) {
		MUST(pages == m->good && trace_dat_pages_count(p) == m->count);
		MUST(errors == m->bad + torn);
		MUST(hist_diags_count(&diags) == (m->bad > 0) + torn);
	}
	diags_release(&diags);
}

static void check_seeks(const struct model *m, struct trace_dat_pages *p, u32 subbuf, u32 seed)
{
	for (int i = 0; i < 6; i++) {
		u64 index = (seed = seed * 1664525 + 1013904223) >> 8;
		int end;

		index %= m->count + 2;
		end = trace_dat_pages_seek(p, index);
		MUST(end == (index >= m->count) || (m->partial && !end));
		if (end)
			continue;
		MUST(trace_dat_pages_index(p) == index);
		MUST(next(m, p, subbuf) <= 0);
		next(m, p, subbuf);
	}
	MUST(m->partial || trace_dat_pages_count(p) == m->count);
}

/* The first chunk as a block of metadata. */
static void check_block(const struct model *m, const struct trace_dat *td)
{
	const struct model_chunk *c = m->n ? &m->chunks[0] : NULL;
	size_t len;
	u8 *out;

	if (!c)
		return;
	if (trace_dat_inflate_block(td, c->pos, td->info.file_size - c->pos, &out, &len)) {
		MUST(!c->bytes);
		return;
	}
	MUST(c->bytes && len == c->usize && !memcmp(out, c->bytes, len));
	free(out);
}

static void check(struct trace_dat *td, u32 seed)
{
	static struct model m;
	struct trace_dat_pages *p, *like;
	u32 subbuf = td->buffers.v[0].subbuf_size;

	model_fill(&m, td);
	MUST(!trace_dat_pages_open(td, 0, 0, &p, NULL));
	if (seed & 64)
		check_seeks(&m, p, subbuf, seed);
	MUST(!trace_dat_pages_open_like(p, &like));
	check_forwards(&m, td, like);
	trace_dat_pages_close(like);
	trace_dat_pages_close(p);
	if (seed & 128)
		check_block(&m, td);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u8 flags = size ? *data : 0;
	u64 n = size ? size - 1 : 0;
	struct trace_dat_cpu cpu = { .size = flags & CHUNKS_SHORT && n > 4 ? n - 4 : n };
	struct trace_dat_buffer buffer = {
		.name = "",
		.clock = "local",
		.subbuf_size = chunk_subbufs[(flags & CHUNKS_SUBBUF) / 4],
		.compressed = true,
		.n_cpus = 1,
		.cpus = &cpu,
	};
	struct trace_dat td = {
		.info = { .path = "fuzz",
			  .file_size = n,
			  .codec = flags & CHUNKS_ZSTD ? CODEC_ZSTD : CODEC_ZLIB,
			  .big_endian = flags & CHUNKS_BIG_ENDIAN,
			  .cut = flags & CHUNKS_CUT },
		.map = data + 1,
		.buffers = { .v = &buffer, .n = 1 },
	};

	if (n)
		check(&td, flags);
	array_release(&td.diagnosed);
	return 0;
}
