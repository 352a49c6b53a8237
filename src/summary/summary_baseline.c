// SPDX-License-Identifier: LGPL-2.1-only
/* What takes much more time than in another recording, the baseline: a line for each topic. */
#include "summary/summary_run.h"

enum {
	TIMES = 2,           /* as much as in the baseline */
	A_SECOND = 10000000, /* and so much more, ns */
};

static const struct {
	enum summary_table table;
	const char *topic, *recipe;
} compared[] = {
	{ SUMMARY_RUNNING, "cpus", "on-cpu" },
	{ SUMMARY_WAIT, "waits", "run-queue-wait" },
	{ SUMMARY_DISK, "D state", "off-cpu" },
	{ SUMMARY_CALL, "calls", "syscall-latency" },
	{ SUMMARY_IRQ, "irqs", "irq-time" },
	{ SUMMARY_SOFTIRQ, "softirqs", "softirq-latency" },
	{ SUMMARY_LOCK, "locks", "lock-contention" },
	{ SUMMARY_BLOCK, "disks", "block-latency" },
};

/* ns in a second of the recording */
static double rate(const struct summary_run *s, const struct summary_row *row)
{
	return (double)summary_number(row, "ns") * 1e9 / summary_length(s);
}

/* That of the row with the same name in the baseline. */
static double rate_before(const struct summary_run *base, const struct summary_row *row)
{
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT, other = STRBUF_INIT;
	struct summary_row before;
	double found = 0;

	summary_add_name(row, &name);
	for (size_t i = 0; summary_row(base, row->table, i, &before); i++) {
		strbuf_reset(&other);
		summary_add_name(&before, &other);
		if (span_eq(strbuf_span(&other), name.s))
			found += rate(base, &before);
	}
	return found;
}

/* The row of a table that takes more time by most. Return: how much, in a second; 0: none does */
static double find_more(const struct summary_run *s, const struct summary_run *base,
			enum summary_table table, struct summary_row *found)
{
	struct summary_row row;
	double most = 0;

	for (size_t i = 0; summary_row(s, table, i, &row); i++) {
		const double now = rate(s, &row);
		double before;

		if (now < A_SECOND || now < most)
			continue;
		before = rate_before(base, &row);
		if (now < before * TIMES || now - before < A_SECOND || now - before < most)
			continue;
		most = now - before;
		*found = row;
	}
	return most;
}

void summary_compare(struct summary_run *s, const struct summary_run *base)
{
	const struct recordings *files = &s->h->recordings;
	const char *path = base->h->recordings.files.v[0].path;
	struct summary_form form = { .kind = SUMMARY_UNUSUAL, .text = "" };
	scoped(strbuf_release) struct strbuf command = STRBUF_INIT;
	struct summary_row row;
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(compared); i++) {
		double before;

		/* what was not recorded is not less */
		if (!summary_result(base, compared[i].table) ||
		    find_more(s, base, compared[i].table, &row) <= 0)
			continue;
		before = rate_before(base, &row);
		summary_put(s, &row, "{row}: ");
		people_text(&s->text, rate(s, &row), "ns");
		strbuf_addstr(&s->text, " in a second, ");
		if (before > 0)
			strbuf_addf(&s->text, "%.3g times as much as in ", rate(s, &row) / before);
		else
			strbuf_addstr(&s->text, "not there in ");
		text_add_encoded(&s->text, span_of(path));
		form.topic = compared[i].topic;
		summary_say(s, &form, &row);
		strbuf_reset(&command);
		strbuf_addf(&command, "hist diff %s ", compared[i].recipe);
		strbuf_addword(&command, path);
		strbuf_addch(&command, ' ');
		strbuf_addword(&command, files->files.v[0].path);
		if (s->lines.n && !command.failed)
			s->lines.v[s->lines.n - 1].command = arena_strdup(&s->arena, command.s);
		any = true;
	}
	if (!any) {
		strbuf_addf(&s->text, "nothing takes %u times as much time as in ", TIMES);
		text_add_encoded(&s->text, span_of(path));
		form.topic = "baseline";
		summary_say(s, &form, NULL);
	}
	s->failed |= command.failed;
}
