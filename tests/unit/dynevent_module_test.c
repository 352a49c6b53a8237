// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The calls of a module, tests/kernel/module/calls.h, with libhist: results, files and traced
 * values are those that the module printed in Linux 6.1 (tests/kernel/module/output-6.1).
 */
#include "dynevent_recording.h"

#define THIS_MODULE h

#include "hist-synth.h"

enum { LINE_MAX_SHOWN = 800 };

static struct strbuf out;

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&out, fmt, ap);
	va_end(ap);
}

/* Only what the guest's script shows of a line: no times, tasks and CPUs, and in trace m_* only. */
static void show_line(const char *path, struct span line)
{
	if (!strcmp(path, "trace")) {
		const char *p = span_find(line, span_of(": m_"));

		if (!p)
			return;
		line = span_skip(line, (size_t)(p + 2 - line.s));
	} else if (span_starts(line, "[")) {
		(void)span_sep(&line, "]");
		line = span_skip(line, 1);
	}
	for (size_t i = 0; i < line.n && i < LINE_MAX_SHOWN; i++)
		say("%c", line.s[i] ? line.s[i] : '@');
	say("\n");
}

static void show(const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct span rest;

	say("--- %s\n", path);
	assert_int_equal(hist_read(h, path, add_to_strbuf, &text, diags), 0);
	rest = (struct span){ text.s, text.len };
	while (rest.n)
		show_line(path, span_sep(&rest, "\n"));
	strbuf_release(&text);
}

static int put(const char *path, const char *text)
{
	return write_file(path, text) ? 1 : 0;
}

static int open_6_1(void **state)
{
	recording_uname = "Linux host 6.1.0-50-amd64 x86_64";
	return open_recording(state);
}

#pragma GCC diagnostic ignored "-Wincompatible-pointer-types" /* its u64 is not uint64_t */
#include "../kernel/module/calls.h"

static void test_calls(void **state)
{
	static const char stored[] = "tests/kernel/module/output-6.1";
	struct strbuf want = STRBUF_INIT;
	struct span all, got;
	char text[4096];
	size_t n;
	FILE *f = fopen(stored, "r");

	(void)state;
	assert_non_null(f);
	while ((n = fread(text, 1, sizeof(text), f)))
		strbuf_add(&want, text, n);
	fclose(f);
	calls();
	/* line by line, so that a failure names the first that differs */
	all = (struct span){ want.s, want.len };
	got = (struct span){ out.s, out.len };
	while (all.n && got.n) {
		struct span a = span_sep(&got, "\n"), b = span_sep(&all, "\n");

		if (a.n != b.n || memcmp(a.s, b.s, a.n) != 0)
			fail_msg("'%.*s', in the kernel '%.*s'", (int)a.n, a.s, (int)b.n, b.s);
	}
	assert_int_equal(got.n, all.n);
	strbuf_release(&want);
	strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_calls, open_6_1, close_recording),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
