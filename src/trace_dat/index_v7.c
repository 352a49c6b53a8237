// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Version 7: sections, which are located through options; the options are a chain of sections
 * themselves. A chain that leads past the end of the file means a cut file; salvage.c then searches
 * for the sections. A chain that leads backwards, or to another kind of section, is damage.
 *
 * Corresponds to: trace-cmd.dat.v7(5), and the actual files of trace-cmd 3.0 to 3.4.
 */
#include "trace_dat/internal.h"

enum { SECTION_COMPRESSED = 1, CPU_ENTRY = 20, NAME_MAX_LEN = 4096 };

bool trace_dat_section_header(const struct trace_dat *td, u64 offset,
			      struct trace_dat_section_header *sh)
{
	struct bytes b = trace_dat_at(td, offset);

	sh->id = bytes_u16(&b);
	sh->compressed = bytes_u16(&b) & SECTION_COMPRESSED;
	bytes_u32(&b); /* offset of its description in STRINGS; informative */
	sh->size = bytes_u64(&b);
	sh->body = offset + SECTION_HEADER_SIZE;
	sh->has = min_t(u64, sh->size, bytes_left(&b));
	return !b.bad;
}

/* The section that an option points to. */
static int read_meta(struct trace_dat *td, u16 id, struct bytes b, struct diags *diags)
{
	struct trace_dat_meta *m = trace_dat_meta(td, id);
	struct trace_dat_section_header sh;
	u64 offset = bytes_u64(&b);

	if (b.bad)
		return 0;
	if (!trace_dat_section_header(td, offset, &sh) || (sh.id == id && sh.has < sh.size)) {
		td->info.cut = true;
		diags_add(diags, DIAG_WARNING, "%s: truncated: the %s should be at offset %llu",
			  td->info.path, trace_dat_meta_name(id), offset);
		return 0;
	}
	if (sh.id != id)
		return trace_dat_corrupt(td, diags, offset, "the %s should be here",
					 trace_dat_meta_name(id));
	if (m->found && m->pos != sh.body)
		return trace_dat_corrupt(td, diags, offset, "the %s are here and at offset %llu",
					 trace_dat_meta_name(id), m->pos - SECTION_HEADER_SIZE);
	free(m->inflated);
	*m = (struct trace_dat_meta){
		.found = true,
		.compressed = sh.compressed,
		.pos = sh.body,
		.size = sh.size,
	};
	return 0;
}

/* The contents of an OPTIONS section; inflated contents are freed when the file is closed. */
static int options_body(struct trace_dat *td, const struct trace_dat_section_header *sh,
			struct bytes *b)
{
	size_t len;
	u8 *out, *copy;
	int err;

	*b = bytes_of(td->map + sh->body, sh->has, td->info.big_endian);
	if (!sh->compressed)
		return 0;
	err = trace_dat_inflate_block(td, sh->body, sh->has, &out, &len);
	if (err)
		return err;
	copy = arena_alloc(&td->arena, len ? len : 1);
	if (copy && len)
		memcpy(copy, out, len);
	free(out);
	*b = bytes_of(copy, len, td->info.big_endian);
	return copy ? 0 : HIST_NOMEM;
}

int trace_dat_options_v7(struct trace_dat *td, const struct trace_dat_section_header *sh, u64 *next,
			 struct diags *diags)
{
	struct bytes b;
	int err = options_body(td, sh, &b);

	*next = 0;
	if (err == -HIST_EFORMAT)
		return trace_dat_corrupt(td, diags, sh->body, "the options cannot be inflated");
	if (err)
		return err;
	for (;;) {
		u16 id = bytes_u16(&b);
		u32 size = bytes_u32(&b);
		const u8 *data = bytes_take(&b, size);

		if (b.bad)
			return trace_dat_corrupt(td, diags, sh->body,
						 "the options run past their section");
		if (id == TRACE_DAT_DONE && size < 8)
			return trace_dat_corrupt(td, diags, sh->body,
						 "the options have a wrong end");
		if (id == TRACE_DAT_DONE) {
			*next = load_u64(data, td->info.big_endian);
			return 0;
		}
		err = id >= META_FIRST && id <= META_LAST
			      ? read_meta(td, id, bytes_of(data, size, td->info.big_endian), diags)
			      : 0;
		if (!err)
			err = trace_dat_option_add(
				td, id, (struct span){ (const char *)data, size }, diags);
		if (err)
			return err;
	}
}

