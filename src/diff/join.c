// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Joins the histograms of runs by the whole key: each row gets the sums of every run. Histograms
 * are added one at a time and are valid only during the call.
 *
 * Memory grows with the rows, not with the recordings.
 */
#include "diff/join.h"

/* --- columns --- */

static bool is_dropped(const struct join_options *options, const char *name)
{
	return any_of(i, options->n_drop_keys, !strcmp(options->drop_keys[i], name));
}

static void add_stat(struct join *j, const char *name, const char *unit, struct diff_stat stat)
{
	stat.name = arena_strdup(&j->arena, name);
	stat.unit = arena_strdup(&j->arena, unit);
	j->stats[j->n_stats++] = stat;
}

static void add_columns(struct join *j, const struct result *r, const struct join_options *options)
{
	const struct result_column *keys = columns_copy(&j->arena, r->columns, r->n_keys);

	for (size_t i = 0; i < r->n_keys && keys; i++) {
		j->key_names[i] = keys[i].name;
		if (!is_dropped(options, keys[i].name))
			j->keys[j->n_keys++] = (struct diff_key){ .column = keys[i], .at = i };
	}
	for (size_t i = 0; i < r->n_values; i++) {
		const struct result_column *c = &r->columns[r->n_keys + i];

		if (!result_is_part(c))
			j->values[j->n_values++] = (struct diff_value){
				.name = arena_strdup(&j->arena, c->name),
				.unit = arena_strdup(&j->arena, c->unit),
				.is_signed = c->is_signed,
				.at = r->n_keys + i,
			};
	}
	j->n_result_keys = r->n_keys;
	j->n_result_values = r->n_values;
	if (j->arena.failed)
		return;
	for (size_t i = 0; i < r->n_row_stats; i++)
		add_stat(j, r->stats[i].name, r->stats[i].unit,
			 (struct diff_stat){ .is_signed = r->stats[i].is_signed,
					     .repeats = stat_find_same(r, i) != i,
					     .at = i });
	j->n_sketches = j->n_stats;
	for (size_t i = 0; i < j->n_keys; i++) {
		const struct result_column *c = &j->keys[i].column;

		if (key_is_measure(c))
			add_stat(j, c->name, c->unit,
				 (struct diff_stat){
					 .is_signed = c->is_signed, .of_key = true, .at = i });
	}
}

static int join_init(struct join *j, const struct result *r, const struct join_options *options)
{
	scoped(strbuf_release) struct strbuf meaning = STRBUF_INIT;
	int err = trigger_meaning(r->trigger, &meaning);

	j->n_sides = options->n_sides;
	for (size_t i = 0; i < options->n_sides; i++)
		j->n_runs += options->sides[i];
	j->event = arena_strdup(&j->arena, r->event);
	j->instance = arena_strdup(&j->arena, r->instance ? r->instance : "");
	j->trigger = arena_strdup(&j->arena, r->trigger);
	j->meaning = arena_strdup(&j->arena, meaning.s);
	j->keys = arena_alloc(&j->arena, (r->n_keys + 1) * sizeof(*j->keys));
	j->key_names = arena_alloc(&j->arena, (r->n_keys + 1) * sizeof(const char *));
	j->values = arena_alloc(&j->arena, (r->n_values + 1) * sizeof(*j->values));
	j->stats = arena_alloc(&j->arena, (r->n_keys + r->n_row_stats + 1) * sizeof(*j->stats));
	j->runs = arena_alloc(&j->arena, (j->n_runs + 1) * sizeof(*j->runs));
	if (err || !j->keys || !j->key_names || !j->values || !j->stats || !j->runs)
		return HIST_NOMEM;
	for (size_t side = 0, run = 0; side < options->n_sides; side++)
		for (size_t i = 0; i < options->sides[side]; i++)
			j->runs[run++].side = side;
	add_columns(j, r, options);
	j->all.values = arena_alloc(&j->arena, (j->n_runs * j->n_values + 1) * sizeof(u64));
	if (j->arena.failed)
		return HIST_NOMEM;
	/* a saved result is not trusted */
	return j->n_values && !strcmp(j->values[0].name, "hitcount") ? 0 : -HIST_EFORMAT;
}

int join_new(const struct result *r, const struct join_options *options, struct join **out)
{
	struct join *j = calloc(1, sizeof(*j));
	int err = j ? join_init(j, r, options) : HIST_NOMEM;

	*out = NULL;
	if (err)
		join_free(j);
	else
		*out = j;
	return err;
}

static void release_sketches(const struct join *j, struct diff_row *row)
{
	for (size_t i = 0; row->sketches && i < j->n_runs * j->n_sketches; i++)
		sketch_release(&row->sketches[i]);
}

void join_free(struct join *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < j->rows.n; i++)
		release_sketches(j, j->rows.v[i]);
	release_sketches(j, &j->all);
	indexed_release(&j->rows);
	arena_release(&j->arena);
	free(j);
}

