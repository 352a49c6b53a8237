// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The rows of a histogram as a table of a page, all slices of time together, with their exemplars;
 * and the exemplars of all rows.
 *
 * The size of the table is limited; omitted rows are counted.
 */
#include "picture/gather.h"

enum { MAX_ROWS = 1000, MAX_TABLE = 400 * 1024, FIRST_ROWS = 20 };

/* --- exemplars --- */

static void add_task(struct strbuf *out, const struct exemplar *e)
{
	markup_add(out, (struct span){ e->comm, strnlen(e->comm, sizeof(e->comm)) });
	strbuf_addf(out, "-%d", e->pid);
}

/* In the form that hist report --around accepts. */
static void add_place(struct strbuf *out, const struct pic_group *g, const struct exemplar *e)
{
	text_add_time(out, e->at, g->r->info->clock_counts);
	strbuf_addf(out, ",%u", e->cpu);
}

/* In parentheses; a text that is one word needs no quotes, which are confusing within others. */
static void add_condition(struct strbuf *out, struct span cond)
{
	strbuf_addch(out, '(');
	while (cond.n) {
		const char *end = *cond.s == '"' ? memchr(cond.s + 1, '"', cond.n - 1) : NULL;
		struct span word = end ? span_between(cond.s + 1, end) : cond;
		size_t n = 0;

		while (end && n < word.n && (is_ident(word.s[n]) || strchr("*?.-/", word.s[n])))
			n++;
		if (!n || n < word.n)
			word = (struct span){ cond.s, end ? (size_t)(end + 1 - cond.s) : 1 };
		strbuf_add(out, word.s, word.n);
		cond = span_between(end ? end + 1 : cond.s + 1, cond.s + cond.n);
	}
	strbuf_addch(out, ')');
}

/* The command that shows what happened there. */
static void add_command(struct strbuf *out, const struct pic_group *g, const struct exemplar *e)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	/* a name: of a table of several events */
	const bool derived = !strncmp(g->r->event, "derived:", 8) &&
			     strncmp(g->r->trigger, "hist:name=", 10) != 0;
	const char *file = e->file ?: g->r->info->n_files ? g->r->info->files[0] : "trace.dat";

	strbuf_addstr(&sb, derived ? "hist why -i " : "hist report -i ");
	strbuf_addword(&sb, file);
	if (derived) {
		const struct result *r = g->r;
		const char *cond = strstr(r->trigger, " if "), *name = r->exemplars->name;
		scoped(strbuf_release) struct strbuf filter = STRBUF_INIT;

		/*
		 * The interval of a derived event: its task and end, the condition of its table,
		 * and, as several may end then, the number of which it is an example.
		 */
		if (cond)
			add_condition(&filter, span_of(cond + 4));
		for (size_t i = 0; i < r->n_keys + r->n_values; i++) {
			if (strcmp(r->columns[i].name, name) != 0)
				continue;
			strbuf_addf(&filter, "%s%s == ", cond ? " && " : "", name);
			text_add_number(&filter, e->value, r->exemplars->is_signed);
			strbuf_addstr(&filter, r->exemplars->unit ?: "");
			break;
		}
		strbuf_addstr(&sb, " -e ");
		strbuf_addword(&sb, r->event);
		strbuf_addstr(&sb, " --at ");
		add_place(&sb, g, e);
		strbuf_addf(&sb, " --pid %d", e->pid);
		if (filter.len) {
			strbuf_addstr(&sb, " -f ");
			strbuf_addword(&sb, filter.s);
		}
		sb.failed |= filter.failed;
	} else {
		strbuf_addstr(&sb, " --around ");
		add_place(&sb, g, e);
	}
	markup_add(out, (struct span){ sb.s, sb.len });
	out->failed |= sb.failed;
}

void page_exemplars(const struct pic_group *g, struct strbuf *out)
{
	const struct exemplar_row *all = g->exemplars;
	const bool files = g->r->info->n_files > 1;

	if (!all || !all->n)
		return;
	strbuf_addstr(out, "<h3>The largest ");
	markup_str(out, value_name(g->r->exemplars->name, g->r->exemplars->unit) ?: "ones");
	strbuf_addstr(out, "</h3>\n");
	table_html_begin("exemplars", "exemplars", out);
	strbuf_addstr(out, "<tr><th class=\"n\">");
	markup_str(out, value_name(g->r->exemplars->name, g->r->exemplars->unit) ?: "value");
	strbuf_addf(out,
		    "</th><th class=\"n\">time</th><th class=\"n\">CPU</th><th>task</th>%s<th>what "
		    "happened there</th></tr></thead>\n<tbody>\n",
		    files ? "<th>recording</th>" : "");
	array_each(const struct exemplar, e, all) {
		strbuf_addstr(out, "<tr><td class=\"n\" data-v=\"");
		text_add_number(out, e->value, g->r->exemplars->is_signed);
		strbuf_addstr(out, "\">");
		people_add(out,
			   g->r->exemplars->is_signed ? (double)(s64)e->value : (double)e->value,
			   g->r->exemplars->unit);
		strbuf_addstr(out, "</td><td class=\"n\" data-v=\"");
		add_place(out, g, e);
		strbuf_addstr(out, "\">");
		time_since(out, g, e->at);
		strbuf_addf(out, "</td><td class=\"n\">%u</td><td>", e->cpu);
		add_task(out, e);
		if (files) {
			strbuf_addstr(out, "</td><td>");
			markup_str(out, e->file ?: "");
		}
		strbuf_addstr(out, "</td><td class=\"c\"><code>");
		add_command(out, g, e);
		strbuf_addstr(out, "</code></td></tr>\n");
	}
	table_html_end(out);
}

