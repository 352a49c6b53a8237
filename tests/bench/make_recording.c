// SPDX-License-Identifier: LGPL-2.1-only
/*
 * make_recording OUT EVENTS [MIX [CODEC [VERSION [CPUS [SCRIPT [DATE]]]]]]: writes a recording for
 * measurements.
 *
 * MIX: mix (a busy system), keys (100 thousand distinct addresses), manykeys (10 million), wakeup
 * (sched_waking and sched_switch), sched (sched_wakeup and sched_switch of tasks that sleep, wait
 * and run, as perf sched expects; and a system call in a thousand), calls (system calls with
 * durations), slowcalls (the same, but getpid(2) takes three times as long). SCRIPT: a file to be
 * stored in it, - for none. DATE: as trace-cmd record --date stores it. CODEC: none, zlib, zstd.
 * The same arguments always give the same file, because the events come from a pseudo-random
 * generator.
 */
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ring_buffer/ring_buffer.h"
#include "trace_dat/writer.h"

enum { SUBBUF = 4096, HEADER = 16, ROOM = SUBBUF - HEADER, CPUS_MAX = 64, TASKS = 400 };
enum {
	ID_SWITCH = 260,
	ID_WAKEUP = 262,
	ID_WAKING = 263,
	ID_ENTER = 334,
	ID_EXIT = 333,
	ID_KMALLOC = 521
};

#define COMMON                                                                         \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"         \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"         \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define WAKEUP_FIELDS                                                 \
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"    \
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"        \
	"\tfield:int prio;\toffset:28;\tsize:4;\tsigned:1;\n"         \
	"\tfield:int target_cpu;\toffset:32;\tsize:4;\tsigned:1;\n\n" \
	"print fmt: \"comm=%s pid=%d\", REC->comm, REC->pid\n"

static const struct {
	const char *system, *text;
} formats[] = {
	{ "sched",
	  "name: sched_switch\nID: 260\nformat:\n" COMMON
	  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	  "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	  "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	  "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	  "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	  "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	  "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
	  "print fmt: \"%s:%d ==> %s:%d\", REC->prev_comm, REC->prev_pid, REC->next_comm, REC->next_pid\n" },
	{ "sched", "name: sched_waking\nID: 263\nformat:\n" COMMON WAKEUP_FIELDS },
	{ "sched", "name: sched_wakeup\nID: 262\nformat:\n" COMMON WAKEUP_FIELDS },
	{ "raw_syscalls", "name: sys_enter\nID: 334\nformat:\n" COMMON
			  "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
			  "\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"
			  "print fmt: \"NR %ld (%lx)\", REC->id, REC->args[0]\n" },
	{ "raw_syscalls", "name: sys_exit\nID: 333\nformat:\n" COMMON
			  "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
			  "\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
			  "print fmt: \"NR %ld = %ld\", REC->id, REC->ret\n" },
	{ "kmem", "name: kmalloc\nID: 521\nformat:\n" COMMON
		  "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
		  "\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
		  "\tfield:size_t bytes_req;\toffset:24;\tsize:8;\tsigned:0;\n"
		  "\tfield:size_t bytes_alloc;\toffset:32;\tsize:8;\tsigned:0;\n"
		  "\tfield:unsigned long gfp_flags;\toffset:40;\tsize:8;\tsigned:0;\n"
		  "\tfield:int node;\toffset:48;\tsize:4;\tsigned:1;\n\n"
		  "print fmt: \"call_site=%lx bytes_req=%zu\", REC->call_site, REC->bytes_req\n" },
};

/* The sub-buffers of one CPU. */
struct cpu {
	u8 *pages;
	size_t n, room;
	u32 used; /* bytes used of the last sub-buffer */
	u64 ts;   /* time of the last record */
	s32 pid;  /* the running task */
	int fd;   /* of the file with the pages */
	u64 call; /* the current system call + 1; 0: none */
	u64 due;  /* time at which that call returns */
};

static struct cpu cpus[CPUS_MAX];
static u64 waiting[TASKS]; /* time at which each task was woken */
static u64 state = 88172645463325252ull;

