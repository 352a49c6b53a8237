// SPDX-License-Identifier: LGPL-2.1-only
/* The columns of an answer and their cells; the lines around its table. */
#include "print/answer.h"

enum { BAR_WIDTH = 40 };

/* --- the columns --- */

static bool has_modifier(const struct result_column *c, const char *modifier)
{
	return c->modifier && !strcmp(c->modifier, modifier);
}

void column_title_add(struct strbuf *out, const struct result_column *c)
{
	const bool mean = has_modifier(c, "mean"),
		   part = result_is_part(c) && !mean && !has_modifier(c, "graph");
	struct span name = span_of(c->name), unit = span_of(c->unit ?: "");
	bool is_unit;

	/* the second "ns" is "ns#2" */
	name = span_sep(&name, "#");
	/* that of a saved field which the row sums, too */
	if (c->role == RESULT_SAVED && unit.n && span_starts(name, "max_") &&
	    span_same(span_skip(name, 4), unit))
		name = unit;
	is_unit = unit.n && span_same(name, unit);
	if (c->role == RESULT_VALUE && span_eq(name, "hitcount"))
		name = span_of("hits");
	else if (c->role == RESULT_KEY && span_eq(name, "common_type"))
		name = span_of("event");
	else if (is_unit && c->role == RESULT_VALUE)
		name = span_of(has_modifier(c, "cpu") ? "CPU %" : part ? "share" : "total");
	else if (is_unit)
		name = span_of("duration");
	else if (mean)
		strbuf_addstr(out, "mean ");
	if (!is_unit && unit.n && name.n > unit.n + 1 && name.s[name.n - unit.n - 1] == '_' &&
	    !memcmp(name.s + name.n - unit.n, unit.s, unit.n))
		name.n -= unit.n + 1; /* "waiting_ns", whose numbers have the unit */
	strbuf_add(out, name.s, name.n);
	if (part && !is_unit)
		strbuf_addstr(out, " %");
}

static bool is_left(const struct result_column *c)
{
	return c->type == RESULT_TEXT || c->type == RESULT_STACK || c->has_label ||
	       has_modifier(c, "graph");
}

/* The sum of a value of the rows that are equal to this one in all keys but the last; NULL: out of
 * memory. */
static u64 *share_of(struct answer *a, size_t column, const struct result_row *row)
{
	scoped(strbuf_release) struct strbuf key = STRBUF_INIT;
	struct answer_share new = { NULL, 0, 0 }, *share;
	u32 hash;

	strbuf_addf(&key, "%zu", column);
	for (size_t k = 0; k + 1 < a->r->n_keys; k++) {
		strbuf_addch(&key, '\0');
		cell_add_text(&key, &a->r->columns[k], &row->cells[k]);
	}
	hash = hash_bytes(0, key.s, key.len);
	share = indexed_find(&a->shares, hash, e,
			     span_same((struct span){ e->key, e->n }, strbuf_span(&key)));
	if (!share && !key.failed) {
		new.key = arena_strndup(&a->arena, key.s, key.len);
		new.n = key.len;
		share = new.key ? indexed_add(&a->shares, hash, new) : NULL;
	}
	return share ? &share->sum : NULL;
}

static int add_shares(struct answer *a, size_t column)
{
	const struct result *all = a->r->whole ?: a->r;
	struct result_row row;

	for (size_t i = 0; i < all->n_rows; i++) {
		u64 *sum;

		all->row(all, i, &row);
		sum = share_of(a, column, &row);
		if (!sum)
			return HIST_NOMEM;
		*sum = add_saturated(*sum, row.cells[column].num);
	}
	return 0;
}

/* What a number of a row is a part of, or is divided by. */
static u64 whole_of(struct answer *a, const struct answer_column *column,
		    const struct result_row *row)
{
	const struct result_column *c = &a->r->columns[column->at];
	const u64 *share;
	size_t ns = a->r->n_keys;

	if (has_modifier(c, "cpu"))
		return a->r->covered;
	if (has_modifier(c, "share")) {
		share = share_of(a, column->at, row);
		return share ? *share : 0;
	}
	while (has_modifier(c, "mean") && ns + 1 < a->r->n_columns &&
	       strcmp(a->r->columns[ns].name, "ns") != 0)
		ns++;
	return has_modifier(c, "mean") ? row->cells[ns].num : column->total;
}

