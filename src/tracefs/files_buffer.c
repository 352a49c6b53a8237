// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The files of an instance's buffer: trace, snapshot, sizes, options, counts.
 *
 * Corresponds to tracing_open(), tracing_snapshot_write(), tracing_entries_write(),
 * buffer_subbuf_size_write(), tracing_stats_read(), trace_options_write() in trace.c.
 */
#include "tracefs/files.h"
#include "ring_writer/ring_writer.h"

/* --- trace, snapshot --- */

static int truncate_trace(struct target *to)
{
	array_buffer_clear(to->tr, to->cpu);
	return 0;
}

/* ->which: the snapshot */
static void read_trace(const struct target *from, struct printer *p)
{
	const bool snapshot = from->ops->which;
	struct trace_print print = { .tr = from->tr, .snapshot = snapshot, .cpu = from->cpu };
	int err = print_trace(p, &print, from->diags);

	if (!err && !directory_of(from->h)->writes_dir && print.entries < print.written)
		diags_add(from->diags, DIAG_NOTE,
			  "%s has the last %llu of %llu events, as in the kernel: echo 1000000 > "
			  "buffer_size_kb before it makes room for all",
			  snapshot ? "snapshot" : "trace", print.entries, print.written);
	if (!err && !snapshot && !print.written &&
	    (from->h->span.from || from->h->span.to != UINT64_MAX))
		diags_add(
			from->diags, DIAG_NOTE,
			"trace has no event of the selected time: hist events has those of function "
			"tracers, too; what lasts to the end of the recording, such as an object that "
			"was not freed, is at that time: --context 1s shows more");
	if (!p->err)
		p->err = err;
}

/*
 * kernel: 0 frees the snapshot, 1 takes one, anything else clears it; for one CPU only clearing
 * works, without CONFIG_RING_BUFFER_ALLOW_SWAP
 */
static int write_snapshot(struct target *to, struct span text)
{
	u64 v;
	int err = array_buffer_expand(to->tr);

	if (err)
		return err;
	if (!target_number(to, text, UINT64_MAX, "snapshot takes 0, 1 or 2", &v))
		return -HIST_EREJECTED;
	if (v <= 1 && to->cpu != ARRAY_BUFFER_ALL_CPUS)
		return diags_error(to->diags, -HIST_EREJECTED,
				   "the snapshot of one CPU can only be emptied, with 2: "
				   "Invalid argument");
	if (v > 1) {
		array_buffer_clear_snapshot(to->tr, to->cpu);
		return 0;
	}
	if (!v) {
		array_buffer_free_snapshot(to->tr);
		return 0;
	}
	err = array_buffer_arm_snapshot(to->tr);
	if (!err)
		array_buffer_snapshot(to->tr);
	return err;
}

/* --- sizes --- */

static int write_size(struct target *to, struct span text)
{
	static const char wants[] = "the size must be a number of KB greater than 0";
	u64 kb, size;
	int err;

	if (!target_number(to, text, UINT64_MAX, wants, &kb))
		return -HIST_EREJECTED;
	if (!kb)
		return diags_error(to->diags, -HIST_EREJECTED, "%s: Invalid argument", wants);
	/* kernel: the product is cut to an unsigned long */
	size = to->t->machine.long_size == 8 ? kb << 10 : (u32)(kb << 10);
	err = array_buffer_resize(to->tr, size, to->cpu);
	if (err == HIST_NOMEM)
		return diags_error(to->diags, -HIST_EREJECTED,
				   "buffers of %llu KB are too large: Cannot allocate memory", kb);
	target_note_recording(to);
	return err;
}

/* kernel: the future size as long as nothing was enabled */
static void add_size(struct printer *p, const struct trace_array *tr, u64 kb, u32 n_cpus)
{
	strbuf_addf(&p->buf, "%llu", kb);
	if (!array_buffer_is_expanded(tr))
		strbuf_addf(&p->buf, " (expanded: %llu)",
			    (unsigned long long)n_cpus * (ARRAY_BUFFER_EXPANDED_SIZE >> 10));
	strbuf_addch(&p->buf, '\n');
}

/* kernel: X if the CPUs differ */
static void read_size(const struct target *from, struct printer *p)
{
	const struct trace_array *tr = from->tr;
	u32 first = from->cpu == ARRAY_BUFFER_ALL_CPUS ? 0 : from->cpu;
	u64 size = array_buffer_entries(tr, first);
	bool same = true;

	for (u32 cpu = 0; cpu < tr->tracing->machine.nr_cpus; cpu++)
		same &= array_buffer_entries(tr, cpu) == size;
	if (from->cpu == ARRAY_BUFFER_ALL_CPUS && !same)
		strbuf_addstr(&p->buf, "X\n");
	else
		add_size(p, tr, size >> 10, 1);
}

static void read_total_size(const struct target *from, struct printer *p)
{
	u32 n = from->t->machine.nr_cpus;
	u64 size = sum_of(cpu, n, array_buffer_entries(from->tr, cpu) >> 10);

	add_size(p, from->tr, size, n);
}

static u32 page_kb(const struct target *to)
{
	u32 size = to->t->machine.page_size;

	return size ? size >> 10 : 4;
}

