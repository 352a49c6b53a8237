// SPDX-License-Identifier: LGPL-2.1-only
/* Which events the first records of a recording are of; see begin.h. */
#include "replay/begin.h"

/*
 * Whether the first sub-buffer of the CPU has a record with this id; if it has any, *@any is set.
 * Return: 1, 0, -HIST_ENOMEM
 */
static int begins_with(const struct recording_cpu *of, u32 id, bool *any)
{
	const struct trace_dat_info *info = of->rec->info;
	const struct ring_buffer_layout layout = { info->big_endian, info->long_size,
						   of->rec->buffers[of->buffer].subbuf_size };
	struct diags ignored = DIAGS_INIT;
	struct trace_dat_pages *pages;
	struct ring_buffer_record rec;
	struct ring_buffer_page pg;
	const u8 *page;
	size_t len;
	int err = trace_dat_pages_open(of->rec->td, of->buffer, of->cpu, &pages, &ignored);

	diags_release(&ignored);
	if (err)
		return err == -HIST_ENOMEM ? err : 0;
	err = trace_dat_pages_next(pages, &page, &len);
	if (!err && !ring_buffer_page_open(&pg, &layout, (const char *)page, len))
		while (!err && !ring_buffer_page_next(&pg, &rec)) {
			*any = true;
			err = rec.len >= 2 && load_u16(rec.data, layout.big_endian) == id;
		}
	else
		err = err == -HIST_ENOMEM ? err : 0;
	trace_dat_pages_close(pages);
	return err;
}

int recordings_begin_with(struct recordings *r, const char *buffer,
			  const struct event_format *format)
{
	int found = 0;

	array_each_while(struct recording, rec, &r->files, !found) {
		const u32 id = recording_event_id(rec, format);
		bool any = false;
		size_t b;

		if (!id || trace_dat_is_later(rec->td) || !recording_find_buffer(rec, buffer, &b))
			continue;
		for (size_t cpu = 0; cpu < rec->buffers[b].n_cpus && !any && !found; cpu++)
			found = begins_with(&(struct recording_cpu){ rec, b, cpu }, id, &any);
	}
	return found;
}
