// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes records from the samples of perf.data, CPU by CPU. The raw bytes of a tracepoint's sample
 * are the record that the ring buffer would contain, so they are copied. The kernel's part of a
 * call chain becomes a kernel_stack record after it.
 *
 * Parts that are sorted (perf_scan.h) are passed on as they are; only the others are sorted first.
 */
#include "import/perf_import.h"
#include "import/perf_samples.h"

/* The CPU whose records are made. */
struct perf_put {
	struct perf_import *p;
	u32 cpu;
	const struct perf_cpu *from;
	size_t next_rename;
	u64 renamed_at; /* time of the next one; UINT64_MAX: there is none */
	size_t next_round;
	struct perf_order order;
};

static int put_stacks(const struct perf_put *w, const struct perf_stack *stack)
{
	return stack->n_ips || stack->n_user ? perf_stacks_put(w->p->job->sink, w->cpu, stack) : 0;
}

/* A sample of an event that is not a tracepoint, of a mode. */
static int put_other(const struct perf_put *w, struct perf_sample *s, u16 misc,
		     struct perf_chain chain)
{
	enum { MODES = 7 };
	const struct perf_pids *pids = &w->p->tasks.pids;
	const s32 pid = pids->differ ? perf_pids_of(pids, s->tid, s->ts) : s->tid;
	u8 rec[PERF_SAMPLE_RECORD];
	u32 len;
	int err;

	if (pids->differ)
		s->tgid = perf_pids_of(pids, s->tgid, s->ts);
	len = perf_samples_record(&w->p->f, s, pid, misc & MODES, rec);
	err = import_sink_record(w->p->job->sink, w->cpu, s->ts, rec, len);
	return err
		       ?: put_stacks(w, &(struct perf_stack){ .ts = s->ts,
							      .common = rec,
							      .skipped = 2,
							      .ips = s->ips,
							      .n_ips = (u32)s->n_ips,
							      .user = chain.frames,
							      .n_user = chain.n,
							      .tgid = s->tgid });
}

static bool is_wanted(const struct perf_import *p, u32 id)
{
	return !p->wanted || (id < p->n_wanted && p->wanted[id]);
}

static int put_renames(struct perf_put *w, u64 limit)
{
	const struct perf_import *p = w->p;
	int err = 0;

	while (!err && w->next_rename < w->from->renames.n &&
	       w->from->renames.v[w->next_rename].ts <= limit) {
		const struct perf_rename_at at = w->from->renames.v[w->next_rename++];
		const bool off = p->tasks.renames.v[at.rename].off;

		if (is_wanted(p, off ? p->tasks.off_id : p->tasks.id))
			err = perf_tasks_put(&p->tasks, &p->f, p->job->sink, w->cpu, at);
	}
	w->renamed_at = w->next_rename < w->from->renames.n ? w->from->renames.v[w->next_rename].ts
							    : UINT64_MAX;
	return err;
}

static inline int put_entry(struct perf_put *w, const struct perf_entry *e)
{
	const struct perf_import *p = w->p;
	struct perf_chain chain = { .n = 0 };
	int err = 0;

	if (unlikely(e->ts >= w->renamed_at))
		err = put_renames(w, e->ts);
	if (e->len == PERF_IS_LOSS)
		return err ?: trace_dat_cpus_lost(&p->job->sink->cpus, w->cpu, e->ts, (s64)e->n);
	if (p->unwind.copies.n)
		chain = perf_unwind_find(&p->unwind, e->raw);
	if (unlikely(e->len & PERF_IS_SAMPLE)) {
		const struct perf_event ev = { .body = e->raw,
					       .len = e->len & ~(u32)PERF_IS_SAMPLE };
		struct perf_sample s;

		err = err ?: perf_sample_read(&p->f, &ev, &s);
		return err ?: put_other(w, &s, (u16)e->n_ips, chain);
	}
	err = err ?: import_sink_record(p->job->sink, w->cpu, e->ts, e->raw, e->len);
	if (err || (!e->n_ips && !chain.n))
		return err;
	return put_stacks(w, &(struct perf_stack){ .ts = e->ts,
						   .common = e->raw,
						   .skipped = 1,
						   .ips = e->raw - e->ips_back,
						   .n_ips = e->n_ips,
						   .user = chain.frames,
						   .n_user = chain.n });
}

