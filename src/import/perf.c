// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Imports perf.data: a file, or the directory of perf record --threads. The raw bytes of a
 * tracepoint's sample are the record that the ring buffer would contain, so they are copied. The
 * kernel's part of a call chain becomes a kernel_stack record after it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "import/dir.h"
#include "import/perf_order.h"
#include "import/perf_samples.h"
#include "import/symbols.h"

enum { COMMON = 8, MMAP_NAME = 32, MMAP2_NAME = 64 };

struct perf_import {
	struct import_job *job;
	struct perf_file *f;
	struct perf_order *order;
	struct import_machine machine;
	struct perf_tasks tasks;
	bool has_stacks;
	u64 taken, lost, lost_samples, unknown, damaged;
	u64 kernel_text;
};

/* --- from samples to records --- */

static int put_sample(struct perf_import *p, u32 cpu, const struct perf_entry *e)
{
	enum { MODES = 7 };
	const struct perf_event ev = { .body = e->raw, .len = e->len & ~(u32)PERF_IS_SAMPLE };
	u8 rec[PERF_SAMPLE_RECORD];
	struct perf_stack stack = { .ts = e->ts, .common = rec, .skipped = 2 };
	struct perf_sample s;
	u32 len;
	s32 pid;
	int err = perf_sample_read(p->f, &ev, &s);

	if (err)
		return err;
	pid = p->tasks.pids.differ ? perf_pids_of(&p->tasks.pids, s.tid, s.ts) : s.tid;
	if (p->tasks.pids.differ)
		s.tgid = perf_pids_of(&p->tasks.pids, s.tgid, s.ts);
	len = perf_samples_record(p->f, &s, pid, e->n_ips & MODES, rec);
	err = import_sink_record(p->job->sink, cpu, e->ts, rec, len);
	stack.ips = s.ips;
	stack.n_ips = (u32)s.n_ips;
	stack.tgid = s.tgid;
	return err || !s.n_ips ? err : perf_stacks_put(p->job->sink, p->f, cpu, &stack);
}

static int put_entry(void *arg, u32 cpu, const struct perf_entry *e)
{
	struct perf_import *p = arg;
	int err;

	if (e->len == PERF_IS_RENAME)
		return perf_tasks_put(&p->tasks, p->f, p->job->sink, cpu, e);
	if (e->len == PERF_IS_LOSS)
		return trace_dat_cpus_lost(&p->job->sink->cpus, cpu, e->ts, (s64)e->n);
	if (e->len & PERF_IS_SAMPLE)
		return put_sample(p, cpu, e);
	err = import_sink_record(p->job->sink, cpu, e->ts, e->raw, e->len);
	if (err || !e->n_ips)
		return err;
	return perf_stacks_put(p->job->sink, p->f, cpu,
			       &(struct perf_stack){ .ts = e->ts,
						     .common = e->raw,
						     .skipped = 1,
						     .ips = e->raw - e->ips_back,
						     .n_ips = e->n_ips });
}

/* A sample of an event that is not a tracepoint; its record is made when it is its turn. */
static int take_other(struct perf_import *p, const struct perf_event *ev,
		      const struct perf_sample *s)
{
	const struct perf_entry e = { .ts = s->ts,
				      .raw = ev->body,
				      .len = PERF_IS_SAMPLE | (u32)ev->len,
				      .n_ips = ev->misc };
	int err = 0;

	if (s->cpu >= IMPORT_MAX_CPUS) {
		p->damaged++;
		return 0;
	}
	p->taken++;
	if (!s->attr->event_id)
		err = perf_samples_format(p->f, s->attr, p->job->sink);
	return err ?: perf_order_add(p->order, s->cpu, &e);
}

static int take_sample(struct perf_import *p, const struct perf_event *ev)
{
	struct perf_sample s;
	struct perf_entry e;
	int err = perf_sample_read(p->f, ev, &s);

	if (err) {
		p->unknown += err > 0;
		p->damaged += err < 0;
		return 0;
	}
	s.attr->samples++;
	if (s.attr->type != PERF_TYPE_TRACEPOINT)
		return take_other(p, ev, &s);
	if (!s.raw)
		return 0;
	if (s.raw_len < COMMON || s.cpu >= IMPORT_MAX_CPUS) {
		p->damaged++;
		return 0;
	}
	p->taken++;
	e = (struct perf_entry){ .ts = s.ts,
				 .raw = s.raw,
				 .len = s.raw_len,
				 .ips_back = s.ips ? (u32)(s.raw - s.ips) : 0,
				 .n_ips = (u32)s.n_ips };
	return perf_order_add(p->order, s.cpu, &e);
}

