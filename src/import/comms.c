// SPDX-License-Identifier: LGPL-2.1-only
/* Names of tasks by pid. */
#include "import/comms.h"

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
	old = indexed_by(&t->comms, pid, pid);
	if (old && ts >= old->ts)
		*old = new;
	return old || indexed_add(&t->comms, hash_number((u64)pid), new) ? 0 : HIST_NOMEM;
}

struct span comm_table_get(const struct comm_table *t, s32 pid)
{
	const struct comm *c = indexed_by(&t->comms, pid, pid);

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
	indexed_release(&t->comms);
}
