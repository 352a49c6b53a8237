// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Metadata of a merge: counts are added, spans joined, names collected in unordered lists. Of
 * several equivalent scripts, the smallest is used.
 */
#include <stdlib.h>

#include "saved/cell.h"
#include "saved/merged.h"

/* --- lists --- */

static int cmp_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_text(struct merged *g, text_array *list, struct span text)
{
	const char *copy = arena_strndup(&g->s->arena, text.s, text.n);

	return copy ? array_push(list, copy) : HIST_NOMEM;
}

/* The pieces of @text. */
static int add_pieces(struct merged *g, text_array *list, const char *text, const char *sep)
{
	int err = 0;

	while (text && *text && !err) {
		const char *end = strstr(text, sep);

		err = add_text(g, list, end ? span_between(text, end) : span_of(text));
		text = end ? end + strlen(sep) : NULL;
	}
	return err;
}

/* Without duplicates. */
static void sort(text_array *list)
{
	size_t n = 0;

	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), cmp_texts);
	for (size_t i = 0; i < list->n; i++)
		if (!i || strcmp(list->v[i], list->v[n - 1]) != 0)
			list->v[n++] = list->v[i];
	list->n = n;
}

static const char *join(struct merged *g, text_array *list, const char *sep)
{
	struct strbuf sb = STRBUF_INIT;

	sort(list);
	for (size_t i = 0; i < list->n; i++)
		strbuf_addf(&sb, "%s%s", i ? sep : "", list->v[i]);
	return arena_take(&g->s->arena, &sb);
}

/* --- scripts --- */

/* An absent script, which is in the previous result, is the last choice. */
static int cmp_scripts(const struct result_info *a, const struct result_info *b)
{
	if (!a->n_script || !b->n_script)
		return !a->n_script - !b->n_script;
	for (size_t i = 0; i < a->n_script && i < b->n_script; i++) {
		int ret = strcmp(a->script[i], b->script[i]);

		if (ret)
			return ret;
	}
	return (a->n_script > b->n_script) - (a->n_script < b->n_script);
}

static int take_script(struct merged *g, const struct result_info *from)
{
	struct result_info *info = &g->s->info;
	const char **script;

	if (g->files.n && cmp_scripts(from, info) >= 0)
		return 0;
	script = arena_alloc(&g->s->arena, from->n_script * sizeof(*script));
	if (!script)
		return HIST_NOMEM;
	for (size_t i = 0; i < from->n_script; i++) {
		script[i] = arena_strdup(&g->s->arena, from->script[i]);
		if (!script[i])
			return HIST_NOMEM;
	}
	info->script = script;
	info->n_script = from->n_script;
	return 0;
}

/* --- the snapshot --- */

static int cmp_snapshots(const struct result *r, const struct result_snapshot *a,
			 const struct result_snapshot *b)
{
	int ret = (a->value > b->value) - (a->value < b->value);

	for (size_t i = 0; i < r->n_keys && !ret; i++)
		ret = -cell_cmp(&r->columns[i], &a->keys[i], &b->keys[i]);
	return ret;
}

/*
 * For onmax, the snapshot with the greatest value is used; for onchange none of several is the last
 * one.
 */
static int take_snapshot(struct merged *g, const struct result *r)
{
	const struct result_snapshot *from = r->snapshot;
	struct result *sum = &g->s->result;
	struct result_cell *keys;
	int err = 0;

	if (!from || strcmp(from->handler, "onmax") != 0 ||
	    (sum->snapshot && cmp_snapshots(r, from, sum->snapshot) <= 0))
		return 0;
	keys = arena_alloc(&g->s->arena, r->n_keys * sizeof(*keys));
	if (!keys)
		return HIST_NOMEM;
	for (size_t i = 0; i < r->n_keys && !err; i++)
		err = stored_copy_cell(g->s, i, &from->keys[i], &keys[i]);
	g->s->snapshot = (struct result_snapshot){
		.handler = "onmax",
		.variable = arena_strdup(&g->s->arena, from->variable),
		.value = from->value,
		.keys = keys,
	};
	sum->snapshot = &g->s->snapshot;
	return err || !sum->snapshot->variable ? HIST_NOMEM : 0;
}

/* --- numbers --- */

/* Those of saturated sums are counted again at the end. */
static void add_caveats(struct merged *g, struct span caveats)
{
	const struct result *sum = &g->s->result;
	struct caveat c;

	while (caveat_next(&caveats, &c)) {
		if (c.kind != CAVEAT_SATURATED)
			caveat_add(&g->caveats, &c);
		else
			g->totals_saturated |= span_eq(c.of, "totals");
		for (size_t i = sum->n_keys; i < sum->n_keys + sum->n_values; i++)
			g->saturated[i] |= c.kind == CAVEAT_SATURATED &&
					   span_eq(c.of, sum->columns[i].name);
	}
}

static void add_total(struct merged *g, u64 *sum, u64 v)
{
	g->totals_saturated |= *sum > UINT64_MAX - v;
	*sum = add_saturated(*sum, v);
}

