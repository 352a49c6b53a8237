/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Call chains from copies of stacks: perf record --call-graph dwarf stores the registers of the
 * program and the top of its stack in each sample. The unwind tables of the mapped files
 *(.eh_frame) determine where each function has stored the address that it returns to.
 *
 *	struct unwinder *u = unwinder_new(objects);	for each process
 *	unwinder_map(u, &mapping);			for each mapping, in the order of time
 *	n = unwinder_frames(u, &sample, frames, ARRAY_SIZE(frames));
 */
#pragma once
#include "objects/objects.h"

/* The mappings of a process. */
struct unwinder;

/* Return: NULL if out of memory. @objects must live longer */
struct unwinder *unwinder_new(struct objects *objects);

/* That of a child: a copy. Return: NULL if out of memory */
struct unwinder *unwinder_fork(const struct unwinder *parent);
void unwinder_free(struct unwinder *u);

struct unwind_map {
	u64 start, end, offset;
	struct object *object; /* NULL: it does not contain code (cannot be executed) */
};

/* Add a mapping, which replaces what was there. Return: 0, -HIST_ENOMEM */
int unwinder_map(struct unwinder *u, const struct unwind_map *map);

enum unwind_machine { UNWIND_X86_64, UNWIND_ARM64 };

/* As in a sample of perf. */
struct unwind_sample {
	enum unwind_machine machine;
	u64 mask;        /* sample_regs_user: which registers were stored */
	const u64 *regs; /* these, in the byte order of this machine */
	const u8 *stack; /* a copy of the stack from the stack pointer on */
	size_t n_stack;
};

/**
 * unwinder_frames() - the addresses of a stack, innermost first
 * @frames: filled in: the instruction pointer, then for each caller the address that the function
 *          returns to minus one, which is in the calling instruction, as perf reports them
 *
 * Return:  their number, at most @max; it ends where the copy of the stack ends, or where unwind
 *          tables are missing; 0: the registers do not have an instruction pointer
 * Context: one thread at a time for each @u
 */
size_t unwinder_frames(struct unwinder *u, const struct unwind_sample *sample, u64 *frames,
		       size_t max);
