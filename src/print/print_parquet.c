// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parquet: the columns and rows of csv with their types, a file for each histogram. A slice of time
 * adds rows to the file of its histogram, so files are complete at the end of the run.
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "parquet/parquet.h"
#include "print/cells.h"
#include "print/print.h"

enum { GROUP_ROWS = 1 << 16 };

struct table_file {
	struct cell_sink sink;
	struct arena arena;
	const char *event, *instance, *trigger; /* which histogram it is */
	const char *creator;
	char name[NAME_MAX + 1];
	ARRAY(struct parquet_column) columns;
	struct parquet_group group;
	struct parquet_file file;
	struct printer *printer; /* where a file without a name goes */
	size_t column;           /* of the next cell */
	int err;
};

struct table_files {
	ARRAY(struct table_file *) v;
};

static struct table_file *table_of(struct cell_sink *to)
{
	return (struct table_file *)(void *)to;
}

/* --- columns and cells --- */

/* ORDER cell_kind */
static const enum parquet_kind kinds[] = { PARQUET_TEXT, PARQUET_UNSIGNED, PARQUET_SIGNED,
					   PARQUET_SIGNED, PARQUET_DOUBLE };

static void add_column(struct cell_sink *to, const char *name, enum cell_kind kind)
{
	struct table_file *t = table_of(to);
	const struct parquet_column c = { .name = arena_strdup(&t->arena, name),
					  .kind = kinds[kind],
					  .size = kind == CELL_TEXT ? 0 : 8 };

	if (!c.name || array_push(&t->columns, c))
		t->err = HIST_NOMEM;
}

static void add_absent(struct cell_sink *to)
{
	struct table_file *t = table_of(to);

	if (t->column < t->columns.n)
		parquet_add_null(&t->group, t->column++);
}

static void add_text(struct cell_sink *to, struct span text)
{
	struct table_file *t = table_of(to);

	if (t->column < t->columns.n && t->columns.v[t->column].kind == PARQUET_TEXT)
		parquet_add_text(&t->group, t->column++, text);
	else
		add_absent(to);
}

static void add_number(struct cell_sink *to, u64 v, enum cell_kind kind)
{
	struct table_file *t = table_of(to);

	if (t->column < t->columns.n && t->columns.v[t->column].kind == kinds[kind])
		parquet_add_number(&t->group, t->column++, v);
	else
		add_absent(to);
}

static void add_fraction(struct cell_sink *to, double v)
{
	union {
		double d;
		u64 u;
	} bits = { v + 0.0 };

	if (isnan(v))
		add_absent(to);
	else
		add_number(to, bits.u, CELL_DOUBLE);
}

/* --- files --- */

static int sink_printer(void *arg, const void *data, size_t len)
{
	const struct table_file *t = arg;

	strbuf_add(&t->printer->buf, data, len);
	printer_flush(t->printer);
	return t->printer->err;
}

static bool is_named(const struct table_files *files, const char *name)
{
	for (size_t i = 0; i < files->v.n; i++)
		if (files->v.v[i]->name != name && !strcmp(files->v.v[i]->name, name))
			return true;
	return false;
}

/* SYSTEM.EVENT.parquet, after its INSTANCE; the second one of an event is SYSTEM.EVENT.2.parquet */
static void choose_name(const struct table_files *files, struct table_file *t)
{
	const char *dot = *t->instance ? "." : "";
	const int room = NAME_MAX - 64;
	char base[NAME_MAX + 1];

	snprintf(base, sizeof(base), "%.*s%s%.*s", room / 2, t->instance, dot, room / 2, t->event);
	for (char *c = base; *c; c++)
		if (*c == ':' || *c == '/' || (unsigned char)*c < ' ' || (c == base && *c == '.'))
			*c = *c == ':' ? '.' : '_';
	snprintf(t->name, sizeof(t->name), "%.*s.parquet", room + 1, base);
	for (size_t n = 2; is_named(files, t->name); n++)
		snprintf(t->name, sizeof(t->name), "%.*s.%zu.parquet", room + 1, base, n);
}

static void table_free(struct table_file *t)
{
	if (!t)
		return;
	array_release(&t->columns);
	parquet_group_release(&t->group);
	parquet_file_release(&t->file);
	arena_release(&t->arena);
	free(t);
}

static struct table_file *table_new(struct printer *p)
{
	struct table_file *t = calloc(1, sizeof(*t));

