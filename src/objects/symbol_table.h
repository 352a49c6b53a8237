/* SPDX-License-Identifier: LGPL-2.1-only */
/* The functions and data of a file, by their offset in it. */
#pragma once
#include "objects/elf_file.h"

enum symbol_rank { SYMBOL_LABEL, SYMBOL_WEAK, SYMBOL_LOCAL, SYMBOL_GLOBAL };

struct table_symbol {
	u64 start, end;
	u32 name;    /* offset in ->names */
	u32 outside; /* index + 1 of the nearest one before it that ends later; 0: none */
	u8 rank;
	bool plt;                     /* the entry for a function that is elsewhere */
	struct object_symbol *answer; /* NULL: was not asked for */
};

struct symbol_table {
	ARRAY(struct table_symbol) list; /* by start, unique once sorted */
	struct strbuf names;             /* each with its NUL */
};

#define SYMBOL_TABLE_INIT               \
	{                               \
		ARRAY_INIT, STRBUF_INIT \
	}

/*
 * Add the symbols of a table of @f, of type SHT_SYMTAB or SHT_DYNSYM; @segments are those of the
 * program: a separate file with debug information does not have its offsets. Return: 0 (also if
 * there is no such table), -HIST_ENOMEM
 */
int symbol_table_add(struct symbol_table *t, const struct elf_file *f,
		     const segment_array *segments, u32 type);

/*
 * Add the lines START SIZE NAME of a file in which a JIT lists its code; other lines are ignored.
 * Return: 0, -HIST_ENOMEM
 */
int symbol_table_add_map(struct symbol_table *t, struct span text);

/* Add the entries of the procedure linkage tables of @f; @t is sorted. Return: 0, -HIST_ENOMEM */
int symbol_table_add_plt(struct symbol_table *t, const struct elf_file *f,
			 const segment_array *segments);

/* Add one symbol; its name is copied. Return: 0, -HIST_ENOMEM */
int symbol_table_push(struct symbol_table *t, const struct table_symbol *symbol, const char *name);

/* Sort, and choose among symbols with one address. */
void symbol_table_sort(struct symbol_table *t);

/* The same, and add missing sizes. */
void symbol_table_finish(struct symbol_table *t);

/* The one that starts at @start; NULL: none. */
const struct table_symbol *symbol_table_at(const struct symbol_table *t, u64 start);

/* The one that contains @offset, the innermost of several; NULL: none. */
struct table_symbol *symbol_table_find(const struct symbol_table *t, u64 offset);

void symbol_table_release(struct symbol_table *t);
