/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a deriver is: the state machine of some derived events, and what it may ask of the replay.
 * derivers.c lists them, derive.c runs those whose events are used.
 */
#pragma once
#include "derive/comm.h"
#include "derive/derive.h"

enum { DERIVE_INPUTS_MAX = 16, DERIVE_INPUT_FIELDS_MAX = 8, DERIVE_USES_MAX = 3 };

/* ORDER: one that others use comes before them */
enum derive_id {
	DERIVE_IRQ,
	DERIVE_SOFTIRQ,
	DERIVE_THROTTLE,
	DERIVE_FREEZE,
	DERIVE_SCHED,
	DERIVE_SYSCALL,
	DERIVE_FUNCTION,
	DERIVE_BLOCK_IO,
	DERIVE_LOCK,
	DERIVE_SLICE,
	DERIVE_COUNTER,
	DERIVE_ALLOCATION,
	N_DERIVERS
};

struct derived_event {
	enum derive_id of;
	const char *name, *full; /* "wait", "derived:wait" */
	const char *definition;  /* as of a synthetic event */
	const char *named;       /* the same if an input's ->symbol is a text; NULL: none has one */
	/* whose derive_state() it asks; without their records, that is unknown */
	const struct deriver *uses[DERIVE_USES_MAX];
	bool complete; /* without these records it is less detailed, but nothing is unknown */
	bool cuts;     /* from ->ns before its end on, it is the same at any time */
	bool windows;  /* derive_unsure() is called if it depends on what was before a window */
	/* it can be derived by windows, see derive_tails.c, but for these fields; NULL: it cannot
	 */
	const char *past;
	/* fields that need derive_comm_at(), or only in an interval that is open; for which ->uses
	 * are, if they are read (NULL: they always are); that need cgroups: "waker_comm in_irq" */
	const char *asks, *asks_open, *asks_uses, *asks_cgroups;
};

/* All but the fields; then ->uses, if there are some. */
#define DERIVED_EVENT(of_, word, fields, ...)                                                    \
	{                                                                                        \
		.of = of_, .name = word, .full = "derived:" word, .definition = word " " fields, \
		__VA_ARGS__                                                                      \
	}

/* The last field. */
#define DERIVED_OPEN "char[8] open"

/* Which events an input is; the script can define those of slices, see tracing.h. */
enum deriver_use {
	DERIVER_NAMED,     /* ->event */
	DERIVER_UNDEFINED, /* ->event, unless the script defined others */
	DERIVER_BEGINS,    /* those that it defined */
	DERIVER_ENDS,
};

/* An event that a deriver reads. */
struct deriver_input {
	/* ->full: "sched:sched_switch"; ->event is a pattern if it contains '*' */
	const char *system, *event, *full;
	/* names of its fields, which the deriver gets by index */
	const char *fields[DERIVE_INPUT_FIELDS_MAX];
	bool needed; /* without it nothing is derived */
	/* one that is not needed if this has records, as "sched:sched_switch" */
	const char *instead;
	bool unasked;             /* hist record does not record it for the derived event */
	bool stack, stack_causes; /* then its stack follows, if derive_wants_stacks(), _causes() */
	enum deriver_use use;
	u8 texts, perhaps;  /* bits of fields: texts, not numbers; those of some kernels only */
	const char *symbol; /* but this field: an address, or in traces of texts its name */
};

#define DERIVER_INPUT(system_, event_) \
	.system = (system_), .event = (event_), .full = system_ ":" event_

/* A record of an input, decoded. */
struct derive_record {
	u64 ts, at;                    /* as in struct hit */
	const struct derive_input *in; /* NULL: not a record, see derive_records.c */
	u32 cpu;
	s32 pid;                        /* the task that ran */
	u16 size;                       /* in bytes, in a batch: that of the fields of this input */
	u8 input;                       /* index of deriver->inputs */
	u8 flags;                       /* common_flags */
	u8 known;                       /* a bit for each field that the record has */
	u64 n[DERIVE_INPUT_FIELDS_MAX]; /* numbers; addresses of texts */
};

/* A text, but a name of a task, until the next record; .s is NULL if there is no such field. */
static inline struct span derive_text(const struct derive_record *r, size_t field)
{
	const char *text = (const char *)(uintptr_t)r->n[field];

	return (struct span){ text, text ? strlen(text) : 0 };
}

/* The name of its event; DERIVER_BEGINS, DERIVER_ENDS: index of tr->slices. */
const char *derive_event_name(const struct derive_record *r);
u32 derive_definition(const struct derive_record *r);
/* Whether a field that can be an address or a name is a name; whether that of any input is. */
bool derive_is_text(const struct derive_record *r, size_t field);
bool derive_names_symbols(struct event_db *db, const struct deriver *deriver);

