// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A record as its fields: with options/fields, for user_events, and instead of a print fmt that
 * needs more than a record contains.
 *
 * Corresponds to print_event_fields() in trace_output.c.
 */
#include "print/trace.h"

/* kernel: TRACE_SEQ_SIZE, of a line, and what follows a cut one if it fits (s_show()) */
enum { LINE_MAX_BYTES = 8155 };
static const char too_big[] = "[LINE TOO BIG]\n";

/* The data of a __data_loc or __rel_loc field; absent if it is not in the record. */
static struct span located(const struct trace_printer *tp, const struct trace_line *line,
			   const struct event_field *f)
{
	u32 loc = (u32)trace_number(tp, line, f->offset, 4), at = loc & 0xffff, n = loc >> 16;

	if (strstr(f->type, "__rel_loc"))
		at += f->offset + 4;
	if (at > line->len || n > line->len - at)
		return (struct span){ NULL, 0 };
	return trace_bytes(line, at, n);
}

static void add_bytes(struct strbuf *out, struct span bytes, char separator)
{
	for (size_t i = 0; i < bytes.n; i++) {
		if (i)
			strbuf_addch(out, separator);
		strbuf_addf(out, "%02x", (u8)bytes.s[i]);
	}
}

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

/* A string up to its NUL; newer kernels show all its bytes if one of them is not printable. */
static void add_string(struct trace_printer *tp, struct span bytes)
{
	struct strbuf *out = &tp->p->buf;
	size_t i = 0;

	while (i < bytes.n && (!bytes.s[i] || is_printable(bytes.s[i])))
		i++;
	if (i == bytes.n || !tp->machine->quirks->fields_bytes) {
		trace_add_text(out, bytes);
		return;
	}
	for (i = 0; i < bytes.n; i++)
		strbuf_addch(out, is_printable(bytes.s[i]) ? bytes.s[i] : '.');
	strbuf_addstr(out, " (");
	tp->bytes_at = out->len;
	add_bytes(out, bytes, ':');
	strbuf_addch(out, ')');
}

/* kernel: the pointer, and its text if it is in the kernel's memory, now */
static void add_pointer(struct trace_printer *tp, u64 addr)
{
	struct strbuf *out = &tp->p->buf;
	const char *text = event_printk(tp->machine->db, addr);

	strbuf_addf(out, "(0x%0*llx", (int)tp->machine->long_size * 2, addr);
	if (text)
		strbuf_addf(out, ":%s", text);
	strbuf_addch(out, ')');
	tp->n_pointers += tp->machine->quirks->fields_own_address ||
			  (!text && addr >> (tp->machine->long_size * 8 - 1));
}

static void add_number(struct trace_printer *tp, const struct trace_line *line,
		       const struct event_field *f)
{
	u64 v = trace_number(tp, line, f->offset, f->size);
	struct strbuf *out = &tp->p->buf;
	struct event_symbol sym;

	if (tp->machine->quirks->fields_symbols && f->size == tp->machine->long_size &&
	    event_symbol_at(tp->machine->db, v, &sym)) {
		event_print_symbol(tp->machine->db, v, true, out);
		strbuf_addf(out, " (%d)", (int)(u32)v);
		return;
	}
	switch (f->size) {
	case 1:
		/* kernel: its isprint() includes Latin 1 */
		if ((v >= ' ' && v <= '~') || v >= 0xa0)
			strbuf_addf(out, "'%c'", (char)v);
		strbuf_addf(out, "(%u)", (u32)v);
		break;
	case 2:
	case 4:
		strbuf_addf(out, "0x%x (%d)", (u32)v, (int)(u32)v);
		break;
	case 8:
		strbuf_addf(out, "0x%llx (%lld)", v, v);
		break;
	default:
		strbuf_addstr(out, "<INVALID-SIZE>");
	}
}

static void add_field_value(struct trace_printer *tp, const struct trace_line *line,
			    const struct event_field *f)
{
	struct strbuf *out = &tp->p->buf;
	bool apart = strstr(f->type, "__data_loc") || strstr(f->type, "__rel_loc");
	struct span bytes = apart ? located(tp, line, f) : trace_bytes(line, f->offset, f->size);

	if (f->offset > line->len || f->size > line->len - f->offset || !bytes.s) {
		strbuf_addstr(out, "<OVERFLOW>");
		return;
	}
	switch (f->filter_type) {
	case FILTER_STATIC_STRING:
		trace_add_text(out, f->size ? bytes : trace_bytes(line, f->offset, UINT32_MAX));
		break;
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		add_string(tp, bytes);
		break;
	case FILTER_PTR_STRING:
		add_pointer(tp, trace_number(tp, line, f->offset, f->size));
		break;
	default:
		if (apart)
			add_bytes(out, bytes, ',');
		else
			add_number(tp, line, f);
	}
}

/*
 * kernel: what does not fit a line is left out, with all that follows; each number, byte, separator
 * and text is one piece. @start, @bytes: where the last piece begins, and bytes in it that are
 * written one by one. Return: whether all fits.
 */
static bool fits(struct trace_printer *tp, size_t start, size_t bytes)
{
	struct strbuf *out = &tp->p->buf;
	size_t end = tp->line_start + LINE_MAX_BYTES, at = start;

	if (out->len <= end)
		return true;
	if (bytes && bytes <= end && (end - bytes) % 3 == 2 && out->s[end] == ':')
		at = end + 1; /* a separator may fill the line, a number may not */
	else if (bytes && bytes <= end)
		at = end - ((end - bytes) % 3 == 1);
	strbuf_cut(out, at);
	if (at + strlen(too_big) <= end)
		strbuf_addstr(out, too_big);
	return false;
}

void print_trace_fields(struct trace_printer *tp, const struct trace_line *line)
{
	struct strbuf *out = &tp->p->buf;
	size_t n;
	const struct event_field *fields = trace_own_fields(line->type->format, &n);

	strbuf_addf(out, "%s:", line->type->format->name);
	for (size_t i = 0; i < n; i++) {
		size_t start = out->len;

		strbuf_addf(out, " %s=", fields[i].name);
		if (!fits(tp, start, 0))
			return;
		start = out->len;
		tp->bytes_at = 0;
		add_field_value(tp, line, &fields[i]);
		if (!fits(tp, start, tp->bytes_at))
			return;
	}
	strbuf_addstr(out, n ? "\n" : "No fields found\n");
}
