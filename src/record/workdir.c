// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The work directory of a recording: blocks and per-CPU files, from which the trace.dat is
 * assembled later.
 *
 * It gets its name after its manifest is locked, so one without a lock has no owner. Until then its
 * name ends in ".new", and recovery may remove it; then another one is created. Its name is looked
 * up once, then its descriptor is used: a user who can rename files in the directory of the output
 * can make hist fail, but not write or remove anything elsewhere.
 */
#include "record/blocks.h"
#include "record/workdir.h"

#define INFIX      ".part."
#define UNFINISHED ".new"
#define MANIFEST   "manifest"
#define RESERVE    "reserve"
#define MACHINE    "machine.dat"
#define TASKS      "tasks"
#define OLD_TASKS  "tasks.old"

/* Names that are tried. */
enum { NAMES = 1000 };

/* The first block of a manifest. */
#define MAGIC "hist-recording 0\n\n"
/* All that is left of it when there is nothing to recover. No write ends there. */
enum { DONE_SIZE = sizeof("hist") - 1 };

const char workdir_file[] = "trace.dat";

void workdir_close(struct workdir *w)
{
	int why = errno;

	fd_close(w->manifest);
	fd_close(w->dir);
	fd_close(w->parent);
	free(w->path);
	*w = (struct workdir)WORKDIR_INIT;
	errno = why;
}

/* --- creating --- */

/* Create the directory under its temporary name, which ends in ".new". */
static int make(struct workdir *w)
{
	w->dir = own_dir_open(w->parent, path_base(w->path));
	if (w->dir < 0)
		return -1;
	w->manifest = own_file_open(w->dir, MANIFEST, O_RDWR | O_CREAT | O_EXCL | O_APPEND);
	if (w->manifest < 0 || !own_lock(w->manifest) ||
	    !fd_write(w->manifest, MAGIC, strlen(MAGIC)))
		return -1;
	w->manifest_size = strlen(MAGIC);
	return 0;
}

/* 1 if the name is in use. */
static int make_and_name(struct workdir *w, char *name, struct diags *diags)
{
	struct workdir old;
	int err = 0;

	w->parent = fd_open_parent(w->path);
	/* that of a killed process with the same pid, which was killed while creating it */
	if (w->parent >= 0 && workdir_open(&old, w->parent, w->path) == 0)
		workdir_remove(&old);
	else if (w->parent >= 0)
		workdir_remove_empty(w->parent, w->path);
	if (w->parent < 0 || mkdirat(w->parent, path_base(w->path), 0700)) {
		err = w->parent >= 0 && errno == EEXIST
			      ? 1
			      : diags_error(diags, -HIST_EIO,
					    "cannot write to the directory of %.*s: %s",
					    (int)workdir_output_length(name), name,
					    strerror(errno));
		workdir_close(w);
	} else if (make(w) || own_rename(w->parent, path_base(w->path), path_base(name))) {
		/* the name is taken; or a recovery removed or locked it, taking it for a dead one
		 */
		if (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR || errno == ENOENT ||
		    errno == EAGAIN)
			err = 1;
		else if (errno == EACCES)
			err = diags_error(
				diags, -HIST_EIO,
				"cannot write to %s: new files there do not belong to the user who creates them, or others can write to them; choose another place with -o FILE",
				w->path);
		else
			err = diags_error(diags, -HIST_EIO, "cannot write to %s: %s", w->path,
					  strerror(errno));
		workdir_remove(w);
	}
	return err;
}

/* In different containers, or on different machines, processes may have one pid. */
int workdir_create(struct workdir *w, const char *output, struct diags *diags)
{
	int err = 1;

	for (unsigned int n = 1; err > 0 && n <= NAMES; n++) {
		struct strbuf sb = STRBUF_INIT;
		char *name;

		*w = (struct workdir)WORKDIR_INIT;
		strbuf_addf(&sb, "%s" INFIX "%d", output, (int)getpid());
		if (n > 1)
			strbuf_addf(&sb, ".%u", n);
		name = strbuf_detach(&sb);
		if (!name || asprintf(&w->path, "%s" UNFINISHED, name) < 0) {
			free(name);
			*w = (struct workdir)WORKDIR_INIT;
			return -HIST_ENOMEM;
		}
		err = make_and_name(w, name, diags);
		if (err) {
			free(name);
			continue;
		}
		free(w->path);
		w->path = name;
	}
	return err > 0 ? diags_error(diags, -HIST_EIO,
				     "cannot create %s" INFIX "%d: it exists, as do %d others",
				     output, (int)getpid(), NAMES - 1)
		       : err;
}

