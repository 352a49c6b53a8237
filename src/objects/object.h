/* SPDX-License-Identifier: LGPL-2.1-only */
/* An object and the files that it is read from. */
#pragma once
#include <pthread.h>

#include "objects/symbol_table.h"

enum object_kind { OBJECT_FILE, OBJECT_VDSO, OBJECT_JIT };

/* Why an object has no names; ORDER problems in objects.c */
enum object_problem {
	OBJECT_FINE,
	OBJECT_MISSING,    /* there is no such file */
	OBJECT_OTHER,      /* there is, with another build-id */
	OBJECT_UNREADABLE, /* it cannot be read, or is not an ELF file */
	OBJECT_STRIPPED,   /* it has no symbols, and there is no separate file with them */
	OBJECT_NO_LIBRARY, /* libelf is not installed */
	OBJECT_NO_MAP,     /* a JIT did not list its code */
	N_OBJECT_PROBLEMS,
};

struct object {
	struct objects *objects;
	enum object_kind kind;
	const char *path;
	u8 build_id[OBJECT_BUILD_ID_MAX];
	size_t build_id_len;

	bool read; /* what follows was read */
	bool reported;
	enum object_problem problem;
	segment_array segments;
	struct symbol_table symbols;

	bool tried_debug;         /* to open its debug information */
	struct debug_info *debug; /* NULL: not open */
	u64 debug_used;           /* when, see struct objects */

	bool tried_code;
	bool ended_stacks; /* it has no code here, so stacks end in it */
	bool reported_stacks;
	struct elf_file code;            /* for unwinding */
	const struct unwinder *unwinder; /* which has a module for it, at ->unwinder_low */
	u64 unwinder_low;
};

/* Places to look for files; every text is in @arena. */
struct object_search {
	struct arena *arena;
	struct elfutils *lib;
	const char *symfs;
	const char *id_cache; /* perf's files by build-id; NULL: none */
	const char *id_debug; /* the same for debug information */
	bool no_debug_files;
	bool debuginfod;
	void *client; /* of libdebuginfod; NULL: not connected yet */
};

struct objects {
	pthread_mutex_t lock;
	struct arena arena;
	struct elfutils lib;
	struct object_search search;
	INDEXED(struct object *) list; /* by path */
	struct texts texts;
	size_t n_debug;                     /* objects whose debug information is open */
	ARRAY(struct unwinder *) unwinders; /* with a Dwfl */
	u64 time;                           /* counts uses of debug information and unwinders */
	bool reported;                      /* that libdw is missing */
	bool reported_servers;              /* that none is asked */
};

/* With the lock; ->problem is set. */
void object_read(struct object *o);

/*
 * Open the file with the debug information of @o, whose symbols were read. Return: 0, 1:
 * there is none, -HIST_ENOMEM
 */
int object_open_debug(struct object *o, struct elf_file *f);

void object_open_code(struct object *o);

/* --- debug_info.c: DWARF of a file: source lines, and which functions were inlined where --- */

/*
 * @f is open, and closed by debug_info_close(), or here on failure. Return: NULL: there is no debug
 * information, it is damaged, or out of memory
 */
struct debug_info *debug_info_open(struct elf_file *f);
void debug_info_close(struct debug_info *info);

/*
 * The functions at an address of the program, the innermost first, with names as in the file, which
 * are valid until debug_info_close(). @all: the last one is not inlined. Return: their number, at
 * most @max; 0: unknown
 */
size_t debug_info_lines(struct debug_info *info, u64 addr, struct object_line *lines, size_t max,
			bool *all);
