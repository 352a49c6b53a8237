// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Derived events of arbitrary bytes as a recording: a histogram counts as many as hist_events()
 * yields, their longest is explained, and all events are printed. The first byte selects the
 * derived event, whether open intervals are some, and the formats.
 */
#include "fuzz.h"

#define RECORDING_AT 1 /* after the byte that selects */
#include "recording_mutator.h"

#include <string.h>
#include <sys/mman.h>

#include "hist-ask.h"
#include "hist-events.h"
#include "hist-script.h"
#include "hist-why.h"

static const char *const names[] = { "task_state", "wait",      "delay",        "runqueue",
				     "syscall",    "irq",       "function",     "block_io",
				     "slice",      "lock_wait", "softirq_wait", "allocation" };

static const char *const event_formats[] = { "text", "csv", "tsv-safe", "json", "ndjson" };

static const struct hist_why_options ways[] = {
	{ .format = "text", .depth = 3 },
	{ .format = "json" },
	{ .format = "svg", .exemplar = 2 },
	{ .format = "html", .top = 2 },
	{ .format = "text", .all = true },
	{ .format = "json", .all = true },
	{ .format = "text", .at = "1.5" },
	{ .format = "json", .at = "0.000001,1" },
	{ .format = "text", .has_pid = true, .pid = 7, .all = true, .min = "2us" },
};

/* A recording, and the derived event in question. */
struct question {
	const char *path, *name, *event;
	bool open;
	struct hist *h;
	struct diags *diags;
	struct hist_script *script;
	struct strbuf out;
};

static int collect(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

/* Open the recording, and write @text to a file of the event. */
static bool begin(struct question *q, const char *file, const char *text)
{
	const struct hist_options options = { .inputs = &q->path, .n_inputs = 1, .jobs = 1 };
	char to[64];

	snprintf(to, sizeof(to), "events/derived/%s/%s", q->name, file);
	q->out = (struct strbuf)STRBUF_INIT;
	q->diags = hist_diags_new();
	q->script = hist_script_new();
	MUST(q->diags && q->script);
	MUST(!hist_script_ask_write(q->script, "fuzz", to, text, HIST_APPEND));
	if (hist_open(&options, &q->h, q->diags))
		return false;
	hist_limit_memory(q->h, 1 << 30);
	if (q->open)
		hist_open_intervals(q->h);
	return true;
}

/* @err: of what was asked. Return: it */
static int end(struct question *q, int err)
{
	MUST(!err || hist_diags_count(q->diags));
	hist_close(q->h);
	hist_script_free(q->script);
	hist_diags_free(q->diags);
	q->h = NULL;
	return err;
}

/* How many a histogram counts; -1: the recording is refused. */
static long long count(struct question *q)
{
	long long n = -1;
	const char *hits;
	int err = -1;

	if (begin(q, "trigger", "hist:keys=ns"))
		err = hist_run(q->h, q->script, &(struct hist_run_options){ .format = "hist" },
			       collect, &q->out, q->diags);
	if (!end(q, err)) {
		hits = strstr(q->out.s, "\n    Hits: ");
		MUST(hits);
		n = atoll(hits + strlen("\n    Hits: "));
	}
	strbuf_release(&q->out);
	return n;
}

static long long iterate(struct question *q)
{
	const struct hist_event_choice choice = { .event = q->event };
	const struct hist_events_options options = { .choices = &choice, .n_choices = 1 };
	struct hist_events *events;
	struct hist_event e;
	long long n = 0;
	int err = -1;

	if (begin(q, "enable", "1"))
		err = hist_events_open(q->h, &options, &events, q->diags);
	if (!err) {
		while ((err = hist_events_next(events, &e)) > 0)
			n++;
		err = hist_events_close(events, err);
	}
	return end(q, err) ? -1 : n;
}

static void explain(struct question *q, const struct hist_why_options *how)
{
	int err = -1;

	if (begin(q, "enable", "1"))
		err = hist_why(q->h, q->script, how, collect, &q->out, q->diags);
	MUST(end(q, err) || q->out.len);
	strbuf_release(&q->out);
}

static void print(struct question *q, const char *format)
{
	const struct hist_event_choice choices[] = { { .event = "*:*" }, { .event = q->event } };
	const struct hist_events_options options = { .choices = choices, .n_choices = 2 };
	const struct hist_events_print how = { .format = format, .sink = collect, .arg = &q->out };
	int err = -1;

	if (begin(q, "enable", "1"))
		err = hist_events_print(q->h, &options, &how, q->diags);
	end(q, err);
	strbuf_release(&q->out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[64];
	struct question q = { .path = path };
	char event[64];
	size_t how;

	if (fd < 0) {
		fd = memfd_create("trace.dat", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (!size || ftruncate(fd, 0) || pwrite(fd, data + 1, size - 1, 0) != (ssize_t)size - 1)
		return 0;
	q.name = names[*data % ARRAY_SIZE(names)];
	how = *data / ARRAY_SIZE(names);
	q.open = how & 1;
	snprintf(event, sizeof(event), "derived:%s", q.name);
	q.event = event;
	MUST(count(&q) == iterate(&q));
	explain(&q, &ways[how / 2 % ARRAY_SIZE(ways)]);
	print(&q, event_formats[how % ARRAY_SIZE(event_formats)]);
	return 0;
}
