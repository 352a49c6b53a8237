/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The journal of changes to this machine, and how they are undone.
 *
 * Each change is logged before it is made, in memory and in a file of /run/hist that is locked
 * while its owner lives. When a recording ends for any reason, the changes are undone in reverse
 * order; after a kill -9 the next recording finds the file unlocked and does the same. Like tracefs
 * itself, the files do not survive a reboot.
 */
#pragma once
#include "base/base.h"

struct undo {
	char *path; /* NULL: no directory is usable, so only this process can undo */
	int dir, fd;
	struct strbuf text; /* blocks (blocks.h), one per change */
};

#define UNDO_INIT                                        \
	{                                                \
		.dir = -1, .fd = -1, .text = STRBUF_INIT \
	}

/*
 * Start a journal. It is locked until undo_close() or the end of the process, and may lack a file
 * (->path).
 */
void undo_open(struct undo *u);

/*
 * Log a change before it is made: a block with the key of the change, and with the text that undoes
 * it.
 *
 *	instance		the instance to remove
 *	probe			a line for dynamic_events
 *	umount			the mount point
 *	file INSTANCE FILE	the text of the file; INSTANCE is "." for the top level
 *	trigger INSTANCE FILE	a line for the file. kernel: the trigger as the file prints it may
 *				not be accepted for its removal, and if an instance is removed with
 *				the trigger, its synthetic events remain in use
 *	events INSTANCE		the events that are enabled, as in set_event
 *
 * Return: 0, -HIST_ENOMEM, or -HIST_EIO if the file cannot be written: then the change must not be
 * made
 */
int undo_log(struct undo *u, struct span data, const char *key, ...) PRINTF_LIKE(3, 4);

/*
 * Not a change: the directory with the recorded data, by name and by descriptor, and the instance
 * with the remaining data.
 */
int undo_log_work(struct undo *u, const char *work, int dir, const char *instance);

/* Undo everything in @text, last change first; failures are warnings. */
void undo_all(struct span text, struct diags *diags);

/* Everything is undone: release the journal and remove its file; a failed removal is a warning. */
void undo_close(struct undo *u, struct diags *diags);

/* Release the journal, but leave its file for the next sweep. */
void undo_keep(struct undo *u);

/* Iterates over the journals whose owners have ended, each one once. */
struct undo_stale {
	char *path;
	int dir;
	void *entries; /* NULL: the directory cannot be listed (further) */
};

/**
 * undo_stale_open() - list the journals
 * @start: for a recording that starts: wait for a second at most
 *
 * Also waits until no other process does this, and keeps others waiting until it is closed.
 *
 * Return: 0; -HIST_EIO, with a diagnosis, if the directory cannot be listed, or after ten seconds;
 * 1, with a warning, if @start and another process still does this
 */
int undo_stale_open(struct undo_stale *stale, bool start, struct diags *diags);

/**
 * undo_stale_next() - open the next journal
 * @u: set as by undo_open(): locked, with its text; the caller calls undo_close() or undo_keep()
 *
 * Return: 0, 1 at the end or if @stale could not be opened; -HIST_EIO, with a diagnosis, if a
 * journal or the rest of the directory cannot be read; the next call goes on, or is at the end
 */
int undo_stale_next(struct undo_stale *stale, struct undo *u, struct diags *diags);
void undo_stale_close(struct undo_stale *stale);
