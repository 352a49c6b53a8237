// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The table of buffers. Validates the announced extents: they must be within the file, ascend, have
 * each CPU once, and share no byte. Missing bytes are counted and reported in one diagnosis.
 */
#include "trace_dat/internal.h"

enum { ASCEND_ENTRY = 16 };

DEFINE_ORDER(by_cpu, struct trace_dat_cpu, cmp_int(x->cpu, y->cpu))

/* Whether the file lists the data as ascending: an array of u64 offset, u64 size, by offset. */
static bool is_ascending(const struct trace_dat *td, const struct trace_dat_cpu *c)
{
	const struct trace_dat_option *o =
		td->stream ? NULL : trace_dat_option_find(td, TRACE_DAT_HIST_ASCEND);
	bool big = td->info.big_endian;
	size_t n = o ? o->size / ASCEND_ENTRY : 0;
	size_t at = partition_point(i, n, load_u64(o->data + i * ASCEND_ENTRY, big) < c->offset);

	return at < n && load_u64(o->data + at * ASCEND_ENTRY, big) == c->offset &&
	       load_u64(o->data + at * ASCEND_ENTRY + 8, big) == c->size;
}

/*
 * Drop empty CPUs, and cut the others at the end of the file, so that all extents are within it;
 * returns the remaining number.
 */
static size_t clamp_cpus(struct trace_dat *td, struct trace_dat_cpu *cpus, size_t n)
{
	u64 file_size = td->info.file_size;
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct trace_dat_cpu c = cpus[i];
		u64 there = c.offset < file_size ? file_size - c.offset : 0;

		if (!c.size)
			continue;
		c.ascend = is_ascending(td, &c);
		if (c.size > there) {
			c.missing = c.size - there;
			c.size = there;
			c.offset = min_t(u64, c.offset, file_size);
			td->info.cut = true;
		}
		cpus[kept++] = c;
	}
	return kept;
}

/* Grow a heap array of which the capacity is the next power of two. */
static int add_extent(struct trace_dat_cpu *c, struct trace_dat_extent e)
{
	struct trace_dat_extent *v = (struct trace_dat_extent *)(uintptr_t)c->extents;

	if (!(c->n_extents & (c->n_extents - 1))) {
		struct trace_dat_extent *more =
			realloc(v, (c->n_extents ? 2 * c->n_extents : 1) * sizeof(*v));

		if (!more)
			return HIST_NOMEM;
		c->extents = v = more;
	}
	v[c->n_extents++] = e;
	return 0;
}

/* One more part of a CPU's data in a stream. */
static int extend_cpu(struct trace_dat *td, struct trace_dat_cpu *c, const struct trace_dat_cpu *by,
		      u32 subbuf, struct diags *diags)
{
	const struct trace_dat_extent *last = c->n_extents ? &c->extents[c->n_extents - 1] : NULL;
	u64 end = last ? last->offset + c->size - last->first * subbuf : c->offset + c->size;
	struct trace_dat_extent e = { by->offset, c->size / subbuf };
	int err = 0;

	/* the end of the file is before it */
	if (!by->size) {
		c->missing = by->missing;
		return 0;
	}
	if (by->offset < end || by->offset % 8 || c->offset % 8 || c->size % subbuf || c->missing)
		return trace_dat_corrupt(td, diags, by->offset,
					 "CPU %u of the stream does not go on here", c->cpu);
	if (!c->n_extents)
		err = add_extent(c, (struct trace_dat_extent){ c->offset, 0 });
	err = err ?: add_extent(c, e);
	if (err)
		return err;
	c->size += by->size;
	c->missing = by->missing;
	c->ascend = false;
	return 0;
}

/* A CPU of which the stream had nothing before, as number @at of a buffer. */
static int insert_cpu(struct trace_dat *td, struct trace_dat_buffer *b, size_t at,
		      const struct trace_dat_cpu *c)
{
	struct trace_dat_cpu *more = arena_alloc(&td->arena, (b->n_cpus + 1) * sizeof(*more));

	if (!more)
		return HIST_NOMEM;
	memcpy(more, b->cpus, at * sizeof(*more));
	more[at] = *c;
	memcpy(more + at + 1, b->cpus + at, (b->n_cpus - at) * sizeof(*more));
	b->cpus = more;
	b->n_cpus++;
	return 0;
}

