// SPDX-License-Identifier: LGPL-2.1-only
/* What the journal of tasks states about names while it is recorded: for a stream and for live
 * answers.
 */
#include "record/task_journal.h"

/* Names that are not taken are forgotten: they are in the journal, too. */
enum { NEWS_BYTES = 1 << 20 };

static void add_news(struct tasks *t, const struct task_fact *fact)
{
	if (t->names && t->news.len < NEWS_BYTES)
		task_fact_print(fact, &t->news);
}

void tasks_note_record(struct tasks *t, const struct ring_buffer_record *rec,
		       const struct tasks_format *f)
{
	const bool big = t->layout.big_endian;
	struct task_fact fact = { .kind = TASK_NAME,
				  .ts = rec->ts,
				  .pid = (s32)tasks_field_number(rec, &f->fields[0], big) };
	char unused[TASK_LOG_NAME];

	if (f->event == TASKS_EXIT && t->log)
		task_log_exit(t->log, fact.pid);
	if (f->event != TASKS_NEW && f->event != TASKS_RENAME)
		return;
	fact.text[0] = tasks_field_text(rec, &f->fields[f->event == TASKS_NEW ? 3 : 1], big);
	fact.text[1] = f->event == TASKS_NEW ? fact.text[0]
					     : tasks_field_text(rec, &f->fields[2], big);
	add_news(t, &fact);
	if (!t->log)
		return;
	if (f->event == TASKS_RENAME && !task_log_find(t->log, fact.pid, rec->ts, unused))
		task_log_name(t->log, fact.pid, 0, fact.text[0]);
	task_log_name(t->log, fact.pid, rec->ts, fact.text[1]);
}

void tasks_note_known(struct tasks *t, struct span lines)
{
	struct task_fact fact;

	while (task_fact_next(&lines, &fact)) {
		char name[TASK_LOG_NAME];
		struct span text = { name, task_text(fact.text[0], name, sizeof(name) - 1) };

		if (fact.kind != TASK_IS)
			continue;
		if (t->log)
			task_log_name(t->log, fact.pid, 0, text);
		add_news(t, &(struct task_fact){
				    .kind = TASK_NAME, .pid = fact.pid, .text = { text, text } });
	}
}

void tasks_take_names(struct tasks *t, struct strbuf *out)
{
	pthread_mutex_lock(&t->mutex);
	strbuf_add(out, t->news.s ? t->news.s : "", t->news.len);
	strbuf_reset(&t->news);
	pthread_mutex_unlock(&t->mutex);
}
