// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads the fields of a format file, which is untrusted. A field is a line
 * "field:DECLARATION;\toffset:N;\tsize:N;\tsigned:N;"; the common fields come first, and a blank
 * line follows the common ones and the event's own.
 *
 * A declaration is TYPE NAME, TYPE NAME[LENGTH] or TYPE[] NAME, in which TYPE may be anything with
 * balanced parentheses ("const char __attribute__((user)) *"): types are compared and shown, never
 * parsed. Offset, size and sign are those of the line.
 *
 * Corresponds to f_show() in trace_events.c, which writes these files.
 */
#include "event/print_fmt.h"

enum {
	FIELDS_MAX = 4096,    /* the kernel's largest events have about a hundred */
	DECL_MAX = 1024,      /* bytes of one declaration */
	NUMBER_DIGITS_MAX = 8 /* limit of an offset or a size, so that sums fit in 32 bits */
};

/* The parts of a line, which are spans of the text. */
struct field_line {
	struct span type, name;
	struct span array; /* "[16]" after the name; absent: none */
	u32 offset, size;
	bool is_signed;
};

/* The text after @prefix at the start of @sp; an absent span without the prefix. */
static struct span after(struct span sp, const char *prefix)
{
	return span_starts(sp, prefix) ? span_skip(sp, strlen(prefix)) : (struct span){ NULL, 0 };
}

int event_format_header(struct span text, struct span *name, u32 *id)
{
	struct span id_text;
	u64 v;

	*name = span_trim(after(span_sep(&text, "\n"), "name:"));
	id_text = span_trim(after(span_sep(&text, "\n"), "ID:"));
	if (!name->n || !span_u64(id_text, &v) || v > UINT16_MAX)
		return -HIST_EFORMAT;
	*id = (u32)v;
	return 0;
}

/* --- a line --- */

/* Consume "KEY:123;" at the start of @line. */
static bool take_number(struct span *line, const char *key, u32 *v)
{
	struct span digits;
	u64 number;

	*line = after(span_ltrim(*line), key);
	digits = span_sep(line, ";");
	if (!line->s || digits.n > NUMBER_DIGITS_MAX || !span_digits(digits, 10, &number))
		return false;
	*v = (u32)number;
	return true;
}

/* The brackets of an array: "[16]", "[]", "[2 + 1]". */
static bool is_array(struct span sp)
{
	if (sp.n < 2 || sp.s[0] != '[' || sp.s[sp.n - 1] != ']')
		return false;
	for (size_t i = 1; i < sp.n - 1; i++)
		if (!is_ident(sp.s[i]) && !strchr(" +-*/()<>", sp.s[i]))
			return false;
	return true;
}

/*
 * Words and stars, with anything in parentheses; @brackets may follow, two for the strings of a
 * probe (char[][2]). Only the ftrace system has names with dots.
 */
static bool is_type(struct span type, bool dots, bool brackets)
{
	unsigned int parens = 0;
	bool word = false;
	size_t i;

	for (i = 0; i < type.n && (parens || type.s[i] != '['); i++) {
		char c = type.s[i];

		if (c == '(')
			parens++;
		else if (c == ')' && !parens--)
			return false;
		else if (c == ')' || parens)
			continue;
		else if (is_ident(c))
			word = true;
		else if (c != ' ' && !(word && (c == '*' || (c == '.' && dots))))
			return false;
	}
	while (brackets && i < type.n) {
		const char *close = memchr(type.s + i, ']', type.n - i);
		size_t n = close ? (size_t)(close + 1 - type.s) - i : 0;

		if (!is_array((struct span){ type.s + i, n }))
			return false;
		i += n;
	}
	return word && !parens && i == type.n;
}

static struct span without_blanks(struct span sp)
{
	while (sp.n && sp.s[sp.n - 1] == ' ')
		sp.n--;
	return sp;
}

static bool cut_declaration(struct span decl, bool dots, struct field_line *f)
{
	const char *bracket = span_rchr(decl, '[');
	size_t n;

	if (!decl.n || decl.n > DECL_MAX)
		return false;
	f->array = (struct span){ NULL, 0 };
	if (bracket && decl.s[decl.n - 1] == ']') {
		f->array = span_between(bracket, decl.s + decl.n);
		decl = without_blanks(span_between(decl.s, bracket));
	}
	for (n = decl.n; n && is_ident(decl.s[n - 1]);)
		n--;
	f->name = span_skip(decl, n);
	f->type = without_blanks((struct span){ decl.s, n });
	return f->name.n && is_type(f->type, dots, !f->array.s) &&
	       (!f->array.s || is_array(f->array));
}

