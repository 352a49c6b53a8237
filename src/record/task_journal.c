// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Sets up the instance of the journal of tasks, and moves its sub-buffers to a file.
 *
 * One thread reads the buffers of all CPUs with a pause after each time: the recording itself must
 * not be disturbed. If the arguments of programs are recorded, it wakes at the first event, because
 * a program that was just executed must be asked soon; otherwise when a buffer is half full. In the
 * file, a sub-buffer is its CPU, its length, and its bytes without the zeros at its end. Marks in
 * the instance tell the times of the trace clock at which the journal begins and ends, and at which
 * questions were answered.
 */
#include <sys/eventfd.h>
#include <sys/resource.h>

#include <tracefs.h>

#include "record/blocks.h"
#include "record/kept.h"
#include "record/task_journal.h"
#include "record/tracedir.h"

enum {
	BUFFER_KB = 256,
	LOOK_MS = 1000,
	PAUSE_MS = 50,
	SOON_MS = 10, /* to ask programs; more with many CPUs */
	CPUS_PER_MS = 4,
	STACK_BYTES = 1 << 18,
	READER_NICE = -10
};

/* Of the file: what a recording without an end may take from the disk. */
#define MAX_BYTES (1ull << 28)

/* After that, one of which only the last part is kept begins anew. */
enum { ANEW_BYTES = 1 << 20 };

static void fail(struct tasks *t, int why)
{
	t->error = t->error ? t->error : why ? why : EIO;
}

/* --- the instance --- */

/* The clock of the recording: the times of both must be comparable. */
static int set_clock(struct tasks *t, const struct session *s)
{
	char *text = tracedir_read(s->instance, "trace_clock", NULL), *name = NULL;
	struct span clock = clock_selected(span_of(text ? text : ""));
	int ret = -1;

	if (clock.s)
		name = strndup(clock.s, clock.n);
	if (name)
		ret = tracedir_write(t->instance, "trace_clock", name);
	free(name);
	free(text);
	return ret;
}

/* An instance inherits the options of the top level. */
static int configure(struct tasks *t, const struct session *s)
{
	static const struct {
		const char *file;
		bool on;
	} options[] = {
		{ "options/overwrite", true },       { "options/stacktrace", false },
		{ "options/userstacktrace", false }, { "options/event-fork", false },
		{ "options/block", false },          { "options/markers", true },
	};
	char size[16];
	int ret = set_clock(t, s);

	for (size_t i = 0; !ret && i < ARRAY_SIZE(options); i++)
		ret = tracedir_write_if(t->instance, options[i].file, options[i].on ? "1" : "0");
	snprintf(size, sizeof(size), "%d", BUFFER_KB);
	if (!ret)
		ret = tracedir_write(t->instance, "buffer_size_kb", size);
	if (!ret)
		tracedir_write_if(t->instance, "buffer_percent", t->args || t->news ? "0" : "50");
	return ret;
}

/* Enable the events that this kernel has, and store their formats. */
static int enable(struct tasks *t, struct workdir *w)
{
	int err = 0;

	for (size_t i = 0; !err && i < N_TASKS_EVENTS; i++) {
		scoped(strbuf_release) struct strbuf file = STRBUF_INIT;
		scoped(free_scoped) char *text = NULL;
		size_t n;

		strbuf_addf(&file, "events/%s/format", tasks_events[i]);
		text = tracedir_read(t->instance, file.s, &n);
		if (text && tasks_format_parse((struct span){ text, n }, &t->formats[i]) != i)
			t->formats[i].id = 0;
		strbuf_reset(&file);
		strbuf_addf(&file, "events/%s/enable", tasks_events[i]);
		if (text && (i == TASKS_PRINT || !tracedir_write(t->instance, file.s, "1")))
			err = workdir_add(w, (struct span){ text, n }, "tasks format");
	}
	return err;
}

static int mark(struct tracefs_instance *instance, const char *text)
{
	return tracedir_write(instance, "trace_marker", text);
}

