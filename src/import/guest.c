// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the host of a guest, so that the guest's recording can be converted to the host's time and
 * both form one timeline (combine.c). The guest's trace.dat has a TIME_SHIFT option, and the host's
 * file names the guest (GUEST).
 *
 * Numbers may mean different things in both: pids of tasks with other names, and kernel addresses
 * with other symbols. A timeline has only one table of names and of symbols, and the host's takes
 * precedence.
 */
#include "import/guest.h"

enum { MAX_SAMPLES = 1 << 20, MAX_CPUS = 8192, FLAG_INTERPOLATE = 1 };

/* --- matching guest and host --- */

static struct bytes bytes_of_option(struct trace_dat *td, const struct trace_dat_option *o)
{
	return bytes_of(o->data, o->size, trace_dat_info(td)->big_endian);
}

static int open_silently(const struct import_input *in, struct trace_dat **td)
{
	int err = import_is_trace_dat(in->path) ? trace_dat_open(in->path, td, NULL)
						: -HIST_ENOTTRACE;

	return err;
}

/* Whether the file names trace @id as its guest. */
static int find_in_host(struct trace_dat *host, u64 id, struct guest *guest, struct arena *arena)
{
	size_t n;
	const struct trace_dat_option *options = trace_dat_options(host, &n);

	for (size_t i = 0; i < n; i++) {
		struct bytes b = bytes_of_option(host, &options[i]);
		const char *name = options[i].id == TRACE_DAT_GUEST ? bytes_str(&b) : NULL;

		if (!name || bytes_u64(&b) != id || b.bad)
			continue;
		guest->name = arena_strdup(arena, *name ? name : "guest");
		for (char *c = guest->name; c && *c; c++)
			if (!is_alnum(*c) || (u8)*c >= 0x80)
				*c = '_';
		guest->host_clock = arena_strdup(arena, trace_dat_info(host)->clock);
		return guest->name && guest->host_clock ? 0 : HIST_NOMEM;
	}
	return 1;
}

static struct span text_of(struct trace_dat *td, enum trace_dat_option_id id)
{
	struct span text = { NULL, 0 };

	if (trace_dat_section(td, id, &text, NULL))
		text = (struct span){ NULL, 0 };
	return text;
}

/* Parse the next line "PID NAME" with a pid above 0. */
static bool next_name(struct span *text, s32 *pid, struct span *name)
{
	while (text->s) {
		struct span line = span_sep(text, "\n"), word = span_sep(&line, " ");
		s64 n;

		if (!line.s || !line.n || !span_s64(word, &n) || n <= 0 || n > INT32_MAX)
			continue;
		*pid = (s32)n;
		*name = line;
		return true;
	}
	return false;
}

static int compare_names(struct span host, struct span text, struct guest *guest,
			 struct arena *arena)
{
	scoped(comm_table_release) struct comm_table names = { .comms.n = 0 };
	struct span name;
	s32 pid;
	int err = 0;

	while (!err && next_name(&host, &pid, &name))
		err = comm_table_set(&names, pid, 0, name);
	while (!err && next_name(&text, &pid, &name)) {
		struct span other = comm_table_get(&names, pid);

		name.n = min_t(size_t, name.n, COMM_LEN);
		if (!other.n || span_same(other, name) || guest->n_other_names++)
			continue;
		guest->other_name = arena_printf(arena, "%d: %.*s, %.*s", pid, (int)name.n, name.s,
						 (int)other.n, other.s);
		err = guest->other_name ? 0 : HIST_NOMEM;
	}
	return err;
}

int guest_find(const struct import_input *inputs, size_t n, size_t i, struct guest *guest,
	       struct arena *arena)
{
	const struct trace_dat_option *shift;
	struct trace_dat *td, *host;
	struct span symbols;
	struct bytes b;
	u64 peer = 0;
	int err = n > 1 ? open_silently(&inputs[i], &td) : 1;

