// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Questions about the code of events: the function, file and line of an address, and stacks, as
 * they are keys of histograms. An answer is found while its record is replayed, its text by any
 * thread.
 */
#include "events/events.h"
#include "hist-code.h"

int hist_events_code(struct hist_events *ev, const char *name)
{
	const struct machine *m = &ev->h->tracing->machine;
	struct span word = span_of(name), field = span_sep(&word, ".");
	const enum code_what what = word.s ? code_find(word) : N_CODE;
	struct events_code code = { .name = arena_strdup(&ev->arena, name) };
	bool found = false;

	for (size_t i = 0; i < ev->code.n; i++)
		if (!strcmp(ev->code.v[i].name, name))
			return (int)i;
	if (word.s && what > CODE_SRCLINE)
		return -HIST_ENOENT;
	code.of = arena_alloc(&ev->arena, (ev->types.n + 1) * sizeof(*code.of));
	if (!code.name || !code.of)
		return HIST_NOMEM;
	for (size_t i = 0; i < ev->types.n; i++)
		found |= code_question_find(m, ev->types.v[i]->format, field, what, &code.of[i]);
	if (!found)
		return -HIST_ENOENT;
	return array_push(&ev->code, code) ? HIST_NOMEM : (int)ev->code.n - 1;
}

int events_code_take(struct hist_events *ev, const struct events_type *type, const struct hit *hit)
{
	int err = 0;

	for (size_t i = 0; i < ev->code.n && !err; i++) {
		const struct code_question *q = &ev->code.v[i].of[type->public.number];

		err = array_push(&ev->answers, q->what < N_CODE ? code_question_ask(q, hit) : 0);
	}
	return err;
}

u64 events_code_answer(const struct hist_event *e, size_t i)
{
	const struct hist_events *ev = e->events;

	return ev->answers.v[ev->items.v[ev->next - 1].answers + i];
}

const char *const *events_code_texts(const struct hist_event *e, size_t i, u64 answer,
				     const char *room[static 1], size_t *n)
{
	const struct code_question *q = &e->events->code.v[i].of[e->type->number];

	*n = 0;
	return q->what < N_CODE ? code_question_texts(q, answer, room, n) : room;
}

const char *hist_event_code(const struct hist_event *e, int question)
{
	const size_t i = (size_t)question;
	struct strbuf *text = &e->events->words.cell;
	const char *room[1];
	size_t n;
	const char *const *texts = events_code_texts(e, i, events_code_answer(e, i), room, &n);

	strbuf_reset(text);
	for (size_t k = 0; k < n; k++) {
		strbuf_addstr(text, k ? ";" : "");
		strbuf_addstr(text, texts[k]);
	}
	return n && !text->failed ? text->s : NULL;
}
