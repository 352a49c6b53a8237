// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Opening a recording: maps the file, checks its first bytes, and reads the index of its version.
 * Only names and tables are copied; texts and sub-buffers stay in the map.
 */
#include <sys/mman.h>

#include "trace_dat/internal.h"

static const u8 magic[10] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g' };

/* Formats of traces that callers import before they come here. */
static const struct {
	const char *start;
	const char *what;
} imported[] = {
	{ "PERFILE2", "is a perf.data file, which has another format" },
	{ "# tracer:", "is the text of a trace file; a trace.dat is needed" },
};

static int not_a_trace(const struct trace_dat *td, struct diags *diags)
{
	const struct span head = { (const char *)td->map, td->info.file_size };
	const char *what = file_kind(head);

	for (size_t i = 0; i < ARRAY_SIZE(imported) && !what; i++)
		if (span_starts(head, imported[i].start))
			what = imported[i].what;
	if (!what && head.n < sizeof(magic) && !memcmp(head.s, magic, head.n))
		return trace_dat_too_short(td, diags, "its header");
	return diags_error(diags, -HIST_ENOTTRACE, "%s: %s", td->info.path,
			   what ? what : FILE_KIND_UNKNOWN);
}

int trace_dat_corrupt(struct trace_dat *td, struct diags *diags, u64 offset, const char *fmt, ...)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	diags_error(diags, -HIST_EFORMAT, "%s: damaged at offset %llu: %s", td->info.path, offset,
		    sb.s);
	__atomic_store_n(&td->damaged, true, __ATOMIC_RELAXED);
	return -HIST_EFORMAT;
}

int trace_dat_too_short(const struct trace_dat *td, struct diags *diags, const char *where)
{
	return diags_error(diags, -HIST_EFORMAT,
			   "%s: truncated after %llu bytes, in %s; no records are left",
			   td->info.path, (unsigned long long)td->info.file_size, where);
}

