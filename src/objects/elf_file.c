// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Opens ELF files by libelf, which reads sections when they are asked for, and never maps: a file
 * that shrinks meanwhile is an error, not a signal. All numbers of the file are untrusted.
 */
#include "objects/elf_file.h"

/* Far more than any file has, but no reason to use all memory. */
enum { SEGMENTS_MAX = 1000, SECTION_MAX = 1 << 30, PAGE = 4096 };

static int read_segments(struct elf_file *f)
{
	size_t n;
	int err = 0;

	if (f->lib->elf_getphdrnum(f->elf, &n))
		return -HIST_EFORMAT;
	for (size_t i = 0; i < n && i < SEGMENTS_MAX && !err; i++) {
		GElf_Phdr p;

		if (!f->lib->gelf_getphdr(f->elf, (int)i, &p))
			return -HIST_EFORMAT;
		if (p.p_type == PT_LOAD)
			err = array_push(&f->segments, ((struct elf_segment){
							       .offset = p.p_offset,
							       .file_size = p.p_filesz,
							       .addr = p.p_vaddr,
							       .size = p.p_memsz,
							       .align = p.p_align ? p.p_align : 1,
							       .code = p.p_flags & PF_X,
						       }));
	}
	return err;
}

/* The linker writes it as a note of a section; all notes of a section have one alignment. */
static void read_build_id(struct elf_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while (!f->build_id_len && elf_file_next(f, &scn, &header)) {
		Elf_Data *data;
		GElf_Nhdr note;
		size_t name, desc, at = 0;

		if (header.sh_type != SHT_NOTE || !elf_file_contents(f, scn, &header).n)
			continue;
		data = f->lib->elf_getdata(scn, NULL);
		while ((at = f->lib->gelf_getnote(data, at, &note, &name, &desc))) {
			const u8 *bytes = data->d_buf;

			if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
			    memcmp(bytes + name, "GNU", sizeof("GNU")) ||
			    note.n_descsz > OBJECT_BUILD_ID_MAX)
				continue;
			memcpy(f->build_id, bytes + desc, note.n_descsz);
			f->build_id_len = note.n_descsz;
			break;
		}
	}
}

static int read_header(struct elf_file *f)
{
	int err;

	if (!f->elf || f->lib->elf_kind(f->elf) != ELF_K_ELF ||
	    !f->lib->gelf_getehdr(f->elf, &f->header))
		err = -HIST_EFORMAT;
	else
		err = read_segments(f);
	if (err)
		elf_file_close(f);
	else
		read_build_id(f);
	return err;
}

int elf_file_open(struct elf_file *f, const struct elfutils *lib, const char *path)
{
	*f = (struct elf_file){ .lib = lib, .fd = fd_open_file(path) };
	if (f->fd < 0)
		return errno == ENOMEM ? -HIST_ENOMEM : -HIST_EIO;
	f->elf = lib->elf_begin(f->fd, ELF_C_READ, NULL);
	return read_header(f);
}

int elf_file_open_image(struct elf_file *f, const struct elfutils *lib, char *data, size_t n)
{
	*f = (struct elf_file){ .lib = lib, .fd = -1 };
	f->elf = lib->elf_memory(data, n);
	return read_header(f);
}

void elf_file_close(struct elf_file *f)
{
	if (f->elf)
		f->lib->elf_end(f->elf);
	f->elf = NULL;
	fd_close(f->fd);
	f->fd = -1;
	array_release(&f->segments);
}

bool elf_file_next(const struct elf_file *f, Elf_Scn **scn, GElf_Shdr *header)
{
	while ((*scn = f->lib->elf_nextscn(f->elf, *scn)))
		if (f->lib->gelf_getshdr(*scn, header))
			return true;
	return false;
}

const char *elf_file_section_name(const struct elf_file *f, const GElf_Shdr *header)
{
	const char *name = NULL;
	size_t names;

	if (!f->lib->elf_getshdrstrndx(f->elf, &names))
		name = f->lib->elf_strptr(f->elf, names, header->sh_name);
	return name ? name : "";
}

Elf_Scn *elf_file_section(const struct elf_file *f, u32 type, const char *name, GElf_Shdr *header)
{
	Elf_Scn *scn = NULL;

	while (elf_file_next(f, &scn, header))
		if (name ? !strcmp(elf_file_section_name(f, header), name)
			 : header->sh_type == type)
			return scn;
	return NULL;
}

struct span elf_file_contents(const struct elf_file *f, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = NULL;

	if (header->sh_type != SHT_NOBITS && header->sh_size <= SECTION_MAX)
		data = f->lib->elf_getdata(scn, NULL);
	return data && data->d_buf ? (struct span){ data->d_buf, data->d_size }
				   : (struct span){ 0 };
}

bool segments_offset(const segment_array *segments, u64 addr, u64 *offset)
{
	array_each(const struct elf_segment, s, segments) {
		if (addr - s->addr < s->size && addr >= s->addr) {
			*offset = addr - s->addr + s->offset;
			return true;
		}
	}
	return false;
}

bool segments_address(const segment_array *segments, u64 offset, u64 *addr)
{
	array_each(const struct elf_segment, s, segments) {
		if (offset - s->offset < s->file_size && offset >= s->offset) {
			*addr = offset - s->offset + s->addr;
			return true;
		}
	}
	return false;
}

bool segments_code_address(const segment_array *segments, u64 offset, u64 *addr)
{
	array_each(const struct elf_segment, s, segments) {
		const u64 start = s->offset & ~(u64)(PAGE - 1);

		if (s->code && offset - start < s->offset - start + s->file_size &&
		    offset >= start) {
			*addr = offset - s->offset + s->addr;
			return true;
		}
	}
	return false;
}
