/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A tracing directory without a recording: write to its files, pass records, read.
 *
 *	struct dir d;
 *
 *	dir_open(&d, "6.12");
 *	accept(&d, "sched:sched_waking", "hist:keys=pid");
 *	hit(&d, "sched:sched_waking", "pid=7 prio=3 comm=abc @ts=1000");
 *	check_rows(&d, "sched:sched_waking", "{ pid: 7 } hitcount: 1 | 1 1 0");
 *	refuse(&d, "sched:sched_waking", "hist:keys=nix", "10 Couldn't find field");
 *	dir_close(&d);
 */
#ifndef TESTS_TRACING_DIR_H
#define TESTS_TRACING_DIR_H

#include <stdio.h>

#include "unit.h"

#include "bind/bind.h"
#include "print/print.h"
#include "count/count.h"
#include "run/run.h"
#include "tracing/event_pid.h"
#include "tracing/set_event.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                     \
	"\n"

#define FIELD(decl, offset, size, sign) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

/* clang-format off */
static const char format_waking[] =
	"name: sched_waking\nID: 100\n" COMMON
	FIELD("char comm[16]", 8, 16, 0)
	FIELD("pid_t pid", 24, 4, 1)
	FIELD("int prio", 28, 4, 1)
	FIELD("int target_cpu", 32, 4, 1)
	"\nprint fmt: \"comm=%s\", REC->comm\n";

static const char format_wakeup[] =
	"name: sched_wakeup\nID: 104\n" COMMON
	FIELD("char comm[16]", 8, 16, 0)
	FIELD("pid_t pid", 24, 4, 1)
	FIELD("int prio", 28, 4, 1)
	FIELD("int target_cpu", 32, 4, 1)
	"\nprint fmt: \"comm=%s\", REC->comm\n";

static const char format_switch[] =
	"name: sched_switch\nID: 101\n" COMMON
	FIELD("char prev_comm[16]", 8, 16, 0)
	FIELD("pid_t prev_pid", 24, 4, 1)
	FIELD("int prev_prio", 28, 4, 1)
	FIELD("long prev_state", 32, 8, 1)
	FIELD("char next_comm[16]", 40, 16, 0)
	FIELD("pid_t next_pid", 56, 4, 1)
	FIELD("int next_prio", 60, 4, 1)
	"\nprint fmt: \"prev_comm=%s\", REC->prev_comm\n";

static const char format_all[] =
	"name: all\nID: 102\n" COMMON
	FIELD("u8 b8", 8, 1, 0)
	FIELD("s16 a16", 10, 2, 1)
	FIELD("s32 a32", 12, 4, 1)
	FIELD("u32 b32", 16, 4, 0)
	FIELD("s64 a64", 24, 8, 1)
	FIELD("u64 b64", 32, 8, 0)
	FIELD("char st[16]", 40, 16, 0)
	FIELD("__data_loc char[] dyn", 56, 4, 0)
	FIELD("__rel_loc char[] rel", 60, 4, 0)
	FIELD("const char * ptr", 64, 8, 0)
	FIELD("__data_loc cpumask_t mask", 72, 4, 0)
	FIELD("s8 a8", 76, 1, 1)
	FIELD("u16 b16", 78, 2, 0)
	FIELD("u8 mac[6]", 80, 6, 0)
	"\nprint fmt: \"%d\", REC->b8\n";

static const char format_sys_enter[] =
	"name: sys_enter\nID: 103\n" COMMON
	FIELD("long id", 8, 8, 1)
	FIELD("unsigned long args[6]", 16, 48, 0)
	"\nprint fmt: \"NR %ld\", REC->id\n";

static const char format_print[] =
	"name: print\nID: 5\n" COMMON
	FIELD("unsigned long ip", 8, 8, 0)
	FIELD("char buf[]", 16, 0, 0)
	"\nprint fmt: \"%s\", REC->buf\n";
