/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Slots of an array that are used again: an element that is not used any more has the number of
 * the next such one, from 1 on, in its member ->next. The first is *@unused; 0: there is none.
 */
#pragma once

enum { NO_SLOT = UINT32_MAX };

/* The index of @item, which is copied to an unused slot, or appended; NO_SLOT: out of memory. */
#define slot_take(array, unused, item)                                              \
	({                                                                          \
		u32 slot_ = *(unused);                                              \
		if (slot_)                                                          \
			*(unused) = (array)->v[--slot_].next;                       \
		else                                                                \
			slot_ = array_reserve(array) ? NO_SLOT : (u32)(array)->n++; \
		if (slot_ != NO_SLOT)                                               \
			(array)->v[slot_] = (item);                                 \
		slot_;                                                              \
	})

#define slot_return(array, unused, i)           \
	do {                                    \
		(array)->v[i].next = *(unused); \
		*(unused) = (i) + 1;            \
	} while (0)
