// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The files that a command reads. An output replaces the file of its name, so an output that is
 * also an input would destroy the input. Files are compared by device and inode, so links and other
 * spellings of a path are found. Pipes and devices are not replaced and may be both. Directories
 * are added, too, because a copy of the tracing directory must not be counted twice; a file in one
 * is another file. What is not a recording is recognised by its first bytes.
 */
#include <string.h>
#include <sys/stat.h>

#include "base/input_files.h"

static int add(struct input_files *in, const struct stat *st, const char *name)
{
	struct input_file file = { st->st_dev, st->st_ino, NULL };

	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return 0;
	file.name = strdup(name);
	if (file.name && !array_push(&in->list, file))
		return 0;
	free(file.name);
	return HIST_NOMEM;
}

int input_files_add(struct input_files *in, const char *path, const char *name)
{
	struct stat st;

	return stat(path, &st) ? 0 : add(in, &st, name);
}

int input_files_add_fd(struct input_files *in, int fd, const char *name)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : add(in, &st, name);
}

static const char *find(const struct input_files *in, const struct stat *st)
{
	for (size_t i = 0; i < in->list.n; i++)
		if (in->list.v[i].dev == st->st_dev && in->list.v[i].ino == st->st_ino)
			return in->list.v[i].name;
	return NULL;
}

const char *input_files_find(const struct input_files *in, const char *path)
{
	struct stat st;

	return stat(path, &st) ? NULL : find(in, &st);
}

const char *input_files_find_fd(const struct input_files *in, int fd)
{
	struct stat st;

	return fstat(fd, &st) ? NULL : find(in, &st);
}

int input_files_check_output(const struct input_files *in, const char *output, struct diags *diags)
{
	const char *name = output ? input_files_find(in, output) : NULL;

	if (!name)
		return 0;
	if (!strcmp(name, output))
		return diags_error(diags, -HIST_EINVAL,
				   "%s: is an input of this command; write to another file",
				   output);
	return diags_error(diags, -HIST_EINVAL,
			   "%s: is the same file as the input %s; write to another file", output,
			   name);
}

int input_file_check_output(const char *input, const char *output, struct diags *diags)
{
	scoped(input_files_release) struct input_files in = INPUT_FILES_INIT;
	return input_files_add(&in, input, input) ?: input_files_check_output(&in, output, diags);
}

void input_files_release(struct input_files *in)
{
	for (size_t i = 0; i < in->list.n; i++)
		free(in->list.v[i].name);
	array_release(&in->list);
}

/* --- what is not a recording --- */

#define SCRIPT "; save that of perf script, and read that"
#define CTF    ", as LTTng writes them; the recording is its directory"

enum { ANYWHERE = FILE_KIND_HEAD };

static const struct {
	size_t at;
	const char *bytes;
	size_t n;
	const char *what;
} kinds[] = {
	{ 0, "\x1f\x8b", 2,
	  "is compressed with gzip; unpack it first: zcat FILE | hist report -i -" },
	{ 0, "\xfd\x37zXZ", 5,
	  "is compressed with xz; unpack it first: xzcat FILE | hist report -i -" },
	{ 0, "\x28\xb5\x2f\xfd", 4,
	  "is compressed with zstd as a whole; unpack it first: zstdcat FILE | hist report -i -" },
	{ 0, "BZh", 3, "is compressed with bzip2; unpack it first: bzcat FILE | hist report -i -" },
	{ 0, "\x04\x22\x4d\x18", 4,
	  "is compressed with lz4; unpack it first: lz4cat FILE | hist report -i -" },
	{ 0, "PK\x03\x04", 4, "is a zip archive; unpack it first" },
	{ 0, "7z\xbc\xaf\x27\x1c", 6, "is a 7z archive; unpack it first" },
	{ 257, "ustar", 5, "is a tar archive; hist import reads those of directories" },
	{ 0, "version https://git-lfs.github.com/", 35,
	  "is a pointer of Git LFS, not the file itself; git lfs pull fetches it" },
	{ 0, "/annex/objects/", 15,
	  "is a pointer of git-annex, not the file itself; git annex get fetches it" },
	{ 0, "LPKSHHRH", 8, "is a journal; save what journalctl -k prints, and read that" },
	{ 0,
	  "\x7f"
	  "ELF",
	  4, "is a program or a core dump (ELF), not a trace.dat" },
	{ 0, "/* CTF", 6, "is the metadata of a CTF trace" CTF },
	{ 0, "\x57\x1d\xd1\x75", 4, "is the metadata of a CTF trace" CTF },
	{ 0, "\x75\xd1\x1d\x57", 4, "is the metadata of a CTF trace" CTF },
	{ 0, "\x1e{", 2, "is the metadata of a CTF 2 trace" CTF },
	{ 0, "SIMPLEPERF", 10,
	  "is a report of simpleperf; save what simpleperf's report_sample.py prints, and read that" },
	{ 0, "\x75\xd1\x1d\xc1", 4, "is part of a CTF trace" CTF },
	{ 0, "\xc1\x1f\xfc\xc1", 4, "is part of a CTF trace" CTF },
	{ 0, "SQLite format 3", 15, "is a database of SQLite, not a recording" },
	{ 0, "Attaching ", 10, "is the output of bpftrace, which has no form of its own" },
	{ ANYWHERE, ": { cpu_id = ", 13,
	  "is the output of babeltrace; read the CTF trace itself, a directory" },
	{ ANYWHERE, "wait time  sch delay", 20, "is the output of perf sched timehist" SCRIPT },
	{ ANYWHERE, "delay ms ", 9, "is the output of perf sched latency" SCRIPT },
	{ ANYWHERE, " secs A0 => ", 12, "is the output of perf sched map" SCRIPT },
	{ ANYWHERE, " ms): ", 6, "is the output of perf trace" SCRIPT },
	{ ANYWHERE, "# Overhead ", 11, "is the output of perf report" SCRIPT },
	{ ANYWHERE, "--header/--header-only", 22, "is the output of perf report" SCRIPT },
	{ ANYWHERE, "Performance counter stats", 25,
	  "is the output of perf stat, which has no events" },
	{ ANYWHERE, "\"traceEvents\"", 13, "is a trace of Chrome in JSON, which cannot be read" },
	{ ANYWHERE, "\"ph\":", 5, "is a trace of Chrome in JSON, which cannot be read" },
};

static bool is_kind(struct span head, size_t i)
{
	if (kinds[i].at == ANYWHERE)
		return memmem(head.s, min_t(size_t, head.n, ANYWHERE), kinds[i].bytes, kinds[i].n);
	return head.n >= kinds[i].at + kinds[i].n &&
	       !memcmp(head.s + kinds[i].at, kinds[i].bytes, kinds[i].n);
}

const char *file_kind(struct span head)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (is_kind(head, i))
			return kinds[i].what;
	head = span_ltrim(head);
	head = span_starts(head, "[") ? span_ltrim(span_skip(head, 1)) : head;
	return span_starts(head, "{")
		       ? "is JSON, which cannot be read; saved results are for hist diff and "
			 "hist merge"
		       : NULL;
}