bool join_fits(const struct join *j, const struct result *r, const char *meaning)
{
	return !strcmp(j->event, r->event) &&
	       !strcmp(j->instance, r->instance ? r->instance : "") && !strcmp(j->meaning, meaning);
}

/* --- looking up rows --- */

static bool has_key(const struct join *j, const struct diff_row *row, const struct diff_cell *cells)
{
	bool same = true;

	for (size_t i = 0; i < j->n_keys && same; i++)
		same = row->keys[i].num == cells[i].num && row->keys[i].max == cells[i].max &&
		       span_same(row->keys[i].text, cells[i].text);
	return same;
}

static int init_sketches(struct join *j, struct diff_row *row)
{
	size_t n = j->n_runs * j->n_sketches;

	if (!n)
		return 0;
	row->sketches = arena_alloc(&j->arena, n * sizeof(*row->sketches));
	if (!row->sketches)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++)
		row->sketches[i].is_signed = j->stats[i % j->n_sketches].is_signed;
	return 0;
}

/* In one block, as there may be millions. */
static struct diff_row *new_row(struct join *j, const struct diff_cell *cells)
{
	const size_t n_values = j->n_runs * j->n_values;
	size_t size = sizeof(struct diff_row) + j->n_keys * sizeof(*cells) + n_values * sizeof(u64);
	struct diff_row *row;
	char *text;

	for (size_t i = 0; i < j->n_keys; i++)
		size += cells[i].text.n;
	row = arena_alloc(&j->arena, size);
	if (!row || init_sketches(j, row))
		return NULL;
	row->keys = (struct diff_cell *)(row + 1);
	row->values = (u64 *)(row->keys + j->n_keys);
	text = (char *)(row->values + n_values);
	for (size_t i = 0; i < j->n_keys; i++) {
		row->keys[i] = cells[i];
		row->keys[i].text.s = text;
		memcpy(text, cells[i].text.s, cells[i].text.n);
		text += cells[i].text.n;
	}
	return row;
}

/* Find the row with this key, or add it; NULL if out of memory. */
static struct diff_row *find_row(struct join *j, const struct diff_cell *cells)
{
	struct diff_row *row, **known;
	u32 hash = 0;

	for (size_t i = 0; i < j->n_keys; i++) {
		const u64 numbers[] = { cells[i].num, cells[i].max };

		hash = hash_bytes(hash, numbers, sizeof(numbers));
		hash = hash_bytes(hash, cells[i].text.s, cells[i].text.n);
	}
	known = indexed_find(&j->rows, hash, e, has_key(j, *e, cells));
	if (known)
		return *known;
	row = new_row(j, cells);
	if (!row || !indexed_add(&j->rows, hash, row))
		return NULL;
	row->index = j->rows.n - 1;
	return row;
}

/* --- adding a run --- */

static bool same_columns(const struct join *j, const struct result *r)
{
	if (r->n_keys != j->n_result_keys || r->n_values != j->n_result_values)
		return false;
	return all_of(i, j->n_keys, r->columns[j->keys[i].at].type == j->keys[i].column.type);
}

static bool same_stats(const struct join *j, const struct result *r)
{
	if (r->n_row_stats != j->n_sketches)
		return false;
	return all_of(i, j->n_sketches,
		      !strcmp(r->stats[i].name, j->stats[i].name) &&
			      r->stats[i].is_signed == j->stats[i].is_signed);
}

/* Unknown texts are empty. */
static const char *keep(struct join *j, const char *text)
{
	return arena_strdup(&j->arena, text ? text : "") ?: "";
}

static void describe_run(struct join *j, size_t run, const struct result *r)
{
	const struct result_info *info = r->info;

	j->runs[run] = (struct diff_run){
		.name = keep(j, info->n_files ? info->files[0] : NULL),
		.uname = keep(j, info->uname),
		.clock = keep(j, info->clock),
		.kernel = keep(j, info->kernel),
		.limits = keep(j, info->recording_limits),
		.selection = keep(j, info->selection),
		.caveats = keep(j, info->caveats),
		.side = j->runs[run].side,
		.added = true,
		.clock_counts = info->clock_counts,
		.rules = r->rules,
		.has_stats = same_stats(j, r),
		.lost = info->lost_events,
		.lost_unknown = info->lost_unknown,
		.inexact = info->inexact,
		.hits = r->hits,
		.drops = r->drops,
		.feeding_drops = r->feeding_drops,
		.from = r->from,
		.to = r->to,
		.covered = r->covered,
	};
}

struct adder {
	struct join *j;
	const struct result *r;
	size_t run;
	struct strbuf text; /* of all cells */
	struct diff_cell *cells;
};

static void add_value(struct join *j, size_t run, size_t value, u64 *sum, u64 v)
{
	const bool is_signed = j->values[value].is_signed;
	int times = add_wrapping(sum, v, is_signed);

	*sum = saturated(*sum, times, is_signed);
	j->runs[run].saturated += times != 0;
}

