// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Makes the lines of the journal of tasks (trace_dat/task_fact.h) from its sub-buffers and the
 * blocks of the manifest, and adds them to the trace.dat.
 */
#include "record/blocks.h"
#include "record/task_journal.h"

/* Of an option: readers copy each one. */
enum { OPTION_BYTES = 1 << 20, FILE_BYTES = 1 << 29 };

struct journal_writer {
	struct ring_buffer_layout layout;
	ARRAY(struct tasks_format) formats;
	struct task_lines lines;
	struct strbuf proc; /* what /proc knew at first */
	u64 missed;
	struct trace_dat_writer *out;
	struct strbuf option;
};

/* Events whose fields are not known are like those that the kernel does not have. */
static void add_lacking(const struct journal_writer *j, struct strbuf *out)
{
	for (size_t e = 0; e < N_TASKS_EVENTS; e++) {
		struct task_fact fact = { .kind = TASK_LACKS, .text[0] = span_of(tasks_events[e]) };
		const bool has = any_of(i, j->formats.n, j->formats.v[i].event == e);

		if (!has)
			task_fact_print(&fact, out);
	}
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

static int add_page(struct journal_writer *j, struct span bytes, char *page)
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
		err = task_lines_add(&j->lines, &rec);
	return err;
}

static int add_pages(struct journal_writer *j, const struct workdir *w, bool both)
{
	int fd = both ? workdir_old_tasks(w) : -1, err = 0;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	scoped(free_scoped) char *page = malloc(j->layout.subbuf_size);
	struct span rest, bytes;
	struct tasks_page head;
	size_t next = 0;

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
	task_lines_sort(&j->lines);
	rest = (struct span){ text.s, text.len };
	/* their marks are in the order of their numbers, too */
	while (!err && page && tasks_page_next(&rest, &head, &bytes))
		if (head.cpu & TASKS_ANSWER)
			task_lines_answer(&j->lines, head.cpu & ~TASKS_ANSWER, bytes, &next);
	return !page || j->lines.text.failed || j->proc.failed ? -HIST_ENOMEM : err;
}

static int put_option(struct journal_writer *j)
{
	int err = j->option.failed ? -HIST_ENOMEM
				   : trace_dat_writer_option(j->out, TRACE_DAT_HIST_TASKS,
							     j->option.s, (u32)j->option.len);

	strbuf_reset(&j->option);
	return err;
}

static int put_lines(struct journal_writer *j, struct span lines)
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

static int put_all(struct journal_writer *j, struct span proc, struct span manifest)
{
	struct task_fact fact = { .kind = TASK_VERSION, .n = { TASK_JOURNAL_VERSION } };
	struct manifest_block block;
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
	for (size_t i = 0; i < j->lines.v.n; i++)
		unread += j->lines.v.v[i].kind == TASK_ARGV && !j->lines.v.v[i].len;
	fact.kind = TASK_UNREAD;
	fact.n[0] = unread;
	if (unread)
		task_fact_print(&fact, &j->option);
	for (size_t i = 0; i < j->lines.v.n; i++)
		last = j->lines.v.v[i].kind == TASK_END ? i : last;
	for (size_t i = 0; !err && i < j->lines.v.n; i++) {
		const struct tasks_line *line = &j->lines.v.v[i];

		/* one that began anew, and the ends of others that were written before */
		if ((known && line->kind == TASK_BEGIN) ||
		    (scanned && line->kind == TASK_SCANNED) || (line->kind == TASK_END && i < last))
			continue;
		scanned |= line->kind == TASK_SCANNED;
		err = put_lines(j, (struct span){ j->lines.text.s + line->at, line->len });
		if (!err && line->kind == TASK_BEGIN && !known)
			err = put_lines(j, proc);
		known |= line->kind == TASK_BEGIN;
	}
	if (!err && !known)
		err = put_lines(j, proc);
	while (!err && block_next(&manifest, &block))
		if (span_eq(block.key, "tasks quotas"))
			err = put_lines(j, block.data);
	return err ? err : put_option(j);
}

int tasks_write(const struct workdir *w, struct span manifest, struct trace_dat_writer *out)
{
	/* where older versions stored it */
	struct span proc = block_find(manifest, "tasks proc");
	struct journal_writer j = {
		.out = out, .lines.text = STRBUF_INIT, .proc = STRBUF_INIT, .option = STRBUF_INIT
	};
	u64 subbuf = block_number(manifest, "tasks subbuf", 0);
	const u16 one = 1;
	struct manifest_block block;
	struct span rest = manifest;
	int err = 0;

	if (subbuf < 64 || subbuf > 1u << 28)
		return 0;
	j.layout = (struct ring_buffer_layout){
		.big_endian = load_u16(&one, false) != 1,
		.long_size = (u32)block_number(manifest, "long", sizeof(long)),
		.subbuf_size = (u32)subbuf,
	};
	while (!err && block_next(&rest, &block)) {
		struct tasks_format format = { .id = 0 };

		if (!span_eq(block.key, "tasks format"))
			continue;
		if (tasks_format_parse(block.data, &format) != N_TASKS_EVENTS)
			err = array_push(&j.formats, format);
	}
	j.lines.big_endian = j.layout.big_endian;
	j.lines.formats = j.formats.v;
	j.lines.n_formats = j.formats.n;
	err = err ?: add_pages(&j, w, block_number(manifest, "tasks both", 0));
	if (j.proc.len)
		proc = (struct span){ j.proc.s, j.proc.len };
	/* without it, the journal did not begin */
	if (!err && proc.s)
		err = put_all(&j, proc, manifest);
	array_release(&j.formats);
	task_lines_release(&j.lines);
	strbuf_release(&j.proc);
	strbuf_release(&j.option);
	return err;
}
