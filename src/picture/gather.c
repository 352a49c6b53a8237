// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Collects copies of results, which are valid only during the call; slices of one histogram are
 * collected in one group.
 *
 * Memory grows with the rows. Their number is limited: those with the largest value are stored, the
 * others are counted.
 */
#include "picture/gather.h"

/* --- a new group --- */

/* The statistic of the sort value; otherwise the first one with a unit, otherwise the first one. */
static size_t choose_stat(const struct pic_group *group, const struct result *r)
{
	size_t best = 0;

	for (size_t i = r->n_stats; i-- > 0;) {
		if (r->stats[i].unit)
			best = i;
		if (!strcmp(r->stats[i].name, r->columns[group->sort_value].name))
			return i;
	}
	return best;
}

static struct pic_group *new_group(struct gather *g, const struct result *r)
{
	const size_t sort = r->n_sort ? r->sort[0].column : 0;
	const bool by_value = sort >= r->n_keys && sort < r->n_keys + r->n_values;
	struct pic_group *group = arena_alloc(&g->arena, sizeof(*group));

	if (!group)
		return NULL;
	group->s = stored_like(r);
	group->r = group->s ? &group->s->result : NULL;
	group->sort_value = by_value ? sort : r->n_keys;
	group->by_value = by_value;
	if (r->exemplars)
		group->exemplars = exemplar_row_in(&g->arena, r->exemplars->max);
	group->main_stat = choose_stat(group, r);
	if (group->s && !g->arena.failed)
		return group;
	stored_free(group->s);
	return NULL;
}

static bool is_of(const struct pic_group *group, const struct result *r)
{
	return !strcmp(group->r->event, r->event) && !strcmp(group->r->trigger, r->trigger) &&
	       !strcmp(group->r->instance ?: "", r->instance ?: "");
}

/* Find the group of an earlier slice of the same histogram; a histogram occurs once per slice. */
static struct pic_group *find_group(const struct gather *g, const struct result *r)
{
	array_each_ptr(struct pic_group, group, &g->groups) {
		if (group->sliced && group->slices.v[group->slices.n - 1].from != r->from &&
		    is_of(group, r))
			return group;
	}
	return NULL;
}

/* --- exemplars --- */

static int keep_exemplars(struct gather *g, const struct exemplar_row *from,
			  const struct exemplar_row **to)
{
	struct exemplar_copier copier = { .arena = &g->arena };
	struct exemplar_row *row;

	if (!from)
		return 0;
	*to = row = exemplar_row_in(&g->arena, from->n);
	return row ? exemplar_copy(&copier, from, row) : HIST_NOMEM;
}

/* --- rows --- */

static int keep_frames(struct gather *g, struct pic_cell *to, const struct result_cell *cell,
		       struct strbuf *text)
{
	struct span *frames = arena_alloc(&g->arena, (cell->n_frames + 1) * sizeof(*frames));

	if (!frames)
		return HIST_NOMEM;
	strbuf_reset(text);
	for (size_t i = 0; i < cell->n_frames; i++) {
		struct span name = flame_frame_name(&g->arena, cell->frames[i]->symbol);
		struct span *frame = &frames[cell->n_frames - 1 - i];

		frame->s = arena_strndup(&g->arena, name.s, name.n);
		frame->n = name.n;
		if (!frame->s)
			return HIST_NOMEM;
		strbuf_addstr(text, i ? " < " : "");
		strbuf_add(text, name.s, name.n);
	}
	to->frames = frames;
	to->n_frames = cell->n_frames;
	return 0;
}

/* The quantiles of a row, of the main statistic. */
static int keep_quantiles(const struct pic_group *group, const struct result *r,
			  const struct result_row *row, struct pic_row *to)
{
	enum { P50 = 0, P99 = 2 }; /* of stat_quantiles */
	const struct sketch *sketch;
	struct stat_summary s;
	int err;

	to->p50 = to->p99 = to->most = (double)NAN;
	if (group->sliced || group->main_stat >= r->n_row_stats || !row->sketches)
		return 0;
	sketch = row->sketches[group->main_stat];
	if (!sketch || !sketch->n)
		return 0;
	err = stat_summarise(sketch, NULL, &s);
	to->p50 = stat_number(&s, s.quantiles[P50].min);
	to->p99 = stat_number(&s, s.quantiles[P99].min);
	to->most = stat_number(&s, s.max.min);
	return err;
}

