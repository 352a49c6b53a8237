// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Call chains from copies of stacks. A copy is unwound with the files that its process had mapped
 * at that time, so copies are sorted by time, and follow the journal of tasks.
 */
#include "import/perf_unwind.h"
#include "objects/objects.h"

enum { MAX_FRAMES = 512, MAX_MAPS = 1 << 22, N_REGISTERS = 64 };
enum { ABI_32 = 1, ABI_64 = 2 }; /* kernel: enum perf_sample_regs_abi */

struct perf_copy {
	u64 ts;
	const u8 *of;
	s32 tgid;
	u64 mask;
	const u8 *regs, *stack;
	u64 n_stack;
	size_t first; /* of ->frames */
	u32 n;
};

struct perf_process {
	s32 tgid;
	struct unwinder *unwinder;
	u64 n_maps;
};

/* --- copies --- */

bool perf_unwind_is_needed(const struct perf_file *f)
{
	const u64 bits = PERF_REGS_USER | PERF_STACK_USER | PERF_TID;

	return any_of(i, f->attrs.n, (f->attrs.v[i].sample_type & bits) == bits && !f->big);
}

int perf_unwind_add(struct perf_unwind *u, const struct perf_file *f, const struct perf_event *ev,
		    const struct perf_sample *s, const u8 *of)
{
	const struct perf_attr *a = s->attr;
	struct perf_copy copy = { .ts = a->time_at < 0 ? UINT64_MAX : s->ts,
				  .of = of,
				  .mask = a->user_regs,
				  .regs = s->regs,
				  .stack = s->stack,
				  .n_stack = s->n_stack };

	if (!s->regs || !s->stack || a->tid_at < 4)
		return 0;
	copy.tgid = (s32)load_u32(ev->body + a->tid_at - 4, f->big);
	u->narrow += s->regs_abi == ABI_32;
	return s->regs_abi != ABI_64 || copy.tgid <= 0 ? 0 : array_push(&u->copies, copy);
}

DEFINE_ORDER(cmp_time, struct perf_copy, cmp_int(x->ts, y->ts) ?: cmp_int(x->of, y->of))

DEFINE_ORDER(cmp_of, struct perf_copy, cmp_int(x->of, y->of))

struct perf_chain perf_unwind_find(const struct perf_unwind *u, const u8 *of)
{
	const size_t at = partition_point(i, u->copies.n, u->copies.v[i].of < of);
	const struct perf_copy *copy = &u->copies.v[at];

	if (at == u->copies.n || copy->of != of)
		return (struct perf_chain){ .n = 0 };
	return (struct perf_chain){ u->frames.v + copy->first, copy->n };
}

/* --- processes --- */

/* NULL: out of memory */
static struct perf_process *process_of(struct perf_unwind *u, s32 tgid)
{
	return indexed_get(&u->processes, tgid, tgid, ((struct perf_process){ .tgid = tgid }));
}

static void forget(struct perf_unwind *u, struct perf_process *p)
{
	unwinder_free(p->unwinder);
	p->unwinder = NULL;
	u->n_maps -= p->n_maps;
	p->n_maps = 0;
}

/* A process begins with the mappings of its parent. */
static int take_fork(struct perf_unwind *u, const struct task_event *e)
{
	struct perf_process *parent = process_of(u, e->parent_tgid);
	struct perf_process *child = parent ? process_of(u, e->tgid) : NULL;

	if (!child)
		return HIST_NOMEM;
	parent = process_of(u, e->parent_tgid); /* it may have moved */
	forget(u, child);
	if (!parent->unwinder)
		return 0;
	if (u->n_maps + parent->n_maps > MAX_MAPS) {
		u->too_many = true;
		return 0;
	}
	child->unwinder = unwinder_fork(parent->unwinder);
	child->n_maps = parent->n_maps;
	u->n_maps += child->n_maps;
	return child->unwinder ? 0 : HIST_NOMEM;
}

static int take_map(struct perf_unwind *u, const struct perf_map *map,
		    const struct perf_file_ids *ids)
{
	struct unwind_map to = { map->addr, map->addr + map->size, map->offset, NULL };
	struct object_key key = { .path = map->path, .pid = (u32)map->tgid };
	struct perf_process *p;
	u32 len;

	if (!map->tgid)
		return 0;
	p = process_of(u, map->tgid);
	if (!p)
		return HIST_NOMEM;
	if (u->n_maps >= MAX_MAPS) {
		u->too_many = true;
		return 0;
	}
	p->unwinder = p->unwinder ? p->unwinder : unwinder_new(u->objects);
	if (map->code) {
		key.build_id = perf_map_id(map, ids, &len);
		key.build_id_len = len;
		to.object = objects_find(u->objects, &key);
	}
	if (!p->unwinder || (map->code && !to.object))
		return HIST_NOMEM;
	/* it may split another one */
	p->n_maps += 2;
	u->n_maps += 2;
	return unwinder_map(p->unwinder, &to) ? HIST_NOMEM : 0;
}