/* What numbers of all rows .percent and .graph refer to. */
static u64 total_of(const struct result *r, size_t column, bool sum)
{
	const struct result *all = r->whole ?: r;
	struct result_row row;
	u64 total = 0;

	for (size_t i = 0; i < all->n_rows; i++) {
		all->row(all, i, &row);
		total = sum ? add_saturated(total, row.cells[column].num)
			    : max_t(u64, total, row.cells[column].num);
	}
	return total;
}

static int add_column(struct answer *a, const struct answer_column *column)
{
	struct table_column *c = &a->table.columns[a->columns.n];

	if (a->columns.n == TABLE_COLUMNS)
		return 0;
	if (column->kind == ANSWER_CELL)
		c->left = is_left(&a->r->columns[column->at]);
	else if (column->kind != ANSWER_EXTRA)
		c->left = column->kind == ANSWER_BAR;
	return array_push(&a->columns, *column);
}

/* Whether all rows together have the sum of a value, or the largest tracked one. */
static bool is_summed(const struct result *r, size_t column)
{
	const struct result_column *c = &r->columns[column];

	return r->n_row_stats && column != r->n_keys &&
	       (c->tracked || (c->role == RESULT_VALUE && !c->modifier && !number_is_id(c->name)));
}

/*
 * The place of a column among those that a narrow terminal hides, see add_stat(): first sums that
 * are 0, after most statistics what is known of the longest one, then other sums. 0: never hidden
 */
static unsigned int hide_of(const struct answer *a, size_t i)
{
	const struct result *r = a->r;
	const struct result_column *c = &r->columns[i];
	const size_t saved = result_first(r, RESULT_SAVED);
	const char *sort = a->options->sort;

	if (i <= r->n_keys + 1 || c->tracked || (sort && !strcmp(c->name, sort)))
		return 0;
	if (i < saved) /* the next refresh may have some */
		return a->options->extra || total_of(r, i, true)
			       ? 20 + (unsigned int)min_t(size_t, saved - i, 20)
			       : 1;
	return 10 + (unsigned int)min_t(size_t, r->n_columns - i, 9);
}

static int add_cells(struct answer *a, size_t from, size_t to)
{
	int err = 0;

	for (size_t i = from; i < to && !err; i++) {
		const struct result_column *c = &a->r->columns[i];
		const bool percent = has_modifier(c, "percent");
		struct answer_column column = { .at = i, .summed = is_summed(a->r, i) };

		if (c->hidden)
			continue;
		if (column.summed || percent || has_modifier(c, "graph"))
			column.total = total_of(a->r, i, column.summed ? !c->tracked : percent);
		if (a->text)
			a->table.columns[a->columns.n % TABLE_COLUMNS].hide = hide_of(a, i);
		err = add_column(a, &column);
		if (!err && has_modifier(c, "share"))
			err = add_shares(a, i);
	}
	return err;
}

static bool has_own_numbers(const struct result *r, size_t stat)
{
	return !number_is_id(r->stats[stat].name) && stat_find_same(r, stat) == stat;
}

/* The numbers of a statistic; the one that --sort names is not hidden. */
static int add_stat(struct answer *a, size_t stat)
{
	/* the order of the columns; hidden as the N-th if the terminal is too narrow, 0: never */
	static const struct {
		size_t number;
		unsigned int hide;
	} numbers[] = {
		{ STAT_N, 3 },
		{ STAT_MIN, 2 },
		{ STAT_MEAN, 5 },
		{ STAT_STDDEV, 1 },
		{ STAT_FIRST_QUANTILE, 50 },
		{ STAT_FIRST_QUANTILE + 1, 6 },
		{ STAT_FIRST_QUANTILE + 2, 51 },
		{ STAT_FIRST_QUANTILE + 3, 4 },
		{ STAT_MAX, 0 },
	};
	enum { BESIDE = 7 }; /* those of other values, before what an answer is for */
	const bool beside = any_of(i, stat, has_own_numbers(a->r, i));
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(numbers) && !err; i++) {
		const struct answer_column column = { .kind = ANSWER_STAT,
						      .at = stat,
						      .number = numbers[i].number };
		const char *sort = a->options->sort, *name = stat_number_name(column.number);
		const unsigned int hide = numbers[i].hide;

		/* each hit has a number, and onmax has the largest one */
		if ((column.number == STAT_N && a->r->stats[stat].all->n == a->r->hits) ||
		    (column.number == STAT_MAX && !stat && result_tracks(a->r)))
			continue;
		if (!sort || strcmp(sort, name) != 0)
			a->table.columns[a->columns.n % TABLE_COLUMNS].hide =
				!beside || (hide && hide < BESIDE) ? hide : BESIDE;
		err = add_column(a, &column);
	}
	return err;
}

