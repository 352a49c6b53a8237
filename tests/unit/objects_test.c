// SPDX-License-Identifier: LGPL-2.1-only
/* Names of places in files: of this program itself, its libraries, and files that do not exist. */
#include "unit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "objects/object.h"
#include "objects/demangle.h"
#include "objects/objects.h"
#include "objects/symbol_table.h"

struct objects_fixture {
	struct objects *objects;
	struct diags diags;
};

static int setup(void **state)
{
	struct objects_fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->objects = objects_new(NULL);
	assert_non_null(f->objects);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct objects_fixture *f = *state;

	objects_free(f->objects);
	diags_release(&f->diags);
	free(f);
	return 0;
}

/* The mapping of this process that contains an address, as perf records it. */
static bool find_mapping(u64 addr, char *path, u64 *place)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	bool found = false;

	assert_non_null(maps);
	while (!found && fgets(line, sizeof(line), maps)) {
		u64 start, end, offset;

		path[0] = '\0';
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %1023s", &start, &end, &offset,
			   path) >= 3 &&
		    addr >= start && addr < end) {
			*place = addr - start + offset;
			found = true;
		}
	}
	fclose(maps);
	return found;
}

static const struct object_symbol *symbol_at(struct objects *objects, const void *code)
{
	char path[1024];
	u64 place = 0;
	struct object *o;

	assert_true(find_mapping((uintptr_t)code, path, &place));
	o = objects_find(objects, &(struct object_key){ .path = path });
	assert_non_null(o);
	return object_symbol(o, place);
}

static void test_own_functions(void **state)
{
	struct objects_fixture *f = *state;
	const char *here = (const char *)(uintptr_t)teardown;
	const struct object_symbol *s = symbol_at(f->objects, here);

	assert_non_null(s);
	assert_string_equal(s->name, "teardown");
	assert_true(s->size > 1);
	assert_ptr_equal(symbol_at(f->objects, here + s->size - 1), s);
	assert_ptr_not_equal(symbol_at(f->objects, here + s->size), s);
	s = symbol_at(f->objects, (const void *)(uintptr_t)setup);
	assert_string_equal(s->name, "setup");
}

/* The dynamic symbols of the C library are at the addresses that the linker gives. */
static void test_library(void **state)
{
	struct objects_fixture *f = *state;
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD); /* not a sanitizer's qsort() */
	const struct object_symbol *s;

	assert_non_null(libc);
	s = symbol_at(f->objects, dlsym(libc, "qsort"));
	assert_non_null(s);
	dlclose(libc);
	assert_string_equal(s->name, "qsort");
	objects_report(f->objects, &f->diags);
	assert_int_equal(f->diags.list.n, 0);
}

static void test_kinds(void **state)
{
	static const struct {
		const char *path, *object;
		bool jit;
	} cases[] = {
		{ "//anon", "/tmp/perf-7.map", true },
		{ "[heap]", "/tmp/perf-7.map", true },
		{ "/tmp/perf-7.map", "/tmp/perf-7.map", true },
		{ "/tmp/perf-7/lib.so", "/tmp/perf-7/lib.so", false },
		{ "/tmp/perf-.map", "/tmp/perf-.map", false },
		{ "/usr/bin/perf-6.1", "/usr/bin/perf-6.1", false },
		{ "[vdso]", "[vdso]", false },
	};
	struct objects_fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct object *o = objects_find(
			f->objects, &(struct object_key){ .path = cases[i].path, .pid = 7 });

		assert_string_equal(o->path, cases[i].object);
		assert_int_equal(object_is_jit(o), cases[i].jit);
	}
}

static void test_missing(void **state)
{
	struct objects_fixture *f = *state;
	const struct object_key key = { .path = "/nowhere/lib.so" };
	struct object *o = objects_find(f->objects, &key);

	assert_ptr_equal(objects_find(f->objects, &key), o);
	assert_string_equal(object_name(o), "lib.so");
	assert_null(object_symbol(o, 0));
	objects_report(f->objects, &f->diags);
	assert_int_equal(f->diags.list.n, 1);
	assert_non_null(strstr(f->diags.list.v[0].text, "/nowhere/lib.so"));
	objects_report(f->objects, &f->diags);
	assert_int_equal(f->diags.list.n, 1);
}

/* The linker made entries for the functions of cmocka, which are in its library. */
static void test_plt(void **state)
{
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__)
	struct objects_fixture *f = *state;
	char path[1024];
	u64 place = 0;
	struct object *o;
	size_t found = 0;

	assert_true(find_mapping((uintptr_t)teardown, path, &place));
	o = objects_find(f->objects, &(struct object_key){ .path = path });
	for (u64 at = 0; at < place; at += 4) {
		const struct object_symbol *s = object_symbol(o, at);

		found += s && s->start == at && !strcmp(s->name, "_cmocka_run_group_tests@plt");
	}
	assert_int_equal(found, 1);
