// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Symbols: finds the symbol of an address in the text of kallsyms, megabytes of lines "ADDR TYPE
 * NAME[\t[MODULE]]".
 *
 * At the first lookup one pass stores the address of each line and the offset of its name. The
 * kernel's own symbols come first and in address order; those of modules, BPF programs and
 * trampolines are sorted when an address is not in the kernel.
 *
 * The file has no sizes and no ends. The kernel ends at _end if that is listed (its table then
 * includes data), otherwise text lies between _stext and _etext and between _sinittext and
 * _einittext. The text of a module ends at a page boundary.
 *
 * Corresponds to kallsyms.c get_symbol_pos() and __sprint_symbol(), module/kallsyms.c
 * find_kallsyms_symbol().
 */
#include "event/event_db.h"

#define MODULE_PAGE ((u64)4096)

enum { START_BITS = 13 };

struct symbol {
	u64 addr;
	u32 at; /* of its name in the text; the type is two bytes before */
};

typedef ARRAY(struct symbol) symbol_array;

enum bound { STEXT, ETEXT, SINITTEXT, EINITTEXT, END, N_BOUNDS };

struct event_symbols {
	struct span text;
	symbol_array kernel, modules; /* modules, BPF programs and trampolines */
	bool modules_sorted;
	u64 *starts;          /* see event_symbol_starts() */
	u64 bounds[N_BOUNDS]; /* 0: not listed */
};

static const char *const bound_names[N_BOUNDS] = {
	[STEXT] = "_stext",         [ETEXT] = "_etext", [SINITTEXT] = "_sinittext",
	[EINITTEXT] = "_einittext", [END] = "_end",
};

/* --- reading the file --- */

