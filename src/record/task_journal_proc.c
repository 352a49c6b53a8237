// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What /proc knows of all tasks, as lines of the journal of tasks.
 *
 * kernel: the list of all processes is complete, except for those that ended meanwhile; the list of
 * the threads of a process may lack one if another one ends while it is read, so it is compared
 * with their number.
 */
#include <linux/magic.h>
#include <sys/vfs.h>

#include "record/task_journal.h"
#include "record/tracedir.h"

#define CGROUPS "/sys/fs/cgroup"

enum { ARGS_MAX = 4096, TEXT_MAX = 8192, TRIES = 3, NS_PER_S = 1000000000 };

struct proc_scan {
	struct strbuf *out;
	bool args, cgroups;
	u64 unseen;
	u64 tick_ns;
	char text[TEXT_MAX];
};

typedef ARRAY(s32) pid_array;

static bool has_ended(int why)
{
	return why == ENOENT || why == ESRCH;
}

/* At most @max bytes of a file of /proc; absent if it cannot be read. */
static struct span read_text(struct proc_scan *s, const char *path, size_t max)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : fd_read(fd, s->text, max);

	fd_close(fd);
	return n < 0 ? (struct span){ NULL, 0 } : (struct span){ s->text, (size_t)n };
}

/* --- a thread --- */

/* The name of a task; that of some workers is only in "sched". Absent: unknown. */
static struct span worker_name(struct proc_scan *s, s32 pid, struct span name)
{
	const struct span known = task_comm(name);
	char path[64], end[32];
	struct span text;
	const char *to;

	if (known.s)
		return known;
	snprintf(path, sizeof(path), "/proc/%d/sched", pid);
	snprintf(end, sizeof(end), " (%d, ", pid);
	text = read_text(s, path, 256);
	to = text.s ? span_find(text, span_of(end)) : NULL;
	return to ? span_between(text.s, to) : (struct span){ NULL, 0 };
}

/* The number of field @i of the text after the name in "stat", from 0. */
static u64 stat_number(struct span rest, unsigned int i)
{
	struct span word = { NULL, 0 };
	u64 n = 0;

	for (unsigned int k = 0; k <= i; k++)
		word = span_word(&rest);
	return span_u64(word, &n) ? n : 0;
}

static void add_thread(struct proc_scan *s, s32 tgid, s32 pid)
{
	enum { PARENT = 1, START = 19 }; /* after the name and a space */
	struct task_fact fact = { .kind = TASK_IS, .pid = pid, .n = { (u64)tgid } };
	char path[64];
	struct span text;
	const char *from, *to;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", tgid, pid);
	text = read_text(s, path, TEXT_MAX);
	from = text.s ? span_chr(text, '(') : NULL;
	to = text.s ? span_rchr(text, ')') : NULL;
	if (!from || !to || to < from) {
		s->unseen += !has_ended(errno) || text.s;
		return;
	}
	fact.n[1] = stat_number(span_between(to + 1, text.s + text.n), PARENT);
	fact.n[2] = stat_number(span_between(to + 1, text.s + text.n), START) * s->tick_ns;
	fact.text[0] = worker_name(s, pid, span_between(from + 1, to));
	if (fact.text[0].s)
		task_fact_print(&fact, s->out);
}

/* --- cgroups --- */

/* /proc/PID/cgroup. kernel: in a namespace of cgroups, paths are not those of the kernel */
static struct span read_cgroups(struct proc_scan *s, s32 tgid, s32 pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/cgroup", tgid, pid);
	return s->cgroups ? read_text(s, path, TEXT_MAX) : (struct span){ NULL, 0 };
}

/* A line "HIERARCHY:CONTROLLERS:PATH"; false at the end. */
static bool next_cgroup(struct span *rest, u64 *hierarchy, struct span *path)
{
	while (rest->s) {
		struct span line = span_sep(rest, "\n"), number = span_sep(&line, ":");

		span_sep(&line, ":"); /* the controllers */
		*path = line;
		if (line.n && span_u64(number, hierarchy))
			return true;
	}
	return false;
}

/* Whether one of the lines says that. */
static bool has_cgroup(struct span lines, u64 hierarchy, struct span path)
{
	struct span other;
	u64 n;

	while (next_cgroup(&lines, &n, &other))
		if (n == hierarchy)
			return span_same(other, path);
	return false;
}

/* The cgroup at @path, and those in it; @root: the length of the path of their hierarchy. */
static void add_cgroup_ids(struct proc_scan *s, struct strbuf *path, size_t root,
			   unsigned int depth)
{
	enum { DEPTH_MAX = 32 };
	const size_t n = path->len;
	struct task_fact fact = { .kind = TASK_CGROUP };
	DIR *d = path->failed || depth > DEPTH_MAX ? NULL : opendir(path->s);
	struct dirent *entry;
	struct stat st;

	if (!d || fstat(dirfd(d), &st)) {
		if (d)
			closedir(d);
		return;
	}
	fact.n[0] = st.st_ino;
	fact.text[0] = n > root ? (struct span){ path->s + root, n - root } : span_of("/");
	task_fact_print(&fact, s->out);
	while ((entry = readdir(d))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		strbuf_addf(path, "/%s", entry->d_name);
		add_cgroup_ids(s, path, root, depth + 1);
		strbuf_cut(path, n);
	}
	closedir(d);
}

