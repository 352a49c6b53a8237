/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The pretend tracing directory: instances, their events, what was written to them.
 */
#ifndef HIST_TRACING_TRACING_H
#define HIST_TRACING_TRACING_H

#include "base/base.h"
#include "event/event.h"
#include "program/machine.h"
#include "tracing/array_buffer.h"
#include "tracing/error_log.h"

struct filter;
struct trigger;
struct hist_data;
struct action_data;
struct probe;
struct run_source;
struct synth_event;

/* What the one conditional snapshot of an instance remembers. */
struct snapshot {
	const struct hist_data *hist;
	const struct action_data *action;
	u64 track_val;
	bool updated;
	char comm[16];
	_Alignas(8) u8 key[]; /* hist->key_size bytes */
};

/*
 * Whether an event is on. With triggers it is on softly: the probe runs so that triggers
 * see the event, but nothing is recorded while it is soft-disabled.
 */
struct event_state {
	bool enabled, soft_disabled, soft_mode;
	int soft_refs; /* who wants soft mode: its own triggers, and those that switch it */
};

/* Tasks that an event is about, see event_pid.h: offsets of their pids in the record. */
struct event_pids {
	bool any;          /* either counts; else the first together with the current one */
	u32 first, second; /* 0: none */
};

/* Pids in ascending order, each once. */
struct pid_list {
	u32 *v;
	size_t n;
};

/* An event in one instance. */
struct event_file {
	struct event_file *next, **link; /* of its instance's list, and what points to it there */
	struct trace_array *tr;
	u32 id; /* index in ->tr->by_id */
	const char *system, *name;
	const struct event_format *format;
	struct synth_event *synth;        /* set for an event that the script defined */
	ARRAY(struct trigger *) triggers; /* in the order in which they run and are shown */
	struct hash_table by_trait;       /* ids of these triggers, see trigger_index.h */
	struct filter *filter;            /* of the filter file; NULL: none */

	/* made for a replay */
	bool needs_record;                /* its triggers run when the record is there */
	struct trigger *only;             /* the only trigger, a histogram; nothing else is to do */
	struct event_file *next_receiver; /* of the same synthetic event */
	u32 replay_index;                 /* for the replay: which of its events, from 1 */
	const struct trigger *switched_by; /* it pauses or continues histograms; NULL: none */
	struct event_pids pids;
	u8 nested_preempt; /* preempt count of synthetic events made in it, beyond its own */

	struct event_state state;   /* now */
	struct event_state initial; /* as it was written, before the replay */
};

/* The top buffer's directory ("") or instances/NAME. */
struct trace_array {
	struct trace_array *next;
	struct tracing *tracing;
	const char *name;
	struct event_file *files; /* those that were touched, newest first */
	ARRAY(struct event_file *)
	by_id;                        /* and those of removed events, which a histogram may know */
	struct hash_table file_names; /* ids of ->files */
	struct error_log errors;
	struct hash_table var_names; /* ids of triggers, see trigger_index.h */
	struct snapshot *snapshot;   /* of the one conditional snapshot, or NULL */
	struct array_buffer array_buffer;
	u64 trace_flags;         /* see trace_options.h */
	struct pid_list pids[2]; /* see event_pid.h */
	bool pid_ignored;        /* the last event, because of its task */
	bool tracing_on;
	bool initially_on; /* before the replay */
};

struct traced_event;

/* When and where a program traces. */
struct traced_place {
	u64 ts;
	u32 cpu;
	s32 pid;
};

struct tracing {
	struct machine machine;
	struct arena arena;      /* names of files and instances */
	struct trace_array *top; /* the rest follows by ->next */
	bool failed;             /* an event or instance could not be made for want of memory */
	ARRAY(struct synth_event *) synth_events; /* in the order of creation */
	struct synth_event *removed;              /* kept, since a histogram may know one */
	ARRAY(struct probe *) probes;             /* see dynamic_event.h */
	struct hash_table synth_names;            /* ->order of all */
	struct hash_table probe_names;            /* ->order of the oldest of each event */
	struct hash_table probe_places;           /* ->order of all, by place and arguments */
	u32 recorded_id; /* the largest of an event of the recordings; 0: not looked for yet */
	u32 n_dynamic;   /* synthetic events and probes that were ever made */
	struct traced_place place;
	ARRAY(struct traced_event *) traced; /* see traced.h */
	ARRAY(struct trigger *) triggers;    /* of all events, by id from 1 on; NULL: gone */
	struct hash_table trigger_names;     /* ids of the first trigger of each name */
	unsigned int n_hists;                /* ever made */
	const struct run_source *source;     /* of a replay that is going on */
	bool record;            /* a replay records events, somebody will look at them */
	unsigned int depth_max; /* of histograms that are at work, see struct hit */
	bool watched;           /* before a replay: ->effects is to be right */
	u64 effects;            /* how often a record changed a histogram or a state */
};

/* Return: NULL without memory. The machine's parts are borrowed. */
struct tracing *tracing_new(const struct machine *machine);
void tracing_free(struct tracing *t);

/* Whether something that was looked up is missing for want of memory only. */
bool tracing_failed(const struct tracing *t);

/* The instance of that name ("" is the top one); made if @create. */
struct trace_array *tracing_instance(struct tracing *t, const char *name, bool create);

/**
 * event_file_find() - events/SYSTEM/NAME
 *
 * Return: NULL if there is no such event (or no memory)
 */
struct event_file *event_file_find(struct trace_array *tr, struct span system, struct span name);

/* The same, but NULL for one that was never looked for. */
struct event_file *event_file_known(const struct trace_array *tr, struct span system,
				    struct span name);

/* The same for events that can be enabled, which the ones of the ftrace system cannot. */
struct event_file *event_file_find_enabled(struct trace_array *tr, struct span system,
					   struct span name);

/* The event is removed. Its file is found no more, but kept. */
void event_file_forget(struct trace_array *tr, const char *system, const char *name);

/* Whether events/S/E has a trigger, a filter file. */
bool event_file_has_trigger(const struct event_file *file);
bool event_file_can_enable(const struct event_file *file);

#endif
