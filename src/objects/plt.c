// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Names of the entries of procedure linkage tables: calls of functions in other files go through
 * them. An entry jumps to the address in a slot, a relocation of the slot names the function. The
 * order of relocations need not be that of entries, so the instructions of each are decoded.
 */
#include "objects/symbol_table.h"

enum { ENTRIES_MAX = 1 << 20 };

struct plt_slot {
	u64 addr;
	u32 symbol; /* index in .dynsym; 0: the function is found by a resolver */
	u64 resolver;
};

struct plt_reader {
	struct symbol_table *t;
	const struct elf_file *f;
	const segment_array *segments;
	ARRAY(struct plt_slot) slots; /* by address */
	Elf_Data *symbols;            /* of .dynsym */
	size_t names;                 /* index of the section with their names */
	u64 got;                      /* address of .got.plt, or .got if there is none */
	struct strbuf name;           /* of a function with a resolver, without its version */
};

DEFINE_ORDER(compare_slots, struct plt_slot, cmp_int(x->addr, y->addr))

/* The relocations of a section, which the dynamic linker applies when the program starts. */
static int add_slots(struct plt_reader *r, Elf_Scn *scn, const GElf_Shdr *header)
{
	const size_t n = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	Elf_Data *data;
	int err = 0;

	if (!elf_file_contents(r->f, scn, header).n)
		return 0;
	data = r->f->lib->elf_getdata(scn, NULL);
	for (size_t i = 0; i < n && i < ENTRIES_MAX && !err; i++) {
		GElf_Rela rela = { 0 };
		GElf_Rel rel;

		if (header->sh_type == SHT_RELA) {
			if (!r->f->lib->gelf_getrela(data, (int)i, &rela))
				break;
		} else {
			if (!r->f->lib->gelf_getrel(data, (int)i, &rel))
				break;
			rela.r_offset = rel.r_offset;
			rela.r_info = rel.r_info;
		}
		err = array_push(&r->slots,
				 ((struct plt_slot){ .addr = rela.r_offset,
						     .symbol = (u32)GELF_R_SYM(rela.r_info),
						     .resolver = (u64)rela.r_addend }));
	}
	return err;
}

static int read_slots(struct plt_reader *r)
{
	GElf_Shdr header;
	Elf_Scn *scn = NULL;
	int err = 0;

	while (!err && elf_file_next(r->f, &scn, &header)) {
		if ((header.sh_type == SHT_RELA || header.sh_type == SHT_REL) &&
		    (header.sh_flags & SHF_ALLOC))
			err = add_slots(r, scn, &header);
		else if (header.sh_type == SHT_DYNSYM && elf_file_contents(r->f, scn, &header).n) {
			r->symbols = r->f->lib->elf_getdata(scn, NULL);
			r->names = header.sh_link;
		} else if (!strcmp(elf_file_section_name(r->f, &header), ".got.plt") ||
			   (!r->got && !strcmp(elf_file_section_name(r->f, &header), ".got"))) {
			r->got = header.sh_addr;
		}
	}
	if (!err && r->slots.n)
		qsort(r->slots.v, r->slots.n, sizeof(*r->slots.v), compare_slots);
	return err;
}

/* The name of the function that a slot gets; NULL: unknown. */
static const char *name_of(struct plt_reader *r, u64 slot)
{
	const size_t i = partition_point(at, r->slots.n, r->slots.v[at].addr < slot);
	const struct plt_slot *s = i < r->slots.n ? &r->slots.v[i] : NULL;
	const struct table_symbol *resolver;
	GElf_Sym sym;
	u64 offset;

	if (!s || s->addr != slot)
		return NULL;
	if (s->symbol && r->symbols && r->f->lib->gelf_getsym(r->symbols, (int)s->symbol, &sym))
		return r->f->lib->elf_strptr(r->f->elf, r->names, sym.st_name);
	if (s->symbol || !segments_offset(r->segments, s->resolver, &offset))
		return NULL;
	resolver = symbol_table_at(r->t, offset);
	if (!resolver)
		return NULL;
	strbuf_reset(&r->name);
	strbuf_addstr(&r->name, r->t->names.s + resolver->name);
	strbuf_cut(&r->name, strcspn(r->name.s, "@"));
	return r->name.s;
}