static const u8 hex_values[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

/* Inlined: kallsyms has more than 100,000 lines. */
static inline const char *cut_address(const char *line, const char *end, u64 *addr)
{
	const char *p = line;
	u64 v = 0;
	u8 digit;

	while (p < end && (digit = hex_values[(u8)*p])) {
		v = v << 4 | (u64)(digit - 1);
		p++;
	}
	*addr = v;
	return p == line || p - line > 16 || p == end ? NULL : p;
}

const char *symbol_cut_address(const char *line, const char *end, u64 *addr)
{
	return cut_address(line, end, addr);
}

/* kernel: marks of the assembler, not names (is_mapping_symbol()) */
static bool is_mapping_symbol(const char *name, const char *end)
{
	if (end - name < 2)
		return false;
	if ((name[0] == '.' && name[1] == 'L') || (name[0] == 'L' && name[1] == '0'))
		return true;
	return name[0] == '$' && strchr("adtx", name[1]) && (end - name == 2 || name[2] == '.');
}

static int read_line(struct event_symbols *s, const char *line, const char *end)
{
	struct symbol sym;
	const char *name = cut_address(line, end, &sym.addr);

	/* " T name"; kernel: kptr_restrict shows zeros */
	if (!name || end - name < 4 || name[0] != ' ' || name[2] != ' ' || !sym.addr)
		return 0;
	name += 3;
	sym.at = (u32)(name - s->text.s);
	if (end[-1] == ']') {
		const char *tab = memchr(name, '\t', (size_t)(end - name));

		return is_mapping_symbol(name, tab ? tab : end) ? 0 : array_push(&s->modules, sym);
	}
	if (end - name > 3 && name[0] == '_' && (name[1] == 's' || name[1] == 'e'))
		for (size_t i = 0; i < N_BOUNDS; i++)
			if (!s->bounds[i] && span_eq(span_between(name, end), bound_names[i]))
				s->bounds[i] = sym.addr;
	return array_push(&s->kernel, sym);
}

DEFINE_ORDER(compare_symbols, struct symbol, cmp_int(x->addr, y->addr) ?: cmp_int(x->at, y->at))

static void sort_symbols(symbol_array *syms)
{
	for (size_t i = 1; i < syms->n; i++)
		if (syms->v[i - 1].addr > syms->v[i].addr) {
			qsort(syms->v, syms->n, sizeof(struct symbol), compare_symbols);
			return;
		}
}

/* If out of memory, there are no symbols, and the database has failed. */
static struct event_symbols *symbols_of(struct event_db *db)
{
	struct event_symbols *s = db->symbols;
	int err = 0;

	if (s)
		return s;
	s = db->symbols = calloc(1, sizeof(*s));
	if (!s) {
		db->failed = true;
		return NULL;
	}
	if (db->sources.kallsyms)
		err = db->sources.kallsyms(db->sources.arg, &s->text);
	if (!err && s->text.n > UINT32_MAX)
		err = -HIST_ELIMIT;
	for (const char *p = s->text.s, *end = span_skip(s->text, s->text.n).s;
	     !err && s->text.n && p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		err = read_line(s, p, newline ? newline : end);
		p = (newline ? newline : end) + 1;
	}
	db->failed |= err == HIST_NOMEM;
	if (err) {
		array_release(&s->kernel);
		array_release(&s->modules);
	}
	sort_symbols(&s->kernel);
	return s;
}

void event_symbols_free(struct event_symbols *s)
{
	if (!s)
		return;
	array_release(&s->kernel);
	array_release(&s->modules);
	free(s->starts);
	free(s);
}

bool event_has_symbols(struct event_db *db)
{
	const struct event_symbols *s = symbols_of(db);

	return s && (s->kernel.n || s->modules.n);
}

/* --- names --- */

static bool is_text(const struct event_symbols *s, const struct symbol *sym)
{
	return strchr("tTwW", s->text.s[sym->at - 2]);
}

/* The text after the name up to @stop or the end of the line. */
static struct span cut_at(const struct event_symbols *s, size_t at, char stop)
{
	const char *p = s->text.s + at, *end = s->text.s + s->text.n;

	while (p < end && *p != '\n' && *p != stop)
		p++;
	return span_between(s->text.s + at, p);
}

static struct span name_of(const struct event_symbols *s, const struct symbol *sym)
{
	return cut_at(s, sym->at, '\t');
}

static struct span owner_of(const struct event_symbols *s, const struct symbol *sym)
{
	size_t at = sym->at + name_of(s, sym).n + 2; /* \t[ */

	return at < s->text.n ? cut_at(s, at, ']') : (struct span){ NULL, 0 };
}

/* --- by address --- */

/* The first symbol at the nearest address, and the first one at a higher address (or NULL). */
static const struct symbol *nearest(const symbol_array *syms, u64 addr, const struct symbol **next)
{
	size_t above = partition_point(i, syms->n, syms->v[i].addr <= addr), first = above;

	if (!above)
		return NULL;
	while (first && syms->v[first - 1].addr == syms->v[above - 1].addr)
		first--;
	*next = above < syms->n ? &syms->v[above] : NULL;
	return &syms->v[first];
}

static u64 page_end(u64 addr)
{
	return (addr | (MODULE_PAGE - 1)) + 1;
}

static u64 first_text(const struct event_symbols *s)
{
	for (size_t i = 0; i < s->kernel.n; i++)
		if (is_text(s, &s->kernel.v[i]))
			return s->kernel.v[i].addr;
	return UINT64_MAX;
}

static bool find_in_kernel(const struct event_symbols *s, u64 addr, struct event_symbol *out)
{
	const struct symbol *next, *sym = nearest(&s->kernel, addr, &next);
	const u64 *b = s->bounds;
	u64 end;

	if (!sym || addr < (b[STEXT] ? b[STEXT] : first_text(s)))
		return false;
	if (b[END])
		end = b[END];
	else if (b[SINITTEXT] && addr >= b[SINITTEXT])
		end = b[EINITTEXT];
	else
		end = b[ETEXT] ? b[ETEXT] : page_end(s->kernel.v[s->kernel.n - 1].addr);
	if (addr >= end)
		return false;
	*out = (struct event_symbol){
		.name = name_of(s, sym),
		.addr = sym->addr,
		.size = (next ? next->addr : end) - sym->addr,
	};
	return true;
}

/* End of a module's symbol: its next symbol, or the page boundary after its text. */
static u64 module_symbol_end(const struct event_symbols *s, const struct symbol *sym,
			     const struct symbol *next)
{
	u64 end = page_end(sym->addr);
	bool same_owner = next && span_same(owner_of(s, sym), owner_of(s, next));

	if (same_owner && is_text(s, sym) == is_text(s, next))
		return next->addr;
	return next && next->addr < end ? next->addr : end;
}

/* Threads that look up find them sorted, see event_symbols_load(), and write nothing. */
static void sort_modules(struct event_symbols *s)
{
	if (s->modules_sorted)
		return;
	sort_symbols(&s->modules);
	s->modules_sorted = true;
}

static bool find_in_modules(struct event_symbols *s, u64 addr, struct event_symbol *out)
{
	const struct symbol *next, *sym;
	struct span owner;
	u64 end;

	sort_modules(s);
	sym = nearest(&s->modules, addr, &next);
	if (!sym)
		return false;
	owner = owner_of(s, sym);
	end = module_symbol_end(s, sym, next);
	/* kernel: trampolines are listed but not looked up */
	if (addr >= end || span_starts(owner, "__builtin__"))
		return false;
	*out = (struct event_symbol){
		.name = name_of(s, sym),
		/* kernel: BPF programs have no module when they are looked up */
		.module = span_eq(owner, "bpf") ? (struct span){ NULL, 0 } : owner,
		.addr = sym->addr,
		.size = end - sym->addr,
	};
	return true;
}

bool event_symbol_at(struct event_db *db, u64 addr, struct event_symbol *sym)
{
	struct event_symbols *s = symbols_of(db);
	bool found;

	if (!s)
		return false;
	if (db->used && array_push(&db->used->addresses, addr))
		db->used->failed = true;
	found = find_in_kernel(s, addr, sym) || find_in_modules(s, addr, sym);
	if (addr >> (db->machine.long_size * 8 - 1) && event_has_symbols(db))
		__atomic_fetch_add(found ? &db->n_named : &db->n_nameless, 1, __ATOMIC_RELAXED);
	return found;
}

void event_symbols_load(struct event_db *db)
{
	struct event_symbols *s = symbols_of(db);

	if (!s || s->starts)
		return;
	sort_modules(s);
	s->starts = calloc((size_t)1 << START_BITS, sizeof(*s->starts));
	db->failed |= !s->starts;
}

u64 event_symbol_find_start(const struct event_db *db, u64 addr)
{
	struct event_symbol sym;

	/* the modules are sorted */
	return find_in_kernel(db->symbols, addr, &sym) || find_in_modules(db->symbols, addr, &sym)
		       ? sym.addr
		       : addr;
}

/*
 * A slot has the low half of an address, and its distance from the start: one word, so that threads
 * read and write slots without locks. Most addresses of a kernel have the same high half; others
 * are looked up each time.
 */
void event_symbol_starts(const struct event_db *db, u64 *addrs, size_t n)
{
	const struct event_symbols *s = db->symbols;
	const u64 top = s->kernel.n ? s->kernel.v[s->kernel.n - 1].addr >> 32 : 0;

	for (size_t i = 0; i < n; i++) {
		const u64 addr = addrs[i];
		u64 *slot = &s->starts[(u32)addr * 0x9e3779b1u >> (32 - START_BITS)];
		const u64 known = __atomic_load_n(slot, __ATOMIC_RELAXED);

		if (likely(known >> 32 == (u32)addr && addr >> 32 == top && (u32)addr)) {
			addrs[i] = addr - (u32)known;
			continue;
		}
		addrs[i] = event_symbol_find_start(db, addr);
		if (addr >> 32 == top && addr - addrs[i] <= UINT32_MAX)
			__atomic_store_n(slot, (u64)(u32)addr << 32 | (addr - addrs[i]),
					 __ATOMIC_RELAXED);
	}
}

u64 event_db_elsewhere(const struct event_db *db)
{
	return db->n_named ? 0 : db->n_nameless;
}

void event_print_symbol(struct event_db *db, u64 addr, bool offset, struct strbuf *out)
{
	struct event_symbol sym;

	if (!event_symbol_at(db, addr, &sym)) {
		strbuf_addhex(out, addr);
		return;
	}
	strbuf_add(out, sym.name.s, sym.name.n);
	if (offset) {
		strbuf_addch(out, '+');
		strbuf_addhex(out, addr - sym.addr);
		strbuf_addch(out, '/');
		strbuf_addhex(out, sym.size);
	}
	if (sym.module.s)
		strbuf_addf(out, " [%.*s]", (int)sym.module.n, sym.module.s);
}

/* --- by name --- */

/* The first in the file, whatever the order of @syms. */
static const struct symbol *find_named(const struct event_symbols *s, const symbol_array *syms,
				       struct span module, struct span name)
{
	const struct symbol *found = NULL;

	array_each(const struct symbol, sym, syms) {
		if (s->text.s[sym->at] != name.s[0] || (found && found->at < sym->at))
			continue;
		if (span_same(name_of(s, sym), name) &&
		    (!module.s || span_same(owner_of(s, sym), module)))
			found = sym;
	}
	return found;
}

/* kernel: the kernel's own symbols first, then the modules in order */
bool event_symbol_find(struct event_db *db, struct span name, struct event_symbol *out)
{
	const struct event_symbols *s = symbols_of(db);
	struct span module = { NULL, 0 };
	const struct symbol *sym;
	struct span found;

	if (span_chr(name, ':'))
		module = span_sep(&name, ":");
	if (!s || !name.n)
		return false;
	sym = module.s ? NULL : find_named(s, &s->kernel, module, name);
	if (!sym)
		sym = find_named(s, &s->modules, module, name);
	if (!sym)
		return false;
	found = name_of(s, sym);
	if (!event_symbol_at(db, sym->addr, out))
		return false;
	out->name = found;
	return true;
}

/* --- the lines of the file that lookups need --- */

int event_db_note_used(struct event_db *db, struct event_used *used)
{
	db->used = NULL;
	if (!used)
		return 0;
	if (!used->formats)
		used->formats = calloc(db->n_texts + 1, 1);
	if (!used->formats)
		return HIST_NOMEM;
	db->used = used;
	return 0;
}

void event_used_release(struct event_used *used)
{
	array_release(&used->addresses);
	free(used->formats);
	used->formats = NULL;
}

typedef ARRAY(u64) line_array;

/* All symbols at the address of @syms->v[@i]. */
static int add_lines(const symbol_array *syms, size_t i, line_array *lines)
{
	u64 addr = syms->v[i].addr;
	int err = 0;

	while (i && syms->v[i - 1].addr == addr)
		i--;
	for (; i < syms->n && syms->v[i].addr == addr && !err; i++)
		err = array_push(lines, syms->v[i].at);
	return err;
}

static int add_nearest(const symbol_array *syms, u64 addr, line_array *lines)
{
	size_t above = partition_point(i, syms->n, syms->v[i].addr <= addr);
	int err = above ? add_lines(syms, above - 1, lines) : 0;

	return err || above == syms->n ? err : add_lines(syms, above, lines);
}

int event_symbols_needed(struct event_db *db, const u64 *addrs, size_t n, struct strbuf *out)
{
	struct event_symbols *s = n ? symbols_of(db) : NULL;
	scoped(free_scoped) line_array lines = ARRAY_INIT;
	int err = 0;

	if (!s)
		return 0;
	sort_symbols(&s->modules);
	for (size_t i = 0; i < n && !err; i++) {
		err = add_nearest(&s->kernel, addrs[i], &lines);
		err = err ?: add_nearest(&s->modules, addrs[i], &lines);
	}
	/* the symbols that mark the start and end of the kernel */
	for (size_t i = 0; i < N_BOUNDS && !err; i++)
		if (s->bounds[i])
			err = add_nearest(&s->kernel, s->bounds[i], &lines);
	if (!err && first_text(s) != UINT64_MAX)
		err = add_nearest(&s->kernel, first_text(s), &lines);
	if (!err && s->kernel.n)
		err = add_lines(&s->kernel, s->kernel.n - 1, &lines);
	if (!err) {
		u64 last = 0;

		if (lines.n)
			qsort(lines.v, lines.n, sizeof(u64), compare_u64);
		for (size_t i = 0; i < lines.n; i++) {
			const char *name = s->text.s + lines.v[i], *line = name;
			struct span rest = span_between(name, s->text.s + s->text.n);

			if (i && lines.v[i] == last)
				continue;
			last = lines.v[i];
			while (line > s->text.s && line[-1] != '\n')
				line--;
			rest = span_sep(&rest, "\n");
			strbuf_add(out, line, (size_t)(rest.s + rest.n - line));
			strbuf_addch(out, '\n');
		}
	}
	return err || out->failed ? HIST_NOMEM : 0;
}
