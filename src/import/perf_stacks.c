// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The call chain of a sample becomes the records that follow it in a ring buffer: kernel_stack, and
 * user_stack, of which a kernel records 8 frames, and which here has all.
 */
#include "import/perf_samples.h"

enum { COMMON = 8, MAX_FRAMES = 512 };
enum { PRINTED_FRAMES = 3 }; /* by the formats */
/* The end of a stack, as older kernels mark it: a frame of a program can be 0. */
#define END UINT64_MAX

static void put_long(const struct import_sink *s, u8 *to, u64 v)
{
	if (s->machine.long_size == 8)
		store_u64(to, v, s->machine.big_endian);
	else
		store_u32(to, (u32)v, s->machine.big_endian);
}

/* The frames of one context of a call chain, as longs at @to; their number. */
static u32 put_frames(const struct import_sink *s, const struct perf_stack *stack, u64 context,
		      u8 *to)
{
	const u32 size = s->machine.long_size;
	bool big = s->machine.big_endian, on = false;
	u32 n = 0;

	for (u32 i = 0; i < stack->n_ips && n < MAX_FRAMES; i++) {
		u64 ip = load_u64(stack->ips + 8 * (size_t)i, big);

		/* kernel: PERF_CONTEXT_* entries announce the kind of the frames after them */
		if (ip >= (u64)-4095) {
			on = ip == context;
			continue;
		}
		if (!on)
			continue;
		put_long(s, to + size * n++, ip);
	}
	return n;
}

/* Those of a copy of the stack, instead of what is in the chain. */
static u32 put_user(const struct import_sink *s, const struct perf_stack *stack, u8 *to)
{
	const u32 size = s->machine.long_size;
	u32 n = 0;

	if (!stack->n_user)
		return put_frames(s, stack, PERF_CONTEXT_USER, to);
	for (u32 i = 0; i < stack->n_user && n < MAX_FRAMES; i++)
		if (stack->user[i] < (u64)-4095)
			put_long(s, to + size * n++, stack->user[i]);
	return n;
}

/*
 * kernel: struct stack_entry: a record's common fields, int size, the frames. The first frame of a
 * stack that a trigger records is the tracepoint's own function; perf omits it. Readers leave out
 * the first two, of which a sample has none. struct userstack_entry: the process instead of the
 * size.
 */
int perf_stacks_put(struct import_sink *s, u32 cpu, const struct perf_stack *stack)
{
	const bool big = s->machine.big_endian;
	const u32 size = s->machine.long_size, at = COMMON + max_t(u32, 4, size);
	u8 rec[16 + (MAX_FRAMES + 3) * 8] = { 0 };
	u32 first = stack->skipped,
	    n = put_frames(s, stack, PERF_CONTEXT_KERNEL, rec + at + first * size);
	int err = 0;

	memcpy(rec, stack->common, COMMON);
	store_u16(rec, PERF_KERNEL_STACK, big);
	store_u32(rec + COMMON, first + n, big);
	if (n)
		err = import_sink_record(s, cpu, stack->ts, rec, at + (first + n) * size);
	n = put_user(s, stack, rec + at);
	if (!n || err)
		return err;
	store_u16(rec, PERF_USER_STACK, big);
	store_u32(rec + COMMON, (u32)stack->tgid, big);
	do
		put_long(s, rec + at + n * size, END);
	while (++n < PRINTED_FRAMES);
	return import_sink_record(s, cpu, stack->ts, rec, at + n * size);
}

/* They are the same in every kernel. */
int perf_stacks_formats(struct import_sink *s, u32 long_size)
{
	const u32 at = COMMON + max_t(u32, 4, long_size);
	static const struct {
		const char *name, *type, *field;
		int id, is_signed;
	} stacks[] = { { "kernel_stack", "int", "size", PERF_KERNEL_STACK, 1 },
		       { "user_stack", "unsigned int", "tgid", PERF_USER_STACK, 0 } };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(stacks) && !err; i++) {
		char *text = arena_printf(
			&s->arena,
			"name: %s\nID: %d\nformat:\n" FORMAT_COMMON
			"\tfield:%s %s;\toffset:8;\tsize:4;\tsigned:%d;\n"
			"\tfield:unsigned long caller[8];\toffset:%u;\tsize:%u;\tsigned:0;\n\n"
			"print fmt: \"\\t=> %%ps\\n\\t=> %%ps\\n\\t=> %%ps\\n\", "
			"(void *)REC->caller[0], (void *)REC->caller[1], "
			"(void *)REC->caller[2]\n",
			stacks[i].name, stacks[i].id, stacks[i].type, stacks[i].field,
			stacks[i].is_signed, at, 8 * long_size);

		err = text ? import_sink_format(s, "ftrace", span_of(text)) : HIST_NOMEM;
	}
	return err;
}
