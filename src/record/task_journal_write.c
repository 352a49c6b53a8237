// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes the lines of the journal of tasks (trace_dat/task_fact.h) from its sub-buffers and the
 * blocks of the manifest, and adds them to the trace.dat.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/blocks.h"
#include "record/task_journal.h"
#include "ring_buffer/ring_buffer.h"
#include "trace_dat/trace_dat.h"

/* Of an option: readers copy each one. */
enum { OPTION_BYTES = 1 << 20, FILE_BYTES = 1 << 29 };

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
	[TASKS_ATTACH] = { TASK_MOVED, 2, 1, { "pid", "dst_root", "dst_path" } },
};

/* A line that was made from a record; without a length: a place for an answer. */
struct tasks_line {
	u64 ts;
	size_t seq, at, len;
	enum task_fact_kind kind;
	s32 pid;
};

/* A question was answered before this time. */
struct tasks_mark {
	u32 number;
	u64 ts;
};

struct journal {
	struct ring_buffer_layout layout;
	ARRAY(struct tasks_format) formats;
	ARRAY(struct tasks_line) lines;
	ARRAY(struct tasks_mark) marks;
	struct strbuf text; /* of ->lines */
	struct strbuf proc; /* what /proc knew at first */
	u64 missed;
	struct trace_dat_writer *out;
	struct strbuf option;
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

static int read_formats(struct journal *j, struct span manifest)
{
	struct manifest_block block;
	int err = 0;

	while (!err && block_next(&manifest, &block)) {
		struct tasks_format format = { .id = 0 };

		if (!span_eq(block.key, "tasks format"))
			continue;
		if (tasks_format_parse(block.data, &format) != N_TASKS_EVENTS)
			err = array_push(&j->formats, format);
	}
	return err;
}

/* Events whose fields are not known are like those that the kernel does not have. */
static void add_lacking(const struct journal *j, struct strbuf *out)
{
	for (size_t e = 0; e < N_TASKS_EVENTS; e++) {
		struct task_fact fact = { .kind = TASK_LACKS, .text[0] = span_of(tasks_events[e]) };
		bool has = false;

		for (size_t i = 0; i < j->formats.n; i++)
			has |= j->formats.v[i].event == e;
		if (!has)
			task_fact_print(&fact, out);
	}
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

struct span tasks_field_text(const struct ring_buffer_record *rec, const struct tasks_field *f,
			     bool big)
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

/* The fact of a mark of our own. */
static enum task_fact_kind mark_kind(struct span text)
{
	text = span_trim(text);
	return span_eq(text, TASKS_BEGIN)     ? TASK_BEGIN
	       : span_eq(text, TASKS_SCANNED) ? TASK_SCANNED
	       : span_eq(text, TASKS_END)     ? TASK_END
					      : N_TASK_FACTS;
}

static int add_line(struct journal *j, const struct task_fact *fact, bool empty)
{
	struct tasks_line line = { .ts = fact->ts,
				   .seq = j->lines.n,
				   .at = j->text.len,
				   .kind = fact->kind,
				   .pid = fact->pid };

	if (!empty)
		task_fact_print(fact, &j->text);
	line.len = j->text.len - line.at;
	return array_push(&j->lines, line);
}

/* Places for the answers of questions that the record of @fact was. */
static int add_places(struct journal *j, const struct task_fact *fact)
{
	struct task_fact place = { .kind = TASK_ARGV, .ts = fact->ts, .pid = fact->pid };

	if (fact->kind == TASK_EXEC)
		return add_line(j, &place, true);
	place.kind = TASK_MOVED;
	place.text[0] = span_of("");
	return fact->kind == TASK_NEW && fact->n[1] & TASKS_INTO_CGROUP ? add_line(j, &place, false)
									: 0;
}

static int add_record(struct journal *j, const struct ring_buffer_record *rec)
{
	const struct tasks_format *f = NULL;
	const bool big = j->layout.big_endian;
	struct task_fact fact = { .ts = rec->ts };
	struct tasks_mark m = { .ts = rec->ts };
	u64 number;
	int err;

	for (size_t i = 0; i < j->formats.n && rec->len >= 8; i++)
		if (j->formats.v[i].id == load_u16(rec->data, big))
			f = &j->formats.v[i];
	if (!f)
		return 0;
	fact.kind = rules[f->event].kind;
	for (size_t i = 0; i < rules[f->event].texts; i++)
		fact.text[i] = tasks_field_text(rec, &f->fields[rules[f->event].numbers + i], big);
	if (f->event == TASKS_PRINT && span_starts(fact.text[0], TASKS_READ)) {
		m.number = span_u64(span_trim(span_skip(fact.text[0], strlen(TASKS_READ))), &number)
				   ? (u32)number
				   : UINT32_MAX;
		return array_push(&j->marks, m);
	}
	if (f->event == TASKS_PRINT)
		fact.kind = mark_kind(fact.text[0]);
	else
		fact.pid = (s32)tasks_field_number(rec, &f->fields[0], big);
	for (size_t i = 1; i < rules[f->event].numbers; i++)
		fact.n[i - 1] = tasks_field_number(rec, &f->fields[i], big);
	if (fact.kind == N_TASK_FACTS || fact.pid < 0)
		return 0;
	err = add_line(j, &fact, false);
	return err ? err : add_places(j, &fact);
}

bool tasks_page_next(struct span *rest, struct tasks_page *head, struct span *bytes)
{
	if (rest->n < sizeof(*head))
		return false;
	memcpy(head, rest->s, sizeof(*head));
	if (head->len > rest->n - sizeof(*head))
		return false;
	*bytes = (struct span){ rest->s + sizeof(*head), head->len };
	*rest = span_skip(*rest, sizeof(*head) + head->len);
	return true;
}

static int add_page(struct journal *j, struct span bytes, char *page)
{
	struct ring_buffer_record rec;
	struct ring_buffer_page pg;
	int err = 0;

	if (bytes.n > j->layout.subbuf_size)
		return 0;
	memcpy(page, bytes.s, bytes.n);
	memset(page + bytes.n, 0, j->layout.subbuf_size - bytes.n);
	if (ring_buffer_page_open(&pg, &j->layout, page, j->layout.subbuf_size))
		return 0;
	j->missed += pg.missed < 0 ? 1 : (u64)pg.missed;
	while (!err && !ring_buffer_page_next(&pg, &rec))
		err = add_record(j, &rec);
	return err;
}

static int by_time(const void *a, const void *b)
{
	const struct tasks_line *x = a, *y = b;

	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return x->seq < y->seq ? -1 : x->seq > y->seq;
}

static int by_number(const void *a, const void *b)
{
	const struct tasks_mark *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* The first line of that time or later. */
static size_t find_line(const struct journal *j, u64 ts)
{
	size_t from = 0, to = j->lines.n;

	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (j->lines.v[mid].ts < ts)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* Whether it is true only until then: the task executed, moved or ended after the question. */
static bool contradicts(const struct tasks_line *line, const struct task_fact *answer)
{
	return line->pid == answer->pid &&
	       (line->kind == TASK_EXIT ||
		line->kind == (answer->kind == TASK_ARGV ? TASK_EXEC : TASK_MOVED));
}

/* Put an answer to its place, if it was true until the mark at @end. */
static void add_answer(struct journal *j, const struct task_fact *answer, u64 end)
{
	struct tasks_line *place = NULL;

	for (size_t i = find_line(j, answer->ts); i < j->lines.n && j->lines.v[i].ts <= end; i++) {
		struct tasks_line *line = &j->lines.v[i];

		if (!place && line->ts == answer->ts && line->pid == answer->pid &&
		    line->kind == answer->kind)
			place = line;
		else if (place && contradicts(line, answer))
			return;
	}
	if (!place)
		return;
	place->at = j->text.len;
	strbuf_add(&j->text, answer->line.s, answer->line.n);
	strbuf_addch(&j->text, '\n');
	place->len = j->text.len - place->at;
}

/* The answers of @pages; ->lines are sorted. */
static void add_answers(struct journal *j, struct span pages)
{
	struct tasks_page head;
	struct task_fact answer;
	struct span lines;
	size_t next = 0;

	while (tasks_page_next(&pages, &head, &lines)) {
		/* both are in the order of their numbers */
		while (head.cpu & TASKS_ANSWER && next < j->marks.n &&
		       j->marks.v[next].number < (head.cpu & ~TASKS_ANSWER))
			next++;
		if (head.cpu & TASKS_ANSWER && next < j->marks.n &&
		    j->marks.v[next].number == (head.cpu & ~TASKS_ANSWER))
			while (task_fact_next(&lines, &answer))
				add_answer(j, &answer, j->marks.v[next].ts);
	}
}

static int add_pages(struct journal *j, const struct workdir *w, bool both)
{
	int fd = both ? workdir_old_tasks(w) : -1, err = 0;
	struct strbuf text = STRBUF_INIT;
	char *page = malloc(j->layout.subbuf_size);
	struct span rest, bytes;
	struct tasks_page head;

	if (both && !fd_append_close(fd, &text, FILE_BYTES))
		j->missed++;
	fd = workdir_tasks(w, O_RDONLY);
	/* what is missing for another reason is lost */
	if (!fd_append_close(fd, &text, FILE_BYTES)) {
		j->missed++;
		err = errno == ENOMEM                      ? -HIST_ENOMEM
		      : errno == EMFILE || errno == ENFILE ? -HIST_EIO
							   : 0;
	}
	rest = (struct span){ text.s, text.len };
	while (!err && page && tasks_page_next(&rest, &head, &bytes)) {
		if (head.cpu == TASKS_PROC && !j->proc.len)
			strbuf_add(&j->proc, bytes.s, bytes.n);
		else if (head.cpu < TASKS_PROC)
			err = add_page(j, bytes, page);
	}
	if (j->lines.n)
		qsort(j->lines.v, j->lines.n, sizeof(*j->lines.v), by_time);
	if (j->marks.n)
		qsort(j->marks.v, j->marks.n, sizeof(*j->marks.v), by_number);
	if (!err && page)
		add_answers(j, (struct span){ text.s, text.len });
	free(page);
	strbuf_release(&text);
	return !page || j->text.failed || j->proc.failed ? -HIST_ENOMEM : err;
}

/* --- writing --- */

static int put_option(struct journal *j)
{
	int err = j->option.failed ? -HIST_ENOMEM
				   : trace_dat_writer_option(j->out, TRACE_DAT_HIST_TASKS,
							     j->option.s, (u32)j->option.len);

	strbuf_reset(&j->option);
	return err;
}

static int put_lines(struct journal *j, struct span lines)
{
	int err = 0;

	while (!err && lines.n) {
		const char *end = span_chr(lines, '\n');
		size_t n = end ? (size_t)(end - lines.s) + 1 : lines.n;

		strbuf_add(&j->option, lines.s, n);
		lines = span_skip(lines, n);
		if (j->option.len >= OPTION_BYTES)
			err = put_option(j);
	}
	return err;
}

static int put_all(struct journal *j, struct span proc, struct span manifest)
{
	struct task_fact fact = { .kind = TASK_VERSION, .n = { TASK_JOURNAL_VERSION } };
	u64 unread = 0;
	bool known = false, scanned = false;
	size_t last = 0;
	int err = 0;

	task_fact_print(&fact, &j->option);
	add_lacking(j, &j->option);
	fact.kind = TASK_LOST;
	fact.n[0] = block_number(manifest, "tasks lost", 0);
	fact.n[0] = max_t(u64, fact.n[0], j->missed);
	if (fact.n[0])
		task_fact_print(&fact, &j->option);
	for (size_t i = 0; i < j->lines.n; i++)
		unread += j->lines.v[i].kind == TASK_ARGV && !j->lines.v[i].len;
	fact.kind = TASK_UNREAD;
	fact.n[0] = unread;
	if (unread)
		task_fact_print(&fact, &j->option);
	for (size_t i = 0; i < j->lines.n; i++)
		last = j->lines.v[i].kind == TASK_END ? i : last;
	for (size_t i = 0; !err && i < j->lines.n; i++) {
		const struct tasks_line *line = &j->lines.v[i];

		/* one that began anew, and the ends of others that were written before */
		if ((known && line->kind == TASK_BEGIN) ||
		    (scanned && line->kind == TASK_SCANNED) || (line->kind == TASK_END && i < last))
			continue;
		scanned |= line->kind == TASK_SCANNED;
		err = put_lines(j, (struct span){ j->text.s + line->at, line->len });
		if (!err && line->kind == TASK_BEGIN && !known)
			err = put_lines(j, proc);
		known |= line->kind == TASK_BEGIN;
	}
	if (!err && !known)
		err = put_lines(j, proc);
	return err ? err : put_option(j);
}

int tasks_write(const struct workdir *w, struct span manifest, struct trace_dat_writer *out)
{
	/* where older versions stored it */
	struct span proc = block_find(manifest, "tasks proc");
	struct journal j = {
		.out = out, .text = STRBUF_INIT, .proc = STRBUF_INIT, .option = STRBUF_INIT
	};
	u64 subbuf = block_number(manifest, "tasks subbuf", 0);
	const u16 one = 1;
	int err;

	if (subbuf < 64 || subbuf > 1u << 28)
		return 0;
	j.layout = (struct ring_buffer_layout){
		.big_endian = load_u16(&one, false) != 1,
		.long_size = (u32)block_number(manifest, "long", sizeof(long)),
		.subbuf_size = (u32)subbuf,
	};
	err = read_formats(&j, manifest);
	if (!err)
		err = add_pages(&j, w, block_number(manifest, "tasks both", 0));
	if (j.proc.len)
		proc = (struct span){ j.proc.s, j.proc.len };
	/* without it, the journal did not begin */
	if (!err && proc.s)
		err = put_all(&j, proc, manifest);
	array_release(&j.formats);
	array_release(&j.lines);
	array_release(&j.marks);
	strbuf_release(&j.text);
	strbuf_release(&j.proc);
	strbuf_release(&j.option);
	return err;
}