static void add_numbers(struct merged *g, const struct result *r)
{
	struct result *sum = &g->s->result;
	struct result_info *info = &g->s->info;
	bool first = !g->files.n;

	add_total(g, &sum->hits, r->hits);
	add_total(g, &sum->drops, r->drops);
	add_total(g, &sum->feeding_drops, r->feeding_drops);
	sum->covered = add_saturated(sum->covered, r->covered);
	sum->from = first ? r->from : min_t(u64, sum->from, r->from);
	sum->to = first ? r->to : max_t(u64, sum->to, r->to);
	sum->paused |= r->paused;
	add_total(g, &info->lost_events, r->info->lost_events);
	info->lost_unknown |= r->info->lost_unknown;
	info->inexact |= r->info->inexact;
	info->unlimited |= r->info->unlimited;
	add_caveats(g, span_of(r->info->caveats ? r->info->caveats : ""));
}

int merged_add_info(struct merged *g, const struct result *r)
{
	const struct result_info *from = r->info;
	int err = take_script(g, from);

	add_numbers(g, r);
	for (size_t i = 0; i < from->n_files && !err; i++)
		err = add_text(g, &g->files, span_of(from->files[i]));
	if (!err && !from->n_files)
		err = add_text(g, &g->files, span_of("unknown"));
	if (!err)
		err = add_pieces(g, &g->versions, from->version ? from->version : "unknown", ", ");
	if (!err)
		err = add_pieces(g, &g->unames, from->uname, "; ");
	if (!err)
		err = add_pieces(g, &g->kernels, from->kernel, ", ");
	if (!err)
		err = add_pieces(g, &g->limits, from->recording_limits, "\n");
	if (!err)
		err = merged_add_selection(g, r);
	return err ? err : take_snapshot(g, r);
}

/* --- limits: lines, of which there is one for the pids --- */

static int cmp_pids(const void *a, const void *b)
{
	s64 va = *(const s64 *)a, vb = *(const s64 *)b;

	return va < vb ? -1 : va > vb;
}

static void add_pids(struct strbuf *out, const text_array *lines)
{
	ARRAY(s64) pids = ARRAY_INIT;
	bool any = false;

	for (size_t i = 0; i < lines->n; i++) {
		struct span line = span_of(lines->v[i]);
		s64 pid;

		if (!span_eq(span_sep(&line, " "), "pids"))
			continue;
		any = true;
		while (line.s)
			if (span_s64(span_sep(&line, " "), &pid))
				out->failed |= array_push(&pids, pid) != 0;
	}
	if (pids.n)
		qsort(pids.v, pids.n, sizeof(*pids.v), cmp_pids);
	strbuf_addstr(out, any ? "pids" : "");
	for (size_t i = 0; i < pids.n; i++)
		if (!i || pids.v[i] != pids.v[i - 1])
			strbuf_addf(out, " %lld", (long long)pids.v[i]);
	strbuf_addstr(out, any ? "\n" : "");
	array_release(&pids);
}

/* The "filter EVENT " at the start of such a line; otherwise empty. */
static size_t filter_prefix(const char *line)
{
	const char *space = strncmp(line, "filter ", 7) ? NULL : strchr(line + 7, ' ');

	return space ? (size_t)(space + 1 - line) : 0;
}

/* Several filters of one event are combined with ||: each of them was used in one recording. */
static int add_filters(struct merged *g, const char *const *lines, size_t n, struct strbuf *out)
{
	size_t prefix = filter_prefix(lines[0]);
	text_array texts = ARRAY_INIT;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = add_pieces(g, &texts, lines[i] + prefix, " || ");
	sort(&texts);
	strbuf_add(out, lines[0], prefix);
	for (size_t i = 0; i < texts.n; i++)
		strbuf_addf(out, "%s%s", i ? " || " : "", texts.v[i]);
	strbuf_addch(out, '\n');
	array_release(&texts);
	return err;
}

static int add_lines(struct merged *g, struct strbuf *out)
{
	const text_array *lines = &g->limits;
	int err = 0;

	for (size_t i = 0, n; i < lines->n && !err; i += n) {
		size_t prefix = filter_prefix(lines->v[i]);

		for (n = 1;
		     prefix && i + n < lines->n && !strncmp(lines->v[i], lines->v[i + n], prefix);)
			n++;
		if (n > 1)
			err = add_filters(g, &lines->v[i], n, out);
		else if (strncmp(lines->v[i], "pids", 4) != 0)
			strbuf_addf(out, "%s\n", lines->v[i]);
	}
	return err;
}

static const char *join_limits(struct merged *g)
{
	struct strbuf out = STRBUF_INIT;

	sort(&g->limits);
	out.failed |= add_lines(g, &out) != 0;
	add_pids(&out, &g->limits);
	return arena_take(&g->s->arena, &out);
}

int merged_end_info(struct merged *g)
{
	struct result_info *info = &g->s->info;

	info->version = join(g, &g->versions, ", ");
	info->uname = join(g, &g->unames, "; ");
	if (!g->unames.n)
		info->uname = NULL;
	info->kernel = join(g, &g->kernels, ", ");
	info->recording_limits = join_limits(g);
	if (g->files.n)
		qsort(g->files.v, g->files.n, sizeof(*g->files.v), cmp_texts);
	info->files = g->files.v;
	info->n_files = g->files.n;
	info->caveats = g->caveats.s;
	return info->version && info->kernel && info->recording_limits && !g->caveats.failed
		       ? 0
		       : HIST_NOMEM;
}
