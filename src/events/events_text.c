// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Events as lines of text: those of trace-cmd report, without plugins.
 *
 * The text of the fields is that of the print fmt of the event. trace-cmd has its own functions for
 * the events of the ftrace system; an event whose print fmt needs more than a record contains shows
 * its fields.
 */
#include "events/events_print.h"

/* --- values --- */

int hist_value_text(const struct hist_value *v, hist_sink_fn sink, void *arg)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	events_add_value(v, &text);
	return text.failed ? HIST_NOMEM : sink(arg, text.s ? text.s : "", text.len);
}

/* --- the text of an event --- */

static bool field_of(const struct hist_event *e, const char *name, struct hist_value *v)
{
	int i = hist_event_field(e->type, name);

	*v = (struct hist_value){ .kind = HIST_VALUE_ABSENT };
	if (i >= 0)
		hist_event_value(e, (size_t)i, v);
	return v->kind != HIST_VALUE_ABSENT;
}

/* The function and the text: of trace_printk() and trace_puts(). */
static void add_printk(const struct hist_event *e, struct strbuf *out)
{
	struct event_db *db = e->events->h->recordings.db;
	struct hist_value v;

	if (field_of(e, "ip", &v)) {
		struct event_symbol sym;

		if (event_symbol_at(e->events->h->recordings.db, v.number, &sym))
			strbuf_add(out, sym.name.s, sym.name.n);
		else
			strbuf_addhex(out, v.number);
	}
	strbuf_addstr(out, ": ");
	if (field_of(e, "buf", &v) && v.kind == HIST_VALUE_TEXT) {
		strbuf_add(out, v.data, v.len);
	} else if (field_of(e, "str", &v)) {
		const char *text = event_printk(db, v.number);

		strbuf_addstr(out, text ? text : "");
	}
}

static void add_stack(const struct hist_event *e, struct strbuf *out)
{
	const bool user = !strcmp(e->type->name, "user_stack");
	struct event_db *db = e->events->h->recordings.db;
	struct hist_value v;

	strbuf_addstr(out, user ? "<user stack trace>" : "<stack trace >");
	if (!field_of(e, "caller", &v))
		return;
	for (size_t i = 0; i < v.len; i++) {
		u64 addr = hist_value_element(&v, i);

		strbuf_addstr(out, "\n=> ");
		if (!user) {
			struct event_symbol sym;

			if (event_symbol_at(db, addr, &sym))
				strbuf_addf(out, "%.*s ", (int)sym.name.n, sym.name.s);
		}
		strbuf_addf(out, "(%llx)", addr);
	}
}

static void add_raw(const struct hist_event *e, struct strbuf *out)
{
	struct hist_value v;

	if (field_of(e, "id", &v))
		strbuf_addf(out, "# %llx buf:", (unsigned long long)v.number);
	if (field_of(e, "buf", &v))
		for (size_t i = 0; i < v.len; i++)
			strbuf_addf(out, " %02x", ((const u8 *)v.data)[i]);
}

/* Events of the ftrace system for which a print fmt is not enough. */
static const struct {
	const char *name;
	void (*add)(const struct hist_event *e, struct strbuf *out);
} own_texts[] = {
	{ "bprint", add_printk },    { "bputs", add_printk }, { "kernel_stack", add_stack },
	{ "user_stack", add_stack }, { "raw_data", add_raw },
};

static bool add_own_text(const struct hist_event *e, struct strbuf *out)
{
	if (strcmp(e->type->system, "ftrace") != 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(own_texts); i++)
		if (!strcmp(own_texts[i].name, e->type->name)) {
			own_texts[i].add(e, out);
			return true;
		}
	return false;
}

void events_parse_print(struct hist_events *ev, const struct events_type *const_type)
{
	struct events_type *type = (struct events_type *)(uintptr_t)const_type;

	if (!type->print_parsed)
		type->print = event_print_parse(ev->h->recordings.db, type->format, &ev->arena);
	type->print_parsed = true;
}

