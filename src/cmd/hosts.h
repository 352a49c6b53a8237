/* SPDX-License-Identifier: GPL-2.0-only */
/* --hosts: recordings of several machines, each of which is read by itself. */
#pragma once
#include "cmd/cmd.h"
#include "hist-columns.h"

struct cmd_host {
	struct cmd_input input; /* of all but the first one */
	struct hist *h;
	const char *path;
	struct hist_host is;
	const char *name; /* that no other one has */
};

typedef ARRAY(struct cmd_host) cmd_hosts;

/*
 * Open a->others, after a->h, and note what is known of the time of day of each; an error if @dated
 * and nothing is. Released also after an error.
 */
int cmd_hosts_open(struct cmd_args *a, bool dated, cmd_hosts *hosts);
void cmd_hosts_release(cmd_hosts *hosts);
