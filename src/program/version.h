/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * All differences between kernel versions, in one table (version.c).
 *
 * Stable trees adopt changes at some patch level, so the patch level matters. A version that is
 * newer than the table, or unknown, uses the newest rules; an older one the oldest.
 */
#pragma once
#include "event/event.h"
#include "tracing_map/tracing_map.h"

enum { KERNEL_PATCH_NEWEST = 0xffff };

struct kernel_version {
	unsigned int major, minor; /* 0.0: unknown */
	unsigned int patch;        /* KERNEL_PATCH_NEWEST: not in the text */
};

/* Rules. True since the versions in the table; earlier versions do the opposite. */
struct kernel_quirks {
	struct kernel_version version; /* the version of these rules */
	bool heapsort_pairs;     /* the order of ties: the sort moves the two largest per round */
	bool nohitcount;         /* nohitcount, and hitcount is a field that accepts modifiers */
	bool common_stacktrace;  /* it, .stacktrace, stack variables, the generic fields */
	bool stacktrace_is_key;  /* STACKTRACE as a key is the stack; before: a field */
	bool deep_stacks;        /* stacks have up to 31 frames; before: 16 */
	bool dollar_inside;      /* system.event.$var; before: $system.event.var */
	bool name_rebuilt;       /* system.event.var once; before: repeated on each output */
	bool typed_hidden_keys;  /* hidden histograms use the keys with their modifiers */
	bool expr_text_checked;  /* an expression text of more than 255 bytes is refused */
	bool buckets_in_expr;    /* ".buckets=10" in expressions; before: ".buckets" */
	bool log2_up_to_64;      /* .log2 of numbers above 2^63 is 2^64; before: 2^0 */
	bool percent_values;     /* values accept .percent and .graph, which were refused before */
	bool whole_array_keys;   /* a char array as a key includes the bytes after its NUL */
	bool common_comm;        /* common_comm, comm and COMM are keys and values */
	bool cpu_named_twice;    /* common_cpu is printed as common_cpucommon_cpu in triggers */
	bool function_in_debug;  /* hist_debug names the function of a field */
	bool synth_fmt_spaces;   /* a blank between the fields of a synthetic print fmt, no comma */
	bool filter_function;    /* FIELD.function */
	bool filter_cpus;        /* CPUS{} */
	bool filter_needs_end;   /* a filter that ends in && or || is refused */
	bool trigger_filter_log; /* bad filters of triggers reach error_log */
	bool glob_class_ends;    /* [!x] does not match the end of a string */
	bool hist_pads;          /* a histogram uses a per-CPU buffer: at most 4 nested ones */
	bool resched_lazy; /* need-resched has a lazy kind; before, its flag meant "unsupported" */
	bool syscall_args_0x;    /* trace: 0x before arguments of system calls of 10 and more */
	bool set_event_mod;      /* set_event takes :mod:MODULE */
	bool probe_btf;          /* arguments of probes by name, $arg*; more types and messages */
	bool probe_casts;        /* typecasts of arguments; at most 8 nested expressions */
	bool dynevent_log;       /* unknown types of dynamic_events reach error_log */
	bool fields_symbols;     /* options/fields: symbols of addresses */
	bool fields_bytes;       /* options/fields: the bytes of a string that is not printable */
	bool fields_own_address; /* options/fields: a pointer to a string is that of its field */
	bool show_events;        /* files show_event_filters and show_event_triggers */
	bool probe_too_many;     /* so do too many arguments of a probe */
	bool probe_valiable;     /* "$-valiable" in their messages */
	bool probe_variable;     /* "$-variable" again */
	bool eprobe_var_at;      /* those of eprobes are where the variable is */
	bool eprobe_casts;       /* typecasts of arguments of eprobes */
	bool fprobe_no_max;      /* f and t take no number */
	bool fprobe_late;   /* symbols of their arguments are looked up when they are enabled */
	bool nohash_texts;  /* trace with options/nohash-ptr shows the first text of events */
	bool tprobes_share; /* several probes on one tracepoint */
	/* those of no kernel: --unlimited, and exact rules */
	bool exact;       /* these are the exact rules */
	bool unlimited;   /* without the limits on keys, values, sort keys, entries and stacks */
	bool rows_by_key; /* rows that compare equal are in the order of their keys */
	bool symbol_keys; /* keys with .sym are symbols; of a kernel: addresses, shown as symbols */
};

/*
 * "6.12.117-1", "Linux host 6.12.107+deb13-amd64 x86_64": the last word that starts with
 * number.number; otherwise 0.0. Debian's 6.1.0-NN gives the release of that package.
 */
struct kernel_version kernel_version_parse(const char *text);

/*
 * The newest version with these formats of events, and the event that proves it, for a recording
 * without a version; 0.0 if they are also those of the newest kernel.
 */
struct kernel_version kernel_version_of_formats(const struct event_text *texts, size_t n,
						const struct event_text **proof);

/* Whether no kernel of this tree was compared; @below and @above are the nearest compared trees. */
bool kernel_version_between(struct kernel_version v, struct kernel_version *below,
			    struct kernel_version *above);

/* The rules of @v. */
void kernel_quirks_init(struct kernel_quirks *q, struct kernel_version v);

/* The exact rules: those of the newest kernel without its faults and limits. */
void kernel_quirks_exact(struct kernel_quirks *q);

/* Maximum number of frames of a stack in a key or a variable of a kernel. */
static inline u32 kernel_stack_depth(const struct kernel_quirks *q)
{
	return q->deep_stacks ? 31 : 16;
}

/* The generic fields of every event. */
enum event_generics kernel_generics(const struct kernel_quirks *q);
