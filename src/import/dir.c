// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the names in a directory, and small text files. */
#include <dirent.h>
#include <unistd.h>

#include "base/base.h"
#include "import/dir.h"

enum { MAX_TEXT = 1 << 28 };

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

struct dir_names dir_names_of(const char *path)
{
	struct dir_names names = { NULL, 0 };

	names.n = scandir(path, &names.v, is_visible, versionsort);
	return names;
}

void dir_names_release(struct dir_names *names)
{
	for (int i = 0; i < names->n; i++)
		free(names->v[i]);
	free(names->v);
}

bool dir_has(const char *dir, const char *name)
{
	struct strbuf path = STRBUF_INIT;
	bool there;

	strbuf_addf(&path, "%s/%s", dir, name);
	there = !path.failed && !access(path.s, F_OK);
	strbuf_release(&path);
	return there;
}

bool dir_read_text(const char *path, struct strbuf *out)
{
	strbuf_reset(out);
	return fd_append_close(fd_open_file(path), out, MAX_TEXT);
}
