/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Binding a hist trigger: private to bind.
 *
 * Every function binds its pieces in the kernel's order, stops at the first error, logs it, and
 * returns -HIST_EREJECTED.
 */
#pragma once
#include "program/filter.h"
#include "program/hist_data.h"
#include "program/synth_event.h"
#include "tracing/dynamic_event.h"
#include "tracing/tracing.h"
#include "tracing/trigger.h"

/* The state of binding one hist trigger. */
struct bind {
	struct cmd_log *log;
	struct tracing *t;
	const struct kernel_quirks *q;
	struct event_file *file; /* of the trigger */
	struct hist_data *hd;
	struct var_texts vars; /* the variables that it defines */
};

/* The rules for what is being written to a file of the event. */
static inline const struct kernel_quirks *rules_of_write(const struct event_file *file,
							 bool question)
{
	question |= file->synth && file->synth->derived;
	return machine_rules(&file->tr->tracing->machine, question);
}

/* --- bind_field.c --- */

/* A field of the given kind; *out's flags may gain STRING or STACKTRACE. */
int hist_field_new(struct bind *b, const struct event_field *field, u32 flags, const char *var_name,
		   struct hist_field **out);

/* A number, a field or a reference. */
int bind_atom(struct bind *b, struct span text, u32 flags, const char *var_name,
	      struct hist_field **out);

/* kernel: cuts text by writing a NUL at @at; from then on, a variable's definition ends there. */
void cut_definition(struct bind *b, const char *at);

/* --- bind_expr.c --- */

int bind_expr(struct bind *b, struct span text, u32 flags, const char *var_name,
	      struct hist_field **out);

/*
 * The kernel cuts text by overwriting separators with NUL, and may then quote the remains in an
 * error: the part of @text before the first cut.
 */
struct span cut_by_kernel(struct arena *arena, struct span text);

/* --- bind_var.c --- */

struct hist_field *find_var_field(struct hist_data *hd, struct span name);
/* Looks in the trigger being bound, or in those of @file. */
struct hist_field *find_var(struct hist_data *hd, struct event_file *file, struct span name);
/*
 * Looks in other triggers: by event if qualified, otherwise in the events of onmatch, then
 * everywhere.
 */
struct hist_field *find_event_var(struct bind *b, struct span system, struct span event,
				  struct span name);
/* A reference to @var, shared with earlier ones; NULL if there are too many or out of memory. */
struct hist_field *create_var_ref(struct bind *b, struct hist_field *var, struct span system,
				  struct span event);
int create_alias(struct bind *b, struct hist_field *ref, const char *var_name,
		 struct hist_field **out);
/* A hidden variable of the type of @val; NULL if the name is taken or there is no room. */
struct hist_field *create_var(struct bind *b, struct span name, const struct hist_field *val);
/* Add @n to the number of references of @hd to variables of others. */
void count_var_refs(const struct hist_data *hd, int by);
/* Whether a field is, or has in its expression, a variable or reference; @level: 0 */
bool field_has_hist_vars(const struct hist_field *f, unsigned int level);

/* --- bind_hist.c --- */

/* Binds the text of actions, values, variables, keys, sort keys. */
int bind_hist(struct bind *b);

/* --- bind_action.c --- */

int bind_action_texts(struct bind *b);
int create_actions(struct bind *b);

/* --- bind_samples.c --- */

/*
 * Add statistics to a bound trigger: for the values except hitcount and strings, and for the
 * numeric variables that are neither plain time stamps nor constants. Its map is created later.
 * 0, -HIST_ENOMEM
 */
int hist_stats_bind(struct hist_data *hd);

/* Whether a field is a quantity; plain time stamps and constants are marks. */
bool hist_field_is_quantity(const struct hist_field *f);

/* --- bind_exemplars.c --- */

/* Add exemplars of the requested number to a bound trigger, if it has it. 0, -HIST_ENOMEM */
int hist_exemplars_bind(struct hist_data *hd, const struct replay_options *options);

