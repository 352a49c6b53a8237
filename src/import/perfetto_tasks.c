// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Processes and threads of a Perfetto trace, as a journal of tasks.
 *
 * Perfetto reads /proc when it begins and when it sees a new task, and states what it found, maybe
 * several times. What was read before the first event was so from the beginning. What was read
 * later tells the process and the arguments, and the name that the task has if no event names it.
 */
#include "import/perfetto.h"

static int add_process(struct perfetto *pf, struct proto process,
		       const struct perfetto_stamp *stamp)
{
	struct perfetto_task t = { .stamp = *stamp, .process = process };
	struct proto_field f;
	bool named = false;

	for (struct proto rest = process; proto_next(&rest, &f);) {
		if (f.number == 1)
			t.pid = t.tgid = (s32)f.v;
		else if (f.number == 2)
			t.parent = (s32)f.v;
		else if (f.number == 5)
			t.uid = (s32)f.v + 1;
		else if (f.number == 3 && !t.name.n)
			t.name = proto_text(&f);
		else if (f.number == 8 ||
			 f.number == 9) /* a thread of the kernel, or no arguments */
			named |= f.v;
		if (f.number == 8)
			t.kthread = f.v;
	}
	if (!named)
		t.name.n = 0;
	else
		t.process = proto_of(NULL, 0);
	t.bare = named;
	return t.pid > 0 ? array_push(&pf->tasks, t) : 0;
}

static int add_thread(struct perfetto *pf, struct proto thread, const struct perfetto_stamp *stamp)
{
	struct perfetto_task t = { .stamp = *stamp };
	struct proto_field f;

	while (proto_next(&thread, &f)) {
		if (f.number == 1)
			t.pid = (s32)f.v;
		else if (f.number == 2)
			t.name = proto_text(&f);
		else if (f.number == 3)
			t.tgid = (s32)f.v;
	}
	return t.pid > 0 && t.tgid > 0 ? array_push(&pf->tasks, t) : 0;
}

int perfetto_tasks_add(struct perfetto *pf, struct proto tree, const struct perfetto_stamp *stamp)
{
	struct proto_field f;
	int err = 0;

	while (!err && proto_next(&tree, &f)) {
		if (f.number == 1)
			err = add_process(pf, proto_message(&f), stamp);
		else if (f.number == 2)
			err = add_thread(pf, proto_message(&f), stamp);
	}
	return err;
}

int perfetto_tasks_rename(struct perfetto *pf, struct proto rename,
			  const struct perfetto_stamp *stamp)
{
	const struct proto_field name = proto_find(rename, 2);
	const struct perfetto_task t = { .stamp = *stamp,
					 .pid = (s32)proto_number(rename, 1),
					 .name = proto_text(&name) };

	return t.pid > 0 ? array_push(&pf->tasks, t) : 0;
}

int perfetto_tasks_stats(struct perfetto *pf, struct proto stats,
			 const struct perfetto_stamp *stamp)
{
	enum { THREADS = 11 };
	struct proto_field process, f;
	int err = 0;

	while (!err && proto_next(&stats, &process)) {
		struct proto rest = proto_message(&process);
		struct perfetto_task t = { .stamp = *stamp };

		t.pid = t.tgid = process.number == 1 ? (s32)proto_number(rest, 1) : 0;
		if (t.pid <= 0)
			continue;
		err = array_push(&pf->tasks, t);
		while (!err && proto_next(&rest, &f)) {
			t.pid = f.number == THREADS ? (s32)proto_number(proto_message(&f), 1) : 0;
			if (t.pid > 0)
				err = array_push(&pf->tasks, t);
		}
	}
	return err;
}

static void print_uid(const struct perfetto_task *t, u64 ts, struct strbuf *facts)
{
	if (t->uid > 0)
		task_fact_print(&(struct task_fact){ .kind = TASK_UID,
						     .ts = ts,
						     .pid = t->pid,
						     .n = { (u64)t->uid - 1 } },
				facts);
}