/* Follow the chain of options: 0, 1 if it leads past the end of the file, or < 0. */
static int follow_options(struct trace_dat *td, u64 at, struct diags *diags)
{
	scoped(free_scoped) ARRAY(u64) seen = ARRAY_INIT;
	u64 last = 0;
	int err = 0;

	while (at && !err) {
		struct trace_dat_section_header sh;
		u64 next = 0;

		/* a stream has many, which ascend */
		for (size_t i = 0; i < seen.n && at <= last && !err; i++)
			if (seen.v[i] == at || td->stream)
				err = trace_dat_corrupt(td, diags, at,
							"the chain of options is a loop");
		if (!err && seen.n == (td->stream ? MAX_STREAM_PARTS : (size_t)MAX_OPTION_SECTIONS))
			err = trace_dat_corrupt(td, diags, at, "more than %zu sections of options",
						seen.n);
		last = max_t(u64, last, at);
		if (!err && (!trace_dat_section_header(td, at, &sh) || sh.has < sh.size))
			err = 1;
		if (!err && sh.id != 0)
			err = trace_dat_corrupt(td, diags, at, "options expected, section %u found",
						sh.id);
		err = err ?: array_push(&seen, at);
		err = err ?: trace_dat_options_v7(td, &sh, &next, diags);
		at = next;
	}
	return err;
}

static const char *option_name(struct trace_dat *td, struct bytes *b)
{
	const char *s = bytes_str(b);

	if (s && strlen(s) > NAME_MAX_LEN) {
		b->bad = true;
		return NULL;
	}
	return arena_strdup(&td->arena, s);
}

static int read_cpus(struct trace_dat *td, struct bytes *b, const struct trace_dat_buffer *buf,
		     struct diags *diags)
{
	u32 n = bytes_u32(b);
	struct trace_dat_cpu *cpus;
	int err;

	if (b->bad || n > bytes_left(b) / CPU_ENTRY)
		return diags_error(diags, -HIST_EFORMAT,
				   "%s: damaged: the table of CPUs of buffer \"%s\" "
				   "runs past its option",
				   td->info.path, buf->name);
	cpus = calloc(n ? n : 1, sizeof(*cpus));
	if (!cpus)
		return HIST_NOMEM;
	for (u32 i = 0; i < n; i++) {
		cpus[i].cpu = bytes_u32(b);
		cpus[i].offset = bytes_u64(b);
		cpus[i].size = bytes_u64(b);
	}
	err = trace_dat_buffer_add(td, buf, cpus, n, diags);
	free(cpus);
	return err;
}

static int read_buffer(struct trace_dat *td, const struct trace_dat_option *o, struct diags *diags)
{
	struct bytes b = bytes_of(o->data, o->size, td->info.big_endian);
	struct trace_dat_buffer buf = { .text = o->id == TRACE_DAT_BUFFER_TEXT };
	struct trace_dat_section_header sh;
	u64 offset = bytes_u64(&b);
	u32 size;

	if (td->described.n == (td->stream ? MAX_STREAM_PARTS : (size_t)MAX_BUFFERS))
		return trace_dat_corrupt(td, diags, offset, "more than %zu buffers",
					 td->described.n);
	if (array_push(&td->described, offset))
		return HIST_NOMEM;
	buf.name = option_name(td, &b);
	buf.clock = option_name(td, &b);
	if (b.bad)
		return trace_dat_corrupt(td, diags, offset, "the option of a buffer ends early");
	if (!buf.name || !buf.clock)
		return HIST_NOMEM;
	if (!trace_dat_section_header(td, offset, &sh))
		td->info.cut = true;
	else if (sh.id != o->id)
		return trace_dat_corrupt(td, diags, offset,
					 "the section of buffer \"%s\" is not here", buf.name);
	else
		buf.compressed = sh.compressed;
	if (buf.text)
		return trace_dat_buffer_add(td, &buf, NULL, 0, diags);
	if (buf.compressed && td->info.codec == CODEC_NONE)
		return trace_dat_corrupt(td, diags, offset,
					 "a compressed section in an uncompressed file");
	size = bytes_u32(&b);
	/*
	 * For the top buffer there are two other sources (libtracecmd uses the file header); the
	 * value that two of the three sources agree on is used.
	 */
	buf.subbuf_size = !*buf.name && td->header_subbuf == td->info.page_size && td->header_subbuf
				  ? td->header_subbuf
				  : size;
	if (!trace_dat_subbuf_sane(buf.subbuf_size))
		return trace_dat_corrupt(td, diags, offset,
					 "buffer \"%s\" has sub-buffers of %u bytes", buf.name,
					 buf.subbuf_size);
	return read_cpus(td, &b, &buf, diags);
}