static int open_instance(struct tasks *t, const struct session *s, struct workdir *w)
{
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;
	const u16 one = 1;
	scoped(free_scoped) char *text = NULL;
	int err;

	t->layout.big_endian = load_u16(&one, false) != 1;
	strbuf_addstr(&name, TASKS_PREFIX);
	pid_namespace_add_id(&name);
	err = name.failed || tracefs_instance_exists(name.s) ||
	      undo_log(s->undo, span_of(name.s), "instance") ||
	      workdir_add(w, span_of(name.s), "tasks instance");
	if (!err)
		t->instance = tracefs_instance_create(name.s);
	if (!t->instance || tracedir_write(t->instance, "tracing_on", "0"))
		return -1;
	text = tracedir_read(t->instance, "events/header_page", NULL);
	err = !text ||
	      header_page_parse(span_of(text), &t->layout.subbuf_size, &t->layout.long_size) ||
	      workdir_add_number(w, "tasks subbuf", t->layout.subbuf_size);
	return err ? -1 : configure(t, s);
}

/* --- sub-buffers --- */

/* ->page, which begins with its head. */
static void store_page(struct tasks *t, char *page, u32 cpu, u32 len)
{
	struct tasks_page head = { .cpu = cpu, .len = len };

	if (t->error)
		return;
	memcpy(page, &head, sizeof(head));
	if (t->size + sizeof(head) + len > MAX_BYTES)
		fail(t, EFBIG);
	else if (!fd_write(t->out, page, sizeof(head) + len))
		fail(t, errno);
	t->size += sizeof(head) + len;
}

/* Note what the records of a sub-buffer state, and of which tasks /proc must be asked. */
static void note_records(struct tasks *t, const char *page)
{
	const bool big = t->layout.big_endian;
	struct ring_buffer_record rec;
	struct ring_buffer_page pg;

	if (ring_buffer_page_open(&pg, &t->layout, page, t->layout.subbuf_size))
		return;
	while (!ring_buffer_page_next(&pg, &rec)) {
		const struct tasks_format *f =
			tasks_format_of(t->formats, N_TASKS_EVENTS, &rec, big);
		struct tasks_question q = { .ts = rec.ts };

		if (!f)
			continue;
		if (t->news)
			task_news_note(t->news, &rec);
		q.event = f->event;
		q.pid = (s32)tasks_field_number(&rec, &f->fields[0], big);
		if (tasks_is_question(&rec, f, t->args, big))
			(void)array_push(&t->questions, q);
	}
}

/* What they ask is true until the mark, unless an event before it contradicts. */
static void answer_questions(struct tasks *t)
{
	const struct tasks_page head = { .cpu = 0 };
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	char text[64];

	strbuf_add(&out, (const char *)&head, sizeof(head));
	for (size_t i = 0; i < t->questions.n; i++)
		tasks_answer(&t->questions.v[i], &out);
	t->questions.n = 0;
	if (out.len > sizeof(head) && !out.failed) {
		snprintf(text, sizeof(text), TASKS_READ "%u", t->answers);
		if (!mark(t->instance, text)) {
			store_page(t, out.s, TASKS_ANSWER | t->answers++,
				   (u32)(out.len - sizeof(head)));
			if (t->news)
				strbuf_add(&t->news->answers, out.s, out.len);
		}
		t->answers &= ~TASKS_ANSWER;
	}
}

/* Whether there was one. */
static bool read_one(struct tasks *t, size_t i)
{
	char *page = t->page + sizeof(struct tasks_page);
	size_t have = 0;
	int got = tracedir_raw_read(t->raw.v[i].fd, page, t->layout.subbuf_size, &have);

	if (got < 0)
		fail(t, errno);
	if (got <= 0)
		return false;
	note_records(t, page);
	while (have > 16 && !page[have - 1])
		have--;
	store_page(t, t->page, t->cpus.v[i], (u32)have);
	return !t->error || t->news;
}

/* After a failure nothing is stored; but the news go on. */
static void read_buffers(struct tasks *t)
{
	for (size_t i = 0; i < t->cpus.n && (!t->error || t->news); i++)
		while (read_one(t, i))
			;
	if (t->error)
		t->questions.n = 0;
}

