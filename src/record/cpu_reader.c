// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Moves the sub-buffers of per_cpu/cpuN/trace_pipe_raw to files, in order.
 *
 * One thread per CPU, all in this process, so that any number of CPUs is drained in parallel and no
 * process remains after a kill. A thread sleeps in poll() until the buffer is buffer_percent full
 * (kernel: since 6.1, before at every event), then splices full sub-buffers, by page reference
 * without a copy, to a pipe and from there to the file, until no full one is left. It also wakes up
 * every second, so that little is left in the kernel if this process is killed. When tracing is
 * off, a read() of exactly one sub-buffer fetches the rest, including the partial last one, with
 * its tail zeroed.
 *
 * Disk space is allocated before events leave the kernel, so a full disk ends a recording between
 * two sub-buffers and not within one. The space includes the part of the trace.dat that is not
 * data, because the work directory is removed only after the file is complete. A thread that cannot
 * continue signals an eventfd and exits. Corresponds to tracing_buffers_splice_read(), _read() and
 * _poll().
 */
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "record/cpu_reader.h"
#include "record/tracedir.h"

enum {
	ROOM_BYTES = 1 << 20,
	STACK_BYTES = 1 << 18,
	LOOK_MS = 1000,
	KEPT_LOOK_MS = 100,
	PAUSE_MS = 5,
	READER_NICE = -10,
};

u64 reader_ring_size(u64 kb, u32 subbuf)
{
	u64 n = kb * 1024 / subbuf;

	return kb ? (n ? n : 1) * subbuf : 0;
}

int reader_ring_start(int fd, u64 n, u32 subbuf, u64 *start)
{
	u64 last = 0, stamp;

	*start = 0;
	/* time stamps of sub-buffers increase, except where the ring wraps around */
	for (u64 i = 0; i < n; i++) {
		ssize_t got = fd_pread(fd, &stamp, sizeof(stamp), i * subbuf);

		if (got != sizeof(stamp)) {
			errno = got < 0 ? errno : EIO;
			return -1;
		}
		if (stamp < last) {
			*start = i;
			break;
		}
		last = stamp;
	}
	return 0;
}

/* --- writing --- */

static void advance(struct cpu_reader *r, size_t n)
{
	r->pos += n;
	if (r->ring && r->pos >= r->ring) {
		r->pos = 0;
		r->wrapped = true;
	}
	atomic_fetch_add_explicit(&r->moved, n, memory_order_release);
}

/* Truncate a partially written sub-buffer. */
static int reader_fail(struct cpu_reader *r)
{
	r->error = r->error ? r->error : errno ? errno : EIO;
	r->pos -= r->subbuf ? r->pos % r->subbuf : 0;
	if (!r->ring && !r->kept && ftruncate(r->out, (off_t)r->pos))
		return -1;
	return -1;
}

static int allocate(struct cpu_reader *r, u64 n)
{
	n = max_t(u64, n / r->subbuf, 1) * r->subbuf;
	if (r->ring)
		n = min_t(u64, n, r->ring - r->pos);
	if (r->pos + n > r->limit) {
		errno = EFBIG;
		return -1;
	}
	if (reserve_allocate(r->reserve, r->out, r->pos, n) == 0)
		r->room = r->pos + n;
	else if (disk_is_full(errno))
		return -1;
	else
		r->room = UINT64_MAX; /* the file system does not support this: write() will fail */
	return 0;
}

/*
 * Number of bytes that can be written now, at most @want; 0 with errno if none: EAGAIN if all that
 * is kept is needed for now.
 */
static size_t find_room(struct cpu_reader *r, size_t want)
{
	if (r->kept && r->room == r->pos) {
		if (kept_next_slot(r->kept, r->number, &r->pos)) {
			r->stuck = true;
			return 0;
		}
		r->room = r->pos + r->kept->slot_size;
	}
	if (r->kept)
		return min_t(u64, want, r->room - r->pos);
	if (r->ring)
		want = min_t(u64, want, r->ring - r->pos);
	if (r->room <= r->pos && allocate(r, ROOM_BYTES) && allocate(r, 0))
		return 0;
	return min_t(u64, want, r->room - r->pos);
}

