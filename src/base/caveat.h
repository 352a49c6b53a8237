/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Caveats: what is known to be missing in a recording or a result, or to be a guess.
 *
 * They travel with it, as a text of lines "KIND N" or "KIND N OF": in a trace.dat it is the option
 * TRACE_DAT_HIST_CAVEATS, in a saved result the member "caveats". Kind and .of are unique in a
 * text; lines of later versions are passed on.
 */
#pragma once
#include "base/diag.h"
#include "base/span.h"
#include "base/strbuf.h"

/* ORDER kinds in caveat.c */
enum caveat_kind {
	CAVEAT_SAMPLED,   /* the event .of was sampled: .n samples */
	CAVEAT_DAMAGED,   /* parts of .n recordings are damaged or missing */
	CAVEAT_LOST,      /* .n events (0: unknown) of CPU .of (absent: unknown) were lost */
	CAVEAT_UNSAVED,   /* up to .n bytes (0: unknown) of CPU .of are missing, after a kill */
	CAVEAT_NAMES,     /* .n events with a guessed name of a task */
	CAVEAT_TASKS,     /* .n events of tasks whose process or cgroup is not known */
	CAVEAT_SATURATED, /* .n sums of the value .of exceed 64 bits */
	CAVEAT_LEFT_OUT,  /* .n rows were left out when the result was saved */
	CAVEAT_SWITCHES,  /* .n sched_switch do not follow the one before, see replay/derived.c */
	N_CAVEATS,        /* a kind of a later version */
};

struct caveat {
	enum caveat_kind kind;
	u64 n;
	struct span of;   /* empty: not needed */
	struct span name; /* of the kind */
};

/* The next caveat of a text; false after the last one. Lines in another form are skipped. */
bool caveat_next(struct span *lines, struct caveat *c);

/* Whether the text has that kind, of @of (NULL: of anything); sets @c (NULL: not needed). */
bool caveat_find(struct span lines, enum caveat_kind kind, const char *of, struct caveat *c);

/* Add to the caveat of @lines with that kind and .of; sums saturate. */
void caveat_add(struct strbuf *lines, const struct caveat *c);
void caveat_add_all(struct strbuf *lines, struct span more);

/* Append the .of of a CPU of a buffer (""; the top one). */
void caveat_cpu(struct strbuf *of, u32 cpu, const char *instance);

/* Append a sentence. */
void caveat_print(const struct caveat *c, struct strbuf *out);

/* Warn of each caveat of the recording or result @name (NULL: not named). */
void caveats_diagnose(struct span lines, const char *name, struct diags *diags);
