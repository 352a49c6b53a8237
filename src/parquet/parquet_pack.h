/* SPDX-License-Identifier: LGPL-2.1-only */
/* Numbers of few bits, as Parquet packs them: the first one in the lowest bits. */
#pragma once
#include "base/base.h"

/* The bits that a number needs. */
static inline unsigned int bits_of(u64 v)
{
	return v ? 64 - (unsigned int)__builtin_clzll(v) : 0;
}

void pack_varint(struct strbuf *out, u64 v);

static inline void pack_zigzag(struct strbuf *out, s64 v)
{
	pack_varint(out, (u64)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

/* Bytes of a number, the lowest one first. */
void pack_bytes(struct strbuf *out, u64 v, size_t n);

/* Runs of equal numbers, or packed ones. */
void pack_runs(struct strbuf *out, const u32 *v, size_t n, unsigned int bits);

/* Differences; @wide: of 64 bits, otherwise 32. */
void pack_deltas(struct strbuf *out, const u64 *v, size_t n, bool wide);
