/* SPDX-License-Identifier: LGPL-2.1-only */
/* Where an output file goes: the directory and the name in it, after symbolic links. */
#pragma once
#include <sys/types.h>

#include "base/diag.h"

enum out_kind {
	OUT_FILE,  /* a new file, or one that is replaced */
	OUT_OTHER, /* a device, pipe or directory */
	OUT_FD,    /* a descriptor of this process, such as /dev/stdout or /dev/fd/63 */
};

struct out_dest {
	int dir;          /* the open directory */
	const char *name; /* name in it */
	const char *path; /* name in messages */
	enum out_kind kind;
	mode_t mode; /* permissions of the file that is replaced; 0: there is none */
};

#define OUT_DEST_INIT     \
	{                 \
		.dir = -1 \
	}

/**
 * out_dest_open() - find the destination of the output @path
 * @path:    a symbolic link is followed, unless another user can have planted it: it belongs
 * neither to the caller nor to root, or has several names, and is in a directory where other users
 * can write
 * @to_file: a descriptor that refers to a regular file means this file, which is replaced
 *
 * The name of the open directory is not looked up again, so other users cannot exchange it.
 *
 * Return: 0, -HIST_EIO, -HIST_ENOMEM, with a diagnosis
 */
int out_dest_open(struct out_dest *dest, const char *path, bool to_file, struct diags *diags);
void out_dest_close(struct out_dest *dest);

/*
 * Open a new or empty directory for output, which is created if it does not exist; -1 with a
 * diagnosis. A link that another user can have planted is not followed.
 */
int out_dir_open(const char *path, struct diags *diags);

/* Refuse two outputs of a command that are the same file. 0, -HIST_EINVAL with a diagnosis */
int out_dests_differ(const char *a, const char *b, struct diags *diags);

/* Open an OUT_OTHER or OUT_FD for writing; -1 with errno: EACCES if another user planted it. */
int out_dest_write(const struct out_dest *dest);
