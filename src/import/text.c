// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Imports text: trace, trace_pipe, trace-cmd report, perf script, and the buffer that a crashing
 * kernel dumped into its log. Converts lines to records: exactly if formats are given
 * (text_exact.c), otherwise by guessing fields from the text (text_infer.c).
 *
 * Lines that cannot be read are counted and reported; no data is invented for them.
 */
#include "import/symbols.h"
#include "import/text.h"
#include "import/text_cut.h"
#include "import/text_page.h"

enum { NAMES_MAX = 8, RECOGNISED_AFTER = 200, SHOWN_MAX = 100 };

/* trace-cmd: the width of names, without the colon (print_event_name()) */
enum { NAME_COLUMN = 20 };

/* --- records --- */

void text_put_common(const struct text_line *line, const struct event_format *fmt, u8 *rec)
{
	const struct {
		const char *name;
		u32 value;
	} common[] = {
		{ "common_type", fmt->id },
		{ "common_flags", line->flags },
		{ "common_preempt_count", line->preempt },
		{ "common_pid", (u32)line->pid },
	};

	array_each_of(const struct event_field, f, fmt->fields, fmt->n_common) {
		for (size_t k = 0; k < ARRAY_SIZE(common) && f->size <= 4; k++)
			if (!strcmp(f->name, common[k].name))
				for (u32 b = 0; b < f->size; b++)
					rec[f->offset + b] = (u8)(common[k].value >> 8 * b);
	}
}

static int cpu_of(struct text_import *ti, u32 cpu, struct text_cpu **out)
{
	if (cpu >= IMPORT_MAX_CPUS)
		return -HIST_EINVAL;
	while (ti->cpus.n <= cpu)
		if (array_push(&ti->cpus, ((struct text_cpu){ .before = UINT64_MAX })))
			return HIST_NOMEM;
	*out = &ti->cpus.v[cpu];
	return 0;
}

int text_put(struct text_import *ti, const struct text_line *line, const void *rec, u32 len)
{
	struct import_sink *sink = ti->job->sink;
	struct text_cpu *cpu;
	u64 ts = line->ts;
	int err = cpu_of(ti, line->cpu, &cpu);

	if (err)
		return err;
	if (cpu->before == UINT64_MAX && !line->perf) {
		cpu->first = ts;
		cpu->before = ti->taken;
	}
	ti->backward += ts < cpu->ts;
	ts = cpu->ts = max_t(u64, ts, cpu->ts);
	if (cpu->lost)
		err = trace_dat_cpus_lost(&sink->cpus, line->cpu, ts, cpu->lost);
	cpu->lost = 0;
	/* kernel: the names are placeholders for tasks that saved_cmdlines does not have */
	if (!err && line->pid > 0 && !span_eq(line->comm, "<...>") &&
	    !span_eq(line->comm, "<XXX>")) {
		text_samples_task(ti->samples, line, ts);
		err = comm_table_set(&sink->comms, line->pid, ts, line->comm);
	}
	if (!err && line->tgid > 0)
		err = text_samples_process(ti->samples, line);
	err = err ?: import_sink_record(sink, line->cpu, ts, rec, len);
	ti->taken += !err;
	return err;
}

/* --- padding --- */

/* The number of blanks that trace-cmd report adds to the name; 0: none, or of another program. */
static size_t padding_of(const struct text_line *line)
{
	return line->call || line->system.s || line->name.n >= NAME_COLUMN
		       ? 0
		       : NAME_COLUMN - line->name.n;
}

static bool is_padded(const struct text_line *line, size_t padding)
{
	for (size_t i = 0; i < padding; i++)
		if (i >= line->args.n || line->args.s[i] != ' ')
			return false;
	return padding > 0;
}

struct span text_args(const struct text_import *ti, const struct text_line *line)
{
	size_t padding = padding_of(line);

	return ti->padded > ti->unpadded && is_padded(line, padding)
		       ? span_skip(line->args, padding)
		       : line->args;
}

/* --- lines --- */