static int map_file(struct trace_dat *td, int fd, struct diags *diags)
{
	const char *path = td->info.path;
	struct stat st;
	void *map;

	if (fstat(fd, &st))
		return diags_error(diags, -HIST_EIO, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return diags_error(diags, -HIST_ENOTTRACE,
				   "%s: is a directory, not a trace.dat file", path);
	if (!S_ISREG(st.st_mode))
		return diags_error(diags, -HIST_ENOTTRACE, "%s: is not a regular file", path);
	if (!st.st_size)
		return diags_error(diags, -HIST_ENOTTRACE, "%s: is empty, not a trace.dat file",
				   path);
	if ((u64)st.st_size > SIZE_MAX)
		return diags_error(diags, -HIST_EIO, "%s: is too large for a 32-bit program", path);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return diags_error(diags, -HIST_EIO, "%s: cannot map: %s", path, strerror(errno));
	td->map = map;
	td->info.file_size = (u64)st.st_size;
	td->dev = st.st_dev;
	td->ino = st.st_ino;
	td->guard = trace_dat_guard_add(map, (size_t)st.st_size);
	return td->guard ? 0 : HIST_NOMEM;
}

static int read_index(struct trace_dat *td, struct diags *diags)
{
	struct bytes b = trace_dat_at(td, 0);
	const u8 *m = bytes_take(&b, sizeof(magic));
	u8 big, long_size;
	const char *text;
	u64 version;
	int err;

	if (!m || memcmp(m, magic, sizeof(magic)))
		return not_a_trace(td, diags);
	text = bytes_str(&b);
	if (!text)
		return trace_dat_too_short(td, diags, "its header");
	if (!span_u64(span_of(text), &version) || version > INT32_MAX)
		return trace_dat_corrupt(td, diags, sizeof(magic), "no version number");
	td->info.version = (int)version;
	if (version != 6 && version != 7)
		return diags_error(
			diags, -HIST_EUNSUPPORTED,
			"%s: is a trace.dat of version %d; only versions 6 and 7 can be read",
			td->info.path, td->info.version);
	big = bytes_u8(&b);
	long_size = bytes_u8(&b);
	b.big = td->info.big_endian = big == 1;
	td->info.page_size = bytes_u32(&b);
	if (b.bad)
		return trace_dat_too_short(td, diags, "its header");
	if (big > 1)
		return trace_dat_corrupt(td, diags, trace_dat_pos(td, &b) - 6,
					 "byte order %u is neither "
					 "little (0) nor big (1) endian",
					 big);
	td->info.long_size = long_size == 4 ? 4 : 8; /* until header_page is read */
	err = td->info.version == 6 ? trace_dat_index_v6(td, b, diags)
				    : trace_dat_index_v7(td, b, diags);
	return err ? err : trace_dat_buffers_finish(td, diags);
}

int trace_dat_open(const char *path, struct trace_dat **out, struct diags *diags)
{
	return trace_dat_open_as(path, path, out, diags);
}

int trace_dat_open_as(const char *path, const char *name, struct trace_dat **out,
		      struct diags *diags)
{
	struct trace_dat *td = calloc(1, sizeof(*td));
	int fd = -1, err = HIST_NOMEM;

	*out = NULL;
	if (td) {
		td->path = arena_strdup(&td->arena, path);
		td->info.path = arena_strdup(&td->arena, name);
	}
	if (td && td->path && td->info.path) {
		td->info.header_page = "";
		td->info.clock = "local";
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* do not block on a FIFO */
		err = fd < 0 ? diags_error(diags, errno == ENOENT ? -HIST_ENOENT : -HIST_EIO,
					   "%s: cannot open: %s", name, strerror(errno))
			     : map_file(td, fd, diags);
	}
	fd_close(fd);
	err = err ?: read_index(td, diags);
	if (err == HIST_NOMEM)
		diags_error(diags, err, "%s: out of memory", name);
	if (err) {
		trace_dat_close(td);
		return err;
	}
	*out = td;
	return 0;
}

void trace_dat_close(struct trace_dat *td)
{
	if (!td)
		return;
	trace_dat_later_free(td);
	kept_file_close(td->kept);
	trace_dat_guard_drop(td->guard);
	if (td->map)
		munmap((void *)(uintptr_t)td->map, (size_t)td->info.file_size);
	for (size_t i = 0; i < ARRAY_SIZE(td->meta); i++)
		free(td->meta[i].inflated);
	for (size_t i = 0; i < td->buffers.n; i++)
		for (size_t k = 0; k < td->buffers.v[i].n_cpus; k++)
			free((void *)(uintptr_t)td->buffers.v[i].cpus[k].extents);
	array_release(&td->options);
	array_release(&td->buffers);
	array_release(&td->formats);
	array_release(&td->records);
	array_release(&td->described);
	array_release(&td->diagnosed);
	arena_release(&td->arena);
	free(td);
}

bool trace_dat_shrank(const struct trace_dat *td)
{
	struct stat st;

	if (trace_dat_guard_hit(td->guard))
		return true;
	/* the missing part of the last page reads as zeros without a signal */
	return !stat(td->path, &st) && st.st_dev == td->dev && st.st_ino == td->ino &&
	       (u64)st.st_size < td->info.file_size;
}

bool trace_dat_unreadable(const struct trace_dat *td)
{
	return __atomic_load_n(&td->unreadable, __ATOMIC_RELAXED);
}

bool trace_dat_damaged(const struct trace_dat *td)
{
	return trace_dat_unreadable(td) || __atomic_load_n(&td->damaged, __ATOMIC_RELAXED);
}

const struct trace_dat_info *trace_dat_info(const struct trace_dat *td)
{
	return &td->info;
}

const struct trace_dat_buffer *trace_dat_buffers(const struct trace_dat *td, size_t *n)
{
	*n = td->buffers.n;
	return td->buffers.v;
}

const struct trace_dat_option *trace_dat_options(const struct trace_dat *td, size_t *n)
{
	*n = td->options.n;
	return td->options.v;
}

struct span trace_dat_option_text(const struct trace_dat *td, u16 id)
{
	/* the end of a stream has what its beginning did not know */
	for (size_t i = td->options.n; i-- > 0;) {
		const struct trace_dat_option *o = &td->options.v[i];

		if (o->id == id && o->size && memchr(o->data, 0, o->size))
			return span_of((const char *)o->data);
	}
	return (struct span){ NULL, 0 };
}
