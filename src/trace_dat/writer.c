// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The writer's interface: checks the order of calls and of CPUs, stores the metadata and passes the
 * rest to the writer of the version. The first error ends the writing; finish reports it.
 */
#include "ring_buffer/ring_buffer.h"
#include "trace_dat/writer_internal.h"

/* Store the first error and its text; returns it. */
static int writer_fail(struct trace_dat_writer *w, int err, const char *why)
{
	if (!w->err && err) {
		w->err = err;
		w->why = why;
	}
	return err;
}

void trace_dat_put_u16(struct strbuf *sb, const struct trace_dat_writer *w, u16 v)
{
	store_u16(&v, v, w->machine.big_endian);
	strbuf_add(sb, &v, sizeof(v));
}

void trace_dat_put_u32(struct strbuf *sb, const struct trace_dat_writer *w, u32 v)
{
	store_u32(&v, v, w->machine.big_endian);
	strbuf_add(sb, &v, sizeof(v));
}

void trace_dat_put_u64(struct strbuf *sb, const struct trace_dat_writer *w, u64 v)
{
	store_u64(&v, v, w->machine.big_endian);
	strbuf_add(sb, &v, sizeof(v));
}

static const char *machine_fault(const struct trace_dat_machine *m)
{
	if (m->version != 6 && m->version != 7)
		return "only versions 6 and 7 can be written";
	if (m->version == 6 && m->codec != CODEC_NONE)
		return "version 6 cannot be compressed";
	if (m->long_size != 4 && m->long_size != 8)
		return "the kernel's long must have 4 or 8 bytes";
	if (m->page_size < 64 || m->page_size & 7)
		return "sub-buffers need at least 64 bytes and a multiple of 8";
	return NULL;
}

struct trace_dat_machine trace_dat_machine_of(const struct trace_dat *td)
{
	const struct trace_dat_info *info = trace_dat_info(td);
	size_t n;

	return (struct trace_dat_machine){
		.version = info->version,
		.codec = info->codec,
		.big_endian = info->big_endian,
		.long_size = info->long_size,
		.page_size = trace_dat_buffers(td, &n)->subbuf_size,
		.cpu_count = info->cpu_count,
		.header_page = span_of(info->header_page),
		.clock = info->clock,
		.clocks = info->has_tsc2nsec ? (struct span){ NULL, 0 }
					     : trace_dat_option_text(td, TRACE_DAT_TRACECLOCK),
	};
}

/* Write to @fd, or if that is -1 to @dest. */
static int writer_open(const struct out_dest *dest, int fd, const struct trace_dat_machine *machine,
		       struct trace_dat_writer **out, struct diags *diags)
{
	const char *fault = machine_fault(machine);
	struct trace_dat_writer *w;
	int err = 0;

	*out = NULL;
	if (fault)
		return diags_error(diags, -HIST_EINVAL, "%s: cannot write: %s", dest->path, fault);
	w = calloc(1, sizeof(*w));
	if (!w)
		return diags_error(diags, HIST_NOMEM, "%s: out of memory", dest->path);
	w->machine = *machine;
	w->out = w->spool = (struct trace_dat_out)TRACE_DAT_OUT_INIT;
	w->strings = w->noted = (struct strbuf)STRBUF_INIT;
	w->ops = machine->version == 6 ? &trace_dat_writer_v6 : &trace_dat_writer_v7;
	w->machine.clock = arena_strdup(&w->arena, machine->clock ? machine->clock : "local");
	w->codec = codec_ops_of(machine->codec);
	if (w->codec)
		w->encoder = w->codec->encoder_new();
	if (!w->machine.clock || (w->codec && !w->encoder) ||
	    (fd >= 0 && trace_dat_out_borrow(&w->out, fd, dest->path)))
		err = diags_error(diags, HIST_NOMEM, "%s: out of memory", dest->path);
	else if (fd < 0)
		err = trace_dat_out_open(&w->out, dest, diags);
	if (!err && fd < 0 && machine->version == 6)
		err = trace_dat_out_open(&w->spool, dest, diags);
	if (err) {
		trace_dat_writer_abort(w);
		return err;
	}
	*out = w;
	return 0;
}

int trace_dat_writer_open(const char *path, const struct trace_dat_machine *machine,
			  struct trace_dat_writer **w, struct diags *diags)
{
	struct out_dest dest;
	int err = out_dest_open(&dest, path, true, diags);

	*w = NULL;
	if (!err && dest.kind != OUT_FILE)
		err = diags_error(diags, -HIST_EINVAL, "%s: cannot write: not a regular file",
				  path);
	err = err ?: writer_open(&dest, -1, machine, w, diags);
	out_dest_close(&dest);
	return err;
}

