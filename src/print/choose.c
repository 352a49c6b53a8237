// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The rows that are printed: --top and --sort. The only place that chooses rows; every format
 * prints the result that it gets.
 *
 * Of the largest rows, only the numbers of the others remain: totals are those of all rows.
 */
#include "print/print.h"

struct row_view {
	struct result result;
	const struct result *inner;
	struct row_rank *rows;
	struct arena arena; /* for texts of ranks */
};

/* What orders the rows: a column, or a number of a statistic. */
struct row_order {
	size_t column;
	size_t stat; /* of the rows; SIZE_MAX: ->column */
	size_t number;
	bool reversed; /* numbers from the smallest, texts from the last */
};

/* --- what orders them --- */

/* The number @name of the statistic @stat; "p99", or "ns.p99". */
static bool is_number_of(const struct result_stat *stat, const char *name, struct row_order *order)
{
	size_t n = strlen(stat->name);

	if (!strncmp(stat->name, name, n) && name[n] == '.')
		name += n + 1;
	else if (number_is_id(stat->name))
		return false;
	order->number = stat_number_find(name);
	return order->number < STAT_NUMBERS;
}

/* Its name, or that in the header of a text. */
static bool is_named(const struct result_column *c, const char *name, bool by_title)
{
	struct strbuf title = STRBUF_INIT;
	bool is = !by_title && !strcmp(c->name, name);

	if (by_title) {
		column_title_add(&title, c);
		is = title.s && !strcmp(title.s, name);
		strbuf_release(&title);
	}
	return is && c->type != RESULT_STACK;
}

static bool find_column(const struct result *r, const char *name, bool by_title,
			struct row_order *order)
{
	for (size_t i = 0; i < r->n_columns; i++)
		if (is_named(&r->columns[i], name, by_title)) {
			order->column = i;
			return true;
		}
	return false;
}

static bool find_named(const struct result *r, const char *name, struct row_order *order)
{
	if (find_column(r, name, false, order))
		return true;
	for (size_t i = 0; i < r->n_row_stats; i++)
		if (is_number_of(&r->stats[i], name, order)) {
			order->stat = i;
			return true;
		}
	return find_column(r, name, true, order) ||
	       (!strcmp(name, "count") && find_column(r, "hitcount", false, order));
}

static bool is_text_order(const struct result *r, const struct row_order *order)
{
	const struct result_column *c = &r->columns[order->column];

	return order->stat == SIZE_MAX && (c->type == RESULT_TEXT || c->has_label);
}

/* "NAME", "NAME.ascending" or "NAME.descending", as in a trigger. */
static bool find_order(const struct result *r, const char *text, struct row_order *order)
{
	const char *dot = strrchr(text, '.');
	const bool ascending = dot && !strcmp(dot, ".ascending");
	const bool descending = dot && !strcmp(dot, ".descending");
	char name[128];

	*order = (struct row_order){ .stat = SIZE_MAX };
	snprintf(name, sizeof(name), "%.*s",
		 ascending || descending ? (int)(dot - text) : (int)strlen(text), text);
	if (!find_named(r, name, order))
		return false;
	order->reversed = is_text_order(r, order) ? descending : ascending;
	return true;
}

/* Without --sort: the value that sorts the histogram, or hitcount. */
static struct row_order own_order(const struct result *r)
{
	struct row_order order = { .column = r->n_keys, .stat = SIZE_MAX };

	if (r->n_sort && r->sort[0].column >= r->n_keys &&
	    r->sort[0].column < r->n_keys + r->n_values)
		order.column = r->sort[0].column;
	return order;
}

/* --- ranks --- */

static int rank_row(struct row_view *c, const struct row_order *order, size_t at)
{
	struct row_rank *to = &c->rows[at];
	const struct result_column *column = &c->inner->columns[order->column];
	const struct result_cell *cell;
	struct stat_summary s;
	struct result_row row;
	int err = 0;

	*to = (struct row_rank){ .at = at };
	c->inner->row(c->inner, at, &row);
	cell = &row.cells[order->column];
	if (order->stat != SIZE_MAX) {
		err = stat_summarise(row.sketches[order->stat], NULL, &s);
		to->by = err ? 0 : stat_order(&s, order->number);
	} else if (is_text_order(c->inner, order)) {
		to->text = column->type == RESULT_TEXT ? cell->text : cell->label;
		to->text.s = arena_strndup(&c->arena, to->text.s ?: "", to->text.n);
		err = to->text.s ? 0 : HIST_NOMEM;
	} else if (!cell->absent) {
		to->by = column->is_signed ? cell->num ^ (1ull << 63) : cell->num;
	}
	/* rows without the number stay the last */
	if (order->reversed && (order->stat != SIZE_MAX || !cell->absent))
		to->by = ~to->by;
	return err;
}

