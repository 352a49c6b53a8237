// SPDX-License-Identifier: LGPL-2.1-only
/* Loads libraries; one without one of the functions is not used at all. */
#include <dlfcn.h>
#include <string.h>

#include "base/library.h"

bool library_load(struct library *library, const char *file, void *to,
		  const struct library_function *list, size_t n)
{
	if (library->tried)
		return library->handle;
	library->tried = true;
	library->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; library->handle && i < n; i++) {
		void *address = dlsym(library->handle, list[i].name);

		if (address)
			memcpy((char *)to + list[i].member, &address, sizeof(address));
		else
			library_unload(library);
	}
	return library->handle;
}

void library_unload(struct library *library)
{
	if (library->handle)
		dlclose(library->handle);
	library->handle = NULL;
}
