// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The objects of a recording: each is made when it is first asked for, read when its first name is,
 * and kept. One lock protects all, since lookups are rare: callers remember what they got.
 */
#include "objects/demangle.h"
#include "objects/object.h"

enum { DEBUG_MAX = 32 };

struct objects *objects_new(const struct objects_settings *settings)
{
	static const struct objects_settings defaults;
	struct objects *os = calloc(1, sizeof(*os));
	const char *home = getenv("HOME");

	if (!os)
		return NULL;
	settings = settings ? settings : &defaults;
	pthread_mutex_init(&os->lock, NULL);
	os->search = (struct object_search){
		.arena = &os->arena,
		.lib = &os->lib,
		.symfs = arena_strdup(&os->arena, settings->symfs ? settings->symfs : ""),
		.no_debug_files = settings->no_debug_files,
		.debuginfod = settings->debuginfod,
	};
	if (settings->id_cache || (home && home[0]))
		os->search.id_cache = arena_printf(
			&os->arena, "%s/.build-id",
			settings->id_cache ? settings->id_cache
					   : arena_printf(&os->arena, "%s/.debug", home));
	os->search.id_debug =
		arena_printf(&os->arena, "%s/usr/lib/debug/.build-id", os->search.symfs);
	if (os->arena.failed) {
		objects_free(os);
		return NULL;
	}
	return os;
}

static void object_release(struct object *o)
{
	elf_file_close(&o->code);
	debug_info_close(o->debug);
	array_release(&o->segments);
	symbol_table_release(&o->symbols);
}

void objects_free(struct objects *os)
{
	if (!os)
		return;
	for (size_t i = 0; i < os->list.n; i++)
		object_release(os->list.v[i]);
	indexed_release(&os->list);
	array_release(&os->unwinders);
	if (os->search.client)
		os->lib.debuginfod_end(os->search.client);
	texts_release(&os->texts);
	arena_release(&os->arena);
	pthread_mutex_destroy(&os->lock);
	free(os);
}

/* Memory that belongs to no file, but may contain code that a JIT has written. */
static enum object_kind kind_of(const char *path)
{
	static const char map[] = "/tmp/perf-";
	static const char *const memory[] = { "//anon", "/dev/zero", "/anon_hugepage", "/SYSV",
					      "[heap]", "[stack",    "[anon",          "/memfd:" };

	if (!strcmp(path, "[vdso]") || !strcmp(path, "[vdso32]"))
		return OBJECT_VDSO;
	for (size_t i = 0; i < ARRAY_SIZE(memory); i++)
		if (!strncmp(path, memory[i], strlen(memory[i])))
			return OBJECT_JIT;
	if (!strncmp(path, map, strlen(map))) {
		const char *pid = path + strlen(map);
		const size_t digits = strspn(pid, "0123456789");

		if (digits && !strcmp(pid + digits, ".map"))
			return OBJECT_JIT;
	}
	return OBJECT_FILE;
}

static bool is_same(const struct object *o, const char *path, const struct object_key *key)
{
	return o->build_id_len == key->build_id_len && !strcmp(o->path, path) &&
	       (!key->build_id_len || !memcmp(o->build_id, key->build_id, key->build_id_len));
}

static struct object *add_object(struct objects *os, const char *path, enum object_kind kind,
				 const struct object_key *key)
{
	struct object *o = arena_alloc(&os->arena, sizeof(*o));

	if (!o)
		return NULL;
	*o = (struct object){ .objects = os,
			      .kind = kind,
			      .path = arena_strdup(&os->arena, path),
			      .build_id_len = key->build_id_len,
			      .symbols = SYMBOL_TABLE_INIT,
			      .code.fd = -1 };
	if (key->build_id_len)
		memcpy(o->build_id, key->build_id, key->build_id_len);
	return o->path && indexed_add(&os->list, hash_text(path), o) ? o : NULL;
}

struct object *objects_find(struct objects *os, const struct object_key *wanted)
{
	struct object_key key = *wanted;
	const enum object_kind kind = kind_of(key.path);
	const char *path = key.path;
	struct object **known, *o;
	char map[64];

