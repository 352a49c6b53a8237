/* SPDX-License-Identifier: LGPL-2.1-only */
/* An event of a bundle, which both readings of a Perfetto trace read. */
#pragma once
#include "import/perfetto.h"

/* Lists of compact events whose ends are looked at. */
enum {
	COMPACT_SWITCH_TIME = 1,
	COMPACT_SWITCH_PID = 3,
	COMPACT_SWITCH_COMM = 6,
	COMPACT_WAKING_TIME = 7,
	COMPACT_WAKING_COMM = 11
};

struct perfetto_event {
	u64 ts;
	s32 pid;
	u32 flags, number;
	struct proto body;
};

/* ->number 0: it is damaged */
struct perfetto_event perfetto_event_read_any(struct proto message);

/* The address of @ev goes nowhere, so that it stays in registers. */
static inline bool perfetto_event_read_rare(struct proto message, struct perfetto_event *ev)
{
	const struct perfetto_event any = perfetto_event_read_any(message);

	*ev = any;
	return any.number;
}

/* False: it is damaged. Usual is what Perfetto writes: time, task, flags, at last the event. */
static inline bool perfetto_event_read(struct proto message, struct perfetto_event *ev)
{
	enum { TIME = 1 << 3, PID = 2 << 3, FLAGS = 5 << 3 };
	struct proto m = message;
	u64 tag, len;

	if (m.p >= m.end || *m.p++ != TIME)
		return perfetto_event_read_rare(message, ev);
	ev->ts = proto_varint(&m);
	if (m.p >= m.end || *m.p++ != PID)
		return perfetto_event_read_rare(message, ev);
	ev->pid = (s32)proto_varint(&m);
	ev->flags = 0;
	if (m.p < m.end && *m.p == FLAGS) {
		m.p++;
		ev->flags = (u32)proto_varint(&m);
	}
	tag = proto_varint(&m);
	len = proto_varint(&m);
	ev->number = (u32)(tag >> 3);
	ev->body = proto_of(m.p, (size_t)(m.end - m.p));
	return likely(!m.bad && (tag & 7) == PROTO_BYTES && len == (u64)(m.end - m.p) &&
		      ev->number) ||
	       perfetto_event_read_rare(message, ev);
}

/* One that carries its name, is described by the trace, or was not looked up yet. */
struct perfetto_type *perfetto_event_other(struct perfetto *pf, u64 sequence, u32 number,
					   struct proto body);

/* NULL: its type is not known here. */
static inline struct perfetto_type *perfetto_event_type(struct perfetto *pf, u64 sequence,
							const struct perfetto_event *ev)
{
	return perfetto_type_of(&pf->types, ev->number)
		       ?: perfetto_event_other(pf, sequence, ev->number, ev->body);
}
