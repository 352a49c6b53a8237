/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The sink that importers write to, and the interface that each importer implements.
 *
 * The sink composes sub-buffers from records as they arrive (trace_dat/cpus.h), and writes the
 * trace.dat at the end. Texts are copied.
 */
#pragma once
#include "import/comms.h"
#include "import/dir.h"
#include "import/format_list.h"
#include "import/import.h"

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

struct guest;

bool import_is_trace_dat(const char *path);

/* A source that is being read. */
struct import_job {
	const struct import_input *in;
	const struct import_options *options;
	const struct guest *guest;              /* import_guest: ->in is its recording */
	const struct import_combined *combined; /* import_combine: ->in is the first of them */
	/* set by an importer that makes the records later; NULL: it has to make them now */
	struct trace_dat_later **later;
	const struct trace_dat_wanted *wanted; /* records to make; NULL: all */
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
	bool apart; /* in a process of its own, which a library may end */
};

extern const struct importer import_perf, import_perfetto, import_tracedir, import_ctf, import_text,
	import_combine, import_guest;

/* --- the sink --- */

struct sink_option {
	u16 id;
	struct span data;
};

struct sink_buffer {
	const char *name;
	struct trace_dat_cpus *cpus;
};

struct import_sink {
	struct arena arena; /* memory that lives as long as the sink */
	struct import_machine machine;
	struct format_list formats;
	const struct format_list *reserved; /* formats that may be added, with their ids; or NULL */
	ARRAY(struct sink_option) options;
	struct strbuf caveats; /* of the recording; stored in the file. See base/caveat.h */
	struct span kallsyms, printk;
	struct comm_table comms; /* names of tasks, and their times: the latest name wins */
	struct strbuf cmdlines;
	int direct; /* the output, for trace_dat_cpus_direct(); < 0: none */
	struct trace_dat_cpus cpus;
	ARRAY(struct sink_buffer) buffers; /* beside the top one, that of ->cpus */
};

/*
 * @subbuf: size of a sub-buffer; for a longer record the result is -HIST_ELIMIT. @direct: the
 * unnamed file that the trace.dat is written to, uncompressed; < 0: another one.
 */
struct import_sink *import_sink_new(u32 subbuf, int direct);

void import_sink_free(struct import_sink *s);

/* Set the machine; the first call to a new sink. */
int import_sink_machine(struct import_sink *s, const struct import_machine *machine);

/* Add an event format (text of .../format), see format_list_add(). */
int import_sink_format(struct import_sink *s, const char *system, struct span text);
/* Replace the text of the event with this id. */
int import_sink_format_again(struct import_sink *s, u32 id, struct span text);

/* An id that no format has; 0: all are in use. */
u32 import_sink_free_id(const struct import_sink *s);

/* Set KALLSYMS or PRINTK. */
int import_sink_text(struct import_sink *s, enum trace_dat_option_id id, struct span text);
int import_sink_option(struct import_sink *s, u16 id, struct span data);
/* Set UNAME, of which perf has these parts; without @release nothing is set. */
int import_sink_uname(struct import_sink *s, struct span host, struct span release,
		      struct span arch);

/* Add lines "PID COMM" of saved_cmdlines; names with a time take precedence. */
int import_sink_cmdlines(struct import_sink *s, struct span text);
/**
 * import_sink_record() - add a record of a CPU, in time order
 *
 * Return: 0; -HIST_ELIMIT if it is longer than a sub-buffer; -HIST_EIO, -HIST_ENOMEM
 */
int import_sink_record(struct import_sink *s, u32 cpu, u64 ts, const void *data, u32 len);

/*
 * Add a buffer beside the top one, whose records have the CPUs that are returned until the sink is
 * freed; NULL: no memory
 */
struct trace_dat_cpus *import_sink_buffer(struct import_sink *s, const char *name);

int import_sink_write(struct import_sink *s, const struct import_job *job,
		      const struct import_output *to);

/* Run an importer into a temporary file of about @bytes, and open it; @job lacks the sink. */
int import_run_open(const struct importer *importer, struct import_job *job, u64 bytes,
		    struct trace_dat **made);
