// SPDX-License-Identifier: LGPL-2.1-only
/* The times of the first and the last record of a buffer; those of a CPU are found once. */
#include "recording/page_times.h"

struct cpu_times {
	struct page_times times;
	bool known;    /* ->times.first and ->times.last */
	bool started;  /* what page_times_start() finds */
	bool searched; /* what page_times_select() needs */
};

/* A CPU whose times are not known yet. */
struct unknown {
	struct recording_cpu of;
	struct cpu_times *times;
};

/* What times are needed for. */
enum times_use { TIMES_SPAN, TIMES_START, TIMES_SELECT };

struct times_search {
	enum times_use use;
	ARRAY(struct unknown) cpus;
	size_t next; /* atomic */
	bool failed;
};

/*
 * Decoding less than that takes a few milliseconds; for the start only, less than one. SMALL_PARTS:
 * for tests.
 */
#ifdef SMALL_PARTS
enum { DECODED_BYTES = 0, DECODED_BYTES_START = 0 };
#else
enum { DECODED_BYTES = 16 << 20, DECODED_BYTES_START = 1 << 20 };
#endif

static size_t cpu_index(const struct recording *rec, size_t buffer, size_t cpu)
{
	for (size_t b = 0; b < buffer; b++)
		cpu += rec->buffers[b].n_cpus;
	return cpu;
}

static struct ring_buffer_layout layout_of(const struct recording_cpu *cpu)
{
	const struct trace_dat_info *info = cpu->rec->info;

	return (struct ring_buffer_layout){ info->big_endian, info->long_size,
					    cpu->rec->buffers[cpu->buffer].subbuf_size };
}

/* Find what is needed of the CPU; less if the replay finds it by itself. */
static int find_times_of(const struct unknown *u, enum times_use use, struct trace_dat_pages *pages)
{
	const struct ring_buffer_layout layout = layout_of(&u->of);
	bool ascend = u->of.rec->buffers[u->of.buffer].cpus[u->of.cpu].ascend;
	bool stay = trace_dat_pages_stay(pages);
	u64 bytes;

	if (ascend)
		trace_dat_pages_use_notes(pages);
	bytes = trace_dat_pages_count(pages) * layout.subbuf_size;

	if (use == TIMES_START && stay && bytes > DECODED_BYTES_START) {
		page_times_start(pages, &layout, &u->times->times);
		u->times->started = true;
		return 0;
	}
	/* all would have to be inflated, to select what is then inflated again */
	if (use == TIMES_SELECT && !stay && !ascend && bytes > DECODED_BYTES / 8)
		return 0;
	u->times->known = u->times->started = u->times->searched = true;
	return page_times_find(pages, &layout, ascend, stay ? DECODED_BYTES : DECODED_BYTES / 8,
			       &u->times->times);
}

static void *find_cpus(void *arg)
{
	struct times_search *s = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED)) < s->cpus.n) {
		const struct recording_cpu *of = &s->cpus.v[i].of;
		struct diags ignored = DIAGS_INIT;
		struct trace_dat_pages *pages;
		int err = trace_dat_pages_open(of->rec->td, of->buffer, of->cpu, &pages, &ignored);

		diags_release(&ignored);
		if (!err) {
			err = find_times_of(&s->cpus.v[i], s->use, pages);
			trace_dat_pages_close(pages);
		}
		if (err)
			__atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
	}
	return NULL;
}

static bool make_times(struct recordings *r, struct recording *rec)
{
	size_t n = cpu_index(rec, rec->n_buffers, 0);

	if (!rec->times)
		rec->times = arena_alloc(&r->arena, (n + 1) * sizeof(*rec->times));
	return rec->times;
}

static int collect(struct recordings *r, struct recording *rec, size_t buffer,
		   struct times_search *s)
{
	int err = make_times(r, rec) ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < rec->buffers[buffer].n_cpus && !err; i++) {
		struct unknown u = { { rec, buffer, i }, &rec->times[cpu_index(rec, buffer, i)] };

		if (!(s->use == TIMES_SELECT  ? u.times->searched
		      : s->use == TIMES_START ? u.times->started
					      : u.times->known))
			err = array_push(&s->cpus, u);
	}
	return err;
}

