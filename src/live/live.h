/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * live: answers while events are recorded.
 *
 * The readers of a recording move sub-buffers to files, of which only the last part is kept
 * (record/kept.h). A thread replays them as they come, in the order of time, and evaluates
 * conditions on recorded, synthetic and derived events. If one holds, the recording writes what is
 * kept to a file. The thread never delays the readers: if it is too slow, it skips what was
 * replaced.
 */
#pragma once
#include "hist-script.h"
#include "live/follow.h"
#include "record/record.h"

/* An event that a file is written for. */
struct live_condition {
	const char *event;
	const char *filter; /* as in its filter file; NULL: each */
};

/* Who waits for events: the kernel where it can, or one of them. */
enum live_way { LIVE_EITHER, LIVE_KERNEL, LIVE_ENGINE }; /* ORDER --plan */

/* Everything is borrowed until live_close(). */
struct live_options {
	const struct live_condition *conditions;
	size_t n_conditions;

	u64 keep_ns;        /* what precedes the event; 0: all that is kept */
	u64 arm_ns;         /* events in this time after the start are ignored */
	u64 after_ns;       /* recorded after the event */
	u64 cooldown_ns;    /* events in this time after the last one are ignored */
	u64 times;          /* files; 0: no limit */
	const char *output; /* %n: number of the file */
	enum live_way way;
	bool explain;    /* note who waits and where what is kept is, and why */
	bool memory;     /* what is moved out of the kernel is kept in memory */
	bool write_last; /* when the recording ends, what is kept */

	const char *command; /* run for each file; NULL: none */
	u64 command_ns;      /* it is killed after this time */

	/* a file was written, or a command failed: a line without its newline; NULL: not called */
	void (*report)(void *arg, const char *line);
	void *arg;
};

struct live;

/* Owns: *@live is closed with live_close() */
int live_new(const struct live_options *options, struct live **live, struct diags *diags);

/**
 * live_prepare() - check the conditions
 * @machine: a recording that describes the machine, as for record_plan.resolve
 * @script:  lines that make synthetic events, with their name for messages
 *
 * Return: 0, -HIST_EREJECTED for a filter that the kernel would refuse, -HIST_ENOENT for an event
 */
int live_prepare(struct live *live, const char *machine, struct span script, struct diags *diags);

/**
 * live_until() - what the kernel would have to do to wait for the events
 *
 * After live_prepare(). Return: NULL: it cannot wait, or must not. Owned by @live
 */
const struct record_until *live_until(struct live *live);

/* What a recording needs; ->max_bytes and ->memory are the caller's. */
struct record_keep live_keep(struct live *live);

/* Report what was found. Return: 0, < 0 if the conditions could not be evaluated to the end */
int live_summarize(const struct live *live, struct diags *diags);

/* Also after an error, and for NULL. */
void live_close(struct live *live);