int trace_dat_writer_open_at(const struct out_dest *dest, const struct trace_dat_machine *machine,
			     struct trace_dat_writer **w, struct diags *diags)
{
	return writer_open(dest, -1, machine, w, diags);
}

int trace_dat_writer_open_fd(int fd, const char *name, const struct trace_dat_machine *machine,
			     struct trace_dat_writer **w, struct diags *diags)
{
	const struct out_dest dest = { .dir = -1, .path = name };

	if (machine->version != 7)
		return diags_error(diags, -HIST_EINVAL,
				   "%s: only version 7 can be written to a descriptor", name);
	return writer_open(&dest, fd, machine, w, diags);
}

int trace_dat_writer_format(struct trace_dat_writer *w, const char *system, struct span text)
{
	struct writer_format f = { .text = text };

	if (w->err)
		return w->err;
	if (w->begun)
		return writer_fail(w, -HIST_EINVAL, "formats must come before buffers");
	f.system = arena_strdup(&w->arena, system);
	return !f.system || array_push(&w->formats, f) ? writer_fail(w, HIST_NOMEM, NULL) : 0;
}

int trace_dat_writer_section(struct trace_dat_writer *w, enum trace_dat_option_id id,
			     struct span text)
{
	if (w->err)
		return w->err;
	if (w->begun || id < TRACE_DAT_KALLSYMS || id > TRACE_DAT_CMDLINES || text.n >= UINT32_MAX)
		return writer_fail(w, -HIST_EINVAL, "this text cannot be stored here");
	w->sections[id - TRACE_DAT_KALLSYMS] = text;
	return 0;
}

int trace_dat_writer_option(struct trace_dat_writer *w, u16 id, const void *data, u32 size)
{
	struct writer_option o = { .id = id, .data = { .n = size } };

	/* the writer generates these from other data */
	if (w->err || id == TRACE_DAT_DONE || id == TRACE_DAT_BUFFER ||
	    id == TRACE_DAT_TRACECLOCK || id == TRACE_DAT_CPUCOUNT || id == TRACE_DAT_HIST_ASCEND ||
	    id == TRACE_DAT_HIST_CHUNKS || (id >= TRACE_DAT_STRINGS && id <= TRACE_DAT_MODULES))
		return w->err;
	o.data.s = arena_strndup(&w->arena, data, size);
	return !o.data.s || array_push(&w->options, o) ? writer_fail(w, HIST_NOMEM, NULL) : 0;
}

int trace_dat_writer_text(struct trace_dat_writer *w, u16 id, const struct strbuf *text)
{
	if (text->failed)
		return writer_fail(w, HIST_NOMEM, NULL);
	return text->len ? trace_dat_writer_option(w, id, text->s, (u32)text->len + 1) : 0;
}

static int end_cpu(struct trace_dat_writer *w)
{
	struct writer_buffer *b = writer_buffer(w);
	int err = 0;

	if (w->in_cpu)
		err = w->ops->cpu_end(w, &b->cpus.v[b->cpus.n - 1]);
	w->in_cpu = false;
	return err;
}

static int end_buffer(struct trace_dat_writer *w)
{
	struct writer_buffer *b = writer_buffer(w);
	int err = end_cpu(w);

	return err || !b || !w->ops->buffer_end ? err : w->ops->buffer_end(w, b);
}

int trace_dat_writer_buffer(struct trace_dat_writer *w, const char *name, const char *clock,
			    u32 subbuf_size)
{
	struct writer_buffer b = { .subbuf_size = subbuf_size };
	int err = w->err;

	if (!err && !w->begun) {
		w->begun = true;
		err = w->ops->begin(w);
	}
	err = err ?: end_buffer(w);
	if (err)
		return writer_fail(w, err, NULL);
	if (!*name != !w->buffers.n)
		return writer_fail(w, -HIST_EINVAL,
				   "the top buffer must come first, and only once");
	if (subbuf_size < 64 || subbuf_size & 7 || (!*name && subbuf_size != w->machine.page_size))
		return writer_fail(w, -HIST_EINVAL, "an invalid sub-buffer size");
	if (w->machine.version == 6 && subbuf_size != w->machine.page_size)
		return writer_fail(w, -HIST_EUNSUPPORTED,
				   "version 6 has one sub-buffer size for all "
				   "buffers; write version 7");
	b.name = arena_strdup(&w->arena, name);
	b.clock = arena_strdup(&w->arena, clock ? clock : w->machine.clock);
	if (!b.name || !b.clock || array_push(&w->buffers, b))
		return writer_fail(w, HIST_NOMEM, NULL);
	err = w->ops->buffer ? w->ops->buffer(w, writer_buffer(w)) : 0;
	return writer_fail(w, err, NULL);
}

