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

/* The end of the string literal that @text begins with, after the quote. */
static const char *end_of_literal(const char *text)
{
	if (*text == '"')
		for (text++; *text && *text != '"'; text++)
			text += *text == '\\' && text[1];
	return *text ? text + 1 : text;
}

/* Whether the conversion whose "%" is before @at is joined with another one: "%d,%d". */
static bool is_joined(const char *at)
{
	at += strspn(at, "#0- +123456789.hlzjtq");
	at += *at == 'p' ? strspn(at, "pSsFfBIiMmhCdDR46") : *at != 0;
	return at[strspn(at, ".,:/->|")] == '%';
}

/* The number of conversions before "NAME=%" in the format at @fmt, whose end is @end; -1: none */
static int find_label(const char *fmt, const char *end, struct span name)
{
	int n = 0;

	for (const char *at = fmt; at < end; at++) {
		const bool begins = at == fmt || strchr(" \"[(,", at[-1]);

		if (begins && (size_t)(end - at) > name.n + 1 && !memcmp(at, name.s, name.n) &&
		    at[name.n] == '=' && at[name.n + 1] == '%')
			return is_joined(at + name.n + 2) ? -1 : n;
		if (*at == '%' && at[1] == '%')
			at++;
		else
			n += *at == '%';
	}
	return -1;
}

/* The comma after the argument at @arg, outside of parentheses, or the end. */
static const char *end_of_argument(const char *arg)
{
	int depth = 0;

	while (*arg && (depth || *arg != ',')) {
		depth += (*arg == '(') - (*arg == ')');
		arg = *arg == '"' ? end_of_literal(arg) : arg + 1;
	}
	return arg;
}

/* Whether an operator at @at makes another value of a field: not "->" and the "*" of a cast. */
static bool is_operator(const char *at)
{
	if (!strncmp(at, "->", 2) || (*at == '>' && at[-1] == '-') || (*at == '*' && at[1] == ')'))
		return false;
	return *at && strchr("+-*/%<>&|^?!~=", *at);
}

/* Whether the call of this name makes another value of a field: not those that print or find it. */
static bool is_conversion(struct span name)
{
	return name.n && name.s[name.n] == '(' &&
	       ((!span_starts(name, "__print_") && !span_starts(name, "__get_")) ||
		(name.n > 4 && !memcmp(name.s + name.n - 4, "_len", 4)));
}

/* The only field in the argument at @arg, if the text shows its value. */
static const struct event_field *field_of_argument(const struct event_format *fmt, const char *arg)
{
	static const char word[] =
		"abcdefghijklmnopqrstuvwxyz_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char *end = end_of_argument(arg);
	const struct event_field *found = NULL;
	bool value = true; /* not the names of values, which __print_symbolic() has after a comma */

	while (arg < end) {
		const struct span name = { arg, strspn(arg, word) };
		const struct event_field *f = find_last(fmt->fields, fmt->n_fields, name);

		if ((f && found && f != found) ||
		    (value && (is_operator(arg) || is_conversion(name))))
			return NULL;
		found = f ?: found;
		value &= *arg != ',';
		arg = *arg == '"' ? end_of_literal(arg) : arg + max_t(size_t, name.n, 1);
	}
	return found;
}

const struct event_field *event_find_shown(const struct event_format *fmt, struct span name)
{
	const char *text = fmt->print_fmt ?: "", *arg = end_of_literal(text);
	int n = *text == '"' && name.n ? find_label(text + 1, arg, name) : -1;

	for (; n > 0 && *arg == ','; n--)
		arg = end_of_argument(arg + 1);
	return !n && *arg == ',' ? field_of_argument(fmt, arg + 1) : NULL;
}
