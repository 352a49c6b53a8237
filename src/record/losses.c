// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Counts lost events. The kernel has counters in per_cpu/cpuN/stats: of events, and for each of the
 * three ways in which a ring buffer loses events.
 *
 * Events that left the kernel may not have reached the disk: hist was killed between read() and
 * write(), or could not write. Then the data has fewer than the kernel counted as read and as left
 * in the buffer. A ring that wrapped has fewer anyway, so only the most that can be missing is
 * known: what a pipe contains. Without the kernel's counts (the machine was started again, and the
 * rest of the buffer is gone), not even that.
 */
#include "record/steps.h"
#include "record/tracedir.h"

enum { PIPE_BYTES = 1 << 16 };

/* --- the kernel's counters --- */

bool session_is_empty(const struct session *s)
{
	struct ring_stats stats;
	bool empty = true;

	for (size_t i = 0; i < s->cpus.n && empty; i++)
		empty = ring_stats_read(s->instance, s->cpus.v[i], &stats) && !stats.entries;
	return empty;
}

/* The events of the @i-th CPU that were to be kept and are lost. */
static u64 count_lost(const struct ring_stats *stats, struct kept *kept, size_t i)
{
	u64 meant = kept ? kept_overwritten(kept, i, stats->overrun) : 0;

	return ring_stats_lost(stats) - min_t(u64, meant, stats->overrun);
}

void session_count(const struct session *s, struct kept *kept, u64 *events, u64 *lost)
{
	*events = *lost = 0;
	for (size_t i = 0; i < s->cpus.n; i++) {
		struct ring_stats stats;

		ring_stats_read(s->instance, s->cpus.v[i], &stats);
		*events += stats.entries + stats.read;
		*lost += count_lost(&stats, kept, i);
	}
}

void report_lost(const struct session *s, struct kept *kept, struct record_result *result,
		 struct diags *diags)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	u64 left = 0;

	for (size_t i = 0; i < s->cpus.n; i++) {
		u32 cpu = s->cpus.v[i];
		struct ring_stats stats;
		u64 lost;

		ring_stats_read(s->instance, cpu, &stats);
		lost = count_lost(&stats, kept, i);
		/* those that were overwritten while they were not to be kept were recorded, too */
		result->events += stats.read + (ring_stats_lost(&stats) - lost);
		result->lost += lost;
		left += stats.entries;
		stats.overrun -= ring_stats_lost(&stats) - lost;
		if (!lost)
			continue;
		strbuf_addf(&sb, "%s CPU %u:", sb.len ? "," : "", cpu);
		if (stats.overrun)
			strbuf_addf(&sb, " overwritten %llu", stats.overrun);
		if (stats.dropped)
			strbuf_addf(&sb, " dropped %llu", stats.dropped);
		if (stats.commit_overrun)
			strbuf_addf(&sb, " commit overrun %llu", stats.commit_overrun);
	}
	if (result->lost)
		diags_add(
			diags, DIAG_WARNING,
			"%llu event%s lost:%s; a larger buffer (-b), filters (-f) or fewer events "
			"help",
			(unsigned long long)result->lost, plural_were(result->lost), sb.s);
	if (left) {
		result->complete = false;
		diags_add(diags, DIAG_WARNING, "%llu event%s left in the kernel's buffers", left,
			  plural_were(left));
	}
}

/* --- between the kernel and the disk --- */

static int count_events(const struct description *m, int fd, u64 size, u64 *n)
{
	const u32 subbuf = m->machine.page_size;
	const struct ring_buffer_layout layout = { m->machine.big_endian, m->machine.long_size,
						   subbuf };
	scoped(free_scoped) u8 *page = malloc(subbuf);
	int err = page ? 0 : -HIST_ENOMEM;

	for (u64 at = 0; at + subbuf <= size && !err; at += subbuf) {
		struct ring_buffer_record record;
		struct ring_buffer_page p;

		if (fd_pread(fd, page, subbuf, at) != (ssize_t)subbuf)
			err = -HIST_EIO;
		else if (!ring_buffer_page_open(&p, &layout, page, subbuf))
			while (!ring_buffer_page_next(&p, &record))
				++*n;
	}
	return err;
}

/* The caveat of a CPU with @size bytes of data; .n and .kind are set, 0 without a caveat. */
static int judge(const struct description *m, u32 cpu, int fd, u64 size, struct caveat *c)
{
	struct span text = description_of_cpu(m, "stats", cpu);
	struct ring_stats stats;
	u64 n = 0, taken;
	int err;

	c->kind = CAVEAT_UNSAVED;
	if (!text.s)
		return 1;
	if (m->kept || (m->ring && size >= m->ring)) {
		c->n = max_t(u64, PIPE_BYTES, 2 * (u64)m->machine.page_size);
		return 1;
	}
	c->kind = CAVEAT_LOST;
	ring_stats_parse(text, &stats);
	taken = stats.read + stats.entries;
	err = count_events(m, fd, size, &n);
	c->n = taken > n ? taken - n : 0;
	return err ? err : c->n > 0;
}

static int find_of_cpu(const struct workdir *w, const struct description *m, u32 cpu,
		       struct strbuf *caveats, struct diags *diags)
{
	struct caveat c = { .n = 0 };
	scoped(strbuf_release) struct strbuf of = STRBUF_INIT, text = STRBUF_INIT;
	struct stat st;
	int fd = workdir_cpu(w, cpu, O_RDONLY), err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -HIST_EIO;
	err = fstat(fd, &st) ? -HIST_EIO : judge(m, cpu, fd, (u64)st.st_size, &c);
	close(fd);
	if (err == 1) {
		caveat_cpu(&of, cpu, m->instance);
		c.of = span_of(of.s);
		caveat_add(caveats, &c);
		caveat_print(&c, &text);
		diags_add(diags, DIAG_WARNING, "%s", text.s);
		err = of.failed || text.failed ? -HIST_ENOMEM : 0;
	}
	return err;
}

int missing_find(const struct workdir *w, const struct description *m, struct strbuf *caveats,
		 struct diags *diags)
{
	bool whole = !block_find(m->text, "stopped").s && block_find(m->text, "stats 0").s;
	int err = 0;

	for (u32 cpu = 0; cpu < m->machine.cpu_count && !whole && !err; cpu++)
		err = find_of_cpu(w, m, cpu, caveats, diags);
	return err;
}
