/* SPDX-License-Identifier: LGPL-2.1-only */
/* The simulated tracing directory: instances, their events, and the written state. */
#pragma once
#include "program/machine.h"
#include "program/replay_options.h"
#include "tracing/array_buffer.h"
#include "tracing/error_log.h"

struct filter;
struct trigger;
struct count;
struct hist_data;
struct action_data;
struct probe;
struct hit_context;

/* State of the conditional snapshot of an instance. */
struct snapshot {
	const struct hist_data *hist;
	const struct action_data *action;
	u64 track_val;
	bool updated;
	char comm[16];
	_Alignas(8) u8 key[]; /* hist->key_size bytes */
};

/*
 * Whether an event is enabled. Triggers enable it softly: the probe runs so that triggers receive
 * the event, but nothing is recorded while it is soft-disabled.
 */
struct event_state {
	bool enabled, soft_disabled, soft_mode;
	int soft_refs; /* users of soft mode: triggers of it, and those that enable it */
};

/* The tasks to which an event refers, see event_pid.h: offsets of their pids in the record. */
struct event_pids {
	bool any; /* either of them may match; otherwise only the first and the current task */
	u32 first, second; /* 0: none */
};

/* Pids in ascending order, without duplicates. */
struct pid_list {
	u32 *v;
	size_t n;
	bool is_set; /* tasks were chosen; with event-fork, the last of them may have exited */
};

/* An event in one instance. */
struct event_file {
	struct event_file *next, **link; /* of its instance's list, and what points to it there */
	struct trace_array *tr;
	u32 id;     /* index in ->tr->by_id */
	u32 serial; /* number among the files of all instances, from 0 */
	const char *system, *name;
	const struct event_format *format;
	struct synth_event *synth;        /* set for an event that the script defined */
	ARRAY(struct trigger *) triggers; /* in the order in which they run and are shown */
	struct hash_table by_trait;       /* ids of these triggers, see bind/trigger_index.c */
	struct filter *filter;            /* of the filter file; NULL: none */
	struct filter *tasks;             /* of options.tasks; NULL: all */
	bool limited;                     /* ->tasks is known */
	u8 reads;                         /* ->asks of fields that triggers read, besides filters */

	/* --- computed before a replay --- */
	struct event_pids pids;

	struct event_state state;   /* current state */
	struct event_state initial; /* as written, before the replay */
};

/* Events of a module to enable when it is loaded, see set_event.h. */
struct mod_event {
	const char *module;
	struct span either, system, event; /* absent parts match all */
};

/* Slices that the script defined: what each of derived:slice begins and ends with. */
struct slice_pair {
	struct slice_edge {
		const struct event_file *file; /* NULL: not written yet */
		const char *event;             /* "system:event" */
		struct filter *filter;         /* NULL: all its records */
	} edges[2];
};

/* The top buffer's directory ("") or instances/NAME. */
struct trace_array {
	struct trace_array *next;
	struct tracing *tracing;
	const char *name;
	struct event_file *files; /* those that were used, newest first */
	ARRAY(struct event_file *)
	by_id; /* and those of removed events, to which a histogram may refer */
	struct hash_table file_names;       /* ids of ->files */
	ARRAY(struct mod_event) mod_events; /* oldest first */
	struct error_log errors;
	struct hash_table var_names; /* ids of triggers, see bind/trigger_index.c */
	struct snapshot *snapshot;   /* of the one conditional snapshot, or NULL */
	ARRAY(struct slice_pair) slices;
	struct array_buffer array_buffer;
	u64 trace_flags, were_on; /* see trace_options.h; those that were ever switched on */
	struct pid_list pids[2];  /* as written, see event_pid.h */
	struct pid_list now[2];   /* with event-fork: during the replay */
	bool pid_ignored;         /* whether the last event was ignored because of its task */
	const char *clock;        /* that the script chose; NULL: the recording's */
	bool tracing_on;
	bool initially_on; /* saved before the replay */
};

