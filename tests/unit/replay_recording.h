/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Recordings made from lists of records, and the output of scripts on them.
 *
 *	static const struct event_line lines[] = {
 *		{ .event = "sched:sched_waking", .fields = "pid=7 @ts=1000" },
 *		{ .cpu = 1, .lost = 3 },	(three records of CPU 1 are lost here)
 *	};
 *
 *	recording_write("a.dat", &(struct recording_of){ .lines = lines, .n = ARRAY_SIZE(lines) });
 *	run_script(&(struct run){ .inputs = { "a.dat" } }, "echo ...", "output", "diagnoses");
 */
#ifndef TESTS_REPLAY_RECORDING_H
#define TESTS_REPLAY_RECORDING_H

#include <unistd.h>

#include "tracing_dir.h"

#include "hist-script.h"
#include "hist.h"
#include "ring_buffer/ring_buffer.h"
#include "trace_dat/writer.h"

#define STACK_FORMAT                                                    \
	"name: kernel_stack\nID: 4\n" COMMON FIELD("int size", 8, 4, 1) \
		FIELD("unsigned long caller[8]", 16, 64,                \
		      0) "\nprint fmt: \"\\t=> %ps\\n\", (void *)REC->caller[0]\n"
#define SYNTH_FORMAT                                         \
	"name: lat\nID: 200\n" COMMON FIELD("u64 lat", 8, 8, \
					    0) "\nprint fmt: \"lat=%llu\", REC->lat\n"

/* format of p:kp f nr=%di:u32 comm=$comm:string */
#define KPROBE_FORMAT                                                            \
	"name: kp\nID: 201\n" COMMON FIELD("unsigned long __probe_ip", 8, 8, 0)  \
		FIELD("u32 nr", 16, 4, 0) FIELD("__data_loc char[] comm", 20, 4, \
						1) "\nprint fmt: \"(%lx)\", REC->__probe_ip\n"

/* format of e:ep sched/sched_switch next=$next_pid */
#define EPROBE_FORMAT                                        \
	"name: ep\nID: 202\n" COMMON FIELD("u64 next", 8, 8, \
					   0) "\nprint fmt: \" next=0x%Lx\", REC->next\n"
#define POINTER_FORMAT                                             \
	"name: pointer\nID: 203\n" COMMON FIELD("void * to", 8, 8, \
						0) "\nprint fmt: \"to=%p\", REC->to\n"

#define BPUTS_FORMAT                                                     \
	"name: bputs\nID: 6\n" COMMON FIELD("unsigned long ip", 8, 8, 0) \
		FIELD("const char * str", 16, 8,                         \
		      0) "\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->str\n"

#define RENAME_FORMAT                                                                     \
	"name: task_rename\nID: 204\n" COMMON FIELD("pid_t pid", 8, 4, 1)                 \
		FIELD("char oldcomm[16]", 12, 16, 0) FIELD("char newcomm[16]", 28, 16, 0) \
			FIELD("short oom_score_adj", 44, 2,                               \
			      1) "\nprint fmt: \"pid=%d\", REC->pid\n"

#define EXEC_FORMAT                                                                               \
	"name: sched_process_exec\nID: 205\n" COMMON FIELD("__data_loc char[] filename", 8, 4, 1) \
		FIELD("pid_t pid", 12, 4, 1)                                                      \
			FIELD("pid_t old_pid", 16, 4, 1) "\nprint fmt: \"pid=%d\", REC->pid\n"

enum { SUBBUF = 4096, HEADER = 16, MAX_CPUS = 4, MAX_INPUTS = 3 };

struct event_line {
	const char *event, *fields; /* as for hit(); @ts is required */
	const char *buffer;         /* NULL: the top buffer */
	u32 cpu;
	s64 lost;         /* > 0: number of lost records; < 0: unknown number */
	u32 cut;          /* bytes that its record lacks at its end */
	const u64 *stack; /* entries of an event "stack", terminated by zero */
};