/* clang-format on */

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81001000 T do_one\n"
			       "ffffffff81002000 t do_two\n"
			       "ffffffff81003000 T _etext\n"
			       "ffffffffc0000000 t mod_fn\t[mod]\n"
			       "ffffffffc0000100 t mod_gn\t[mod]\n";

enum { STACK_ENTRIES = 16, DIR_EVENTS_MAX = 32 };

struct dir {
	struct event_text texts[DIR_EVENTS_MAX];
	struct event_db *db;
	struct tracing *t;
	struct kernel_quirks quirks;
	struct diags diags;
	struct hit_context context;
	u64 ts;
	const char *comm; /* comm of the task of every hit */
	u64 stack[STACK_ENTRIES];
	size_t n_stack;
	unsigned int snapshots, generated; /* number of calls from a replay */
	bool replaying;                    /* there were records since the last write */
};

static inline int dir_kallsyms(void *arg, struct span *text)
{
	(void)arg;
	*text = span_of(kallsyms);
	return 0;
}

static inline const char *dir_comm(void *arg, const struct hit *hit)
{
	(void)hit;
	return ((struct dir *)arg)->comm;
}

static inline size_t dir_stack(void *arg, u64 *entries, size_t max)
{
	struct dir *d = arg;
	size_t n = min_t(size_t, d->n_stack, max);

	memcpy(entries, d->stack, n * sizeof(*entries));
	return n;
}

static inline int dir_synthetic(void *arg, struct event_file *file, const struct hit *hit)
{
	(void)file;
	(void)hit;
	((struct dir *)arg)->generated++;
	return 0;
}

static inline void dir_snapshot(void *arg, struct trace_array *tr)
{
	(void)tr;
	((struct dir *)arg)->snapshots++;
}

/* The default machine of tests: x86_64, four CPUs, clock local. */
static inline struct machine dir_machine(const char *kernel)
{
	static struct kernel_quirks quirks;

	kernel_quirks_init(&quirks, kernel_version_parse(kernel));
	return (struct machine){
		.quirks = &quirks,
		.arch = "x86_64",
		.clock = "local",
		.long_size = 8,
		.nr_cpus = 4,
	};
}

/* The same without the kernel's limits. */
static inline struct machine dir_machine_unlimited(const char *kernel)
{
	static struct kernel_quirks quirks;
	struct machine machine = dir_machine(kernel);

	quirks = *machine.quirks;
	quirks.unlimited = true;
	machine.quirks = &quirks;
	return machine;
}

/* @more: other formats, until one without a system; NULL: none */
static inline void dir_open_events(struct dir *d, struct machine machine,
				   const struct event_text *more)
{
	static const struct {
		const char *system, *name, *text;
		u32 id;
	} events[] = {
		{ "ftrace", "print", format_print, 5 },
		{ "sched", "sched_waking", format_waking, 100 },
		{ "sched", "sched_switch", format_switch, 101 },
		{ "test", "all", format_all, 102 },
		{ "raw_syscalls", "sys_enter", format_sys_enter, 103 },
		{ "sched", "sched_wakeup", format_wakeup, 104 },
	};
	struct event_machine em = { .big_endian = machine.big_endian,
				    .long_size = machine.long_size };
	struct event_sources sources = { .arg = d, .kallsyms = dir_kallsyms };
	size_t n = ARRAY_SIZE(events);

	*d = (struct dir){ .diags = DIAGS_INIT, .comm = "task" };
	for (size_t i = 0; i < ARRAY_SIZE(events); i++)
		d->texts[i] = (struct event_text){ events[i].system, span_of(events[i].name),
						   span_of(events[i].text), events[i].id };
	for (; more && more->system; more++) {
		assert_true(n < DIR_EVENTS_MAX);
		d->texts[n++] = *more;
	}
	assert_int_equal(event_db_new(&d->db, d->texts, n, em, &sources), 0);
	machine.db = d->db;
	d->context = (struct hit_context){ .arg = d,
					   .comm = dir_comm,
					   .stack = dir_stack,
					   .synthetic = dir_synthetic,
					   .snapshot = dir_snapshot };
	d->quirks = *machine.quirks;
	machine.quirks = &d->quirks;
	d->t = tracing_new(&machine, &(struct replay_options){ 0 });
	assert_non_null(d->t);
	d->t->first_ts = 1500000000;
	d->t->context = &d->context;
}

