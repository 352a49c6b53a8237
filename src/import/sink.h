/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The sink that importers write to, and the interface that each importer implements.
 *
 * The sink composes sub-buffers from records as they arrive, spools them to an unnamed file, and
 * writes the trace.dat at the end. Texts are copied.
 */
#ifndef HIST_IMPORT_SINK_H
#define HIST_IMPORT_SINK_H

#include "import/import.h"
#include "import/spool.h"

/* Limit of CPU numbers: the largest that Linux can be configured for. */
enum { IMPORT_MAX_CPUS = 8192 };

/* Metadata required before the first record. */
struct import_machine {
	bool big_endian;
	u32 long_size;
	u32 subbuf_size;                       /* 0: the sink chooses */
	u32 cpu_count;                         /* 0: as many CPUs as have records */
	const char *clock;                     /* its name in trace_clock */
	struct span header_page, header_event; /* absent: the sink makes one */
};

/* The common fields of each event's format, for formats that importers make. */
#define FORMAT_COMMON                                                                  \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

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
	const struct guest *guest;              /* for import_guest */
	const struct import_combined *combined; /* for import_combine */
	struct import_sink *sink;
	struct import_result *result;
	struct diags *diags;
};

struct importer {
	const char *what; /* shown in messages, such as "perf.data" */
	/* Whether this importer reads files that begin with @head; NULL if it reads directories. */
	bool (*recognises)(struct span head);
	/* Whether this importer reads the directory; NULL if it reads files. */
	bool (*recognises_dir)(const char *path);
	int (*run)(struct import_job *job);
};

extern const struct importer import_perf, import_tracedir, import_text;

/* --- the sink --- */

/* @subbuf: size of a sub-buffer; for a longer record the result is -HIST_ELIMIT. */
struct import_sink *import_sink_new(u32 subbuf);

/*
 * Permit the sink to write sub-buffers directly to their location in @fd, the unnamed file that the
 * trace.dat is written to. The file then has holes.
 */
void import_sink_direct(struct import_sink *s, int fd);

/*
 * Announce that all records together have at most @bytes bytes, before the first record. This
 * bounds the size of a region.
 */
void import_sink_expect(struct import_sink *s, u64 bytes);

/* Whether -HIST_ELIMIT was returned because a CPU had more than that. */
bool import_sink_overran(const struct import_sink *s);

void import_sink_free(struct import_sink *s);

/* Memory that lives as long as the sink. */
struct arena *import_sink_arena(struct import_sink *s);

/* Set the machine; the first call to a new sink. */
int import_sink_machine(struct import_sink *s, const struct import_machine *machine);

/*
 * Add an event format (text of .../format); only the first of a name, only if it has name and id.
 */
int import_sink_format(struct import_sink *s, const char *system, struct span text);
/* Replace the text of the event with this id. */
int import_sink_format_again(struct import_sink *s, u32 id, struct span text);
const struct import_format *import_sink_formats(const struct import_sink *s, size_t *n);

/* Set KALLSYMS or PRINTK. */
int import_sink_text(struct import_sink *s, enum trace_dat_option_id id, struct span text);
bool import_sink_has_text(const struct import_sink *s, enum trace_dat_option_id id);
struct span import_sink_kallsyms(const struct import_sink *s);
int import_sink_option(struct import_sink *s, u16 id, struct span data);

/* Task @pid has the name @name from @ts on; the latest name wins. */
int import_sink_comm(struct import_sink *s, s32 pid, u64 ts, struct span name);
/* Add lines "PID COMM" of saved_cmdlines; names with a time take precedence. */
int import_sink_cmdlines(struct import_sink *s, struct span text);
/*
 * The last name that was set for @pid; absent if there is none. Borrowed until the next name is
 * set.
 */
struct span import_sink_comm_of(const struct import_sink *s, s32 pid);

/**
 * import_sink_record() - add a record of a CPU, in time order
 *
 * Return: 0; -HIST_ELIMIT if it is longer than a sub-buffer; -HIST_EINVAL for an invalid CPU
 *         number; -HIST_EIO, -HIST_ENOMEM
 */
int import_sink_record(struct import_sink *s, u32 cpu, u64 ts, const void *data, u32 len);

/* Note that @n records of @cpu were lost before @ts; < 0: unknown number. */
int import_sink_lost(struct import_sink *s, u32 cpu, u64 ts, s64 n);

/* Add a complete sub-buffer from the kernel; its size is that of the machine's header_page. */
int import_sink_page(struct import_sink *s, u32 cpu, const u8 *page);

u64 import_sink_records(const struct import_sink *s);

/* Caveats of the recording; stored in the file. See base/caveat.h */
struct strbuf *import_sink_caveats(struct import_sink *s);

int import_sink_write(struct import_sink *s, const struct import_job *job,
		      const struct import_output *to);

#endif