/* The next line of @text: 0, 1 if it is blank, which ends a block of fields, or -HIST_EFORMAT. */
static int next_field(struct span *text, bool dots, struct field_line *f)
{
	struct span line, decl;
	u32 sign = 0;

	if (!text->s)
		return -HIST_EFORMAT;
	line = span_sep(text, "\n");
	if (!span_trim(line).n)
		return 1;
	line = after(span_ltrim(line), "field:");
	decl = span_trim(span_sep(&line, ";"));
	if (!line.s || !cut_declaration(decl, dots, f) ||
	    !take_number(&line, "offset:", &f->offset) || !take_number(&line, "size:", &f->size))
		return -HIST_EFORMAT;
	/* since 2.6.32 */
	if (span_trim(line).n && (!take_number(&line, "signed:", &sign) || span_trim(line).n))
		return -HIST_EFORMAT;
	f->is_signed = sign;
	return 0;
}

typedef ARRAY(struct event_field) field_array;

/* The text after the line "format:"; absent without one. */
static struct span fields_of(struct span text)
{
	struct span line = text;

	while (text.s && !span_starts(line, "format:"))
		line = span_sep(&text, "\n");
	return text.s && !memchr(text.s, '\0', text.n) ? text : (struct span){ NULL, 0 };
}

static bool has_dots(const struct event_format *fmt)
{
	return !strcmp(fmt->system, "ftrace");
}

/* --- the kernel's own text of a type --- */

static const char *type_text(struct event_db *db, const struct event_format *fmt,
			     const struct field_line *f, const char *name)
{
	struct span type = f->type, array = f->array;
	u32 size;

	/* kernel: up to 5.4, "char buf" of size 0 is an array up to the end of the record */
	if (!array.s && !f->size && !strcmp(fmt->system, "ftrace"))
		array = span_of("[]");
	if (!array.s)
		return arena_strndup(&db->arena, type.s, type.n);
	if (span_eq(type, "char") && span_eq(array, "[16]") && strstr(name, "comm") &&
	    strcmp(fmt->system, "synthetic") != 0 && strcmp(fmt->system, "user_events") != 0)
		return arena_strdup(&db->arena, "char[TASK_COMM_LEN]");
	/* kernel: synthetic events, user events and probes do not print the length in the type */
	size = span_eq(array, "[]") ? print_type_named(db, type).size : 0;
	if (size && f->size)
		return arena_printf(&db->arena, "%.*s[%u]", (int)type.n, type.s, f->size / size);
	return arena_printf(&db->arena, "%.*s%.*s", (int)type.n, type.s, (int)array.n, array.s);
}

/* --- all fields --- */