static inline void dir_open_machine(struct dir *d, struct machine machine)
{
	dir_open_events(d, machine, NULL);
}

static inline void dir_open(struct dir *d, const char *kernel)
{
	dir_open_machine(d, dir_machine(kernel));
}

static inline void dir_close(struct dir *d)
{
	count_free(d->t->count);
	tracing_free(d->t);
	event_db_free(d->db);
	diags_release(&d->diags);
}

/* The event "system:event" in the instance @tr. */
static inline struct event_file *file_in(struct trace_array *tr, const char *event)
{
	struct span name = span_of(event), system = span_sep(&name, ":");
	struct event_file *file = event_file_find(tr, system, name);

	assert_non_null(file);
	return file;
}

static inline struct event_file *file_of(struct dir *d, const char *event)
{
	return file_in(d->t->top, event);
}

/* --- writing --- */

static inline void forget_diags(struct dir *d)
{
	diags_release(&d->diags);
	d->diags = (struct diags)DIAGS_INIT;
}

static inline void print_diags(const struct dir *d, const char *text)
{
	print_error("# of: %s\n", text);
	for (size_t i = 0; i < d->diags.list.n; i++)
		print_error("#     %s\n", d->diags.list.v[i].text);
}

/* A write to a trigger file (or to "synthetic_events") that must succeed. */
static inline void accept(struct dir *d, const char *event, const char *text)
{
	int err;

	d->replaying = false;
	forget_diags(d);
	if (!strcmp(event, "synthetic_events"))
		err = synth_events_write(d->t, span_of(text), false, &d->diags);
	else
		err = event_trigger_write(file_of(d, event), span_of(text), false, &d->diags);
	if (err)
		print_diags(d, text);
	assert_int_equal(err, 0);
	assert_false(diags_has_error(&d->diags, 0));
}

/* Append the contents of error_log as "COLUMN MESSAGE; COLUMN MESSAGE". */
static inline void add_log(struct strbuf *out, const struct error_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		strbuf_addf(out, "%s%u %s", i ? "; " : "", log->entries[i].pos,
			    log->entries[i].text);
}

static inline void check_log(struct dir *d, const char *text, const char *want)
{
	struct strbuf got = STRBUF_INIT;

	add_log(&got, &d->t->top->errors);
	if (strcmp(got.s, want))
		print_diags(d, text);
	assert_string_equal(got.s, want);
	strbuf_release(&got);
}

/*
 * A write that must fail and log exactly @want, with the column in the kernel's command
 * ("hist:keys=..."); "" for errors that the kernel does not log. There must be a diagnosis in any
 * case.
 */
static inline void refuse(struct dir *d, const char *event, const char *text, const char *want)
{
	int err;

	d->replaying = false;
	forget_diags(d);
	error_log_clear(&d->t->top->errors);
	if (!strcmp(event, "synthetic_events"))
		err = synth_events_write(d->t, span_of(text), false, &d->diags);
	else
		err = event_trigger_write(file_of(d, event), span_of(text), false, &d->diags);
	check_log(d, text, want);
	assert_int_equal(err, -HIST_EREJECTED);
	assert_true(diags_has_error(&d->diags, 0));
}

/* --- records --- */

struct record {
	_Alignas(8) u8 bytes[4096];
	u32 len;
	u32 cpu;
	u64 ts;
};

static inline void put_number(struct record *r, const struct event_field *f, const char *value,
			      bool big)
{
	u64 v = value[0] == '-' ? (u64)strtoll(value, NULL, 0) : strtoull(value, NULL, 0);

	switch (f->size) {
	case 1:
		r->bytes[f->offset] = (u8)v;
		break;
	case 2:
		store_u16(r->bytes + f->offset, (u16)v, big);
		break;
	case 4:
		store_u32(r->bytes + f->offset, (u32)v, big);
		break;
	default:
		store_u64(r->bytes + f->offset, v, big);
	}
}

