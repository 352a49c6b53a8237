/* SPDX-License-Identifier: LGPL-2.1-only */
/* What other tools call an event. */
#pragma once

/* What is typed here for a term of perf or bpftrace that is not an event; NULL: another word. */
const char *event_word(const char *name);
