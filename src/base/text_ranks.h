/* SPDX-License-Identifier: LGPL-2.1-only */
#ifndef HIST_BASE_TEXT_RANKS_H
#define HIST_BASE_TEXT_RANKS_H

#include "base/types.h"

/*
 * Where each of the texts, which differ, is when they are sorted. Owned by the caller; NULL: out of
 * memory
 */
u32 *text_ranks(const char *const *texts, u32 n);

#endif
