// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Converts times of a guest. The difference between both clocks was sampled from time to time.
 * Between two samples, the first one gives the scaling; the offset is that of the first sample or
 * is interpolated. Times before the first sample and after the last one use the nearest two
 * samples.
 *
 * The result is that of libtracecmd for the same option.
 */
#include <stdlib.h>

#include "import/time_shift.h"

enum { MAX_SAMPLES = 1 << 20, MAX_CPUS = 8192, FLAG_INTERPOLATE = 1 };

static int cmp_time(const void *a, const void *b)
{
	const struct time_sample *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

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
	for (u32 i = 0; i < ts->n_cpus && !err; i++) {
		struct time_shift_cpu *cpu = &ts->cpus[i];
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

static u64 correct(const struct time_shift *ts, const struct time_sample *a,
		   const struct time_sample *b, u64 time)
{
	s64 offset = ts->interpolate ? interpolated(a, b, time) : a->offset;

	return scaled(time, a) + (u64)offset;
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
	return correct(ts, &s[0], &s[1], time);
}
