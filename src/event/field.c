// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Looks up fields by name, derives the filter class from the name of a type, and finds the names
 * that an event has for the numbers of a field, in __print_symbolic() and __print_flags() of its
 * print fmt: they differ between kernels, and are right for the kernel that recorded it. Signals
 * and devices have names that no print fmt has.
 *
 * Corresponds to __find_event_field() and trace_define_generic_fields() in trace_events.c and to
 * filter_assign_type() in trace_events_filter.c.
 */
#include "event/print_fmt.h"

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

/* --- names of numbers --- */

static bool contains_field(const struct print_expr *e, struct span field)
{
	if (!e)
		return false;
	return (e->field && span_eq(field, e->field->name)) || contains_field(e->a, field) ||
	       contains_field(e->b, field) || contains_field(e->c, field);
}

/*
 * The names of @field in the expression; NULL: it has none. @zero: set to the text that is printed
 * instead of them, as in "state & 31 ? __print_flags(state & 31, ...) : "R"".
 */
static const struct print_expr *find_names(const struct print_expr *e, struct span field,
					   const char **zero)
{
	const struct print_expr *const parts[] = { e->a, e->b, e->c };

	if ((e->op == PRINT_SYMBOLIC || e->op == PRINT_FLAGS) && e->n_names &&
	    contains_field(e->a, field))
		return e;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct print_expr *found = parts[i] ? find_names(parts[i], field, zero)
							  : NULL;

		if (found && e->op == PRINT_COND && parts[i] == e->b && e->c->op == PRINT_STRING)
			*zero = e->c->text;
		if (found)
			return found;
	}
	return NULL;
}

/* A text that follows the names if a bit of the field is set: "state & 256 ? "+" : """. */
static const char *find_suffix(struct event_db *db, const struct print_expr *e, struct span field,
			       u64 *bit)
{
	struct print_ctx constants = { .db = db, .text = STRBUF_INIT };
	struct print_value v = { .kind = PRINTED_UNKNOWN };

	if (e->op != PRINT_COND || e->a->op != PRINT_BINARY || e->a->oper != '&' ||
	    !contains_field(e->a->a, field) || e->b->op != PRINT_STRING || !*e->b->text ||
	    strpbrk(e->b->text, " =") || e->c->op != PRINT_STRING || *e->c->text)
		return NULL;
	print_eval(&constants, e->a->b, &v);
	strbuf_release(&constants.text);
	*bit = v.number;
	return v.kind == PRINTED_NUMBER && v.number ? e->b->text : NULL;
}

/* Names are separated by blanks, so blanks in them become '_'. */
static void add_name(struct strbuf *out, u64 number, const char *name, const char *suffix)
{
	strbuf_addf(out, "%llu=", number);
	for (const char *p = name; *p; p++)
		strbuf_addch(out, *p == ' ' ? '_' : *p);
	strbuf_addf(out, "%s ", suffix);
}

/* Signals have the numbers of the machine on which this runs: those of almost all. */
static void add_signals(struct strbuf *out)
{
	for (int i = 1; i < 32; i++)
		if (sigabbrev_np(i))
			strbuf_addf(out, "%d=SIG%s ", i, sigabbrev_np(i));
}

int event_field_names(struct event_db *db, const char *system, const char *name, struct span field,
		      struct strbuf *out)
{
	scoped(arena_release) struct arena arena = ARENA_INIT;
	const struct event_format *fmt;
	const struct event_field *f = NULL;
	const struct event_print *print = NULL;
	const struct print_expr *found = NULL;
	const char *zero = NULL;

	if (!event_db_find(db, system, name, &fmt)) {
		print = event_print_parse(db, fmt, &arena);
		f = find_last(fmt->fields, fmt->n_fields, field);
	}
	if (f && !strcmp(f->type, "dev_t"))
		strbuf_addstr(out, "MAJOR:MINOR ");
	if (f && !strcmp(system, "signal") && !strcmp(f->name, "sig"))
		add_signals(out);
	for (size_t i = 0; print && i < print->n_args && !found; i++)
		found = find_names(print->args[i], field, &zero);
	if (found && found->op == PRINT_FLAGS)
		strbuf_addstr(out, "| ");
	if (zero && (!*zero || strchr(zero, ' ')))
		zero = NULL;
	if (zero)
		add_name(out, 0, zero, "");
	for (size_t i = 0; found && i < found->n_names; i++)
		add_name(out, found->names[i].value, found->names[i].text, "");
	for (size_t i = 0; found && i < print->n_args; i++) {
		u64 bit;
		const char *suffix = find_suffix(db, print->args[i], field, &bit);

		if (suffix && zero)
			add_name(out, bit, zero, suffix);
		for (size_t n = 0; suffix && n < found->n_names; n++)
			add_name(out, found->names[n].value | bit, found->names[n].text, suffix);
	}
	return out->failed ? HIST_NOMEM : 0;
}