/* --- opening --- */

static int open_files(struct workdir *w, int parent)
{
	char text[sizeof(MAGIC) - 1];
	ssize_t n;

	w->parent = parent == AT_FDCWD ? fd_open_parent(w->path)
				       : fcntl(parent, F_DUPFD_CLOEXEC, 0);
	if (w->parent >= 0)
		w->dir = own_dir_open(w->parent, path_base(w->path));
	if (w->dir < 0)
		return errno == ENOENT ? -HIST_ENOENT : -HIST_EIO;
	w->manifest = own_file_open(w->dir, MANIFEST, O_RDWR | O_APPEND);
	if (w->manifest < 0)
		return errno == ENOENT ? -HIST_EFORMAT : -HIST_EIO;
	if (!own_lock(w->manifest))
		return errno == EAGAIN || errno == EACCES ? 1 : -HIST_EIO;
	/* whether this program created it */
	n = fd_pread(w->manifest, text, sizeof(text), 0);
	if (n < 0)
		return -HIST_EIO;
	return (n == (ssize_t)sizeof(text) || n == DONE_SIZE) && !memcmp(text, MAGIC, (size_t)n)
		       ? 0
		       : -HIST_EFORMAT;
}

int workdir_open(struct workdir *w, int parent, const char *path)
{
	int err;

	*w = (struct workdir)WORKDIR_INIT;
	w->path = strdup(path);
	err = w->path ? open_files(w, parent) : -HIST_ENOMEM;
	if (err)
		workdir_close(w);
	return err;
}

/* --- removing --- */

/* Whether @name is @file, or the writer's temporary name for it. */
static bool is_written(const char *name, const char *file)
{
	size_t n = strlen(file);

	return !strncmp(name, file, n) && (!name[n] || !strncmp(name + n, ".tmp-", 5));
}

static bool is_data(const char *name)
{
	return !strncmp(name, "cpu", 3) && name[3] &&
	       strspn(name + 3, "0123456789") == strlen(name + 3);
}

/* Files that can be removed without losing data. */
static bool is_scratch(const char *name)
{
	return !strcmp(name, RESERVE) || is_written(name, MACHINE) ||
	       is_written(name, workdir_file);
}

/* Remove our files selected by @which; 0 or -1 with errno. */
static int remove_files(const struct workdir *w, bool (*which)(const char *name))
{
	DIR *d = fd_list(w->dir);
	struct dirent *entry;
	int why = d ? 0 : errno;

	while (d && (errno = 0, entry = readdir(d)))
		if (which(entry->d_name) && unlinkat(w->dir, entry->d_name, 0) && !why)
			why = errno;
	if (d && errno && !why)
		why = errno;
	if (d)
		closedir(d);
	errno = why;
	return why ? -1 : 0;
}

static bool is_file(const char *name)
{
	return is_data(name) || is_scratch(name) || !strcmp(name, TASKS) ||
	       !strcmp(name, OLD_TASKS);
}

int workdir_remove(struct workdir *w)
{
	int ret = 0, now = -1;

	/* there is nothing to recover from now on; this takes no disk space */
	if (w->manifest >= 0)
		ret = ftruncate(w->manifest, DONE_SIZE);
	if (!ret && w->dir >= 0)
		ret = remove_files(w, is_file);
	if (!ret && w->manifest >= 0)
		ret = unlinkat(w->dir, MANIFEST, 0);
	/* unless its name refers to another one by now */
	if (!ret && w->dir >= 0) {
		now = own_dir_open(w->parent, path_base(w->path));
		ret = now >= 0 && own_same(now, w->dir)
			      ? unlinkat(w->parent, path_base(w->path), AT_REMOVEDIR)
			      : -1;
	}
	fd_close(now);
	workdir_close(w);
	return ret ? -HIST_EIO : 0;
}

