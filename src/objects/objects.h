/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * objects: from an offset in a file of a program, or of its libraries, to names.
 *
 * A process maps parts of files. A recording has these mappings: addresses, the offset in the file,
 * its path and maybe its build-id. For an address in a mapping, offset = address - start + pgoff is
 * the offset in the file, which all functions here take. In the code of a JIT it is the address.
 *
 *	struct object *o = objects_find(objects, &(struct object_key){ .path = path });
 *	const struct object_symbol *s = object_symbol(o, offset);
 *
 * An object stays until objects_free(), as do all names and texts; what is not found is also
 * remembered, and reported by objects_report(). Symbol files are untrusted: sizes are checked, the
 * libraries that read them (libelf, libdw) are loaded when the first object is read.
 */
#pragma once
#include "base/base.h"

struct objects;
struct object;

struct objects_settings {
	const char *symfs;    /* this directory contains all files; NULL: / */
	const char *id_cache; /* perf's cache of files by build-id; NULL: $HOME/.debug */
	bool no_debug_files;  /* only the file itself: no separate file with its symbols */
	bool debuginfod;      /* files that are not here are asked of the servers DEBUGINFOD_URLS */
};

/* Return: NULL if out of memory. @settings and its texts are copied; NULL: the default ones */
struct objects *objects_new(const struct objects_settings *settings);
void objects_free(struct objects *objects);

enum { OBJECT_BUILD_ID_MAX = 20 };

/* As in a recording of perf. */
struct object_key {
	const char *path;
	const u8 *build_id; /* of @build_id_len bytes, up to OBJECT_BUILD_ID_MAX; 0: unknown */
	size_t build_id_len;
	u32 pid; /* of the code of a JIT: the process */
};

/**
 * objects_find() - the object of a mapping
 * @key: borrowed during the call
 *
 * The path may be that of a file; [vdso]; or of memory with code (//anon, [heap], ...), whose names
 * are in /tmp/perf-PID.map. A file is only read when the first name is looked up. With a build-id,
 * only a file with the same one is used: that in perf's cache, a separate file with debug
 * information, or the path.
 *
 * Return:  the same object for the same key; NULL if out of memory
 * Context: any thread
 */
struct object *objects_find(struct objects *objects, const struct object_key *key);

/* The last part of the path, as for the column dso: "libc.so.6", "[vdso]", "perf-12.map". */
const char *object_name(const struct object *o);

/* Whether it is the code of a JIT, whose offsets are addresses. */
bool object_is_jit(const struct object *o);

struct object_symbol {
	const char *name;     /* demangled if possible */
	const char *raw_name; /* as in the file */
	u64 start, size;      /* offsets as those that are looked up */
};

/**
 * object_symbol() - the function that contains an offset
 *
 * Among symbols with the same address perf's preferred one: with a size, not weak, global, few
 * leading underscores, the longest. An entry of a procedure linkage table is NAME@plt.
 *
 * Owns:    valid until objects_free()
 * Return:  NULL if there is none or the object has no symbols
 * Context: any thread; the first call reads the file
 */
const struct object_symbol *object_symbol(struct object *o, u64 offset);

struct object_line {
	const char *function; /* demangled; NULL: unknown */
	const char *file;     /* path; NULL: unknown */
	u32 line;             /* 0: unknown */
};

/**
 * object_lines() - the source lines of an offset, by its debug information
 * @lines: filled in, the innermost inlined function first; the last one is the function itself
 * @max:   at least 1; more functions are left out
 *
 * Owns:    as object_symbol()
 * Return:  their number; 0: no debug information for the offset
 * Context: any thread, one at a time reads; microseconds for an offset in a unit that was read
 */
size_t object_lines(struct object *o, u64 offset, struct object_line *lines, size_t max);

/**
 * objects_report() - warn of objects that were asked for a name and have none
 *
 * One warning for each reason: files that are missing, that are others than the recorded ones,
 * unreadable, without symbols; a library that is not installed. Also of files that are not here, so
 * that stacks end in them. Reports each object once.
 */
void objects_report(struct objects *objects, struct diags *diags);

/*
 * Call chains from copies of stacks: perf record --call-graph dwarf stores the registers of the
 * program and the top of its stack in each sample. The unwind tables of the mapped files
 * (.eh_frame) determine where each function has stored the address that it returns to.
 *
 *	struct unwinder *u = unwinder_new(objects);	for each process
 *	unwinder_map(u, &mapping);			for each mapping, in the order of time
 *	n = unwinder_frames(u, &sample, frames, ARRAY_SIZE(frames));
 */

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
