// SPDX-License-Identifier: LGPL-2.1-only
/* Events as Parquet: the columns of a type of events, and the values of an event. */
#include <strings.h>

#include "events/events_parquet.h"
#include "program/load.h"

/* --- columns --- */

static int add_column(struct type_file *f, struct parquet_column c, struct parquet_source s)
{
	return array_push(&f->columns, c) || array_push(&f->sources, s) ? HIST_NOMEM : 0;
}

/* Readers do not distinguish upper and lower case. */
static bool has_column(const struct type_file *f, const char *name)
{
	for (size_t i = 0; i < f->columns.n; i++)
		if (!strcasecmp(f->columns.v[i].name, name))
			return true;
	return false;
}

static enum parquet_kind number_kind(enum hist_value_kind kind)
{
	return kind == HIST_VALUE_SIGNED ? PARQUET_SIGNED : PARQUET_UNSIGNED;
}

static int add_renamed(struct parquet_writing *w, struct type_file *f, struct parquet_column c,
		       struct parquet_source s)
{
	while (c.name && has_column(f, c.name))
		c.name = arena_printf(&w->ev->arena, "%s_", c.name);
	return c.name ? add_column(f, c, s) : HIST_NOMEM;
}

static int add_field(struct parquet_writing *w, struct type_file *f, size_t i)
{
	const struct hist_event_field *field = &f->type->public.fields[i];
	struct parquet_column c = { .name = field->column, .size = field->size };

	switch (field->kind) {
	case HIST_VALUE_TEXT:
		c.kind = PARQUET_TEXT;
		break;
	case HIST_VALUE_BYTES:
		c.kind = PARQUET_BYTES;
		break;
	case HIST_VALUE_LIST:
		c.kind = number_kind(field->element);
		c.list = true;
		break;
	default:
		c.kind = number_kind(field->kind);
	}
	return add_renamed(w, f, c,
			   (struct parquet_source){ .kind = COLUMN_FIELD, .field = (int)i });
}

static int add_words(struct parquet_writing *w, struct type_file *f, const char *name,
		     struct parquet_source s)
{
	s.kind = COLUMN_WORDS;
	return add_renamed(w, f, (struct parquet_column){ .name = name, .kind = PARQUET_TEXT }, s);
}

