/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The functions of libelf and libdw, which are loaded when the first file is read: most runs need
 * none, and linking them would double the time that the program takes to start.
 */
#pragma once
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include "base/base.h"

#define LIBELF_FUNCTIONS(f)                                                                    \
	f(elf_version) f(elf_begin) f(elf_memory) f(elf_end) f(elf_kind) f(elf_getphdrnum)     \
		f(elf_getshdrstrndx) f(elf_nextscn) f(elf_getscn) f(elf_ndxscn) f(elf_getdata) \
			f(elf_strptr) f(gelf_getehdr) f(gelf_getphdr) f(gelf_getshdr)          \
				f(gelf_getsym) f(gelf_getrel) f(gelf_getrela) f(gelf_getnote)

#define LIBDW_FUNCTIONS(f)                                                                         \
	f(dwarf_begin_elf) f(dwarf_end) f(dwarf_get_units) f(dwarf_cu_die) f(dwarf_dieoffset)      \
		f(dwarf_offdie) f(dwarf_child) f(dwarf_siblingof) f(dwarf_tag) f(dwarf_ranges) f(  \
			dwarf_attr_integrate) f(dwarf_attr) f(dwarf_formstring) f(dwarf_formudata) \
			f(dwarf_diename) f(dwarf_getsrc_die) f(dwarf_linesrc) f(dwarf_lineno) f(   \
				dwarf_getsrcfiles) f(dwarf_filesrc) f(dwfl_begin) f(dwfl_end)      \
				f(dwfl_report_begin) f(dwfl_report_module) f(dwfl_report_end)      \
					f(dwfl_module_info) f(dwfl_attach_state)                   \
						f(dwfl_getthread_frames)                           \
							f(dwfl_thread_state_registers)             \
								f(dwfl_thread_state_register_pc)   \
									f(dwfl_frame_pc)

/* Of lzma.h, which is not needed otherwise. */
int lzma_stream_buffer_decode(u64 *max_memory, u32 flags, const void *allocator, const u8 *in,
			      size_t *in_at, size_t in_size, u8 *out, size_t *out_at,
			      size_t out_size);

#define LIBLZMA_FUNCTIONS(f) f(lzma_stream_buffer_decode)

/* Of elfutils/debuginfod.h, which is not needed otherwise: a descriptor, or a negative errno. */
void *debuginfod_begin(void);
void debuginfod_end(void *client);
int debuginfod_find_debuginfo(void *client, const u8 *build_id, int len, char **path);
int debuginfod_find_executable(void *client, const u8 *build_id, int len, char **path);

#define LIBDEBUGINFOD_FUNCTIONS(f)                                         \
	f(debuginfod_begin) f(debuginfod_end) f(debuginfod_find_debuginfo) \
		f(debuginfod_find_executable)

#define DECLARE_POINTER(name) __typeof__(name) *(name);

struct elfutils {
	struct library libelf, libdw, liblzma, libdebuginfod;
	LIBELF_FUNCTIONS(DECLARE_POINTER)
	LIBDW_FUNCTIONS(DECLARE_POINTER)
	LIBLZMA_FUNCTIONS(DECLARE_POINTER)
	LIBDEBUGINFOD_FUNCTIONS(DECLARE_POINTER)
};

/* Load libelf, or libdw, liblzma or libdebuginfod, too, unless that was tried; whether they are
 * there. */
bool elfutils_load(struct elfutils *lib);
bool elfutils_load_dwarf(struct elfutils *lib);
bool elfutils_load_lzma(struct elfutils *lib);
bool elfutils_load_debuginfod(struct elfutils *lib);
