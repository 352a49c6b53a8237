/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * result: a histogram that no longer changes, as all printers see it.
 *
 * Columns, rows and totals, with everything that was asked and found: nothing of maps,
 * events and recordings is left in it. Whether it comes from a replay (freeze.h), a saved file
 * or a merge does not show. Rows are handed out one at a time; a row is borrowed until the
 * next one is asked for.
 */
#ifndef HIST_RESULT_H
#define HIST_RESULT_H

#include "base/base.h"

/* ORDER: the order in which columns come */
enum result_role { RESULT_KEY, RESULT_VALUE, RESULT_SAVED };

enum result_type {
	RESULT_NUMBER, /* .num */
	RESULT_RANGE,  /* .num to .max, both inclusive */
	RESULT_TEXT,   /* .text: any bytes but NUL */
	RESULT_STACK,  /* .frames: the innermost first */
};

struct result_column {
	const char *name; /* as entries show it; no two of a role have the same */
	enum result_role role;
	enum result_type type;
	bool is_signed;       /* .num and .max are s64 */
	bool has_label;       /* cells come with a .label */
	bool tracked;         /* of what is saved: what onmax or onchange looks at; come first */
	bool hidden;          /* the kernel's text leaves it out */
	const char *label;    /* what the kernel's text calls it; of a stack, with what follows */
	const char *modifier; /* "hex", "sym", "log2" ...; NULL: none */
	const char *unit;     /* "ns" or "us" if that is known; else NULL */
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
	bool absent; /* nothing was saved there yet */
	u64 num, max;
	struct span text;
	struct span label; /* how a number is called: symbol, system call, comm of a pid */
	bool unnamed;      /* .label is only its digits */
	const struct result_frame *const *frames;
	size_t n_frames;
};

struct result_row {
	const struct result_cell *cells;      /* one for each column */
	const struct sketch *const *sketches; /* one for each of the first n_row_stats statistics */
	const struct exemplar_row *exemplars; /* with --exemplars; NULL: none */
	bool saved;                           /* save() did something for this key */
	u64 saved_at;                         /* when, the last time */
};

/* With --stats: a value, variable or key of which there are statistics. */
struct result_stat {
	const char *name; /* no two have the same */
	const char *unit;
	bool is_signed;
	size_t column;                /* of a key: its column. Statistics of keys are over all rows
					 only and come last */
	const struct sketch *all;     /* over all rows */
	const struct sketch *all_max; /* of a key that is a range: of its upper ends, ->all of its
					 lower ones; else NULL */
};

/* With --exemplars: of which number. */
struct result_exemplars {
	const char *name;
	const char *unit;
	bool is_signed;
	const struct exemplar_row *all; /* of all rows */
};

/* What the histograms of one run have in common. */
struct result_info {
	const char *version;      /* of hist */
	const char *kernel;       /* whose behaviour, "6.12" */
	const char *clock;        /* such as "local" */
	bool clock_counts;        /* its unit is no time */
	bool unlimited;           /* without the kernel's limits */
	const char *uname;        /* NULL: unknown */
	const char *const *files; /* the recordings */
	size_t n_files;
	const char *const *script; /* its lines; an accepted script again */
	size_t n_script;
	const char
		*recording_limits; /* lines "filter SYSTEM:EVENT TEXT", "pids N..."; NULL: none */
	u64 lost_events;
	bool lost_unknown; /* more were lost; how many was not recorded */
};

struct result {
	const struct result_info *info;
	const char *event;    /* "sched:sched_switch" */
	const char *instance; /* NULL: the top one */
	const char *trigger;  /* "hist:keys=...", complete, without state */
	bool paused;
	u64 from, to; /* the time that was looked at, in the clock's unit */
	u64 covered;  /* how much of it; of a merge, that of all recordings added up */

	const struct result_column *columns; /* keys, values, saved */
	size_t n_columns, n_keys, n_values;
	const struct result_sort *sort;
	size_t n_sort;
	const struct result_stat *stats;
	size_t n_stats,
		n_row_stats; /* with --stats; the first are of rows too, the others of keys */
	const struct result_exemplars *exemplars; /* NULL: none */
	size_t n_rows;
	u64 hits, drops;

	/* a conditional snapshot was taken; NULL: none */
	const struct result_snapshot *snapshot;

	/* Row @i, 0 <= i < n_rows. */
	void (*row)(const struct result *result, size_t i, struct result_row *row);
	void *arg; /* row()'s */
};

/* The first column of a role; the end of the one before. */
static inline size_t result_first(const struct result *r, enum result_role role)
{
	return role == RESULT_KEY ? 0 : role == RESULT_VALUE ? r->n_keys : r->n_keys + r->n_values;
}

/* Whether there is something that onmax or onchange keeps. */
static inline bool result_has_saved(const struct result *r)
{
	return r->n_columns > result_first(r, RESULT_SAVED);
}

/* How many columns are tracked. */
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

#endif