struct recording_of {
	const struct event_line *lines; /* those of each CPU sorted by time */
	size_t n;
	const char *uname, *clock, *cmdlines;
	int version; /* 0: version 7 */
	bool without_top;
	bool kprobe; /* add the format of kprobes:kp */
	bool guest;  /* add the option TIME_SHIFT */
	bool more;   /* add the formats of eprobes:ep, test:pointer, and ftrace:bputs with its texts
		      */
	bool rename; /* add the formats of task:task_rename and sched:sched_process_exec */
	const struct event_text *formats; /* others, until one without a system; NULL: none */
};

static char recording_dir[] = "/tmp/hist-replay-XXXXXX";

static inline int recording_make_dir(void **state)
{
	(void)state;
	return mkdtemp(recording_dir) ? 0 : -1;
}

static inline int recording_remove_dir(void **state)
{
	char command[sizeof(recording_dir) + 16];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", recording_dir);
	return system(command);
}

/* The path of recording @name; valid for a few calls. */
static inline const char *recording_path(const char *name)
{
	static char paths[2 * MAX_INPUTS][sizeof(recording_dir) + 64];
	static int next;
	char *path = paths[next++ % (2 * MAX_INPUTS)];

	snprintf(path, sizeof(paths[0]), "%s/%s", recording_dir, name);
	return path;
}

/* --- sub-buffers --- */

/* The sub-buffer being filled. */
struct page {
	_Alignas(8) u8 bytes[SUBBUF];
	u32 used; /* size of its data */
	u64 ts;   /* time of the last record */
	s64 lost; /* records lost before it */
};

static inline void page_write(struct page *page, struct trace_dat_writer *w)
{
	u64 commit = page->used;

	if (!page->used)
		return;
	if (page->lost)
		commit |= RB_MISSED_EVENTS;
	if (page->lost > 0) {
		commit |= RB_MISSED_STORED;
		store_u64(page->bytes + HEADER + page->used, (u64)page->lost, false);
	}
	store_u64(page->bytes + 8, commit, false);
	assert_int_equal(trace_dat_writer_pages(w, page->bytes, 1), 0);
	memset(page, 0, sizeof(*page));
}

static inline void page_add(struct page *page, struct trace_dat_writer *w, const struct record *r)
{
	u32 words = r->len / 4, size = words <= 28 ? 4 + r->len : 8 + r->len;
	u8 *p;

	if (page->used && (HEADER + page->used + size + 8 > SUBBUF || r->ts - page->ts >= 1u << 27))
		page_write(page, w);
	if (!page->used)
		store_u64(page->bytes, r->ts, false);
	p = page->bytes + HEADER + page->used;
	store_u32(p, (u32)(page->used ? r->ts - page->ts : 0) << 5 | (words <= 28 ? words : 0),
		  false);
	if (words > 28)
		store_u32(p + 4, r->len + 4, false);
	memcpy(p + size - r->len, r->bytes, r->len);
	page->ts = r->ts;
	page->used += size;
}

static inline void make_stack(struct record *r, const struct event_line *line, struct dir *d)
{
	struct event_format format =
		*file_of(d, "sched:sched_waking")->format; /* for the common fields */
	u32 n = 0;

	format.id = 4;
	format.min_size = 16;
	make_record(d, r, &format, line->fields);
	for (; line->stack[n]; n++)
		store_u64(r->bytes + 16 + 8 * n, line->stack[n], false);
	store_u32(r->bytes + 8, n, false);
	r->len = 16 + 8 * n;
}

