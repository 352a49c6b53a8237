// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The text of a record in trace, after the time: usually the event's name and its print fmt; system
 * calls (trace_syscall.c), synthetic events (trace_synth.c), probes and the events of the ftrace
 * system have their own functions.
 *
 * Corresponds to print_trace_fmt() in trace.c, trace_output.c, print_kprobe_event() in
 * trace_kprobe.c.
 */
#include <fnmatch.h>

#include "print/trace.h"

/* --- fields of a record --- */

static const struct event_field *find_field(const struct event_format *format, const char *name)
{
	return event_find_field(format, span_of(name), GENERICS_6_1);
}

u64 trace_number(const struct trace_printer *tp, const struct trace_line *line, u32 at, u32 size)
{
	if (at > line->len || line->len - at < size)
		return 0;
	return load_uint(line->rec + at, size, tp->machine->big_endian);
}

u64 trace_field_number(const struct trace_printer *tp, const struct trace_line *line,
		       const char *name)
{
	const struct event_field *f = find_field(line->type->format, name);

	return f ? trace_number(tp, line, f->offset, f->size) : 0;
}

struct span trace_bytes(const struct trace_line *line, u32 at, u32 max)
{
	at = min_t(u32, at, line->len);
	return (struct span){ (const char *)line->rec + at, min_t(u32, max, line->len - at) };
}

void trace_add_text(struct strbuf *out, struct span text)
{
	strbuf_add(out, text.s, strnlen(text.s, text.n));
}

const struct event_field *trace_own_fields(const struct event_format *format, size_t *n)
{
	*n = format->n_fields - format->n_common;
	return format->fields + format->n_common;
}

/* --- addresses --- */

static bool add_symbol(struct trace_printer *tp, u64 addr, bool offset)
{
	struct event_symbol sym;

	if (offset) {
		event_print_symbol(tp->machine->db, addr, true, &tp->p->buf);
		return true;
	}
	if (!event_symbol_at(tp->machine->db, addr, &sym))
		return false;
	strbuf_add(&tp->p->buf, sym.name.s, sym.name.n);
	return true;
}

/* kernel: seq_print_ip_sym() */
static void add_ip(struct trace_printer *tp, u64 ip, bool offset)
{
	struct strbuf *out = &tp->p->buf;
	int digits = (int)tp->machine->long_size * 2;

	if (!ip) {
		strbuf_addch(out, '0');
		return;
	}
	if (!add_symbol(tp, ip, offset))
		strbuf_addf(out, "0x%08llx", ip);
	if (trace_has(tp, TRACE_ITER_SYM_ADDR))
		strbuf_addf(out, " <%0*llx>", digits, ip);
}

static void add_ip_as_asked(struct trace_printer *tp, u64 ip)
{
	add_ip(tp, ip, trace_has(tp, TRACE_ITER_SYM_OFFSET));
}

/* --- probes --- */

/* An address that a probe hit; only addresses of the kernel have names. */
static void add_probe_ip(struct trace_printer *tp, u64 ip, bool offset)
{
	if (ip >> (tp->machine->long_size * 8 - 1))
		add_ip(tp, ip, offset);
	else
		strbuf_addhex(&tp->p->buf, ip);
}

/* kernel: shows names for addresses that its print fmt shows as numbers */
static void add_probe(struct trace_printer *tp, const struct trace_line *line)
{
	const struct event_format *format = line->type->format;
	struct strbuf *out = &tp->p->buf, text = STRBUF_INIT;
	const char *args;

	event_print(line->type->print, line->rec, line->len, &text);
	args = strchr(text.s, ')');
	strbuf_addf(out, "%s: (", format->name);
	if (find_field(format, "__probe_ret_ip")) {
		add_probe_ip(tp, trace_field_number(tp, line, "__probe_ret_ip"), true);
		strbuf_addstr(out, " <- ");
		add_probe_ip(tp, trace_field_number(tp, line, "__probe_func"), false);
	} else {
		add_probe_ip(tp, trace_field_number(tp, line, "__probe_ip"), true);
	}
	/* a character may be NUL */
	if (args)
		strbuf_add(out, args, (size_t)(text.s + text.len - args));
	else
		strbuf_addch(out, ')');
	strbuf_addch(out, '\n');
	strbuf_release(&text);
}

/* --- events of the ftrace system --- */

/* trace_printk() */
static void add_bprint(struct trace_printer *tp, const struct trace_line *line)
{
	const struct event_field *buf = find_field(line->type->format, "buf");
	const char *fmt = event_printk(tp->machine->db, trace_field_number(tp, line, "fmt"));
	struct strbuf *out = &tp->p->buf;

	if (fmt && buf && buf->offset <= line->len &&
	    event_print_packed(tp->machine->db, fmt, line->rec + buf->offset,
			       line->len - buf->offset, out))
		return;
	strbuf_addstr(out, fmt ? fmt : "\n");
}

