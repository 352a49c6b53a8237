/* SPDX-License-Identifier: LGPL-2.1-only */
/* Private to event: the kernel's types, as /sys/kernel/btf/vmlinux has them. */
#pragma once
#include "event/event_db.h"

/**
 * event_btf_args() - the arguments of a function by their names
 * @func: its symbol; what follows a dot is ignored if it is unknown with it
 * @args: @n words of the machine, the first argument first
 *
 * Shape:  "fd=3, buf=0x7ffd, count=0x200"; "..." for arguments that were not recorded; if the
 *         function is unknown, the words in hexadecimal
 * Source: print_function_args() @ v6.15
 */
void event_btf_args(struct event_db *db, struct span func, const u8 *args, size_t n,
		    struct strbuf *out);

/* The value of an enumerator; false if it is unknown, or has several values. */
bool event_btf_enumerator(struct event_db *db, struct span name, u64 *value);

/* Read them now; afterwards any threads may call event_btf_args(). */
void event_btf_load(struct event_db *db);
