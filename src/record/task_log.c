// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A table of pids in pages, which exist as long as they have tasks that run or ended a moment ago:
 * memory is bounded by the tasks that run at the same time, and the names of a task by NAMES.
 */
#include <stdlib.h>

#include "record/kept.h"
#include "record/task_log.h"

enum { PAGE_PIDS = 1024, NAMES = 4, FORGET_S = 30 };

struct task_names_of {
	u8 n;
	bool runs;
	u64 since[NAMES]; /* ascending */
	char names[NAMES][TASK_LOG_NAME];
};

struct task_log_page {
	u32 running;
	u64 changed; /* CLOCK_MONOTONIC */
	struct task_names_of of[PAGE_PIDS];
};

struct task_log *task_log_new(void)
{
	struct task_log *log = calloc(1, sizeof(*log));

	if (log)
		pthread_mutex_init(&log->mutex, NULL);
	return log;
}

void task_log_free(struct task_log *log)
{
	for (size_t i = 0; log && i < TASK_LOG_PAGES; i++)
		free(log->pages[i]);
	if (log)
		pthread_mutex_destroy(&log->mutex);
	free(log);
}

/* Free the pages without tasks. */
static void forget(struct task_log *log)
{
	u64 now = monotonic_ns();

	for (size_t i = 0; i < TASK_LOG_PAGES; i++) {
		const struct task_log_page *page = log->pages[i];

		if (!page || page->running || now - page->changed < FORGET_S * 1000000000ull)
			continue;
		free(log->pages[i]);
		log->pages[i] = NULL;
	}
}

static struct task_names_of *find(struct task_log *log, s32 pid, struct task_log_page **page)
{
	size_t i = (u32)pid / PAGE_PIDS;

	*page = pid > 0 && i < TASK_LOG_PAGES ? log->pages[i] : NULL;
	return *page ? &(*page)->of[(u32)pid % PAGE_PIDS] : NULL;
}

static struct task_names_of *find_or_add(struct task_log *log, s32 pid)
{
	size_t i = (u32)pid / PAGE_PIDS;
	struct task_log_page *page;
	struct task_names_of *of = find(log, pid, &page);

	if (!of && pid > 0 && i < TASK_LOG_PAGES) {
		forget(log);
		log->pages[i] = calloc(1, sizeof(*log->pages[i]));
		of = find(log, pid, &page);
	}
	if (!of)
		return NULL;
	page->changed = monotonic_ns();
	page->running += !of->runs;
	of->runs = true;
	return of;
}

void task_log_name(struct task_log *log, s32 pid, u64 ts, struct span name)
{
	struct task_names_of *of;
	size_t at;

	pthread_mutex_lock(&log->mutex);
	of = find_or_add(log, pid);
	if (of && of->n == NAMES) {
		memmove(of->since, of->since + 1, (NAMES - 1) * sizeof(of->since[0]));
		memmove(of->names, of->names + 1, (NAMES - 1) * sizeof(of->names[0]));
		of->n--;
	}
	/* the records of several CPUs are not in order */
	for (at = of ? of->n++ : 0; at && of->since[at - 1] > ts; at--) {
		of->since[at] = of->since[at - 1];
		memcpy(of->names[at], of->names[at - 1], sizeof(of->names[at]));
	}
	if (of) {
		of->since[at] = ts;
		memset(of->names[at], 0, sizeof(of->names[at]));
		memcpy(of->names[at], name.s, min_t(size_t, name.n, TASK_LOG_NAME - 1));
	}
	pthread_mutex_unlock(&log->mutex);
}

void task_log_exit(struct task_log *log, s32 pid)
{
	struct task_log_page *page;
	struct task_names_of *of;

	pthread_mutex_lock(&log->mutex);
	of = find(log, pid, &page);
	if (of && of->runs) {
		of->runs = false;
		page->running--;
		page->changed = monotonic_ns();
	}
	pthread_mutex_unlock(&log->mutex);
}

bool task_log_find(struct task_log *log, s32 pid, u64 ts, char name[static TASK_LOG_NAME])
{
	struct task_log_page *page;
	const struct task_names_of *of;
	size_t i;

	pthread_mutex_lock(&log->mutex);
	of = find(log, pid, &page);
	for (i = of ? of->n : 0; i > 1 && of->since[i - 1] > ts; i--)
		;
	if (i)
		memcpy(name, of->names[i - 1], TASK_LOG_NAME);
	pthread_mutex_unlock(&log->mutex);
	return i;
}