/* endbr64; bnd jmp *SLOT(%rip), the first and "bnd" only if they are needed. */
static bool decode_x86_64(const u8 *code, size_t n, u64 addr, u64 *slot)
{
	static const u8 endbr[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = n > sizeof(endbr) && !memcmp(code, endbr, sizeof(endbr)) ? sizeof(endbr) : 0;

	at += at < n && code[at] == 0xf2;
	if (n - at < 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	*slot = addr + at + 6 + (u64)(s64)(s32)load_u32(code + at + 2, false);
	return true;
}

/* jmp *SLOT, or jmp *SLOT-GOT(%ebx) in code that is independent of its position */
static bool decode_i386(const u8 *code, size_t n, u64 got, u64 *slot)
{
	static const u8 endbr[] = { 0xf3, 0x0f, 0x1e, 0xfb };
	size_t at = n > sizeof(endbr) && !memcmp(code, endbr, sizeof(endbr)) ? sizeof(endbr) : 0;

	if (n - at < 6 || code[at] != 0xff || (code[at + 1] != 0x25 && code[at + 1] != 0xa3))
		return false;
	*slot = (u32)((code[at + 1] == 0xa3 ? got : 0) + load_u32(code + at + 2, false));
	return true;
}

/* bti c (only if it is needed); adrp x16, SLOT; ldr x17, [x16, SLOT] */
static bool decode_arm64(const u8 *code, size_t n, u64 addr, u64 *slot)
{
	const size_t at = n >= 4 && load_u32(code, false) == 0xd503245f ? 4 : 0;
	u32 adrp, ldr;
	u64 pages;

	if (n - at < 8)
		return false;
	adrp = load_u32(code + at, false);
	ldr = load_u32(code + at + 4, false);
	if ((adrp & 0x9f00001f) != 0x90000010 || (ldr & 0xffc003ff) != 0xf9400211)
		return false;
	pages = (adrp >> 5 & 0x7ffff) << 2 | (adrp >> 29 & 3);
	pages = (pages ^ 0x100000) - 0x100000;
	*slot = ((addr + at) & ~(u64)0xfff) + (pages << 12) + ((ldr >> 10 & 0xfff) << 3);
	return true;
}

static bool decode(const struct plt_reader *r, struct span code, u64 addr, u64 *slot)
{
	const u8 *p = (const u8 *)code.s;

	switch (r->f->header.e_machine) {
	case EM_X86_64:
		return decode_x86_64(p, code.n, addr, slot);
	case EM_386:
		return decode_i386(p, code.n, r->got, slot);
	case EM_AARCH64:
		return r->f->header.e_ident[EI_DATA] == ELFDATA2LSB &&
		       decode_arm64(p, code.n, addr, slot);
	default:
		return false;
	}
}

static int add_entries(struct plt_reader *r, const GElf_Shdr *header, struct span code)
{
	const bool arm64 = r->f->header.e_machine == EM_AARCH64;
	const size_t step = arm64 ? 4 : header->sh_entsize == 16 ? 16 : 8;
	const u64 size = arm64 ? 16 : step;
	int err = 0;

	for (size_t at = 0; at < code.n && at / step < ENTRIES_MAX && !err; at += step) {
		struct table_symbol symbol = { .rank = SYMBOL_GLOBAL, .plt = true };
		const u64 addr = header->sh_addr + at;
		const char *name;
		u64 slot = 0;

		if (!decode(r, span_skip(code, at), addr, &slot) || !(name = name_of(r, slot)) ||
		    !*name || !segments_offset(r->segments, addr, &symbol.start))
			continue;
		symbol.end = symbol.start + size;
		err = symbol_table_push(r->t, &symbol, name);
		if (arm64)
			at += size - step;
	}
	return err;
}

int symbol_table_add_plt(struct symbol_table *t, const struct elf_file *f,
			 const segment_array *segments)
{
	struct plt_reader r = { .t = t, .f = f, .segments = segments, .name = STRBUF_INIT };
	GElf_Shdr header;
	Elf_Scn *scn = NULL;
	int err = read_slots(&r);

	while (!err && r.slots.n && elf_file_next(f, &scn, &header)) {
		const char *name = elf_file_section_name(f, &header);
		struct span code = { 0 };

		if (!strcmp(name, ".plt") || !strcmp(name, ".plt.sec") ||
		    !strcmp(name, ".plt.got") || !strcmp(name, ".iplt"))
			code = elf_file_contents(f, scn, &header);
		if (code.n)
			err = add_entries(&r, &header, code);
	}
	strbuf_release(&r.name);
	array_release(&r.slots);
	return err;
}
