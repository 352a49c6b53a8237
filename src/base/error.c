// SPDX-License-Identifier: LGPL-2.1-only
/* Messages for error codes; the diagnoses contain the details. */
#include "base/base.h"

const char *hist_strerror(int err)
{
	switch (err < 0 ? -err : err) {
	case 0:
		return "success";
	case HIST_ENOMEM:
		return "out of memory";
	case HIST_EIO:
		return "input/output error";
	case HIST_ENOENT:
		return "not found";
	case HIST_ENOTTRACE:
		return "not a trace.dat file";
	case HIST_EFORMAT:
		return "damaged trace.dat file";
	case HIST_EUNSUPPORTED:
		return "not supported";
	case HIST_EREJECTED:
		return "rejected";
	case HIST_EINVAL:
		return "invalid argument";
	case HIST_ELIMIT:
		return "limit exceeded";
	default:
		return "unknown error";
	}
}
