/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The functions of libbabeltrace2 that reading CTF needs. The library is loaded when the first CTF
 * trace is read; its headers are not needed. Objects of its types are only passed on.
 */
#pragma once
#include "base/base.h"

struct babeltrace {
	struct library library;
#define BABELTRACE_FUNCTION(type, name, parameters) type(*name) parameters;
#include "import/babeltrace.def"
#undef BABELTRACE_FUNCTION
};

/* What functions return, and types of messages, values and fields. */
enum { BT_ERROR = -1, BT_OK, BT_END, BT_AGAIN = 11 };
enum {
	BT_STREAM_BEGINS = 1 << 0,
	BT_EVENT = 1 << 2,
	BT_DISCARDED_EVENTS = 1 << 5,
	BT_DISCARDED_PACKETS = 1 << 6
};
enum { BT_VALUE_SIGNED = 1 << 4, BT_VALUE_STRING = 1 << 6 };
enum {
	BT_BOOL = 1 << 0,
	BT_BITS = 1 << 1,
	BT_UNSIGNED = 1 << 3,
	BT_SIGNED = 1 << 4,
	BT_FLOAT = 1 << 7,
	BT_DOUBLE = 1 << 8,
	BT_STRING = 1 << 9,
	BT_STRUCTURE = 1 << 10,
	BT_ARRAY = 1 << 11,
	BT_OPTION = 1 << 16,
	BT_VARIANT = 1 << 23
};

/* False: it is not installed. */
bool babeltrace_load(struct babeltrace *bt);

/* A reader of messages; an error ends the reading. */
struct babeltrace_reader {
	int (*message)(void *arg, const void *message);
	void *arg;
};

/**
 * babeltrace_read() - pass all messages of traces, in order of time
 * @dirs: directories, each a trace; one that cannot be opened becomes NULL, and is left out
 * @why:  its reason, or that for which the library ended with an error
 *
 * Return: 0; 1: the library ended with an error; an error of the reader; -HIST_ENOMEM
 */
int babeltrace_read(const struct babeltrace *bt, const char **dirs, size_t n,
		    const struct babeltrace_reader *reader, struct strbuf *why);
