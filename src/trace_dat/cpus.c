// SPDX-License-Identifier: LGPL-2.1-only
/* Composes and spools the sub-buffers of CPUs, then writes them CPU by CPU. */
#include <sys/mman.h>

#include "trace_dat/cpus.h"

enum { PIECE = 1 << 18, LARGE_PIECE = 1 << 21 };

/*
 * Regions are used for data of at least DIRECT_FROM bytes. Metadata precedes the regions, which end
 * at REGIONS_END.
 */
#define DIRECT_FROM (1ull << 20)
#define REGIONS_AT  (1ull << 32)
#define REGIONS_END (1ull << 43)

struct piece {
	u8 *mem; /* NULL: in the spool, at @at */
	u64 at;
	u32 size;
};

struct trace_dat_composed {
	struct trace_dat_cpus *all;
	struct ring_buffer_composer composer;
	u8 *pages; /* pages not yet written to the spool or the region */
	u32 used, cap;
	u64 region, written; /* start of the region, bytes written to it */
	ARRAY(struct piece) pieces;
};

int spool_open(u64 size)
{
	return size > SPOOL_MEMORY ? fd_unnamed("hist-spool")
				   : memfd_create("hist-spool", MFD_CLOEXEC);
}

void trace_dat_cpus_init(struct trace_dat_cpus *s, const struct ring_buffer_layout *layout)
{
	*s = (struct trace_dat_cpus){
		.layout = *layout, .spool = -1, .direct = -1, .next_region = REGIONS_AT
	};
}

void trace_dat_cpus_release(struct trace_dat_cpus *s)
{
	for (size_t i = 0; i < s->cpus.n; i++) {
		if (!s->cpus.v[i])
			continue;
		for (size_t k = 0; k < s->cpus.v[i]->pieces.n; k++)
			free(s->cpus.v[i]->pieces.v[k].mem);
		array_release(&s->cpus.v[i]->pieces);
		free(s->cpus.v[i]->pages);
		free(s->cpus.v[i]);
	}
	array_release(&s->cpus);
	fd_close(s->spool);
	s->spool = -1;
}

void trace_dat_cpus_direct(struct trace_dat_cpus *s, int fd, u64 bytes)
{
	/* a process of 32 bits cannot map the file */
	if (SIZE_MAX <= REGIONS_END || fd < 0 || bytes < DIRECT_FROM || bytes >= REGIONS_END / 2)
		return;
	s->direct = fd;
	s->region = ALIGN_UP(bytes + DIRECT_FROM, DIRECT_FROM);
}

static int overrun(struct trace_dat_cpus *s)
{
	__atomic_store_n(&s->overran, true, __ATOMIC_RELAXED); /* by several threads */
	return -HIST_ELIMIT;
}

/* Write pages to the region of the CPU. */
static int write_direct(struct trace_dat_composed *c)
{
	struct trace_dat_cpus *s = c->all;

	if (c->used > s->region - c->written || c->region > REGIONS_END - s->region)
		return overrun(s);
	if (!fd_pwrite(s->direct, c->pages, c->used, c->region + c->written))
		return errno == EFBIG ? overrun(s) : -HIST_EIO;
	c->written += c->used;
	c->used = 0;
	return 0;
}

static void open_spool(void *cpus)
{
	struct trace_dat_cpus *s = cpus;

	s->spool = spool_open(UINT64_MAX);
	s->spool_errno = errno;
}

/* Store a full piece: in memory while there is room, then in the spool. By several threads. */
static int spool_pages(struct trace_dat_composed *c)
{
	struct trace_dat_cpus *s = c->all;
	struct piece piece = { .size = c->used };

	if (!c->used)
		return 0;
	if (s->region)
		return write_direct(c);
	if (__atomic_add_fetch(&s->in_memory, c->cap, __ATOMIC_RELAXED) <= SPOOL_MEMORY) {
		piece.mem = c->pages;
		if (array_push(&c->pieces, piece))
			return HIST_NOMEM;
		c->pages = NULL;
		c->used = c->cap = 0;
		return 0;
	}
	thread_once(&s->spool_opened, open_spool, s);
	errno = s->spool_errno;
	piece.at = __atomic_fetch_add(&s->spooled, c->used, __ATOMIC_RELAXED);
	if (s->spool < 0 || !fd_pwrite(s->spool, c->pages, c->used, piece.at))
		return -HIST_EIO;
	c->used = 0;
	return array_push(&c->pieces, piece);
}

/* Size of the next piece in bytes: one sub-buffer or more; of a CPU with many, that of a large
 * page. */
static u32 piece_size(const struct trace_dat_composed *c)
{
	bool many = c->pieces.n >= LARGE_PIECE / PIECE;

	return max_t(u32, many ? LARGE_PIECE : PIECE, c->all->layout.subbuf_size);
}

