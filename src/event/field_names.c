// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The names that an event has for the numbers of a field, in __print_symbolic() and __print_flags()
 * of its print fmt: they differ between kernels, and are right for the kernel that recorded it.
 * Signals and devices have names that no print fmt has.
 *
 * And the names that its text has for fields.
 */
#include "event/print_fmt.h"

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
		/* kernel: the last one of a name */
		for (size_t i = 0; i < fmt->n_fields; i++)
			if (span_eq(field, fmt->fields[i].name))
				f = &fmt->fields[i];
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

/* --- fields --- */

/* Whether @text ends with "NAME=". */
static bool ends_with_label(struct span text, struct span name)
{
	const char *at = text.s + text.n - name.n - 1;

	return name.n && text.n > name.n && at[name.n] == '=' && !memcmp(at, name.s, name.n) &&
	       (at == text.s || strchr(" \"[(,", at[-1]));
}

/* Whether a conversion is joined with the next one: "%d,%d". */
static bool is_joined(const struct printf_piece *piece)
{
	const char *after = piece->after;

	after += piece->spec.conversion == 'p' ? strspn(after, "SsFfBIiMmhCdDR46") : 0;
	return after[strspn(after, ".,:/->|")] == '%';
}

/* The field whose value an expression is, whatever it looks like; NULL: none, or another value. */
static const struct event_field *field_shown(const struct print_expr *e)
{
	static const u32 shows = 1u << PRINT_CAST | 1u << PRINT_FLAGS | 1u << PRINT_SYMBOLIC |
				 1u << PRINT_HEX | 1u << PRINT_HEX_STR | 1u << PRINT_ARRAY |
				 1u << PRINT_BITMASK | 1u << PRINT_BITMASK_LIST;

	while (shows >> e->op & 1)
		e = e->a;
	return e->op == PRINT_FIELD || e->op == PRINT_DYNAMIC ? e->field : NULL;
}

const struct event_field *event_find_shown(struct event_db *db, const struct event_format *fmt,
					   struct span name)
{
	scoped(arena_release) struct arena arena = ARENA_INIT;
	const struct event_print *print = fmt->print_fmt ? event_print_parse(db, fmt, &arena)
							 : NULL;
	const char *from = print ? print->format : NULL;
	size_t arg = 0;

	for (size_t i = 0; from && i < print->n_pieces; i++) {
		const struct printf_piece *piece = &print->pieces[i];
		const char conversion = piece->spec.conversion;
		const struct span text = { from, (size_t)(piece->percent - from) };

		arg += piece->spec.width_arg + piece->spec.precision_arg;
		if (conversion && ends_with_label(text, name))
			return arg < print->n_args && !is_joined(piece)
				       ? field_shown(print->args[arg])
				       : NULL;
		arg += conversion && conversion != '%';
		from = piece->after;
	}
	return NULL;
}
