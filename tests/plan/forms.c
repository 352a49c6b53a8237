// SPDX-License-Identifier: LGPL-2.1-only
/*
 * forms DIR...: a test for each DIR with a recording and its triggers. The triggers are run under
 * every plan that supports them, with 1, 2 and 7 threads: on the recording itself, on three copies
 * together, compressed with zlib and zstd, cut at ten places, and with single chunks and
 * sub-buffers damaged. Output, diagnoses and status must be the same.
 *
 * The triggers of the corpus are paused, and a marker starts them, so they can only be counted in
 * order. They are run once like this; otherwise without the pause.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plan_check.h"
#include "recode.h"

enum { N_CUTS = 10, N_DAMAGES = 4, COPIES = 3 };

struct bytes_of {
	u8 *v;
	size_t n;
};

struct forms {
	const char *dir;
	char script[1 << 16], unpaused[1 << 16];
	char path[4096], form[4096];
	struct plan_counts counts;
};

static struct bytes_of read_file(const char *path)
{
	struct bytes_of b = { NULL, 0 };
	struct stat st;
	FILE *f = fopen(path, "rb");

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	b.v = malloc((size_t)st.st_size + 1);
	assert_non_null(b.v);
	b.n = fread(b.v, 1, (size_t)st.st_size, f);
	fclose(f);
	return b;
}

static void write_file(const char *path, const u8 *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void check(struct forms *f, const char *path, size_t copies, const char *form)
{
	const char *inputs[COPIES] = { path, path, path };
	char what[8192];
	const struct plan_case c = {
		.inputs = inputs, .n_inputs = copies, .script = f->unpaused, .what = what
	};

	snprintf(what, sizeof(what), "%s, %s", f->dir, form);
	plan_check(&c, &f->counts);
}

static void check_codecs(struct forms *f)
{
	recode(f->path, f->form, CODEC_ZLIB);
	check(f, f->form, 1, "zlib");
	recode(f->path, f->form, CODEC_ZSTD);
	check(f, f->form, 1, "zstd");
}

static void check_cuts(struct forms *f, const struct bytes_of *whole)
{
	for (size_t i = 1; i <= N_CUTS; i++) {
		write_file(f->form, whole->v, whole->n * i / (N_CUTS + 1));
		check(f, f->form, 1, "cut");
	}
}

/* Change some bytes in the data of a CPU: headers of chunks or sub-buffers, and their contents. */
static void check_damages(struct forms *f, const char *form)
{
	struct bytes_of bytes = read_file(f->form);
	struct diags diags = DIAGS_INIT;
	struct trace_dat *td;
	const struct trace_dat_buffer *top;
	size_t n;

	assert_int_equal(trace_dat_open(f->form, &td, &diags), 0);
	top = trace_dat_buffers(td, &n);
	for (size_t i = 0; i < N_DAMAGES && top->n_cpus; i++) {
		const struct trace_dat_cpu *cpu = &top->cpus[i % top->n_cpus];
		size_t at = cpu->offset + (cpu->size * i / N_DAMAGES & ~(size_t)4095) + 4 * i + 4;

		if (at >= bytes.n)
			continue;
		bytes.v[at] ^= 0x41;
		write_file(f->form, bytes.v, bytes.n);
		bytes.v[at] ^= 0x41;
		check(f, f->form, 1, form);
	}
	trace_dat_close(td);
	diags_release(&diags);
	free(bytes.v);
}

static void check_damaged_forms(struct forms *f, const struct bytes_of *whole)
{
	write_file(f->form, whole->v, whole->n);
	check_damages(f, "damaged");
	recode(f->path, f->form, CODEC_NONE);
	check_damages(f, "not compressed, damaged");
	recode(f->path, f->form, CODEC_ZSTD);
	check_damages(f, "zstd, damaged");
}

static void check_paused(struct forms *f)
{
	const char *input = f->path;
	const struct plan_case c = {
		.inputs = &input, .n_inputs = 1, .script = f->script, .what = f->dir
	};

	plan_check(&c, &f->counts);
}

static void test_forms(void **state)
{
	struct forms *f = *state;
	struct bytes_of whole = read_file(f->path);

	check_paused(f);
	check(f, f->path, 1, "whole");
	check(f, f->path, COPIES, "three together");
	check_codecs(f);
	check_cuts(f, &whole);
	check_damaged_forms(f, &whole);
	free(whole.v);
}

/* --- all folders --- */

/* Remove pauses from the script, and the triggers that end them. */
static void unpause(struct forms *f)
{
	char *to = f->unpaused;

	for (const char *line = f->script, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		end += *end == '\n';
		if (memmem(line, (size_t)(end - line), "able_hist:", 10))
			continue;
		for (const char *p = line; p < end;) {
			if (!strncmp(p, ":pause", 6))
				p += 6;
			else
				*to++ = *p++;
		}
	}
	*to = '\0';
}

static bool find_dir(struct forms *f, const char *dir, const char *scratch)
{
	struct bytes_of triggers;
	char path[4096];

	*f = (struct forms){ .dir = dir };
	snprintf(f->path, sizeof(f->path), "%s/trace.dat", dir);
	snprintf(f->form, sizeof(f->form), "%s/form.dat", scratch);
	snprintf(path, sizeof(path), "%s/triggers", dir);
	if (access(path, R_OK) || access(f->path, R_OK))
		return false;
	triggers = read_file(path);
	assert_true(triggers.n < sizeof(f->script));
	memcpy(f->script, triggers.v, triggers.n);
	free(triggers.v);
	unpause(f);
	return true;
}

int main(int argc, char **argv)
{
	static struct forms f;
	char scratch[] = "/tmp/hist-plan-XXXXXX", command[64];
	unsigned int n = 0, failed = 0, by_range = 0, in_order = 0;

	if (!mkdtemp(scratch))
		return 1;
	for (int i = 1; i < argc; i++) {
		struct CMUnitTest test = cmocka_unit_test_prestate(test_forms, &f);

		test.name = argv[i];
		if (!find_dir(&f, argv[i], scratch))
			continue;
		cmocka_set_message_output(CM_OUTPUT_STDOUT);
		if (_cmocka_run_group_tests(argv[i], &test, 1, NULL, NULL))
			failed++;
		n++;
		by_range += f.counts.ran[HIST_PLAN_RANGE];
		in_order += f.counts.ran[HIST_PLAN_ORDER];
	}
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	if (system(command))
		return 1;
	printf("# by range %u, in order %u times\n%u passed, %u failed\n", by_range, in_order,
	       n - failed, failed);
	return failed > 0;
}