/* Also not in the directory. */
static inline void make_rename(struct record *r, const struct event_line *line, struct dir *d)
{
	const struct event_format *waking = file_of(d, "sched:sched_waking")->format;
	struct event_field fields[] = {
		*event_find_field(waking, span_of("pid"), GENERICS_6_1),
		*event_find_field(waking, span_of("comm"), GENERICS_6_1),
		*event_find_field(waking, span_of("comm"), GENERICS_6_1),
		*event_find_field(waking, span_of("common_pid"), GENERICS_6_1),
	};
	const struct event_format format = {
		.id = 204, .min_size = 48, .n_fields = ARRAY_SIZE(fields), .fields = fields
	};

	fields[0].offset = 8;
	fields[1].name = "oldcomm";
	fields[1].offset = 12;
	fields[2].name = "newcomm";
	fields[2].offset = 28;
	make_record(d, r, &format, line->fields);
}

static inline void make_exec(struct record *r, const struct event_line *line, struct dir *d)
{
	const struct event_format *all = file_of(d, "test:all")->format;
	struct event_field fields[] = {
		*event_find_field(all, span_of("dyn"), GENERICS_6_1),
		*event_find_field(all, span_of("a32"), GENERICS_6_1),
		*event_find_field(all, span_of("common_pid"), GENERICS_6_1),
	};
	const struct event_format format = {
		.id = 205, .min_size = 20, .n_fields = ARRAY_SIZE(fields), .fields = fields
	};

	fields[0].name = "filename";
	fields[0].offset = 8;
	fields[1].name = "pid";
	fields[1].offset = 12;
	make_record(d, r, &format, line->fields);
}

static inline void make_line(struct record *r, const struct event_line *line, struct dir *d)
{
	/* of one or two fields; these events are not in the directory */
	static const struct {
		const char *event;
		u32 id;
		struct event_field fields[2];
	} small[] = {
		{ "synthetic:lat", 200, { { .name = "lat", .offset = 8, .size = 8 } } },
		{ "eprobes:ep", 202, { { .name = "next", .offset = 8, .size = 8 } } },
		{ "test:pointer", 203, { { .name = "to", .offset = 8, .size = 8 } } },
		{ "ftrace:bputs",
		  6,
		  { { .name = "ip", .offset = 8, .size = 8 },
		    { .name = "str", .offset = 16, .size = 8 } } },
	};

	if (!strcmp(line->event, "stack")) {
		make_stack(r, line, d);
		return;
	}
	if (!strcmp(line->event, "task:task_rename")) {
		make_rename(r, line, d);
		return;
	}
	if (!strcmp(line->event, "sched:sched_process_exec")) {
		make_exec(r, line, d);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(small); i++) {
		const u32 n = small[i].fields[1].name ? 2 : 1;
		const struct event_format format = { .id = small[i].id,
						     .min_size = 8 + 8 * n,
						     .n_fields = n,
						     .fields = small[i].fields };

		if (!strcmp(line->event, small[i].event)) {
			make_record(d, r, &format, line->fields);
			return;
		}
	}
	make_record(d, r, file_of(d, line->event)->format, line->fields);
}

/* --- the file --- */

static inline bool is_of(const struct event_line *line, const char *buffer, u32 cpu)
{
	return !strcmp(line->buffer ? line->buffer : "", buffer) && line->cpu == cpu;
}

static inline void write_cpu(struct trace_dat_writer *w, const struct recording_of *rec,
			     const char *buffer, u32 cpu)
{
	struct page page = { .used = 0 };
	struct record r;
	struct dir d;

	dir_open_events(&d, dir_machine("6.12"), rec->formats);
	assert_int_equal(trace_dat_writer_cpu(w, cpu), 0);
	for (size_t i = 0; i < rec->n; i++) {
		if (!is_of(&rec->lines[i], buffer, cpu))
			continue;
		if (rec->lines[i].lost) {
			page_write(&page, w);
			page.lost = rec->lines[i].lost;
			continue;
		}
		make_line(&r, &rec->lines[i], &d);
		r.len -= min_t(u32, rec->lines[i].cut, r.len - 8);
		page_add(&page, w, &r);
	}
	page_write(&page, w);
	dir_close(&d);
}