/* --- warn_interval.c --- */

/* Warn about a trigger that measures from an event to itself. */
void warn_no_interval(const struct hist_data *hd, struct diags *diags);

/* --- trigger_hist.c --- */

/* As if it had been written to @file's trigger file. @cut: the pieces of @param; NULL: cut it here
 */
int event_hist_trigger_parse(struct event_file *file, bool remove, struct span param,
			     const struct hist_text *cut, struct cmd_log *log);
int event_hist_trigger_write(struct event_file *file, const struct trigger_text *text,
			     struct cmd_log *log);
void hist_unreg_all(struct event_file *file);

/* --- trigger_match.c --- */

bool hist_trigger_match(const struct trigger *a, const struct trigger *b,
			const struct trigger *named, bool ignore_filter);
/* A hash that is the same for triggers that match, including their filters. */
u32 hist_trigger_hash(const struct trigger *trigger, const struct trigger *named);

/* --- trigger_index.c --- */

/* The first trigger with a name, or NULL; @name may be NULL. */
struct trigger *find_named_trigger(const struct tracing *t, const char *name);

/* A trigger of the event, or NULL: one that switches the same object, one with this histogram, */
struct trigger *find_same_switch(const struct event_file *file, enum trigger_kind kind,
				 const struct event_file *target);
struct trigger *find_same_hist(const struct event_file *file, const struct trigger *trigger,
			       const struct trigger *named);
/* a variable, the first histogram with keys of the same types. */
struct hist_field *find_file_var(struct event_file *file, struct span name);
struct trigger *find_compatible_hist(const struct event_file *file, const struct hist_data *hd);

/* The only event of the instance with a variable of this name; NULL if none or *several have it. */
struct event_file *find_var_event(const struct trace_array *tr, struct span name, bool *several);

/* Index a trigger that was added, or unindex one to be removed; -HIST_ENOMEM: partly done. */
int trigger_index_add(struct trigger *trigger);
void trigger_index_del(struct trigger *trigger);

/* The trigger that owns the histogram, as long as a trigger uses it. */
int hist_index_add(const struct trigger *first);
void hist_index_del(const struct trigger *first);

/* --- trigger_file.c --- */

int event_trigger_set_filter(struct trigger *trigger, struct span filter, struct cmd_log *log);

/* Set ->layout of a question that shares @first. 0, -HIST_EREJECTED, -HIST_ENOMEM */
int bind_layout(struct bind *b, struct trigger *trigger, const struct hist_data *first);

/* --- bind_filter.c --- */

/* Restrict the trigger to events of options.tasks; 0, -HIST_ENOMEM. */
int trigger_limit_to_tasks(struct trigger *trigger);

/**
 * filter_new() - bind and compile
 * @keep_text: the kernel's set_str: ->text is kept, with the error text if binding fails
 * @log:       receives errors; NULL: they are dropped
 *
 * Return: 0, -HIST_EREJECTED (then *@out is a failed filter with the text to show, if
 *         @keep_text), -HIST_ENOMEM
 * Source: create_filter(), append_filter_err() @ v6.12
 */
int filter_new(const struct event_file *file, struct span text, bool keep_text, struct cmd_log *log,
	       struct filter **out);

/* --- filter_compile.c --- */

/* The numbers for which a comparison is true; false: they are not one range. */
bool filter_range_of(const struct filter_pred *pred, struct filter_range *r);

/* Lay out the predicates of a filter. Return: 0, -HIST_ENOMEM */
int filter_compile(struct filter *f, const struct filter_text *text,
		   const struct filter_pred *preds);

/* --- filter_file.c --- */

void warn_unknowable(const struct filter *filter, struct diags *diags);

/* --- compile.c --- */

/* Compile the bound trigger; 0 or -HIST_ENOMEM. */
int hist_program_new(struct hist_data *hd);
