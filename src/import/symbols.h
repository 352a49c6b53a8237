/* SPDX-License-Identifier: LGPL-2.1-only */
/* Kernel symbols for what has none of its own. */
#ifndef HIST_IMPORT_SYMBOLS_H
#define HIST_IMPORT_SYMBOLS_H

#include "import/sink.h"

/* What a source contains about the kernel of its addresses. */
struct symbols_kernel {
	const u8 *build_id;
	u32 build_id_len; /* 0: not known */
	u64 text_addr;    /* of _text (or _stext); 0: not known */
};

/* Whether a record of an event with this format can have a kernel address. */
bool symbols_wanted(struct span format);

/*
 * The symbols of options->kallsyms; else of this machine, if @kernel is what runs here. Says why
 * there are none. Return: 0, -HIST_EIO with a diagnosis, -HIST_ENOMEM
 */
int symbols_add(struct import_job *job, const struct symbols_kernel *kernel);

#endif
