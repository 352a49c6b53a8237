// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Mappings of processes over time. A task that was made has the mappings of its maker at that time,
 * and those that it adds; a thread has those of its process; a program that was executed has only
 * its own. Unmapping is not recorded: at an address the latest mapping is valid.
 */
#include <stdlib.h>

#include "code/maps.h"

enum { MAKERS_MAX = 64 }; /* of a task that are followed */

static int add_named(struct code_maps *m, const struct code_fact *fact)
{
	struct code_named named = { .addr = fact->addr };
	u32 path;

	if (texts_number(&m->paths, fact->path, &path))
		return HIST_NOMEM;
	named.file = m->paths.v.v[path];
	named.names = arena_strndup(&m->arena, fact->names.s, fact->names.n);
	for (size_t i = 0; i < fact->names.n; i++)
		named.n += !fact->names.s[i];
	return !named.names ? HIST_NOMEM : named.n ? array_push(&m->named, named) : 0;
}

int code_maps_add(struct code_maps *m, const struct code_fact *fact)
{
	struct code_map map = { .when = { fact->pid, (u32)m->maps.n, fact->ts },
				.addr = fact->addr,
				.size = fact->size,
				.offset = fact->offset,
				.build_id_len = (u32)fact->build_id.n };
	const struct code_space space = { .when = { fact->pid, (u32)m->spaces.n, fact->ts },
					  .other = fact->other,
					  .kind = fact->kind };
	u32 path;

	if (fact->kind == CODE_NAME)
		return add_named(m, fact);
	if (fact->kind != CODE_MAP)
		return array_push(&m->spaces, space);
	if (texts_number(&m->paths, fact->path, &path))
		return HIST_NOMEM;
	map.path = m->paths.v.v[path];
	if (map.build_id_len) {
		u8 *id = arena_alloc(&m->arena, map.build_id_len);

		if (id)
			memcpy(id, fact->build_id.s, map.build_id_len);
		map.build_id = id;
	}
	if (map.build_id_len && !map.build_id)
		return HIST_NOMEM;
	return array_push(&m->maps, map);
}

/* Of mappings and of spaces, which begin with it. */
static int by_when(const void *a, const void *b)
{
	const struct code_when *x = a, *y = b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

static int by_addr(const void *a, const void *b)
{
	const struct code_named *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

void code_maps_sort(struct code_maps *m)
{
	if (m->maps.n)
		qsort(m->maps.v, m->maps.n, sizeof(*m->maps.v), by_when);
	if (m->spaces.n)
		qsort(m->spaces.v, m->spaces.n, sizeof(*m->spaces.v), by_when);
	if (m->named.n)
		qsort(m->named.v, m->named.n, sizeof(*m->named.v), by_addr);
}

void code_maps_release(struct code_maps *m)
{
	array_release(&m->maps);
	array_release(&m->spaces);
	array_release(&m->named);
	texts_release(&m->paths);
	arena_release(&m->arena);
}

/* Whether it is not later than that time of the task. */
static bool is_until(const struct code_when *when, s32 pid, u64 ts)
{
	return when->pid < pid || (when->pid == pid && when->ts <= ts);
}

/* The space of a task at a time; NULL: it had always the same one. */
static const struct code_space *space_at(const struct code_maps *m, s32 pid, u64 ts)
{
	const struct code_space *v = m->spaces.v;
	const size_t at = partition_point(i, m->spaces.n, is_until(&v[i].when, pid, ts));

	return at && v[at - 1].when.pid == pid ? &v[at - 1] : NULL;
}

struct code_moment code_moment_of(const struct code_maps *m, s32 pid, u64 ts)
{
	const struct code_space *space = space_at(m, pid, ts);
	const struct code_map *v = m->maps.v;
	size_t end;

	for (int i = 0; i < MAKERS_MAX && space && space->kind == CODE_THREAD; i++) {
		pid = space->other;
		space = space_at(m, pid, ts);
	}
	end = partition_point(k, m->maps.n, is_until(&v[k].when, pid, ts));
	return (struct code_moment){ .space = space ? (u32)(space - m->spaces.v) + 1 : 0,
				     .end = (u32)end,
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

		for (size_t k = at.end; k-- > 0 && m->maps.v[k].when.pid == at.pid;) {
			const struct code_map *map = &m->maps.v[k];

			if (space && map->when.ts < space->when.ts)
				break;
			if (addr - map->addr < map->size)
				return map;
			runs |= !strcmp(map->path, "[vdso]");
		}
		if (space && space->kind == CODE_FORK)
			at = code_moment_of(m, space->other, space->when.ts);
		/* in execve(), which maps that last, the stack is still that of the caller */
		else if (space && !runs && space->when.ts)
			at = code_moment_of(m, at.pid, space->when.ts - 1);
		else
			return NULL;
	}
	return NULL;
}

const struct code_named *code_maps_named(const struct code_maps *m, u64 addr)
{
	const size_t at = partition_point(i, m->named.n, m->named.v[i].addr < addr);

	return at < m->named.n && m->named.v[at].addr == addr ? &m->named.v[at] : NULL;
}
