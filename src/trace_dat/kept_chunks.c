// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Chunks are inflated into blocks of memory of their file, which are never moved or reused, so a
 * cursor uses them in place. When the limit is reached no more are kept: what a question reads is
 * mostly everything in order, for which the first chunks are as good as any.
 */
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

#include "base/base.h"
#include "trace_dat/internal.h"

enum { BLOCK = 4 << 20, FRESH = 1 };

struct kept_cpu_chunks {
	u64 start;              /* of its data in the file */
	ARRAY(const u8 *) list; /* by the number of the chunk; NULL: not kept */
	u32 n;                  /* that are kept */
};

struct kept_file {
	struct kept_chunks *all;
	u64 number; /* from 1 on; no other one ever has it */
	struct stat st;
	bool fresh;  /* it was changed just now, maybe again without another time */
	size_t used; /* by open recordings */
	ARRAY(struct kept_cpu_chunks) cpus;
	ARRAY(u8 *) blocks;
	size_t at; /* in the last block */
};

struct kept_chunks {
	pthread_mutex_t lock; /* of all members */
	u64 *left, n_files;
	ARRAY(struct kept_file *) files;
};

struct kept_chunks *kept_chunks_new(u64 *left)
{
	struct kept_chunks *all = calloc(1, sizeof(*all));

	if (!all)
		return NULL;
	pthread_mutex_init(&all->lock, NULL);
	all->left = left;
	return all;
}

static void drop_file(struct kept_file *f)
{
	for (size_t i = 0; i < f->cpus.n; i++)
		array_release(&f->cpus.v[i].list);
	for (size_t i = 0; i < f->blocks.n; i++)
		munmap(f->blocks.v[i], BLOCK);
	memory_give(f->all->left, f->blocks.n * (u64)BLOCK);
	array_release(&f->cpus);
	array_release(&f->blocks);
	free(f);
}

void kept_chunks_free(struct kept_chunks *all)
{
	if (!all)
		return;
	for (size_t i = 0; i < all->files.n; i++)
		drop_file(all->files.v[i]);
	array_release(&all->files);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

/* --- files --- */

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       same_time(a->st_mtim, b->st_mtim) && same_time(a->st_ctim, b->st_ctim);
}

/* What is kept of the file, if it did not change; what is of no use any more is dropped. */
static struct kept_file *find_file(struct kept_chunks *all, const struct stat *st)
{
	struct kept_file *found = NULL;

	for (size_t i = all->files.n; i-- > 0;) {
		struct kept_file *f = all->files.v[i];

		if (is_same(&f->st, st) && !f->fresh)
			found = f;
		else if (f->st.st_dev == st->st_dev && f->st.st_ino == st->st_ino && !f->used) {
			all->files.v[i] = all->files.v[--all->files.n];
			drop_file(f);
		}
	}
	return found;
}

int trace_dat_keep(struct trace_dat *td, struct kept_chunks *all)
{
	struct kept_file *f;
	struct stat st;

	/* the file that is mapped, not another one of that name */
	if (stat(td->path, &st) || st.st_dev != td->dev || st.st_ino != td->ino ||
	    (u64)st.st_size != td->info.file_size)
		return 0;
	pthread_mutex_lock(&all->lock);
	f = find_file(all, &st);
	if (!f && (f = calloc(1, sizeof(*f)))) {
		*f = (struct kept_file){ .all = all, .number = ++all->n_files, .st = st };
		f->fresh = time(NULL) - st.st_ctim.tv_sec <= FRESH;
		if (array_push(&all->files, f)) {
			free(f);
			f = NULL;
		}
	}
	if (f)
		f->used++;
	td->kept = f;
	pthread_mutex_unlock(&all->lock);
	return f ? 0 : HIST_NOMEM;
}

u64 trace_dat_kept(const struct trace_dat *td)
{
	return td->kept && !td->kept->fresh ? td->kept->number : 0;
}

void kept_file_close(struct kept_file *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->all->lock);
	f->used--;
	pthread_mutex_unlock(&f->all->lock);
}

/* --- chunks --- */

static struct kept_cpu_chunks *find_cpu(struct kept_file *f, u64 start)
{
	return array_find(&f->cpus, e, e->start == start);
}

const u8 *kept_chunk(struct kept_file *f, u64 start, u32 chunk)
{
	const struct kept_cpu_chunks *cpu;
	const u8 *data = NULL;

	pthread_mutex_lock(&f->all->lock);
	cpu = find_cpu(f, start);
	if (cpu && chunk < cpu->list.n)
		data = cpu->list.v[chunk];
	pthread_mutex_unlock(&f->all->lock);
	return data;
}

static bool add_block(struct kept_file *f)
{
	void *block;

	if (!memory_take(f->all->left, BLOCK))
		return false;
	block = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED || array_push(&f->blocks, block)) {
		if (block != MAP_FAILED)
			munmap(block, BLOCK);
		memory_give(f->all->left, BLOCK);
		return false;
	}
	f->at = 0;
	return true;
}

u8 *kept_chunk_room(struct kept_file *f, u32 size)
{
	u8 *room = NULL;

	pthread_mutex_lock(&f->all->lock);
	if (size <= BLOCK && ((f->blocks.n && BLOCK - f->at >= size) || add_block(f))) {
		room = f->blocks.v[f->blocks.n - 1] + f->at;
		f->at = min_t(size_t, ALIGN_UP(f->at + size, 64), BLOCK);
	}
	pthread_mutex_unlock(&f->all->lock);
	return room;
}

const u8 *kept_chunk_add(struct kept_file *f, u64 start, u32 chunk, const u8 *data)
{
	struct kept_cpu_chunks *cpu;
	int err = 0;

	pthread_mutex_lock(&f->all->lock);
	cpu = find_cpu(f, start);
	if (!cpu) {
		err = array_push(&f->cpus, ((struct kept_cpu_chunks){ .start = start }));
		cpu = err ? NULL : &f->cpus.v[f->cpus.n - 1];
	}
	while (!err && cpu->list.n <= chunk)
		err = array_push(&cpu->list, NULL);
	if (!err && cpu->list.v[chunk]) {
		data = cpu->list.v[chunk];
	} else if (!err) {
		cpu->list.v[chunk] = data;
		cpu->n++;
	}
	pthread_mutex_unlock(&f->all->lock);
	return data;
}

bool kept_chunks_all(struct kept_file *f, u64 start, u32 n)
{
	const struct kept_cpu_chunks *cpu;
	bool all;

	pthread_mutex_lock(&f->all->lock);
	cpu = find_cpu(f, start);
	all = cpu && cpu->n == n && cpu->list.n == n;
	pthread_mutex_unlock(&f->all->lock);
	return all;
}
