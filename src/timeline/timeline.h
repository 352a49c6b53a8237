/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A timeline: lanes of spans of time, as a part of a page.
 *
 *	spans ─add─▶ lanes, the shortest ones summed up ─write─▶ a picture, and data for a script
 *
 * However many spans are added, memory and page stay small: when the lanes of a group have too many
 * spans, the shorter half of those of the fullest lane become bins: sums by name and slice of time.
 * So numbers and times of each name stay exact, and what remains is each span from some length on.
 */
#pragma once
#include "base/base.h"

enum timeline_look {
	TIMELINE_RUN,   /* who ran on a CPU */
	TIMELINE_STATE, /* states of a task */
	TIMELINE_ROWS,  /* spans that may overlap */
	TIMELINE_VALUE, /* names are numbers */
	TIMELINE_MARK,  /* moments */
};

enum timeline_group { TIMELINE_OF_CPU, TIMELINE_OF_TASK, TIMELINE_OF_NONE, N_TIMELINE_GROUPS };

enum timeline_kind { TIMELINE_TEXT, TIMELINE_UNSIGNED, TIMELINE_SIGNED };

/* Values of the spans of a lane, besides their names. */
struct timeline_field {
	const char *name;
	enum timeline_kind kind;
};

/* Which spans have a lane in common. */
struct timeline_view {
	const char *event;
	enum timeline_look look;
	enum timeline_group group;
	const struct timeline_field *fields;
	size_t n_fields;
	size_t rank; /* the first ones are above the others */
};

struct timeline_span {
	u64 from, ns;
	u32 name;
};

enum { TIMELINE_EARLIER = UINT32_MAX }; /* the slice of what was before lane->since */

/* Spans of the same name in the same slice of time. */
struct timeline_bin {
	u32 slice, name;
	u64 n, ns;
};

struct timeline_lane {
	u32 view, of;  /* of: CPU or task */
	u32 sub;       /* a text; what differs from other lanes of its view and ->of */
	u32 owner;     /* index of ->owners */
	u64 n, ns;     /* all */
	u64 cut;       /* shorter spans are in bins */
	u64 since;     /* when earlier ones were is not known any more; 0: it is */
	bool stepping; /* the last span goes on until the next one */
	ARRAY(struct timeline_span) spans;
	ARRAY(u64) values; /* of the fields, one span after the other */
	INDEXED(struct timeline_bin) bins;
};

/* A CPU, a task, or none. */
struct timeline_owner {
	enum timeline_group group;
	u32 of, name; /* name: a text, the last one */
	u64 busy;     /* ns in which it ran or waited for a CPU */
	bool hidden;
};

struct timeline_mark {
	u64 at;
	const char *text;
};

struct lanes {
	u64 from, to, slice; /* ->slice: ns of a bin */
	struct texts texts;
	ARRAY(struct timeline_view) views;
	INDEXED(struct timeline_lane) lanes;
	INDEXED(struct timeline_owner) owners;
	ARRAY(struct timeline_mark) marks;
	size_t n_spans[N_TIMELINE_GROUPS], n_bins;
	size_t n_hidden;   /* tasks, after timeline_write() */
	const char *input; /* " -i FILE", for commands */
	bool no_time;      /* the clock counts something else */
};

int timeline_init(struct lanes *t, u64 from, u64 to);
void timeline_release(struct lanes *t);

/* The number of a text; that of "(others)" if there are too many. 0, -HIST_ENOMEM */
int timeline_text(struct lanes *t, struct span text, u32 *number);

/* Find a lane, or add it: 0, -HIST_ENOMEM. *@lane: its index */
int timeline_lane(struct lanes *t, u32 view, u32 of, u32 sub, size_t *lane);

/**
 * timeline_add() - add a span to a lane
 * @values: of the fields of its view
 * @steps:  it goes on until the next one of its lane
 */
int timeline_add(struct lanes *t, size_t lane, const struct timeline_span *span, const u64 *values,
		 bool steps);

/* Append the picture and the data, within a <div>. Return: 0, -HIST_ENOMEM */
int timeline_write(struct lanes *t, struct strbuf *out);

/* What the colours of tasks and CPUs are. */
void timeline_legend(struct strbuf *out);

/* --- timeline_picture.c --- */

void timeline_draw(const struct lanes *t, const u32 *order, size_t n, struct strbuf *out);

/* "CPU 0", "bash-12", "" */
void timeline_owner_text(const struct lanes *t, const struct timeline_owner *o, struct strbuf *out);
