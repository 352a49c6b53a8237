// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Parses one format file, which is untrusted, to an event_format.
 *
 * libtraceevent parses the fields and determines names, offsets, sizes and signs. It receives only
 * text with a valid structure, and never the print fmt, so the fields are usable even if it cannot
 * parse the print fmt, and input that is known to crash it (a division by zero, unlimited nesting)
 * does not reach it. Parentheses in a declaration ("__attribute__((user))") are removed, too; they
 * only affect the name of the type, which is taken from the file.
 *
 * Corresponds to f_show() in trace_events.c, which writes these files.
 */
#include <stdlib.h>

#include <traceevent/event-parse.h>

#include "event/event_db.h"

enum {
	FIELDS_MAX = 4096,    /* the kernel's largest events have about a hundred */
	DECL_MAX = 1024,      /* bytes of one declaration */
	NUMBER_DIGITS_MAX = 8 /* limit of an offset or a size, so that sums fit in 32 bits */
};

/* The relevant lines of a format file, cut but not parsed yet. */
struct format_text {
	struct strbuf for_tep;
	bool dots;                /* names may contain them */
	ARRAY(struct span) decls; /* the text between "field:" and ";" */
	size_t n_common;
	struct span print_fmt;
};

static bool is_ident(char c)
{
	return c == '_' || (is_alnum(c) && (u8)c < 0x80);
}

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

/* Consume "KEY:123;" at the start of @sp; @sp becomes absent for any other text. */
static void skip_number(struct span *sp, const char *key)
{
	size_t digits = 0;

	*sp = after(span_ltrim(*sp), key);
	while (digits < sp->n && is_digit(sp->s[digits]))
		digits++;
	if (digits && digits <= NUMBER_DIGITS_MAX && digits < sp->n && sp->s[digits] == ';')
		*sp = span_skip(*sp, digits + 1);
	else
		*sp = (struct span){ NULL, 0 };
}

/* kernel: \tfield:DECL;\toffset:N;\tsize:N;\tsigned:N; the last since 2.6.32 */
static bool cut_field(struct span line, struct span *decl, struct span *numbers)
{
	const char *semicolon;

	line = after(span_ltrim(line), "field:");
	semicolon = span_chr(line, ';');
	if (!semicolon)
		return false;
	*decl = span_trim(span_between(line.s, semicolon));
	*numbers = span_skip(line, (size_t)(semicolon - line.s));
	line = span_skip(*numbers, 1);
	skip_number(&line, "offset:");
	skip_number(&line, "size:");
	if (span_trim(line).n)
		skip_number(&line, "signed:");
	return line.s && !span_trim(line).n;
}

/*
 * Append the declaration without parentheses and their contents, and without the number of strings
 * in an array of a probe (char[][2]); false if parentheses are unbalanced.
 */
static bool add_decl(struct strbuf *out, struct span decl)
{
	unsigned int parens = 0;
	bool more = false;

	for (size_t i = 0; i < decl.n; i++) {
		char c = decl.s[i];

		more = c == '[' ? i && decl.s[i - 1] == ']' : more;
		if (c == '(')
			parens++;
		else if (c == ')' && !parens--)
			return false;
		else if (c != ')' && !parens && !more)
			strbuf_addch(out, c);
		more = more && c != ']';
	}
	return !parens;
}

/* The possible contents of array brackets: a length, or an expression for it. */
static bool is_length(struct span sp)
{
	for (size_t i = 0; i < sp.n; i++)
		if (!is_ident(sp.s[i]) && !strchr(" +-*/", sp.s[i]))
			return false;
	return true;
}

static bool is_word(struct span sp)
{
	for (size_t i = 0; i < sp.n; i++)
		if (!is_ident(sp.s[i]))
			return false;
	return true;
}

