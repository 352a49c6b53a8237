/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Reads a column of a Parquet file, by the specification, and only what these files may contain. It
 * shares no code with the writer, except for zstd. What is not as it must be aborts.
 */
#ifndef TESTS_PARQUET_READER_H
#define TESTS_PARQUET_READER_H

#include <string.h>

#include "codec/codec.h"
#include "fuzz.h"

/* A position in a structure of Thrift's compact protocol, or in a page. */
struct pq {
	const uint8_t *p, *end;
};

static inline uint8_t pq_byte(struct pq *r)
{
	MUST(r->p < r->end);
	return *r->p++;
}

static inline uint64_t pq_varint(struct pq *r)
{
	uint64_t v = 0;
	uint8_t b = 0x80;

	for (unsigned int shift = 0; b & 0x80; shift += 7) {
		MUST(shift < 70);
		b = pq_byte(r);
		v |= (uint64_t)(b & 0x7f) << shift;
	}
	return v;
}

static inline int64_t pq_zigzag(struct pq *r)
{
	const uint64_t v = pq_varint(r);

	return (int64_t)(v >> 1 ^ -(v & 1));
}

static inline struct pq pq_part(struct pq *r, uint64_t n)
{
	struct pq part = { r->p, r->p + n };

	MUST(n <= (uint64_t)(r->end - r->p));
	r->p += n;
	return part;
}

enum { PQ_INTEGERS = 4, PQ_I64 = 6, PQ_TEXT = 8, PQ_LIST = 9, PQ_STRUCT = 12 };

static void pq_skip(struct pq *r, int type);

/* The type of the next field, and its number in *@field; 0: the end of the structure. */
static int pq_field(struct pq *r, int *field)
{
	const uint8_t head = pq_byte(r);

	if (head)
		*field = head >> 4 ? *field + (head >> 4) : (int)pq_zigzag(r);
	return head & 15;
}

static uint64_t pq_list(struct pq *r, int *type)
{
	const uint8_t head = pq_byte(r);

	*type = head & 15;
	return head >> 4 < 15 ? head >> 4 : pq_varint(r);
}

static void pq_skip(struct pq *r, int type)
{
	int field = 0, of;

	if (type == 3)
		pq_byte(r);
	else if (type >= PQ_INTEGERS && type <= PQ_I64)
		pq_zigzag(r);
	else if (type == PQ_TEXT)
		pq_part(r, pq_varint(r));
	else if (type == PQ_LIST)
		for (uint64_t n = pq_list(r, &of); n--;)
			pq_skip(r, of);
	else if (type == PQ_STRUCT)
		while ((of = pq_field(r, &field)))
			pq_skip(r, of);
	else
		MUST(type == 1 || type == 2);
}

/* Move to a field of the structure at *@r; false: it is not there. */
static bool pq_find(struct pq *r, int wanted)
{
	int field = 0, type;

	while ((type = pq_field(r, &field))) {
		if (field == wanted)
			return true;
		pq_skip(r, type);
	}
	return false;
}

static int64_t pq_number(struct pq at, int field)
{
	return pq_find(&at, field) ? pq_zigzag(&at) : -1;
}

/* The @i-th structure of a list. */
static struct pq pq_element(struct pq at, int field, uint64_t i)
{
	int type;

	MUST(pq_find(&at, field) && i < pq_list(&at, &type) && type == PQ_STRUCT);
	while (i--)
		pq_skip(&at, PQ_STRUCT);
	return at;
}

static uint64_t pq_bits(const struct pq *r, uint64_t at, unsigned int bits)
{
	uint64_t v = 0;

	MUST((at + bits + 7) / 8 <= (uint64_t)(r->end - r->p));
	for (unsigned int i = 0; i < bits; i++, at++)
		v |= (uint64_t)(r->p[at / 8] >> at % 8 & 1) << i;
	return v;
}

/* @n numbers of the hybrid of runs and packed groups. */
static void pq_runs(struct pq r, uint64_t *v, uint64_t n, unsigned int bits)
{
	for (uint64_t i = 0; i < n;) {
		const uint64_t head = pq_varint(&r), same = head >> 1;

		if (head & 1) {
			const struct pq groups = pq_part(&r, same * bits);

			for (uint64_t k = 0; k < same * 8 && i < n; k++)
				v[i++] = pq_bits(&groups, k * bits, bits);
		} else {
			const struct pq value = pq_part(&r, (bits + 7) / 8);

			MUST(same && same <= n - i);
			for (uint64_t k = 0; k < same; k++)
				v[i++] = pq_bits(&value, 0, (bits + 7) / 8 * 8);
		}
	}
}

static void pq_deltas(struct pq r, uint64_t *v, uint64_t n)
{
	const uint64_t block = pq_varint(&r), minis = pq_varint(&r);

	MUST(minis && block % minis == 0 && pq_varint(&r) == n);
	if (n)
		v[0] = (uint64_t)pq_zigzag(&r);
	for (uint64_t i = 1; i < n;) {
		const int64_t least = pq_zigzag(&r);
		const struct pq widths = pq_part(&r, minis);

		for (uint64_t m = 0; m < minis && i < n; m++) {
			const unsigned int bits = widths.p[m];
			const struct pq part = pq_part(&r, block / minis * bits / 8);

			for (uint64_t k = 0; k < block / minis && i < n; k++, i++)
				v[i] = v[i - 1] + (uint64_t)least + pq_bits(&part, k * bits, bits);
		}
	}
}

/* A page: the head in *@head, its bytes, to be freed, in @body. Moves @r to its end. */
static uint8_t *pq_page(struct pq *r, struct pq *head, struct pq *body)
{
	void *decoder = codec_zstd.decoder_new();
	uint8_t *bytes;
	struct pq packed;
	size_t n;

	*head = *r;
	pq_skip(r, PQ_STRUCT);
	MUST(pq_number(*head, 2) >= 0 && pq_number(*head, 3) >= 0);
	n = (size_t)pq_number(*head, 2);
	packed = pq_part(r, (uint64_t)pq_number(*head, 3));
	bytes = malloc(n + 1);
	MUST(bytes && decoder);
	MUST(!codec_zstd.decode(
		decoder, (struct span){ (const char *)packed.p, (size_t)(packed.end - packed.p) },
		bytes, n));
	*body = (struct pq){ bytes, bytes + n };
	codec_zstd.decoder_free(decoder);
	return bytes;
}

#endif
