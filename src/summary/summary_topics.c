// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A line for each topic: who used the CPUs, who waited, what took long. If the longest is longer
 * than a healthy machine has it under load, the line is about trouble.
 */
#include <string.h>

#include "summary/summary_run.h"

enum { MS = 1000000 };
enum {
	RT_WAIT_NS = 5 * MS, /* of a real-time task */
	WAIT_NS = 50 * MS,   /* of any task, if it is WAIT_RATIO times what 99 % take at most */
	WAIT_RATIO = 10,
	IRQ_PERCENT = 20, /* of a CPU */
	IRQ_RATE = 20000, /* a second, on a CPU */
	IRQ_MIN_NS = 10 * MS,
};

/* The three rows with the largest sums: "cc1 1.39 s, ..."; @whole > 0: as parts of it */
static void add_largest(struct summary_run *s, enum summary_table table, double whole)
{
	enum { SHOWN = 3 };
	struct summary_row row;

	for (size_t i = 0; i < SHOWN && summary_row(s, table, i, &row); i++) {
		strbuf_addstr(&s->text, i ? ", " : "");
		summary_add_name(&row, &s->text);
		strbuf_addch(&s->text, ' ');
		if (whole > 0)
			strbuf_addf(&s->text, "%.1f %%",
				    (double)summary_number(&row, "ns") * 100 / whole);
		else
			summary_add_ns(s, summary_number(&row, "ns"));
	}
}

/* "; longest 1.2 ms: cc1-12 on CPU 3 at 1.5"; @name: the row is named, too */
static void add_longest(struct summary_run *s, const struct summary_row *row, bool name, bool task)
{
	strbuf_addstr(&s->text, "; longest ");
	summary_add_ns(s, summary_number(row, "max"));
	strbuf_addstr(&s->text, name || task ? ": " : "");
	if (name)
		summary_add_text(row, row->r->columns[0].name, &s->text);
	strbuf_addstr(&s->text, name && task ? " of " : "");
	if (task)
		summary_add_task(s, row, "comm", "pid");
	summary_add_moment(s, row);
}

static void add_hits(struct summary_run *s, enum summary_table table, const char *what)
{
	const u64 hits = summary_sum(s, table, "hitcount");

	text_add_grouped(&s->text, hits, false);
	strbuf_addf(&s->text, " %s%s", what, plural(hits));
}

static void cpus(struct summary_run *s)
{
	const double all = summary_length(s) * s->h->recordings.files.v[0].info->cpu_count;
	struct summary_row row;

	if (!summary_worst(s, SUMMARY_RUNNING, "max", &row))
		return;
	strbuf_addf(&s->text,
		    "%.0f %% busy: ", (double)summary_sum(s, SUMMARY_RUNNING, "ns") * 100 / all);
	add_largest(s, SUMMARY_RUNNING, all);
	strbuf_addstr(&s->text, " of all CPUs");
	add_longest(s, &row, false, true);
	summary_command(s, summary_say(s, SUMMARY_ANSWER, "cpus", &row), "report", "on-cpu");
}

/* The upper end of the range that has 99 % of the waits. */
static u64 usual_wait(const struct summary_run *s)
{
	const double hits = (double)summary_sum(s, SUMMARY_WAIT_SIZE, "hitcount");
	struct summary_row row;
	double n = 0;

	for (size_t i = 0; summary_row(s, SUMMARY_WAIT_SIZE, i, &row); i++) {
		n += (double)summary_number(&row, "hitcount");
		if (n >= .99 * hits)
			return row.cells[0].max;
	}
	return 0;
}

