// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads and writes tracefs, explains errors, and parses small files into numbers and spans.
 *
 * Only this file knows where tracefs is mounted and who may use it. Messages name the remedy: a
 * mount command, a group, a capability.
 */
#include <grp.h>
#include <signal.h>
#include <sys/mount.h>
#include <time.h>

#include <tracefs.h>

#include "record/tracedir.h"

#define MOUNT_POINT "/sys/kernel/tracing"

/* Find the mount point once, so that libtracefs does not search for it at each access. */
static bool is_mounted(void)
{
	const char *dir = NULL;
	bool mounted = tracefs_tracing_dir_is_mounted(false, &dir) > 0 && dir &&
		       tracefs_set_tracing_dir((char *)dir) == 0;

	free((char *)dir); /* libtracefs 1.6 returns a copy, despite the type */
	return mounted;
}

int tracedir_open(char **mounted, struct diags *diags)
{
	tracefs_set_loglevel(TEP_LOG_NONE);
	if (mounted)
		*mounted = NULL;
	if (is_mounted())
		return 0;
	if (!mounted)
		return -HIST_ENOENT;
	if (mount("nodev", MOUNT_POINT, "tracefs", 0, NULL) == 0) {
		*mounted = strdup(MOUNT_POINT);
		if (is_mounted())
			return 0;
	}
	if (errno == EPERM || errno == EACCES)
		diags_error(diags, 0,
			    "tracefs is not mounted; as root: mount -t tracefs nodev " MOUNT_POINT);
	else
		diags_error(diags, 0, "no tracefs (%s): does this kernel have CONFIG_TRACING?",
			    strerror(errno));
	return -HIST_ENOENT;
}

/* All data of @fd, which is closed; the size of such files is not known in advance. */
static char *read_all(int fd, size_t *n)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (!fd_append_close(fd, &sb, SIZE_MAX / 4)) {
		return NULL;
	}
	if (n)
		*n = sb.len;
	return strbuf_detach(&sb);
}

char *file_read(const char *path, size_t *n)
{
	return read_all(open(path, O_RDONLY | O_CLOEXEC), n);
}

char *tracedir_read(struct tracefs_instance *instance, const char *file, size_t *n)
{
	return read_all(tracefs_instance_file_open(instance, file, O_RDONLY | O_CLOEXEC), n);
}

char *tracedir_stats(struct tracefs_instance *instance, u32 cpu)
{
	char file[48];

	snprintf(file, sizeof(file), "per_cpu/cpu%u/stats", cpu);
	return tracedir_read(instance, file, NULL);
}

int tracedir_write(struct tracefs_instance *instance, const char *file, const char *text)
{
	return tracefs_instance_file_write(instance, file, text) < 0 ? -1 : 0;
}

int tracedir_write_if(struct tracefs_instance *instance, const char *file, const char *text)
{
	return tracefs_file_exists(instance, file) ? tracedir_write(instance, file, text) : 0;
}

int tracedir_append(struct tracefs_instance *instance, const char *file, const char *text)
{
	return tracefs_instance_file_append(instance, file, text) < 0 ? -1 : 0;
}

/* Which users besides root may use tracefs here, and how to change that. */
static void explain_permission(struct diags *diags, const char *dir)
{
	struct stat st;
	struct group *group = NULL;

	if (stat(dir, &st) == 0 && st.st_gid != 0 && (st.st_mode & S_IRWXG) == S_IRWXG)
		group = getgrgid(st.st_gid);
	if (group)
		diags_add(diags, DIAG_NOTE, "run it as root (sudo) or as a member of group %s",
			  group->gr_name);
	else
		diags_add(
			diags, DIAG_NOTE,
			"run it as root (sudo) or with CAP_DAC_OVERRIDE; root can admit a group with: "
			"mount -o remount,gid=GROUP,mode=770 %s",
			dir);
}

