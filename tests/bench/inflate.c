// SPDX-License-Identifier: LGPL-2.1-only
/*
 * inflate FILE [THREADS]: the minimal cost of reading a recording. Inflates every chunk, if it is
 * compressed, and adds up the words of its sub-buffers, without decoding.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_dat/trace_dat.h"

enum { THREADS_MAX = 64, TASK = 1024 };

struct worker {
	pthread_t thread;
	struct trace_dat *td;
	unsigned long long pages, sum;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static u64 next_page;
static size_t next_cpu;

/* Take the next range of sub-buffers: its CPU and first sub-buffer. */
static bool take(struct trace_dat *td, size_t *cpu, u64 *first)
{
	struct diags diags = DIAGS_INIT;
	struct trace_dat_pages *pages;
	size_t n_buffers;
	bool found = false;

	pthread_mutex_lock(&lock);
	for (; !found && next_cpu < trace_dat_buffers(td, &n_buffers)[0].n_cpus;
	     next_cpu += !found) {
		if (trace_dat_pages_open(td, 0, next_cpu, &pages, &diags))
			break;
		found = next_page < trace_dat_pages_count(pages);
		trace_dat_pages_close(pages);
		*cpu = next_cpu;
		*first = next_page;
		next_page = found ? next_page + TASK : 0;
		if (found)
			break;
	}
	pthread_mutex_unlock(&lock);
	diags_release(&diags);
	return found;
}

static u64 add_up(const u8 *page, size_t len)
{
	u64 sum = 0, word;

	for (size_t at = 0; at + sizeof(word) <= len; at += sizeof(word)) {
		memcpy(&word, page + at, sizeof(word));
		sum += word;
	}
	return sum;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct diags diags = DIAGS_INIT;
	struct trace_dat_pages *pages;
	const u8 *page;
	size_t cpu, len;
	u64 first;

	while (take(w->td, &cpu, &first)) {
		if (trace_dat_pages_open(w->td, 0, cpu, &pages, &diags))
			break;
		trace_dat_pages_seek(pages, first);
		for (int i = 0; i < TASK && !trace_dat_pages_next(pages, &page, &len); i++) {
			w->pages++;
			w->sum += add_up(page, len);
		}
		trace_dat_pages_close(pages);
	}
	diags_release(&diags);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct worker workers[THREADS_MAX];
	int n = argc > 2 ? atoi(argv[2]) : 1;
	struct diags diags = DIAGS_INIT;
	unsigned long long pages = 0, sum = 0;
	struct trace_dat *td;

	if (argc < 2 || n < 1 || n > THREADS_MAX || trace_dat_open(argv[1], &td, &diags)) {
		fprintf(stderr, "usage: inflate FILE [THREADS]\n");
		return 2;
	}
	for (int i = 0; i < n; i++) {
		workers[i].td = td;
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 2;
	}
	for (int i = 0; i < n; i++) {
		pthread_join(workers[i].thread, NULL);
		pages += workers[i].pages;
		sum += workers[i].sum;
	}
	printf("%llu sub-buffers, sum %llx\n", pages, sum);
	trace_dat_close(td);
	diags_release(&diags);
	return 0;
}
