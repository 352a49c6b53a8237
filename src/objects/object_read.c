// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the files of an object: the one with its code, and the one with its symbols, which is the
 * same unless it was stripped. Where perf looks, except that nothing is looked up in the root
 * directories of processes, which have ended or are others now, and that servers are only asked if
 * the user wants it (debuginfod). A file with another build-id than the recorded one is never used.
 */
#include <sys/auxv.h>

#include "objects/object.h"

enum { MAP_MAX = 1 << 28 };

struct file_search {
	struct object *o;
	struct object_search *search;
	u8 build_id[OBJECT_BUILD_ID_MAX]; /* the recorded one, otherwise that of the program */
	size_t build_id_len;
	enum object_problem problem; /* of the files that were tried */
};

static bool is_right(const struct file_search *s, const struct elf_file *f)
{
	return !s->build_id_len || (f->build_id_len == s->build_id_len &&
				    !memcmp(f->build_id, s->build_id, s->build_id_len));
}

/* Open @path if it is the right file. Return: 0, 1 if not, -HIST_ENOMEM */
static int try_file(struct file_search *s, struct elf_file *f, const char *path)
{
	int err = path ? elf_file_open(f, s->search->lib, path) : -HIST_ENOMEM;

	if (err == -HIST_ENOMEM)
		return err;
	if (!err && !is_right(s, f)) {
		elf_file_close(f);
		s->problem = OBJECT_OTHER;
		return 1;
	}
	if (err && s->problem == OBJECT_MISSING && !(err == -HIST_EIO && errno == ENOENT))
		s->problem = OBJECT_UNREADABLE;
	return err ? 1 : 0;
}

static const char *under_symfs(const struct object_search *p, const char *path)
{
	return arena_printf(p->arena, "%s%s", p->symfs, path);
}

/* "DIR/12/34567" and @suffix; NULL: no directory, no build-id, or out of memory. */
static const char *by_build_id(const struct file_search *s, const char *dir, const char *suffix)
{
	char id[2 * OBJECT_BUILD_ID_MAX + 1] = "";

	if (!dir || s->build_id_len < 2)
		return NULL;
	hex_print(s->build_id, s->build_id_len, id);
	return arena_printf(s->search->arena, "%s/%.2s/%s%s", dir, id, id + 2, suffix);
}

/*
 * Download the file with the build-id, or its debug information. The library keeps it in a
 * directory of the user, where it also looks first. Return: as try_file()
 */
static int try_servers(struct file_search *s, struct elf_file *f, bool debug)
{
	struct object_search *p = s->search;
	struct elfutils *lib = p->lib;
	char *path = NULL;
	int fd = -1, err = 1;

	if (!p->debuginfod || !s->build_id_len || !elfutils_load_debuginfod(lib))
		return 1;
	p->client = p->client ?: lib->debuginfod_begin();
	if (p->client)
		fd = (debug ? lib->debuginfod_find_debuginfo : lib->debuginfod_find_executable)(
			p->client, s->build_id, (int)s->build_id_len, &path);
	if (fd >= 0) {
		close(fd);
		err = try_file(s, f, path);
		free(path);
	}
	return err;
}