int workdir_discard(struct workdir *w, enum diag_level level, struct diags *diags)
{
	const char *path = arena_strdup(&diags->arena, w->path ? w->path : "");
	int err = workdir_remove(w);

	if (err)
		diags_add(diags, level, "cannot remove %s: %s", path ? path : "", strerror(errno));
	return err;
}

bool workdir_is_done(struct span manifest)
{
	return manifest.n == DONE_SIZE;
}

int workdir_remove_empty(int parent, const char *path)
{
	const char *name = path_base(path);
	int dir = own_dir_open(parent, name);

	if (dir < 0)
		return -1;
	close(dir);
	return unlinkat(parent, name, AT_REMOVEDIR);
}

/* --- the manifest --- */

int workdir_append(struct workdir *w, const struct strbuf *blocks)
{
	struct stat st;
	int why;

	if (blocks->failed)
		return -HIST_ENOMEM;
	if (fstat(w->manifest, &st))
		return -HIST_EIO;
	if (!fd_write(w->manifest, blocks->s, blocks->len)) {
		/* none is read after a block of which a part is missing */
		why = errno;
		if (ftruncate(w->manifest, st.st_size))
			return -HIST_EIO;
		errno = why;
		return -HIST_EIO;
	}
	w->manifest_size += blocks->len;
	return 0;
}

int workdir_add(struct workdir *w, struct span data, const char *key, ...)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	va_list ap;

	va_start(ap, key);
	block_vadd(&sb, data, key, ap);
	va_end(ap);
	return workdir_append(w, &sb);
}

int workdir_add_number(struct workdir *w, const char *key, u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", value);
	return workdir_add(w, span_of(text), "%s", key);
}

int workdir_manifest(const struct workdir *w, struct strbuf *text)
{
	struct stat st;
	ssize_t n;

	if (fstat(w->manifest, &st))
		return -HIST_EIO;
	if ((u64)st.st_size > SIZE_MAX / 2 || !strbuf_grow(text, (size_t)st.st_size))
		return -HIST_ENOMEM;
	n = fd_pread(w->manifest, text->s, (size_t)st.st_size, 0);
	text->len = n > 0 ? (size_t)n : 0;
	text->s[text->len] = '\0';
	return n < 0 ? -HIST_EIO : 0;
}

/* --- data --- */

int workdir_cpu(const struct workdir *w, u32 cpu, int flags)
{
	char name[24];

	snprintf(name, sizeof(name), "cpu%u", cpu);
	return own_file_open(w->dir, name, flags);
}

int workdir_tasks(const struct workdir *w, int flags)
{
	return own_file_open(w->dir, TASKS, flags);
}

int workdir_old_tasks(const struct workdir *w)
{
	return own_file_open(w->dir, OLD_TASKS, O_RDONLY);
}

int workdir_rotate_tasks(const struct workdir *w)
{
	return renameat(w->dir, TASKS, w->dir, OLD_TASKS);
}

