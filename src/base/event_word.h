/* SPDX-License-Identifier: LGPL-2.1-only */
/* What other tools call an event. */
#ifndef HIST_BASE_EVENT_WORD_H
#define HIST_BASE_EVENT_WORD_H

/* What is typed here for a term of perf or bpftrace that is not an event; NULL: another word. */
const char *event_word(const char *name);

#endif