struct traced_event;

/* Time, CPU and task of events that a program traces. */
struct traced_place {
	u64 ts;
	u32 cpu;
	s32 pid;
};

/* Gets derived events as the values of their fields: hit->rec are words, texts are addresses. */
struct values_reader {
	void *arg;
	void (*hit)(void *arg, const struct hit *hit);
};

struct tracing {
	struct machine machine;
	struct replay_options options;
	u64 first_ts;            /* time of error_log entries, ns */
	struct arena arena;      /* names of files and instances */
	struct trace_array *top; /* the others are linked by ->next */
	bool failed;             /* out of memory when an event or instance was created */
	ARRAY(struct synth_event *) synth_events; /* in the order of creation */
	struct synth_event *removed;              /* kept, because a histogram may refer to one */
	ARRAY(struct synth_event *) derived;      /* those that were looked up */
	ARRAY(struct probe *) probes;             /* see dynamic_event.h */
	struct hash_table synth_names;            /* ->order of all */
	struct hash_table probe_names;            /* ->order of the oldest of each event */
	struct hash_table probe_places;           /* ->order of all, by location and arguments */
	u32 recorded_id; /* the largest id of a recorded event; 0: not determined yet */
	u32 n_dynamic;   /* number of synthetic events and probes ever defined */
	struct traced_place place;
	ARRAY(struct traced_event *) traced; /* see traced_queue.h */
	ARRAY(struct trigger *) triggers;    /* of all events, by id from 1; NULL: removed */
	struct hash_table trigger_names;     /* ids of the first trigger of each name */
	unsigned int n_hists;                /* ever made */
	u32 n_files;                         /* the same, of all instances */
	const struct hit_context *context;   /* of the current replay */
	bool record;         /* a replay records events, because they will be read */
	struct arena replay; /* what tracing_reset() prepares */
	bool observed;       /* before a replay: ->effects must be exact */
	bool reads_stacks;   /* of derived events, an observer reads fields that are stacks */
	bool plain;          /* before a replay: hits take no shortcuts */
	const struct values_reader *reader; /* before a replay; NULL: none */
	/*
	 * Before a replay: where the function begins and ends in whose stack a task leaves the CPU
	 * because of a quota, if there are such stacks and nothing else shows it. 0: otherwise
	 */
	u64 throttle_code[2];
	struct count *count; /* of the last replay, or the current one; NULL: none */
	u64 beyond;          /* see struct filter; of the current replay */
	u64 effects;         /* how often a record changed a histogram or a state */
};

/* Return: NULL if out of memory. Parts of the machine are borrowed. */
struct tracing *tracing_new(const struct machine *machine, const struct replay_options *options);
void tracing_free(struct tracing *t);

/* Whether a lookup failed only because of memory. */
bool tracing_failed(const struct tracing *t);

/* The instance with that name ("" is the top one); created if @create. */
struct trace_array *tracing_instance(struct tracing *t, const char *name, bool create);

/**
 * event_file_find() - events/SYSTEM/NAME
 *
 * Return: NULL if the event is unknown (or out of memory)
 */
struct event_file *event_file_find(struct trace_array *tr, struct span system, struct span name);

/* The same, but NULL if it was never looked up. */
struct event_file *event_file_known(const struct trace_array *tr, struct span system,
				    struct span name);

/* The same for events that can be enabled, unlike those of the ftrace system. */
struct event_file *event_file_find_enabled(struct trace_array *tr, struct span system,
					   struct span name);

/* Called when the event is removed: its file is kept, but no longer found. */
void event_file_forget(struct trace_array *tr, const char *system, const char *name);

/* Forget the slices that the script defined. */
void tracing_clear_slices(struct trace_array *tr);

/* Whether events/SYSTEM/EVENT contains a file trigger, and a file filter. */
bool event_file_has_trigger(const struct event_file *file);
bool event_file_can_enable(const struct event_file *file);
