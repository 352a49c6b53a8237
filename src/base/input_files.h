/* SPDX-License-Identifier: LGPL-2.1-only */
/* The files that a command reads, which it must not replace. */
#pragma once
#include <sys/types.h>

#include "base/array.h"
#include "base/diag.h"

struct input_file {
	dev_t dev;
	ino_t ino;
	char *name;
};

struct input_files {
	ARRAY(struct input_file) list;
};

#define INPUT_FILES_INIT           \
	{                          \
		.list = ARRAY_INIT \
	}

/* Add a file or directory, named @name in messages; others do not matter. 0, -HIST_ENOMEM */
int input_files_add(struct input_files *in, const char *path, const char *name);
int input_files_add_fd(struct input_files *in, int fd, const char *name);

/* The name under which the file at @path, or @fd, was added before; NULL: it was not. */
const char *input_files_find(const struct input_files *in, const char *path);
const char *input_files_find_fd(const struct input_files *in, int fd);

/**
 * input_files_check_output() - refuse an output that is one of the inputs, through links, too
 * @output: NULL: there is none
 *
 * Return: 0, -HIST_EINVAL with a diagnosis
 */
int input_files_check_output(const struct input_files *in, const char *output, struct diags *diags);

/* The same for a single input. */
int input_file_check_output(const char *input, const char *output, struct diags *diags);

void input_files_release(struct input_files *in);

/*
 * What a file with these first bytes is, and what to do with it: "is compressed with gzip; unpack
 * it first". NULL: unknown. The first FILE_KIND_HEAD bytes suffice.
 */
enum { FILE_KIND_HEAD = 512 };
#define FILE_KIND_UNKNOWN "is not a trace.dat file; scripts are given without -i"
const char *file_kind(struct span head);
