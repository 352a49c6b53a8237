/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Buffers that outlive a boot (reserve_mem, memory that is mapped at boot). Addresses in their
 * records are those of the boot that wrote them; the recording's symbols are of the boot that read
 * them.
 */
#ifndef HIST_RECORDING_LAST_BOOT_H
#define HIST_RECORDING_LAST_BOOT_H

#include "recording/recording.h"

/**
 * last_boot_symbols() - the symbols of a recording at their addresses when a buffer was written
 * @text: kallsyms of @rec; replaced by a copy in @arena, or left unchanged
 *
 * Source: last_boot_info of the instance, modules of the boot that read it
 * Return: 0, -HIST_ENOMEM
 */
int last_boot_symbols(const struct recording *rec, const char *buffer, struct arena *arena,
		      struct span *text, struct diags *diags);

#endif
