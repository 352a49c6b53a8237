// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What is recorded, such as the command, can remove or rename the directory of the output. The
 * files are open, so their data still exists: it is copied to a new directory of TMPDIR, which is
 * the caller's, and not to the old name, where another user may have put a link.
 */
#include "record/steps.h"

static bool copy_file(int from, int to)
{
	char piece[1 << 14];
	u64 at = 0;
	ssize_t n;

	while ((n = fd_pread(from, piece, sizeof(piece), at)) > 0) {
		if (!fd_write(to, piece, (size_t)n))
			return false;
		at += (u64)n;
	}
	return !n;
}

static int copy_work(struct workdir *w, const struct readers *readers, const char *output,
		     struct diags *diags)
{
	struct workdir copy = WORKDIR_INIT;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	int err = workdir_create(&copy, output, diags);
	bool ok;

	if (err)
		return err;
	/* the first word is written when a work directory is created */
	ok = !workdir_manifest(w, &text) && text.len >= copy.manifest_size &&
	     fd_write(copy.manifest, text.s + copy.manifest_size,
		      text.len - (size_t)copy.manifest_size);
	copy.manifest_size = text.len;
	array_each_while(const struct cpu_reader, r, readers, ok) {
		int fd = r->out < 0 ? -1 : workdir_cpu(&copy, r->cpu, O_RDWR | O_CREAT);

		ok = r->out < 0 || (fd >= 0 && copy_file(r->out, fd));
		fd_close(fd);
	}
	if (!ok) {
		err = diags_error(diags, -HIST_EIO, "%s: cannot write: %s", output,
				  strerror(errno));
		workdir_remove(&copy);
		return err;
	}
	workdir_close(w);
	*w = copy;
	return 0;
}

int rescue_work(struct workdir *w, const struct readers *readers, const char *output, char **moved,
		struct diags *diags)
{
	struct strbuf to = STRBUF_INIT;
	struct stat st;
	int err = 0;

	*moved = NULL;
	if (fstat(w->dir, &st) || st.st_nlink)
		return 0;
	if (!fd_make_tmp(&to, "hist.")) {
		err = diags_error(diags, -HIST_EIO,
				  "%s was removed while it was in use, and %s: %s", w->path, to.s,
				  strerror(errno));
	} else {
		strbuf_addf(&to, "/%s", path_base(output));
		diags_add(diags, DIAG_WARNING,
			  "%s was removed while it was in use; the recording is written to %s",
			  w->path, to.s);
		err = copy_work(w, readers, to.s, diags);
		*moved = strbuf_detach(&to);
	}
	strbuf_release(&to);
	return err ? err : *moved ? 0 : HIST_NOMEM;
}

char *rescue_path(int dir, const char *path)
{
	int now = fd_open_parent(path);
	bool there = now >= 0 && own_same(now, dir);
	char proc[40], at[4096], *to = NULL;
	ssize_t n;

	fd_close(now);
	snprintf(proc, sizeof(proc), "/proc/self/fd/%d", dir);
	n = there ? -1 : readlink(proc, at, sizeof(at));
	if (n > 0 && asprintf(&to, "%.*s/%s", (int)n, at, path_base(path)) < 0)
		to = NULL;
	return to;
}
