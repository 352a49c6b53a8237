// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The text of a synthetic event: "NAME: FIELD=VALUE ...", independent of its print fmt.
 *
 * Corresponds to print_synth_event() in trace_events_synth.c.
 */
#include "print/trace.h"
#include "program/hist_data.h"

enum { GFP_RECORD_MAX = 256 };

/* kernel: the frames after the first word, which is their number */
static void add_stack_field(struct trace_printer *tp, const struct trace_line *line,
			    const struct event_field *f)
{
	u32 loc = (u32)trace_number(tp, line, f->offset, 4), size = tp->machine->long_size;
	struct strbuf *out = &tp->p->buf;

	strbuf_addf(out, "%s=STACK:\n", f->name);
	for (u32 i = 1; i < (loc >> 16) / size; i++) {
		strbuf_addstr(out, "=> ");
		event_print_symbol(tp->machine->db,
				   trace_number(tp, line, (loc & 0xffff) + i * size, size), true,
				   out);
		strbuf_addch(out, '\n');
	}
}

/* The position after the parenthesis that closes the one before @p, or NULL. */
static const char *closing(const char *p)
{
	unsigned int depth = 1;
	bool quoted = false;

	for (; *p && depth; p++) {
		quoted ^= *p == '"';
		depth += !quoted && *p == '(';
		depth -= !quoted && *p == ')';
	}
	return depth ? NULL : p;
}

/* The names of its flags, from the print fmt of kmem:kmalloc. */
static void find_gfp_names(struct trace_printer *tp)
{
	static const char from[] = "__print_flags(REC->gfp_flags,";
	const struct event_format *kmalloc;
	struct event_format names;
	const char *list, *end;

	tp->gfp.looked_up = true;
	if (event_db_find(tp->machine->db, "kmem", "kmalloc", &kmalloc))
		return;
	list = strstr(kmalloc->print_fmt, from);
	end = list ? closing(list + strlen(from)) : NULL;
	tp->gfp.field = event_find_field(kmalloc, span_of("gfp_flags"), GENERICS_6_1);
	if (!end || !tp->gfp.field)
		return;
	names = *kmalloc;
	names.print_fmt = arena_printf(&tp->arena, "\"%%s\", %.*s", (int)(end - list), list);
	if (names.print_fmt)
		tp->gfp.print = event_print_parse(tp->machine->db, &names, &tp->arena);
}

/* kernel: prints them after the number and the separator of the next field, and then stops */
static void add_gfp_names(struct trace_printer *tp, u64 flags)
{
	u8 rec[GFP_RECORD_MAX] = { 0 };
	const struct event_field *f;

	if (!tp->gfp.looked_up)
		find_gfp_names(tp);
	f = tp->gfp.field;
	strbuf_addstr(&tp->p->buf, " (");
	if (tp->gfp.print && f->offset + 8 <= sizeof(rec)) {
		if (f->size == 8)
			store_u64(rec + f->offset, flags, tp->machine->big_endian);
		else
			store_u32(rec + f->offset, (u32)flags, tp->machine->big_endian);
		event_print(tp->gfp.print, rec, sizeof(rec), &tp->p->buf);
	}
	/* kernel: includes the NUL after the names */
	strbuf_add(&tp->p->buf, "\0)", 2);
}

static bool is_text(const struct event_field *f)
{
	return f->filter_type == FILTER_STATIC_STRING || f->filter_type == FILTER_DYN_STRING;
}

void print_trace_synth(struct trace_printer *tp, const struct trace_line *line)
{
	struct strbuf *out = &tp->p->buf;
	size_t n;
	const struct event_field *fields = trace_own_fields(line->type->format, &n);

	strbuf_addf(out, "%s: ", line->type->format->name);
	for (size_t i = 0; i < n; i++) {
		const struct event_field *f = &fields[i];
		bool stack = f->filter_type == FILTER_STACKTRACE;
		const char *fmt = is_text(f) || stack ? "%s" : synth_field_fmt(f->type);

		if (trace_has(tp, TRACE_ITER_VERBOSE))
			strbuf_addf(out, "%s ", fmt);
		if (stack) {
			add_stack_field(tp, line, f);
			continue;
		}
		if (is_text(f)) {
			u32 loc = (u32)trace_number(tp, line, f->offset, 4);

			strbuf_addf(out, "%s=", f->name);
			if (f->filter_type == FILTER_STATIC_STRING) /* kernel: its whole slot */
				trace_add_text(out, trace_bytes(line, f->offset, STR_VAR_LEN_MAX));
			else
				trace_add_text(out, trace_bytes(line, loc & 0xffff, loc >> 16));
		} else {
			/* kernel: read as unsigned of its size, printed as its type requires */
			u64 v = trace_number(tp, line, f->offset, f->size);
			bool is_long = fmt[1] == 'l';

			strbuf_addf(out, "%s=", f->name);
			if (fmt[strlen(fmt) - 1] == 'd')
				strbuf_addf(out, "%lld", is_long ? (long long)v : (int)(u32)v);
			else if (fmt[strlen(fmt) - 1] == 'x')
				strbuf_addf(out, "%x", (u32)v);
			else
				strbuf_addf(out, "%llu", is_long ? v : (u32)v);
		}
		strbuf_addstr(out, i + 1 < n ? " " : "");
		if (!strcmp(f->type, "gfp_t"))
			add_gfp_names(tp, trace_number(tp, line, f->offset, f->size));
	}
	strbuf_addch(out, '\n');
}
