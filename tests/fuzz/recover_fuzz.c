// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The work directory of a killed recording with arbitrary files: two bytes with the size of the
 * manifest, the manifest, the data of two CPUs, of which the second is also that of the journal of
 * tasks. The assembled recording can be read; if assembling
 * fails, there is a diagnosis, or the manifest was incomplete.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/assemble.h"

static char dir[256], work[288], output[288];

static void remove_dir(void)
{
	static const char *const names[] = { "manifest", "cpu0", "cpu1", "tasks" };
	char path[320];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "%s/%s", work, names[i]);
		unlink(path);
	}
	rmdir(work);
	snprintf(path, sizeof(path), "%s.old", output);
	unlink(path);
	unlink(output);
	rmdir(dir);
}

static void make_dir(void)
{
	fuzz_path(dir, sizeof(dir), "recover_fuzz");
	MUST(!mkdir(dir, 0700));
	snprintf(output, sizeof(output), "%s/t.dat", dir);
	snprintf(work, sizeof(work), "%s/t.dat.part.1", dir);
	MUST(!mkdir(work, 0700));
	atexit(remove_dir);
}

static void put(const char *name, const uint8_t *data, size_t size)
{
	char path[320];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", work, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	MUST(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void read_back(void)
{
	const struct trace_dat_buffer *buffers;
	struct diags diags = DIAGS_INIT;
	struct trace_dat_pages *pages;
	struct trace_dat *td;
	const u8 *page;
	size_t n, len;

	MUST(!trace_dat_open(output, &td, &diags));
	buffers = trace_dat_buffers(td, &n);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < buffers[i].n_cpus; k++) {
			MUST(!trace_dat_pages_open(td, i, k, &pages, &diags));
			while (!trace_dat_pages_next(pages, &page, &len))
				MUST(len == buffers[i].subbuf_size);
			trace_dat_pages_close(pages);
		}
	trace_dat_close(td);
	diags_release(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct assemble_options options = { .output = output };
	struct workdir w = WORKDIR_INIT;
	struct diags diags = DIAGS_INIT;
	struct assembled result;
	size_t n;
	int err;

	if (size < 2)
		return 0;
	n = min_t(size_t, data[0] | (size_t)data[1] << 8, size - 2);
	if (!output[0])
		make_dir();
	put("manifest", data + 2, n);
	data += 2 + n;
	size -= 2 + n;
	put("cpu0", data, size / 2);
	put("cpu1", data + size / 2, size - size / 2);
	put("tasks", data + size / 2, size - size / 2);
	if (workdir_open(&w, AT_FDCWD, work))
		return 0;
	err = assemble(&w, &options, &result, &diags);
	MUST(!err || err == -HIST_ENOENT || diags_has_error(&diags, 0));
	if (!err)
		read_back();
	workdir_close(&w);
	diags_release(&diags);
	return 0;
}
