// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Names of tasks in perf.data, from COMM and FORK records: the last name of each task, and a
 * task:task_rename record for each change of name. So each hit gets the name that the task had at
 * that time. perf writes COMM at the point of that tracepoint; the format here lacks the fields
 * that COMM lacks (oom_score_adj). Without times, only the last name is known. Changes before the
 * first sample of their CPU and after the last one are only in the journal: a record there would
 * say that the CPU was recorded at that time. SWITCH records become perf:off_cpu, of the
 * time until a task runs again; between samples of tracepoints, if there are any.
 *
 * These records, and those of ends of tasks, also become a journal of tasks
 * (trace_dat/task_fact.h).
 *
 * There are few such records, and those of one task are in the buffers of several CPUs: they are
 * read before the samples and sorted.
 */
#include "import/perf_order.h"

/* kernel: misc of a COMM of an execve(); a flag of clone() */
enum { COMM_EXEC = 1 << 13, CLONE_THREAD = 0x10000 };
enum { RENAME_SIZE = 8 + 4 + 2 * PERF_COMM_SIZE, OFF_SIZE = 24 };

static const char format_text[] =
	"name: task_rename\nID: %u\nformat:\n" FORMAT_COMMON
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:char oldcomm[16];\toffset:12;\tsize:16;\tsigned:0;\n"
	"\tfield:char newcomm[16];\toffset:28;\tsize:16;\tsigned:0;\n\n"
	"print fmt: \"pid=%%d oldcomm=%%s newcomm=%%s\", REC->pid, REC->oldcomm, REC->newcomm\n";

static const char off_format[] =
	"name: off_cpu\nID: %u\nformat:\n" FORMAT_COMMON
	"\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int preempted;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:u64 ns;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"pid=%%d preempted=%%u ns=%%llu\", REC->pid, REC->preempted, REC->ns\n";

static int collect_comm(struct perf_tasks *t, const struct perf_file *f,
			const struct perf_event *ev)
{
	struct bytes b = bytes_of(ev->body, ev->len, f->big);
	struct task_event e = { .seq = t->found.n, .parent = -1 };
	const char *name;

	e.tgid = (s32)bytes_u32(&b);
	e.pid = (s32)bytes_u32(&b);
	e.exec = ev->misc & COMM_EXEC;
	name = bytes_str(&b);
	if (b.bad || e.pid <= 0)
		return 0;
	memcpy(e.name, name, strnlen(name, PERF_COMM_SIZE - 1));
	perf_trailer_read(f, ev, &e.ts, &e.cpu);
	return e.cpu < IMPORT_MAX_CPUS ? array_push(&t->found, e) : 0;
}

/* FORK or EXIT */
static int collect_life(struct perf_tasks *t, const struct perf_file *f,
			const struct perf_event *ev)
{
	struct bytes b = bytes_of(ev->body, ev->len, f->big);
	struct task_event e = { .seq = t->found.n, .exit = ev->type == PERF_EXIT };

	e.tgid = (s32)bytes_u32(&b);
	e.parent_tgid = (s32)bytes_u32(&b);
	e.pid = (s32)bytes_u32(&b);
	e.parent = (s32)bytes_u32(&b);
	e.ts = bytes_u64(&b);
	if (e.exit)
		e.parent = -1;
	else if (e.parent < 0)
		return 0;
	return b.bad || e.pid <= 0 ? 0 : array_push(&t->found, e);
}

/* kernel: misc of PERF_RECORD_SWITCH */
enum { SWITCH_OUT = 1 << 13, SWITCH_OUT_PREEMPT = 1 << 14 };

