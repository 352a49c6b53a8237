// SPDX-License-Identifier: GPL-2.0-only
/* Saved results in a directory, as CI stores them: one file per build. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/cmd_diff.h"

static bool is_saved(const char *name)
{
	size_t n = strlen(name);

	return name[0] != '.' && ((n > 5 && !strcmp(name + n - 5, ".json")) ||
				  (n > 7 && !strcmp(name + n - 7, ".ndjson")));
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return b && !stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

static int add_names(DIR *dir, const char *path, const char *except, text_array *files,
		     struct arena *arena)
{
	const struct dirent *entry;
	int err = 0;

	while (!err && (entry = readdir(dir))) {
		const char *name;

		if (!is_saved(entry->d_name))
			continue;
		name = arena_printf(arena, "%s/%s", path, entry->d_name);
		if (!name)
			err = HIST_NOMEM;
		else if (!same_file(name, except))
			err = array_push(files, name);
	}
	return err;
}

/* NOLINTNEXTLINE(readability-function-size): what to list, and where to */
int history_list(const char *path, size_t last, const char *except, text_array *files,
		 struct arena *arena, struct diags *diags)
{
	DIR *dir = opendir(path);
	int err;

	if (!dir)
		return diags_error(diags, -HIST_EIO, "%s: %s", path, strerror(errno));
	err = add_names(dir, path, except, files, arena);
	closedir(dir);
	if (!err && !files->n)
		err = diags_error(
			diags, -HIST_EINVAL,
			"%s: contains no saved results (*.json); hist report --format json -o %s/NAME.json saves one",
			path, path);
	if (err)
		return err;
	qsort(files->v, files->n, sizeof(*files->v), compare_names);
	if (last && files->n > last) {
		memmove(files->v, files->v + files->n - last, last * sizeof(*files->v));
		files->n = last;
	}
	return 0;
}
