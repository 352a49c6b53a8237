/* SPDX-License-Identifier: LGPL-2.1-only */
/* The derivers of an instance. */
#pragma once
#include "derive/batch.h"

struct derive_input {
	struct derive *d;
	size_t deriver, input; /* indices */
	const struct used *of; /* of the deriver */
	void (*hit)(void *state, const struct derive_record *r);
	struct input_fields fields;
	const char *system, *event;
	const struct slice_edge
		*edge;             /* of the script's definition; NULL: the event is a deriver's */
	u32 definition;            /* see derive_definition() */
	bool any;                  /* it has records */
	struct derive_input *next; /* another deriver reads the same event; NULL: none */
	bool second;               /* it is the ->next of one */
	bool stacks;               /* its last field is a stack, which is not in ->fields */
};

/* Who receives an event. */
struct receiver {
	struct event_file *file;         /* NULL: none */
	u8 asks;                         /* see event_asks() */
	const struct fused_trace *fused; /* they only need the values; NULL: it needs records */
	u32 kept;                        /* its number in derive->keep */
};

struct used {
	void *state;                      /* NULL: it is not used */
	bool wanted;                      /* not only by other derivers */
	ARRAY(struct receiver) receivers; /* of its events */
};

struct derive_cpu {
	bool hole;    /* its records are missing now */
	u64 since;    /* the end of the last hole; 0: none */
	u64 switched; /* its last task switch, see derive_switched() */
};

struct derive {
	struct trace_array *tr;
	const struct hit_context *context;
	struct used used[N_DERIVERS];
	ARRAY(struct derive_input *) inputs;
	struct arena arena;
	bool wants_stacks, wants_causes; /* see derive_wants_causes() */
	u64 works[4][2];                 /* from, to; see is_throttled() */
	INDEXED(u64 *) stacks;           /* of records, each once */
	struct diags *diags;             /* of derive_new() */
	u64 from, to;
	const u64 *cpus;
	u32 nr_cpus;
	size_t n_chained; /* inputs that have the same event, at most */
	/* of the thread that reads records */
	struct derive_batch *own, *batch; /* ->batch is being filled */
	u8 apart[64];                     /* what follows is in other lines of the caches */
	/* of the one that derives */
	struct derive_record last;
	u64 begin; /* see derive_begin() */
	u64 start; /* of the recording, or of the current file */
	ARRAY(struct derive_cpu) whole;
	u32 n_holes;      /* CPUs that are in one */
	u64 first_switch; /* 0: none so far */
	u32 epoch;
	bool rehearses;
	bool ends;   /* there are no more records */
	bool counts; /* what the current deriver leaves out is left out */
	struct derive_account account;
	const struct task_set *only; /* see derive_only() */
	bool chooses;                /* some events are not traced, or cut */
	/* with a window that does not begin with the recording: */
	bool windowed, unsure;
	ARRAY(bool) awaited; /* CPUs with records, of which it is not known what they do */
	size_t n_awaited;
	u16 part;                          /* of the maps, see struct hit */
	bool begins;                       /* a window of time does: nothing is traced */
	struct derive_window *window;      /* that is read; NULL: none */
	ARRAY(struct derive *) parts;      /* of windows */
	struct kept_events *keep;          /* what is traced is added; NULL: nothing is */
	const struct derive_account *kept; /* of events that come from there; NULL: none did */
};

/* derive_hit(), but for the input of other derivers of these events. */
void derive_read(struct derive *d, const struct derive_input *in, const struct hit *hit);

/* A record was added to the batch of a window. */
void derive_window_note(struct derive_window *w, const struct derive_record *r);

/* Who receives an event. */
static inline struct receiver *derive_receiver(const struct derive *d,
					       const struct derived_event *event)
{
	return &d->used[event->of].receivers.v[event - derivers[event->of]->events];
}

/* Whether an input of a deriver has records: that event, or what does ->instead. */
bool derive_has_records(const struct derive *d, size_t deriver, const char *full);
