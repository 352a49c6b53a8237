/* SPDX-License-Identifier: LGPL-2.1-only */
/* Archives of tar, which are how a recording that is a directory comes through a pipe. */
#pragma once
#include "import/import.h"

/* A directory that is removed at the end of the process, too, whatever ends it. */
struct tar_dir {
	struct strbuf path; /* empty: there is none */
	int fd;             /* another process removes the directory when this is closed */
	pid_t remover;      /* < 0: there is no such process */
};

#define TAR_DIR_INIT ((struct tar_dir){ STRBUF_INIT, -1, -1 })

/* Whether a file that begins with these bytes is such an archive. */
bool tar_recognises(struct span head);

/**
 * tar_unpack() - write the files of an archive below a new directory of $TMPDIR
 * @dir: TAR_DIR_INIT; whatever is returned, the caller calls tar_remove() with it
 *
 * Links and devices are left out, and so are names that lead out of the directory.
 *
 * Return: 0; -HIST_EFORMAT if it is cut or damaged, -HIST_EIO; each with a diagnosis. -HIST_ENOMEM
 */
int tar_unpack(const struct import_input *in, struct tar_dir *dir, struct diags *diags);

/* Remove the directory and free its path. */
void tar_remove(struct tar_dir *dir);
