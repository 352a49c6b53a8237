/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Copies short strings, eight bytes at a time.
 *
 * This is for strings that were just written in words: the processor forwards a load of eight
 * bytes from the store buffer, but not the larger loads of strnlen() and memcpy().
 */
#pragma once
#include "base/bytes.h"

/*
 * A word with the highest bit of the first zero byte set (and of some later zero bytes); 0 if there
 * is none.
 */
static inline u64 text_zeros(u64 word)
{
	return (word - 0x0101010101010101ull) & ~word & 0x8080808080808080ull;
}

/* @word with zeros from its first zero byte on; @zeros is text_zeros() of it. */
static inline u64 text_before(u64 word, u64 zeros)
{
	return word & ((zeros & (0 - zeros)) - 1);
}

/*
 * Copy a text of at most @max bytes, without its NUL, and return its length. @to has room for @max
 * rounded up to 8; the bytes after the text up to there may become zero.
 */
static inline size_t text_copy(char *to, const char *from, size_t max)
{
	size_t n = 0;
	u64 word, zeros;

	for (; !HOST_IS_BIG && n + 8 <= max; n += 8) {
		memcpy(&word, from + n, 8);
		zeros = text_zeros(word);
		word = text_before(word, zeros);
		memcpy(to + n, &word, 8);
		if (zeros)
			return n + (size_t)__builtin_ctzll(zeros) / 8;
	}
	for (; n < max && from[n]; n++)
		to[n] = from[n];
	return n;
}

/* text_copy_array() by words; if @size is a constant, the compiler unrolls the loop. */
static inline __attribute__((always_inline)) void text_copy_words(char *to, const char *from,
								  size_t size)
{
	u64 keep = UINT64_MAX, word, zeros;
	size_t n = 0;

	for (; n + 8 < size; n += 8) {
		memcpy(&word, from + n, 8);
		zeros = text_zeros(word);
		word = text_before(word, zeros) & keep;
		memcpy(to + n, &word, 8);
		keep = zeros ? 0 : keep;
	}
	memcpy(&word, from + n, 8);
	word &= UINT64_MAX >> 8;
	word = text_before(word, text_zeros(word)) & keep;
	memcpy(to + n, &word, 8);
}

/*
 * Copy the text in an array of @size bytes, a multiple of 8, and fill the rest with zeros. A text
 * without a NUL loses its last byte. No branch depends on the text.
 */
static inline void text_copy_array(char *to, const char *from, size_t size)
{
	size_t n;

	if (HOST_IS_BIG) {
		n = text_copy(to, from, size - 1);
		memset(to + n, 0, size - n);
	} else if (likely(size == 16)) { /* a comm */
		text_copy_words(to, from, 16);
	} else {
		text_copy_words(to, from, size);
	}
}

/*
 * The same for a text in memory that begins with a whole word: nothing after the word with its NUL
 * is read. The host is little endian.
 */
static inline void text_copy_aligned(char *to, const char *from, size_t size)
{
	u64 word, zeros = 0;

	for (size_t n = 0; n < size; n += 8) {
		word = 0;
		if (!zeros) {
			memcpy(&word, from + n, 8);
			word &= n + 8 < size ? UINT64_MAX : UINT64_MAX >> 8;
			zeros = text_zeros(word);
			word = zeros ? text_before(word, zeros) : word;
		}
		memcpy(to + n, &word, 8);
	}
}