static int write_subbuf_size(struct target *to, struct span text)
{
	const u32 max = page_kb(to) << 7;
	char wants[64];
	u32 order = 0;
	u64 kb;
	int err;

	snprintf(wants, sizeof(wants), "a sub-buffer has 1 to %u KB", max);
	if (!target_number(to, text, max, wants, &kb))
		return -HIST_EREJECTED;
	if (!kb)
		return diags_error(to->diags, -HIST_EREJECTED, "%s: Invalid argument", wants);
	while ((u64)page_kb(to) << order < kb)
		order++;
	err = array_buffer_set_order(to->tr, order);
	target_note_recording(to);
	return err;
}

static void read_subbuf_size(const struct target *from, struct printer *p)
{
	strbuf_addf(&p->buf, "%u\n", page_kb(from) << array_buffer_order(from->tr));
}

/* --- per_cpu/cpuN/stats --- */

static void add_ts(struct printer *p, const char *name, u64 ts, bool in_ns)
{
	u64 us = ts / 1000 + (ts % 1000 >= 500);

	if (in_ns)
		strbuf_addf(&p->buf, "%s ts: %5llu.%06llu\n", name, us / 1000000, us % 1000000);
	else
		strbuf_addf(&p->buf, "%s ts: %llu\n", name, ts);
}

/* "now" is the end of the recording. */
static void read_stats(const struct target *from, struct printer *p)
{
	const struct trace_array *tr = from->tr;
	const char *buffer = tr->name[0] ? tr->name : from->h->buffer;
	bool in_ns = !trace_clock_counts(from->t->machine.clock);
	struct recordings_times times;
	struct ring_buffer_stats s = { .entries = 0 };

	p->err = recordings_times(&from->h->recordings, buffer, &times);
	if (tr->array_buffer.buffer)
		ring_buffer_stats(tr->array_buffer.buffer, from->cpu, &s);
	strbuf_addf(&p->buf, "entries: %llu\noverrun: %llu\ncommit overrun: %llu\nbytes: %llu\n",
		    s.entries, s.overrun, s.commit_overrun, s.bytes);
	add_ts(p, "oldest event", s.oldest_event_ts, in_ns);
	add_ts(p, "now", times.last, in_ns);
	strbuf_addf(&p->buf, "dropped events: %llu\nread events: 0\n", s.dropped_events);
}

/* Files of an instance, and of each of its CPUs. */
#define TRACE_FILES                                                                            \
	{ .name = "trace",                                                                     \
	  .write = target_ignore,                                                              \
	  .truncate = truncate_trace,                                                          \
	  .read = read_trace,                                                                  \
	  .live = true,                                                                        \
	  .recorded = true },                                                                  \
	{                                                                                      \
		.name = "snapshot", .write = write_snapshot, .read = read_trace, .live = true, \
		.recorded = true, .which = true                                                \
	}

const struct file_ops cpu_files[] = {
	TRACE_FILES,
	{ .name = "stats", .read = read_stats, .live = true, .recorded = true },
	{ .name = "buffer_size_kb", .write = write_size, .read = read_size },
	{ .name = NULL },
};

/* --- options --- */

static void note_options(const struct target *to, u64 changed)
{
	const struct event_format *format;

	if (changed && !trace_option_works(changed))
		diags_add(to->diags, DIAG_NOTE, "this option changes nothing in a replay");
	if ((changed & to->tr->trace_flags & TRACE_ITER_EVENT_FORK) &&
	    event_db_find(to->h->recordings.db, "sched", "sched_process_fork", &format))
		diags_add(to->diags, DIAG_NOTE,
			  "the recording has no sched:sched_process_fork, so children are not "
			  "added");
	if (trace_option_records(changed))
		target_note_recording(to);
}

static int write_option(struct target *to, struct span text)
{
	u64 on;

	if (!target_number(to, text, 1, "an option takes 0 or 1", &on))
		return -HIST_EREJECTED;
	trace_option_set(to->tr, to->option, on);
	note_options(to, to->option);
	return 0;
}

static void read_option(const struct target *from, struct printer *p)
{
	strbuf_addstr(&p->buf, from->tr->trace_flags & from->option ? "1\n" : "0\n");
}

const struct file_ops option_files[] = {
	{ .name = "", .write = write_option, .read = read_option },
	{ .name = NULL },
};

static int write_options(struct target *to, struct span text)
{
	u64 before = to->tr->trace_flags;
	int err = trace_options_write(to->tr, text, to->diags);

	note_options(to, before ^ to->tr->trace_flags);
	return err;
}

static void read_options(const struct target *from, struct printer *p)
{
	const char *name;

	for (unsigned int i = 0; (name = trace_option_name(from->tr, i)); i++)
		if (name[0])
			strbuf_addf(&p->buf, "%s%s\n", from->tr->trace_flags >> i & 1 ? "" : "no",
				    name);
}

/* --- the tables --- */

const struct file_ops buffer_files[] = {
	TRACE_FILES,
	{ .name = "buffer_size_kb", .write = write_size, .read = read_size },
	{ .name = "buffer_total_size_kb", .read = read_total_size },
	{ .name = "buffer_subbuf_size_kb", .write = write_subbuf_size, .read = read_subbuf_size },
	{ .name = "trace_options", .write = write_options, .read = read_options },
	{ .name = NULL },
};
