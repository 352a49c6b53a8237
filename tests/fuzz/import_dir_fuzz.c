// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as the files of a tracing directory. Each part is preceded by a byte that selects
 * the file, and two bytes with its size.
 */
#include "fuzz.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/import.h"

static const char *const files[] = { "events/header_page",
				     "events/sys/one/format",
				     "events/sys/two/format",
				     "per_cpu/cpu0/trace_pipe_raw",
				     "per_cpu/cpu1/trace_pipe_raw",
				     "per_cpu/cpu1/snapshot_raw",
				     "per_cpu/cpu0/stats",
				     "saved_cmdlines",
				     "printk_formats",
				     "trace_clock",
				     "kallsyms",
				     "uname" };

static void make_dir(const char *dir)
{
	static const char *const dirs[] = { "events",         "events/sys", "events/sys/one",
					    "events/sys/two", "per_cpu",    "per_cpu/cpu0",
					    "per_cpu/cpu1" };
	char path[320];

	MUST(!mkdir(dir, 0700));
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, dirs[i]);
		MUST(!mkdir(path, 0700));
	}
}

static void put_files(const char *dir, const uint8_t *data, size_t size)
{
	char path[320];

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
	while (size > 3) {
		size_t n = min_t(size_t, data[1] | (size_t)data[2] << 8, size - 3);
		int fd;

		snprintf(path, sizeof(path), "%s/%s", dir, files[data[0] % ARRAY_SIZE(files)]);
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		MUST(fd >= 0 && write(fd, data + 3, n) == (ssize_t)n);
		close(fd);
		data += 3 + n;
		size -= 3 + n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct import_options options = { .codec = CODEC_NONE };
	static char dir[256];
	static int out = -1;
	const struct import_input input = { dir, "input" };
	struct import_output to = { NULL, -1 };
	struct diags diags = DIAGS_INIT;
	struct import_result result;

	if (out < 0) {
		fuzz_path(dir, sizeof(dir), "import_dir_fuzz");
		make_dir(dir);
		out = memfd_create("import", MFD_CLOEXEC);
	}
	put_files(dir, data, size);
	if (ftruncate(out, 0))
		return 0;
	to.fd = out;
	if (import_file(&input, &options, &to, &result, &diags))
		MUST(diags_has_error(&diags, 0));
	diags_release(&diags);
	return 0;
}
