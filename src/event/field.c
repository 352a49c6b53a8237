// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Looks up fields by name, and derives the filter class from the name of a type.
 *
 * Corresponds to __find_event_field() and trace_define_generic_fields() in trace_events.c and to
 * filter_assign_type() in trace_events_filter.c.
 */
#include "event/event.h"

/* kernel: generic fields have neither offset nor size */
static const struct event_field generic_fields[] = {
	{ .name = "CPU", .type = "int", .is_signed = true, .filter_type = FILTER_CPU },
	{ .name = "cpu", .type = "int", .is_signed = true, .filter_type = FILTER_CPU },
	{ .name = "common_cpu", .type = "int", .is_signed = true, .filter_type = FILTER_CPU },
	{ .name = "COMM", .type = "char *", .filter_type = FILTER_COMM },
	{ .name = "comm", .type = "char *", .filter_type = FILTER_COMM },
	{ .name = "stacktrace", .type = "char *", .filter_type = FILTER_STACKTRACE },
	{ .name = "STACKTRACE", .type = "char *", .filter_type = FILTER_STACKTRACE },
};

enum event_field_class event_filter_class(const char *type)
{
	bool is_char = strstr(type, "char");

	if (strstr(type, "__data_loc")) {
		if (is_char)
			return FILTER_DYN_STRING;
		if (strstr(type, "cpumask_t"))
			return FILTER_CPUMASK;
	}
	if (is_char && strstr(type, "__rel_loc"))
		return FILTER_RDYN_STRING;
	if (is_char && strchr(type, '['))
		return FILTER_STATIC_STRING;
	if (!strcmp(type, "char *") || !strcmp(type, "const char *"))
		return FILTER_PTR_STRING;
	return FILTER_OTHER;
}

bool event_field_is_number(const struct event_field *f)
{
	return (f->filter_type == FILTER_OTHER || f->filter_type == FILTER_PTR_STRING) &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8) &&
	       !strchr(f->type, '[') && !strstr(f->type, "_loc ");
}

bool event_field_is_array(const struct event_field *f)
{
	return (f->filter_type == FILTER_OTHER || f->filter_type == FILTER_CPUMASK) &&
	       (strchr(f->type, '[') || strstr(f->type, "_loc "));
}

bool event_fields_alike(const struct event_field *a, const struct event_field *b)
{
	if (!a || !b || a == b)
		return a == b;
	return !strcmp(a->name, b->name) && !strcmp(a->type, b->type) && a->size == b->size &&
	       a->is_signed == b->is_signed;
}

/* kernel: fields are inserted at the head of their list, so the last one of a name is found */
static const struct event_field *find_last(const struct event_field *fields, size_t n,
					   struct span name)
{
	while (n-- > 0)
		if (span_eq(name, fields[n].name))
			return &fields[n];
	return NULL;
}

const struct event_field *event_user_text(const struct event_format *fmt, const char *name)
{
	const struct event_field *end = fmt->fields + fmt->n_fields;
	size_t n = strlen(name);

	for (const struct event_field *f = fmt->fields + fmt->n_common; f < end; f++)
		if (f->filter_type == FILTER_DYN_STRING && !strncmp(f->name, "__", 2) &&
		    !strncmp(f->name + 2, name, n) && !strcmp(f->name + 2 + n, "_val"))
			return f;
	return NULL;
}

/* ORDER event_generics */
static const u8 n_generic_fields[] = { 5, 7 };

const struct event_field *event_find_field(const struct event_format *fmt, struct span name,
					   enum event_generics generics)
{
	size_t n_generic = n_generic_fields[generics];
	const struct event_field *field;

	field = find_last(fmt->fields + fmt->n_common, fmt->n_fields - fmt->n_common, name);
	if (!field)
		field = find_last(generic_fields, n_generic, name);
	if (!field)
		field = find_last(fmt->fields, fmt->n_common, name);
	return field;
}
