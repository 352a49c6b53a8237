/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: several questions on the same recordings. What the first one inflated, and the
 * intervals that it derived, are kept for the next ones, of any struct hist that is opened in the
 * session.
 *
 *	struct hist_session *session = hist_session_new(0);
 *
 *	err = hist_session_open(session, &options, &h, diags);
 *	...
 *	hist_close(h);
 *	hist_session_free(session);
 *
 * Answers are the same as without a session: of a file that changed, nothing is used when it is
 * opened again.
 */
#ifndef HIST_SESSION_H
#define HIST_SESSION_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct hist_session;

/* @bytes: of memory at most; 0: a quarter of the machine's. NULL: out of memory */
struct hist_session *hist_session_new(uint64_t bytes);

/* After all that was opened in it was closed. */
void hist_session_free(struct hist_session *session);

/* As hist_open(). @session: NULL: nothing is kept. Context: any thread */
int hist_session_open(struct hist_session *session, const struct hist_options *options,
		      struct hist **h, struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
