// SPDX-License-Identifier: LGPL-2.1-only
/* A hash table of task names by pid, with open addressing. */
#include "import/comms.h"

static struct comm_slot *slot_of(struct comm_slot *slots, size_t mask, s32 pid)
{
	size_t i = (size_t)((u32)pid * 0x9e3779b1u) & mask;

	while (slots[i].len && slots[i].pid != pid)
		i = (i + 1) & mask;
	return &slots[i];
}

static int grow(struct comm_table *t)
{
	size_t mask = t->mask ? t->mask * 2 + 1 : 255;
	struct comm_slot *slots = calloc(mask + 1, sizeof(*slots));

	if (!slots)
		return HIST_NOMEM;
	for (size_t i = 0; t->mask && i <= t->mask; i++)
		if (t->slots[i].len)
			*slot_of(slots, mask, t->slots[i].pid) = t->slots[i];
	free(t->slots);
	t->slots = slots;
	t->mask = mask;
	return 0;
}

int comm_table_set(struct comm_table *t, s32 pid, u64 ts, struct span name)
{
	struct comm_slot *slot;

	name.n = min_t(size_t, name.n, COMM_LEN);
	if (name.s)
		name.n = strnlen(name.s, name.n);
	if (!name.s || !name.n || pid < 0)
		return 0;
	if (t->n >= t->mask / 2 && grow(t))
		return HIST_NOMEM;
	slot = slot_of(t->slots, t->mask, pid);
	if (!slot->len)
		t->n++;
	else if (ts < slot->ts)
		return 0;
	slot->pid = pid;
	slot->ts = ts;
	slot->len = (u8)name.n;
	for (size_t i = 0; i < name.n; i++)
		slot->name[i] = name.s[i] == '\n' ? '?' : name.s[i];
	return 0;
}

struct span comm_table_get(const struct comm_table *t, s32 pid)
{
	const struct comm_slot *slot = t->mask ? slot_of(t->slots, t->mask, pid) : NULL;

	if (!slot || !slot->len)
		return (struct span){ NULL, 0 };
	return (struct span){ slot->name, slot->len };
}

void comm_table_text(const struct comm_table *t, struct strbuf *sb)
{
	for (size_t i = 0; t->mask && i <= t->mask; i++)
		if (t->slots[i].len)
			strbuf_addf(sb, "%d %.*s\n", t->slots[i].pid, t->slots[i].len,
				    t->slots[i].name);
}

void comm_table_release(struct comm_table *t)
{
	free(t->slots);
	*t = (struct comm_table){ .slots = NULL };
}
