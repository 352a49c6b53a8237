// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Collects the rows of all runs, for each selected histogram.
 *
 * Histograms of a recording are passed on in memory, at the point at which a format would print
 * them.
 */
#include "diff/diff.h"
#include "diff/order_stats.h"
#include "hist-ask.h"
#include "tracefs/tracefs.h"
#include "saved/saved.h"

/* --- options --- */

static int parse_units(struct hist_diff *d, struct diags *diags)
{
	d->units = arena_alloc(&d->arena, (d->options.n_units + 1) * sizeof(*d->units));
	if (!d->units)
		return HIST_NOMEM;
	for (size_t i = 0; i < d->options.n_units; i++) {
		struct span unit = span_of(d->options.units[i]), name = span_sep(&unit, "=");

		if (!unit.s || !name.n || !people_unit(unit.s))
			return diags_error(diags, -HIST_EINVAL,
					   "--unit '%s': write NAME=ns, NAME=us, NAME=ms or NAME=s",
					   d->options.units[i]);
		d->units[i] = (struct unit){ .name = arena_strndup(&d->arena, name.s, name.n),
					     .unit = unit.s };
		if (!d->units[i].name)
			return HIST_NOMEM;
	}
	return 0;
}

static int parse_fail_on(struct hist_diff *d, struct diags *diags)
{
	int err = 0;

	d->options.stats |=
		any_of(i, d->options.n_fail_on, strchr(d->options.fail_on[i], '.') != NULL);
	d->fail_on.v = arena_alloc(&d->arena, (d->options.n_fail_on + 1) * sizeof(*d->fail_on.v));
	if (!d->fail_on.v)
		return HIST_NOMEM;
	d->fail_on.n = d->options.n_fail_on;
	for (size_t i = 0; i < d->fail_on.n && !err; i++)
		err = fail_on_parse(d->options.fail_on[i], &d->fail_on.v[i], &d->arena, diags);
	return err;
}

/* "before" and "after", or a letter if there are more sides. */
static const char *default_label(struct hist_diff *d, size_t side)
{
	if (d->n_sides == 2)
		return side ? "after" : "before";
	return side < 26 ? arena_printf(&d->arena, "%c", (char)('A' + side))
			 : arena_printf(&d->arena, "side %zu", side + 1);
}

static int count_sides(struct hist_diff *d)
{
	const struct hist_diff_options *o = &d->options;

	d->n_sides = o->trend ? 1 : 2 + o->n_more;
	d->sides = arena_alloc(&d->arena, d->n_sides * sizeof(*d->sides));
	d->labels = arena_alloc(&d->arena, d->n_sides * sizeof(*d->labels));
	if (!d->sides || !d->labels)
		return HIST_NOMEM;
	for (size_t i = 0; i < d->n_sides; i++) {
		d->sides[i] = i == 0 ? o->n_before : i == 1 ? o->n_after : o->more[i - 2];
		d->labels[i] = o->labels ? o->labels[i] : default_label(d, i);
		if (!d->labels[i])
			return HIST_NOMEM;
		d->n_runs += d->sides[i];
	}
	d->names = arena_alloc(&d->arena, d->n_runs * sizeof(*d->names));
	return d->names ? 0 : HIST_NOMEM;
}

