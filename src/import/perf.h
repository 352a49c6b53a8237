/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * perf.c and the other perf_*.c files.
 *
 * A perf.data file is a header, the attributes of events with the ids of their samples, the data
 * section with the records, and the sections of features. In pipe mode, records contain all of
 * these.
 */
#pragma once
#include "import/perf_bits.h"
#include "import/sink.h"

enum { /* types of records: up to 63 from the kernel, from 64 on from perf */
       PERF_MMAP = 1,
       PERF_LOST = 2,
       PERF_COMM = 3,
       PERF_EXIT = 4,
       PERF_FORK = 7,
       PERF_SAMPLE = 9,
       PERF_MMAP2 = 10,
       PERF_LOST_SAMPLES = 13,
       PERF_SWITCH = 14, /* 15: of all tasks */
       PERF_KSYMBOL = 17,
       PERF_CGROUP = 19,
       PERF_HEADER_ATTR = 64,
       PERF_HEADER_TRACING_DATA = 66,
       PERF_HEADER_BUILD_ID = 67,
       PERF_FINISHED_ROUND = 68,
       PERF_AUXTRACE = 71,
       PERF_EVENT_UPDATE = 78,
       PERF_HEADER_FEATURE = 80,
       PERF_COMPRESSED = 81,
       PERF_COMPRESSED2 = 83,
};

enum { PERF_TYPE_TRACEPOINT = 2, PERF_TYPE_MAX = 1024, PERF_FORMAT_GROUP = 8 };

/* Why the end cannot be read: it is missing, it is damaged, or text is among the records. */
enum perf_end { PERF_END_CUT, PERF_END_DAMAGED, PERF_END_TEXT };

/* Features, by their bit in the header. */
enum {
	PERF_FEAT_TRACING_DATA = 1,
	PERF_FEAT_BUILD_ID = 2,
	PERF_FEAT_HOSTNAME = 3,
	PERF_FEAT_OSRELEASE = 4,
	PERF_FEAT_VERSION = 5,
	PERF_FEAT_ARCH = 6,
	PERF_FEAT_NRCPUS = 7,
	PERF_FEAT_EVENT_DESC = 12,
	PERF_FEATS = 256,
};

struct perf_attr {
	u32 index, type;
	u64 config, period, sample_type, read_format;
	bool freq, id_all, has_clock;
	u32 clock;
	u64 branches, user_regs, intr_regs; /* sizes of fields depend on these */
	u32 event_id;                       /* of perf:NAME; 0: none yet */
	/* before all fields of variable size; < 0: absent */
	int id_at, time_at, cpu_at, tid_at, ip_at, addr_at, period_at;
	u32 fixed;        /* size of the fixed part of a sample */
	bool raw_next;    /* the raw data directly follows the fixed part */
	bool quick;       /* and that has id, time, CPU and tid, see perf_sample_quick() */
	struct span name; /* as perf names it; absent: unknown */
	u64 samples;
	bool listed; /* in struct perf_scan */
};

struct perf_id {
	u64 id;
	u32 attr;
};

/* A record of the data section. */
struct perf_event {
	u32 type;
	u16 misc;
	const u8 *body; /* after the header */
	size_t len;
	const u8 *more; /* data that follows the record and belongs to it */
	u64 more_len;
};

/* A sequence of records: the file's data section, or another file of the directory. */
struct perf_run {
	struct mapped map;      /* for another file of the directory */
	struct mapped unpacked; /* if records were compressed */
	struct span data;
};

struct perf_file {
	const char *name; /* for messages */
	struct arena arena;
	struct mapped map;
	bool big, pipe;
	bool cut; /* the end of the file is missing, or cannot be read */
	enum perf_end end;
	bool no_features; /* perf did not finish the file */
	bool quick;       /* little endian, and ids can be looked up directly */
	ARRAY(struct perf_attr) attrs;
	ARRAY(struct perf_id) ids; /* sorted before the first sample */
	struct perf_attr **by_id;  /* indexed by id - low_id if the ids are dense; else NULL */
	u64 low_id, n_by_id;
	ARRAY(struct perf_run) runs;
	struct span feat[PERF_FEATS];
	u8 build_id[20]; /* of the kernel */
	u32 build_id_len;
};

