// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the files of an object: the one with its code, and the one with its symbols, which is the
 * same unless it was stripped. Where perf looks, except that nothing is looked up in the root
 * directories of processes, which have ended or are others now, and nothing is downloaded. A file
 * with another build-id than the recorded one is never used.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/base.h"
#include "objects/object.h"

enum { MAP_MAX = 1 << 28 };

struct file_search {
	struct object *o;
	const struct object_places *places;
	char id[2 * OBJECT_BUILD_ID_MAX + 1]; /* in hexadecimal */
	enum object_problem problem; /* the most telling one of the files that were tried */
};

static void set_id(struct file_search *s, const u8 *id, size_t n)
{
	for (size_t i = 0; i < n; i++)
		snprintf(s->id + 2 * i, 3, "%02x", id[i]);
}

/* Open @path if it is the right file. Return: 0, 1 if not, -HIST_ENOMEM */
static int try_file(struct file_search *s, struct elf_file *f, const char *path)
{
	const struct object *o = s->o;
	int err = path ? elf_file_open(f, s->places->lib, path) : -HIST_ENOMEM;

	if (err == -HIST_ENOMEM)
		return err;
	if (!err && o->build_id_len &&
	    (f->build_id_len != o->build_id_len ||
	     memcmp(f->build_id, o->build_id, o->build_id_len))) {
		elf_file_close(f);
		s->problem = OBJECT_OTHER;
		return 1;
	}
	if (err && s->problem == OBJECT_MISSING && !(err == -HIST_EIO && errno == ENOENT))
		s->problem = OBJECT_UNREADABLE;
	return err ? 1 : 0;
}

static const char *under_symfs(const struct object_places *p, const char *path)
{
	return arena_printf(p->arena, "%s%s", p->symfs, path);
}

/* The file with the code: in perf's cache, or where it was. */
static int find_program(struct file_search *s, struct elf_file *f)
{
	static const char deleted[] = " (deleted)";
	struct object *o = s->o;
	const size_t n = strlen(o->path);
	const char *path = o->path;
	int err = 1;

	if (o->build_id_len && s->places->id_cache) {
		o->program = arena_printf(s->places->arena, "%s/.build-id/%.2s/%s/elf",
					  s->places->id_cache, s->id, s->id + 2);
		err = try_file(s, f, o->program);
	}
	if (err == 1 && o->build_id_len && n > sizeof(deleted) &&
	    !strcmp(path + n - (sizeof(deleted) - 1), deleted))
		path = arena_strndup(s->places->arena, path, n - (sizeof(deleted) - 1));
	if (err == 1 && path && path[0] == '/') {
		o->program = under_symfs(s->places, path);
		err = try_file(s, f, o->program);
	}
	if (err)
		o->program = NULL;
	return err;
}

/* The name in section .gnu_debuglink; NULL: none. */
static const char *debug_link(const struct elf_file *f)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf_file_section(f, 0, ".gnu_debuglink", &header);
	struct span text = scn ? elf_file_contents(f, scn, &header) : (struct span){ 0 };
	const char *end = text.n ? memchr(text.s, '\0', text.n) : NULL;

	return end && span_is_file_name(span_between(text.s, end)) ? text.s : NULL;
}

static bool has_symbols(const struct elf_file *f, u32 type)
{
	GElf_Shdr header;

	return elf_file_section(f, type, NULL, &header) != NULL;
}

/* A file with debug information; @f is closed if it has none. */
static int try_debug_file(struct file_search *s, struct elf_file *f, const char *path)
{
	int err = try_file(s, f, path);

	if (!err && !has_symbols(f, SHT_SYMTAB)) {
		elf_file_close(f);
		err = 1;
	}
	if (!err)
		s->o->debug = path;
	return err;
}

/*
 * Beside the program, in its directory .debug, below /usr/lib/debug, by build-id. @program is
 * closed if it was not found.
 */
