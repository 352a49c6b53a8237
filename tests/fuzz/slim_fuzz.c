// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as a recording: made smaller for a script; and the events traced by a script,
 * saved as a recording. The written files are opened again: they are complete, and if nothing was
 * missing, the smaller recording has the same histograms.
 */
#include "fuzz.h"

#define RECORDING_AT 1 /* after the byte that selects the script */
#include "recording_mutator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"
#include "hist-list.h"
#include "hist-save.h"

static const char *const scripts[] = {
	"echo 'hist:keys=common_pid:sort=hitcount' >> events/test/foo/trigger\n",
	"echo 'hist:keys=common_cpu,common_pid.execname' >> events/test/foo/trigger\n",
	"echo 'hist:keys=b if a != 3' >> events/test/foo/trigger\n",
};

static char input[64], slim[256], saved[256];
static bool was_cut; /* parts of the last replayed recording are missing */

static void remove_files(void)
{
	unlink(slim);
	unlink(saved);
}

static int collect(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

static int report(const char *path, struct hist_script *script, const char *save,
		  struct strbuf *out, bool *cut, struct diags *diags)
{
	const struct hist_options options = { .inputs = &path, .n_inputs = 1, .jobs = 1 };
	struct hist *h;
	int err = hist_open(&options, &h, diags);

	if (err)
		return err;
	err = hist_run(h, script, &(struct hist_run_options){ .save_events = save }, collect, out,
		       diags);
	*cut = hist_input_cut(h) || hist_doubtful(h);
	was_cut = hist_input_cut(h);
	hist_stored_script(h);
	hist_close(h);
	return err;
}

static int make_slim(struct hist_script *script, struct diags *diags)
{
	const char *path = input;
	const struct hist_options options = { .inputs = &path, .n_inputs = 1, .jobs = 1 };
	const struct hist_slim_options how = { .output = slim, .compression = "none" };
	struct hist *h;
	int err = hist_open(&options, &h, diags);

	if (err)
		return err;
	err = hist_slim(h, script, &how, diags);
	hist_close(h);
	return err;
}

/* The events traced by the script, as a recording: it is complete, and can be replayed. */
static void check_saved(struct hist_script *script, struct diags *diags)
{
	struct strbuf out = STRBUF_INIT;
	bool cut;

	unlink(saved);
	if (!report(input, script, saved, &out, &cut, diags)) {
		strbuf_reset(&out);
		MUST(!report(saved, script, NULL, &out, &cut, diags));
		MUST(!was_cut);
	}
	strbuf_release(&out);
}

static void check(const char *text, struct diags *diags)
{
	struct strbuf whole = STRBUF_INIT, smaller = STRBUF_INIT;
	struct hist_script *script = hist_script_new();
	bool cut = true, cut_again;

	MUST(script && !hist_script_parse(script, "fuzz", text, strlen(text), diags));
	if (!report(input, script, NULL, &whole, &cut, diags) && !make_slim(script, diags)) {
		MUST(!report(slim, script, NULL, &smaller, &cut_again, diags));
		MUST(!was_cut);
		if (!cut)
			MUST(whole.len == smaller.len && !memcmp(whole.s, smaller.s, whole.len));
		check_saved(script, diags);
	}
	hist_script_free(script);
	strbuf_release(&whole);
	strbuf_release(&smaller);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct diags *diags;

	if (fd < 0) {
		fd = memfd_create("trace.dat", MFD_CLOEXEC);
		snprintf(input, sizeof(input), "/proc/self/fd/%d", fd);
		fuzz_path(slim, sizeof(slim), "slim");
		fuzz_path(saved, sizeof(saved), "saved");
		atexit(remove_files);
	}
	if (!size || ftruncate(fd, 0) || pwrite(fd, data + 1, size - 1, 0) != (ssize_t)size - 1)
		return 0;
	diags = hist_diags_new();
	MUST(diags);
	check(scripts[*data % ARRAY_SIZE(scripts)], diags);
	hist_diags_free(diags);
	return 0;
}