/* Large pieces are in large pages where the kernel has them: far fewer page faults. */
static u8 *grow_pages(u8 *pages, u32 cap)
{
	u8 *large = !pages && cap == LARGE_PIECE ? aligned_alloc(LARGE_PIECE, cap) : NULL;

	if (!large)
		return realloc(pages, cap);
	madvise(large, cap, MADV_HUGEPAGE);
	return large;
}

/* Allocate the next sub-buffer for the composer to fill. */
static int next_page(struct trace_dat_composed *c)
{
	u32 size = c->all->layout.subbuf_size, cap;
	int err = c->used + size > piece_size(c) ? spool_pages(c) : 0;
	u8 *pages;

	if (err)
		return err;
	if (!c->pages || c->used + size > c->cap) {
		cap = c->pieces.n || c->written ? piece_size(c) : max_t(u32, c->cap * 2, size);
		pages = grow_pages(c->pages, cap);
		if (!pages)
			return HIST_NOMEM;
		c->pages = pages;
		c->cap = cap;
	}
	c->composer.page = c->pages + c->used;
	return 0;
}

/* Take a complete sub-buffer from the composer. */
static int take_page(void *cpu, const u8 *page UNUSED)
{
	struct trace_dat_composed *c = cpu;

	c->used += c->all->layout.subbuf_size;
	return next_page(c);
}

static int new_cpu(struct trace_dat_cpus *s, u32 cpu, struct trace_dat_composed **out)
{
	struct trace_dat_composed *c = NULL;

	while (s->cpus.n <= cpu)
		if (array_push(&s->cpus, NULL))
			return HIST_NOMEM;
	c = calloc(1, sizeof(*c));
	if (!c)
		return HIST_NOMEM;
	c->all = s;
	c->region = s->next_region;
	s->next_region += s->region;
	ring_buffer_composer_init_into(&c->composer, &s->layout, take_page, c);
	if (next_page(c)) {
		free(c);
		return HIST_NOMEM;
	}
	s->cpus.v[cpu] = *out = c;
	return 0;
}

static inline int cpu_of(struct trace_dat_cpus *s, u32 cpu, struct trace_dat_composed **c)
{
	if (likely(cpu < s->cpus.n && s->cpus.v[cpu])) {
		*c = s->cpus.v[cpu];
		return 0;
	}
	return new_cpu(s, cpu, c);
}

int trace_dat_cpus_record(struct trace_dat_cpus *s, u32 cpu, const struct ring_buffer_record *rec)
{
	struct trace_dat_composed *c;
	return cpu_of(s, cpu, &c) ?: ring_buffer_compose(&c->composer, rec);
}

int trace_dat_cpus_lost(struct trace_dat_cpus *s, u32 cpu, u64 ts, s64 n)
{
	struct trace_dat_composed *c;
	return cpu_of(s, cpu, &c) ?: ring_buffer_compose_missed(&c->composer, ts, n);
}

int trace_dat_cpus_page(struct trace_dat_cpus *s, u32 cpu, const u8 *page)
{
	struct trace_dat_composed *c;
	int err = cpu_of(s, cpu, &c);

	if (err)
		return err;
	memcpy(c->composer.page, page, s->layout.subbuf_size);
	return take_page(c, page);
}

static int write_cpu(struct trace_dat_cpus *s, u32 cpu, u8 *buf, struct trace_dat_writer *w)
{
	struct trace_dat_composed *c = s->cpus.v[cpu];
	int err;

	if (!c)
		return 0;
	err = ring_buffer_compose_end(&c->composer);
	if (!err && s->region) {
		return write_direct(c) ?: trace_dat_writer_placed(w, cpu, c->region, c->written);
	}
	err = err ?: trace_dat_writer_cpu(w, cpu);
	array_each_while(const struct piece, p, &c->pieces, !err) {
		if (!p->mem && fd_pread(s->spool, buf, p->size, p->at) != (ssize_t)p->size)
			return -HIST_EIO;
		err = trace_dat_writer_pages(w, p->mem ? p->mem : buf,
					     p->size / s->layout.subbuf_size);
	}
	return err || !c->used
		       ? err
		       : trace_dat_writer_pages(w, c->pages, c->used / s->layout.subbuf_size);
}

int trace_dat_cpus_write(struct trace_dat_cpus *s, struct trace_dat_writer *w)
{
	scoped(free_scoped) u8 *buf = malloc(max_t(u32, LARGE_PIECE, s->layout.subbuf_size));
	int err = buf ? 0 : HIST_NOMEM;

	if (!err && s->region && trace_dat_writer_size(w) > REGIONS_AT / 2)
		err = overrun(s);
	for (u32 cpu = 0; cpu < s->cpus.n && !err; cpu++)
		err = write_cpu(s, cpu, buf, w);
	return err;
}