static int keep_row(struct gather *g, struct pic_group *group, struct answer *parts,
		    const struct result_row *row, struct strbuf *text)
{
	const struct result *r = group->r;
	struct pic_cell *cells = arena_alloc(&g->arena, (r->n_columns + 1) * sizeof(*cells));
	struct pic_row to = { .slice = group->slices.n - 1, .cells = cells };
	int err = cells ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < r->n_columns && !err; i++) {
		const struct result_cell *from = &row->cells[i];
		struct pic_cell *cell = &cells[i];

		cell->num = from->num;
		cell->max = r->columns[i].type == RESULT_RANGE ? from->max : from->num;
		strbuf_reset(text);
		if (r->columns[i].type == RESULT_STACK)
			err = keep_frames(g, cell, from, text);
		else if (!group->sliced) /* those of slices cannot be added up */
			answer_parts_add(parts, i, row, text);
		if (r->columns[i].type != RESULT_STACK && !text->len)
			cell_add_text(text, &r->columns[i], from);
		cell->text.s = arena_strndup(&g->arena, text->s, text->len);
		cell->text.n = text->len;
		if (text->failed || !cell->text.s)
			err = HIST_NOMEM;
	}
	err = err ?: keep_exemplars(g, row->exemplars, &to.exemplars);
	err = err ?: keep_quantiles(group, r, row, &to);
	return err ? err : array_push(&group->rows, to);
}

/*
 * The least value of the rows that are stored if there is room for @room; *ties: how many of those
 * with exactly this value.
 */
static int find_least(const struct pic_group *group, const struct result *r, size_t room,
		      double *least, size_t *ties)
{
	const size_t sort = group->sort_value;
	scoped(free_scoped) struct rank *ranks = calloc(r->n_rows + 1, sizeof(*ranks));
	struct result_row row;

	if (!ranks)
		return HIST_NOMEM;
	for (size_t i = 0; i < r->n_rows; i++) {
		r->row(r, i, &row);
		ranks[i] = (struct rank){ r->columns[sort].is_signed
						  ? (double)(s64)row.cells[sort].num
						  : (double)row.cells[sort].num,
					  i };
	}
	rank_sort(ranks, r->n_rows);
	*least = room ? ranks[room - 1].by : INFINITY;
	for (*ties = 0; *ties < room && ranks[room - 1 - *ties].by <= *least;)
		++*ties;
	return 0;
}

static int keep_rows(struct gather *g, struct pic_group *group, const struct result *r)
{
	const size_t room = (g->max_rows ?: GATHER_MAX_ROWS) - g->n_rows;
	struct answer *parts = answer_parts_new(r);
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	size_t ties = r->n_rows;
	struct result_row row;
	double least = -INFINITY;
	int err = parts ? 0 : HIST_NOMEM;

	if (!err && r->n_rows > room)
		err = find_least(group, r, room, &least, &ties);
	for (size_t i = 0; i < r->n_rows && !err; i++) {
		const struct result_cell *cell;
		double v;

		r->row(r, i, &row);
		cell = &row.cells[group->sort_value];
		v = r->columns[group->sort_value].is_signed ? (double)(s64)cell->num
							    : (double)cell->num;
		if (v < least || (v == least && !ties)) {
			group->left_out++;
			continue;
		}
		ties -= v == least;
		g->n_rows++;
		err = keep_row(g, group, parts, &row, &text);
	}
	answer_parts_free(parts);
	return err;
}

/* --- statistics --- */

/* Rounded to 6 bits: all values below 64 are exact. */
static u64 rounded(u64 v)
{
	unsigned int bits = v ? 64 - (unsigned int)__builtin_clzll(v) : 0;

	return bits > 6 ? v >> (bits - 6) << (bits - 6) : v;
}

static int keep_dots(struct pic_stat *stat, const struct sketch *from, size_t slice)
{
	scoped(free_scoped) struct sketch_count *values = NULL;
	size_t n = 0;
	int err = sketch_values(from, &values, &n);

	for (size_t i = 0; i < n && !err; i++) {
		const struct pic_dot dot = { slice,
					     from->is_signed ? values[i].value
							     : rounded(values[i].value),
					     values[i].n };
		struct pic_dot *last = stat->dots.n ? &stat->dots.v[stat->dots.n - 1] : NULL;

		if (last && last->slice == slice && last->value == dot.value)
			last->n += dot.n;
		else
			err = array_push(&stat->dots, dot);
	}
	return err;
}

/* Add up statistics over slices. */
static int keep_stats(struct pic_group *group, const struct result *r)
{
	int err = 0;

	for (size_t i = 0; i < r->n_stats && !err; i++) {
		const struct result_stat *from = &r->stats[i];
		struct pic_stat *stat;

		if (i == group->stats.n)
			err = array_push(
				&group->stats,
				((struct pic_stat){ .all = SKETCH_INIT(from->is_signed),
						    .all_max = SKETCH_INIT(from->is_signed),
						    .is_range = from->all_max != NULL }));
		if (err)
			break;
		stat = &group->stats.v[i];
		err = sketch_merge(&stat->all, from->all);
		if (from->all_max)
			err = err ?: sketch_merge(&stat->all_max, from->all_max);
		if (group->sliced)
			err = err
				      ?: keep_dots(stat, from->all_max ?: from->all,
						   group->slices.n - 1);
	}
	return err;
}

