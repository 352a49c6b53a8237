// SPDX-License-Identifier: LGPL-2.1-only
/* Memory, as the kernel counts it: includes all that is allocated, by whichever library. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"

u64 memory_in_use(void)
{
	char text[128];
	unsigned long long resident = 0, shared = 0;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (sscanf(text, "%*u %llu %llu", &resident, &shared) != 2 || shared > resident)
		return 0;
	return (resident - shared) * (u64)sysconf(_SC_PAGESIZE);
}

u64 memory_of_machine(void)
{
	return (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE);
}
