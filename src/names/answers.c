// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Answers questions about tasks. An answer that is a text is its index among all texts that any
 * answer can have, sorted: so all threads, and every way of counting, give the same one.
 */
#include "names/process_table.h"

/* --- texts --- */

/* The changes of a task, which are sorted; NULL: nothing is known of it. */
static const struct process_change *first_change(const struct processes *p, s64 pid)
{
	return indexed_by(&p->changes, pid, pid);
}

typedef ARRAY(struct name_change) name_change_array;

/* Copy the @n changes of a name, cut where another task gets the id. */
static int cut_lives(name_change_array *out, const struct name_change *names, size_t n,
		     const struct process_change *p)
{
	const struct process_change *end = p ? p + p->n : NULL;
	struct name_change c = { .life = 0 };
	size_t first = out->n;
	int err = 0;

	for (size_t i = 0; i <= n && !err; i++) {
		for (; p < end && !err && (i == n || p->place.ts <= names[i].place.ts); p++) {
			bool other = p->life > c.life;

			c.life = p->life;
			c.place = p->place;
			/* not before the first name, and a name of that time is of the new task */
			if (other && i && (i == n || p->place.ts < names[i].place.ts))
				err = array_push(out, c);
		}
		if (i == n)
			break;
		c = (struct name_change){ .key = names[i].key,
					  .place = names[i].place,
					  .life = c.life,
					  .guessed = names[i].guessed };
		memcpy(c.name, names[i].name, TASK_COMM_LEN);
		err = err ? err : array_push(out, c);
	}
	if (out->n > first)
		out->v[first].n = out->n - first;
	return err;
}

/* A name that two tasks have, one after the other, with the same id: a change for each. */
static int split_names(struct names *n)
{
	name_change_array cut = ARRAY_INIT;
	struct hash_table by_key = HASH_TABLE_INIT;
	int err = 0;

	for (size_t i = 0, group; i < n->changes.n && !err; i += group) {
		const struct name_change *c = &n->changes.v[i];

		group = c->n;
		err = hash_add(&by_key, hash_number((u64)c->key), cut.n);
		err = err ? err : cut_lives(&cut, c, group, first_change(&n->processes, c->key));
	}
	if (err) {
		array_release(&cut);
		hash_release(&by_key);
		return err;
	}
	indexed_release(&n->changes);
	n->changes.v = cut.v;
	n->changes.n = cut.n;
	n->changes.cap = cut.cap;
	n->changes.index = by_key;
	return 0;
}

/* The text of a task, in which later ones are numbered. */
static int add_task(struct texts *t, const struct name_change *c, text_owner_array *owners,
		    u32 *number)
{
	const struct text_owner none = { .n = 0 };
	struct text_owner *owner;
	char text[64];
	int len = snprintf(text, sizeof(text), "%s-%d", c->name, c->key < 0 ? 0 : (s32)c->key);
	int err = texts_number(t, span_of(text), number);

	while (!err && owners->n <= *number)
		err = array_push(owners, none);
	if (err)
		return err;
	owner = &owners->v[*number];
	owner->n += !owner->n || owner->life != c->life;
	owner->life = c->life;
	if (owner->n < 2)
		return 0;
	snprintf(text + len, sizeof(text) - (size_t)len, " (%u)", owner->n);
	return texts_number(t, span_of(text), number);
}

int task_texts_of_name(struct texts *t, struct name_change *c, text_owner_array *owners)
{
	char text[64];
	int err = add_task(t, c, owners, &c->texts[0]);

	snprintf(text, sizeof(text), "[%s]", c->name);
	return err ? err : texts_number(t, span_of(text), &c->texts[1]);
}

static int add_names(struct names *n)
{
	scoped(free_scoped) text_owner_array owners = ARRAY_INIT;
	int err = 0;

	for (size_t i = 0; i < n->changes.n && !err; i++)
		err = task_texts_of_name(&n->processes.texts, &n->changes.v[i], &owners);
	return err;
}