	if (err)
		return err == HIST_NOMEM ? err : 1;
	guest->cpu_count = trace_dat_info(td)->cpu_count;
	shift = trace_dat_option_find(td, TRACE_DAT_TIME_SHIFT);
	if (shift) {
		b = bytes_of_option(td, shift);
		peer = bytes_u64(&b);
	}
	err = 1;
	for (size_t k = 0; shift && !b.bad && k < n && err == 1; k++) {
		if (open_silently(&inputs[k], &host))
			continue;
		if (trace_dat_info(host)->trace_id == peer)
			err = find_in_host(host, trace_dat_info(td)->trace_id, guest, arena);
		if (!err) {
			symbols = text_of(host, TRACE_DAT_KALLSYMS);
			guest->other_symbols = symbols.n &&
					       !span_same(symbols, text_of(td, TRACE_DAT_KALLSYMS));
			err = compare_names(text_of(host, TRACE_DAT_CMDLINES),
					    text_of(td, TRACE_DAT_CMDLINES), guest, arena);
		}
		trace_dat_close(host);
	}
	trace_dat_close(td);
	return err;
}

u32 guest_host_cpus(const struct import_input *inputs, size_t n)
{
	struct trace_dat *td;
	u32 cpus = 0;

	for (size_t i = 0; i < n; i++) {
		if (open_silently(&inputs[i], &td))
			continue;
		if (trace_dat_option_find(td, TRACE_DAT_GUEST))
			cpus = max_t(u32, cpus, trace_dat_info(td)->cpu_count);
		trace_dat_close(td);
	}
	return cpus;
}

/* --- copying --- */

int guest_time_shift(struct trace_dat *td, struct time_shift *shift, const struct import_job *job)
{
	const struct trace_dat_option *o = trace_dat_option_find(td, TRACE_DAT_TIME_SHIFT);
	int err = o ? time_shift_parse(shift, bytes_of_option(td, o), &job->sink->arena)
		    : -HIST_EFORMAT;

	if (err == -HIST_EFORMAT)
		diags_error(job->diags, err, "%s: its TIME_SHIFT option is damaged", job->in->name);
	return err;
}

void guest_report(const struct import_job *job, u64 events)
{
	diags_add(job->diags, DIAG_NOTE,
		  "%s: recorded in guest %s: %llu events were converted to the host's time; its "
		  "events are named %s_SYSTEM:EVENT, its CPUs start at %u",
		  job->in->name, job->guest->name, (unsigned long long)events, job->guest->name,
		  job->guest->first_cpu);
	if (job->guest->n_other_names)
		diags_add(job->diags, DIAG_WARNING,
			  "%s: %u pids belong to different tasks in the guest and in the host "
			  "(%s); both are shown with the host's name: distinguish them by event "
			  "or CPU",
			  job->in->name, job->guest->n_other_names, job->guest->other_name);
	if (job->guest->other_symbols)
		diags_add(job->diags, DIAG_WARNING,
			  "%s: the host's kernel has other symbols: those shown for addresses "
			  "of the guest are wrong",
			  job->in->name);
}

/* --- times --- */

/*
 * The difference between both clocks was sampled from time to time. Between two samples, the first
 * one gives the scaling; the offset is that of the first sample or is interpolated. Times before
 * the first sample and after the last one use the nearest two samples. The result is that of
 * libtracecmd for the same option.
 */

DEFINE_ORDER(cmp_time, struct time_sample, cmp_int(x->time, y->time))

static int read_cpu(struct time_shift_cpu *cpu, struct bytes *b, struct arena *arena)
{
	u32 n = bytes_u32(b);

	if (b->bad || n > MAX_SAMPLES || (u64)n * 24 > bytes_left(b))
		return -HIST_EFORMAT;
	cpu->samples = arena_alloc(arena, (n + 1) * sizeof(*cpu->samples));
	if (!cpu->samples)
		return HIST_NOMEM;
	for (u32 i = 0; i < n; i++)
		cpu->samples[i] = (struct time_sample){ .time = (s64)bytes_u64(b) };
	for (u32 i = 0; i < n; i++)
		cpu->samples[i].offset = (s64)bytes_u64(b);
	for (u32 i = 0; i < n; i++)
		cpu->samples[i].scaling = bytes_u64(b);
	cpu->n = n;
	return 0;
}