/* The cgroups of a process, or of a thread those that differ from @process. */
static void add_cgroups(struct proc_scan *s, s32 pid, struct span process, struct span rest)
{
	struct task_fact fact = { .kind = TASK_IN, .pid = pid };

	while (next_cgroup(&rest, &fact.n[0], &fact.text[0])) {
		/* of version 1, the root is what is not stored */
		const bool is_default = fact.n[0] && fact.text[0].n == 1;

		if (process.s ? !has_cgroup(process, fact.n[0], fact.text[0]) : !is_default)
			task_fact_print(&fact, s->out);
	}
}

/* --- a process --- */

/* The threads of a process; whether these are all of them. */
static bool list_threads(struct proc_scan *s, const char *path, pid_array *pids, bool last)
{
	struct dirent *entry;
	struct stat st;
	DIR *d = opendir(path);
	u64 tid, n;

	pids->n = 0;
	if (!d) {
		s->unseen += !has_ended(errno);
		return true;
	}
	while ((entry = readdir(d)))
		if (span_u64(span_of(entry->d_name), &tid) && array_push(pids, (s32)tid))
			s->out->failed = true;
	n = fstat(dirfd(d), &st) || st.st_nlink < 2 ? 0 : st.st_nlink - 2;
	closedir(d);
	if (last && n > pids->n)
		s->unseen += n - pids->n;
	return n <= pids->n;
}

static void add_process(struct proc_scan *s, s32 tgid)
{
	struct task_fact args = { .kind = TASK_ARGS, .pid = tgid };
	scoped(strbuf_release) struct strbuf cgroups = STRBUF_INIT;
	scoped(free_scoped) pid_array pids = ARRAY_INIT;
	struct span text;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", tgid);
	for (int i = 1; i <= TRIES; i++)
		if (list_threads(s, path, &pids, i == TRIES))
			break;
	for (size_t i = 0; i < pids.n; i++)
		add_thread(s, tgid, pids.v[i]);
	text = read_cgroups(s, tgid, tgid);
	strbuf_add(&cgroups, text.s ? text.s : "", text.n);
	add_cgroups(s, tgid, (struct span){ NULL, 0 }, text);
	for (size_t i = 0; i < pids.n && cgroups.len; i++)
		if (pids.v[i] != tgid)
			add_cgroups(s, pids.v[i], (struct span){ cgroups.s, cgroups.len },
				    read_cgroups(s, tgid, pids.v[i]));
	s->out->failed |= cgroups.failed;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", tgid);
	args.text[0] = s->args ? read_text(s, path, ARGS_MAX) : span_of("");
	if (args.text[0].n)
		task_fact_print(&args, s->out);
}

/* Whether /proc shows the tasks of this machine by the numbers that the kernel records. */
static bool shows_all(void)
{
	return pid_namespace_is_initial() && access("/proc/1/stat", F_OK) == 0;
}

static struct proc_scan *scan_new(struct strbuf *out, bool args)
{
	struct proc_scan *s = malloc(sizeof(*s));
	long ticks = sysconf(_SC_CLK_TCK);

	if (s)
		*s = (struct proc_scan){ .out = out,
					 .args = args,
					 .cgroups = cgroup_namespace_is_initial(),
					 .tick_ns = NS_PER_S / (u64)(ticks > 0 ? ticks : 100) };
	return s;
}

void tasks_scan(struct strbuf *out, bool args)
{
	struct task_fact unseen = { .kind = TASK_UNSEEN };
	scoped(free_scoped) struct proc_scan *s = scan_new(out, args);
	DIR *d = pid_namespace_is_initial() ? opendir("/proc") : NULL;
	struct dirent *entry;
	scoped(strbuf_release) struct strbuf cgroups = STRBUF_INIT;
	struct statfs fs;
	u64 pid;

	/* where they usually are; those of version 1 only for quotas of CPUs */
	strbuf_addstr(&cgroups, CGROUPS);
	if (!statfs(CGROUPS, &fs) && fs.f_type != CGROUP2_SUPER_MAGIC)
		strbuf_addstr(&cgroups, "/cpu");
	if (s && s->cgroups && !cgroups.failed && !statfs(cgroups.s, &fs) &&
	    (fs.f_type == CGROUP2_SUPER_MAGIC || fs.f_type == CGROUP_SUPER_MAGIC))
		add_cgroup_ids(s, &cgroups, cgroups.len, 0);
	while (s && d && (entry = readdir(d)))
		if (span_u64(span_of(entry->d_name), &pid) && pid && pid <= INT32_MAX)
			add_process(s, (s32)pid);
	if (d)
		closedir(d);
	unseen.n[0] = s && d ? s->unseen : 0;
	if (!s || !d || s->unseen || !shows_all())
		task_fact_print(&unseen, out);
}

/* --- questions --- */

void tasks_answer(const struct tasks_question *q, struct strbuf *out)
{
	scoped(free_scoped) struct proc_scan *s = pid_namespace_is_initial() ? scan_new(out, true)
									     : NULL;
	struct task_fact fact = { .kind = TASK_ARGV, .ts = q->ts, .pid = q->pid };
	struct span rest;
	char path[64];
	bool known = false;

	if (!s)
		return;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", q->pid);
	if (q->event == TASKS_EXEC) {
		fact.text[0] = read_text(s, path, ARGS_MAX);
		known = fact.text[0].n > 0;
	} else {
		fact.kind = TASK_MOVED;
		rest = read_cgroups(s, q->pid, q->pid);
		/* only version 2 makes tasks in other cgroups */
		while (!known && next_cgroup(&rest, &fact.n[0], &fact.text[0]))
			known = !fact.n[0];
	}
	if (known)
		task_fact_print(&fact, out);
}
