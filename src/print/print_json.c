// SPDX-License-Identifier: LGPL-2.1-only
/*
 * json: one object per histogram, on one line. ndjson: one line for the head, one for each row, one
 * for the totals. hist-formats(5) describes the members; their schema is
 * share/hist-result-1.schema.json.
 */
#include "print/print.h"

enum { SCHEMA = 1 };

/* ORDER enum result_role */
static const char *const role_names[] = { "key", "val", "saved" };
static const char *const label_names[] = { "text", NULL, "saved_text" };

/* The columns of a role. */
struct role_columns {
	size_t first, end;
};

static struct role_columns columns_of(const struct result *r, enum result_role role)
{
	return (struct role_columns){
		result_first(r, role),
		role == RESULT_SAVED ? r->n_columns : result_first(r, role + 1),
	};
}

/* --- rows --- */

static void print_cell(struct json *j, const struct result_column *column,
		       const struct result_cell *cell)
{
	switch (column->type) {
	case RESULT_RANGE:
		json_range(j, column->name, cell->num, cell->max, column->is_signed);
		break;
	case RESULT_TEXT:
		json_text(j, column->name, cell->text);
		break;
	case RESULT_STACK:
		json_array(j, column->name);
		for (size_t i = 0; i < cell->n_frames; i++)
			json_number(j, NULL, cell->frames[i]->addr, false);
		json_close(j, ']');
		break;
	default:
		json_number(j, column->name, cell->num, column->is_signed);
	}
}

/* The name of a number, or of the frames of a stack. */
static void print_label(struct json *j, const struct result_column *column,
			const struct result_cell *cell)
{
	if (column->type != RESULT_STACK) {
		json_text(j, column->name, cell->label);
		return;
	}
	json_array(j, column->name);
	for (size_t i = 0; i < cell->n_frames; i++)
		json_text(j, NULL, cell->frames[i]->symbol);
	json_close(j, ']');
}

static void print_cells(struct json *j, const struct result *r, enum result_role role,
			const struct result_cell *cells)
{
	struct role_columns own = columns_of(r, role);

	json_object(j, role_names[role]);
	for (size_t i = own.first; i < own.end; i++)
		if (cells[i].absent)
			json_null(j, r->columns[i].name);
		else
			print_cell(j, &r->columns[i], &cells[i]);
	json_close(j, '}');
}

static void print_labels(struct json *j, const struct result *r, enum result_role role,
			 const struct result_cell *cells)
{
	struct role_columns own = columns_of(r, role);
	bool any = false;

	for (size_t i = own.first; i < own.end; i++) {
		const struct result_column *column = &r->columns[i];

		if ((!column->has_label && column->type != RESULT_STACK) || cells[i].absent)
			continue;
		if (!any) {
			json_object(j, label_names[role]);
			any = true;
		}
		print_label(j, column, &cells[i]);
	}
	if (any)
		json_close(j, '}');
}

/* --- exemplars --- */

void json_exemplar(struct json *j, const struct exemplar *e, bool is_signed, bool clock_counts,
		   bool file)
{
	json_object(j, NULL);
	json_number(j, "value", e->value, is_signed);
	json_time(j, "time", e->at, clock_counts);
	json_u64(j, "cpu", e->cpu);
	json_s64(j, "pid", e->pid);
	json_text(j, "comm", (struct span){ e->comm, strnlen(e->comm, sizeof(e->comm)) });
	if (e->file && file)
		json_str(j, "file", e->file);
	json_close(j, '}');
}

static void print_exemplars_of(struct json *j, const char *name, const struct result *r,
			       const struct exemplar_row *of)
{
	json_array(j, name);
	for (u32 i = 0; of && i < of->n; i++)
		json_exemplar(j, &of->v[i], r->exemplars->is_signed, r->info->clock_counts,
			      r->info->n_files > 1);
	json_close(j, ']');
}

void json_exemplars_described(struct json *j, const char *name,
			      const struct result_exemplars *exemplars)
{
	json_object(j, name);
	json_members(j, exemplars_members, EXEMPLARS_MEMBERS - 1, exemplars);
}

static void json_exemplars_all(struct json *j, const struct result *r)
{
	if (!r->exemplars)
		return;
	json_exemplars_described(j, "exemplars", r->exemplars);
	print_exemplars_of(j, "all", r, r->exemplars->all);
	json_close(j, '}');
}

/* --- the head: trigger and columns --- */

