// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The section of a page for the histograms of an event: the numbers that one asks for, pictures of
 * the values, the worst ones, the tables, and, folded away, how they were counted.
 *
 * The size of a section is limited; omitted parts are counted in it.
 */
#include "picture/gather.h"

/* --- warnings --- */

/* Whether a message at the start of the page reports this, of a recording. */
static bool is_reported(const struct diags *messages, const char *text)
{
	for (size_t i = 0; messages && i < messages->list.n; i++) {
		const char *found = strstr(messages->list.v[i].text, text);

		if (found && (!found[strlen(text)] || found[strlen(text)] == ','))
			return true;
	}
	return false;
}

static void print_warnings(const struct pic_group *g, const struct diags *messages,
			   struct strbuf *out)
{
	const struct pic_slice t = group_whole(g);
	struct span rest;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct caveat c;

	if (t.lost || t.lost_unknown)
		strbuf_addf(out,
			    "<p class=\"warn\">%s%llu events were lost while recording: their "
			    "hits are missing.</p>\n",
			    t.lost_unknown ? "More than " : "", t.lost);
	if (g->r->info->inexact)
		strbuf_addstr(out, "<p class=\"warn\">Inexact: the fields of events were guessed "
				   "from a text.</p>\n");
	rest = span_of(g->r->info->caveats ?: "");
	while (caveat_next(&rest, &c)) {
		strbuf_reset(&text);
		caveat_print(&c, &text);
		if (is_reported(messages, text.s))
			continue;
		strbuf_addstr(out, "<p class=\"warn\">");
		markup_str(out, text.s);
		strbuf_addstr(out, ".</p>\n");
	}
}

/* --- numbers --- */

static void add_tile(struct strbuf *out, const char *name, const char *before, double v,
		     const char *unit)
{
	if (isnan(v))
		return;
	strbuf_addf(out, "<div><dt>%s</dt><dd>%s", name, before);
	people_add(out, v, unit);
	strbuf_addstr(out, "</dd></div>\n");
}

/* Whether the sum of a statistic means something: that of a value, not of a key. */
static bool has_total(const struct pic_group *g, size_t stat)
{
	for (size_t i = g->r->n_keys; i < g->r->n_keys + g->r->n_values; i++)
		if (!strcmp(g->r->columns[i].name, g->r->stats[stat].name))
			return true;
	return false;
}

static int add_stat_tiles(const struct pic_group *g, struct strbuf *out)
{
	const struct result_stat *of = &g->r->stats[g->main_stat];
	struct stat_summary s;
	int err = pic_stat_summarise(&g->stats.v[g->main_stat], &s);

	if (err || !s.n)
		return err;
	if (!s.is_range && has_total(g, g->main_stat))
		add_tile(out, "total", "", s.mean * (double)s.n, of->unit);
	add_tile(out, "mean", s.is_range ? "about " : "", s.mean, of->unit);
	for (size_t q = 0; q < STAT_QUANTILES; q++)
		add_tile(out, stat_quantiles[q].name,
			 g->stats.v[g->main_stat].is_range ? "\u2264 " : "",
			 stat_number(&s, s.quantiles[q].min), of->unit);
	add_tile(out, "max", g->stats.v[g->main_stat].is_range ? "\u2264 " : "",
		 stat_number(&s, s.max.min), of->unit);
	return 0;
}

static int add_bucket_tiles(const struct pic_group *g, const struct buckets *b, struct strbuf *out)
{
	const struct result_column *key = &g->r->columns[b->key];

	for (size_t q = 0; q < STAT_QUANTILES; q++)
		add_tile(out, stat_quantiles[q].name, key->type == RESULT_RANGE ? "\u2264 " : "",
			 buckets_quantile(b, stat_quantiles[q].permille), key->unit);
	return 0;
}

/* Whether a number is a key whose numbers have names, and so no mean. */
static bool is_named(const struct pic_group *g, const char *name)
{
	return any_of(i, g->r->n_keys,
		      !strcmp(g->r->columns[i].name, name) && g->r->columns[i].has_label);
}

/* Whether the statistic of a histogram is about quantities, such as times. */
static bool has_values(const struct pic_group *g)
{
	return g->main_stat < g->stats.n && g->stats.v[g->main_stat].all.n > 0 &&
	       !number_is_id(g->r->stats[g->main_stat].name) &&
	       !is_named(g, g->r->stats[g->main_stat].name);
}