static int collect_switch(struct perf_tasks *t, const struct perf_file *f,
			  const struct perf_event *ev)
{
	struct task_event e = { .seq = t->found.n, .parent = -1, .is = PERF_SWITCHES_LOST };

	e.pid = perf_trailer_read(f, ev, &e.ts, &e.cpu);
	if (ev->type != PERF_LOST)
		e.is = !(ev->misc & SWITCH_OUT)        ? PERF_IN
		       : ev->misc & SWITCH_OUT_PREEMPT ? PERF_PREEMPTED
						       : PERF_OUT;
	if (!e.ts || e.cpu >= IMPORT_MAX_CPUS || (e.pid <= 0 && e.is != PERF_SWITCHES_LOST))
		return 0;
	return array_push(&t->found, e);
}

int perf_tasks_add(struct perf_tasks *t, const struct perf_file *f, const struct perf_event *ev)
{
	if (ev->type == PERF_COMM)
		return collect_comm(t, f, ev);
	if (ev->type == PERF_FORK || ev->type == PERF_EXIT)
		return collect_life(t, f, ev);
	if (ev->type == PERF_SWITCH || ev->type == PERF_SWITCH + 1 || ev->type == PERF_LOST)
		return collect_switch(t, f, ev);
	if (ev->type == PERF_MMAP || ev->type == PERF_MMAP2 || ev->type == PERF_KSYMBOL) {
		struct task_event e = { .seq = t->found.n,
					.map = (u32)t->maps.n + 1,
					.parent = -1 };
		struct perf_map map;

		if (!perf_map_read(f, ev, &map))
			return 0;
		e.tgid = map.tgid;
		perf_trailer_read(f, ev, &e.ts, &e.cpu);
		return array_push(&t->maps, map) ? HIST_NOMEM : array_push(&t->found, e);
	}
	return ev->type == PERF_HEADER_BUILD_ID ? perf_file_ids_add(&t->ids, ev) : 0;
}

DEFINE_ORDER(cmp_task_event, struct task_event, cmp_int(x->ts, y->ts) ?: cmp_int(x->seq, y->seq))

/* Of names without a time, a task has the last one. */
static int find_replaced(struct perf_tasks *t)
{
	scoped(hash_release) struct hash_table last = HASH_TABLE_INIT;
	int err = 0;

	for (size_t i = t->found.n; i-- > 0 && !err;) {
		struct task_event *e = &t->found.v[i];
		struct hash_walk walk = hash_walk(hash_number((u64)e->pid));
		size_t k;

		if (e->ts || e->parent >= 0 || e->exit || e->map)
			continue;
		while (!e->replaced && hash_next(&last, &walk, &k))
			e->replaced = t->found.v[k].pid == e->pid;
		if (!e->replaced)
			err = hash_add(&last, walk.hash, i);
	}
	return err;
}

/* Copy a name to @to, which is filled with zeros. */
static void copy_name(char *to, struct span name)
{
	if (name.n)
		memcpy(to, name.s, min_t(size_t, name.n, PERF_COMM_SIZE - 1));
}

/* The last name of a task with that pid of perf. */
static struct span name_of(const struct perf_tasks *t, const struct import_sink *s, s32 tid)
{
	return t->pids.differ ? comm_table_get(&t->names, tid) : comm_table_get(&s->comms, tid);
}

/* @name: that which the task has, or had before it got another one. */
static void add_fact(struct perf_tasks *t, const struct task_event *e, s32 pid, struct span name)
{
	const s32 tgid = perf_pids_of(&t->pids, e->tgid, e->ts);
	struct task_fact fact = { .ts = e->ts, .pid = pid };

	if (pid <= 0 || tgid <= 0)
		return;
	if (e->parent >= 0 && e->ts) {
		const s32 parent = perf_pids_of(&t->pids, e->parent, e->ts);

		fact.kind = TASK_NEW;
		fact.n[0] = (u64)(parent < 0 ? 0 : parent);
		fact.n[1] = tgid == pid ? 0 : CLONE_THREAD;
		fact.text[0] = name;
	} else if (e->exit) {
		fact.kind = TASK_EXIT;
		fact.text[0] = name;
	} else if (e->exec && e->ts) {
		fact.kind = TASK_EXEC;
		fact.n[0] = (u64)pid;
		fact.text[0] = span_of(e->name);
	} else if (!e->ts && e->parent < 0) {
		fact.kind = TASK_IS;
		fact.n[0] = (u64)tgid;
		fact.text[0] = span_of(e->name);
	} else {
		return;
	}
	if (fact.text[0].n)
		task_fact_print(&fact, &t->facts);
}

