// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Names of system calls, for a number and a machine (uname -m), as in the kernel's metadata: the
 * name of the entry point. Number 5 of x86_64 is sys_newfstat, although its number is called fstat.
 *
 * The kernel has metadata only for system calls that are configured and defined with
 * SYSCALL_DEFINE, and each of these has an event in the syscalls system; so if the recording has
 * formats of that system, they determine which names are known.
 *
 * Corresponds to get_syscall_name() and find_syscall_meta() in trace_syscalls.c.
 */
#include "event/event_db.h"
#include "event/syscalls_arm.inc"
#include "event/syscalls_generic.inc"
#include "event/syscalls_i386.inc"
#include "event/syscalls_mips64.inc"
#include "event/syscalls_ppc64.inc"
#include "event/syscalls_s390x.inc"
#include "event/syscalls_x86_64.inc"

struct syscall_table {
	const char *machine; /* a prefix */
	const char *const *names;
	u32 n, first;
};

#define TABLE(prefix, array) .machine = (prefix), .names = (array), .n = ARRAY_SIZE(array)

/* The first matching prefix is used. */
static const struct syscall_table tables[] = {
	{ TABLE("x86_64", syscalls_x86_64) },   { TABLE("aarch64", syscalls_generic) },
	{ TABLE("riscv64", syscalls_generic) }, { TABLE("loongarch64", syscalls_generic) },
	{ TABLE("arm", syscalls_arm) },         { TABLE("ppc64", syscalls_ppc64) },
	{ TABLE("s390x", syscalls_s390x) },     { TABLE("mips64", syscalls_mips64), .first = 5000 },
	{ TABLE("i386", syscalls_i386) },       { TABLE("i486", syscalls_i386) },
	{ TABLE("i586", syscalls_i386) },       { TABLE("i686", syscalls_i386) },
};

/* Exceptions: machines with the generic table that have their own entry points. */
static const struct {
	const char *machine;
	u32 nr;
	const char *name;
} exceptions[] = {
	{ "aarch64", 92, "sys_arm64_personality" },
	{ "riscv64", 258, "sys_riscv_hwprobe" },
	{ "riscv64", 259, "sys_riscv_flush_icache" },
};

static const char *table_name(const char *machine, u32 nr)
{
	for (size_t i = 0; i < ARRAY_SIZE(exceptions); i++)
		if (exceptions[i].nr == nr && !strcmp(machine, exceptions[i].machine))
			return exceptions[i].name;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		const struct syscall_table *t = &tables[i];

		if (strncmp(machine, t->machine, strlen(t->machine)) != 0)
			continue;
		return nr >= t->first && nr - t->first < t->n ? t->names[nr - t->first] : NULL;
	}
	return NULL;
}

s64 event_syscall_number(const char *machine, const char *name)
{
	enum { END = 6000 }; /* the numbers of mips64 begin at 5000 */

	for (u32 nr = 0; machine && nr < END; nr++) {
		const char *other = table_name(machine, nr);

		if (other && !strcmp(other, name))
			return nr;
	}
	return -1;
}

/* Whether the recording has the formats of all system calls, not only of the recorded ones. */
static bool has_syscall_formats(struct event_db *db)
{
	enum { ALL_AT_LEAST = 100 }; /* kernels have about 300 system calls, with two events each */
	size_t n = 0;

	if (db->syscall_formats == UNKNOWN) {
		for (size_t i = 0; i < db->n_texts; i++)
			n += !strcmp(db->texts[i].system, "syscalls");
		db->syscall_formats = db->machine.syscalls_decide || n >= ALL_AT_LEAST ? YES : NO;
	}
	return db->syscall_formats == YES;
}

const char *event_syscall_name(struct event_db *db, const char *machine, u64 nr)
{
	/* kernel: the number is truncated to an int; negative ones have no name */
	const char *name = machine && (s32)nr >= 0 ? table_name(machine, (u32)nr) : NULL;
	char event[64] = "sys_enter_";
	size_t used = strlen(event), len;
	u32 format;

	if (!name || !has_syscall_formats(db))
		return name;
	/* sys_read has the event sys_enter_read */
	len = strlen(name + 4);
	if (used + len > sizeof(event))
		return NULL;
	memcpy(event + used, name + 4, len);
	if (db->used)
		db->used->syscalls_decide = true;
	format = event_db_recorded(db, "syscalls", (struct span){ event, used + len });
	if (format && db->used)
		db->used->formats[format - 1] = 1;
	return format ? name : NULL;
}
