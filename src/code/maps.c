// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Mappings of processes over time. A task that was made has the mappings of its maker at that time,
 * and those that it adds; a thread has those of its process; a program that was executed has only
 * its own. Unmapping is not recorded: at an address the latest mapping is valid.
 */
#include <stdlib.h>

#include "code/maps.h"

enum { MAKERS_MAX = 64 }; /* of a task that are followed */

/* One copy of each text. */
static const char *keep_text(struct code_maps *m, struct span text)
{
	struct hash_walk walk = hash_walk(hash_bytes(0, text.s, text.n));
	const char *copy;
	size_t i;

	while (hash_next(&m->paths, &walk, &i))
		if (span_eq(text, m->texts.v[i]))
			return m->texts.v[i];
	copy = arena_strndup(&m->arena, text.s, text.n);
	if (!copy || hash_add(&m->paths, walk.hash, m->texts.n) || array_push(&m->texts, copy))
		return NULL;
	return copy;
}

int code_maps_add(struct code_maps *m, const struct code_fact *fact)
{
	struct code_map map = { .pid = fact->pid,
				.seq = (u32)m->maps.n,
				.ts = fact->ts,
				.addr = fact->addr,
				.size = fact->size,
				.offset = fact->offset,
				.build_id_len = (u32)fact->build_id.n };
	struct code_space space = { .pid = fact->pid,
				    .other = fact->other,
				    .seq = (u32)m->spaces.n,
				    .ts = fact->ts,
				    .kind = fact->kind };

	if (fact->kind != CODE_MAP)
		return array_push(&m->spaces, space);
	map.path = keep_text(m, fact->path);
	if (map.build_id_len) {
		u8 *id = arena_alloc(&m->arena, map.build_id_len);

		if (id)
			memcpy(id, fact->build_id.s, map.build_id_len);
		map.build_id = id;
	}
	if (!map.path || (map.build_id_len && !map.build_id))
		return HIST_NOMEM;
	return array_push(&m->maps, map);
}

static int by_time_of_map(const void *a, const void *b)
{
	const struct code_map *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static int by_time_of_space(const void *a, const void *b)
{
	const struct code_space *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

void code_maps_sort(struct code_maps *m)
{
	if (m->maps.n)
		qsort(m->maps.v, m->maps.n, sizeof(*m->maps.v), by_time_of_map);
	if (m->spaces.n)
		qsort(m->spaces.v, m->spaces.n, sizeof(*m->spaces.v), by_time_of_space);
}

void code_maps_release(struct code_maps *m)
{
	array_release(&m->maps);
	array_release(&m->spaces);
	array_release(&m->texts);
	hash_release(&m->paths);
	arena_release(&m->arena);
}

/* Of the spaces: the first one of a later task, or of that one at a later time. */
static size_t space_after(const struct code_maps *m, s32 pid, u64 ts)
{
	const struct code_space *v = m->spaces.v;

	return partition_point(i, m->spaces.n,
			       v[i].pid < pid || (v[i].pid == pid && v[i].ts <= ts));
}

/* The same of the mappings. */
static size_t map_after(const struct code_maps *m, s32 pid, u64 ts)
{
	const struct code_map *v = m->maps.v;

	return partition_point(i, m->maps.n, v[i].pid < pid || (v[i].pid == pid && v[i].ts <= ts));
}

/* The space of a task at a time; NULL: it had always the same one. */
static const struct code_space *space_at(const struct code_maps *m, s32 pid, u64 ts)
{
	size_t i = space_after(m, pid, ts);

	return i && m->spaces.v[i - 1].pid == pid ? &m->spaces.v[i - 1] : NULL;
}

struct code_moment code_moment_of(const struct code_maps *m, s32 pid, u64 ts)
{
	const struct code_space *space = space_at(m, pid, ts);

	for (int i = 0; i < MAKERS_MAX && space && space->kind == CODE_THREAD; i++) {
		pid = space->other;
		space = space_at(m, pid, ts);
	}
	return (struct code_moment){ .space = space ? (u32)(space - m->spaces.v) + 1 : 0,
				     .end = (u32)map_after(m, pid, ts),
				     .pid = pid,
				     .ts = ts };
}

const struct code_map *code_map_at(const struct code_maps *m, const struct code_moment *moment,
				   u64 addr)
{
	struct code_moment at = *moment;

	for (int i = 0; i < MAKERS_MAX; i++) {
		const struct code_space *space = at.space ? &m->spaces.v[at.space - 1] : NULL;
		bool runs = false;

		for (size_t k = at.end; k-- > 0 && m->maps.v[k].pid == at.pid;) {
			const struct code_map *map = &m->maps.v[k];

			if (space && map->ts < space->ts)
				break;
			if (addr - map->addr < map->size)
				return map;
			runs |= !strcmp(map->path, "[vdso]");
		}
		if (space && space->kind == CODE_FORK)
			at = code_moment_of(m, space->other, space->ts);
		/* in execve(), which maps that last, the stack is still that of the caller */
		else if (space && !runs && space->ts)
			at = code_moment_of(m, at.pid, space->ts - 1);
		else
			return NULL;
	}
	return NULL;
}
