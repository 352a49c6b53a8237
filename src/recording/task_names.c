// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Who tasks were, in the journal of a recording (trace_dat/task_fact.h).
 *
 * What /proc knew is stated at the time at which the journal begins, before /proc was read: a
 * rename in between is in the journal, too, with the name before it.
 */
#include "names/names.h"
#include "recording/recording.h"

/* A name as the kernel stores it. */
static struct span name_of(struct span text, char *name)
{
	return (struct span){ name, strnlen(name, task_text(text, name, TASK_COMM_LEN - 1)) };
}

static int add_fact(struct names *names, const struct task_fact *fact, u64 begin)
{
	char name[TASK_COMM_LEN];
	struct span first = name_of(fact->text[0], name);
	int err;

	switch (fact->kind) {
	case TASK_IS:
		return names_state(names, fact->pid, NAME_IS, begin, first);
	case TASK_NEW:
		return names_state(names, fact->pid, NAME_BORN, fact->ts, first);
	case TASK_EXIT:
		return names_state(names, fact->pid, NAME_IS, fact->ts, first);
	case TASK_NAME:
		err = names_state(names, fact->pid, NAME_IS, fact->ts, first);
		return err ? err
			   : names_state(names, fact->pid, NAME_BECOMES, fact->ts,
					 name_of(fact->text[1], name));
	default:
		return 0;
	}
}

/* What the fact states besides a name. */
static int learn_state(struct names *names, const struct task_fact *fact, u64 begin, bool guessed)
{
	struct task_state state = { .pid = fact->pid, .guessed = guessed, .text = fact->text[0] };
	char *text;
	int err;

	state.place.ts = fact->ts ? fact->ts : begin;
	state.other = (s32)fact->n[0];
	switch (fact->kind) {
	case TASK_IS:
		state.kind = STATE_IS;
		state.parent = (s32)fact->n[1];
		state.flags = fact->n[2];
		break;
	case TASK_NEW:
		state.kind = STATE_BORN;
		state.flags = fact->n[1];
		break;
	case TASK_EXEC:
		state.kind = STATE_EXECED;
		break;
	case TASK_EXIT:
		state.kind = STATE_ENDED;
		break;
	case TASK_OF:
		state.kind = STATE_PROCESS;
		break;
	case TASK_ARGS:
	case TASK_ARGV:
		state.kind = STATE_ARGS;
		break;
	case TASK_IN:
	case TASK_MOVED:
		state.kind = fact->kind == TASK_IN ? STATE_IN : STATE_MOVED;
		state.hierarchy = (u32)fact->n[0];
		state.id = fact->id;
		break;
	case TASK_UID:
		state.kind = STATE_UID;
		break;
	case TASK_CGROUP:
		state.kind = STATE_CGROUP;
		state.id = fact->n[0];
		break;
	default:
		return 0;
	}
	text = malloc(state.text.n + 1);
	if (!text)
		return HIST_NOMEM;
	state.text.n = task_text(state.text, text, state.text.n);
	state.text.s = text;
	err = names_learn(names, &state);
	free(text);
	return err;
}

int recording_task_names(const struct recording *rec, bool first, struct names *names)
{
	struct task_journal journal;
	struct task_facts facts;
	struct task_fact fact;
	u64 begin = 0;
	int err = 0;

	/* ticks: records and facts of one time have no order */
	if (!strcmp(rec->info->clock, "uptime")) {
		names->complete = false;
		return 0;
	}
	task_journal_read(rec->td, &journal);
	names->complete = journal.complete && (names->complete || first);
	task_facts_init(&facts, rec->td);
	while (!err && task_facts_next(&facts, &fact)) {
		if (fact.kind == TASK_BEGIN)
			begin = fact.ts;
		err = learn_state(names, &fact, begin, journal.lost);
		err = err ?: add_fact(names, &fact, begin);
	}
	return err;
}

int recording_follow_tasks(struct names *names, const u32 *cpus, size_t n_cpus, struct span lines)
{
	struct span first = lines;
	struct task_fact fact;
	int err = 0;

	while (!names->live && !err && task_fact_next(&first, &fact))
		err = learn_state(names, &fact, 0, false);
	if (!err && !names->live)
		err = names_go_live(names, cpus, n_cpus);
	while (!err && task_fact_next(&lines, &fact)) {
		err = learn_state(names, &fact, 0, false);
		err = err ?: add_fact(names, &fact, 0);
	}
	return err;
}

bool recording_has_all_tasks(const struct recording *rec)
{
	struct task_journal journal;

	task_journal_read(rec->td, &journal);
	return journal.complete;
}
