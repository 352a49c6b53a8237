/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Diagnoses: what went wrong or is worth knowing, in the order in which it was found.
 *
 * Library code never prints. It adds to the list that the caller passed as the last
 * argument; main.c prints the list. A diagnosis that the kernel would have logged also
 * carries what the kernel's error_log shows (->loc, ->cmd, ->pos); the place that a
 * person wants to see is ->at, the true offset in the text that was written, which the
 * script runner turns into file, line and column.
 */
#ifndef HIST_BASE_DIAG_H
#define HIST_BASE_DIAG_H

#include "base/arena.h"
#include "base/array.h"
#include "base/strbuf.h"

enum diag_level { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

enum { DIAG_NOWHERE = -1 };

struct diag {
	enum diag_level level;
	const char *text; /* one line, without level and final full stop */

	/* the kernel's own entry; NULL if the kernel does not log this */
	const char *loc;  /* such as hist:sched:sched_switch */
	const char *cmd;  /* the command as the kernel shows it */
	unsigned int pos; /* the kernel's caret, an offset in cmd */

	/* the true place: an offset in the written text and how long, or DIAG_NOWHERE */
	long at;
	size_t len;

	/* where in a script; NULL if it did not come from one */
	const char *file;
	unsigned int line, col; /* from 1; col counts bytes; 0: the whole line */
	const char *source;     /* that line */
};

struct diags {
	struct arena arena;
	ARRAY(struct diag) list;
	bool failed; /* one could not be stored for want of memory */
};

#define DIAGS_INIT                            \
	{                                     \
		ARENA_INIT, ARRAY_INIT, false \
	}

/**
 * diags_add() - append a diagnosis without a place
 *
 * Owns:   the text is formatted into the list's own memory
 * Return: the new entry, to be completed by the caller, valid until the next one is
 *         added; NULL if there is no memory
 */
struct diag *diags_add(struct diags *ds, enum diag_level level, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* The usual case: an error, returned as such: return diags_error(ds, -HIST_EFORMAT, "..."); */
int diags_error(struct diags *ds, int err, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Append copies of the entries of @from, which have no place. */
void diags_append(struct diags *ds, const struct diags *from);

/* Whether any entry from index @from on is an error. */
bool diags_has_error(const struct diags *ds, size_t from);

/**
 * diag_print() - a diagnosis for people
 * @prog: what stands before a message that has no file, such as "hist"
 *
 * Shape: "FILE:LINE:COL: error: TEXT" or "PROG: error: TEXT", then, if the place is known,
 *        the line and a caret under it, at most one column behind its end; ends with a
 *        newline. Control characters are shown as '?'.
 */
void diag_print(const struct diag *d, const char *prog, bool colour, struct strbuf *out);

void diags_release(struct diags *ds);

#endif
