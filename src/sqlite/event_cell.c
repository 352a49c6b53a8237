// SPDX-License-Identifier: LGPL-2.1-only
/* The values of an event as SQLite has them: numbers of 64 bits with a sign, and texts. */
#include "hist-columns.h"
#include "sqlite/event_table.h"
#include "table/table.h"

static bool is_utf8(struct span text)
{
	size_t n = 1;

	while (n && text.n) {
		n = text_plain_length(text);
		n = n ? n : utf8_length(text);
		text = span_skip(text, n);
	}
	return n > 0;
}

static struct event_cell number_cell(sqlite3_int64 v)
{
	return (struct event_cell){ .type = SQLITE_INTEGER, .number = v };
}

/* Bytes that are not a text for SQLite are a blob. */
static struct event_cell text_cell(struct span text)
{
	const bool valid = is_utf8(text);

	return (struct event_cell){ .type = valid ? SQLITE_TEXT : SQLITE_BLOB,
				    .text = { text.s ? text.s : "", text.n } };
}

/* SQLite has no integer from 2^63 on. */
static struct event_cell unsigned_cell(u64 v, struct strbuf *text)
{
	if (v <= INT64_MAX)
		return number_cell((sqlite3_int64)v);
	strbuf_addf(text, "%llu", v);
	return text_cell(strbuf_span(text));
}

struct event_cell event_str_cell(const char *s)
{
	return s ? text_cell(span_of(s)) : (struct event_cell){ .type = SQLITE_NULL };
}

/* A pointer is an integer with the same bits, as SQLite reads 0xffffffff81001010. */
static struct event_cell field_cell(const struct hist_event *e, size_t field, struct strbuf *text)
{
	struct hist_value v;

	hist_event_value(e, field, &v);
	if (v.kind == HIST_VALUE_ABSENT)
		return (struct event_cell){ .type = SQLITE_NULL };
	if (v.kind == HIST_VALUE_TEXT)
		return text_cell((struct span){ v.data, v.len });
	if (v.kind == HIST_VALUE_SIGNED || v.kind == HIST_VALUE_POINTER)
		return number_cell((sqlite3_int64)v.number);
	if (v.kind == HIST_VALUE_UNSIGNED)
		return unsigned_cell(v.number, text);
	hist_value_text(&v, strbuf_sink, text);
	return text_cell(strbuf_span(text));
}

struct event_cell event_cell(const struct hist_event *e, size_t column, int field,
			     struct strbuf *text)
{
	uint64_t unix_ns;
	s32 tgid;

	strbuf_reset(text);
	switch (column) {
	case COL_TS:
		return unsigned_cell(e->ts, text);
	case COL_CPU:
		return number_cell(e->cpu);
	case COL_PID:
		return number_cell(e->pid);
	case COL_COMM:
		return event_str_cell(hist_event_comm(e));
	case COL_TGID:
		tgid = hist_event_tgid(e);
		return tgid < 0 ? event_str_cell(NULL) : number_cell(tgid);
	case COL_PROCESS:
		return event_str_cell(hist_event_who(e, HIST_WHO_PROCESS));
	case COL_CMDLINE:
		return event_str_cell(hist_event_who(e, HIST_WHO_CMDLINE));
	case COL_CGROUP:
		return event_str_cell(hist_event_who(e, HIST_WHO_CGROUP));
	case COL_EVENT:
		strbuf_addf(text, "%s:%s", e->type->system, e->type->name);
		return text_cell(strbuf_span(text));
	case COL_DATE:
		if (!hist_event_date(e, &unix_ns))
			return event_str_cell(NULL);
		text_add_date(text, unix_ns);
		return text_cell(strbuf_span(text));
	case COL_UNIX_NS:
		return hist_event_date(e, &unix_ns) ? unsigned_cell(unix_ns, text)
						    : event_str_cell(NULL);
	case COL_TEXT:
		hist_event_text(e, strbuf_sink, text);
		return text_cell(strbuf_span(text));
	default:
		return field < 0 ? event_str_cell(NULL) : field_cell(e, (size_t)field, text);
	}
}

int event_cell_bind(sqlite3_stmt *stmt, int at, const struct event_cell *cell)
{
	switch (cell->type) {
	case SQLITE_INTEGER:
		return sqlite3_bind_int64(stmt, at, cell->number);
	case SQLITE_TEXT:
		return sqlite3_bind_text(stmt, at, cell->text.s, (int)cell->text.n,
					 SQLITE_TRANSIENT);
	case SQLITE_BLOB:
		return sqlite3_bind_blob(stmt, at, cell->text.s, (int)cell->text.n,
					 SQLITE_TRANSIENT);
	default:
		return sqlite3_bind_null(stmt, at);
	}
}
