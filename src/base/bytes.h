/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A cursor over untrusted bytes.
 *
 * Every read checks the bounds first. A read past the end returns 0 (or NULL), does not move the
 * cursor and sets ->bad, which stays set, so that a caller may read a whole header and check once.
 * Integers are in the byte order given by ->big.
 */
#pragma once
#include <string.h>

#include "base/types.h"

struct bytes {
	const u8 *p, *end;
	bool big; /* big endian */
	bool bad; /* a read went past the end */
};

/* Swap a value of the other byte order. */
#define HOST_IS_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* @p may be NULL if @n is 0. */
static inline struct bytes bytes_of(const void *p, size_t n, bool big)
{
	return (struct bytes){ .p = p, .end = n ? (const u8 *)p + n : p, .big = big };
}

static inline size_t bytes_left(const struct bytes *b)
{
	return (size_t)(b->end - b->p);
}

static inline u16 load_u16(const void *p, bool big)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return big != HOST_IS_BIG ? __builtin_bswap16(v) : v;
}

static inline u32 load_u32(const void *p, bool big)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return big != HOST_IS_BIG ? __builtin_bswap32(v) : v;
}

static inline u64 load_u64(const void *p, bool big)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return big != HOST_IS_BIG ? __builtin_bswap64(v) : v;
}

/* An integer of 1, 2, 4 or 8 bytes; 0 for any other size. */
static inline u64 load_uint(const u8 *p, size_t size, bool big)
{
	switch (size) {
	case 1:
		return *p;
	case 2:
		return load_u16(p, big);
	case 4:
		return load_u32(p, big);
	default:
		return size == 8 ? load_u64(p, big) : 0;
	}
}

static inline void store_u16(void *p, u16 v, bool big)
{
	v = big != HOST_IS_BIG ? __builtin_bswap16(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline void store_u32(void *p, u32 v, bool big)
{
	v = big != HOST_IS_BIG ? __builtin_bswap32(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline void store_u64(void *p, u64 v, bool big)
{
	v = big != HOST_IS_BIG ? __builtin_bswap64(v) : v;
	memcpy(p, &v, sizeof(v));
}

/* Consume @n bytes; NULL if there are fewer. */
const u8 *bytes_take(struct bytes *b, u64 n);

u8 bytes_u8(struct bytes *b);
u16 bytes_u16(struct bytes *b);
u32 bytes_u32(struct bytes *b);
u64 bytes_u64(struct bytes *b);

/* Consume a NUL-terminated text; NULL if no NUL follows. */
const char *bytes_str(struct bytes *b);

/* @n bytes as hexadecimal digits and a NUL. */
void hex_print(const u8 *bytes, size_t n, char *out);
/* Up to @max bytes of hexadecimal digits; their number, 0 if there is something else. */
size_t hex_read(struct span text, u8 *out, size_t max);
