// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the results that belong together, and checks that they can be merged: the same trigger on
 * the same event, with the same columns and clock. Mismatches are reported by name.
 */
#include "saved/merged.h"

/* --- one histogram --- */

/* The tracked column that decides what save() stores, from the trigger's actions. */
static size_t find_save_track(const struct result *r, size_t n_tracks)
{
	const char *at = r->trigger;
	size_t track = 0;

	while ((at = strstr(at, ":on")) && track < n_tracks) {
		const char *word = strstr(at, ").");

		at += 3;
		if (!word || (strncmp(at, "max(", 4) != 0 && strncmp(at, "change(", 7) != 0) ||
		    !strncmp(word, ").snapshot(", 11))
			continue;
		if (!strncmp(word, ").save(", 7))
			return track;
		track++;
	}
	return n_tracks;
}

static void merged_free(struct merged *g)
{
	if (!g)
		return;
	stored_free(g->s);
	free(g->exemplars);
	hash_release(&g->by_keys);
	indexed_release(&g->parts);
	array_release(&g->files);
	array_release(&g->versions);
	array_release(&g->unames);
	array_release(&g->kernels);
	array_release(&g->limits);
	indexed_release(&g->carries);
	free(g->saturated);
	strbuf_release(&g->caveats);
	free(g);
}

/* An empty sum for results like @like, or NULL. */
static struct merged *merged_new(const struct result *like, const char *name)
{
	struct merged *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->first = name;
	g->caveats = (struct strbuf)STRBUF_INIT;
	g->s = stored_like(like);
	if (!g->s || stored_begin_rows(g->s, 0) ||
	    !(g->saturated = calloc(like->n_columns + 1, sizeof(*g->saturated)))) {
		merged_free(g);
		return NULL;
	}
	g->n_tracks = result_tracks(&g->s->result);
	g->save_track = find_save_track(&g->s->result, g->n_tracks);
	return g;
}

/* --- compatibility --- */

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Whether both have the same trigger on the same event. */
static bool merged_is_like(const struct merged *g, const struct result *r)
{
	const struct result *sum = &g->s->result;

	return same(sum->event, r->event) && same(sum->instance, r->instance) &&
	       same(sum->trigger, r->trigger);
}

/* Results of hist 0.1 do not contain the units of synthetic events. */
static bool may_be_same_unit(const char *a, const char *b)
{
	return !a || !b || !strcmp(a, b);
}

static bool same_column(const struct result_column *a, const struct result_column *b)
{
	return a->role == b->role && a->type == b->type && a->is_signed == b->is_signed &&
	       a->has_label == b->has_label && a->hidden == b->hidden && a->tracked == b->tracked &&
	       same(a->name, b->name) && same(a->modifier, b->modifier) &&
	       may_be_same_unit(a->unit, b->unit);
}

/* The reason why they cannot be added nevertheless; NULL if they can. */
static const char *merged_differs(const struct merged *g, const struct result *r,
				  struct strbuf *why)
{
	const struct result *sum = &g->s->result;
	bool alike;

	if (!same(sum->info->clock, r->info->clock)) {
		strbuf_addf(why, "the clock is %s, not %s", r->info->clock, sum->info->clock);
		return why->s;
	}
	if ((sum->rules == RESULT_EXACT) != (r->rules == RESULT_EXACT)) {
		strbuf_addf(why,
			    "only %s was counted by the exact rules, which are those of recipes, "
			    "--by and --sql; report the other one again, or choose the rules of "
			    "both with --kernel=recording or --kernel=exact",
			    r->rules == RESULT_EXACT ? "the second" : "the first");
		return why->s;
	}
	if (sum->n_columns != r->n_columns || sum->n_keys != r->n_keys ||
	    sum->n_values != r->n_values)
		return "its columns differ; were both labelled?";
	for (size_t i = 0; i < r->n_columns; i++)
		if (!same_column(&sum->columns[i], &r->columns[i])) {
			strbuf_addf(why, "the column %s is different", r->columns[i].name);
			return why->s;
		}
	/* the sort keys are those of the trigger, so they differ only if a result was changed */
	alike = sum->n_sort == r->n_sort;
	for (size_t i = 0; i < r->n_sort && alike; i++)
		alike = sum->sort[i].column == r->sort[i].column &&
			sum->sort[i].descending == r->sort[i].descending;
	if (!alike)
		return "its rows are sorted differently";
	alike = sum->n_stats == r->n_stats && sum->n_row_stats == r->n_row_stats;
	for (size_t i = 0; i < r->n_stats && alike; i++)
		alike = sum->stats[i].is_signed == r->stats[i].is_signed &&
			sum->stats[i].column == r->stats[i].column &&
			same(sum->stats[i].name, r->stats[i].name) &&
			may_be_same_unit(sum->stats[i].unit, r->stats[i].unit);
	if (!alike)
		return "only one of them has these statistics; give --stats to both reports, or to none";
	return NULL;
}

