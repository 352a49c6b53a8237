// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Where records of a CPU are missing although its sub-buffers do not say so.
 *
 * Overwritten records: of a buffer that was copied, the kernel's counters tell; of a recording that
 * kept only the latest ones, there are fewer than were read. Dropped ones (the option overwrite was
 * off) are missing between two sub-buffers, but in a smaller recording, between any two records.
 */
#include "recording/recording.h"

enum { COUNTED_PAGES = 4096, EVENT_MIN_BYTES = 16 };

/* A CPU being read; the iterator notes what cannot be read. */
struct reader {
	struct trace_dat_pages *pages;
	struct ring_buffer_iter *it;
};

static int read_page(void *arg, const u8 **page, size_t *len)
{
	const struct reader *r = arg;
	int err;

	do {
		err = trace_dat_pages_next(r->pages, page, len);
		r->it->skipped |= err == -HIST_EFORMAT || (err && trace_dat_pages_cut(r->pages));
	} while (err == -HIST_EFORMAT);
	return err;
}

/* Whether the sub-buffers have fewer than @n records. */
static bool has_fewer(struct trace_dat_pages *pages, const struct ring_buffer_layout *layout, u64 n)
{
	struct ring_buffer_record rec;
	struct ring_buffer_iter it;

	ring_buffer_iter_init(&it, layout, 0, read_page, &(struct reader){ pages, &it });
	while (n && !ring_buffer_iter_next(&it, &rec))
		n--;
	return n;
}

/* Whether it is a recording of the latest records, of which @n were read. */
static bool is_rest(const struct recording_cpu *of, const struct ring_buffer_layout *layout,
		    bool keeps, u64 n)
{
	const char *by = of->rec->info->version_text;
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	struct trace_dat_pages *pages;
	bool rest = false;
	u64 n_pages;

	/* hist tells */
	if (!keeps && (!by || span_starts(span_of(by), "hist ")))
		return false;
	if (!trace_dat_pages_open(of->rec->td, of->buffer, of->cpu, &pages, &ignored)) {
		n_pages = trace_dat_pages_count(pages);
		rest = n > n_pages * (layout->subbuf_size / EVENT_MIN_BYTES);
		if (!rest && (keeps || n_pages < COUNTED_PAGES))
			rest = has_fewer(pages, layout, n);
		trace_dat_pages_close(pages);
	}
	return rest;
}

/* Add what hist_slim() states; false: nothing. */
static bool add_stated(const struct recording_cpu *of, u32 cpu, struct coverage *c)
{
	const char *name = of->rec->buffers[of->buffer].name;
	struct span text = slimmed_text(of->rec);
	struct slimmed_line line;
	bool any = false;

	while (slimmed_next(&text, "missing ", 3, &line)) {
		const struct coverage_hole hole = { .cpu = cpu,
						    .reason = COVERAGE_LOST,
						    .from = (u64)line.b,
						    .to = line.c == INT64_MAX ? UINT64_MAX
									      : (u64)line.c };

		any = true;
		if (line.a == cpu && line.b >= 0 && line.b < line.c && span_eq(line.rest, name))
			c->failed |= array_push(&c->holes, hole) != 0;
	}
	return any;
}

/* "begins CPU" */
static bool states_begin(struct span limits, u32 cpu)
{
	struct span line;
	u64 n;

	while ((line = limits_next(&limits, "begins")).s)
		if (span_u64(line, &n) && n == cpu)
			return true;
	return false;
}

int recording_watch_coverage(const struct recording_cpu *of, struct ring_buffer_iter *it,
			     struct coverage *c)
{
	const bool slimmed = slimmed_text(of->rec).s;
	struct span limits = span_of(recording_option(of->rec, TRACE_DAT_HIST_LIMITS) ?: "");
	struct span rest = limits;
	const bool keeps = limits_next(&rest, "max-size").s;
	struct ring_stats stats;

	trace_dat_stats_of(of->rec->td, of->rec->buffers[of->buffer].name, it->cpu, &stats);
	it->coverage = c;
	it->losses_known = slimmed && add_stated(of, it->cpu, c);
	if (it->losses_known)
		return c->failed ? HIST_NOMEM : 0;
	it->drops = stats.dropped || stats.commit_overrun;
	it->late = states_begin(limits, it->cpu) || (slimmed && keeps) ||
		   (stats.overrun && !stats.read);
	if (!slimmed && !it->late)
		it->late = is_rest(of, &it->layout, keeps, stats.read + stats.entries);
	if (!slimmed || !it->drops)
		return 0;
	it->drops = false;
	return array_push(&c->holes, ((struct coverage_hole){ .cpu = it->cpu,
							      .reason = COVERAGE_DROPPED,
							      .to = UINT64_MAX,
							      .n = stats.dropped }));
}

int recording_coverage(const struct recording_cpu *of, bool losses, struct coverage *c)
{
	const struct trace_dat_buffer *buffer = &of->rec->buffers[of->buffer];
	const struct ring_buffer_layout layout = { of->rec->info->big_endian,
						   of->rec->info->long_size, buffer->subbuf_size };
	struct diags ignored = DIAGS_INIT;
	struct ring_buffer_record rec;
	struct trace_dat_pages *pages;
	struct ring_buffer_iter it;
	int err = trace_dat_pages_open(of->rec->td, of->buffer, of->cpu, &pages, &ignored);

	diags_release(&ignored);
	if (err)
		return err;
	ring_buffer_iter_init(&it, &layout, buffer->cpus[of->cpu].cpu, read_page,
			      &(struct reader){ pages, &it });
	it.stored = true;
	err = recording_watch_coverage(of, &it, c);
	while (!err && (losses || it.late || it.drops))
		err = ring_buffer_iter_next(&it, &rec);
	trace_dat_pages_close(pages);
	return err < 0 ? err : c->failed ? HIST_NOMEM : 0;
}
