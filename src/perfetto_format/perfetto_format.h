/* SPDX-License-Identifier: LGPL-2.1-only */
/* The events of the kernel that Perfetto has messages for, to read and write its traces. */
#pragma once
#include "base/base.h"

/* ->fields: "1s comm 2i pid 4i? success", see perfetto_events.def */
struct perfetto_known {
	u32 number;
	const char *system, *name, *fields;
};

/* All, in the order of their numbers; the last one has no name. */
extern const struct perfetto_known perfetto_known[];

/* The one with this number; NULL: there is none */
const struct perfetto_known *perfetto_known_of(u64 number);

/* A field of ->fields, which is advanced; ->type 0: there are no more. */
struct perfetto_known_field {
	u32 number;
	char type;
	bool optional;
	struct span name;
};

struct perfetto_known_field perfetto_known_next(struct span *fields);

/* The numbers of messages that are no event of one type. */
enum {
	PERFETTO_PRINT = 3,
	PERFETTO_SWITCH = 4,
	PERFETTO_WAKING = 20,
	PERFETTO_NEWTASK = 235,
	PERFETTO_RENAME = 236,
	PERFETTO_FORK = 239,
	PERFETTO_GENERIC = 327,
	PERFETTO_KPROBE = 542,
	PERFETTO_DENSE = 65536
};

/* The number of a packet in a trace, and those of its fields. */
enum {
	TRACE_PACKET = 1,
	PACKET_BUNDLE = 1,
	PACKET_TREE = 2,
	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_PROCESS_STATS = 9,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_FTRACE_STATS = 34,
	PACKET_TRACE_STATS = 35,
	PACKET_CLEARED = 41,
	PACKET_DROPPED = 42,
	PACKET_THREAD = 44,
	PACKET_SYSTEM = 45,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_MACHINE = 98,
	PACKET_RENAME = 120 /* the name of a task, without its process */
};

/* Of descriptions of tracks, and of events on them, which are slices and counters. */
enum { TRACK_UUID = 1, TRACK_NAME, TRACK_PROCESS, TRACK_THREAD, TRACK_PARENT, TRACK_COUNTER = 8 };
enum { TRACK_NAME_STATIC = 10, TRACK_NAME_ATRACE = 13 };
enum { SLICE_NOTE = 4, SLICE_TYPE = 9, SLICE_TRACK = 11, SLICE_NAME = 23, SLICE_VALUE = 30 };
enum { SLICE_BEGINS = 1, SLICE_ENDS, SLICE_MARKS, SLICE_COUNTS };

/* Clocks of a snapshot. */
enum { CLOCK_REAL = 1, CLOCK_MONO_RAW = 5, CLOCK_BOOT = 6 };

/*
 * common_flags of the events of a bundle, a byte for each: hist adds them, before the events, and
 * other readers skip them. Field 5 of an event is for them, but makes a second event for
 * trace_processor.
 */
enum { BUNDLE_FLAGS = 1000 };

/*
 * Symbols: Perfetto has a number and a name. hist adds the address and the start of the symbol,
 * which other readers skip.
 */
enum { INTERNED_NAME = 2, INTERNED_SYMBOL = 26 };
enum { SYMBOL_NUMBER = 1, SYMBOL_NAME, SYMBOL_ADDRESS = 1000, SYMBOL_START };

/*
 * Whether Perfetto has a slice, a counter or a mark for a text of trace_marker. Other texts are
 * errors to it, or ends of slices, if they begin with E.
 */
bool perfetto_reads_marker(struct span text);

/* Append a number, or a field, to a message. */
void perfetto_put_varint(struct strbuf *sb, u64 v);
void perfetto_put_number(struct strbuf *sb, u32 field, u64 v);
void perfetto_put_bytes(struct strbuf *sb, u32 field, const void *p, size_t n);
void perfetto_put_text(struct strbuf *sb, u32 field, const char *text);
void perfetto_put_message(struct strbuf *sb, u32 field, const struct strbuf *message);

/* Perfetto has the number of a device as user space has it: the kernel's, and the other way round.
 */
static inline u64 perfetto_device_to_kernel(u64 dev)
{
	const u64 major = (dev >> 8 & 0xfff) | (dev >> 32 & ~0xfffull);

	return major << 20 | (dev & 0xff) | (dev >> 12 & 0xfff00);
}

static inline u64 perfetto_device_of_kernel(u64 dev)
{
	const u64 major = dev >> 20;

	return (major & 0xfff) << 8 | (major & ~0xfffull) << 32 | (dev & 0xff) |
	       (dev & 0xfff00) << 12;
}
