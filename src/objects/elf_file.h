/* SPDX-License-Identifier: LGPL-2.1-only */
/* An ELF file that is open: its segments, sections and build-id. */
#pragma once
#include "objects/elfutils.h"
#include "objects/objects.h"

struct elf_segment {
	u64 offset, file_size, addr, size, align;
	bool code;
};

typedef ARRAY(struct elf_segment) segment_array;

struct elf_file {
	const struct elfutils *lib;
	int fd;
	Elf *elf; /* NULL: not open */
	GElf_Ehdr header;
	segment_array segments; /* those that are loaded */
	u8 build_id[OBJECT_BUILD_ID_MAX];
	size_t build_id_len; /* 0: none */
};

/*
 * Open a file, or an image in memory (@data, which must live as long). @f is initialised in any
 * case. Return: 0, -HIST_EIO with errno, -HIST_EFORMAT, -HIST_ENOMEM
 */
int elf_file_open(struct elf_file *f, const struct elfutils *lib, const char *path);
int elf_file_open_image(struct elf_file *f, const struct elfutils *lib, char *data, size_t n);
void elf_file_close(struct elf_file *f);

/* The next section; false after the last one. Starts with @scn NULL. */
bool elf_file_next(const struct elf_file *f, Elf_Scn **scn, GElf_Shdr *header);

/* Its name, "" if that is damaged. */
const char *elf_file_section_name(const struct elf_file *f, const GElf_Shdr *header);

/* The first section of this type, or name if that is not NULL; NULL: none. */
Elf_Scn *elf_file_section(const struct elf_file *f, u32 type, const char *name, GElf_Shdr *header);

/* The contents, if they are at most OBJECT_SECTION_MAX bytes and in the file; otherwise empty. */
struct span elf_file_contents(const struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *header);

/* Between addresses of the program and offsets in the file; false: in no segment. */
bool segments_offset(const segment_array *segments, u64 addr, u64 *offset);
bool segments_address(const segment_array *segments, u64 offset, u64 *addr);

/* The address of a mapping with code, which starts at the start of a page. */
bool segments_code_address(const segment_array *segments, u64 offset, u64 *addr);
