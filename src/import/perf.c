// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Imports perf.data: a file, or the directory of perf record --threads. All records are read once
 * (perf_scan.c): what is not a sample is used at once. Records are made from samples afterwards
 * (perf_put.c).
 */
#include <inttypes.h>

#include "import/perf_import.h"
#include "import/perf_samples.h"
#include "import/symbols.h"

enum { MMAP_NAME = 32, MMAP2_NAME = 64 };

/* --- losses --- */

static int take_lost(struct perf_import *p, const struct perf_event *ev)
{
	u64 n, ts;
	u32 cpu;

	if (ev->len < 16)
		return 0;
	n = load_u64(ev->body + 8, p->f.big);
	perf_trailer_read(&p->f, ev, &ts, &cpu);
	if (cpu >= IMPORT_MAX_CPUS || n > INT64_MAX) {
		p->scan.counts.damaged++;
		return 0;
	}
	p->lost += n;
	return n ? perf_scan_lost(&p->scan, ev, cpu, ts) : 0;
}

/* --- build id and address of the kernel --- */

/* Record the address of the kernel's text; the name of a mapping is at @name_at. */
static void take_mmap_text(struct perf_import *p, const struct perf_event *ev, size_t name_at)
{
	enum { PGOFF_AT = 24 };
	struct span name = perf_kernel_name(ev, name_at);

	if (!p->kernel_text &&
	    (span_eq(name, "[kernel.kallsyms]_text") || span_eq(name, "[kernel.kallsyms]_stext")))
		p->kernel_text = load_u64(ev->body + PGOFF_AT, p->f.big);
}

/* Since perf 6.17, the build id takes the place of device and inode. */
static void take_build_id(struct perf_import *p, const struct perf_event *ev)
{
	enum { ID_AT = 36, ID_SIZE = 20, BUILD_ID = 1 << 14 };

	if (!(ev->misc & BUILD_ID) || p->f.build_id_len ||
	    !span_starts(perf_kernel_name(ev, MMAP2_NAME), "[kernel"))
		return;
	p->f.build_id_len = min_t(u32, ev->body[ID_AT - 4], ID_SIZE);
	memcpy(p->f.build_id, ev->body + ID_AT, ID_SIZE);
}

/* --- all records but samples --- */

static int take(void *arg, const struct perf_event *ev)
{
	struct perf_import *p = arg;

	switch (ev->type) {
	case PERF_LOST:
		return take_lost(p, ev);
	case PERF_LOST_SAMPLES:
		if (ev->len >= 8)
			p->lost_samples += load_u64(ev->body, p->f.big);
		break;
	case PERF_MMAP:
		take_mmap_text(p, ev, MMAP_NAME);
		break;
	case PERF_MMAP2:
		take_build_id(p, ev);
		take_mmap_text(p, ev, MMAP2_NAME);
		break;
	case PERF_HEADER_BUILD_ID:
		perf_file_build_id(&p->f, ev);
		break;
	}
	return perf_tasks_add(&p->tasks, &p->f, ev);
}

/* --- before the first sample --- */

static int describe(struct perf_file *f)
{
	struct span data = f->runs.v[0].data;
	struct bytes b = bytes_of(data.s, data.n, f->big);
	struct perf_event ev;
	int err = 0;

	while (f->pipe && !err && !perf_event_next(&b, &ev) && ev.type != PERF_SAMPLE)
		err = perf_file_describe(f, &ev);
	return err ?: perf_file_complete(f);
}

static const char *clock_name(const struct perf_file *f)
{
	static const struct {
		u32 id;
		const char *name;
	} clocks[] = { { 1, "mono" }, { 4, "mono_raw" }, { 7, "boot" }, { 11, "tai" } };

	for (size_t i = 0; i < f->attrs.n; i++) {
		if (!f->attrs.v[i].has_clock)
			continue;
		for (size_t k = 0; k < ARRAY_SIZE(clocks); k++)
			if (clocks[k].id == f->attrs.v[i].clock)
				return clocks[k].name;
		return "realtime"; /* ftrace has no name for this clock */
	}
	return "perf";
}

static int add_options(struct perf_import *p)
{
	struct import_sink *sink = p->job->sink;
	struct span version = perf_file_text(&p->f, PERF_FEAT_VERSION);
	const char *text;
	int err = import_sink_uname(sink, perf_file_text(&p->f, PERF_FEAT_HOSTNAME),
				    perf_file_text(&p->f, PERF_FEAT_OSRELEASE),
				    perf_file_text(&p->f, PERF_FEAT_ARCH));

	if (err || !version.n)
		return err;
	text = arena_printf(&sink->arena, "perf %.*s", (int)version.n, version.s);
	return text ? import_sink_option(sink, TRACE_DAT_VERSION,
					 (struct span){ text, strlen(text) + 1 })
		    : HIST_NOMEM;
}

