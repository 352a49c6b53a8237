// SPDX-License-Identifier: LGPL-2.1-only
/*
 * synth TRACE.DAT: a program analyses a recording beyond what triggers can express, and traces its
 * findings as a synthetic event into the replay. The calls are those of a kernel module, and
 * THIS_MODULE is the replay.
 *
 *	cc -o synth synth.c $(pkg-config --cflags --libs hist)
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hist *h;
#define THIS_MODULE h
#include <hist-synth.h>

static struct synth_field_desc fields[] = {
	{ .type = "pid_t", .name = "pid" },
	{ .type = "char[16]", .name = "state" },
	{ .type = "u64", .name = "depth" },
};

static int print(void *arg, const void *data, size_t len)
{
	return fwrite(data, 1, len, arg) == len ? 0 : -1;
}

/* A real program would compute these values, and use times and tasks of the recording. */
static int trace(struct trace_event_file *file)
{
	struct synth_event_trace_state state;
	int err = synth_event_trace(file, 3, 7, (uint64_t)(uintptr_t) "asleep", 1);

	if (!err)
		err = synth_event_trace(file, 3, 7, (uint64_t)(uintptr_t) "awake", 3);
	/* the same piece by piece */
	if (!err)
		err = synth_event_trace_start(file, &state);
	if (err)
		return err;
	err = synth_event_add_val("depth", 4, &state);
	if (!err)
		err = synth_event_add_val("pid", 7, &state);
	if (!err)
		err = synth_event_add_val("state", (uint64_t)(uintptr_t) "awake", &state);
	/* always needed; traces the fields that were set */
	synth_event_trace_end(&state);
	return err;
}

static int show(struct diags *diags)
{
	static const char trigger[] = "hist:keys=pid,state:vals=depth:sort=state";
	struct trace_event_file *file;
	int err = synth_event_create("verdict", fields, 3, THIS_MODULE);

	if (err)
		return err;
	file = trace_get_event_file(NULL, "synthetic", "verdict");
	if (IS_ERR(file))
		return (int)PTR_ERR(file);
	err = trace_array_set_clr_event(file->tr, "synthetic", "verdict", true);
	if (!err)
		err = hist_write(h, "events/synthetic/verdict/trigger", trigger, strlen(trigger),
				 HIST_APPEND, diags);
	if (!err)
		err = trace(file);
	if (!err)
		err = hist_read(h, "events/synthetic/verdict/hist", print, stdout, diags);
	trace_put_event_file(file);
	return err;
}

int main(int argc, char **argv)
{
	struct diags *diags = hist_diags_new();
	const char *path = argc > 1 ? argv[1] : "trace.dat";
	int err = hist_open(&(struct hist_options){ .inputs = &path, .n_inputs = 1 }, &h, diags);

	if (!err)
		err = show(diags);
	if (err)
		fprintf(stderr, "synth: error %d\n", err);
	hist_close(h);
	hist_diags_free(diags);
	return err ? 2 : 0;
}