/*
 * Whether libtraceevent accepts the declaration (it leaks memory if it refuses one): at least
 * two words, possibly with stars between them, then optional brackets and an optional word.
 * Names with a dot occur only in the ftrace system. libtraceevent replaces VIF_PR_FMT and
 * similar names with strings, wherever they occur.
 */
static bool is_decl(struct span decl, bool dots)
{
	const char *close = span_chr(decl, ']');
	size_t i, words = 0;
	char last = '*', c;

	for (i = 0; i < decl.n && decl.s[i] != '['; last = c, i++) {
		c = decl.s[i];
		if (is_ident(c))
			words += !is_ident(last);
		else if (c != ' ' && !(words && (c == '*' || (c == '.' && dots))))
			return false;
	}
	if (words < 2 || !is_ident(last) || span_find(decl, span_of("_PR_FMT")))
		return false;
	if (i == decl.n)
		return true;
	return close && is_length(span_between(decl.s + i + 1, close)) &&
	       is_word(span_trim(span_between(close + 1, decl.s + decl.n)));
}

static int add_field(struct format_text *ft, struct span line)
{
	struct strbuf *out = &ft->for_tep;
	struct span decl, numbers;
	size_t start;

	if (ft->decls.n >= FIELDS_MAX || !cut_field(line, &decl, &numbers) || decl.n > DECL_MAX)
		return -HIST_EFORMAT;
	strbuf_addstr(out, "\tfield:");
	start = out->len;
	if (!add_decl(out, decl) ||
	    !is_decl(span_between(out->s + start, out->s + out->len), ft->dots))
		return out->failed ? HIST_NOMEM : -HIST_EFORMAT;
	strbuf_add(out, numbers.s, span_trim(numbers).n);
	strbuf_addch(out, '\n');
	return array_push(&ft->decls, decl);
}

/* Two blocks of fields, the common ones and the event's own, each followed by a blank line. */
/* The name of an event does not affect its fields. */
static const char placeholder[] = "name: event\nID: 1\n";

static int cut_fields(struct format_text *ft, struct span text)
{
	int err, block = 0;

	strbuf_addstr(&ft->for_tep, placeholder);
	strbuf_addstr(&ft->for_tep, "format:\n");
	while (block < 2 && text.s) {
		struct span line = span_sep(&text, "\n");

		if (!span_trim(line).n) {
			if (!block++)
				ft->n_common = ft->decls.n;
			strbuf_addch(&ft->for_tep, '\n');
			continue;
		}
		err = add_field(ft, line);
		if (err)
			return err;
	}
	if (block < 2)
		return -HIST_EFORMAT;
	strbuf_addstr(&ft->for_tep, "print fmt: \"\"\n");
	ft->print_fmt = span_trim(after(text, "print fmt:"));
	return ft->for_tep.failed ? HIST_NOMEM : 0;
}

static int cut_format(struct format_text *ft, struct span text)
{
	struct span line = text;

	while (text.s && !span_starts(line, "format:"))
		line = span_sep(&text, "\n");
	if (!text.s || memchr(text.s, '\0', text.n))
		return -HIST_EFORMAT;
	return cut_fields(ft, text);
}

/* --- the kernel's own text of a type --- */

/* Cut the array part ("[16]") off the end of a declaration; absent if there is none. */
static struct span cut_array(struct span *decl)
{
	const char *bracket = span_rchr(*decl, '[');
	struct span array = { NULL, 0 };

	/* kernel: for dynamic arrays it is part of the type */
	if (!bracket || decl->s[decl->n - 1] != ']' || span_starts(*decl, "__data_loc"))
		return array;
	array = span_skip(*decl, (size_t)(bracket - decl->s));
	*decl = span_trim(span_between(decl->s, bracket));
	return array;
}

/* kernel: only the events that are compiled in were declared with the macro */
static bool is_task_comm(const struct event_format *fmt, struct span base, struct span array,
			 const char *name)
{
	return span_eq(base, "char") && span_eq(array, "[16]") && strstr(name, "comm") &&
	       strcmp(fmt->system, "synthetic") != 0 && strcmp(fmt->system, "user_events") != 0;
}

