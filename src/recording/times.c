// SPDX-License-Identifier: LGPL-2.1-only
/* The times of the first and the last record of a buffer; those of a CPU are found once. */
#include <stdlib.h>

#include "recording/page_times.h"
#include "recording/slimmed.h"

struct cpu_times {
	struct page_times times;
	bool known;
};

/* A CPU whose times are not known yet. */
struct unknown {
	const struct recording *rec;
	size_t buffer, cpu;
	struct cpu_times *times;
};

struct times_search {
	ARRAY(struct unknown) cpus;
	size_t next; /* atomic */
	bool failed;
};

static size_t cpu_index(const struct recording *rec, size_t buffer, size_t cpu)
{
	for (size_t b = 0; b < buffer; b++)
		cpu += rec->buffers[b].n_cpus;
	return cpu;
}

static struct ring_buffer_layout layout_of(const struct recording *rec, size_t buffer)
{
	return (struct ring_buffer_layout){ rec->info->big_endian, rec->info->long_size,
					    rec->buffers[buffer].subbuf_size };
}

static int find_cpu(const struct unknown *u)
{
	const struct ring_buffer_layout layout = layout_of(u->rec, u->buffer);
	struct diags ignored = DIAGS_INIT;
	struct trace_dat_pages *pages;
	int err = trace_dat_pages_open(u->rec->td, u->buffer, u->cpu, &pages, &ignored);

	diags_release(&ignored);
	if (err)
		return err;
	err = page_times_find(pages, &layout, u->rec->buffers[u->buffer].cpus[u->cpu].ascend,
			      &u->times->times);
	u->times->known = true;
	trace_dat_pages_close(pages);
	return err;
}

static void *find_cpus(void *arg)
{
	struct times_search *s = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->cpus.n)
		if (find_cpu(&s->cpus.v[i]))
			__atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
	return NULL;
}

/* Collect the CPUs of the buffer whose times are not known. */
static int collect(struct recordings *r, struct recording *rec, size_t buffer,
		   struct times_search *s)
{
	size_t n = cpu_index(rec, rec->n_buffers, 0);
	int err = 0;

	if (!rec->times)
		rec->times = arena_alloc(&r->arena, (n + 1) * sizeof(*rec->times));
	if (!rec->times)
		return HIST_NOMEM;
	for (size_t i = 0; i < rec->buffers[buffer].n_cpus && !err; i++) {
		struct unknown u = { rec, buffer, i, &rec->times[cpu_index(rec, buffer, i)] };

		if (!u.times->known)
			err = array_push(&s->cpus, u);
	}
	return err;
}

int recordings_find_times(struct recordings *r, const char *buffer)
{
	struct times_search s = { .next = 0 };
	size_t b;
	int err = 0;

	for (size_t i = 0; i < r->files.n && !err; i++) {
		struct recording *rec = &r->files.v[i];

		if (recording_find_buffer(rec, buffer, &b) && !rec->buffers[b].text)
			err = collect(r, rec, b, &s);
	}
	if (!err && s.cpus.n)
		threads_run(&(struct thread_job){
			.work = find_cpus,
			.elements = &s,
			.n = (unsigned int)min_t(size_t, s.cpus.n, r->machine.threads) });
	array_release(&s.cpus);
	return err ? err : s.failed ? HIST_NOMEM : 0;
}

static void add_buffer(struct recordings *r, const struct recording *rec, size_t buffer,
		       struct recordings_times *times)
{
	for (size_t i = 0; i < rec->buffers[buffer].n_cpus; i++) {
		const struct page_times *cpu = &rec->times[cpu_index(rec, buffer, i)].times;

		times->first = min_t(u64, times->first, cpu->first);
		times->last = max_t(u64, times->last, cpu->last);
		/* a replay reports only the CPUs that it reads */
		if (r->diags && cpu->damaged)
			recording_diagnose_chunks(rec, buffer, i, r->diags);
	}
}

int recordings_times(struct recordings *r, const char *buffer, struct recordings_times *times)
{
	int err = recordings_find_times(r, buffer);

	*times = (struct recordings_times){ .first = UINT64_MAX };
	for (size_t i = 0; i < r->files.n && !err; i++) {
		const struct recording *rec = &r->files.v[i];
		u64 from, to;
		size_t b;

		if (slimmed_span(rec, buffer, &from, &to)) {
			times->first = min_t(u64, times->first, from);
			times->last = max_t(u64, times->last, to);
		}
		if (recording_find_buffer(rec, buffer, &b) && !rec->buffers[b].text)
			add_buffer(r, rec, b, times);
	}
	if (times->first > times->last)
		times->first = 0;
	return err;
}

struct page_span recording_select_pages(const struct recording *rec, size_t buffer, size_t cpu,
					struct trace_dat_pages *pages, u64 from, u64 to)
{
	const struct ring_buffer_layout layout = layout_of(rec, buffer);

	return page_times_select(&rec->times[cpu_index(rec, buffer, cpu)].times, pages, &layout,
				 from, to);
}

void recording_times_free(struct recording *rec)
{
	for (size_t i = 0; rec->times && i < cpu_index(rec, rec->n_buffers, 0); i++)
		free(rec->times[i].times.blocks);
}
