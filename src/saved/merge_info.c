// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Metadata of a merge: counts are added, spans joined, names collected in unordered lists. Of
 * several equivalent scripts, the smallest is used.
 */
#include "saved/merged.h"

/* --- texts that consist of pieces --- */

int pieces_cut(span_array *pieces, struct span text, const char *sep)
{
	int err = 0;

	while (text.n && !err) {
		const char *end = span_find(text, span_of(sep));
		const struct span piece = end ? span_between(text.s, end) : text;

		err = array_push(pieces, piece);
		text = span_skip(text, piece.n + (end ? strlen(sep) : 0));
	}
	return err;
}

static int add_pieces(struct merged *g, span_array *list, const char *text, const char *sep)
{
	const char *copy = text ? arena_strdup(&g->s->arena, text) : "";

	return copy ? pieces_cut(list, span_of(copy), sep) : HIST_NOMEM;
}

DEFINE_ORDER(cmp_spans, struct span, span_cmp(*x, *y))

/* Without duplicates. */
static void sort(span_array *list)
{
	size_t n = 0;

	if (list->n)
		qsort(list->v, list->n, sizeof(*list->v), cmp_spans);
	for (size_t i = 0; i < list->n; i++)
		if (!i || !span_same(list->v[i], list->v[n - 1]))
			list->v[n++] = list->v[i];
	list->n = n;
}

void pieces_join(span_array *pieces, const char *sep, struct strbuf *out)
{
	sort(pieces);
	for (size_t i = 0; i < pieces->n; i++)
		strbuf_addf(out, "%s%.*s", i ? sep : "", (int)pieces->v[i].n, pieces->v[i].s);
}

static const char *join(struct merged *g, span_array *list, const char *sep)
{
	struct strbuf sb = STRBUF_INIT;

	pieces_join(list, sep, &sb);
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

	if (g->files.n && cmp_scripts(from, info) >= 0)
		return 0;
	info->script = texts_copy(&g->s->arena, from->script, from->n_script);
	info->n_script = from->n_script;
	return info->script ? 0 : HIST_NOMEM;
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

static void add_total(struct merged *g, u64 *sum, u64 v)
{
	g->totals_saturated |= *sum > UINT64_MAX - v;
	*sum = add_saturated(*sum, v);
}

static void add_numbers(struct merged *g, const struct result *r)
{
	struct result *sum = &g->s->result;
	struct result_info *info = &g->s->info;
	struct span caveats = span_of(r->info->caveats ? r->info->caveats : "");
	bool first = !g->files.n;
	struct caveat c;

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
	sum->rules = r->rules > sum->rules ? r->rules : sum->rules;
	/* those of saturated sums are counted again at the end */
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

static int add_file(struct merged *g, const char *file)
{
	const char *copy = arena_strdup(&g->s->arena, file);

	return copy ? array_push(&g->files, copy) : HIST_NOMEM;
}

int merged_add_info(struct merged *g, const struct result *r)
{
	const struct result_info *from = r->info;
	int err = take_script(g, from);

	add_numbers(g, r);
	for (size_t i = 0; i < from->n_files && !err; i++)
		err = add_file(g, from->files[i]);
	if (!from->n_files)
		err = err ?: add_file(g, "unknown");
	err = err ?: add_pieces(g, &g->versions, from->version ?: "unknown", ", ");
	err = err ?: add_pieces(g, &g->unames, from->uname, "; ");
	err = err ?: add_pieces(g, &g->kernels, from->kernel, ", ");
	err = err ?: add_pieces(g, &g->limits, from->recording_limits, "\n");
	err = err ?: merged_add_selection(g, r);
	return err ?: take_snapshot(g, r);
}

/* --- limits: lines, of which there is one for the pids --- */

DEFINE_ORDER(cmp_pids, s64, cmp_int(*x, *y))

/* The "filter EVENT " at the start of such a line; otherwise empty. */
static struct span filter_prefix(struct span line)
{
	const char *space = span_starts(line, "filter ") ? span_chr(span_skip(line, 7), ' ') : NULL;

	return span_between(line.s, space ? space + 1 : line.s);
}

/* Several filters of one event are combined with ||: each of them was used in one recording. */
static int add_lines(struct strbuf *out, const span_array *lines)
{
	int err = 0;

	for (size_t i = 0, n; i < lines->n && !err; i += n) {
		const struct span line = lines->v[i], prefix = filter_prefix(line);
		scoped(free_scoped) span_array texts = ARRAY_INIT;

		for (n = 1; prefix.n && i + n < lines->n &&
			    span_same(filter_prefix(lines->v[i + n]), prefix);
		     n++)
			;
		if (n == 1 && !span_starts(line, "pids"))
			strbuf_addf(out, "%.*s\n", (int)line.n, line.s);
		if (n == 1)
			continue;
		for (size_t k = 0; k < n && !err; k++)
			err = pieces_cut(&texts, span_skip(lines->v[i + k], prefix.n), " || ");
		strbuf_add(out, prefix.s, prefix.n);
		pieces_join(&texts, " || ", out);
		strbuf_addch(out, '\n');
	}
	return err;
}

static int cmp_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int merged_end_info(struct merged *g)
{
	struct result_info *info = &g->s->info;
	struct strbuf limits = STRBUF_INIT;
	const span_array *lines = &g->limits;
	ARRAY(s64) pids = ARRAY_INIT;
	bool any = false;

	info->version = join(g, &g->versions, ", ");
	info->uname = join(g, &g->unames, "; ");
	if (!g->unames.n)
		info->uname = NULL;
	info->kernel = join(g, &g->kernels, ", ");
	sort(&g->limits);
	limits.failed |= add_lines(&limits, &g->limits) != 0;
	for (size_t i = 0; i < lines->n; i++) {
		struct span line = lines->v[i];
		s64 pid;

		if (!span_eq(span_sep(&line, " "), "pids"))
			continue;
		any = true;
		while (line.s)
			if (span_s64(span_sep(&line, " "), &pid))
				limits.failed |= array_push(&pids, pid) != 0;
	}
	if (pids.n)
		qsort(pids.v, pids.n, sizeof(*pids.v), cmp_pids);
	strbuf_addstr(&limits, any ? "pids" : "");
	for (size_t i = 0; i < pids.n; i++)
		if (!i || pids.v[i] != pids.v[i - 1])
			strbuf_addf(&limits, " %lld", pids.v[i]);
	strbuf_addstr(&limits, any ? "\n" : "");
	array_release(&pids);
	info->recording_limits = arena_take(&g->s->arena, &limits);
	if (g->files.n)
		qsort(g->files.v, g->files.n, sizeof(*g->files.v), cmp_texts);
	info->files = g->files.v;
	info->n_files = g->files.n;
	info->caveats = g->caveats.s;
	return info->version && info->kernel && info->recording_limits && !g->caveats.failed
		       ? 0
		       : HIST_NOMEM;
}
