// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cgroups of tasks in perf.data of `perf record --all-cgroups`: samples contain the id of the
 * cgroup, CGROUP records the path of each id. Between two samples of a task it is that of the
 * first.
 */
#include "import/perf_order.h"

struct cgroup_path {
	u64 id;
	const char *path;
};

/* Samples of a task that follow each other in the file, which is not sorted. */
struct cgroup_use {
	u64 first, last, id;
	s32 tid;
};

struct cgroups {
	const struct perf_file *f;
	ARRAY(struct cgroup_path) paths;
	ARRAY(struct cgroup_use) uses;
	INDEXED(size_t) tasks; /* the last one of ->uses of each task */
};

static int add_path(struct cgroups *c, const struct perf_event *ev)
{
	struct bytes b = bytes_of(ev->body, ev->len, c->f->big);
	struct cgroup_path path = { .id = bytes_u64(&b) };

	path.path = bytes_str(&b);
	return b.bad ? 0 : array_push(&c->paths, path);
}

static int add_use(struct cgroups *c, const struct perf_event *ev)
{
	struct cgroup_use *last;
	struct perf_sample s;
	size_t *task;

	if (perf_sample_read(c->f, ev, &s) || !s.cgroup || s.tid <= 0)
		return 0;
	task = indexed_find(&c->tasks, hash_number((u64)s.tid), e, c->uses.v[*e].tid == s.tid);
	last = task ? &c->uses.v[*task] : NULL;
	if (last && last->id == s.cgroup) {
		last->first = min_t(u64, last->first, s.ts);
		last->last = max_t(u64, last->last, s.ts);
		return 0;
	}
	if (task)
		*task = c->uses.n;
	else if (!indexed_add(&c->tasks, hash_number((u64)s.tid), c->uses.n))
		return HIST_NOMEM;
	return array_push(&c->uses, ((struct cgroup_use){ s.ts, s.ts, s.cgroup, s.tid }));
}

static int read_run(struct cgroups *c, struct span data)
{
	struct bytes b = bytes_of(data.s, data.n, c->f->big);
	struct perf_event ev;
	int err = 0;

	while (!err && !perf_event_next(&b, &ev)) {
		if (ev.type == PERF_CGROUP)
			err = add_path(c, &ev);
		else if (ev.type == PERF_SAMPLE)
			err = add_use(c, &ev);
	}
	return err;
}

DEFINE_ORDER(cmp_path, struct cgroup_path, cmp_int(x->id, y->id))

DEFINE_ORDER(cmp_use, struct cgroup_use,
	     cmp_int(x->tid, y->tid) ?: cmp_int(x->first, y->first) ?: cmp_int(x->id, y->id))

static void add_fact(struct perf_tasks *t, const struct cgroups *c, const struct cgroup_use *use)
{
	const struct cgroup_path key = { .id = use->id };
	const struct cgroup_path *path =
		bsearch(&key, c->paths.v, c->paths.n, sizeof(key), cmp_path);
	/* before the sample */
	struct task_fact fact = { .kind = TASK_MOVED, .ts = use->first ? use->first - 1 : 0 };

	fact.pid = perf_pids_of(&t->pids, use->tid, use->first);
	fact.text[0] = path ? span_of(path->path) : span_of("");
	if (fact.pid > 0)
		task_fact_print(&fact, &t->facts);
}

/* A use whose samples others of the same task interrupt begins again at its last sample. */
static int put_facts(struct perf_tasks *t, struct cgroups *c)
{
	const size_t n = c->uses.n;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		struct cgroup_use end = c->uses.v[i];

		end.first = end.last;
		err = array_push(&c->uses, end);
	}
	if (err || !c->paths.n || !n)
		return err;
	qsort(c->paths.v, c->paths.n, sizeof(*c->paths.v), cmp_path);
	qsort(c->uses.v, c->uses.n, sizeof(*c->uses.v), cmp_use);
	for (size_t i = 0; i < c->uses.n; i++) {
		const struct cgroup_use *use = &c->uses.v[i];

		if (!i || use->tid != use[-1].tid || use->id != use[-1].id)
			add_fact(t, c, use);
	}
	return 0;
}

int perf_cgroups_read(struct perf_tasks *t, const struct perf_file *f)
{
	struct cgroups c = { .f = f };
	int err = 0;
	const bool any = any_of(i, f->attrs.n, (f->attrs.v[i].sample_type & PERF_IN_CGROUP) != 0);

	for (size_t i = 0; i < f->runs.n && any && !err; i++)
		err = read_run(&c, f->runs.v[i].data);
	err = err ?: put_facts(t, &c);
	array_release(&c.paths);
	array_release(&c.uses);
	indexed_release(&c.tasks);
	return err;
}