static int read_codec(struct trace_dat *td, struct bytes *b, struct diags *diags)
{
	const char *name = bytes_str(b);
	const char *version = bytes_str(b);

	if (!name || !version)
		return trace_dat_too_short(td, diags, "its header");
	if (!strcmp(name, "none"))
		td->info.codec = CODEC_NONE;
	else if (!strcmp(name, codec_zlib.name))
		td->info.codec = CODEC_ZLIB;
	else if (!strcmp(name, codec_zstd.name))
		td->info.codec = CODEC_ZSTD;
	else
		return diags_error(
			diags, -HIST_EUNSUPPORTED,
			"%s: is compressed with \"%.32s\"; only none, zlib and zstd can be read (trace-cmd convert --compression zstd converts it)",
			td->info.path, name);
	return 0;
}

/*
 * Sections at the end without an option may be cut, too: sections are contiguous, so the last one
 * has to end with the file. Other data there is ignored.
 */
static void check_end(struct trace_dat *td, u64 first, struct diags *diags)
{
	struct trace_dat_section_header sh = { .body = first };
	u64 at = first;
	struct bytes b;
	bool whole;

	while ((whole = trace_dat_section_header(td, at, &sh)) &&
	       trace_dat_section_plausible(td, &sh) && sh.has == sh.size)
		at = sh.body + sh.size;
	td->info.tail = td->info.file_size - min_t(u64, at, td->info.file_size);
	if (td->info.cut || (whole && !trace_dat_section_plausible(td, &sh)))
		return;
	/* fewer bytes than a section header may be the start of one */
	for (b = trace_dat_at(td, at); !whole && bytes_left(&b);)
		whole = bytes_u8(&b) != 0;
	if (!whole)
		return;
	td->info.cut = true;
	diags_add(diags, DIAG_WARNING,
		  "%s: truncated: the section at offset %llu continues past the end of the file",
		  td->info.path, at);
}

int trace_dat_index_v7(struct trace_dat *td, struct bytes b, struct diags *diags)
{
	u64 options, first;
	const size_t n_diags = diags ? diags->list.n : 0;
	bool lost;
	int err = read_codec(td, &b, diags);

	if (err)
		return err;
	options = bytes_u64(&b);
	first = trace_dat_pos(td, &b);
	if (b.bad || !bytes_left(&b))
		return trace_dat_too_short(td, diags, "its header");
	err = options ? follow_options(td, options, diags) : 1;
	lost = err > 0 && !td->stream;
	if (err > 0 && td->stream) {
		err = 0;
		td->info.cut = true;
		diags_add(diags, DIAG_WARNING,
			  "%s: truncated: the stream ended before the recording; what came is used",
			  td->info.path);
	}
	if (lost)
		err = trace_dat_salvage_sections(td, first, diags);
	err = err ?: trace_dat_header_info(td, diags);
	if (err)
		return err;
	trace_dat_option_clock(td);
	for (size_t i = 0; i < td->options.n && !err; i++)
		if (td->options.v[i].id == TRACE_DAT_BUFFER ||
		    td->options.v[i].id == TRACE_DAT_BUFFER_TEXT)
			err = read_buffer(td, &td->options.v[i], diags);
	if (err)
		return err;
	if (lost)
		err = trace_dat_salvage_buffers(td, diags);
	if (lost && !err && diags && diags->list.n == n_diags)
		diags_add(diags, DIAG_WARNING,
			  "%s: damaged: some options are missing or misplaced; the others are used",
			  td->info.path);
	if (lost)
		return err;
	check_end(td, first, diags);
	return 0;
}
