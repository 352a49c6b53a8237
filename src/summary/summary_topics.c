// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A line for each topic: who used the CPUs, who waited, what took long. If the longest is longer
 * than a healthy machine has it under load, the line is about trouble.
 */
#include "recipe/recipe.h"
#include "summary/summary_run.h"

enum { MS = 1000000 };
enum {
	HANDLER_NS = 10 * MS, /* of an interrupt */
	RT_WAIT_NS = 5 * MS,  /* of a real-time task */
	WAIT_NS = 50 * MS,    /* of any task, if it is WAIT_RATIO times what 99 % take at most */
	WAIT_RATIO = 10,
	CULPRIT_DEPTH = 8,
	IRQ_PERCENT = 20, /* of a CPU */
	IRQ_RATE = 20000, /* a second, on a CPU */
	IRQ_MIN_NS = 10 * MS,
};

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

/* Tasks that run or wait on a CPU. */
static double average_depth(const struct summary_run *s)
{
	struct summary_row row;
	double sum = 0, ns = 0;

	for (size_t i = 0; summary_row(s, SUMMARY_DEPTH, i, &row); i++) {
		sum += (double)summary_number(&row, "depth") * (double)summary_number(&row, "ns");
		ns += (double)summary_number(&row, "ns");
	}
	return ns > 0 ? sum / ns : 0;
}

static void waits(struct summary_run *s)
{
	struct summary_form form = { SUMMARY_ANSWER, "waits", "", "why",
				     "-e derived:wait --at {at},{cpu}" };
	struct summary_row row, urgent, delay;
	u64 usual;

	if (!summary_worst(s, SUMMARY_WAIT, "max", &row))
		return;
	usual = min_t(u64, usual_wait(s), summary_number(&row, "max"));
	if (summary_number(&row, "max") >= max_t(u64, WAIT_NS, WAIT_RATIO * usual))
		form.kind = SUMMARY_TROUBLE;
	summary_put(s, &row, "{hits:wait} for a CPU, 99 % up to ");
	people_text(&s->text, (double)usual, "ns");
	strbuf_addstr(&s->text, "; longest ");
	if (summary_worst(s, SUMMARY_RT_WAIT, "max", &urgent) &&
	    summary_number(&urgent, "max") >= RT_WAIT_NS) {
		strbuf_addstr(&s->text, "of a real-time task ");
		form.kind = SUMMARY_TROUBLE;
		row = urgent;
	}
	summary_put(s, &row, "{max}: {comm}-{pid} on CPU {cpu} at {at}, reason {reason}");
	/* where many tasks wait, each delays each: it takes longer than the rest to find the worst
	 */
	if (average_depth(s) <= CULPRIT_DEPTH && summary_culprit(s, &row, &delay) &&
	    summary_is(&delay, "culprit_kind", "task"))
		summary_put(s, &delay, ", mostly {culprit_comm}-{culprit_pid}");
	summary_say(s, &form, &row);
}

static void depth(struct summary_run *s)
{
	struct summary_row row;

	if (!summary_worst(s, SUMMARY_DEPTH, "depth", &row))
		return;
	strbuf_addf(&s->text, "%.1f tasks run or wait on a CPU on average; ", average_depth(s));
	summary_say(s,
		    &(struct summary_form){ SUMMARY_ANSWER, "queues",
					    "at most {depth}, for {max} on CPU {cpu} at {at}",
					    "report",
					    "-e derived:runqueue --by cpu,depth --sum ns" },
		    &row);
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
	if (most)
		summary_say(s,
			    &(struct summary_form){
				    SUMMARY_ANSWER, "calls",
				    "{hits:call}; most time in {most}; longest {max}: {name} of "
				    "{comm}-{pid} on CPU {cpu} at {at}",
				    "why", "-e derived:syscall --at {at},{cpu}" },
			    &longest);
}

static void errors(struct summary_run *s)
{
	enum { SHOWN = 4 };
	struct summary_row row;

	for (size_t i = 0; i < SHOWN && summary_row(s, SUMMARY_ERROR, i, &row); i++) {
		const int error = (int)-(s64)summary_number(&row, "ret");

		summary_put(s, &row, i ? ", {hitcount} {id} " : "{hitcount} {id} ");
		strbuf_addstr(&s->text, strerrorname_np(error) ?: "restarted");
	}
	if (summary_row(s, SUMMARY_ERROR, 0, &row))
		summary_say(
			s,
			&(struct summary_form){
				SUMMARY_ANSWER, "errors", "", "report",
				"-e derived:syscall -f 'ret < 0 && ret > -4096' --by name,ret" },
			&row);
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
		summary_put(s, row, "{kind} {row}");
		strbuf_addf(&s->text, ": %.0f a second, %.1f %% of the CPU", rate, share * 100);
		return true;
	}
	return false;
}

static void irqs(struct summary_run *s)
{
	struct summary_form form = { SUMMARY_TROUBLE, "irqs",
				     "; longest {max} on CPU {cpu} at {at}", "report",
				     "-e derived:irq --by name,cpu,kind --sum self_ns,ns" };
	struct summary_row row;

	if (!add_storm(s, &row)) {
		form.kind = SUMMARY_ANSWER;
		form.text = "{hits:interrupt}; most time in {most}; longest {max}: {name} on CPU "
			    "{cpu} at {at}";
		if (!summary_worst(s, SUMMARY_IRQ, "max", &row))
			return;
		/* softirqs may run for two jiffies, which can be 20 ms */
		if (summary_number(&row, "max") >= HANDLER_NS &&
		    !summary_is(&row, "kind", "softirq"))
			form.kind = SUMMARY_TROUBLE;
	}
	summary_say(s, &form, &row);
}

