// SPDX-License-Identifier: LGPL-2.1-only
/* Growing arrays: double the room, refuse when the size would overflow. */
#include "base/base.h"

int array_grow(void *v, size_t *cap, size_t size)
{
	size_t n = *cap ? *cap * 2 : 8;
	void *old, *p;

	if (n < *cap || n > SIZE_MAX / size)
		return HIST_NOMEM;
	/* copied, not cast: a T ** is not a void ** */
	memcpy(&old, v, sizeof(old));
	p = realloc(old, n * size);
	if (!p)
		return HIST_NOMEM;
	memcpy(v, &p, sizeof(p));
	*cap = n;
	return 0;
}

bool bytes_reserve(u8 **buf, size_t *size, size_t n)
{
	u8 *p;

	if (n <= *size)
		return true;
	p = realloc(*buf, n);
	if (!p)
		return false;
	*buf = p;
	*size = n;
	return true;
}

int compare_u64(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}