int tracedir_error(struct diags *diags, int err, const char *doing, const char *file)
{
	const char *dir = tracefs_tracing_dir();
	bool denied = err == EPERM || err == EACCES;
	scoped(free_scoped) char *lockdown =
		denied ? file_read("/sys/kernel/security/lockdown", NULL) : NULL;

	dir = dir ? dir : MOUNT_POINT;
	diags_error(diags, 0, "%s: %s/%s: %s", doing, dir, file, strerror(err));
	if (lockdown && strstr(lockdown, "[confidentiality]"))
		diags_add(
			diags, DIAG_NOTE,
			"the kernel is locked down (confidentiality); it does not permit tracing");
	else if (denied && geteuid() != 0)
		explain_permission(diags, dir);
	else if (denied)
		diags_add(
			diags, DIAG_NOTE,
			"root is not permitted to do that here: a container or a security module?");
	else if (err == EROFS)
		diags_add(diags, DIAG_NOTE, "mounted read-only; as root: mount -o remount,rw %s",
			  dir);
	else if (err == ENOMEM)
		diags_add(
			diags, DIAG_NOTE,
			"the kernel has not enough memory for it; choose a smaller buffer with -b KB");
	return -HIST_EIO;
}

int tracedir_raw_open(struct tracefs_instance *instance, u32 cpu, struct diags *diags)
{
	char file[64];
	int fd;

	snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", cpu);
	fd = tracefs_instance_file_open(instance, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && diags)
		tracedir_error(diags, errno, "cannot read", file);
	return fd;
}

int tracedir_raw_read(int raw, void *page, size_t size, size_t *have)
{
	while (*have < size) {
		ssize_t n = read(raw, (char *)page + *have, size - *have);

		if (n < 0 && errno == EINTR)
			continue;
		if (!*have && (n == 0 || (n < 0 && errno == EAGAIN)))
			return 0;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return -1;
		*have += (size_t)n;
	}
	return 1;
}

/*
 * libtracefs also returns false if no descriptors are available. If the directory of all instances
 * does not exist, tracefs was unmounted.
 */
int tracedir_has_instance(const char *name)
{
	const char *dir = tracefs_tracing_dir();
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	struct stat st;
	int ret = -1;

	errno = EIO;
	strbuf_addf(&path, "%s/instances", dir ? dir : "");
	if (dir && !path.failed && stat(path.s, &st) == 0) {
		strbuf_addf(&path, "/%s", name);
		if (path.failed)
			errno = ENOMEM;
		else if (stat(path.s, &st) == 0)
			ret = 1;
		else if (errno == ENOENT)
			ret = 0;
	}
	return ret;
}