/* Whether samples of the CPU are before and after it. */
static bool is_recorded(const struct perf_scan *scan, const struct task_event *e)
{
	return e->cpu < scan->cpus.n && e->ts >= scan->cpus.v[e->cpu].first &&
	       e->ts <= scan->cpus.v[e->cpu].last;
}

/* A task that runs again ends the time in which it did not, unless records between were lost. */
static int take_switch(struct perf_tasks *t, const struct task_event *e, struct perf_scan *scan)
{
	const struct perf_rename_at at = { e->ts, t->renames.n };
	struct perf_rename made = { .pid = perf_pids_of(&t->pids, e->pid, e->ts), .off = true };
	struct perf_off *off;
	u64 since;

	if (e->is == PERF_SWITCHES_LOST) {
		t->off_from = e->ts;
		return 0;
	}
	off = indexed_get(&t->off, pid, e->pid, ((struct perf_off){ .pid = e->pid }));
	if (!off)
		return HIST_NOMEM;
	since = off->since;
	made.preempted = off->preempted;
	made.ns = e->ts - since;
	off->since = e->is == PERF_IN || e->parent >= 0 ? 0 : e->ts;
	off->preempted = e->is == PERF_PREEMPTED;
	if (e->is != PERF_IN || !since || since < t->off_from || made.pid < 0 ||
	    (t->events && !is_recorded(scan, e)))
		return 0;
	t->n_off++;
	return array_push(&t->renames, made) ? HIST_NOMEM : perf_scan_rename(scan, e->cpu, at);
}

static int take(struct perf_tasks *t, const struct task_event *e, struct import_sink *s,
		struct perf_scan *scan)
{
	const struct perf_rename_at at = { e->ts, t->renames.n };
	struct perf_rename rename = { .pid = perf_pids_of(&t->pids, e->pid, e->ts) };
	char parent[PERF_COMM_SIZE] = "";
	int err;

	copy_name(parent, name_of(t, s, e->parent >= 0 ? e->parent : e->pid));
	if (!e->replaced)
		add_fact(t, e, rename.pid, span_of(parent));
	if (e->exit)
		return 0;
	if (e->parent >= 0 && t->off_id && take_switch(t, e, scan))
		return HIST_NOMEM;
	if (e->parent >= 0) { /* a new task has the name of its parent until it changes it */
		err = comm_table_set(&s->comms, rename.pid, e->ts, span_of(parent));
		return err ?: comm_table_set(&t->names, e->pid, e->ts, span_of(parent));
	}
	memcpy(rename.new, e->name, sizeof(rename.new));
	copy_name(rename.old, name_of(t, s, e->pid));
	err = comm_table_set(&s->comms, rename.pid, e->ts, span_of(e->name));
	err = err ?: comm_table_set(&t->names, e->pid, e->ts, span_of(e->name));
	/* COMM without a time: an existing task, not a change */
	if (err || !e->ts || !rename.old[0] || rename.pid < 0)
		return err;
	if (!is_recorded(scan, e)) {
		const struct task_fact fact = { .kind = TASK_NAME,
						.ts = e->ts,
						.pid = rename.pid,
						.text = { span_of(rename.old), span_of(e->name) } };

		task_fact_print(&fact, &t->facts);
		return 0;
	}
	if (!t->id)
		return 0;
	return array_push(&t->renames, rename) ?: perf_scan_rename(scan, e->cpu, at);
}

static int add_format(struct import_sink *s, const char *system, const char *format, u32 *id)
{
	char *text;

	*id = import_sink_free_id(s);
	if (!*id)
		return 0;
	text = arena_printf(&s->arena, format, *id);
	return text ? import_sink_format(s, system, span_of(text)) : HIST_NOMEM;
}