static u64 next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "make_recording: %s\n", what);
	exit(2);
}

static const char *directory; /* of the recording */

/* The pages are those of a file without a name, so that they need not fit into memory. */
static void more_room(struct cpu *c)
{
	size_t before = c->room * SUBBUF, size = before ? 2 * before : 64 * SUBBUF;
	void *pages;

	if (!before)
		c->fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (c->fd < 0 || ftruncate(c->fd, (off_t)size) != 0)
		die("no room for the events beside OUT");
	pages = before ? mremap(c->pages, before, size, MREMAP_MAYMOVE)
		       : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (pages == MAP_FAILED)
		die("no memory");
	c->pages = pages;
	c->room = size / SUBBUF;
}

static u8 *new_page(struct cpu *c, u64 ts)
{
	u8 *page;

	if (c->n == c->room)
		more_room(c);
	page = c->pages + c->n++ * SUBBUF;
	/*
	 * NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): without room there are no pages
	 */
	memset(page, 0, SUBBUF);
	store_u64(page, ts, false);
	c->used = 0;
	c->ts = ts;
	return page;
}

static void emit(struct cpu *c, u64 ts, const void *payload, u32 len)
{
	u8 *page = c->n ? c->pages + (c->n - 1) * SUBBUF : NULL, *p;
	u32 need = len + 4, extend;
	u64 delta;

	if (!page || c->used + need + 8 > ROOM)
		page = new_page(c, ts);
	delta = ts - c->ts;
	p = page + HEADER + c->used;
	extend = delta >= 1ull << RINGBUF_TS_SHIFT ? 8 : 0;
	if (extend) {
		store_u32(p, RINGBUF_TYPE_TIME_EXTEND | (u32)(delta << 5), false);
		store_u32(p + 4, (u32)(delta >> RINGBUF_TS_SHIFT), false);
		delta = 0;
	}
	store_u32(p + extend, len / 4 | (u32)delta << 5, false);
	memcpy(p + extend + 4, payload, len);
	c->used += need + extend;
	c->ts = ts;
	store_u64(page + 8, c->used, false);
}

static void common(u8 *r, u16 id, s32 pid)
{
	store_u16(r, id, false);
	store_u32(r + 4, (u32)pid, false);
}

static void put_comm(u8 *to, s32 pid)
{
	static const char *const names[] = { "bash",  "kworker/0:1", "postgres",
					     "nginx", "cc1",         "swapper" };
	const char *comm = names[(u32)pid % ARRAY_SIZE(names)];

	memcpy(to, comm, strlen(comm) + 1);
}

static void sched_switch(struct cpu *c, u64 ts, s32 next, u64 prev_state)
{
	u8 r[64] = { 0 };

	common(r, ID_SWITCH, c->pid);
	put_comm(r + 8, c->pid);
	store_u32(r + 24, (u32)c->pid, false);
	store_u32(r + 28, 120, false);
	store_u64(r + 32, prev_state, false);
	put_comm(r + 40, next);
	store_u32(r + 56, (u32)next, false);
	store_u32(r + 60, 120 - next % 21, false);
	emit(c, ts, r, sizeof(r));
	c->pid = next;
}

static void wakeup_event(struct cpu *c, u64 ts, u16 id, s32 pid)
{
	u8 r[36] = { 0 };

	common(r, id, c->pid);
	put_comm(r + 8, pid);
	store_u32(r + 24, (u32)pid, false);
	store_u32(r + 28, 120 - (u32)pid % 21, false);
	store_u32(r + 32, (u32)next_random() % 4, false);
	emit(c, ts, r, sizeof(r));
}

/* A random number; small ones are the most frequent, as for system calls and sizes. */
static u64 skewed(u64 below)
{
	u64 a = next_random() % below, b = next_random() % below;

	return a < b ? a : b;
}

static void syscall_event(struct cpu *c, u64 ts, bool enter)
{
	u8 r[64] = { 0 };

	common(r, enter ? ID_ENTER : ID_EXIT, c->pid);
	store_u64(r + 8, skewed(330), false);
	store_u64(r + 16, next_random() % 5 ? skewed(4096) : (u64)-11, false);
	emit(c, ts, r, enter ? 64 : 24);
}