/* The words for the numbers of field @i, as csv has them. */
static int add_words_of(struct parquet_writing *w, struct type_file *f, size_t i)
{
	const char *field = f->type->public.fields[i].column;
	const char *name = arena_printf(&w->ev->arena, "%s_text", field);
	struct parquet_source s = { .field = (int)i };
	int err = events_field_words(w->ev, f->type, i, &w->ev->arena, &s.words);

	if (err || !name)
		return err ?: HIST_NOMEM;
	if (!number_names_any(&s.words) || events_type_has_column(f->type, name))
		return 0;
	return add_words(w, f, name, s);
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

/* ORDER events_column_kind */
static const struct parquet_column common[] = {
	{ "time", PARQUET_TIME, 8, false },    { "ts", PARQUET_SIGNED, 8, false },
	{ "cpu", PARQUET_UNSIGNED, 4, false }, { "pid", PARQUET_SIGNED, 4, false },
	{ "comm", PARQUET_TEXT, 0, false },    { "event", PARQUET_TEXT, 0, false },
	{ "tgid", PARQUET_SIGNED, 4, false },  { "process", PARQUET_TEXT, 0, false },
	{ "cmdline", PARQUET_TEXT, 0, false }, { "cgroup", PARQUET_TEXT, 0, false },
	{ "text", PARQUET_TEXT, 0, false },
};

static int add_common(struct parquet_writing *w, struct type_file *f, enum events_column_kind kind)
{
	if (kind == COLUMN_TIME && !w->has_date)
		return 0;
	return add_column(f, common[kind], (struct parquet_source){ .kind = kind, .field = -1 });
}

static int add_labels(struct parquet_writing *w, struct type_file *f)
{
	const struct hist_events_print *print = w->printer->print;
	int err = 0;

	for (size_t i = 0; i < print->n_labels && !err; i++) {
		struct span value = span_of(print->labels[i]), name = span_sep(&value, "=");
		struct parquet_column c = { .kind = PARQUET_TEXT };

		c.name = arena_strndup(&w->ev->arena, name.s, name.n);
		if (!c.name)
			return HIST_NOMEM;
		if (has_column(f, c.name))
			return diags_error(w->diags, -HIST_EINVAL,
					   "--label %s: %s has a column of that name", c.name,
					   f->type->title);
		err = add_column(f, c,
				 (struct parquet_source){
					 .kind = COLUMN_FIELD, .field = -1, .label = value.s });
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

		if (kind == COLUMN_FIELDS)
			err = add_fields(w, f);
		else if (kind == COLUMN_CODE)
			err = add_renamed(
				w, f, (struct parquet_column){ c->name, PARQUET_TEXT, 0, false },
				(struct parquet_source){ .kind = kind, .code = c->code });
		else if (kind < COLUMN_FIELD)
			err = add_common(w, f, kind);
		else if (field >= 0 && kind == COLUMN_FIELD)
			err = add_field(w, f, (size_t)field);
		else if (field >= 0)
			err = add_words(w, f, c->name,
					(struct parquet_source){ .field = field,
								 .words = c->words[type] });
	}
	/* last, so that they do not rename a column */
	return err ? err : add_labels(w, f);
}

/* --- encoding --- */

static void add_str(struct parquet_slot *slot, size_t column, const char *s)
{
	if (s)
		parquet_add_text(&slot->group, column, span_of(s));
	else
		parquet_add_null(&slot->group, column);
}

static void add_value(struct parquet_slot *slot, size_t column, const struct hist_value *v)
{
	struct parquet_group *g = &slot->group;

	switch (v->kind) {
	case HIST_VALUE_ABSENT:
		parquet_add_null(g, column);
		break;
	case HIST_VALUE_TEXT:
	case HIST_VALUE_BYTES:
		parquet_add_text(g, column, (struct span){ v->data, v->len });
		break;
	case HIST_VALUE_LIST:
		parquet_add_list(g, column, v->len);
		for (size_t i = 0; i < v->len; i++)
			parquet_add_element(g, column, hist_value_element(v, i));
		break;
	default:
		parquet_add_number(g, column, v->number);
	}
}

/* A number without a name has none. */
static void add_number_name(struct parquet_slot *slot, size_t column, const struct hist_value *v,
			    const struct number_names *words)
{
	char buf[EVENTS_NAME_MAX];
	const struct span name = events_value_name(v, words, buf);

	if (name.n)
		parquet_add_text(&slot->group, column, name);
	else
		parquet_add_null(&slot->group, column);
}

/* What is not known of all rows of a column from its kind alone. */
static void add_common_value(struct parquet_slot *slot, size_t column, enum events_column_kind kind,
			     const struct events_row *row)
{
	struct strbuf text = STRBUF_INIT;
	char buf[WHO_TEXT_MAX];

	switch (kind) {
	case COLUMN_TGID:
		if (row->tgid < 0)
			parquet_add_null(&slot->group, column);
		else
			parquet_add_number(&slot->group, column, (u64)row->tgid);
		break;
	case COLUMN_COMM:
		add_str(slot, column, row->comm);
		break;
	case COLUMN_EVENT:
		add_str(slot, column, events_type_of(&row->e)->title);
		break;
	case COLUMN_TEXT:
		events_add_text(&row->e, &text);
		parquet_add_text(&slot->group, column, strbuf_span(&text));
		slot->group.failed |= text.failed;
		strbuf_release(&text);
		break;
	default:
		add_str(slot, column, events_row_who(row, kind, buf));
	}
}

/* Of as many rows at once as a cache of the processor has room for. */
enum { BLOCK = 128 };

/* The numbers of @n rows from @begin on; false: the column has others, or one is absent. */
static bool load_numbers(const struct parquet_slot *slot, const struct parquet_source *s,
			 size_t begin, size_t n, u64 v[static BLOCK])
{
	const struct events_row *rows = slot->kept.v.v + begin;
	const struct events_type *type = slot->w->files[slot->file].type;
	const struct hist_event_field *field;
	const bool big = slot->w->ev->h->recordings.machine.big_endian;
	u32 at;

	switch (s->kind) {
	case COLUMN_TS:
	case COLUMN_TIME:
		for (size_t i = 0; i < n; i++)
			v[i] = rows[i].e.ts;
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
	field = &type->public.fields[s->field];
	if (field->kind != HIST_VALUE_UNSIGNED && field->kind != HIST_VALUE_SIGNED &&
	    field->kind != HIST_VALUE_POINTER)
		return false;
	at = type->fields[s->field].of->offset;
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
	struct strbuf text = STRBUF_INIT;
	u64 numbers[BLOCK];

	if (!s->label && load_numbers(slot, s, begin, n, numbers)) {
		parquet_add_numbers(&slot->group, column, numbers, n);
		return;
	}
	for (size_t i = begin; i < begin + n; i++) {
		const struct events_row *row = events_rows_at(&slot->kept, i);
		struct hist_value v;

		if (s->label) {
			add_str(slot, column, s->label);
		} else if (s->kind == COLUMN_FIELD) {
			hist_event_value(&row->e, (size_t)s->field, &v);
			add_value(slot, column, &v);
		} else if (s->kind == COLUMN_CODE) {
			if (events_code_joined(&row->e, s->code, events_row_code(row, s->code),
					       &text))
				parquet_add_text(&slot->group, column, strbuf_span(&text));
			else
				parquet_add_null(&slot->group, column);
		} else if (s->kind == COLUMN_WORDS) {
			hist_event_value(&row->e, (size_t)s->field, &v);
			add_number_name(slot, column, &v, &s->words);
		} else {
			add_common_value(slot, column, s->kind, row);
		}
	}
	slot->group.failed |= text.failed;
	strbuf_release(&text);
}

void parquet_make_group(void *item, size_t i)
{
	struct parquet_slot *slot = item;
	const struct type_file *f = &slot->w->files[slot->file];
	const size_t n = slot->kept.v.n;

	(void)i;
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