/* The sub-buffer has left the kernel, so a temporary error is retried. */
static int write_page(struct cpu_reader *r)
{
	size_t done = 0;
	int tries = 2;

	while (done < r->subbuf) {
		ssize_t n =
			pwrite(r->out, r->page + done, r->subbuf - done, (off_t)(r->pos + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 && !--tries)
			return reader_fail(r);
		done += n > 0 ? (size_t)n : 0;
	}
	advance(r, r->subbuf);
	return 0;
}

/* If the file does not support splice(), or not now: copy @n bytes from the pipe. */
static int copy_pipe(struct cpu_reader *r, size_t n)
{
	while (n) {
		if (fd_read(r->pipe[0], r->page, r->subbuf) != (ssize_t)r->subbuf ||
		    write_page(r)) {
			r->lost += n;
			return reader_fail(r);
		}
		n -= r->subbuf;
	}
	return 0;
}

static int empty_pipe(struct cpu_reader *r, size_t n)
{
	bool copy = r->copies;

	while (n && !copy) {
		loff_t pos = (loff_t)r->pos;
		ssize_t done = splice(r->pipe[0], NULL, r->out, &pos, n, SPLICE_F_MOVE);

		if (done < 0 && errno == EINTR)
			continue;
		/* kernel: a file system without splice() fails at the first call */
		if (done < 0 && errno == EINVAL)
			r->copies = true;
		if (done <= 0)
			copy = true;
		else
			n -= (size_t)done, advance(r, (size_t)done);
	}
	/* the disk became full within a sub-buffer despite the allocation */
	if (n && r->pos % r->subbuf) {
		r->lost += n;
		return reader_fail(r);
	}
	return n ? copy_pipe(r, n) : 0;
}

/* --- reading --- */

/* Read one sub-buffer: 1; 0 if none is left; -1 with errno. A temporary error is retried. */
static int read_page(struct cpu_reader *r)
{
	size_t have = 0;
	int tries = 2, got;

	do
		got = tracedir_raw_read(r->raw, r->page, r->subbuf, &have);
	while (got < 0 && have && --tries);
	if (got < 0 && have)
		r->lost += r->subbuf;
	return got;
}

/* Move one sub-buffer, also a partial one: 1; 0 if there is none, or no room for it now; -1 */
static int move_page(struct cpu_reader *r)
{
	int got = 0;

	if (find_room(r, r->subbuf))
		got = read_page(r);
	else if (errno != EAGAIN)
		got = -1;
	if (got < 0)
		return reader_fail(r);
	if (got && r->rest.resting)
		rest_end(&r->rest, r->page,
			 atomic_load_explicit(&r->moved, memory_order_relaxed) / r->subbuf);
	if (got && write_page(r)) {
		r->lost += r->subbuf;
		return -1;
	}
	return got;
}

/* Move all full sub-buffers, after a rest beginning with any; 1 if there were any, 0 if not, -1 */
static int move_full(struct cpu_reader *r)
{
	int moved = r->rest.resting ? move_page(r) : 0;

	if (r->rest.resting || moved < 0)
		return moved;
	for (;;) {
		size_t want = find_room(r, r->batch);
		ssize_t n;

		if (!want)
			return errno == EAGAIN ? moved : reader_fail(r);
		n = splice(r->raw, NULL, r->pipe[1], NULL, want, SPLICE_F_MOVE | SPLICE_F_NONBLOCK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || (n < 0 && errno == EAGAIN))
			return moved;
		if (n < 0)
			return reader_fail(r);
		if (empty_pipe(r, (size_t)n))
			return -1;
		moved = 1;
	}
}

/* Move all remaining data. */
static void drain(struct cpu_reader *r)
{
	while (move_page(r) > 0)
		;
}

/*
 * If only the last part is kept, events are evaluated meanwhile, in the order of time: so from time
 * to time, and before a file is written, also the events of a partial sub-buffer are moved, and how
 * far that is complete is noted. There are no full ones any more, so that one is enough. (To go on
 * until there is none would not end: reading makes events, too.)
 */
static int move_partial(struct cpu_reader *r, u64 now)
{
	struct kept *k = r->kept;
	_Atomic u64 *drained = &k->cpus[r->number].drained;
	u64 wanted = k->line || k->until ? atomic_load_explicit(&k->flush, memory_order_acquire)
					 : now - KEPT_LOOK_MS * 1000000ull;

	if (atomic_load_explicit(drained, memory_order_relaxed) >= wanted)
		return 0;
	if (move_page(r) < 0)
		return -1;
	if (!r->stuck)
		atomic_store_explicit(drained, now, memory_order_release);
	return 0;
}

/*
 * Sleep until there is data; false when the thread must end. @in_vain: there was no full sub-buffer
 * after the last poll() that reported data.
 */
static bool reader_sleep(const struct cpu_reader *r, bool rests, bool in_vain, bool *woken)
{
	const struct kept *k = r->kept;
	const bool wanted = k && atomic_load_explicit(&k->wanted, memory_order_acquire);
	struct pollfd fds[] = {
		{ .fd = r->stop, .events = POLLIN },
		{ .fd = rests && r->rest.filled ? -1 : r->raw, .events = POLLIN },
		{ .fd = k && !wanted ? k->wake : -1, .events = POLLIN },
	};
	int ms = k && (!k->until || wanted) ? KEPT_LOOK_MS : LOOK_MS;

	if (in_vain && poll(fds, 1, PAUSE_MS) > 0)
		return false;
	poll(fds, ARRAY_SIZE(fds), rests ? rest_ms(&r->rest) : ms);
	*woken = fds[1].revents;
	return !fds[0].revents;
}

/*
 * A full buffer cannot wait for a time slice, so readers run at a higher priority than all ordinary
 * tasks. Measured on a busy machine, with 64 KB and a million events a second, this has a twentieth
 * of the losses of nice -20. Readers need little time, and the kernel reserves some for other
 * tasks. To move a large ring after a rest takes longer, and cannot be late: what is overwritten
 * before it begins is the oldest. Without the privilege, readers are ordinary tasks.
 */
static void set_priority(bool high)
{
	const struct sched_param param = { .sched_priority = high };

	if (pthread_setschedparam(pthread_self(), high ? SCHED_RR : SCHED_OTHER, &param) || !high)
		setpriority(PRIO_PROCESS, (id_t)gettid(), READER_NICE);
}

/* Move what is due. Return: as move_full() */
static int move_due(struct cpu_reader *r)
{
	const u64 now = r->kept ? monotonic_ns() : 0;
	const bool rested = r->rest.resting && !r->rest.small;
	int moved;

	r->stuck = false;
	if (rested)
		set_priority(false);
	moved = move_full(r);
	if (rested)
		set_priority(true);
	return r->kept && moved >= 0 && move_partial(r, now) < 0 ? -1 : moved;
}

static void *reader_thread(void *arg)
{
	struct cpu_reader *r = arg;
	const u64 one = 1;
	bool woken = false, rests;
	int moved;

	set_priority(true);
	do {
		rests = rest_goes_on(&r->rest, woken);
		moved = rests ? 0 : move_due(r);
	} while (moved >= 0 && reader_sleep(r, rests, woken && !moved, &woken));
	if (r->rest.resting)
		set_priority(false);
	drain(r);
	if (r->error && write(r->failed, &one, sizeof(one)) < 0)
		r->error = errno;
	return NULL;
}

/* --- all readers --- */

/*
 * kernel: splice() moves at most as many bytes as the pipe could hold with one page per slot, and
 * nothing if that is less than one sub-buffer. Above that, the default of 64 KB is best: data in a
 * larger pipe has left the cache before it is written (measured: a megabyte doubles the time).
 */
static int open_pipe(struct cpu_reader *r)
{
	int size;

	if (pipe2(r->pipe, O_CLOEXEC))
		return -1;
	size = fcntl(r->pipe[1], F_GETPIPE_SZ);
	if (size >= 0 && (u32)size < 2 * r->subbuf)
		size = fcntl(r->pipe[1], F_SETPIPE_SZ, 2 * r->subbuf);
	if (size < 0)
		return -1;
	r->batch = (size_t)size / r->subbuf * r->subbuf;
	return 0;
}

/* Find the end of the data that a killed recording left, to append to it. */
static int find_position(struct cpu_reader *r)
{
	struct rlimit limit;
	struct stat st;
	u64 n;

	if (fstat(r->out, &st) || getrlimit(RLIMIT_FSIZE, &limit))
		return -1;
	r->limit = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
	n = (u64)st.st_size / r->subbuf;
	r->pos = n * r->subbuf;
	if (r->ring && r->pos >= r->ring) {
		r->wrapped = true;
		if (reader_ring_start(r->out, n, r->subbuf, &n))
			return -1;
		r->pos = n * r->subbuf;
	} else if ((u64)st.st_size > r->pos && ftruncate(r->out, (off_t)r->pos)) {
		return -1;
	}
	return 0;
}

static int reader_open(struct cpu_reader *r, const struct session *s, const struct workdir *w,
		       bool memory, struct diags *diags)
{
	r->raw = tracedir_raw_open(s->instance, r->cpu, diags);
	if (r->raw < 0)
		return -HIST_EIO;
	r->page = malloc(r->subbuf);
	if (!r->page)
		return -HIST_ENOMEM;
	if (open_pipe(r))
		return diags_error(diags, -HIST_EIO,
				   "cannot open a pipe for sub-buffers of %u bytes: %s", r->subbuf,
				   strerror(errno));
	r->out = memory ? memfd_create("trace_pipe_raw", MFD_CLOEXEC)
			: workdir_cpu(w, r->cpu, O_RDWR | O_CREAT);
	if (r->out < 0 || (!r->kept && find_position(r)))
		return diags_error(diags, -HIST_EIO, "cannot write to %s: %s", w->path,
				   strerror(errno));
	return 0;
}

int readers_open(struct readers *rs, const struct session *s, const struct workdir *w,
		 const struct reader_files *files, struct diags *diags)
{
	struct rlimit limit;
	u64 files_max = 4 * (u64)s->cpus.n + 64;
	int err;

	*rs = (struct readers)READERS_INIT;
	rs->session = s;
	rs->v = calloc(s->cpus.n, sizeof(*rs->v));
	if (!rs->v)
		return -HIST_ENOMEM;
	/* four descriptors per CPU; the command was forked before and keeps the old limit */
	if (!getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur < files_max) {
		limit.rlim_cur = min_t(u64, limit.rlim_max, files_max);
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	rs->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rs->failed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rs->stop < 0 || rs->failed < 0)
		return diags_error(diags, -HIST_EIO, "cannot open an eventfd: %s", strerror(errno));
	/* what is kept may have a limit */
	err = files->kept && !files->kept->reserve
		      ? 0
		      : reserve_open(&rs->reserve, w, files->rest, files->compress, diags);
	for (; !err && rs->n < s->cpus.n; rs->n++) {
		struct cpu_reader *r = &rs->v[rs->n];

		*r = (struct cpu_reader){ .cpu = s->cpus.v[rs->n],
					  .subbuf = s->subbuf_size,
					  .raw = -1,
					  .out = -1,
					  .pipe = { -1, -1 },
					  .ring = files->ring,
					  .kept = files->kept,
					  .number = rs->n,
					  .reserve = &rs->reserve,
					  .stop = rs->stop,
					  .failed = rs->failed };
		err = reader_open(r, s, w, files->memory, diags);
		if (r->kept) {
			r->kept->cpus[rs->n].cpu = r->cpu;
			r->kept->cpus[rs->n].fd = r->out;
			r->kept->cpus[rs->n].moved = &r->moved;
		}
	}
	return err;
}

int readers_start(struct readers *rs, struct diags *diags)
{
	const struct sched_param high = { .sched_priority = 1 };
	pthread_attr_t attr;
	int err = pthread_attr_init(&attr);

	if (err)
		return -HIST_ENOMEM;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* from its begin on: on a busy machine, it would wait for the time slice that raises it */
	pthread_attr_setschedpolicy(&attr, SCHED_RR);
	pthread_attr_setschedparam(&attr, &high);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	for (size_t i = 0; !err && i < rs->n; i++) {
		rest_init(&rs->v[i].rest, rs->v[i].kept, i, rs->session);
		err = pthread_create(&rs->v[i].thread, &attr, reader_thread, &rs->v[i]);
		if (err == EPERM) {
			pthread_attr_setinheritsched(&attr, PTHREAD_INHERIT_SCHED);
			err = pthread_create(&rs->v[i].thread, &attr, reader_thread, &rs->v[i]);
		}
		rs->v[i].running = !err;
	}
	pthread_attr_destroy(&attr);
	return err ? diags_error(diags, -HIST_EIO, "cannot start a thread: %s", strerror(err)) : 0;
}

/* Threads read the rest before they end. */
static void join_threads(struct readers *rs)
{
	const u64 one = 1;

	for (int tries = 0; rs->stop >= 0 && tries < 3; tries++)
		if (write(rs->stop, &one, sizeof(one)) > 0 || errno == EAGAIN)
			break;
	for (size_t i = 0; i < rs->n; i++) {
		if (rs->v[i].running)
			pthread_join(rs->v[i].thread, NULL);
		rs->v[i].running = false;
	}
}

void readers_finish(struct readers *rs)
{
	join_threads(rs);
	array_each(struct cpu_reader, r, rs) {
		struct stat st;

		if (!r->page || r->out < 0)
			continue; /* this reader was only partly opened */
		drain(r);
		if (r->ring || r->kept)
			continue;
		/* release space that was not needed; a file that others made shorter stays so */
		if (fstat(r->out, &st) ||
		    ((u64)st.st_size >= r->pos && ftruncate(r->out, (off_t)r->pos)))
			r->error = r->error ? r->error : errno;
		r->room = r->pos;
	}
}

u64 reader_file_size(const struct cpu_reader *r)
{
	return r->wrapped ? r->ring : r->pos;
}

u64 readers_moved(const struct readers *rs)
{
	return sum_of(i, rs->n, atomic_load_explicit(&rs->v[i].moved, memory_order_relaxed));
}

void readers_report_lost(const struct readers *rs, struct diags *diags)
{
	u64 lost = 0;

	for (size_t i = 0; i < rs->n; i++)
		lost += rs->v[i].lost;
	if (lost)
		diags_add(diags, DIAG_WARNING,
			  "%llu bytes of events were lost on the way to the disk", lost);
}

const struct cpu_reader *readers_failure(const struct readers *rs)
{
	return array_find(rs, e, e->error);
}

void readers_close(struct readers *rs)
{
	join_threads(rs);
	for (size_t i = 0; i < rs->n; i++) {
		fd_close(rs->v[i].raw);
		fd_close(rs->v[i].out);
		fd_close(rs->v[i].pipe[0]);
		fd_close(rs->v[i].pipe[1]);
		free(rs->v[i].page);
	}
	reserve_close(&rs->reserve);
	fd_close(rs->stop);
	fd_close(rs->failed);
	free(rs->v);
	*rs = (struct readers)READERS_INIT;
}
