// SPDX-License-Identifier: LGPL-2.1-only
/* Memory, as the kernel counts it: includes all that is allocated, by whichever library. */
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/span.h"

/* Of statm(5), in pages; DATA includes what is reserved, and the stack. */
enum { SIZE, RESIDENT, SHARED, TEXT, LIB, DATA, N_PAGES };

static bool read_pages(u64 *pages)
{
	char text[128];
	struct span rest;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	rest = (struct span){ text, n < 0 ? 0 : (size_t)n };
	return all_of(i, N_PAGES, span_digits(span_sep(&rest, " "), 10, &pages[i]));
}

u64 memory_in_use(void)
{
	u64 pages[N_PAGES];

	if (!read_pages(pages))
		return 0;
	return (pages[RESIDENT] - min_t(u64, pages[RESIDENT], pages[SHARED])) *
	       (u64)sysconf(_SC_PAGESIZE);
}

void memory_limit(u64 more)
{
	u64 pages[N_PAGES];
	struct rlimit limit;

	if (!read_pages(pages) || getrlimit(RLIMIT_DATA, &limit))
		return;
	limit.rlim_cur =
		min_t(u64, limit.rlim_cur, pages[DATA] * (u64)sysconf(_SC_PAGESIZE) + more);
	setrlimit(RLIMIT_DATA, &limit);
}

u64 memory_of_machine(void)
{
	return (u64)sysconf(_SC_PHYS_PAGES) * (u64)sysconf(_SC_PAGESIZE);
}

bool memory_take(u64 *left, u64 n)
{
	u64 now = __atomic_load_n(left, __ATOMIC_RELAXED);

	while (now >= n)
		if (__atomic_compare_exchange_n(left, &now, now - n, true, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return false;
}

void memory_give(u64 *left, u64 n)
{
	__atomic_fetch_add(left, n, __ATOMIC_RELAXED);
}
