// SPDX-License-Identifier: LGPL-2.1-only
/* A stream that comes through a pipe, and is followed: it is answered to its end, or an error has a
 * diagnosis. */
#include <fcntl.h>
#include <unistd.h>

#include "fuzz.h"
#include "hist-script.h"
#include "live/live.h"

enum { PIPE = 1 << 20 };

static int take(void *arg, const void *data, size_t len)
{
	*(size_t *)arg += len;
	MUST(len && data);
	return 0;
}

static int begin(void *arg, bool last, u64 ns)
{
	(void)arg, (void)last, (void)ns;
	return 0;
}

static int count(struct follow *f, int machine, size_t *printed, struct diags *diags)
{
	static const char script[] =
		"echo 'hist:keys=common_cpu' >> events/syscalls/sys_enter_lseek/trigger\n";
	char path[64];
	const char *input = path;
	struct hist_options options = {
		.inputs = &input, .n_inputs = 1, .jobs = 1, .plan = HIST_PLAN_ORDER
	};
	struct hist_script *lines = hist_script_new();
	struct hist *h = NULL;
	int err;

	MUST(lines);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", machine);
	err = hist_open(&options, &h, diags);
	err = err ?: follow_attach(f, h, diags);
	err = err ?: hist_script_parse(lines, "script", script, sizeof(script) - 1, diags);
	err = err
		      ?: hist_run(h, lines, &(struct hist_run_options){ .keep_going = true }, take,
				  printed, diags);
	hist_close(h);
	hist_script_free(lines);
	return err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const volatile sig_atomic_t stop;
	struct diags diags = DIAGS_INIT;
	size_t printed = 0;
	struct follow_options options = { .name = "stream",
					  .interval = 1,
					  .stop = &stop,
					  .write = take,
					  .begin = begin,
					  .arg = &printed };
	struct follow *f = NULL;
	int fds[2], machine = -1, err;

	if (size > PIPE)
		return 0;
	MUST(!pipe2(fds, O_CLOEXEC));
	MUST(fcntl(fds[1], F_SETPIPE_SZ, PIPE) >= 0);
	MUST(write(fds[1], data, size) == (ssize_t)size);
	close(fds[1]);
	options.fd = fds[0];
	err = follow_open(&options, &f, &machine, &diags);
	err = err ?: count(f, machine, &printed, &diags);
	MUST(!err || hist_diags_count(&diags));
	follow_close(f);
	close(fds[0]);
	if (machine >= 0)
		close(machine);
	diags_release(&diags);
	return 0;
}
