// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Combines several recordings of one machine and one clock into one trace.dat with the records of
 * all files in time order.
 *
 * An event must have the same format in all files; otherwise they are from different kernels. Its
 * id may differ between files; the id of the first file is used. Only the top-level buffers are
 * read.
 *
 * The recording of a guest (guest.c) is copied in the same way, alone. Its events must not be
 * mistaken for the host's: the names of their systems begin with the name of the guest, their ids
 * are new, and the guest's CPUs are numbered after those of the host. Pids do not change.
 */
#include "import/guest.h"
#include "ring_buffer/ring_buffer.h"

enum { IDS = 1 << 16, GUEST_IDS = 1 << 15, FTRACE_IDS = 32 };

struct combined_file {
	struct trace_dat *td;
	const char *name;
	u16 *ids;                /* maps an id of this file to an id of the result */
	struct time_shift shift; /* of a guest */
};

/* A CPU of a file. */
struct combined_cpu {
	const struct combined_file *file;
	struct trace_dat_pages *pages;
	u32 cpu;
	s64 lost; /* events lost before its next record; < 0: unknown number */
	struct ring_buffer_layout layout;
};

struct combine {
	struct import_job *job;
	struct combined_file *files;
	size_t n;
	ARRAY(struct combined_cpu) cpus;
	struct strbuf rec;
	u64 events, damaged;
};

/* --- formats --- */

static bool format_text(struct span text, u32 id, struct strbuf *out)
{
	while (text.s) {
		struct span line = span_sep(&text, "\n");

		if (span_starts(line, "ID:"))
			strbuf_addf(out, "ID: %u\n", id);
		else if (line.s && (line.n || text.s))
			strbuf_addf(out, "%.*s\n", (int)line.n, line.s);
	}
	return !out->failed;
}

static u32 free_id(const struct combine *j, u32 id)
{
	while (format_list_find_id(&j->job->sink->formats, id))
		id = id < IDS / 2 ? IDS - 1 : id - 1;
	return id;
}

/* Whether all fields of @part are fields of @whole, at the same places. */
static bool is_part(struct span part, struct span whole)
{
	while (part.s) {
		struct span line = span_sep(&part, "\n");

		if (span_starts(line, "\tfield:") && !span_find(whole, line))
			return false;
	}
	return true;
}

/* An imported text has only the fields that it shows. The result then has only these. */
static int combine_same(struct combine *j, const struct combined_file *f,
			const struct event_text *same, struct span text)
{
	if (span_same(same->text, text) || is_part(same->text, text))
		return 0;
	if (is_part(text, same->text))
		return import_sink_format_again(j->job->sink, same->id, text);
	return diags_error(j->job->diags, -HIST_EUNSUPPORTED,
			   "%s and %s are from different kernels: the formats of %s:%.*s differ",
			   j->files[0].name, f->name, same->system, (int)same->name.n,
			   same->name.s);
}

static int combine_format(struct combine *j, struct combined_file *f,
			  const struct trace_dat_format *of)
{
	const struct guest *guest = j->job->guest;
	const char *system =
		guest && strcmp(of->system, "ftrace")
			? arena_printf(&j->job->sink->arena, "%s_%s", guest->name, of->system)
			: of->system;
	const struct event_text *same =
		system ? format_list_find(&j->job->sink->formats, system, of->name) : NULL;
	u32 id = same ? same->id : free_id(j, f->ids[of->id]);
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	int err = system && format_text(of->text, id, &sb) ? 0 : HIST_NOMEM;
	struct span text = strbuf_span(&sb);

	f->ids[of->id] = (u16)id;
	return err
		       ?: (same ? combine_same(j, f, same, text)
				: import_sink_format(j->job->sink, system, text));
}

static int combine_texts(struct combine *j, struct combined_file *f)
{
	static const enum trace_dat_option_id ids[] = { TRACE_DAT_KALLSYMS, TRACE_DAT_PRINTK };
	const struct trace_dat_format *formats;
	struct import_sink *sink = j->job->sink;
	struct span text;
	size_t n;
	int err = trace_dat_formats(f->td, &formats, &n, j->job->diags);

	for (size_t i = 0; i < n && err != HIST_NOMEM && err != -HIST_EUNSUPPORTED; i++)
		err = combine_format(j, f, &formats[i]);
	if (err == HIST_NOMEM || err == -HIST_EUNSUPPORTED)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(ids) && err != HIST_NOMEM; i++)
		if (!trace_dat_section(f->td, ids[i], &text, j->job->diags) && text.n &&
		    !(ids[i] == TRACE_DAT_KALLSYMS ? sink->kallsyms : sink->printk).n)
			err = import_sink_text(sink, ids[i], text);
	if (err != HIST_NOMEM &&
	    !trace_dat_section(f->td, TRACE_DAT_CMDLINES, &text, j->job->diags))
		err = import_sink_cmdlines(sink, text);
	return err == HIST_NOMEM ? err : 0;
}