/* --- adding a result --- */

/* A slice of a histogram that was already added as a whole. */
static int add_over_time(struct gather *g, const struct result *r, const struct pic_slice *slice)
{
	struct pic_group *whole = NULL, *group;

	for (size_t i = 0; i < g->groups.n && !whole; i++)
		if (is_of(g->groups.v[i], r))
			whole = g->groups.v[i];
	if (!whole)
		return 0;
	group = whole->over_time ?: new_group(g, r);
	if (!group)
		return HIST_NOMEM;
	whole->over_time = group;
	group->from = group_whole(whole).from;
	group->to = group_whole(whole).to;
	group->sliced = true;
	return array_push(&group->slices, *slice) ?: keep_stats(group, r);
}

int gather_add(struct gather *g, const struct result *r, const struct format_options *options)
{
	struct pic_group *group = options->sliced ? find_group(g, r) : NULL;
	const struct pic_slice slice = { .from = r->from,
					 .to = r->to,
					 .hits = r->hits,
					 .drops = add_saturated(r->drops, r->feeding_drops),
					 .lost = r->info->lost_events,
					 .lost_unknown = r->info->lost_unknown };
	const struct exemplar_row *all = NULL;
	int err;

	if (options->over_time)
		return add_over_time(g, r, &slice);
	if (!group) {
		group = array_reserve(&g->groups) ? NULL : new_group(g, r);
		if (!group)
			return HIST_NOMEM;
		(void)array_push(&g->groups, group);
	}
	group->sliced = options->sliced;
	group->sorted = !options->sliced && options->sort && result_has_order(r, options->sort);
	group->top = options->top;
	group->s->info.caveats = arena_strdup(&g->arena, r->info->caveats);
	err = array_push(&group->slices, slice);
	err = err ?: keep_stats(group, r);
	if (group->exemplars && r->exemplars)
		err = err ?: keep_exemplars(g, r->exemplars->all, &all);
	if (!err && all)
		exemplar_row_merge(group->exemplars, all, r->exemplars->is_signed);
	err = err ?: keep_rows(g, group, r);
	group->left_out += r->left_out;
	return err || !g->arena.failed ? err : HIST_NOMEM;
}

static void group_release(struct pic_group *group)
{
	if (!group)
		return;
	group_release(group->over_time);
	stored_free(group->s);
	array_release(&group->slices);
	array_release(&group->rows);
	for (size_t k = 0; k < group->stats.n; k++) {
		sketch_release(&group->stats.v[k].all);
		sketch_release(&group->stats.v[k].all_max);
		array_release(&group->stats.v[k].dots);
	}
	array_release(&group->stats);
}

void gather_release(struct gather *g)
{
	for (size_t i = 0; i < g->groups.n; i++)
		group_release(g->groups.v[i]);
	array_release(&g->groups);
	arena_release(&g->arena);
}

struct pic_slice group_whole(const struct pic_group *group)
{
	struct pic_slice all = group->slices.v[0];

	for (size_t i = 1; i < group->slices.n; i++) {
		const struct pic_slice *s = &group->slices.v[i];

		all.to = s->to;
		all.hits = add_saturated(all.hits, s->hits);
		all.drops = add_saturated(all.drops, s->drops);
		all.lost = add_saturated(all.lost, s->lost);
		all.lost_unknown |= s->lost_unknown;
	}
	return all;
}

/* Of ranges the upper ends, with the least lower end and their mean. */
int pic_stat_summarise(const struct pic_stat *stat, struct stat_summary *s)
{
	int err = stat_summarise(stat->is_range ? &stat->all_max : &stat->all, NULL, s);

	if (stat->is_range) {
		s->min.min = stat->all.min;
		s->mean = sketch_mean(&stat->all);
		s->stddev = (double)NAN;
	}
	return err;
}

double stat_number(const struct stat_summary *s, u64 v)
{
	return !s->n ? (double)NAN : s->is_signed ? (double)(s64)v : (double)v;
}

double cell_number(const struct result_column *column, const struct pic_cell *cell)
{
	return column->is_signed ? (double)(s64)cell->num : (double)cell->num;
}

void time_add(struct strbuf *out, const struct pic_group *group, u64 ts)
{
	if (group->r->info->clock_counts)
		strbuf_addf(out, "%llu", ts);
	else
		strbuf_addf(out, "%.6f s", (double)ts / 1e9);
}

void time_since(struct strbuf *out, const struct pic_group *group, u64 ts)
{
	u64 start = group->slices.v[0].from;

	time_add(out, group, ts > start ? ts - start : 0);
}
