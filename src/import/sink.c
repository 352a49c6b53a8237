// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The sink of all importers: writes a trace.dat from the records of CPUs. Records of different CPUs
 * may come in any order, those of one CPU come in time order.
 *
 * A trace.dat stores the sub-buffers of a CPU contiguously. So they are spooled in pieces of one
 * CPU, whose locations are recorded. Memory: the first pieces up to SPOOL_MEMORY, then one piece
 * per CPU.
 *
 * If the file is large and private to this process, sub-buffers are written directly to their final
 * location: each CPU has a region of the file that has room for all records, at a distance from the
 * others and from the metadata. Holes take no space on the disk.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "import/comms.h"
#include "import/format_list.h"
#include "import/sink.h"
#include "ring_buffer/compose.h"
#include "trace_dat/writer.h"

enum { PIECE = 1 << 18 };

/*
 * Regions are used for inputs of at least DIRECT_FROM bytes. Metadata precedes the regions, which
 * end at REGIONS_END.
 */
#define DIRECT_FROM (1ull << 20)
#define REGIONS_AT  (1ull << 32)
#define REGIONS_END (1ull << 43)

struct piece {
	u8 *mem; /* NULL: in the spool, at @at */
	u64 at;
	u32 size;
};

struct sink_cpu {
	struct import_sink *sink;
	struct ring_buffer_composer composer;
	u8 *pages; /* pages not yet written to the spool or the region */
	u32 used, cap;
	u64 region, written; /* start of the region, bytes written to it */
	ARRAY(struct piece) pieces;
};

struct sink_option {
	u16 id;
	struct span data;
};

struct import_sink {
	struct arena arena;
	struct import_machine machine;
	struct ring_buffer_layout layout;
	ARRAY(struct import_format) formats;
	ARRAY(struct sink_option) options;
	struct strbuf caveats;
	struct span kallsyms, printk;
	struct comm_table comms;
	struct strbuf cmdlines;
	ARRAY(struct sink_cpu *) cpus; /* by number; NULL: no records */
	int spool;
	u64 spooled, in_memory, records;
	int direct; /* the output file, to which regions are written; < 0: spool */
	u64 region; /* size of each region; 0: regions are not used */
	u64 next_region;
	bool overran;
};

struct import_sink *import_sink_new(u32 subbuf)
{
	struct import_sink *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->layout.subbuf_size = subbuf;
	s->cmdlines = s->caveats = (struct strbuf)STRBUF_INIT;
	s->spool = s->direct = -1;
	s->next_region = REGIONS_AT;
	return s;
}

void import_sink_direct(struct import_sink *s, int fd)
{
	s->direct = fd;
}

void import_sink_expect(struct import_sink *s, u64 bytes)
{
	/* a process of 32 bits cannot map the file */
	if (SIZE_MAX > REGIONS_END && s->direct >= 0 && bytes >= DIRECT_FROM &&
	    bytes < REGIONS_END / 2)
		s->region = ALIGN_UP(bytes + DIRECT_FROM, DIRECT_FROM);
}

bool import_sink_overran(const struct import_sink *s)
{
	return s->overran;
}

void import_sink_free(struct import_sink *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->cpus.n; i++) {
		if (!s->cpus.v[i])
			continue;
		for (size_t k = 0; k < s->cpus.v[i]->pieces.n; k++)
			free(s->cpus.v[i]->pieces.v[k].mem);
		array_release(&s->cpus.v[i]->pieces);
		free(s->cpus.v[i]->pages);
		free(s->cpus.v[i]);
	}
	array_release(&s->cpus);
	array_release(&s->formats);
	array_release(&s->options);
	strbuf_release(&s->caveats);
	comm_table_release(&s->comms);
	strbuf_release(&s->cmdlines);
	if (s->spool >= 0)
		close(s->spool);
	arena_release(&s->arena);
	free(s);
}

