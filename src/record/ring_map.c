// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads the ring buffer of a CPU through a mapping of trace_pipe_raw: first a page that describes
 * it, then all sub-buffers by their number. The oldest one is that of the reader; the numbers of
 * the others are in the order of time only until the first of them is read, so their times decide.
 */
#include <sys/mman.h>

#include "record/steps.h"

enum { RING_MAX = 1 << 24, COMMIT_SIZE = (1 << 27) - 1 };

/* The start of the first page. kernel: its size may grow, the order of these stays. */
struct ring_description {
	u32 page_size, struct_size;
	u32 subbuf_size, n_subbufs;
	u64 lost;
	u32 reader, read; /* the reader's sub-buffer, and how much of it was read */
};

struct ring_head {
	u64 ts;
	unsigned long commit;
};

struct ring_subbuf {
	u64 ts;
	u32 id, len; /* of the head and the records */
};

DEFINE_ORDER(by_time, struct ring_subbuf, cmp_int(x->ts, y->ts) ?: cmp_int(x->id, y->id))

static bool is_plausible(const struct ring_description *d)
{
	return d->struct_size >= sizeof(*d) && d->page_size >= d->struct_size && d->n_subbufs &&
	       d->n_subbufs <= RING_MAX && d->page_size <= COMMIT_SIZE &&
	       d->subbuf_size > sizeof(struct ring_head) && d->subbuf_size <= COMMIT_SIZE;
}

/* List the sub-buffers that contain records that no reader took out. Return: how many */
static size_t list(struct ring_subbuf *list, const struct ring_description *d, const u8 *data)
{
	size_t n = 0;

	for (u32 i = 0; i < d->n_subbufs; i++) {
		struct ring_head head;
		u32 len;

		memcpy(&head, data + (size_t)i * d->subbuf_size, sizeof(head));
		len = (u32)head.commit & COMMIT_SIZE;
		if (!len || len > d->subbuf_size - sizeof(head) ||
		    (i == d->reader && d->read >= len))
			continue;
		len += sizeof(head);
		/* above the size are flags: a number of lost events may follow the records */
		list[n++] =
			(struct ring_subbuf){ head.ts, i,
					      head.commit > COMMIT_SIZE ? d->subbuf_size : len };
	}
	qsort(list, n, sizeof(*list), by_time);
	return n;
}

static int write_all(int out, const struct ring_description *d, const u8 *data, u64 *bytes)
{
	scoped(free_scoped) struct ring_subbuf *subbufs = malloc(d->n_subbufs * sizeof(*subbufs));
	scoped(free_scoped) u8 *copy = malloc(d->subbuf_size);
	size_t n = subbufs && copy ? list(subbufs, d, data) : 0, i;
	int err = subbufs && copy ? 0 : -1;

	for (i = 0; !err && i < n; i++) {
		/* after the records is what remains of older ones */
		memset(copy, 0, d->subbuf_size);
		memcpy(copy, data + (size_t)subbufs[i].id * d->subbuf_size, subbufs[i].len);
		err = fd_write(out, copy, d->subbuf_size) ? 0 : -1;
		*bytes += d->subbuf_size;
	}
	return err;
}

int ring_map_copy(int raw, int out, u64 *bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct ring_description d;
	void *p = mmap(NULL, page, PROT_READ, MAP_SHARED, raw, 0);
	size_t size;
	int err;

	if (p == MAP_FAILED)
		return 1;
	memcpy(&d, p, sizeof(d));
	munmap(p, page);
	if (!is_plausible(&d))
		return 1;
	size = d.page_size + (size_t)d.n_subbufs * d.subbuf_size;
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, raw, 0);
	if (p == MAP_FAILED)
		return 1;
	err = write_all(out, &d, (const u8 *)p + d.page_size, bytes);
	munmap(p, size);
	return err;
}