int processes_sort_texts(struct names *n)
{
	struct texts *t = &n->processes.texts;
	const char **sorted;
	int err = n->processes.reused ? split_names(n) : 0;

	err = err ? err : add_names(n);
	if (err)
		return err;
	sorted = arena_alloc(&t->arena, (t->v.n + 1) * sizeof(*sorted));
	n->processes.ranks = text_ranks(t->v.v, (u32)t->v.n);
	if (!sorted || !n->processes.ranks)
		return HIST_NOMEM;
	for (size_t i = 0; i < t->v.n; i++)
		sorted[n->processes.ranks[i]] = t->v.v[i];
	n->processes.sorted = (struct who_texts){ .db = n->db, .v = sorted, .n = (u32)t->v.n };
	return 0;
}

/* --- one task --- */

/* From when on, and until when, an answer is the same. */
struct answer_time {
	u64 after, before;
};

/*
 * @c, a change of a thread, with what changed afterwards for all threads of its process, until the
 * place. @next: ->seq of the thread's next change, 0 if there is none
 */
static struct process_change with_threads(const struct processes *p, const struct process_change *c,
					  size_t next, struct name_place place,
					  struct answer_time *time)
{
	const struct threads_change *t = p->of_threads.v;
	/* what is known first was there before */
	const struct name_place at_least = name_place_before(place, c->place) ? c->place : place;
	const size_t first =
		partition_point(k, p->of_threads.n,
				t[k].pid < c->of || (t[k].pid == c->of && t[k].seq < c->texts_seq));
	const size_t end = first + partition_point(k, p->of_threads.n - first,
						   t[first + k].pid == c->of &&
							   (!next || t[first + k].seq < next));
	const size_t at =
		first + partition_point(k, end - first,
					!name_place_before(at_least,
							   threads_change_place(c, &t[first + k])));

	if (at < end)
		time->before = min_t(u64, time->before, t[at].place.ts);
	if (at == first)
		return *c;
	time->after = max_t(u64, time->after, threads_change_place(c, &t[at - 1]).ts);
	return process_change_with(c, &t[at - 1]);
}

/* The change that is valid at a place; @time: limited to that at which it is. */
static bool change_at(const struct names *n, s32 pid, struct name_place place,
		      struct answer_time *time, struct process_change *change)
{
	const struct process_change *first = n->live ? names_live_process(n, pid, place)
						     : first_change(&n->processes, pid);
	size_t low;

	if (first)
		*change = *first;
	if (n->live || !first)
		return first != NULL;
	/* the last one that is not after the place, or the first one */
	low = partition_point(k, first->n - 1, !name_place_before(place, first[k + 1].place));
	if (low + 1 < first->n)
		time->before = min_t(u64, time->before, first[low + 1].place.ts);
	/* the first one is of a task that was there before, or that did nothing before its birth */
	if (low)
		time->after = max_t(u64, time->after, first[low].place.ts);
	*change = with_threads(&n->processes, &first[low],
			       low + 1 < first->n ? first[low + 1].seq : 0, place, time);
	return true;
}

/* Of a number of ->texts: where it is among those that are sorted, if they are. */
static u64 text_answer(const struct names *n, u32 number)
{
	return n->live ? number : n->processes.ranks[number];
}

static u64 task_answer(struct names *n, s64 key, enum who_what what, struct name_place place,
		       struct answer_time *time)
{
	const struct name_change *c = names_ask(n, key, place), *next = c;

	if (!c && what == WHO_NAME)
		return (u64)(uintptr_t)names_saved(n, (s32)(key < 0 ? 0 : key));

	if (!c)
		return WHO_SAVED | (u32)(key < 0 ? 0 : key);
	time->after = max_t(u64, time->after, c->place.ts);
	if (++next < n->changes.v + n->changes.n && next->key == key)
		time->before = min_t(u64, time->before, next->place.ts);
	if (what == WHO_NAME)
		return (u64)(uintptr_t)c->name;
	if (n->live && !c->texts[0] && names_live_texts(n, c))
		return WHO_UNKNOWN;
	return text_answer(n, c->texts[what == WHO_CMDLINE]);
}

