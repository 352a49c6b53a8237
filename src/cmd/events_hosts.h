/* SPDX-License-Identifier: GPL-2.0-only */
/* hist events --hosts: the events of several machines in the order of the time of day. */
#pragma once
#include "cmd/hosts.h"
#include "hist-events.h"

/*
 * Print the events of a->h and a->others, with the columns date and host.
 * @format: NULL: text; @max: events; 0: all. Return: 0, < 0 an error
 */
int events_print_hosts(struct cmd_args *a, const struct hist_events_options *how,
		       const struct hist_events_print *print);
