/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Markers that programs write to trace_marker. B|PROCESS|NAME begins a slice, and E ends the
 * innermost one of the thread. S|PROCESS|NAME|COOKIE begins an asynchronous slice, which F with the
 * same words ends in any thread; G|PROCESS|TRACK|NAME|COOKIE one of a track, which
 * H|PROCESS|TRACK|COOKIE ends. C|PROCESS|NAME|VALUE is a value of a counter, which a track may
 * follow. This is the format of Android (atrace), which others use, too. A
 * name may contain |, a cookie may not.
 */
#pragma once
#include "base/base.h"

/* What a marker is about; parts of its text. */
struct marker {
	char kind; /* as in the text */
	s32 tgid;
	struct span name;
	struct span key, cookie; /* of an asynchronous one */
	u32 kinds;               /* 0; otherwise of slices that the script defined */
};

/* False: it is not the begin or the end of a slice. */
bool read_marker(struct span text, struct marker *m);

struct counter_marker {
	s32 tgid;
	struct span name, track; /* an empty track: none */
	s64 value;
};

/* False: it is not a value of a counter. */
bool read_counter(struct span text, struct counter_marker *m);
