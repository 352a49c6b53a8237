/* SPDX-License-Identifier: LGPL-2.1-only */
/* Kernel symbols for recordings without symbols. */
#pragma once
#include "import/sink.h"

/* Identification of the kernel that the addresses belong to. */
struct symbols_kernel {
	const u8 *build_id;
	u32 build_id_len;          /* 0: unknown */
	u64 text_addr;             /* of _text (or _stext); 0: unknown */
	struct span host, release; /* as uname() has them; absent: unknown */
};

/* Whether an event with this format can contain a kernel address. */
bool format_needs_symbols(struct span format);

/*
 * Add the symbols of options->kallsyms; otherwise those of this machine, if it runs @kernel. If
 * there are none, a note gives the reason. Return: 0, -HIST_EIO with a diagnosis, -HIST_ENOMEM
 */
int symbols_add(struct import_job *job, const struct symbols_kernel *kernel);
