// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Unpacks archives of tar (POSIX ustar and pax, GNU): blocks of 512 bytes, a header before the
 * contents of each file. A longer name than a header can have is the contents of a file before it.
 */
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "import/dir.h"
#include "import/tar.h"

enum { BLOCK = 512, NAME = 100, SIZE_AT = 124, TYPE_AT = 156, MAGIC_AT = 257 };
enum { PREFIX_AT = 345, PREFIX = 155 };

bool tar_recognises(struct span head)
{
	return head.n >= BLOCK && !memcmp(head.s + MAGIC_AT, "ustar", 5);
}

/* Octal digits, or if the first bit is set a binary number. */
static u64 size_of(const u8 *head)
{
	u64 v = 0;

	for (int i = SIZE_AT; i < SIZE_AT + 12; i++) {
		if (head[SIZE_AT] & 0x80)
			v = v << 8 | (i == SIZE_AT ? head[i] & 0x7f : head[i]);
		else if (head[i] >= '0' && head[i] <= '7')
			v = v << 3 | (u64)(head[i] - '0');
	}
	return v;
}

static struct span field_of(const u8 *head, size_t at, size_t n)
{
	return (struct span){ (const char *)head + at, strnlen((const char *)head + at, n) };
}

/* The path in an extended header of pax: lines of a length, a word, = and a value. */
static struct span pax_path(struct span text)
{
	while (text.n) {
		struct span line = span_sep(&text, "\n");

		span_sep(&line, " ");
		if (span_starts(line, "path="))
			return span_skip(line, strlen("path="));
	}
	return (struct span){ NULL, 0 };
}

/* Add a name below the directory, which exists then up to its last part; false: it is left out. */
static bool enter(struct strbuf *path, struct span name)
{
	bool added = false;

	while (name.n) {
		const struct span part = span_sep(&name, "/");

		if (!part.n || span_eq(part, "."))
			continue;
		if (span_eq(part, "..") || (added && mkdir(path->s, 0700) && errno != EEXIST))
			return false;
		strbuf_addf(path, "/%.*s", (int)part.n, part.s);
		added = !path->failed;
	}
	return added;
}

static bool write_file(const char *path, const u8 *data, size_t n)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	const bool ok = fd >= 0 && fd_write(fd, data, n);

	fd_close(fd);
	return ok;
}

/* Unpack one file, whose name is @longer unless that is absent. */
static int unpack(const u8 *head, struct span longer, const u8 *data, u64 size, struct strbuf *path)
{
	const struct span prefix = field_of(head, PREFIX_AT, PREFIX);
	bool inside = true;

	if (head[TYPE_AT] != '0' && head[TYPE_AT] && head[TYPE_AT] != '7')
		return 0;
	/* that of GNU has other things there */
	if (!longer.n && prefix.n && !head[MAGIC_AT + 5])
		inside = enter(path, prefix) && (!mkdir(path->s, 0700) || errno == EEXIST);
	if (inside)
		inside = enter(path, longer.n ? longer : field_of(head, 0, NAME));
	if (path->failed)
		return HIST_NOMEM;
	return inside && !write_file(path->s, data, (size_t)size) ? -HIST_EIO : 0;
}

static int unpack_all(const struct mapped *m, struct strbuf *path)
{
	const size_t base = path->len;
	struct span longer = { NULL, 0 };
	u64 at = 0;
	int err = 0;

	while (!err && m->size - at >= BLOCK && m->p[at]) {
		const u8 *head = m->p + at, *data = head + BLOCK;
		const u64 size = size_of(head), left = m->size - at - BLOCK;
		const u8 type = head[TYPE_AT];

		if (!tar_recognises((struct span){ (const char *)head, BLOCK }) || size > left)
			return -HIST_EFORMAT;
		if (type == 'L')
			longer = (struct span){ (const char *)data,
						strnlen((const char *)data, (size_t)size) };
		else if (type == 'x')
			longer = pax_path((struct span){ (const char *)data, (size_t)size });
		else
			err = unpack(head, longer, data, size, path);
		if (type != 'L' && type != 'x')
			longer.n = 0;
		path->len = base;
		path->s[base] = '\0';
		at += min_t(u64, BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK, m->size - at);
	}
	return err;
}

/* Make the directory, send its path, and remove it at the end of the other process. */
static void keep_dir(int fd)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	struct strbuf path = STRBUF_INIT;
	char byte;

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	if (fd_make_tmp(&path, "hist-tar-")) {
		fd_write(fd, path.s, path.len);
		fd_read(fd, &byte, 1);
		fd_remove_tree(path.s);
	}
	_exit(0);
}

/* Make the directory in a process that removes it whatever ends this one. */
static void make_dir(struct tar_dir *dir)
{
	char path[PATH_MAX];
	ssize_t n;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return;
	dir->remover = fork();
	if (!dir->remover) {
		close(fds[1]);
		keep_dir(fds[0]);
	}
	close(fds[0]);
	dir->fd = fds[1];
	n = TEMP_FAILURE_RETRY(read(dir->fd, path, sizeof(path)));
	strbuf_add(&dir->path, path, n > 0 ? (size_t)n : 0);
}

int tar_unpack(const struct import_input *in, struct tar_dir *dir, struct diags *diags)
{
	struct mapped m;
	int err = mapped_open_path(&m, in->path, in->name, diags);

	if (err)
		return err;
	make_dir(dir);
	/* without such a process, or to know the error */
	if (!dir->path.len && !fd_make_tmp(&dir->path, "hist-tar-")) {
		err = dir->path.failed ? HIST_NOMEM : -HIST_EIO;
		strbuf_reset(&dir->path);
	}
	err = err ?: unpack_all(&m, &dir->path);
	if (err == -HIST_EFORMAT)
		diags_error(diags, err, "%s: the archive is cut or damaged", in->name);
	else if (err == -HIST_EIO)
		diags_error(diags, err, "%s: cannot unpack: %s", in->name, strerror(errno));
	mapped_close(&m);
	return err;
}

void tar_remove(struct tar_dir *dir)
{
	fd_close(dir->fd);
	if (dir->remover > 0)
		waitpid(dir->remover, NULL, 0);
	if (dir->path.len)
		fd_remove_tree(dir->path.s);
	strbuf_release(&dir->path);
}
