// SPDX-License-Identifier: LGPL-2.1-only
/* event: names of system calls, by machine and by the system calls of the recording's kernel. */
#include <stdio.h>

#include "unit.h"

#include "event/event.h"

#define TEXT(sys, name_)                                              \
	{                                                             \
		.system = (sys), .name = { name_, sizeof(name_) - 1 } \
	}

static const struct event_text with_syscalls[] = {
	TEXT("sched", "sched_switch"),      TEXT("syscalls", "sys_enter_read"),
	TEXT("syscalls", "sys_exit_write"), TEXT("syscalls", "sys_enter_newfstat"),
	TEXT("mine", "sys_enter_open"),
};

static const struct event_text without_syscalls[] = {
	TEXT("raw_syscalls", "sys_enter"),
};

static struct event_db *db_of(const struct event_text *texts, size_t n)
{
	struct event_db *db;

	assert_int_equal(
		event_db_new(&db, texts, n, (struct event_machine){ .long_size = 8 }, NULL), 0);
	return db;
}

static void assert_name(struct event_db *db, const char *machine, u64 nr, const char *name)
{
	const char *found = event_syscall_name(db, machine, nr);

	if (!name)
		assert_null(found);
	else
		assert_non_null(found);
	if (name)
		assert_string_equal(found, name);
}

static void names_by_machine(void **state)
{
	struct event_db *db = db_of(without_syscalls, ARRAY_SIZE(without_syscalls));

	(void)state;
	assert_name(db, "x86_64", 0, "sys_read");
	assert_name(db, "x86_64", 5, "sys_newfstat");
	assert_name(db, "x86_64", 63, "sys_newuname");
	assert_name(db, "x86_64", 156, NULL); /* sys_ni_syscall */
	assert_name(db, "x86_64", 231, "sys_exit_group");
	assert_name(db, "x86_64", 334, "sys_rseq");
	assert_name(db, "x86_64", 400, NULL); /* an unused number */
	assert_name(db, "x86_64", 462, "sys_mseal");
	assert_name(db, "i686", 3, "sys_read");
	assert_name(db, "i686", 192, "sys_mmap_pgoff");
	assert_name(db, "aarch64", 63, "sys_read");
	assert_name(db, "aarch64", 80, "sys_newfstat");
	assert_name(db, "aarch64", 92, "sys_arm64_personality");
	assert_name(db, "riscv64", 92, "sys_personality");
	assert_name(db, "riscv64", 259, "sys_riscv_flush_icache");
	assert_name(db, "aarch64", 259, NULL);
	assert_name(db, "loongarch64", 291, "sys_statx");
	assert_name(db, "armv7l", 3, "sys_read");
	assert_name(db, "armv7l", 119, NULL); /* sigreturn is written in assembler */
	assert_name(db, "ppc64le", 136, "sys_ppc64_personality");
	assert_name(db, "s390x", 90, "sys_old_mmap");
	assert_name(db, "mips64", 5000, "sys_read");
	assert_name(db, "mips64", 0, NULL);
	assert_name(db, "sparc64", 3, NULL);
	assert_name(db, "", 3, NULL);
	assert_name(db, NULL, 3, NULL);
	event_db_free(db);
}

static void numbers_are_cut_to_int(void **state)
{
	struct event_db *db = db_of(without_syscalls, ARRAY_SIZE(without_syscalls));

	(void)state;
	assert_name(db, "x86_64", UINT64_MAX, NULL);
	assert_name(db, "x86_64", 0x80000000, NULL);
	assert_name(db, "x86_64", 0x100000001, "sys_write");
	assert_name(db, "x86_64", 0x40000000, NULL); /* x32 */
	event_db_free(db);
}

/* The events of a kernel with very few system calls; their names are arbitrary. */
static void events_decide(void **state)
{
	enum { MANY = 120 };
	struct event_text all[ARRAY_SIZE(with_syscalls) + MANY];
	char names[MANY][24];
	struct event_db *db;

	(void)state;
	memcpy(all, with_syscalls, sizeof(with_syscalls));
	for (size_t i = 0; i < MANY; i++) {
		int n = snprintf(names[i], sizeof(names[i]), "sys_exit_nr%zu", i);

		all[ARRAY_SIZE(with_syscalls) + i] =
			(struct event_text){ .system = "syscalls",
					     .name = { names[i], (size_t)n } };
	}
	db = db_of(all, ARRAY_SIZE(all));
	assert_name(db, "x86_64", 0, "sys_read");
	assert_name(db, "x86_64", 1, NULL);
	assert_name(db, "x86_64", 2, NULL);
	assert_name(db, "x86_64", 5, "sys_newfstat");
	assert_name(db, "aarch64", 63, "sys_read");
	event_db_free(db);
}

/* A recording of some system calls has only their formats: the others have names nevertheless. */
static void some_events_do_not(void **state)
{
	struct event_db *db = db_of(with_syscalls, ARRAY_SIZE(with_syscalls));

	(void)state;
	assert_name(db, "x86_64", 0, "sys_read");
	assert_name(db, "x86_64", 1, "sys_write");
	event_db_free(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_by_machine),
		TEST(numbers_are_cut_to_int),
		TEST(events_decide),
		TEST(some_events_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
