/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * print: the bytes of each file of the tracing directory.
 *
 * A printer is named after the file. It adds to a strbuf and hands it to a sink whenever
 * it has grown large, so that a big histogram needs no big buffer.
 */
#ifndef HIST_PRINT_H
#define HIST_PRINT_H

#include "base/base.h"
#include "engine/engine.h"
#include "print/dump.h"
#include "print/format.h"
#include "print/json.h"
#include "print/result.h"
#include "print/text.h"

/* Where the text goes: 0 to go on; anything else stops and is returned to the caller. */
struct printer {
	struct strbuf buf;
	int (*sink)(void *arg, const void *data, size_t len);
	void *arg;
	int err; /* of the sink, or HIST_NOMEM */

	/* Text files: adds what a number of a field is called, if it has a name; NULL: none has. */
	bool (*label)(void *arg, const char *field, u64 v, bool is_signed, struct strbuf *out);
	void *label_arg;
};

/* Hand on what is there; if it is much. */
void printer_send(struct printer *p);
void printer_flush(struct printer *p);
/* Hand on the rest and release; 0, what the sink returned, or -HIST_ENOMEM. */
int printer_end(struct printer *p);

void print_hist(struct printer *p, const struct event_file *file);
/* Of one trigger, with the statistics if there are any. */
void print_hist_of(struct printer *p, const struct trigger *trigger);
void print_hist_debug(struct printer *p, const struct event_file *file);
void print_trigger(struct printer *p, const struct event_file *file);
void print_filter(struct printer *p, const struct event_file *file);
void print_enable(struct printer *p, const struct event_file *file);
void print_format(struct printer *p, const struct event_file *file);
void print_error_log(struct printer *p, const struct trace_array *tr);
void print_synthetic_events(struct printer *p, const struct tracing *t);
void print_dynamic_events(struct printer *p, const struct tracing *t);
/* kprobe_events, uprobe_events */
void print_probe_events(struct printer *p, const struct tracing *t, enum probe_file file);

/**
 * print_trace() - the files trace and snapshot
 * @cpu: only this one, or ARRAY_BUFFER_ALL_CPUS
 *
 * Return: 0, -HIST_ENOMEM
 * Source: s_show() @ v6.12, trace.c
 */
int print_trace(struct printer *p, struct trace_array *tr, bool snapshot, u32 cpu,
		struct diags *diags);

/*
 * A result as the hist file of its trigger; but for what a result does not say (whether the
 * kernel has two spaces somewhere for a reason of its own), the bytes are the same.
 */
void print_result(struct printer *p, const struct result *r);

/* The line of one trigger, with its newline. */
void print_trigger_line(struct strbuf *out, const struct trigger *trigger,
			const struct kernel_quirks *q);

#endif