#define COUNTED(noun) "{hits:" noun "}, {all} in all; most: {most}; longest {max}: "

/* In the order of the lines: a function, or a form about a row. */
static const struct {
	void (*say)(struct summary_run *s);
	enum summary_table table;
	u64 limit;   /* the longest is trouble from here on; 0: never */
	u32 percent; /* of the time of all CPUs, if a row takes that; 0: never */
	struct summary_form form;
} topics[] = {
	{ .table = SUMMARY_RUNNING,
	  .form = { SUMMARY_ANSWER, "cpus",
		    "{busy} busy: {shares} of all CPUs; longest {max}: {comm}-{pid} on CPU {cpu} at {at}",
		    "report", "on-cpu" } },
	{ .say = waits },
	{ .table = SUMMARY_WAIT,
	  .form = { SUMMARY_ANSWER, "waiting", "most: {most}", "report", "run-queue-wait" } },
	{ .say = depth },
	{ .say = calls },
	{ .say = errors },
	{ .say = irqs },
	{ .table = SUMMARY_DISK,
	  .limit = 1000 * MS,
	  .form = { SUMMARY_ANSWER, "D state", COUNTED("sleep") "{name} on CPU {cpu} at {at}",
		    "why", "-e derived:task_state --at {at},{cpu}" } },
	{ .table = SUMMARY_SOFTIRQ,
	  .limit = 10 * MS,
	  .form = { SUMMARY_ANSWER, "softirqs",
		    COUNTED("raised softirq") "{name} on CPU {cpu} at {at}", "report",
		    "softirq-latency" } },
	{ .table = SUMMARY_LOCK,
	  .limit = 10 * MS,
	  .percent = 10,
	  .form = { SUMMARY_ANSWER, "locks",
		    COUNTED("contention") "{name} of {comm}-{pid} on CPU {cpu} at {at}", "why",
		    "-e derived:lock_wait --at {at},{cpu}" } },
	{ .table = SUMMARY_BLOCK,
	  .limit = 500 * MS,
	  .form = { SUMMARY_ANSWER, "disks", COUNTED("request") "{row} of {comm}-{pid} at {at}",
		    "report", "block-latency" } },
};

/* Those that the recording answers, and whose answer is not a line here. */
static const char *other_recipes(struct summary_run *s)
{
	static const char *const shown[] = { "on-cpu",        "run-queue-wait",  "wakeup-latency",
					     "off-cpu",       "syscall-latency", "syscall-errors",
					     "irq-time",      "softirq-latency", "lock-contention",
					     "block-latency", "preemptions" };
	scoped(strbuf_release) struct strbuf all = STRBUF_INIT, others = STRBUF_INIT;
	struct span rest;

	if (s->o->recipes)
		return s->o->recipes;
	s->failed |= recipe_answers_names(s->h, &all) != 0;
	for (rest = strbuf_span(&all); rest.n;) {
		const struct span name = span_trim(span_sep(&rest, ","));

		if (!any_of(i, ARRAY_SIZE(shown), span_eq(name, shown[i])))
			strbuf_addf(&others, "%s%.*s", others.len ? ", " : "", (int)name.n, name.s);
	}
	return others.len ? arena_take(&s->arena, &others) ?: "" : "";
}

void summary_topics(struct summary_run *s)
{
	scoped(strbuf_release) struct strbuf what = STRBUF_INIT, events = STRBUF_INIT;
	struct summary_form form;
	struct summary_row row, most;
	const char *recipes;

	for (size_t i = 0; i < ARRAY_SIZE(topics); i++) {
		if (topics[i].say)
			topics[i].say(s);
		if (topics[i].say || !summary_worst(s, topics[i].table, "max", &row))
			continue;
		form = topics[i].form;
		if (topics[i].limit && summary_number(&row, "max") >= topics[i].limit)
			form.kind = SUMMARY_TROUBLE;
		if (topics[i].percent && summary_worst(s, topics[i].table, "ns", &most) &&
		    summary_share(s, &most) >= topics[i].percent)
			form.kind = SUMMARY_TROUBLE;
		summary_say(s, &form, &row);
	}
	recipes = other_recipes(s);
	if (*recipes) {
		strbuf_addf(&s->text, "also answered: %s", recipes);
		form = (struct summary_form){ SUMMARY_MORE, "recipes", "", "report", NULL };
		form.rest = arena_strndup(&s->arena, recipes, strcspn(recipes, ","));
		summary_say(s, &form, NULL);
	}
	/* nothing else goes on from here, such as with markers of programs */
	if (s->most && !s->failed && s->lines.v[s->lines.n - 1].kind == SUMMARY_ABOUT) {
		strbuf_addf(&s->text, "the most frequent event by task: %s", s->most);
		form = (struct summary_form){ SUMMARY_MORE, "tasks", "", "report", NULL };
		form.rest = arena_printf(&s->arena, "-e %s --by comm", s->most) ?: "";
		summary_say(s, &form, NULL);
	}
	summary_lacking(s, &what, &events);
	if (what.len) {
		strbuf_addf(&s->text, "not recorded: %s", what.s);
		form = (struct summary_form){ SUMMARY_MORE, "lacking", "", NULL, NULL };
		summary_say(s, &form, NULL);
		if (!s->failed)
			s->lines.v[s->lines.n - 1].command =
				arena_printf(&s->arena, "hist record -e %s", events.s);
	}
}
