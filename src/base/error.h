/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Results of libhist's functions: 0 is success, a positive value ends an iteration, a negative
 * one is a code of the public header. The code is for control flow; the message for the user is
 * a diagnosis (diag.h).
 */
#pragma once
#include "hist-error.h"

/* The code of a failed allocation. */
#define HIST_NOMEM (-HIST_ENOMEM)