static int parse_options(struct hist_diff *d, struct diags *diags)
{
	static const char *const orders[] = { "delta", "percent", "before", "after", "key" };
	struct hist_diff_options *o = &d->options;
	u64 number;
	int err = 0;

	if (!o->n_before || (!o->n_after && !o->trend))
		return diags_error(diags, -HIST_EINVAL, "two sides are needed: BEFORE and AFTER");
	/* the histograms of two sides can be in another order: those of a comparison are numbered
	 */
	if (o->show && span_u64(span_of(o->show), &number)) {
		o->show = NULL;
		d->chosen = number;
		d->all_tables = !number;
	}
	if (o->alpha <= 0)
		o->alpha = 0.03;
	/* medians are steadier than sums, and runs that are tested are worth it */
	o->stats |= !o->trend && o->n_before >= DIFF_RUNS_TESTED && o->n_after >= DIFF_RUNS_TESTED;
	/* --sort p99: by the changes of this number */
	if (o->sort && !any_of(i, ARRAY_SIZE(orders), !strcmp(o->sort, orders[i]))) {
		hist_diff_metric(d, o->sort);
		d->sorted = o->sort;
		o->sort = NULL;
	}
	if (!err && o->format && !diff_printer_find(o->format)) {
		scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

		diff_printer_names(&names);
		diags_error(diags, 0, "--format takes one of %s, not '%s'", names.s, o->format);
		err = -HIST_EINVAL;
	}
	err = err ?: parse_units(d, diags);
	err = err ?: parse_fail_on(d, diags);
	return err ? err : count_sides(d);
}

int hist_diff_new(const struct hist_diff_options *options, struct hist_diff **out,
		  struct diags *diags)
{
	struct hist_diff *d = calloc(1, sizeof(*d));
	int err = HIST_NOMEM;

	*out = NULL;
	if (d) {
		d->options = *options;
		err = parse_options(d, diags);
	}
	if (err)
		hist_diff_free(d);
	else
		*out = d;
	return err;
}

void hist_diff_free(struct hist_diff *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < d->all.n; i++) {
		meter_release(&d->all.v[i].meter);
		array_release(&d->all.v[i].doubts);
		array_release(&d->all.v[i].evidence.found);
		free(d->all.v[i].evidence.p);
		free(d->all.v[i].evidence.changed);
	}
	array_release(&d->all);
	for (size_t i = 0; i < d->joins.n; i++)
		join_free(d->joins.v[i]);
	array_release(&d->joins);
	array_release(&d->verdict.checks);
	arena_release(&d->arena);
	free(d);
}

void hist_diff_metric(struct hist_diff *d, const char *name)
{
	static const char *const quantiles[] = { "n",   "min", "max", "mean",
						 "p50", "p90", "p99", "p99.9" };

	d->metric = name;
	/* "p90" or "us.p90" need distributions */
	d->options.stats |= strchr(name, '.') != NULL;
	d->options.stats |= any_of(i, ARRAY_SIZE(quantiles), !strcmp(name, quantiles[i]));
}

int hist_diff_start_run(struct hist_diff *d, size_t run, const char *name, struct diags *diags)
{
	if (run >= d->n_runs)
		return diags_error(diags, -HIST_EINVAL, "there is no run %zu, only %zu", run,
				   d->n_runs);
	d->run = run;
	d->names[run] = arena_strdup(&d->arena, name);
	return d->names[run] ? 0 : HIST_NOMEM;
}

/* --- a histogram of a run --- */

static int new_join(struct hist_diff *d, const struct result *r, struct join **join)
{
	const struct join_options options = { .drop_keys = d->options.drop_keys,
					      .n_drop_keys = d->options.n_drop_keys,
					      .sides = d->sides,
					      .n_sides = d->n_sides };
	int err = join_new(r, &options, join);

	if (err == -HIST_EFORMAT)
		return diags_error(d->diags, err, "%s: a histogram of %s has no hitcount",
				   d->names[d->run], r->event);
	if (err)
		return err;
	err = array_push(&d->joins, *join);
	if (err)
		join_free(*join);
	return err;
}

int diff_add_result(struct hist_diff *d, const struct result *r)
{
	scoped(strbuf_release) struct strbuf meaning = STRBUF_INIT;
	struct join *join = NULL;
	int err = trigger_meaning(r->trigger, &meaning);

	for (size_t i = 0; i < d->joins.n && !err && !join; i++)
		if (!d->joins.v[i]->runs[d->run].added && join_fits(d->joins.v[i], r, meaning.s))
			join = d->joins.v[i];
	if (!join)
		err = err ?: new_join(d, r, &join);
	return err ?: join_add(join, d->run, r, d->diags);
}

