// SPDX-License-Identifier: LGPL-2.1-only
/* Names of tasks by pid. */
#include "import/comms.h"

static struct comm *find(const struct comm_table *t, s32 pid)
{
	hash_each(i, &t->by_pid, hash_number((u32)pid))
		if (t->comms.v[i].pid == pid)
			return &t->comms.v[i];
	return NULL;
}

int comm_table_set(struct comm_table *t, s32 pid, u64 ts, struct span name)
{
	struct comm new = { .pid = pid, .ts = ts }, *old;

	name.n = min_t(size_t, name.n, COMM_LEN);
	if (name.s)
		name.n = strnlen(name.s, name.n);
	if (!name.s || !name.n || pid < 0)
		return 0;
	new.len = (u8)name.n;
	for (size_t i = 0; i < name.n; i++)
		new.name[i] = name.s[i] == '\n' ? '?' : name.s[i];
	old = find(t, pid);
	if (old && ts >= old->ts)
		*old = new;
	if (old)
		return 0;
	return hash_add(&t->by_pid, hash_number((u32)pid), t->comms.n) || array_push(&t->comms, new)
		       ? HIST_NOMEM
		       : 0;
}

struct span comm_table_get(const struct comm_table *t, s32 pid)
{
	const struct comm *c = find(t, pid);

	return c ? (struct span){ c->name, c->len } : (struct span){ NULL, 0 };
}

void comm_table_text(const struct comm_table *t, struct strbuf *sb)
{
	for (size_t i = 0; i < t->comms.n; i++)
		strbuf_addf(sb, "%d %.*s\n", t->comms.v[i].pid, t->comms.v[i].len,
			    t->comms.v[i].name);
}

void comm_table_release(struct comm_table *t)
{
	array_release(&t->comms);
	hash_release(&t->by_pid);
	*t = (struct comm_table){ .comms = ARRAY_INIT };
}
