/* SPDX-License-Identifier: LGPL-2.1-only */
/* Archives of tar, which are how a recording that is a directory comes through a pipe. */
#ifndef HIST_IMPORT_TAR_H
#define HIST_IMPORT_TAR_H

#include "import/import.h"

/* Whether a file that begins with these bytes is such an archive. */
bool tar_recognises(struct span head);

/**
 * tar_unpack() - write the files of an archive below a new directory of $TMPDIR
 * @dir: its path; whatever is returned, the caller calls tar_remove() with it
 *
 * Links and devices are left out, and so are names that lead out of the directory.
 *
 * Return: 0; -HIST_EFORMAT if it is cut or damaged, -HIST_EIO; each with a diagnosis. -HIST_ENOMEM
 */
int tar_unpack(const struct import_input *in, struct strbuf *dir, struct diags *diags);

/* Remove the directory and free its path. */
void tar_remove(struct strbuf *dir);

#endif