/* A strategy for reading lines. */
struct text_way {
	void *arg;
	int (*event)(void *arg, const struct text_line *line); /* NULL: they are only counted */
	bool again; /* lines without events were counted in an earlier pass */
};

static int read_event(struct text_import *ti, const struct text_way *way, struct text_line *line)
{
	const u64 taken = ti->taken;
	int err = 0;

	if (line->cpu >= IMPORT_MAX_CPUS)
		return 0;
	if (!text_is_sample(line) && way->event)
		err = way->event(way->arg, line);
	if (!way->again)
		return err ?: text_samples_learn(ti->samples, line);
	/* the stack of an event that was left out is left out */
	return err || !line->perf || (taken == ti->taken && !text_is_sample(line))
		       ? err
		       : text_samples_begin(ti->samples, line);
}

/* A frame of the stack of the event before it, which perf script printed. */
static int read_frame(struct text_import *ti, const struct text_way *way,
		      const struct text_frame *frame)
{
	if (way->again)
		return text_samples_frame(ti->samples, frame);
	text_samples_learn_frame(ti->samples);
	return 0;
}

static void count_line(struct text_import *ti, enum text_kind kind, u64 number,
		       const struct text_line *line)
{
	struct text_lines *lines = &ti->kinds[kind];

	if (!lines->n++)
		lines->first = number;
	if (kind <= TEXT_NO_TIME) {
		const size_t padding = padding_of(line);

		if (!ti->events++)
			ti->first = line->ts;
		ti->descents += line->perf && line->ts < ti->last;
		ti->last = line->ts;
		ti->n_cpus = max_t(u32, ti->n_cpus, line->cpu + 1);
		ti->digits = max_t(u32, ti->digits, line->digits);
		ti->counts |= !line->digits;
		ti->short_comm |= line->short_comm;
		text_note_letters(ti, line);
		/* one line does not show if blanks are padding: all have it */
		ti->padded += is_padded(line, padding);
		ti->unpadded += padding && !is_padded(line, padding);
	}
	if (kind != TEXT_HEAD)
		return;
	ti->overwritten += line->overwritten;
	ti->counted |= line->counted;
	if (line->begins)
		strbuf_addf(&ti->begins, "begins %u\n", line->cpu);
	ti->n_cpus = max_t(u32, ti->n_cpus, min_t(u32, line->cpus, IMPORT_MAX_CPUS));
}

/* perf script --deltatime: the first time is 0, the others are distances to the line before. */
static bool has_distances(const struct text_import *ti)
{
	return !ti->first && ti->descents > ti->events / 8;
}

static int read_lines(struct text_import *ti, const struct text_way *way)
{
	struct span rest = ti->text;
	struct text_frame frame;
	struct text_line line;
	bool in_stack = false;
	u64 ordinal = 0, number = 0, elapsed = 0;
	int err = 0;

	while (rest.n && !err) {
		struct span next = rest;
		enum text_kind kind = text_line_next(&rest, &ti->width, &line);

		if (kind < TEXT_RECORD && line.cpu >= IMPORT_MAX_CPUS)
			kind = TEXT_COLUMNS;
		number++;
		if (in_stack && kind > TEXT_HEAD && text_frame_cut(span_sep(&next, "\n"), &frame)) {
			err = read_frame(ti, way, &frame);
			continue;
		}
		if (kind != TEXT_OTHER) { /* such as a line of the source */
			in_stack = false;
			err = way->again ? text_samples_end(ti->samples) : 0;
		}
		if (!way->again)
			count_line(ti, kind, number, &line);
		if (kind == TEXT_NO_TIME)
			line.ts = ordinal++;
		if (kind <= TEXT_NO_CPU && way->again && has_distances(ti))
			line.ts = elapsed += line.ts;
		if (kind <= TEXT_NO_TIME && !err) {
			err = read_event(ti, way, &line);
			in_stack = line.perf;
		} else if (kind == TEXT_LOST && way->again && !err) {
			struct text_cpu *cpu;

			err = cpu_of(ti, line.cpu, &cpu);
			if (!err)
				cpu->lost = line.lost < 0 || cpu->lost < 0 ? -1
									   : cpu->lost + line.lost;
		}
	}
	return err || !way->again ? err : text_samples_end(ti->samples);
}

