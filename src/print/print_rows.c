// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints rows, many of them with several threads: each formats blocks of consecutive rows into
 * buffers, which are passed on in the order of the blocks.
 */
#include "print/print_hist.h"

/* SMALL_PARTS: for tests, so that small results have many blocks. */
#ifdef SMALL_PARTS
enum { BLOCK_ROWS = 2, MIN_ROWS = 2 };
#else
enum { BLOCK_ROWS = 1 << 11, MIN_ROWS = 1 << 15 };
#endif
enum { SLOTS = 4 }; /* of each thread */

/* The text of a block, and what it is made from. */
struct row_block {
	const struct result *r;
	size_t n_rows;
	add_row_fn *add;
	const void *arg;
	struct row_space space;
	struct strbuf out;
};

static void format_block(void *slot, size_t i)
{
	struct row_block *b = slot;
	size_t first = i * BLOCK_ROWS, end = min_t(size_t, first + BLOCK_ROWS, b->n_rows);
	struct result_row row;

	strbuf_reset(&b->out);
	for (size_t k = first; k < end; k++) {
		b->r->row_in(b->r, k, &b->space, &row);
		b->add(&b->out, &row, b->arg);
	}
}

static int send_block(void *arg, const void *slot)
{
	const struct row_block *b = slot;
	const struct printer *p = arg;

	if (b->out.failed)
		return HIST_NOMEM;
	return b->out.len ? p->sink(p->arg, b->out.s, b->out.len) : 0;
}

static int print_parallel(struct printer *p, const struct row_block *model)
{
	size_t n = (size_t)model->r->threads * SLOTS;
	scoped(free_scoped) struct row_block *blocks = calloc(n, sizeof(*blocks));
	const struct ordered_work work = {
		.n = (model->n_rows + BLOCK_ROWS - 1) / BLOCK_ROWS,
		.make = format_block,
		.take = send_block,
		.arg = p,
		.slots = blocks,
		.slot_size = sizeof(*blocks),
		.n_slots = n,
		.threads = model->r->threads,
	};
	int err = blocks ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < n && blocks; i++) {
		blocks[i] = *model;
		err = err ?: row_space_init(&blocks[i].space, model->r);
	}
	if (!err) {
		printer_send(p);
		err = p->err ?: threads_run_ordered(&work);
	}
	for (size_t i = 0; i < n && blocks; i++) {
		row_space_release(&blocks[i].space);
		strbuf_release(&blocks[i].out);
	}
	return err;
}

void print_rows(struct printer *p, const struct result *r, size_t n, add_row_fn *add,
		const void *arg)
{
	const struct row_block model = {
		.r = r, .n_rows = n, .add = add, .arg = arg, .out = STRBUF_INIT
	};
	struct result_row row;

	if (r->threads > 1 && r->row_in && n >= MIN_ROWS && !p->held) {
		p->err = print_parallel(p, &model);
		return;
	}
	for (size_t i = 0; i < n && !p->err; i++) {
		r->row(r, i, &row);
		add(&p->buf, &row, arg);
		printer_flush(p);
	}
}
