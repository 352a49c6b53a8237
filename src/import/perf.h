/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * perf.data: shared by perf.c and its other files.
 *
 * A file is a header, the attributes of events with the ids of their samples, a run of records, and
 * sections of features after it. In pipe mode all of that is in records.
 */
#ifndef HIST_IMPORT_PERF_H
#define HIST_IMPORT_PERF_H

#include "import/sink.h"

/* Types of records: of the kernel below 64, of perf from there on. */
enum {
	PERF_MMAP = 1,
	PERF_LOST = 2,
	PERF_COMM = 3,
	PERF_FORK = 7,
	PERF_SAMPLE = 9,
	PERF_MMAP2 = 10,
	PERF_LOST_SAMPLES = 13,
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

/* Bits of sample_type. */
enum {
	PERF_IP = 1 << 0,
	PERF_TID = 1 << 1,
	PERF_TIME = 1 << 2,
	PERF_ADDR = 1 << 3,
	PERF_READ = 1 << 4,
	PERF_CALLCHAIN = 1 << 5,
	PERF_ID = 1 << 6,
	PERF_CPU = 1 << 7,
	PERF_PERIOD = 1 << 8,
	PERF_STREAM_ID = 1 << 9,
	PERF_RAW = 1 << 10,
	PERF_IDENTIFIER = 1 << 16,
};

enum { PERF_TYPE_TRACEPOINT = 2 };

enum { PERF_FORMAT_GROUP = 8 }; /* of read_format */

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
	u32 type;
	u64 config, period, sample_type, read_format;
	bool freq, id_all, has_clock;
	u32 clock;
	/* where the fields of its samples are that all have the same size; < 0: nowhere */
	int id_at, time_at, cpu_at;
	u32 fixed;        /* bytes of all these */
	bool raw_next;    /* they are followed by the raw bytes */
	struct span name; /* as perf calls it; absent: not known */
	u64 samples;
};

struct perf_id {
	u64 id;
	u32 attr;
};

/* A record of the run. */
struct perf_event {
	u32 type;
	u16 misc;
	const u8 *body; /* after its header */
	size_t len;
	const u8 *more; /* what follows the record in the file and belongs to it */
	u64 more_len;
};

/* A run of records: that of the file, or another file of the directory. */
struct perf_run {
	struct mapped map;      /* of another file */
	struct mapped unpacked; /* if it was compressed */
	struct span data;
};

struct perf_file {
	const char *name; /* for messages */
	struct arena arena;
	struct mapped map;
	bool big, pipe;
	bool cut;         /* its end is missing */
	bool no_features; /* perf did not finish it */
	ARRAY(struct perf_attr) attrs;
	ARRAY(struct perf_id) ids; /* sorted before the first sample */
	struct perf_attr **by_id; /* from the lowest id on, if ids are near each other; else NULL */
	u64 low_id, n_by_id;
	ARRAY(struct perf_run) runs;
	struct span feat[PERF_FEATS];
	/* from records of the kernel's map */
	u8 build_id[20];
	u32 build_id_len;
	u64 text_addr; /* of _text; 0: not known */
};

/* --- perf_file.c --- */

bool perf_recognises(struct span head);
/* Header, attributes, features of the file that is mapped. */
int perf_file_read(struct perf_file *f, struct diags *diags);
void perf_file_release(struct perf_file *f);
/* One more file of a directory, of nothing but records. */
int perf_file_add_run(struct perf_file *f, const char *path, struct diags *diags);
/* What records of pipe mode say of all: attributes, features, formats. */
int perf_file_describe(struct perf_file *f, const struct perf_event *ev);
/* All attributes are known: names and ids can be looked for. */
int perf_file_complete(struct perf_file *f);
/* A record, or entry of the feature, that has the build id of a file; the kernel's is kept. */
void perf_file_build_id(struct perf_file *f, const struct perf_event *ev);
/* The text of a feature that is one, such as HOSTNAME; absent if it is not there. */
struct span perf_file_text(const struct perf_file *f, unsigned int feat);

/* --- perf_event.c --- */

/* What follows a record of tracing or hardware data, which its header does not count. */
int perf_event_more(struct bytes *b, struct perf_event *ev);

/* The next record at @b; 0, 1 at the end, -HIST_EFORMAT if it cannot be: the rest is lost. */
static inline int perf_event_next(struct bytes *b, struct perf_event *ev)
{
	enum { HEADER = 8 };
	size_t left = bytes_left(b), size;

	if (left < HEADER)
		return left ? -HIST_EFORMAT : 1;
	ev->type = load_u32(b->p, b->big);
	ev->misc = load_u16(b->p + 4, b->big);
	size = load_u16(b->p + 6, b->big);
	if (size < HEADER || size > left)
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

/* Fill in where fields are from ->sample_type. */
void perf_attr_layout(struct perf_attr *a);

struct perf_sample {
	struct perf_attr *attr;
	u64 ts;
	u32 cpu;
	u64 n_ips;
	const u8 *ips; /* u64 each; NULL: none */
	const u8 *raw; /* NULL: none */
	u32 raw_len;
};

/* 0; 1 if its event is not known; -HIST_EFORMAT if it does not fit. */
int perf_sample_read(const struct perf_file *f, const struct perf_event *ev, struct perf_sample *s);

/* The time and CPU at the end of a record of another kind; zeros if missing. */
void perf_trailer_read(const struct perf_file *f, const struct perf_event *ev, u64 *ts, u32 *cpu);

/* --- perf_unpack.c --- */

/* If records are compressed: replace run->data by what they hold. */
int perf_unpack(struct perf_file *f, struct perf_run *run, struct diags *diags);

/* --- tracing_data.c --- */

/* The formats and texts in perf's tracing data; -HIST_EFORMAT if it is damaged: what is whole. */
int tracing_data_read(struct import_sink *s, struct span data, struct import_machine *machine);

#endif
