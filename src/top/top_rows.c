// SPDX-License-Identifier: LGPL-2.1-only
/* Rows over time, and the rows that are shown. */
#include "top/top_rows.h"

const char TOP_CHANGE[] = "change";

/* --- over time --- */

/* What identifies a row: the bytes of its keys. */
static void make_key(struct top_rows *rows, const struct result_row *row)
{
	const struct result *r = rows->now.named;
	struct strbuf *key = &rows->key;

	strbuf_reset(key);
	for (size_t i = 0; i < r->n_keys; i++) {
		const struct result_cell *cell = &row->cells[i];
		const struct span text = r->columns[i].type == RESULT_TEXT ? cell->text
					 : r->columns[i].has_label         ? cell->label
									   : span_of("");

		strbuf_add(key, &text.n, sizeof(text.n));
		strbuf_add(key, text.s, text.n);
		strbuf_add(key, &cell->n_frames, sizeof(cell->n_frames));
		for (size_t f = 0; f < cell->n_frames; f++)
			strbuf_add(key, &cell->frames[f]->addr, sizeof(cell->frames[f]->addr));
		strbuf_add(key, &cell->num, sizeof(cell->num));
		strbuf_add(key, &cell->max, sizeof(cell->max));
	}
}

static struct top_row *find(struct top_rows *rows)
{
	const struct strbuf *key = &rows->key;

	return indexed_find(&rows->list, hash_bytes(0, key->s, key->len), e,
			    e->n == key->len && !memcmp(e->key, key->s, key->len));
}

/* NULL: out of memory */
static struct top_row *add(struct top_rows *rows)
{
	const struct top_row row = { .key = arena_strndup(&rows->keys, rows->key.s, rows->key.len),
				     .n = (u32)rows->key.len };

	return row.key ? indexed_add(&rows->list, hash_bytes(0, row.key, row.n), row) : NULL;
}

static struct top_changes *changes_of(const struct top_rows *rows, const struct top_row *row)
{
	return row->changes ? &rows->changes.v[row->changes - 1] : NULL;
}

static int note_change(struct top_rows *rows, struct top_row *row, u64 added)
{
	struct top_changes *changes = changes_of(rows, row);

	if (!changes && added) {
		const struct top_changes none = { .last = 0 };

		/* its changes are all 0 */
		if (rows->unused.n)
			row->changes = rows->unused.v[--rows->unused.n];
		else if (array_push(&rows->changes, none))
			return HIST_NOMEM;
		else
			row->changes = (u32)rows->changes.n;
		changes = changes_of(rows, row);
	}
	if (!changes)
		return 0;
	changes->added[rows->refreshes % TOP_HISTORY] = added;
	if (added)
		changes->last = rows->refreshes;
	if (rows->refreshes - changes->last < TOP_HISTORY)
		return 0;
	if (array_push(&rows->unused, row->changes))
		return HIST_NOMEM;
	row->changes = 0;
	return 0;
}

static int note_row(struct top_rows *rows, const struct result_row *row)
{
	const struct result_cell *cell = &row->cells[rows->value];
	const u64 total = cell->absent ? 0 : cell->num;
	struct top_row *known;
	int err;

	make_key(rows, row);
	if (rows->key.failed)
		return HIST_NOMEM;
	known = find(rows) ?: add(rows);
	if (!known)
		return HIST_NOMEM;
	/* a sum of negative numbers falls */
	err = note_change(rows, known, total > known->total ? total - known->total : 0);
	known->total = total;
	return err;
}

/* The value that sorts the table, or hitcount. */
static size_t find_value(const struct result *r)
{
	if (r->n_sort && r->sort[0].column >= r->n_keys &&
	    r->sort[0].column < r->n_keys + r->n_values)
		return r->sort[0].column;
	return r->n_keys;
}

int top_rows_refresh(struct top_rows *rows, const struct taken_result *t)
{
	struct taken_result before = rows->now;
	struct result_row row;
	int err = 0;

	rows->now = *t;
	rows->value = find_value(t->named);
	rows->refreshes++;
	for (size_t i = 0; i < t->named->n_rows && !err; i++) {
		t->named->row(t->named, i, &row);
		err = note_row(rows, &row);
	}
	if (err) {
		rows->now = before;
		return err;
	}
	rows->added = t->named->hits - rows->hits;
	rows->hits = t->named->hits;
	taken_result_free(&before);
	return 0;
}

void top_rows_release(struct top_rows *rows)
{
	taken_result_free(&rows->now);
	indexed_release(&rows->list);
	array_release(&rows->changes);
	array_release(&rows->unused);
	arena_release(&rows->keys);
	strbuf_release(&rows->key);
}