static inline void write_buffer(struct trace_dat_writer *w, const struct recording_of *rec,
				const char *buffer)
{
	assert_int_equal(
		trace_dat_writer_buffer(w, buffer, rec->clock ? rec->clock : "local", SUBBUF), 0);
	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++)
		for (size_t i = 0; i < rec->n; i++)
			if (is_of(&rec->lines[i], buffer, cpu)) {
				write_cpu(w, rec, buffer, cpu);
				break;
			}
}

static inline void write_formats(struct trace_dat_writer *w, const struct recording_of *rec)
{
	if (rec->kprobe)
		trace_dat_writer_format(w, "kprobes", span_of(KPROBE_FORMAT));
	if (rec->more) {
		trace_dat_writer_format(w, "eprobes", span_of(EPROBE_FORMAT));
		trace_dat_writer_format(w, "test", span_of(POINTER_FORMAT));
		trace_dat_writer_format(w, "ftrace", span_of(BPUTS_FORMAT));
		trace_dat_writer_section(w, TRACE_DAT_PRINTK, span_of("0x1000 : \"once\\n\"\n"));
	}
	if (rec->rename) {
		trace_dat_writer_format(w, "task", span_of(RENAME_FORMAT));
		trace_dat_writer_format(w, "sched", span_of(EXEC_FORMAT));
	}
	trace_dat_writer_format(w, "ftrace", span_of(format_print));
	trace_dat_writer_format(w, "ftrace", span_of(STACK_FORMAT));
	trace_dat_writer_format(w, "sched", span_of(format_waking));
	trace_dat_writer_format(w, "sched", span_of(format_switch));
	trace_dat_writer_format(w, "test", span_of(format_all));
	trace_dat_writer_format(w, "raw_syscalls", span_of(format_sys_enter));
	trace_dat_writer_format(w, "sched", span_of(format_wakeup));
	trace_dat_writer_format(w, "synthetic", span_of(SYNTH_FORMAT));
	for (const struct event_text *t = rec->formats; t && t->system; t++)
		trace_dat_writer_format(w, t->system, t->text);
}

static inline const char *instance_of(const struct recording_of *rec)
{
	for (size_t i = 0; i < rec->n; i++)
		if (rec->lines[i].buffer)
			return rec->lines[i].buffer;
	return NULL;
}

static inline void recording_write(const char *name, const struct recording_of *rec)
{
	const char *uname = rec->uname ? rec->uname : "Linux host 6.12.117 x86_64";
	struct trace_dat_machine machine = {
		.version = rec->version ? rec->version : 7,
		.long_size = 8,
		.page_size = SUBBUF,
		.cpu_count = MAX_CPUS,
		.clock = rec->clock ? rec->clock : "local",
	};
	struct diags diags = DIAGS_INIT;
	struct trace_dat_writer *w;

	assert_int_equal(trace_dat_writer_open(recording_path(name), &machine, &w, &diags), 0);
	write_formats(w, rec);
	trace_dat_writer_section(w, TRACE_DAT_KALLSYMS, span_of(kallsyms));
	trace_dat_writer_section(w, TRACE_DAT_CMDLINES,
				 span_of(rec->cmdlines ? rec->cmdlines : "7 seven\n"));
	trace_dat_writer_option(w, TRACE_DAT_UNAME, uname, (u32)strlen(uname) + 1);
	if (rec->guest) /* of host 1, without samples */
		trace_dat_writer_option(w, TRACE_DAT_TIME_SHIFT, "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
					16);
	write_buffer(w, rec, "");
	if (instance_of(rec))
		write_buffer(w, rec, instance_of(rec));
	assert_int_equal(trace_dat_writer_finish(w, &diags), 0);
	diags_release(&diags);
}

/* --- running scripts --- */

struct run {
	const char *inputs[MAX_INPUTS];
	struct hist_options options; /* excluding inputs */
	struct hist_run_options how;
	int want; /* expected result of hist_run() */
	bool doubtful;
	bool open_intervals;
};

