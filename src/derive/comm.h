/* SPDX-License-Identifier: LGPL-2.1-only */
/* Names of tasks, as they are in events. */
#pragma once
#include "base/base.h"

/* The most bytes of a name of a task, including its NUL. */
enum { DERIVE_COMM_SIZE = 16 };

/* Texts of events are whole words of 8 bytes. */
struct derive_comm {
	_Alignas(8) char s[DERIVE_COMM_SIZE];
};

/*
 * Copy a field whose name ends with comm, an array of this size, which may have anything after its
 * NUL. Mostly it is the same as before.
 */
static inline void derive_set_comm(struct derive_comm *to, u64 from)
{
	const char *text = (const char *)(uintptr_t)from;

	if (text && memcmp(to->s, text, DERIVE_COMM_SIZE) != 0)
		text_copy_array(to->s, text, DERIVE_COMM_SIZE);
}