static int put_facts(struct perf_tasks *t, struct import_sink *s)
{
	struct task_fact fact = { .kind = TASK_VERSION, .n = { TASK_JOURNAL_VERSION } };
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	int err = 0;

	task_fact_print(&fact, &out);
	fact = (struct task_fact){ .kind = TASK_FROM, .text[0] = span_of("perf.data") };
	task_fact_print(&fact, &out);
	strbuf_add(&out, t->facts.s, t->facts.len);
	if (out.failed || t->facts.failed)
		err = HIST_NOMEM;
	else if (t->facts.len)
		err = import_sink_option(s, TRACE_DAT_HIST_TASKS, (struct span){ out.s, out.len });
	return err;
}

int perf_tasks_finish(struct perf_tasks *t, struct perf_scan *scan, struct import_sink *s)
{
	bool renamed = false, switched = false;
	int err = perf_pids_read(&t->pids, scan);

	if (t->found.n)
		qsort(t->found.v, t->found.n, sizeof(*t->found.v), cmp_task_event);
	err = err ?: find_replaced(t);
	t->events |= any_of(i, scan->f->attrs.n,
			    scan->f->attrs.v[i].type == PERF_TYPE_TRACEPOINT &&
				    scan->f->attrs.v[i].samples);
	for (size_t i = 0; i < t->found.n; i++)
		switched |= t->found.v[i].is == PERF_IN;
	if (!err && switched)
		err = add_format(s, "perf", off_format, &t->off_id);
	renamed |= any_of(i, t->found.n,
			  !t->found.v[i].is && t->found.v[i].parent < 0 && t->found.v[i].ts &&
				  !t->found.v[i].map && is_recorded(scan, &t->found.v[i]));
	if (!err && renamed && !format_list_find(&s->formats, "task", span_of("task_rename")))
		err = add_format(s, "task", format_text, &t->id);
	array_each_while(const struct task_event, e, &t->found, !err) {
		if (e->map && t->maps.v[e->map - 1].code)
			perf_map_print(&t->maps.v[e->map - 1], &t->ids,
				       e->tgid ? perf_pids_of(&t->pids, e->tgid, e->ts) : 0, e->ts,
				       &t->facts);
		else if (e->is && t->off_id)
			err = take_switch(t, e, scan);
		else if (!e->map && !e->is)
			err = take(t, e, s, scan);
	}
	err = err ?: perf_cgroups_read(t, scan->f);
	return err ? err : put_facts(t, s);
}

int perf_tasks_put(const struct perf_tasks *t, const struct perf_file *f, struct import_sink *s,
		   u32 cpu, struct perf_rename_at at)
{
	const struct perf_rename *rename = &t->renames.v[at.rename];
	u8 rec[RENAME_SIZE] = { 0 };

	store_u16(rec, (u16)(rename->off ? t->off_id : t->id), f->big);
	store_u32(rec + 4, (u32)rename->pid, f->big);
	store_u32(rec + 8, (u32)rename->pid, f->big);
	if (rename->off) {
		store_u32(rec + 12, rename->preempted, f->big);
		store_u64(rec + 16, rename->ns, f->big);
		return import_sink_record(s, cpu, at.ts, rec, OFF_SIZE);
	}
	memcpy(rec + 12, rename->old, PERF_COMM_SIZE);
	memcpy(rec + 28, rename->new, PERF_COMM_SIZE);
	return import_sink_record(s, cpu, at.ts, rec, sizeof(rec));
}

void perf_tasks_release(struct perf_tasks *t)
{
	array_release(&t->found);
	array_release(&t->maps);
	perf_file_ids_release(&t->ids);
	array_release(&t->renames);
	indexed_release(&t->off);
	perf_pids_release(&t->pids);
	comm_table_release(&t->names);
	strbuf_release(&t->facts);
}