/* The file with the code: in perf's cache, or where it was. */
static int find_program(struct file_search *s, struct elf_file *f)
{
	static const char deleted[] = " (deleted)";
	const struct object *o = s->o;
	const size_t n = strlen(o->path);
	const char *path = o->path, *cached;
	int err = 1;

	cached = by_build_id(s, s->search->id_cache, "/elf");
	if (cached)
		err = try_file(s, f, cached);
	if (err == 1 && o->build_id_len && n > sizeof(deleted) &&
	    !strcmp(path + n - (sizeof(deleted) - 1), deleted))
		path = arena_strndup(s->search->arena, path, n - (sizeof(deleted) - 1));
	if (err == 1 && path && path[0] == '/')
		err = try_file(s, f, under_symfs(s->search, path));
	if (err == 1)
		err = try_servers(s, f, false);
	if (!err && !s->build_id_len) {
		memcpy(s->build_id, f->build_id, f->build_id_len);
		s->build_id_len = f->build_id_len;
	}
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

static bool has_section(const struct elf_file *f, const char *name)
{
	GElf_Shdr header;

	return f->elf && elf_file_section(f, 0, name, &header);
}

/*
 * A separate file with @section: in perf's cache, by build-id, beside the program, in its directory
 * .debug, below /usr/lib/debug. @program is closed if it was not found. Return: 0, 1, -HIST_ENOMEM
 */
static int find_separate(struct file_search *s, const char *section, const struct elf_file *program,
			 struct elf_file *f)
{
	const struct object_search *p = s->search;
	const char *path = s->o->path, *link = program->elf ? debug_link(program) : NULL;
	const int dir = path[0] == '/' ? (int)(strrchr(path, '/') - path) : 0;
	const char *candidates[7] = {
		by_build_id(s, p->id_cache, "/debug"),
		by_build_id(s, p->id_cache, "/elf"),
		by_build_id(s, p->id_debug, ".debug"),
	};
	size_t n = 3;
	int err = 1;

	if (link && path[0] == '/') {
		candidates[n++] = arena_printf(p->arena, "%s%.*s/%s", p->symfs, dir, path, link);
		candidates[n++] =
			arena_printf(p->arena, "%s%.*s/.debug/%s", p->symfs, dir, path, link);
		candidates[n++] = arena_printf(p->arena, "%s/usr/lib/debug%.*s/%s", p->symfs, dir,
					       path, link);
	}
	if (path[0] == '/')
		candidates[n++] =
			arena_printf(p->arena, "%s/usr/lib/debug%s.debug", p->symfs, path);
	for (size_t i = 0; err == 1 && i <= n; i++) {
		if (i == n)
			err = try_servers(s, f, true);
		else if (candidates[i])
			err = try_file(s, f, candidates[i]);
		if (!err && !has_section(f, section)) {
			elf_file_close(f);
			err = 1;
		}
	}
	return err;
}

/* Whether offsets in the file are those in the program: the code is there. */
static bool has_code(const struct elf_file *f)
{
	return any_of(i, f->segments.n, f->segments.v[i].code && f->segments.v[i].file_size);
}

/*
 * The symbols of functions that a distribution left in the program: a compressed file in the
 * section .gnu_debugdata. @image gets the file. Return: 0, 1: there is none, -HIST_ENOMEM
 */
static int open_mini_debug(struct file_search *s, const struct elf_file *program,
			   struct elf_file *f, struct strbuf *image)
{
	enum { IMAGE_MAX = 1 << 26, TOO_SMALL = 10 /* LZMA_BUF_ERROR */ };
	struct elfutils *lib = s->search->lib;
	GElf_Shdr header;
	Elf_Scn *scn = program->elf ? elf_file_section(program, 0, ".gnu_debugdata", &header)
				    : NULL;
	struct span packed = scn ? elf_file_contents(program, scn, &header)
				 : (struct span){ NULL, 0 };
	int err = TOO_SMALL;

	if (!packed.n || !elfutils_load_lzma(lib))
		return 1;
	for (size_t size = 4 * packed.n; err == TOO_SMALL && size <= IMAGE_MAX; size *= 2) {
		u64 memory = IMAGE_MAX;
		size_t at = 0, n = 0;

		strbuf_reset(image);
		strbuf_fill(image, 0, size);
		if (image->failed)
			return HIST_NOMEM;
		err = lib->lzma_stream_buffer_decode(&memory, 0, NULL, (const u8 *)packed.s, &at,
						     packed.n, (u8 *)image->s, &n, size);
		if (!err)
			return elf_file_open_image(f, lib, image->s, n) ? 1 : 0;
	}
	return 1;
}

static int read_symbols(struct object *o, const struct elf_file *program,
			const struct elf_file *separate)
{
	const struct elf_file *full = separate->elf ? separate : program;
	int err = symbol_table_add(&o->symbols, full, &o->segments, SHT_SYMTAB);

	if (!err && program->elf)
		err = symbol_table_add(&o->symbols, program, &o->segments, SHT_DYNSYM);
	symbol_table_sort(&o->symbols);
	if (!err && program->elf)
		err = symbol_table_add_plt(&o->symbols, program, &o->segments);
	if (!o->symbols.list.n)
		o->problem = OBJECT_STRIPPED;
	return err;
}

static int read_file(struct file_search *s)
{
	struct object *o = s->o;
	struct elf_file program = { .fd = -1 }, separate = { .fd = -1 };
	struct elf_file *first = &program;
	scoped(strbuf_release) struct strbuf image = STRBUF_INIT;
	int err = find_program(s, &program);

	if (err >= 0 && !s->search->no_debug_files && !has_section(&program, ".symtab"))
		err = find_separate(s, ".symtab", &program, &separate);
	if (err == 1 && program.elf)
		err = open_mini_debug(s, &program, &separate, &image);
	if (!program.elf && separate.elf && has_code(&separate))
		first = &separate;
	if (err >= 0 && first->elf) {
		o->segments = first->segments;
		first->segments = (segment_array)ARRAY_INIT;
		err = read_symbols(o, &program, &separate);
	} else {
		o->problem = s->problem;
	}
	elf_file_close(&separate);
	elf_file_close(&program);
	return err < 0 ? err : 0;
}

/* The kernel's code for all processes; that of this machine, if it is the same. */
static int open_vdso(struct file_search *s, struct elf_file *f)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR); /* NOLINT(performance-no-int-to-ptr) */
	const GElf_Ehdr *header = (const GElf_Ehdr *)image;
	int err;

	*f = (struct elf_file){ .fd = -1 };
	if (!image)
		return 1;
	err = elf_file_open_image(f, s->search->lib, image,
				  header->e_shoff + (u64)header->e_shentsize * header->e_shnum);
	if (!err && !is_right(s, f)) {
		elf_file_close(f);
		s->problem = OBJECT_OTHER;
		err = 1;
	}
	return err;
}