/* Whether the machine has longs of 4 bytes; tracing data shows it, too. */
static bool is_32_bit(struct span arch)
{
	return arch.n && !span_find(arch, span_of("64")) && !span_eq(arch, "s390x") &&
	       !span_eq(arch, "alpha");
}

static int begin(struct perf_import *p)
{
	struct bytes cpus =
		bytes_of(p->f.feat[PERF_FEAT_NRCPUS].s, p->f.feat[PERF_FEAT_NRCPUS].n, p->f.big);
	struct span tracing = p->f.feat[PERF_FEAT_TRACING_DATA];
	struct span arch = perf_file_text(&p->f, PERF_FEAT_ARCH);
	int err;

	p->machine = (struct import_machine){ .big_endian = p->f.big,
					      .long_size = is_32_bit(arch) ? 4 : 8,
					      .cpu_count = bytes_u32(&cpus),
					      .clock = clock_name(&p->f) };
	err = tracing.s ? tracing_data_read(p->job->sink, tracing, &p->machine) : 0;
	if (err == -HIST_EFORMAT && !p->f.cut)
		p->f.end = PERF_END_DAMAGED;
	p->f.cut |= err == -HIST_EFORMAT;
	if (err && err != -HIST_EFORMAT)
		return err;
	for (size_t i = 0; i < p->f.attrs.n; i++)
		p->has_stacks |=
			(p->f.attrs.v[i].sample_type & (PERF_CALLCHAIN | PERF_STACK_USER)) != 0;
	err = p->has_stacks ? perf_stacks_formats(p->job->sink, p->machine.long_size) : 0;
	err = err ?: import_sink_machine(p->job->sink, &p->machine);
	return err ?: add_options(p);
}

/* Add symbols if there are stacks or pointers to print with them. */
static int add_symbols(struct perf_import *p)
{
	const struct symbols_kernel kernel = {
		.build_id = p->f.build_id,
		.build_id_len = p->f.build_id_len,
		.text_addr = p->kernel_text,
		.host = perf_file_text(&p->f, PERF_FEAT_HOSTNAME),
		.release = perf_file_text(&p->f, PERF_FEAT_OSRELEASE),
	};
	bool wanted = p->has_stacks || p->job->options->kallsyms;

	for (size_t i = 0; i < p->f.attrs.n && !wanted; i++) {
		const struct event_text *format =
			p->f.attrs.v[i].samples && p->f.attrs.v[i].type == PERF_TYPE_TRACEPOINT
				? format_list_find_id(&p->job->sink->formats,
						      p->f.attrs.v[i].config)
				: NULL;

		wanted = p->f.attrs.v[i].event_id || (format && format_needs_symbols(format->text));
	}
	return wanted ? symbols_add(p->job, &kernel) : 0;
}

/* --- files --- */

/* All but the records. */
static int read_file(struct perf_import *p)
{
	int err = 0;

	for (size_t i = 0; i < p->f.runs.n && !err; i++) {
		err = perf_unpack(&p->f, &p->f.runs.v[i], p->job->diags);
		p->bytes += p->f.runs.v[i].data.n;
	}
	if (!p->job->later)
		trace_dat_cpus_direct(&p->job->sink->cpus, p->job->sink->direct, p->bytes);
	err = err ?: describe(&p->f);
	err = err ?: begin(p);
	err = err ?: perf_file_ids_read(&p->tasks.ids, &p->f);
	p->scan.threads = p->job->options->threads;
	p->scan.range = p->job->options->range;
	err = err ?: perf_scan_file(&p->scan, &p->f, take, p);
	err = err ?: perf_tasks_finish(&p->tasks, &p->scan, p->job->sink);
	for (size_t i = 0; i < p->scan.others.n && !err; i++)
		err = perf_samples_format(&p->f, p->scan.others.v[i], p->job->sink);
	if (err)
		return err;
	p->job->sink->machine.cpu_count =
		max_t(u32, p->job->sink->machine.cpu_count, (u32)p->scan.cpus.n);
	perf_report(p);
	return add_symbols(p);
}

/*
 * perf record --threads: DIR/data is the main file; DIR/data.0, DIR/data.1, ... contain only
 * records.
 */
static int open_dir(struct perf_file *f, const struct import_job *job)
{
	const char *path = arena_printf(&f->arena, "%s/data", job->in->path);
	int err = path ? mapped_open_path(&f->map, path, path, job->diags) : HIST_NOMEM;

	err = err ?: perf_file_read(f, job->diags);
	for (int i = 0; i < IMPORT_MAX_CPUS && !err; i++) {
		path = arena_printf(&f->arena, "%s/data.%d", job->in->path, i);
		if (!path)
			return HIST_NOMEM;
		if (access(path, F_OK))
			break;
		err = perf_file_add_run(f, path, job->diags);
	}
	return err;
}

static bool recognises_dir(const char *dir)
{
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	char head[8];
	ssize_t n;

	strbuf_addf(&path, "%s/data", dir);
	n = path.failed ? -1 : dir_read_head(path.s, head, sizeof(head));
	return n > 0 && perf_recognises((struct span){ head, (size_t)n });
}

