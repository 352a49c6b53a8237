/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Private to plugin: checks that a file is a complete shared object, because the dynamic linker
 * trusts what it maps.
 */
#ifndef HIST_PLUGIN_ELF_H
#define HIST_PLUGIN_ELF_H

#include "base/base.h"

/* 0, -HIST_EINVAL, -HIST_EIO */
int elf_check(const char *path, struct diags *diags);

#endif