#else
	(void)state;
	skip();
#endif
}

/* --- debug information --- */

enum { INLINED_LINE = __LINE__ + 4, CALLING_LINE = __LINE__ + 9 };

static inline __attribute__((always_inline)) u64 inlined(const volatile u64 *p)
{
	return *p * 7;
}

static __attribute__((noinline)) u64 calling(const volatile u64 *p)
{
	return inlined(p) + 1;
}

static void test_lines(void **state)
{
	struct objects_fixture *f = *state;
	const volatile u64 seven = 7;
	struct object_line lines[8];
	char path[1024];
	u64 place = 0;
	size_t found = 0, n = 0;
	const struct object_symbol *s;
	struct object *o;

	assert_int_equal(calling(&seven), 50);
	assert_true(find_mapping((uintptr_t)calling, path, &place));
	o = objects_find(f->objects, &(struct object_key){ .path = path });
	s = object_symbol(o, place);
	assert_non_null(s);
	assert_string_equal(s->name, "calling");
	for (u64 at = 0; at < s->size; at++) {
		n = object_lines(o, s->start + at, lines, ARRAY_SIZE(lines));
		if (!n)
			break;
		assert_ptr_equal(lines[n - 1].function, s->name);
		assert_non_null(strstr(lines[n - 1].file, "objects_test.c"));
		if (n == 1)
			continue;
		assert_string_equal(lines[0].function, "inlined");
		assert_non_null(strstr(lines[0].file, "objects_test.c"));
		assert_int_equal(lines[1].line, CALLING_LINE);
		found += lines[0].line == INLINED_LINE;
		n = object_lines(o, s->start + at, lines, 1);
		assert_int_equal(n, 1);
		assert_string_equal(lines[0].function, "inlined");
	}
	if (!n)
		skip(); /* compiled without -g */
	assert_true(found);
	assert_int_equal(object_lines(o, UINT64_MAX, lines, ARRAY_SIZE(lines)), 0);
}

/* --- where files are --- */

/* An input of the fuzz target; its build-id, and the place of its function outer(). */
static const char *const lib = "tests/fuzz/objects/x86-64-lib";
static const u8 lib_id[] = { 0xcd, 0xe5, 0xde, 0x03, 0x2e, 0x3f, 0x87, 0xbd, 0xd5, 0x00,
			     0x3d, 0x11, 0xa2, 0xd7, 0x2f, 0xf6, 0x1a, 0x6b, 0xe4, 0xae };
enum { LIB_OUTER = 0x340 };

/* Copy @from to DIR/@to, whose directories are made. */
static void copy_file(const char *from, const char *dir, const char *to)
{
	static u8 data[1 << 16];
	char path[512];
	FILE *in = fopen(from, "r"), *out;
	size_t n;

	snprintf(path, sizeof(path), "%s%s", dir, to);
	for (char *p = path + strlen(dir); (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		mkdir(path, 0777);
	}
	out = fopen(path, "w");
	assert_true(in && out);
	n = fread(data, 1, sizeof(data), in);
	assert_int_equal(fwrite(data, 1, n, out), n);
	fclose(in);
	fclose(out);
}

/* What is known of outer(): 0 nothing, 1 its name, 2 its line, too. */
static int known(const char *dir, const u8 *id, struct diags *diags)
{
	char cache[512];
	struct objects_settings settings = { .symfs = dir, .id_cache = cache };
	struct objects *objects;
	struct object_line line;
	struct object *o;
	int level = 0;

	snprintf(cache, sizeof(cache), "%s/cache", dir);
	objects = objects_new(&settings);
	assert_non_null(objects);
	o = objects_find(objects, &(struct object_key){ .path = "/lib/libx.so",
							.build_id = id,
							.build_id_len = id ? sizeof(lib_id) : 0 });
	assert_non_null(o);
	if (object_symbol(o, LIB_OUTER)) {
		assert_string_equal(object_symbol(o, LIB_OUTER)->name, "outer");
		level = 1;
	}
	if (object_lines(o, LIB_OUTER, &line, 1)) {
		assert_string_equal(line.function, "outer");
		assert_int_equal(line.line, 5);
		level = 2;
	}
	diags_release(diags);
	*diags = (struct diags)DIAGS_INIT;
	objects_report(objects, diags);
	objects_free(objects);
	return level;
}

static bool warns(const struct diags *diags, const char *of)
{
	return diags->list.n == 1 && strstr(diags->list.v[0].text, of);
}

static void test_places(void **state)
{
	struct objects_fixture *f = *state;
	u8 other[sizeof(lib_id)];
	char dir[] = "/tmp/hist-objects-XXXXXX", command[64];

	assert_non_null(mkdtemp(dir));
	memcpy(other, lib_id, sizeof(other));
	other[3] ^= 1;
	snprintf(command, sizeof(command), "rm -r %s", dir);

	assert_int_equal(known(dir, NULL, &f->diags), 0);
	assert_true(warns(&f->diags, "does not exist"));
	copy_file("tests/fuzz/objects/x86-64-stripped", dir, "/lib/libx.so");
	assert_int_equal(known(dir, NULL, &f->diags), 1);
	assert_int_equal(f->diags.list.n, 0);
	assert_int_equal(known(dir, lib_id, &f->diags), 1);
	assert_int_equal(known(dir, other, &f->diags), 0);
	assert_true(warns(&f->diags, "not the recorded version"));
	copy_file("tests/fuzz/objects/s390x-lib", dir, "/lib/libx.so");
	assert_int_equal(known(dir, lib_id, &f->diags), 0);
	assert_true(warns(&f->diags, "not the recorded version"));

	/* by build-id: the whole file in perf's cache, then debug information */
	copy_file(lib, dir, "/cache/.build-id/cd/e5de032e3f87bdd5003d11a2d72ff61a6be4ae/elf");
	assert_int_equal(known(dir, lib_id, &f->diags), 2);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): of the test's own text */
	copy_file("tests/fuzz/objects/x86-64-stripped", dir, "/lib/libx.so");
	assert_int_equal(known(dir, lib_id, &f->diags), 1);
	copy_file(lib, dir,
		  "/usr/lib/debug/.build-id/cd/e5de032e3f87bdd5003d11a2d72ff61a6be4ae.debug");
	assert_int_equal(known(dir, NULL, &f->diags), 2);
	copy_file("tests/unit/objects_test.c", dir, "/lib/libx.so");
	assert_int_equal(known(dir, NULL, &f->diags), 0);
	assert_true(warns(&f->diags, "cannot be read"));
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): of the test's own text */
}

