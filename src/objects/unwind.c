// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Unwinds by libdwfl. It gets the files of mappings that were opened for it (find_elf()), so that
 * it neither searches for files nor downloads any, and reads no process. The processes that were
 * unwound last have a Dwfl; mappings are kept for all.
 */
#include "objects/object.h"

enum {
	DWFL_MAX = 64,
	MAPS_MAX = 65536, /* of a process */
};

struct unwinder {
	struct objects *objects;
	ARRAY(struct unwind_map) maps; /* by start; they do not overlap */
	Dwfl *dwfl;                    /* NULL: none, or the mappings changed */
	enum unwind_machine machine;   /* of its files */
	u64 used;                      /* when, to end the oldest Dwfl */

	/* during unwinder_frames() */
	const struct unwind_sample *sample;
	u64 *frames;
	size_t n, max;
};

/* --- mappings --- */

struct unwinder *unwinder_new(struct objects *objects)
{
	struct unwinder *u = calloc(1, sizeof(*u));

	if (u)
		u->objects = objects;
	return u;
}

struct unwinder *unwinder_fork(const struct unwinder *parent)
{
	struct unwinder *u = unwinder_new(parent->objects);

	for (size_t i = 0; u && i < parent->maps.n; i++)
		if (array_push(&u->maps, parent->maps.v[i])) {
			unwinder_free(u);
			return NULL;
		}
	return u;
}

static void end_dwfl(struct unwinder *u)
{
	struct objects *os = u->objects;

	if (!u->dwfl)
		return;
	os->lib.dwfl_end(u->dwfl);
	u->dwfl = NULL;
	for (size_t i = 0; i < os->unwinders.n; i++)
		if (os->unwinders.v[i] == u)
			os->unwinders.v[i--] = os->unwinders.v[--os->unwinders.n];
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	pthread_mutex_lock(&u->objects->lock);
	end_dwfl(u);
	pthread_mutex_unlock(&u->objects->lock);
	array_release(&u->maps);
	free(u);
}

int unwinder_map(struct unwinder *u, const struct unwind_map *map)
{
	size_t first = partition_point(i, u->maps.n, u->maps.v[i].end <= map->start), last = first;
	struct unwind_map rest[2];
	size_t n = 0;

	if (map->start >= map->end)
		return 0;
	/* what is left of those that it overlaps, before it and after it */
	for (; last < u->maps.n && u->maps.v[last].start < map->end; last++) {
		const struct unwind_map *old = &u->maps.v[last];

		if (old->start < map->start) {
			rest[n] = *old;
			rest[n++].end = map->start;
		}
		if (old->end > map->end) {
			rest[n] = *old;
			rest[n].offset += map->end - old->start;
			rest[n++].start = map->end;
		}
	}
	if (u->maps.n - (last - first) + n >= MAPS_MAX)
		return 0;
	for (size_t i = 0; i < n + 1; i++)
		if (array_push(&u->maps, *map))
			return -HIST_ENOMEM;
	u->maps.n -= n + 1;
	memmove(u->maps.v + first + n + 1, u->maps.v + last,
		(u->maps.n - last) * sizeof(*u->maps.v));
	u->maps.n += n + 1 - (last - first);
	if (n && rest[0].start < map->start)
		u->maps.v[first++] = rest[0];
	u->maps.v[first++] = *map;
	if (n && rest[n - 1].start >= map->end)
		u->maps.v[first] = rest[n - 1];
	pthread_mutex_lock(&u->objects->lock);
	end_dwfl(u);
	pthread_mutex_unlock(&u->objects->lock);
	return 0;
}

/* --- what libdwfl asks for --- */

/* NOLINTNEXTLINE(readability-function-size): libdwfl's parameters */
static int find_elf(Dwfl_Module *mod UNUSED, void **userdata, const char *name UNUSED,
		    Dwarf_Addr base UNUSED, char **file_name UNUSED, Elf **elf)
{
	struct object *o = *userdata;

	/* one more reference */
	*elf = o->objects->lib.elf_begin(o->code.fd, ELF_C_READ, o->code.elf);
	return -1;
}

