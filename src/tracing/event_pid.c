// SPDX-License-Identifier: LGPL-2.1-only
/*
 * set_event_pid: whether the event of a record is ignored because of its task.
 *
 * The kernel stores for each CPU whether the running task is ignored, and updates this when tasks
 * are switched. For the events of switching and waking, the other task matters, too: a switch
 * passes if either of its tasks is selected, a wakeup if the woken task is. A synthetic event
 * passes if the event that generated it does. With a filter or a histogram on the event, its
 * triggers are not called for ignored events. With options/event-fork, the child of a selected
 * task is selected from the end of sched_process_fork on, and a task no longer is from the start of
 * sched_process_free on.
 *
 * Corresponds to trace_filter_add_remove_task(), trace_event_ignore_this_pid(),
 * event_filter_pid_sched_switch_probe_pre() and similar functions in trace_events.c, and to
 * trace_pid_write() in trace.c.
 */
#include "program/load.h"
#include "tracing/event_pid.h"

/* kernel: PID_MAX of a pid list; and trace_get_user() accepts words of up to this length */
enum { PIDS_MAX = 1 << 30, WORD_MAX = 127 };

/* --- the files --- */

void event_pid_clear(struct trace_array *tr, enum event_pid_type type)
{
	struct pid_list *pids = &tr->pids[type];

	free(pids->v);
	*pids = (struct pid_list){ 0 };
}

static size_t position(const struct pid_list *pids, u32 pid)
{
	return partition_point(i, pids->n, pids->v[i] < pid);
}

static bool holds(const struct pid_list *pids, u32 pid)
{
	size_t at = position(pids, pid);

	return at < pids->n && pids->v[at] == pid;
}

/* Insert; there is room. */
static void insert(struct pid_list *pids, u32 pid)
{
	size_t at = position(pids, pid);

	if (holds(pids, pid))
		return;
	memmove(&pids->v[at + 1], &pids->v[at], (pids->n - at) * sizeof(*pids->v));
	pids->v[at] = pid;
	pids->n++;
}

static int add_word(struct pid_list *pids, struct span word, struct diags *diags)
{
	u64 pid;

	if (word.n > WORD_MAX || !span_u64(word, &pid))
		return diags_error(diags, -HIST_EREJECTED, "%.*s is not a pid: Invalid argument",
				   (int)word.n, word.s);
	/* kernel: uses the lower half of a number that is too large */
	if ((u32)pid >= PIDS_MAX)
		return diags_error(diags, -HIST_EREJECTED,
				   "%.*s is too large for a pid: Operation not permitted",
				   (int)word.n, word.s);
	insert(pids, (u32)pid);
	return 0;
}

/* All pids are added, or none. */
int event_pid_write(struct trace_array *tr, enum event_pid_type type, struct span text,
		    struct diags *diags)
{
	struct pid_list *old = &tr->pids[type], pids = { .n = old->n };
	struct span rest = { text.s, strnlen(text.s, text.n) };
	int err = 0;

	if (!text.n)
		return 0;
	pids.v = malloc((old->n + rest.n + 1) * sizeof(*pids.v));
	if (!pids.v)
		return HIST_NOMEM;
	if (old->n)
		memcpy(pids.v, old->v, old->n * sizeof(*pids.v));
	while (rest.s && !err) {
		struct span word = span_sep(&rest, " \t\n\v\f\r");

		if (word.n)
			err = add_word(&pids, word, diags);
	}
	if (err) {
		free(pids.v);
		return err;
	}
	event_pid_clear(tr, type);
	pids.is_set = pids.n;
	*old = pids;
	return 0;
}

/* --- tasks that fork and exit --- */

void event_pid_end(struct trace_array *tr)
{
	for (size_t i = 0; i < ARRAY_SIZE(tr->now); i++) {
		free(tr->now[i].v);
		tr->now[i] = (struct pid_list){ 0 };
	}
}

