/* SPDX-License-Identifier: GPL-2.0-only */
/* --by KEYS and --sum FIELDS after -e: a histogram for users who do not know triggers. */
#ifndef HIST_CMD_BY_ARGS_H
#define HIST_CMD_BY_ARGS_H

#include "base/base.h"
#include "hist-script.h"

struct cmd_by {
	const char *keys;
	const char *sum;    /* NULL: none */
	const char *filter; /* NULL: none */
	struct diags *diags;
};

/**
 * cmd_by_trigger() - the trigger of an event
 * @path: "events/SYSTEM/EVENT"
 *
 * A key with the name that it has in other tools ("comm", "kstack", "hist(x)") gets its name here,
 * unless the event has a field with that name; statistics, which are not keys, are reported.
 *
 * Return: 0, -HIST_EREJECTED, -HIST_ENOMEM
 */
int cmd_by_trigger(const struct cmd_by *by, struct hist *h, const struct hist_script *script,
		   const char *path, struct strbuf *out);

struct cmd_script;

/*
 * Add the names that the print fmt of the event has for numbers of keys, if it is the only event.
 * Return: 0, -HIST_ENOMEM
 */
int cmd_by_names(const struct cmd_script *cs, struct hist_script *script, const char *path,
		 const char *keys);

/* Report --sum without --by. Return: -HIST_EREJECTED */
int cmd_by_sum_alone(const char *sum, struct diags *diags);

/* SYSTEM and EVENT of "events/SYSTEM/EVENT", which a file may follow. */
void cmd_split_event(const char *path, struct span *system, struct span *event);

#endif
