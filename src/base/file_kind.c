// SPDX-License-Identifier: LGPL-2.1-only
/* Recognises compressed files, archives, and what else is not a recording, by their first bytes. */
#include "base/base.h"

static const struct {
	size_t at;
	const char *bytes;
	size_t n;
	const char *what;
} kinds[] = {
	{ 0, "\x1f\x8b", 2, "is compressed with gzip; unpack it first" },
	{ 0, "\xfd\x37zXZ", 5, "is compressed with xz; unpack it first" },
	{ 0, "\x28\xb5\x2f\xfd", 4, "is compressed with zstd as a whole; unpack it first" },
	{ 0, "BZh", 3, "is compressed with bzip2; unpack it first" },
	{ 0, "\x04\x22\x4d\x18", 4, "is compressed with lz4; unpack it first" },
	{ 0, "PK\x03\x04", 4, "is a zip archive; unpack it first" },
	{ 0, "7z\xbc\xaf\x27\x1c", 6, "is a 7z archive; unpack it first" },
	{ 257, "ustar", 5, "is a tar archive; unpack it first" },
	{ 0, "version https://git-lfs.github.com/", 35,
	  "is a pointer of Git LFS, not the file itself; git lfs pull fetches it" },
	{ 0, "/annex/objects/", 15,
	  "is a pointer of git-annex, not the file itself; git annex get fetches it" },
	{ 0, "<!DOCTYPE html", 14, "is a web page; give the text of the trace in it" },
	{ 0, "TRACE:\n\x78", 8, "is a compressed trace of atrace -z; write one without -z" },
	{ 0, "LPKSHHRH", 8, "is a journal; save what journalctl -k prints, and read that" },
	{ 0,
	  "\x7f"
	  "ELF",
	  4, "is a program or a core dump (ELF), not a trace.dat" },
	{ 0, "/* CTF", 6,
	  "is the metadata of a CTF trace, as LTTng writes them; it cannot be read" },
	{ 0, "\x75\xd1\x1d\xc1", 4,
	  "is part of a CTF trace, as LTTng writes them; it cannot be read" },
	{ 0, "\xc1\x1f\xfc\xc1", 4,
	  "is part of a CTF trace, as LTTng writes them; it cannot be read" },
};

const char *file_kind(struct span head)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (head.n >= kinds[i].at + kinds[i].n &&
		    !memcmp(head.s + kinds[i].at, kinds[i].bytes, kinds[i].n))
			return kinds[i].what;
	return NULL;
}