/* --- symbol tables --- */

static void push(struct symbol_table *t, const char *name, u64 start, u64 size,
		 enum symbol_rank rank)
{
	const struct table_symbol symbol = { .start = start, .end = start + size, .rank = rank };

	assert_int_equal(symbol_table_push(t, &symbol, name), 0);
}

static const char *name_at(const struct symbol_table *t, u64 place)
{
	const struct table_symbol *symbol = symbol_table_find(t, place);

	return symbol ? t->names.s + symbol->name : "-";
}

/* One of several names for an address, whatever their order. */
static void test_choice(void **state)
{
	static const struct {
		const char *better, *worse;
		u64 better_size, worse_size;
		enum symbol_rank better_rank, worse_rank;
	} cases[] = {
		{ "a", "b", 8, 0, SYMBOL_LABEL, SYMBOL_GLOBAL },
		{ "a", "b", 8, 8, SYMBOL_WEAK, SYMBOL_LABEL },
		{ "a", "b", 8, 8, SYMBOL_LOCAL, SYMBOL_WEAK },
		{ "a", "b", 8, 8, SYMBOL_GLOBAL, SYMBOL_LOCAL },
		{ "_a", "__libc_a", 8, 8, SYMBOL_GLOBAL, SYMBOL_GLOBAL },
		{ "write_all", "write", 8, 8, SYMBOL_GLOBAL, SYMBOL_GLOBAL },
		/* C++: as it is printed, foo::bar, which is longer and has no underscore */
		{ "_ZN3foo3barEv", "foobar", 8, 8, SYMBOL_GLOBAL, SYMBOL_GLOBAL },
	};

	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		struct symbol_table t = SYMBOL_TABLE_INIT;
		const size_t c = i / 2;

		if (i % 2)
			push(&t, cases[c].worse, 64, cases[c].worse_size, cases[c].worse_rank);
		push(&t, cases[c].better, 64, cases[c].better_size, cases[c].better_rank);
		if (!(i % 2))
			push(&t, cases[c].worse, 64, cases[c].worse_size, cases[c].worse_rank);
		symbol_table_finish(&t);
		assert_string_equal(name_at(&t, 64), cases[c].better);
		symbol_table_release(&t);
	}
}

