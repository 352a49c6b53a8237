// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Only some tasks: each trigger of a recorded event gets a filter before its own.
 *
 * An event is a task's if the task runs then, or if it is one that the scheduler's event is about:
 * what set_event_pid takes for the recording. The trigger's text stays as it is. Synthetic events
 * need no filter: they come of events that have one.
 *
 * kernel: ignore_task_cpu(), event_filter_pid_sched_switch_probe_pre() in trace_events.c
 */
#include <stdlib.h>

#include "bind/binding.h"
#include "program/tasks.h"

enum { MAX_PREDS = 6 };

struct task_preds {
	const struct task_set *set;
	const struct event_format *format;
	struct filter_pred v[MAX_PREDS];
	int n;
};

static void add_pid(struct task_preds *p, const char *name)
{
	const struct event_field *f = event_find_field(p->format, span_of(name), GENERICS_6_1);

	if (!p->set->pids || !f || f->size != 4)
		return;
	p->v[p->n++] = (struct filter_pred){ .kind = PRED_NUM_CPUS,
					     .op = OP_BAND,
					     .offset = f->offset,
					     .size = f->size,
					     .cpus = p->set->pids,
					     .nr_cpus = p->set->n_pids };
}

/* @name NULL: of the task that runs */
static void add_comm(struct task_preds *p, const char *name)
{
	const struct event_field *f =
		name ? event_find_field(p->format, span_of(name), GENERICS_6_1) : NULL;
	struct filter_pred pred = { .kind = PRED_COMM, .op = OP_GLOB };

	if (!p->set->comm || (name && !f))
		return;
	if (f) {
		pred.kind = f->filter_type == FILTER_STATIC_STRING ? PRED_STRING
			    : f->filter_type == FILTER_DYN_STRING  ? PRED_DYN
								   : PRED_NEVER;
		pred.offset = f->offset;
		pred.size = f->size;
	}
	filter_pattern_cut(span_of(p->set->comm), &pred.pattern);
	pred.negated = pred.pattern.negated;
	p->v[p->n++] = pred;
}

/* What an event of the scheduler is about. */
static void add_all(struct task_preds *p)
{
	static const char *const one[] = { "sched_wak", "sched_migrate_task", "sched_stat_",
					   "sched_process_exit", "sched_process_free" };
	bool sched = !strcmp(p->format->system, "sched");

	add_pid(p, "common_pid");
	add_comm(p, NULL);
	if (sched && !strcmp(p->format->name, "sched_switch")) {
		add_pid(p, "prev_pid");
		add_pid(p, "next_pid");
		add_comm(p, "prev_comm");
		add_comm(p, "next_comm");
	}
	for (size_t i = 0; sched && i < ARRAY_SIZE(one); i++) {
		if (strncmp(p->format->name, one[i], strlen(one[i])) != 0)
			continue;
		add_pid(p, "pid");
		add_comm(p, "comm");
	}
}

/* Those of @p, of which one must hold, before what @filter has. */
static int put_before(struct filter *filter, const struct task_preds *p)
{
	size_t n = filter->n_insns, total = n + (size_t)p->n;
	struct filter_insn *insns = arena_alloc(&filter->arena, total * sizeof(*insns));

	if (!insns)
		return HIST_NOMEM;
	for (int i = 0; i < p->n; i++)
		insns[i] = (struct filter_insn){ .pred = p->v[i],
						 .yes = n ? p->n : FILTER_TRUE,
						 .no = i + 1 < p->n ? i + 1 : FILTER_FALSE };
	for (size_t i = 0; i < n; i++) {
		struct filter_insn *in = &insns[(size_t)p->n + i];

		*in = filter->insns[i];
		in->yes += in->yes >= 0 ? p->n : 0;
		in->no += in->no >= 0 ? p->n : 0;
	}
	filter->insns = insns;
	filter->n_insns = total;
	filter->needs_comm |= p->set->comm != NULL;
	return 0;
}

int trigger_limit_to_tasks(struct trigger *trigger)
{
	const struct machine *m = &trigger->file->tr->tracing->machine;
	struct task_preds p = { .set = m->tasks, .format = trigger->file->format };

	if (!m->tasks || trigger->file->synth || trigger->limited)
		return 0;
	add_all(&p);
	if (!trigger->filter)
		trigger->filter = calloc(1, sizeof(*trigger->filter));
	if (!trigger->filter)
		return HIST_NOMEM;
	trigger->filter->big_endian = m->big_endian;
	trigger->filter->long_size = m->long_size;
	trigger->filter->glob_class_ends = m->quirks->glob_class_ends;
	trigger->limited = true;
	return put_before(trigger->filter, &p);
}
