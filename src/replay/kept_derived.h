/* SPDX-License-Identifier: LGPL-2.1-only */
/* A replay of which only derived events are needed, in a session: they are kept for the next one.
 */
#pragma once
#include "derive/derive.h"
#include "replay/ordered.h"
#include "replay/plan.h"

struct kept_replay {
	struct strbuf key;          /* empty: nothing is kept of such a replay */
	struct kept_events *used;   /* these are traced instead of a replay; NULL: there are none */
	struct kept_events *made;   /* these are kept; NULL: none */
	struct kept_reader *reader; /* of ->used, in steps */
};

/* After the plan was made. 0, -HIST_ENOMEM */
int kept_replay_open(struct kept_replay *k, const struct plan *p, struct derived *derived);

/* Trace the events; the accounts of the streams are those of the replay that derived them. */
void kept_replay_run(const struct kept_replay *k, const struct plan *p, struct derived *derived,
		     struct diags *diags);

/* The same in steps: _start() returns 0, -HIST_ENOMEM; _step() as replay_step(). */
int kept_replay_start(struct kept_replay *k, const struct plan *p, struct derived *derived);
int kept_replay_step(struct kept_replay *k, const struct ordered *o);

/* All records were replayed. */
void kept_replay_add(struct kept_replay *k, const struct plan *p, const struct derived *derived);

void kept_replay_close(struct kept_replay *k);