/* --- many --- */

static struct merged *find_like(const struct result_merge *m, const struct result *r, size_t *at)
{
	for (*at = 0; *at < m->list.n; ++*at)
		if (merged_is_like(m->list.v[*at], r))
			return m->list.v[*at];
	return NULL;
}

static int check_labels(const struct result *r, const struct merge_input *in, struct diags *diags)
{
	for (size_t i = 0; i < in->n_labels; i++)
		for (size_t c = 0; c < r->n_keys; c++)
			if (!strcmp(in->labels[i].name, r->columns[c].name))
				return diags_error(
					diags, -HIST_EINVAL,
					"%s already has a key %s; choose another name for the label",
					in->name, in->labels[i].name);
	if (r->n_columns + in->n_labels > SAVED_COLUMNS_MAX)
		return diags_error(diags, -HIST_ELIMIT, "%s: too many columns", in->name);
	return 0;
}

/*
 * Each result knows the N largest of its rows, so of the sum only as many are known as the smallest
 * N. What only some of the results have is left out of the sum, and this is reported once. Results
 * of hist 0.1 do not know all units.
 */
static int begin_exemplars(struct merged *g, const char *name, const struct result *r,
			   struct diags *diags)
{
	struct result_exemplars *own = &g->s->exemplars;
	const struct result_exemplars *from = r->exemplars;
	bool known = g->s->result.exemplars, lost = !known && from;

	free(g->exemplars);
	g->exemplars = NULL;
	if (known && (!from || strcmp(own->name, from->name) || own->is_signed != from->is_signed ||
		      !may_be_same_unit(own->unit, from->unit))) {
		g->s->result.exemplars = NULL;
		lost = true;
	}
	if (lost && !g->lost_exemplars)
		diags_add(diags, DIAG_NOTE,
			  "%s: the exemplars are left out: %s and %s do not both have them for the "
			  "same number; give the same --exemplars to all reports",
			  r->event, g->first, name);
	g->lost_exemplars |= lost;
	if (lost || !known)
		return 0;
	g->exemplars = exemplar_row_new(from->max);
	own->max = min_t(u32, own->max, from->max);
	if (!own->unit) /* a unit that only later results know is that of the sum */
		own->unit = arena_strdup(&g->s->arena, from->unit);
	return g->exemplars && !exemplar_copier_init(&g->copier, &g->s->arena, r->info) &&
			       !g->s->arena.failed
		       ? 0
		       : HIST_NOMEM;
}

static int add_to(struct result_merge *m, const struct merge_input *in, const struct result *r,
		  struct diags *diags)
{
	const char *name = in->name;
	scoped(strbuf_release) struct strbuf why = STRBUF_INIT;
	const char *differs = NULL;
	struct merged *g;
	size_t at;
	int err = 0;