/* --- both strategies --- */

/* The first line of perf script --header. */
static const char perf_header[] = "# ========\n# captured on ";

/* The line "# KEY : VALUE" of the header; empty: there is none */
static struct span perf_header_value(const struct text_import *ti, const char *key)
{
	struct span rest = ti->text, line, none = { "", 0 };

	if (!span_starts(rest, perf_header))
		return none;
	while (span_starts(rest, "#")) {
		line = span_skip(span_sep(&rest, "\n"), 1);
		line = span_ltrim(line);
		if (take_text(&line, key) && take_text(&line, " : "))
			return span_trim(line);
	}
	return none;
}

int text_uname(struct text_import *ti)
{
	return import_sink_uname(ti->job->sink, perf_header_value(ti, "hostname"),
				 perf_header_value(ti, "os release"),
				 perf_header_value(ti, "arch"));
}

static int set_machine(struct text_import *ti, bool long_is_4)
{
	const struct import_machine machine = {
		.long_size = long_is_4 ? 4 : 8,
		.cpu_count = ti->n_cpus,
		.clock = ti->counts ? "counter" : "local",
	};

	return import_sink_machine(ti->job->sink, &machine);
}

static int run_exact(struct text_import *ti)
{
	static const struct symbols_kernel unknown = { .build_id_len = 0 };
	const struct text_way count = { .event = NULL };
	scoped(format_list_release) struct format_list formats;
	struct text_exact *x = NULL;
	int err = format_list_load(&formats, ti->job->options->formats, ti->job->diags);

	err = err ?: format_list_add_print(&formats);
	err = err ?: read_lines(ti, &count);
	err = err ?: set_machine(ti, formats.long_is_4);
	if (!err && ti->job->options->kallsyms)
		err = symbols_add(ti->job, &unknown);
	else if (!err && formats.kallsyms.n)
		err = import_sink_text(ti->job->sink, TRACE_DAT_KALLSYMS, formats.kallsyms);
	if (!err && formats.uname)
		err = import_sink_option(ti->job->sink, TRACE_DAT_UNAME,
					 (struct span){ formats.uname, strlen(formats.uname) + 1 });
	else if (!err)
		err = text_uname(ti);
	if (!err) {
		x = text_exact_new(ti, &formats);
		err = x ? 0 : HIST_NOMEM;
	}
	ti->job->sink->reserved = &formats;
	err = err ?: text_samples_formats(ti->samples);
	err = err ?: read_lines(ti, &(struct text_way){ x, text_exact_event, true });
	err = err ?: text_exact_end(x);
	text_exact_free(x);
	ti->job->sink->reserved = NULL;
	return err;
}

static int run_inferred(struct text_import *ti)
{
	static const struct symbols_kernel unknown = { .build_id_len = 0 };
	struct text_infer *x = text_infer_new(ti);
	int err = x ? read_lines(ti, &(struct text_way){ x, text_infer_learn, false }) : HIST_NOMEM;

	err = err ?: set_machine(ti, false);
	if (!err && ti->job->options->kallsyms)
		err = symbols_add(ti->job, &unknown);
	err = err ?: text_infer_formats(x);
	err = err ?: text_samples_formats(ti->samples);
	err = err ?: read_lines(ti, &(struct text_way){ x, text_infer_event, true });
	err = err ?: text_infer_end(x);
	text_infer_free(x);
	return err;
}

/* --- summary --- */

/* The first line of a kind, without what is too long. */
static struct span line_of(const struct text_import *ti, u64 number)
{
	struct span rest = ti->text, line = { NULL, 0 };

	for (u64 i = 0; i < number; i++)
		line = span_sep(&rest, "\n");
	line = span_trim(line);
	line.n = min_t(size_t, line.n, SHOWN_MAX);
	return line;
}