int trace_dat_writer_cpu(struct trace_dat_writer *w, u32 cpu)
{
	struct writer_buffer *b = writer_buffer(w);
	struct writer_cpu c = { .cpu = cpu };
	int err = w->err ? w->err : end_cpu(w);

	if (err)
		return writer_fail(w, err, NULL);
	if (!b || cpu >= 65536 || (b->cpus.n && b->cpus.v[b->cpus.n - 1].cpu >= cpu))
		return writer_fail(w, -HIST_EINVAL, "CPUs must be in a buffer and ascend");
	if (array_push(&b->cpus, c))
		return writer_fail(w, HIST_NOMEM, NULL);
	w->in_cpu = true;
	return writer_fail(w, w->ops->cpu(w, &b->cpus.v[b->cpus.n - 1]), NULL);
}

int trace_dat_writer_placed(struct trace_dat_writer *w, u32 cpu, u64 offset, u64 size)
{
	int err = trace_dat_writer_cpu(w, cpu);
	struct writer_buffer *b = writer_buffer(w);

	if (err)
		return err;
	if (w->codec || !w->out.borrowed)
		return writer_fail(
			w, -HIST_EINVAL,
			"sub-buffers can be placed only in an uncompressed file that the caller opened");
	b->cpus.v[b->cpus.n - 1].offset = offset;
	b->cpus.v[b->cpus.n - 1].size = size;
	b->cpus.v[b->cpus.n - 1].unsorted = true;
	w->in_cpu = false;
	return 0;
}

/* Readers of a span of time need not read everything if the times of a CPU ascend. */
static void check_times(struct trace_dat_writer *w, const u8 *pages, size_t n)
{
	const struct writer_buffer *b = writer_buffer(w);
	const struct ring_buffer_layout layout = { w->machine.big_endian, w->machine.long_size,
						   b->subbuf_size };
	struct writer_cpu *c = &b->cpus.v[b->cpus.n - 1];

	for (size_t i = 0; i < n && !c->unsorted; i++) {
		struct ring_buffer_page page;
		struct ring_buffer_times t;

		c->unsorted = ring_buffer_page_open(&page, &layout, pages + i * b->subbuf_size,
						    b->subbuf_size) ||
			      page.page_ts < max_t(u64, c->last, 1);
		t = ring_buffer_page_times(&page);
		c->unsorted |= !t.ascend;
		c->last = max_t(u64, page.page_ts, t.last);
	}
}

int trace_dat_writer_pages(struct trace_dat_writer *w, const void *pages, size_t n)
{
	if (w->err)
		return w->err;
	if (!w->in_cpu)
		return writer_fail(w, -HIST_EINVAL, "sub-buffers must belong to a CPU");
	check_times(w, pages, n);
	return writer_fail(w, w->ops->pages(w, pages, n), NULL);
}

u64 trace_dat_writer_size(const struct trace_dat_writer *w)
{
	return w->out.pos + (w->spool.file.fd < 0 ? 0 : w->spool.pos);
}

bool trace_dat_writer_failed(const struct trace_dat_writer *w)
{
	return w->err != 0;
}

int trace_dat_writer_finish(struct trace_dat_writer *w, struct diags *diags)
{
	int err, error;

	/* a file without records also has a top buffer */
	if (!w->buffers.n)
		trace_dat_writer_buffer(w, "", w->machine.clock, w->machine.page_size);
	err = w->err ? w->err : end_buffer(w);
	err = err ?: w->ops->finish(w);
	error = w->out.error ? w->out.error : w->spool.error;
	if (!err && error)
		err = -HIST_EIO;
	if (err)
		diags_error(diags, err, "%s: cannot write: %s", w->out.file.dest.path,
			    error    ? strerror(error)
			    : w->why ? w->why
				     : hist_strerror(err));
	else
		err = trace_dat_out_commit(&w->out, diags);
	trace_dat_writer_abort(w);
	return err;
}

void trace_dat_writer_abort(struct trace_dat_writer *w)
{
	if (!w)
		return;
	trace_dat_out_abort(&w->out);
	trace_dat_out_abort(&w->spool);
	for (size_t i = 0; i < w->buffers.n; i++)
		array_release(&w->buffers.v[i].cpus);
	array_release(&w->buffers);
	array_release(&w->formats);
	array_release(&w->options);
	strbuf_release(&w->strings);
	strbuf_release(&w->noted);
	if (w->encoder)
		w->codec->encoder_free(w->encoder);
	free(w->chunk);
	free(w->packed);
	arena_release(&w->arena);
	free(w);
}
