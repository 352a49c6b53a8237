// SPDX-License-Identifier: GPL-2.0-only
/*
 * Output to standard output, or to a file that appears under its name when it is complete.
 *
 * Invariant: a reader of FILE finds the old file or the complete new one. A file that is not
 * regular (a pipe, /dev/null), or a descriptor (/dev/stdout), is written directly. Text for a
 * terminal contains no control characters.
 */
#include <signal.h>
#include <stdio_ext.h>
#include <sys/ioctl.h>

#include "cmd/cmd.h"

/* The unfinished file, for the signal handler; one at a time. */
static const struct new_file *volatile unfinished;

static void remove_unfinished(int sig)
{
	const struct new_file *f = unfinished;

	if (f && f->tmp)
		unlinkat(f->dest.dir, f->tmp, 0);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* A descriptor to write to, which fclose() may close; -1 with errno. */
static int open_dest(struct cmd_output *out, const struct out_dest *dest)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE };

	if (dest->kind != OUT_FILE)
		return out_dest_write(dest);
	if (new_file_open(&out->file, dest))
		return -1;
	unfinished = &out->file;
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		if (signal(signals[i], remove_unfinished) == SIG_IGN)
			signal(signals[i], SIG_IGN);
	return fcntl(out->file.fd, F_DUPFD_CLOEXEC, 0);
}

/* Whether no other user can write to the directory. */
static bool is_own(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

void cmd_make_directories(const char *path)
{
	char *copy = strdup(path), *at = copy;
	bool own = is_own(*path == '/' ? "/" : ".");

	while (at && *at && (at = strchr(at + 1, '/'))) {
		*at = '\0';
		if (!access(copy, F_OK))
			own = is_own(copy);
		else if (errno != ENOENT || !own || mkdir(copy, 0777))
			break;
		*at = '/';
	}
	free(copy);
}

int cmd_output_check_file(const char *path, struct diags *diags)
{
	struct stat st;

	if (!strcmp(path, "-"))
		return diags_error(
			diags, -HIST_EINVAL,
			"-: a recording cannot be written to standard output; name a file");
	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return diags_error(diags, -HIST_EINVAL, "%s: cannot write: not a regular file",
				   path);
	cmd_make_directories(path);
	return 0;
}

const char *cmd_format_of_name(const struct cmd_args *a, const char *format, const char *page)
{
	const struct {
		const char *end, *format;
	} names[] = { { "csv", "csv" },       { "tsv", "tsv" },         { "json", "json" },
		      { "ndjson", "ndjson" }, { "svg", "svg" },         { "html", page },
		      { "md", "markdown" },   { "parquet", "parquet" }, { "pftrace", "perfetto" } };
	const char *dot = a->to.path ? strrchr(a->to.path, '.') : NULL;

	for (size_t i = 0; dot && !format && i < ARRAY_SIZE(names); i++)
		if (!strcmp(dot + 1, names[i].end)) {
			format = names[i].format;
			diags_add(a->diags, DIAG_NOTE,
				  "%s: --format %s, as its name ends; --format text writes text",
				  a->to.path, format);
		}
	return format;
}

int cmd_open_output(struct cmd_args *a)
{
	struct cmd_output *out = &a->out;
	const char *path = a->to.path;
	struct diags *diags = a->diags;
	struct out_dest dest;
	int fd, err;

	*out = (struct cmd_output){ .f = stdout, .name = "standard output", .file = NEW_FILE_INIT };
	out->on_terminal = isatty(STDOUT_FILENO);
	out->session = a->cx->session;
	if (out->session)
		out->f = NULL;
	if (out->session || !path || !strcmp(path, "-"))
		return 0;
	out->name = path;
	out->f = NULL;
	err = input_files_check_output(&a->input.files, path, diags);
	if (!err)
		cmd_make_directories(path);
	err = err ?: out_dest_open(&dest, path, false, diags);
	if (err)
		return err;
	fd = open_dest(out, &dest);
	out->f = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!out->f)
		err = diags_error(diags, -HIST_EIO, "%s: cannot create: %s", path, strerror(errno));
	out->on_terminal = isatty(fd);
	if (fd >= 0 && !out->f)
		close(fd);
	out_dest_close(&dest);
	return err;
}

int cmd_output_write(void *arg, const void *data, size_t len)
{
	struct cmd_output *out = arg;
	struct cmd_session *session = out->session;
	bool ok;

	if (session) {
		const size_t room = session->max - session->out.len;

		session->full |= len > room;
		strbuf_add(&session->out, data, min_t(size_t, len, room));
		return session->full ? -HIST_ELIMIT : session->out.failed ? HIST_NOMEM : 0;
	}
	ok = out->on_terminal ? terminal_text_write(&out->text, out->f, data, len)
			      : fwrite(data, 1, len, out->f) == len;

	/* the library's chunks are large or complete: flush them for readers of a pipe */
	if (ok && (out->file.fd >= 0 || !fflush(out->f)))
		return 0;
	if (!out->err)
		out->err = errno;
	return -HIST_EIO;
}

int cmd_output_close(struct cmd_output *out, bool keep, int result, struct diags *diags)
{
	int failed = out->err;

	if (!failed && out->f && fflush(out->f))
		failed = errno;
	if (out->f && out->f != stdout && fclose(out->f) && !failed)
		failed = errno;
	if (!failed && keep && out->file.fd >= 0 && new_file_commit(&out->file))
		failed = errno;
	unfinished = NULL;
	new_file_close(&out->file);
	if (failed)
		__fpurge(stdout); /* otherwise exit() would try again */
	if (failed)
		return diags_error(diags, -HIST_EIO, "%s: %s", out->name, strerror(failed));
	return result;
}

bool cmd_is_colourful(const struct cmd_context *cx, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (cx->colour != CMD_COLOUR_AUTO)
		return cx->colour == CMD_COLOUR_ALWAYS;
	return fd >= 0 && isatty(fd) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

unsigned int cmd_columns(const char *output)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	char *end;
	long n = columns ? strtol(columns, &end, 10) : 0;

	if (columns && end != columns && !*end && n > 0 && n < 10000)
		return (unsigned int)n;
	if (!output && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return size.ws_col;
	return 0;
}
