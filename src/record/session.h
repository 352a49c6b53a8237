/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * An instance of tracefs, set up for one recording.
 *
 * A private instance goes away with all its settings; in one that was there before
 * (-B), every setting is logged in the journal before it is changed.
 */
#ifndef HIST_RECORD_SESSION_H
#define HIST_RECORD_SESSION_H

#include "record/event_choice.h"
#include "record/undo.h"

struct session {
	struct tracefs_instance *instance;
	char *name;
	bool existing;     /* was there before */
	struct undo *undo; /* borrowed */
	u32 subbuf_size, long_size;
	ARRAY(u32) cpus; /* those that have a buffer, ascending */
};

/* Make or open the instance of @plan, switched off and empty. */
int session_open(struct session *s, const struct record_plan *plan, struct undo *undo,
		 struct diags *diags);

/* Open the instance that a dead recording left, and switch it off. */
int session_attach(struct session *s, const char *name, struct diags *diags);

/* Clock, size of the buffer, options. */
int session_configure(struct session *s, const struct record_plan *plan, struct diags *diags);

/*
 * Filters, verified by the kernel, stack triggers, and the events themselves. An event
 * that the kernel cannot switch on is an error if it was asked for by name; else it is
 * taken out of @sel with a warning.
 */
int session_enable(struct session *s, struct selection *sel, struct diags *diags);

/* Only these threads from now on. */
int session_limit_pids(struct session *s, const s32 *pids, size_t n, struct diags *diags);

int session_switch(struct session *s, bool on, struct diags *diags);

/* What the kernel says about the buffer of @cpu; to be freed. NULL with errno. */
char *session_stats(const struct session *s, u32 cpu);

/* Open @file of the instance, close-on-exec; -1 with errno. */
int session_file_open(const struct session *s, const char *file, int flags);

/* Let go of the instance, which the journal removes. */
void session_close(struct session *s);

/* Create the probes of a plan; those that appear are logged for removal. */
int probes_create(const struct record_plan *plan, struct undo *undo, struct diags *diags);

#endif
