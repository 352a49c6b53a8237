/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of addresses, pids, system calls; places of members. A part of event.h: include that. */
#pragma once

struct event_symbol {
	struct span name;
	struct span module; /* without brackets; absent for the kernel's own and for BPF programs */
	u64 addr;           /* start */
	u64 size;
};

/**
 * event_symbol_at() - the kernel's symbol for an address
 *
 * Shape: if several symbols have one address, the first in the file; the size is the distance to
 *        the next higher one
 * Owns:   the spans are borrowed until event_db_free()
 * Return: false if the address is in neither the kernel nor a module, or if there are no symbols
 * Source: kallsyms.c get_symbol_pos(), module/kallsyms.c find_kallsyms_symbol() @ v6.12
 */
bool event_symbol_at(struct event_db *db, u64 addr, struct event_symbol *sym);

/* Load the symbols, so that threads may call event_symbol_starts(). */
void event_symbols_load(struct event_db *db);

/*
 * Start of the symbol of an address; the address itself if it has none. The first function
 * replaces @n addresses, and remembers them. Context: hot path; any thread
 */
void event_symbol_starts(const struct event_db *db, u64 *addrs, size_t n);
u64 event_symbol_find_start(const struct event_db *db, u64 addr);

/* The first symbol with that name ("name" or "module:name"); false if unknown. */
bool event_symbol_find(struct event_db *db, struct span name, struct event_symbol *sym);

/* Whether the recording has any symbols; addresses hidden by kptr_restrict are ignored. */
bool event_has_symbols(struct event_db *db);

/*
 * The kernel's %ps ("name", "name [module]") or, with @offset, %pS ("name+0x1/0x2 [module]");
 * "0x..." if the address has no symbol.
 */
void event_print_symbol(struct event_db *db, u64 addr, bool offset, struct strbuf *out);

/* The module of an event, as far as known from the symbols; absent: the kernel itself. */
struct span event_module(struct event_db *db, struct span name);

/* Texts about a buffer that an earlier boot wrote, of the boot that read it. */
struct event_boot {
	struct span info;     /* last_boot_info of the instance */
	struct span modules;  /* /proc/modules; may be absent */
	struct span kallsyms; /* of the boot that read it */
};

/* Whether last_boot_info describes an earlier boot. */
bool event_other_boot(struct span info);

/**
 * event_boot_symbols() - the kallsyms of an earlier boot
 * @path: of the recording, in warnings about symbols that are not known
 * @out:  its text; symbols of a module whose old or new place is unknown are left out
 *
 * Return: 0, -HIST_ENOMEM
 */
int event_boot_symbols(const struct event_boot *boot, const char *path, struct strbuf *out,
		       struct diags *diags);

/* --- which parts of a recording's metadata were used, for writing a smaller recording --- */

struct event_used {
	ARRAY(u64) addresses; /* addresses whose symbols were looked up */
	u8 *formats;          /* by index of event_db_texts(): used for the name of a system call */
	bool syscalls_decide; /* the formats were used for the name of a system call */
	bool failed;          /* out of memory */
};

/* Record lookups from now on; NULL: stop. @used must stay valid until then. */
int event_db_note_used(struct event_db *db, struct event_used *used);
void event_used_release(struct event_used *used);

/**
 * event_symbols_needed() - the lines of kallsyms needed for the symbols of some addresses
 * @out: set to them in file order: every symbol at the nearest address, the next higher one, which
 *    ends the symbol, and those that mark the ends of the kernel
 *
 * Return: 0, -HIST_ENOMEM
 */
int event_symbols_needed(struct event_db *db, const u64 *addrs, size_t n, struct strbuf *out);

/*
 * Number of kernel addresses that were looked up, if none of them had a symbol although there
 * are symbols; else 0.
 */
u64 event_db_elsewhere(const struct event_db *db);

/* --- comms, trace_printk and system calls --- */

/* The saved comm of a pid: "<idle>" for 0, NULL if unknown. */
const char *event_saved_comm(struct event_db *db, s32 pid);

/* The format string at the address in a trace_printk record, or NULL. */
const char *event_printk(struct event_db *db, u64 addr);

/* Their number, and each, by ascending address. */
size_t event_printk_count(struct event_db *db);
const char *event_printk_at(const struct event_db *db, size_t i, u64 *addr);

/*
 * The kernel's name of a syscall ("sys_newfstat"), or NULL; @machine is from uname -m. In a
 * recording with formats of the syscalls system, only its sys_enter_ events are known.
 */
const char *event_syscall_name(struct event_db *db, const char *machine, u64 nr);

/* The number of a syscall with that name, whether the recording has it or not; -1: unknown. */
s64 event_syscall_number(const char *machine, const char *name);

/*
 * Whether a field has numbers of system calls. @maybe: or, in any event, the name of such a field,
 * which the events that users define copy
 */
bool event_field_is_syscall(const char *system, const char *field, bool maybe);

struct event_btf;

/**
 * event_btf_offset() - where a member of a structure of the kernel is, in bytes
 * @btf:  event_btf_new() of /sys/kernel/btf/vmlinux, whose bytes are borrowed; NULL if out of
 *        memory; what is unknown or damaged has no types
 * @path: "css.cgroup"
 *
 * Return: -1 if the kernel has no such member
 */
long event_btf_offset(const struct event_btf *btf, const char *of, const char *path);
struct event_btf *event_btf_new(struct span file);
void event_btf_free(struct event_btf *btf);