/*
 * Pass on what was read. A CPU that was read before another one may have had earlier records when
 * that was read, and the marks of answers follow them: after reading once more, everything up to
 * the last record is known, except what questions ask that have no answer yet.
 */
static void publish(struct tasks *t)
{
	u64 to = t->news->last;

	if (!t->news->lines.v.n)
		return;
	read_buffers(t);
	for (size_t i = 0; i < t->questions.n; i++)
		to = min_t(u64, to, t->questions.v[i].ts - 1);
	task_news_publish(t->news, to);
}

static void read_all(struct tasks *t)
{
	read_buffers(t);
	if (t->questions.n)
		answer_questions(t);
	if (t->news)
		publish(t);
}

/* Store what /proc knows: it is complete when the mark is written. */
static int store_known(struct tasks *t)
{
	const struct tasks_page head = { .cpu = 0 };
	scoped(strbuf_release) struct strbuf known = STRBUF_INIT;
	int ret;

	strbuf_add(&known, (const char *)&head, sizeof(head));
	tasks_scan(&known, t->args);
	tasks_quotas(&known, false);
	ret = known.failed || mark(t->instance, TASKS_SCANNED) ? -1 : 0;
	/* later, nothing of it is new */
	if (!ret && t->news && !t->anew)
		task_news_known(t->news,
				span_skip((struct span){ known.s, known.len }, sizeof(head)));
	if (!ret)
		store_page(t, known.s, TASKS_PROC, (u32)(known.len - sizeof(head)));
	return ret || t->error ? -1 : 0;
}

/*
 * Begin anew, so that the journal does not grow without end: when all that is kept is later than
 * its beginning, what precedes it is not needed any more.
 */
static void begin_anew(struct tasks *t)
{
	u64 now = monotonic_ns();
	int out;

	if (t->writing || t->size < ANEW_BYTES || t->begun >= kept_from(t->kept) ||
	    workdir_rotate_tasks(t->work))
		return;
	out = workdir_tasks(t->work, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
	if (out < 0 || mark(t->instance, TASKS_BEGIN)) {
		fail(t, errno);
		fd_close(out);
		return;
	}
	fd_close(t->out);
	t->out = out;
	t->size = 0;
	t->begun = now;
	t->anew = true;
	if (store_known(t))
		fail(t, errno);
}

/* What the thread does at each time; false: there is nothing left to do. */
static bool tasks_round(struct tasks *t, u64 before)
{
	bool more;

	pthread_mutex_lock(&t->mutex);
	read_all(t);
	if (t->kept && !t->error)
		begin_anew(t);
	if (t->news)
		atomic_store_explicit(&t->news->read, before, memory_order_release);
	t->wait_ms = t->news ? PAUSE_MS : LOOK_MS;
	more = !t->error || t->news;
	pthread_mutex_unlock(&t->mutex);
	return more;
}

static void *tasks_thread(void *arg)
{
	struct tasks *t = arg;
	struct pollfd *stop = &t->raw.v[t->cpus.n];
	const int pause = t->args ? SOON_MS + (int)t->cpus.n / CPUS_PER_MS : PAUSE_MS;
	u64 before;

	setpriority(PRIO_PROCESS, (id_t)gettid(), READER_NICE);
	do {
		before = monotonic_ns();
		/* kernel: before 6.1, data is reported at each event */
		poll(t->raw.v, t->raw.n, t->wait_ms);
	} while (!stop->revents && tasks_round(t, before) && poll(stop, 1, pause) <= 0);
	/* no more will be known */
	pthread_mutex_lock(&t->mutex);
	if (t->news)
		atomic_store_explicit(&t->news->read, UINT64_MAX, memory_order_release);
	pthread_mutex_unlock(&t->mutex);
	return NULL;
}

static int open_buffers(struct tasks *t, const u32 *cpus, size_t n)
{
	t->page = malloc(sizeof(struct tasks_page) + t->layout.subbuf_size);
	if (!t->page)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct pollfd p = { .events = POLLIN };

		p.fd = tracedir_raw_open(t->instance, cpus[i], NULL);
		if (p.fd < 0 || array_push(&t->raw, p) || array_push(&t->cpus, cpus[i]))
			return -1;
	}
	return 0;
}

