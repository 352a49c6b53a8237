/* SPDX-License-Identifier: LGPL-2.1-only */
/* How the replay of an instance handles the records of each id. */
#pragma once
#include "names/names.h"
#include "recording/recording.h"

struct derive_input;

struct run_needs;

enum { EVENT_HEADER_SIZE = 8 }; /* type, flags, preempt count, pid */

/* How the histograms of an event are counted. */
enum plan_way {
	WAY_ORDER, /* one thread, all records in time order; another one may read them */
	WAY_RANGE, /* each thread processes ranges of sub-buffers; their maps are added up */
	N_WAYS,
};

enum stack_kind { NOT_A_STACK, KERNEL_STACK, USER_STACK };

struct packed_text;

/* A record that changes which tasks set_event_pid selects: offsets of pids. */
struct task_change {
	u32 parent_at, child_at; /* of sched_process_fork */
	u32 freed_at;            /* of sched_process_free; the other one is 0 */
};

/* A __data_loc or __rel_loc field: offset and length of its data, in one word. */
struct dynamic_field {
	u32 at;
	u32 base; /* what the offset is relative to: 0, or for __rel_loc the end of the word */
};

/* How the replay handles records of one id. */
struct dispatch {
	struct event_file *file;           /* the event whose triggers run; NULL: none */
	struct event_count *event;         /* the same */
	const struct name_event *names;    /* what the record states of tasks; NULL: nothing */
	const struct task_change *change;  /* with options/event-fork; else NULL */
	const struct derive_input *derive; /* derivers read its records; NULL: none */
	const struct dynamic_field *dynamic;
	const struct synth_event *synth; /* that event, with the layout of the script's */
	struct packed_text *packed; /* text of trace_printk(), for triggers; NULL: another event */
	u64 count;                  /* records so far, in the replayed span */
	u32 min_size;               /* shorter records are skipped */
	u32 sure_size;              /* a record of this size is not skipped */
	u32 n_dynamic;              /* fields whose data must be in the record, too */
	u32 marker_at; /* ftrace:print: offset of its text; otherwise 0; ->file may be NULL */
	u32 slot;      /* by range: index of its batch in the table */
	enum plan_way way : 8;
	enum stack_kind stack : 8; /* a stack, of the record before it */
	bool big_endian;
	bool is_nested;  /* triggers of another event record it: a synthetic event, an eprobe */
	bool copied;     /* copied to the buffer unchanged */
	bool renumbered; /* has another id in the directory */
	bool special; /* needs more than running triggers, or triggers receive a changed record */
	bool asks;    /* its triggers need names of tasks to count a record */
	bool hits;    /* the current pass runs its triggers */
	bool guesses; /* and names may be guesses, which are counted */
	bool plain;   /* and nothing else uses its records */
	bool derives; /* only derivers use them */
	bool single;  /* by range: they also need other records, which are near them */
};

/* The table by id, for one file and one instance. */
struct dispatch_table {
	struct dispatch *by_id;
	u8 *keep; /* ids whose records the current pass needs; see struct ring_buffer_iter */
	struct ring_buffer_numbers calls; /* by range: of ids with a number */
	u32 n;
	u32 *slots; /* by range: ids of the events with a batch */
	u32 n_slots;
	u32 stack_at; /* offset of the entries of a kernel stack */
	u32 user_stack_at;
	bool has_synth;  /* some dispatch has ->synth */
	bool stack_hits; /* kernel stacks have triggers */
};

/* Whether data of a dynamic field is outside of the record, which has the length of its format. */
bool dispatch_points_outside(const struct dispatch *d, const u8 *data, u32 len);

/* Whether a record is skipped, because its format or a dynamic field needs a longer one. */
static inline bool dispatch_is_short(const struct dispatch *d, const struct ring_buffer_record *rec)
{
	/* without the address of @rec, so that it can be in registers */
	return unlikely(rec->len < d->sure_size) &&
	       (rec->len < d->min_size || dispatch_points_outside(d, rec->data, rec->len));
}

/* Owns: allocated in @arena. Return: NULL if out of memory. */
struct dispatch_table *dispatch_table_new(struct hist *h, const struct recording *rec,
					  const struct trace_array *tr,
					  const struct run_needs *needs, struct arena *arena);
