/* SPDX-License-Identifier: LGPL-2.1-only */
/* Events that left the kernel, but are not in the work directory of a killed recording. */
#ifndef HIST_RECORD_MISSING_H
#define HIST_RECORD_MISSING_H

#include "record/workdir.h"

struct missing {
	const struct workdir *work;
	struct span manifest;
	u32 subbuf, cpus;
	u64 ring; /* size of a ring; 0: none */
};

/**
 * missing_find() - add a caveat for each CPU of which events are or may be missing, and warn
 *
 * Nothing is read if the recording ended normally.
 *
 * Return: 0, -HIST_EIO (errno), -HIST_ENOMEM
 */
int missing_find(const struct missing *m, struct strbuf *caveats, struct diags *diags);

#endif
