// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Converts the recording of a guest to the time of its host, so that both form one timeline. The
 * guest's trace.dat has a TIME_SHIFT option, and the host's file names the guest (GUEST).
 *
 * The guest's events must not be mistaken for the host's: the names of their systems begin with the
 * name of the guest, their ids are new, and the guest's CPUs are numbered after those of the host.
 * Pids do not change.
 */
#include "import/guest.h"
#include "import/combine.h"
#include "import/time_shift.h"
#include "ring_buffer/ring_buffer.h"

enum { ID_SHIFT = 1 << 15, FTRACE_IDS = 32 };

/* --- matching guest and host --- */

static const struct trace_dat_option *option_of(struct trace_dat *td, u16 id)
{
	size_t n;
	const struct trace_dat_option *options = trace_dat_options(td, &n);

	for (size_t i = 0; i < n; i++)
		if (options[i].id == id)
			return &options[i];
	return NULL;
}

static struct bytes bytes_of_option(struct trace_dat *td, const struct trace_dat_option *o)
{
	return bytes_of(o->data, o->size, trace_dat_info(td)->big_endian);
}

static int open_silently(const struct import_input *in, struct trace_dat **td)
{
	struct diags ignored = DIAGS_INIT;
	int err = import_is_trace_dat(in->path) ? trace_dat_open(in->path, td, &ignored)
						: -HIST_ENOTTRACE;

	diags_release(&ignored);
	return err;
}

static char *name_of(const char *text, struct arena *arena)
{
	char *name = arena_strdup(arena, *text ? text : "guest");

	for (char *c = name; c && *c; c++)
		if (!is_alnum(*c) || (u8)*c >= 0x80)
			*c = '_';
	return name;
}

/* Whether the file names trace @id as its guest. */
static int find_in_host(struct trace_dat *host, u64 id, struct guest *guest, struct arena *arena)
{
	size_t n;
	const struct trace_dat_option *options = trace_dat_options(host, &n);

	for (size_t i = 0; i < n; i++) {
		struct bytes b = bytes_of_option(host, &options[i]);
		const char *name = options[i].id == TRACE_DAT_GUEST ? bytes_str(&b) : NULL;

		if (!name || bytes_u64(&b) != id || b.bad)
			continue;
		guest->name = name_of(name, arena);
		guest->host_clock = arena_strdup(arena, trace_dat_info(host)->clock);
		return guest->name && guest->host_clock ? 0 : HIST_NOMEM;
	}
	return 1;
}

static int find_host(const struct import_input *inputs, size_t n, struct trace_dat *td,
		     struct guest *guest, struct arena *arena)
{
	const struct trace_dat_option *shift = option_of(td, TRACE_DAT_TIME_SHIFT);
	struct bytes b;
	u64 peer;
	int err = 1;

	if (!shift)
		return 1;
	b = bytes_of_option(td, shift);
	peer = bytes_u64(&b);
	for (size_t i = 0; i < n && err == 1; i++) {
		struct trace_dat *host;

		if (open_silently(&inputs[i], &host))
			continue;
		if (trace_dat_info(host)->trace_id == peer && !b.bad)
			err = find_in_host(host, trace_dat_info(td)->trace_id, guest, arena);
		if (!err)
			err = guest_compare(host, td, guest, arena);
		trace_dat_close(host);
	}
	return err;
}

int guest_find(const struct import_input *inputs, size_t n, size_t i, struct guest *guest,
	       struct arena *arena)
{
	struct trace_dat *td;
	int err = n > 1 ? open_silently(&inputs[i], &td) : 1;

	if (err)
		return err == HIST_NOMEM ? err : 1;
	guest->cpu_count = trace_dat_info(td)->cpu_count;
	err = find_host(inputs, n, td, guest, arena);
	trace_dat_close(td);
	return err;
}

u32 guest_host_cpus(const struct import_input *inputs, size_t n)
{
	struct trace_dat *td;
	u32 cpus = 0;

	for (size_t i = 0; i < n; i++) {
		if (open_silently(&inputs[i], &td))
			continue;
		if (option_of(td, TRACE_DAT_GUEST))
			cpus = max_t(u32, cpus, trace_dat_info(td)->cpu_count);
		trace_dat_close(td);
	}
	return cpus;
}

/* --- copying --- */

struct guest_copy {
	struct import_job *job;
	struct trace_dat *td;
	struct time_shift shift;
	struct strbuf rec;
	u64 events, damaged;
};

static u32 new_id(u32 id)
{
	return id < FTRACE_IDS || id >= ID_SHIFT ? id : id + ID_SHIFT;
}

static int copy_format(struct guest_copy *g, const struct trace_dat_format *f)
{
	bool ftrace = !strcmp(f->system, "ftrace");
	struct strbuf text = STRBUF_INIT, system = STRBUF_INIT;
	int err = HIST_NOMEM;

	strbuf_addf(&system, ftrace ? "%.0s%s" : "%s_%s", g->job->guest->name, f->system);
	if (combine_format_text(f->text, new_id(f->id), &text) && !system.failed)
		err = import_sink_format(g->job->sink, system.s, (struct span){ text.s, text.len });
	strbuf_release(&system);
	strbuf_release(&text);
	return err;
}