/* Arguments from the beginning, or from a time when others than before were read. */
static void print_args(const struct perfetto_task *t, u64 ts, struct strbuf *facts)
{
	scoped(strbuf_release) struct strbuf args = STRBUF_INIT;
	struct proto rest = t->process;
	struct proto_field f;

	while (proto_next(&rest, &f))
		if (f.number == 3) {
			strbuf_add(&args, proto_text(&f).s, proto_text(&f).n);
			strbuf_fill(&args, '\0', 1);
		}
	if (args.len)
		task_fact_print(&(struct task_fact){ .kind = ts ? TASK_ARGV : TASK_ARGS,
						     .ts = ts,
						     .pid = t->pid,
						     .text[0] = strbuf_span(&args) },
				facts);
	facts->failed |= args.failed;
}

/* By task, then by time. */
DEFINE_ORDER(compare_tasks, struct perfetto_task,
	     cmp_int(x->pid, y->pid) ?: cmp_int(x->ts, y->ts) ?: cmp_int(x->order, y->order))

DEFINE_ORDER(compare_times, struct perfetto_task,
	     cmp_int(x->ts, y->ts) ?: cmp_int(x->pid, y->pid) ?: cmp_int(x->order, y->order))

static bool same_args(struct proto a, struct proto b)
{
	const size_t n = (size_t)(a.end - a.p);

	return n == (size_t)(b.end - b.p) && (!n || !memcmp(a.p, b.p, n));
}

/* What is so from the beginning, as far as later statements do not differ. */
static void print_task(const struct perfetto_task *t, u64 begin, struct strbuf *facts)
{
	struct task_fact fact = { .kind = TASK_OF, .pid = t->pid, .n = { (u64)t->tgid } };

	/* a thread of the kernel had no other name before */
	if (t->name.n && (t->ts <= begin || t->kthread)) {
		fact.kind = TASK_IS;
		fact.n[1] = (u64)(t->parent > 0 ? t->parent : 0);
		fact.text[0] = t->name;
	}
	task_fact_print(&fact, facts);
}

/* What is so from this time on; until then, a name and an id were those of before. */
static void print_change(const struct perfetto_task *t, struct strbuf *facts)
{
	enum { CLONE_THREAD = 0x10000 };
	/* facts are of the time after theirs */
	struct task_fact fact = { .kind = TASK_EXIT, .ts = t->ts - 1, .pid = t->pid };

	if (t->changes & CHANGED_PROCESS) {
		fact.text[0] = t->old;
		task_fact_print(&fact, facts);
		fact.kind = TASK_NEW;
		fact.n[0] = (u64)(t->tgid != t->pid ? t->tgid : t->parent);
		fact.n[1] = t->tgid != t->pid ? CLONE_THREAD : 0;
		fact.text[0] = t->name;
		task_fact_print(&fact, facts);
	} else if (t->changes & CHANGED_NAME) {
		/* only a renaming tells when; what was read was so at this time */
		fact.kind = TASK_NAME;
		fact.ts += t->tgid > 0;
		fact.text[0] = t->tgid > 0 || !t->old.n ? t->name : t->old;
		fact.text[1] = t->name;
		task_fact_print(&fact, facts);
	}
	if (t->changes & CHANGED_ARGS)
		print_args(t, t->ts - 1, facts);
	if (t->changes & CHANGED_UID)
		print_uid(t, t->ts - 1, facts);
}

