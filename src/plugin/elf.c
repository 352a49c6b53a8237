// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Checks that the dynamic linker can map a file without reading past its end: a regular file, an
 * ELF shared object for this kind of machine, with complete segments.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/elf.h"

enum { NATIVE_CLASS = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32 };

static bool read_at(int fd, void *to, size_t n, u64 at)
{
	return at <= INT64_MAX && pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

static bool is_shared_object(const ElfW(Ehdr) * head)
{
	return !memcmp(head->e_ident, ELFMAG, SELFMAG) && head->e_ident[EI_CLASS] == NATIVE_CLASS &&
	       head->e_type == ET_DYN && head->e_phentsize == sizeof(ElfW(Phdr));
}

/* Whether all segments lie within the file. */
static bool is_whole(int fd, const ElfW(Ehdr) * head, u64 size)
{
	for (size_t i = 0; i < head->e_phnum; i++) {
		ElfW(Phdr) segment;

		if (!read_at(fd, &segment, sizeof(segment), head->e_phoff + i * sizeof(segment)) ||
		    segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
			return false;
	}
	return true;
}

static int check_fd(int fd, const char *path, struct diags *diags)
{
	ElfW(Ehdr) head;
	struct stat st;

	if (fstat(fd, &st))
		return diags_error(diags, -HIST_EIO, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || !read_at(fd, &head, sizeof(head), 0) ||
	    !is_shared_object(&head))
		return diags_error(diags, -HIST_EINVAL,
				   "%s is not a shared object for this machine", path);
	if (!is_whole(fd, &head, (u64)st.st_size))
		return diags_error(diags, -HIST_EINVAL,
				   "%s is truncated: parts of the shared object are missing", path);
	return 0;
}

int elf_check(const char *path, struct diags *diags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	int err;

	if (fd < 0)
		return diags_error(diags, -HIST_EIO, "%s: %s", path, strerror(errno));
	err = check_fd(fd, path, diags);
	close(fd);
	return err;
}