static int copy_texts(struct guest_copy *g)
{
	const struct trace_dat_format *formats;
	struct import_sink *sink = g->job->sink;
	struct span text;
	size_t n;
	int err = trace_dat_formats(g->td, &formats, &n, g->job->diags);

	for (size_t i = 0; i < n && err != HIST_NOMEM; i++)
		err = copy_format(g, &formats[i]);
	if (err != HIST_NOMEM && !trace_dat_section(g->td, TRACE_DAT_PRINTK, &text, g->job->diags))
		err = import_sink_text(sink, TRACE_DAT_PRINTK, text);
	if (err != HIST_NOMEM &&
	    !trace_dat_section(g->td, TRACE_DAT_CMDLINES, &text, g->job->diags))
		err = import_sink_cmdlines(sink, text);
	if (err != HIST_NOMEM &&
	    !trace_dat_section(g->td, TRACE_DAT_KALLSYMS, &text, g->job->diags))
		err = import_sink_text(sink, TRACE_DAT_KALLSYMS, text);
	return err == HIST_NOMEM ? err : 0;
}

static int copy_record(struct guest_copy *g, u32 cpu, const struct ring_buffer_record *rec)
{
	bool big = trace_dat_info(g->td)->big_endian;

	if (rec->len < 2)
		return 0;
	strbuf_reset(&g->rec);
	strbuf_add(&g->rec, rec->data, rec->len);
	if (g->rec.failed)
		return HIST_NOMEM;
	store_u16(g->rec.s, (u16)new_id(load_u16(rec->data, big)), big);
	g->events++;
	return import_sink_record(g->job->sink, g->job->guest->first_cpu + cpu,
				  time_shift_apply(&g->shift, cpu, rec->ts), g->rec.s, rec->len);
}

static int copy_page(struct guest_copy *g, u32 cpu, struct ring_buffer_page *page)
{
	struct ring_buffer_record rec;
	int err = 0;

	if (page->missed)
		err = import_sink_lost(g->job->sink, g->job->guest->first_cpu + cpu,
				       time_shift_apply(&g->shift, cpu, page->page_ts),
				       page->missed);
	while (!err && !ring_buffer_page_next(page, &rec))
		err = copy_record(g, cpu, &rec);
	g->damaged += page->damaged;
	return err;
}

static int copy_cpu(struct guest_copy *g, const struct trace_dat_buffer *buffer, size_t i)
{
	const struct trace_dat_info *info = trace_dat_info(g->td);
	const struct ring_buffer_layout layout = { info->big_endian, info->long_size,
						   buffer->subbuf_size };
	struct trace_dat_pages *pages = NULL;
	struct ring_buffer_page page;
	const u8 *bytes;
	size_t len;
	int err = trace_dat_pages_open(g->td, 0, i, &pages, g->job->diags), end = 0;

	while (!err && end != 1) {
		end = trace_dat_pages_next(pages, &bytes, &len);
		if (end == HIST_NOMEM)
			err = end;
		else if (end < 0 || (!end && ring_buffer_page_open(&page, &layout, bytes, len)))
			g->damaged++;
		else if (!end)
			err = copy_page(g, buffer->cpus[i].cpu, &page);
	}
	if (pages)
		trace_dat_pages_close(pages);
	return err;
}

static int copy_all(struct guest_copy *g)
{
	const struct trace_dat_info *info = trace_dat_info(g->td);
	const struct import_machine machine = {
		.big_endian = info->big_endian,
		.long_size = info->long_size,
		.cpu_count = g->job->guest->first_cpu + info->cpu_count,
		.clock = g->job->guest->host_clock,
	};
	const struct trace_dat_buffer *buffers;
	size_t n;
	int err = import_sink_machine(g->job->sink, &machine);

	if (!err)
		err = copy_texts(g);
	buffers = trace_dat_buffers(g->td, &n);
	for (size_t i = 0; n && i < buffers[0].n_cpus && !err; i++)
		err = copy_cpu(g, &buffers[0], i);
	for (size_t i = 1; i < n && !err; i++)
		if (buffers[i].n_cpus)
			diags_add(g->job->diags, DIAG_WARNING,
				  "%s: the instance %s of the guest is left out", g->job->in->name,
				  buffers[i].name);
	return err;
}

static void report(const struct guest_copy *g)
{
	const struct guest *guest = g->job->guest;

	diags_add(g->job->diags, DIAG_NOTE,
		  "%s: recorded in guest %s: %llu events were converted to the host's time; its "
		  "events are named %s_SYSTEM:EVENT, its CPUs start at %u",
		  g->job->in->name, guest->name, (unsigned long long)g->events, guest->name,
		  guest->first_cpu);
	guest_warn(guest, g->job->in->name, g->job->diags);
	if (g->damaged)
		diags_add(g->job->diags, DIAG_WARNING, "%s: %llu sub-buffers are damaged",
			  g->job->in->name, (unsigned long long)g->damaged);
	g->job->result->cut |= g->damaged > 0 || trace_dat_info(g->td)->cut;
	caveat_add_all(import_sink_caveats(g->job->sink),
		       trace_dat_option_text(g->td, TRACE_DAT_HIST_CAVEATS));
}

static int run(struct import_job *job)
{
	struct guest_copy g = { .job = job, .rec = STRBUF_INIT };
	const struct trace_dat_option *o;
	int err = trace_dat_open_as(job->in->path, job->in->name, &g.td, job->diags);

	if (err)
		return err;
	o = option_of(g.td, TRACE_DAT_TIME_SHIFT);
	err = o ? time_shift_parse(&g.shift, bytes_of_option(g.td, o), import_sink_arena(job->sink))
		: -HIST_EFORMAT;
	if (err == -HIST_EFORMAT)
		diags_error(job->diags, err, "%s: its TIME_SHIFT option is damaged", job->in->name);
	if (!err)
		err = copy_all(&g);
	if (!err)
		report(&g);
	strbuf_release(&g.rec);
	trace_dat_close(g.td);
	return err;
}

const struct importer import_guest = { .what = "trace.dat of a guest", .run = run };
