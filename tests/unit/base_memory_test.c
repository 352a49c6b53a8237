// SPDX-License-Identifier: LGPL-2.1-only
/* memory: what a process has, and that a limit holds from then on. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

enum { LIMIT = 1 << 26 };

static bool can_map(size_t size)
{
	return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED;
}

static void counts_what_is_allocated(void **state)
{
	const u64 before = memory_in_use();
	char *p = malloc(LIMIT);

	(void)state;
	assert_non_null(p);
	memset(p, 1, LIMIT);
	assert_true(memory_in_use() >= before + LIMIT / 2);
	assert_true(memory_in_use() < memory_of_machine());
	free(p);
}

static void limits_what_is_allocated_later(void **state)
{
	int status = -1;
	pid_t pid = fork();

	(void)state;
	if (!pid) {
		memory_limit(LIMIT);
		_exit(!can_map(LIMIT / 2) || can_map(LIMIT));
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(counts_what_is_allocated),
		TEST(limits_what_is_allocated_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
