// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Variables: looks up names and creates references.
 *
 * A name is looked up first in the events of the trigger's own onmatch handlers, then in all events
 * of the instance; it must be defined on one event only. On an event, the oldest trigger that
 * defines the name has priority. Corresponds to find_event_var(), create_var_ref(), create_var()
 * and their helpers in trace_events_hist.c.
 */
#include "bind/binding.h"

struct hist_field *find_var_field(struct hist_data *hd, struct span name)
{
	u32 i;

	for_each_hist_field(i, hd)
		if (hd->fields[i]->flags & HIST_FIELD_FL_VAR &&
		    span_eq(name, hd->fields[i]->var.name))
			return hd->fields[i];
	return NULL;
}

struct hist_field *find_var(struct hist_data *hd, struct event_file *file, struct span name)
{
	struct hist_field *f = find_var_field(hd, name);

	return f ? f : find_file_var(file, name);
}

/*
 * The event with a variable of that name; NULL if there is none, or if there are several (logged).
 */
static struct event_file *find_var_file(struct bind *b, struct span system, struct span event,
					struct span name)
{
	struct trace_array *tr = b->file->tr;
	struct event_file *found;
	bool several;

	if (system.s)
		return event_file_find_enabled(tr, system, event);
	found = find_var_event(tr, name, &several);
	if (several)
		log_hist_err(b->log, HIST_ERR_VAR_NOT_UNIQUE, name);
	return found;
}

/* Look in the events of onmatch; *ambiguous if two of them have it (logged). */
static struct hist_field *find_match_var(struct bind *b, struct span name, bool *ambiguous)
{
	struct hist_field *found = NULL, *f;

	for (u32 i = 0; i < b->hd->n_actions; i++) {
		const struct action_text *at = &b->hd->actions[i]->text;
		struct event_file *file;

		if (at->handler != HANDLER_ONMATCH)
			continue;
		file = find_var_file(b, at->match_system, at->match_event, name);
		f = file ? find_file_var(file, name) : NULL;
		if (f && found) {
			log_hist_err(b->log, HIST_ERR_VAR_NOT_UNIQUE, name);
			*ambiguous = true;
			return NULL;
		}
		found = f ? f : found;
	}
	return found;
}

struct hist_field *find_event_var(struct bind *b, struct span system, struct span event,
				  struct span name)
{
	struct event_file *file;
	bool ambiguous = false;

	if (!system.s || !event.s) {
		struct hist_field *f = find_match_var(b, name, &ambiguous);

		if (f || ambiguous)
			return f;
	}
	file = find_var_file(b, system, event, name);
	return file ? find_file_var(file, name) : NULL;
}

/* Attributes that a reference (or alias) inherits from its target. */
static bool init_var_ref(struct bind *b, struct hist_field *ref, const struct hist_field *var,
			 struct span system, struct span event)
{
	struct arena *arena = &b->hd->arena;
	const char *name = var->var.name ? var->var.name : var->name;

	ref->var.idx = var->var.idx;
	ref->var.hist_data = var->hist_data;
	ref->size = var->size;
	ref->is_signed = var->is_signed;
	ref->type = var->type;
	ref->kind = var->kind;
	ref->flags |= var->flags & (HIST_FIELD_FL_TIMESTAMP | HIST_FIELD_FL_TIMESTAMP_USECS);
	if (b->q->common_stacktrace)
		ref->flags |= var->flags & HIST_FIELD_FL_STACKTRACE;
	ref->name = name ? arena_strdup(arena, name) : "";
	ref->label = ref->name;
	if (!system.s)
		return ref->name != NULL;
	ref->ref.system = arena_strndup(arena, system.s, system.n);
	ref->ref.event_name = arena_strndup(arena, event.s, event.n);
	if (!ref->name || !ref->ref.system || !ref->ref.event_name)
		return false;
	ref->label = arena_printf(arena, b->q->dollar_inside ? "%s.%s.$%s" : "%s.%s.%s",
				  ref->ref.system, ref->ref.event_name, ref->name);
	return ref->label != NULL;
}

struct hist_field *create_var_ref(struct bind *b, struct hist_field *var, struct span system,
				  struct span event)
{
	struct hist_data *hd = b->hd;
	struct hist_field *ref;

	for (u32 i = 0; i < hd->n_var_refs; i++)
		if (hd->var_refs[i]->var.idx == var->var.idx &&
		    hd->var_refs[i]->var.hist_data == var->hist_data)
			return hd->var_refs[i];
	if (hd->n_var_refs >= TRACING_MAP_VARS_MAX ||
	    hist_field_new(b, NULL, HIST_FIELD_FL_VAR_REF, NULL, &ref) ||
	    !init_var_ref(b, ref, var, system, event))
		return NULL;
	ref->hist_data = var->hist_data;
	ref->ref.idx = hd->n_var_refs;
	hd->var_refs[hd->n_var_refs++] = ref;
	return ref;
}

int create_alias(struct bind *b, struct hist_field *ref, const char *var_name,
		 struct hist_field **out)
{
	struct span none = { NULL, 0 };
	struct hist_field *alias;
	int err =
		hist_field_new(b, NULL, HIST_FIELD_FL_ALIAS | HIST_FIELD_FL_VAR, var_name, &alias);

	if (err)
		return err;
	alias->expr.operands[0] = ref;
	if (!init_var_ref(b, alias, ref, none, none))
		return HIST_NOMEM;
	alias->ref.system = ref->ref.system;
	alias->ref.event_name = ref->ref.event_name;
	alias->label = ref->label;
	alias->ref.idx = ref->ref.idx;
	*out = alias;
	return 0;
}

struct hist_field *create_var(struct bind *b, struct span name, const struct hist_field *val)
{
	struct hist_data *hd = b->hd;
	struct hist_field *var;

	if ((find_var(hd, b->file, name) && !hd->remove) || hd->n_map_vars >= TRACING_MAP_VARS_MAX)
		return NULL;
	var = arena_alloc(&hd->arena, sizeof(*var));
	if (!var)
		return NULL;
	var->flags = HIST_FIELD_FL_VAR;
	var->var.name = arena_strndup(&hd->arena, name.s, name.n);
	var->var.idx = hd->n_map_vars++;
	var->var.hist_data = var->hist_data = hd;
	var->kind = val->kind;
	var->size = val->size;
	var->type = val->type;
	var->label = "";
	return var->var.name ? var : NULL;
}

/* --- uses of variables by other triggers --- */

/* Whether @hd has a variable with the number @idx that is not hidden. */
static bool has_variable(const struct hist_data *hd, u32 idx)
{
	u32 i;

	for_each_hist_field(i, hd)
		if (hd->fields[i]->flags & HIST_FIELD_FL_VAR && hd->fields[i]->var.idx == idx)
			return true;
	return false;
}

void count_var_refs(const struct hist_data *hd, int by)
{
	for (u32 i = 0; i < hd->n_var_refs; i++) {
		struct hist_data *owner = hd->var_refs[i]->var.hist_data;

		if (owner != hd && has_variable(owner, hd->var_refs[i]->var.idx))
			owner->n_users += by;
	}
}

bool field_has_hist_vars(const struct hist_field *f, unsigned int level)
{
	if (!f || level > 3)
		return false;
	return f->flags & (HIST_FIELD_FL_VAR | HIST_FIELD_FL_VAR_REF) ||
	       field_has_hist_vars(f->expr.operands[0], level + 1) ||
	       field_has_hist_vars(f->expr.operands[1], level + 1);
}