bool print_trace_message(struct trace_printer *tp, const struct trace_line *line)
{
	const struct event_field *buf = find_field(line->type->format, "buf");
	const char *text;

	switch (line->type->style) {
	case TRACE_STYLE_PRINT:
		if (buf)
			trace_add_text(&tp->p->buf, trace_bytes(line, buf->offset, UINT32_MAX));
		return true;
	case TRACE_STYLE_BPRINT:
		add_bprint(tp, line);
		return true;
	case TRACE_STYLE_BPUTS:
		text = event_printk(tp->machine->db, trace_field_number(tp, line, "str"));
		strbuf_addstr(&tp->p->buf, text ? text : "\n");
		return true;
	default:
		return false;
	}
}

static void add_stack(struct trace_printer *tp, const struct trace_line *line)
{
	const struct event_field *caller = find_field(line->type->format, "caller");
	bool user = line->type->style == TRACE_STYLE_USER_STACK;
	struct strbuf *out = &tp->p->buf;
	u32 size = tp->machine->long_size;
	u64 none = size == 8 ? UINT64_MAX : UINT32_MAX;

	strbuf_addstr(out, user ? "<user stack trace>\n" : "<stack trace>\n");
	for (u32 at = caller ? caller->offset : line->len; at + size <= line->len; at += size) {
		u64 ip = trace_number(tp, line, at, tp->machine->long_size);

		if (ip == none || !ip)
			break;
		strbuf_addstr(out, " => ");
		if (user)
			strbuf_addf(out, " <%0*llx>", (int)size * 2, ip);
		else
			add_ip_as_asked(tp, ip);
		strbuf_addch(out, '\n');
	}
}

void print_trace_raw_data(struct trace_printer *tp, const struct trace_line *line)
{
	const struct event_field *buf = find_field(line->type->format, "buf");

	strbuf_addf(&tp->p->buf, "# %x buf:", (u32)trace_field_number(tp, line, "id"));
	for (u32 at = buf ? buf->offset : line->len; at < line->len; at++)
		strbuf_addf(&tp->p->buf, " %02x", line->rec[at]);
	strbuf_addch(&tp->p->buf, '\n');
}

/* --- by print fmt --- */

/*
 * The event to which an eprobe is attached is not in any format file. kernel:
 * print_eprobe_event()
 */
static void add_probed_event(struct trace_printer *tp, const struct trace_line *line)
{
	struct strbuf *out = &tp->p->buf;

	if (!line->type->probe) {
		tp->n_nowhere++;
		tp->nowhere_name = line->type->format->name;
		strbuf_addstr(out, "(?)");
		return;
	}
	strbuf_addch(out, '(');
	probe_add_event(out, &line->type->probe->text);
	strbuf_addch(out, ')');
}

static void add_event(struct trace_printer *tp, const struct trace_line *line)
{
	struct strbuf *out = &tp->p->buf;
	size_t start = out->len;

	strbuf_addf(out, "%s: ", line->type->format->name);
	if (line->type->style == TRACE_STYLE_EPROBE)
		add_probed_event(tp, line);
	if (line->type->print && event_print(line->type->print, line->rec, line->len, out)) {
		strbuf_addch(out, '\n');
		return;
	}
	strbuf_cut(out, start);
	tp->n_fields++;
	tp->fields_name = line->type->format->name;
	print_trace_fields(tp, line);
}

/* --- selection --- */

/* Its print fmt starts with a blank and the first field, or is empty if there are no fields. */
static bool is_eprobe(const struct event_format *format)
{
	size_t n;
	const struct event_field *first = trace_own_fields(format, &n);
	struct span fmt = span_of(format->print_fmt);

	if (!n)
		return span_starts(fmt, "\"\"");
	if (!span_starts(fmt, "\" "))
		return false;
	fmt = span_skip(fmt, strlen("\" "));
	return span_starts(fmt, first->name) &&
	       span_starts(span_skip(fmt, strlen(first->name)), "=");
}

