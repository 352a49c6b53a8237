// SPDX-License-Identifier: LGPL-2.1-only
/* Memory, as the kernel counts it: includes all that is allocated, by whichever library. */
#include <fcntl.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/span.h"

u64 memory_in_use(void)
{
	char text[128];
	u64 pages[2] = { 0 }; /* resident, and of these shared */
	struct span rest;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	rest = (struct span){ text, (size_t)n };
	span_sep(&rest, " ");
	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		if (!span_digits(span_sep(&rest, " "), 10, &pages[i]))
			return 0;
	return (pages[0] - min_t(u64, pages[0], pages[1])) * (u64)sysconf(_SC_PAGESIZE);
}

u64 memory_of_machine(void)
{
	return (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE);
}
