// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The fields of formats, compared with what libtraceevent reads from the same text: those of the
 * recordings in tests/golden (and ../shared/corpus, if it is there), and declarations that are not
 * in them.
 */
#include "unit.h"

#include <glob.h>

#include <traceevent/event-parse.h>

#include "event/event.h"
#include "trace_dat/trace_dat.h"

struct compared {
	struct hash_table seen; /* hashes of the texts */
	size_t n, arrays;       /* of strings, which libtraceevent cannot parse */
};

/* The text as it is, except its print fmt: libtraceevent dies on some. */
static struct tep_handle *parse_with_tep(struct span text, const char *system, u32 long_size)
{
	const char *fmt = span_find(text, span_of("\nprint fmt:"));
	struct tep_handle *tep = tep_alloc();
	struct strbuf sb = STRBUF_INIT;

	assert_non_null(tep);
	assert_non_null(fmt);
	strbuf_add(&sb, text.s, (size_t)(fmt - text.s));
	strbuf_addstr(&sb, "\nprint fmt: \"\"\n");
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, (int)long_size);
	if (tep_parse_event(tep, sb.s, sb.len, system)) {
		tep_free(tep);
		tep = NULL;
	}
	strbuf_release(&sb);
	return tep;
}

static void assert_same_field(const struct event_field *f, const struct tep_format_field *tf)
{
	bool array = tf->flags & TEP_FIELD_IS_ARRAY, ours = strchr(f->type, '[');

	assert_string_equal(f->name, tf->name);
	assert_int_equal(f->offset, tf->offset);
	assert_int_equal(f->size, tf->size);
	assert_int_equal(f->is_signed, !!(tf->flags & TEP_FIELD_IS_SIGNED));
	/* ours is a "char buf" of size 0, too; theirs is what any location points to */
	if (f->size && !strstr(f->type, "_loc "))
		assert_int_equal(ours, array);
	assert_int_equal(!strncmp(f->type, "__data_loc ", 11) ||
				 !strncmp(f->type, "__rel_loc ", 10),
			 !!(tf->flags & TEP_FIELD_IS_DYNAMIC));
	assert_int_equal(!strncmp(f->type, "__rel_loc ", 10),
			 !!(tf->flags & TEP_FIELD_IS_RELATIVE));
}

static void assert_same(const struct event_format *fmt, const struct tep_event *ev)
{
	const struct tep_format_field *tf = ev->format.common_fields;

	assert_string_equal(fmt->name, ev->name);
	assert_int_equal(fmt->id, ev->id);
	assert_int_equal(fmt->n_common, ev->format.nr_common);
	assert_int_equal(fmt->n_fields - fmt->n_common, ev->format.nr_fields);
	for (size_t i = 0; i < fmt->n_fields; i++, tf = tf->next) {
		if (i == fmt->n_common)
			tf = ev->format.fields;
		assert_int_equal(fmt->fields[i].is_common, i < fmt->n_common);
		assert_same_field(&fmt->fields[i], tf);
	}
}

static bool is_new(struct compared *c, struct span text)
{
	u32 hash = hash_bytes(0, text.s, text.n);
	struct hash_walk walk = hash_walk(hash);
	size_t i;

	if (hash_next(&c->seen, &walk, &i))
		return false;
	assert_int_equal(hash_add(&c->seen, hash, 0), 0);
	return true;
}

static void compare(struct compared *c, const struct event_text *text, struct event_machine machine)
{
	const struct event_format *fmt;
	struct tep_handle *tep;
	struct event_db *db;

	if (!is_new(c, text->text))
		return;
	assert_int_equal(event_db_new(&db, text, 1, machine, NULL), 0);
	assert_int_equal(event_db_find_id(db, text->id, &fmt), 0);
	tep = parse_with_tep(text->text, text->system, machine.long_size);
	assert_non_null(tep);
	if (span_find(text->text, span_of("char[][")))
		c->arrays++;
	else
		assert_same(fmt, tep_get_first_event(tep));
	c->n++;
	tep_free(tep);
	event_db_free(db);
}

static void compare_file(struct compared *c, const char *path)
{
	struct diags diags = DIAGS_INIT;
	const struct trace_dat_format *formats;
	struct trace_dat *td;
	size_t n;

	assert_int_equal(trace_dat_open(path, &td, &diags), 0);
	assert_int_equal(trace_dat_formats(td, &formats, &n, &diags), 0);
	for (size_t i = 0; i < n; i++) {
		const struct trace_dat_info *info = trace_dat_info(td);

		compare(c,
			&(struct event_text){ formats[i].system, formats[i].name, formats[i].text,
					      formats[i].id },
			(struct event_machine){ .big_endian = info->big_endian,
						.long_size = info->long_size });
	}
	trace_dat_close(td);
	diags_release(&diags);
}

static void same_in_recordings(void **state)
{
	struct compared c = { .seen = HASH_TABLE_INIT };
	glob_t paths;

	(void)state;
	assert_int_equal(glob("tests/golden/*/*/trace.dat", 0, NULL, &paths), 0);
	glob("../shared/corpus/*/*/trace.dat", GLOB_APPEND, NULL, &paths);
	for (size_t i = 0; i < paths.gl_pathc; i++)
		compare_file(&c, paths.gl_pathv[i]);
	globfree(&paths);
	hash_release(&c.seen);
	assert_true(c.n > 1000);
	assert_true(c.arrays < c.n / 100);
}

#define FORMAT(field)                                                            \
	"name: e\nID: 7\nformat:\n"                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" \
	"\tfield:" field "\n\nprint fmt: \"\"\n"