static void print_columns(struct json *j, const struct result *r)
{
	json_object(j, "columns");
	for (enum result_role role = RESULT_KEY; role <= RESULT_SAVED; role++) {
		struct role_columns own = columns_of(r, role);

		json_array(j, role_names[role]);
		for (size_t i = own.first; i < own.end; i++) {
			const struct result_column *column = &r->columns[i];

			json_object(j, NULL);
			json_members(j, column_members, column->type <= RESULT_RANGE ? 3 : 2,
				     column);
			json_members(j, column_members + 3, COLUMN_MEMBERS - 3, column);
			json_close(j, '}');
		}
		json_close(j, ']');
	}
	if (r->n_stats) {
		json_array(j, "stats");
		for (size_t i = 0; i < r->n_stats; i++) {
			const struct result_stat *stat = &r->stats[i];

			json_object(j, NULL);
			json_members(j, stat_members, 1, stat);
			if (i >= r->n_row_stats)
				json_str(j, "key", r->columns[stat->column].name);
			json_members(j, stat_members + 1, STAT_MEMBERS - 1, stat);
			json_close(j, '}');
		}
		json_close(j, ']');
	}
	if (r->exemplars) {
		json_exemplars_described(j, "exemplars", r->exemplars);
		json_u64(j, "max", r->exemplars->max);
		json_close(j, '}');
	}
	json_close(j, '}');
}

/* --- the head: origin --- */

static void print_origin(struct json *j, const struct result *r)
{
	const struct result_info *info = r->info;
	scoped(strbuf_release) struct strbuf caveats = STRBUF_INIT;

	json_members(j, info_members, INFO_MEMBERS, info);
	strbuf_addstr(&caveats, info->caveats ?: "");
	if (r->left_out)
		caveat_add(&caveats, &(struct caveat){ .kind = CAVEAT_LEFT_OUT, .n = r->left_out });
	json_caveats(j, caveats.s);
	j->out->failed |= caveats.failed;
	json_str(j, "clock", info->clock);
	json_str(j, "kernel", info->kernel);
	json_object(j, "span");
	json_time(j, "from", r->from, info->clock_counts);
	json_time(j, "to", r->to, info->clock_counts);
	if (r->covered != r->to - r->from)
		json_time(j, "covered", r->covered, info->clock_counts);
	json_close(j, '}');
	json_object(j, "source");
	json_str(j, "uname", info->uname);
	json_str(j, "file", info->n_files ? info->files[0] : NULL);
	if (info->n_files > 1)
		json_strings(j, "files", info->files, info->n_files);
	json_close(j, '}');
}

static void print_head(struct json *j, const char *type, const struct result *r)
{
	struct span lines, name, value;
	const struct result_snapshot *s;

	json_str(j, "type", type);
	json_u64(j, "schema", SCHEMA);
	json_str(j, "version", r->info->version);
	json_str(j, "event", r->event);
	json_str_if(j, "instance", r->instance);
	json_str(j, "trigger", r->trigger);
	print_columns(j, r);
	json_array(j, "sort");
	for (size_t i = 0; i < r->n_sort; i++) {
		const struct result_column *column = &r->columns[r->sort[i].column];

		json_object(j, NULL);
		json_str(j, role_names[column->role], column->name);
		json_bool(j, "descending", r->sort[i].descending);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_strings(j, "script", r->info->script, r->info->n_script);
	json_str_if(j, "question", r->info->question);
	json_limits(j, r->info->recording_limits);
	/* what was selected when it was counted */
	lines = span_of(r->info->selection ? r->info->selection : "");
	if (lines.n) {
		json_object(j, "selection");
		while (selection_next(&lines, &name, &value)) {
			json_name(j, name);
			json_text(j, NULL, value);
		}
		json_close(j, '}');
	}
	json_str(j, "state", r->paused ? "paused" : "active");
	json_str(j, "limits", r->rules == RESULT_OF_KERNEL ? "kernel" : "none");
	json_str_if(j, "rules", r->rules == RESULT_EXACT ? "exact" : NULL);
	print_origin(j, r);
	s = r->snapshot;
	if (!s)
		return;
	json_object(j, "snapshot");
	json_members(j, snapshot_members, SNAPSHOT_MEMBERS, s);
	print_cells(j, r, RESULT_KEY, s->keys);
	print_labels(j, r, RESULT_KEY, s->keys);
	json_close(j, '}');
}

static void print_totals(struct json *j, const struct result *r)
{
	json_u64(j, "hits", r->hits);
	json_u64(j, "entries", r->n_rows);
	json_u64_if(j, "left_out", r->left_out);
	json_u64(j, "dropped", r->drops);
	json_u64_if(j, "feeding_dropped", r->feeding_drops);
}

/*
 * --- statistics ---
 *
 * A row has the statistics and the exact data from which they are computed, so that rows of several
 * results can be added up; the total is the sum of the rows.
 */

static void print_stat_value(struct json *j, const char *name, const struct stat_summary *s,
			     struct sketch_range v)
{
	if (!s->n)
		json_null(j, name);
	else if (s->is_range)
		json_range(j, name, v.min, v.max, s->is_signed);
	else
		json_number(j, name, v.min, s->is_signed);
}

static void print_stat_summary(struct json *j, const struct stat_summary *s)
{
	json_number(j, "n", s->n, false);
	print_stat_value(j, "min", s, s->min);
	print_stat_value(j, "max", s, s->max);
	if (s->is_range)
		json_double_range(j, "mean", s->mean, s->mean_max);
	else
		json_double(j, "mean", s->mean);
	json_double(j, "stddev", s->stddev);
	for (size_t i = 0; i < STAT_QUANTILES; i++)
		print_stat_value(j, stat_quantiles[i].name, s, s->quantiles[i]);
	json_bool(j, "exact", !s->rounded);
}

/* Sums may exceed 64 bits: written as decimal text. */
static void print_wide(struct json *j, const char *name, const struct wide *sum, bool is_signed)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	wide_print(sum, is_signed, &text);
	json_str(j, name, text.s);
}

