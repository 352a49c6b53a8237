/* SPDX-License-Identifier: LGPL-2.1-only */
/* The keys of --by, as typed: "comm,lhist(ns,0,1000,10),prio.log2:sort=comm". */
#pragma once
#include "base/span.h"

/* Cut the next key off the list, whose parentheses may contain commas. */
struct span key_list_next(struct span *list);

/* Whether the event is one of the keys, so that several events share a histogram. */
bool key_list_has_event(struct span keys);

/* Whether one of the keys is the field with which @sums begins. */
bool key_list_groups(struct span keys, struct span sums);
