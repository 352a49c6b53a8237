/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * ABI 1 as it was released: what a plugin of hist is: a shared object that has one symbol, `hist_plugin`.
 *
 *	const struct hist_plugin hist_plugin = { .abi = HIST_PLUGIN_ABI, .name = "mine", ... };
 *
 * There are two things that it may add: output formats, and modifiers, which name numbers in the
 * output. Both see a histogram that is finished; neither can change what is in it. Everything
 * that hist hands to a plugin is borrowed for the call; what a plugin hands to hist, its names
 * above all, is constant. Calls come from one thread at a time. hist-plugin(7) has the rest.
 */
#ifndef HIST_PLUGIN_H
#define HIST_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#define HIST_PLUGIN_ABI 1

struct hist_plugin_text {
	const char *s; /* any bytes but NUL, which need not be at the end either */
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
	const char *name;     /* no two of a role have the same */
	const char *modifier; /* "hex", "sym", "log2", ...; NULL: none */
	const char *unit;     /* "ns", "us"; NULL: none is known */
	enum hist_plugin_role role;
	enum hist_plugin_type type;
	int is_signed; /* numbers are int64_t */
};

struct hist_plugin_frame {
	uint64_t addr;
	struct hist_plugin_text symbol; /* "name+0x1/0x20 [module]", or "0x..." */
};

struct hist_plugin_cell {
	int absent;                   /* nothing was saved there */
	uint64_t num, max;            /* a number; a range, both inclusive */
	struct hist_plugin_text text; /* a text; how a number is called (symbol, comm), if .n > 0 */
	const struct hist_plugin_frame *frames; /* of a stack, the innermost first */
	size_t n_frames;
};

struct hist_plugin_histogram {
	const char *event;    /* "sched:sched_switch" */
	const char *instance; /* NULL: the top one */
	const char *trigger;  /* "hist:keys=..." */
	const char *kernel, *clock;
	uint64_t from, to; /* the time that was looked at, in the clock's unit */
	int sliced;        /* print() is called for each of several slices of time */
	uint64_t hits, drops, lost_events;

	const struct hist_plugin_column *columns; /* keys, then values, then what is saved */
	size_t n_columns, n_keys, n_values;
	size_t sort_column; /* the first by which rows are sorted */

	size_t n_rows;
	/* A cell for each column, until the next row is asked for; NULL: @i is none, or no memory.
	 */
	const struct hist_plugin_cell *(*row)(const struct hist_plugin_histogram *h, size_t i);
	void *host;
};

struct hist_plugin_out {
	/* 0, or not: nothing more can be written, so print() returns that. */
	int (*write)(const struct hist_plugin_out *out, const void *data, size_t len);
	/* Say what is wrong; returns what print() then returns. */
	int (*fail)(const struct hist_plugin_out *out, const char *message);
	void *host;
};

struct hist_plugin_format {
	const char *name;    /* for --format: letters, digits, '-' and '_' */
	const char *summary; /* one line */
	int one_histogram;   /* the output has room for one */

	/* Write @h; 0, or what write() or fail() returned. */
	int (*print)(const struct hist_plugin_histogram *h, const struct hist_plugin_out *out);
};

struct hist_plugin_modifier {
	const char *name;    /* for --modifier FIELD=NAME */
	const char *summary; /* one line */

	/*
	 * Put what @num is called into @buf of @size bytes, without a NUL, and return how many; 0:
	 * it has no name. @num is sign-extended if @is_signed.
	 */
	size_t (*render)(uint64_t num, int is_signed, char *buf, size_t size);
};

struct hist_plugin {
	uint32_t abi;     /* HIST_PLUGIN_ABI; another one is refused */
	const char *name; /* for messages */
	const struct hist_plugin_format *formats;
	size_t n_formats;
	const struct hist_plugin_modifier *modifiers;
	size_t n_modifiers;
};

extern const struct hist_plugin hist_plugin __attribute__((visibility("default")));

#endif
