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

static void *load(struct elfutils *lib, const char *file, const struct function *list, size_t n)
{
	void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; handle && i < n; i++) {
		void *address = dlsym(handle, list[i].name);

		if (!address) {
			dlclose(handle);
			return NULL;
		}
		memcpy((char *)lib + list[i].member, &address, sizeof(address));
	}
	return handle;
}

bool elfutils_load(struct elfutils *lib)
{
	if (!lib->tried) {
		lib->tried = true;
		lib->libelf =
			load(lib, "libelf.so.1", libelf_functions, ARRAY_SIZE(libelf_functions));
		if (lib->libelf && lib->elf_version(EV_CURRENT) == EV_NONE) {
			dlclose(lib->libelf);
			lib->libelf = NULL;
		}
	}
	return lib->libelf;
}

bool elfutils_load_dwarf(struct elfutils *lib)
{
	if (!lib->tried_dwarf && elfutils_load(lib)) {
		lib->tried_dwarf = true;
		lib->libdw = load(lib, "libdw.so.1", libdw_functions, ARRAY_SIZE(libdw_functions));
	}
	return lib->libdw;
}

bool elfutils_load_lzma(struct elfutils *lib)
{
	if (!lib->tried_lzma) {
		lib->tried_lzma = true;
		lib->liblzma =
			load(lib, "liblzma.so.5", liblzma_functions, ARRAY_SIZE(liblzma_functions));
	}
	return lib->liblzma;
}

bool elfutils_load_debuginfod(struct elfutils *lib)
{
	if (!lib->tried_debuginfod) {
		lib->tried_debuginfod = true;
		lib->libdebuginfod = load(lib, "libdebuginfod.so.1", libdebuginfod_functions,
					  ARRAY_SIZE(libdebuginfod_functions));
	}
	return lib->libdebuginfod;
}
