/* SPDX-License-Identifier: LGPL-2.1-only */
/* The counts of a histogram from the file hist in which a kernel prints them. */
#pragma once
#include "count/count.h"

/*
 * Why the text of a kernel does not have all that a result of @hd shows; NULL: it does. Each string
 * of a key has a place of fixed width in it, so any bytes may be in a name; but rows whose strings
 * differ only in spaces at the end look equal.
 */
const char *kernel_rows_lack(const struct hist_data *hd);

/**
 * kernel_rows_read() - replace the counts of @hc by those in @text
 * @text: the file hist of an event with one histogram, for which kernel_rows_lack() is NULL
 *
 * Rows that look equal, which kernels print from 6.16 on, are added up.
 *
 * Return: 0, -HIST_ENOMEM, -HIST_EINVAL if it is not such a file: then some rows are missing
 */
int kernel_rows_read(struct hist_count *hc, struct span text);
