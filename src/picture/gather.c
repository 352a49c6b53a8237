// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Collects copies of results, which are valid only during the call; slices of one histogram are
 * collected in one group.
 *
 * Memory grows with the rows. At most GATHER_MAX_ROWS are stored; further rows are counted.
 */
#include <math.h>
#include <stdlib.h>

#include "picture/gather.h"
#include "result/store.h"

/* --- a new group --- */

static struct pic_group *new_group(struct gather *g, const struct result *r)
{
	const size_t sort = r->n_sort ? r->sort[0].column : 0;
	const bool by_value = sort >= r->n_keys && sort < r->n_keys + r->n_values;
	struct pic_group *group = arena_alloc(&g->arena, sizeof(*group));

	if (!group || array_push(&g->groups, group))
		return NULL;
	group->s = stored_like(r);
	group->r = group->s ? &group->s->result : NULL;
	group->sort_value = by_value ? sort : r->n_keys;
	group->by_value = by_value;
	if (r->exemplars)
		group->exemplars = exemplar_row_in(&g->arena, r->exemplars->max);
	return group->s && !g->arena.failed ? group : NULL;
}

/* Find the group of an earlier slice of the same histogram; a histogram occurs once per slice. */
static struct pic_group *find_group(const struct gather *g, const struct result *r)
{
	for (size_t i = 0; i < g->groups.n; i++) {
		struct pic_group *group = g->groups.v[i];

		if (group->sliced && group->slices.v[group->slices.n - 1].from != r->from &&
		    !strcmp(group->r->event, r->event) && !strcmp(group->r->trigger, r->trigger) &&
		    !strcmp(group->r->instance ?: "", r->instance ?: ""))
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

static int keep_row(struct gather *g, struct pic_group *group, const struct result *r,
		    const struct result_row *row, struct strbuf *text)
{
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
		else
			cell_add_text(text, &r->columns[i], from);
		cell->text.s = arena_strndup(&g->arena, text->s, text->len);
		cell->text.n = text->len;
		if (text->failed || !cell->text.s)
			err = HIST_NOMEM;
	}
	err = err ?: keep_exemplars(g, row->exemplars, &to.exemplars);
	return err ? err : array_push(&group->rows, to);
}

static int keep_rows(struct gather *g, struct pic_group *group, const struct result *r)
{
	struct strbuf text = STRBUF_INIT;
	struct result_row row;
	int err = 0;

	for (size_t i = 0; i < r->n_rows && !err; i++) {
		if (g->n_rows == GATHER_MAX_ROWS) {
			group->left_out += r->n_rows - i;
			break;
		}
		g->n_rows++;
		r->row(r, i, &row);
		err = keep_row(g, group, r, &row, &text);
	}
	strbuf_release(&text);
	return err;
}

/* Store statistics; of ranges the upper ends, with the least lower end and their mean. */
static int keep_stats(struct pic_group *group, const struct result *r)
{
	struct stat_summary s;
	int err = 0;

	for (size_t i = 0; i < r->n_stats && !err; i++) {
		const struct result_stat *from = &r->stats[i];

		err = stat_summarise(from->all_max ?: from->all, NULL, &s);
		if (from->all_max) {
			s.min.min = from->all->min;
			s.mean = sketch_mean(from->all);
			s.stddev = (double)NAN;
		}
		err = err ?: array_push(&group->stats, s);
	}
	return err;
}

/* --- adding a result --- */

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

	if (!group)
		group = new_group(g, r);
	if (!group)
		return HIST_NOMEM;
	group->sliced = options->sliced;
	group->s->info.caveats = arena_strdup(&g->arena, r->info->caveats);
	err = array_push(&group->slices, slice);
	if (!group->sliced) /* slices would need a set of statistics each */
		err = err ?: keep_stats(group, r);
	if (group->exemplars && r->exemplars)
		err = err ?: keep_exemplars(g, r->exemplars->all, &all);
	if (!err && all)
		exemplar_row_merge(group->exemplars, all, r->exemplars->is_signed);
	err = err ?: keep_rows(g, group, r);
	return err || !g->arena.failed ? err : HIST_NOMEM;
}

void gather_release(struct gather *g)
{
	for (size_t i = 0; i < g->groups.n; i++) {
		stored_free(g->groups.v[i]->s);
		array_release(&g->groups.v[i]->slices);
		array_release(&g->groups.v[i]->rows);
		array_release(&g->groups.v[i]->stats);
	}
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

double cell_number(const struct result_column *column, const struct pic_cell *cell)
{
	return column->is_signed ? (double)(s64)cell->num : (double)cell->num;
}

void time_add(struct strbuf *out, const struct pic_group *group, u64 ts)
{
	if (group->r->info->clock_counts)
		strbuf_addf(out, "%llu", (unsigned long long)ts);
	else
		strbuf_addf(out, "%.6f s", (double)ts / 1e9);
}
