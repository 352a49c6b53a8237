/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The ring of sub-buffers, and the flag that marks the head.
 *
 * The flag is in the pointer to the head. So a writer or reader that moves or takes the head
 * changes one word, and detects whether another one was faster.
 */
#ifndef KERNEL_RING_RING_H
#define KERNEL_RING_RING_H

#include "kernel_ring/internals.h"

enum rb_page_flag {
	RB_PAGE_NORMAL = 0,
	RB_PAGE_HEAD = 1,   /* the pointer is to the head */
	RB_PAGE_UPDATE = 2, /* a writer is moving the head away from this page */
	RB_PAGE_MOVED = 4,  /* never stored: the pointer now points to another sub-buffer */
};

#define RB_FLAG_MASK ((uintptr_t)3)

static inline struct buffer_page *rb_page_of(uintptr_t link)
{
	return (struct buffer_page *)(link & ~RB_FLAG_MASK);
}

static inline struct buffer_page *rb_next_page(const struct buffer_page *page)
{
	return rb_page_of(
		atomic_load_explicit((_Atomic uintptr_t *)&page->next, memory_order_acquire));
}

static inline struct buffer_page *rb_prev_page(const struct buffer_page *page)
{
	return atomic_load_explicit((_Atomic(struct buffer_page *) *)&page->prev,
				    memory_order_acquire);
}

static inline void rb_set_prev(struct buffer_page *page, struct buffer_page *prev)
{
	atomic_store_explicit(&page->prev, prev, memory_order_release);
}

/* The flag of the pointer from @prev to @page. */
static inline enum rb_page_flag rb_is_head_page(const struct buffer_page *page,
						const struct buffer_page *prev)
{
	uintptr_t link =
		atomic_load_explicit((_Atomic uintptr_t *)&prev->next, memory_order_acquire);

	if (rb_page_of(link) != page)
		return RB_PAGE_MOVED;
	return (enum rb_page_flag)(link & RB_FLAG_MASK);
}

/* Change the flag of the pointer from @prev to @page, if it is @from; returns the old flag. */
static inline enum rb_page_flag rb_head_page_set(struct buffer_page *page, struct buffer_page *prev,
						 enum rb_page_flag from, enum rb_page_flag to)
{
	uintptr_t link = (uintptr_t)page | from;

	atomic_compare_exchange_strong_explicit(&prev->next, &link, (uintptr_t)page | to,
						memory_order_acq_rel, memory_order_acquire);
	if (rb_page_of(link) != page)
		return RB_PAGE_MOVED;
	return (enum rb_page_flag)(link & RB_FLAG_MASK);
}

/* Replace @head by @new, if it is still the head. */
static inline bool rb_head_page_replace(struct buffer_page *head, struct buffer_page *new)
{
	uintptr_t link = (uintptr_t)head | RB_PAGE_HEAD;

	return atomic_compare_exchange_strong_explicit(&rb_prev_page(head)->next, &link,
						       (uintptr_t) new, memory_order_acq_rel,
						       memory_order_acquire);
}

/* Whether @page is outside the ring: no pointer in the ring leads to it. */
static inline bool rb_is_reader_page(const struct buffer_page *page)
{
	return rb_next_page(rb_prev_page(page)) != page;
}

static inline struct buffer_page *rb_tail_page(const struct kernel_ring_per_cpu *cpu_buffer)
{
	return atomic_load_explicit((_Atomic(struct buffer_page *) *)&cpu_buffer->tail_page,
				    memory_order_acquire);
}

static inline struct buffer_page *rb_commit_page(const struct kernel_ring_per_cpu *cpu_buffer)
{
	return atomic_load_explicit((_Atomic(struct buffer_page *) *)&cpu_buffer->commit_page,
				    memory_order_acquire);
}

#endif
