// SPDX-License-Identifier: LGPL-2.1-only
/*
 * top TRACE.DAT: which tasks run most often? The tracing directory as an interface: write a
 * trigger, read the histogram.
 *
 *	cc -o top top.c $(pkg-config --cflags --libs hist)
 */
#include <hist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char trigger[] = "hist:keys=next_comm:sort=hitcount.descending if next_pid != 0";

static int print(void *arg, const void *data, size_t len)
{
	return fwrite(data, 1, len, arg) == len ? 0 : -1;
}

/* Print warnings and errors; the caller owns the text. */
static void say(const struct diags *diags)
{
	for (size_t i = 0; i < hist_diags_count(diags); i++) {
		char *text = hist_diags_text(diags, i, "top", false);

		fputs(text ? text : "no memory\n", stderr);
		free(text);
	}
}

int main(int argc, char **argv)
{
	struct diags *diags = hist_diags_new();
	const char *path = argc > 1 ? argv[1] : "trace.dat";
	struct hist *h = NULL;
	int err;

	if (!diags)
		return 2;
	err = hist_open(&(struct hist_options){ .inputs = &path, .n_inputs = 1 }, &h, diags);
	if (!err)
		err = hist_write(h, "events/sched/sched_switch/trigger", trigger, strlen(trigger),
				 HIST_APPEND, diags);
	if (!err)
		err = hist_read(h, "events/sched/sched_switch/hist", print, stdout, diags);
	say(diags);
	hist_close(h);
	hist_diags_free(diags);
	return err ? 2 : 0;
}