int event_pid_start(struct trace_array *tr)
{
	event_pid_end(tr);
	for (size_t i = 0; i < ARRAY_SIZE(tr->now) && event_pid_follows(tr); i++) {
		const struct pid_list *pids = &tr->pids[i];
		struct pid_list *now = &tr->now[i];

		now->v = malloc((pids->n + 1) * sizeof(*now->v));
		if (!now->v)
			return HIST_NOMEM;
		now->n = pids->n;
		now->is_set = pids->is_set;
		if (now->n)
			memcpy(now->v, pids->v, now->n * sizeof(*now->v));
	}
	return 0;
}

/* The list that is in effect at this point of the replay. */
static const struct pid_list *list_now(const struct trace_array *tr, enum event_pid_type type)
{
	return tr->now[type].v ? &tr->now[type] : &tr->pids[type];
}

int event_pid_forked(struct trace_array *tr, u32 parent, u32 child)
{
	for (struct pid_list *now = tr->now; now < tr->now + ARRAY_SIZE(tr->now); now++) {
		u32 *more;

		if (!now->is_set || !holds(now, parent))
			continue;
		more = realloc(now->v, (now->n + 2) * sizeof(*now->v));
		if (!more)
			return HIST_NOMEM;
		now->v = more;
		insert(now, child);
		tr->tracing->effects++;
	}
	return 0;
}

void event_pid_freed(struct trace_array *tr, u32 pid)
{
	for (struct pid_list *now = tr->now; now < tr->now + ARRAY_SIZE(tr->now); now++) {
		size_t at = position(now, pid);

		if (at == now->n || now->v[at] != pid)
			continue;
		now->n--;
		memmove(&now->v[at], &now->v[at + 1], (now->n - at) * sizeof(*now->v));
		tr->tracing->effects++;
	}
}

/* --- records --- */

u32 event_pid_offset(const struct event_format *format, const char *name)
{
	const struct event_field *field = event_find_field(format, span_of(name), GENERICS_6_1);

	return field && field->size == 4 && event_field_is_number(field) ? field->offset : 0;
}

void event_pid_prepare(struct event_file *file)
{
	static const char *const wakeups[] = { "sched_wakeup", "sched_wakeup_new", "sched_waking" };
	struct event_pids *pids = &file->pids;

	*pids = (struct event_pids){ .any = false };
	if (file->synth || strcmp(file->system, "sched"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(wakeups); i++)
		if (!strcmp(file->name, wakeups[i]))
			pids->first = event_pid_offset(file->format, "pid");
	if (strcmp(file->name, "sched_switch"))
		return;
	pids->any = true;
	pids->first = event_pid_offset(file->format, "prev_pid");
	pids->second = event_pid_offset(file->format, "next_pid");
}

/* kernel: trace_ignore_this_task(), with one list or both */
static bool ignores_task(const struct pid_list *only, const struct pid_list * not, u32 pid)
{
	return (only && only->is_set && !holds(only, pid)) || (not &&holds(not, pid));
}

static bool ignores_recorded(const struct event_file *file, const struct hit *hit)
{
	const struct pid_list *only = list_now(file->tr, EVENT_PIDS),
			      *not = list_now(file->tr, EVENT_NO_PIDS);
	bool big = file->tr->tracing->machine.big_endian;
	u32 current = (u32)hit->pid, first, second;

	if (file->pids.any) {
		first = load_pid(hit, file->pids.first, big);
		second = load_pid(hit, file->pids.second, big);
		return (ignores_task(NULL, not, first) && ignores_task(NULL, not, second)) ||
		       (ignores_task(only, NULL, first) && ignores_task(only, NULL, second));
	}
	if (!ignores_task(only, not, current))
		return false;
	return !file->pids.first || ignores_task(only, not, load_pid(hit, file->pids.first, big));
}

bool event_pid_ignores(struct event_file *file, const struct hit *hit)
{
	struct trace_array *tr = file->tr;

	if (!file->synth)
		tr->pid_ignored = ignores_recorded(file, hit);
	return tr->pid_ignored;
}