	g = find_like(m, r, &at);
	if (!g && m->n_added) {
		/* the triggers of this event that exist instead of the missing one */
		for (size_t i = 0; i < m->list.n; i++) {
			const struct result *sum = &m->list.v[i]->s->result;

			if (same(sum->event, r->event) && same(sum->instance, r->instance))
				return diags_error(
					diags, -HIST_EINVAL,
					"%s: the trigger of %s is %s, but in %s it is %s", name,
					r->event, r->trigger, m->list.v[i]->first, sum->trigger);
		}
		return diags_error(diags, -HIST_EINVAL, "%s has a histogram of %s, but %s has none",
				   name, r->event, m->first);
	}
	if (!g) {
		g = merged_new(r, m->first);
		if (!g || array_push(&m->list, g)) {
			merged_free(g);
			return HIST_NOMEM;
		}
	}
	differs = merged_differs(g, r, &why);
	if (differs)
		err = diags_error(diags, -HIST_EINVAL, "%s and %s cannot be merged: %s: %s",
				  g->first, name, r->event, differs);
	else
		err = merged_check_selection(g, in, r, diags);
	/* if only newer results have a unit, the sum gets it, whatever their order */
	for (size_t i = 0; i < r->n_columns && !err; i++)
		if (!g->s->columns[i].unit)
			g->s->columns[i].unit = arena_strdup(&g->s->arena, r->columns[i].unit);
	for (size_t i = 0; i < r->n_stats && !err; i++)
		if (!g->s->stats[i].unit)
			g->s->stats[i].unit = arena_strdup(&g->s->arena, r->stats[i].unit);
	err = err ?: (g->s->arena.failed ? HIST_NOMEM : 0);
	err = err ?: begin_exemplars(g, name, r, diags);
	err = err ?: merged_add(g, r);
	g->added = m->n_added + 1;
	return err;
}

/* Check that all histograms of the first result are also in the others. */
static int check_all(const struct result_merge *m, const char *name, struct diags *diags)
{
	for (size_t i = 0; i < m->list.n; i++)
		if (m->list.v[i]->added != m->n_added)
			return diags_error(diags, -HIST_EINVAL,
					   "%s has no histogram of %s with %s, but %s has", name,
					   m->list.v[i]->s->result.event,
					   m->list.v[i]->s->result.trigger, m->first);
	return 0;
}

int merge_add(struct result_merge *m, const struct merge_input *in, const saved_array *results,
	      struct diags *diags)
{
	size_t next = 0, at;
	int err = 0;

	if (!results->n)
		return diags_error(diags, -HIST_EFORMAT, "%s: contains no result", in->name);
	if (!m->first)
		m->first = arena_strdup(&m->arena, in->name);
	if (!m->first)
		return HIST_NOMEM;
	for (size_t i = 0; i < results->n && !err; i++) {
		const struct result *r = &results->v[i]->result;
		struct result *labelled = NULL;

		err = check_labels(r, in, diags);
		err = err ?: labelled_new(r, in->labels, in->n_labels, &labelled);
		err = err ?: add_to(m, in, labelled, diags);
		labelled_free(labelled);
		if (err || !find_like(m, r, &at))
			continue;
		/* slices of time repeat all of them */
		m->out_of_order |= at > next;
		next = max_t(size_t, next, at + 1);
	}
	m->n_added++;
	return err ? err : check_all(m, in->name, diags);
}

/* --- the end --- */

static int cmp_results(const void *a, const void *b)
{
	const struct result *ra = *(const struct result *const *)a,
			    *rb = *(const struct result *const *)b;
	int ret = strcmp(ra->instance ? ra->instance : "", rb->instance ? rb->instance : "");

	if (!ret)
		ret = strcmp(ra->event, rb->event);
	return ret ? ret : strcmp(ra->trigger, rb->trigger);
}

int merge_end(struct result_merge *m)
{
	int err = 0;

	for (size_t i = 0; i < m->list.n && !err; i++) {
		err = merged_end(m->list.v[i]);
		err = err ?: array_push(&m->results, &m->list.v[i]->s->result);
	}
	if (m->out_of_order && m->results.n)
		qsort(m->results.v, m->results.n, sizeof(*m->results.v), cmp_results);
	return err;
}

void merge_release(struct result_merge *m)
{
	for (size_t i = 0; i < m->list.n; i++)
		merged_free(m->list.v[i]);
	array_release(&m->list);
	array_release(&m->results);
	arena_release(&m->arena);
}