static void read_vdso(struct file_search *s)
{
	struct object *o = s->o;
	struct elf_file f;

	o->problem = s->problem;
	if (open_vdso(s, &f)) {
		o->problem = s->problem;
		return;
	}
	symbol_table_add(&o->symbols, &f, &f.segments, SHT_DYNSYM);
	o->problem = o->symbols.list.n ? OBJECT_FINE : OBJECT_STRIPPED;
	elf_file_close(&f);
}

static int read_map(struct file_search *s)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	const char *path = under_symfs(s->search, s->o->path);
	int err = path ? 0 : -HIST_ENOMEM, fd = path ? fd_open_file(path) : -1;
	struct stat st;

	/* any user may put a file there, also for a process of another user */
	if (fd >= 0 && (fstat(fd, &st) || (st.st_uid && st.st_uid != geteuid()))) {
		close(fd);
		fd = -1;
	}
	if (path && fd_append_close(fd, &text, MAP_MAX))
		err = symbol_table_add_map(&s->o->symbols, strbuf_span(&text));
	else if (path)
		s->o->problem = OBJECT_NO_MAP;
	return err;
}

static struct file_search search_for(struct object *o)
{
	struct file_search s = { .o = o,
				 .search = &o->objects->search,
				 .build_id_len = o->build_id_len,
				 .problem = OBJECT_MISSING };

	memcpy(s.build_id, o->build_id, o->build_id_len);
	return s;
}

void object_read(struct object *o)
{
	struct file_search s = search_for(o);

	if (o->read)
		return;
	o->read = true;
	if (o->kind == OBJECT_JIT)
		read_map(&s);
	else if (!elfutils_load(s.search->lib))
		o->problem = OBJECT_NO_LIBRARY;
	else if (o->kind == OBJECT_VDSO)
		read_vdso(&s);
	else
		read_file(&s);
	symbol_table_finish(&o->symbols);
}

int object_open_debug(struct object *o, struct elf_file *f)
{
	struct file_search s = search_for(o);
	struct elf_file program = { .fd = -1 };
	int err = find_program(&s, &program);

	*f = (struct elf_file){ .fd = -1 };
	if (!err && has_section(&program, ".debug_info")) {
		*f = program;
		return 0;
	}
	if (err >= 0)
		err = s.search->no_debug_files ? 1 : find_separate(&s, ".debug_info", &program, f);
	elf_file_close(&program);
	return err;
}

void object_open_code(struct object *o)
{
	struct file_search s = search_for(o);

	if (o->tried_code || o->kind == OBJECT_JIT || !elfutils_load(s.search->lib))
		return;
	o->tried_code = true;
	if ((o->kind == OBJECT_VDSO ? open_vdso(&s, &o->code) : find_program(&s, &o->code)) ||
	    !o->code.segments.n ||
	    (o->code.header.e_type != ET_EXEC && o->code.header.e_type != ET_DYN))
		elf_file_close(&o->code);
}