static int start_thread(struct tasks *t)
{
	struct pollfd stop = { .fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .events = POLLIN };
	pthread_attr_t attr;

	if (stop.fd < 0 || array_push(&t->raw, stop) || pthread_attr_init(&attr))
		return -1;
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	errno = pthread_create(&t->thread, &attr, tasks_thread, t);
	t->running = !errno;
	pthread_attr_destroy(&attr);
	return errno ? -1 : 0;
}

static void end_thread(struct tasks *t)
{
	const u64 one = 1;

	if (t->running && write(t->raw.v[t->cpus.n].fd, &one, sizeof(one)) > 0)
		pthread_join(t->thread, NULL);
	t->running = false;
}

/* --- a recording --- */

static int begin(struct tasks *t, const struct session *s, struct workdir *w)
{
	int ret = open_instance(t, s, w);

	if (!ret)
		ret = enable(t, w);
	if (!ret)
		ret = open_buffers(t, s->cpus.v, s->cpus.n);
	t->out = ret ? -1 : workdir_tasks(w, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
	if (t->out < 0 || tracedir_write(t->instance, "tracing_on", "1") ||
	    mark(t->instance, TASKS_BEGIN))
		ret = -1;
	t->begun = monotonic_ns();
	if (!ret)
		ret = store_known(t);
	return ret ? ret : start_thread(t);
}

void tasks_start(struct tasks *t, const struct record_plan *plan, const struct session *s,
		 struct workdir *w, struct diags *diags)
{
	t->args = !plan->no_cmdline;
	t->work = w;
	if ((plan->keep || plan->stream) && !plan->no_tasks)
		t->news = task_news_new(t->formats);
	if (plan->no_tasks || !begin(t, s, w))
		return;
	diags_add(
		diags, DIAG_WARNING,
		"without the journal of tasks, which cannot be recorded: %s; --no-tasks records without it",
		strerror(errno));
	if (t->instance)
		tracedir_write(t->instance, "tracing_on", "0");
	tasks_close(t);
}

void tasks_follow(struct tasks *t, struct kept *kept)
{
	pthread_mutex_lock(&t->mutex);
	t->kept = kept;
	/* the kernel needs no names to evaluate filters */
	if (kept->until) {
		task_news_free(t->news);
		t->news = NULL;
	}
	pthread_mutex_unlock(&t->mutex);
}

void tasks_complete(struct tasks *t, bool followed, struct strbuf *blocks)
{
	if (!t->instance)
		return;
	tasks_add_quotas(&t->quotas, t->running, followed, blocks);
	if (t->running)
		mark(t->instance, TASKS_END);
	pthread_mutex_lock(&t->mutex);
	if (t->running)
		read_all(t);
	if (t->anew)
		block_add(blocks, span_of("1"), "tasks both");
	if (t->error)
		block_add(blocks, span_of("1"), "tasks lost");
	t->writing = true;
	pthread_mutex_unlock(&t->mutex);
}

void tasks_written(struct tasks *t)
{
	pthread_mutex_lock(&t->mutex);
	t->writing = false;
	pthread_mutex_unlock(&t->mutex);
}

static u64 count_lost(struct tasks *t)
{
	u64 lost = 0;

	for (size_t i = 0; i < t->cpus.n; i++) {
		struct ring_stats stats;
		bool known = ring_stats_read(t->instance, t->cpus.v[i], &stats);

		lost = add_saturated(lost, ring_stats_lost(&stats) + !known);
	}
	return lost;
}

/* Read the rest, and store what was lost. */
static int end(struct tasks *t, struct workdir *w, u64 *lost)
{
	struct strbuf quotas = STRBUF_INIT;
	int ret;

	tasks_quotas(&quotas, true);
	if (!quotas.failed)
		workdir_add(w, strbuf_span(&quotas), "tasks quotas");
	strbuf_release(&quotas);
	/* what ends does not begin anew: a mark cannot be written then */
	pthread_mutex_lock(&t->mutex);
	t->writing = true;
	pthread_mutex_unlock(&t->mutex);
	ret = mark(t->instance, TASKS_END);
	tracedir_write(t->instance, "tracing_on", "0");
	end_thread(t);
	read_all(t);
	*lost = count_lost(t) + (t->error != 0);
	return ret || workdir_add_number(w, "tasks lost", *lost) ? -1 : 0;
}

void tasks_finish(struct tasks *t, struct workdir *w, struct diags *diags)
{
	u64 lost;

	if (!t->instance)
		return;
	if (end(t, w, &lost))
		diags_add(diags, DIAG_WARNING, "the journal of tasks cannot be completed: %s",
			  strerror(errno));
	else if (t->error)
		diags_add(diags, DIAG_WARNING, "the journal of tasks ended early: %s",
			  strerror(t->error));
	else if (lost)
		diags_add(diags, DIAG_WARNING,
			  "the journal of tasks lost %llu event%s: names of tasks may be guesses",
			  lost, plural(lost));
}

void tasks_close(struct tasks *t)
{
	end_thread(t);
	for (size_t i = 0; i < t->raw.n; i++)
		fd_close(t->raw.v[i].fd);
	array_release(&t->raw);
	array_release(&t->questions);
	array_release(&t->cpus);
	task_news_free(t->news);
	strbuf_release(&t->quotas);
	if (t->instance)
		tracefs_instance_free(t->instance);
	fd_close(t->out);
	free(t->page);
	*t = (struct tasks)TASKS_INIT;
}

/* --- after a kill --- */

/* A sub-buffer of which only a part was written when the recording was killed. */
static int cut_rest(int fd)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct span rest, bytes;
	struct tasks_page head;
	int ret = fd_append_all(fd, &text, MAX_BYTES) ? 0 : -1;

	rest = (struct span){ text.s, text.len };
	while (tasks_page_next(&rest, &head, &bytes))
		;
	if (!ret && rest.n)
		ret = ftruncate(fd, (off_t)(text.len - rest.n));
	return ret;
}

