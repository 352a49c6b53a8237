/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * A complaint: what is wrong with a piece of text, in the kernel's words.
 *
 * The kernel locates an error by searching for the offending text in the command, so a complaint
 * contains the text, not a position. An absent text means column 0.
 */
#pragma once
#include "base/base.h"

enum hist_err {
#define HIST_ERR(id, text) HIST_ERR_##id,
#include "lang/errors.def"
	HIST_ERR_SILENT, /* the write fails and the kernel logs nothing */
};

enum filt_err {
#define FILT_ERR(id, text) FILT_ERR_##id,
#include "lang/errors.def"
};

enum synth_err {
#define SYNTH_ERR(id, text) SYNTH_ERR_##id,
#include "lang/errors.def"
};

enum probe_err {
#define PROBE_ERR(id, text) PROBE_ERR_##id,
#include "lang/errors.def"
};

struct complaint {
	bool set;
	enum hist_err err;
	struct span text; /* text that the kernel searches for */
	const char *hint; /* our explanation where the kernel gives none */
};

static inline struct complaint complain(enum hist_err err, struct span text)
{
	return (struct complaint){ .set = true, .err = err, .text = text };
}

/* A failure without an entry in error_log; @hint tells the user why. */
static inline struct complaint complain_silently(struct span text, const char *hint)
{
	return (struct complaint){
		.set = true, .err = HIST_ERR_SILENT, .text = text, .hint = hint
	};
}

/* The kernel's messages, by their number. */
extern const char *const hist_err_text[];
extern const char *const filt_err_text[];
extern const char *const synth_err_text[];
extern const char *const probe_err_text[];
