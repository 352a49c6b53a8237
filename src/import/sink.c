// SPDX-License-Identifier: LGPL-2.1-only
/* The sink of all importers: writes a trace.dat from the records of CPUs, and their metadata. */
#include "import/sink.h"

struct import_sink *import_sink_new(u32 subbuf, int direct)
{
	struct import_sink *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->cmdlines = s->caveats = (struct strbuf)STRBUF_INIT;
	s->direct = direct;
	trace_dat_cpus_init(&s->cpus, &(struct ring_buffer_layout){ .subbuf_size = subbuf });
	return s;
}

void import_sink_free(struct import_sink *s)
{
	if (!s)
		return;
	trace_dat_cpus_release(&s->cpus);
	for (size_t i = 0; i < s->buffers.n; i++)
		trace_dat_cpus_release(s->buffers.v[i].cpus);
	array_release(&s->buffers);
	format_list_release(&s->formats);
	array_release(&s->options);
	strbuf_release(&s->caveats);
	comm_table_release(&s->comms);
	strbuf_release(&s->cmdlines);
	arena_release(&s->arena);
	free(s);
}

static int copy_text(struct import_sink *s, struct span text, struct span *out)
{
	*out = (struct span){ NULL, 0 };
	if (!text.s)
		return 0;
	*out = (struct span){ arena_strndup(&s->arena, text.s, text.n), text.n };
	return out->s ? 0 : HIST_NOMEM;
}

int import_sink_machine(struct import_sink *s, const struct import_machine *machine)
{
	s->machine = *machine;
	s->cpus.layout.big_endian = machine->big_endian;
	s->cpus.layout.long_size = machine->long_size;
	if (machine->subbuf_size)
		s->cpus.layout.subbuf_size = machine->subbuf_size;
	s->machine.cpu_count = min_t(u32, machine->cpu_count, IMPORT_MAX_CPUS);
	s->machine.clock = arena_strdup(&s->arena, machine->clock);
	if (machine->clock && !s->machine.clock)
		return HIST_NOMEM;
	return copy_text(s, machine->header_page, &s->machine.header_page) ||
			       copy_text(s, machine->header_event, &s->machine.header_event)
		       ? HIST_NOMEM
		       : 0;
}

/* --- metadata --- */

u32 import_sink_free_id(const struct import_sink *s)
{
	u32 id = UINT16_MAX;

	while (id && (format_list_find_id(&s->formats, id) ||
		      (s->reserved && format_list_find_id(s->reserved, id))))
		id--;
	return id;
}

int import_sink_format(struct import_sink *s, const char *system, struct span text)
{
	return format_list_add(&s->formats, span_of(system), text);
}

int import_sink_format_again(struct import_sink *s, u32 id, struct span text)
{
	struct event_text *f = format_list_find_id(&s->formats, id);

	return !f || (!copy_text(s, text, &f->text) && format_header(f->text, &f->name, &f->id))
		       ? 0
		       : HIST_NOMEM;
}

int import_sink_text(struct import_sink *s, enum trace_dat_option_id id, struct span text)
{
	return copy_text(s, text, id == TRACE_DAT_KALLSYMS ? &s->kallsyms : &s->printk);
}

int import_sink_option(struct import_sink *s, u16 id, struct span data)
{
	struct sink_option o = { id, { arena_strndup(&s->arena, data.s, data.n), data.n } };

	return o.data.s ? array_push(&s->options, o) : HIST_NOMEM;
}

int import_sink_uname(struct import_sink *s, struct span host, struct span release,
		      struct span arch)
{
	const char *text = arena_printf(&s->arena, "Linux %.*s %.*s %.*s", (int)host.n,
					host.n ? host.s : "", (int)release.n,
					release.n ? release.s : "", (int)arch.n,
					arch.n ? arch.s : "");