static void kmalloc(struct cpu *c, u64 ts, u64 sites)
{
	u64 size = 8ull << skewed(9), site = sites > 1000 ? next_random() % sites : skewed(sites);
	u8 r[52] = { 0 };

	common(r, ID_KMALLOC, c->pid);
	store_u64(r + 8, 0xffffffff81000000ull + 16 * site, false);
	store_u64(r + 16, 0xffff888000000000ull + (next_random() & 0xffffff8), false);
	store_u64(r + 24, size - next_random() % (size / 2), false);
	store_u64(r + 32, size, false);
	store_u64(r + 40, 0xcc0, false);
	store_u32(r + 48, (u32)-1, false);
	emit(c, ts, r, sizeof(r));
}

static void wakeup(struct cpu *c, u64 ts)
{
	s32 pid = 1 + (s32)(next_random() % (TASKS - 1));

	if (waiting[pid]) {
		sched_switch(c, ts, pid, next_random() % 3);
		waiting[pid] = 0;
	} else {
		wakeup_event(c, ts, ID_WAKING, pid);
		waiting[pid] = ts;
	}
}

/* A task sleeps, is woken, waits, runs, and sleeps again. */
static void sched(struct cpu *c, u64 ts, u32 n_cpus)
{
	enum { SLEEPS = 1 };
	s32 pid = 1 + (s32)(next_random() % (TASKS - 1));

	/* perf sched leaves out tasks named swapper */
	pid -= pid % 6 == 5;
	for (u32 i = 0; i < n_cpus; i++) {
		if (cpus[i].pid == pid) {
			sched_switch(&cpus[i], ts, 0, SLEEPS);
			return;
		}
	}
	if (waiting[pid])
		sched_switch(c, ts, pid, c->pid ? SLEEPS : 0);
	else
		wakeup_event(c, ts, ID_WAKEUP, pid);
	waiting[pid] = waiting[pid] ? 0 : ts;
}

static void put_call(struct cpu *c, u64 ts, u64 call, bool enter)
{
	u8 r[64] = { 0 };

	common(r, enter ? ID_ENTER : ID_EXIT, c->pid);
	store_u64(r + 8, call, false);
	emit(c, ts, r, enter ? 64 : 24);
}

/* A system call. Each of the 40 calls has its own duration, plus or minus a quarter. */
static void call(struct cpu *c, u64 ts, bool slow)
{
	enum { CALLS = 40, GETPID = 39 };
	u64 id, takes;

	if (c->call && ts >= c->due) {
		put_call(c, ts, c->call - 1, false);
		c->call = 0;
	} else if (!c->call) {
		id = next_random() % CALLS;
		takes = 20000 + 1000 * id;
		takes += next_random() % (takes / 4);
		c->due = ts + (slow && id == GETPID ? 3 * takes : takes);
		c->call = id + 1;
		put_call(c, ts, id, true);
	}
}

static void one_event(struct cpu *c, u64 ts, u32 n_cpus, const char *mix)
{
	u64 roll = next_random() % 100;
	s32 next;

	if (!strcmp(mix, "keys"))
		kmalloc(c, ts, 100000);
	else if (!strcmp(mix, "manykeys"))
		kmalloc(c, ts, 10000000);
	else if (!strcmp(mix, "calls") || !strcmp(mix, "slowcalls"))
		call(c, ts, mix[0] == 's');
	else if (!strcmp(mix, "wakeup") && roll < 70)
		wakeup(c, ts);
	else if (!strcmp(mix, "sched") && roll < 70)
		sched(c, ts, n_cpus);
	else if (!strcmp(mix, "sched") && !(next_random() % 300))
		syscall_event(c, ts, true);
	else if (roll < 15) {
		next = 1 + (s32)skewed(TASKS - 1);
		sched_switch(c, ts, next, next_random() % 3);
	} else if (roll < 30)
		wakeup_event(c, ts, ID_WAKING, 1 + (s32)skewed(TASKS - 1));
	else if (roll < 65)
		syscall_event(c, ts, roll % 2);
	else
		kmalloc(c, ts, 500);
}