int tracedir_rmdir_instance(const char *name)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	struct tracefs_instance *instance;
	int ret = tracedir_has_instance(name);

	if (ret <= 0)
		return ret;
	ret = -1;
	instance = tracefs_instance_alloc(NULL, name);
	if (!instance)
		return -1;
	/* a reader that was just killed may still have a file open */
	for (int tries = 0; tries < 100; tries++) {
		ret = tracefs_instance_destroy(instance);
		if (ret == 0 || errno != EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	tracefs_instance_free(instance);
	return ret;
}

/*
 * --- error_log ---
 *
 * It contains the latest errors of all users: the entry about our text is the one that matters.
 * Corresponds to tracing_log_err() and its printer.
 */

bool error_log_last(struct span text, struct span *message, struct span *command, unsigned int *pos)
{
	static const char before[] = "  Command: ";
	struct span last = { NULL, 0 }, caret;
	bool found = false;

	while (text.s) {
		struct span line = span_sep(&text, "\n");
		const char *cut;

		if (!span_starts(line, before)) {
			last = line;
			continue;
		}
		*command = span_skip(line, strlen(before));
		caret = span_sep(&text, "\n");
		*pos = caret.n > strlen(before) ? (unsigned int)(caret.n - 1 - strlen(before)) : 0;
		/* "[ TIME] event filter parse error: error: MESSAGE" */
		while (last.s && (cut = span_find(last, span_of("error: "))))
			last = span_between(cut + strlen("error: "), last.s + last.n);
		*message = last;
		found = true;
	}
	return found;
}

/* Find the entry about @text; an older entry about another text is ignored. */
static bool find_entry(const char *log, size_t n, const char *text, struct span *message,
		       unsigned int *pos)
{
	struct span command;

	return log && error_log_last((struct span){ log, n }, message, &command, pos) &&
	       span_same(span_trim(command), span_trim(span_of(text)));
}

enum refusal error_log_find(struct tracefs_instance *instance, const char *text)
{
	size_t n = 0;
	scoped(free_scoped) char *log = tracedir_read(instance, "error_log", &n);
	enum refusal found = REFUSAL_NONE;
	struct span message;
	unsigned int pos;

	if (find_entry(log, n, text, &message, &pos)) /* kernel: FILT_ERR_FIELD_NOT_FOUND */
		found = span_eq(message, "Field not found") ? REFUSAL_FIELD : REFUSAL_OTHER;
	return found;
}

int error_log_report(struct tracefs_instance *instance, const char *what, const char *text,
		     struct diags *diags)
{
	size_t n = 0;
	scoped(free_scoped) char *log = tracedir_read(instance, "error_log", &n);
	struct span message;
	unsigned int pos = 0;
	struct diag *d;

	if (!find_entry(log, n, text, &message, &pos)) {
		message = span_of("the kernel refuses it");
		pos = 0;
	}
	d = diags_add(diags, DIAG_ERROR, "%s: %.*s", what, (int)message.n, message.s);
	if (d) {
		d->cmd = arena_strdup(&diags->arena, text);
		d->pos = pos;
	}
	return -HIST_EREJECTED;
}

/* --- small files --- */

bool ring_stats_read(struct tracefs_instance *instance, u32 cpu, struct ring_stats *stats)
{
	scoped(free_scoped) char *text = tracedir_stats(instance, cpu);
	bool was_read = text;

	ring_stats_parse(span_of(text ? text : ""), stats);
	return was_read;
}

bool clock_offered(struct span text, const char *clock)
{
	while (text.s) {
		struct span word = span_sep(&text, " \n");

		if (word.n > 2 && word.s[0] == '[' && word.s[word.n - 1] == ']')
			word = (struct span){ word.s + 1, word.n - 2 };
		if (word.n && span_eq(word, clock))
			return true;
	}
	return false;
}

bool format_has_address(struct span text)
{
	while (text.s) {
		struct span line = span_ltrim(span_sep(&text, "\n"));
		struct span decl = span_sep(&line, ";");

		/* kernel: an address that is not a pointer is an unsigned long, never a u64 */
		if (span_starts(decl, "field:") &&
		    (span_chr(decl, '*') || span_find(decl, span_of("stack")) ||
		     span_find(decl, span_of("unsigned long "))))
			return true;
	}
	return false;
}

/* --- process ids --- */

/* kernel: PROC_PID_INIT_INO, PROC_CGROUP_INIT_INO; part of the ABI: programs compare with them */
#define INITIAL_INODE  0xEFFFFFFCu
#define INITIAL_CGROUP 0xEFFFFFFBu

/* The namespace of this process; 0: the initial one. */
static u64 own_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) || st.st_ino == INITIAL_INODE ? 0 : st.st_ino;
}

bool pid_namespace_is_initial(void)
{
	return !own_namespace();
}

bool cgroup_namespace_is_initial(void)
{
	struct stat st;

	return stat("/proc/self/ns/cgroup", &st) || st.st_ino == INITIAL_CGROUP;
}

void pid_namespace_add_id(struct strbuf *sb)
{
	u64 namespace = own_namespace();

	strbuf_addf(sb, "%d", (int)getpid());
	if (namespace)
		strbuf_addf(sb, ".%llu", namespace);
}

bool pid_namespace_id_is_dead(struct span id)
{
	struct span rest = id, pid_text = span_sep(&rest, ".");
	u64 pid, namespace = 0;

	if (!span_u64(pid_text, &pid) || !pid || pid > INT32_MAX ||
	    (rest.s && !span_u64(rest, &namespace)) || namespace != own_namespace())
		return false;
	return kill((pid_t)pid, 0) && errno == ESRCH;
}