int recordings_make_all(struct recordings *r, struct diags *diags)
{
	int err = 0;

	for (size_t i = 0; i < r->files.n && !err; i++)
		err = trace_dat_make_all(r->files.v[i].td, diags);
	return err;
}

static int find_times(struct recordings *r, const char *buffer, enum times_use use)
{
	struct times_search s = { .use = use };
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	size_t b;
	int err = 0;

	array_each_while(struct recording, rec, &r->files, !err)
		if (recording_find_buffer(rec, buffer, &b) && !rec->buffers[b].text)
			err = collect(r, rec, b, &s);
	/* before threads read them */
	if (!err && s.cpus.n)
		err = recordings_make_all(r, r->diags ? r->diags : &ignored);
	if (!err && s.cpus.n)
		threads_run(&(struct thread_job){
			.work = find_cpus,
			.elements = &s,
			.n = (unsigned int)min_t(size_t, s.cpus.n, r->options.threads) });
	array_release(&s.cpus);
	return err ? err : s.failed ? HIST_NOMEM : 0;
}

int recordings_find_times(struct recordings *r, const char *buffer)
{
	return find_times(r, buffer, TIMES_SELECT);
}

void recordings_set_times(struct recordings *r, const struct recording_cpu *cpu, u64 first,
			  u64 last)
{
	struct cpu_times *t = make_times(r, cpu->rec)
				      ? &cpu->rec->times[cpu_index(cpu->rec, cpu->buffer, cpu->cpu)]
				      : NULL;

	if (!t || t->searched)
		return;
	t->times.first = first;
	t->times.last = last;
	t->known = t->started = true;
}

int recordings_set_later(struct recordings *r, size_t i, struct trace_dat_later *later)
{
	struct recording *rec = &r->files.v[i];
	int err = trace_dat_set_later(rec->td, later);

	for (size_t cpu = 0; cpu < later->n_cpus && !err; cpu++)
		recordings_set_times(r, &(struct recording_cpu){ rec, 0, cpu },
				     later->cpus[cpu].first, later->cpus[cpu].last);
	return err;
}

static int sum_times(struct recordings *r, const char *buffer, enum times_use use,
		     struct recordings_times *times)
{
	int err = find_times(r, buffer, use);

	*times = (struct recordings_times){ .first = UINT64_MAX };
	array_each_while(const struct recording, rec, &r->files, !err) {
		u64 from, to;
		size_t b;

		if (slimmed_span(rec, buffer, &from, &to)) {
			times->first = min_t(u64, times->first, from);
			times->last = max_t(u64, times->last, to);
		}
		if (recording_find_buffer(rec, buffer, &b) && !rec->buffers[b].text) {
			for (size_t i = 0; i < rec->buffers[b].n_cpus; i++) {
				const struct page_times *cpu =
					&rec->times[cpu_index(rec, b, i)].times;

				times->first = min_t(u64, times->first, cpu->first);
				times->last = max_t(u64, times->last, cpu->last);
				/* a replay reports only the CPUs that it reads */
				if (r->diags && cpu->damaged)
					recording_diagnose_chunks(rec, b, i, r->diags);
			}
		}
	}
	if (times->first == UINT64_MAX)
		times->first = 0;
	return err;
}

int recordings_times(struct recordings *r, const char *buffer, struct recordings_times *times)
{
	return sum_times(r, buffer, TIMES_SPAN, times);
}

int recordings_start(struct recordings *r, const char *buffer, struct recordings_times *times)
{
	return sum_times(r, buffer, TIMES_START, times);
}

struct page_span recording_select_pages(const struct recording_cpu *cpu,
					struct trace_dat_pages *pages, u64 from, u64 to)
{
	const struct cpu_times *t = &cpu->rec->times[cpu_index(cpu->rec, cpu->buffer, cpu->cpu)];
	const struct ring_buffer_layout layout = layout_of(cpu);

	if (!t->searched)
		return (struct page_span){ 0, trace_dat_pages_count(pages) };
	return page_times_select(&t->times, pages, &layout, from, to);
}

void recording_times_free(struct recording *rec)
{
	for (size_t i = 0; rec->times && i < cpu_index(rec, rec->n_buffers, 0); i++)
		free(rec->times[i].times.blocks);
}
