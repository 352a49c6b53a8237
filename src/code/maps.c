// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Mappings of processes over time. A task that was made has the mappings of its maker at that time,
 * and those that it adds; a thread has those of its process; a program that was executed has only
 * its own. Unmapping is not recorded: at an address the latest mapping is valid.
 */
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
	return map.build_id_len && !map.build_id ? HIST_NOMEM : array_push(&m->maps, map);
}

/* Of mappings and of spaces, which begin with it. */
DEFINE_ORDER(by_when, struct code_when,
	     cmp_int(x->pid, y->pid) ?: cmp_int(x->ts, y->ts) ?: cmp_int(x->seq, y->seq))

DEFINE_ORDER(by_addr, struct code_named, cmp_int(x->addr, y->addr))

DEFINE_ORDER(by_first, struct code_extent, cmp_int(x->first, y->first))

static int add_range(struct code_blocks *b, const struct code_map *map)
{
	const struct code_extent r = { map->addr, map->addr + map->size - 1 }, top = { 0, r.last };
	const struct code_extent low = { r.first, UINT64_MAX };

	if (!map->size)
		return 0;
	if (r.first <= r.last)
		return array_push(&b->ranges, r);
	/* around the end of all addresses */
	return array_push(&b->ranges, top) ?: array_push(&b->ranges, low);
}

/* Those of a block, of which some overlap: sorted, joined. */
static int end_block(struct code_blocks *b, size_t begin)
{
	size_t n = begin;

	if (b->ranges.n > begin)
		qsort(b->ranges.v + begin, b->ranges.n - begin, sizeof(*b->ranges.v), by_first);
	for (size_t i = begin; i < b->ranges.n; i++) {
		struct code_extent *last = n > begin ? &b->ranges.v[n - 1] : NULL;
		const struct code_extent r = b->ranges.v[i];

		if (last && r.first <= last->last)
			last->last = max_t(u64, last->last, r.last);
		else
			b->ranges.v[n++] = r;
	}
	b->ranges.n = n;
	return array_push(&b->ends, n);
}

static int index_blocks(struct code_maps *m)
{
	int err = 0;

	for (u32 level = 0; level < CODE_LEVELS; level++) {
		const size_t size = 1ull << ((level + 1) * CODE_BLOCK_BITS);
		struct code_blocks *b = &m->blocks[level];

		for (size_t i = 0, begin = 0; i + size <= m->maps.n && !err; i += size) {
			for (size_t k = i; k < i + size && !err; k++)
				err = add_range(b, &m->maps.v[k]);
			err = err ?: end_block(b, begin);
			begin = b->ranges.n;
		}
	}
	return err;
}

static bool block_has(const struct code_blocks *b, size_t block, u64 addr)
{
	const size_t begin = block ? b->ends.v[block - 1] : 0, n = b->ends.v[block] - begin;
	const struct code_extent *r = b->ranges.v + begin;
	const size_t at = partition_point(i, n, r[i].first <= addr);

	return at && addr <= r[at - 1].last;
}

/* The number of mappings up to the last one before @end that may have the address, or @begin. */
static size_t skip_blocks(const struct code_maps *m, size_t begin, size_t end, u64 addr)
{
	for (u32 level = CODE_LEVELS; level-- > 0;) {
		const u32 bits = (level + 1) * CODE_BLOCK_BITS;
		const size_t size = 1ull << bits, block = (end >> bits) - 1;

		if (!(end & (size - 1)) && end >= begin + size && block < m->blocks[level].ends.n &&
		    !block_has(&m->blocks[level], block, addr))
			return end - size;
	}
	return end;
}

/* The last mapping of an address from @begin up to @end; NULL: none. */
static const struct code_map *last_map(const struct code_maps *m, size_t begin, size_t end,
				       u64 addr)
{
	while (end > begin) {
		const size_t before = skip_blocks(m, begin, end, addr);
		const struct code_map *map = &m->maps.v[end - 1];

		if (before == end && addr - map->addr < map->size)
			return map;
		end = before == end ? end - 1 : before;
	}
	return NULL;
}

int code_maps_sort(struct code_maps *m)
{
	if (m->maps.n)
		qsort(m->maps.v, m->maps.n, sizeof(*m->maps.v), by_when);
	if (m->spaces.n)
		qsort(m->spaces.v, m->spaces.n, sizeof(*m->spaces.v), by_when);
	if (m->named.n)
		qsort(m->named.v, m->named.n, sizeof(*m->named.v), by_addr);
	for (size_t i = 0; i < m->maps.n; i++)
		m->maps.v[i].vdsos =
			(i ? m->maps.v[i - 1].vdsos : 0) + !strcmp(m->maps.v[i].path, "[vdso]");
	return index_blocks(m);
}

void code_maps_release(struct code_maps *m)
{
	array_release(&m->maps);
	for (u32 i = 0; i < CODE_LEVELS; i++) {
		array_release(&m->blocks[i].ranges);
		array_release(&m->blocks[i].ends);
	}
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

static bool is_before(const struct code_when *when, s32 pid, u64 ts)
{
	return when->pid < pid || (when->pid == pid && when->ts < ts);
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
	const struct code_map *v = m->maps.v;
	struct code_moment at = *moment;

	for (int i = 0; i < MAKERS_MAX; i++) {
		const struct code_space *space = at.space ? &m->spaces.v[at.space - 1] : NULL;
		const size_t begin = partition_point(
			k, at.end, is_before(&v[k].when, at.pid, space ? space->when.ts : 0));
		const struct code_map *map = last_map(m, begin, at.end, addr);
		const bool runs = at.end > begin &&
				  v[at.end - 1].vdsos != (begin ? v[begin - 1].vdsos : 0);

		if (map)
			return map;
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
