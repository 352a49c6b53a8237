// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Packing of numbers: varints, bits, runs of equal ones, and differences.
 *
 * Source: Encodings.md of the specification of Parquet
 */
#include "parquet/parquet_pack.h"

enum { BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = BLOCK / MINIBLOCKS, GROUP = 8 };

void pack_varint(struct strbuf *out, u64 v)
{
	char bytes[10];
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		bytes[n++] = (char)(v | 0x80);
	bytes[n++] = (char)v;
	strbuf_add(out, bytes, n);
}

void pack_bytes(struct strbuf *out, u64 v, size_t n)
{
	char bytes[8];

	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)(v >> 8 * i);
	strbuf_add(out, bytes, n);
}

/* @n numbers of @bits each; with more than a multiple of eight bits, zeros follow. */
static void pack_bits(struct strbuf *out, const u64 *v, size_t n, unsigned int bits)
{
	unsigned int used = 0;
	u64 word = 0;

	for (size_t i = 0; i < n && bits; i++) {
		word |= v[i] << used;
		used += bits;
		if (used < 64)
			continue;
		pack_bytes(out, word, 8);
		used -= 64;
		word = used ? v[i] >> (bits - used) : 0;
	}
	pack_bytes(out, word, (used + 7) / 8);
}

void pack_runs(struct strbuf *out, const u32 *v, size_t n, unsigned int bits)
{
	u64 block[BLOCK];
	size_t same = 0;

	while (same < n && v[same] == v[0])
		same++;
	if (n && same == n) {
		pack_varint(out, (u64)n << 1);
		pack_bytes(out, v[0], (bits + 7) / 8);
		return;
	}
	for (size_t at = 0; at < n; at += BLOCK) {
		const size_t some = min_t(size_t, BLOCK, n - at);
		const size_t groups = (some + GROUP - 1) / GROUP;

		memset(block, 0, sizeof(block));
		for (size_t i = 0; i < some; i++)
			block[i] = v[at + i];
		/* groups of eight; the last one ends in zeros */
		pack_varint(out, (u64)groups << 1 | 1);
		pack_bits(out, block, groups * GROUP, bits);
	}
}

/* They wrap around, as the reader's sums do. */
static s64 difference(u64 a, u64 b, bool wide)
{
	return wide ? (s64)(a - b) : (s32)((u32)a - (u32)b);
}

/* Up to BLOCK differences, each less the smallest one. */
static void add_block(struct strbuf *out, const s64 *deltas, size_t n, bool wide)
{
	u64 v[BLOCK] = { 0 };
	char bits[MINIBLOCKS] = { 0 };
	s64 min = deltas[0];

	for (size_t i = 1; i < n; i++)
		min = deltas[i] < min ? deltas[i] : min;
	for (size_t i = 0; i < n; i++) {
		v[i] = (u64)deltas[i] - (u64)min;
		if (!wide)
			v[i] = (u32)v[i];
	}
	for (size_t m = 0; m * MINIBLOCK < n; m++) {
		u64 all = 0;

		for (size_t i = 0; i < MINIBLOCK; i++)
			all |= v[m * MINIBLOCK + i];
		bits[m] = (char)bits_of(all);
	}
	pack_zigzag(out, min);
	strbuf_add(out, bits, MINIBLOCKS);
	for (size_t m = 0; m * MINIBLOCK < n; m++)
		pack_bits(out, v + m * MINIBLOCK, MINIBLOCK, (unsigned int)bits[m]);
}

void pack_deltas(struct strbuf *out, const u64 *v, size_t n, bool wide)
{
	s64 deltas[BLOCK];

	pack_varint(out, BLOCK);
	pack_varint(out, MINIBLOCKS);
	pack_varint(out, n);
	pack_zigzag(out, !n ? 0 : wide ? (s64)v[0] : (s32)v[0]);
	for (size_t at = 1; at < n; at += BLOCK) {
		const size_t some = min_t(size_t, BLOCK, n - at);

		for (size_t i = 0; i < some; i++)
			deltas[i] = difference(v[at + i], v[at + i - 1], wide);
		add_block(out, deltas, some, wide);
	}
}
