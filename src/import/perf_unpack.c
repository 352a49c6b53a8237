// SPDX-License-Identifier: LGPL-2.1-only
/*
 * perf record -z: some records contain other records, compressed. Replaces the data section by the
 * decompressed records, in an unnamed mapped file.
 *
 * All compressed records form one zstd stream; a record may begin in one of them and end in the
 * next.
 */
#include <zstd.h>

#include "import/perf.h"

/* Limits of the decompressed size: a ratio, and a minimum below which any ratio is accepted. */
enum { MAX_RATIO = 512, FLOOR = 1 << 24, OUT_SIZE = 1 << 17, MAX_RECORD = UINT16_MAX };

struct unpack {
	struct perf_file *f;
	ZSTD_DStream *zstd;
	FILE *file;
	u64 in, out;
	u8 part[MAX_RECORD]; /* an incomplete record at the end of the output */
	size_t n_part;
	u8 buf[OUT_SIZE];
	bool damaged;
};

static int put(struct unpack *u, const void *data, size_t n)
{
	u->out += n;
	return fwrite(data, 1, n, u->file) == n ? 0 : -HIST_EIO;
}

/* Write complete records of the decompressed bytes; an incomplete one remains in ->part. */
static int put_records(struct unpack *u, const u8 *p, size_t n)
{
	bool big = u->f->big;
	int err = 0;

	while (n && !err && !u->damaged) {
		/* collect the header first, then the rest of the record */
		size_t need = u->n_part < 8 ? 8 : load_u16(u->part + 6, big);
		size_t k = min_t(size_t, n, need - min_t(size_t, u->n_part, need));

		memcpy(u->part + u->n_part, p, k);
		u->n_part += k;
		p += k;
		n -= k;
		if (u->n_part < 8)
			break;
		need = load_u16(u->part + 6, big);
		u->damaged = need < 8;
		if (u->n_part >= need && !u->damaged) {
			err = put(u, u->part, need);
			u->n_part = 0;
		}
	}
	return err;
}

static int unpack(struct unpack *u, const u8 *p, size_t n)
{
	ZSTD_inBuffer in = { p, n, 0 };
	int err = 0;

	u->in += n;
	while (in.pos < in.size && !err && !u->damaged) {
		ZSTD_outBuffer out = { u->buf, OUT_SIZE, 0 };
		size_t before = in.pos, ret = ZSTD_decompressStream(u->zstd, &out, &in);

		u->damaged = ZSTD_isError(ret) || (in.pos == before && !out.pos) ||
			     u->out > FLOOR + u->in * MAX_RATIO;
		if (!u->damaged)
			err = put_records(u, u->buf, out.pos);
		/* data that remains in the decoder after the buffer was full */
		while (!err && !u->damaged && out.pos == OUT_SIZE) {
			out.pos = 0;
			u->damaged = ZSTD_isError(ZSTD_decompressStream(u->zstd, &out, &in)) ||
				     u->out > FLOOR + u->in * MAX_RATIO;
			if (!u->damaged)
				err = put_records(u, u->buf, out.pos);
		}
	}
	return err;
}

static bool is_compressed(const struct perf_file *f, struct span data)
{
	struct bytes b = bytes_of(data.s, data.n, f->big);
	struct perf_event ev;

	/* perf starts with some records of its own; after them, all samples are compressed */
	while (!perf_event_next(&b, &ev)) {
		if (ev.type == PERF_COMPRESSED || ev.type == PERF_COMPRESSED2)
			return true;
		if (ev.type == PERF_SAMPLE)
			return false;
	}
	return false;
}

/* Compressed records are unpacked, the others copied. */
static int unpack_all(struct unpack *u, struct span data)
{
	struct bytes b = bytes_of(data.s, data.n, u->f->big);
	struct perf_event ev;
	int err = 0, end = 0;

	while (!err && !u->damaged && !(end = perf_event_next(&b, &ev))) {
		struct bytes body = bytes_of(ev.body, ev.len, u->f->big);
		u64 n = ev.type == PERF_COMPRESSED2 ? bytes_u64(&body) : ev.len;

		if (ev.type == PERF_COMPRESSED || ev.type == PERF_COMPRESSED2) {
			const u8 *p = bytes_take(&body, n);

			u->damaged |= !p;
			err = p ? unpack(u, p, n) : 0;
			continue;
		}
		err = put(u, ev.body - 8, ev.len + 8);
		if (!err && ev.more_len)
			err = put(u, ev.more, ev.more_len);
	}
	if (err)
		return err;
	if (end < 0)
		perf_event_failed(u->f, &b);
	u->f->cut |= u->n_part > 0;
	return fflush(u->file) ? -HIST_EIO : 0;
}

int perf_unpack(struct perf_file *f, struct perf_run *run, struct diags *diags)
{
	struct unpack *u;
	int err = HIST_NOMEM, fd;

	if (!is_compressed(f, run->data))
		return 0;
	u = calloc(1, sizeof(*u));
	if (!u)
		return HIST_NOMEM;
	u->f = f;
	fd = spool_open(run->data.n * 8);
	u->file = fd < 0 ? NULL : fdopen(fd, "w");
	u->zstd = ZSTD_createDStream();
	if (!u->file)
		err = -HIST_EIO;
	else if (u->zstd)
		err = unpack_all(u, run->data);
	err = err ?: mapped_open(&run->unpacked, fd);
	if (!err)
		run->data = (struct span){ (const char *)run->unpacked.p, run->unpacked.size };
	if (!err && u->damaged)
		diags_add(diags, DIAG_WARNING,
			  "%s: compressed data is damaged; the data after the damage is missing",
			  f->name);
	f->cut |= u->damaged;
	ZSTD_freeDStream(u->zstd);
	if (u->file)
		fclose(u->file);
	else
		fd_close(fd);
	free(u);
	return err;
}
