/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Messages in the encoding of Protocol Buffers: fields one after the other, each a number and a
 * value. Every length is checked; a message that is damaged ends there, and is ->bad.
 */
#pragma once
#include "base/base.h"

struct proto {
	const u8 *p, *end;
	bool bad;
};

enum proto_wire { PROTO_VARINT, PROTO_FIXED64, PROTO_BYTES, PROTO_FIXED32 = 5 };

struct proto_field {
	u32 number;
	enum proto_wire wire;
	u64 v;           /* a number; of PROTO_BYTES their number */
	const u8 *bytes; /* PROTO_BYTES */
};

static inline struct proto proto_of(const void *p, size_t n)
{
	return (struct proto){ .p = p, .end = n ? (const u8 *)p + n : p };
}

/* Of any length, at the end of a message or not. *@rest: what follows; NULL: it is damaged */
u64 proto_varint_any(const u8 *p, const u8 *end, const u8 **rest);

/* The address of @m goes nowhere, so that it stays in registers. */
static inline u64 proto_varint_rare(struct proto *m)
{
	const u8 *rest;
	const u64 v = proto_varint_any(m->p, m->end, &rest);

	m->bad |= !rest;
	m->p = rest ?: m->end;
	return v;
}

/* Groups of 7 bits, lowest first; the last one has no bit 7. */
static inline __attribute__((always_inline)) u64 proto_varint(struct proto *m)
{
	u64 v, stops;
	u32 bits;

	if (likely(m->p < m->end && !(*m->p & 0x80)))
		return *m->p++;
	if (unlikely(m->end - m->p < 8))
		return proto_varint_rare(m);
	v = load_u64(m->p, false);
	if (!(v & 0x8000)) {
		m->p += 2;
		return (v & 0x7f) | (v >> 1 & 0x3f80);
	}
	stops = ~v & 0x8080808080808080ull;
	if (unlikely(!stops))
		return proto_varint_rare(m);
	bits = (u32)__builtin_ctzll(stops) + 1;
	m->p += bits / 8;
	v &= (2ull << (bits - 1)) - 1;
	v = (v & 0x007f007f007f007full) | (v & 0x7f007f007f007f00ull) >> 1;
	v = (v & 0x00003fff00003fffull) | (v & 0x3fff00003fff0000ull) >> 2;
	return (v & 0x000000000fffffffull) | (v & 0x0fffffff00000000ull) >> 4;
}

/* The next field; false at the end, or if the rest is damaged. It takes no address either. */
static inline __attribute__((always_inline)) bool proto_next(struct proto *m, struct proto_field *f)
{
	u64 tag, n;

	if (m->p >= m->end)
		return false;
	tag = proto_varint(m);
	f->number = (u32)(tag >> 3);
	f->wire = tag & 7;
	f->bytes = m->p;
	if (f->wire == PROTO_VARINT) {
		f->v = proto_varint(m);
		return !m->bad;
	}
	if (likely(f->wire == PROTO_BYTES)) {
		f->v = n = proto_varint(m);
		f->bytes = m->p;
	} else {
		n = f->wire == PROTO_FIXED64 ? 8 : f->wire == PROTO_FIXED32 ? 4 : UINT64_MAX;
		f->v = n > (u64)(m->end - m->p) ? 0
		       : n == 8                 ? load_u64(m->p, false)
						: load_u32(m->p, false);
	}
	m->bad |= n > (u64)(m->end - m->p);
	m->p = m->bad ? m->end : m->p + n;
	return !m->bad;
}

static inline struct proto proto_message(const struct proto_field *f)
{
	return proto_of(f->bytes, f->wire == PROTO_BYTES ? (size_t)f->v : 0);
}

static inline struct span proto_text(const struct proto_field *f)
{
	if (f->wire != PROTO_BYTES)
		return (struct span){ "", 0 };
	return (struct span){ (const char *)f->bytes, (size_t)f->v };
}

/* The number in a field of a message; 0: it has none */
u64 proto_number(struct proto message, u32 number);

/* The last field with this number; ->number 0: there is none */
struct proto_field proto_find(struct proto message, u32 number);

/* Numbers of a field that is repeated: each in a field of its own, or many in one. */
struct proto_list {
	struct proto message, packed;
	u32 number;
};

static inline struct proto_list proto_list_of(struct proto message, u32 number)
{
	return (struct proto_list){ .message = message, .number = number };
}

bool proto_list_rest(struct proto_list *l, u64 *v);

/* The next number; false at the end. */
static inline bool proto_list_next(struct proto_list *l, u64 *v)
{
	if (unlikely(l->packed.p >= l->packed.end))
		return proto_list_rest(l, v);
	*v = proto_varint(&l->packed);
	return !l->packed.bad;
}

/* The message in a field of a message. */
static inline struct proto proto_part(struct proto message, u32 number)
{
	const struct proto_field f = proto_find(message, number);

	return proto_message(&f);
}
