// SPDX-License-Identifier: LGPL-2.1-only
/* Which files processes mapped, in the journals of tasks of recordings (trace_dat/task_fact.h). */
#include "code/code.h"
#include "recording/recording.h"

enum { CLONE_THREAD = 0x10000, ID_MAX = 20 };

static int know_map(struct code *code, const struct task_fact *fact)
{
	struct code_fact map = { .kind = CODE_MAP,
				 .ts = fact->ts,
				 .pid = fact->pid,
				 .addr = fact->n[0],
				 .size = fact->n[1],
				 .offset = fact->n[2] };
	char path[PATH_MAX];
	u8 id[ID_MAX];

	map.path = (struct span){ path, task_text(fact->text[1], path, sizeof(path)) };
	map.build_id = (struct span){ (const char *)id, hex_read(fact->text[0], id, sizeof(id)) };
	return code_know(code, &map);
}

static int know_names(struct code *code, const struct task_fact *fact)
{
	struct code_fact name = { .kind = CODE_NAME, .addr = fact->n[0] };
	char *names = malloc(fact->text[0].n + 1), path[PATH_MAX];
	int err;

	if (!names)
		return HIST_NOMEM;
	name.names = (struct span){ names, task_text(fact->text[0], names, fact->text[0].n) };
	name.path = (struct span){ path, task_text(fact->text[1], path, sizeof(path)) };
	err = code_know(code, &name);
	free(names);
	return err;
}

static int know(struct code *code, const struct task_fact *fact)
{
	struct code_fact c = { .ts = fact->ts, .pid = fact->pid, .other = (s32)fact->n[0] };

	switch (fact->kind) {
	case TASK_MAP:
		return know_map(code, fact);
	case TASK_CODE:
		return know_names(code, fact);
	case TASK_NEW:
		c.kind = fact->n[1] & CLONE_THREAD ? CODE_THREAD : CODE_FORK;
		return code_know(code, &c);
	case TASK_EXEC:
		c.kind = CODE_EXEC;
		return code_know(code, &c);
	case TASK_IS:
	case TASK_OF:
		c.kind = CODE_THREAD;
		return c.other > 0 && c.other != c.pid ? code_know(code, &c) : 0;
	default:
		return 0;
	}
}

int recordings_code_facts(void *recordings, struct code *code)
{
	const struct recordings *r = recordings;
	struct task_facts facts;
	struct task_fact fact;
	int err = 0;

	for (size_t i = 0; i < r->files.n && !err; i++) {
		task_facts_init(&facts, r->files.v[i].td);
		while (!err && task_facts_next(&facts, &fact))
			err = know(code, &fact);
	}
	return err;
}
