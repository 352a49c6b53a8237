// SPDX-License-Identifier: LGPL-2.1-only
/* The events of the journal of tasks, and the lines that their records become. */
#include "record/task_lines.h"

/* ORDER enum tasks_event */
const char *const tasks_events[N_TASKS_EVENTS] = {
	"ftrace/print",
	"task/task_newtask",
	"task/task_rename",
	"sched/sched_process_exec",
	"sched/sched_process_exit",
	"cgroup/cgroup_attach_task",
};

/* ORDER enum tasks_event; the first field is the pid, texts are last */
static const struct {
	enum task_fact_kind kind;
	u8 numbers, texts;
	const char *fields[TASKS_FIELDS];
} rules[N_TASKS_EVENTS] = {
	[TASKS_PRINT] = { N_TASK_FACTS, 0, 1, { "buf" } },
	[TASKS_NEW] = { TASK_NEW, 3, 1, { "pid", "common_pid", "clone_flags", "comm" } },
	[TASKS_RENAME] = { TASK_NAME, 1, 2, { "pid", "oldcomm", "newcomm" } },
	[TASKS_EXEC] = { TASK_EXEC, 2, 1, { "pid", "old_pid", "filename" } },
	[TASKS_EXIT] = { TASK_EXIT, 1, 1, { "pid", "comm" } },
	[TASKS_ATTACH] = { TASK_MOVED, 3, 1, { "pid", "dst_root", "dst_id", "dst_path" } },
};

/* --- formats --- */

static bool line_number(struct span line, const char *word, u32 *n)
{
	const char *at = span_find(line, span_of(word));
	struct span rest;
	u64 value;

	if (!at)
		return false;
	rest = span_between(at + strlen(word), line.s + line.n);
	if (!span_u64(span_trim(span_sep(&rest, ";\n")), &value) || value > 1u << 20)
		return false;
	*n = (u32)value;
	return true;
}

static bool find_field(struct span text, const char *name, struct tasks_field *field)
{
	while (text.s) {
		struct span line = span_ltrim(span_sep(&text, "\n")), rest = line;
		struct span decl = span_sep(&rest, ";");
		const char *last = decl.n ? span_rchr(decl, ' ') : NULL;
		struct span word;

		if (!last || !span_starts(decl, "field:"))
			continue;
		word = span_between(last + 1, decl.s + decl.n);
		if (!span_eq(span_sep(&word, "["), name))
			continue;
		field->dynamic = span_find(decl, span_of("__data_loc ")) != NULL;
		return line_number(line, "offset:", &field->at) &&
		       line_number(line, "size:", &field->size);
	}
	return false;
}

enum tasks_event tasks_format_parse(struct span text, struct tasks_format *format)
{
	struct span rest = text, name = span_sep(&rest, "\n");
	unsigned int event = 0;
	bool known = true;

	while (event < N_TASKS_EVENTS &&
	       !(span_starts(name, "name: ") &&
		 span_eq(span_skip(name, 6), strchr(tasks_events[event], '/') + 1)))
		event++;
	if (event == N_TASKS_EVENTS || !line_number(rest, "ID:", &format->id))
		return N_TASKS_EVENTS;
	format->event = event;
	for (size_t i = 0; i < TASKS_FIELDS && rules[event].fields[i]; i++)
		known &= find_field(text, rules[event].fields[i], &format->fields[i]);
	return known ? event : N_TASKS_EVENTS;
}

const struct tasks_format *tasks_format_of(const struct tasks_format *formats, size_t n,
					   const struct ring_buffer_record *rec, bool big)
{
	u32 id = rec->len >= 8 ? load_u16(rec->data, big) : 0;

	for (size_t i = 0; id && i < n; i++)
		if (formats[i].id == id)
			return &formats[i];
	return NULL;
}

/* --- records --- */

u64 tasks_field_number(const struct ring_buffer_record *rec, const struct tasks_field *f, bool big)
{
	if ((u64)f->at + f->size > rec->len)
		return 0;
	return f->size == 8   ? load_u64(rec->data + f->at, big)
	       : f->size == 4 ? load_u32(rec->data + f->at, big)
			      : load_u16(rec->data + f->at, big);
}

static struct span tasks_field_text(const struct ring_buffer_record *rec,
				    const struct tasks_field *f, bool big)
{
	u32 at = f->at, size = f->size ? f->size : rec->len;
	struct span text;

	if (f->dynamic) {
		const u32 loc = (u32)tasks_field_number(rec, f, big);

		at = loc & 0xffff;
		size = loc >> 16;
	}
	if (at >= rec->len)
		return span_of("");
	text.s = (const char *)rec->data + at;
	text.n = strnlen(text.s, min_t(size_t, size, rec->len - at));
	return text;
}

bool tasks_is_question(const struct ring_buffer_record *rec, const struct tasks_format *f,
		       bool args, bool big)
{
	/* without an answer, it is not known */
	if (f->event == TASKS_EXEC)
		return args;
	return f->event == TASKS_NEW &&
	       tasks_field_number(rec, &f->fields[2], big) & TASKS_INTO_CGROUP;
}

