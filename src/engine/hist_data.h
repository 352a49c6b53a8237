/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A hist trigger, bound: its fields, references, actions and map.
 *
 * Everything hangs on the trigger's arena and is immutable once the trigger is
 * registered, except the map and what ->run counts.
 */
#ifndef HIST_ENGINE_HIST_DATA_H
#define HIST_ENGINE_HIST_DATA_H

#include "base/base.h"
#include "event/event.h"
#include "lang/lang.h"
#include "tracing_map/tracing_map.h"

enum {
	MAX_FILTER_STR_VAL = 256, /* slot of a dynamic string, text of an expression */
	STR_VAR_LEN_MAX = 256,    /* room of a string variable */
	TASK_COMM_LEN = 16,
	HIST_STACKTRACE_DEPTH = 16,
	HITCOUNT_IDX = 0,
	MAX_VALS = 32, /* with --unlimited; else the kernel's limits hold */
	MAX_KEYS = 32,
	MAX_SORT_KEYS = 8,
	HIST_FIELDS_MAX = MAX_VALS + TRACING_MAP_VARS_MAX + MAX_KEYS,
};

/* What a field is and how it was asked to be shown; several may hold. */
enum hist_field_flags {
	HIST_FIELD_FL_HITCOUNT = 1 << 0,
	HIST_FIELD_FL_KEY = 1 << 1,
	HIST_FIELD_FL_STRING = 1 << 2,
	HIST_FIELD_FL_HEX = 1 << 3,
	HIST_FIELD_FL_SYM = 1 << 4,
	HIST_FIELD_FL_SYM_OFFSET = 1 << 5,
	HIST_FIELD_FL_EXECNAME = 1 << 6,
	HIST_FIELD_FL_SYSCALL = 1 << 7,
	HIST_FIELD_FL_STACKTRACE = 1 << 8,
	HIST_FIELD_FL_LOG2 = 1 << 9,
	HIST_FIELD_FL_TIMESTAMP = 1 << 10,
	HIST_FIELD_FL_TIMESTAMP_USECS = 1 << 11,
	HIST_FIELD_FL_VAR = 1 << 12,
	HIST_FIELD_FL_EXPR = 1 << 13,
	HIST_FIELD_FL_VAR_REF = 1 << 14,
	HIST_FIELD_FL_CPU = 1 << 15,
	HIST_FIELD_FL_ALIAS = 1 << 16,
	HIST_FIELD_FL_BUCKET = 1 << 17,
	HIST_FIELD_FL_CONST = 1 << 18,
	HIST_FIELD_FL_PERCENT = 1 << 19,
	HIST_FIELD_FL_GRAPH = 1 << 20,
	HIST_FIELD_FL_COMM = 1 << 21,
};

/* How a division is done; decided when the divisor is known to be constant. */
enum hist_division {
	DIVIDE_PLAIN,      /* divisor not constant */
	DIVIDE_POWER2,     /* shift */
	DIVIDE_NOT_POWER2, /* large constant: floor */
	DIVIDE_MULT_SHIFT, /* small constant: the kernel's approximation */
};

struct hist_data;

/* A key, a value, a variable, a reference or an operand of an expression. */
struct hist_field {
	u32 flags;
	const struct event_field *field; /* NULL: not a field of the record */
	const char *type;                /* NULL prints as "(null)" */
	u32 size;                        /* of a key: padded to 8 */
	bool is_signed;
	u32 offset; /* of a key, in the key */

	enum expr_op op; /* of an expression; 0 with one operand: minus */
	struct hist_field *operands[2];
	enum hist_division division;
	u64 multiplier; /* of DIVIDE_MULT_SHIFT: of the divisor */
	u64 constant;
	u64 buckets;

	const char *label;               /* what entries show and sort= compares; never NULL */
	const char *name;                /* of a reference; text of an expression */
	const char *system, *event_name; /* of a qualified reference */
	struct {
		const char *name;            /* NULL: not a variable */
		u32 idx;                     /* in the owner's map */
		struct hist_data *hist_data; /* the owner */
	} var;
	u32 var_ref_idx;             /* of a reference or alias: in the user's var_refs */
	u32 var_str_idx;             /* of a text or stack variable: which of the own ones */
	bool read_once;              /* of a reference: reading unsets the variable */
	struct hist_data *hist_data; /* whose field this is */
};