/* Set the cells of a row. */
static int read_keys(struct adder *a, const struct result_row *from)
{
	const struct join *j = a->j;
	const char *at;

	strbuf_reset(&a->text);
	for (size_t i = 0; i < j->n_keys; i++)
		key_read(&j->keys[i].column, &from->cells[j->keys[i].at], &a->text, &a->cells[i]);
	if (a->text.failed)
		return HIST_NOMEM;
	at = a->text.s;
	for (size_t i = 0; i < j->n_keys; i++) {
		a->cells[i].text.s = at;
		at += a->cells[i].text.n;
	}
	return 0;
}

static int add_row(struct adder *a, const struct result_row *from)
{
	struct join *j = a->j;
	struct diff_row *row;
	int err = read_keys(a, from);

	if (err)
		return err;
	row = find_row(j, a->cells);
	if (!row)
		return HIST_NOMEM;
	for (size_t i = 0; i < j->n_values; i++)
		add_value(j, a->run, i, &row->values[a->run * j->n_values + i],
			  from->cells[j->values[i].at].num);
	if (j->runs[a->run].has_stats) {
		for (size_t i = 0; i < j->n_sketches && !err; i++)
			err = sketch_merge(&row->sketches[a->run * j->n_sketches + i],
					   from->sketches[i]);
	}
	return err ? err : exemplars_keep(j, a->r, from, j->runs[a->run].side, row);
}

void join_add_name(const struct join *j, bool with_question, struct strbuf *out)
{
	if (j->question && with_question)
		strbuf_addf(out, "%s ", j->question);
	strbuf_addf(out, "%s%s%s %s", j->instance, *j->instance ? ":" : "", j->event,
		    j->question ? "by " : j->trigger);
	for (size_t i = 0; i < j->n_keys && j->question; i++) {
		strbuf_addstr(out, i ? ", " : "");
		column_title_add(out, &j->keys[i].column);
	}
}

int join_add(struct join *j, size_t run, const struct result *r, struct diags *diags)
{
	struct adder a = { .j = j, .r = r, .run = run, .text = STRBUF_INIT };
	int err = 0;

	if (!same_columns(j, r))
		return diags_error(
			diags, -HIST_EFORMAT,
			"%s: the keys or values of '%s' have different types here: count both "
			"sides with one version of the script",
			r->event, r->trigger);
	describe_run(j, run, r);
	if (!j->question && r->info->question)
		j->question = arena_strdup(&j->arena, r->info->question);
	if (j->arena.failed || exemplars_begin(j, r))
		return HIST_NOMEM;
	a.cells = calloc(j->n_keys + 1, sizeof(*a.cells));
	if (!a.cells)
		return HIST_NOMEM;
	for (size_t i = 0; i < r->n_rows && !err; i++) {
		struct result_row row;

		r->row(r, i, &row);
		err = add_row(&a, &row);
	}
	free(a.cells);
	strbuf_release(&a.text);
	return err;
}

/* --- the row (all) --- */

u64 row_hits(const struct join *j, const struct diff_row *row, size_t side)
{
	u64 hits = 0;

	for (size_t run = 0; run < j->n_runs; run++)
		if (j->runs[run].side == side)
			hits = add_saturated(hits, row_values(j, row, run)[0]);
	return hits;
}

bool join_is_inexact(const struct join *j, size_t side)
{
	return any_of(i, j->n_runs, j->runs[i].side == side && j->runs[i].inexact);
}

static int note_saturated(struct join *j, struct diff_run *run)
{
	scoped(strbuf_release) struct strbuf caveats = STRBUF_INIT;

	if (!run->saturated)
		return 0;
	strbuf_addstr(&caveats, run->caveats);
	caveat_add(&caveats, &(struct caveat){ .kind = CAVEAT_SATURATED,
					       .n = run->saturated,
					       .of = span_of("rows") });
	run->caveats = arena_strdup(&j->arena, caveats.s);
	return run->caveats ? 0 : HIST_NOMEM;
}

int join_finish(struct join *j)
{
	int err = init_sketches(j, &j->all);

	hash_release(&j->rows.index); /* no more rows are added */
	j->all.index = j->rows.n;
	for (size_t i = 0; i < j->rows.n && !err; i++) {
		const struct diff_row *row = j->rows.v[i];

		if (row->left_out)
			continue;
		for (size_t v = 0; v < j->n_runs * j->n_values; v++)
			add_value(j, v / j->n_values, v % j->n_values, &j->all.values[v],
				  row->values[v]);
		for (size_t s = 0; s < j->n_runs * j->n_sketches && !err; s++)
			err = sketch_merge(&j->all.sketches[s], &row->sketches[s]);
		err = err ?: exemplars_add_to_all(j, row);
	}
	for (size_t i = 0; i < j->n_runs && !err; i++)
		err = note_saturated(j, &j->runs[i]);
	return err;
}

bool join_is_complete(const struct join *j)
{
	return all_of(i, j->n_runs, j->runs[i].added);
}