/* Of all histograms, the one that has exact values, otherwise ranges. */
static int print_tiles(const struct page_section *s, struct strbuf *out)
{
	const struct pic_group *g = s->groups[0];
	struct buckets b = { .group = NULL };
	const char *name = NULL, *unit = NULL;
	int err = 0;

	for (size_t i = s->n; i-- > 0;)
		if (has_values(s->groups[i]) &&
		    (!has_values(g) || !s->groups[i]->stats.v[s->groups[i]->main_stat].is_range))
			g = s->groups[i];
	for (size_t i = 0; i < s->n && !err && !has_values(g) && !name; i++) {
		buckets_release(&b);
		b = (struct buckets){ .group = NULL };
		if (s->groups[i]->r->n_keys)
			err = buckets_init(&b, s->groups[i], s->groups[i]->r->n_keys);
		if (!err && b.v.n && buckets_have_quantiles(&b))
			name = s->groups[i]->r->columns[b.key].name;
		if (name)
			unit = s->groups[i]->r->columns[b.key].unit;
	}
	if (has_values(g)) {
		name = g->r->stats[g->main_stat].name;
		unit = g->r->stats[g->main_stat].unit;
	}
	strbuf_addstr(out, "<dl class=\"tiles\">\n");
	add_tile(out, "hits", "", (double)group_whole(s->groups[0]).hits, NULL);
	if (!err && has_values(g))
		err = add_stat_tiles(g, out);
	else if (!err && name)
		err = add_bucket_tiles(b.group, &b, out);
	strbuf_addstr(out, "</dl>\n");
	if (name && value_name(name, unit)) {
		strbuf_addstr(out, "<p class=\"note\">Mean, quantiles and maximum are those of ");
		markup_str(out, name);
		strbuf_addstr(out, ".</p>\n");
	}
	buckets_release(&b);
	return err;
}

/* --- pictures and tables --- */

/*
 * The pictures of values, each once: of the first histogram that has them, from exact ones if
 * possible.
 */
static int print_values(const struct page_section *s, struct strbuf *out)
{
	int err = 0;

	for (size_t i = 0; i < s->n && !err; i++) {
		const struct pic_group *g = s->groups[i];
		const bool exact = has_values(g) && !g->stats.v[g->main_stat].is_range;
		const char *name = exact          ? g->r->stats[g->main_stat].name
				   : g->r->n_keys ? g->r->columns[buckets_key(g)].name
						  : NULL;
		bool drawn = !name;

		drawn |=
			any_of(k, (exact ? i : s->n),
			       k != i && has_values(s->groups[k]) &&
				       !s->groups[k]->stats.v[s->groups[k]->main_stat].is_range &&
				       !strcmp(s->groups[k]->r->stats[s->groups[k]->main_stat].name,
					       name));
		err = page_flame(g, out);
		if (!err && !drawn)
			err = exact ? page_values(g, g->main_stat, out)
				    : page_distribution_of_keys(g, out);
	}
	return err;
}

static void add_number(struct table *t, double v)
{
	if (isfinite(v))
		table_addf(t, "%.6g", v);
	else
		table_add(t, "");
}

static void print_stats(const struct pic_group *g, struct strbuf *out)
{
	static const char *const titles[] = { "of", "n", "min", "max", "mean", "stddev" };
	scoped(table_release) struct table t = TABLE_INIT;

	if (!g->stats.n)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_add(&t, titles[i]);
	for (size_t q = 0; q < STAT_QUANTILES; q++)
		table_add(&t, stat_quantiles[q].name);
	table_end_row(&t);
	for (size_t i = 0; i < g->stats.n; i++) {
		const struct result_stat *stat = &g->r->stats[i];
		struct stat_summary s;

		if (pic_stat_summarise(&g->stats.v[i], &s)) {
			out->failed = true;
			break;
		}
		table_addf(&t, stat->unit ? "%s (%s)" : "%s", stat->name, stat->unit);
		table_addf(&t, "%llu", s.n);
		add_number(&t, stat_number(&s, s.min.min));
		add_number(&t, stat_number(&s, s.max.min));
		add_number(&t, s.mean);
		add_number(&t, s.stddev);
		for (size_t q = 0; q < STAT_QUANTILES; q++)
			add_number(&t, stat_number(&s, s.quantiles[q].min));
		table_end_row(&t);
	}
	table_html(&t, "statistics", NULL, out);
}

