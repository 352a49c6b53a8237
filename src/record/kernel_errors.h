/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Why the kernel refused a text, in its own words.
 */
#ifndef HIST_RECORD_KERNEL_ERRORS_H
#define HIST_RECORD_KERNEL_ERRORS_H

#include "base/base.h"

struct tracefs_instance;

/**
 * error_log_last() - the last entry of an error_log
 * @pos: position of the caret in @command
 *
 * Shape:  spans of @text; without an entry (or before 5.2, without the file) false
 */
bool error_log_last(struct span text, struct span *message, struct span *command,
		    unsigned int *pos);

/* Whether the last entry is about @text. */
bool error_log_has(struct tracefs_instance *instance, const char *text);

/**
 * error_log_tell() - report why @text was refused, with the kernel's caret
 * @instance: the instance with the error_log; NULL: the top
 * @what:     start of the message
 *
 * Return: -HIST_EREJECTED
 */
int error_log_tell(struct tracefs_instance *instance, const char *what, const char *text,
		   struct diags *diags);

#endif
