// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the events that left the kernel, but did not reach the disk: hist was killed between read()
 * and write(), or could not write. The kernel counts the events that were read from the buffer of
 * each CPU, and those left there; the data has fewer.
 *
 * A ring that wrapped has fewer anyway, so only the most that can be missing is known: what a pipe
 * contains. Without the kernel's counts (the machine was started again, and the rest of the buffer
 * is gone), not even that.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/blocks.h"
#include "record/missing.h"
#include "record/tracefs_text.h"
#include "ring_buffer/ring_buffer.h"

enum { PIPE_BYTES = 1 << 16 };

static u64 count_page(const struct ring_buffer_layout *layout, const u8 *bytes)
{
	struct ring_buffer_record record;
	struct ring_buffer_page page;
	u64 n = 0;

	if (ring_buffer_page_open(&page, layout, bytes, layout->subbuf_size))
		return 0;
	while (!ring_buffer_page_next(&page, &record))
		n++;
	return n;
}

static int count_events(const struct missing *m, int fd, u64 size, u64 *n)
{
	const u16 one = 1;
	const struct ring_buffer_layout layout = {
		.big_endian = load_u16(&one, false) != 1,
		.long_size = (u32)block_number(m->manifest, "long", sizeof(long)),
		.subbuf_size = m->subbuf,
	};
	u8 *page = malloc(m->subbuf);
	int err = page ? 0 : -HIST_ENOMEM;

	for (u64 at = 0; at + m->subbuf <= size && !err; at += m->subbuf) {
		if (fd_pread(fd, page, m->subbuf, at) != (ssize_t)m->subbuf)
			err = -HIST_EIO;
		else
			*n += count_page(&layout, page);
	}
	free(page);
	return err;
}

/* The caveat of a CPU with @size bytes of data; .n and .kind are set, 0 without a caveat. */
static int judge(const struct missing *m, u32 cpu, int fd, u64 size, struct caveat *c)
{
	char key[24];
	struct ring_stats stats;
	struct span text;
	u64 n = 0, taken;
	int err;

	snprintf(key, sizeof(key), "stats %u", cpu);
	text = block_find(m->manifest, key);
	c->kind = CAVEAT_UNSAVED;
	if (!text.s)
		return 1;
	if (m->ring && size >= m->ring) {
		c->n = max_t(u64, PIPE_BYTES, 2 * (u64)m->subbuf);
		return 1;
	}
	c->kind = CAVEAT_LOST;
	ring_stats_parse(text, &stats);
	taken = stats.read + stats.entries;
	err = count_events(m, fd, size, &n);
	c->n = taken > n ? taken - n : 0;
	return err ? err : c->n > 0;
}

static int find_of_cpu(const struct missing *m, u32 cpu, struct strbuf *caveats,
		       struct diags *diags)
{
	const struct span buffer = block_find(m->manifest, "buffer");
	struct caveat c = { .n = 0 };
	struct strbuf of = STRBUF_INIT, instance = STRBUF_INIT, text = STRBUF_INIT;
	struct stat st;
	int fd = workdir_cpu(m->work, cpu, O_RDONLY), err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -HIST_EIO;
	err = fstat(fd, &st) ? -HIST_EIO : judge(m, cpu, fd, (u64)st.st_size, &c);
	close(fd);
	if (err == 1) {
		strbuf_add(&instance, buffer.s, buffer.n);
		caveat_cpu(&of, cpu, instance.s);
		c.of = span_of(of.s);
		caveat_add(caveats, &c);
		caveat_print(&c, &text);
		diags_add(diags, DIAG_WARNING, "%s", text.s);
		err = of.failed || text.failed ? -HIST_ENOMEM : 0;
	}
	strbuf_release(&text);
	strbuf_release(&instance);
	strbuf_release(&of);
	return err;
}

int missing_find(const struct missing *m, struct strbuf *caveats, struct diags *diags)
{
	bool whole = !block_find(m->manifest, "stopped").s && block_find(m->manifest, "stats 0").s;
	int err = 0;

	for (u32 cpu = 0; cpu < m->cpus && !whole && !err; cpu++)
		err = find_of_cpu(m, cpu, caveats, diags);
	return err;
}
