// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Symbols of ELF files and of maps of JITs. Which symbols are taken, and which of several with the
 * same address, is as in perf, so that both print the same names: first those with a size, then no
 * labels, not weak, global, with fewer underscores at the start, with longer names.
 */
#include "objects/demangle.h"
#include "objects/symbol_table.h"

enum {
	LAST_SIZE = 4096, /* of the last symbol of a file, if it has no size */
	NESTED_MAX = 1000,
};

int symbol_table_push(struct symbol_table *t, const struct table_symbol *symbol, const char *name)
{
	const size_t n = strlen(name) + 1;

	if (t->names.len > UINT32_MAX - n)
		return 0;
	if (array_push(&t->list, *symbol))
		return -HIST_ENOMEM;
	t->list.v[t->list.n - 1].name = (u32)t->names.len;
	strbuf_add(&t->names, name, n);
	return t->names.failed ? -HIST_ENOMEM : 0;
}

/* Marks of assemblers for changes between code and data: $a, $d.1, $x. */
static bool is_mapping_symbol(const struct elf_file *f, const char *name)
{
	return (f->header.e_machine == EM_ARM || f->header.e_machine == EM_AARCH64 ||
		f->header.e_machine == EM_RISCV) &&
	       name[0] == '$' && strchr("adtx", name[1]) && (!name[2] || name[2] == '.');
}

/* Whether the type and the section are those of code or data of the program. */
static bool is_taken(const struct elf_file *f, const GElf_Sym *sym, const char *name)
{
	const u8 type = GELF_ST_TYPE(sym->st_info), seen = GELF_ST_VISIBILITY(sym->st_other);
	Elf_Scn *scn = f->lib->elf_getscn(f->elf, sym->st_shndx);
	GElf_Shdr section;
	const char *of;

	if (!name[0] || sym->st_shndx == SHN_UNDEF || is_mapping_symbol(f, name))
		return false;
	if (sym->st_shndx == SHN_XINDEX)
		return type == STT_FUNC;
	if (!scn || !f->lib->gelf_getshdr(scn, &section) || !(section.sh_flags & SHF_ALLOC))
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT)
		return true;
	of = elf_file_section_name(f, &section);
	return type == STT_NOTYPE && seen != STV_HIDDEN && seen != STV_INTERNAL &&
	       (strstr(of, "text") || strstr(of, "data"));
}

static enum symbol_rank rank_of(const GElf_Sym *sym)
{
	const u8 bind = GELF_ST_BIND(sym->st_info);

	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		return SYMBOL_LABEL;
	return bind == STB_WEAK ? SYMBOL_WEAK : bind == STB_GLOBAL ? SYMBOL_GLOBAL : SYMBOL_LOCAL;
}

int symbol_table_add(struct symbol_table *t, const struct elf_file *f,
		     const segment_array *segments, u32 type)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_file_section(f, type, NULL, &header);
	Elf_Data *data;
	size_t n;
	int err = 0;

	if (!scn || !header.sh_entsize || !elf_file_contents(f, scn, &header).n)
		return 0;
	data = f->lib->elf_getdata(scn, NULL);
	n = data->d_size / header.sh_entsize;
	for (size_t i = 0; i < n && i < INT32_MAX && !err; i++) {
		struct table_symbol symbol = { 0 };
		const char *name;
		GElf_Sym sym;

		if (!f->lib->gelf_getsym(data, (int)i, &sym))
			break;
		name = f->lib->elf_strptr(f->elf, header.sh_link, sym.st_name);
		if (!name || !is_taken(f, &sym, name))
			continue;
		/* the lowest bit means that the function consists of Thumb instructions */
		if (f->header.e_machine == EM_ARM && GELF_ST_TYPE(sym.st_info) == STT_FUNC)
			sym.st_value &= ~(u64)1;
		if (!segments_offset(segments, sym.st_value, &symbol.start))
			continue;
		symbol.end = add_saturated(symbol.start, sym.st_size);
		symbol.rank = rank_of(&sym);
		err = symbol_table_push(t, &symbol, name);
	}
	return err;
}