/* The units of tracers of latencies, which their formats do not name. */
static const char *tracer_unit(const struct event_format *fmt, struct span field)
{
	static const struct {
		const char *system, *event, *field, *unit;
	} units[] = {
		{ "ftrace", "timerlat", "timer_latency", "ns" },
		{ "ftrace", "osnoise", "noise", "us" },
		{ "ftrace", "osnoise", "runtime", "us" },
		{ "ftrace", "osnoise", "max_sample", "us" },
		{ "ftrace", "hwlat", "duration", "us" },
		{ "ftrace", "hwlat", "outer_duration", "us" },
		{ "osnoise", NULL, "duration", "ns" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (span_eq(field, units[i].field) && !strcmp(fmt->system, units[i].system) &&
		    (!units[i].event || !strcmp(fmt->name, units[i].event)))
			return units[i].unit;
	return NULL;
}

static int add_field(struct event_db *db, const struct event_format *fmt,
		     const struct field_line *line, field_array *fields)
{
	struct event_field f = {
		.name = arena_strndup(&db->arena, line->name.s, line->name.n),
		.offset = line->offset,
		.size = line->size,
		.is_signed = line->is_signed,
		.time_unit = tracer_unit(fmt, line->name),
	};
	bool is_stack;

	if (fields->n >= FIELDS_MAX)
		return -HIST_EFORMAT;
	f.type = f.name ? type_text(db, fmt, line, f.name) : NULL;
	if (!f.type)
		return HIST_NOMEM;
	/* kernel: the place and the length of what is elsewhere in the record */
	if (line->size < 4 && (strstr(f.type, "__data_loc") || strstr(f.type, "__rel_loc")))
		return -HIST_EFORMAT;
	/* kernel: stacks of synthetic events are the only fields with an explicit class */
	is_stack = !strcmp(fmt->system, "synthetic") &&
		   span_starts(span_of(f.type), "__data_loc") && strstr(f.type, "long[]");
	f.filter_type = is_stack ? FILTER_STACKTRACE : event_filter_class(f.type);
	return array_push(fields, f);
}

/* Read both blocks, and the print fmt after them. */
static int read_fields(struct event_db *db, struct event_format *fmt, field_array *fields)
{
	struct span text = fields_of(fmt->text);
	struct field_line line;

	for (int block = 0; block < 2; block++) {
		int err;

		while (!(err = next_field(&text, has_dots(fmt), &line)))
			if ((err = add_field(db, fmt, &line, fields)))
				return err;
		if (err < 0)
			return err;
		if (!block)
			fmt->n_common = fields->n;
	}
	text = span_trim(after(text, "print fmt:"));
	fmt->print_fmt = arena_strndup(&db->arena, text.s, text.n);
	return fmt->print_fmt ? 0 : HIST_NOMEM;
}

/* kernel: it accepts such a definition of a synthetic event, and finds the last of the fields */
static void report_repeated(const struct event_db *db, const struct event_text *src,
			    const struct event_format *fmt)
{
	const struct event_field *own = fmt->fields + fmt->n_common;
	size_t n = fmt->n_fields - fmt->n_common;

	for (size_t i = 1; i < n && db->sources.repeated; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(own[i].name, own[k].name)) {
				db->sources.repeated(db->sources.arg, src, own[i].name);
				return;
			}
}

int event_format_parse(struct event_db *db, const struct event_text *src,
		       const struct event_format **out)
{
	struct event_format *fmt = arena_alloc(&db->arena, sizeof(*fmt));
	scoped(free_scoped) field_array fields = ARRAY_INIT;
	int err;

	if (!fmt)
		return HIST_NOMEM;
	*fmt = (struct event_format){
		.system = src->system,
		.name = arena_strndup(&db->arena, src->name.s, src->name.n),
		.id = src->id,
		.text = src->text,
	};
	err = fmt->name ? read_fields(db, fmt, &fields) : HIST_NOMEM;
	if (!err) {
		struct event_field *copy =
			arena_alloc(&db->arena, (fields.n + 1) * sizeof(*fields.v));
		bool ftrace = !strcmp(fmt->system, "ftrace");

		/*
		 * kernel: an array at the end of one of ftrace's own events extends to the end of
		 * the record. Triggers can use the packed arguments of trace_printk() as a string,
		 * unlike in any kernel; see replay/packed.c.
		 */
		for (size_t i = 0; i < fields.n; i++) {
			struct event_field *f = &fields.v[i];
			bool last = i == fields.n - 1;
			u32 size = ftrace && last && strchr(f->type, '[') ? 0 : f->size;

			f->is_common = i < fmt->n_common;
			fmt->min_size = max_t(u32, fmt->min_size, f->offset + size);
			if (ftrace && last && !strcmp(fmt->name, "bprint") &&
			    !strcmp(f->name, "buf"))
				f->filter_type = FILTER_STATIC_STRING;
		}
		if (copy && fields.n)
			memcpy(copy, fields.v, fields.n * sizeof(*fields.v));
		fmt->fields = copy;
		fmt->n_fields = fields.n;
		err = copy ? 0 : HIST_NOMEM;
	}
	if (err)
		return err;
	report_repeated(db, src, fmt);
	*out = fmt;
	return 0;
}

/* --- for libtraceevent --- */

/*
 * Append the type without what libtraceevent cannot parse: attributes, and the number of strings
 * in char[][2].
 */
static void add_type(struct strbuf *out, struct span type)
{
	unsigned int parens = 0;

	for (size_t i = 0; i < type.n; i++) {
		parens += type.s[i] == '(';
		if (!parens)
			strbuf_addch(out, type.s[i]);
		if (!parens && type.s[i] == ']')
			break;
		parens -= type.s[i] == ')';
	}
}

int event_format_shape(const struct event_format *fmt, struct strbuf *out)
{
	struct span text = fields_of(fmt->text), rest;
	struct field_line f;

	for (rest = span_of(fmt->name); rest.n && is_ident(*rest.s); rest = span_skip(rest, 1))
		;
	if (rest.n)
		return -HIST_EFORMAT;
	strbuf_addf(out, "name: %s\nID: %u\nformat:\n", fmt->name, fmt->id);
	for (int block = 0; block < 2; block++) {
		int err;

		while (!(err = next_field(&text, has_dots(fmt), &f))) {
			/* it replaces such names by strings */
			if (span_find(f.type, span_of("_PR_FMT")) ||
			    span_find(f.name, span_of("_PR_FMT")))
				return -HIST_EFORMAT;
			strbuf_addstr(out, "\tfield:");
			add_type(out, f.type);
			strbuf_addf(out, " %.*s", (int)f.name.n, f.name.s);
			if (f.array.s)
				strbuf_add(out, f.array.s, f.array.n);
			strbuf_addf(out, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", f.offset, f.size,
				    f.is_signed);
		}
		if (err < 0)
			return err;
		strbuf_addch(out, '\n');
	}
	strbuf_addstr(out, "print fmt: \"\"\n");
	return out->failed ? HIST_NOMEM : 0;
}