static int save_rest(struct tasks *t, struct session *s, struct workdir *w)
{
	u64 lost;
	int ret;

	t->layout.subbuf_size = s->subbuf_size;
	t->out = workdir_tasks(w, O_RDWR | O_APPEND);
	ret = t->out < 0 || cut_rest(t->out) || open_buffers(t, s->cpus.v, s->cpus.n) ? -1 : 0;
	return ret ? ret : end(t, w, &lost);
}

void tasks_recover(struct workdir *w, struct span manifest, struct diags *diags)
{
	struct span name = block_find(manifest, "tasks instance");
	char *instance = name.s ? strndup(name.s, name.n) : NULL;
	struct tasks t = TASKS_INIT;
	struct session s;

	if (!instance || tracedir_has_instance(instance) <= 0) {
		free(instance);
		return;
	}
	t.instance = tracefs_instance_alloc(NULL, instance);
	if (session_find(&s, instance, diags) || !t.instance || save_rest(&t, &s, w))
		diags_add(diags, DIAG_WARNING, "the journal of tasks cannot be completed: %s",
			  strerror(errno));
	session_close(&s);
	tasks_close(&t);
	free(instance);
}

void tasks_sweep(const char *name)
{
	struct span id = span_of(name);
	scoped(strbuf_release) struct strbuf recording = STRBUF_INIT;

	if (!span_starts(id, TASKS_PREFIX))
		return;
	id = span_skip(id, strlen(TASKS_PREFIX));
	strbuf_addf(&recording, "hist.%.*s", (int)id.n, id.s);
	if (pid_namespace_id_is_dead(id) && !recording.failed &&
	    !tracedir_has_instance(recording.s))
		tracedir_rmdir_instance(name);
}