/* --- a recording --- */

static void collect(const struct format *format, const struct result *r,
		    const struct format_options *options UNUSED, struct printer *p)
{
	p->err = diff_add_result((struct hist_diff *)format->arg, r);
}

static int drop_text(void *arg UNUSED, const void *data UNUSED, size_t len UNUSED)
{
	return 0;
}

int hist_diff_add_recording(struct hist_diff *d, struct hist *h, const struct hist_script *script,
			    struct diags *diags)
{
	struct hist_run_options options = { .show = d->options.show,
					    .stats = d->options.stats,
					    .exemplars = d->options.exemplars,
					    .exemplars_of = d->options.exemplars_of };
	const struct format format = { .name = "of a comparison", .print = collect, .arg = d };
	const size_t from = diags->list.n;
	int err;

	/* an answer about durations compares their distributions; a saved result may have none */
	if (hist_script_title(script) && !d->saved && !d->options.trend)
		options.stats = true;
	/* as a saved result has them, if the script is its script */
	if (!options.exemplars && d->some_histograms) {
		options.exemplars = d->saved_exemplars;
		options.exemplars_of = d->saved_exemplars_of;
	}
	d->diags = diags;
	directory_of(h)->output.taken = &format;
	err = hist_run(h, script, &options, drop_text, NULL, diags);
	directory_of(h)->output.taken = NULL;
	/* what is left out, is so in this recording */
	for (size_t i = from; i < diags->list.n && err != HIST_NOMEM; i++) {
		struct diag *diag = &diags->list.v[i];

		if (diag->file || diag->level == DIAG_ERROR)
			continue;
		diag->file = arena_strdup(&diags->arena, d->names[d->run]);
		err = diag->file ? err : HIST_NOMEM;
	}
	return err;
}

/* --- a saved result --- */

/* "sched:sched_switch" is selected by sched:sched_switch, sched/sched_switch and sched_switch. */
static bool is_shown(const char *event, const char *show)
{
	struct span name = span_of(event), system = span_sep(&name, ":"), want = span_of(show), of;

	if (!span_chr(want, ':') && !span_chr(want, '/'))
		return span_same(name, want);
	of = span_sep(&want, ":/");
	return span_same(system, of) && span_same(name, want);
}

static int add_list(struct hist_diff *d, const saved_array *list)
{
	const struct result_info *info = &list->v[0]->info;
	struct strbuf script = STRBUF_INIT;
	int err = 0;

	d->saved = true;
	for (size_t i = 0; i < info->n_script && !d->script; i++)
		strbuf_addf(&script, "%s\n", info->script[i]);
	if (!d->script) {
		d->script = arena_take(&d->arena, &script);
		err = d->script ? 0 : HIST_NOMEM;
	}
	for (size_t i = 0; i < list->n && !err; i++) {
		const struct result *r = &list->v[i]->result;

		d->options.stats |= r->n_row_stats > 0;
		if (r->exemplars && !d->saved_exemplars) {
			d->saved_exemplars = r->exemplars->max;
			d->saved_exemplars_of = arena_strdup(&d->arena, r->exemplars->name);
		}
		if (!d->options.show || is_shown(r->event, d->options.show))
			err = diff_add_result(d, r);
	}
	return err;
}

int hist_diff_add_saved(struct hist_diff *d, const char *text, size_t len, struct diags *diags)
{
	const char *name = d->names[d->run];
	scoped(saved_array_release) saved_array list = ARRAY_INIT;
	int err = saved_read(name, (struct span){ text, len }, &list, diags);

	d->diags = diags;
	if (!err && !list.n)
		err = diags_error(
			diags, -HIST_EFORMAT,
			"%s: contains no histogram: save one with hist report --format json", name);
	return err ?: add_list(d, &list);
}

const char *hist_diff_script(struct hist_diff *d)
{
	d->some_histograms = d->script != NULL;
	return d->script;
}
