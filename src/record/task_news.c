// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Lines wait until all earlier ones were read, and the answers to what they ask, so that they are
 * passed on in order.
 */
#include "record/task_journal.h"

/* What is not taken is forgotten. */
enum { READY_BYTES = 1 << 23 };

struct task_news *task_news_new(const struct tasks_format *formats)
{
	struct task_news *news = calloc(1, sizeof(*news));
	const u16 one = 1;

	if (!news)
		return NULL;
	news->ready = news->lines.text = news->answers = (struct strbuf)STRBUF_INIT;
	news->lines.formats = formats;
	news->lines.n_formats = N_TASKS_EVENTS;
	news->lines.big_endian = load_u16(&one, false) != 1;
	pthread_mutex_init(&news->mutex, NULL);
	return news;
}

void task_news_free(struct task_news *news)
{
	if (!news)
		return;
	strbuf_release(&news->ready);
	strbuf_release(&news->answers);
	task_lines_release(&news->lines);
	pthread_mutex_destroy(&news->mutex);
	free(news);
}

static void add_ready(struct task_news *news, const char *s, size_t n)
{
	if (news->ready.len + n <= READY_BYTES && !news->ready.failed)
		strbuf_add(&news->ready, s, n);
	else
		news->forgot = true;
}

void task_news_known(struct task_news *news, struct span lines)
{
	pthread_mutex_lock(&news->mutex);
	add_ready(news, lines.s, lines.n);
	pthread_mutex_unlock(&news->mutex);
}

void task_news_note(struct task_news *news, const struct ring_buffer_record *rec)
{
	news->last = max_t(u64, news->last, rec->ts);
	if (task_lines_add(&news->lines, rec))
		news->lines.text.failed = true;
}

static void apply_answers(struct task_news *news)
{
	struct span rest = { news->answers.s, news->answers.len }, lines;
	struct tasks_page head;
	size_t next = 0;

	while (tasks_page_next(&rest, &head, &lines))
		task_lines_answer(&news->lines, head.cpu & ~TASKS_ANSWER, lines, &next);
	strbuf_reset(&news->answers);
	news->lines.marks.n = 0;
}

void task_news_publish(struct task_news *news, u64 to)
{
	struct task_lines *t = &news->lines;
	struct strbuf rest = STRBUF_INIT;
	size_t n = 0;

	task_lines_sort(t);
	apply_answers(news);
	pthread_mutex_lock(&news->mutex);
	for (size_t i = 0; i < t->v.n; i++) {
		struct tasks_line line = t->v.v[i];

		if (line.ts <= to) {
			add_ready(news, t->text.s + line.at, line.len);
			continue;
		}
		strbuf_add(&rest, t->text.s + line.at, line.len);
		line.at = rest.len - line.len;
		line.seq = n;
		t->v.v[n++] = line;
	}
	news->forgot |= t->text.failed || rest.failed;
	pthread_mutex_unlock(&news->mutex);
	t->v.n = rest.failed ? 0 : n;
	strbuf_release(&t->text);
	t->text = rest;
}

bool task_news_take(struct task_news *news, struct strbuf *out)
{
	bool complete;

	pthread_mutex_lock(&news->mutex);
	strbuf_add(out, news->ready.s ? news->ready.s : "", news->ready.len);
	complete = !news->forgot && !news->ready.failed && !out->failed;
	news->forgot = false;
	strbuf_release(&news->ready);
	news->ready = (struct strbuf)STRBUF_INIT;
	pthread_mutex_unlock(&news->mutex);
	return complete;
}

bool task_news_knows(struct task_news *news, u64 since)
{
	return !news || atomic_load_explicit(&news->read, memory_order_acquire) > since;
}
