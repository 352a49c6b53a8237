/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * An instance of tracefs, set up for one recording.
 *
 * A private instance is removed with all its settings; in an existing one (-B), every setting is
 * logged in the journal before it is changed.
 */
#pragma once
#include "record/event_choice.h"
#include "record/undo.h"

struct session {
	struct tracefs_instance *instance;
	char *name;
	bool existing;     /* existed before this recording */
	bool markers;      /* gets the texts written to trace_marker */
	bool tracer;       /* has one, which pids limit, too */
	struct undo *undo; /* borrowed */
	u32 subbuf_size, long_size;
	ARRAY(u32) cpus; /* CPUs with a buffer, ascending */
};

/* Create or open the instance of @plan, disabled and empty. */
int session_open(struct session *s, const struct record_plan *plan, struct undo *undo,
		 struct diags *diags);

/* Open the instance that a dead recording left. */
int session_find(struct session *s, const char *name, struct diags *diags);

/* The same, and disable it. */
int session_attach(struct session *s, const char *name, struct diags *diags);

/*
 * Set clock, buffer size and options. A new instance also gets copies of writes to trace_marker.
 */
int session_configure(struct session *s, const struct record_plan *plan,
		      const struct selection *sel, struct diags *diags);

/* Change a file of the instance; in an existing one, its text is logged first. -1 with errno. */
int session_set(struct session *s, const char *file, const char *text);

/*
 * The same for a file of options/, unless it has the text. kernel: the options of a tracer, such as
 * sleep-time and func-no-repeats, are those of the machine up to 6.18, whatever the instance
 */
int session_set_option(struct session *s, const char *file, const char *text);

/* Set the tracer of @plan, its functions and options. */
int session_set_tracer(struct session *s, const struct record_plan *plan, struct diags *diags);

/*
 * Set filters, which the kernel verifies, and stack triggers; enable the events. If the kernel
 * cannot enable an event, that is an error if it was requested by name; otherwise the event is
 * removed from @sel with a warning.
 */
int session_enable(struct session *s, struct selection *sel, struct diags *diags);

/* Record only these threads from now on. */
int session_limit_pids(struct session *s, const s32 *pids, size_t n, struct diags *diags);

/* Switch the buffer on or off; markers are copied to it only while it is on. */
int session_switch(struct session *s, bool on, struct diags *diags);

/* Release the instance; undoing the journal removes it. */
void session_close(struct session *s);

/* Create probes; new ones are logged for removal. */
int probes_create(const struct record_probe *probes, size_t n, struct undo *undo,
		  struct diags *diags);

/* Those of quotas of cgroups, if the kernel lets them be set; otherwise a note. */
void throttle_probes_create(struct undo *undo, struct diags *diags);