int workdir_has_data(const struct workdir *w, u32 first, bool *has)
{
	DIR *d = fd_list(w->dir);
	struct dirent *entry;
	int err = d ? 0 : -HIST_EIO;

	*has = false;
	while (d && !err && !*has && (errno = 0, entry = readdir(d))) {
		struct stat st;
		u64 cpu;

		if (!is_data(entry->d_name) ||
		    (span_u64(span_of(entry->d_name + 3), &cpu) && cpu < first))
			continue;
		if (fstatat(w->dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			err = -HIST_EIO;
		else
			*has = st.st_size > 0;
	}
	if (d && !err && !*has && errno)
		err = -HIST_EIO;
	if (d)
		closedir(d);
	return err;
}

/* Path by descriptor, if /proc is available. */
char *workdir_machine(const struct workdir *w)
{
	struct strbuf sb = STRBUF_INIT;

	strbuf_addf(&sb, "/proc/self/fd/%d", w->dir);
	if (!sb.failed && access(sb.s, F_OK)) {
		strbuf_reset(&sb);
		strbuf_addstr(&sb, w->path);
	}
	strbuf_addstr(&sb, "/" MACHINE);
	return strbuf_detach(&sb);
}

int workdir_reserve(const struct workdir *w)
{
	return own_file_open(w->dir, RESERVE, O_RDWR | O_CREAT);
}

void workdir_unreserve(const struct workdir *w)
{
	remove_files(w, is_scratch);
}

/* --- finding --- */

const char *workdir_pid(const char *path)
{
	const char *pid = path + strlen(path);

	for (const char *at = path; (at = strstr(at, INFIX)); at++)
		pid = at + strlen(INFIX);
	return pid;
}

size_t workdir_output_length(const char *path)
{
	size_t n = strlen(path), rest = strlen(workdir_pid(path));

	return rest ? n - rest - strlen(INFIX) : n;
}

/* Whether @name is BASE.part.PID or BASE.part.PID.N, even unfinished. */
static bool is_workdir_of(const char *name, const char *base)
{
	size_t n = strlen(base);
	const char *id;
	size_t digits;

	if (strncmp(name, base, n) != 0 || strncmp(name + n, INFIX, strlen(INFIX)) != 0)
		return false;
	id = name + n + strlen(INFIX);
	digits = strspn(id, "0123456789");
	if (!digits)
		return false;
	id += digits;
	digits = id[0] == '.' ? strspn(id + 1, "0123456789") : 0;
	id += digits ? 1 + digits : 0;
	return !*id || !strcmp(id, UNFINISHED);
}

struct found {
	char *path;
	time_t modified;
};

typedef ARRAY(struct found) found_array;

DEFINE_ORDER(newest_first, struct found, cmp_int(y->modified, x->modified))

/* @dir ends in a slash, or is empty for the current directory. */
static int add_found(int parent, const char *dir, const char *name, found_array *found)
{
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT, manifest = STRBUF_INIT;
	struct found f = { NULL, 0 };
	struct stat st;
	int err;

	strbuf_addf(&manifest, "%s/" MANIFEST, name);
	strbuf_addf(&path, "%s%s", dir, name);
	/* used only for sorting */
	if (!manifest.failed && fstatat(parent, manifest.s, &st, AT_SYMLINK_NOFOLLOW) == 0)
		f.modified = st.st_mtime;
	f.path = strbuf_detach(&path);
	err = f.path && !manifest.failed ? array_push(found, f) : -HIST_ENOMEM;
	if (err)
		free(f.path);
	return err;
}

static int find_in(int parent, const char *output, found_array *found)
{
	const char *base = path_base(output);
	scoped(free_scoped) char *dir = strndup(output, (size_t)(base - output));
	DIR *d = dir ? fd_list(parent) : NULL;
	struct dirent *entry;
	int err = dir ? 0 : -HIST_ENOMEM;

	if (dir && !d)
		err = -HIST_EIO;
	while (d && !err && (errno = 0, entry = readdir(d)))
		if (is_workdir_of(entry->d_name, base))
			err = add_found(parent, dir, entry->d_name, found);
	if (d && !err && errno)
		err = -HIST_EIO;
	if (d)
		closedir(d);
	return err;
}

int workdir_find(const char *output, struct workdir_list *list, struct diags *diags)
{
	scoped(free_scoped) found_array found = ARRAY_INIT;
	int err = 0;

	*list = (struct workdir_list)WORKDIR_LIST_INIT;
	list->parent = fd_open_parent(output);
	if (list->parent < 0)
		err = -HIST_EIO;
	err = err ?: find_in(list->parent, output, &found);
	if (err == -HIST_EIO)
		diags_error(diags, 0, "cannot read the directory of %s: %s", output,
			    strerror(errno));
	if (found.n)
		qsort(found.v, found.n, sizeof(found.v[0]), newest_first);
	for (size_t i = 0; i < found.n; i++) {
		err = err ?: array_push(&list->paths, found.v[i].path);
		if (err)
			free(found.v[i].path);
	}
	return err;
}

void workdir_list_release(struct workdir_list *list)
{
	for (size_t i = 0; i < list->paths.n; i++)
		free(list->paths.v[i]);
	array_release(&list->paths);
	fd_close(list->parent);
	*list = (struct workdir_list)WORKDIR_LIST_INIT;
}
