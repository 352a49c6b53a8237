/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A second, small instance, in which the kernel waits for events: it records only those, with their
 * filters, and runs the triggers that make synthetic ones. Reading it sleeps until there are any.
 * Or its triggers count, and it records nothing.
 */
#pragma once
#include "record/kept.h"
#include "record/session.h"
#include "record/workdir.h"

struct until {
	struct session session;
	ARRAY(int) raw; /* trace_pipe_raw of each CPU */
	int wake;       /* eventfd */
	char *machine; /* a description of the machine that has the synthetic events; to be freed */
};

#define UNTIL_INIT         \
	{                  \
		.wake = -1 \
	}

/* The recording that waits. */
struct until_waiter {
	const struct record_plan *plan; /* with ->keep->until */
	const struct session *session;
	const struct selection *selection;
	const s32 *pids; /* it is limited to these */
	size_t n_pids;
	const struct workdir *work;
};

/**
 * until_prepare() - set the instance up
 * @kept: ->until is set, or ->why the kernel cannot wait
 *
 * What was changed is in the journal. Return: 0, -HIST_ENOMEM
 */
int until_prepare(struct until *u, const struct until_waiter *waiter, struct kept *kept,
		  struct diags *diags);
void until_close(struct until *u);

/* Record from now on, or stop. */
int until_switch(struct until *u, bool on, struct diags *diags);

/* Sleep until there is an event, until_wake() is called, or this time is over; < 0: for ever. */
void until_wait(struct until *u, int ms);
void until_wake(struct until *u);

/* Take a sub-buffer of the @i-th CPU: 1; 0 if there is none; -HIST_EIO with errno */
int until_read(struct until *u, size_t i, void *page);

/* A file of the instance as text, to be freed; NULL with errno */
char *until_file(const struct until *u, const char *path);

/* The trace clock; 0 if it cannot be read. */
u64 until_now(const struct until *u);

/* The events that the instance had no room for. */
u64 until_lost(const struct until *u);