static void waits(struct summary_run *s)
{
	struct summary_row row, delay;
	bool urgent, trouble;
	u64 usual;

	if (!summary_worst(s, SUMMARY_WAIT, "max", &row))
		return;
	usual = min_t(u64, usual_wait(s), summary_number(&row, "max"));
	trouble = summary_number(&row, "max") >= max_t(u64, WAIT_NS, WAIT_RATIO * usual);
	urgent = summary_worst(s, SUMMARY_RT_WAIT, "max", &delay) &&
		 summary_number(&delay, "max") >= RT_WAIT_NS;
	if (urgent)
		row = delay;
	add_hits(s, SUMMARY_WAIT, "wait");
	strbuf_addstr(&s->text, " for a CPU, 99 % up to ");
	summary_add_ns(s, usual);
	add_longest(s, &row, false, true);
	strbuf_addf(&s->text, "%s, reason ", urgent ? ", a real-time task" : "");
	summary_add_text(&row, "reason", &s->text);
	if (summary_delay(s, summary_number(&row, "pid"), row.saved_at - 1, row.saved_at, &delay) &&
	    summary_is(&delay, "culprit_kind", "task")) {
		strbuf_addstr(&s->text, ", mostly ");
		summary_add_task(s, &delay, "culprit_comm", "culprit_pid");
	}
	summary_command(s,
			summary_say(s, urgent || trouble ? SUMMARY_TROUBLE : SUMMARY_ANSWER,
				    "waits", &row),
			"why", "-e derived:wait --at %s", summary_at(s, &row));
	strbuf_addstr(&s->text, "most: ");
	add_largest(s, SUMMARY_WAIT, 0);
	summary_row(s, SUMMARY_WAIT, 0, &row);
	summary_command(s, summary_say(s, SUMMARY_ANSWER, "waiting", &row), "report",
			"run-queue-wait");
}

static void depth(struct summary_run *s)
{
	struct summary_row row;
	double sum = 0, ns = 0;

	for (size_t i = 0; summary_row(s, SUMMARY_DEPTH, i, &row); i++) {
		sum += (double)summary_number(&row, "depth") * (double)summary_number(&row, "ns");
		ns += (double)summary_number(&row, "ns");
	}
	if (!summary_worst(s, SUMMARY_DEPTH, "depth", &row) || ns <= 0)
		return;
	strbuf_addf(&s->text, "%.1f tasks run or wait on a CPU on average; at most %llu, for ",
		    sum / ns, (unsigned long long)summary_number(&row, "depth"));
	summary_add_ns(s, summary_number(&row, "max"));
	summary_add_moment(s, &row);
	summary_command(s, summary_say(s, SUMMARY_ANSWER, "queues", &row), "report",
			"-e derived:runqueue --by cpu,depth --sum ns");
}

/* Calls whose purpose is to wait: that they take long is not worth a line. */
static bool waits_by_design(const struct summary_row *row)
{
	static const char *const names[] = {
		"futex",           "poll",          "ppoll",
		"select",          "pselect6",      "epoll_wait",
		"epoll_pwait",     "epoll_pwait2",  "nanosleep",
		"clock_nanosleep", "wait4",         "waitid",
		"pause",           "rt_sigsuspend", "rt_sigtimedwait",
		"io_getevents",    "io_pgetevents", "io_uring_enter",
	};

	return summary_is_call(row, names, ARRAY_SIZE(names));
}

static void calls(struct summary_run *s)
{
	struct summary_row row, longest;
	u64 most = 0;

	for (size_t i = 0; summary_row(s, SUMMARY_CALL, i, &row); i++)
		if (summary_number(&row, "max") > most && !waits_by_design(&row)) {
			most = summary_number(&row, "max");
			longest = row;
		}
	if (!most)
		return;
	add_hits(s, SUMMARY_CALL, "call");
	strbuf_addstr(&s->text, "; most time in ");
	add_largest(s, SUMMARY_CALL, 0);
	add_longest(s, &longest, true, true);
	summary_command(s, summary_say(s, SUMMARY_ANSWER, "calls", &longest), "why",
			"-e derived:syscall --at %s", summary_at(s, &longest));
}

static void errors(struct summary_run *s)
{
	enum { SHOWN = 4 };
	struct summary_row row;

	for (size_t i = 0; i < SHOWN && summary_row(s, SUMMARY_ERROR, i, &row); i++) {
		const int error = (int)-(s64)summary_number(&row, "ret");

		strbuf_addstr(&s->text, i ? ", " : "");
		text_add_grouped(&s->text, summary_number(&row, "hitcount"), false);
		strbuf_addch(&s->text, ' ');
		summary_add_text(&row, "id", &s->text);
		strbuf_addf(&s->text, " %s", strerrorname_np(error) ?: "restarted");
	}
	if (summary_row(s, SUMMARY_ERROR, 0, &row))
		summary_command(s, summary_say(s, SUMMARY_ANSWER, "errors", &row), "report",
				"-e derived:syscall -f 'ret < 0 && ret > -4096' --by name,ret");
}