static int add_extra(struct answer *a)
{
	const struct answer_extra *extra = a->options->extra;
	int err = 0;

	for (size_t i = 0; extra && i < extra->n && !err; i++) {
		struct table_column *c = &a->table.columns[a->columns.n % TABLE_COLUMNS];

		c->left = extra->columns[i].left;
		c->hide = extra->columns[i].hide;
		err = add_column(a, &(struct answer_column){ .kind = ANSWER_EXTRA, .at = i });
	}
	return err;
}

static bool is_distribution(const struct result *r)
{
	return r->n_keys == 1 && r->columns[0].type == RESULT_RANGE && r->n_sort &&
	       !r->sort[0].column;
}

int answer_begin(struct answer *a)
{
	const struct result *r = a->r;
	const size_t saved = result_first(r, RESULT_SAVED);
	int err;
	size_t n = sum_of(i, r->n_row_stats, has_own_numbers(r, i));

	a->several = n > 1;
	err = add_cells(a, 0, saved) ?: add_extra(a);
	for (size_t i = 0; i < r->n_row_stats && !err; i++)
		if (has_own_numbers(r, i))
			err = add_stat(a, i);
	err = err ?: add_cells(a, saved, r->n_columns);
	if (err || !a->text || !is_distribution(r))
		return err;
	a->table.columns[a->columns.n % TABLE_COLUMNS].hide = 1;
	return add_column(a, &(struct answer_column){
				     .kind = ANSWER_BAR,
				     .at = r->n_keys,
				     .total = total_of(r, r->n_keys, false),
			     });
}

/* --- cells --- */

void answer_add_visible(struct strbuf *out, struct span text)
{
	while (text.n)
		text = span_skip(text, utf8_add_visible(out, text));
}

static void add_bar(struct strbuf *out, u64 v, u64 most, size_t width)
{
	strbuf_fill(out, '#', most ? (size_t)((double)v / (double)most * (double)width + 0.5) : 0);
}

static double number_of(u64 v, bool is_signed)
{
	return is_signed ? (double)(s64)v : (double)v;
}

static void add_amount(struct strbuf *out, u64 v, bool is_signed, const char *unit)
{
	if (unit)
		people_text(out, number_of(v, is_signed), unit);
	else
		text_add_grouped(out, v, is_signed);
}

/* All digits of a key, so that no two rows look the same. */
static void add_exact(struct strbuf *out, u64 v, const struct result_column *c)
{
	text_add_grouped(out, v, c->is_signed);
	strbuf_addf(out, " %s", c->unit);
}

/* A number of a key without a unit is a name, such as that of a port: its digits are not grouped.
 */
static void add_number(struct strbuf *out, const struct result_column *c, u64 v)
{
	const bool plain = c->role == RESULT_KEY && c->type == RESULT_NUMBER && !c->unit;
	const u64 per_s = !c->unit                 ? 0
			  : !strcmp(c->unit, "ns") ? 1000000000
			  : !strcmp(c->unit, "us") ? 1000000
						   : 0;

	/* three digits do not tell times of a clock apart */
	if (per_s && !strncmp(c->name, "common_timestamp", strlen("common_timestamp")))
		strbuf_addf(out, "%llu.%0*llu s", v / per_s, per_s == 1000000 ? 6 : 9, (v % per_s));
	else if (!c->unit && !c->is_signed && number_is_address(c->name))
		strbuf_addhex(out, v);
	else if (plain || number_is_id(c->name))
		text_add_number(out, v, c->is_signed);
	else if (c->role == RESULT_KEY && c->type == RESULT_NUMBER)
		add_exact(out, v, c);
	else
		add_amount(out, v, c->is_signed, c->unit);
}

static void add_stack(const struct answer *a, const struct result_cell *cell, struct strbuf *out)
{
	const size_t n = a->text ? min_t(size_t, cell->n_frames, 1) : cell->n_frames;

	if (!n)
		strbuf_addstr(out, "[no stack]");
	for (size_t i = 0; i < n; i++) {
		strbuf_addstr(out, i ? " < " : "");
		answer_add_visible(out, cell->frames[i]->symbol);
	}
}

static void add_range(struct strbuf *out, const struct result_column *c,
		      const struct result_cell *cell)
{
	if (c->is_signed && is_least(cell->num, true)) {
		strbuf_addstr(out, "below ");
		add_number(out, c, cell->max + 1);
		return;
	}
	add_number(out, c, cell->num);
	if (is_greatest(cell->max, c->is_signed)) {
		strbuf_addstr(out, " and above");
		return;
	}
	strbuf_addstr(out, " to ");
	add_number(out, c, cell->max);
}

