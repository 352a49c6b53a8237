// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The files that a command reads. An output replaces the file of its name, so an output that is
 * also an input would destroy the input. Files are compared by device and inode, so links and other
 * spellings of a path are found. Pipes and devices are not replaced and may be both. Directories
 * are added, too, because a copy of the tracing directory must not be counted twice; a file in one
 * is another file.
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
	struct input_files in = INPUT_FILES_INIT;
	int err = input_files_add(&in, input, input);

	err = err ?: input_files_check_output(&in, output, diags);
	input_files_release(&in);
	return err;
}

void input_files_release(struct input_files *in)
{
	for (size_t i = 0; i < in->list.n; i++)
		free(in->list.v[i].name);
	array_release(&in->list);
}
