// SPDX-License-Identifier: LGPL-2.1-only
/* The parts of an interval, in words. */
#include "why/why.h"

/* ORDER enum why_reason */
static const char *const reasons[N_WHY_REASONS] = {
	"no event states what it was",
	"events were lost",
	"it is outside the recording",
	"it was not running; it slept, or waited for a CPU",
	"the task went to another CPU, and when was not recorded",
};

const char *why_reason_text(enum why_reason reason)
{
	return reasons[reason];
}

void why_task_text(const struct why_answer *a, s32 pid, u32 comm, struct strbuf *out)
{
	const char *name = comm ? why_word(a->store, comm) : why_store_comm(a->store, pid);

	if (*name)
		strbuf_addf(out, "%s-%d", name, pid);
	else
		strbuf_addf(out, "task %d", pid);
}

static void add_end(const struct why_answer *a, const struct why_part *p, struct strbuf *out)
{
	const struct why_key *k = &p->key;

	if (k->continues) {
		strbuf_addstr(out, "; its end is not in the recording");
		return;
	}
	strbuf_addstr(out, " until ");
	if (k->in_irq && k->irq)
		strbuf_addf(out, "%s woke it", why_word(a->store, k->irq));
	else if (k->in_irq)
		strbuf_addstr(out, "an interrupt woke it");
	else if (!k->pid)
		strbuf_addstr(out, "an idle CPU woke it");
	else
		why_task_text(a, k->pid, k->comm, out), strbuf_addstr(out, " woke it");
	if (k->in_irq && k->pid) {
		strbuf_addstr(out, " (while ");
		why_task_text(a, k->pid, k->comm, out);
		strbuf_addstr(out, " ran)");
	}
	if (p->end == WHY_CYCLE)
		strbuf_addstr(out, ", which waited for it (a cycle)");
	else if (p->end == WHY_DEEP)
		strbuf_addstr(out, "; see --depth");
	else if (p->end == WHY_GOES_ON)
		strbuf_addstr(out, ", which meanwhile was");
}

void why_part_text(const struct why_answer *a, u32 part, struct strbuf *out)
{
	const struct why_part *p = &a->tree->parts.v[part];
	const struct why_key *k = &p->key;
	bool waits = a->tree->parts.v[k->parent].key.kind == WHY_WAITING;

	switch (part ? k->kind : WHY_TASK) {
	case WHY_RUNNING:
		strbuf_addf(out, "running on CPU %u", k->cpu);
		/* " at 2.4 GHz" */
		if (k->khz >= 1000000)
			strbuf_addf(out, " at %u.%02u GHz", k->khz / 1000000,
				    k->khz % 1000000 / 10000);
		else if (k->khz)
			strbuf_addf(out, " at %u MHz", k->khz / 1000);
		break;
	case WHY_IRQ:
		strbuf_addf(out, waits ? "while %s ran on CPU %u" : "interrupted by %s on CPU %u",
			    why_word(a->store, k->word), k->cpu);
		break;
	case WHY_WAITING:
		strbuf_addf(out, "waiting for a CPU (%s)", why_word(a->store, k->word));
		break;
	case WHY_CULPRIT:
		strbuf_addstr(out, "while ");
		why_task_text(a, k->pid, k->comm, out);
		strbuf_addf(out, " ran on CPU %u", k->cpu);
		break;
	case WHY_IDLE:
		strbuf_addf(out, "while CPU %u was idle", k->cpu);
		break;
	case WHY_HELD:
		strbuf_addf(out,
			    strcmp(why_word(a->store, a->tree->parts.v[k->parent].key.word),
				   "frozen")
				    ? "held back by its quota (%s)"
				    : "frozen with its cgroup (%s)",
			    why_word(a->store, k->word));
		break;
	case WHY_BLOCKED:
		strbuf_addstr(out, strcmp(why_word(a->store, k->word), "disk")
					   ? why_word(a->store, k->word)
					   : "in uninterruptible sleep");
		break;
	case WHY_UNKNOWN:
		strbuf_addf(out, "unknown: %s", reasons[k->reason]);
		break;
	default:
		why_task_text(a, k->pid, k->comm, out);
		break;
	}
	if (k->call)
		strbuf_addf(out,
			    is_digit(*why_word(a->store, k->call)) ? " in system call %s"
								   : " in %s()",
			    why_word(a->store, k->call));
	if (part && k->kind == WHY_BLOCKED)
		add_end(a, p, out);
}