/* Find what differs from an earlier statement about a task, and print what is so from the begin. */
static void compare_statements(struct perfetto_task *t, size_t n, bool births, struct strbuf *facts)
{
	const struct perfetto_task *args = NULL, *uid = NULL, *process = NULL;
	struct perfetto_task *name = NULL, *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (t[i].name.n && name && !span_same(t[i].name, name->name)) {
			t[i].old = name->name;
			t[i].changes |= CHANGED_NAME;
			first->changes |= CHANGED_NAME;
		}
		if (t[i].tgid > 0 && process && t[i].tgid != process->tgid && !births)
			t[i].changes |= CHANGED_PROCESS;
		if (t[i].process.p || t[i].bare) {
			if (!args)
				print_args(&t[i], 0, facts);
			else if (!same_args(t[i].process, args->process))
				t[i].changes |= CHANGED_ARGS;
			args = &t[i];
		}
		if (t[i].uid) {
			if (!uid)
				print_uid(&t[i], 0, facts);
			else if (t[i].uid != uid->uid)
				t[i].changes |= CHANGED_UID;
			uid = &t[i];
		}
		process = t[i].tgid > 0 ? &t[i] : process;
		name = t[i].name.n ? &t[i] : name;
		first = first ?: name;
	}
}

static bool is_used(const struct perfetto *pf, u32 number)
{
	const struct perfetto_type *type = perfetto_type_of(&pf->types, number);

	return type && type->used;
}

/* What was so from the beginning; then what was otherwise later, in order of time. */
static int print_tasks(struct perfetto *pf, u64 begin, struct strbuf *facts)
{
	/* these events tell when an id is used again */
	const bool births = is_used(pf, PERFETTO_NEWTASK) || is_used(pf, PERFETTO_FORK);
	struct perfetto_task *t = pf->tasks.v;
	size_t n_changes = 0;
	s32 pid = 0;
	int err = 0;

	for (size_t i = 0; i < pf->tasks.n && !err; i++) {
		if (t[i].tgid > 0 && t[i].pid != pid)
			print_task(&t[i], begin, facts);
		pid = t[i].tgid > 0 ? t[i].pid : pid;
		err = comm_table_set(&pf->job->sink->comms, t[i].pid, t[i].ts, t[i].name);
	}
	/* all threads of a process are known before */
	for (size_t i = 0, n; i < pf->tasks.n; i += n) {
		for (n = 1; i + n < pf->tasks.n && t[i + n].pid == t[i].pid;)
			n++;
		compare_statements(t + i, n, births, facts);
	}
	for (size_t i = 0; i < pf->tasks.n; i++)
		if (t[i].changes && t[i].ts)
			t[n_changes++] = t[i];
	if (n_changes)
		qsort(t, n_changes, sizeof(*t), compare_times);
	for (size_t i = 0; i < n_changes; i++)
		print_change(&t[i], facts);
	return err;
}

int perfetto_tasks_finish(struct perfetto *pf)
{
	scoped(strbuf_release) struct strbuf facts = STRBUF_INIT;
	u64 begin = UINT64_MAX;
	int err = 0;

	for (size_t i = 0; i < pf->bundles.n; i++)
		begin = min_t(u64, begin, pf->bundles.v[i].first);
	for (size_t i = 0; i < pf->tasks.n; i++) {
		struct perfetto_task *t = &pf->tasks.v[i];

		t->order = (u32)i;
		if (t->stamp.has && !perfetto_clocks_boot(pf, &t->stamp, &t->ts))
			t->ts = 0;
		if (task_comm(t->name).s)
			t->name = task_comm(t->name);
		t->name.n = min_t(size_t, t->name.n, COMM_LEN);
	}
	if (pf->tasks.n)
		qsort(pf->tasks.v, pf->tasks.n, sizeof(*pf->tasks.v), compare_tasks);
	task_fact_print(&(struct task_fact){ .kind = TASK_VERSION, .n = { TASK_JOURNAL_VERSION } },
			&facts);
	task_fact_print(&(struct task_fact){ .kind = TASK_FROM, .text[0] = span_of("Perfetto") },
			&facts);
	err = print_tasks(pf, begin, &facts);
	err = err ?: facts.failed ? HIST_NOMEM : 0;
	if (!err && pf->tasks.n)
		err = import_sink_option(pf->job->sink, TRACE_DAT_HIST_TASKS,
					 (struct span){ facts.s, facts.len });
	return err;
}
