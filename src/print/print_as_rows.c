// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Results in a format of rows (table/rows.h): one table for each histogram. Slices of time continue
 * the table of their histogram. In a binary format each table is a file in the directory of -o, or
 * the only one is the output.
 */
#include "print/cells.h"
#include "print/print.h"

struct table_of_rows {
	struct arena arena;
	const char *event, *instance, *trigger; /* which histogram it is */
	char file[NAME_MAX + 1];
	row_columns columns;
	const bool *stats; /* of totals: which have columns */
	struct row_writer writer;
};

struct tables_of_rows {
	ARRAY(struct table_of_rows *) v;
};

static bool is_named(const struct tables_of_rows *all, const char *file)
{
	return any_of(i, all->v.n, all->v.v[i]->file != file && !strcmp(all->v.v[i]->file, file));
}

/* SYSTEM.EVENT.parquet, after its INSTANCE; the second one of an event is SYSTEM.EVENT.2.parquet */
static void choose_name(const struct tables_of_rows *all, struct table_of_rows *t)
{
	const char *dot = *t->instance ? "." : "", *format = t->writer.format->name;
	const int room = NAME_MAX - 64;
	char base[NAME_MAX + 1];

	snprintf(base, sizeof(base), "%.*s%s%.*s", room / 2, t->instance, dot, room / 2, t->event);
	for (char *c = base; *c; c++)
		if (*c == ':' || *c == '/' || (unsigned char)*c < ' ' || (c == base && *c == '.'))
			*c = *c == ':' ? '.' : '_';
	snprintf(t->file, sizeof(t->file), "%.*s.%.16s", room + 1, base, format);
	for (size_t n = 2; is_named(all, t->file); n++)
		snprintf(t->file, sizeof(t->file), "%.*s.%zu.%.16s", room + 1, base, n, format);
}

static void table_free(struct table_of_rows *t)
{
	if (!t)
		return;
	array_release(&t->columns);
	arena_release(&t->arena);
	free(t);
}

static struct table_of_rows *table_new(const struct tables_of_rows *all,
				       const struct row_format *format, const struct result *r,
				       const struct format_options *options)
{
	struct table_of_rows *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->event = arena_strdup(&t->arena, r->event);
	t->instance = arena_strdup(&t->arena, r->instance ?: "");
	t->trigger = arena_strdup(&t->arena, r->trigger);
	t->writer = (struct row_writer){
		.format = format,
		.clock_counts = r->info->clock_counts,
		.title = t->event,
		.creator = arena_printf(&t->arena, "hist %s", r->info->version),
		.dir = options->directory_fd,
		.file = options->directory ? t->file : NULL,
	};
	if (!t->event || !t->instance || !t->trigger || !t->writer.creator ||
	    (options->totals ? cells_total_columns(r, &t->arena, &t->columns, &t->stats)
			     : cells_columns(r, options->sliced, &t->arena, &t->columns))) {
		table_free(t);
		return NULL;
	}
	choose_name(all, t);
	return t;
}

static struct table_of_rows *find_table(const struct tables_of_rows *all, const struct result *r)
{
	array_each_ptr(struct table_of_rows, t, &all->v) {
		if (!strcmp(t->event, r->event) && !strcmp(t->trigger, r->trigger) &&
		    !strcmp(t->instance, r->instance ?: ""))
			return t;
	}
	return NULL;
}

static int add_rows(struct table_of_rows *t, const struct result *r,
		    const struct format_options *options, struct printer *p)
{
	struct result_row row;
	int err = 0;

	if (options->totals) {
		err = cells_add_total(&t->writer, r, t->stats,
				      !strcmp(t->writer.format->name, "text"));
		rows_end_row(&t->writer);
		return err ?: t->writer.err;
	}
	for (size_t i = 0; i < r->n_rows && !err && !p->err && !t->writer.err; i++) {
		r->row(r, i, &row);
		err = cells_add_row(&t->writer, r, &row, options->sliced);
		rows_end_row(&t->writer);
		printer_flush(p);
	}
	return err ?: p->err ?: t->writer.err;
}

/* The sink reports its own failures. */
static void report_failure(const struct table_of_rows *t, const struct format_options *options,
			   const struct printer *p)
{
	if (p->err == -HIST_EIO && options->directory && options->messages)
		diags_error(options->messages, p->err, "%s/%s: %s", options->directory, t->file,
			    strerror(errno));
}

static void print_table(const struct format *format, const struct result *r,
			const struct format_options *options, struct printer *p)
{
	struct tables_of_rows *all = *options->state ?: calloc(1, sizeof(*all));
	struct table_of_rows *t;
	bool begins;

	*options->state = all;
	t = all && options->sliced ? find_table(all, r) : NULL;
	begins = !t;
	if (begins) {
		t = all ? table_new(all, format->arg, r, options) : NULL;
		if (!t || array_push(&all->v, t)) {
			table_free(t);
			p->err = HIST_NOMEM;
			return;
		}
	}
	t->writer.out = &p->buf;
	if (begins)
		rows_begin(&t->writer, t->columns.v, t->columns.n);
	p->err = add_rows(t, r, options, p);
	report_failure(t, options, p);
}

static void finish(const struct format *format UNUSED, const struct format_options *options,
		   bool keep, struct printer *p)
{
	struct tables_of_rows *all = *options->state;

	for (size_t i = 0; all && i < all->v.n; i++) {
		struct table_of_rows *t = all->v.v[i];
		int err;

		t->writer.out = &p->buf;
		err = rows_end(&t->writer, keep && !p->err);
		p->err = p->err ?: err;
		if (keep)
			report_failure(t, options, p);
		keep &= !p->err;
		table_free(t);
	}
	if (all)
		array_release(&all->v);
	free(all);
	*options->state = NULL;
}

struct format format_of_rows(const struct row_format *of)
{
	return (struct format){ .name = of->name,
				.one_table = true,
				.joins_slices = true,
				.print = print_table,
				.finish = finish,
				.arg = of };
}