/* A heading, what it shows over time, and the rows. */
static int print_table(const struct pic_group *g, size_t number, struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf keys = STRBUF_INIT;
	int err = 0;
	struct pic_slice t;

	keys_add(&keys, g);
	strbuf_addstr(out, "<div class=\"group\">\n<h3>By ");
	markup_add(out, (struct span){ keys.s, keys.len });
	strbuf_addstr(out, "</h3>\n");
	out->failed |= keys.failed;
	t = group_whole(g);
	if (t.drops)
		strbuf_addf(out,
			    "<p class=\"warn\">%llu hit%s dropped because a histogram was "
			    "full.</p>\n",
			    t.drops, plural_were(t.drops));
	if (g->r->rules == RESULT_UNLIMITED)
		strbuf_addstr(out, "<p class=\"note\">Counted without the kernel's limits.</p>\n");
	if (g->rows.n) {
		err = page_heat_of_names(g, out);
		err = err ?: page_rows(g, number, out);
	} else {
		strbuf_addstr(out, "<p>No event was counted.</p>\n");
	}
	strbuf_addstr(out, "</div>\n");
	return err;
}

/* --- how they were counted --- */

static void print_facts(const struct pic_group *g, struct strbuf *out)
{
	const struct pic_slice t = group_whole(g);

	strbuf_addstr(out, "<pre class=\"trigger\">");
	markup_str(out, g->r->trigger);
	strbuf_addstr(out, "</pre>\n<dl>\n");
	strbuf_addstr(out, "<dt>event</dt><dd>");
	markup_str(out, g->r->event);
	strbuf_addstr(out, "</dd>\n");
	if (g->sliced)
		strbuf_addf(out, "<dt>slices</dt><dd>%zu</dd>\n", g->slices.n);
	strbuf_addf(out, "<dt>hits</dt><dd class=\"hits\">%llu</dd>\n", t.hits);
	strbuf_addf(out, "<dt>%s</dt><dd>%zu</dd>\n</dl>\n",
		    g->sliced ? "entries of all slices" : "entries", g->rows.n + g->left_out);
	print_stats(g, out);
}

static void print_details(const struct page_section *s, struct strbuf *out)
{
	const struct result_info *info = s->groups[0]->r->info;

	strbuf_addstr(out, "<details class=\"how\"><summary>How this was counted</summary>\n");
	for (size_t i = 0; i < s->n; i++)
		print_facts(s->groups[i], out);
	/* the lines of the script, which may have come from a file */
	if (info->n_script) {
		strbuf_addstr(out, "<h3>Script</h3>\n<pre>");
		for (size_t i = 0; i < info->n_script; i++) {
			markup_str(out, info->script[i]);
			strbuf_addch(out, '\n');
		}
		strbuf_addstr(out, "</pre>\n");
	}
	strbuf_addstr(out, "</details>\n");
}

/* --- the section --- */

int page_section(const struct page_section *s, struct printer *p)
{
	struct strbuf *out = &p->buf;
	const struct result *r = s->groups[0]->r;
	int err;

	strbuf_addstr(out, "<section>\n");
	if (s->titled) {
		strbuf_addstr(out, "<h2>");
		markup_str(out, r->instance ?: "");
		strbuf_addstr(out, r->instance ? ": " : "");
		markup_str(out, r->event);
		strbuf_addstr(out, "</h2>\n");
	}
	print_warnings(s->groups[0], s->messages, out);
	err = print_tiles(s, out);
	err = err ?: print_values(s, out);
	for (size_t i = 0; i < s->n && !err; i++)
		if (s->groups[i]->exemplars && s->groups[i]->exemplars->n &&
		    !is_named(s->groups[i], s->groups[i]->r->exemplars->name)) {
			page_exemplars(s->groups[i], out);
			break;
		}
	for (size_t i = 0; i < s->n && !err; i++) {
		err = print_table(s->groups[i], s->first + i, out);
		printer_flush(p);
	}
	if (!err)
		print_details(s, out);
	strbuf_addstr(out, "</section>\n");
	printer_flush(p);
	return err ? err : p->err;
}