/* NOLINTNEXTLINE(readability-function-size): libdwfl's parameters */
static int find_debuginfo(Dwfl_Module *mod UNUSED, void **userdata UNUSED, const char *name UNUSED,
			  Dwarf_Addr base UNUSED, const char *file UNUSED, const char *link UNUSED,
			  GElf_Word crc UNUSED, char **file_name UNUSED)
{
	return -1;
}

static pid_t next_thread(Dwfl *dwfl UNUSED, void *arg, void **thread_arg)
{
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return 1;
}

static bool get_thread(Dwfl *dwfl UNUSED, pid_t tid UNUSED, void *arg, void **thread_arg)
{
	*thread_arg = arg;
	return true;
}

/* Register @i of perf; false: it was not stored. */
static bool register_of(const struct unwind_sample *s, unsigned int i, Dwarf_Word *value)
{
	const u64 bit = (u64)1 << i;

	if (!(s->mask & bit))
		return false;
	*value = s->regs[__builtin_popcountll(s->mask & (bit - 1))];
	return true;
}

/* perf's numbers of the registers, in the order of DWARF's */
static const u8 x86_64_registers[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23, 8 };

enum { ARM64_REGISTERS = 32, ARM64_PC = 32, X86_64_SP = 7, X86_64_PC = 8, ARM64_SP = 31 };

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct unwinder *u = arg;
	const struct unwind_sample *s = u->sample;
	const struct elfutils *lib = &u->objects->lib;
	Dwarf_Word regs[ARM64_REGISTERS] = { 0 };
	Dwarf_Word pc = 0;

	if (s->machine == UNWIND_X86_64) {
		for (unsigned int i = 0; i < ARRAY_SIZE(x86_64_registers); i++)
			register_of(s, x86_64_registers[i], &regs[i]);
		return lib->dwfl_thread_state_registers(thread, 0, ARRAY_SIZE(x86_64_registers),
							regs);
	}
	for (unsigned int i = 0; i < ARM64_REGISTERS; i++)
		register_of(s, i, &regs[i]);
	if (!register_of(s, ARM64_PC, &pc))
		return false;
	lib->dwfl_thread_state_register_pc(thread, pc);
	return lib->dwfl_thread_state_registers(thread, 0, ARM64_REGISTERS, regs);
}

static bool read_stack(Dwfl *dwfl UNUSED, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
	const struct unwinder *u = arg;
	const struct unwind_sample *s = u->sample;
	Dwarf_Word sp;

	if (!register_of(s, s->machine == UNWIND_X86_64 ? X86_64_SP : ARM64_SP, &sp) || addr < sp ||
	    s->n_stack < sizeof(u64) || addr - sp > s->n_stack - sizeof(u64))
		return false;
	*result = load_u64(s->stack + (addr - sp), false);
	return true;
}

