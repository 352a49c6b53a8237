// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Loads libelf and libdw; a library without one of the functions is not used at all. They stay
 * loaded, as if they were linked.
 */
#include <dlfcn.h>
#include <string.h>

#include "objects/elfutils.h"

struct function {
	const char *name;
	size_t member; /* offset of the pointer */
};

#define FUNCTION(name) { #name, offsetof(struct elfutils, name) },

static const struct function libelf_functions[] = { LIBELF_FUNCTIONS(FUNCTION) };
static const struct function libdw_functions[] = { LIBDW_FUNCTIONS(FUNCTION) };

static const struct function liblzma_functions[] = { LIBLZMA_FUNCTIONS(FUNCTION) };
static const struct function libdebuginfod_functions[] = { LIBDEBUGINFOD_FUNCTIONS(FUNCTION) };

/* Load a library unless that was tried; whether it is there, with all of these functions. */
static bool load(struct elfutils *lib, struct elfutils_library *of, const char *file,
		 const struct function *list, size_t n)
{
	if (of->tried)
		return of->handle;
	of->tried = true;
	of->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	for (size_t i = 0; of->handle && i < n; i++) {
		void *address = dlsym(of->handle, list[i].name);

		if (address) {
			memcpy((char *)lib + list[i].member, &address, sizeof(address));
		} else {
			dlclose(of->handle);
			of->handle = NULL;
		}
	}
	return of->handle;
}

bool elfutils_load(struct elfutils *lib)
{
	const bool tried = lib->libelf.tried;

	if (load(lib, &lib->libelf, "libelf.so.1", libelf_functions,
		 ARRAY_SIZE(libelf_functions)) &&
	    !tried && lib->elf_version(EV_CURRENT) == EV_NONE) {
		dlclose(lib->libelf.handle);
		lib->libelf.handle = NULL;
	}
	return lib->libelf.handle;
}

bool elfutils_load_dwarf(struct elfutils *lib)
{
	return elfutils_load(lib) &&
	       load(lib, &lib->libdw, "libdw.so.1", libdw_functions, ARRAY_SIZE(libdw_functions));
}

bool elfutils_load_lzma(struct elfutils *lib)
{
	return load(lib, &lib->liblzma, "liblzma.so.5", liblzma_functions,
		    ARRAY_SIZE(liblzma_functions));
}

bool elfutils_load_debuginfod(struct elfutils *lib)
{
	return load(lib, &lib->libdebuginfod, "libdebuginfod.so.1", libdebuginfod_functions,
		    ARRAY_SIZE(libdebuginfod_functions));
}
