// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Pids of perf.data from a pid namespace, such as that of a container or of WSL2: perf's own
 * records (COMM, FORK, the TID of samples) have the pids of the namespace in which perf ran,
 * records of tracepoints (common_pid) those of the kernel. Samples of tracepoints have both.
 */
#include "import/perf_order.h"

struct pid_pair {
	s32 tid, pid;
	u64 first, last; /* times of samples with both */
};

typedef int (*pair_fn)(struct perf_pids *p, s32 tid, s32 pid, u64 ts);

/* Call @fn for the two pids of each sample, until the result is not 0. */
static int each_sample(struct perf_pids *p, const struct perf_file *f, pair_fn fn)
{
	enum { PID_AT = 4 };
	struct perf_event ev;
	struct perf_sample s;
	int err = 0;

	for (size_t i = 0; i < f->runs.n; i++) {
		struct bytes b = bytes_of(f->runs.v[i].data.s, f->runs.v[i].data.n, f->big);

		while (!err && !perf_event_next(&b, &ev))
			if (ev.type == PERF_SAMPLE && !perf_sample_read(f, &ev, &s) &&
			    s.attr->type == PERF_TYPE_TRACEPOINT && s.attr->tid_at >= 0 && s.raw &&
			    s.raw_len >= PID_AT + 4)
				err = fn(p, s.tid, (s32)load_u32(s.raw + PID_AT, f->big), s.ts);
	}
	return err;
}

static int collect(struct perf_pids *p, s32 tid, s32 pid, u64 ts)
{
	const s32 key[2] = { tid, pid };
	u32 hash = hash_bytes(0, (const char *)key, sizeof(key));
	struct pid_pair *pair;

	if (tid <= 0 || pid <= 0)
		return 0;
	pair = indexed_find(&p->pairs, hash, e, e->tid == tid && e->pid == pid);
	pair = pair ?: indexed_add(&p->pairs, hash, ((struct pid_pair){ tid, pid, ts, ts }));
	if (!pair)
		return HIST_NOMEM;
	pair->first = min_t(u64, pair->first, ts);
	pair->last = max_t(u64, pair->last, ts);
	return 0;
}

DEFINE_ORDER(cmp_pair, struct pid_pair, cmp_int(x->tid, y->tid) ?: cmp_int(x->first, y->first))

int perf_pids_read(struct perf_pids *p, const struct perf_scan *s)
{
	int err;

	p->differ = s->counts.pids_differ || (s->counts.pids_outside && !s->counts.pids_same);
	if (!p->differ)
		return 0;
	err = each_sample(p, s->f, collect);
	if (!err && p->pairs.n)
		qsort(p->pairs.v, p->pairs.n, sizeof(*p->pairs.v), cmp_pair);
	return err;
}

s32 perf_pids_of(const struct perf_pids *p, s32 tid, u64 ts)
{
	size_t at;
	s32 pid = -1;

	if (!p->differ)
		return tid;
	/* a pid may be used again: the first task that still had samples at @ts, or the last one */
	at = partition_point(i, p->pairs.n, p->pairs.v[i].tid < tid);
	for (; at < p->pairs.n && p->pairs.v[at].tid == tid; at++) {
		pid = p->pairs.v[at].pid;
		if (p->pairs.v[at].last >= ts)
			break;
	}
	return pid;
}

void perf_pids_release(struct perf_pids *p)
{
	indexed_release(&p->pairs);
}
