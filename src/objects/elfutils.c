// SPDX-License-Identifier: LGPL-2.1-only
/* Loads libelf and libdw. */
#include "objects/elfutils.h"

#define FUNCTION(name) { #name, offsetof(struct elfutils, name) },

static const struct library_function libelf_functions[] = { LIBELF_FUNCTIONS(FUNCTION) };
static const struct library_function libdw_functions[] = { LIBDW_FUNCTIONS(FUNCTION) };

static const struct library_function liblzma_functions[] = { LIBLZMA_FUNCTIONS(FUNCTION) };
static const struct library_function libdebuginfod_functions[] = { LIBDEBUGINFOD_FUNCTIONS(
	FUNCTION) };

bool elfutils_load(struct elfutils *lib)
{
	const bool tried = lib->libelf.tried;

	if (library_load(&lib->libelf, "libelf.so.1", lib, libelf_functions,
			 ARRAY_SIZE(libelf_functions)) &&
	    !tried && lib->elf_version(EV_CURRENT) == EV_NONE)
		library_unload(&lib->libelf);
	return lib->libelf.handle;
}

bool elfutils_load_dwarf(struct elfutils *lib)
{
	return elfutils_load(lib) && library_load(&lib->libdw, "libdw.so.1", lib, libdw_functions,
						  ARRAY_SIZE(libdw_functions));
}

bool elfutils_load_lzma(struct elfutils *lib)
{
	return library_load(&lib->liblzma, "liblzma.so.5", lib, liblzma_functions,
			    ARRAY_SIZE(liblzma_functions));
}

bool elfutils_load_debuginfod(struct elfutils *lib)
{
	return library_load(&lib->libdebuginfod, "libdebuginfod.so.1", lib, libdebuginfod_functions,
			    ARRAY_SIZE(libdebuginfod_functions));
}