static int take_lost(struct perf_import *p, const struct perf_event *ev)
{
	struct perf_entry e = { .len = PERF_IS_LOSS };
	u32 cpu;

	if (ev->len < 16)
		return 0;
	e.n = load_u64(ev->body + 8, p->f->big);
	perf_trailer_read(p->f, ev, &e.ts, &cpu);
	if (cpu >= IMPORT_MAX_CPUS || e.n > INT64_MAX) {
		p->damaged++;
		return 0;
	}
	p->lost += e.n;
	return e.n ? perf_order_add(p->order, cpu, &e) : 0;
}

/* --- build id and address of the kernel --- */

/* Record the address of the kernel's text; the name of a mapping is at @name_at. */
static void take_mmap_text(struct perf_import *p, const struct perf_event *ev, size_t name_at)
{
	enum { PGOFF_AT = 24 };
	struct span name = perf_kernel_name(ev, name_at);

	if (!p->kernel_text &&
	    (span_eq(name, "[kernel.kallsyms]_text") || span_eq(name, "[kernel.kallsyms]_stext")))
		p->kernel_text = load_u64(ev->body + PGOFF_AT, p->f->big);
}

/* Since perf 6.17, the build id takes the place of device and inode. */
static void take_build_id(struct perf_import *p, const struct perf_event *ev)
{
	enum { ID_AT = 36, ID_SIZE = 20, BUILD_ID = 1 << 14 };

	if (!(ev->misc & BUILD_ID) || p->f->build_id_len ||
	    !span_starts(perf_kernel_name(ev, MMAP2_NAME), "[kernel"))
		return;
	p->f->build_id_len = min_t(u32, ev->body[ID_AT - 4], ID_SIZE);
	memcpy(p->f->build_id, ev->body + ID_AT, ID_SIZE);
}

/* --- all records --- */

static int take(struct perf_import *p, const struct perf_event *ev)
{
	switch (ev->type) {
	case PERF_SAMPLE:
		return take_sample(p, ev);
	case PERF_FINISHED_ROUND:
		return perf_order_round(p->order);
	case PERF_LOST:
		return take_lost(p, ev);
	case PERF_LOST_SAMPLES:
		if (ev->len >= 8)
			p->lost_samples += load_u64(ev->body, p->f->big);
		break;
	case PERF_MMAP:
		take_mmap_text(p, ev, MMAP_NAME);
		break;
	case PERF_MMAP2:
		take_build_id(p, ev);
		take_mmap_text(p, ev, MMAP2_NAME);
		break;
	case PERF_HEADER_BUILD_ID:
		perf_file_build_id(p->f, ev);
		break;
	}
	return 0;
}

