// SPDX-License-Identifier: LGPL-2.1-only
/* Messages for error codes; the diagnoses contain the details. */
#include "base/base.h"

const char *hist_strerror(int err)
{
	static const char *const texts[] = {
		[0] = "success",
		[HIST_ENOMEM] = "out of memory",
		[HIST_EIO] = "input/output error",
		[HIST_ENOENT] = "not found",
		[HIST_ENOTTRACE] = "not a trace.dat file",
		[HIST_EFORMAT] = "damaged trace.dat file",
		[HIST_EUNSUPPORTED] = "not supported",
		[HIST_EREJECTED] = "rejected",
		[HIST_EINVAL] = "invalid argument",
		[HIST_ELIMIT] = "limit exceeded",
	};
	unsigned int i = err < 0 ? 0 - (unsigned int)err : (unsigned int)err;

	return i < ARRAY_SIZE(texts) && texts[i] ? texts[i] : "unknown error";
}