/* The next part of a buffer of a stream; @by is consumed. */
static int extend(struct trace_dat *td, struct trace_dat_buffer *b,
		  const struct trace_dat_buffer *by, struct diags *diags)
{
	int err = 0;

	if (b->compressed || by->compressed || b->subbuf_size != by->subbuf_size)
		return trace_dat_corrupt(td, diags, by->cpus->offset,
					 "the parts of the stream differ in form");
	array_each_of_while(const struct trace_dat_cpu, c, by->cpus, by->n_cpus, !err) {
		struct trace_dat_cpu *cpus = (struct trace_dat_cpu *)(uintptr_t)b->cpus;
		size_t at = partition_point(k, b->n_cpus, cpus[k].cpu < c->cpu);

		if (at < b->n_cpus && cpus[at].cpu == c->cpu)
			err = extend_cpu(td, &cpus[at], c, b->subbuf_size, diags);
		else
			err = insert_cpu(td, b, at, c);
	}
	return err;
}

int trace_dat_buffer_add(struct trace_dat *td, const struct trace_dat_buffer *buf,
			 struct trace_dat_cpu *cpus, size_t n, struct diags *diags)
{
	struct trace_dat_buffer b = *buf;
	struct trace_dat_cpu *copy;

	if (n)
		qsort(cpus, n, sizeof(*cpus), by_cpu);
	for (size_t i = 0; i < n; i++) {
		if (cpus[i].cpu >= MAX_CPUS)
			return trace_dat_corrupt(td, diags, cpus[i].offset,
						 "CPU number %u is out of range", cpus[i].cpu);
		if (i && cpus[i].cpu == cpus[i - 1].cpu)
			return trace_dat_corrupt(td, diags, cpus[i].offset,
						 "CPU %u is listed twice", cpus[i].cpu);
	}
	if (n)
		td->info.cpu_count = max_t(u32, td->info.cpu_count, cpus[n - 1].cpu + 1);
	b.n_cpus = clamp_cpus(td, cpus, n);
	copy = arena_alloc(&td->arena, b.n_cpus * sizeof(*copy) + 1);
	if (!copy)
		return HIST_NOMEM;
	if (b.n_cpus)
		memcpy(copy, cpus, b.n_cpus * sizeof(*copy));
	b.cpus = copy;
	array_each(struct trace_dat_buffer, other, &td->buffers) {
		if (strcmp(other->name, b.name))
			continue;
		if (other->n_cpus && b.n_cpus && td->stream)
			return extend(td, other, &b, diags);
		if (other->n_cpus && b.n_cpus)
			return trace_dat_corrupt(td, diags, b.cpus->offset,
						 "%s%s%s is listed twice, with different data",
						 *b.name ? "buffer \"" : "the top buffer", b.name,
						 *b.name ? "\"" : "");
		if (b.n_cpus || !other->n_cpus)
			*other = b;
		return 0;
	}
	if (td->buffers.n == MAX_BUFFERS)
		return trace_dat_corrupt(td, diags, 0, "more than %d buffers", MAX_BUFFERS);
	return array_push(&td->buffers, b);
}

/* Put the top buffer first; an empty one is added if the file has none. */
static int top_first(struct trace_dat *td)
{
	struct trace_dat_buffer top = {
		.name = "",
		.clock = td->info.clock,
		.subbuf_size = td->header_subbuf ? td->header_subbuf : td->info.page_size,
	};
	size_t i;

	for (i = 0; i < td->buffers.n && *td->buffers.v[i].name; i++)
		;
	if (i < td->buffers.n)
		top = td->buffers.v[i];
	else if (array_push(&td->buffers, top))
		return HIST_NOMEM;
	memmove(td->buffers.v + 1, td->buffers.v, i * sizeof(top));
	td->buffers.v[0] = top;
	return 0;
}

/*
 * trace-cmd 3.1 writes the top buffer's clock to every BUFFER option, whatever clock an instance
 * has. The clocks are trusted only if they differ from each other.
 */
