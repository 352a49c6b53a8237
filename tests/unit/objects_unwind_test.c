// SPDX-License-Identifier: LGPL-2.1-only
/* Mappings of processes, and the call chain of this program from a copy of its stack. */
#include "unit.h"

#include <stdio.h>
#include <ucontext.h>

#include "objects/objects.h"

/* the frame of innermost() contains a ucontext_t, which has 4.5 KB on arm64 */
enum { STACK_SIZE = 4096 + sizeof(ucontext_t), REGISTERS = 33 };

struct unwind_fixture {
	struct objects *objects;
	struct unwinder *unwinder;
	struct unwind_map code; /* the mapping of this program's functions */
	struct unwind_sample sample;
	u64 regs[REGISTERS];
	u8 stack[STACK_SIZE];
};

static int setup(void **state)
{
	struct unwind_fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->objects = objects_new(NULL);
	assert_non_null(f->objects);
	f->unwinder = unwinder_new(f->objects);
	assert_non_null(f->unwinder);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct unwind_fixture *f = *state;

	unwinder_free(f->unwinder);
	objects_free(f->objects);
	free(f);
	return 0;
}

#if defined(__x86_64__) || defined(__aarch64__)
#define CAN_UNWIND 1

/* All mappings of this process, as perf records them. */
static void add_mappings(struct unwind_fixture *f)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], path[1024], access[8];

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps)) {
		struct unwind_map map = { 0 };

		path[0] = '\0';
		if (sscanf(line, "%llx-%llx %7s %llx %*s %*s %1023s", &map.start, &map.end, access,
			   &map.offset, path) < 4)
			continue;
		if (access[2] == 'x')
			map.object = objects_find(f->objects, &(struct object_key){ .path = path });
		assert_int_equal(unwinder_map(f->unwinder, &map), 0);
		if ((uintptr_t)setup - map.start < map.end - map.start)
			f->code = map;
	}
	fclose(maps);
}

/* The registers in the order of perf, and the stack, here. */
static __attribute__((noinline, no_sanitize("address"))) void innermost(struct unwind_fixture *f)
{
	const volatile u8 *sp;
	ucontext_t here;

	getcontext(&here);
#ifdef __x86_64__
	{
		static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
					     REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
					     REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

		for (size_t i = 0; i < ARRAY_SIZE(order); i++)
			f->regs[i] = (u64)here.uc_mcontext.gregs[order[i]];
		f->sample.machine = UNWIND_X86_64;
		f->sample.mask = 0xff01ff;
		sp = (const volatile u8 *)here.uc_mcontext.gregs[REG_RSP];
	}
#else
	for (size_t i = 0; i < 31; i++)
		f->regs[i] = here.uc_mcontext.regs[i];
	f->regs[31] = here.uc_mcontext.sp;
	f->regs[32] = here.uc_mcontext.pc;
	f->sample.machine = UNWIND_ARM64;
	f->sample.mask = 0x1ffffffff;
	sp = (const volatile u8 *)here.uc_mcontext.sp;
#endif
	for (size_t i = 0; i < STACK_SIZE; i++)
		f->stack[i] = sp[i];
	f->sample.regs = f->regs;
	f->sample.stack = f->stack;
	f->sample.n_stack = STACK_SIZE;
}

static __attribute__((noinline)) void middle(struct unwind_fixture *f)
{
	innermost(f);
	__asm__ volatile("" ::: "memory"); /* not the last instruction */
}

static __attribute__((noinline)) void outermost(struct unwind_fixture *f)
{
	middle(f);
	__asm__ volatile("" ::: "memory");
}

/* What is left of a mapping, before and after another one that overlaps it, is as it was. */
static void check_rests(struct unwind_fixture *f, const u64 *frames, size_t n)
{
	const struct unwind_map over[] = {
		{ .start = f->code.start, .end = f->code.start + 16 },
		{ .start = f->code.end - 16, .end = f->code.end },
		{ .start = f->code.start - 16, .end = f->code.start + 16 },
	};
	u64 again[32];

	for (size_t i = 0; i < ARRAY_SIZE(over); i++) {
		struct unwinder *child = unwinder_fork(f->unwinder);

		assert_non_null(child);
		assert_int_equal(unwinder_map(child, &over[i]), 0);
		assert_int_equal(unwinder_frames(child, &f->sample, again, ARRAY_SIZE(again)), n);
		assert_memory_equal(again, frames, n * sizeof(*frames));
		unwinder_free(child);
	}
}
#endif

static void test_unwind(void **state)
{
#ifdef CAN_UNWIND

	const u64 places[] = { (uintptr_t)innermost, (uintptr_t)middle, (uintptr_t)outermost,
			       (uintptr_t)test_unwind };
	struct unwind_fixture *f = *state;
	struct unwinder *child;
	u64 frames[32], again[32];
	size_t n;

	outermost(f);
	add_mappings(f);
	n = unwinder_frames(f->unwinder, &f->sample, frames, ARRAY_SIZE(frames));
	assert_true(n >= ARRAY_SIZE(places));
	/* each is in the function, whose code is at most 2 KB */
	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		assert_true(frames[i] - places[i] < 2048);
	child = unwinder_fork(f->unwinder);
	assert_non_null(child);
	assert_int_equal(unwinder_frames(child, &f->sample, again, ARRAY_SIZE(again)), n);
	assert_memory_equal(again, frames, n * sizeof(*frames));
	unwinder_free(child);
	check_rests(f, frames, n);
	assert_int_equal(unwinder_frames(f->unwinder, &f->sample, again, 2), 2);
	assert_memory_equal(again, frames, 2 * sizeof(*frames));

	/* without the stack, and without the mappings, only the place itself */
	f->sample.n_stack = 0;
	assert_int_equal(unwinder_frames(f->unwinder, &f->sample, again, ARRAY_SIZE(again)), 1);
	assert_int_equal(again[0], frames[0]);
	f->sample.n_stack = STACK_SIZE;
	unwinder_map(f->unwinder, &(struct unwind_map){ .start = 0, .end = UINT64_MAX });
	assert_int_equal(unwinder_frames(f->unwinder, &f->sample, again, ARRAY_SIZE(again)), 1);
	f->sample.mask = 0;
	assert_int_equal(unwinder_frames(f->unwinder, &f->sample, again, ARRAY_SIZE(again)), 0);
#else
	(void)state;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_unwind, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
