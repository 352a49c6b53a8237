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
	const char *name;   /* of the histogram that several events share; NULL: each has its own */
	struct diags *diags;
};

struct cmd_script;

/* Whether the event is one of the keys, so that several events share a histogram. */
bool cmd_by_event(const char *keys);

/* The name of the histogram of the --by event that is the piece @i. NULL: out of memory */
const char *cmd_by_event_title(const struct cmd_script *cs, size_t i);

/* Note that an -e before that of the --by at @i counts nothing, and is perhaps part of it. */
void cmd_by_left_out_note(const struct cmd_script *cs, size_t i, struct diags *diags);

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

/* Add the names of events for the key event. Return: 0, -HIST_ENOMEM */
int cmd_by_event_names(struct hist *h, struct hist_script *script, char *const *paths, size_t n);

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