/* --- the rows --- */

static bool is_numeric(const struct result_column *c)
{
	return c->type == RESULT_NUMBER || c->type == RESULT_RANGE;
}

/* Which columns of the main statistic are printed after the values. */
struct quantile_columns {
	bool any, most;
	const char *unit;
};

static struct quantile_columns quantiles_of(const struct pic_group *g)
{
	struct quantile_columns q = { .any = !g->sliced && g->main_stat < g->r->n_row_stats };

	if (q.any)
		q.unit = g->r->stats[g->main_stat].unit;
	/* onmax has the largest one */
	q.most = q.any && !result_tracks(g->r);
	return q;
}

/* Whether the value of an exemplar is in the column max. */
static bool has_its_value(const struct pic_group *g, const struct quantile_columns *q)
{
	return q->any && !strcmp(g->r->exemplars->name, g->r->stats[g->main_stat].name);
}

static void print_head(const struct pic_group *g, const struct quantile_columns *q,
		       struct strbuf *out)
{
	strbuf_addstr(out, "<tr>");
	for (size_t i = 0; i < g->r->n_columns; i++) {
		const struct result_column *c = &g->r->columns[i];
		scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

		strbuf_addf(out, "<th%s>",
			    c->role != RESULT_KEY && is_numeric(c) ? " class=\"n\"" : "");
		column_title_add(&name, c);
		markup_add(out, strbuf_span(&name));
		out->failed |= name.failed;
		strbuf_addstr(out, "</th>");
		if (i + 1 == g->r->n_keys + g->r->n_values && q->any)
			strbuf_addf(out, "<th class=\"n\">p50</th><th class=\"n\">p99</th>%s",
				    q->most ? "<th class=\"n\">max</th>" : "");
	}
	if (g->r->exemplars) {
		strbuf_addstr(out, has_its_value(g, q) ? "<th>largest at " : "<th>largest ");
		if (!has_its_value(g, q))
			markup_str(out,
				   value_name(g->r->exemplars->name, g->r->exemplars->unit) ?: "");
		strbuf_addstr(out, "</th>");
	}
	strbuf_addstr(out, "</tr></thead>\n<tbody>\n");
}

/* Whether all of a text are digits, so that the number has no name and no other form. */
static bool is_plain(struct span text)
{
	for (size_t i = 0; i < text.n; i++)
		if (!is_digit(text.s[i]) && (i || text.s[i] != '-'))
			return false;
	return text.n > 0;
}

void range_add(struct strbuf *out, const struct result_column *c, const struct pic_cell *cell,
	       people_fn *number)
{
	const double max = c->is_signed ? (double)(s64)cell->max : (double)cell->max;

	if (cell->max != cell->num && c->is_signed && is_least(cell->num, true)) {
		strbuf_addstr(out, "below ");
		number(out, max + 1, c->unit);
		return;
	}
	number(out, cell_number(c, cell), c->unit);
	if (cell->max != cell->num && is_greatest(cell->max, c->is_signed)) {
		strbuf_addstr(out, " and above");
	} else if (cell->max != cell->num) {
		strbuf_addstr(out, " to ");
		number(out, max, c->unit);
	}
}

static void print_cell(const struct pic_group *g, size_t i, const struct pic_cell *cell,
		       double most, struct strbuf *out)
{
	const struct result_column *c = &g->r->columns[i];

	strbuf_addf(out, "<td%s",
		    c->role == RESULT_KEY ? is_numeric(c) ? " class=\"k\"" : " class=\"k t\""
		    : is_numeric(c)       ? " class=\"n\""
					  : "");
	if (is_numeric(c)) {
		strbuf_addstr(out, " data-v=\"");
		text_add_number(out, cell->num, c->is_signed);
		strbuf_addch(out, '"');
	}
	strbuf_addch(out, '>');
	if (c->type == RESULT_STACK && !cell->n_frames)
		strbuf_addstr(out, "[no stack]");
	else if (c->type == RESULT_RANGE && (c->unit || cell->max - cell->num > 1))
		range_add(out, c, cell, people_add);
	else if (c->type == RESULT_NUMBER && is_plain(cell->text) && !number_is_id(c->name) &&
		 (c->unit || c->role != RESULT_KEY))
		people_add(out, cell_number(c, cell), c->unit);
	else
		markup_add(out, cell->text);
	if (i == g->sort_value)
		chart_bar(out, cell_number(c, cell), most);
	strbuf_addstr(out, "</td>");
}