	if (!release.n)
		return 0;
	return text ? import_sink_option(s, TRACE_DAT_UNAME,
					 (struct span){ text, strlen(text) + 1 })
		    : HIST_NOMEM;
}

int import_sink_cmdlines(struct import_sink *s, struct span text)
{
	int err = 0;

	while (text.s && !err) {
		struct span line = span_sep(&text, "\n"), word = span_sep(&line, " ");
		s64 pid;

		if (line.s && span_s64(word, &pid) && pid >= 0 && pid <= INT32_MAX)
			err = comm_table_set(&s->comms, (s32)pid, 0, line);
	}
	return err;
}

int import_sink_record(struct import_sink *s, u32 cpu, u64 ts, const void *data, u32 len)
{
	const struct ring_buffer_record rec = { .ts = ts, .data = data, .len = len, .type_len = 1 };

	return trace_dat_cpus_record(&s->cpus, cpu, &rec);
}

struct trace_dat_cpus *import_sink_buffer(struct import_sink *s, const char *name)
{
	const struct sink_buffer b = { arena_strdup(&s->arena, name),
				       arena_alloc(&s->arena, sizeof(*b.cpus)) };

	if (!b.name || !b.cpus || array_push(&s->buffers, b))
		return NULL;
	trace_dat_cpus_init(b.cpus, &s->cpus.layout);
	return b.cpus;
}

/* --- the output file --- */

int import_sink_write(struct import_sink *s, const struct import_job *job,
		      const struct import_output *to)
{
	const struct trace_dat_machine machine = {
		.version = 7,
		.codec = job->options->codec,
		.big_endian = s->cpus.layout.big_endian,
		.long_size = s->cpus.layout.long_size,
		.page_size = s->cpus.layout.subbuf_size,
		.cpu_count = max_t(u32, s->machine.cpu_count, (u32)s->cpus.cpus.n),
		.header_page = s->machine.header_page,
		.header_event = s->machine.header_event,
		.clock = s->machine.clock,
	};
	struct trace_dat_writer *w;
	int err = to->path ? trace_dat_writer_open(to->path, &machine, &w, job->diags)
			   : trace_dat_writer_open_fd(to->fd, job->in->name, &machine, &w,
						      job->diags);

	if (err)
		return err;
	for (size_t i = 0; i < s->formats.list.n; i++)
		trace_dat_writer_format(w, s->formats.list.v[i].system, s->formats.list.v[i].text);
	if (s->kallsyms.n)
		trace_dat_writer_section(w, TRACE_DAT_KALLSYMS, s->kallsyms);
	if (s->printk.n)
		trace_dat_writer_section(w, TRACE_DAT_PRINTK, s->printk);
	strbuf_reset(&s->cmdlines);
	comm_table_text(&s->comms, &s->cmdlines);
	if (s->cmdlines.len)
		trace_dat_writer_section(w, TRACE_DAT_CMDLINES, strbuf_span(&s->cmdlines));
	for (size_t i = 0; i < s->options.n; i++)
		trace_dat_writer_option(w, s->options.v[i].id, s->options.v[i].data.s,
					(u32)s->options.v[i].data.n);
	err = s->cmdlines.failed ? HIST_NOMEM
				 : trace_dat_writer_text(w, TRACE_DAT_HIST_CAVEATS, &s->caveats);
	err = err ?: trace_dat_writer_buffer(w, "", s->machine.clock, machine.page_size);
	err = err ?: trace_dat_cpus_write(&s->cpus, w);
	for (size_t i = 0; i < s->buffers.n && !err; i++) {
		err = trace_dat_writer_buffer(w, s->buffers.v[i].name, s->machine.clock,
					      machine.page_size);
		err = err ?: trace_dat_cpus_write(s->buffers.v[i].cpus, w);
	}
	if (!err || trace_dat_writer_failed(w))
		return trace_dat_writer_finish(w, job->diags);
	trace_dat_writer_abort(w);
	return err;
}
