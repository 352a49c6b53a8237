// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Salvages version 7 files without options. The options of a file, and the table with the extents
 * of each CPU, follow the records, so they are missing if the recorder was killed or the disk was
 * full. The sections are still contiguous and metadata comes first, so they can be located in
 * order.
 *
 * In a section of records, CPUs follow one another. If compressed, each CPU starts with its number
 * of chunks, so the limits are exact. If uncompressed, there are two signs of the start of a CPU:
 * time stamps decrease, because all CPUs recorded the same period; or the previous sub-buffer is
 * far from full, because recorders fetch only full ones before the last of each CPU. The original
 * CPU numbers are lost; CPUs are numbered consecutively.
 */
#include "trace_dat/internal.h"

enum { LAST_KNOWN_SECTION = 25, MIN_OPTIONS = 14 };

/* Other bytes after the end of a section are unlikely to pass these checks. */
bool trace_dat_section_plausible(const struct trace_dat *td,
				 const struct trace_dat_section_header *sh)
{
	const u8 *flags = td->map + sh->body - SECTION_HEADER_SIZE + 2;

	if (sh->id > LAST_KNOWN_SECTION || load_u16(flags, td->info.big_endian) > 1)
		return false;
	return sh->id != TRACE_DAT_DONE || sh->size >= MIN_OPTIONS;
}

static int take_section(struct trace_dat *td, const struct trace_dat_section_header *sh,
			struct diags *diags)
{
	u64 next;

	if (sh->id == TRACE_DAT_BUFFER)
		return td->records.n == MAX_BUFFERS ? 0 : array_push(&td->records, *sh);
	if (sh->has < sh->size)
		return 0;
	if (sh->id == TRACE_DAT_DONE)
		return trace_dat_options_v7(td, sh, &next, diags);
	if (sh->id >= META_FIRST && sh->id <= META_LAST)
		*trace_dat_meta(td, sh->id) = (struct trace_dat_meta){
			.found = true,
			.compressed = sh->compressed,
			.pos = sh->body,
			.size = sh->size,
		};
	return 0;
}

int trace_dat_salvage_sections(struct trace_dat *td, u64 first, struct diags *diags)
{
	struct trace_dat_section_header sh;
	int err = 0;

	td->info.cut = true;
	td->options.n = 0;
	memset(td->meta, 0, sizeof(td->meta));
	for (u64 at = first; !err && trace_dat_section_header(td, at, &sh); at = sh.body + sh.has) {
		if (!trace_dat_section_plausible(td, &sh)) {
			/* the size of records is written last */
			if (td->records.n && !td->records.v[td->records.n - 1].size)
				td->records.v[td->records.n - 1].has = td->info.file_size - at;
			break;
		}
		err = take_section(td, &sh, diags);
	}
	return err;
}

typedef ARRAY(struct trace_dat_cpu) cpu_array;

/* Whether a sub-buffer has so much free space that it must be the last one of a CPU. */
static bool far_from_full(const struct trace_dat *td, u64 at, u32 subbuf)
{
	u32 header = 8 + td->info.long_size;
	const u8 *low = td->map + at + (td->info.big_endian ? header - 4 : 8);

	return (load_u32(low, td->info.big_endian) & 0x3fffffff) < (subbuf - header) / 4 * 3;
}

static int split_plain(const struct trace_dat *td, const struct trace_dat_section_header *sh,
		       u32 subbuf, cpu_array *cpus)
{
	u64 at = (sh->body + subbuf - 1) / subbuf * subbuf;
	u64 end = sh->body + sh->has;
	u64 last = 0;
	bool new_cpu = true;

	for (; at < end && end - at > 8 + td->info.long_size; at += subbuf) {
		u64 ts = load_u64(td->map + at, td->info.big_endian);
		struct trace_dat_cpu c = { .cpu = (u32)cpus->n, .offset = at };

		if ((new_cpu || ts < last) && array_push(cpus, c))
			return HIST_NOMEM;
		cpus->v[cpus->n - 1].size += min_t(u64, subbuf, end - at);
		new_cpu = far_from_full(td, at, subbuf);
		last = ts;
	}
	return 0;
}

static u64 skip_zeros(const struct trace_dat *td, u64 at, u64 end)
{
	u64 align = td->info.page_size;
	u64 next = trace_dat_subbuf_sane(align) ? (at + align - 1) / align * align : at;

	for (u64 i = at; i < next && i < end; i++)
		if (td->map[i])
			return at;
	return next;
}

static int split_chunks(const struct trace_dat *td, const struct trace_dat_section_header *sh,
			cpu_array *cpus)
{
	u64 end = sh->body + sh->has;
	u64 at = skip_zeros(td, sh->body, end);
	bool whole = true;

	while (whole && at < end) {
		struct bytes b = bytes_of(td->map + at, end - at, td->info.big_endian);
		struct trace_dat_cpu c = { .cpu = (u32)cpus->n, .offset = at, .size = end - at };

		for (u32 n = bytes_u32(&b); n && !b.bad; n--) {
			u32 csize = bytes_u32(&b);

			if (!csize || !bytes_u32(&b))
				b.bad = true;
			bytes_take(&b, csize);
		}
		whole = !b.bad;
		if (whole)
			c.size = trace_dat_pos(td, &b) - at;
		if (c.size > 4 && array_push(cpus, c))
			return HIST_NOMEM;
		at = skip_zeros(td, c.offset + c.size, end);
	}
	return 0;
}

static bool described(const struct trace_dat *td, const struct trace_dat_section_header *sh)
{
	return any_of(i, td->described.n, td->described.v[i] == sh->body - SECTION_HEADER_SIZE);
}

static int salvage_buffer(struct trace_dat *td, const struct trace_dat_section_header *sh,
			  struct diags *diags)
{
	struct trace_dat_buffer buf = { .compressed = sh->compressed };
	scoped(free_scoped) cpu_array cpus = ARRAY_INIT;
	int err;

	buf.subbuf_size = td->header_subbuf ? td->header_subbuf : td->info.page_size;
	if (!trace_dat_subbuf_sane(buf.subbuf_size))
		return 0;
	buf.name = any_of(i, td->buffers.n, !*td->buffers.v[i].name)
			   ? arena_printf(&td->arena, "instance-%zu", td->buffers.n)
			   : "";
	if (!buf.name)
		return HIST_NOMEM;
	if (!sh->compressed)
		err = split_plain(td, sh, buf.subbuf_size, &cpus);
	else if (td->info.codec != CODEC_NONE)
		err = split_chunks(td, sh, &cpus);
	else
		err = 0;
	if (!err)
		diags_add(
			diags, DIAG_WARNING,
			"%s: truncated: its options are lost; records of %zu CPU%s were found%s%s and numbered in file order",
			td->info.path, cpus.n, plural(cpus.n), *buf.name ? " for " : "", buf.name);
	return err ?: trace_dat_buffer_add(td, &buf, cpus.v, cpus.n, diags);
}

int trace_dat_salvage_buffers(struct trace_dat *td, struct diags *diags)
{
	size_t records = 0;
	int err = 0;

	for (size_t i = 0; i < td->records.n && !err; i++)
		if (td->records.v[i].has && !described(td, &td->records.v[i]))
			err = salvage_buffer(td, &td->records.v[i], diags);
	for (size_t i = 0; i < td->buffers.n; i++)
		records += td->buffers.v[i].n_cpus;
	return err || records ? err : trace_dat_too_short(td, diags, "the metadata");
}
