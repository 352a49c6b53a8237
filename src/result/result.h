/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * result: an immutable histogram, the input of all printers.
 *
 * Columns, rows and totals, with all metadata: it does not refer to maps, events or recordings.
 * Printers cannot tell whether it comes from a replay (freeze.c), a saved file or a merge. Rows are
 * delivered one at a time; a row is borrowed until the next call with the same space.
 */
#pragma once
#include "program/exemplar_row.h"

enum result_rules { RESULT_OF_KERNEL, RESULT_UNLIMITED, RESULT_EXACT };
/* ORDER: of the columns */
enum result_role { RESULT_KEY, RESULT_VALUE, RESULT_SAVED };

enum result_type {
	RESULT_NUMBER, /* .num */
	RESULT_RANGE,  /* .num to .max, both inclusive */
	RESULT_TEXT,   /* .text: any bytes except NUL */
	RESULT_STACK,  /* .frames: the innermost first */
};

struct result_column {
	const char *name; /* name in output; unique within a role */
	enum result_role role;
	enum result_type type;
	bool is_signed;       /* .num and .max are s64 */
	bool has_label;       /* cells have a .label */
	bool tracked;         /* of saved columns: tracked by onmax or onchange; these come first */
	bool hidden;          /* hidden in the kernel's text */
	const char *label;    /* name in the kernel's text; for a stack, with the text after it */
	const char *modifier; /* "hex", "sym", "log2" ...; NULL: none */
	const char *unit;     /* "ns" or "us" if known; otherwise NULL */
	u64 width;            /* of a bucket; 0: unknown */
};

struct result_sort {
	size_t column;
	bool descending;
};

struct result_frame {
	u64 addr;
	struct span symbol; /* "name+0x1/0x20 [module]"; "0x..." without a name */
};

struct result_cell {
	bool absent; /* nothing was saved yet */
	u64 num, max;
	struct span text;
	struct span label; /* name of a number: symbol, system call, comm of a pid */
	bool unnamed;      /* .label contains only its digits */
	const struct result_frame *const *frames;
	size_t n_frames;
};

struct result_row {
	const struct result_cell *cells;      /* one for each column */
	const struct sketch *const *sketches; /* one for each of the first n_row_stats statistics */
	const struct exemplar_row *exemplars; /* with --exemplars; NULL: none */
	bool saved;                           /* save() ran for this key */
	u64 saved_at;                         /* time of the last save */
};

/* Memory for the cells and sketches of a row. */
struct row_space {
	struct result_cell *cells;
	const struct sketch **sketches;
	struct sketch *samples; /* to which ->sketches may point */
};

/* With --stats: a value, variable or key with statistics. */
struct result_stat {
	const char *name; /* unique */
	const char *unit;
	bool is_signed;
	size_t column;                /* of a key: its column; only over all rows, and last */
	const struct sketch *all;     /* over all rows */
	const struct sketch *all_max; /* of ranges: of upper ends */
};

/* With --exemplars: the number that selects them. */
struct result_exemplars {
	const char *name;
	const char *unit;
	bool is_signed;
	u32 max;                        /* of a row */
	const struct exemplar_row *all; /* of all rows, also at most .max */
};

/* Metadata shared by the histograms of a run. */
struct result_info {
	const char *version;      /* version of hist */
	const char *kernel;       /* version of the kernel's rules, "6.12" */
	const char *clock;        /* such as "local" */
	bool clock_counts;        /* the clock does not count time */
	const char *uname;        /* NULL: unknown */
	const char *const *files; /* the recordings */
	size_t n_files;
	const char *const *script; /* its lines; valid as a script again */
	size_t n_script;
	const char *question;         /* that they answer: "How long ...?"; NULL: unknown */
	const char *recording_limits; /* lines "filter SYSTEM:EVENT TEXT", "pids N..."; or NULL */
	/* lines "cpu LIST", "time from T to T", "pid LIST", "comm GLOB", "tree TASK"; NULL: none */
	const char *selection;
	u64 lost_events;
	bool lost_unknown;   /* more were lost; their number was not recorded */
	bool inexact;        /* fields were guessed from text */
	const char *caveats; /* other reasons to doubt, see base/caveat.h; NULL: none */
};

struct result {
	const struct result_info *info;
	const char *event;       /* "sched:sched_switch" */
	const char *instance;    /* NULL: the top one */
	const char *trigger;     /* "hist:keys=...", complete, without state */
	enum result_rules rules; /* it was counted by them */
	bool paused;
	u64 from, to; /* the span of time covered, in the clock's unit */
	u64 covered;  /* its length; of a merge, the sum over all recordings */

	const struct result_column *columns; /* keys, values, saved */
	size_t n_columns, n_keys, n_values;
	const struct result_sort *sort;
	size_t n_sort;
	const struct result_stat *stats;
	size_t n_stats,
		n_row_stats; /* with --stats; those of rows come first, then those of keys */
	const struct result_exemplars *exemplars; /* NULL: none */
	size_t n_rows, left_out;    /* rows, and those that were chosen not to be printed */
	const struct result *whole; /* with all rows, if there is a choice of them; else NULL */
	u64 hits, drops;
	u64 feeding_drops; /* of histograms whose variables or synthetic events it reads */

	const struct result_snapshot *snapshot; /* the conditional one; NULL: none */

	/* Row @i, 0 <= i < n_rows. */
	void (*row)(const struct result *result, size_t i, struct result_row *row);
	/* The same for threads, each with its own @space; NULL: only one thread. */
	void (*row_in)(const struct result *result, size_t i, const struct row_space *space,
		       struct result_row *row);
	void *arg;            /* argument of row() and row_in() */
	unsigned int threads; /* for large results; 0 or 1: none but the caller's */
};

/* Space for a row of @r. 0, -HIST_ENOMEM: release it, too */
int row_space_init(struct row_space *space, const struct result *r);
void row_space_release(struct row_space *space);

/* The next line of a selection, cut into name and text; false at the end. */
bool selection_next(struct span *lines, struct span *name, struct span *text);

/* The text of the line @name of a selection; absent: there is none. */
struct span selection_find(const char *selection, struct span name);

/* Whether both have lines of the same names. */
bool selections_are_alike(const char *a, const char *b);

/* Append "cpu 0, comm thr-*", or "everything". */
void selection_print(const char *selection, struct strbuf *out);

/* Append "@name counted cpu 0, and @other counted everything". */
void selections_print(const char *name, const char *selection, const char *other,
		      const char *others, struct strbuf *out);

/* Whether a value is shown as a part of others: .percent, .graph, .share, .cpu, .mean. */
bool result_is_part(const struct result_column *c);
/* The first column of a role, which is the end of the previous role. */
static inline size_t result_first(const struct result *r, enum result_role role)
{
	return role == RESULT_KEY ? 0 : role == RESULT_VALUE ? r->n_keys : r->n_keys + r->n_values;
}

/* Whether there are columns of onmax or onchange. */
static inline bool result_has_saved(const struct result *r)
{
	return r->n_columns > result_first(r, RESULT_SAVED);
}

/* Number of tracked columns. */
static inline size_t result_tracks(const struct result *r)
{
	size_t first = result_first(r, RESULT_SAVED), i = first;

	while (i < r->n_columns && r->columns[i].tracked)
		i++;
	return i - first;
}

struct result_snapshot {
	const char *handler;  /* "onmax" or "onchange" */
	const char *variable; /* "$lat" */
	u64 value;
	const struct result_cell *keys; /* of the hit, one for each key */
};