/* Append diagnoses as "LEVEL LINE: TEXT; ...". */
static inline void add_diags(struct strbuf *out, const struct diags *diags)
{
	static const char *const levels[] = { "note", "warning", "error" };

	for (size_t i = 0; i < diags->list.n; i++) {
		const struct diag *d = &diags->list.v[i];

		strbuf_addf(out, "%s%s", out->len ? "; " : "", levels[d->level]);
		if (d->file)
			strbuf_addf(out, " %u", d->line);
		strbuf_addf(out, ": %s", d->text);
	}
}

/* Open, run, close; append the output to @out and the diagnoses to @said. */
static inline int run_text(const struct run *run, const char *text, struct strbuf *out,
			   struct strbuf *said)
{
	const char *paths[MAX_INPUTS];
	struct hist_options options = run->options;
	struct hist_run_options how = run->how;
	struct hist_script *script = hist_script_new();
	struct diags *diags = hist_diags_new();
	struct hist *h = NULL;
	int err;

	assert_non_null(script);
	assert_non_null(diags);
	/* the layout of answers, too, so that a row is a line */
	if (!how.format)
		how.format = "hist";
	options.inputs = paths;
	while (options.n_inputs < MAX_INPUTS && run->inputs[options.n_inputs]) {
		paths[options.n_inputs] = recording_path(run->inputs[options.n_inputs]);
		options.n_inputs++;
	}
	err = hist_open(&options, &h, diags);
	if (!err && run->open_intervals)
		hist_open_intervals(h);
	if (!err)
		err = hist_script_parse(script, "t", text, strlen(text), diags);
	if (!err)
		err = hist_run(h, script, &how, add_to_strbuf, out, diags);
	if (h)
		assert_int_equal(hist_doubtful(h), run->doubtful);
	add_diags(said, diags);
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
	return err;
}

/*
 * @want is the output, squeezed, without the lines of histograms that begin with '#' and with "HITS
 * ENTRIES DROPPED" for the totals. @want_said is the output of add_diags(), with "DIR" for the
 * directory of recordings.
 */
static inline char *short_output(const char *text)
{
	struct strbuf out = STRBUF_INIT;
	struct span rest = span_of(text);
	char *squeezed_text;

	while (rest.s) {
		struct span line = span_sep(&rest, "\n");

		if (span_starts(line, "#") || span_eq(line, "Totals:"))
			continue;
		for (size_t i = 0; i < 3; i++) {
			static const char *const totals[] = { "    Hits:", "    Entries:",
							      "    Dropped:" };

			if (!span_starts(line, totals[i]))
				continue;
			strbuf_addstr(&out, i ? "" : "| ");
			line = span_skip(line, strlen(totals[i]));
		}
		strbuf_addf(&out, "%.*s\n", (int)line.n, line.s);
	}
	squeezed_text = squeezed(out.s);
	strbuf_release(&out);
	return squeezed_text;
}

static inline void check_said(const struct strbuf *said, const char *want)
{
	struct strbuf plain = STRBUF_INIT;
	struct span rest = { said->s, said->len };
	const char *p;

	while ((p = span_find(rest, span_of(recording_dir)))) {
		strbuf_addf(&plain, "%.*sDIR", (int)(p - rest.s), rest.s);
		rest = span_skip(rest, (size_t)(p - rest.s) + strlen(recording_dir));
	}
	strbuf_add(&plain, rest.s, rest.n);
	assert_string_equal(plain.s, want);
	strbuf_release(&plain);
}

static inline void run_script(const struct run *run, const char *text, const char *want,
			      const char *want_said)
{
	struct strbuf out = STRBUF_INIT, said = STRBUF_INIT;
	int err = run_text(run, text, &out, &said);
	char *got = short_output(out.s);

	if (err != run->want || strcmp(got, want))
		print_error("# of: %s\n# said: %s\n", text, said.s);
	assert_string_equal(got, want);
	assert_int_equal(err, run->want);
	check_said(&said, want_said);
	free(got);
	strbuf_release(&out);
	strbuf_release(&said);
}

#endif