/* Size of an element of the arrays that are printed without their length; 0: another type. */
static u32 element_size(const struct event_db *db, struct span base)
{
	static const char *const types[] = { "char", "u8",  "s8",  "u16", "s16",
					     "u32",  "s32", "u64", "s64" };
	static const u8 sizes[] = { 1, 1, 1, 2, 2, 4, 4, 8, 8 };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (span_eq(base, types[i]))
			return sizes[i];
	return span_eq(base, "unsigned long") ? db->machine.long_size : 0;
}

static const char *type_text(struct event_db *db, const struct event_format *fmt, struct span decl,
			     const struct tep_format_field *tf)
{
	struct span array = cut_array(&decl);
	size_t name_len = strlen(tf->name);
	struct span base;
	u32 size;

	if (decl.n <= name_len || memcmp(decl.s + decl.n - name_len, tf->name, name_len) != 0)
		return NULL;
	base = span_trim((struct span){ decl.s, decl.n - name_len });
	/* kernel: up to 5.4, "char buf" of size 0 is an array up to the end of the record */
	if (!array.s && !tf->size && !strcmp(fmt->system, "ftrace"))
		array = span_of("[]");
	if (!array.s)
		return arena_strndup(&db->arena, base.s, base.n);
	if (is_task_comm(fmt, base, array, tf->name))
		return arena_strdup(&db->arena, "char[TASK_COMM_LEN]");
	/* kernel: synthetic events, user events and probes do not print the length in the type */
	size = span_eq(array, "[]") ? element_size(db, base) : 0;
	if (size && tf->size > 0)
		return arena_printf(&db->arena, "%.*s[%u]", (int)base.n, base.s,
				    (u32)tf->size / size);
	return arena_printf(&db->arena, "%.*s%.*s", (int)base.n, base.s, (int)array.n, array.s);
}

/* kernel: stacks of synthetic events are the only fields with an explicit class */
static enum event_field_class field_class(const struct event_format *fmt, const char *type)
{
	if (!strcmp(fmt->system, "synthetic") && span_starts(span_of(type), "__data_loc") &&
	    strstr(type, "long[]"))
		return FILTER_STACKTRACE;
	return event_filter_class(type);
}

/* --- results of libtraceevent --- */

static int take_field(struct event_db *db, struct event_format *fmt, struct span decl,
		      const struct tep_format_field *tf)
{
	struct event_field *f = (struct event_field *)&fmt->fields[fmt->n_fields];

	f->name = arena_strdup(&db->arena, tf->name);
	f->type = type_text(db, fmt, decl, tf);
	if (!f->name || !f->type)
		return db->arena.failed ? HIST_NOMEM : -HIST_EFORMAT;
	f->offset = (u32)tf->offset;
	f->size = (u32)tf->size;
	f->is_signed = tf->flags & TEP_FIELD_IS_SIGNED;
	f->is_common = fmt->n_fields < fmt->n_common;
	f->filter_type = field_class(fmt, f->type);
	fmt->n_fields++;
	return 0;
}

/* kernel: an array at the end of one of ftrace's own events extends to the end of the record */
static bool may_be_shorter(const struct event_format *fmt, size_t i)
{
	return i == fmt->n_fields - 1 && !strcmp(fmt->system, "ftrace") &&
	       strchr(fmt->fields[i].type, '[');
}

static u32 min_size(const struct event_format *fmt)
{
	u32 size = 0;

	for (size_t i = 0; i < fmt->n_fields; i++) {
		const struct event_field *f = &fmt->fields[i];
		u32 end = f->offset + (may_be_shorter(fmt, i) ? 0 : f->size);

		size = max_t(u32, size, end);
	}
	return size;
}