/* What a process mapped, and when it becomes another one. Those that exist have no time. */
static int take_event(struct perf_unwind *u, const struct perf_tasks *t, const struct task_event *e)
{
	const bool leader = e->pid == e->tgid;
	struct perf_process *p;

	if (e->map)
		return take_map(u, &t->maps.v[e->map - 1], &t->ids);
	if (e->parent >= 0)
		return e->ts && e->tgid != e->parent_tgid && e->tgid > 0 ? take_fork(u, e) : 0;
	if (e->tgid > 0 && e->ts && (e->exec || (e->exit && leader))) {
		p = process_of(u, e->tgid);
		if (!p)
			return HIST_NOMEM;
		forget(u, p);
	}
	return 0;
}

/* --- chains --- */

static int machine_of(const struct perf_file *f, u64 mask)
{
	const struct span arch = perf_file_text(f, PERF_FEAT_ARCH);
	const u64 arm64_pc = (u64)1 << 32;

	if (span_eq(arch, "x86_64") || (!arch.n && !(mask & arm64_pc)))
		return UNWIND_X86_64;
	if (span_eq(arch, "aarch64") || span_eq(arch, "arm64") || !arch.n)
		return UNWIND_ARM64;
	return -1;
}

static int unwind(struct perf_unwind *u, const struct perf_file *f, struct perf_copy *copy)
{
	const int machine = machine_of(f, copy->mask), n = __builtin_popcountll(copy->mask);
	u64 regs[N_REGISTERS], frames[MAX_FRAMES];
	struct unwind_sample sample = { .machine = (enum unwind_machine)machine,
					.mask = copy->mask,
					.regs = regs,
					.stack = copy->stack,
					.n_stack = copy->n_stack };
	struct perf_process *p;
	size_t found;

	u->unknown |= machine < 0;
	if (machine < 0)
		return 0;
	p = process_of(u, copy->tgid);
	if (p && !p->unwinder)
		p->unwinder = unwinder_new(u->objects);
	if (!p || !p->unwinder)
		return HIST_NOMEM;
	for (int i = 0; i < n; i++)
		regs[i] = load_u64(copy->regs + 8 * (size_t)i, f->big);
	found = unwinder_frames(p->unwinder, &sample, frames, MAX_FRAMES);
	copy->first = u->frames.n;
	copy->n = (u32)found;
	for (size_t i = 0; i < found; i++)
		if (array_push(&u->frames, frames[i]))
			return HIST_NOMEM;
	return 0;
}

int perf_unwind_run(struct perf_unwind *u, const struct perf_file *f, const struct perf_tasks *t)
{
	const struct objects_settings files = { .symfs = u->symfs,
						.id_cache = u->id_cache,
						.debuginfod = u->debuginfod };
	size_t next = 0;
	int err = 0;

	if (!u->copies.n)
		return 0;
	u->objects = u->objects ? u->objects : objects_new(&files);
	if (!u->objects)
		return HIST_NOMEM;
	qsort(u->copies.v, u->copies.n, sizeof(*u->copies.v), cmp_time);
	for (size_t i = 0; i < u->copies.n && !err; i++) {
		while (!err && next < t->found.n && t->found.v[next].ts <= u->copies.v[i].ts)
			err = take_event(u, t, &t->found.v[next++]);
		err = err ?: unwind(u, f, &u->copies.v[i]);
	}
	for (size_t i = 0; i < u->processes.n; i++)
		forget(u, &u->processes.v[i]);
	qsort(u->copies.v, u->copies.n, sizeof(*u->copies.v), cmp_of);
	return err;
}

void perf_unwind_report(struct perf_unwind *u, const char *name, struct diags *diags)
{
	if (u->narrow && !u->told)
		diags_add(
			diags, DIAG_WARNING,
			"%s: %llu samples are of programs of 32 bits, whose stacks are not unwound",
			name, u->narrow);
	if (u->unknown && !u->told)
		diags_add(diags, DIAG_WARNING,
			  "%s: copies of stacks are only unwound for x86-64 and arm64", name);
	if (u->too_many && !u->told)
		diags_add(diags, DIAG_WARNING,
			  "%s: the processes have more than %d mappings; some stacks are not "
			  "unwound",
			  name, MAX_MAPS);
	u->told = true;
	if (u->objects)
		objects_report(u->objects, diags);
}

void perf_unwind_clear(struct perf_unwind *u)
{
	array_release(&u->copies);
	array_release(&u->frames);
	indexed_release(&u->processes);
	u->narrow = 0;
}

void perf_unwind_release(struct perf_unwind *u)
{
	perf_unwind_clear(u);
	objects_free(u->objects);
}
