/* SPDX-License-Identifier: LGPL-2.1-only */
/* The data of a recording whose work directory was removed or renamed. */
#ifndef HIST_RECORD_RESCUE_H
#define HIST_RECORD_RESCUE_H

#include "record/cpu_reader.h"
#include "record/workdir.h"

/**
 * rescue_work() - copy the data to a new work directory if the old one was removed
 * @w:      complete, except for the file; replaced by the new one
 * @output: the file that is wanted
 * @moved:  set to the file that will be written instead; NULL: nothing was removed
 *
 * Return: 0, < 0 with a diagnosis: the data is lost
 */
int rescue_work(struct workdir *w, const struct readers *readers, const char *output, char **moved,
		struct diags *diags);

/*
 * Where the file @path is now, which is in the open directory @dir; NULL if it is still there, or
 * the place is unknown.
 */
char *rescue_place(int dir, const char *path);

#endif
