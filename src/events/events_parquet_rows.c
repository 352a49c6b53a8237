// SPDX-License-Identifier: LGPL-2.1-only
/* Events as Parquet: the columns of a type of events, and the values of an event. */
#include "events/events_parquet.h"

/* --- columns --- */

static int add_column(struct type_file *f, const struct row_column *c, struct parquet_source s)
{
	return array_push(&f->columns, parquet_column_of(c)) || array_push(&f->sources, s)
		       ? HIST_NOMEM
		       : 0;
}

/* Readers do not distinguish upper and lower case. */
static bool has_column(const struct type_file *f, const char *name)
{
	return any_of(i, f->columns.n, !strcasecmp(f->columns.v[i].name, name));
}

static int add_renamed(struct parquet_writing *w, struct type_file *f, struct row_column c,
		       struct events_column of)
{
	while (c.name && has_column(f, c.name))
		c.name = arena_printf(&w->ev->arena, "%s_", c.name);
	return c.name ? add_column(f, &c, (struct parquet_source){ .of = of }) : HIST_NOMEM;
}

/* Field @i, which all rows have. */
static int add_field(struct parquet_writing *w, struct type_file *f, size_t i)
{
	int *field = arena_alloc(&w->ev->arena, sizeof(*field));
	struct row_column c;

	if (!field)
		return HIST_NOMEM;
	*field = (int)i;
	events_field_column(&f->type->public.fields[i], &c);
	return add_renamed(w, f, c,
			   (struct events_column){
				   .kind = COLUMN_FIELD, .fields = field, .of_one_type = true });
}

/* The words for the numbers of the field @i, which was added last, as csv has them. */
static int add_words_of(struct parquet_writing *w, struct type_file *f, size_t i)
{
	const char *column = f->type->public.fields[i].column;
	const char *name = arena_printf(&w->ev->arena, "%s_text", column);
	struct number_names *words = arena_alloc(&w->ev->arena, sizeof(*words));
	struct events_column of = f->sources.v[f->sources.n - 1].of;
	int err = name && words ? events_field_words(w->ev, f->type, i, &w->ev->arena, words)
				: HIST_NOMEM;

	if (err || !number_names_any(words) || events_type_has_column(f->type, name))
		return err;
	of.kind = COLUMN_WORDS;
	of.words = words;
	return add_renamed(w, f, (struct row_column){ .name = name, .kind = CELL_TEXT }, of);
}

static int add_fields(struct parquet_writing *w, struct type_file *f)
{
	const struct hist_event_type *type = &f->type->public;
	int err = 0;

	/* kernel: of two fields with one name, the last one is used */
	for (size_t i = 0; i < type->n_fields && !err; i++)
		if (hist_event_field(type, type->fields[i].name) == (int)i)
			err = add_field(w, f, i) ?: add_words_of(w, f, i);
	return err;
}

static int add_labels(struct parquet_writing *w, struct type_file *f)
{
	const struct hist_events_print *print = w->printer->print;
	int err = 0;

	for (size_t i = 0; i < print->n_labels && !err; i++) {
		struct span value = span_of(print->labels[i]), name = span_sep(&value, "=");
		struct row_column c = { .kind = CELL_TEXT };

		c.name = arena_strndup(&w->ev->arena, name.s, name.n);
		if (!c.name)
			return HIST_NOMEM;
		if (has_column(f, c.name))
			return diags_error(w->diags, -HIST_EINVAL,
					   "--label %s: %s has a column of that name", c.name,
					   f->type->title);
		err = add_column(f, &c, (struct parquet_source){ .label = value.s });
	}
	return err;
}