	if (kind == OBJECT_JIT) {
		snprintf(map, sizeof(map), "/tmp/perf-%u.map", key.pid);
		path = map;
	}
	/* the files of perf pad it with zeros */
	while (key.build_id_len && (key.build_id_len > OBJECT_BUILD_ID_MAX || kind == OBJECT_JIT ||
				    !key.build_id[key.build_id_len - 1]))
		key.build_id_len--;
	pthread_mutex_lock(&os->lock);
	known = indexed_find(&os->list, hash_text(path), e, is_same(*e, path, &key));
	o = known ? *known : add_object(os, path, kind, &key);
	pthread_mutex_unlock(&os->lock);
	return o;
}

bool object_is_jit(const struct object *o)
{
	return o->kind == OBJECT_JIT;
}

const char *object_name(const struct object *o)
{
	const char *slash = strrchr(o->path, '/');

	return slash && slash[1] ? slash + 1 : o->path;
}

/* The answer for a symbol, made when it is first needed. */
static const struct object_symbol *answer_of(struct objects *os, const struct symbol_table *t,
					     struct table_symbol *symbol)
{
	struct object_symbol *answer = symbol->answer;
	struct strbuf name = STRBUF_INIT;

	if (answer)
		return answer;
	answer = arena_alloc(&os->arena, sizeof(*answer));
	if (!answer)
		return NULL;
	answer->raw_name = t->names.s + symbol->name;
	if (demangle(answer->raw_name, &name) || symbol->plt) {
		if (!name.len)
			strbuf_addstr(&name, answer->raw_name);
		if (symbol->plt)
			strbuf_addstr(&name, "@plt");
		answer->name = arena_take(&os->arena, &name);
	} else {
		answer->name = answer->raw_name;
	}
	answer->start = symbol->start;
	answer->size = symbol->end - symbol->start;
	if (answer->name)
		symbol->answer = answer;
	return symbol->answer;
}

const struct object_symbol *object_symbol(struct object *o, u64 offset)
{
	struct objects *os = o->objects;
	const struct object_symbol *answer = NULL;
	struct table_symbol *symbol;

	pthread_mutex_lock(&os->lock);
	object_read(o);
	symbol = symbol_table_find(&o->symbols, offset);
	if (symbol)
		answer = answer_of(os, &o->symbols, symbol);
	pthread_mutex_unlock(&os->lock);
	return answer;
}

/* A copy that lives as long as the objects; equal texts have one. */
static const char *intern(struct objects *os, const char *text)
{
	u32 number;

	return texts_number(&os->texts, span_of(text), &number) ? NULL : os->texts.v.v[number];
}

/* Debug information is large and needs an open file, so that which was used last is closed. */
static void close_debug(struct objects *os)
{
	struct object *oldest = NULL;

	array_each_ptr(struct object, o, &os->list)
		if (o->debug && (!oldest || o->debug_used < oldest->debug_used))
			oldest = o;
	if (oldest) {
		debug_info_close(oldest->debug);
		oldest->debug = NULL;
		oldest->tried_debug = false;
		os->n_debug--;
	}
}

static void open_debug(struct objects *os, struct object *o)
{
	struct elf_file f;

	if (o->tried_debug || !o->segments.n || !elfutils_load_dwarf(&os->lib))
		return;
	o->tried_debug = true;
	if (os->n_debug == DEBUG_MAX)
		close_debug(os);
	if (!object_open_debug(o, &f))
		o->debug = debug_info_open(&f);
	os->n_debug += o->debug != NULL;
}

/*
 * Move texts to memory of the objects. The function itself, which is the last one unless there were
 * more than fit, has the name of its symbol.
 */
static void keep_lines(struct object *o, u64 offset, struct object_line *lines, size_t n, bool all)
{
	struct objects *os = o->objects;
	struct table_symbol *symbol = symbol_table_find(&o->symbols, offset);
	const struct object_symbol *answer = symbol ? answer_of(os, &o->symbols, symbol) : NULL;
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		lines[i].file = lines[i].file ? intern(os, lines[i].file) : NULL;
		if (i == n - 1 && all && answer) {
			lines[i].function = answer->name;
		} else if (lines[i].function) {
			strbuf_reset(&name);
			lines[i].function = intern(os, demangle(lines[i].function, &name)
							       ? name.s
							       : lines[i].function);
		}
	}
}