/* --- checks of the machine --- */

static int combine_machine(struct combine *j)
{
	const struct trace_dat_info *first = trace_dat_info(j->files[0].td);
	struct import_machine machine = { .big_endian = first->big_endian,
					  .long_size = first->long_size,
					  .clock = first->clock };
	const char *uname = NULL, *what = NULL;
	int err;

	for (size_t i = 0; i < j->n; i++) {
		const struct trace_dat_info *info = trace_dat_info(j->files[i].td);

		if (first->big_endian != info->big_endian || first->long_size != info->long_size)
			what = "kinds of machine";
		else if (first->uname && info->uname && strcmp(first->uname, info->uname) != 0)
			what = "machines or kernels";
		else if (strcmp(first->clock, info->clock) != 0)
			what = "trace clocks";
		if (what)
			return diags_error(
				j->job->diags, -HIST_EUNSUPPORTED,
				"%s and %s are from different %s: import them separately",
				j->files[0].name, j->files[i].name, what);
		machine.cpu_count = max_t(u32, machine.cpu_count, info->cpu_count);
		uname = uname ? uname : info->uname;
	}
	if (j->job->guest) {
		machine.cpu_count += j->job->guest->first_cpu;
		machine.clock = j->job->guest->host_clock;
		uname = NULL;
	}
	err = import_sink_machine(j->job->sink, &machine);
	if (!err && uname)
		err = import_sink_option(j->job->sink, TRACE_DAT_UNAME,
					 (struct span){ uname, strlen(uname) + 1 });
	return err;
}

/* --- records --- */

static int read_page(void *arg, const u8 **bytes, size_t *len)
{
	struct combined_cpu *c = arg;
	struct ring_buffer_page page;
	int err = trace_dat_pages_next(c->pages, bytes, len);

	if (!err && !ring_buffer_page_open(&page, &c->layout, *bytes, *len) && page.missed)
		c->lost = page.missed < 0 || c->lost < 0 ? -1 : c->lost + page.missed;
	return err;
}

static int open_cpus(struct combine *j, struct combined_file *f)
{
	const struct trace_dat_info *info = trace_dat_info(f->td);
	size_t n;
	const struct trace_dat_buffer *buffers = trace_dat_buffers(f->td, &n);
	int err = 0;

	for (size_t i = 0; n && i < buffers[0].n_cpus && !err; i++) {
		struct combined_cpu c = { .file = f, .cpu = buffers[0].cpus[i].cpu };

		c.layout = (struct ring_buffer_layout){ info->big_endian, info->long_size,
							buffers[0].subbuf_size };
		err = array_reserve(&j->cpus)
			      ? HIST_NOMEM
			      : trace_dat_pages_open(f->td, 0, i, &c.pages, j->job->diags);
		if (!err)
			j->cpus.v[j->cpus.n++] = c;
	}
	for (size_t i = 1; i < n && !err; i++)
		if (buffers[i].n_cpus)
			diags_add(j->job->diags, DIAG_WARNING, "%s: its instance %s is left out",
				  f->name, buffers[i].name);
	return err;
}

static int put_record(struct combine *j, struct combined_cpu *c,
		      const struct ring_buffer_record *rec)
{
	bool big = c->layout.big_endian;
	const struct guest *guest = j->job->guest;
	u64 ts = guest ? trace_dat_time(c->file->td,
					time_shift_apply(&c->file->shift, c->cpu, rec->ts))
		       : rec->ts;
	u32 cpu = c->cpu + (guest ? guest->first_cpu : 0);
	int err = 0;

	if (c->lost)
		err = trace_dat_cpus_lost(&j->job->sink->cpus, cpu, ts, c->lost);
	c->lost = 0;
	if (err || rec->len < 2)
		return err;
	strbuf_reset(&j->rec);
	strbuf_add(&j->rec, rec->data, rec->len);
	if (j->rec.failed)
		return HIST_NOMEM;
	store_u16(j->rec.s, c->file->ids[load_u16(rec->data, big)], big);
	j->events++;
	return import_sink_record(j->job->sink, cpu, ts, j->rec.s, rec->len);
}