/* The user of a process; before the first fact, that of it. */
static u64 uid_at(const struct processes *p, s32 pid, u64 ts, struct answer_time *time)
{
	const struct task_uid now = { .pid = pid, .ts = ts }, *v = p->uids.v;
	const size_t i = partition_point(k, p->uids.n, processes_by_uid(&v[k], &now) <= 0);
	const bool earlier = i && v[i - 1].pid == pid, later = i < p->uids.n && v[i].pid == pid;

	if (earlier)
		time->after = max_t(u64, time->after, v[i - 1].ts);
	if (later)
		time->before = min_t(u64, time->before, v[i].ts);
	return earlier ? (u64)v[i - 1].uid : later ? (u64)v[i].uid : (u64)-1;
}

static u64 answer_at(struct names *n, enum who_what what, s64 key, struct name_place place,
		     struct answer_time *time)
{
	struct process_change change;
	const struct process_change *c;
	const s32 pid = (s32)key;

	if (what == WHO_TASK || what == WHO_NAME ||
	    (key < 0 && !who_is_number(what) && what != WHO_CGROUP))
		return task_answer(n, key, what, place, time);
	if (key < 0)
		return who_is_number(what) ? 0 : text_answer(n, n->processes.root);
	c = change_at(n, pid, place, time, &change) ? &change : NULL;
	if (what == WHO_TGID)
		return c ? (u64)(s64)c->tgid : (u64)-1;
	if (what == WHO_UID)
		return uid_at(&n->processes, c && c->tgid > 0 ? c->tgid : pid, place.ts, time);
	if (what == WHO_CGROUP)
		return c && c->cgroup ? text_answer(n, c->cgroup) : WHO_UNKNOWN;
	if (!c || c->tgid < 0 || (what == WHO_CMDLINE && !c->cmdline))
		return WHO_UNKNOWN | (u32)pid;
	if (what == WHO_CMDLINE && c->cmdline != TEXT_NONE)
		return text_answer(n, c->cmdline);
	return task_answer(n, c->tgid, what, place, time);
}

u64 names_who(struct names *n, struct who_cache *cache, enum who_what what, s64 key,
	      struct name_place place)
{
	const struct who_slot *known = who_answered(cache, what, key, place.ts);
	struct who_slot *slot = &cache->slots[who_slot_index(what, key)];
	struct answer_time time = { .before = UINT64_MAX };

	if (likely(known != NULL))
		return known->answer;
	if (!n->built) /* this pass only looks for keys */
		return WHO_UNKNOWN;
	/* what is learned next may change the answer, or each question is observed */
	if (n->live || n->asked)
		return answer_at(n, what, key, place, &time);
	slot->answer = answer_at(n, what, key, place, &time);
	slot->key = key;
	slot->what = what;
	slot->after = time.after;
	slot->before = time.before;
	return slot->answer;
}

u64 names_cgroup(const struct names *n, u64 id)
{
	const struct processes *p = &n->processes;

	for (size_t i = 0; i < p->ids.n; i++)
		if (p->ids.v[i].id == id)
			return text_answer(n, p->ids.v[i].text);
	return WHO_UNKNOWN;
}

const char *names_comm(struct names *n, struct who_cache *cache, s32 pid, u32 cpu,
		       struct name_place place)
{
	return n->built ? (const char *)(uintptr_t)names_who(n, cache, WHO_NAME, name_key(pid, cpu),
							     place)
			: "";
}

struct task_who names_task_at(struct names *n, s32 pid, u32 cpu, struct name_place place)
{
	const struct processes *p = &n->processes;
	struct answer_time time = { .before = UINT64_MAX };
	struct process_change change, *c = &change;
	struct task_who who = { .tgid = -1, .parent = -1 };

	if (!pid)
		return (struct task_who){ .process = names_at(n, 0, cpu, place).name,
					  .cmdline = "",
					  .cgroup = "/" };
	if (!change_at(n, pid, place, &time, &change))
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
