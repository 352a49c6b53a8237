// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What is wrong: rules about the tables and the coverage of a recording. A rule that a healthy
 * machine meets under load is worth less than none, so the limits are wide.
 */
#include "summary/summary_run.h"

enum {
	LATE_NS = 1000000, /* a CPU that begins later than the others, and a tenth of all */
	THROTTLED_NS = 1000000,
	FAILED = 20, /* calls, and half of all with that name */
};

/* --- coverage --- */

/* "CPU 3, CPU 5": those of which @is true. */
static u64 lost_on(struct summary_run *s, struct strbuf *cpus)
{
	const struct buffer_count *c = &s->count;
	u64 sum = 0;

	for (size_t i = 0; c->buffer && i < c->buffer->n_cpus; i++) {
		const struct cpu_count *cpu = &c->cpus[i];

		if (!cpu->missed && !cpu->missed_unknown)
			continue;
		sum += cpu->missed;
		strbuf_addf(cpus, "%s%u", cpus->len ? ", " : "", c->buffer->cpus[i].cpu);
	}
	return sum;
}

static void losses(struct summary_run *s)
{
	scoped(strbuf_release) struct strbuf cpus = STRBUF_INIT;
	const u64 lost = lost_on(s, &cpus);

	if (cpus.len) {
		const u64 all = add_saturated(lost, s->count.events);

		if (lost) {
			text_add_grouped(&s->text, lost, false);
			strbuf_addf(&s->text, " event%s lost (%.2g %%) on CPU %s",
				    plural_were(lost), (double)lost * 100 / (double)all, cpus.s);
		} else {
			strbuf_addf(&s->text, "events were lost on CPU %s", cpus.s);
		}
		strbuf_addstr(&s->text, ": what happened then is not known");
		summary_say(s, &(struct summary_form){ SUMMARY_TROUBLE, "lost", "", "list", NULL },
			    NULL);
	}
}

static void late(struct summary_run *s)
{
	array_each(const struct coverage_hole, hole, &s->count.coverage.holes) {
		const u64 to = hole->to > s->last ? s->last : hole->to;

		if (hole->from > s->first || to < s->first + LATE_NS ||
		    (double)(to - s->first) < summary_length(s) / 10)
			continue;
		strbuf_addf(&s->text, "CPU %u has no events for the first ", hole->cpu);
		people_text(&s->text, (double)(to - s->first), "ns");
		strbuf_addf(&s->text, " (%s)",
			    hole->reason == COVERAGE_BEGIN ? "overwritten"
							   : coverage_word(hole->reason));
		summary_say(s, &(struct summary_form){ SUMMARY_TROUBLE, "late", "", "list", NULL },
			    NULL);
	}
}

static void damage(struct summary_run *s)
{
	struct span rest = strbuf_span(&s->h->caveats);
	u64 damaged = 0, unread = 0;
	struct caveat c;

	for (size_t i = 0; s->count.buffer && i < s->count.buffer->n_cpus; i++) {
		damaged += s->count.cpus[i].damaged;
		unread += s->count.cpus[i].unread + (s->count.buffer->cpus[i].missing != 0);
	}
	if (damaged || unread || s->h->recordings.files.v[0].info->cut) {
		strbuf_addstr(&s->text, "the file is cut or damaged: what is missing is not known");
		summary_say(s,
			    &(struct summary_form){ SUMMARY_TROUBLE, "damage", "", "list", NULL },
			    NULL);
	}
	while (caveat_next(&rest, &c)) {
		if (c.kind == CAVEAT_LOST || c.kind == CAVEAT_DAMAGED || c.kind == CAVEAT_NAMES ||
		    c.kind == CAVEAT_TASKS)
			continue;
		caveat_print(&c, &s->text);
		summary_say(s,
			    &(struct summary_form){ SUMMARY_TROUBLE, "caveat", "", "list", NULL },
			    NULL);
	}
}

/* --- who waits --- */

/* The longest wait of a task between two times; not found if another task of its name waits longer.
 */
static bool wait_of(const struct summary_run *s, u64 pid, u64 from, u64 to,
		    struct summary_row *wait)
{
	for (size_t i = 0; summary_row(s, SUMMARY_WAIT, i, wait); i++)
		if (summary_number(wait, "pid") == pid && wait->saved_at > from &&
		    wait->saved_at <= to)
			return true;
	return false;
}

/* A real-time task slept until a task woke it that itself had to wait for a less urgent one. */
static void inversion(struct summary_run *s)
{
	struct summary_row row, sleep, wait, longest, culprit;
	u64 most = 0;

	for (size_t i = 0; summary_row(s, SUMMARY_RT_SLEEP, i, &row); i++)
		if (wait_of(s, summary_number(&row, "waker_pid"),
			    row.saved_at - summary_number(&row, "max"), row.saved_at, &wait) &&
		    summary_number(&wait, "max") * 2 > summary_number(&row, "max") &&
		    summary_number(&wait, "max") > most) {
			most = summary_number(&wait, "max");
			sleep = row;
			longest = wait;
		}
	if (!most || !summary_culprit(s, &longest, &culprit) ||
	    !summary_is(&culprit, "culprit_kind", "task") ||
	    (s64)summary_number(&culprit, "culprit_prio") <= (s64)summary_number(&sleep, "prio"))
		return;
	summary_put(s, &sleep,
		    "priority inversion: {comm}-{pid} (priority {prio}) slept {max} until "
		    "{waker_comm}-{waker_pid} woke it, which waited ");
	summary_put(s, &culprit,
		    "{max} for {culprit_comm}-{culprit_pid} (priority {culprit_prio})");
	summary_say(s,
		    &(struct summary_form){ SUMMARY_TROUBLE, "inversion", " on CPU {cpu} at {at}",
					    "why", "-e derived:task_state --at {at},{cpu}" },
		    &sleep);
}