static int take_frame(Dwfl_Frame *state, void *arg)
{
	struct unwinder *u = arg;
	Dwarf_Addr pc;
	bool interrupted;

	if (!u->objects->lib.dwfl_frame_pc(state, &pc, &interrupted))
		return DWARF_CB_ABORT;
	u->frames[u->n++] = interrupted ? pc : pc - 1;
	return u->n < u->max ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/* --- a process --- */

static const u16 machines[] = { [UNWIND_X86_64] = EM_X86_64, [UNWIND_ARM64] = EM_AARCH64 };

/* Report the file of a mapping where it is, once for all its mappings. */
static void add_module(struct unwinder *u, const struct unwind_map *map)
{
	struct object *o = map->object;
	const struct elfutils *lib = &u->objects->lib;
	u64 addr, low, high = 0;
	Dwfl_Module *mod;
	void **userdata;

	object_open_code(o);
	if (!o->code.elf || o->code.header.e_machine != machines[u->machine] ||
	    !segments_code_address(&o->code.segments, map->offset, &addr))
		return;
	low = o->code.segments.v[0].addr & ~(o->code.segments.v[0].align - 1);
	for (size_t i = 0; i < o->code.segments.n; i++)
		high = max_t(u64, high, o->code.segments.v[i].addr + o->code.segments.v[i].size);
	low += map->start - addr;
	high += map->start - addr;
	if (low >= high || (o->unwinder == u && o->unwinder_low == low))
		return;
	o->unwinder = u;
	o->unwinder_low = low;
	mod = lib->dwfl_report_module(u->dwfl, o->path, low, high);
	if (mod && lib->dwfl_module_info(mod, &userdata, NULL, NULL, NULL, NULL, NULL, NULL))
		*userdata = o;
}

static bool begin_dwfl(struct unwinder *u)
{
	static const Dwfl_Callbacks callbacks = { .find_elf = find_elf,
						  .find_debuginfo = find_debuginfo };
	static const Dwfl_Thread_Callbacks thread_callbacks = {
		.next_thread = next_thread,
		.get_thread = get_thread,
		.memory_read = read_stack,
		.set_initial_registers = set_registers,
	};
	struct objects *os = u->objects;

	if (os->unwinders.n == DWFL_MAX) {
		struct unwinder *oldest = os->unwinders.v[0];

		for (size_t i = 1; i < os->unwinders.n; i++)
			if (os->unwinders.v[i]->used < oldest->used)
				oldest = os->unwinders.v[i];
		end_dwfl(oldest);
	}
	u->dwfl = os->lib.dwfl_begin(&callbacks);
	if (!u->dwfl)
		return false;
	if (array_push(&os->unwinders, u)) {
		end_dwfl(u);
		return false;
	}
	os->lib.dwfl_report_begin(u->dwfl);
	for (size_t i = 0; i < u->maps.n; i++)
		if (u->maps.v[i].object)
			add_module(u, &u->maps.v[i]);
	os->lib.dwfl_report_end(u->dwfl, NULL, NULL);
	for (size_t i = 0; i < u->maps.n; i++)
		if (u->maps.v[i].object)
			u->maps.v[i].object->unwinder = NULL;
	return os->lib.dwfl_attach_state(u->dwfl, NULL, 1, &thread_callbacks, u);
}

/* Remember the file in which a stack ends because it is not here. */
static void note_end(const struct unwinder *u, u64 last)
{
	const size_t at = partition_point(i, u->maps.n, u->maps.v[i].end <= last);
	struct object *o = at < u->maps.n && u->maps.v[at].start <= last ? u->maps.v[at].object
									 : NULL;

	if (o && o->kind == OBJECT_FILE && o->tried_code && !o->code.elf)
		o->ended_stacks = true;
}

size_t unwinder_frames(struct unwinder *u, const struct unwind_sample *sample, u64 *frames,
		       size_t max)
{
	struct objects *os = u->objects;
	Dwarf_Word pc;

	if (!max ||
	    !register_of(sample, sample->machine == UNWIND_X86_64 ? X86_64_PC : ARM64_PC, &pc))
		return 0;
	frames[0] = pc;
	pthread_mutex_lock(&os->lock);
	if (u->machine != sample->machine)
		end_dwfl(u);
	u->machine = sample->machine;
	u->sample = sample;
	u->frames = frames;
	u->max = max;
	u->n = 0;
	u->used = ++os->time;
	if (elfutils_load_dwarf(&os->lib) && (u->dwfl || begin_dwfl(u)))
		os->lib.dwfl_getthread_frames(u->dwfl, 1, take_frame, u);
	note_end(u, frames[u->n ? u->n - 1 : 0]);
	pthread_mutex_unlock(&os->lock);
	return u->n ? u->n : 1;
}