/* Append the data of a dynamic field to the record. */
static inline void put_dynamic_data(struct record *r, const struct event_field *f, const void *data,
				    u32 n, bool big)
{
	u32 base = f->filter_type == FILTER_RDYN_STRING ? f->offset + 4 : 0;

	memcpy(r->bytes + r->len, data, n);
	store_u32(r->bytes + f->offset, n << 16 | (r->len - base), big);
	r->len += ALIGN_UP(n, 4u);
}

/* Represents a NUL in the text of a field, with more text after it. */
#define TEXT_NUL '\1'

static inline void put_field_text(struct record *r, const struct event_field *f, const char *value,
				  bool big)
{
	u32 n = (u32)strlen(value) + 1;
	char text[512];
	u64 mask;

	assert_true(n <= sizeof(text));
	for (u32 i = 0; i < n; i++)
		text[i] = value[i] == TEXT_NUL ? '\0' : value[i];
	switch (f->filter_type) {
	case FILTER_STATIC_STRING:
		if (f->size) {
			memcpy(r->bytes + f->offset, text, min_t(u32, n, f->size));
			return;
		}
		memcpy(r->bytes + f->offset, text, n); /* at the end of the record, of any length */
		r->len = ALIGN_UP(f->offset + n, 4u);
		return;
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		put_dynamic_data(r, f, text, strcmp(value, "FAULT") ? n : 0, big);
		return;
	case FILTER_CPUMASK:
		store_u64(&mask, strtoull(value, NULL, 0), big);
		put_dynamic_data(r, f, &mask, sizeof(mask), big);
		return;
	default:
		put_number(r, f, value, big);
	}
}

/* Set a field from "FIELD=VALUE"; @ts and @cpu set time and CPU of the hit. */
static inline void put_word(struct dir *d, struct record *r, const struct event_format *format,
			    char *word)
{
	char *value = strchr(word, '=');
	const struct event_field *f;

	assert_non_null(value);
	*value++ = '\0';
	if (!strcmp(word, "@ts")) {
		d->ts = r->ts = strtoull(value, NULL, 0);
	} else if (!strcmp(word, "@cpu")) {
		r->cpu = (u32)strtoul(value, NULL, 0);
	} else {
		f = event_find_field(format, span_of(word), GENERICS_6_1);
		assert_non_null(f);
		put_field_text(r, f, value, d->t->machine.big_endian);
	}
}

/* Fill @r from "FIELD=VALUE FIELD=VALUE"; other fields are zero, and time advances by 1 us. */
static inline void make_record(struct dir *d, struct record *r, const struct event_format *format,
			       const char *fields)
{
	char *copy = strdup(fields), *rest = copy, *word;

	assert_non_null(copy);
	memset(r, 0, sizeof(*r));
	r->len = ALIGN_UP(format->min_size, 4u);
	r->ts = d->ts += 1000;
	store_u16(r->bytes, (u16)format->id, d->t->machine.big_endian);
	while ((word = strsep(&rest, " ")))
		if (*word)
			put_word(d, r, format, word);
	free(copy);
}

/* Start a replay, with empty histograms, after a write. */
static inline void dir_replay(struct dir *d)
{
	if (!d->replaying)
		tracing_reset(d->t);
	d->replaying = true;
}

/*
 * Pass a record; returns whether it would be in the buffer. The first one after a write starts a
 * replay, with empty histograms.
 */
static inline bool hit_file(struct dir *d, struct event_file *file, const char *fields)
{
	struct record r;
	struct hit hit;

	dir_replay(d);
	make_record(d, &r, file->format, fields);
	hit = (struct hit){
		.file = file,
		.rec = r.bytes,
		.len = r.len,
		.cpu = r.cpu,
		.pid = (s32)load_u32(r.bytes + 4, d->t->machine.big_endian),
		.ts = r.ts,
		.context = &d->context,
	};
	return event_hit(event_count_of(file), &hit);
}

