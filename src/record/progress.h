/* SPDX-License-Identifier: LGPL-2.1-only */
/* What a recording reports while it goes on; part of record.h. */
#pragma once
#include "base/base.h"

enum record_phase { RECORD_RUNNING, RECORD_WRITING };

struct record_progress {
	enum record_phase phase;
	u64 events, bytes, lost;
	u64 bytes_done; /* RECORD_WRITING: bytes of the file written so far */
	double seconds;
	/* RECORD_RUNNING: of the last seconds, and what follows from that; < 0: never, or unknown
	 */
	double byte_rate, event_rate; /* a second */
	double disk_s;                /* seconds until the disk is full, or has only ->min_free */
	double limit_s; /* until ->max_kb is reached, or the next file of ->rotate begins */
};
