// SPDX-License-Identifier: LGPL-2.1-only
/* The types of events, and how a field of a record is decoded: by its type in the kernel. */
#include "events/events.h"

/* --- types --- */

static bool is_number_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static enum hist_value_kind number_kind(const struct event_field *f)
{
	if (strchr(f->type, '*'))
		return HIST_VALUE_POINTER;
	return f->is_signed ? HIST_VALUE_SIGNED : HIST_VALUE_UNSIGNED;
}

/* Frames of a stack. */
static bool is_stack(const struct event_format *format, const struct event_field *f)
{
	return (!strcmp(format->system, "ftrace") && !strcmp(f->name, "caller")) ||
	       f->filter_type == FILTER_STACKTRACE;
}

static void describe_field(const struct hist_events *ev, const struct event_format *format,
			   struct events_field *in, struct hist_event_field *out)
{
	const struct event_field *f = in->of;
	/* kernel: relative ones are not masks for filters */
	const bool is_mask = f->filter_type == FILTER_CPUMASK ||
			     strstr(f->type, "__rel_loc cpumask_t");

	in->is_relative = strstr(f->type, "__rel_loc") != NULL;
	in->is_dynamic = in->is_relative || strstr(f->type, "__data_loc");
	in->is_rest = !f->size || (!strcmp(format->system, "ftrace") && is_stack(format, f));
	*out = (struct hist_event_field){ .name = f->name, .type = f->type };
	switch (f->filter_type) {
	case FILTER_STATIC_STRING:
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		out->kind = HIST_VALUE_TEXT;
		return;
	default:
		break;
	}
	if (!in->is_dynamic && !strchr(f->type, '[') && is_number_size(f->size)) {
		out->kind = number_kind(f);
		out->size = f->size;
		return;
	}
	out->size = strchr(f->type, '[') ? event_element_size(ev->h->recordings.db, f) : 0;
	if (is_mask)
		out->size = ev->h->recordings.machine.long_size;
	out->kind = is_number_size(out->size) ? HIST_VALUE_LIST : HIST_VALUE_BYTES;
	if (out->kind == HIST_VALUE_BYTES)
		out->size = 0;
	else
		out->element = is_stack(format, f) || is_mask ? HIST_VALUE_POINTER : number_kind(f);
}

int events_type_add(struct hist_events *ev, const struct event_file *file)
{
	const struct event_format *format = file->format;
	size_t n = format->n_fields - format->n_common;
	struct events_type *type = arena_alloc(&ev->arena, sizeof(*type));
	struct events_field *fields = arena_alloc(&ev->arena, (n + 1) * sizeof(*fields));
	struct hist_event_field *public = arena_alloc(&ev->arena, (n + 1) * sizeof(*public));

	if (!type || !fields || !public)
		return HIST_NOMEM;
	for (size_t i = 0; i < n; i++) {
		fields[i].of = &format->fields[format->n_common + i];
		describe_field(ev, format, &fields[i], &public[i]);
		public[i].column = events_column_name(&ev->arena, public[i].name);
		if (!public[i].column)
			return HIST_NOMEM;
	}
	type->file = file;
	type->format = format;
	type->fields = fields;
	type->title = arena_printf(&ev->arena, "%s:%s", file->system, file->name);
	type->public = (struct hist_event_type){
		.system = file->system,
		.name = file->name,
		.number = ev->types.n,
		.n_fields = n,
		.fields = public,
	};
	return type->title ? array_push(&ev->types, type) : HIST_NOMEM;
}

const struct hist_event_type *hist_events_type(const struct hist_events *ev, size_t i)
{
	return i < ev->types.n ? &ev->types.v[i]->public : NULL;
}

int hist_event_field(const struct hist_event_type *type, const char *name)
{
	/* kernel: the last one of a name is used */
	for (size_t i = type->n_fields; i--;)
		if (!strcmp(type->fields[i].name, name))
			return (int)i;
	return -1;
}

/* --- values --- */

/* The bytes of a field; without data if the record does not contain them. */
static struct span field_bytes(const struct hist_event *e, const struct events_field *f, bool big)
{
	const struct hit hit = { .rec = e->record, .len = (u32)e->size };
	u32 at = f->of->offset;

	if (f->is_dynamic)
		return load_dynamic(&hit, at, f->is_relative, big);
	if (f->is_rest)
		return load_bytes(&hit, at, UINT32_MAX);
	if (at + f->of->size > e->size)
		return (struct span){ NULL, 0 };
	return load_bytes(&hit, at, f->of->size);
}

/* kernel: a stack ends before the first frame that is not one */
static size_t stack_length(const struct hist_value *v)
{
	const u64 none = v->size == 8 ? UINT64_MAX : UINT32_MAX;
	size_t n = 0;

	while (n < v->len && hist_value_element(v, n) && hist_value_element(v, n) != none)
		n++;
	return n;
}

static void read_list(const struct events_type *type, const struct event_field *f,
		      struct hist_value *v)
{
	v->len /= v->size;
	if (!is_stack(type->format, f))
		return;
	/* kernel: the first word of a stack of a synthetic event is its length */
	if (f->filter_type == FILTER_STACKTRACE && v->len) {
		v->data = (const u8 *)v->data + v->size;
		v->len--;
	}
	v->len = stack_length(v);
}

void hist_event_value(const struct hist_event *e, size_t i, struct hist_value *v)
{
	const struct events_type *type = events_type_of(e);
	const struct hist_event_field *field = &type->public.fields[i];
	const bool big = e->events->h->recordings.machine.big_endian;
	struct span bytes = field_bytes(e, &type->fields[i], big);

	*v = (struct hist_value){ .kind = bytes.s ? field->kind : HIST_VALUE_ABSENT,
				  .data = bytes.s,
				  .len = bytes.n,
				  .element = field->element,
				  .size = field->size,
				  .big_endian = big };
	if (!bytes.s)
		return;
	switch (v->kind) {
	case HIST_VALUE_UNSIGNED:
	case HIST_VALUE_SIGNED:
	case HIST_VALUE_POINTER:
		v->number = load_int((const u8 *)bytes.s, field->size, v->kind == HIST_VALUE_SIGNED,
				     big);
		break;
	case HIST_VALUE_TEXT:
		v->len = strnlen(bytes.s, bytes.n);
		break;
	case HIST_VALUE_LIST:
		read_list(type, type->fields[i].of, v);
		break;
	default:
		break;
	}
}

uint64_t hist_value_element(const struct hist_value *v, size_t i)
{
	return load_int((const u8 *)v->data + i * v->size, v->size, v->element == HIST_VALUE_SIGNED,
			v->big_endian);
}
