/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Traces of Perfetto: messages of Protocol Buffers, called packets. Those with events of the kernel
 * are bundles, each of one CPU; bundles of a CPU may come in any order.
 *
 * A file is read twice: perfetto_scan.c finds bundles, types of events, symbols, tasks and track
 * events, of which perfetto_track.c makes markers; perfetto_put.c makes records of the bundles of
 * each CPU, in order of time.
 */
#pragma once
#include "perfetto_format/perfetto_format.h"
#include "import/inflate.h"
#include "import/made.h"
#include "import/perfetto_keys.h"
#include "import/perfetto_track.h"

/* By their number; further ones are left out. */
enum { PERFETTO_FIELDS_MAX = 64 };

/* An event of the kernel. */
struct perfetto_type {
	const char *system, *name;    /* system NULL: it is guessed from the name */
	u32 id;                       /* in the trace.dat */
	bool used, has_texts, prints; /* ->prints: it is ftrace:print */
	u8 n_fields;                  /* the largest number of a field */
	u8 n_unseen;                  /* optional fields that no event had yet */
	u16 size;                     /* of a record without its texts */
	struct made_field fields[PERFETTO_FIELDS_MAX];
};

struct perfetto_types {
	struct arena arena;
	ARRAY(struct perfetto_type *) list;
	struct perfetto_type *known_types[1024]; /* by their number; NULL: not looked up yet */
	struct perfetto_keys described;          /* of messages: indices in ->list */
	struct hash_table by_name;               /* of types that only have a name */
	const char *states;                      /* as in struct made_event */
};

/* A bundle of a CPU. */
struct perfetto_bundle {
	const u8 *p;
	u64 first, last; /* times; first > last: it has no events */
	u64 sequence;    /* with the number of times that its state was cleared */
	s64 shift;       /* from the clock of the events to that of the trace */
	u32 len, cpu, n;
	u32 clock;     /* of its events, whose ->shift is not known; 0: it is */
	u32 machine;   /* index */
	bool lost;     /* events before it were */
	bool unsorted; /* its events are not in order of time, or some are in lists */
};

struct perfetto_cpu {
	u64 lost_marks, overrun[2]; /* bundles with losses; the kernel's count at both ends */
	u64 before;                 /* an earlier bundle ended then, which is not in the file */
	u32 sequence, dropped;      /* that of its last bundle, and its ->dropped then */
	bool known;
};

struct perfetto_symbol {
	const char *name;
	u64 address, start; /* made of its index if the trace has none */
};

struct perfetto_machine {
	u64 id;
	ARRAY(struct perfetto_cpu) cpus;
	struct trace_dat_cpus *buffer; /* of its records; NULL: the first one's, or none yet */
};

struct perfetto {
	struct import_job *job;
	struct span whole;
	struct perfetto_types types;
	ARRAY(struct perfetto_bundle) bundles;
	ARRAY(struct perfetto_machine) machines; /* the first one: whose events come first */
	u32 machine;                             /* whose packet is read */
	struct {
		INDEXED(struct perfetto_symbol) list; /* by name */
		struct perfetto_keys keys;
	} symbols;
	INDEXED(struct perfetto_sequence) sequences;
	ARRAY(struct perfetto_task) tasks;
	struct perfetto_keys names; /* of track events */
	INDEXED(struct perfetto_track) tracks;
	ARRAY(struct perfetto_clock) clocks; /* by time, when all are known */
	INDEXED(struct perfetto_own_clock) own_clocks;
	u32 n_snapshots, clock; /* that of packets that name none; 0: that since the boot */
	ARRAY(struct perfetto_track_event) track_events;
	ARRAY(struct perfetto_mark) marks; /* by CPU and time */
	u64 n_unplaced;                    /* of them, whose CPU is not known; */
	u32 unplaced_cpu;                  /* they are on this one */
	u64 other_packets[192];            /* by the number of their field; [0]: larger ones */
	u64 n_events, n_damaged, n_machines, n_unknown;
	u64 n_unrelated;   /* bundles whose clock is not known */
	u64 overwritten;   /* chunks of Perfetto's buffer */
	u64 first_unknown; /* the number of the first unknown message */
	u64 holes;         /* compact switches to the task that runs already */
	u64 no_previous;   /* compact switches of which the previous task is not known */
	bool cut;
};

/* --- perfetto_types.c --- */

void perfetto_types_release(struct perfetto_types *t);

/* The type of a message by its number; NULL: it is not known, or was not looked up. */
static inline struct perfetto_type *perfetto_type_of(const struct perfetto_types *t, u64 number)
{
	return number < ARRAY_SIZE(t->known_types) ? t->known_types[number] : NULL;
}

/* Look it up. NULL: it is not known, or there is no memory (t->arena.failed) */
struct perfetto_type *perfetto_type_known(struct perfetto_types *t, u64 number);

/* Read the description of a type. Return: 0, -HIST_ENOMEM */
int perfetto_types_describe(struct perfetto_types *t, u64 sequence, struct proto message);

/*
 * The type of an event that carries its name; NULL: it carries none, or it is a new one and there
 * is no memory (t->arena.failed).
 */
struct perfetto_type *perfetto_type_generic(struct perfetto_types *t, struct proto event,
					    bool kprobe);

/* The fields that such an event carries become those of its type. Return: 0, -HIST_ENOMEM */
int perfetto_type_learn(struct perfetto_types *t, struct perfetto_type *type, struct proto event);

/* The field with this name; NULL: there is none */
struct made_field *perfetto_field_named(struct perfetto_type *type, struct span name);

/* Add formats of the types that are used, and set the places of their fields. */
int perfetto_types_formats(struct perfetto_types *t, struct import_sink *sink);

/* --- perfetto_scan.c --- */

int perfetto_scan(struct perfetto *pf);

/* The address that stands for the symbol @number of a sequence; @number if it has no such symbol.
 */
u64 perfetto_symbol(const struct perfetto *pf, u64 sequence, u64 number);

/* --- perfetto_put.c --- */

int perfetto_put(struct perfetto *pf);

/* --- perfetto_unpack.c --- */
/* Whether packets are compressed. */
bool perfetto_is_packed(struct span whole);
/* Write all packets uncompressed. Return: 0, -HIST_EIO with errno, -HIST_ENOMEM, -HIST_EFORMAT */
int perfetto_unpack(struct span whole, struct inflated *to, bool *cut);
