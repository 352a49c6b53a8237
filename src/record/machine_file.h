/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes a description of this machine: a trace.dat without records. */
#ifndef HIST_RECORD_MACHINE_FILE_H
#define HIST_RECORD_MACHINE_FILE_H

#include "record/event_choice.h"

/**
 * machine_write() - write the formats of all events of this machine
 * @clock:   clock of the recording; NULL: the current clock
 * @symbols: include /proc/kallsyms
 */
int machine_write(const char *path, const struct event_list *list, const char *clock, bool symbols,
		  struct diags *diags);

#endif
