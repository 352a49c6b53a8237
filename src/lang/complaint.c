// SPDX-License-Identifier: LGPL-2.1-only
/* The kernel's messages, indexed by their number. */
#include "lang/complaint.h"

static const char *const hist_text[] = {
#define HIST_ERR(id, text) [HIST_ERR_##id] = (text),
#include "lang/errors.def"
	[HIST_ERR_SILENT] = "Invalid argument",
};

static const char *const filt_text[] = {
#define FILT_ERR(id, text) [FILT_ERR_##id] = (text),
#include "lang/errors.def"
};

static const char *const synth_text[] = {
#define SYNTH_ERR(id, text) [SYNTH_ERR_##id] = (text),
#include "lang/errors.def"
};

static const char *const probe_text[] = {
#define PROBE_ERR(id, text) [PROBE_ERR_##id] = (text),
#include "lang/errors.def"
};

const char *hist_err_text(enum hist_err err)
{
	return hist_text[err];
}

const char *filt_err_text(enum filt_err err)
{
	return filt_text[err];
}

const char *synth_err_text(enum synth_err err)
{
	return synth_text[err];
}

const char *probe_err_text(enum probe_err err)
{
	return probe_text[err];
}
