// SPDX-License-Identifier: LGPL-2.1-only
/* Names of places in files: this program itself, its libraries, and files that do not exist. */
#include "unit.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>

#include "objects/objects.h"

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
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %1023s", &start,
			   &end, &offset, path) >= 3 &&
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
	const struct object_symbol *s = symbol_at(f->objects, dlsym(RTLD_DEFAULT, "qsort"));

	assert_non_null(s);
	assert_string_equal(s->name, "qsort");
	objects_report(f->objects, &f->diags);
	assert_int_equal(f->diags.list.n, 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_own_functions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_library, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
