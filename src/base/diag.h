/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Diagnoses: errors, warnings and notes, in the order in which they were added.
 *
 * Library code never prints. It adds to the list that the caller passed as the last argument;
 * main.c prints the list. A diagnosis that the kernel would have logged also has the fields of
 * the kernel's error_log (->loc, ->cmd, ->pos); ->at is the actual position, an offset in the
 * written text, which the script runner converts to file, line and column.
 */
#pragma once
#include "base/arena.h"
#include "base/array.h"
#include "base/strbuf.h"

enum diag_level { DIAG_NOTE, DIAG_WARNING, DIAG_ERROR };

enum { DIAG_NOWHERE = -1 };

struct diag {
	enum diag_level level;
	const char *text; /* one line, without level and final full stop */

	/* the kernel's entry; NULL if the kernel does not log this */
	const char *loc;  /* such as hist:sched:sched_switch */
	const char *cmd;  /* the command in the kernel's form */
	unsigned int pos; /* the kernel's caret, an offset in cmd */

	/* the actual position: an offset in the written text and a length, or DIAG_NOWHERE */
	long at;
	size_t len;

	/* the position in a script; NULL if it did not come from one */
	const char *file;
	unsigned int line, col; /* from 1; col counts bytes; 0: the whole line */
	const char *source;     /* that line */
};

struct diags {
	struct arena arena;
	ARRAY(struct diag) list;
	bool failed; /* a diagnosis could not be stored: out of memory */
};

#define DIAGS_INIT                            \
	{                                     \
		ARENA_INIT, ARRAY_INIT, false \
	}

/**
 * diags_add() - append a diagnosis without a position; @ds NULL: it is dropped
 *
 * Owns:   the text is formatted into the list's own memory
 * Return: the new entry, to be completed by the caller, valid until the next one is added; NULL if
 *         it is dropped, or out of memory
 */
struct diag *diags_add(struct diags *ds, enum diag_level level, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

/* The same without a position, unless there is one with this text; @text NULL: out of memory. */
void diags_add_once(struct diags *ds, enum diag_level level, const char *text);

/* The usual case: an error, returned as such: return diags_error(ds, -HIST_EFORMAT, "..."); */
int diags_error(struct diags *ds, int err, const char *fmt, ...) PRINTF_LIKE(3, 4);

/* Give @d, unless it is NULL, the place @at in the argument @text of an option. */
void diag_in_option(struct diags *ds, struct diag *d, const char *option, struct span text,
		    struct span at);

/* Append copies of the entries of @from, which have no position. */
void diags_append(struct diags *ds, const struct diags *from);

/* Whether an entry from index @from on is an error. */
bool diags_has_error(const struct diags *ds, size_t from);

/* The text of the first error; NULL: there is none. */
const char *diags_first_error(const struct diags *ds);

/**
 * diag_print() - print a diagnosis as text
 * @prog: prefix of a message without a file, such as "hist"
 *
 * Shape: "FILE:LINE:COL: error: TEXT" or "PROG: error: TEXT", then, if the position is known, the
 *        line and a caret under it, at most one column after its end; ends with a newline. Control
 *        characters are shown as '?'.
 */
void diag_print(const struct diag *d, const char *prog, bool colour, struct strbuf *out);

void diags_release(struct diags *ds);
