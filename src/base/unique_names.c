// SPDX-License-Identifier: LGPL-2.1-only
/* Names of columns. */
#include <string.h>

#include "base/unique_names.h"

const char *unique_names_add(struct unique_names *names, const char *name)
{
	unsigned int n = 1;

	for (size_t i = 0; i < names->given.n; i++)
		n += !strcmp(names->given.v[i], name);
	if (array_push(&names->given, name))
		return NULL;
	return n > 1 ? arena_printf(names->arena, "%s#%u", name, n) : name;
}
