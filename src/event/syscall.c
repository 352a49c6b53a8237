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

/* ORDER syscall_machine */
enum syscall_machine {
	X86_64,
	I386,
	ARM,
	AARCH64,
	RISCV64,
	LOONGARCH64,
	PPC64,
	S390X,
	MIPS64,
	N_MACHINES
};

/* What uname -m begins with. */
static const struct {
	const char *prefix;
	enum syscall_machine machine;
} machines[] = {
	{ "x86_64", X86_64 }, { "aarch64", AARCH64 }, { "riscv64", RISCV64 },
	{ "arm", ARM },       { "ppc64", PPC64 },     { "loongarch64", LOONGARCH64 },
	{ "s390x", S390X },   { "mips64", MIPS64 },   { "i386", I386 },
	{ "i486", I386 },     { "i586", I386 },       { "i686", I386 },
};

enum { MIPS64_FIRST = 5000, NUMBERS = 6000 };

#define ALL(nr)                                                     \
	{                                                           \
		nr, nr, nr, nr, nr, nr, nr, nr, MIPS64_FIRST + (nr) \
	}

static const struct {
	const char *name;
	s16 nr[N_MACHINES];
} syscalls[] = {
#include "event/syscalls.inc"
};

static enum syscall_machine machine_of(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_SIZE(machines); i++)
		if (!strncmp(name, machines[i].prefix, strlen(machines[i].prefix)))
			return machines[i].machine;
	return N_MACHINES;
}

/* The names by number on the machine of the recording; NULL if out of memory. */
static const char *const *names_of(struct event_db *db, enum syscall_machine m)
{
	if (db->syscalls && db->syscalls_of == m)
		return db->syscalls;
	db->syscalls = arena_alloc(&db->arena, NUMBERS * sizeof(*db->syscalls));
	db->syscalls_of = m;
	db->failed |= !db->syscalls;
	for (size_t i = 0; db->syscalls && i < ARRAY_SIZE(syscalls); i++)
		if (syscalls[i].nr[m] >= 0)
			db->syscalls[syscalls[i].nr[m]] = syscalls[i].name;
	return db->syscalls;
}

s64 event_syscall_number(const char *machine, const char *name)
{
	enum syscall_machine m = machine_of(machine);

	for (size_t i = 0; m < N_MACHINES && i < ARRAY_SIZE(syscalls); i++)
		if (!strcmp(syscalls[i].name, name))
			return syscalls[i].nr[m];
	return -1;
}

bool event_field_is_syscall(const char *system, const char *field, bool maybe)
{
	if (!strcmp(field, "id"))
		return maybe || !strcmp(system, "raw_syscalls");
	if (!strcmp(field, "nr")) /* of old kernels */
		return maybe || !strcmp(system, "syscalls");
	return !strcmp(field, "__syscall_nr");
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
	enum syscall_machine m = machine_of(machine);
	const char *const *names = m < N_MACHINES ? names_of(db, m) : NULL;
	/* kernel: the number is truncated to an int; negative ones have no name */
	const char *name = names && (u32)nr < NUMBERS ? names[(u32)nr] : NULL;
	char event[64];
	u32 format;
	int n;

	if (!name || !has_syscall_formats(db))
		return name;
	/* sys_read has the event sys_enter_read */
	n = snprintf(event, sizeof(event), "sys_enter_%s", name + strlen("sys_"));
	if (db->used)
		db->used->syscalls_decide = true;
	format = event_db_recorded(db, "syscalls", (struct span){ event, (size_t)n });
	if (format && db->used)
		db->used->formats[format - 1] = 1;
	return format ? name : NULL;
}