/* The fact of a mark of our own. */
static enum task_fact_kind mark_kind(struct span text)
{
	text = span_trim(text);
	return span_eq(text, TASKS_BEGIN)     ? TASK_BEGIN
	       : span_eq(text, TASKS_SCANNED) ? TASK_SCANNED
	       : span_eq(text, TASKS_END)     ? TASK_END
					      : N_TASK_FACTS;
}

static int add_line(struct task_lines *t, const struct task_fact *fact, bool empty)
{
	struct tasks_line line = { .ts = fact->ts,
				   .seq = t->v.n,
				   .at = t->text.len,
				   .kind = fact->kind,
				   .pid = fact->pid };

	if (!empty)
		task_fact_print(fact, &t->text);
	line.len = t->text.len - line.at;
	return array_push(&t->v, line);
}

/* Places for the answers of questions that the record of @fact was. */
static int add_gaps(struct task_lines *t, const struct task_fact *fact)
{
	struct task_fact gap = { .kind = TASK_ARGV, .ts = fact->ts, .pid = fact->pid };

	if (fact->kind == TASK_EXEC)
		return add_line(t, &gap, true);
	gap.kind = TASK_MOVED;
	gap.text[0] = span_of("");
	return fact->kind == TASK_NEW && fact->n[1] & TASKS_INTO_CGROUP ? add_line(t, &gap, false)
									: 0;
}

int task_lines_add(struct task_lines *t, const struct ring_buffer_record *rec)
{
	const bool big = t->big_endian;
	const struct tasks_format *f = tasks_format_of(t->formats, t->n_formats, rec, big);
	struct task_fact fact = { .ts = rec->ts };
	struct tasks_mark m = { .ts = rec->ts };
	u64 number;

	if (!f)
		return 0;
	fact.kind = rules[f->event].kind;
	for (size_t i = 0; i < rules[f->event].texts; i++)
		fact.text[i] = tasks_field_text(rec, &f->fields[rules[f->event].numbers + i], big);
	if (f->event == TASKS_PRINT && span_starts(fact.text[0], TASKS_READ)) {
		m.number = span_u64(span_trim(span_skip(fact.text[0], strlen(TASKS_READ))), &number)
				   ? (u32)number
				   : UINT32_MAX;
		return array_push(&t->marks, m);
	}
	if (f->event == TASKS_PRINT)
		fact.kind = mark_kind(fact.text[0]);
	else
		fact.pid = (s32)tasks_field_number(rec, &f->fields[0], big);
	for (size_t i = 1; i < rules[f->event].numbers; i++)
		fact.n[i - 1] = tasks_field_number(rec, &f->fields[i], big);
	if (fact.kind == TASK_MOVED)
		fact.id = fact.n[1];
	if (fact.kind == N_TASK_FACTS || fact.pid < 0)
		return 0;
	return add_line(t, &fact, false) ?: add_gaps(t, &fact);
}

DEFINE_ORDER(by_time, struct tasks_line, cmp_int(x->ts, y->ts) ?: cmp_int(x->seq, y->seq))

DEFINE_ORDER(by_number, struct tasks_mark, cmp_int(x->number, y->number))

/* Whether it is true only until then: the task executed, moved or ended after the question. */
static bool contradicts(const struct tasks_line *line, const struct task_fact *answer)
{
	return line->pid == answer->pid &&
	       (line->kind == TASK_EXIT ||
		line->kind == (answer->kind == TASK_ARGV ? TASK_EXEC : TASK_MOVED));
}

/* Put an answer to its place, if it was true until the mark at @end. */
static void add_answer(struct task_lines *t, const struct task_fact *answer, u64 end)
{
	const size_t first = partition_point(k, t->v.n, t->v.v[k].ts < answer->ts);
	struct tasks_line *gap = NULL;

	for (size_t i = first; i < t->v.n && t->v.v[i].ts <= end; i++) {
		struct tasks_line *line = &t->v.v[i];

		if (!gap && line->ts == answer->ts && line->pid == answer->pid &&
		    line->kind == answer->kind)
			gap = line;
		else if (gap && contradicts(line, answer))
			return;
	}
	if (!gap)
		return;
	gap->at = t->text.len;
	strbuf_add(&t->text, answer->line.s, answer->line.n);
	strbuf_addch(&t->text, '\n');
	gap->len = t->text.len - gap->at;
}

void task_lines_sort(struct task_lines *t)
{
	if (t->v.n)
		qsort(t->v.v, t->v.n, sizeof(*t->v.v), by_time);
	if (t->marks.n)
		qsort(t->marks.v, t->marks.n, sizeof(*t->marks.v), by_number);
}

void task_lines_answer(struct task_lines *t, u32 number, struct span lines, size_t *next)
{
	struct task_fact answer;

	while (*next < t->marks.n && t->marks.v[*next].number < number)
		++*next;
	if (*next < t->marks.n && t->marks.v[*next].number == number)
		while (task_fact_next(&lines, &answer))
			add_answer(t, &answer, t->marks.v[*next].ts);
}

void task_lines_release(struct task_lines *t)
{
	array_release(&t->v);
	array_release(&t->marks);
	strbuf_release(&t->text);
}
