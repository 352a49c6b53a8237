// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What the kernel counted for cgroups that have a CPU quota, for how long tasks of cgroups waited
 * for a CPU (pressure), and what the hypervisor took, as lines of the journal of tasks: once when a
 * recording begins and once when it ends.
 *
 * Specification: Documentation/admin-guide/cgroup-v2.rst (cpu.max, cpu.stat), sched-bwc.rst of the
 * kernel (the files of version 1).
 */
#include "record/blocks.h"
#include "record/task_journal.h"

enum { DEPTH_MAX = 32, FILE_BYTES = 8192 };

/* A file of the directory, without the newline at its end; absent if it cannot be read. */
static struct span read_in(const char *dir, const char *file, char text[FILE_BYTES])
{
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	ssize_t n = -1;
	int fd;

	strbuf_addf(&path, "%s/%s", dir, file);
	fd = path.failed ? -1 : open(path.s, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = fd_read(fd, text, FILE_BYTES);
	fd_close(fd);
	return n < 0 ? (struct span){ NULL, 0 } : span_trim((struct span){ text, (size_t)n });
}

/* The number after a name, in lines "NAME NUMBER". */
static u64 number_of(struct span lines, const char *name)
{
	u64 n;

	while (lines.s) {
		struct span line = span_sep(&lines, "\n"), word = span_sep(&line, " ");

		if (span_eq(word, name) && span_u64(line, &n))
			return n;
	}
	return 0;
}

/* The number of us after "total=" in the line of cpu.pressure that begins with this word. */
static u64 total_of(struct span lines, const char *word)
{
	u64 n = 0;

	while (lines.s) {
		struct span line = span_sep(&lines, "\n");

		if (!span_eq(span_sep(&line, " "), word))
			continue;
		while (line.s && !span_starts(line, "total="))
			span_sep(&line, " ");
		if (line.s && span_u64(span_skip(line, 6), &n))
			return n;
	}
	return 0;
}

static void add_pressure(struct strbuf *out, const char *path, struct span name, bool end)
{
	char text[FILE_BYTES];
	const struct span lines = read_in(path, "cpu.pressure", text);
	const struct task_fact fact = { .kind = TASK_PRESSURE,
					.n = { end, total_of(lines, "some"),
					       total_of(lines, "full") },
					.text[0] = name };

	if (fact.n[1])
		task_fact_print(&fact, out);
}

/* The cgroup at @path, and those in it; @root: the length of the path of their hierarchy. */
static void add_cgroups(struct strbuf *out, struct strbuf *path, size_t root, bool end,
			unsigned int depth)
{
	const size_t n = path->len;
	char max[FILE_BYTES], quota[FILE_BYTES], stat[FILE_BYTES];
	struct task_fact fact = { .kind = TASK_QUOTA, .n = { end } };
	struct span limit = read_in(path->s, "cpu.max", max), lines;
	DIR *d = depth > DEPTH_MAX ? NULL : opendir(path->s);
	struct dirent *entry;

	if (!limit.s) { /* version 1 */
		limit = read_in(path->s, "cpu.cfs_quota_us", quota);
		lines = limit.s ? read_in(path->s, "cpu.cfs_period_us", max) : limit;
		limit.s = lines.s && limit.n + lines.n + 1 < FILE_BYTES ? limit.s : NULL;
		if (limit.s) {
			quota[limit.n++] = ' ';
			memcpy(quota + limit.n, lines.s, lines.n);
			limit.n += lines.n;
		}
	}
	fact.text[0] = n > root ? (struct span){ path->s + root, n - root } : span_of("/");
	if (limit.s && !span_starts(limit, "max") && !span_starts(limit, "-1")) {
		lines = read_in(path->s, "cpu.stat", stat);
		fact.n[1] = number_of(lines, "nr_throttled");
		fact.n[2] = number_of(lines, "throttled_time") +
			    number_of(lines, "throttled_usec") * 1000;
		fact.text[1] = limit;
		task_fact_print(&fact, out);
	}
	add_pressure(out, path->s, fact.text[0], end);
	while (d && (entry = readdir(d))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		strbuf_addf(path, "/%s", entry->d_name);
		if (!path->failed)
			add_cgroups(out, path, root, end, depth + 1);
		strbuf_cut(path, n);
	}
	if (d)
		closedir(d);
}

void tasks_quotas(struct strbuf *out, bool end)
{
	/* of version 1, and of version 2 next to it, which has no controllers; or of version 2 */
	static const char *const roots[] = { "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/unified",
					     "/sys/fs/cgroup" };
	enum { ALONE = ARRAY_SIZE(roots) - 1 };
	enum { STEAL = 8 }; /* after "cpu": user nice system idle iowait irq softirq steal */
	const long ticks = sysconf(_SC_CLK_TCK);
	struct task_fact steal = { .kind = TASK_STEAL, .n = { end } };
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	char text[FILE_BYTES];
	struct span line = read_in("/proc", "stat", text), word = { NULL, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		if (access(roots[i], F_OK) || (i == ALONE && path.len))
			continue;
		strbuf_reset(&path);
		strbuf_addstr(&path, roots[i]);
		if (!path.failed)
			add_cgroups(out, &path, path.len, end, 0);
	}
	for (int i = 0; i <= STEAL && line.s; i++)
		word = span_word(&line);
	if (span_u64(word, &steal.n[1]))
		steal.n[1] *= 1000000000ull / (u64)(ticks > 0 ? ticks : 100);
	task_fact_print(&steal, out);
}

void tasks_add_quotas(struct strbuf *begin, bool goes_on, bool followed, struct strbuf *blocks)
{
	if (goes_on)
		tasks_quotas(begin, true);
	if (!begin->failed)
		block_add(blocks, strbuf_span(begin), "tasks quotas");
	strbuf_reset(begin);
	if (goes_on && followed)
		tasks_quotas(begin, false);
}