size_t object_lines(struct object *o, u64 offset, struct object_line *lines, size_t max)
{
	struct objects *os = o->objects;
	bool all = true;
	size_t n = 0;
	u64 addr;

	pthread_mutex_lock(&os->lock);
	object_read(o);
	open_debug(os, o);
	if (o->debug && segments_address(&o->segments, offset, &addr)) {
		o->debug_used = ++os->time;
		n = debug_info_lines(o->debug, addr, lines, max, &all);
		keep_lines(o, offset, lines, n, all);
	}
	pthread_mutex_unlock(&os->lock);
	return n;
}

/* ORDER enum object_problem; for one file, and for several, of which the first is named */
static const char *const problems[][2] = {
	[OBJECT_MISSING] = { "%s does not exist here: its functions have no names; copy it into a "
			     "directory for --symfs, or into perf's cache",
			     "%s and %zu more file%s do not exist here: their functions have no "
			     "names; copy them into a directory for --symfs, or into perf's "
			     "cache" },
	[OBJECT_OTHER] = { "%s is not the recorded version: its functions have no names",
			   "%s and %zu more file%s are not the recorded versions: their functions "
			   "have no names" },
	[OBJECT_UNREADABLE] = { "%s cannot be read: its functions have no names",
				"%s and %zu more file%s cannot be read: their functions have no "
				"names" },
	[OBJECT_STRIPPED] = { "%s has no symbols: install its debug information",
			      "%s and %zu more file%s have no symbols: install their debug "
			      "information" },
	[OBJECT_NO_LIBRARY] = { "libelf cannot be loaded: the functions of %s have no names; "
				"install libelf1 and libdw1",
				"libelf cannot be loaded: the functions of %s and %zu more file%s "
				"have no names; install libelf1 and libdw1" },
	[OBJECT_NO_MAP] = { "%s does not exist: code that this process wrote has no names",
			    "%s and %zu more list%s do not exist: code that these processes wrote "
			    "has no names" },
};

static void report_stacks(struct objects *os, struct diags *diags)
{
	const char *first = NULL;
	size_t n = 0;

	array_each_ptr(struct object, o, &os->list) {
		if (!o->ended_stacks || o->reported_stacks)
			continue;
		o->reported_stacks = true;
		first = first ? first : o->path;
		n++;
	}
	if (n == 1)
		diags_add(diags, DIAG_WARNING,
			  "%s does not exist here as it was recorded: stacks end in its functions",
			  first);
	else if (n)
		diags_add(diags, DIAG_WARNING,
			  "%s and %zu more file%s do not exist here as they were recorded: stacks "
			  "end in their functions",
			  first, n - 1, plural(n - 1));
}

void objects_report(struct objects *os, struct diags *diags)
{
	pthread_mutex_lock(&os->lock);
	if (os->lib.libelf.handle && os->lib.libdw.tried && !os->lib.libdw.handle &&
	    !os->reported) {
		os->reported = true;
		diags_add(diags, DIAG_WARNING,
			  "libdw cannot be loaded: source lines and inlined functions are unknown, "
			  "copies of stacks are not unwound; install libdw1");
	}
	if (os->search.debuginfod && !os->reported_servers) {
		const char *urls = getenv("DEBUGINFOD_URLS");

		os->reported_servers = true;
		if (!urls || !urls[0])
			diags_add(diags, DIAG_WARNING,
				  "DEBUGINFOD_URLS names no server for --debuginfod: set it, such "
				  "as to https://debuginfod.elfutils.org");
		else if (os->lib.libdebuginfod.tried && !os->lib.libdebuginfod.handle)
			diags_add(diags, DIAG_WARNING,
				  "libdebuginfod cannot be loaded: no file is asked of a server; "
				  "install libdebuginfod1");
	}
	for (size_t p = OBJECT_FINE + 1; p < N_OBJECT_PROBLEMS; p++) {
		const char *first = NULL;
		size_t n = 0;

		array_each_ptr(struct object, o, &os->list) {
			if (o->problem != p || o->reported)
				continue;
			o->reported = true;
			first = first ? first : o->path;
			n++;
		}
		if (n)
			diags_add(diags, DIAG_WARNING, problems[p][n > 1], first, n - 1,
				  plural(n - 1));
	}
	report_stacks(os, diags);
	pthread_mutex_unlock(&os->lock);
}