static const char *const declarations[] = {
	"int x;\toffset:8;\tsize:4;\tsigned:1;",
	"int x;\toffset:8;\tsize:4;",
	"int*x;\toffset:8;\tsize:8;\tsigned:0;",
	"struct a **const x;\toffset:99999999;\tsize:8;\tsigned:0;",
	"unsigned long x [6];\toffset:16;\tsize:48;\tsigned:0;",
	"char x[2 + 1];\toffset:16;\tsize:3;\tsigned:1;",
	"char x[];\toffset:16;\tsize:0;\tsigned:0;",
	"unsigned char[16] x;\toffset:16;\tsize:16;\tsigned:0;",
	"__data_loc char[] x;\toffset:16;\tsize:4;\tsigned:0;",
	"__data_loc struct a *[] x;\toffset:16;\tsize:4;\tsigned:0;",
	"__data_loc cpumask_t x;\toffset:16;\tsize:4;\tsigned:0;",
	"__rel_loc char x[];\toffset:16;\tsize:4;\tsigned:0;",
	"enum mode x;\toffset:16;\tsize:4;\tsigned:0;",
};

/* In the ftrace system, whose names may contain dots. */
static const char *const dotted[] = {
	"unsigned long graph_ent.func;\toffset:8;\tsize:8;\tsigned:0;",
	"char buf;\toffset:16;\tsize:0;\tsigned:1;",
};

static void same_in_declarations(const char *system, const char *const *decls, size_t n)
{
	struct compared c = { .seen = HASH_TABLE_INIT };
	struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < n; i++) {
		strbuf_reset(&text);
		strbuf_addf(&text, FORMAT("%s"), decls[i]);
		compare(&c, &(struct event_text){ system, span_of("e"), span_of(text.s), 7 },
			(struct event_machine){ .long_size = 8 });
	}
	assert_int_equal(c.n, n);
	assert_int_equal(c.arrays, 0);
	hash_release(&c.seen);
	strbuf_release(&text);
}

static void same_in_text(void **state)
{
	(void)state;
	same_in_declarations("test", declarations, ARRAY_SIZE(declarations));
	same_in_declarations("ftrace", dotted, ARRAY_SIZE(dotted));
}

/* What libtraceevent cannot parse. */
static void reads_more(void **state)
{
	static const struct {
		const char *decl, *type;
	} more[] = {
		{ "__data_loc char[][2] x;\toffset:16;\tsize:8;\tsigned:1;",
		  "__data_loc char[][2]" },
		{ "void (*)(int, char[2]) x;\toffset:8;\tsize:8;\tsigned:0;",
		  "void (*)(int, char[2])" },
		{ "const char __user(\"a b;\") *x;\toffset:8;\tsize:8;\tsigned:0;", NULL },
		{ "char __tag(\"a)\") *x;\toffset:8;\tsize:8;\tsigned:0;", NULL },
		{ "int VIF_PR_FMT;\toffset:0071;\tsize:010;\tsigned:1;", "int" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
		const struct event_format *fmt;
		struct strbuf text = STRBUF_INIT;
		struct event_db *db;

		strbuf_addf(&text, FORMAT("%s"), more[i].decl);
		assert_int_equal(event_db_new(&db, NULL, 0,
					      (struct event_machine){ .long_size = 8 }, NULL),
				 0);
		assert_int_equal(event_db_add(db, "test", text.s, text.len),
				 more[i].type ? 0 : -HIST_EFORMAT);
		if (more[i].type) {
			assert_int_equal(event_db_find(db, "test", "e", &fmt), 0);
			assert_string_equal(fmt->fields[1].type, more[i].type);
		}
		if (!strncmp(more[i].decl, "int VIF", 7)) {
			assert_int_equal(fmt->fields[1].offset, 71); /* decimal */
			assert_int_equal(fmt->fields[1].size, 10);
		}
		strbuf_release(&text);
		event_db_free(db);
	}
}

/* --- two fields of one name --- */

static void note_repeated(void *arg, const struct event_text *text, const char *field)
{
	struct strbuf *out = arg;

	strbuf_addf(out, "%.*s.%s ", (int)text->name.n, text->name.s, field);
}

static void reports_repeated(void **state)
{
	static const char twice[] = FORMAT("int x;\toffset:8;\tsize:4;\tsigned:1;\n"
					   "\tfield:int y;\toffset:12;\tsize:4;\tsigned:1;\n"
					   "\tfield:u64 x;\toffset:16;\tsize:8;\tsigned:0;");
	/* that of a common field is the event's own */
	static const char common[] = FORMAT("int common_type;\toffset:8;\tsize:4;\tsigned:1;");
	const struct event_text texts[] = {
		{ "test", span_of("twice"), span_of(twice), 7 },
		{ "test", span_of("common"), span_of(common), 8 },
	};
	struct strbuf reported = STRBUF_INIT;
	const struct event_sources sources = { .arg = &reported, .repeated = note_repeated };
	const struct event_format *fmt;
	struct event_db *db;

	(void)state;
	assert_int_equal(
		event_db_new(&db, texts, 2, (struct event_machine){ .long_size = 8 }, &sources), 0);
	assert_int_equal(event_db_find(db, "test", "common", &fmt), 0);
	assert_int_equal(event_db_find(db, "test", "twice", &fmt), 0);
	assert_int_equal(event_db_find_id(db, 7, &fmt), 0);
	assert_string_equal(reported.s, "twice.x ");
	assert_int_equal(event_find_field(fmt, span_of("x"), GENERICS_6_3)->offset, 16);
	event_db_free(db);
	strbuf_release(&reported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(same_in_recordings),
		TEST(same_in_text),
		TEST(reads_more),
		TEST(reports_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