static void test_sizes(void **state)
{
	struct symbol_table t = SYMBOL_TABLE_INIT;

	(void)state;
	push(&t, "last", 900, 0, SYMBOL_GLOBAL);
	push(&t, "outer", 100, 100, SYMBOL_GLOBAL);
	push(&t, "inner", 120, 20, SYMBOL_LOCAL);
	push(&t, "innermost", 130, 5, SYMBOL_LOCAL);
	push(&t, "place", 150, 0, SYMBOL_LABEL);
	push(&t, "start", 300, 0, SYMBOL_LABEL);
	push(&t, "next", 400, 16, SYMBOL_GLOBAL);
	symbol_table_finish(&t);
	assert_string_equal(name_at(&t, 99), "-");
	assert_string_equal(name_at(&t, 119), "outer");
	assert_string_equal(name_at(&t, 120), "inner");
	assert_string_equal(name_at(&t, 134), "innermost");
	assert_string_equal(name_at(&t, 135), "inner");
	assert_string_equal(name_at(&t, 140), "outer");
	assert_string_equal(name_at(&t, 150), "outer");
	assert_string_equal(name_at(&t, 199), "outer");
	assert_string_equal(name_at(&t, 200), "-");
	assert_string_equal(name_at(&t, 399), "start");
	assert_string_equal(name_at(&t, 415), "next");
	assert_string_equal(name_at(&t, 416), "-");
	assert_string_equal(name_at(&t, 8191), "last");
	assert_string_equal(name_at(&t, 8192), "-");
	symbol_table_release(&t);
}

/* The innermost of random symbols, compared with a search of all. */
static void test_nested(void **state)
{
	enum { SYMBOLS = 60, PLACES = 400 };
	u64 start[SYMBOLS], end[SYMBOLS];
	u32 random = 1;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct symbol_table t = SYMBOL_TABLE_INIT;
		char name[16];

		for (size_t i = 0; i < SYMBOLS; i++) {
			random = random * 1103515245 + 12345;
			start[i] = i * 5 + (random >> 16) % 5;
			end[i] = start[i] + 1 + (random >> 8) % (i % 7 ? 12 : 200);
			snprintf(name, sizeof(name), "%zu", i);
			push(&t, name, start[i], end[i] - start[i], SYMBOL_GLOBAL);
		}
		symbol_table_finish(&t);
		for (u64 place = 0; place < PLACES; place++) {
			const char *want = "-";

			for (size_t i = 0; i < SYMBOLS; i++)
				if (start[i] <= place && place < end[i]) {
					snprintf(name, sizeof(name), "%zu", i);
					want = name;
				}
			assert_string_equal(name_at(&t, place), want);
		}
		symbol_table_release(&t);
	}
}

static void test_map(void **state)
{
	static const char text[] = "7f0000001000 40 LazyCompile:*sort file.js:12\n"
				   "# not a symbol\n"
				   "zz 10 name\n"
				   "7f0000002000 10\n"
				   "ffffffffffffff00 ffffffff the end\n"
				   "7f0000001040 8 last";
	struct symbol_table t = SYMBOL_TABLE_INIT;

	(void)state;
	assert_int_equal(symbol_table_add_map(&t, span_of(text)), 0);
	symbol_table_finish(&t);
	assert_int_equal(t.list.n, 3);
	assert_string_equal(name_at(&t, 0x7f000000103f), "LazyCompile:*sort file.js:12");
	assert_string_equal(name_at(&t, 0x7f0000001040), "last");
	assert_string_equal(name_at(&t, UINT64_MAX - 1), "the end");
	symbol_table_release(&t);
}

static void test_demangle(void **state)
{
	static const char *const names[][2] = {
		{ "_ZN4work3BoxIdE4fillEi", "work::Box<double>::fill" },
		{ "_ZL5localv", "local" },
		{ "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad" },
		{ "_RNvCskwGfYPst2Cb_3foo4main", "foo::main" },
	};
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		strbuf_reset(&sb);
		assert_true(demangle(names[i][0], &sb));
		assert_string_equal(sb.s, names[i][1]);
	}
	strbuf_reset(&sb);
	assert_false(demangle("main", &sb));
	assert_false(demangle("_Z12ab", &sb));
	assert_false(demangle("", &sb));
	assert_string_equal(sb.s, "");

	/* each argument of the template contains the one before it twice */
	strbuf_addstr(&sb, "_Z1gI1AIiiE");
	for (int i = 0; i < 60; i++) {
		const char *digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
		char number[3] = { digits[i % 36] };

		if (i >= 36) {
			number[0] = digits[i / 36];
			number[1] = digits[i % 36];
		}
		strbuf_addf(&sb, "S_IS%s_S%s_E", number, number);
	}
	strbuf_addstr(&sb, "Evv");
	{
		struct strbuf out = STRBUF_INIT;

		assert_false(demangle(sb.s, &out));
		assert_int_equal(out.len, 0);
		strbuf_release(&out);
	}
	strbuf_release(&sb);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own_functions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_library, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing, setup, teardown),
		cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_plt, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lines, setup, teardown),
		cmocka_unit_test_setup_teardown(test_places, setup, teardown),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_map),
		cmocka_unit_test(test_demangle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
