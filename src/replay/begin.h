/* SPDX-License-Identifier: LGPL-2.1-only */
/* Which events the first records of a recording are of. */
#pragma once
#include "recording/recording.h"

/*
 * Whether the first records in the buffer of any file have one of this event, as they do if each
 * record has a stack. Return: 1; 0, also if they must be made from other data first; -HIST_ENOMEM
 */
int recordings_begin_with(struct recordings *r, const char *buffer,
			  const struct event_format *format);
