/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a function of libhist can return.
 *
 * 0 is success, a positive value the end of an iteration, a negative one of these
 * codes. The code steers control flow; what the user reads is a diagnosis (diag.h).
 * ORDER enum hist_error in hist.h, which programs include instead.
 */
#ifndef HIST_BASE_ERROR_H
#define HIST_BASE_ERROR_H

#ifndef HIST_ERRORS
#define HIST_ERRORS
enum hist_error {
	HIST_ENOMEM = 1,   /* no memory */
	HIST_EIO,          /* a system call failed; errno says why */
	HIST_ENOENT,       /* no such file, event, buffer */
	HIST_ENOTTRACE,    /* not a trace.dat */
	HIST_EFORMAT,      /* a trace.dat that contradicts itself */
	HIST_EUNSUPPORTED, /* a valid input that this program cannot take */
	HIST_EREJECTED,    /* the kernel would refuse the text */
	HIST_EINVAL,       /* a wrong argument of the caller */
	HIST_ELIMIT,       /* a limit of this program, not of the input */
};
#endif

/* The code of an allocation that failed, for the one place that most functions need it. */
#define HIST_NOMEM (-HIST_ENOMEM)

/**
 * hist_strerror() - what an error code means, in a few words
 * @err: a negative code as returned by libhist
 *
 * Return: a static text, never NULL
 */
const char *hist_strerror(int err) __attribute__((visibility("default")));

#endif
