// SPDX-License-Identifier: LGPL-2.1-only
/*
 * check --reader: our reader against libtracecmd's, record by record. The only file that
 * uses libtracecmd. Both give the records of each CPU in order; compared are CPU, length
 * and bytes, and the time where nothing shifts it.
 */
#include <trace-cmd.h>

#include "replay/replay.h"
#include "ring_buffer/ring_buffer.h"

/* libtracecmd takes what is behind the last section for sections of a few bytes each. */
enum { TAIL_MAX = 1 << 20 };

enum { SHOWN_MAX = 10 };

struct compare {
	const struct recording *rec;
	struct printer *p;
	struct diags *diags;
	u64 records, different;
};

static int read_page(void *source, const u8 **page, size_t *len)
{
	return trace_dat_pages_next(source, page, len);
}

static void differ(struct compare *c, u32 cpu, const char *what, u64 ours, u64 theirs)
{
	if (c->different++ < SHOWN_MAX)
		strbuf_addf(&c->p->buf, "CPU %u, record %llu: %s: ours %llu, libtracecmd's %llu\n",
			    cpu, (unsigned long long)c->records, what, (unsigned long long)ours,
			    (unsigned long long)theirs);
}

static void compare_record(struct compare *c, u32 cpu, const struct ring_buffer_record *ours,
			   const struct tep_record *theirs)
{
	if (ours->len != (u32)theirs->size)
		differ(c, cpu, "length", ours->len, (u64)theirs->size);
	else if (memcmp(ours->data, theirs->data, ours->len))
		differ(c, cpu, "first byte that differs", *ours->data, *(const u8 *)theirs->data);
	else if (!c->rec->info->has_date && !c->rec->info->has_tsc2nsec && ours->ts != theirs->ts)
		differ(c, cpu, "time", ours->ts, theirs->ts);
}

static int compare_cpu(struct compare *c, struct tracecmd_input *handle, size_t buffer, size_t i)
{
	const struct trace_dat_buffer *b = &c->rec->buffers[buffer];
	const struct ring_buffer_layout layout = { c->rec->info->big_endian,
						   c->rec->info->long_size, b->subbuf_size };
	struct trace_dat_pages *pages;
	struct ring_buffer_record ours;
	struct ring_buffer_iter it;
	int err = trace_dat_pages_open(c->rec->td, buffer, i, &pages, c->diags), end = 0;

	if (err)
		return err;
	ring_buffer_iter_init(&it, &layout, b->cpus[i].cpu, read_page, pages);
	while (!end) {
		struct tep_record *theirs = tracecmd_read_data(handle, (int)b->cpus[i].cpu);

		end = ring_buffer_iter_next(&it, &ours);
		if (!end && theirs)
			compare_record(c, b->cpus[i].cpu, &ours, theirs);
		else if (!end != !!theirs)
			differ(c, b->cpus[i].cpu, "one more record", !end, theirs != NULL);
		c->records += !end;
		if (!theirs)
			end = end ? end : 1;
		else
			tracecmd_free_record(theirs);
	}
	trace_dat_pages_close(pages);
	return end < 0 ? end : 0;
}

static int compare_buffer(struct compare *c, struct tracecmd_input *handle, size_t buffer)
{
	int err = 0;

	for (size_t i = 0; i < c->rec->buffers[buffer].n_cpus && !err; i++)
		err = compare_cpu(c, handle, buffer, i);
	return err;
}

/* The top buffer is the handle itself; instances have handles of their own. */
static int compare_all(struct compare *c, struct tracecmd_input *handle)
{
	int err = 0;

	for (size_t b = 0; b < c->rec->n_buffers && !err; b++) {
		struct tracecmd_input *instance = NULL;

		if (!c->rec->buffers[b].name[0]) {
			err = compare_buffer(c, handle, b);
			continue;
		}
		for (int i = 0; i < tracecmd_buffer_instances(handle) && !instance; i++)
			if (!strcmp(tracecmd_buffer_instance_name(handle, i),
				    c->rec->buffers[b].name))
				instance = tracecmd_buffer_instance_handle(handle, i);
		if (instance)
			err = compare_buffer(c, instance, b);
		else
			differ(c, 0, "instance is there", 1, 0);
		tracecmd_close(instance);
	}
	return err;
}

int hist_check_reader(const char *path, const char *name, hist_sink_fn sink, void *arg,
		      struct diags *diags)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	const struct hist_options options = { .inputs = &path, .n_inputs = 1, .names = &name };
	struct compare c = { .p = &p, .diags = diags };
	struct tracecmd_input *handle = NULL;
	struct recordings recs;
	int err = recordings_open(&recs, &options, diags), end;

	if (err)
		return err;
	c.rec = &recs.files.v[0];
	/* libtracecmd crashes on files that ours refuses; it is given only what was opened */
	tracecmd_set_loglevel(TEP_LOG_NONE);
	if (c.rec->info->tail <= TAIL_MAX)
		handle = tracecmd_open(path, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!handle)
		err = diags_error(diags, -HIST_EUNSUPPORTED, "%s: libtracecmd cannot open it",
				  name);
	else
		err = compare_all(&c, handle);
	if (!err)
		strbuf_addf(&p.buf, "%s: %llu records, %llu different\n", name,
			    (unsigned long long)c.records, (unsigned long long)c.different);
	tracecmd_close(handle);
	recordings_close(&recs);
	end = printer_end(&p);
	if (!err)
		err = end;
	return err ? err : c.different > 0;
}
