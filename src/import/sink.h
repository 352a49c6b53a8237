/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Where importers put what they found, and the interface that each of them fills.
 *
 * A sink composes sub-buffers of each CPU as records come, keeps them in a file without a
 * name, and writes the trace.dat at the end. Texts are copied.
 */
#ifndef HIST_IMPORT_SINK_H
#define HIST_IMPORT_SINK_H

#include "import/import.h"
#include "import/spool.h"

/* CPU numbers that are believed: what Linux can be configured for. */
enum { IMPORT_MAX_CPUS = 8192 };

/* What must be known before the first record. */
struct import_machine {
	bool big_endian;
	u32 long_size;
	u32 subbuf_size;                       /* 0: as the sink likes */
	u32 cpu_count;                         /* 0: as many as have records */
	const char *clock;                     /* its name in trace_clock */
	struct span header_page, header_event; /* absent: made to fit */
};

struct import_format {
	const char *system;
	struct span text, name;
	u32 id;
};

struct import_sink;
struct guest;
struct import_combined;

bool import_is_trace_dat(const char *path);

/* A source that is being read. */
struct import_job {
	const struct import_input *in;
	const struct import_options *options;
	const struct guest *guest;              /* of import_guest */
	const struct import_combined *combined; /* of import_combine */
	struct import_sink *sink;
	struct import_result *result;
	struct diags *diags;
};

struct importer {
	const char *what; /* such as "perf.data" */
	/* Whether a file begins like that; for a directory NULL. */
	bool (*recognises)(struct span head);
	/* Whether a directory is one; NULL: it reads files. */
	bool (*recognises_dir)(const char *path);
	int (*run)(struct import_job *job);
};

extern const struct importer import_perf, import_tracedir, import_text;

/* --- the sink --- */

/* @subbuf: bytes of a sub-buffer; a longer record is -HIST_ELIMIT. */
struct import_sink *import_sink_new(u32 subbuf);

/*
 * Sub-buffers may be written straight to their place in @fd, the file without a name that the
 * trace.dat is written to. It then has holes.
 */
void import_sink_direct(struct import_sink *s, int fd);

/* Of @bytes records are to come: so much a CPU has at most. Before the first record. */
void import_sink_expect(struct import_sink *s, u64 bytes);

/* Whether -HIST_ELIMIT was because a CPU had more than that. */
bool import_sink_overran(const struct import_sink *s);

void import_sink_free(struct import_sink *s);

/* Memory that lives as long as the sink. */
struct arena *import_sink_arena(struct import_sink *s);

/* First of all. */
int import_sink_machine(struct import_sink *s, const struct import_machine *machine);

/* An event format (text of .../format), once by its name; what has no name or id is left out. */
int import_sink_format(struct import_sink *s, const char *system, struct span text);
/* Another text for the event with that id, which has one. */
int import_sink_format_again(struct import_sink *s, u32 id, struct span text);
const struct import_format *import_sink_formats(const struct import_sink *s, size_t *n);

/* KALLSYMS or PRINTK. */
int import_sink_text(struct import_sink *s, enum trace_dat_option_id id, struct span text);
bool import_sink_has_text(const struct import_sink *s, enum trace_dat_option_id id);
struct span import_sink_kallsyms(const struct import_sink *s);
int import_sink_option(struct import_sink *s, u16 id, struct span data);

/* Task @pid has that name from @ts on; the latest one wins. */
int import_sink_comm(struct import_sink *s, s32 pid, u64 ts, struct span name);
/* Lines "PID COMM" of saved_cmdlines; all before any time. */
int import_sink_cmdlines(struct import_sink *s, struct span text);
/* The name that was given last; absent if none was. Borrowed until the next name. */
struct span import_sink_comm_of(const struct import_sink *s, s32 pid);

/**
 * import_sink_record() - a record of a CPU, after those before it in time
 *
 * Return: 0; -HIST_ELIMIT if it is longer than a sub-buffer; -HIST_EINVAL for a CPU number
 *         that cannot be; -HIST_EIO, -HIST_ENOMEM
 */
int import_sink_record(struct import_sink *s, u32 cpu, u64 ts, const void *data, u32 len);

/* @n records of @cpu were lost before @ts; < 0: some. */
int import_sink_lost(struct import_sink *s, u32 cpu, u64 ts, s64 n);

/* A whole sub-buffer as the kernel gave it, of the size that the machine's header_page has. */
int import_sink_page(struct import_sink *s, u32 cpu, const u8 *page);

u64 import_sink_records(const struct import_sink *s);

int import_sink_write(struct import_sink *s, const struct import_job *job,
		      const struct import_output *to);

#endif
