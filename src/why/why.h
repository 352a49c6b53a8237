/* SPDX-License-Identifier: LGPL-2.1-only */
/* why: what an interval of a task consisted of. */
#pragma once
#include "hist-why.h"
#include "replay/replay.h"
#include "why/why_tree.h"

/* --- why.c: which rows --all has --- */

enum { WHY_KEYS_MAX = 8 };

/* ORDER keys in why.c */
enum why_by {
	WHY_BY_WHAT,   /* what the task did */
	WHY_BY_BY,     /* who ran meanwhile, or woke it */
	WHY_BY_IN,     /* its system call */
	WHY_BY_REASON, /* why it waited: that of derived:delay */
	WHY_BY_FIELD,  /* a field of the event */
};

struct why_keys {
	struct why_key_of {
		const char *name;
		enum why_by by;
		bool detail; /* not in a table for people */
	} v[WHY_KEYS_MAX];
	size_t n;
};

/* --- why_find.c: which interval --- */

/* Which intervals of the script's events are wanted. */
struct why_wanted {
	const s32 *pid; /* NULL: of all tasks */
	const u64 *at;  /* NULL: the longest ones */
	const u32 *cpu; /* with ->at: where it ended, or its field "cpu"; NULL: all */
	size_t max;     /* number of intervals */
	u64 min;        /* ns; shorter ones are left out */
	bool all;       /* in the order of the recording; more than ->max are too many */
	const struct why_keys *keys;     /* with ->all; fields of the event are kept */
	const struct why_interval *same; /* only those like this one, of any event; NULL: all */
	bool texts;                      /* the first replay finds them, too */
};

/* After each of several fields in a word. */
#define WHY_FIELDS_END "\x1f"

struct why_interval {
	const struct event_file *file; /* valid until the directory is restarted */
	u64 from, to;
	s32 pid;
	u32 cpu, of_cpu; /* on which it ended; its field "cpu", which may be another one */
	char *text;      /* the record that ends it; NULL: unknown */
	char *comm;      /* of the task then; NULL: that of its last state */
	u32 fields;      /* those of ->keys, a word of ->texts */
};

struct why_found {
	ARRAY(struct why_interval) best; /* the longest first; or all */
	size_t n;                        /* all */
	size_t ends;                     /* those that end at ->at, which are the first */
	bool unsure;                     /* in a larger window, others may be found */
	bool bare;                       /* their texts were not read */
	struct why_store texts;          /* only its words are used */
};

/* Whether they are alike but for the event and what else is in its text. */
bool why_interval_like(const struct why_interval *a, const struct why_interval *b);

/*
 * Run the script, and find its longest intervals. Return: as hist_why(); with h->span.own,
 * -HIST_ENOENT without a diagnosis if windows do not find them
 */
int why_find(struct hist *h, const struct hist_script *script, const struct why_wanted *wanted,
	     struct why_found *found, struct diags *diags);
void why_found_release(struct why_found *found);

/* --- why_collect.c: what happened --- */

/*
 * Fill in @s, which is finished then, with all that overlaps these times. Return: as hist_why(),
 * but without a diagnosis for -HIST_ELIMIT
 */
int why_collect(struct hist *h, struct why_piece span, struct why_store *s, struct diags *diags);

/* --- printers --- */

struct why_answer {
	const struct why_interval *interval;
	const char *event; /* "derived:wait"; NULL: a span of time was given */
	size_t rank, of;   /* it is the ->rank-th longest of ->of */
	const struct why_store *store;
	const struct why_tree *tree;
	const char *caveats; /* of the recording; see base/caveat.h */
	const struct diags *messages;
	const struct strbuf *timeline; /* html: of the tasks of the tree */
};

typedef void (*why_printer)(const struct why_answer *a, const struct hist_why_options *o,
			    struct strbuf *out);

/* What a part is, in words; "runs on CPU 1". */
void why_part_text(const struct why_answer *a, u32 part, struct strbuf *out);

const char *why_reason_text(enum why_reason reason);

/* "comm-pid"; @comm: its name at that time, a word, 0: its last one */
void why_task_text(const struct why_answer *a, s32 pid, u32 comm, struct strbuf *out);

void why_text(const struct why_answer *a, const struct hist_why_options *o, struct strbuf *out);
void why_json(const struct why_answer *a, const struct hist_why_options *o, struct strbuf *out);
void why_svg(const struct why_answer *a, const struct hist_why_options *o, struct strbuf *out);
void why_html(const struct why_answer *a, const struct hist_why_options *o, struct strbuf *out);
void why_perfetto(const struct why_answer *a, const struct hist_why_options *o, struct strbuf *out);

/* --- why_all.c: many intervals --- */

/* Its keys, in their order. The texts are borrowed from an arena; "" is none. */
struct why_sum {
	const char *of[WHY_KEYS_MAX];
	u64 ns, longest;
	u64 in_last; /* of interval ->last, which is counted in ->intervals */
	size_t intervals, last;
	/* of the long waits that are added up: */
	size_t waits; /* which */
	u32 next;     /* its next lane */
	u64 now;      /* how long it has run in the current one */
};

struct why_sum_key;
struct why_lane_row;
struct why_wait;

struct why_sums {
	const struct why_keys *keys;
	const struct why_found *fields;
	INDEXED(struct why_sum) rows;
	struct arena arena;
	const char *event, *caveats;
	u64 min, ns;
	size_t n; /* intervals */
	/* the rows of parts of the current store */
	const struct why_store *store;
	INDEXED(struct why_sum_key) parts;
	struct why_lane_row *lanes;   /* of each span of WHY_LANES */
	u32 of;                       /* fields of the current interval */
	const struct why_question *q; /* the current interval */
	ARRAY(struct why_wait) waits; /* that are added up at the end */
	size_t n_waits;               /* how often some of them were */
};

/* The intervals that follow are in this store. 0, -HIST_ENOMEM */
int why_sums_begin(struct why_sums *all, const struct why_store *s);

/* Add an interval with these fields, a word. 0, -HIST_ENOMEM */
int why_sums_add(struct why_sums *all, const struct why_question *q, u32 fields);

/* No more of them are in this store. 0, -HIST_ENOMEM */
int why_sums_end(struct why_sums *all);
void why_sums_release(struct why_sums *all);

/* --- why_all_print.c --- */

int why_sums_print(struct why_sums *all, const struct hist_why_options *o, struct strbuf *out);
