// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Live triggers: writes them to the trigger files of the instance, and at the end stores the files
 * that the kernel prints.
 *
 * The triggers are written paused, then started and stopped by triggers on two marks, which are
 * records of the instance like all others. So the kernel and a replay count the same records,
 * except for a record whose time is before the mark but whose trigger runs after it. On the CPU
 * that writes the mark there is no such record. On the other CPUs, threads occupy the CPU meanwhile
 * (hush), so that only an interrupt could cause one, which is unlikely.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include <tracefs.h>

#include "record/steps.h"
#include "record/tracedir.h"

/* --- triggers --- */

bool has_hist_triggers(void)
{
	scoped(free_scoped) char *readme = tracedir_read(NULL, "README", NULL);

	return readme && strstr(readme, "hist:keys=");
}

int live_check(const struct record_plan *plan, struct diags *diags)
{
	if (plan->live && !has_hist_triggers())
		return diags_error(
			diags, -HIST_EUNSUPPORTED,
			"--live: this kernel has no hist triggers (CONFIG_HIST_TRIGGERS)");
	return 0;
}

int triggers_install(struct session *s, const struct record_write *writes, size_t n,
		     struct diags *diags)
{
	array_each_of(const struct record_write, line, writes, n) {
		scoped(strbuf_release) struct strbuf removal = STRBUF_INIT;
		int err = 0;

		strbuf_addf(&removal, "!%s", line->text);
		if (line->text[0] != '!')
			err = removal.failed ? HIST_NOMEM
					     : undo_log(s->undo, span_of(removal.s),
							"trigger %s %s", s->name, line->path);
		if (err)
			return diags_error(diags, -HIST_EIO, "cannot write the journal %s",
					   s->undo->path);
		if (tracedir_append(s->instance, line->path, line->text))
			return errno == EINVAL || errno == ENOENT || errno == EEXIST
				       ? error_log_report(s->instance, line->path, line->text,
							  diags)
				       : tracedir_error(diags, errno, "cannot write", line->path);
	}
	return 0;
}

int live_install(struct session *s, const struct record_plan *plan, struct diags *diags)
{
	if (!plan->live)
		return 0;
	if (s->existing)
		return diags_error(diags, -HIST_EINVAL,
				   "--live needs a new instance: %s already exists", s->name);
	return triggers_install(s, plan->live_writes, plan->n_live_writes, diags);
}

/* --- marks --- */

enum { HUSH_MAX_MS = 1000, TICK_MAX_MS = 20, SAMPLE_TURNS = 10000 };
#define AFTER_TICK_MS 0.3

struct hush {
	_Atomic u32 still; /* threads that occupy the other CPUs */
	_Atomic bool over;
	_Atomic bool failed; /* some CPU was released too early */
	double end;          /* ms; when the caller gives up */
	u64 turns;           /* of wait_over(), in about HUSH_MAX_MS */
	pthread_t *threads;
	size_t n;
	cpu_set_t *affinity; /* the caller's affinity, to be restored */
	size_t size;
	int policy;
	struct sched_param param;
};

static double now_ms(void)
{
	return (double)monotonic_ns() / 1e6;
}

/* Yield to another hardware thread of this core, or to another virtual CPU. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/*
 * Wait until the hush is over, for @turns at most; false: it is not over. Does not read a clock,
 * because that is a system call where the vDSO cannot do it, and so an event.
 */
static bool wait_over(const struct hush *h, u64 turns)
{
	while (!atomic_load(&h->over)) {
		if (!turns--)
			return false;
		relax();
	}
	return true;
}

/* Only interrupts can preempt this thread on its CPU. */
static void *occupy_cpu(void *arg)
{
	struct hush *h = arg;

	atomic_fetch_add(&h->still, 1);
	if (!wait_over(h, h->turns))
		atomic_store(&h->failed, true);
	return NULL;
}

/* A mask of one CPU; NULL if out of memory. */
static cpu_set_t *mask_of(u32 cpu, u32 cpus)
{
	cpu_set_t *set = CPU_ALLOC(cpus);

	if (set) {
		CPU_ZERO_S(CPU_ALLOC_SIZE(cpus), set);
		CPU_SET_S(cpu, CPU_ALLOC_SIZE(cpus), set);
	}
	return set;
}

static void start_on(struct hush *h, u32 cpu, u32 cpus)
{
	const struct sched_param param = { .sched_priority = 1 };
	cpu_set_t *set = mask_of(cpu, cpus);
	pthread_attr_t attr;
	int err = set ? pthread_attr_init(&attr) : ENOMEM;

	if (!err) {
		/* a CPU that is offline has no events, and cannot be occupied */
		err = pthread_attr_setaffinity_np(&attr, CPU_ALLOC_SIZE(cpus), set);
		err = err ?: pthread_create(&h->threads[h->n], &attr, occupy_cpu, h);
		if (!err) /* without the privilege, an ordinary thread is nearly as good */
			pthread_setschedparam(h->threads[h->n++], SCHED_FIFO, &param);
		pthread_attr_destroy(&attr);
	}
	CPU_FREE(set);
}

