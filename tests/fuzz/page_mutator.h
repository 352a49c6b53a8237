/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Changes a sub-buffer of a draft, and the records in it. After moving or removing records, sizes
 * are valid; times, types and flags are arbitrary.
 */
#ifndef TESTS_PAGE_MUTATOR_H
#define TESTS_PAGE_MUTATOR_H

#include "mutator.h"
#include "recording_draft.h"

struct entry {
	u32 at, size;
};

static inline struct ring_buffer_layout mutator_layout(const struct draft *d,
						       const struct draft_page *page)
{
	return (struct ring_buffer_layout){ d->machine.big_endian, d->machine.long_size,
					    d->buffers[page->buffer].subbuf_size };
}

static inline u64 load_commit(const struct draft *d, const u8 *page)
{
	return d->machine.long_size == 8 ? load_u64(page + 8, d->machine.big_endian)
					 : load_u32(page + 8, d->machine.big_endian);
}

static inline void store_commit(const struct draft *d, u8 *page, u64 commit)
{
	if (d->machine.long_size == 8)
		store_u64(page + 8, commit, d->machine.big_endian);
	else
		store_u32(page + 8, (u32)commit, d->machine.big_endian);
}

/* A random entry of the page; size 0: there is none. */
static inline struct entry choose_entry(const struct draft *d, const struct draft_page *page)
{
	const struct ring_buffer_layout layout = mutator_layout(d, page);
	struct entry chosen = { 0, 0 };
	struct ring_buffer_record rec;
	struct ring_buffer_page pg;
	u32 n = 0, next;

	if (ring_buffer_page_open(&pg, &layout, page->bytes, layout.subbuf_size))
		return chosen;
	while (!ring_buffer_page_raw(&pg, &rec)) {
		next = (u32)(pg.p - pg.base);
		if (next > rec.offset && !mutator_random(++n))
			chosen = (struct entry){ rec.offset, next - rec.offset };
	}
	return chosen;
}

/*
 * Replace @old by @n bytes; the following entries move, and the size of the sub-buffer is updated.
 */
static inline void replace_entry(struct draft *d, struct draft_page *page, struct entry old,
				 const u8 *bytes, u32 n)
{
	u32 header = 8 + d->machine.long_size, size = d->buffers[page->buffer].subbuf_size;
	u64 commit = load_commit(d, page->bytes);
	u32 used = header + (u32)(commit & 0xfffffff), end = old.at + old.size;
	u8 copy[DRAFT_SUBBUF];

	if (used > size || end > used || used - old.size + n > size || n > sizeof(copy))
		return;
	memcpy(copy, bytes, n);
	memmove(page->bytes + old.at + n, page->bytes + end, used - end);
	memcpy(page->bytes + old.at, copy, n);
	store_commit(d, page->bytes, (commit & ~0xfffffffull) + (used - old.size + n - header));
}

static inline void mutate_word(const struct draft *d, u8 *at)
{
	static const u8 types[] = { 0, 1, 2, 28, 29, 30, 31 };
	u32 word = load_u32(at, d->machine.big_endian), type = types[mutator_random(7)];
	u32 delta = mutator_random(2) ? mutator_random(1u << mutator_random(24)) : 0x7ffffff;
	bool swapped = d->machine.big_endian;

	if (mutator_random(4)) /* only the time */
		word = swapped ? (word & ~0x7ffffffu) | delta : (word & 31) | delta << 5;
	else
		word = swapped ? (word & 0x7ffffff) | type << 27 : (word & ~31u) | type;
	store_u32(at, word, swapped);
}

static inline void mutate_entry(struct draft *d, struct draft_page *page)
{
	struct draft_page *other = &d->pages.v[mutator_random(d->pages.n)];
	struct entry at = choose_entry(d, page), from;
	u8 *bytes = page->bytes + at.at;

	if (!at.size)
		return;
	switch (mutator_random(5)) {
	case 0:
		mutate_word(d, bytes);
		break;
	case 1:
		replace_entry(d, page, at, bytes, 0);
		break;
	case 2:
		from = choose_entry(d, other);
		replace_entry(d, page, (struct entry){ at.at, 0 }, other->bytes + from.at,
			      from.size);
		break;
	case 3:
		if (at.size >= 8 && d->formats.n)
			store_u16(bytes + 4, (u16)d->formats.v[mutator_random(d->formats.n)].id,
				  d->machine.big_endian);
		break;
	default:
		if (at.size > 4)
			LLVMFuzzerMutate(bytes + 4, at.size - 4, at.size - 4);
	}
}

static inline void mutate_page(struct draft *d, size_t i)
{
	struct draft_page *page = &d->pages.v[i], *other;
	u64 ts = load_u64(page->bytes, d->machine.big_endian);
	u64 commit = load_commit(d, page->bytes);

	other = &d->pages.v[mutator_random(d->pages.n)];
	switch (mutator_random(7)) {
	case 0:
		ts += mutator_random(2) ? 1ull << mutator_random(40)
					: -(1ull << mutator_random(40));
		store_u64(page->bytes, ts, d->machine.big_endian);
		break;
	case 1:
		memcpy(page->bytes, other->bytes, 8);
		break;
	case 2:
		store_commit(d, page->bytes, commit ^ (mutator_random(2) ? 1u << 31 : 3u << 30));
		break;
	case 3:
		store_commit(d, page->bytes, commit ^ 1ull << mutator_random(16));
		break;
	case 4:
		page->cpu = mutator_random(4) ? mutator_random(d->machine.cpu_count) : 9;
		break;
	case 5:
		draft_add_page(d, &(struct draft_page){ page->buffer, other->cpu, page->bytes },
			       d->buffers[page->buffer].subbuf_size);
		break;
	default:
		*page = d->pages.v[--d->pages.n];
	}
}

#endif