static int combine_records(struct combine *j)
{
	struct ring_buffer_iter *iters = calloc(j->cpus.n + 1, sizeof(*iters));
	struct ring_buffer_merge merge;
	struct ring_buffer_merged one;
	int err = iters ? 0 : HIST_NOMEM, n = 1;

	for (size_t i = 0; i < j->cpus.n && !err; i++)
		ring_buffer_iter_init(&iters[i], &j->cpus.v[i].layout, j->cpus.v[i].cpu, read_page,
				      &j->cpus.v[i]);
	err = err ?: ring_buffer_merge_init(&merge, iters, j->cpus.n);
	if (err) {
		free(iters);
		return err;
	}
	while (!err && n) {
		n = ring_buffer_merge_next(&merge, &one, 1);
		if (n > 0)
			err = put_record(j, &j->cpus.v[one.index], one.rec);
		else if (n == HIST_NOMEM)
			err = n;
		else
			j->damaged += n < 0;
	}
	ring_buffer_merge_release(&merge);
	for (size_t i = 0; i < j->cpus.n; i++)
		j->damaged += iters[i].damaged_pages;
	free(iters);
	return err;
}

/* --- combining --- */

/* One whose tasks or times hist slim selected contains others, which a replay leaves out. */
static int refuse_selected(const struct combine *j, const struct combined_file *f)
{
	static const char *const kinds[] = { "part ", "cpus ", "task", "process ", "cgroup " };
	struct span slimmed = trace_dat_option_text(f->td, TRACE_DAT_HIST_SLIM);

	while (slimmed.s) { /* see recording/slimmed.c */
		const struct span line = span_sep(&slimmed, "\n");

		for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
			if (span_starts(line, kinds[i]))
				return diags_error(
					j->job->diags, -HIST_EUNSUPPORTED,
					"%s: hist slim selected tasks, CPUs or times, which a "
					"combined recording would not contain: combine the "
					"originals",
					f->name);
	}
	return 0;
}

/* A caveat of the file in terms of the result; false: of an instance, which is left out. */
static bool translate_caveat(const struct guest *guest, struct caveat *c, struct strbuf *of)
{
	struct span cpu = c->of;
	u64 n;

	strbuf_reset(of);
	if ((c->kind == CAVEAT_LOST || c->kind == CAVEAT_UNSAVED) && c->of.n) {
		if (!span_u64(span_sep(&cpu, " "), &n) || n > UINT16_MAX || cpu.s)
			return false;
		caveat_cpu(of, (u32)n + (guest ? guest->first_cpu : 0), "");
		c->of = strbuf_span(of);
	} else if (c->kind == CAVEAT_SAMPLED && guest) {
		strbuf_addf(of, "%s_%.*s", guest->name, (int)c->of.n, c->of.s);
		c->of = strbuf_span(of);
	}
	return true;
}

/* What is known about the file: its caveats, and the losses in the kernel's statistics. */
static int add_caveats(struct combine *j, const struct combined_file *f)
{
	struct strbuf *out = &j->job->sink->caveats, of = STRBUF_INIT;
	struct span rest = trace_dat_option_text(f->td, TRACE_DAT_HIST_CAVEATS);
	size_t n;
	const struct trace_dat_buffer *buffers = trace_dat_buffers(f->td, &n);
	struct caveat c;

	while (caveat_next(&rest, &c))
		if (translate_caveat(j->job->guest, &c, &of))
			caveat_add(out, &c);
	for (size_t i = 0; n && i < buffers[0].n_cpus; i++) {
		u32 cpu = buffers[0].cpus[i].cpu;
		const struct trace_dat_lost lost = trace_dat_lost_of(f->td, "", cpu);

		strbuf_reset(&of);
		caveat_cpu(&of, cpu + (j->job->guest ? j->job->guest->first_cpu : 0), "");
		c = (struct caveat){ .kind = CAVEAT_LOST,
				     .n = add_saturated(lost.dropped, lost.commit_overrun),
				     .of = { of.s, of.len } };
		if (c.n)
			caveat_add(out, &c);
	}
	out->failed |= of.failed;
	strbuf_release(&of);
	return out->failed ? HIST_NOMEM : 0;
}

