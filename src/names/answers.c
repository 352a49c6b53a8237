// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Answers questions about tasks. An answer that is a text is its index among all texts that any
 * answer can have, sorted: so all threads, and every way of counting, give the same one.
 */
#include <stdio.h>
#include <stdlib.h>

#include "names/name_run.h"

/* --- texts --- */

struct ranked_text {
	const char *text;
	u32 number;
};

static int by_text(const void *a, const void *b)
{
	const struct ranked_text *x = a, *y = b;

	return strcmp(x->text, y->text);
}

/* The texts of each name: that of a task, and that of one without arguments. */
static int add_names(struct names *n)
{
	struct task_texts *t = &n->processes.texts;
	u32 *of = arena_alloc(&t->arena, (n->changes.n + 1) * 2 * sizeof(*of));
	int err = of ? 0 : HIST_NOMEM;

	for (size_t i = 0; i < n->changes.n && !err; i++) {
		const struct name_change *c = &n->changes.v[i];
		char text[64];

		snprintf(text, sizeof(text), "%s-%d", c->name, c->key < 0 ? 0 : (s32)c->key);
		err = task_text_number(t, text, &of[2 * i]);
		snprintf(text, sizeof(text), "[%s]", c->name);
		if (!err)
			err = task_text_number(t, text, &of[2 * i + 1]);
	}
	n->processes.of_names = of;
	return err;
}

int processes_sort_texts(struct names *n)
{
	struct task_texts *t = &n->processes.texts;
	struct ranked_text *all;
	const char **sorted;
	int err = add_names(n);

	if (err)
		return err;
	all = malloc((t->v.n + 1) * sizeof(*all));
	sorted = arena_alloc(&t->arena, (t->v.n + 1) * sizeof(*sorted));
	t->rank = arena_alloc(&t->arena, (t->v.n + 1) * sizeof(*t->rank));
	if (all && sorted && t->rank) {
		for (size_t i = 0; i < t->v.n; i++)
			all[i] = (struct ranked_text){ t->v.v[i], (u32)i };
		qsort(all, t->v.n, sizeof(*all), by_text);
		for (size_t i = 0; i < t->v.n; i++) {
			sorted[i] = all[i].text;
			t->rank[all[i].number] = (u32)i;
		}
		n->processes.sorted = (struct who_texts){ n->db, sorted, (u32)t->v.n };
	} else {
		err = HIST_NOMEM;
	}
	free(all);
	return err;
}

/* --- one task --- */

/* The change that is valid at a place; @after, @before: limited to times at which it is. */
static const struct process_change *change_at(const struct processes *p, s32 pid,
					      struct name_place place, u64 *after, u64 *before)
{
	struct hash_walk walk = hash_walk(hash_number((u64)pid));
	const struct process_change *first = NULL;
	size_t i, low;

	while (!first && hash_next(&p->by_pid, &walk, &i))
		if (p->changes.v[i].pid == pid)
			first = &p->changes.v[i];
	if (!first)
		return NULL;
	/* the last one that is not after the place, or the first one */
	low = partition_point(k, first->n - 1, !name_place_before(place, first[k + 1].place));
	if (low + 1 < first->n)
		*before = min_t(u64, *before, first[low + 1].place.ts);
	/* the first one is of a task that was there before, or that did nothing before its birth */
	if (low)
		*after = max_t(u64, *after, first[low].place.ts);
	return &first[low];
}

static u64 task_answer(struct names *n, s64 key, enum who_what what, struct name_place place,
		       u64 *after, u64 *before)
{
	const struct processes *p = &n->processes;
	const struct name_change *c = names_change_at(n, key, place), *next = c;
	size_t i;

	if (!c && what == WHO_NAME)
		return (u64)(uintptr_t)names_saved(n, (s32)(key < 0 ? 0 : key));

	if (!c)
		return WHO_SAVED | (u32)(key < 0 ? 0 : key);
	i = (size_t)(c - n->changes.v);
	*after = max_t(u64, *after, c->place.ts);
	if (++next < n->changes.v + n->changes.n && next->key == key)
		*before = min_t(u64, *before, next->place.ts);
	if (what == WHO_NAME)
		return (u64)(uintptr_t)c->name;
	return p->texts.rank[p->of_names[2 * i + (what == WHO_CMDLINE)]];
}

static u64 answer_at(struct names *n, enum who_what what, s64 key, struct name_place place,
		     u64 *after, u64 *before)
{
	const struct processes *p = &n->processes;
	const s32 pid = (s32)key;
	const struct process_change *c;

	if (what == WHO_TASK || what == WHO_NAME ||
	    (key < 0 && what != WHO_TGID && what != WHO_CGROUP))
		return task_answer(n, key, what, place, after, before);
	if (key < 0)
		return what == WHO_TGID ? 0 : p->texts.rank[p->root];
	c = change_at(p, pid, place, after, before);
	if (what == WHO_TGID)
		return c ? (u64)(s64)c->tgid : (u64)-1;
	if (what == WHO_CGROUP)
		return c && c->cgroup ? p->texts.rank[c->cgroup] : WHO_UNKNOWN;
	if (!c || c->tgid < 0 || (what == WHO_CMDLINE && !c->cmdline))
		return WHO_UNKNOWN | (u32)pid;
	if (what == WHO_CMDLINE && c->cmdline != TEXT_NONE)
		return p->texts.rank[c->cmdline];
	return task_answer(n, c->tgid, what, place, after, before);
}

u64 names_who(struct names *n, struct who_cache *cache, enum who_what what, s32 pid, u32 cpu,
	      struct name_place place)
{
	const s64 key = name_key(pid, cpu);
	struct who_slot *slot = who_slot_of(cache, what, key);
	u64 after = 0, before = UINT64_MAX;

	if (likely(slot->key == key && slot->what == what && place.ts > slot->after &&
		   place.ts < slot->before))
		return slot->answer;
	if (!n->built) /* this pass only looks for keys */
		return WHO_UNKNOWN;
	slot->answer = answer_at(n, what, key, place, &after, &before);
	slot->key = key;
	slot->what = what;
	slot->after = after;
	slot->before = before;
	return slot->answer;
}

const char *names_comm(struct names *n, struct who_cache *cache, s32 pid, u32 cpu,
		       struct name_place place)
{
	return n->built ? (const char *)(uintptr_t)names_who(n, cache, WHO_NAME, pid, cpu, place)
			: "";
}

struct task_who names_task_at(struct names *n, s32 pid, u32 cpu, struct name_place place)
{
	const struct processes *p = &n->processes;
	u64 after = 0, before = UINT64_MAX;
	const struct process_change *c = pid ? change_at(p, pid, place, &after, &before) : NULL;
	struct task_who who = { .tgid = -1, .parent = -1 };

	if (!pid)
		return (struct task_who){ .process = names_at(n, 0, cpu, place).name,
					  .cmdline = "",
					  .cgroup = "/" };
	if (!c)
		return who;
	who.tgid = c->tgid;
	who.parent = c->parent;
	if (c->tgid >= 0)
		who.process = names_at(n, c->tgid, cpu, place).name;
	who.cmdline = c->cmdline == TEXT_UNKNOWN ? NULL : p->texts.v.v[c->cmdline];
	who.cgroup = c->cgroup == TEXT_UNKNOWN ? NULL : p->texts.v.v[c->cgroup];
	who.guessed = c->guessed;
	return who;
}
