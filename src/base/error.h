/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a function of libhist can return: 0 is success, a positive value the end of an
 * iteration, a negative one a code of the public header. The code steers control flow;
 * what the user reads is a diagnosis (diag.h).
 */
#ifndef HIST_BASE_ERROR_H
#define HIST_BASE_ERROR_H

#include "hist-error.h"

/* The code of an allocation that failed, for the one place that most functions need it. */
#define HIST_NOMEM (-HIST_ENOMEM)

#endif
