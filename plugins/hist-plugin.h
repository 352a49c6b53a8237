/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The interface of plugins of hist: shared objects that export one symbol, `hist_plugin`.
 *
 *	const struct hist_plugin hist_plugin = { .abi = HIST_PLUGIN_ABI, .name = "mine", ... };
 *
 * A plugin may add output formats, and modifiers, which supply names for numbers in the output.
 * Both receive a finished histogram and cannot change it. Data that hist passes to a plugin is
 * borrowed for the duration of the call; data that a plugin passes to hist, such as names, must
 * be constant. Calls come from one thread at a time. See hist-plugin(7).
 */
#ifndef HIST_PLUGIN_H
#define HIST_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define HIST_PLUGIN_ABI 1

struct hist_plugin_text {
	const char *s; /* any bytes except NUL; not NUL-terminated */
	size_t n;
};

enum hist_plugin_role { HIST_PLUGIN_KEY, HIST_PLUGIN_VALUE, HIST_PLUGIN_SAVED };
enum hist_plugin_type {
	HIST_PLUGIN_NUMBER,
	HIST_PLUGIN_RANGE,
	HIST_PLUGIN_TEXT,
	HIST_PLUGIN_STACK
};

struct hist_plugin_column {
	const char *name;     /* unique within a role */
	const char *modifier; /* "hex", "sym", "log2", ...; NULL: none */
	const char *unit;     /* "ns" or "us"; NULL: unknown */
	enum hist_plugin_role role;
	enum hist_plugin_type type;
	int is_signed; /* numbers are int64_t */
};

struct hist_plugin_frame {
	uint64_t addr;
	struct hist_plugin_text symbol; /* "name+0x1/0x20 [module]", or "0x..." */
};

struct hist_plugin_cell {
	int absent;        /* nothing was saved there */
	uint64_t num, max; /* a number, or the ends of a range, both inclusive */
	struct hist_plugin_text
		text; /* a string; or if .n > 0 the name of a number (symbol, comm) */
	const struct hist_plugin_frame *frames; /* of a stack; the innermost comes first */
	size_t n_frames;
};

/* Statistics of a row. */
struct hist_plugin_numbers {
	uint64_t n, min, p50, p90, p99, p999, max; /* .n 0: the others mean nothing */
	double mean, stddev;                       /* NAN: not known */
};

struct hist_plugin_histogram {
	const char *event;    /* "sched:sched_switch" */
	const char *instance; /* NULL: the top one */
	const char *trigger;  /* "hist:keys=..." */
	const char *kernel, *clock;
	uint64_t from, to; /* the span of time covered, in the clock's unit */
	int sliced;        /* print() is called for each of several slices of time */
	uint64_t hits, drops, lost_events;

	const struct hist_plugin_column *columns; /* keys, then values, then saved fields */
	size_t n_columns, n_keys, n_values;
	size_t sort_column; /* the first column by which rows are sorted */

	size_t n_rows;
	/*
	 * A cell for each column, valid until the next call; NULL if @i is not a row, or if
	 * out of memory.
	 */
	const struct hist_plugin_cell *(*row)(const struct hist_plugin_histogram *h, size_t i);
	void *host;
	size_t left_out; /* rows that --top leaves out; since hist 0.3.0 */
	/* With --stats, since hist 0.3.0: quantities, and their numbers in row @i; 0, or -1 */
	const struct hist_plugin_column *stats;
	size_t n_stats;
	int (*numbers)(const struct hist_plugin_histogram *h, size_t i, size_t stat,
		       struct hist_plugin_numbers *numbers);
};

struct hist_plugin_out {
	/* Returns 0; otherwise nothing more can be written, and print() must return that value. */
	int (*write)(const struct hist_plugin_out *out, const void *data, size_t len);
	/* Report an error; print() must return the result. */
	int (*fail)(const struct hist_plugin_out *out, const char *message);
	void *host;
};

struct hist_plugin_format {
	const char *name;    /* for --format: letters, digits, '-' and '_' */
	const char *summary; /* one line */
	int one_histogram;   /* the output can contain only one histogram */

	/* Write @h; returns 0, or the result of write() or fail(). */
	int (*print)(const struct hist_plugin_histogram *h, const struct hist_plugin_out *out);
};

struct hist_plugin_modifier {
	const char *name;    /* for --modifier FIELD=NAME */
	const char *summary; /* one line */

	/*
	 * Write the name of @num to @buf of @size bytes, without a NUL, and return its length; 0 if
	 * it has no name. @num is sign-extended if @is_signed.
	 */
	size_t (*render)(uint64_t num, int is_signed, char *buf, size_t size);
};

struct hist_plugin {
	uint32_t abi;     /* HIST_PLUGIN_ABI; other values are refused */
	const char *name; /* for messages */
	const struct hist_plugin_format *formats;
	size_t n_formats;
	const struct hist_plugin_modifier *modifiers;
	size_t n_modifiers;
};

extern const struct hist_plugin hist_plugin __attribute__((visibility("default")));

#endif