void answer_add_cell(struct answer *a, const struct answer_column *column,
		     const struct result_row *row, struct strbuf *out)
{
	const struct result_column *c = &a->r->columns[column->at];
	const struct result_cell *cell = &row->cells[column->at];
	const u64 whole = result_is_part(c) ? whole_of(a, column, row) : 0;
	struct strbuf text = STRBUF_INIT;

	if (cell->absent)
		return;
	if (c->type == RESULT_STACK) {
		add_stack(a, cell, out);
	} else if (has_modifier(c, "graph")) {
		add_bar(out, cell->num, whole, BAR_WIDTH / 2);
	} else if (has_modifier(c, "mean")) {
		strbuf_addf(out, "%.2f", whole ? (double)cell->num / (double)whole : 0);
	} else if (result_is_part(c)) {
		strbuf_addf(out, "%.2f %%", whole ? (double)cell->num / (double)whole * 100 : 0);
	} else if (c->type == RESULT_RANGE && cell->max != cell->num) {
		add_range(out, c, cell);
	} else if (c->type == RESULT_RANGE ||
		   (c->type == RESULT_NUMBER && !c->has_label && !has_modifier(c, "hex"))) {
		add_number(out, c, cell->num);
	} else {
		cell_add_text(&text, c, cell);
		answer_add_visible(out, strbuf_span(&text));
		out->failed |= text.failed;
		strbuf_release(&text);
	}
}

static void add_stat_number(const struct answer *a, const struct answer_column *column,
			    const struct stat_summary *s, struct strbuf *out)
{
	const char *unit = a->r->stats[column->at].unit;
	const size_t number = column->number;

	if (number == STAT_N) {
		text_add_grouped(out, s->n, false);
	} else if (number == STAT_MEAN || number == STAT_STDDEV) {
		people_text(out, number == STAT_MEAN ? s->mean : s->stddev, unit);
	} else if (s->n) {
		strbuf_addstr(out, number >= STAT_FIRST_QUANTILE && s->rounded ? "~" : "");
		add_amount(out, stat_range(s, number).min, s->is_signed, unit);
	}
}

/* --- rows --- */

/* Whether a key has the name of this value, which is its total. */
static bool is_total_of_key(const struct result *r, const struct result_column *c)
{
	return c->role == RESULT_VALUE && !c->unit &&
	       any_of(i, r->n_keys, !strcmp(r->columns[i].name, c->name));
}

void answer_header(struct answer *a)
{
	array_each(const struct answer_column, column, &a->columns) {
		struct strbuf *out = table_cell(&a->table);

		if (column->kind == ANSWER_CELL) {
			const struct result_column *c = &a->r->columns[column->at];

			strbuf_addstr(out, is_total_of_key(a->r, c) ? "total " : "");
			column_title_add(out, c);
		} else if (column->kind == ANSWER_STAT) {
			const struct result_stat *stat = &a->r->stats[column->at];

			/* the p50 of times is that of "total" */
			if (a->several && strcmp(stat->name, stat->unit ?: "") != 0)
				strbuf_addf(out, "%s ", stat->name);
			strbuf_addstr(out, stat_number_name(column->number));
		} else if (column->kind == ANSWER_EXTRA)
			strbuf_addstr(out, a->options->extra->columns[column->at].title);
		table_end_cell(&a->table);
	}
	table_end_row(&a->table);
}

/* A cell of all rows together. */
static void add_all(const struct answer *a, const struct answer_column *column, struct strbuf *out)
{
	if (column == a->columns.v)
		strbuf_addstr(out, "(all)");
	else if (column->kind == ANSWER_CELL && column->at == a->r->n_keys)
		text_add_grouped(out, a->r->hits, false);
	else if (column->summed)
		add_number(out, &a->r->columns[column->at], column->total);
}

int answer_row(struct answer *a, const struct result_row *row)
{
	struct stat_summary s = { .n = 0 };
	size_t of = SIZE_MAX;
	int err = 0;

	table_drop_rows(&a->table);
	array_each_while(const struct answer_column, column, &a->columns, !err) {
		const size_t at = column->at;
		struct strbuf *out = table_cell(&a->table);

		if (column->kind == ANSWER_EXTRA)
			a->options->extra->add(a->options->extra->arg, row, at, out);
		else if (!row)
			add_all(a, column, out);
		else if (column->kind == ANSWER_CELL)
			answer_add_cell(a, column, row, out);
		else if (column->kind == ANSWER_BAR)
			add_bar(out, row->cells[at].num, column->total, BAR_WIDTH);
		if (column->kind == ANSWER_STAT && at != of) {
			of = at;
			err = stat_summarise(row ? row->sketches[of] : a->r->stats[of].all, NULL,
					     &s);
		}
		if (column->kind == ANSWER_STAT && !err)
			add_stat_number(a, column, &s, out);
		table_end_cell(&a->table);
	}
	table_end_row(&a->table);
	return err;
}