static enum trace_style style_of(const struct event_format *format)
{
	/* patterns of systems and events */
	static const struct {
		const char *system, *name;
		enum trace_style style;
	} styles[] = {
		{ "ftrace", "print", TRACE_STYLE_PRINT },
		{ "ftrace", "bputs", TRACE_STYLE_BPUTS },
		{ "ftrace", "bprint", TRACE_STYLE_BPRINT },
		{ "ftrace", "kernel_stack", TRACE_STYLE_STACK },
		{ "ftrace", "user_stack", TRACE_STYLE_USER_STACK },
		{ "ftrace", "raw_data", TRACE_STYLE_RAW_DATA },
		{ "ftrace", "*", TRACE_STYLE_EVENT },
		{ "synthetic", "*", TRACE_STYLE_SYNTH },
		{ "derived", "*", TRACE_STYLE_SYNTH },
		{ "user_events*", "*", TRACE_STYLE_FIELDS },
		{ "syscalls", "sys_enter_*", TRACE_STYLE_SYSCALL_ENTER },
		{ "syscalls", "sys_exit_*", TRACE_STYLE_SYSCALL_EXIT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(styles); i++)
		if (!fnmatch(styles[i].system, format->system, 0) &&
		    !fnmatch(styles[i].name, format->name, 0))
			return styles[i].style;
	if (span_starts(span_of(format->print_fmt), "\"(%lx") &&
	    strstr(format->print_fmt, "REC->__probe_"))
		return TRACE_STYLE_PROBE;
	return is_eprobe(format) ? TRACE_STYLE_EPROBE : TRACE_STYLE_EVENT;
}

static const struct event_format *find_format(const struct trace_printer *tp, u32 id)
{
	struct tracing *t = tp->tr->tracing;
	const struct event_format *format;

	for (size_t i = 0; i < t->synth_events.n; i++)
		if (t->synth_events.v[i]->id == id)
			return &t->synth_events.v[i]->format;
	for (size_t i = 0; i < t->derived.n; i++)
		if (t->derived.v[i]->id == id)
			return &t->derived.v[i]->format;
	for (size_t i = 0; i < t->probes.n; i++)
		if (t->probes.v[i]->format && t->probes.v[i]->format->id == id)
			return t->probes.v[i]->format;
	return event_db_find_id(tp->machine->db, id, &format) ? NULL : format;
}

static bool make_room(struct trace_printer *tp, u32 id)
{
	u32 n = max_t(u32, id + 1, tp->n_types * 2);
	struct trace_type *types;

	if (id < tp->n_types)
		return true;
	types = realloc(tp->types, n * sizeof(*types));
	if (!types) {
		tp->p->err = HIST_NOMEM;
		return false;
	}
	memset(types + tp->n_types, 0, (n - tp->n_types) * sizeof(*types));
	tp->types = types;
	tp->n_types = n;
	return true;
}

static const struct trace_type *type_of(struct trace_printer *tp, u32 id)
{
	static const struct trace_type unknown = { .format = NULL };
	struct trace_type *type;
	struct event_print *print;

	if (!make_room(tp, id))
		return &unknown;
	type = &tp->types[id];
	if (type->looked_up)
		return type;
	type->looked_up = true;
	type->format = find_format(tp, id);
	if (!type->format)
		return type;
	type->style = style_of(type->format);
	if (type->style != TRACE_STYLE_EVENT && type->style != TRACE_STYLE_PROBE &&
	    type->style != TRACE_STYLE_EPROBE)
		return type;
	if (type->style == TRACE_STYLE_EPROBE) {
		const struct probe *probe = probe_find(tp->tr->tracing,
						       span_of(type->format->system),
						       span_of(type->format->name));

		type->probe = probe && probe->text.other == 'e' ? probe : NULL;
	}
	print = event_print_parse_as(tp->machine->db, type->format,
				     trace_has(tp, TRACE_ITER_BITMASK_LIST), &tp->arena);
	if (print && type->style == TRACE_STYLE_EVENT && !trace_has(tp, TRACE_ITER_HASH_PTR) &&
	    !tp->machine->quirks->nohash_texts)
		event_print_lose_text(print);
	type->print = print;
	if (!print)
		type->style = TRACE_STYLE_EVENT;
	return type;
}

/* trace_printk(), trace_puts() and trace_marker: the text after its place */
static void add_print(struct trace_printer *tp, const struct trace_line *line)
{
	add_ip_as_asked(tp, trace_field_number(tp, line, "ip"));
	strbuf_addstr(&tp->p->buf, ": ");
	print_trace_message(tp, line);
}

/* ORDER enum trace_style */
static void (*const add_styled[])(struct trace_printer *, const struct trace_line *) = {
	[TRACE_STYLE_EVENT] = add_event,
	[TRACE_STYLE_FIELDS] = print_trace_fields,
	[TRACE_STYLE_SYSCALL_ENTER] = print_trace_syscall_enter,
	[TRACE_STYLE_SYSCALL_EXIT] = print_trace_syscall_exit,
	[TRACE_STYLE_SYNTH] = print_trace_synth,
	[TRACE_STYLE_PROBE] = add_probe,
	[TRACE_STYLE_EPROBE] = add_event,
	[TRACE_STYLE_PRINT] = add_print,
	[TRACE_STYLE_BPRINT] = add_print,
	[TRACE_STYLE_BPUTS] = add_print,
	[TRACE_STYLE_STACK] = add_stack,
	[TRACE_STYLE_USER_STACK] = add_stack,
	[TRACE_STYLE_RAW_DATA] = print_trace_raw_data,
};

void trace_find_type(struct trace_printer *tp, struct trace_line *line)
{
	line->id = load_u16(line->rec, tp->machine->big_endian);
	line->type = type_of(tp, line->id);
}

void print_trace_event(struct trace_printer *tp, const struct trace_line *line)
{
	if (!line->type->format)
		strbuf_addf(&tp->p->buf, "Unknown type %u\n", line->id);
	else if (!trace_has(tp, TRACE_ITER_FIELDS))
		add_styled[line->type->style](tp, line);
	else if (strcmp(line->type->format->system, "ftrace") != 0)
		print_trace_fields(tp, line);
	else
		strbuf_addf(&tp->p->buf, "UNKNOWN TYPE %u\n", line->id);
}
