// SPDX-License-Identifier: LGPL-2.1-only
/*
 * events TRACE.DAT: how long did tasks wait for a CPU, and which was the longest wait? One pass
 *over derived events, without a histogram.
 *
 *	cc -o events events.c $(pkg-config --cflags --libs hist)
 */
#include <hist-events.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void say(const struct diags *diags)
{
	for (size_t i = 0; i < hist_diags_count(diags); i++) {
		char *text = hist_diags_text(diags, i, "events", false);

		fputs(text ? text : "no memory\n", stderr);
		free(text);
	}
}

static int sum_up(struct hist *h, struct diags *diags)
{
	const struct hist_event_choice wait = { .event = "derived:wait" };
	const struct hist_events_options options = { .choices = &wait,
						     .n_choices = 1,
						     .comm = true };
	uint64_t n = 0, sum = 0, worst = 0;
	struct hist_events *events;
	struct hist_event e;
	char text[100] = "";
	int err = hist_events_open(h, &options, &events, diags), ns;

	if (err)
		return err;
	ns = hist_event_field(hist_events_type(events, 0), "ns");
	while ((err = hist_events_next(events, &e)) > 0) {
		struct hist_value v;

		hist_event_value(&e, (size_t)ns, &v);
		n++;
		sum += v.number;
		if (v.number < worst)
			continue;
		worst = v.number;
		snprintf(text, sizeof(text), "%s-%" PRId32 " on CPU %" PRIu32 " until %" PRIu64,
			 hist_event_comm(&e), e.pid, e.cpu, e.ts);
	}
	err = hist_events_close(events, err);
	if (!err)
		printf("%" PRIu64 " waits, %" PRIu64 " ns; the longest: %" PRIu64 " ns, %s\n", n,
		       sum, worst, text);
	return err;
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
		err = sum_up(h, diags);
	say(diags);
	hist_close(h);
	hist_diags_free(diags);
	return err ? 2 : 0;
}
