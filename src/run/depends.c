// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Dependencies of a histogram. Every kind of value, update, action and trigger is listed here with
 * its dependencies; an unlisted kind depends on the order of all records.
 */
#include "program/exemplars.h"
#include "run/run.h"
#include "tracing/event_pid.h"

static void value_depends(const struct value *v, const char *of, struct depends *d)
{
	switch (v->kind) {
	case VALUE_NUM:
		if (value_asks_who(v))
			depends_add(d, DEPENDS_COMM, of);
		if (value_asks_stacks(v))
			depends_add(d, DEPENDS_STACK, of);
		break;
	case VALUE_STATIC:
	case VALUE_DYN:
	case VALUE_DYN_SYMBOL:
	case VALUE_RDYN:
		break;
	case VALUE_COMM:
	case VALUE_TASK_COMM:
		depends_add(d, DEPENDS_COMM, of);
		break;
	case VALUE_STACK:
		depends_add(d, DEPENDS_STACK, of);
		break;
	default:
		depends_add(d, DEPENDS_ORDER, of);
	}
}

static void updates_depend(const struct update_list *list, struct depends *d)
{
	array_each_of(const struct update_step, step, list->steps, list->n) {
		if (step->kind == UPDATE_STACK)
			depends_add(d, DEPENDS_STACK, NULL);
		else
			value_depends(&step->value, NULL, d);
	}
}

static const char *first_variable(const struct hist_data *hd)
{
	for (u32 i = 0; i < hd->n_vals; i++)
		if (hd->fields[i]->var.name)
			return hd->fields[i]->var.name;
	return hd->n_var_refs ? hd->var_refs[0]->name : NULL;
}

/* The events that a histogram generates: the results of their histograms depend on their order. */
static void receivers_depend(const struct tracing *t, const struct synth_event *se,
			     struct depends *d)
{
	struct depends receiver = { .bits = 0 };

	depends_add(d, DEPENDS_TRACE, se->name);
	for (const struct event_count *e = *count_receivers(t, se); e; e = e->next_receiver)
		for (size_t i = 0; i < e->file->triggers.n; i++)
			/* actions of actions are not followed: they may form a cycle */
			if (!e->file->triggers.v[i]->hist ||
			    !e->file->triggers.v[i]->hist->n_actions)
				trigger_depends(e->file->triggers.v[i], &receiver);
	for (u32 bit = 0; bit < N_DEPENDS; bit++)
		if (receiver.bits & DEPENDS_NAMES & 1u << bit)
			depends_add(d, (enum depends_bit)bit, receiver.of[bit]);
}

bool hist_keys_loose_bytes(const struct hist_data *hd)
{
	return any_of(i, hd->program->n_keys,
		      hd->file->synth && !hd->file->synth->derived && hd->program->keys[i].whole &&
			      hd->program->keys[i].value.kind == VALUE_STATIC);
}

bool hist_reads_loose_bytes(const struct hist_data *hd)
{
	const struct event_format *format;

	return hist_keys_loose_bytes(hd) &&
	       !event_db_find(hd->tracing->machine.db, "synthetic", hd->file->synth->name, &format);
}

/* As hist_reads(), with the objects that read it. */
static void reads_depend(const struct hist_data *hd, struct depends *d)
{
	if (hist_reads_loose_bytes(hd))
		depends_add(d, DEPENDS_SYNTH, hd->file->name);
	for (u32 i = 0; i < hd->program->n_keys; i++)
		value_depends(&hd->program->keys[i].value, hd->fields[hd->n_vals + i]->label, d);
	updates_depend(&hd->program->updates, d);
	updates_depend(&hd->program->saves, d);
	if (hd->has_comm)
		depends_add(d, DEPENDS_FIRST, NULL);
	if (hd->exemplars)
		depends_add(d, DEPENDS_EXEMPLARS, NULL);
}

u32 hist_reads(const struct hist_data *hd)
{
	struct depends d = { .bits = 0 };

	reads_depend(hd, &d);
	return d.bits;
}

static void hist_depends(const struct hist_data *hd, struct depends *d)
{
	reads_depend(hd, d);
	if (hd->n_vars || hd->n_var_refs || hd->n_map_vars)
		depends_add(d, DEPENDS_ORDER, first_variable(hd));
	for (u32 i = 0; i < hd->n_actions; i++) {
		switch (hd->actions[i]->action) {
		case ACTION_TRACE:
			receivers_depend(hd->tracing, hd->actions[i]->synth_event, d);
			break;
		case ACTION_SAVE:
			break; /* of onmax() or onchange(), which have a variable */
		default:
			depends_add(d, DEPENDS_ORDER, "snapshot()");
		}
	}
	if (hd->stats)
		depends_add(d, DEPENDS_SAMPLES, NULL);
	if (hd->exemplars && hd->exemplars->moments)
		depends_add(d, DEPENDS_ORDER, NULL);
}

void trigger_depends(const struct trigger *t, struct depends *d)
{
	if (t->filter && t->filter->needs_comm)
		depends_add(d, DEPENDS_COMM, "its filter");
	if (t->filter && t->filter->needs_stacks)
		depends_add(d, DEPENDS_STACK, "its filter");
	if (!t->hist) {
		depends_add(d, DEPENDS_SWITCH, trigger_kind_name(t->kind));
		return;
	}
	if (t->initial.paused)
		depends_add(d, DEPENDS_SWITCH, "pause");
	if (t->layout)
		depends_add(d, DEPENDS_ORDER, "another event");
	hist_depends(t->hist, d);
}

void event_file_depends(const struct event_file *file, struct depends *d)
{
	const struct trigger *switched_by = event_count_of(file)->switched_by;

	if (switched_by)
		depends_add(d, DEPENDS_SWITCH, trigger_kind_name(switched_by->kind));
	if (array_buffer_sees(file))
		depends_add(d, DEPENDS_BUFFER, NULL);
	/* single records do not look for the first hit */
	for (size_t i = 0; i < file->triggers.n && event_file_needs_stack(file); i++)
		if (file->triggers.v[i]->hist && file->triggers.v[i]->hist->has_comm)
			depends_add(d, DEPENDS_ORDER, NULL);
	if (event_pid_filters(file->tr))
		depends_add(d, DEPENDS_PIDS, NULL);
}