int symbol_table_add_map(struct symbol_table *t, struct span text)
{
	int err = 0;

	while (text.s && !err) {
		struct span line = span_sep(&text, "\n"), start = span_word(&line),
			    size = span_word(&line);
		struct table_symbol symbol = { .rank = SYMBOL_GLOBAL };
		char *name;
		u64 n;

		line = span_trim(line);
		if (!span_digits(start, 16, &symbol.start) || !span_digits(size, 16, &n) || !line.n)
			continue;
		symbol.end = add_saturated(symbol.start, n);
		name = strndup(line.s, line.n);
		err = name ? symbol_table_push(t, &symbol, name) : -HIST_ENOMEM;
		free(name);
	}
	return err;
}

/* --- one symbol for each address --- */

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Names are compared as they are printed. */
static bool is_better_name(const char *a, const char *b)
{
	scoped(strbuf_release) struct strbuf da = STRBUF_INIT, db = STRBUF_INIT;

	if (demangle(a, &da))
		a = da.s;
	if (demangle(b, &db))
		b = db.s;
	return underscores(a) != underscores(b) ? underscores(a) < underscores(b)
						: strlen(a) > strlen(b);
}

static bool is_better(const struct symbol_table *t, const struct table_symbol *a,
		      const struct table_symbol *b)
{
	const bool a_sized = a->end > a->start, b_sized = b->end > b->start;

	if (a_sized != b_sized)
		return a_sized;
	if (a->rank != b->rank)
		return a->rank > b->rank;
	/* most functions of a library are in both of its tables */
	if (!strcmp(t->names.s + a->name, t->names.s + b->name))
		return false;
	return is_better_name(t->names.s + a->name, t->names.s + b->name);
}

/* Names are in the order in which symbols were added. */
DEFINE_ORDER(compare_symbols, struct table_symbol,
	     cmp_int(x->start, y->start) ?: cmp_int(x->name, y->name))

void symbol_table_sort(struct symbol_table *t)
{
	struct table_symbol *v = t->list.v;
	size_t n = 0;

	if (t->list.n)
		qsort(v, t->list.n, sizeof(*v), compare_symbols);
	for (size_t i = 0; i < t->list.n; i++) {
		if (!n || v[n - 1].start != v[i].start)
			v[n++] = v[i];
		else if (is_better(t, &v[i], &v[n - 1]))
			v[n - 1] = v[i];
	}
	t->list.n = n;
}

/*
 * A symbol without a size extends to the next one, unless it is a place in a function that has a
 * size.
 */
static void add_sizes(struct symbol_table *t)
{
	struct table_symbol *v = t->list.v;
	u64 covered = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->list.n; i++) {
		if (v[i].end == v[i].start && v[i].start < covered)
			continue;
		covered = max_t(u64, covered, v[i].end);
		v[n++] = v[i];
	}
	t->list.n = n;
	for (size_t i = 0; i < n; i++)
		if (v[i].end == v[i].start)
			v[i].end = i + 1 < n ? v[i + 1].start
					     : add_saturated(ALIGN_UP(v[i].start, LAST_SIZE),
							     LAST_SIZE);
}

void symbol_table_finish(struct symbol_table *t)
{
	struct table_symbol *v = t->list.v;

	symbol_table_sort(t);
	add_sizes(t);
	for (size_t i = 0; i < t->list.n; i++) {
		v[i].outside = (u32)i;
		while (v[i].outside && v[v[i].outside - 1].end <= v[i].end)
			v[i].outside = v[v[i].outside - 1].outside;
	}
}

const struct table_symbol *symbol_table_at(const struct symbol_table *t, u64 start)
{
	const size_t i = partition_point(at, t->list.n, t->list.v[at].start < start);

	return i < t->list.n && t->list.v[i].start == start ? &t->list.v[i] : NULL;
}

struct table_symbol *symbol_table_find(const struct symbol_table *t, u64 offset)
{
	size_t next = partition_point(at, t->list.n, t->list.v[at].start <= offset);

	for (int depth = 0; next && depth < NESTED_MAX; depth++) {
		struct table_symbol *symbol = &t->list.v[next - 1];

		if (offset < symbol->end)
			return symbol;
		next = symbol->outside;
	}
	return NULL;
}

void symbol_table_release(struct symbol_table *t)
{
	array_release(&t->list);
	strbuf_release(&t->names);
}
