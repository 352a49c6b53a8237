// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as a recording with a stored script and the kernel's output of live triggers. The
 * script is run, and the output is compared with a replay; two comparisons must be equal.
 */
#include "fuzz.h"
#include "recording_mutator.h"

#include "cmd/cmd.h"
#include "hist-list.h"
#include "hist.h"

static char input[64];

static int collect(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

static int open_input(struct hist **h, struct diags *diags)
{
	const char *path = input;

	return hist_open(&(struct hist_options){ .inputs = &path, .n_inputs = 1, .jobs = 1 }, h,
			 diags);
}

static void run_stored(struct hist *h, struct diags *diags)
{
	const char *text = hist_stored_script(h);
	struct hist_script *script = hist_script_new();
	struct strbuf out = STRBUF_INIT;
	int err = 0;

	MUST(script);
	if (text)
		err = hist_script_parse(script, "stored", text, strlen(text), diags);
	if (text && !err)
		err = hist_run(h, script, &(struct hist_run_options){ .keep_going = true }, collect,
			       &out, diags);
	MUST(!err || diags_has_error(diags, 0));
	hist_script_free(script);
	strbuf_release(&out);
}

static int compare(struct strbuf *out)
{
	struct diags *diags = hist_diags_new();
	struct hist *h = NULL;
	int err;

	MUST(diags);
	err = open_input(&h, diags);
	if (!err)
		err = cmd_compare_live(h, collect, out, diags);
	MUST(err >= 0 || diags_has_error(diags, 0));
	hist_close(h);
	hist_diags_free(diags);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct strbuf one = STRBUF_INIT, other = STRBUF_INIT;
	struct diags *diags;
	struct hist *h;

	if (fd < 0) {
		fd = memfd_create("trace.dat", MFD_CLOEXEC);
		snprintf(input, sizeof(input), "/proc/self/fd/%d", fd);
	}
	if (!size || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		return 0;
	diags = hist_diags_new();
	MUST(diags);
	if (!open_input(&h, diags)) {
		run_stored(h, diags);
		hist_close(h);
		MUST(compare(&one) == compare(&other));
		MUST(one.len == other.len && (!one.len || !memcmp(one.s, other.s, one.len)));
	}
	strbuf_release(&one);
	strbuf_release(&other);
	hist_diags_free(diags);
	return 0;
}
