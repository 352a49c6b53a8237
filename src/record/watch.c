// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What a recording takes of the machine, over the last seconds: how fast it grows, when it will
 * reach a limit, and whether it must end because it takes too much.
 */
#include <sys/resource.h>
#include <sys/statvfs.h>

#include "record/record_run.h"

/* What the average of a share of a CPU needs at least. */
#define CPU_WINDOW_NS 3000000000ull

static u64 cpu_ns(void)
{
	struct rusage u;

	if (getrusage(RUSAGE_SELF, &u))
		return 0;
	return (u64)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000 +
	       (u64)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000;
}

/* What other programs may still write there; UINT64_MAX: unknown. */
static u64 free_bytes(const struct record_run *run)
{
	struct statvfs st;

	return fstatvfs(run->work.dir, &st) ? UINT64_MAX : (u64)st.f_bavail * st.f_frsize;
}

static u64 minus(u64 a, u64 b)
{
	return a > b ? a - b : 0;
}

/* Seconds for that much at @rate, or until then; < 0: never. */
static double seconds_for(double amount, double rate)
{
	return rate > 0 ? amount / rate : -1;
}

static void forecast(const struct record_run *run, struct record_progress *p)
{
	const struct record_rotate *rotate = run->plan->rotate;
	const unsigned int per = run->readers.reserve.per;
	/* events, and the space that is reserved for the file */
	const double taken = p->byte_rate * (1 + (per ? 1.0 / per : 0));
	const u64 ring = run->plan->max_kb * 1024 * run->session.cpus.n, room = free_bytes(run);

	p->disk_s = p->limit_s = -1;
	if (!ring && !run->plan->keep && room != UINT64_MAX)
		p->disk_s = seconds_for((double)minus(room, run->plan->min_free), taken);
	if (ring)
		p->limit_s = seconds_for((double)minus(ring, p->bytes), p->byte_rate);
	if (rotate)
		p->limit_s = rotate_left(&run->rotate, p->byte_rate);
	/* the space of old files is used again */
	if (rotate && rotate->times && run->rotate.number >= rotate->times)
		p->disk_s = -1;
}

bool watch_tick(struct record_run *run, struct record_progress *p)
{
	const struct record_plan *plan = run->plan;
	struct watch *w = &run->watch;
	struct watch_sample now = { monotonic_ns(), cpu_ns(), readers_moved(&run->readers), 0 };
	const struct watch_sample *from;
	double s, share;

	p->seconds = (double)(now.at - run->started) / 1e9;
	p->bytes = now.bytes;
	if (plan->progress) {
		session_count(&run->session, &run->kept, &p->events, &p->lost);
		now.events = p->events;
	}
	/* one for each second */
	if (!w->n || now.at - w->v[w->n - 1].at >= 900000000) {
		if (w->n == WATCH_SAMPLES)
			memmove(w->v, w->v + 1, --w->n * sizeof(w->v[0]));
		w->v[w->n++] = now;
	}
	from = &w->v[0];
	s = (double)(now.at - from->at) / 1e9;
	p->byte_rate = s > 0 ? (double)(now.bytes - from->bytes) / s : 0;
	p->event_rate = s > 0 ? (double)(now.events - from->events) / s : 0;
	if (plan->progress)
		forecast(run, p);
	share = s > 0 ? (double)(now.cpu - from->cpu) / 1e7 / s : 0;
	if (plan->max_cpu > 0 && now.at - from->at >= CPU_WINDOW_NS && share > plan->max_cpu)
		snprintf(w->why, sizeof(w->why),
			 "hist took %.1f%% of a CPU in %.0f s, more than --max-cpu %g%%", share, s,
			 plan->max_cpu);
	else if (plan->min_free && free_bytes(run) < plan->min_free)
		snprintf(w->why, sizeof(w->why), "the disk has less than --min-free %llu MiB",
			 plan->min_free >> 20);
	if (*w->why)
		run->stopped = w->why;
	return *w->why;
}
