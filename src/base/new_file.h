/* SPDX-License-Identifier: LGPL-2.1-only */
/* A file that appears under its name when it is complete. */
#pragma once
#include "base/out_dest.h"

struct new_file {
	int fd; /* -1: not open */
	struct out_dest dest;
	char *tmp; /* the temporary name; NULL: the file has no name */
};

#define NEW_FILE_INIT                          \
	{                                      \
		.fd = -1, .dest = {.dir = -1 } \
	}

/* Create a file for @dest, which is copied; 0 or -1 with errno. */
int new_file_open(struct new_file *f, const struct out_dest *dest);

/* Give the file its name, which replaces another one; 0 or -1 with errno. */
int new_file_commit(struct new_file *f);

/* Close it; without new_file_commit() the file is removed. */
void new_file_close(struct new_file *f);
