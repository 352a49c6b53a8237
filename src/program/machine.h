/* SPDX-License-Identifier: LGPL-2.1-only */
/* The recorded machine. */
#pragma once
#include "program/version.h"

struct code;
struct synth_event;
struct tracing;

/* Its properties. */
struct machine {
	struct event_db *db;
	struct code *code;                  /* where symbols of programs are from */
	const struct kernel_quirks *quirks; /* of its kernel */
	struct {
		/* of triggers that users write, and of questions; NULL: those of the kernel */
		const struct kernel_quirks *trigger, *question;
	} rules;
	const char *release; /* from uname -r */
	const char *arch;    /* from uname -m */
	const char *clock;   /* the recording's */
	const char *clocks;  /* text of its trace_clock, or NULL */
	bool big_endian;
	u32 long_size;
	u32 nr_cpus;
	u32 page_size;      /* of the kernel */
	bool journal;       /* of tasks: a recording has one */
	bool types_guessed; /* of fields, from a text of a trace */
	/* defines a derived event, or returns NULL; NULL: there are none */
	struct synth_event *(*derive)(struct tracing *t, struct span name);
};

/* The rules of a histogram. */
static inline const struct kernel_quirks *machine_rules(const struct machine *m, bool question)
{
	const struct kernel_quirks *rules = question ? m->rules.question : m->rules.trigger;

	return rules ? rules : m->quirks;
}

/* Maximum number of frames of a stack in a key or variable. */
u32 rules_stack_depth(const struct kernel_quirks *rules);

/* Whether trace_clock accepts this name. */
bool machine_has_clock(const struct machine *machine, const char *clock);