/* The usual columns, or those of --fields that this type has. */
int parquet_choose_columns(struct parquet_writing *w, struct type_file *f)
{
	static const enum events_column_kind usual[] = {
		COLUMN_TS,   COLUMN_TIME,    COLUMN_CPU,    COLUMN_PID,   COLUMN_COMM,
		COLUMN_TGID, COLUMN_PROCESS, COLUMN_CGROUP, COLUMN_FIELDS
	};
	const struct events_printer *p = w->printer;
	const size_t n = p->columns.n ? p->columns.n : ARRAY_SIZE(usual);
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		const struct events_column *c = p->columns.n ? &p->columns.v[i] : NULL;
		const enum events_column_kind kind = c ? c->kind : usual[i];
		const size_t type = f->type->public.number;
		const int field = kind == COLUMN_FIELD || kind == COLUMN_WORDS ? c->fields[type]
									       : -1;
		struct events_column of = c ? *c : (struct events_column){ .kind = kind };

		if (kind == COLUMN_FIELDS)
			err = add_fields(w, f);
		else if (kind < COLUMN_FIELD && (kind != COLUMN_TIME || w->has_date))
			err = add_column(f, &events_common_columns[kind],
					 (struct parquet_source){ .of = of });
		else if (kind == COLUMN_FIELD && field >= 0)
			err = add_field(w, f, (size_t)field);
		else if (kind == COLUMN_CODE || field >= 0)
			err = add_renamed(w, f,
					  (struct row_column){ .name = c->name, .kind = CELL_TEXT },
					  of);
	}
	/* last, so that they do not rename a column */
	return err ? err : add_labels(w, f);
}

/* --- encoding --- */

/* Of as many rows at once as a cache of the processor has room for. */
enum { BLOCK = 128 };

/* The numbers of @n rows from @begin on; false: the column has others, or one is absent. */
static bool load_numbers(const struct parquet_slot *slot, const struct events_column *c,
			 size_t begin, size_t n, u64 v[static BLOCK])
{
	const struct events_row *rows = slot->kept.v.v + begin;
	const struct events_type *type = slot->w->files[slot->file].type;
	const struct hist_event_field *field;
	const bool big = slot->w->ev->h->recordings.machine.big_endian;
	u32 at;

	switch (c->kind) {
	case COLUMN_TS:
	case COLUMN_TIME:
		for (size_t i = 0; i < n; i++)
			v[i] = rows[i].e.ts + (c->kind == COLUMN_TIME ? slot->w->wall : 0);
		return true;
	case COLUMN_CPU:
		for (size_t i = 0; i < n; i++)
			v[i] = rows[i].e.cpu;
		return true;
	case COLUMN_PID:
		for (size_t i = 0; i < n; i++)
			v[i] = (u64)(s64)rows[i].e.pid;
		return true;
	case COLUMN_FIELD:
		break;
	default:
		return false;
	}
	field = &type->public.fields[*c->fields];
	if (field->kind != HIST_VALUE_UNSIGNED && field->kind != HIST_VALUE_SIGNED &&
	    field->kind != HIST_VALUE_POINTER)
		return false;
	at = type->fields[*c->fields].of->offset;
	for (size_t i = 0; i < n; i++) {
		if ((u64)at + field->size > rows[i].e.size)
			return false;
		v[i] = load_int((const u8 *)slot->kept.bytes.s + rows[i].at + at, field->size,
				field->kind == HIST_VALUE_SIGNED, big);
	}
	return true;
}

/* The @n rows from @begin on. */
static void add_column_of(struct parquet_slot *slot, const struct type_file *f, size_t column,
			  size_t begin, size_t n)
{
	const struct parquet_source *s = &f->sources.v[column];
	struct row_cell cell = { .kind = CELL_TEXT, .text = span_of(s->label ?: "") };
	struct events_cell_room room;
	u64 numbers[BLOCK];

	if (!s->label && load_numbers(slot, &s->of, begin, n, numbers)) {
		parquet_add_numbers(&slot->group, column, numbers, n);
		return;
	}
	for (size_t i = begin; i < begin + n; i++) {
		struct events_row *row = events_rows_at(&slot->kept, i);

		row->cell = &slot->cell;
		if (!s->label)
			cell = events_cell(slot->w->printer, row, &s->of, &room);
		parquet_add_cell(&slot->group, column, &cell);
	}
	slot->group.failed |= slot->cell.failed;
}

void parquet_make_group(void *item, size_t i UNUSED)
{
	struct parquet_slot *slot = item;
	const struct type_file *f = &slot->w->files[slot->file];
	const size_t n = slot->kept.v.n;

	if (slot->used)
		parquet_group_release(&slot->group);
	slot->used = true;
	slot->err = parquet_group_init(&slot->group, f->columns.v, f->columns.n);
	for (size_t at = 0; at < n && !slot->err; at += BLOCK)
		for (size_t c = 0; c < f->sources.n; c++)
			add_column_of(slot, f, c, at, min_t(size_t, BLOCK, n - at));
	slot->group.n_rows = n;
	slot->err = slot->err ?: parquet_group_encode(&slot->group);
}
