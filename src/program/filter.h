/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Filters, bound to the fields of an event and compiled to a program of jumps.
 */
#pragma once
#include "event/event.h"
#include "program/hit.h"

struct code_question;

/* How a predicate is evaluated. */
enum filter_pred_kind {
	PRED_NEVER,     /* always false */
	PRED_NUM,       /* an integer of the record: any operator */
	PRED_RANGE,     /* an integer of the record: inside or outside a range */
	PRED_CPU,       /* the CPU's number */
	PRED_STRING,    /* a string of fixed size */
	PRED_POINTED,   /* the same, of which the address is there (run/fuse.h) */
	PRED_DYN,       /* __data_loc */
	PRED_RDYN,      /* __rel_loc */
	PRED_USER,      /* __data_loc: a text that the program had at a pointer */
	PRED_COMM,      /* comm of the task */
	PRED_WHO,       /* about the task of a pid: text or number */
	PRED_CODE,      /* about code: one of the texts of the answer to ->question */
	PRED_CHOSEN,    /* the task of a pid is of the processes or cgroups of ->choice */
	PRED_POINTER,   /* an address among those of strings that match */
	PRED_FUNCTION,  /* an address within [val, val2) */
	PRED_NUM_CPUS,  /* an integer, compared with a set of CPUs */
	PRED_CPU_CPUS,  /* the CPU, compared with a set */
	PRED_MASK_CPUS, /* a cpumask, compared with a set */
	PRED_MASK_CPU,  /* a cpumask, compared with one CPU */
};

/*
 * A comparison as a range: numbers are shifted to the high end of 64 bits, and the sign bit is
 * inverted, so that all compare alike.
 */
struct filter_range {
	u64 flip, from, width;
	u32 shift;
	bool outside; /* accept numbers outside the range */
};

static inline bool filter_range_has(const struct filter_range *r, u64 v)
{
	return ((v << r->shift ^ r->flip) - r->from <= r->width) != r->outside;
}

struct filter_pred {
	enum filter_pred_kind kind;
	enum filter_op op;
	bool negated;
	u32 offset, size;
	bool is_signed;
	u64 val, val2;
	enum who_what who;
	const struct code_question *question;
	struct who_choice *choice; /* of the task in the field, or of the record if ->size is 0 */
	struct filter_range range;
	struct filter_pattern pattern;
	const u64 *cpus; /* one bit each, nr_cpus of them */
	u32 nr_cpus;
	const u64 *addrs; /* ascending, nr_addrs of them */
	size_t nr_addrs;
};

/* Evaluate pred, then continue at .yes or .no; FILTER_TRUE and FILTER_FALSE end. */
enum { FILTER_TRUE = -1, FILTER_FALSE = -2 };

struct filter_insn {
	struct filter_pred pred;
	int yes, no;
};

struct filter {
	struct arena arena;
	const char *text; /* of the filter file: the filter, or an error text */
	bool failed;      /* the filter is inactive and only shows its text */
	bool big_endian;
	bool glob_class_ends; /* the rules of the kernel version */
	u32 long_size;
	u32 min_size; /* shorter records never match */
	size_t n_insns;
	struct filter_insn *insns;
	bool needs_comm, needs_who; /* the second implies the first */
	u8 reads;                   /* ->asks of the fields that it reads */
	bool needs_code, needs_stacks;
	u64 *beyond; /* how often it compared bytes after the end of a record, atomic; or NULL */
	const char *unknowable; /* what it needs that recordings do not contain; NULL */
};

void filter_free(struct filter *filter);

/* The range if the whole filter is one, with *has set if numbers in it pass; otherwise NULL. */
static inline const struct filter_pred *filter_only_range(const struct filter *f, bool *has)
{
	if (f->failed || f->n_insns != 1 || f->insns[0].pred.kind != PRED_RANGE)
		return NULL;
	*has = f->insns[0].yes == FILTER_TRUE;
	return &f->insns[0].pred;
}

/* Whether exactly the records with @text in the text @field pass. */
static inline bool filter_is_text(const struct filter *f, const struct event_field *field,
				  struct span text)
{
	const struct filter_pred *p = f && !f->failed && f->n_insns == 1 ? &f->insns[0].pred : NULL;

	return p && (p->kind == PRED_STRING || p->kind == PRED_DYN) &&
	       f->insns[0].yes == FILTER_TRUE && p->offset == field->offset && !p->negated &&
	       p->pattern.match == MATCH_FULL && span_same(p->pattern.text, text);
}

/* Whether a text matches, whose length is @len in the kernel; a class ends as in @class_ends. */
bool filter_text_match(const struct filter_pattern *pat, struct span text, size_t len,
		       bool class_ends);

/* Whether the record passes; NULL passes all. */
bool filter_match(const struct filter *filter, const struct hit *hit);