void events_add_text(const struct hist_event *e, struct strbuf *out)
{
	const struct events_type *type = events_type_of(e);
	size_t start = out->len;

	if (add_own_text(e, out))
		return;
	if (!type->print || !event_print(type->print, e->record, (u32)e->size, out)) {
		strbuf_cut(out, start);
		for (size_t i = 0; i < e->type->n_fields; i++) {
			struct hist_value v;

			strbuf_addf(out, i ? " %s=" : "%s=", e->type->fields[i].name);
			hist_event_value(e, i, &v);
			events_add_value(&v, out);
		}
	}
	while (out->len > start && out->s[out->len - 1] == '\n')
		strbuf_cut(out, out->len - 1);
}

int hist_event_text(const struct hist_event *e, hist_sink_fn sink, void *arg)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	events_parse_print(e->events, events_type_of(e));
	events_add_text(e, &text);
	return text.failed ? HIST_NOMEM : sink(arg, text.s, text.len);
}

/* --- lines --- */

void events_text_begin(const struct hist_events *ev, struct strbuf *out)
{
	strbuf_addf(out, "cpus=%u\n", ev->h->recordings.machine.nr_cpus);
}

/* The parts of a line before its text are written where there is room for them. */
enum { COMM_WIDTH = 16, PID_WIDTH = 5, TIME_WIDTH = 12, NAME_WIDTH = 22, FILL_MAX = 24 };

static inline char *put(char *to, const char *s, size_t n)
{
	memcpy(to, s, n);
	return to + n;
}

/* Blanks up to a width; overwrites up to FILL_MAX bytes. */
static inline char *put_blanks(char *to, size_t n, size_t width)
{
	memset(to, ' ', FILL_MAX);
	return n < width ? to + (width - n) : to;
}

static char *put_time(const struct events_printer *p, u64 ts, char *to)
{
	char digits[DIGITS_MAX + 8], *end = digits + sizeof(digits), *at;
	u64 us = ts / 1000 + (ts % 1000 >= 500);

	if (p->clock_counts) {
		at = digits_put(end, ts);
	} else {
		/* six digits, also if the first ones are 0 */
		at = digits_put(end, 1000000 + us % 1000000);
		*at = '.';
		at = digits_put(at, us / 1000000);
		to = put_blanks(to, (size_t)(end - at), TIME_WIDTH);
	}
	to = put(to, at, (size_t)(end - at));
	return put(to, ": ", 2);
}

static char *put_task(const struct hist_event *e, const char *comm, size_t n, char *to)
{
	char digits[DIGITS_MAX], *end = digits + sizeof(digits), *at;
	const s64 pid = e->pid;

	to = put_blanks(to, n, COMM_WIDTH);
	to = put(to, comm, n);
	*to++ = '-';
	at = digits_put(end, (u64)(pid < 0 ? -pid : pid));
	if (pid < 0)
		*--at = '-';
	to = put(to, at, (size_t)(end - at));
	return put_blanks(to, (size_t)(end - at), PID_WIDTH);
}

static char *put_cpu(u32 cpu, char *to)
{
	char digits[DIGITS_MAX], *end = digits + sizeof(digits), *at = digits_put(end, cpu);

	while (end - at < 3)
		*--at = '0';
	to = put(to, " [", 2);
	to = put(to, at, (size_t)(end - at));
	return put(to, "] ", 2);
}

void events_text_line(const struct events_printer *p, const struct events_row *r,
		      struct strbuf *out)
{
	enum { REST = 128 }; /* the numbers, with their blanks */
	const struct hist_event *e = &r->e;
	const char *comm = !e->pid ? "<idle>" : *r->comm ? r->comm : "<...>";
	const size_t n_comm = strlen(comm), n_name = strlen(e->type->name);
	char *to;

	if (e->lost)
		strbuf_addf(out, "CPU:%u [%llu EVENTS DROPPED]\n", e->cpu,
			    (unsigned long long)e->lost);
	else if (e->lost_unknown)
		strbuf_addf(out, "CPU:%u [EVENTS DROPPED]\n", e->cpu);
	if (!strbuf_grow(out, n_comm + n_name + REST))
		return;
	to = put_task(e, comm, n_comm, out->s + out->len);
	to = put_cpu(e->cpu, to);
	to = put_time(p, e->ts, to);
	to = put(to, e->type->name, n_name);
	*to++ = ':';
	to = put_blanks(to, n_name + 1, n_name + 1 < NAME_WIDTH ? NAME_WIDTH : n_name + 2);
	*to = '\0';
	out->len = (size_t)(to - out->s);
	events_add_text(e, out);
	strbuf_addch(out, '\n');
}
