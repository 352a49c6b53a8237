/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Answers while a stream comes in (trace_dat/stream_out.h): its records are the feed of a replay,
 * batch by batch. A stream is not trusted: every size is checked, and what is in memory is bounded.
 */
#pragma once
#include <signal.h>

#include "base/base.h"
#include "hist.h"

struct follow;

struct follow_options {
	int fd;           /* the stream: a pipe, or a file that grows */
	const char *name; /* for messages */
	u64 interval;     /* ns between two answers */
	/* set when the stream is not to be waited for any more; the caller's */
	const volatile sig_atomic_t *stop;
	int (*write)(void *arg, const void *data, size_t n); /* of answers, as for hist_run() */
	/* an answer follows, of @ns of the trace: the @last one, which is not the only one */
	int (*begin)(void *arg, bool last, u64 ns);
	void *arg;
};

/*
 * Read the beginning of a stream. *@machine: a file with a trace.dat of it without records, to be
 * opened as a recording, and closed. Return: 0, < 0 with a diagnosis. Owns: *@f, with
 * follow_close()
 */
int follow_open(const struct follow_options *options, struct follow **f, int *machine,
		struct diags *diags);

/* hist_run() on @h will replay the stream; it waits for its end. */
int follow_attach(struct follow *f, struct hist *h, struct diags *diags);

/* Whether the stream ended early; that was reported. */
bool follow_was_cut(const struct follow *f);

void follow_close(struct follow *f);
