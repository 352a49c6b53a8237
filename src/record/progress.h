/* SPDX-License-Identifier: LGPL-2.1-only */
/* What a recording reports while it goes on; part of record.h. */
#ifndef HIST_RECORD_PROGRESS_H
#define HIST_RECORD_PROGRESS_H

#include "base/base.h"

enum record_phase { RECORD_RUNNING, RECORD_WRITING };

struct record_progress {
	enum record_phase phase;
	u64 events, bytes, lost;
	u64 bytes_done; /* RECORD_WRITING: bytes of the file written so far */
	double seconds;
};

#endif
