// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The names that an event has for the numbers of a field, in __print_symbolic() and __print_flags()
 * of its print fmt: they differ between kernels, and are right for the kernel that recorded it.
 */
#include "event/print_fmt.h"

static bool contains_field(const struct print_expr *e, struct span field)
{
	if (!e)
		return false;
	return (e->field && span_eq(field, e->field->name)) || contains_field(e->a, field) ||
	       contains_field(e->b, field) || contains_field(e->c, field);
}

/* The names of @field in the expression; NULL: it has none. */
static const struct print_expr *find_names(const struct print_expr *e, struct span field)
{
	const struct print_expr *const parts[] = { e->a, e->b, e->c };

	if ((e->op == PRINT_SYMBOLIC || e->op == PRINT_FLAGS) && e->n_names &&
	    contains_field(e->a, field))
		return e;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct print_expr *found = parts[i] ? find_names(parts[i], field) : NULL;

		if (found)
			return found;
	}
	return NULL;
}

/* "NUMBER=NAME ": names are separated by blanks, so blanks in them become '_'. */
static void add_name(const struct print_name *name, struct strbuf *out)
{
	strbuf_addf(out, "%llu=", (unsigned long long)name->value);
	for (const char *p = name->text; *p; p++)
		strbuf_addch(out, *p == ' ' ? '_' : *p);
	strbuf_addch(out, ' ');
}

int event_field_names(struct event_db *db, const char *system, const char *name, struct span field,
		      struct strbuf *out)
{
	struct arena arena = ARENA_INIT;
	const struct event_format *fmt;
	const struct event_print *print = NULL;
	const struct print_expr *found = NULL;

	if (!event_db_find(db, system, name, &fmt))
		print = event_print_parse(db, fmt, &arena);
	for (size_t i = 0; print && i < print->n_args && !found; i++)
		found = find_names(print->args[i], field);
	for (size_t i = 0; found && i < found->n_names; i++)
		add_name(&found->names[i], out);
	arena_release(&arena);
	return out->failed ? HIST_NOMEM : 0;
}
