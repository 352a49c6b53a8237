/* SPDX-License-Identifier: LGPL-2.1-only */
/* The events of the kernel that Perfetto has messages for, to read and write its traces. */
#ifndef HIST_EVENT_PERFETTO_KNOWN_H
#define HIST_EVENT_PERFETTO_KNOWN_H

#include "base/base.h"

/* ->fields: "1s comm 2i pid 4i? success", see perfetto_events.def */
struct perfetto_known {
	u32 number;
	const char *system, *name, *fields;
};

/* All, in the order of their numbers; the last one has no name. */
extern const struct perfetto_known perfetto_known[];

/* A field of ->fields, which is advanced; ->type 0: there are no more. */
struct perfetto_known_field {
	u32 number;
	char type;
	bool optional;
	struct span name;
};

struct perfetto_known_field perfetto_known_next(struct span *fields);

/* The numbers of messages that are no event of one type. */
enum {
	PERFETTO_PRINT = 3,
	PERFETTO_SWITCH = 4,
	PERFETTO_WAKING = 20,
	PERFETTO_GENERIC = 327,
	PERFETTO_KPROBE = 542,
	PERFETTO_DENSE = 65536
};

#endif
