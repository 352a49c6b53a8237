/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A bound hist trigger: its fields, references and actions, and the layout of its maps.
 *
 * Everything is allocated in the trigger's arena. Once the trigger is registered, only the number
 * of its users changes. What changes while a replay counts is in its struct hist_count
 * (count/count.h).
 */
#pragma once
#include "program/hist_field.h"

enum {
	MAX_FILTER_STR_VAL =
		256, /* size of a dynamic string's slot, and of the text of an expression */
	STR_VAR_LEN_MAX = 256, /* size of a string variable */
	TASK_COMM_LEN = 16,
	HIST_STACKTRACE_DEPTH_MAX = 256, /* without limits; see rules_stack_depth() */
	HITCOUNT_IDX = 0,
	MAX_VALS = 32, /* without limits; otherwise the kernel's limits apply */
	MAX_KEYS = 32,
	MAX_SORT_KEYS = 8,
	HIST_FIELDS_MAX = MAX_VALS + TRACING_MAP_VARS_MAX + MAX_KEYS,
};

/* A hidden variable that stores the value of a field for an action's parameter. */
struct field_var {
	struct hist_field *var, *val;
};

struct synth_event;

struct action_data {
	struct action_text text; /* spans into the trigger's arena */
	enum handler handler;
	enum action action;
	struct synth_event *synth_event;   /* of trace */
	struct hist_data *owner;           /* if ->synth_event is set */
	struct action_data *next, **link;  /* in ->synth_event->generators */
	u32 var_ref_idx[SYNTH_FIELDS_MAX]; /* of its parameters */
	struct hist_field *var_ref;        /* of onmax and onchange: the tracked variable */
	struct hist_field *track_var;      /* and the hidden variable with its extreme */
};

/*
 * Statistics (report --stats): a value or variable of which each hit is a sample. The kernel has no
 * equivalent, so they are used only with options.stats.
 */
struct hist_stat {
	const struct hist_field *field;
	u32 step; /* step of the program that computes a sample */
};

struct hist_stats {
	u32 n;
	struct hist_stat *v;
};

/* A histogram that was created on another event, for a field of that event. */
struct field_var_hist {
	struct event_file *file;
	const char *cmd;
};

struct hist_data {
	struct arena arena;
	struct tracing *tracing;
	const struct kernel_quirks *rules;
	struct event_file *file; /* of the event that the trigger was first written to */
	struct hist_text text;   /* spans into the arena */
	const char *clock;
	const char *name; /* "name=foo", or NULL */
	bool question;    /* it may use what kernels refuse, and answers what others ask of it */
	bool table;       /* it is a table of a question, which is shown */
	bool no_hitcount;
	bool ts_in_usecs;
	bool enable_timestamps;
	bool remove;        /* bound only for comparison with the trigger to remove */
	bool has_addresses; /* it counts or shows strings or stacks */
	bool inner_frames;  /* it passes stacks that have more frames than the recorded ones */
	u32 map_bits;

	u32 n_vals, n_keys, n_fields, n_vars;       /* n_vals, including variables */
	struct hist_field *fields[HIST_FIELDS_MAX]; /* values, variables, keys */
	u32 key_size;
	u32 n_map_vars; /* including hidden ones */
	size_t n_sort_keys;
	struct {
		u32 field_idx; /* number of values and keys, without variables */
		bool descending;
	} sort_keys[MAX_SORT_KEYS];

	u32 n_var_refs;
	struct hist_field *var_refs[TRACING_MAP_VARS_MAX];
	u32 n_var_str; /* own variables that are strings or stacks */

	u32 n_actions;
	struct action_data *actions[HIST_ACTIONS_MAX];
	u32 n_field_vars, n_field_var_str;
	struct field_var *field_vars[SYNTH_FIELDS_MAX];
	u32 n_save_vars, n_save_var_str;
	struct field_var *save_vars[SYNTH_FIELDS_MAX];
	u32 n_field_var_hists;
	struct field_var_hist field_var_hists[SYNTH_FIELDS_MAX];

	struct tracing_map_desc desc; /* of its maps */
	bool is_sampled;              /* statistics or exemplars take the values of each hit */
	bool asks_who;                /* it needs more of tasks than their names */
	bool asks_code;               /* keys are numbers of texts about code */
	bool has_comm;                /* entries contain the comm of the task that created them */
	u32 str_room;                 /* for each string or stack that is stored in an entry */
	u32 private_at; /* in an entry's private area: the offset after comm and strings */
	struct hist_stats *stats; /* NULL without --stats, or if there is nothing to measure */
	struct hist_exemplars *exemplars; /* NULL without --exemplars, or without such a number */
	struct hist_program *program;
	unsigned int serial; /* number of the histogram, from 1 */
	int n_users;         /* references of other histograms to its variables */
};

/* Loops over the indices of values and variables, of keys, and of both. */
#define for_each_hist_val_field(i, hd) for ((i) = 0; (i) < (hd)->n_vals; (i)++)
#define for_each_hist_key_field(i, hd) for ((i) = (hd)->n_vals; (i) < (hd)->n_fields; (i)++)
#define for_each_hist_field(i, hd)     for ((i) = 0; (i) < (hd)->n_fields; (i)++)