/* Newer files have these at the end. */
static int read_fractions(struct time_shift *ts, struct bytes *b)
{
	for (u32 c = 0; c < ts->n_cpus && bytes_left(b); c++)
		for (u32 i = 0; i < ts->cpus[c].n; i++) {
			u64 fraction = bytes_u64(b);

			if (b->bad || fraction > 63)
				return -HIST_EFORMAT;
			ts->cpus[c].samples[i].fraction = (u32)fraction;
		}
	return 0;
}

int time_shift_parse(struct time_shift *ts, struct bytes b, struct arena *arena)
{
	int err = 0;

	*ts = (struct time_shift){ .peer = bytes_u64(&b) };
	ts->interpolate = bytes_u32(&b) & FLAG_INTERPOLATE;
	ts->n_cpus = bytes_u32(&b);
	if (b.bad || ts->n_cpus > MAX_CPUS)
		return -HIST_EFORMAT;
	ts->cpus = arena_alloc(arena, (ts->n_cpus + 1) * sizeof(*ts->cpus));
	if (!ts->cpus)
		return HIST_NOMEM;
	memset(ts->cpus, 0, ts->n_cpus * sizeof(*ts->cpus));
	for (u32 i = 0; i < ts->n_cpus && !err; i++)
		err = read_cpu(&ts->cpus[i], &b, arena);
	err = err ?: read_fractions(ts, &b);
	array_each_of_while(struct time_shift_cpu, cpu, ts->cpus, ts->n_cpus, !err) {
		u32 n = 0;

		/* sorted by time, without samples of equal times */
		qsort(cpu->samples, cpu->n, sizeof(*cpu->samples), cmp_time);
		for (u32 k = 0; k < cpu->n; k++)
			if (!n || cpu->samples[k].time != cpu->samples[n - 1].time)
				cpu->samples[n++] = cpu->samples[k];
		cpu->n = n;
	}
	return err;
}

static struct wide difference(s64 a, s64 b)
{
	struct wide r = wide_of((u64)a, true), minus = wide_of((u64)b, true);

	wide_sub(&r, &minus);
	return r;
}

/* The offset at @time, interpolated between two samples and rounded to nearest. */
static s64 interpolated(const struct time_sample *a, const struct time_sample *b, u64 time)
{
	u64 length = (u64)b->time - (u64)a->time;
	struct wide run = difference((s64)time, a->time);
	struct wide rise = difference(b->offset, a->offset);
	struct wide half = wide_of(length / 2, false);

	rise = wide_mul(&run, &rise);
	wide_add(&rise, &half);
	return (s64)((u64)a->offset + wide_div(&rise, length).w[0]);
}

static u64 scaled(u64 time, const struct time_sample *s)
{
	struct wide from = wide_of(time, false), by = wide_of(s->scaling, false);
	struct wide to = wide_mul(&from, &by);

	return s->fraction ? to.w[0] >> s->fraction | to.w[1] << (64 - s->fraction) : to.w[0];
}

u64 time_shift_apply(const struct time_shift *ts, u32 cpu, u64 time)
{
	const struct time_sample *s;

	if (cpu >= ts->n_cpus || !ts->cpus[cpu].n)
		return time;
	s = ts->cpus[cpu].samples;
	if (ts->cpus[cpu].n == 1)
		return time + (u64)s[0].offset;
	/* the last sample that has a successor and is not later than @time */
	s += partition_point(i, ts->cpus[cpu].n - 2, s[i + 1].time <= (s64)time);
	return scaled(time, s) +
	       (u64)(ts->interpolate ? interpolated(&s[0], &s[1], time) : s->offset);
}