/*
 * Triggers can use the packed arguments of trace_printk() as a string, unlike in any kernel; see
 * replay/packed.c.
 */
static void note_packed_text(struct event_format *fmt)
{
	struct event_field *last =
		fmt->n_fields ? (struct event_field *)fmt->fields + fmt->n_fields - 1 : NULL;

	if (last && !strcmp(fmt->system, "ftrace") && !strcmp(fmt->name, "bprint") &&
	    !strcmp(last->name, "buf"))
		last->filter_type = FILTER_STATIC_STRING;
}

static int take_fields(struct event_db *db, struct event_format *fmt, const struct format_text *ft,
		       const struct tep_event *ev)
{
	const struct tep_format_field *tf = ev->format.common_fields;
	size_t n = ft->decls.n;
	int err;

	if ((size_t)ev->format.nr_common != ft->n_common ||
	    (size_t)ev->format.nr_fields != n - ft->n_common)
		return -HIST_EFORMAT;
	fmt->fields = arena_alloc(&db->arena, (n ? n : 1) * sizeof(*fmt->fields));
	if (!fmt->fields)
		return HIST_NOMEM;
	fmt->n_common = ft->n_common;
	for (size_t i = 0; i < n; i++, tf = tf->next) {
		if (i == ft->n_common)
			tf = ev->format.fields;
		err = take_field(db, fmt, ft->decls.v[i], tf);
		if (err)
			return err;
	}
	fmt->min_size = min_size(fmt);
	note_packed_text(fmt);
	return 0;
}

/* A separate handle for each format: it is cheap, and frees all parsed data. */
static int parse_with_tep(struct event_db *db, struct event_format *fmt,
			  const struct format_text *ft)
{
	struct tep_handle *tep = tep_alloc();
	int err = -HIST_EFORMAT;

	if (!tep)
		return HIST_NOMEM;
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, (int)db->machine.long_size);
	tep_set_file_bigendian(tep, db->machine.big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	if (!tep_parse_event(tep, ft->for_tep.s, ft->for_tep.len, fmt->system) &&
	    tep_get_events_count(tep) == 1)
		err = take_fields(db, fmt, ft, tep_get_first_event(tep));
	tep_free(tep);
	return err;
}

int event_format_shape(const struct event_format *fmt, struct strbuf *out)
{
	struct format_text ft = {
		.for_tep = STRBUF_INIT,
		.dots = !strcmp(fmt->system, "ftrace"),
	};
	int err = is_word(span_of(fmt->name)) ? cut_format(&ft, fmt->text) : -HIST_EFORMAT;

	if (!err) {
		strbuf_addf(out, "name: %s\nID: %u\n%s", fmt->name, fmt->id,
			    ft.for_tep.s + strlen(placeholder));
		err = out->failed ? HIST_NOMEM : 0;
	}
	array_release(&ft.decls);
	strbuf_release(&ft.for_tep);
	return err;
}

int event_format_parse(struct event_db *db, const struct event_text *src,
		       const struct event_format **out)
{
	struct format_text ft = {
		.for_tep = STRBUF_INIT,
		.dots = !strcmp(src->system, "ftrace"),
	};
	struct event_format *fmt = arena_alloc(&db->arena, sizeof(*fmt));
	int err = fmt ? cut_format(&ft, src->text) : HIST_NOMEM;

	if (!err) {
		*fmt = (struct event_format){
			.system = src->system,
			.name = arena_strndup(&db->arena, src->name.s, src->name.n),
			.id = src->id,
			.text = src->text,
			.print_fmt = arena_strndup(&db->arena, ft.print_fmt.s, ft.print_fmt.n),
		};
		err = fmt->name && fmt->print_fmt ? parse_with_tep(db, fmt, &ft) : HIST_NOMEM;
	}
	if (!err)
		*out = fmt;
	array_release(&ft.decls);
	strbuf_release(&ft.for_tep);
	return err;
}
