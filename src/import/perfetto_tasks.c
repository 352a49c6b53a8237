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
static void print_args(const struct perfetto_task *t, bool later, struct strbuf *facts)
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
		task_fact_print(&(struct task_fact){ .kind = later ? TASK_ARGV : TASK_ARGS,
						     .ts = later ? t->ts : 0,
						     .pid = t->pid,
						     .text[0] = strbuf_span(&args) },
				facts);
	facts->failed |= args.failed;
}

/* By task, then by time: the first one is used, later ones only give the name and the arguments. */
DEFINE_ORDER(compare_tasks, struct perfetto_task,
	     cmp_int(x->pid, y->pid) ?: cmp_int(x->ts, y->ts) ?: cmp_int(x->order, y->order))

DEFINE_ORDER(compare_times, struct perfetto_task, cmp_int(x->ts, y->ts) ?: cmp_int(x->pid, y->pid))

static bool same_args(struct proto a, struct proto b)
{
	const size_t n = (size_t)(a.end - a.p);

	return b.p && n == (size_t)(b.end - b.p) && !memcmp(a.p, b.p, n);
}

static void print_task(const struct perfetto_task *t, u64 begin, struct strbuf *facts)
{
	struct task_fact fact = { .kind = TASK_OF, .pid = t->pid, .n = { (u64)t->tgid } };

	/* a thread of the kernel had no other name before */
	if (t->name.n && (t->ts <= begin || t->kthread)) {
		fact.kind = TASK_IS;
		fact.n[1] = (u64)(t->parent > 0 ? t->parent : 0);
		fact.text[0] = (struct span){ t->name.s, min_t(size_t, t->name.n, COMM_LEN) };
	}
	task_fact_print(&fact, facts);
}

/* What was so from the beginning; then what was otherwise later, in order of time. */
static int print_tasks(struct perfetto *pf, u64 begin, struct strbuf *facts)
{
	struct proto args = proto_of(NULL, 0);
	size_t n_later = 0;
	s32 pid = 0, uid = 0;
	int err = 0;

	array_each_while(const struct perfetto_task, t, &pf->tasks, !err) {
		if (t->tgid > 0 && t->pid != pid)
			print_task(t, begin, facts);
		pid = t->tgid > 0 ? t->pid : pid;
		err = comm_table_set(&pf->job->sink->comms, t->pid, t->ts, t->name);
	}
	/* all threads of a process are known before */
	pid = 0;
	for (size_t i = 0; i < pf->tasks.n; i++) {
		const struct perfetto_task t = pf->tasks.v[i];

		const bool has_args = t.process.p < t.process.end;
		bool other;

		if (t.pid != pid) {
			args = proto_of(NULL, 0);
			uid = 0;
		}
		pid = t.pid;
		if (!uid)
			print_uid(&t, 0, facts);
		if (has_args && !args.p)
			print_args(&t, false, facts);
		other = (uid && t.uid && t.uid != uid) || (has_args && !same_args(t.process, args));
		if (t.ts > begin && other)
			pf->tasks.v[n_later++] = t;
		uid = t.uid ?: uid;
		args = has_args ? t.process : args;
	}
	if (n_later)
		qsort(pf->tasks.v, n_later, sizeof(*pf->tasks.v), compare_times);
	for (size_t i = 0; i < n_later; i++) {
		print_args(&pf->tasks.v[i], true, facts);
		print_uid(&pf->tasks.v[i], pf->tasks.v[i].ts, facts);
	}
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
