/* SPDX-License-Identifier: LGPL-2.1-only */
/* Reports in the kernel's words why the kernel rejected a write. */
#ifndef HIST_RECORD_KERNEL_ERRORS_H
#define HIST_RECORD_KERNEL_ERRORS_H

#include "base/base.h"

struct tracefs_instance;

/**
 * error_log_last() - parse the last entry of an error_log
 * @pos: position of the caret in @command
 *
 * Return: whether there is an entry (before 5.2 there is no such file); the results are spans of
 *         @text
 */
bool error_log_last(struct span text, struct span *message, struct span *command,
		    unsigned int *pos);

/* Whether the last entry is about @text. */
bool error_log_has(struct tracefs_instance *instance, const char *text);

/**
 * error_log_report() - report why @text was refused, with the kernel's caret
 * @instance: the instance with the error_log; NULL: the top level
 * @what:     start of the message
 *
 * Return: -HIST_EREJECTED
 */
int error_log_report(struct tracefs_instance *instance, const char *what, const char *text,
		     struct diags *diags);

#endif
