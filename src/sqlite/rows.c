// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Rows of a statement as text, csv, tsv, json or ndjson, with the rules of hist events. Memory does
 * not grow with their number: the columns of text are as wide as the first rows need.
 */
#include "sqlite/rows.h"

enum { FLUSH_AT = 1 << 16, TEXT_ROWS = 1000 };

/* --- csv, tsv --- */

static void csv_begin(struct rows *r)
{
	struct csv t = { .dialect = r->format->dialect, .out = &r->out };

	if (r->any)
		strbuf_addch(&r->out, '\n');
	for (int i = 0; i < r->n_columns; i++)
		csv_text(&t, span_of(r->names[i]));
	csv_end_line(&t);
}

static struct span text_of(sqlite3_stmt *stmt, int i)
{
	const char *s = sqlite3_column_blob(stmt, i);

	return (struct span){ s ? s : "", (size_t)sqlite3_column_bytes(stmt, i) };
}

static void csv_value(struct csv *t, sqlite3_stmt *stmt, int i)
{
	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_INTEGER:
		csv_number(t, (u64)sqlite3_column_int64(stmt, i), true);
		break;
	case SQLITE_FLOAT:
		csv_double(t, sqlite3_column_double(stmt, i));
		break;
	case SQLITE_NULL:
		csv_absent(t);
		break;
	default:
		csv_text(t, text_of(stmt, i));
	}
}

static void csv_row(struct rows *r)
{
	struct csv t = { .dialect = r->format->dialect, .out = &r->out };

	for (int i = 0; i < r->n_columns; i++)
		csv_value(&t, r->stmt, i);
	csv_end_line(&t);
}

/* --- json: an array for each statement --- */

static void json_row(struct rows *r)
{
	struct json j = { .out = &r->out };

	json_object(&j, NULL);
	for (int i = 0; i < r->n_columns; i++) {
		json_name(&j, span_of(r->names[i]));
		switch (sqlite3_column_type(r->stmt, i)) {
		case SQLITE_INTEGER:
			json_s64(&j, NULL, sqlite3_column_int64(r->stmt, i));
			break;
		case SQLITE_FLOAT:
			json_double(&j, NULL, sqlite3_column_double(r->stmt, i));
			break;
		case SQLITE_NULL:
			json_null(&j, NULL);
			break;
		default:
			json_text(&j, NULL, text_of(r->stmt, i));
		}
	}
	json_close(&j, '}');
}

static void json_begin(struct rows *r)
{
	strbuf_addch(&r->out, '[');
}

static void json_element(struct rows *r)
{
	strbuf_addstr(&r->out, r->n ? ",\n" : "\n");
	json_row(r);
}

/* Rows that an error ended are no array. */
static void json_end(struct rows *r)
{
	strbuf_addstr(&r->out, r->failed ? "\n" : "\n]\n");
}

static void ndjson_row(struct rows *r)
{
	json_row(r);
	strbuf_addch(&r->out, '\n');
}

/* --- text --- */

/* A value as in csv, without quotes. */
static void add_value(struct rows *r, int i)
{
	static const struct csv_dialect plain = { .separator = ' ', .escapes = true };
	struct csv t = { .dialect = &plain, .out = table_cell(&r->table) };

	csv_value(&t, r->stmt, i);
	table_end_cell(&r->table);
}

static void flush_table(struct rows *r)
{
	table_text(&r->table, &r->out);
	table_drop_rows(&r->table);
}

static bool is_wide(const struct rows *r)
{
	return r->n_columns > TABLE_COLUMNS;
}

static void text_begin(struct rows *r)
{
	r->table = (struct table)TABLE_INIT;
	if (r->any)
		strbuf_addch(&r->out, '\n');
	for (int i = 0; i < r->n_columns && !is_wide(r); i++)
		table_add(&r->table, r->names[i]);
	if (!is_wide(r))
		table_end_row(&r->table);
}

/* A table has few columns: with more, each value has a line. */
static void wide_row(struct rows *r)
{
	r->table.columns[1].left = true;
	for (int i = 0; i < r->n_columns; i++) {
		table_add(&r->table, r->names[i]);
		add_value(r, i);
		table_end_row(&r->table);
	}
	strbuf_addstr(&r->out, r->n ? "\n" : "");
	flush_table(r);
}

static void text_row(struct rows *r)
{
	if (is_wide(r)) {
		wide_row(r);
		return;
	}
	for (int i = 0; i < r->n_columns; i++) {
		const int type = sqlite3_column_type(r->stmt, i);

		if (!r->n)
			r->table.columns[i].left = type == SQLITE_TEXT || type == SQLITE_BLOB;
		add_value(r, i);
	}
	table_end_row(&r->table);
	if (r->n % TEXT_ROWS == TEXT_ROWS - 1)
		flush_table(r);
}

static void text_end(struct rows *r)
{
	flush_table(r);
	table_release(&r->table);
}

/* --- formats --- */

static const struct rows_format formats[] = {
	{ "text", text_begin, text_row, text_end, NULL },
	{ "csv", csv_begin, csv_row, NULL, &csv_commas },
	{ "tsv", csv_begin, csv_row, NULL, &csv_tabs },
	{ "csv-safe", csv_begin, csv_row, NULL, &csv_safe_commas },
	{ "tsv-safe", csv_begin, csv_row, NULL, &csv_safe_tabs },
	{ "json", json_begin, json_element, json_end, NULL },
	{ "ndjson", NULL, ndjson_row, NULL, NULL },
};

const struct rows_format *rows_format_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	return NULL;
}

/* A name that is used twice gets #2, as in other formats. */
static const char *column_name(struct rows *r, int at)
{
	const char *name = sqlite3_column_name(r->stmt, at);
	int n = 1;

	for (int i = 0; i < at && name; i++) {
		const char *other = sqlite3_column_name(r->stmt, i);

		n += other && !strcmp(other, name);
	}
	return !name   ? NULL
	       : n > 1 ? arena_printf(&r->arena, "%s#%d", name, n)
		       : arena_strdup(&r->arena, name);
}

static int find_names(struct rows *r)
{
	r->n_columns = sqlite3_column_count(r->stmt);
	r->names = arena_alloc(&r->arena, (size_t)r->n_columns * sizeof(*r->names));
	for (int i = 0; i < r->n_columns && r->names; i++) {
		r->names[i] = column_name(r, i);
		if (!r->names[i])
			return HIST_NOMEM;
	}
	return r->names ? 0 : HIST_NOMEM;
}

static int flush(struct rows *r, size_t at)
{
	int err = r->out.failed ? HIST_NOMEM : 0;

	if (err || r->out.len < at || !r->out.len)
		return err;
	err = r->options->sink(r->options->arg, r->out.s, r->out.len);
	strbuf_reset(&r->out);
	return err;
}

int rows_print(struct rows *r, sqlite3_stmt *stmt, int *err)
{
	int rc;

	r->stmt = stmt;
	r->n = 0;
	rc = sqlite3_step(stmt);
	if (rc != SQLITE_ROW && (rc != SQLITE_DONE || !sqlite3_column_count(stmt)))
		return rc;
	*err = find_names(r);
	if (!*err && r->format->begin)
		r->format->begin(r);
	for (; !*err && rc == SQLITE_ROW; rc = sqlite3_step(stmt)) {
		r->format->row(r);
		r->n++;
		*err = flush(r, FLUSH_AT);
	}
	/* also what precedes an error */
	r->failed = rc != SQLITE_DONE;
	if (r->format->end)
		r->format->end(r);
	*err = *err ?: flush(r, 0);
	arena_release(&r->arena);
	r->any = true;
	return rc;
}