static void reverse(struct row_rank *rows, size_t n)
{
	for (size_t i = 0; i < n / 2; i++) {
		struct row_rank row = rows[i];

		rows[i] = rows[n - 1 - i];
		rows[n - 1 - i] = row;
	}
}

/* --- the result --- */

static void chosen_row(const struct result *result, size_t i, struct result_row *out)
{
	const struct row_view *c = result->arg;

	c->inner->row(c->inner, c->rows[i].at, out);
}

static void chosen_row_in(const struct result *result, size_t i, const struct row_space *space,
			  struct result_row *out)
{
	const struct row_view *c = result->arg;

	c->inner->row_in(c->inner, c->rows[i].at, space, out);
}

static int choose(struct row_view *c, const struct row_order *order, size_t n, bool in_place)
{
	const size_t all = c->inner->n_rows;
	int err;

	c->result = *c->inner;
	c->rows = calloc(all + 1, sizeof(*c->rows));
	err = c->rows ? 0 : HIST_NOMEM;
	for (size_t i = 0; i < all && !err; i++)
		err = rank_row(c, order, i);
	if (err)
		return err;
	row_rank_sort(c->rows, all);
	if (order->reversed && is_text_order(c->inner, order))
		reverse(c->rows, all);
	if (in_place)
		row_rank_restore(c->rows, n);
	c->result.n_rows = n;
	c->result.left_out = c->inner->left_out + (all - n);
	c->result.whole = c->inner->whole ?: c->inner;
	c->result.row = chosen_row;
	c->result.row_in = c->inner->row_in ? chosen_row_in : NULL;
	c->result.arg = c;
	return 0;
}

int result_choose(const struct result *r, const struct row_choice *choice, struct result **out)
{
	const size_t n = choice->top ? min_t(size_t, choice->top, r->n_rows) : r->n_rows;
	struct row_order order;
	bool sorted = false;
	struct row_view *c;
	int err;

	*out = NULL;
	if (choice->sort)
		sorted = find_order(r, choice->sort, &order);
	if (!sorted)
		order = own_order(r);
	if (!sorted && n == r->n_rows)
		return 0;
	c = calloc(1, sizeof(*c));
	if (!c)
		return HIST_NOMEM;
	c->inner = r;
	/* a distribution stays in the order of its key */
	err = choose(c, &order, n, !sorted && r->n_sort && r->sort[0].column < r->n_keys);
	if (err)
		chosen_free(&c->result);
	else
		*out = &c->result;
	return err;
}

bool result_has_order(const struct result *r, const char *name)
{
	struct row_order order;

	return find_order(r, name, &order);
}

int result_no_order(const char *name, const char *names, struct diags *diags)
{
	scoped(arena_release) struct arena arena = ARENA_INIT;
	scoped(strbuf_release) struct strbuf nearest = STRBUF_INIT;
	struct span rest = span_of(names), word;
	struct near near = NEAR_INIT(name);
	const char *column;

	while ((word = span_trim(span_sep(&rest, ",;"))).n)
		if ((column = arena_strndup(&arena, word.s, word.n)))
			near_offer(&near, column, column);
	near_text(&near, &nearest);
	diag_in_option(diags,
		       diags_add(diags, DIAG_ERROR, "the histogram has no column %s; it has %s",
				 name, names),
		       "--sort", span_of(name), span_of(name));
	if (near.n)
		diags_add(diags, DIAG_NOTE, "nearest: %s", nearest.s);
	return -HIST_EINVAL;
}

void chosen_free(struct result *result)
{
	struct row_view *c;

	if (!result)
		return;
	c = container_of(result, struct row_view, result);
	arena_release(&c->arena);
	free(c->rows);
	free(c);
}