/*
 * An interrupt between the time of a mark and its trigger would be counted on the wrong side. Most
 * interrupts are timer ticks, which reach all CPUs at once: fewest follow directly after a tick.
 */
static void await_tick(double end)
{
	struct timespec was, is;
	double tick = min_t(double, now_ms() + TICK_MAX_MS, end), quiet;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &was); /* kernel: increases only at timer ticks */
	do {
		relax();
		clock_gettime(CLOCK_MONOTONIC_COARSE, &is);
	} while (is.tv_nsec == was.tv_nsec && is.tv_sec == was.tv_sec && now_ms() < tick);
	quiet = min_t(double, now_ms() + AFTER_TICK_MS, end);
	while (now_ms() < quiet)
		relax();
}

static void hush_begin(struct hush *h, const struct session *s)
{
	u32 cpus = s->cpus.v[s->cpus.n - 1] + 1, here = (u32)sched_getcpu();
	const struct sched_param param = { .sched_priority = 1 };
	double fastest = HUSH_MAX_MS;
	cpu_set_t *set;

	*h = (struct hush){ .threads = calloc(s->cpus.n, sizeof(*h->threads)),
			    .end = now_ms() + HUSH_MAX_MS };
	/* move to this CPU and occupy it */
	h->size = CPU_ALLOC_SIZE(cpus);
	h->affinity = CPU_ALLOC(cpus);
	set = mask_of(here, cpus);
	if (set && h->affinity && !sched_getaffinity(0, h->size, h->affinity))
		sched_setaffinity(0, h->size, set);
	CPU_FREE(set);
	pthread_getschedparam(pthread_self(), &h->policy, &h->param);
	pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
	/* the fastest of three samples was interrupted least */
	for (int i = 0; i < 3; i++) {
		double start = now_ms();

		wait_over(h, SAMPLE_TURNS);
		fastest = min_t(double, fastest, now_ms() - start);
	}
	h->turns = (u64)(SAMPLE_TURNS * (HUSH_MAX_MS / max_t(double, fastest, 1e-3)));
	for (size_t i = 0; h->threads && i < s->cpus.n; i++)
		if (s->cpus.v[i] != here)
			start_on(h, s->cpus.v[i], cpus);
	while (atomic_load(&h->still) < h->n && now_ms() < h->end)
		relax();
	h->failed |= atomic_load(&h->still) < h->n;
	await_tick(h->end);
}

static void hush_end(struct hush *h, struct diags *diags)
{
	atomic_store(&h->over, true);
	for (size_t i = 0; i < h->n; i++)
		pthread_join(h->threads[i], NULL);
	if (h->failed)
		diags_add(
			diags, DIAG_WARNING,
			"--live: the other CPUs could not be stopped at the start; the kernel may have counted their first events differently from a replay");
	pthread_setschedparam(pthread_self(), h->policy, &h->param);
	if (h->affinity)
		sched_setaffinity(0, h->size, h->affinity);
	CPU_FREE(h->affinity);
	free(h->threads);
}

int live_start(struct session *s, const struct record_plan *plan, struct diags *diags)
{
	static const char text[] = RECORD_LIVE_START;
	struct hush hush;
	ssize_t n;
	int fd, err;

	if (!plan->live)
		return 0;
	fd = tracefs_instance_file_open(s->instance, "trace_marker", O_WRONLY | O_CLOEXEC);
	hush_begin(&hush, s);
	n = fd < 0 ? -1 : write(fd, text, strlen(text));
	err = errno;
	hush_end(&hush, diags);
	fd_close(fd);
	return n < 0 ? tracedir_error(diags, err, "cannot write", "trace_marker") : 0;
}

void live_stop(struct session *s, const struct record_plan *plan, struct diags *diags)
{
	struct hush hush;

	if (!plan->live)
		return;
	hush_begin(&hush, s);
	getpgid(RECORD_LIVE_STOP_PID);
	hush_end(&hush, diags);
}

/* --- the kernel's output --- */

int live_store(struct workdir *w, const struct session *s, const struct record_plan *plan)
{
	int err = plan->live ? workdir_add(w, plan->live_script, "live script") : 0;

	for (size_t i = 0; !err && plan->live && i < plan->n_live_files; i++) {
		size_t n = 0;
		scoped(free_scoped) char *text =
			tracedir_read(s->instance, plan->live_files[i], &n);

		err = text ? workdir_add(w, (struct span){ text, n }, "live %s",
					 plan->live_files[i])
			   : -HIST_EIO;
	}
	return err;
}
