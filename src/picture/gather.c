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

static const char *keep(struct gather *g, const char *text)
{
	return arena_strdup(&g->arena, text ? text : "");
}

static const char *const *keep_all(struct gather *g, const char *const *texts, size_t n)
{
	const char **copy = arena_alloc(&g->arena, (n + 1) * sizeof(*copy));

	for (size_t i = 0; i < n && copy; i++)
		copy[i] = keep(g, texts[i]);
	return copy;
}

static struct pic_group *new_group(struct gather *g, const struct result *r)
{
	const struct result_info *info = r->info;
	struct pic_group *group = arena_alloc(&g->arena, sizeof(*group));
	size_t sort = r->n_sort ? r->sort[0].column : 0;

	if (!group)
		return NULL;
	*group = (struct pic_group){
		.event = keep(g, r->event),
		.instance = keep(g, r->instance),
		.trigger = keep(g, r->trigger),
		.kernel = keep(g, info->kernel),
		.clock = keep(g, info->clock),
		.uname = keep(g, info->uname),
		.version = keep(g, info->version),
		.files = keep_all(g, info->files, info->n_files),
		.script = keep_all(g, info->script, info->n_script),
		.n_files = info->n_files,
		.n_script = info->n_script,
		.clock_counts = info->clock_counts,
		.unlimited = info->unlimited,
		.inexact = info->inexact,
		.columns = columns_copy(&g->arena, r->columns, r->n_columns),
		.n_columns = r->n_columns,
		.n_keys = r->n_keys,
		.n_values = r->n_values,
		.sort_value = sort >= r->n_keys && sort < r->n_keys + r->n_values ? sort
										  : r->n_keys,
		.by_value = sort >= r->n_keys && sort < r->n_keys + r->n_values,
	};
	return g->arena.failed || array_push(&g->groups, group) ? NULL : group;
}

/* Find the group of an earlier slice of the same histogram; a histogram occurs once per slice. */
static struct pic_group *find_group(const struct gather *g, const struct result *r)
{
	for (size_t i = 0; i < g->groups.n; i++) {
		struct pic_group *group = g->groups.v[i];

		if (group->sliced && group->slices.v[group->slices.n - 1].from != r->from &&
		    !strcmp(group->event, r->event) && !strcmp(group->trigger, r->trigger) &&
		    !strcmp(group->instance, r->instance ? r->instance : ""))
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

/* Those of all rows of all slices. */
static int add_all_exemplars(struct gather *g, struct pic_group *group, const struct result *r)
{
	struct pic_exemplars *of = &group->exemplars;
	const struct exemplar_row *all = NULL;
	int err;

	if (!r->exemplars)
		return 0;
	if (!of->all) {
		of->name = keep(g, r->exemplars->name);
		of->unit = arena_strdup(&g->arena, r->exemplars->unit);
		of->is_signed = r->exemplars->is_signed;
		of->all = exemplar_row_in(&g->arena, r->exemplars->max);
	}
	err = of->name && of->all ? keep_exemplars(g, r->exemplars->all, &all) : HIST_NOMEM;
	if (!err && all)
		exemplar_row_merge(of->all, all, of->is_signed);
	return err;
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

/* --- statistics --- */

static double number(u64 v, bool is_signed)
{
	return is_signed ? (double)(s64)v : (double)v;
}

static int keep_stat(struct gather *g, struct pic_group *group, const struct result_stat *from)
{
	const struct sketch *s = from->all_max ? from->all_max : from->all;
	struct pic_stat to = { .name = keep(g, from->name),
			       .unit = arena_strdup(&g->arena, from->unit),
			       .is_signed = from->is_signed,
			       .n = s->n,
			       .min = s->n ? number(from->all->min, from->is_signed) : (double)NAN,
			       .max = s->n ? number(s->max, from->is_signed) : (double)NAN,
			       .mean = sketch_mean(from->all),
			       .stddev = from->all_max ? (double)NAN : sketch_stddev(s) };
	struct sketch_count *values = NULL;
	size_t n = 0;
	int err = sketch_values(s, &values, &n);

	for (int i = 0; i < STAT_QUANTILES && !err; i++)
		to.quantiles[i] = s->n ? number(sketch_middle(sketch_quantile(
							s, values, n, stat_quantiles[i].permille)),
						from->is_signed)
				       : (double)NAN;
	free(values);
	return err || !to.name ? HIST_NOMEM : array_push(&group->stats, to);
}

/* Store statistics, except for slices, which would need one set each. */
static int keep_stats(struct gather *g, struct pic_group *group, const struct result *r)
{
	int err = 0;

	for (size_t i = 0; i < r->n_stats && !group->sliced && !err; i++)
		err = keep_stat(g, group, &r->stats[i]);
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
	int err;

	if (!group)
		group = new_group(g, r);
	if (!group)
		return HIST_NOMEM;
	group->sliced = options->sliced;
	group->caveats = keep(g, r->info->caveats);
	err = array_push(&group->slices, slice);
	err = err ?: keep_stats(g, group, r);
	err = err ?: add_all_exemplars(g, group, r);
	err = err ?: keep_rows(g, group, r);
	return err || !g->arena.failed ? err : HIST_NOMEM;
}

void gather_release(struct gather *g)
{
	for (size_t i = 0; i < g->groups.n; i++) {
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
	return number(cell->num, column->is_signed);
}

void time_add(struct strbuf *out, const struct pic_group *group, u64 ts)
{
	if (group->clock_counts)
		strbuf_addf(out, "%llu", (unsigned long long)ts);
	else
		strbuf_addf(out, "%.6f s", (double)ts / 1e9);
}
