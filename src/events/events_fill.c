// SPDX-License-Identifier: LGPL-2.1-only
/* Events as columns of numbers; each text is stored once, and has a number. */
#include "events/events.h"
#include "hist-code.h"
#include "hist-columns.h"

/* --- words: the first one is "unknown" --- */

static int add_word(struct events_words *w, struct span text, uint64_t *number)
{
	const u32 hash = hash_bytes(0, text.s, text.n);
	const struct span *word = indexed_find(&w->list, hash, e, span_same(*e, text));

	if (!word) {
		text.s = arena_strndup(&w->texts, text.s, text.n);
		word = text.s ? indexed_add(&w->list, hash, text) : NULL;
	}
	*number = word ? (uint64_t)(word - w->list.v) + 1 : 0;
	return word ? 0 : HIST_NOMEM;
}

static int add_str(struct events_words *w, const char *s, uint64_t *number)
{
	*number = 0;
	return s ? add_word(w, span_of(s), number) : 0;
}

const char *hist_events_word(const struct hist_events *ev, uint64_t number, size_t *len)
{
	if (!number || number > ev->words.list.n)
		return NULL;
	*len = ev->words.list.v[number - 1].n;
	return ev->words.list.v[number - 1].s;
}

void events_words_release(struct events_words *w)
{
	indexed_release(&w->list);
	arena_release(&w->texts);
	strbuf_release(&w->cell);
}

/* --- columns --- */

static int fill_field(struct hist_events *ev, const struct hist_event *e, size_t field,
		      uint64_t *number)
{
	struct strbuf *cell = &ev->words.cell;
	struct hist_value v;

	hist_event_value(e, field, &v);
	*number = 0;
	switch (v.kind) {
	case HIST_VALUE_ABSENT:
		return 0;
	case HIST_VALUE_UNSIGNED:
	case HIST_VALUE_SIGNED:
	case HIST_VALUE_POINTER:
		*number = v.number;
		return 0;
	case HIST_VALUE_TEXT:
		return add_word(&ev->words, (struct span){ v.data, v.len }, number);
	default:
		strbuf_reset(cell);
		events_add_value(&v, cell);
		return cell->failed ? HIST_NOMEM : add_word(&ev->words, strbuf_span(cell), number);
	}
}

static int fill_number(struct hist_events *ev, const struct hist_event *e, int column,
		       uint64_t *number)
{
	switch (column) {
	case HIST_COLUMN_TS:
		*number = e->ts;
		return 0;
	case HIST_COLUMN_CPU:
		*number = e->cpu;
		return 0;
	case HIST_COLUMN_PID:
		*number = (u64)(s64)e->pid;
		return 0;
	case HIST_COLUMN_COMM:
		return add_str(&ev->words, hist_event_comm(e), number);
	case HIST_COLUMN_TGID:
		*number = (u64)(s64)hist_event_tgid(e);
		return 0;
	case HIST_COLUMN_PROCESS:
		return add_str(&ev->words, hist_event_who(e, HIST_WHO_PROCESS), number);
	case HIST_COLUMN_CMDLINE:
		return add_str(&ev->words, hist_event_who(e, HIST_WHO_CMDLINE), number);
	case HIST_COLUMN_CGROUP:
		return add_str(&ev->words, hist_event_who(e, HIST_WHO_CGROUP), number);
	default:
		if (column <= HIST_COLUMN_CODE)
			return add_str(&ev->words, hist_event_code(e, HIST_COLUMN_CODE - column),
				       number);
		return fill_field(ev, e, (size_t)column, number);
	}
}

static bool are_columns(const struct hist_events *ev, const int *columns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const int c = columns[i];
		const bool who = c <= HIST_COLUMN_TGID && c >= HIST_COLUMN_CGROUP;
		const bool code = c <= HIST_COLUMN_CODE && ev->observer.asks_stacks &&
				  (size_t)HIST_COLUMN_CODE - (size_t)c < ev->code.n;

		if ((c < HIST_COLUMN_CGROUP && !code) ||
		    (c >= 0 && (size_t)c >= ev->types.v[0]->public.n_fields) ||
		    (c == HIST_COLUMN_COMM && !ev->observer.asks_comm) ||
		    (who && !ev->observer.asks_who))
			return false;
	}
	return true;
}

int64_t hist_events_fill(struct hist_events *ev, const int *columns, size_t n,
			 uint64_t *const *numbers, size_t max)
{
	struct hist_event e;
	size_t rows = 0;
	int err = 0;

	if (ev->types.n != 1)
		return diags_error(ev->diags, -HIST_EINVAL,
				   "columns are those of one event, and %zu were chosen",
				   ev->types.n);
	if (!are_columns(ev, columns, n))
		return diags_error(ev->diags, -HIST_EINVAL,
				   "%s has no such column, or it was not asked for when the events "
				   "were opened",
				   ev->types.v[0]->title);
	while (rows < max && !err) {
		err = hist_events_next(ev, &e);
		if (err <= 0)
			break;
		err = 0;
		for (size_t i = 0; i < n && !err; i++)
			err = fill_number(ev, &e, columns[i], &numbers[i][rows]);
		rows++;
	}
	return err < 0 ? err : (int64_t)rows;
}
