// SPDX-License-Identifier: LGPL-2.1-only
/* Arbitrary bytes as a recording: listed, dumped with the text of its events, audited. */
#include "fuzz.h"
#include "recording_mutator.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hist-dump.h"
#include "hist-list.h"

enum { MAX_OUTPUT = 1 << 20 };

/* Limit the output: a small valid file may contain many sub-buffers. */
static int swallow(void *arg, const void *data, size_t len)
{
	size_t *sum = arg;

	MUST(len && !memchr(data, 0, len));
	*sum += len;
	return *sum > MAX_OUTPUT;
}

static void dump(struct hist *h, struct hist_dump_options options, struct diags *diags)
{
	size_t sum = 0;
	int err = hist_dump(h, &options, swallow, &sum, diags);

	MUST(err == 0 || err == 1 || hist_diags_count(diags));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char name[64];
	const char *path = name;
	struct diags *diags = hist_diags_new();
	struct hist *h;

	if (fd < 0) {
		fd = memfd_create("trace.dat", MFD_CLOEXEC);
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	}
	if (!diags || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	if (!hist_open(&(struct hist_options){ .inputs = &path, .n_inputs = 1 }, &h, diags)) {
		size_t sum = 0;

		hist_list(h, HIST_LIST_EVENTS, swallow, &sum, diags);
		dump(h, (struct hist_dump_options){ .text = true }, diags);
		dump(h, (struct hist_dump_options){ .audit = true, .format = "json" }, diags);
		hist_close(h);
	}
	hist_diags_free(diags);
	return 0;
}
