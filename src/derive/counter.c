// SPDX-License-Identifier: LGPL-2.1-only
/* Values that programs wrote as markers. Each is an event: it has no length. */
#include "derive/deriver.h"
#include "derive/marker.h"

static const struct derived_event events[] = {
	DERIVED_EVENT(DERIVE_COUNTER, "counter",
		      "char[] name; s64 value; char[] track; pid_t pid; pid_t tgid; char[16] comm; "
		      "unsigned int cpu; " DERIVED_OPEN,
		      .asks = "comm", .windows = true),
};

static const struct deriver_input inputs[] = {
	{ DERIVER_INPUT("ftrace", "print"), { "buf" }, true, .texts = 1 },
};

enum { TEXT_SIZE = 256 };

struct counters {
	struct derive *d;
	char name[TEXT_SIZE], track[TEXT_SIZE];
};

static void put_text(char *to, struct span text)
{
	size_t n = min_t(size_t, text.n, TEXT_SIZE - 1);

	if (n)
		memcpy(to, text.s, n);
	to[n] = '\0';
}

static void counter_hit(void *state, const struct derive_record *r)
{
	struct counters *c = state;
	struct derive_comm comm;
	struct counter_marker m;

	if (!r->n[0] || !read_counter(derive_text(r, 0), &m))
		return;
	put_text(c->name, m.name);
	put_text(c->track, m.track);
	derive_comm_at(c->d, &events[0], derive_moment(r), r->pid, &comm);
	derive_trace(c->d, &events[0],
		     (u64[]){ (uintptr_t)c->name, (u64)m.value, (uintptr_t)c->track, (u64)r->pid,
			      (u64)m.tgid, (uintptr_t)comm.s, r->cpu,
			      derive_open_word(false, false) },
		     r, r->pid);
}

static void counter_end(void *state UNUSED, const struct derive_record *last UNUSED)
{
}

const struct deriver derive_counter = {
	DERIVER_OF(struct counters, events, inputs),
	.in_holes = true, /* it has no intervals */
	.hit = counter_hit,
	.end = counter_end,
};
