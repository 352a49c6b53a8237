// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Packets of a Perfetto trace that are compressed contain other packets. They are inflated to an
 * unnamed file, so that they are read as any other.
 */

#include <zstd.h>

#include "import/inflate.h"
#include "import/perfetto.h"

/* Limit of a compressed size: as that of perf record -z; packets are small. */
enum { PACKED_ZLIB = 50, PACKED_ZSTD = 133, MAX_RATIO = 512, FLOOR = 1 << 24, STEP = 1 << 17 };

/* The packets that a packet contains, compressed. */
static bool find_packed(struct proto packet, struct proto_field *f)
{
	return proto_next(&packet, f) && (f->number == PACKED_ZLIB || f->number == PACKED_ZSTD);
}

bool perfetto_is_packed(struct span whole)
{
	struct proto all = proto_of(whole.s, whole.n);
	struct proto_field f, packed;

	while (proto_next(&all, &f))
		if (find_packed(proto_message(&f), &packed))
			return true;
	return false;
}

/* What is inflated goes to a file. */
struct unpacked {
	FILE *file;
	u64 n, limit;
};

static int put(void *arg, const void *p, size_t n)
{
	struct unpacked *u = arg;

	u->n += n;
	if (u->n > u->limit)
		return -HIST_EFORMAT;
	return fwrite(p, 1, n, u->file) == n ? 0 : -HIST_EIO;
}

static int inflate_zlib(struct span from, struct unpacked *u, bool *cut)
{
	bool complete;
	int err = inflate_stream(from, INFLATE_ZLIB, put, u, &complete);

	*cut |= !err && !complete;
	return err;
}

static int inflate_zstd(struct span from, struct unpacked *u, bool *cut)
{
	ZSTD_DStream *zstd = ZSTD_createDStream();
	ZSTD_inBuffer in = { from.s, from.n, 0 };
	scoped(free_scoped) u8 *buf = malloc(STEP);
	size_t left = 1;
	int err = zstd && buf ? 0 : HIST_NOMEM;

	for (size_t filled = 0; !err && (in.pos < in.size || filled == STEP);) {
		ZSTD_outBuffer out = { buf, STEP, 0 };

		left = ZSTD_decompressStream(zstd, &out, &in);
		if (ZSTD_isError(left))
			break;
		filled = out.pos;
		err = put(u, buf, filled);
	}
	*cut |= !err && left;
	ZSTD_freeDStream(zstd);
	return err;
}

/* A packet as it is, or the packets in it. */
static int unpack_packet(struct proto_field packet, const u8 *from, struct unpacked *u, bool *cut)
{
	struct proto_field f;

	if (!find_packed(proto_message(&packet), &f))
		return put(u, from, (size_t)(packet.bytes + packet.v - from));
	return f.number == PACKED_ZLIB ? inflate_zlib(proto_text(&f), u, cut)
				       : inflate_zstd(proto_text(&f), u, cut);
}

int perfetto_unpack(struct span whole, FILE *file, bool *cut)
{
	struct unpacked u = { .file = file, .limit = max_t(u64, (u64)whole.n * MAX_RATIO, FLOOR) };
	struct proto all = proto_of(whole.s, whole.n);
	struct proto_field f;
	int err = 0;

	while (!err) {
		const u8 *from = all.p;

		if (!proto_next(&all, &f))
			break;
		if (f.wire == PROTO_BYTES)
			err = unpack_packet(f, from, &u, cut);
	}
	*cut |= all.bad;
	return err;
}