static void settle_clocks(struct trace_dat *td)
{
	const char *first = NULL;
	bool differ = false;

	for (size_t i = 0; i < td->buffers.n; i++) {
		const char *clock = td->buffers.v[i].clock;

		if (!clock || !*clock)
			continue;
		if (first && strcmp(first, clock))
			differ = true;
		first = clock;
	}
	if (!td->info.clock_known && first) {
		td->info.clock = first;
		td->info.clock_known = true;
	}
	/* what it is after the conversion */
	if (td->times.mult)
		td->info.clock = "tsc2nsec";
	array_each(struct trace_dat_buffer, b, &td->buffers) {
		/* "tsc2nsec" is trace-cmd's name for raw TSC with a TSC2NSEC option */
		if (!differ || !b->clock || !*b->clock || !strcmp(b->clock, "tsc2nsec"))
			b->clock = td->info.clock;
	}
}

struct extent {
	u64 from, to;
};

DEFINE_ORDER(by_offset, struct extent, cmp_int(x->from, y->from))

typedef ARRAY(struct extent) extent_array;

/* The parts of the file that have the data of a CPU. */
static int add_extents(extent_array *all, const struct trace_dat_cpu *c, u32 subbuf)
{
	struct extent e = { c->offset, c->offset + c->size };
	int err = c->size && !c->n_extents ? array_push(all, e) : 0;

	for (size_t x = 0; x < c->n_extents && !err; x++) {
		const struct trace_dat_extent *at = &c->extents[x];
		u64 end = x + 1 < c->n_extents ? at[1].first * subbuf : c->size;

		e.from = at->offset;
		e.to = at->offset + end - at->first * subbuf;
		err = array_push(all, e);
	}
	return err;
}

/* Bytes shared by two CPUs are an error; they could also make a small file look endless. */
static int check_overlap(struct trace_dat *td, struct diags *diags)
{
	scoped(free_scoped) extent_array all = ARRAY_INIT;
	int err = 0;

	array_each_while(const struct trace_dat_buffer, b, &td->buffers, !err) {
		for (size_t k = 0; k < b->n_cpus && !err; k++)
			err = add_extents(&all, &b->cpus[k], b->subbuf_size);
	}
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_offset);
	for (size_t i = 1; i < all.n && !err; i++)
		if (all.v[i].from < all.v[i - 1].to)
			err = trace_dat_corrupt(td, diags, all.v[i].from,
						"the data of two CPUs overlap");
	return err;
}

static void report_cut(const struct trace_dat *td, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf where = STRBUF_INIT;
	u64 missing = 0, announced = 0;
	size_t named = 0;

	array_each(const struct trace_dat_buffer, b, &td->buffers) {
		for (size_t k = 0; k < b->n_cpus; k++) {
			announced += b->cpus[k].size + b->cpus[k].missing;
			missing += b->cpus[k].missing;
			if (!b->cpus[k].missing || ++named > 4)
				continue;
			strbuf_addf(&where, "%sCPU %u%s%s", named > 1 ? ", " : "", b->cpus[k].cpu,
				    *b->name ? " of " : "", b->name);
		}
	}
	if (missing)
		diags_add(diags, DIAG_WARNING,
			  "%s: truncated: %llu of %llu bytes of records are missing (%s%s)",
			  td->info.path, missing, announced, where.s, named > 4 ? ", ..." : "");
}

int trace_dat_buffers_finish(struct trace_dat *td, struct diags *diags)
{
	size_t text = 0, records = 0;
	int err = top_first(td);

	if (err)
		return err;
	for (size_t i = 0; i < td->buffers.n; i++) {
		text += td->buffers.v[i].text;
		records += td->buffers.v[i].n_cpus;
	}
	if (text && !records)
		return diags_error(
			diags, -HIST_EUNSUPPORTED,
			"%s: contains the text of a latency tracer and no records; trace-cmd report shows it",
			td->info.path);
	settle_clocks(td);
	err = check_overlap(td, diags);
	if (!err && td->info.cut)
		report_cut(td, diags);
	return err;
}