	if (t)
		*t = (struct table_file){ .printer = p,
					  .group = { .bytes = STRBUF_INIT },
					  .file = PARQUET_FILE_INIT };
	return t;
}

static int table_begin(const struct table_files *files, struct table_file *t,
		       const struct result *r, const struct format_options *options)
{
	int err;

	t->sink = (struct cell_sink){ add_column,     add_absent,   add_text,
				      add_number,     add_fraction, r->info->clock_counts,
				      options->sliced };
	t->event = arena_strdup(&t->arena, r->event);
	t->instance = arena_strdup(&t->arena, r->instance ?: "");
	t->trigger = arena_strdup(&t->arena, r->trigger);
	t->creator = arena_printf(&t->arena, "hist %s", r->info->version);
	if (!t->event || !t->instance || !t->trigger || !t->creator)
		return HIST_NOMEM;
	err = cells_add_columns(&t->sink, r) ?: t->err;
	if (err)
		return err;
	choose_name(files, t);
	t->file.columns = t->columns.v;
	t->file.n_columns = t->columns.n;
	t->file.sink = sink_printer;
	t->file.arg = t;
	t->file.dir = options->directory_fd;
	t->file.name = t->name;
	return parquet_group_init(&t->group, t->columns.v, t->columns.n)
		       ?: parquet_file_begin(&t->file);
}

static struct table_file *find_table(const struct table_files *files, const struct result *r)
{
	for (size_t i = 0; i < files->v.n; i++) {
		struct table_file *t = files->v.v[i];

		if (!strcmp(t->event, r->event) && !strcmp(t->trigger, r->trigger) &&
		    !strcmp(t->instance, r->instance ?: ""))
			return t;
	}
	return NULL;
}

static int write_group(struct table_file *t)
{
	int err = parquet_group_encode(&t->group) ?: parquet_file_add(&t->file, &t->group);

	parquet_group_release(&t->group);
	return parquet_group_init(&t->group, t->columns.v, t->columns.n) ?: err;
}

static int add_rows(struct table_file *t, const struct result *r)
{
	struct result_row row;
	int err = 0;

	for (size_t i = 0; i < r->n_rows && !err; i++) {
		r->row(r, i, &row);
		t->column = 0;
		err = cells_add_row(&t->sink, r, &row);
		while (t->column < t->columns.n)
			add_absent(&t->sink);
		if (++t->group.n_rows == GROUP_ROWS && !err)
			err = write_group(t);
	}
	return err;
}

/* The sink reports its own failures. */
static void report_failure(const struct table_file *t, const struct format_options *options,
			   const struct printer *p)
{
	if (p->err == -HIST_EIO && options->directory && options->messages)
		diags_error(options->messages, p->err, "%s/%s: %s", options->directory, t->name,
			    strerror(errno));
}

/* --- the format --- */

static void print_table(const struct format *format, const struct result *r,
			const struct format_options *options, struct printer *p)
{
	struct table_files *files = *options->state ?: calloc(1, sizeof(*files));
	struct table_file *t;

	(void)format;
	*options->state = files;
	t = files && options->sliced ? find_table(files, r) : NULL;
	if (!t) {
		t = files ? table_new(p) : NULL;
		if (!t || array_push(&files->v, t)) {
			table_free(t);
			p->err = HIST_NOMEM;
			return;
		}
		p->err = table_begin(files, t, r, options);
	}
	t->printer = p;
	p->err = p->err ?: add_rows(t, r);
	report_failure(t, options, p);
}

static void finish(const struct format *format, const struct format_options *options, bool keep,
		   struct printer *p)
{
	struct table_files *files = *options->state;

	(void)format;
	for (size_t i = 0; files && i < files->v.n; i++) {
		struct table_file *t = files->v.v[i];

		t->printer = p;
		if (keep && !p->err && t->group.n_rows)
			p->err = write_group(t);
		if (keep && !p->err)
			p->err = parquet_file_end(&t->file, t->creator);
		if (keep)
			report_failure(t, options, p);
		keep &= !p->err;
		table_free(t);
	}
	if (files)
		array_release(&files->v);
	free(files);
	*options->state = NULL;
}

const struct format format_parquet = { .name = "parquet",
				       .one_table = true,
				       .joins_slices = true,
				       .print = print_table,
				       .finish = finish };
