// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Packets of a Perfetto trace that are compressed contain other packets. They are inflated to an
 * unnamed file, so that they are read as any other.
 */

#include <zstd.h>

#include "import/perfetto.h"

enum { PACKED_ZLIB = 50, PACKED_ZSTD = 133, STEP = 1 << 17 };

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

static int inflate_zlib(struct span from, struct inflated *u, bool *cut)
{
	bool complete;
	int err = inflate_stream(from, INFLATE_ZLIB, inflated_put, u, &complete);

	*cut |= !err && !complete;
	return err;
}

static int inflate_zstd(struct span from, struct inflated *u, bool *cut)
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
		err = inflated_put(u, buf, filled);
	}
	*cut |= !err && left;
	ZSTD_freeDStream(zstd);
	return err;
}

/* A packet as it is, or the packets in it. */
static int unpack_packet(struct proto_field packet, const u8 *from, struct inflated *u, bool *cut)
{
	struct proto_field f;

	if (!find_packed(proto_message(&packet), &f))
		return inflated_put(u, from, (size_t)(packet.bytes + packet.v - from));
	return f.number == PACKED_ZLIB ? inflate_zlib(proto_text(&f), u, cut)
				       : inflate_zstd(proto_text(&f), u, cut);
}

int perfetto_unpack(struct span whole, struct inflated *to, bool *cut)
{
	struct proto all = proto_of(whole.s, whole.n);
	struct proto_field f;
	int err = 0;

	while (!err) {
		const u8 *from = all.p;

		if (!proto_next(&all, &f))
			break;
		if (f.wire == PROTO_BYTES)
			err = unpack_packet(f, from, to, cut);
	}
	*cut |= all.bad;
	return err;
}
