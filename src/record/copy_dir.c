// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Copies the parts of the tracing directory that hist import needs. Data read from trace_pipe_raw
 * is consumed. Uses only plain files, so that a shell can do the same, see hist-record(1).
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
	const char *top, *instance; /* directories; both are @top for the top buffer */
	u64 bytes;
	struct diags *diags;
};

/* mkdir -p of all parents of the last component. */
static int make_parents(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0777) && errno != EEXIST) {
			*p = '/';
			return -1;
		}
		*p = '/';
	}
	return 0;
}

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
		for (ssize_t done = 0, k; done < n; done += k) {
			k = write(out, buf + done, (size_t)(n - done));
			if (k < 0 && errno != EINTR)
				return -1;
			k = k < 0 ? 0 : k;
		}
		d->bytes += (u64)n;
	}
	return 0;
}

/* Copy @from/@name to @to/@name; a file that is missing or not readable is skipped. */
static int copy_file(struct copy_dir *d, const char *from, const char *name)
{
	struct strbuf src = STRBUF_INIT, dst = STRBUF_INIT;
	int in = -1, out = -1, err = HIST_NOMEM;

	strbuf_addf(&src, "%s%s", from, name);
	strbuf_addf(&dst, "%s%s", d->to, name);
	if (!src.failed && !dst.failed) {
		in = open(src.s, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		err = 0;
	}
	if (in >= 0) {
		if (make_parents(dst.s) == 0)
			out = open(dst.s, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (out < 0 || copy_bytes(d, in, out))
			err = diags_error(d->diags, -HIST_EIO, "cannot copy %s to %s: %s", src.s,
					  dst.s, strerror(errno));
		close(in);
	}
	if (out >= 0)
		close(out);
	strbuf_release(&src);
	strbuf_release(&dst);
	return err;
}

static int copy_matching(struct copy_dir *d, const char *from, const char *pattern)
{
	struct strbuf sb = STRBUF_INIT;
	glob_t found;
	int err = 0;

	strbuf_addf(&sb, "%s%s", from, pattern);
	if (sb.failed)
		return HIST_NOMEM;
	if (!glob(sb.s, 0, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc && !err; i++)
			err = copy_file(d, from, found.gl_pathv[i] + strlen(from));
		globfree(&found);
	}
	strbuf_release(&sb);
	return err;
}

static int write_uname(struct copy_dir *d)
{
	struct strbuf path = STRBUF_INIT;
	struct utsname u;
	FILE *f = NULL;
	int err = 0;

	strbuf_addf(&path, "%s/uname", d->to);
	if (!path.failed && !uname(&u))
		f = fopen(path.s, "w");
	if (!f || fprintf(f, "%s %s %s %s\n", u.sysname, u.nodename, u.release, u.machine) < 0)
		err = diags_error(d->diags, -HIST_EIO, "%s: %s", path.s, strerror(errno));
	if (f && fclose(f) && !err)
		err = diags_error(d->diags, -HIST_EIO, "%s: %s", path.s, strerror(errno));
	strbuf_release(&path);
	return err;
}

static int copy_all(struct copy_dir *d)
{
	static const char *const of_top[] = { "/events/header_*", "/events/*/*/format",
					      "/saved_cmdlines", "/saved_tgids",
					      "/printk_formats" };
	/* last_boot_info: of an instance whose memory survives a reboot */
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
	struct copy_dir d = { .to = dir, .diags = diags };
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
	else if (mkdir(dir, 0777))
		err = diags_error(diags, -HIST_EIO, "%s: %s", dir, strerror(errno));
	if (!err)
		err = copy_all(&d);
	if (!err)
		diags_add(diags, DIAG_NOTE, "%s: %llu bytes of %s; hist report -i %s reads it", dir,
			  (unsigned long long)d.bytes, path.s, dir);
	strbuf_release(&path);
	return err;
}
