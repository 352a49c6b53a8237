/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Definitions of probes, lines of kprobe_events, uprobe_events and dynamic_events:
 * p[:[GROUP/][EVENT]] WHERE [ARGUMENT...], r[MAXACTIVE]..., and -:[GROUP/]EVENT; f and t, for
 * functions and tracepoints, and e for SYSTEM.EVENT, which may end in: if FILTER.
 */
#pragma once
#include "lang/complaint.h"

enum { PROBE_ARGS_MAX = 128, PROBE_NAME_MAX = 64, PROBE_ARG_NAME_MAX = 32, PROBE_SIZE_MAX = 3072 };

/* What the machine accepts. */
struct probe_rules {
	u32 long_size;    /* of an address; the size of an argument without a type */
	const char *arch; /* from uname -m, for names of registers; NULL: any name */
	bool plain_args;  /* no arguments by name, no $arg*, fewer types and messages */
	bool casts;       /* (TYPE) before an argument; longer expressions, nested less deeply */
	bool event_casts; /* (TYPE) before an argument of e */
	bool counts_args; /* too many arguments have a message */
	bool valiable;    /* a misspelt message */
	bool no_returns;  /* f and t take no number */
	bool late;        /* f and t: @SYMBOL is not looked up when they are defined */
	bool two_errors;  /* of registers of e, f and t */
	bool var_at_word; /* errors of variables of e are where the argument begins */
	const char *const *fields; /* of the event of an eprobe; ends with NULL */
};

/* What an argument is, if it needs no memory of the machine. */
enum probe_source {
	PROBE_MEMORY, /* unknown: only the machine has it */
	PROBE_FIELD,
	PROBE_IN_FIELD, /* in a text, which the record contains */
	PROBE_COMM,
	PROBE_NUMBER,
	PROBE_TEXT,
};

/* [NAME=]EXPRESSION[:TYPE] */
struct probe_arg {
	const char *name;
	struct span word, body; /* as written: all, and expression and type */
	bool typed;       /* a type was written; otherwise the kernel may choose another one */
	const char *type; /* of the field: "u64", "__data_loc char[]" */
	const char *fmt;  /* conversion in the print fmt */
	u32 size;         /* size of one element */
	u32 count;        /* number of elements; 0: not an array */
	bool is_signed;
	enum probe_source source;
	struct span operand; /* name of the field, number with its sign, text */
	u32 skip;            /* in a field: bytes before it */
	u8 bits, bits_at;    /* of a bit field; 0: all bits */
};

struct probe_text {
	struct span text; /* the command without blanks around it */
	bool remove;
	bool is_user; /* a uprobe: WHERE is PATH:OFFSET */
	bool is_return;
	char other;            /* 'e', 'f', 't'; else 0 */
	struct span maxactive; /* "8" of r8; may be empty */
	const char *group;     /* default: "kprobes" or "uprobes"; NULL: any group, in a removal */
	const char *name;      /* default: the name that the kernel derives */
	struct span where;
	struct span path, offset;  /* of a uprobe: the file, and the number after it */
	struct span system, event; /* of an eprobe: where it is attached */
	struct span suffix, refs;  /* of WHERE, after its % and its (; absent without them */
	struct span words;         /* the arguments, as written */
	struct span filter;        /* the words after "if"; absent without it */
	size_t n_args;
	struct probe_arg *args;
	bool bad_symbol, bad_offset; /* of WHERE or @SYMBOL, which the kernel sees after all else */

	/* Set: the definition is malformed. */
	bool bad;
	enum probe_err err;
	const char *hint; /* the kernel has no message: why; else NULL */
	struct span bad_text;
	size_t bad_after; /* the caret is this far after the start of bad_text */
	bool again;       /* the kernel adds a second message */
	enum probe_err again_err;
	struct span again_text;
};

/**
 * probe_text_cut() - one line
 *
 * Symbols, files and BTF, which only the machine has, are not checked. The arguments of an eprobe
 * are not cut. An empty line leaves .text empty and nothing bad.
 * Return: 0, -HIST_ENOENT: not a probe (.hint: what it lacks), -HIST_ENOMEM
 * Source: trace_kprobe.c, trace_uprobe.c __trace_uprobe_create(), trace_probe.c @ v6.12
 */
int probe_text_cut(struct arena *arena, struct span line, const struct probe_rules *rules,
		   struct probe_text *out);

/* Whether WHERE of a kprobe is an address, as a number. kernel: %p, so lists show a hash of it */
bool probe_address(const struct probe_text *probe, u64 *address);

/* The arguments of an eprobe, which depend on the fields of its event. 0, -HIST_ENOMEM */
int probe_text_cut_args(struct arena *arena, const struct probe_rules *rules,
			struct probe_text *out);