static void make_events(u64 n, u32 n_cpus, const char *mix)
{
	u64 ts = 1000000000;

	for (u32 i = 0; i < n_cpus; i++)
		cpus[i].pid = 1 + (s32)i;
	for (u64 i = 0; i < n; i++) {
		/* sometimes a CPU is idle for longer than a delta of 27 bits */
		ts += 50 + next_random() % 400 +
		      (next_random() % 200000 || strstr(mix, "calls") ? 0 : 1ull << 28);
		one_event(&cpus[next_random() % n_cpus], ts, n_cpus, mix);
	}
}

static int store_script(struct trace_dat_writer *w, const char *path)
{
	static char text[4096];
	FILE *f = path ? fopen(path, "r") : NULL;
	size_t n;

	if (path && !f)
		die("cannot read SCRIPT");
	if (!f)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	return trace_dat_writer_option(w, TRACE_DAT_HIST_SCRIPT, text, (u32)n + 1);
}

static const char *script, *date; /* to be stored; NULL: none */

static void write_file(const char *path, enum codec codec, int version, u32 n_cpus)
{
	static const char kallsyms[] = "ffffffff81000000 T _stext\nffffffff82000000 T _etext\n";
	const struct trace_dat_machine machine = { .version = version,
						   .codec = codec,
						   .long_size = 8,
						   .page_size = SUBBUF,
						   .cpu_count = n_cpus,
						   .clock = "local" };
	static const char uname[] = "Linux bench 6.12.0 x86_64";
	struct diags diags = DIAGS_INIT;
	struct trace_dat_writer *w;
	int err = trace_dat_writer_open(path, &machine, &w, &diags);

	if (err)
		die(diags.list.v[0].text);
	for (size_t i = 0; i < ARRAY_SIZE(formats) && !err; i++)
		err = trace_dat_writer_format(w, formats[i].system, span_of(formats[i].text));
	if (!err)
		err = trace_dat_writer_section(w, TRACE_DAT_KALLSYMS, span_of(kallsyms));
	if (!err)
		err = trace_dat_writer_option(w, TRACE_DAT_UNAME, uname, sizeof(uname));
	if (!err)
		err = store_script(w, script);
	if (!err && date)
		err = trace_dat_writer_option(w, TRACE_DAT_DATE, date, (u32)strlen(date) + 1);
	if (!err)
		err = trace_dat_writer_buffer(w, "", "local", SUBBUF);
	for (u32 i = 0; i < n_cpus && !err; i++) {
		err = trace_dat_writer_cpu(w, i);
		if (!err)
			err = trace_dat_writer_pages(w, cpus[i].pages, cpus[i].n);
	}
	if (err || trace_dat_writer_finish(w, &diags))
		die("cannot write");
}

int main(int argc, char **argv)
{
	const char *mix = argc > 3 ? argv[3] : "mix", *codec = argc > 4 ? argv[4] : "none";
	u32 n_cpus = argc > 6 ? (u32)strtoul(argv[6], NULL, 10) : 4;

	if (argc < 3 || !n_cpus || n_cpus > CPUS_MAX) {
		fprintf(stderr,
			"usage: make_recording OUT EVENTS [MIX [CODEC [VERSION [CPUS [SCRIPT [DATE]]]]]]\n");
		return 2;
	}
	script = argc > 7 && strcmp(argv[7], "-") != 0 ? argv[7] : NULL;
	date = argc > 8 ? argv[8] : NULL;
	directory = dirname(strdup(argv[1]));
	make_events(strtoull(argv[2], NULL, 10), n_cpus, mix);
	write_file(argv[1],
		   !strcmp(codec, "zstd")   ? CODEC_ZSTD
		   : !strcmp(codec, "zlib") ? CODEC_ZLIB
					    : CODEC_NONE,
		   argc > 5 && !strcmp(argv[5], "6") ? 6 : 7, n_cpus);
	return 0;
}
