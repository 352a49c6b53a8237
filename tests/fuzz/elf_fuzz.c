// SPDX-License-Identifier: LGPL-2.1-only
/* Arbitrary bytes as a plugin: the checks before it is passed to the dynamic linker. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "plugin/elf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[64];
	struct diags diags = DIAGS_INIT;

	if (fd < 0) {
		fd = memfd_create("plugin.so", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	MUST(!elf_check(path, &diags) == !diags_has_error(&diags, 0));
	diags_release(&diags);
	return 0;
}
