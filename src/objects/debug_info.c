// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads debug information by libdw. When a unit (a source file) is first needed, the ranges of its
 * functions, also inlined ones, are collected; a place is then found by bisection. libdw is kept
 * from opening other files: their paths are part of the data, and may be those of pipes.
 */
#include <dwarf.h>

#include "objects/object.h"

enum {
	DEPTH_MAX = 200, /* of nested entries of a unit */
	NESTED_MAX = 1000,
	UNITS_MAX = 1 << 20,
	RANGES_MAX = 1 << 22, /* of all units */
};

/* A part of a unit, or of a function in it. */
struct code_range {
	u64 start, end;
	u32 outside; /* index + 1 of the nearest one before it that does not end earlier; 0: none */
	bool inlined;
	u64 of; /* index of the unit; offset of the function */
};

typedef ARRAY(struct code_range) range_array;

struct debug_unit {
	Dwarf_Off die;
	bool read;
	range_array functions;
};

struct debug_info {
	struct elf_file file;
	const struct elfutils *lib;
	Dwarf *dwarf;
	struct span entries; /* .debug_info */
	ARRAY(struct debug_unit) units;
	range_array ranges; /* of units */
};

/* --- nested ranges --- */

/* By start; what contains others comes before them. */
DEFINE_ORDER(compare_ranges, struct code_range,
	     cmp_int(x->start, y->start) ?: cmp_int(y->end, x->end) ?: cmp_int(x->of, y->of))

static void sort_ranges(range_array *ranges)
{
	struct code_range *v = ranges->v;

	if (ranges->n)
		qsort(v, ranges->n, sizeof(*v), compare_ranges);
	for (size_t i = 0; i < ranges->n; i++) {
		v[i].outside = (u32)i;
		while (v[i].outside && v[v[i].outside - 1].end < v[i].end)
			v[i].outside = v[v[i].outside - 1].outside;
	}
}

/* The innermost one that contains @addr, starting from @next, an index + 1; NULL: none. */
static const struct code_range *next_range(const range_array *ranges, u64 addr, size_t next)
{
	for (int depth = 0; next && depth < NESTED_MAX; depth++) {
		const struct code_range *range = &ranges->v[next - 1];

		if (addr < range->end)
			return range;
		next = range->outside;
	}
	return NULL;
}

static const struct code_range *find_range(const range_array *ranges, u64 addr)
{
	return next_range(ranges, addr,
			  partition_point(at, ranges->n, ranges->v[at].start <= addr));
}

/* Add the parts of @die. Return: their number, -HIST_ENOMEM */
static int add_ranges(struct debug_info *info, range_array *ranges, Dwarf_Die *die,
		      const struct code_range *as)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int n = 0;

	while (n < RANGES_MAX && (at = info->lib->dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		struct code_range range = *as;

		if (start >= end)
			continue;
		range.start = start;
		range.end = end;
		if (array_push(ranges, range))
			return -HIST_ENOMEM;
		n++;
	}
	return n;
}

/* --- units and their functions --- */

static int read_units(struct debug_info *info)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	int n = 0;

	while (info->units.n < UNITS_MAX &&
	       !info->lib->dwarf_get_units(info->dwarf, cu, &cu, NULL, NULL, &die, NULL)) {
		const struct debug_unit unit = { .die = info->lib->dwarf_dieoffset(&die) };
		const struct code_range as = { .of = info->units.n };

		if (array_push(&info->units, unit) || n > RANGES_MAX)
			return -HIST_ENOMEM;
		n = add_ranges(info, &info->ranges, &die, &as);
		if (n < 0)
			return n;
	}
	sort_ranges(&info->ranges);
	return 0;
}

static bool may_contain_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

/* A walk over the entries of a unit. Damaged ones may lead to the same entries again and again. */
struct unit_walk {
	struct debug_info *info;
	struct debug_unit *unit;
	u64 left; /* entries and ranges that it may still see */
};

static int walk(struct unit_walk *w, Dwarf_Die *parent, int depth)
{
	const struct elfutils *lib = w->info->lib;
	Dwarf_Die die;
	int more = depth < DEPTH_MAX ? lib->dwarf_child(parent, &die) : 1, n = 0;

	for (; !more && w->left && n >= 0; more = lib->dwarf_siblingof(&die, &die)) {
		const int tag = lib->dwarf_tag(&die);
		const struct code_range as = { .inlined = tag == DW_TAG_inlined_subroutine,
					       .of = lib->dwarf_dieoffset(&die) };

		w->left--;
		if (!may_contain_functions(tag))
			continue;
		if (tag == DW_TAG_subprogram || as.inlined)
			n = add_ranges(w->info, &w->unit->functions, &die, &as);
		if (n >= 0) {
			w->left -= min_t(u64, w->left, (u64)n);
			n = walk(w, &die, depth + 1);
		}
	}
	return n < 0 ? n : 0;
}

