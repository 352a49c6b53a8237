/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The journal of tasks while it is recorded: its lines (trace_dat/task_fact.h), in the order of
 * time, for a stream or live answers. One thread adds them, another one takes them.
 */
#pragma once
#include <pthread.h>
#include <stdatomic.h>

#include "record/task_lines.h"

struct task_news {
	pthread_mutex_t mutex; /* of ->ready and ->forgot */
	struct strbuf ready;   /* lines that were not taken yet */
	bool forgot;           /* some, because there were too many */
	_Atomic u64 read;      /* CLOCK_MONOTONIC: what happened before was added */

	/* of the thread that adds: what was read, but may not be complete or in order */
	struct task_lines lines;
	struct strbuf answers; /* as in the file "tasks" */
	u64 last;              /* the time of the last line */
};

/* @formats: of each event, borrowed. NULL: out of memory */
struct task_news *task_news_new(const struct tasks_format *formats);
void task_news_free(struct task_news *news);

/* The first lines: what /proc knew. */
void task_news_known(struct task_news *news, struct span lines);

/* A record was read. */
void task_news_note(struct task_news *news, const struct ring_buffer_record *rec);

/* Pass on the lines up to @to. */
void task_news_publish(struct task_news *news, u64 to);

/* Append the lines that were not taken yet. Return: false if some of them are missing */
bool task_news_take(struct task_news *news, struct strbuf *out);

/* Whether what happened before @since, of CLOCK_MONOTONIC, can be taken; also if @news is NULL. */
bool task_news_knows(struct task_news *news, u64 since);