static void print_quantile(double v, const char *unit, struct strbuf *out)
{
	strbuf_addstr(out, "<td class=\"n\"");
	if (!isnan(v))
		strbuf_addf(out, " data-v=\"%.15g\"", v);
	strbuf_addch(out, '>');
	people_add(out, v, unit);
	strbuf_addstr(out, "</td>");
}

static void print_row(const struct pic_group *g, const struct pic_row *row, double most,
		      struct strbuf *out)
{
	const struct quantile_columns q = quantiles_of(g);

	strbuf_addstr(out, "<tr>");
	for (size_t i = 0; i < g->r->n_columns; i++) {
		print_cell(g, i, &row->cells[i], most, out);
		if (i + 1 != g->r->n_keys + g->r->n_values || !q.any)
			continue;
		print_quantile(row->p50, q.unit, out);
		print_quantile(row->p99, q.unit, out);
		if (q.most)
			print_quantile(row->most, q.unit, out);
	}
	if (g->r->exemplars) {
		const bool valued = !has_its_value(g, &q);
		const struct result_exemplars *of = g->r->exemplars;

		/* The cell of a row: the largest one. */
		strbuf_addstr(out, "<td class=\"e\"");
		if (row->exemplars && row->exemplars->n) {
			const struct exemplar *e = &row->exemplars->v[0];

			strbuf_addstr(out, " data-v=\"");
			text_add_number(out, e->value, of->is_signed);
			strbuf_addstr(out, "\">");
			if (valued)
				people_add(out,
					   of->is_signed ? (double)(s64)e->value : (double)e->value,
					   of->unit);
			strbuf_addstr(out, valued ? " at " : "");
			time_since(out, g, e->at);
			strbuf_addf(out, ", CPU %u, ", e->cpu);
			add_task(out, e);
		} else {
			strbuf_addch(out, '>');
		}
		strbuf_addstr(out, "</td>");
	}
	strbuf_addstr(out, "</tr>\n");
}

const char *value_name(const char *name, const char *unit)
{
	return unit && !strcmp(name, unit) ? NULL : name;
}

/* "comm, state", the keys of a table. */
void keys_add(struct strbuf *out, const struct pic_group *g)
{
	for (size_t i = 0; i < g->r->n_keys; i++) {
		strbuf_addstr(out, i ? ", " : "");
		column_title_add(out, &g->r->columns[i]);
	}
}

int page_rows(const struct pic_group *g, size_t number, struct strbuf *out)
{
	struct pic_totals totals = { .arena = ARENA_INIT };
	const struct quantile_columns q = quantiles_of(g);
	const size_t most_rows = g->top && g->top < MAX_ROWS ? g->top : MAX_ROWS;
	scoped(free_scoped) struct rank *ranks = NULL;
	size_t start = out->len, n = 0;
	double most = 0;
	int err = totals_init(&totals, g);

	if (!err)
		ranks = calloc(totals.n + 1, sizeof(*ranks));
	if (!err && !ranks)
		err = HIST_NOMEM;
	for (size_t i = 0; i < totals.n && !err; i++) {
		ranks[i] = (struct rank){ cell_number(&g->r->columns[g->sort_value],
						      &totals.rows[i].cells[g->sort_value]),
					  i };
		most = fmax(most, ranks[i].by);
	}
	/* the largest values first, so that small ones are omitted */
	if ((g->by_value || most_rows < totals.n) && !g->sorted && !err)
		rank_sort(ranks, totals.n);
	if (!err) {
		/* without scripts, a box shows the others */
		if (min_t(size_t, totals.n, most_rows) > FIRST_ROWS)
			strbuf_addf(out,
				    "<input type=\"checkbox\" class=\"more\" id=\"more%zu\"><label "
				    "for=\"more%zu\">show all %zu rows</label>\n",
				    number, number, min_t(size_t, totals.n, most_rows));
		table_html_begin("rows", "rows", out);
		print_head(g, &q, out);
		for (; n < totals.n && n < most_rows && out->len - start < MAX_TABLE; n++)
			print_row(g, &totals.rows[ranks[n].at], most, out);
		table_html_end(out);
		if (n < totals.n || g->left_out)
			strbuf_addf(out,
				    "<p class=\"note left-out\">%zu more rows are left out here; "
				    "--format csv has them all.</p>\n",
				    totals.n - n + g->left_out);
	}
	arena_release(&totals.arena);
	return err;
}
