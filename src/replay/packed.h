/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Text of trace_printk(): a record of ftrace:bprint contains the address of a format and the packed
 * arguments.
 */
#pragma once
#include "replay/replay.h"

/* NULL: records of this format are not packed, or out of memory. */
struct packed_text *packed_text_new(struct hist *h, const struct event_format *format,
				    struct arena *arena);

/*
 * The record with its text in place of the arguments, in @buf.
 *
 * Return: 0; 1 if it is too short; -HIST_ENOMEM
 */
int packed_text_unpack(const struct packed_text *p, const struct hit *hit, struct strbuf *buf,
		       struct hit *seen);
