// SPDX-License-Identifier: LGPL-2.1-only
/* The kernel's messages, indexed by their number. */
#include "lang/complaint.h"

const char *const hist_err_text[] = {
#define HIST_ERR(id, text) [HIST_ERR_##id] = (text),
#include "lang/errors.def"
	[HIST_ERR_SILENT] = "Invalid argument",
};

const char *const filt_err_text[] = {
#define FILT_ERR(id, text) [FILT_ERR_##id] = (text),
#include "lang/errors.def"
};

const char *const synth_err_text[] = {
#define SYNTH_ERR(id, text) [SYNTH_ERR_##id] = (text),
#include "lang/errors.def"
};

const char *const probe_err_text[] = {
#define PROBE_ERR(id, text) [PROBE_ERR_##id] = (text),
#include "lang/errors.def"
};