void answer_release(struct answer *a)
{
	table_release(&a->table);
	array_release(&a->columns);
	indexed_release(&a->shares);
	arena_release(&a->arena);
}

/* report --around and why --at accept this form of time and CPU. */
void answer_add_exemplar(const struct answer *a, const struct exemplar *e, struct strbuf *out)
{
	const struct result *r = a->r;

	add_amount(out, e->value, r->exemplars->is_signed, r->exemplars->unit);
	strbuf_addstr(out, " at ");
	text_add_time(out, e->at, r->info->clock_counts);
	strbuf_addf(out, ",%u  ", e->cpu);
	answer_add_visible(out, (struct span){ e->comm, strnlen(e->comm, sizeof(e->comm)) });
	strbuf_addf(out, "-%d", e->pid);
	if (e->file && r->info->n_files > 1)
		strbuf_addf(out, "  in %s", e->file);
}

/* --- around the table --- */

/* "2. sched:sched_switch by next_comm if next_pid != 0"; of a slice "FROM to TO: ..." */
void print_answer_title(const struct result *r, const struct format_options *o, struct strbuf *out)
{
	static const char name[] = "hist:name=";
	const char *filter = strstr(r->trigger, " if ");

	if (o->number)
		strbuf_addf(out, "%zu. ", o->number);
	/* a slice of time, as --from and --to take it */
	if (o->sliced) {
		text_add_time(out, r->from, r->info->clock_counts);
		strbuf_addstr(out, " to ");
		text_add_time(out, r->to, r->info->clock_counts);
		strbuf_addstr(out, ": ");
	}
	if (r->instance)
		strbuf_addf(out, "%s: ", r->instance);
	/* several events share a named histogram */
	if (!strncmp(r->trigger, name, strlen(name)))
		strbuf_add(out, r->trigger + strlen(name), strcspn(r->trigger + strlen(name), ":"));
	else
		strbuf_addstr(out, r->event);
	strbuf_addstr(out, " by ");
	for (size_t i = 0; i < r->n_keys; i++) {
		strbuf_addstr(out, i ? ", " : "");
		column_title_add(out, &r->columns[i]);
	}
	/* a question has its own words for what it counts */
	if (filter && !(o->title && *o->title))
		strbuf_addstr(out, filter);
	if (r->paused)
		strbuf_addstr(out, " (paused)");
}

void answer_add_totals(const struct result *r, struct strbuf *out)
{
	const size_t rows = r->n_rows + r->left_out;

	text_add_grouped(out, r->hits, false);
	strbuf_addf(out, " hit%s in ", plural(r->hits));
	text_add_grouped(out, rows, false);
	strbuf_addf(out, " row%s", plural(rows));
	if (r->drops) {
		strbuf_addstr(out, ", ");
		text_add_grouped(out, r->drops, false);
		strbuf_addstr(out, " dropped");
	}
	strbuf_addch(out, '\n');
}

/* "NAME: min 1, p50 2 to 3, ..." */
int answer_add_key_stats(const struct result *r, size_t width, struct strbuf *out)
{
	int err = 0;

	for (size_t i = r->n_row_stats; i < r->n_stats && !err; i++) {
		const struct result_column *c = &r->columns[r->stats[i].column];
		const size_t start = out->len;
		struct stat_summary s;

		err = stat_summarise(r->stats[i].all, r->stats[i].all_max, &s);
		if (err || !s.n || number_is_id(c->name) || c->has_label)
			continue;
		column_title_add(out, c);
		for (size_t number = STAT_MIN; number < STAT_NUMBERS; number++) {
			struct sketch_range v;

			if (number == STAT_STDDEV || number == STAT_MEAN)
				continue;
			v = stat_range(&s, number);
			strbuf_addf(out, "%s %s ", number == STAT_MIN ? ":" : ",",
				    stat_number_name(number));
			people_text(out, number_of(v.min, s.is_signed), c->unit);
			if (s.is_range && v.max != v.min) {
				strbuf_addstr(out, " to ");
				people_text(out, number_of(v.max, s.is_signed), c->unit);
			}
		}
		text_wrap(out, start, 0, width, 4);
	}
	return err;
}