/* The functions of a unit; none if out of memory. */
static void read_unit(struct debug_info *info, struct debug_unit *unit)
{
	struct unit_walk w = { .info = info, .unit = unit, .left = RANGES_MAX };
	Dwarf_Die die;

	unit->read = true;
	if (!info->lib->dwarf_offdie(info->dwarf, unit->die, &die))
		return;
	if (walk(&w, &die, 0))
		array_release(&unit->functions);
	sort_ranges(&unit->functions);
}

/* Whether all texts end in their section, which libdw 0.188 does not check for file names. */
static bool texts_end(const struct elf_file *f)
{
	GElf_Shdr header;
	Elf_Scn *scn = NULL;

	while (elf_file_next(f, &scn, &header)) {
		/* .debug_str, .zdebug_str, ... */
		const char *name = strstr(elf_file_section_name(f, &header), "debug_");
		struct span text;

		if (!name || !header.sh_size ||
		    (strcmp(name, "debug_str") && strcmp(name, "debug_line_str")))
			continue;
		text = elf_file_contents(f, scn, &header);
		if (!text.n || text.s[text.n - 1])
			return false;
	}
	return true;
}

struct debug_info *debug_info_open(struct elf_file *f)
{
	struct debug_info *info = calloc(1, sizeof(*info));
	GElf_Shdr header;

	if (!info) {
		elf_file_close(f);
		return NULL;
	}
	info->file = *f;
	info->lib = f->lib;
	if (!elf_file_section(f, 0, ".gnu_debugaltlink", &header))
		info->dwarf = f->lib->dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	if (info->dwarf && texts_end(f) && !read_units(info)) {
		Elf_Scn *scn = elf_file_section(f, 0, ".debug_info", &header);

		info->entries = scn ? elf_file_contents(f, scn, &header) : (struct span){ 0 };
		return info;
	}
	debug_info_close(info);
	return NULL;
}

void debug_info_close(struct debug_info *info)
{
	if (!info)
		return;
	for (size_t i = 0; i < info->units.n; i++)
		array_release(&info->units.v[i].functions);
	array_release(&info->units);
	array_release(&info->ranges);
	if (info->dwarf)
		info->lib->dwarf_end(info->dwarf);
	elf_file_close(&info->file);
	free(info);
}

/* --- answers --- */

static const char *function_name(const struct debug_info *info, Dwarf_Die *die)
{
	const struct elfutils *lib = info->lib;
	const char *name = NULL, *entries = info->entries.s;
	Dwarf_Attribute attr;

	if (lib->dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
	    lib->dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr))
		name = lib->dwarf_formstring(&attr);
	name = name ? name : lib->dwarf_diename(die);
	/* the entry may be the last one, and its name may not end */
	if (name && entries && name >= entries && name < entries + info->entries.n &&
	    !memchr(name, '\0', info->entries.n - (size_t)(name - entries)))
		return NULL;
	return name;
}

/* Where the function @die was called before it was inlined. */
static void set_call(const struct elfutils *lib, Dwarf_Die *unit, Dwarf_Die *die,
		     struct object_line *line)
{
	Dwarf_Attribute attr;
	Dwarf_Files *files;
	Dwarf_Word n;
	size_t n_files;

	if (lib->dwarf_attr(die, DW_AT_call_line, &attr) && !lib->dwarf_formudata(&attr, &n))
		line->line = (u32)n;
	if (lib->dwarf_attr(die, DW_AT_call_file, &attr) && !lib->dwarf_formudata(&attr, &n) &&
	    !lib->dwarf_getsrcfiles(unit, &files, &n_files) && n < n_files)
		line->file = lib->dwarf_filesrc(files, n, NULL, NULL);
}

static void set_line(const struct elfutils *lib, Dwarf_Die *unit, u64 addr,
		     struct object_line *line)
{
	Dwarf_Line *at = lib->dwarf_getsrc_die(unit, addr);
	int n;

	if (!at)
		return;
	line->file = lib->dwarf_linesrc(at, NULL, NULL);
	if (!lib->dwarf_lineno(at, &n) && n > 0)
		line->line = (u32)n;
}

size_t debug_info_lines(struct debug_info *info, u64 addr, struct object_line *lines, size_t max,
			bool *all)
{
	const struct elfutils *lib = info->lib;
	const struct code_range *range = find_range(&info->ranges, addr);
	struct debug_unit *unit = range ? &info->units.v[range->of] : NULL;
	Dwarf_Die unit_die, die;
	size_t n = 0;

	*all = true;
	if (!unit || !lib->dwarf_offdie(info->dwarf, unit->die, &unit_die))
		return 0;
	if (!unit->read)
		read_unit(info, unit);
	lines[n] = (struct object_line){ 0 };
	set_line(lib, &unit_die, addr, &lines[n]);
	for (range = find_range(&unit->functions, addr);
	     range && lib->dwarf_offdie(info->dwarf, range->of, &die);
	     range = next_range(&unit->functions, addr, range->outside)) {
		lines[n++].function = function_name(info, &die);
		*all = !range->inlined;
		if (*all || n == max)
			return n;
		lines[n] = (struct object_line){ 0 };
		set_call(lib, &unit_die, &die, &lines[n]);
	}
	return n + (lines[n].file || lines[n].line);
}