/* The journals of all files, which are of one machine; lines are in the order of the options. */
static int combine_tasks(const struct combine *j)
{
	static const char lacks[] = "lacks journal\n";
	size_t with = 0, n;
	int err = 0;

	for (size_t i = 0; i < j->n && !err; i++) {
		const struct trace_dat_option *o = trace_dat_options(j->files[i].td, &n);
		bool copied = false;

		for (size_t k = 0; k < n && !err; k++) {
			if (o[k].id != TRACE_DAT_HIST_TASKS &&
			    (o[k].id != TRACE_DAT_HIST_WALL || i || j->job->guest))
				continue;
			copied |= o[k].id == TRACE_DAT_HIST_TASKS;
			err = import_sink_option(j->job->sink, o[k].id,
						 (struct span){ (const char *)o[k].data,
								o[k].size });
		}
		with += copied;
	}
	/* then it does not have the names of all tasks at all times */
	if (!err && with && with < j->n)
		err = import_sink_option(j->job->sink, TRACE_DAT_HIST_TASKS, span_of(lacks));
	return err;
}

static int open_file(struct combine *j, size_t i)
{
	const struct import_input *in = j->job->guest ? j->job->in : &j->job->combined->inputs[i];
	struct combined_file *f = &j->files[i];
	int err = trace_dat_open_as(in->path, in->name, &f->td, j->job->diags);

	if (err)
		return err;
	j->n++;
	f->name = in->name;
	f->ids = arena_alloc(&j->job->sink->arena, IDS * sizeof(*f->ids));
	for (size_t id = 0; f->ids && id < IDS; id++)
		f->ids[id] = (u16)(j->job->guest && id >= FTRACE_IDS ? id | GUEST_IDS : id);
	j->job->result->cut |= trace_dat_info(f->td)->cut;
	j->job->result->inexact |= import_is_inexact(trace_dat_info(f->td)->version_text);
	err = f->ids ? refuse_selected(j, f) : HIST_NOMEM;
	if (!err && j->job->guest) {
		/* first to cycles of the host */
		trace_dat_raw_times(f->td);
		err = guest_time_shift(f->td, &f->shift, j->job);
	}
	return err ?: add_caveats(j, f);
}

static void report(const struct combine *j)
{
	unsigned long long events = j->events, damaged = j->damaged;
	struct import_job *job = j->job;

	if (job->guest)
		guest_report(job, events);
	else
		diags_add(job->diags, DIAG_NOTE,
			  "%zu recordings were combined into one with %llu events", j->n, events);
	if (damaged)
		diags_add(job->diags, DIAG_WARNING, "%s%s%llu sub-buffers are damaged",
			  job->guest ? job->in->name : "", job->guest ? ": " : "", damaged);
	job->result->cut |= damaged > 0;
	job->result->cut |= any_of(
		i, j->n, trace_dat_damaged(j->files[i].td) || trace_dat_shrank(j->files[i].td));
}

static int run(struct import_job *job)
{
	struct combine j = { .job = job, .rec = STRBUF_INIT };
	size_t n = job->guest ? 1 : job->combined->n;
	int err = 0;

	j.files = arena_alloc(&job->sink->arena, n * sizeof(*j.files));
	if (!j.files)
		return HIST_NOMEM;
	for (size_t i = 0; i < n && !err; i++)
		err = open_file(&j, i);
	err = err ?: combine_machine(&j);
	/* times and process ids of a guest are its own */
	if (!err && !job->guest)
		err = combine_tasks(&j);
	for (size_t i = 0; i < n && !err; i++)
		err = combine_texts(&j, &j.files[i]);
	for (size_t i = 0; i < n && !err; i++)
		err = open_cpus(&j, &j.files[i]);
	if (!err && j.cpus.v)
		err = combine_records(&j);
	if (!err)
		report(&j);
	for (size_t i = 0; i < j.cpus.n; i++)
		trace_dat_pages_close(j.cpus.v[i].pages);
	for (size_t i = 0; i < j.n; i++)
		trace_dat_close(j.files[i].td);
	array_release(&j.cpus);
	strbuf_release(&j.rec);
	return err;
}

const struct importer import_combine = { .what = "several", .run = run };
const struct importer import_guest = { .what = "trace.dat of a guest", .run = run };
