/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Private to event: shared by the parts of scanning. Each bit of the record under construction
 * is known or still unknown.
 */
#pragma once
#include "event/print_fmt.h"

enum { SCAN_FIXED_MAX = 1024, SCAN_LOCATED_MAX = 16, SCAN_LEN_MAX = 4000 };

/* The data to which a __data_loc field points. */
struct scan_located {
	const struct event_field *field; /* size 0: an array at the end of the record */
	u32 from;                        /* offset of the location: one of several in the field */
	struct span data;
	bool is_text; /* a NUL follows */
};

struct scan_bytes {
	u32 fixed; /* bytes of the fields, without the data to which they point */
	u32 n_located;
	struct scan_located located[SCAN_LOCATED_MAX];
	u8 value[SCAN_FIXED_MAX], known[SCAN_FIXED_MAX];
};

/* Copy only the parts that are in use. */
static inline void scan_bytes_copy(struct scan_bytes *to, const struct scan_bytes *from)
{
	to->fixed = from->fixed;
	to->n_located = from->n_located;
	memcpy(to->located, from->located, from->n_located * sizeof(*from->located));
	memcpy(to->value, from->value, from->fixed);
	memcpy(to->known, from->known, from->fixed);
}

/*
 * FAIL: contradiction. OPEN: possible, but not all bits are determined. DONE: all bits of the mask
 * are determined.
 */
enum scan_solved { SOLVE_FAIL, SOLVE_OPEN, SOLVE_DONE };

struct scan_solver {
	struct event_db *db;
	struct scan_bytes *bytes;
	struct print_ctx constants; /* evaluates arguments that need no record */
	struct arena *arena;        /* for data to which fields point; until the next text */
};

/* Set the fields so that the bits @mask of the number @e are those of @v. */
enum scan_solved scan_solve_number(struct scan_solver *s, const struct print_expr *e, u64 v,
				   u64 mask);
/* Set the fields so that @e is printed as @text. */
enum scan_solved scan_solve_text(struct scan_solver *s, const struct print_expr *e,
				 struct span text);
/* Set the fields so that the memory that @e refers to contains these bytes. */
enum scan_solved scan_solve_memory(struct scan_solver *s, const struct print_expr *e,
				   struct span bytes);