static int take_all(struct perf_import *p)
{
	struct perf_event ev;
	int err = 0, end = 0;

	for (size_t i = 0; i < p->f->runs.n && !err; i++) {
		const struct span data = p->f->runs.v[i].data;
		struct bytes b = bytes_of(data.s, data.n, p->f->big);

		perf_order_restart(p->order);
		while (!err && !(end = perf_event_next(&b, &ev)))
			err = take(p, &ev);
		if (end < 0)
			perf_event_failed(p->f, &b);
	}
	return err ?: perf_order_end(p->order);
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

/* An option whose text is @text; NULL: out of memory. */
static int add_text(struct perf_import *p, u16 id, const char *text)
{
	return text ? import_sink_option(p->job->sink, id, (struct span){ text, strlen(text) + 1 })
		    : HIST_NOMEM;
}

static int add_options(struct perf_import *p)
{
	struct arena *arena = &p->job->sink->arena;
	struct span host = perf_file_text(p->f, PERF_FEAT_HOSTNAME);
	struct span release = perf_file_text(p->f, PERF_FEAT_OSRELEASE);
	struct span arch = perf_file_text(p->f, PERF_FEAT_ARCH);
	struct span version = perf_file_text(p->f, PERF_FEAT_VERSION);
	int err = 0;

	if (release.n)
		err = add_text(p, TRACE_DAT_UNAME,
			       arena_printf(arena, "Linux %.*s %.*s %.*s", (int)host.n,
					    host.n ? host.s : "", (int)release.n, release.s,
					    (int)arch.n, arch.n ? arch.s : ""));
	if (!err && version.n)
		err = add_text(p, TRACE_DAT_VERSION,
			       arena_printf(arena, "perf %.*s", (int)version.n, version.s));
	return err;
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
		bytes_of(p->f->feat[PERF_FEAT_NRCPUS].s, p->f->feat[PERF_FEAT_NRCPUS].n, p->f->big);
	struct span tracing = p->f->feat[PERF_FEAT_TRACING_DATA];
	struct span arch = perf_file_text(p->f, PERF_FEAT_ARCH);
	int err;

	p->machine = (struct import_machine){ .big_endian = p->f->big,
					      .long_size = is_32_bit(arch) ? 4 : 8,
					      .cpu_count = bytes_u32(&cpus),
					      .clock = clock_name(p->f) };
	err = tracing.s ? tracing_data_read(p->job->sink, tracing, &p->machine) : 0;
	if (err == -HIST_EFORMAT && !p->f->cut)
		p->f->end = PERF_END_DAMAGED;
	p->f->cut |= err == -HIST_EFORMAT;
	if (err && err != -HIST_EFORMAT)
		return err;
	for (size_t i = 0; i < p->f->attrs.n; i++)
		p->has_stacks |= (p->f->attrs.v[i].sample_type & PERF_CALLCHAIN) != 0;
	err = p->has_stacks ? perf_stacks_formats(p->job->sink, p->machine.long_size) : 0;
	err = err ?: import_sink_machine(p->job->sink, &p->machine);
	return err ?: add_options(p);
}

/* --- warnings and notes --- */

static void note_attr(struct perf_import *p, const struct perf_attr *a, const char *name)
{
	const char *in = p->job->in->name;
	unsigned long long n = a->samples;

	if (a->type == PERF_TYPE_TRACEPOINT && !(a->sample_type & PERF_RAW))
		diags_add(p->job->diags, DIAG_WARNING,
			  "%s: %llu samples of %s are left out: perf record stores their "
			  "fields only with -R",
			  in, n, name);
	else if (a->type == PERF_TYPE_TRACEPOINT &&
		 !format_list_find_id(&p->job->sink->formats, a->config))
		diags_add(p->job->diags, DIAG_WARNING,
			  "%s: the format of %s is missing; its %llu events can only be counted",
			  in, name, n);
	if (!(a->sample_type & PERF_TIME))
		diags_add(p->job->diags, DIAG_WARNING,
			  "%s: samples of %s have no times; all get time 0", in, name);
	if (!(a->sample_type & PERF_CPU))
		diags_add(p->job->diags, DIAG_WARNING,
			  "%s: samples of %s have no CPU; all are assigned to CPU 0", in, name);
	if (a->sample_type & PERF_READ && a->read_format & PERF_FORMAT_GROUP)
		diags_add(p->job->diags, DIAG_WARNING,
			  "%s: samples of %s also have counts of the other events of its group, "
			  "which are left out",
			  in, name);
	if (!a->freq && a->period <= 1)
		return;
	diags_add(p->job->diags, DIAG_WARNING,
		  "%s: %s was sampled%s; the counts are those of samples, not of events", in, name,
		  a->freq ? " at a frequency" : " once in several events");
	caveat_add(&p->job->sink->caveats,
		   &(struct caveat){ .kind = CAVEAT_SAMPLED, .n = n, .of = span_of(name) });
}

static void note_attrs(struct perf_import *p)
{
	for (size_t i = 0; i < p->f->attrs.n; i++) {
		const struct perf_attr *a = &p->f->attrs.v[i];
		const struct event_text *format =
			a->type == PERF_TYPE_TRACEPOINT
				? format_list_find_id(&p->job->sink->formats, a->config)
				: NULL;
		char name[128];

		if (!a->samples)
			continue;
		if (!a->name.n && format)
			snprintf(name, sizeof(name), "%s:%.*s", format->system,
				 (int)min_t(size_t, format->name.n, 60), format->name.s);
		else if (!a->name.n && a->type == PERF_TYPE_TRACEPOINT)
			snprintf(name, sizeof(name), "an event of type %u, config %#llx", a->type,
				 (unsigned long long)a->config);
		else
			perf_attr_name(a, name, sizeof(name));
		note_attr(p, a, name);
	}
}

static void report(struct perf_import *p)
{
	struct diags *diags;
	const char *in;
	static const char *const ends[] = {
		/* ORDER perf_end */
		"%s: truncated; the rest of the data is missing",
		"%s: damaged; the data from the damage on is missing",
		("%s: text is among the data, such as messages of perf or the output of its "
		 "command; the data from there on is missing: perf record -o FILE keeps them apart"),
	};

	p->job->result->cut = p->f->cut || p->f->no_features || p->unknown || p->damaged;
	diags = p->job->diags;
	in = p->job->in->name;
	diags_add(diags, DIAG_NOTE, "%s: perf.data: %llu samples were converted to events", in,
		  (unsigned long long)p->taken);
	if (p->tasks.id && p->tasks.renames.n)
		diags_add(diags, DIAG_NOTE,
			  "%s: %zu changes of task names were converted to task:task_rename events",
			  in, p->tasks.renames.n);
	if (p->tasks.pids.differ)
		diags_add(diags, DIAG_NOTE,
			  "%s: perf ran in a pid namespace; names belong to the pids of the kernel "
			  "that samples have with the pids of the namespace, other tasks have none",
			  in);
	note_attrs(p);
	if (p->lost_samples > p->lost) {
		diags_add(diags, DIAG_WARNING,
			  "%s: %llu more samples were lost; their CPU and time are not known", in,
			  (unsigned long long)(p->lost_samples - p->lost));
		caveat_add(&p->job->sink->caveats,
			   &(struct caveat){ .kind = CAVEAT_LOST, .n = p->lost_samples - p->lost });
	}
	if (p->unknown)
		diags_add(diags, DIAG_WARNING,
			  "%s: %llu samples are left out: the file does not describe their event",
			  in, (unsigned long long)p->unknown);
	if (p->damaged)
		diags_add(diags, DIAG_WARNING, "%s: %llu damaged records are left out", in,
			  (unsigned long long)p->damaged);
	if (p->f->no_features)
		diags_add(
			diags, DIAG_WARNING,
			"%s: perf record did not finish the file; the part that it writes at the end is missing",
			in);
	else if (p->f->cut)
		diags_add(diags, DIAG_WARNING, ends[p->f->end], in);
}

/* Add symbols if there are stacks or pointers to print with them. */
static int add_symbols(struct perf_import *p)
{
	const struct symbols_kernel kernel = { p->f->build_id, p->f->build_id_len, p->kernel_text };
	bool wanted = p->has_stacks || p->job->options->kallsyms;

	for (size_t i = 0; i < p->f->attrs.n && !wanted; i++) {
		const struct event_text *format =
			p->f->attrs.v[i].samples && p->f->attrs.v[i].type == PERF_TYPE_TRACEPOINT
				? format_list_find_id(&p->job->sink->formats,
						      p->f->attrs.v[i].config)
				: NULL;

		wanted = p->f->attrs.v[i].event_id ||
			 (format && format_needs_symbols(format->text));
	}
	return wanted ? symbols_add(p->job, &kernel) : 0;
}

/* --- files --- */

static int run_file(struct perf_import *p)
{
	u64 bytes = 0;
	int err = 0;

	for (size_t i = 0; i < p->f->runs.n && !err; i++) {
		err = perf_unpack(p->f, &p->f->runs.v[i], p->job->diags);
		bytes += p->f->runs.v[i].data.n;
	}
	trace_dat_cpus_direct(&p->job->sink->cpus, p->job->sink->direct, bytes);
	err = err ?: describe(p->f);
	err = err ?: begin(p);
	err = err ?: perf_tasks_read(&p->tasks, p->f, p->job->sink, p->order);
	err = err ?: take_all(p);
	if (!err && p->lost_samples > p->lost)
		err = trace_dat_cpus_lost(&p->job->sink->cpus, 0, 0,
					  (s64)min_t(u64, p->lost_samples - p->lost, INT64_MAX));
	if (err)
		return err;
	report(p);
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
	struct strbuf path = STRBUF_INIT;
	char head[8];
	ssize_t n;

	strbuf_addf(&path, "%s/data", dir);
	n = path.failed ? -1 : dir_read_head(path.s, head, sizeof(head));
	strbuf_release(&path);
	return n > 0 && perf_recognises((struct span){ head, (size_t)n });
}

static int run(struct import_job *job)
{
	struct perf_file f = { .name = job->in->name, .arena = ARENA_INIT };
	struct perf_import p = { .job = job, .f = &f };
	int err;

	if (recognises_dir(job->in->path)) {
		err = open_dir(&f, job);
	} else {
		err = mapped_open_path(&f.map, job->in->path, job->in->name, job->diags);
		err = err ?: perf_file_read(&f, job->diags);
	}
	p.order = perf_order_new(put_entry, &p);
	err = err ?: (p.order ? run_file(&p) : HIST_NOMEM);
	perf_order_free(p.order);
	perf_tasks_release(&p.tasks);
	perf_file_release(&f);
	return err;
}

const struct importer import_perf = {
	.what = "perf.data",
	.recognises = perf_recognises,
	.recognises_dir = recognises_dir,
	.run = run,
};
