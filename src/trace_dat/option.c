// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Options: all are stored unchanged, a few describe the whole file. An option that is unknown, or
 * too small for its type, is stored and otherwise ignored, because newer writers add options.
 */
#include "trace_dat/internal.h"
#include "trace_dat/kernel_text.h"

static const char *option_text(struct trace_dat *td, struct span data)
{
	return arena_strndup(&td->arena, data.s, strnlen(data.s, data.n));
}

static void note_option(struct trace_dat *td, u16 id, struct span data)
{
	struct trace_dat_info *info = &td->info;
	struct bytes b = bytes_of(data.s, data.n, info->big_endian);
	u32 cpus;

	switch (id) {
	case TRACE_DAT_CPUCOUNT:
		cpus = bytes_u32(&b);
		if (cpus <= MAX_CPUS)
			info->cpu_count = max_t(u32, info->cpu_count, cpus);
		break;
	case TRACE_DAT_UNAME:
		info->uname = option_text(td, data);
		break;
	case TRACE_DAT_VERSION:
		info->version_text = option_text(td, data);
		break;
	case TRACE_DAT_TRACEID:
		info->trace_id = bytes_u64(&b);
		break;
	case TRACE_DAT_TSC2NSEC:
	case TRACE_DAT_DATE:
	case TRACE_DAT_OFFSET:
		trace_dat_times_option(td, id, data);
		break;
	case TRACE_DAT_HIST_STREAM:
		td->stream = true;
		break;
	case TRACE_DAT_TIME_SHIFT:
		info->has_time_shift = true;
		break;
	default:
		break;
	}
}

/* An option of which a file has one: with two that differ, the file was altered or joined. */
static void warn_contradiction(const struct trace_dat *td, u16 id, struct span data,
			       struct diags *diags)
{
	static const struct {
		u16 id;
		const char *what;
	} once[] = { { TRACE_DAT_UNAME, "kernel and machine" },
		     { TRACE_DAT_TRACEID, "id of the trace" },
		     { TRACE_DAT_TRACECLOCK, "clock" },
		     { TRACE_DAT_TSC2NSEC, "frequency of the clock" },
		     { TRACE_DAT_TIME_SHIFT, "times of the host" } };
	const struct trace_dat_option *first = trace_dat_option_find(td, id);

	if (!first || span_same((struct span){ (const char *)first->data, first->size }, data))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(once); i++)
		if (once[i].id == id)
			diags_add(
				diags, DIAG_WARNING,
				"%s: contains two options for the %s, which differ; the %s one is used",
				td->info.path, once[i].what,
				id == TRACE_DAT_TRACECLOCK || id == TRACE_DAT_TIME_SHIFT ? "first"
											 : "last");
}

int trace_dat_option_add(struct trace_dat *td, u16 id, struct span data, struct diags *diags)
{
	struct trace_dat_option opt = { .id = id, .size = (u32)data.n, .data = (const u8 *)data.s };

	warn_contradiction(td, id, data, diags);
	note_option(td, id, data);
	return td->arena.failed ? HIST_NOMEM : array_push(&td->options, opt);
}

const struct trace_dat_option *trace_dat_option_find(const struct trace_dat *td, u16 id)
{
	return array_find(&td->options, e, e->id == id);
}

/*
 * Records that were dropped because the buffer was full (the option overwrite was off), or because
 * a sub-buffer was still being written (commit overrun), are only in the statistics of the CPU.
 */
void trace_dat_stats_of(const struct trace_dat *td, const char *buffer, u32 cpu,
			struct ring_stats *stats)
{
	struct span current = span_of("");
	u64 n;

	*stats = (struct ring_stats){ .dropped = 0 };
	array_each(const struct trace_dat_option, o, &td->options) {
		struct span text = span_ltrim((struct span){ (const char *)o->data, o->size }),
			    line;

		if (o->id != TRACE_DAT_CPUSTAT || !text.n)
			continue;
		text.n = strnlen(text.s, text.n);
		line = span_sep(&text, "\n");
		/* "\nBuffer: NAME\n\n" precedes the CPUs of an instance */
		if (span_starts(line, "Buffer: "))
			current = span_skip(line, strlen("Buffer: "));
		else if (span_eq(current, buffer) && span_starts(line, "CPU: ") &&
			 span_u64(span_skip(line, strlen("CPU: ")), &n) && n == cpu)
			ring_stats_parse(text, stats);
	}
}

struct trace_dat_lost trace_dat_lost_of(const struct trace_dat *td, const char *buffer, u32 cpu)
{
	struct ring_stats stats;

	trace_dat_stats_of(td, buffer, cpu, &stats);
	return (struct trace_dat_lost){ stats.dropped, stats.commit_overrun };
}

/* TRACECLOCK has priority; v6 repeats the clock after the CPU table. */
void trace_dat_option_clock(struct trace_dat *td)
{
	struct span clock = { NULL, 0 };
	const char *name = NULL;

	array_each_while(const struct trace_dat_option, o, &td->options, !clock.s)
		if (o->id == TRACE_DAT_TRACECLOCK)
			clock = clock_selected((struct span){ (const char *)o->data, o->size });
	if (clock.s)
		name = arena_strndup(&td->arena, clock.s, clock.n);
	else if (td->clock_text && *td->clock_text)
		name = td->clock_text;
	if (!name)
		return;
	td->info.clock = name;
	td->info.clock_known = true;
}