/* --- perf_file.c --- */

bool perf_recognises(struct span head);
/* Read header, attributes and features of the mapped file. */
int perf_file_read(struct perf_file *f, struct diags *diags);
void perf_file_release(struct perf_file *f);
/* Add a file of the directory that contains only records. */
int perf_file_add_run(struct perf_file *f, const char *path, struct diags *diags);
/* Read metadata from a record of pipe mode: attributes, features, formats. */
int perf_file_describe(struct perf_file *f, const struct perf_event *ev);
/* Prepare the look-up of names and ids when all attributes are known. */
int perf_file_complete(struct perf_file *f);
/* The name at @at of a mapping or file of the kernel; absent for others. */
struct span perf_kernel_name(const struct perf_event *ev, size_t at);
/* Read the build id of a file from a record or feature entry; only the kernel's is stored. */
void perf_file_build_id(struct perf_file *f, const struct perf_event *ev);
/* The value of a text feature such as HOSTNAME; absent if the file has none. */
struct span perf_file_text(const struct perf_file *f, unsigned int feat);

/* --- perf_event.c --- */

/* Set ->more to the data that follows a record of tracing or hardware data. */
int perf_event_more(struct bytes *b, struct perf_event *ev);

/* Read the next record at @b; 0, 1 at the end, -HIST_EFORMAT: invalid, the rest is lost. */
static inline int perf_event_next(struct bytes *b, struct perf_event *ev)
{
	enum { HEADER = 8 };
	size_t left = bytes_left(b), size;

	if (left < HEADER)
		return left ? -HIST_EFORMAT : 1;
	ev->type = load_u32(b->p, b->big);
	ev->misc = load_u16(b->p + 4, b->big);
	size = load_u16(b->p + 6, b->big);
	if (size < HEADER || size > left || ev->type >= PERF_TYPE_MAX)
		return -HIST_EFORMAT;
	ev->body = b->p + HEADER;
	ev->len = size - HEADER;
	ev->more = NULL;
	ev->more_len = 0;
	b->p += size;
	if (unlikely(ev->type == PERF_HEADER_TRACING_DATA || ev->type == PERF_AUXTRACE))
		return perf_event_more(b, ev);
	return 0;
}

/* Note why perf_event_next() failed at @b. */
void perf_event_failed(struct perf_file *f, const struct bytes *b);
/* Compute the offsets of fields from ->sample_type. */
void perf_attr_layout(struct perf_attr *a);

struct perf_sample {
	struct perf_attr *attr;
	u64 ts, cgroup; /* 0: no id of a cgroup */
	u32 cpu;
	s32 tid; /* in perf's pid namespace; 0: not in it, or not recorded */
	u64 n_ips;
	const u8 *ips; /* array of u64; NULL: no call chain */
	const u8 *raw; /* NULL: no raw data */
	u32 raw_len;
	/* the registers of the program and a copy of its stack; NULL: it has none */
	const u8 *regs, *stack;
	u64 regs_abi, n_stack;
	/* of events that are not tracepoints; 0: not recorded */
	s32 tgid;
	u64 ip, period, addr, weight, data_src, transaction, phys_addr;
};

/* 0; 1 if the event of the sample is unknown; -HIST_EFORMAT if a field exceeds the sample. */
int perf_sample_read(const struct perf_file *f, const struct perf_event *ev, struct perf_sample *s);

/* Read task, time and CPU from the end of a record that is not a sample; -1 and zeros if missing.
 */
s32 perf_trailer_read(const struct perf_file *f, const struct perf_event *ev, u64 *ts, u32 *cpu);

/* --- perf_unpack.c --- */

/* Replace run->data by the decompressed records if they were compressed. */
int perf_unpack(struct perf_file *f, struct perf_run *run, struct diags *diags);

/* --- tracing_data.c --- */

/* Add the formats and texts of perf's tracing data, up to any damage; -HIST_EFORMAT if damaged. */
int tracing_data_read(struct import_sink *s, struct span data, struct import_machine *machine);