static void throttled(struct summary_run *s)
{
	struct summary_row row;

	if (summary_row(s, SUMMARY_THROTTLE, 0, &row))
		summary_say(s,
			    &(struct summary_form){
				    SUMMARY_TROUBLE, "throttled",
				    "throttled: the CPU quota of {cgroup} was used up for {ns} "
				    "({hitcount} times); longest {max} on CPU {cpu} at {at}",
				    "report", "throttling" },
			    &row);

	for (size_t i = 0; summary_row(s, SUMMARY_REASON, i, &row); i++)
		if (summary_is(&row, "reason", "throttled") &&
		    summary_number(&row, "max") >= THROTTLED_NS)
			summary_say(
				s,
				&(struct summary_form){
					SUMMARY_TROUBLE, "throttled",
					"throttled: tasks were not allowed to run for {ns}; longest {max}: "
					"{comm}-{pid} on CPU {cpu} at {at}",
					"report",
					"-e derived:wait -f 'reason == \"throttled\"' --by comm --sum ns" },
				&row);
}

/* --- failures --- */

/* Errors that are a way to answer, and those that programs provoke to find out. */
static bool is_answer(int error)
{
	static const int answers[] = { EAGAIN, EINTR,  ETIMEDOUT, ECHILD,  ENOTTY,   EINPROGRESS,
				       ENOSYS, EEXIST, ENOTDIR,   ENODATA, EALREADY, ESPIPE };

	for (size_t i = 0; i < ARRAY_SIZE(answers); i++)
		if (error == answers[i])
			return true;
	return error >= 512; /* ERESTARTSYS and others: the call is restarted */
}

/* Errors of which one is too many: something is full or broken. */
static bool is_alarm(int error)
{
	static const int alarms[] = { ENOSPC, EIO, EMFILE, ENFILE, ENOMEM, EROFS, EDQUOT, ENOBUFS };

	return any_of(i, ARRAY_SIZE(alarms), error == alarms[i]);
}

/* Calls that ask whether a file is there, or which of several. */
static bool asks(const struct summary_row *row, int error)
{
	static const char *const names[] = {
		"access",     "faccessat", "faccessat2", "readlink",        "execve",  "stat",
		"newfstatat", "statx",     "lstat",      "readlinkat",      "newstat", "newlstat",
		"getxattr",   "lgetxattr", "sendfile64", "copy_file_range", "statfs",
	};
	static const char *const connect[] = { "connect" };

	/* a service that is not there has no socket */
	return summary_is_call(row, names, ARRAY_SIZE(names)) ||
	       (error == ENOENT && summary_is_call(row, connect, 1));
}

static u64 calls_like(const struct summary_run *s, u64 id)
{
	struct summary_row row;

	for (size_t i = 0; summary_row(s, SUMMARY_CALL, i, &row); i++)
		if (summary_number(&row, "id") == id)
			return summary_number(&row, "hitcount");
	return 0;
}

static void failures(struct summary_run *s)
{
	enum { SHOWN = 2 };
	struct summary_form form = { SUMMARY_TROUBLE, "failures",
				     "; one by {comm}-{pid} on CPU {cpu} at {at}", "report", NULL };
	struct summary_row row;
	size_t n = 0;

	for (size_t i = 0; n < SHOWN && summary_row(s, SUMMARY_ERROR, i, &row); i++) {
		const int error = (int)-(s64)summary_number(&row, "ret");
		const u64 failed = summary_number(&row, "hitcount");
		const u64 all = calls_like(s, summary_number(&row, "id"));

		if (!is_alarm(error) &&
		    (is_answer(error) || asks(&row, error) || failed < FAILED || failed * 2 < all))
			continue;
		n++;
		summary_put(s, &row, "{hitcount} of ");
		text_add_grouped(&s->text, all, false);
		summary_put(s, &row, " calls of {id} failed: ");
		strbuf_addf(&s->text, "%s (%s)", strerrorname_np(error) ?: "?", strerror(error));
		form.rest = arena_printf(&s->arena,
					 "-e derived:syscall -f 'ret == %d && id == %llu' --by "
					 "comm,pid",
					 -error, summary_number(&row, "id"));
		s->failed |= !form.rest;
		summary_say(s, &form, &row);
	}
	if (summary_row(s, SUMMARY_BLOCK_ERROR, 0, &row))
		summary_say(s,
			    &(struct summary_form){
				    SUMMARY_TROUBLE, "disks",
				    "{hits:failed request} to disks, one to {row} at {at}",
				    "report",
				    "-e derived:block_io -f 'error != 0' --by dev,op,error" },
			    &row);
}

void summary_trouble(struct summary_run *s)
{
	losses(s);
	late(s);
	damage(s);
	inversion(s);
	throttled(s);
	failures(s);
}
