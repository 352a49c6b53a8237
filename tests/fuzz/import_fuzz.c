// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as a file to import. The result of an importer must be a trace.dat that can be
 * read to its end, all buffers of it.
 */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "import/import.h"
#include "ring_buffer/ring_buffer.h"

static int read_page(void *pages, const u8 **page, size_t *len)
{
	return trace_dat_pages_next(pages, page, len);
}

static void read_cpu(struct trace_dat *td, size_t buffer_i, size_t cpu, struct diags *diags)
{
	size_t n;
	const struct trace_dat_buffer *buffer = &trace_dat_buffers(td, &n)[buffer_i];
	const struct trace_dat_info *info = trace_dat_info(td);
	struct ring_buffer_layout layout = { info->big_endian, info->long_size,
					     buffer->subbuf_size };
	struct trace_dat_pages *pages;
	struct ring_buffer_iter it;
	struct ring_buffer_record rec;

	MUST(!trace_dat_pages_open(td, buffer_i, cpu, &pages, diags));
	ring_buffer_iter_init(&it, &layout, buffer->cpus[cpu].cpu, read_page, pages);
	while (!ring_buffer_iter_next(&it, &rec))
		;
	trace_dat_pages_close(pages);
}

static void read_back(const char *path)
{
	const struct trace_dat_buffer *buffers;
	const struct trace_dat_format *formats;
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td;
	size_t n;

	MUST(!trace_dat_open(path, &td, &diags));
	trace_dat_formats(td, &formats, &n, &diags);
	buffers = trace_dat_buffers(td, &n);
	MUST(n >= 1);
	for (size_t b = 0; b < n; b++)
		for (size_t i = 0; i < buffers[b].n_cpus; i++)
			read_cpu(td, b, i, &diags);
	trace_dat_close(td);
	diags_release(&diags);
}

static int empty_file(int *fd, char *path, size_t size)
{
	if (*fd < 0) {
		*fd = memfd_create("import", MFD_CLOEXEC);
		snprintf(path, size, "/proc/self/fd/%d", *fd);
	}
	return ftruncate(*fd, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct import_options options = { .codec = CODEC_NONE, .range = 512 };
	static int in = -1, out = -1;
	static char in_path[64], out_path[64];
	const struct import_input input = { in_path, "input" };
	struct import_output to = { NULL, -1 };
	struct import_result result;
	struct diags diags = DIAGS_INIT;

	if (empty_file(&in, in_path, sizeof(in_path)) ||
	    empty_file(&out, out_path, sizeof(out_path)) ||
	    pwrite(in, data, size, 0) != (ssize_t)size)
		return 0;
	to.fd = out;
	if (!import_file(&input, &options, &to, &result, &diags))
		read_back(out_path);
	else
		MUST(diags_has_error(&diags, 0));
	diags_release(&diags);
	return 0;
}