const struct top_row *top_rows_find(struct top_rows *rows, const struct result_row *row)
{
	if (!row)
		return NULL;
	make_key(rows, row);
	return rows->key.failed ? NULL : find(rows);
}

u64 top_row_added(const struct top_rows *rows, const struct top_row *row, u64 ago)
{
	const struct top_changes *changes = changes_of(rows, row);

	return changes && ago < TOP_HISTORY && ago < rows->refreshes
		       ? changes->added[(rows->refreshes - ago) % TOP_HISTORY]
		       : 0;
}

/* --- what is shown --- */

static void view_row(const struct result *result, size_t i, struct result_row *out)
{
	const struct top_view *v = result->arg;

	v->from->row(v->from, v->order[i].at, out);
}

static bool matches(const struct result *r, const struct result_row *row, const char *filter,
		    struct strbuf *text)
{
	strbuf_reset(text);
	for (size_t i = 0; i < r->n_keys; i++) {
		if (r->columns[i].type == RESULT_STACK)
			cell_add_frames(text, &row->cells[i], " ");
		else
			cell_add_text(text, &r->columns[i], &row->cells[i]);
		strbuf_addch(text, ' ');
	}
	return strcasestr(text->s, filter);
}

/* All rows that are permitted, in the order of @v->from. */
static int filter_rows(struct top_view *v, const char *filter)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct result_row row;

	for (size_t i = 0; i < v->from->n_rows; i++) {
		if (filter && *filter) {
			v->from->row(v->from, i, &row);
			if (!matches(v->from, &row, filter, &text))
				continue;
		}
		v->order[v->n_matching++] = (struct row_rank){ .at = i };
	}
	return text.failed ? HIST_NOMEM : 0;
}

/* A distribution stays in the order of its key. */
static const char *order_of(const struct top_rows *rows, const struct top_choice *choice)
{
	const struct result *r = rows->now.named;
	const bool by_key = r->n_sort && r->sort[0].column < r->n_keys;

	if (choice->sort)
		return choice->sort == TOP_CHANGE ? NULL : choice->sort;
	return by_key ? NULL : r->columns[rows->value].name;
}

int top_view_init(struct top_view *v, struct top_rows *rows, const struct top_choice *choice)
{
	const struct result *r = rows->now.named;
	const struct row_choice order = { .sort = order_of(rows, choice) };
	int err;

	*v = (struct top_view){ .from = r };
	err = order.sort ? result_choose(r, &order, &v->chosen) : 0;
	v->from = v->chosen ?: r;
	v->order = calloc(r->n_rows + 1, sizeof(*v->order));
	if (!v->order)
		err = HIST_NOMEM;
	err = err ?: filter_rows(v, choice->filter);
	if (err)
		return err;
	if (choice->sort == TOP_CHANGE) {
		struct result_row row;

		for (size_t i = 0; i < v->n_matching; i++) {
			const struct top_row *known;

			v->from->row(v->from, v->order[i].at, &row);
			known = top_rows_find(rows, &row);
			v->order[i].by = known ? top_row_added(rows, known, 0) : 0;
		}
		row_rank_sort(v->order, v->n_matching);
	}
	v->result = *v->from;
	v->result.whole = r;
	v->result.row = view_row;
	v->result.row_in = NULL;
	v->result.arg = v;
	v->result.n_rows = v->n_matching - min_t(size_t, choice->first, v->n_matching);
	v->result.n_rows = min_t(size_t, v->result.n_rows, choice->max);
	v->result.left_out = r->left_out + r->n_rows - v->result.n_rows;
	memmove(v->order, v->order + min_t(size_t, choice->first, v->n_matching),
		v->result.n_rows * sizeof(*v->order));
	return 0;
}

void top_view_release(struct top_view *v)
{
	chosen_free(v->chosen);
	free(v->order);
}

const char *top_rows_order(const struct top_rows *rows, size_t i)
{
	static const char *const numbers[] = { "mean", "p50", "p99", "max" };
	const struct result *r = rows->now.named;

	if (!i)
		return r->columns[rows->value].name;
	if (!--i)
		return TOP_CHANGE;
	i--;
	for (size_t c = r->n_keys; c < r->n_keys + r->n_values; c++)
		if (c != rows->value && !i--)
			return r->columns[c].name;
	for (size_t k = 0; k < ARRAY_SIZE(numbers); k++)
		if (result_has_order(r, numbers[k]) && !i--)
			return numbers[k];
	for (size_t c = 0; c < r->n_keys; c++)
		if (r->columns[c].type != RESULT_STACK && !i--)
			return r->columns[c].name;
	return NULL;
}