/* A hidden variable that takes a field for an action's parameter. */
struct field_var {
	struct hist_field *var, *val;
};

struct synth_event;

struct action_data {
	struct action_text text; /* spans into the trigger's arena */
	enum handler handler;
	enum action action;
	struct synth_event *synth_event;   /* of trace */
	u32 var_ref_idx[SYNTH_FIELDS_MAX]; /* of its parameters */
	struct hist_field *var_ref;        /* of onmax and onchange: the tracked variable */
	struct hist_field *track_var;      /* and the hidden one that holds its extreme */
};

/* A histogram that was made on another event, for a field of that event. */
struct field_var_hist {
	struct event_file *file;
	const char *cmd;
};

struct hist_data {
	struct arena arena;
	struct tracing *tracing;
	struct event_file *file; /* of the event that the trigger was first written to */
	struct hist_text text;   /* spans into the arena */
	const char *clock;
	const char *name; /* "name=foo", or NULL */
	bool no_hitcount;
	bool ts_in_usecs;
	bool enable_timestamps;
	bool remove;        /* bound only to be compared with the one to remove */
	bool has_addresses; /* of texts or stacks among what it counts or shows */
	u32 map_bits;

	u32 n_vals, n_keys, n_fields, n_vars;       /* n_vals with variables */
	struct hist_field *fields[HIST_FIELDS_MAX]; /* values, variables, keys */
	u32 key_size;
	u32 n_map_vars; /* with hidden ones */
	size_t n_sort_keys;
	struct {
		u32 field_idx; /* counting values and keys, not variables */
		bool descending;
	} sort_keys[MAX_SORT_KEYS];

	u32 n_var_refs;
	struct hist_field *var_refs[TRACING_MAP_VARS_MAX];
	u32 n_var_str; /* own variables that are texts or stacks */

	u32 n_actions;
	struct action_data *actions[HIST_ACTIONS_MAX];
	u32 n_field_vars, n_field_var_str;
	struct field_var *field_vars[SYNTH_FIELDS_MAX];
	u32 n_save_vars, n_save_var_str;
	struct field_var *save_vars[SYNTH_FIELDS_MAX];
	u32 n_field_var_hists;
	struct field_var_hist field_var_hists[SYNTH_FIELDS_MAX];

	struct tracing_map *map;     /* NULL until registered */
	struct tracing_map **shards; /* parts of it, see shard.h; NULL: none */
	u32 n_shards;
	bool sliced;              /* entries without hits are of slices before: not shown */
	bool has_comm;            /* entries hold the comm of the task that made them */
	u32 private_at;           /* in an entry's private room: what follows comm and texts */
	struct hist_stats *stats; /* NULL without --stats, or if there is nothing to measure */
	struct hist_program *program;
	unsigned int serial; /* for hist_debug: which of all, from 1 */
};

/* For i over the indices of values and variables, of keys, of both. */
#define for_each_hist_val_field(i, hd) for ((i) = 0; (i) < (hd)->n_vals; (i)++)
#define for_each_hist_key_field(i, hd) for ((i) = (hd)->n_vals; (i) < (hd)->n_fields; (i)++)
#define for_each_hist_field(i, hd)     for ((i) = 0; (i) < (hd)->n_fields; (i)++)

/*
 * Whether the value of @f is the address of a text or stack, in which the kernel keeps it.
 * No recording has it: it counts and shows as 0.
 */
bool hist_field_is_address(const struct hist_field *f);

/* "hex", "sym-offset", "buckets" ...; NULL without a modifier. */
const char *hist_field_modifier(const struct hist_field *f);

/* Append [$]NAME[.MODIFIER], as an operand is shown. */
void hist_field_operand_text(const struct hist_field *f, const struct kernel_quirks *q,
			     struct strbuf *out);

#endif
