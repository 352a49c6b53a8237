// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output to standard output, or to a file that appears under its name when it is complete.
 *
 * Invariant: a reader of FILE finds the old file or the complete new one. A file that is not
 * regular (a pipe, /dev/null) is written directly.
 */
#include <errno.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"

/* The unfinished file, for the signal handler; one at a time. */
static char *volatile temporary;

static void remove_temporary(int sig)
{
	if (temporary)
		unlink(temporary);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void watch_signals(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (signal(signals[i], remove_temporary) == SIG_IGN)
			signal(signals[i], SIG_IGN);
}

/* Set the mode that open(2) would have used, or that of the replaced file. */
static void set_mode(int fd, const struct stat *old)
{
	mode_t mask = umask(0);

	umask(mask);
	if (fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask))
		return; /* a file system without modes */
}

static int open_temporary(struct cmd_output *out, const char *path, const struct stat *old,
			  struct diags *diags)
{
	char *temp = NULL;
	int fd = -1;

	/* if the name is a symbolic link, its target is replaced */
	out->path = old ? realpath(path, NULL) : strdup(path);
	if (!out->path || asprintf(&temp, "%s.XXXXXX", out->path) < 0)
		return HIST_NOMEM;
	fd = mkstemp(temp);
	if (fd < 0) {
		free(temp);
		return diags_error(diags, -HIST_EIO, "%s: %s", path, strerror(errno));
	}
	set_mode(fd, old);
	temporary = temp;
	watch_signals();
	out->f = fdopen(fd, "w");
	return out->f ? 0 : HIST_NOMEM;
}

int cmd_output_open(struct cmd_output *out, const char *path, struct diags *diags)
{
	struct stat st;
	bool exists;

	*out = (struct cmd_output){ .f = stdout, .name = "standard output" };
	if (!path || !strcmp(path, "-"))
		return 0;
	out->name = path;
	exists = !stat(path, &st);
	if (!exists || S_ISREG(st.st_mode))
		return open_temporary(out, path, exists ? &st : NULL, diags);
	out->f = fopen(path, "we");
	if (!out->f)
		return diags_error(diags, -HIST_EIO, "%s: %s", path, strerror(errno));
	return 0;
}

int cmd_output_write(void *arg, const void *data, size_t len)
{
	struct cmd_output *out = arg;

	/* the library's chunks are large or complete: flush them for readers of a pipe */
	if (fwrite(data, 1, len, out->f) == len && (out->path || !fflush(out->f)))
		return 0;
	if (!out->err)
		out->err = errno;
	return -HIST_EIO;
}

static void discard(struct cmd_output *out)
{
	if (temporary)
		unlink(temporary);
	free(temporary);
	temporary = NULL;
	free(out->path);
}

int cmd_output_close(struct cmd_output *out, bool keep, struct diags *diags)
{
	int failed = out->err;

	if (!failed && out->f && fflush(out->f))
		failed = errno;
	if (out->f && out->f != stdout && fclose(out->f) && !failed)
		failed = errno;
	if (!failed && keep && out->path && rename(temporary, out->path))
		failed = errno;
	else if (!failed && keep && out->path)
		temporary[0] = '\0';
	discard(out);
	if (failed)
		__fpurge(stdout); /* otherwise exit() would try again */
	if (failed)
		return diags_error(diags, -HIST_EIO, "%s: %s", out->name, strerror(failed));
	return 0;
}
