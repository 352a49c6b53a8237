// SPDX-License-Identifier: LGPL-2.1-only
/* event: formats of real kernels, the kernel's types and classes, and invalid texts. */
#include "unit.h"

#include "event/event.h"

#define COMMON                                                                         \
	"format:\n"                                                                    \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                     \
	"\n"

#define FIELD(decl, offset, size, sign) \
	"\tfield:" decl ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #sign ";\n"

/* One source line per line of the text. */
/* clang-format off */
static const char sched_switch[] =
	"name: sched_switch\nID: 260\n" COMMON
	FIELD("char prev_comm[16]", 8, 16, 0)
	FIELD("pid_t prev_pid", 24, 4, 1)
	FIELD("int prev_prio", 28, 4, 1)
	FIELD("long prev_state", 32, 8, 1)
	FIELD("char next_comm[16]", 40, 16, 0)
	FIELD("pid_t next_pid", 56, 4, 1)
	FIELD("int next_prio", 60, 4, 1)
	"\nprint fmt: \"prev_comm=%s\", REC->prev_comm\n";

static const char kmalloc[] =
	"name: kmalloc\nID: 521\n" COMMON
	FIELD("unsigned long call_site", 8, 8, 0)
	FIELD("const void * ptr", 16, 8, 0)
	FIELD("size_t bytes_req", 24, 8, 0)
	FIELD("size_t bytes_alloc", 32, 8, 0)
	FIELD("unsigned long gfp_flags", 40, 8, 0)
	FIELD("int node", 48, 4, 1)
	/* libtraceevent cannot parse this one */
	"\nprint fmt: \"call_site=%pS %s\", (void *)REC->call_site, ((1 / 0) %% [ ( } __p(\n";

static const char sys_enter[] =
	"name: sys_enter\nID: 334\n" COMMON
	FIELD("long id", 8, 8, 1)
	FIELD("unsigned long args[6]", 16, 48, 0)
	"\nprint fmt: \"NR %ld (%lx)\", REC->id, REC->args[0]\n";

static const char print[] =
	"name: print\nID: 5\n" COMMON
	FIELD("unsigned long ip", 8, 8, 0)
	FIELD("char buf[]", 16, 0, 0)
	"\nprint fmt: \"%ps: %s\", (void *)REC->ip, REC->buf\n";

static const char kernel_stack[] =
	"name: kernel_stack\nID: 4\n" COMMON
	FIELD("int size", 8, 4, 1)
	FIELD("unsigned long caller[8]", 16, 64, 0)
	"\nprint fmt: \"\\t=> %ps\\n\", (void *)REC->caller[0]\n";

static const char block_lat[] =
	"name: block_lat\nID: 1060\n" COMMON
	FIELD("pid_t pid", 8, 4, 1)
	FIELD("char comm[]", 16, 16, 1)
	FIELD("__data_loc char[] text", 272, 8, 1)
	FIELD("__data_loc unsigned long[] stack", 280, 8, 1)
	"\nprint fmt: \"pid=%d, stack=%s\", REC->pid, __get_stacktrace(stack)\n";

static const char odd[] =
	"name: odd\nID: 7\n" COMMON
	FIELD("__rel_loc char name[]", 8, 4, 0)
	FIELD("__data_loc cpumask_t cpumask", 12, 4, 0)
	FIELD("__data_loc unsigned long[] bits", 16, 4, 0)
	FIELD("u8 mac[6]", 20, 6, 0)
	FIELD("char three[2 + 1]", 26, 3, 1)
	FIELD("const char * ptr", 32, 8, 0)
	FIELD("char * str", 40, 8, 0)
	FIELD("const char __attribute__((btf_type_tag(\"user\"))) * tagged", 48, 8, 0)
	FIELD("void (*)(int) function", 56, 8, 0)
	FIELD("u8 same", 64, 1, 0)
	FIELD("u16 same", 66, 2, 0)
	FIELD("enum hrtimer_mode mode", 68, 4, 0)
	FIELD("int cpu", 72, 4, 1)
	"\nprint fmt: \"\"\n";
/* clang-format on */