struct arena *import_sink_arena(struct import_sink *s)
{
	return &s->arena;
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
	s->layout.big_endian = machine->big_endian;
	s->layout.long_size = machine->long_size;
	if (machine->subbuf_size)
		s->layout.subbuf_size = machine->subbuf_size;
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

int import_sink_format(struct import_sink *s, const char *system, struct span text)
{
	struct import_format f = { .text = text };

	if (!format_header(text, &f.name, &f.id))
		return 0;
	for (size_t i = 0; i < s->formats.n; i++)
		if (s->formats.v[i].id == f.id || (span_same(s->formats.v[i].name, f.name) &&
						   !strcmp(s->formats.v[i].system, system)))
			return 0;
	f.system = arena_strdup(&s->arena, system);
	if (copy_text(s, text, &f.text))
		return HIST_NOMEM;
	f.name.s = f.text.s + (f.name.s - text.s);
	return f.system ? array_push(&s->formats, f) : HIST_NOMEM;
}

int import_sink_format_again(struct import_sink *s, u32 id, struct span text)
{
	for (size_t i = 0; i < s->formats.n; i++) {
		struct import_format *f = &s->formats.v[i];

		if (f->id != id)
			continue;
		if (copy_text(s, text, &f->text) || !format_header(f->text, &f->name, &f->id))
			return HIST_NOMEM;
	}
	return 0;
}

const struct import_format *import_sink_formats(const struct import_sink *s, size_t *n)
{
	*n = s->formats.n;
	return s->formats.v;
}

int import_sink_text(struct import_sink *s, enum trace_dat_option_id id, struct span text)
{
	return copy_text(s, text, id == TRACE_DAT_KALLSYMS ? &s->kallsyms : &s->printk);
}

bool import_sink_has_text(const struct import_sink *s, enum trace_dat_option_id id)
{
	return (id == TRACE_DAT_KALLSYMS ? s->kallsyms : s->printk).n > 0;
}

struct span import_sink_kallsyms(const struct import_sink *s)
{
	return s->kallsyms;
}

int import_sink_option(struct import_sink *s, u16 id, struct span data)
{
	struct sink_option o = { id, { arena_strndup(&s->arena, data.s, data.n), data.n } };

	return o.data.s ? array_push(&s->options, o) : HIST_NOMEM;
}

int import_sink_comm(struct import_sink *s, s32 pid, u64 ts, struct span name)
{
	return comm_table_set(&s->comms, pid, ts, name);
}

int import_sink_cmdlines(struct import_sink *s, struct span text)
{
	int err = 0;

	while (text.s && !err) {
		struct span line = span_sep(&text, "\n"), word = span_sep(&line, " ");
		s64 pid;

		if (line.s && span_s64(word, &pid) && pid >= 0 && pid <= INT32_MAX)
			err = import_sink_comm(s, (s32)pid, 0, line);
	}
	return err;
}

struct span import_sink_comm_of(const struct import_sink *s, s32 pid)
{
	return comm_table_get(&s->comms, pid);
}

/* --- data --- */

static int overrun(struct import_sink *s)
{
	s->overran = true;
	return -HIST_ELIMIT;
}

/* Write pages to the region of the CPU. */
static int write_direct(struct sink_cpu *c)
{
	struct import_sink *s = c->sink;

	if (c->used > s->region - c->written || c->region > REGIONS_END - s->region)
		return overrun(s);
	for (u32 done = 0; done < c->used;) {
		ssize_t n = pwrite(s->direct, c->pages + done, c->used - done,
				   (off_t)(c->region + c->written + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EFBIG)
			return overrun(s);
		if (n <= 0)
			return -HIST_EIO;
		done += (u32)n;
	}
	c->written += c->used;
	c->used = 0;
	return 0;
}

/* Store a full piece: in memory while there is room, then in the spool. */
static int spool_pages(struct sink_cpu *c)
{
	struct import_sink *s = c->sink;
	struct piece piece = { NULL, s->spooled, c->used };

	if (!c->used)
		return 0;
	if (s->region)
		return write_direct(c);
	if (s->in_memory + c->cap <= SPOOL_MEMORY) {
		piece.mem = c->pages;
		if (array_push(&c->pieces, piece))
			return HIST_NOMEM;
		s->in_memory += c->cap;
		c->pages = NULL;
		c->used = c->cap = 0;
		return 0;
	}
	if (s->spool < 0)
		s->spool = spool_open(UINT64_MAX);
	if (s->spool < 0 || !fd_write(s->spool, c->pages, c->used))
		return -HIST_EIO;
	s->spooled += c->used;
	c->used = 0;
	return array_push(&c->pieces, piece);
}

/* Size of a piece in bytes: one sub-buffer or more. */
static u32 piece_size(const struct import_sink *s)
{
	return max_t(u32, PIECE, s->layout.subbuf_size);
}

/* Allocate the next sub-buffer for the composer to fill. */
static int next_page(struct sink_cpu *c)
{
	u32 size = c->sink->layout.subbuf_size, cap;
	int err = c->used + size > piece_size(c->sink) ? spool_pages(c) : 0;
	u8 *pages;

	if (err)
		return err;
	if (c->used + size > c->cap) {
		cap = c->pieces.n || c->written ? piece_size(c->sink)
						: max_t(u32, c->cap * 2, size);
		pages = realloc(c->pages, cap);
		if (!pages)
			return HIST_NOMEM;
		c->pages = pages;
		c->cap = cap;
	}
	c->composer.page = c->pages + c->used;
	return 0;
}

/* Take a complete sub-buffer from the composer. */
static int take_page(void *cpu, const u8 *page)
{
	struct sink_cpu *c = cpu;

	(void)page;
	c->used += c->sink->layout.subbuf_size;
	return next_page(c);
}

static int new_cpu(struct import_sink *s, u32 cpu, struct sink_cpu **out)
{
	struct sink_cpu *c = NULL;

	if (cpu >= IMPORT_MAX_CPUS)
		return -HIST_EINVAL;
	while (s->cpus.n <= cpu)
		if (array_push(&s->cpus, NULL))
			return HIST_NOMEM;
	c = calloc(1, sizeof(*c));
	if (!c)
		return HIST_NOMEM;
	c->sink = s;
	c->region = s->next_region;
	s->next_region += s->region;
	ring_buffer_composer_init_into(&c->composer, &s->layout, take_page, c);
	if (next_page(c)) {
		free(c);
		return HIST_NOMEM;
	}
	s->cpus.v[cpu] = *out = c;
	return 0;
}

static inline int cpu_of(struct import_sink *s, u32 cpu, struct sink_cpu **c)
{
	if (likely(cpu < s->cpus.n && s->cpus.v[cpu])) {
		*c = s->cpus.v[cpu];
		return 0;
	}
	return new_cpu(s, cpu, c);
}

int import_sink_record(struct import_sink *s, u32 cpu, u64 ts, const void *data, u32 len)
{
	const struct ring_buffer_record rec = { .ts = ts, .data = data, .len = len, .type_len = 1 };
	struct sink_cpu *c;
	int err = cpu_of(s, cpu, &c);

	s->records++;
	return err ? err : ring_buffer_compose(&c->composer, &rec);
}

int import_sink_lost(struct import_sink *s, u32 cpu, u64 ts, s64 n)
{
	struct sink_cpu *c;
	int err = cpu_of(s, cpu, &c);

	return err ? err : ring_buffer_compose_missed(&c->composer, ts, n);
}

int import_sink_page(struct import_sink *s, u32 cpu, const u8 *page)
{
	struct sink_cpu *c;
	int err = cpu_of(s, cpu, &c);

	if (err)
		return err;
	/* NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): next_page() has set it */
	memcpy(c->composer.page, page, s->layout.subbuf_size);
	return take_page(c, page);
}

u64 import_sink_records(const struct import_sink *s)
{
	return s->records;
}

struct strbuf *import_sink_caveats(struct import_sink *s)
{
	return &s->caveats;
}

/* --- the output file --- */

static int write_meta(struct import_sink *s, struct trace_dat_writer *w)
{
	for (size_t i = 0; i < s->formats.n; i++)
		trace_dat_writer_format(w, s->formats.v[i].system, s->formats.v[i].text);
	if (s->kallsyms.n)
		trace_dat_writer_section(w, TRACE_DAT_KALLSYMS, s->kallsyms);
	if (s->printk.n)
		trace_dat_writer_section(w, TRACE_DAT_PRINTK, s->printk);
	strbuf_reset(&s->cmdlines);
	comm_table_text(&s->comms, &s->cmdlines);
	if (s->cmdlines.failed)
		return HIST_NOMEM;
	if (s->cmdlines.len)
		trace_dat_writer_section(w, TRACE_DAT_CMDLINES,
					 (struct span){ s->cmdlines.s, s->cmdlines.len });
	for (size_t i = 0; i < s->options.n; i++)
		trace_dat_writer_option(w, s->options.v[i].id, s->options.v[i].data.s,
					(u32)s->options.v[i].data.n);
	if (s->caveats.failed)
		return HIST_NOMEM;
	if (s->caveats.len)
		trace_dat_writer_option(w, TRACE_DAT_HIST_CAVEATS, s->caveats.s,
					(u32)s->caveats.len + 1);
	return 0;
}

static int copy_piece(const struct import_sink *s, const struct piece *piece, u8 *buf,
		      struct trace_dat_writer *w)
{
	u32 done = 0;

	if (piece->mem)
		return trace_dat_writer_pages(w, piece->mem, piece->size / s->layout.subbuf_size);
	while (done < piece->size) {
		ssize_t n =
			pread(s->spool, buf + done, piece->size - done, (off_t)(piece->at + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -HIST_EIO;
		done += (u32)n;
	}
	return trace_dat_writer_pages(w, buf, piece->size / s->layout.subbuf_size);
}

static int write_cpu(struct import_sink *s, u32 cpu, u8 *buf, struct trace_dat_writer *w)
{
	struct sink_cpu *c = s->cpus.v[cpu];
	int err;

	if (!c)
		return 0;
	err = ring_buffer_compose_end(&c->composer);
	if (!err && s->region) {
		err = write_direct(c);
		return err ? err : trace_dat_writer_placed(w, cpu, c->region, c->written);
	}
	if (!err)
		err = trace_dat_writer_cpu(w, cpu);
	for (size_t i = 0; i < c->pieces.n && !err; i++)
		err = copy_piece(s, &c->pieces.v[i], buf, w);
	return err || !c->used
		       ? err
		       : trace_dat_writer_pages(w, c->pages, c->used / s->layout.subbuf_size);
}

static int write_cpus(struct import_sink *s, struct trace_dat_writer *w)
{
	u8 *buf = malloc(piece_size(s));
	int err = buf ? trace_dat_writer_buffer(w, "", s->machine.clock, s->layout.subbuf_size)
		      : HIST_NOMEM;

	if (!err && s->region && trace_dat_writer_size(w) > REGIONS_AT / 2)
		err = overrun(s);
	for (u32 cpu = 0; cpu < s->cpus.n && !err; cpu++)
		err = write_cpu(s, cpu, buf, w);
	free(buf);
	return err;
}

int import_sink_write(struct import_sink *s, const struct import_job *job,
		      const struct import_output *to)
{
	const struct trace_dat_machine machine = {
		.version = 7,
		.codec = job->options->codec,
		.big_endian = s->layout.big_endian,
		.long_size = s->layout.long_size,
		.page_size = s->layout.subbuf_size,
		.cpu_count = max_t(u32, s->machine.cpu_count, (u32)s->cpus.n),
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
	err = write_meta(s, w);
	if (!err)
		err = write_cpus(s, w);
	if (!err || trace_dat_writer_failed(w))
		return trace_dat_writer_finish(w, job->diags);
	trace_dat_writer_abort(w);
	return err;
}
