// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Copies the parts of the tracing directory that hist import needs. The instance does not record
 * while its buffers are copied. What cannot be mapped is read from trace_pipe_raw, which takes it
 * out; a shell can do the same with plain files, see hist-record(1). Files are created in
 * directories that are opened once, so that no other user can exchange them.
 */
#include <glob.h>
#include <signal.h>
#include <sys/utsname.h>

#include <tracefs.h>

#include "record/setup.h"
#include "record/steps.h"
#include "record/tracedir.h"

/* After it is switched off, an event that was being recorded is complete. */
enum { PIECE = 1 << 16, SETTLE_US = 1000 };

struct copy_dir {
	const char *to;
	int dir;                    /* @to: opened once, as another user may rename it */
	const char *top, *instance; /* directories; both are @top for the top buffer */
	u64 bytes;
	bool moved; /* the instance does not have its events any more */
	struct diags *diags;
};

static int copy_bytes(struct copy_dir *d, int in, int out)
{
	char buf[PIECE];
	ssize_t n;

	/* EAGAIN: a raw file without more data, opened non-blocking */
	while ((n = read(in, buf, sizeof(buf))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -1;
		if (!fd_write(out, buf, (size_t)n))
			return -1;
		d->bytes += (u64)n;
	}
	return 0;
}

static int copy_ring(struct copy_dir *d, int in, int out)
{
	u64 before = d->bytes;
	int err = ring_map_copy(in, out, &d->bytes);

	if (err <= 0)
		return err;
	err = copy_bytes(d, in, out);
	d->moved |= d->bytes > before;
	return err;
}

/* Copy @from/@name to @to/@name; a file that is missing or not readable is skipped. */
static int copy_file(struct copy_dir *d, const char *from, const char *name)
{
	scoped(strbuf_release) struct strbuf src = STRBUF_INIT;
	int in = -1, out = -1, err = 0;

	strbuf_addf(&src, "%s%s", from, name);
	if (src.failed)
		return HIST_NOMEM;
	in = open(src.s, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	/* files that this kernel or this user does not have are left out */
	if (in < 0 && errno != ENOENT && errno != ENODEV && errno != EACCES && errno != EPERM)
		err = diags_error(d->diags, -HIST_EIO, "cannot read %s: %s", src.s,
				  strerror(errno));
	if (in >= 0) {
		out = own_file_create(d->dir, name + 1);
		if (out < 0 ||
		    (strstr(name, "/trace_pipe_raw") ? copy_ring : copy_bytes)(d, in, out))
			err = diags_error(d->diags, -HIST_EIO, "cannot copy %s to %s%s: %s", src.s,
					  d->to, name, strerror(errno));
		close(in);
	}
	if (out >= 0 && close(out) && !err)
		err = diags_error(d->diags, -HIST_EIO, "cannot write %s%s: %s", d->to, name,
				  strerror(errno));
	return err;
}

static int copy_matching(struct copy_dir *d, const char *from, const char *pattern)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	glob_t found = { .gl_pathc = 0 };
	int err = 0, ret;

	strbuf_addf(&sb, "%s%s", from, pattern);
	if (sb.failed)
		return HIST_NOMEM;
	ret = glob(sb.s, GLOB_ERR, NULL, &found);
	if (ret && ret != GLOB_NOMATCH)
		err = diags_error(d->diags, -HIST_EIO, "cannot list %s: %s", sb.s,
				  strerror(ret == GLOB_NOSPACE ? ENOMEM : errno));
	for (size_t i = 0; !ret && i < found.gl_pathc && !err; i++)
		err = copy_file(d, from, found.gl_pathv[i] + strlen(from));
	globfree(&found);
	return err;
}

static int write_uname(struct copy_dir *d)
{
	int fd = own_file_create(d->dir, "uname");
	struct utsname u;
	bool ok = fd >= 0 && !uname(&u) &&
		  dprintf(fd, "%s %s %s %s\n", u.sysname, u.nodename, u.release, u.machine) >= 0;

	if (fd >= 0 && close(fd))
		ok = false;
	return ok ? 0
		  : diags_error(d->diags, -HIST_EIO, "cannot write %s/uname: %s", d->to,
				strerror(errno));
}

static int write_text(struct copy_dir *d, const char *name, const struct strbuf *text)
{
	int fd = text->len ? own_file_create(d->dir, name) : -1;
	bool ok = !text->failed && (!text->len || (fd >= 0 && fd_write(fd, text->s, text->len)));

	if (fd >= 0 && close(fd))
		ok = false;
	return ok ? 0
		  : diags_error(d->diags, -HIST_EIO, "cannot write %s/%s: %s", d->to, name,
				strerror(text->failed ? ENOMEM : errno));
}

/* The triggers as a script, and what limits the events. */
static int write_setup(struct copy_dir *d)
{
	struct strbuf script = STRBUF_INIT, limits = STRBUF_INIT;
	int err = setup_read(d->top, d->instance, &script, &limits);

	err = err ?: write_text(d, "script", &script);
	err = err ?: write_text(d, "limits", &limits);
	strbuf_release(&script);
	strbuf_release(&limits);
	return err;
}

static int copy_list(struct copy_dir *d, const char *from, const char *const *patterns, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = copy_matching(d, from, patterns[i]);
	return err;
}

static int copy_rings(struct copy_dir *d)
{
	static const char *const files[] = { "/per_cpu/cpu*/stats",
					     "/per_cpu/cpu*/trace_pipe_raw" };

	return copy_list(d, d->instance, files, ARRAY_SIZE(files));
}

static int switch_off(const char *name, struct diags *diags)
{
	struct tracefs_instance *instance = name ? tracefs_instance_alloc(NULL, name) : NULL;
	int err = 0;

	if (name && !instance)
		err = HIST_NOMEM;
	else if (tracedir_write(instance, "tracing_on", "0"))
		err = tracedir_error(diags, errno, "cannot stop recording", "tracing_on");
	if (instance)
		tracefs_instance_free(instance);
	usleep(SETTLE_US);
	return err;
}

static bool has_text(const struct copy_dir *d, const char *name, const char *start)
{
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	scoped(free_scoped) char *text = NULL;

	strbuf_addf(&path, "%s/%s", d->instance, name);
	text = file_read(path.s, NULL);
	return text && strncmp(text, start, strlen(start)) == 0;
}

/*
 * Copy the buffers while nothing is recorded. It is recorded again also after a kill -9, by the
 * next recording, which finds the journal. kernel: an instance with events of an earlier boot does
 * not record yet; to switch it on would clear them.
 */
static int copy_paused(struct copy_dir *d, const char *instance, u64 *paused_ns)
{
	struct undo undo = UNDO_INIT;
	sigset_t all, before;
	int err;

	if (!has_text(d, "tracing_on", "1") ||
	    (has_text(d, "last_boot_info", "") && !has_text(d, "last_boot_info", "# Current")))
		return copy_rings(d);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	undo_open(&undo);
	err = undo_log(&undo, span_of("1"), "file %s tracing_on", instance ? instance : ".");
	*paused_ns = monotonic_ns();
	err = err ?: switch_off(instance, d->diags);
	err = err ?: copy_rings(d);
	undo_all(strbuf_span(&undo.text), d->diags);
	*paused_ns = monotonic_ns() - *paused_ns;
	undo_close(&undo, d->diags);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return err;
}

static int copy_all(struct copy_dir *d, const char *instance, u64 *paused_ns)
{
	static const char *const of_top[] = { "/events/header_*", "/events/*/*/format",
					      "/saved_cmdlines", "/saved_tgids",
					      "/printk_formats" };
	/* last_boot_info: for an instance whose memory survives a reboot */
	static const char *const of_instance[] = { "/trace_clock", "/last_boot_info" };
	static const char *const of_proc[] = { "/kallsyms", "/modules" };
	int err = copy_list(d, d->instance, of_instance, ARRAY_SIZE(of_instance));

	err = err ?: copy_paused(d, instance, paused_ns);
	err = err ?: copy_list(d, d->top, of_top, ARRAY_SIZE(of_top));
	for (size_t i = 0; i < ARRAY_SIZE(of_proc) && !err; i++)
		err = copy_file(d, "/proc", of_proc[i]);
	err = err ?: write_uname(d);
	return err ? err : write_setup(d);
}

int record_dump(const char *dir, const char *instance, struct record_dumped *done,
		struct diags *diags)
{
	struct copy_dir d = { .to = dir, .dir = -1, .diags = diags };
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	char *mounted;
	int err = tracedir_open(&mounted, diags);

	*done = (struct record_dumped){ .instance = NULL };
	if (err)
		return err;
	free(mounted);
	sweep(true, NULL, diags);
	/* sweep() unmounts it if a dead recording had mounted it */
	err = tracedir_open(&mounted, diags);
	if (err)
		return err;
	free(mounted);
	d.top = tracefs_tracing_dir();
	strbuf_addf(&path, instance ? "%s/instances/%s" : "%s", d.top, instance);
	d.instance = path.s;
	if (path.failed)
		err = HIST_NOMEM;
	else if (access(path.s, R_OK | X_OK))
		err = tracedir_error(diags, errno, "cannot read",
				     path.s + (instance ? strlen(d.top) + 1 : 0));
	else if (mkdir(dir, 0755) || (d.dir = own_dir_open(AT_FDCWD, dir)) < 0)
		err = diags_error(diags, -HIST_EIO, "%s: %s", dir, strerror(errno));
	err = err ?: copy_all(&d, instance, &done->paused_ns);
	fd_close(d.dir);
	done->bytes = d.bytes;
	done->moved = d.moved;
	done->instance = arena_strdup(&diags->arena, path.s);
	return err;
}
