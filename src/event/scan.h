/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Inside event: what the parts of scanning lend each other. The bytes of a record that is being
 * put together, of which each bit is known or not yet.
 */
#ifndef HIST_EVENT_SCAN_H
#define HIST_EVENT_SCAN_H

#include "event/print_fmt.h"

enum { SCAN_FIXED_MAX = 1024, SCAN_LOCATED_MAX = 16, SCAN_LEN_MAX = 4000 };

/* What a __data_loc field leads to. */
struct scan_located {
	const struct event_field *field; /* NULL: an array of no size at the end of the record */
	struct span data;
	bool is_text; /* a NUL follows */
};

struct scan_bytes {
	u32 fixed; /* bytes of the fields, without what they lead to */
	u32 n_located;
	struct scan_located located[SCAN_LOCATED_MAX];
	u8 value[SCAN_FIXED_MAX], known[SCAN_FIXED_MAX];
};

/* Only what is in use. */
static inline void scan_bytes_copy(struct scan_bytes *to, const struct scan_bytes *from)
{
	to->fixed = from->fixed;
	to->n_located = from->n_located;
	memcpy(to->located, from->located, from->n_located * sizeof(*from->located));
	memcpy(to->value, from->value, from->fixed);
	memcpy(to->known, from->known, from->fixed);
}

/* FAIL: cannot be. OPEN: can be, and does not decide everything. DONE: decides what it asks for. */
enum scan_solved { SOLVE_FAIL, SOLVE_OPEN, SOLVE_DONE };

struct scan_solver {
	struct event_db *db;
	struct scan_bytes *bytes;
	struct print_ctx constants; /* to evaluate what needs no record */
	struct arena *arena;        /* for bytes that fields lead to; until the next text */
};

/* What must be so that @e is a number of which the bits of @mask are those of @v. */
enum scan_solved scan_solve_number(struct scan_solver *s, const struct print_expr *e, u64 v,
				   u64 mask);
/* What must be so that @e prints as @text. */
enum scan_solved scan_solve_text(struct scan_solver *s, const struct print_expr *e,
				 struct span text);
/* What must be so that the memory that @e names has these bytes. */
enum scan_solved scan_solve_memory(struct scan_solver *s, const struct print_expr *e,
				   struct span bytes);

#endif
