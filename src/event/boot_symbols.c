// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Symbols of a previous boot, from kallsyms of the boot that read the buffer, last_boot_info (the
 * old addresses of the kernel and its modules) and /proc/modules (the current addresses): the
 * kernel's symbols are moved together, those of each module by its own distance. A module with an
 * unknown address loses its symbols, because no symbol is better than a wrong one.
 *
 * kernel: last_boot_info has "ADDRESS [kernel]" and "ADDRESS MODULE"; before 6.15 the first one was
 * the offset that KASLR had added.
 */
#include "event/event_db.h"

/*
 * The link address of x86-64, the only machine for which an offset gives an address without
 * symbols.
 */
static const u64 text_without_kaslr = 0xffffffff81000000ull;

struct module_base {
	struct span name; /* "[kernel]", or of a module */
	u64 then, now;    /* 0: unknown */
};

typedef ARRAY(struct module_base) module_base_array;

static struct module_base *find(module_base_array *p, struct span name)
{
	return array_find(p, e, span_same(e->name, name));
}

/* Lines "ADDRESS <white space> NAME". */
static int read_info(module_base_array *p, struct span text)
{
	int err = 0;

	while (text.s && !err) {
		struct span line = span_sep(&text, "\n");
		struct module_base base = { .now = 0 };
		const char *end = symbol_cut_address(line.s, line.s + line.n, &base.then);

		if (!end || (*end != ' ' && *end != '\t'))
			continue;
		base.name = span_trim(span_between(end, line.s + line.n));
		if (span_eq(base.name, "[kernel]") && base.then < UINT64_MAX / 2)
			base.then += text_without_kaslr;
		err = array_push(p, base);
	}
	return err;
}

/* ADDRESS TYPE NAME, followed by [MODULE] for a module's symbol; false for any other line. */
static bool cut_symbol(struct span line, u64 *addr, struct span *rest, struct span *name,
		       struct span *module)
{
	const char *end = symbol_cut_address(line.s, line.s + line.n, addr);

	if (!end || *end != ' ')
		return false;
	line = *rest = span_between(end + 1, line.s + line.n);
	span_sep(&line, " ");
	*name = line.s ? span_sep(&line, "\t") : line;
	*module = line.s ? span_trim(line) : span_of("[kernel]");
	if (line.s && module->n > 2 && *module->s == '[')
		*module = (struct span){ module->s + 1, module->n - 2 };
	return name->s != NULL;
}

static void move_all(module_base_array *p, struct span kallsyms, struct strbuf *out)
{
	struct span text = kallsyms, rest, name, module;
	struct module_base *base = find(p, span_of("[kernel]"));
	u64 addr;

	while (base && !base->now && text.s)
		if (cut_symbol(span_sep(&text, "\n"), &addr, &rest, &name, &module) &&
		    span_eq(name, "_text"))
			base->now = addr;
	text = kallsyms;
	while (text.s) {
		if (!cut_symbol(span_sep(&text, "\n"), &addr, &rest, &name, &module))
			continue;
		if (!base || !span_same(base->name, module))
			base = find(p, module);
		if (base && base->now && base->then)
			strbuf_addf(out, "%016llx %.*s\n", addr - base->now + base->then,
				    (int)rest.n, rest.s);
	}
}

bool event_other_boot(struct span info)
{
	return info.n && *info.s != '#'; /* kernel: "# Current" */
}

int event_boot_symbols(const struct event_boot *boot, const char *path, struct strbuf *out,
		       struct diags *diags)
{
	scoped(free_scoped) module_base_array bases = ARRAY_INIT;
	int err = read_info(&bases, boot->info);

	if (!err) {
		/* /proc/modules: NAME SIZE USES BY STATE 0xADDRESS */
		struct span text = boot->modules;
		const struct module_base *kernel;
		size_t lost = 0;

		while (text.s) {
			struct span line = span_sep(&text, "\n"), word = span_sep(&line, " ");
			struct module_base *base = find(&bases, word);

			for (int i = 0; i < 4 && line.s; i++)
				span_sep(&line, " ");
			word = span_sep(&line, " ");
			if (base && word.s && span_starts(word, "0x"))
				span_u64(word, &base->now);
		}
		move_all(&bases, boot->kallsyms, out);
		kernel = find(&bases, span_of("[kernel]"));
		for (size_t i = 0; i < bases.n; i++)
			lost += &bases.v[i] != kernel && !bases.v[i].now;
		if (!kernel || !kernel->now)
			diags_add(
				diags, DIAG_WARNING,
				"%s: the buffer is from an earlier boot, and where that kernel was is not "
				"known: its addresses have no symbols",
				path);
		else if (lost)
			diags_add(
				diags, DIAG_WARNING,
				"%s: the buffer is from an earlier boot; %zu of its modules are not where "
				"the recording could find them, and have no symbols",
				path, lost);
		err = out->failed ? HIST_NOMEM : 0;
	}
	return err;
}