/*
 * A state machine. It is given the records of its inputs in time order, and calls derive_trace().
 * A new one: this struct in a file of its own, an enum derive_id, and a line in derivers.c.
 *
 * The last field of each event is DERIVED_OPEN: derive_open_word(). If derive_opens(), an interval
 * whose beginning was not recorded is traced from derive_begin() on, if its records prove that it
 * was already running then; and one that still runs at the end is traced by ->end().
 */
struct deriver {
	const struct derived_event *events;
	size_t n_events;
	const struct deriver_input *inputs;
	size_t n_inputs;
	/* It gets records while those of other CPUs are missing, and asks derive_went_on(). Others
	 * get none until the records of all CPUs are there again. */
	bool in_holes;
	bool lasting; /* its ->end() at the end of the recording is called without derive_opens() */
	bool rare;    /* its events are few: recorded for all that use it */
	size_t size; /* of its state, whose first member is its struct derive *; the rest is zero */
	/* @print_fmts: of each input, NULL if it is unknown; 0 or -HIST_ENOMEM. NULL: nothing */
	int (*open)(void *state, const char *const *print_fmts);
	void (*hit)(void *state, const struct derive_record *r);
	/*
	 * Records are missing after @last, or there are no more: if derive_opens(), trace what
	 * still runs, until @last->ts (the other members of a copy are those of the interval);
	 * otherwise derive_left_out(). Forget it.
	 *
	 * @last->cpu: only of this CPU; what cannot have ended there goes on. It is called again
	 * when none are missing any more, to forget what began meanwhile. DERIVE_ALL_CPUS: of all
	 */
	void (*end)(void *state, const struct derive_record *last);
	void (*close)(void *state); /* release what the state refers to; NULL: nothing */
	/*
	 * Whether it needs a rehearsal: all records, without tracing anything, to find out what
	 * comes later. It @ends: what follows is the first record again. NULL: none
	 */
	bool (*rehearse)(void *state, bool ends);
	/* By windows of time, see derive_tails.c. One begins, and from @past on all is as if it had
	 * had all records; false: not with what is asked. NULL: never */
	void (*touches)(const struct derive_record *r, struct derive_touches *t);
	bool (*begin)(void *state, const struct derive_past *past);
	/* Add what it knows at the end of a replay; NULL: nothing. */
	void (*account)(const void *state, struct derive_account *sum);
};

#define DERIVER_OF(state, events_, inputs_)                                        \
	.size = sizeof(state), .events = events_, .n_events = ARRAY_SIZE(events_), \
	.inputs = inputs_, .n_inputs = ARRAY_SIZE(inputs_)

extern const struct deriver derive_irq, derive_sched, derive_syscall, derive_function,
	derive_block_io, derive_slice, derive_softirq, derive_lock, derive_counter,
	derive_allocation, derive_throttle, derive_freeze;
extern const struct deriver *const derivers[N_DERIVERS];

/* Whether the event @i of @deriver is received; and its ->asks_uses read; or who woke. */
bool derive_wants(const struct derive *d, const struct deriver *deriver, size_t i);
bool derive_wants_uses(const struct derive *d, const struct deriver *deriver, size_t i);
bool derive_wants_waker(const struct derive *d, const struct deriver *deriver, size_t i);

const struct machine *derive_machine(const struct derive *d);
/* Number of tr->slices; whether only some events begin such a slice. */
u32 derive_definitions(const struct derive *d);
bool derive_is_filtered(const struct derive *d, u32 definition);

/* The state of a deriver that an event uses; NULL if it is not used. */
void *derive_state(const struct derive *d, const struct deriver *deriver);

/* Trace an event. @values: of each field, the number or address of a text; @task: whose it is */
void derive_trace(struct derive *d, const struct derived_event *event, const u64 *values,
		  const struct derive_record *r, s32 task);

/* A place in the order of records, see struct hit; the CPU is that of an idle task. */
struct derive_moment {
	u64 ts, at;
	u32 cpu;
};

static inline struct derive_moment derive_moment(const struct derive_record *r)
{
	return (struct derive_moment){ r->ts, r->at, r->cpu };
}

/* The name that a task had, for the fields ->asks and ->asks_open; "" if nothing reads them. */
void derive_comm_at(const struct derive *d, const struct derived_event *event,
		    struct derive_moment when, s32 task, struct derive_comm *comm);

/* Out of memory: the replay fails. */
void derive_fail(struct derive *d);
#include "derive/edges.h"