static int put_sorted(void *arg, const struct perf_entry *e)
{
	return put_entry(arg, e);
}

/* What becomes of a sample or loss of a part: 1: nothing */
static inline int entry_of(const struct perf_import *p, const struct perf_event *ev,
			   struct perf_sample *s, struct perf_entry *e)
{
	if (ev->type == PERF_LOST) {
		u32 cpu;

		*e = (struct perf_entry){ .n = load_u64(ev->body + 8, p->f.big),
					  .len = PERF_IS_LOSS };
		perf_trailer_read(&p->f, ev, &e->ts, &cpu);
		return 0;
	}
	if (ev->type != PERF_SAMPLE || perf_sample_read(&p->f, ev, s) || perf_sample_check(s))
		return 1;
	if (s->attr->type != PERF_TYPE_TRACEPOINT) {
		*e = (struct perf_entry){ .ts = s->ts,
					  .raw = ev->body,
					  .len = PERF_IS_SAMPLE | (u32)ev->len,
					  .n_ips = ev->misc };
		return !is_wanted(p, s->attr->event_id);
	}
	*e = (struct perf_entry){ .ts = s->ts,
				  .raw = s->raw,
				  .len = s->raw_len,
				  .ips_back = s->ips ? (u32)(s->raw - s->ips) : 0,
				  .n_ips = (u32)s->n_ips };
	return !is_wanted(p, load_u16(s->raw, p->f.big));
}

static int put_part(struct perf_put *w, const struct perf_part *part)
{
	struct bytes b = bytes_of(part->p, part->len, w->p->f.big);
	struct perf_event ev;
	struct perf_sample s;
	struct perf_entry e;
	/* those before it that were not in order are all earlier */
	int err = part->sorted ? perf_order_flush(&w->order, UINT64_MAX) : 0;

	while (!err) {
		if (likely(perf_event_quick(&w->p->f, &b, &ev, &s))) {
			if (!is_wanted(w->p, load_u16(s.raw, false)))
				continue;
			e = (struct perf_entry){ .ts = s.ts, .raw = s.raw, .len = s.raw_len };
		} else {
			if (perf_event_next(&b, &ev))
				break;
			/* losses are parts of their own */
			if ((ev.type == PERF_LOST && !part->loss) || entry_of(w->p, &ev, &s, &e))
				continue;
		}
		err = part->sorted ? put_entry(w, &e) : perf_order_add(&w->order, &e);
	}
	return err;
}

/* Rounds that ended before part @at. */
static int put_rounds(struct perf_put *w, size_t at)
{
	const struct perf_scan *scan = &w->p->scan;
	int err = 0;

	while (!err && w->next_round < scan->rounds.n && scan->rounds.v[w->next_round].part <= at) {
		const u64 limit = scan->rounds.v[w->next_round++].limit;

		if (w->order.list.n)
			err = perf_order_flush(&w->order, limit);
		if (!err && limit >= w->renamed_at)
			err = put_renames(w, limit);
	}
	return err;
}

/*
 * Which ids are wanted, also as in struct perf_part. If stacks are wanted as events, all samples
 * may have them.
 */
static u64 choose_ids(struct perf_import *p)
{
	const struct trace_dat_wanted *wanted = p->job->wanted;
	u64 ids = 0;

	p->wanted = wanted ? wanted->ids : NULL;
	p->n_wanted = wanted ? wanted->n : 0;
	if (p->wanted && (is_wanted(p, PERF_KERNEL_STACK) || is_wanted(p, PERF_USER_STACK)))
		p->wanted = NULL;
	for (u32 i = 0; i < p->n_wanted && p->wanted; i++)
		ids |= (u64) !!p->wanted[i] << i % 64;
	return p->wanted ? ids : UINT64_MAX;
}

