// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Copies the parts of the tracing directory that hist import needs. Data read from trace_pipe_raw
 * is consumed. Uses only plain files, so that a shell can do the same, see hist-record(1). Files
 * are created in directories that are opened once, so that no other user can exchange them.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <tracefs.h>

#include "record/record.h"
#include "record/tracedir.h"

enum { PIECE = 1 << 16 };

struct copy_dir {
	const char *to;
	int dir;                    /* @to: opened once, as another user may rename it */
	const char *top, *instance; /* directories; both are @top for the top buffer */
	u64 bytes;
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

/* Copy @from/@name to @to/@name; a file that is missing or not readable is skipped. */
static int copy_file(struct copy_dir *d, const char *from, const char *name)
{
	struct strbuf src = STRBUF_INIT;
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
		if (out < 0 || copy_bytes(d, in, out))
			err = diags_error(d->diags, -HIST_EIO, "cannot copy %s to %s%s: %s", src.s,
					  d->to, name, strerror(errno));
		close(in);
	}
	if (out >= 0 && close(out) && !err)
		err = diags_error(d->diags, -HIST_EIO, "cannot write %s%s: %s", d->to, name,
				  strerror(errno));
	strbuf_release(&src);
	return err;
}

static int copy_matching(struct copy_dir *d, const char *from, const char *pattern)
{
	struct strbuf sb = STRBUF_INIT;
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
	strbuf_release(&sb);
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

static int copy_all(struct copy_dir *d)
{
	static const char *const of_top[] = { "/events/header_*", "/events/*/*/format",
					      "/saved_cmdlines", "/saved_tgids",
					      "/printk_formats" };
	/* last_boot_info: for an instance whose memory survives a reboot */
	static const char *const of_instance[] = { "/trace_clock", "/last_boot_info",
						   "/per_cpu/cpu*/stats",
						   "/per_cpu/cpu*/trace_pipe_raw" };
	static const char *const of_proc[] = { "/kallsyms", "/modules" };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(of_top) && !err; i++)
		err = copy_matching(d, d->top, of_top[i]);
	for (size_t i = 0; i < ARRAY_SIZE(of_instance) && !err; i++)
		err = copy_matching(d, d->instance, of_instance[i]);
	for (size_t i = 0; i < ARRAY_SIZE(of_proc) && !err; i++)
		err = copy_file(d, "/proc", of_proc[i]);
	return err ? err : write_uname(d);
}

int record_dump(const char *dir, const char *instance, struct diags *diags)
{
	struct copy_dir d = { .to = dir, .dir = -1, .diags = diags };
	struct strbuf path = STRBUF_INIT;
	char *mounted;
	int err = tracedir_open(&mounted, diags);

	if (err)
		return err;
	free(mounted);
	d.top = tracefs_tracing_dir();
	strbuf_addf(&path, instance ? "%s/instances/%s" : "%s", d.top, instance);
	d.instance = path.s;
	if (path.failed)
		err = HIST_NOMEM;
	else if (access(path.s, R_OK | X_OK))
		err = tracedir_error(diags, errno, "cannot read", path.s);
	else if (mkdir(dir, 0755) || (d.dir = own_dir_open(AT_FDCWD, dir)) < 0)
		err = diags_error(diags, -HIST_EIO, "%s: %s", dir, strerror(errno));
	err = err ?: copy_all(&d);
	fd_close(d.dir);
	if (!err)
		diags_add(diags, DIAG_NOTE, "%s: %llu bytes of %s; hist report -i %s reads it", dir,
			  (unsigned long long)d.bytes, path.s, dir);
	strbuf_release(&path);
	return err;
}