static int print_sketch(struct json *j, const struct sketch *s)
{
	scoped(free_scoped) struct sketch_count *values = NULL;
	size_t n;
	const struct sketch_sums sums = sketch_sums(s);
	int err = sketch_values(s, &values, &n);

	print_wide(j, "sum", &sums.sum, s->is_signed);
	print_wide(j, "sum2", &sums.sum2, false);
	json_array(j, "values");
	for (size_t i = 0; i < n && !err; i++) {
		json_array(j, NULL);
		json_number(j, NULL, values[i].value, s->is_signed);
		json_number(j, NULL, values[i].n, false);
		json_close(j, ']');
	}
	json_close(j, ']');
	return err;
}

static int json_stats_row(struct json *j, const struct result *r, const struct result_row *row)
{
	int err = 0;

	if (!r->n_row_stats)
		return 0;
	json_object(j, "stats");
	for (size_t i = 0; i < r->n_row_stats && !err; i++) {
		struct stat_summary s;

		err = stat_summarise(row->sketches[i], NULL, &s);
		json_object(j, r->stats[i].name);
		print_stat_summary(j, &s);
		err = err ?: print_sketch(j, row->sketches[i]);
		json_close(j, '}');
	}
	json_close(j, '}');
	return err;
}

static int json_stats_all(struct json *j, const struct result *r)
{
	int err = 0;

	if (!r->n_stats)
		return 0;
	json_object(j, "stats");
	json_u64(j, "exact_values", SKETCH_EXACT);
	json_double(j, "relative_error", SKETCH_ERROR);
	json_object(j, "all");
	for (size_t i = 0; i < r->n_stats && !err; i++) {
		struct stat_summary s;

		err = stat_summarise(r->stats[i].all, r->stats[i].all_max, &s);
		json_object(j, r->stats[i].name);
		json_str(j, "of", i < r->n_row_stats ? "val" : "key");
		json_members(j, stat_members + 1, STAT_MEMBERS - 1, &r->stats[i]);
		print_stat_summary(j, &s);
		json_close(j, '}');
	}
	json_close(j, '}');
	json_close(j, '}');
	return err;
}

/* --- all parts --- */

/* Row @i as an object; with @type it is a line of its own. */
static void print_row_object(struct json *j, const struct result *r, size_t i, const char *type,
			     struct printer *p)
{
	struct result_row row;

	r->row(r, i, &row);
	json_object(j, NULL);
	json_str_if(j, "type", type);
	print_cells(j, r, RESULT_KEY, row.cells);
	print_labels(j, r, RESULT_KEY, row.cells);
	print_cells(j, r, RESULT_VALUE, row.cells);

	if (result_has_saved(r)) {
		print_cells(j, r, RESULT_SAVED, row.cells);
		print_labels(j, r, RESULT_SAVED, row.cells);
		if (row.saved)
			json_time(j, "saved_at", row.saved_at, r->info->clock_counts);
	}
	p->err = json_stats_row(j, r, &row);
	if (r->exemplars)
		print_exemplars_of(j, "exemplars", r, row.exemplars);
	json_close(j, '}');
	if (type)
		json_end_line(j);
	printer_flush(p);
}

static void print_json(const struct format *format UNUSED, const struct result *r,
		       const struct format_options *options, struct printer *p)
{
	struct json j = { .out = &p->buf, .u64_as_string = options->u64_as_string };

	json_object(&j, NULL);
	print_head(&j, "hist_trigger", r);
	json_object(&j, "totals");
	print_totals(&j, r);
	json_close(&j, '}');
	p->err = json_stats_all(&j, r);
	json_exemplars_all(&j, r);
	json_array(&j, "data");
	for (size_t i = 0; i < r->n_rows && !p->err; i++)
		print_row_object(&j, r, i, NULL, p);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
}

static void print_ndjson(const struct format *format UNUSED, const struct result *r,
			 const struct format_options *options, struct printer *p)
{
	struct json j = { .out = &p->buf, .u64_as_string = options->u64_as_string };

	json_object(&j, NULL);
	print_head(&j, "hist_head", r);
	json_close(&j, '}');
	json_end_line(&j);
	for (size_t i = 0; i < r->n_rows && !p->err; i++)
		print_row_object(&j, r, i, "hist_row", p);
	json_object(&j, NULL);
	json_str(&j, "type", "hist_totals");
	print_totals(&j, r);
	if (!p->err)
		p->err = json_stats_all(&j, r);
	json_exemplars_all(&j, r);
	json_close(&j, '}');
	json_end_line(&j);
}

const struct format format_json = { .name = "json", .counts_left_out = true, .print = print_json };
const struct format format_ndjson = { .name = "ndjson",
				      .counts_left_out = true,
				      .print = print_ndjson };