/* Lines that look like events and are not taken, by kind. */
static void report_left_out(const struct text_import *ti)
{
	static const struct {
		enum text_kind kind;
		const char *text, *one;
	} kinds[] = {
		{ TEXT_RECORD, "%llu other records of perf are left out",
		  "%llu other record of perf is left out" },
		{ TEXT_TRACER, "%llu lines of a tracer, such as calls of functions, are left out",
		  "%llu line of a tracer, such as a call of a function, is left out" },
		{ TEXT_NO_TASK, "%llu lines are left out: they have an event, but no pid",
		  "%llu line is left out: it has an event, but no pid" },
		{ TEXT_COLUMNS,
		  "%llu lines are left out: what follows the task and the CPU is not known",
		  "%llu line is left out: what follows the task and the CPU is not known" },
		{ TEXT_OTHER, "%llu lines are left out: they are not part of a trace",
		  "%llu line is left out: it is not part of a trace" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct text_lines *lines = &ti->kinds[kinds[i].kind];
		const bool events = kinds[i].kind == TEXT_NO_TASK || kinds[i].kind == TEXT_COLUMNS;
		struct span line = line_of(ti, lines->first);
		char text[128];

		if (!lines->n)
			continue;
		snprintf(text, sizeof(text), lines->n == 1 ? kinds[i].one : kinds[i].text,
			 (unsigned long long)lines->n);
		diags_add(ti->job->diags, events ? DIAG_WARNING : DIAG_NOTE,
			  "%s: %s; line %llu: %.*s", ti->job->in->name, text, lines->first,
			  (int)line.n, line.s);
		ti->job->result->cut |= events;
	}
}

/*
 * The texts of trace-cmd report and the like do not tell whether a CPU that is silent for long at
 * their beginning was, or whether its buffer had wrapped.
 */
static void report_late_cpus(const struct text_import *ti)
{
	enum { MANY = 1000 };

	for (size_t i = 0; i < ti->cpus.n && !ti->counted && !ti->begins.len; i++) {
		const struct text_cpu *cpu = &ti->cpus.v[i];
		const u64 late = cpu->first - min_t(u64, ti->first, cpu->first);

		if (cpu->before < MANY || cpu->before == UINT64_MAX ||
		    late < (ti->last - min_t(u64, ti->first, ti->last)) / 4)
			continue;
		diags_add(ti->job->diags, DIAG_WARNING,
			  "%s: CPU %zu begins %llu.%03llu ms late; if its earlier events were "
			  "overwritten, which the text does not tell, intervals of that time are "
			  "too long",
			  ti->job->in->name, i, late / 1000000, late / 1000 % 1000);
	}
}

static void report(const struct text_import *ti)
{
	const struct {
		u64 n;
		enum diag_level level;
		const char *text, *one;
	} lines[] = {
		{ ti->kinds[TEXT_FRAME].n, DIAG_NOTE, "%s: %llu lines of stack traces are left out",
		  "%s: %llu line of a stack trace is left out" },
		{ ti->kinds[TEXT_NO_CPU].n, DIAG_WARNING,
		  "%s: %llu lines have no CPU; all are assigned to CPU 0",
		  "%s: %llu line has no CPU; it is assigned to CPU 0" },
		{ ti->kinds[TEXT_NO_TIME].n, DIAG_WARNING,
		  "%s: %llu samples have no time: they are numbered in the order of the text",
		  "%s: %llu sample has no time" },
		{ ti->no_period, DIAG_NOTE,
		  "%s: %llu samples have no period: it is 1, so that its sum counts them",
		  "%s: %llu sample has no period: it is 1" },
		{ ti->overwritten, DIAG_WARNING,
		  "%s: the trace had wrapped: %llu earlier events were overwritten",
		  "%s: the trace had wrapped: %llu earlier event was overwritten" },
		{ has_distances(ti), DIAG_NOTE, NULL,
		  "%s: the times are distances to the line before, which are added up with their "
		  "rounding; perf script without --deltatime prints times" },
		{ ti->backward, DIAG_WARNING,
		  "%s: on %llu lines the time of a CPU goes back; they get the time of the "
		  "previous line",
		  "%s: on %llu line the time of a CPU goes back; it gets the time of the "
		  "previous line" },
	};
	struct diags *diags = ti->job->diags;
	const char *in = ti->job->in->name;

	diags_add(diags, DIAG_NOTE,
		  "%s: text of a trace: %llu of %llu line%s converted to events%s", in, ti->taken,
		  ti->events, plural_were(ti->events),
		  ti->counts       ? ", with a clock that counts"
		  : ti->digits < 7 ? ", with times in microseconds"
				   : "");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		if (lines[i].n)
			diags_add(diags, lines[i].level,
				  lines[i].n == 1 ? lines[i].one : lines[i].text, in,
				  (unsigned long long)lines[i].n);
	report_left_out(ti);
	report_late_cpus(ti);
	if (ti->short_comm)
		diags_add(diags, DIAG_NOTE,
			  "%s: task names at the start of a line are truncated to 8 characters",
			  in);
}

/* Reject a trace whose lines cannot be parsed; otherwise it would look like one without events. */
static int check_columns(const struct text_import *ti)
{
	u64 left_out = 0;

	for (int kind = TEXT_TRACER; kind < TEXT_KINDS; kind++)
		left_out += ti->kinds[kind].n;
	if (ti->events || !left_out)
		return 0;
	report_left_out(ti);
	return diags_error(
		ti->job->diags, -HIST_EUNSUPPORTED,
		"%s: none of its lines has a task, a CPU, a time and an event; print trace again with "
		"'nop' in current_tracer and the trace_options context-info noraw nohex nobin",
		ti->job->in->name);
}

void text_names_add(struct text_names *names, struct span name)
{
	if (names->n++ < NAMES_MAX)
		strbuf_addf(&names->sb, "%s%.*s", names->n > 1 ? ", " : "",
			    (int)min_t(size_t, name.n, 64), name.s);
	else if (names->n == NAMES_MAX + 1)
		strbuf_addstr(&names->sb, ", ...");
}

/* --- the importer --- */

/* A trace begins with a header, or has a line of a trace near its start. */
static bool recognises(struct span head)
{
	struct text_line line;
	int left = RECOGNISED_AFTER;
	u32 width = 0;

	if (span_starts(head, "# tracer: ") || span_starts(head, perf_header) ||
	    text_is_wrapped(head))
		return true;
	if (memchr(head.s, 0, head.n) || span_starts(head, "{"))
		return false;
	while (head.n && left-- > 0) {
		const enum text_kind kind = text_line_next(&head, &width, &line);

		if (kind <= TEXT_RECORD || (kind >= TEXT_TRACER && kind <= TEXT_COLUMNS))
			return true;
	}
	return false;
}

static int run(struct import_job *job)
{
	struct text_import ti = { .job = job, .begins = STRBUF_INIT };
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct mapped m;
	int err = mapped_open_path(&m, job->in->path, job->in->name, job->diags);

	if (err)
		return err;
	ti.text = (struct span){ (const char *)m.p, m.size };
	if (text_is_wrapped((struct span){ ti.text.s, min_t(size_t, ti.text.n, IMPORT_HEAD) })) {
		err = text_unwrap(job->in->name, ti.text, &text, job->diags);
		ti.text = (struct span){ text.s, text.len };
	}
	ti.samples = text_samples_new(&ti);
	if (!err && !ti.samples)
		err = HIST_NOMEM;
	if (!err)
		err = job->options->formats ? run_exact(&ti) : run_inferred(&ti);
	err = err ?: text_samples_names(ti.samples);
	err = err ?: check_columns(&ti);
	if (!err && ti.begins.len)
		err = import_sink_option(job->sink, TRACE_DAT_HIST_LIMITS,
					 (struct span){ ti.begins.s, ti.begins.len + 1 });
	if (!err)
		report(&ti);
	strbuf_release(&ti.begins);
	text_samples_free(ti.samples);
	array_release(&ti.cpus);
	mapped_close(&m);
	return err;
}

const struct importer import_text = {
	.what = "text",
	.recognises = recognises,
	.run = run,
};
