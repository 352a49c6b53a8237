// SPDX-License-Identifier: LGPL-2.1-only
/* What many intervals consisted of, as a table or for programs. */
#include "table/table.h"
#include "why/why.h"

enum { SCHEMA = 1 };

static int compare_sums(const void *one, const void *other)
{
	const struct why_sum *a = one, *b = other;
	int order = a->ns > b->ns ? -1 : a->ns < b->ns;

	for (size_t i = 0; i < WHY_KEYS_MAX && a->of[i] && !order; i++)
		order = strcmp(a->of[i], b->of[i]);
	return order;
}

static void add_us(struct table *t, u64 ns)
{
	table_addf(t, "%llu.%03llu", ns / 1000, ns % 1000);
}

/* @name: in place of its keys; NULL: those */
static void add_row(struct table *t, const struct why_sums *all, const struct why_sum *r,
		    const char *name)
{
	for (size_t i = 0, n = 0; i < all->keys->n; i++)
		if (!all->keys->v[i].detail)
			table_add(t, !name ? r->of[i] : n++ ? "" : name);
	add_us(t, r->ns);
	table_addf(t, "%.1f", all->ns ? 100 * (double)r->ns / (double)all->ns : 100.0);
	if (r->intervals) {
		table_addf(t, "%zu", r->intervals);
		add_us(t, r->longest);
	}
	table_end_row(t);
}

static void sums_text(const struct why_sums *all, size_t top, struct strbuf *out)
{
	static const char *const names[] = { "us", "%", "intervals", "longest us" };
	scoped(table_release) struct table t = TABLE_INIT;
	struct why_sum others = { .ns = 0 };
	size_t shown = top && top < all->rows.n ? top : all->rows.n;

	strbuf_addf(&t.title, "%s: %zu interval%s", all->event, all->n, plural(all->n));
	if (all->min)
		strbuf_addf(&t.title, " of at least %llu.%03llu us", all->min / 1000,
			    (all->min % 1000));
	for (size_t i = 0, n = 0; i < all->keys->n; i++)
		if (!all->keys->v[i].detail) {
			t.columns[n++].left = true;
			table_add(&t, all->keys->v[i].name);
		}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		table_add(&t, names[i]);
	table_end_row(&t);
	for (size_t i = 0; i < all->rows.n; i++) {
		if (i < shown)
			add_row(&t, all, &all->rows.v[i], NULL);
		else
			others.ns += all->rows.v[i].ns;
	}
	if (shown < all->rows.n)
		add_row(&t, all, &others, "(others)");
	add_row(&t, all, &(struct why_sum){ .ns = all->ns }, "(all)");
	strbuf_addf(out, "%s\n\n", t.title.s);
	table_text(&t, out);
	out->failed |= t.title.failed;
}

/* For programs. */
static const char *name_of(const struct why_key_of *k)
{
	return k->by == WHY_BY_IN ? "syscall" : k->name;
}

static void sums_json(const struct why_sums *all, struct strbuf *out)
{
	struct json j = { .out = out };

	json_object(&j, NULL);
	json_str(&j, "type", "why_all");
	json_u64(&j, "schema", SCHEMA);
	json_str(&j, "version", HIST_VERSION);
	json_str(&j, "event", all->event);
	json_u64_if(&j, "min_ns", all->min);
	json_u64(&j, "intervals", all->n);
	json_u64(&j, "ns", all->ns);
	json_array(&j, "parts");
	array_each(const struct why_sum, r, &all->rows) {
		json_object(&j, NULL);
		for (size_t k = 0; k < all->keys->n; k++)
			json_str_if(&j, name_of(&all->keys->v[k]), *r->of[k] ? r->of[k] : NULL);
		json_u64(&j, "ns", r->ns);
		json_u64(&j, "intervals", r->intervals);
		json_u64(&j, "longest_ns", r->longest);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_caveats(&j, all->caveats);
	json_close(&j, '}');
	json_end_line(&j);
}

static int sums_rows(const struct why_sums *all, const struct row_format *format,
		     struct strbuf *out)
{
	struct row_column columns[WHY_KEYS_MAX + 3];
	struct row_writer w = { .format = format, .out = out, .title = "Causes of waiting" };
	size_t n = all->keys->n;

	for (size_t i = 0; i < n; i++)
		columns[i] =
			(struct row_column){ .name = name_of(&all->keys->v[i]), .kind = CELL_TEXT };
	columns[n++] = (struct row_column){ .name = "ns", .kind = CELL_UNSIGNED };
	columns[n++] = (struct row_column){ .name = "intervals", .kind = CELL_UNSIGNED };
	columns[n++] = (struct row_column){ .name = "longest_ns", .kind = CELL_UNSIGNED };
	rows_begin(&w, columns, n);
	array_each(const struct why_sum, r, &all->rows) {
		for (size_t k = 0; k < all->keys->n; k++)
			rows_str(&w, *r->of[k] ? r->of[k] : NULL);
		rows_number(&w, CELL_UNSIGNED, r->ns);
		rows_number(&w, CELL_UNSIGNED, r->intervals);
		rows_number(&w, CELL_UNSIGNED, r->longest);
		rows_end_row(&w);
	}
	return rows_end(&w, true);
}

int why_sums_print(struct why_sums *all, const struct hist_why_options *o, struct strbuf *out)
{
	const char *format = o->format ?: "text";

	if (all->rows.n)
		qsort(all->rows.v, all->rows.n, sizeof(*all->rows.v), compare_sums);
	if (!strcmp(format, "text"))
		sums_text(all, o->top, out);
	else if (!strcmp(format, "json"))
		sums_json(all, out);
	else
		return sums_rows(all, row_format_find(format), out);
	return 0;
}