static inline bool hit(struct dir *d, const char *event, const char *fields)
{
	return hit_file(d, file_of(d, event), fields);
}

/* --- reading --- */

static inline int add_to_strbuf(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

typedef void (*print_event_fn)(struct printer *p, const struct event_file *file);

/* The output of a printer of event files; to be freed. */
static inline char *shown(struct event_file *file, print_event_fn print)
{
	struct strbuf text = STRBUF_INIT;
	struct printer p = { .buf = STRBUF_INIT, .sink = add_to_strbuf, .arg = &text };

	print(&p, file);
	assert_int_equal(printer_end(&p), 0);
	return strbuf_detach(&text);
}

/* Print the file hist of an event. */
static inline void print_hist_file(struct printer *p, const struct event_file *file)
{
	bool first = true;

	for (size_t i = 0; i < file->triggers.n; i++) {
		struct stored_result *frozen;

		if (!file->triggers.v[i]->hist)
			continue;
		strbuf_addstr(&p->buf, first ? "" : "\n\n");
		first = false;
		assert_int_equal(result_freeze(file->triggers.v[i], NULL, &frozen), 0);
		print_hist(p, &frozen->result, &(struct format_options){ .top = 0 });
		stored_free(frozen);
	}
}

static inline void check_shown(struct dir *d, const char *event, print_event_fn print,
			       const char *want)
{
	char *got;

	dir_replay(d);
	got = shown(file_of(d, event), print);

	assert_string_equal(got, want);
	free(got);
}

/* A copy of @text with one blank for each run of blanks and newlines. */
static inline char *squeezed(const char *text)
{
	struct strbuf out = STRBUF_INIT;

	for (; *text; text++) {
		bool blank = *text == ' ' || *text == '\n' || *text == '\t';

		if (!blank)
			strbuf_addch(&out, *text);
		else if (out.len && out.s[out.len - 1] != ' ')
			strbuf_addch(&out, ' ');
	}
	while (out.len && out.s[out.len - 1] == ' ')
		strbuf_cut(&out, out.len - 1);
	return strbuf_detach(&out);
}

/*
 * The hist file, squeezed: the entries of each histogram, " | HITS ENTRIES DROPPED", and " || "
 * between two histograms.
 */
static inline char *rows_of(struct event_file *file)
{
	char *whole = shown(file, print_hist_file), *p = whole;
	struct strbuf out = STRBUF_INIT;

	while ((p = strstr(p, "# trigger info:"))) {
		char *entries = strstr(p, "\n#\n") + 3, *totals = strstr(entries, "\nTotals:\n"),
		     *rows;
		unsigned long long hits, dropped;
		unsigned int n;

		assert_int_equal(sscanf(totals,
					"\nTotals:\n Hits: %llu\n Entries: %u\n Dropped: %llu\n",
					&hits, &n, &dropped),
				 3);
		*totals = '\0';
		rows = squeezed(entries);
		strbuf_addf(&out, "%s%s%s| %llu %u %llu", out.len ? " || " : "", rows,
			    *rows ? " " : "", hits, n, dropped);
		free(rows);
		p = totals + 1;
	}
	free(whole);
	return strbuf_detach(&out);
}

static inline void check_rows(struct dir *d, const char *event, const char *want)
{
	char *got = rows_of(file_of(d, event));

	assert_string_equal(got, want);
	free(got);
}

/* The trigger file without its final newlines, its lines joined by " // ", must be @want. */
static inline void check_triggers(struct dir *d, const char *event, const char *want)
{
	char *got = shown(file_of(d, event), print_trigger);
	struct strbuf joined = STRBUF_INIT;
	struct span rest = span_of(got);

	while (rest.n) {
		struct span line = span_sep(&rest, "\n");

		strbuf_addf(&joined, "%s%.*s", joined.len ? " // " : "", (int)line.n, line.s);
	}
	assert_string_equal(joined.s, want);
	strbuf_release(&joined);
	free(got);
}

#endif