#define TEXT(sys, id_, text_)                                            \
	{                                                                \
		.system = (sys), .name = { #text_, sizeof(#text_) - 1 }, \
		.text = { text_, sizeof(text_) - 1 }, .id = (id_)        \
	}

static const struct event_text texts[] = {
	TEXT("sched", 260, sched_switch),
	TEXT("kmem", 521, kmalloc),
	TEXT("raw_syscalls", 334, sys_enter),
	TEXT("ftrace", 5, print),
	TEXT("ftrace", 4, kernel_stack),
	TEXT("synthetic", 1060, block_lat),
	TEXT("test", 7, odd),
	TEXT("other", 8, odd),
	TEXT("test", 9, odd), /* the second one of that name is not found by name */
};

static const struct event_machine x86 = { .big_endian = false, .long_size = 8 };

static int open_db(void **state)
{
	struct event_db *db;

	if (event_db_new(&db, texts, ARRAY_SIZE(texts), x86, NULL))
		return -1;
	*state = db;
	return 0;
}

static int close_db(void **state)
{
	event_db_free(*state);
	return 0;
}

static const struct event_format *format_of(struct event_db *db, const char *sys, const char *name)
{
	const struct event_format *fmt = NULL;

	assert_int_equal(event_db_find(db, sys, name, &fmt), 0);
	return fmt;
}

static const struct event_field *field_of(const struct event_format *fmt, const char *name)
{
	const struct event_field *field = event_find_field(fmt, span_of(name), GENERICS_6_3);

	assert_non_null(field);
	return field;
}

static void assert_field(const struct event_format *fmt, const char *name, const char *type,
			 u32 offset, u32 size)
{
	const struct event_field *field = field_of(fmt, name);

	assert_string_equal(field->name, name);
	assert_string_equal(field->type, type);
	assert_int_equal(field->offset, offset);
	assert_int_equal(field->size, size);
}

static void assert_class(const struct event_format *fmt, const char *name,
			 enum event_field_class filter_type)
{
	assert_int_equal(field_of(fmt, name)->filter_type, filter_type);
}

static void reads_fields(void **state)
{
	const struct event_format *fmt = format_of(*state, "sched", "sched_switch");

	assert_string_equal(fmt->system, "sched");
	assert_string_equal(fmt->name, "sched_switch");
	assert_int_equal(fmt->id, 260);
	assert_int_equal(fmt->n_common, 4);
	assert_int_equal(fmt->n_fields, 11);
	assert_int_equal(fmt->min_size, 64);
	assert_string_equal(fmt->print_fmt, "\"prev_comm=%s\", REC->prev_comm");
	assert_string_equal(fmt->fields[0].name, "common_type");
	assert_true(fmt->fields[3].is_common);
	assert_false(fmt->fields[4].is_common);
	assert_field(fmt, "prev_comm", "char[TASK_COMM_LEN]", 8, 16);
	assert_field(fmt, "prev_pid", "pid_t", 24, 4);
	assert_field(fmt, "prev_state", "long", 32, 8);
	assert_true(field_of(fmt, "prev_state")->is_signed);
	assert_false(field_of(fmt, "common_type")->is_signed);
	assert_field(fmt, "common_type", "unsigned short", 0, 2);
	assert_class(fmt, "prev_comm", FILTER_STATIC_STRING);
	assert_class(fmt, "prev_pid", FILTER_OTHER);
}

static void reads_fields_without_print_fmt(void **state)
{
	const struct event_format *fmt = format_of(*state, "kmem", "kmalloc");

	assert_field(fmt, "call_site", "unsigned long", 8, 8);
	assert_field(fmt, "ptr", "const void *", 16, 8);
	assert_field(fmt, "node", "int", 48, 4);
	assert_int_equal(fmt->min_size, 52);
	assert_true(span_starts(span_of(fmt->print_fmt), "\"call_site=%pS %s\""));
}

static void reads_arrays(void **state)
{
	const struct event_format *fmt = format_of(*state, "raw_syscalls", "sys_enter");

	assert_field(fmt, "args", "unsigned long[6]", 16, 48);
	assert_class(fmt, "args", FILTER_OTHER);

	fmt = format_of(*state, "ftrace", "print");
	assert_field(fmt, "buf", "char[]", 16, 0);
	assert_class(fmt, "buf", FILTER_STATIC_STRING);
	assert_int_equal(fmt->min_size, 16);

	/* a short stack has a shorter record */
	fmt = format_of(*state, "ftrace", "kernel_stack");
	assert_field(fmt, "caller", "unsigned long[8]", 16, 64);
	assert_int_equal(fmt->min_size, 16);
}

static void reads_synthetic(void **state)
{
	const struct event_format *fmt = format_of(*state, "synthetic", "block_lat");

	assert_field(fmt, "comm", "char[16]", 16, 16);
	assert_class(fmt, "comm", FILTER_STATIC_STRING);
	assert_field(fmt, "text", "__data_loc char[]", 272, 8);
	assert_class(fmt, "text", FILTER_DYN_STRING);
	assert_field(fmt, "stack", "__data_loc unsigned long[]", 280, 8);
	assert_class(fmt, "stack", FILTER_STACKTRACE);
}

static void reads_odd_types(void **state)
{
	const struct event_format *fmt = format_of(*state, "test", "odd");

	assert_field(fmt, "name", "__rel_loc char[]", 8, 4);
	assert_class(fmt, "name", FILTER_RDYN_STRING);
	assert_field(fmt, "cpumask", "__data_loc cpumask_t", 12, 4);
	assert_class(fmt, "cpumask", FILTER_CPUMASK);
	assert_field(fmt, "bits", "__data_loc unsigned long[]", 16, 4);
	assert_class(fmt, "bits", FILTER_OTHER);
	assert_field(fmt, "mac", "u8[6]", 20, 6);
	assert_field(fmt, "three", "char[2 + 1]", 26, 3);
	assert_field(fmt, "ptr", "const char *", 32, 8);
	assert_class(fmt, "ptr", FILTER_PTR_STRING);
	assert_class(fmt, "str", FILTER_PTR_STRING);
	assert_field(fmt, "tagged", "const char __attribute__((btf_type_tag(\"user\"))) *", 48, 8);
	assert_class(fmt, "tagged", FILTER_OTHER);
	assert_field(fmt, "function", "void (*)(int)", 56, 8);
	assert_field(fmt, "mode", "enum hrtimer_mode", 68, 4);
}

static void finds_as_the_kernel(void **state)
{
	const struct event_format *fmt = format_of(*state, "test", "odd");
	const struct event_field *field;

	/*
	 * the later of two; the event's own before the generic ones, those before the common ones
	 */
	assert_int_equal(field_of(fmt, "same")->size, 2);
	assert_class(fmt, "cpu", FILTER_OTHER);
	assert_class(fmt, "CPU", FILTER_CPU);
	assert_class(fmt, "common_cpu", FILTER_CPU);
	assert_class(fmt, "comm", FILTER_COMM);
	field = field_of(fmt, "COMM");
	assert_int_equal(field->size, 0);
	assert_false(field->is_signed);
	assert_true(field_of(fmt, "CPU")->is_signed);
	assert_true(field_of(fmt, "common_pid")->is_common);

	assert_class(fmt, "stacktrace", FILTER_STACKTRACE);
	assert_null(event_find_field(fmt, span_of("stacktrace"), GENERICS_6_1));
	assert_null(event_find_field(fmt, span_of("STACKTRACE"), GENERICS_6_1));
	assert_non_null(event_find_field(fmt, span_of("comm"), GENERICS_6_1));
	assert_null(event_find_field(fmt, span_of("common_comm"), GENERICS_6_3));
	assert_null(event_find_field(fmt, span_of("sam"), GENERICS_6_3));
	assert_null(event_find_field(fmt, (struct span){ NULL, 0 }, GENERICS_6_3));
}

/* A field has the name with which the text shows its value, if it is the only one there. */
static void finds_shown_fields(void **state)
{
	static const struct event_field fields[] = {
		{ .name = "name", .type = "__data_loc char[]", .size = 4 },
		{ .name = "len", .type = "unsigned int", .size = 4 },
		{ .name = "vec", .type = "int", .size = 4, .is_signed = true },
		{ .name = "major", .type = "unsigned int", .size = 4 },
		{ .name = "ptr", .type = "void *", .size = 8 },
	};
	struct event_db *db = *state;
	struct event_format fmt = {
		.system = "test",
		.name = "shown",
		.fields = (struct event_field *)fields,
		.n_fields = ARRAY_SIZE(fields),
		.print_fmt =
			"\"dev=%s 100%% size=%u, (%u) [action=%s] id=%d last=%u\", __get_str(name), "
			"REC->len, REC->vec, __print_symbolic(REC->vec, { 0, \"a,)\" }, { 1, \"b\" }), "
			"REC->major + REC->len, REC->len",
	};

	assert_ptr_equal(event_find_shown(db, &fmt, span_of("dev")), &fields[0]);
	assert_ptr_equal(event_find_shown(db, &fmt, span_of("size")), &fields[1]);
	assert_ptr_equal(event_find_shown(db, &fmt, span_of("action")), &fields[2]);
	assert_ptr_equal(event_find_shown(db, &fmt, span_of("last")), &fields[1]);
	assert_null(event_find_shown(db, &fmt, span_of("id")));
	assert_null(event_find_shown(db, &fmt, span_of("de")));
	assert_null(event_find_shown(db, &fmt, span_of("ev")));
	assert_null(event_find_shown(db, &fmt, (struct span){ NULL, 0 }));
	fmt.print_fmt =
		"\"us=%llu cpu=%d at=%p sector=%llu port=%u n=%d dev=%d,%d\", REC->len / 1000, (int)REC->vec, "
		"(void *)REC->ptr, REC->major << 9, __builtin_bswap16(REC->len), __get_dynamic_array_len(name), REC->major, REC->vec";
	assert_null(event_find_shown(db, &fmt, span_of("us")));
	assert_ptr_equal(event_find_shown(db, &fmt, span_of("cpu")), &fields[2]);
	assert_ptr_equal(event_find_shown(db, &fmt, span_of("at")), &fields[4]);
	assert_null(event_find_shown(db, &fmt, span_of("sector")));
	assert_null(event_find_shown(db, &fmt, span_of("port")));
	assert_null(event_find_shown(db, &fmt, span_of("n")));
	assert_null(event_find_shown(db, &fmt, span_of("dev")));
	fmt.print_fmt = "\"port=%u\", ntohs(REC->len)";
	assert_null(event_find_shown(db, &fmt, span_of("port")));
	fmt.print_fmt = "\"dev=%s";
	assert_null(event_find_shown(db, &fmt, span_of("dev")));
	fmt.print_fmt = "\"dev=%";
	assert_null(event_find_shown(db, &fmt, span_of("dev")));
	fmt.print_fmt = "\"dev=%s\", ";
	assert_null(event_find_shown(db, &fmt, span_of("dev")));
	fmt.print_fmt = NULL;
	assert_null(event_find_shown(db, &fmt, span_of("dev")));
}

static void finds_events(void **state)
{
	const struct event_format *fmt = NULL, *again = NULL;
	struct event_db *db = *state;
	size_t n;

	assert_int_equal(event_db_find_id(db, 334, &fmt), 0);
	assert_string_equal(fmt->name, "sys_enter");
	assert_int_equal(event_db_find(db, "raw_syscalls", "sys_enter", &again), 0);
	assert_ptr_equal(fmt, again);
	assert_int_equal(event_db_find(db, "sched", "sys_enter", &fmt), -HIST_ENOENT);
	assert_int_equal(event_db_find(db, "sched", "", &fmt), -HIST_ENOENT);
	assert_int_equal(event_db_find_id(db, 335, &fmt), -HIST_ENOENT);

	assert_int_equal(format_of(db, "other", "odd")->id, 8);
	assert_int_equal(format_of(db, "test", "odd")->id, 7);
	assert_int_equal(event_db_find_id(db, 9, &fmt), 0);
	assert_ptr_equal(event_db_texts(db, &n), texts);
	assert_int_equal(n, ARRAY_SIZE(texts));
}

static void adds_and_removes(void **state)
{
	static const char mine[] = "name: block_lat\nID: 2000\n" COMMON FIELD(
		"u64 lat", 8, 8, 0) "\nprint fmt: \"lat=%llu\", REC->lat\n";
	struct event_db *db = *state;
	const struct event_format *fmt;
	char *text = strdup(mine);

	assert_non_null(text);
	assert_int_equal(event_db_add(db, "synthetic", text, strlen(text)), 0);
	free(text);
	fmt = format_of(db, "synthetic", "block_lat");
	assert_int_equal(fmt->id, 2000);
	assert_field(fmt, "lat", "u64", 8, 8);
	assert_int_equal(event_db_find_id(db, 2000, &fmt), 0);
	assert_string_equal(fmt->system, "synthetic");

	assert_int_equal(event_db_remove(db, "synthetic", "block_lat"), 0);
	assert_int_equal(event_db_remove(db, "synthetic", "block_lat"), -HIST_ENOENT);
	assert_string_equal(fmt->print_fmt, "\"lat=%llu\", REC->lat");
	assert_int_equal(event_db_find_id(db, 2000, &fmt), -HIST_ENOENT);
	assert_int_equal(format_of(db, "synthetic", "block_lat")->id, 1060);
	assert_int_equal(event_db_add(db, "synthetic", "name: x\n", 8), -HIST_EFORMAT);
}

/* On a machine of the other kind, only the numbers in the text differ. */
static void reads_other_machines(void **state)
{
	static const char text[] = "name: wakeup\nID: 3\n" COMMON FIELD("unsigned long ip", 8, 4, 0)
		FIELD("char comm[16]", 12, 16, 1) "\nprint fmt: \"%lx\", REC->ip\n";
	const struct event_format *fmt;
	struct event_db *db;

	(void)state;
	assert_int_equal(event_db_new(&db, NULL, 0,
				      (struct event_machine){ .big_endian = true, .long_size = 4 },
				      NULL),
			 0);
	assert_int_equal(event_db_add(db, "sched", text, strlen(text)), 0);
	fmt = format_of(db, "sched", "wakeup");
	assert_field(fmt, "ip", "unsigned long", 8, 4);
	assert_field(fmt, "comm", "char[TASK_COMM_LEN]", 12, 16);
	assert_true(field_of(fmt, "comm")->is_signed);
	event_db_free(db);
	assert_int_equal(event_db_new(&db, NULL, 0,
				      (struct event_machine){ .big_endian = true, .long_size = 5 },
				      NULL),
			 -HIST_EINVAL);
	assert_null(db);
	event_db_free(NULL);
}

/*
 * Formats that a kernel may have: without own fields, without common fields, an old line without
 * sign.
 */
static void reads_unusual_texts(void **state)
{
	static const char none[] = "name: none\nID: 1\nformat:\n\n\nprint fmt: \"\"\n";
	static const char no_print_fmt[] = "name: bare\nID: 2\n" COMMON "\n";
	static const char no_sign[] =
		"name: old\nID: 2\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\n\n"
		"\tfield:int x;\toffset:8;\tsize:4;\n\nprint fmt: \"\"";
	struct event_db *db = *state;

	assert_int_equal(event_db_add(db, "test", none, strlen(none)), 0);
	assert_int_equal(format_of(db, "test", "none")->n_fields, 0);
	assert_int_equal(format_of(db, "test", "none")->min_size, 0);
	assert_int_equal(event_db_add(db, "test", no_print_fmt, strlen(no_print_fmt)), 0);
	assert_int_equal(format_of(db, "test", "bare")->n_fields, 4);
	assert_string_equal(format_of(db, "test", "bare")->print_fmt, "");
	assert_int_equal(event_db_add(db, "test", no_sign, strlen(no_sign)), 0);
	assert_false(field_of(format_of(db, "test", "old"), "x")->is_signed);
}

#define LINE(line) "name: bad\nID: 1\n" COMMON line "\nprint fmt: \"\"\n"

static void refuses(void **state)
{
	static const char *const bad[] = {
		"",
		"name: bad\nID: 1\n",
		"name: bad\nID: 65536\n" COMMON "\n",
		"name: \nID: 1\n" COMMON "\n",
		"ID: 1\nname: bad\n" COMMON "\n",
		"name: bad\nID: 1\nformat:\n",
		LINE("\tfield:int;\toffset:8;\tsize:4;\tsigned:1;\n"),
		LINE("\tfield:;\toffset:8;\tsize:4;\tsigned:1;\n"),
		LINE("\tfield:int x;\toffset:;\tsize:4;\tsigned:1;\n"),
		LINE("\tfield:int x;\toffset:-8;\tsize:4;\tsigned:1;\n"),
		LINE("\tfield:int x;\toffset:8;\tsize:4294967296;\tsigned:1;\n"),
		LINE("\tfield:int x;\toffset:8;\tsize:4;\tsigned:1; more\n"),
		LINE("\tfield:int x[4;\toffset:8;\tsize:16;\tsigned:1;\n"),
		LINE("\tfield:int x4];\toffset:8;\tsize:16;\tsigned:1;\n"),
		LINE("\tfield:int [4]];\toffset:8;\tsize:16;\tsigned:1;\n"),
		LINE("\tfield:int (x;\toffset:8;\tsize:16;\tsigned:1;\n"),
		LINE("\tfield:int )x(;\toffset:8;\tsize:16;\tsigned:1;\n"),
		LINE("\tfield:int \"x;\toffset:8;\tsize:16;\tsigned:1;\n"),
		LINE("\tfield:int x\\;\toffset:8;\tsize:16;\tsigned:1;\n"),
		LINE("\tfield:[] [];\toffset:8;\tsize:16;\tsigned:1;\n"),
		LINE("\tfield:int *;\toffset:8;\tsize:16;\tsigned:1;\n"),
		LINE("\tfold:int x;\toffset:8;\tsize:16;\tsigned:1;\n"),
		LINE("\tfield:int \xc3\xa9;\toffset:8;\tsize:16;\tsigned:1;\n"),
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (event_db_add(*state, "test", bad[i], strlen(bad[i])) != -HIST_EFORMAT)
			fail_msg("taken: %s", bad[i]);
}

/* Use everything that was accepted. */
static void use_all(struct event_db *db, const char *text, size_t len)
{
	const struct event_format *fmt;

	if (event_db_add(db, "test", text, len))
		return;
	fmt = NULL;
	for (u32 id = 0; id < 1000 && event_db_find_id(db, id, &fmt); id++)
		continue;
	if (!fmt)
		return;
	for (size_t i = 0; i < fmt->n_fields; i++) {
		assert_non_null(event_find_field(fmt, span_of(fmt->fields[i].name), GENERICS_6_3));
		assert_true(strlen(fmt->fields[i].type) > 0);
	}
}

static void survives_cut_texts(void **state)
{
	(void)state;
	for (size_t t = 0; t < ARRAY_SIZE(texts); t++) {
		for (size_t len = 0; len < texts[t].text.n; len++) {
			/* exactly its size, so that a read past the end is detected */
			char *copy = malloc(len ? len : 1);
			struct event_db *db;

			assert_non_null(copy);
			memcpy(copy, texts[t].text.s, len);
			assert_int_equal(event_db_new(&db, NULL, 0, x86, NULL), 0);
			use_all(db, copy, len);
			free(copy);
			event_db_free(db);
		}
	}
}

static u32 next_random(u32 *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return *seed >> 8;
}

static void survives_random_bytes(void **state)
{
	static const char bytes[] = "\n\t\0 ;:[](){}*\"\\field,.0189-%az\xff";
	u32 seed = 1;

	(void)state;
	for (int round = 0; round < 5000; round++) {
		const struct event_text *t = &texts[next_random(&seed) % ARRAY_SIZE(texts)];
		u32 changes = 1 + next_random(&seed) % 4;
		struct event_db *db;
		char copy[2048];

		assert_true(t->text.n <= sizeof(copy));
		memcpy(copy, t->text.s, t->text.n);
		while (changes--)
			copy[next_random(&seed) % t->text.n] =
				bytes[next_random(&seed) % (sizeof(bytes) - 1)];
		assert_int_equal(event_db_new(&db, NULL, 0, x86, NULL), 0);
		use_all(db, copy, t->text.n);
		event_db_free(db);
	}
}

static void classes_by_type(void **state)
{
	(void)state;
	assert_int_equal(event_filter_class("char[16]"), FILTER_STATIC_STRING);
	assert_int_equal(event_filter_class("unsigned char[6]"), FILTER_STATIC_STRING);
	assert_int_equal(event_filter_class("char"), FILTER_OTHER);
	assert_int_equal(event_filter_class("u8[16]"), FILTER_OTHER);
	assert_int_equal(event_filter_class("char *"), FILTER_PTR_STRING);
	assert_int_equal(event_filter_class("const char *"), FILTER_PTR_STRING);
	assert_int_equal(event_filter_class("const char * const"), FILTER_OTHER);
	assert_int_equal(event_filter_class("__data_loc char[]"), FILTER_DYN_STRING);
	assert_int_equal(event_filter_class("__data_loc __u8[]"), FILTER_OTHER);
	assert_int_equal(event_filter_class("__data_loc cpumask_t"), FILTER_CPUMASK);
	assert_int_equal(event_filter_class("cpumask_t"), FILTER_OTHER);
	assert_int_equal(event_filter_class("__rel_loc char[]"), FILTER_RDYN_STRING);
	assert_int_equal(event_filter_class("__rel_loc u32[]"), FILTER_OTHER);
}

#define DB_TEST(fn) cmocka_unit_test_setup_teardown(fn, open_db, close_db)

int main(void)
{
	const struct CMUnitTest tests[] = {
		DB_TEST(reads_fields),
		DB_TEST(finds_shown_fields),
		DB_TEST(reads_fields_without_print_fmt),
		DB_TEST(reads_arrays),
		DB_TEST(reads_synthetic),
		DB_TEST(reads_odd_types),
		DB_TEST(finds_as_the_kernel),
		DB_TEST(finds_events),
		DB_TEST(adds_and_removes),
		TEST(reads_other_machines),
		DB_TEST(reads_unusual_texts),
		DB_TEST(refuses),
		TEST(survives_cut_texts),
		TEST(survives_random_bytes),
		TEST(classes_by_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