/* The interrupts that keep a CPU busy; false: none does. */
static bool add_storm(struct summary_run *s, struct summary_row *row)
{
	for (size_t i = 0; summary_row(s, SUMMARY_IRQ, i, row); i++) {
		const double share = (double)summary_number(row, "self_ns") / summary_length(s);
		const double rate =
			(double)summary_number(row, "hitcount") * 1e9 / summary_length(s);

		if (summary_length(s) < IRQ_MIN_NS ||
		    (share * 100 < IRQ_PERCENT && rate < IRQ_RATE))
			continue;
		summary_add_text(row, "kind", &s->text);
		strbuf_addch(&s->text, ' ');
		summary_add_name(row, &s->text);
		strbuf_addf(&s->text, ": %.0f a second, %.1f %% of the CPU", rate, share * 100);
		return true;
	}
	return false;
}

static void irqs(struct summary_run *s)
{
	struct summary_row row;
	const bool storm = add_storm(s, &row);

	if (!storm) {
		if (!summary_worst(s, SUMMARY_IRQ, "max", &row))
			return;
		add_hits(s, SUMMARY_IRQ, "interrupt");
		strbuf_addstr(&s->text, "; most time in ");
		add_largest(s, SUMMARY_IRQ, 0);
	}
	add_longest(s, &row, !storm, false);
	summary_command(s, summary_say(s, storm ? SUMMARY_TROUBLE : SUMMARY_ANSWER, "irqs", &row),
			"report", "-e derived:irq --by name,cpu,kind --sum self_ns,ns");
}

/* Topics whose lines have one form. */
static const struct {
	enum summary_table table;
	const char *topic, *what; /* one hit, which has a plural */
	u64 limit;                /* the longest is trouble from here on */
	bool task;                /* the table has the task of the longest */
	const char *event;        /* of hist why; NULL: hist report with ->report */
	const char *report;
} topics[] = {
	{ SUMMARY_DISK, "D state", "sleep", 1000 * MS, false, "derived:task_state", NULL },
	{ SUMMARY_SOFTIRQ, "softirqs", "raised softirq", 10 * MS, false, NULL, "softirq-latency" },
	{ SUMMARY_LOCK, "locks", "contention", 10 * MS, true, "derived:lock_wait", NULL },
	{ SUMMARY_BLOCK, "disks", "request", 500 * MS, true, NULL, "block-latency" },
};

static void topic(struct summary_run *s, size_t i)
{
	struct summary_line *line;
	struct summary_row row;

	if (!summary_worst(s, topics[i].table, "max", &row))
		return;
	add_hits(s, topics[i].table, topics[i].what);
	strbuf_addstr(&s->text, ", ");
	summary_add_ns(s, summary_sum(s, topics[i].table, "ns"));
	strbuf_addstr(&s->text, " in all; most: ");
	add_largest(s, topics[i].table, 0);
	add_longest(s, &row, true, topics[i].task);
	line = summary_say(
		s, summary_number(&row, "max") < topics[i].limit ? SUMMARY_ANSWER : SUMMARY_TROUBLE,
		topics[i].topic, &row);
	if (topics[i].event)
		summary_command(s, line, "why", "-e %s --at %s", topics[i].event,
				summary_at(s, &row));
	else
		summary_command(s, line, "report", "%s", topics[i].report);
}

void summary_topics(struct summary_run *s)
{
	struct strbuf what = STRBUF_INIT, events = STRBUF_INIT;

	cpus(s);
	waits(s);
	depth(s);
	calls(s);
	errors(s);
	irqs(s);
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		topic(s, i);
	if (s->o->recipes && *s->o->recipes) {
		strbuf_addf(&s->text, "also answered: %s", s->o->recipes);
		summary_command(s, summary_say(s, SUMMARY_MORE, "recipes", NULL), "report", "NAME");
	}
	summary_lacking(s, &what, &events);
	if (what.len) {
		strbuf_addf(&s->text, "not recorded: %s", what.s);
		summary_say(s, SUMMARY_MORE, "lacking", NULL)->command =
			arena_printf(&s->arena, "hist record -e %s", events.s);
	}
	strbuf_release(&what);
	strbuf_release(&events);
}