/* Unwind the copies of stacks of a part that become records. */
static int add_copies(struct perf_import *p, const struct perf_part *part)
{
	struct bytes b = bytes_of(part->p, part->len, p->f.big);
	struct perf_event ev;
	struct perf_sample s;
	struct perf_entry e;
	int err = 0;

	while (!err && !perf_event_next(&b, &ev))
		if (ev.type == PERF_SAMPLE && !entry_of(p, &ev, &s, &e))
			err = perf_unwind_add(&p->unwind, &p->f, &ev, &s, e.raw);
	return err;
}

static int unwind(struct perf_import *p, u64 ids)
{
	int err = 0;

	perf_unwind_clear(&p->unwind);
	if (!perf_unwind_is_needed(&p->f) || (p->job->wanted && p->job->wanted->no_stacks))
		return 0;
	for (size_t i = 0; i < p->scan.parts.n && !err; i++)
		if (p->scan.parts.v[i].ids & ids && !p->scan.parts.v[i].loss)
			err = add_copies(p, &p->scan.parts.v[i]);
	err = err ?: perf_unwind_run(&p->unwind, &p->f, &p->tasks);
	perf_unwind_report(&p->unwind, p->f.name, p->job->diags);
	return err;
}

static int put_cpu(struct perf_import *p, u32 cpu, u64 ids)
{
	const struct perf_scan *scan = &p->scan;
	struct perf_put w = { .p = p, .cpu = cpu, .from = &scan->cpus.v[cpu] };
	int err;

	w.order.fn = put_sorted;
	w.order.arg = &w;
	w.renamed_at = UINT64_MAX;
	err = put_renames(&w, 0);
	for (u32 i = w.from->part; i != PERF_NO_PART && !err; i = scan->parts.v[i].next) {
		err = put_rounds(&w, i);
		if (!err && scan->parts.v[i].ids & ids)
			err = put_part(&w, &scan->parts.v[i]);
	}
	err = err ?: put_rounds(&w, scan->parts.n);
	err = err ?: perf_order_flush(&w.order, UINT64_MAX);
	err = err ?: put_renames(&w, UINT64_MAX);
	perf_order_release(&w.order);
	return err;
}

/* What threads share. */
struct putting {
	struct perf_import *p;
	u64 ids;
	size_t next; /* atomic: CPU */
	int err, errno_of;
};

static void *put_cpus(void *arg)
{
	struct putting *all = arg;
	size_t cpu;

	while ((cpu = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED)) < all->p->scan.cpus.n &&
	       !__atomic_load_n(&all->err, __ATOMIC_RELAXED)) {
		int err = put_cpu(all->p, (u32)cpu, all->ids);

		if (!err)
			continue;
		__atomic_store_n(&all->errno_of, errno, __ATOMIC_RELAXED);
		__atomic_store_n(&all->err, err, __ATOMIC_RELAXED);
	}
	return NULL;
}

int perf_put_records(struct perf_import *p)
{
	struct trace_dat_cpus *cpus = &p->job->sink->cpus;
	struct putting all = { .p = p, .ids = choose_ids(p) };
	const size_t n = min_t(size_t, p->job->options->threads, p->scan.cpus.n);

	all.err = unwind(p, all.ids);
	if (all.err)
		return all.err;
	/* each CPU has a region of the file */
	threads_run(&(struct thread_job){
		.work = put_cpus,
		.elements = &all,
		.n = p->later.make && cpus->region ? (unsigned int)max_t(size_t, n, 1) : 1 });
	if (!all.err && perf_lost_more(p))
		return trace_dat_cpus_lost(cpus, 0, 0,
					   (s64)min_t(u64, perf_lost_more(p), INT64_MAX));
	errno = all.errno_of;
	return all.err;
}