static int find_debug(struct file_search *s, struct elf_file *f, const struct elf_file *program)
{
	const struct object_places *p = s->places;
	const char *link = program->elf ? debug_link(program) : NULL;
	const char *path = s->o->path, *slash = strrchr(path, '/');
	static const char *const cached[] = { "debug", "elf" };
	int err = 1;

	for (size_t i = 0; err == 1 && s->id[0] && p->id_cache && i < ARRAY_SIZE(cached); i++)
		err = try_debug_file(s, f,
				     arena_printf(p->arena, "%s/.build-id/%.2s/%s/%s", p->id_cache,
						  s->id, s->id + 2, cached[i]));
	if (err == 1 && s->id[0])
		err = try_debug_file(s, f,
				     arena_printf(p->arena,
						  "%s/usr/lib/debug/.build-id/%.2s/%s.debug",
						  p->symfs, s->id, s->id + 2));
	if (!slash || path[0] != '/')
		return err;
	if (err == 1 && link)
		err = try_debug_file(s, f,
				     arena_printf(p->arena, "%s%.*s/%s", p->symfs,
						  (int)(slash - path), path, link));
	if (err == 1 && link)
		err = try_debug_file(s, f,
				     arena_printf(p->arena, "%s%.*s/.debug/%s", p->symfs,
						  (int)(slash - path), path, link));
	if (err == 1 && link)
		err = try_debug_file(s, f,
				     arena_printf(p->arena, "%s/usr/lib/debug%.*s/%s", p->symfs,
						  (int)(slash - path), path, link));
	if (err == 1)
		err = try_debug_file(
			s, f, arena_printf(p->arena, "%s/usr/lib/debug%s.debug", p->symfs, path));
	return err;
}

static int read_symbols(struct object *o, const struct elf_file *program,
			const struct elf_file *debug)
{
	const struct elf_file *segments = program->elf ? program : debug;
	int err = 0;

	if (debug->elf)
		err = symbol_table_add(&o->symbols, debug, segments, SHT_SYMTAB);
	if (!err && program->elf && !debug->elf)
		err = symbol_table_add(&o->symbols, program, segments, SHT_SYMTAB);
	if (!err && program->elf)
		err = symbol_table_add(&o->symbols, program, segments, SHT_DYNSYM);
	symbol_table_sort(&o->symbols);
	if (!err && program->elf)
		err = symbol_table_add_plt(&o->symbols, program);
	return err;
}

static int read_file(struct file_search *s)
{
	struct object *o = s->o;
	struct elf_file program = { .fd = -1 }, debug = { .fd = -1 };
	int err;

	set_id(s, o->build_id, o->build_id_len);
	err = find_program(s, &program);
	if (!err && !s->id[0])
		set_id(s, program.build_id, program.build_id_len);
	if (err >= 0 && !s->places->no_debug_files && (err || !has_symbols(&program, SHT_SYMTAB)))
		err = find_debug(s, &debug, &program);
	if (err >= 0)
		err = read_symbols(o, &program, &debug);
	if (!program.elf && !debug.elf)
		o->problem = s->problem;
	else if (!o->symbols.list.n)
		o->problem = OBJECT_STRIPPED;
	elf_file_close(&debug);
	elf_file_close(&program);
	return err;
}

/* The kernel's code for all processes; that of this machine, if it is the same. */
static int read_vdso(struct file_search *s)
{
	struct object *o = s->o;
	char *image = (char *)getauxval(AT_SYSINFO_EHDR); /* NOLINT(performance-no-int-to-ptr) */
	struct elf_file f;
	const GElf_Ehdr *header = image ? (const GElf_Ehdr *)image : NULL;
	int err;

	o->problem = OBJECT_MISSING;
	if (!header)
		return 0;
	err = elf_file_open_image(&f, s->places->lib, image,
				  header->e_shoff + (u64)header->e_shentsize * header->e_shnum);
	if (!err && o->build_id_len &&
	    (f.build_id_len != o->build_id_len || memcmp(f.build_id, o->build_id, o->build_id_len)))
		o->problem = OBJECT_OTHER;
	else if (!err) {
		err = symbol_table_add(&o->symbols, &f, &f, SHT_DYNSYM);
		o->problem = o->symbols.list.n ? OBJECT_FINE : OBJECT_STRIPPED;
	}
	elf_file_close(&f);
	return err == -HIST_ENOMEM ? err : 0;
}

static int read_map(struct file_search *s)
{
	struct strbuf text = STRBUF_INIT;
	const char *path = under_symfs(s->places, s->o->path);
	int err = path ? 0 : -HIST_ENOMEM;

	if (path && fd_append_close(fd_open_file(path), &text, MAP_MAX))
		err = symbol_table_add_map(&s->o->symbols, strbuf_span(&text));
	else if (path)
		s->o->problem = OBJECT_NO_MAP;
	strbuf_release(&text);
	return err;
}

int object_read(struct object *o, const struct object_places *places)
{
	struct file_search s = { .o = o, .places = places, .problem = OBJECT_MISSING };
	int err = 0;

	if (o->kind == OBJECT_JIT)
		err = read_map(&s);
	else if (!elfutils_load(places->lib))
		o->problem = OBJECT_NO_LIBRARY;
	else
		err = o->kind == OBJECT_VDSO ? read_vdso(&s) : read_file(&s);
	symbol_table_finish(&o->symbols);
	return err;
}
