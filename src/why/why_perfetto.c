// SPDX-License-Identifier: LGPL-2.1-only
/*
 * An explained interval as a trace of Perfetto: a track for the interval, one for what its task
 * did, and below each further one for what its parts consist of. Slices of a track do not overlap.
 */
#include "perfetto_format/perfetto_format.h"
#include "why/why.h"

enum { SEQUENCE = 1 };

struct why_trace {
	const struct why_answer *a;
	struct strbuf *out, message, packet;
	u32 n_tracks;
};

static void put_packet(struct why_trace *t)
{
	perfetto_put_message(t->out, TRACE_PACKET, &t->packet);
	strbuf_reset(&t->packet);
	strbuf_reset(&t->message);
}

/* The track of a depth of the tree. */
static void describe_track(struct why_trace *t, u32 depth)
{
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

	if (depth < t->n_tracks)
		return;
	t->n_tracks = depth + 1;
	if (!depth)
		why_task_text(t->a, t->a->interval->pid, t->a->tree->parts.v[0].key.comm, &name);
	else
		strbuf_addf(&name, "why, %u", depth);
	perfetto_put_number(&t->message, TRACK_UUID, depth + 1);
	perfetto_put_message(&t->message, TRACK_NAME, &name);
	perfetto_put_number(&t->packet, PACKET_SEQUENCE, SEQUENCE);
	perfetto_put_message(&t->packet, PACKET_TRACK, &t->message);
	put_packet(t);
}

static void put_point(struct why_trace *t, u64 ts, u32 type, u32 depth, const struct strbuf *name)
{
	perfetto_put_number(&t->message, SLICE_TYPE, type);
	perfetto_put_number(&t->message, SLICE_TRACK, depth + 1);
	if (name)
		perfetto_put_message(&t->message, SLICE_NAME, name);
	perfetto_put_number(&t->packet, PACKET_TIME, ts);
	perfetto_put_number(&t->packet, PACKET_SEQUENCE, SEQUENCE);
	perfetto_put_message(&t->packet, PACKET_TRACK_EVENT, &t->message);
	put_packet(t);
}

static void put_part(struct why_trace *t, u32 part, u32 depth)
{
	const struct why_part *p = &t->a->tree->parts.v[part];
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

	describe_track(t, depth);
	why_part_text(t->a, part, &name);
	for (size_t i = 0; i < p->pieces.n; i++) {
		put_point(t, p->pieces.v[i].from, SLICE_BEGINS, depth, &name);
		put_point(t, p->pieces.v[i].to, SLICE_ENDS, depth, NULL);
	}
	why_for_each_part(i, t->a->tree, part) put_part(t, i, depth + 1);
}

void why_perfetto(const struct why_answer *a, const struct hist_why_options *o UNUSED,
		  struct strbuf *out)
{
	struct why_trace t = { .a = a, .out = out, .message = STRBUF_INIT, .packet = STRBUF_INIT };

	put_part(&t, 0, 0);
	out->failed |= t.packet.failed || t.message.failed;
	strbuf_release(&t.message);
	strbuf_release(&t.packet);
}
