/* SPDX-License-Identifier: LGPL-2.1-only */
/* libhist: error codes and their messages. Part of hist.h. */
#ifndef HIST_ERROR_H
#define HIST_ERROR_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

enum hist_error {
	HIST_ENOMEM = 1,   /* out of memory */
	HIST_EIO,          /* a system call failed; see errno */
	HIST_ENOENT,       /* no such file, event, buffer */
	HIST_ENOTTRACE,    /* not a trace.dat */
	HIST_EFORMAT,      /* a trace.dat that contradicts itself */
	HIST_EUNSUPPORTED, /* a valid input that this version does not support */
	HIST_EREJECTED,    /* the kernel would refuse the text */
	HIST_EINVAL,       /* an invalid argument of the caller */
	HIST_ELIMIT,       /* a limit of this library, not of the input */
};

/* The meaning of a negative code, in a few words; a static string, never NULL. */
const char *hist_strerror(int err);

/* --- diagnoses --- */

struct diags;

enum hist_level { HIST_NOTE, HIST_WARNING, HIST_ERROR }; /* ORDER enum diag_level */

struct diags *hist_diags_new(void);
void hist_diags_free(struct diags *diags);
size_t hist_diags_count(const struct diags *diags);
enum hist_level hist_diags_level(const struct diags *diags, size_t i);

/*
 * The text of a diagnosis, with caret lines if its position is known, and a newline at the end.
 * Owns: to be freed by the caller; NULL if out of memory.
 */
char *hist_diags_text(const struct diags *diags, size_t i, const char *program, bool colour);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