static void perf_release(struct perf_import *p)
{
	perf_unwind_release(&p->unwind);
	perf_tasks_release(&p->tasks);
	perf_scan_release(&p->scan);
	perf_file_release(&p->f);
}

/* --- records that are made later --- */

static struct perf_import *import_of(struct trace_dat_later *later)
{
	return (struct perf_import *)((char *)later - offsetof(struct perf_import, later));
}

static int put_records(struct import_job *job)
{
	struct perf_import *p = import_of(*job->later);
	int err = import_sink_machine(job->sink, &p->machine);

	p->job = job;
	trace_dat_cpus_direct(&job->sink->cpus, job->sink->direct, p->bytes);
	/*
	 * each CPU is in the file, even without a record that is wanted; a sub-buffer without
	 * records has a time, or it would be a hole
	 */
	for (size_t i = 0; i < p->later.n_cpus && !err; i++)
		err = trace_dat_cpus_lost(&job->sink->cpus, p->later.cpus[i].cpu, 1, 0);
	return err ?: perf_put_records(p);
}

static int make_records(struct trace_dat_later *later, const struct trace_dat_wanted *wanted,
			struct trace_dat **made, struct diags *diags)
{
	static const struct importer records = { .what = "perf.data", .run = put_records };
	const struct perf_import *p = import_of(later);
	const struct import_input in = { p->f.name, p->f.name };
	const struct import_options options = { .codec = CODEC_NONE, .threads = p->threads };
	struct import_result result;
	struct import_job job = { .in = &in,
				  .options = &options,
				  .result = &result,
				  .wanted = wanted,
				  .later = &later,
				  .diags = diags };

	return import_run_open(&records, &job, p->bytes, made);
}

static void perf_free(struct trace_dat_later *later)
{
	perf_release(import_of(later));
	free(import_of(later));
}

static int use_files(struct trace_dat_later *later, const char *symfs, const char *id_cache,
		     bool debuginfod)
{
	struct perf_import *p = import_of(later);
	struct perf_unwind *u = &p->unwind;

	u->symfs = symfs ? arena_strdup(&p->f.arena, symfs) : NULL;
	u->id_cache = id_cache ? arena_strdup(&p->f.arena, id_cache) : NULL;
	u->debuginfod = debuginfod;
	return p->f.arena.failed ? HIST_NOMEM : 0;
}

/* The CPUs that have records. */
static int list_cpus(struct perf_import *p)
{
	struct trace_dat_later_cpu *list =
		arena_alloc(&p->f.arena, (p->scan.cpus.n + 1) * sizeof(*list));

	if (!list)
		return HIST_NOMEM;
	p->later.cpus = list;
	for (u32 cpu = 0; cpu < p->scan.cpus.n; cpu++) {
		const struct perf_cpu *c = &p->scan.cpus.v[cpu];
		struct trace_dat_later_cpu *to = &list[p->later.n_cpus];

		*to = (struct trace_dat_later_cpu){ cpu, 1, c->first, c->last };
		for (u32 i = c->part; i != PERF_NO_PART; i = p->scan.parts.v[i].next)
			to->bytes += p->scan.parts.v[i].len;
		if (c->renames.n) {
			to->first = min_t(u64, to->first, c->renames.v[0].ts);
			to->last = max_t(u64, to->last, c->renames.v[c->renames.n - 1].ts);
		}
		if (c->part != PERF_NO_PART || c->renames.n || (!cpu && perf_lost_more(p)))
			p->later.n_cpus++;
	}
	return 0;
}

static int make_later(struct perf_import *p)
{
	int err = list_cpus(p);

	if (err)
		return err;
	p->later.make = make_records;
	p->later.free = perf_free;
	p->later.use_files = use_files;
	p->later.lost = p->lost || p->lost_samples;
	p->threads = p->job->options->threads;
	*p->job->later = &p->later;
	return 0;
}

/* --- the importer --- */

static int run(struct import_job *job)
{
	struct perf_import *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return HIST_NOMEM;
	p->job = job;
	p->f.arena = (struct arena)ARENA_INIT;
	/* messages name it after the caller's text has gone */
	p->f.name = arena_strdup(&p->f.arena, job->in->name);
	if (!p->f.name) {
		err = HIST_NOMEM;
	} else if (recognises_dir(job->in->path)) {
		err = open_dir(&p->f, job);
	} else {
		err = mapped_open_path(&p->f.map, job->in->path, job->in->name, job->diags);
		err = err ?: perf_file_read(&p->f, job->diags);
	}
	err = err ?: read_file(p);
	if (!err && job->later)
		err = make_later(p);
	else if (!err)
		err = perf_put_records(p);
	if (!err && job->later)
		return 0;
	perf_release(p);
	free(p);
	return err;
}

const struct importer import_perf = {
	.what = "perf.data",
	.recognises = perf_recognises,
	.recognises_dir = recognises_dir,
	.run = run,
};
