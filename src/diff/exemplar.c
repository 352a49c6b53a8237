// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Examples: for each row of the runs after, the saved hit with the largest tracked value, and its
 * time.
 */
#include "diff/join.h"

static struct span text_of(const struct result_column *column, const struct result_cell *cell)
{
	if (column->type == RESULT_TEXT)
		return cell->text;
	return column->has_label ? cell->label : (struct span){ NULL, 0 };
}

static void add_cell(struct strbuf *out, const struct result_column *column,
		     const struct result_cell *from)
{
	const struct diff_key key = { .column = *column };
	const struct diff_cell cell = { .num = from->num,
					.max = from->max,
					.text = text_of(column, from) };

	if (from->absent || column->type == RESULT_STACK)
		return;
	strbuf_addf(out, "%s%s ", out->len ? ", " : "", column->name);
	key_print(&key, &cell, out);
}

int exemplar_keep(struct join *j, const struct result *r, const struct result_row *from,
		  struct diff_row *row)
{
	size_t first = r->n_keys + r->n_values;
	u64 tracked = result_tracks(r) ? from->cells[first].num : from->saved_at;
	struct strbuf sb = STRBUF_INIT;
	const char *text;

	if (!from->saved || (row->exemplar && tracked <= row->exemplar_of))
		return 0;
	for (size_t i = first; i < r->n_columns; i++)
		add_cell(&sb, &r->columns[i], &from->cells[i]);
	strbuf_addstr(&sb, " at ");
	text_add_time(&sb, from->saved_at, r->info->clock_counts);
	text = sb.failed ? NULL : arena_strdup(&j->arena, sb.s);
	strbuf_release(&sb);
	row->exemplar = text;
	row->exemplar_of = tracked;
	return text ? 0 : HIST_NOMEM;
}
