/* SPDX-License-Identifier: LGPL-2.1-only */
/* Debug information (DWARF) of a file: source lines, and which functions were inlined where. */
#ifndef HIST_OBJECTS_DEBUG_INFO_H
#define HIST_OBJECTS_DEBUG_INFO_H

#include "objects/elf_file.h"

struct debug_info;

/*
 * @f is open, and closed by debug_info_close(), or here on failure. Return: NULL: there is no debug
 * information, it is damaged, or out of memory
 */
struct debug_info *debug_info_open(struct elf_file *f);
void debug_info_close(struct debug_info *info);

/*
 * The functions at an address of the program, the innermost first, with names as in the file, which
 * are valid until debug_info_close(). @all: the last one is not inlined. Return: their number, at
 * most @max; 0: unknown
 */
size_t debug_info_lines(struct debug_info *info, u64 addr, struct object_line *lines, size_t max,
			bool *all);

#endif
