/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Places of an array that are used again: an element that is not used any more has the number of
 * the next such one, from 1 on, in its member ->next. The first is *@unused; 0: there is none.
 */
#ifndef HIST_DERIVE_PLACES_H
#define HIST_DERIVE_PLACES_H

enum { NO_PLACE = UINT32_MAX };

/* The index of @item, which is copied to an unused place, or appended; NO_PLACE: out of memory. */
#define place_take(array, unused, item)                                               \
	({                                                                            \
		u32 place_ = *(unused);                                               \
		if (place_)                                                           \
			*(unused) = (array)->v[--place_].next;                        \
		else                                                                  \
			place_ = array_reserve(array) ? NO_PLACE : (u32)(array)->n++; \
		if (place_ != NO_PLACE)                                               \
			(array)->v[place_] = (item);                                  \
		place_;                                                               \
	})

#define place_return(array, unused, i)          \
	do {                                    \
		(array)->v[i].next = *(unused); \
		*(unused) = (i) + 1;            \
	} while (0)

#endif
