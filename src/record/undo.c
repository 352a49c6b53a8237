// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The journal: blocks "KEY ARG SIZE" in /run/hist/PID.undo (root) or in the caller's own runtime
 * directory. Logs changes before they are made, and undoes them.
 *
 * A forged journal would make root write arbitrary text to tracefs, so only files of the caller in
 * a directory of the caller are trusted.
 */
#include <sys/file.h>
#include <sys/mount.h>

#include <tracefs.h>

#include "record/blocks.h"
#include "record/tracedir.h"
#include "record/undo.h"

#define SUFFIX ".undo"

/*
 * How long to wait for another process that undoes changes, in steps of 20 ms: ten seconds, or one
 * if a recording is to start.
 */
enum { STEPS = 500, START_STEPS = 50, STEP_US = 20000 };

/* --- the file --- */

/* Open the directory of the journals; -1 with errno. */
static int open_state_dir(char **name, bool create)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct strbuf sb = STRBUF_INIT;

	if (geteuid() == 0)
		strbuf_addstr(&sb, "/run/hist");
	else if (runtime && runtime[0] == '/')
		strbuf_addf(&sb, "%s/hist", runtime);
	else
		strbuf_addf(&sb, "/tmp/hist-%u", (unsigned int)geteuid());
	*name = strbuf_detach(&sb);
	if (!*name) {
		errno = ENOMEM;
		return -1;
	}
	return create && mkdir(*name, 0700) && errno != EEXIST ? -1 : own_dir_open(AT_FDCWD, *name);
}

static const char *base_of(const struct undo *u)
{
	return strrchr(u->path, '/') + 1;
}

void undo_open(struct undo *u)
{
	scoped(strbuf_release) struct strbuf tmp = STRBUF_INIT, path = STRBUF_INIT;
	scoped(free_scoped) char *dir = NULL;

	*u = (struct undo)UNDO_INIT;
	u->dir = open_state_dir(&dir, true);
	pid_namespace_add_id(&tmp);
	strbuf_addf(&path, "%s/%s" SUFFIX, dir ? dir : "", tmp.s);
	strbuf_addstr(&tmp, ".new");
	u->path = tmp.failed || u->dir < 0 ? NULL : strbuf_detach(&path);
	if (u->path) {
		/* it must not be visible without its lock, so it is locked before it has its name
		 */
		u->fd = own_file_open(u->dir, tmp.s, O_RDWR | O_CREAT | O_TRUNC | O_APPEND);
		if (u->fd < 0 || !own_lock(u->fd) || own_rename(u->dir, tmp.s, base_of(u))) {
			unlinkat(u->dir, tmp.s, 0);
			undo_keep(u);
		}
	}
}

void undo_keep(struct undo *u)
{
	fd_close(u->fd);
	fd_close(u->dir);
	free(u->path);
	strbuf_release(&u->text);
	*u = (struct undo)UNDO_INIT;
}

void undo_close(struct undo *u, struct diags *diags)
{
	/* a journal that cannot be removed must not undo anything again */
	bool emptied = u->path && ftruncate(u->fd, 0) == 0;

	if (u->path && unlinkat(u->dir, base_of(u), 0))
		diags_add(diags, DIAG_WARNING, "cannot remove the journal %s: %s%s", u->path,
			  strerror(errno),
			  emptied ? "" : "; the next recording will undo the same changes again");
	undo_keep(u);
}

/* --- journals of dead owners --- */

int undo_stale_open(struct undo_stale *stale, bool start, struct diags *diags)
{
	int err = -HIST_EIO, step = start ? STEPS - START_STEPS : 0;

	*stale = (struct undo_stale){ .dir = -1 };
	stale->dir = open_state_dir(&stale->path, false);
	if (stale->dir >= 0)
		stale->entries = fd_list(stale->dir);
	/* the directory does not exist, or belongs to another user */
	else if (stale->path && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP ||
				 errno == EACCES || errno == EPERM))
		return 0;
	/*
	 * One process at a time undoes changes: another one would take what is not undone yet for
	 * lost or still in use.
	 */
	while (stale->entries && flock(stale->dir, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK &&
	       ++step < STEPS)
		usleep(STEP_US);
	if (stale->entries && step < STEPS)
		return 0;
	if (!stale->entries)
		diags_error(diags, 0, "cannot look for journals of recordings in %s: %s",
			    stale->path ? stale->path : "/run/hist", strerror(errno));
	else if (!start)
		diags_error(
			diags, 0,
			"another hist has been saving a killed recording for ten seconds: try again later");
	else
		diags_add(
			diags, DIAG_WARNING,
			"killed recordings are not saved now, because another hist is saving them");
	/* a recording starts anyway, and a later one saves what is left */
	if (stale->entries && start)
		err = 1;
	undo_stale_close(stale);
	return err;
}

void undo_stale_close(struct undo_stale *stale)
{
	if (stale->entries)
		closedir(stale->entries);
	fd_close(stale->dir);
	free(stale->path);
	*stale = (struct undo_stale){ .dir = -1 };
}

/* Open a journal: 0; 1 if its owner lives, or if it was removed; -1 with errno. */
static int open_stale(struct undo *u, const struct undo_stale *stale, const char *name)
{
	struct strbuf path = STRBUF_INIT;

	*u = (struct undo)UNDO_INIT;
	strbuf_addf(&path, "%s/%s", stale->path, name);
	u->path = strbuf_detach(&path);
	u->dir = fcntl(stale->dir, F_DUPFD_CLOEXEC, 0);
	if (!u->path || u->dir < 0)
		return -1;
	u->fd = own_file_open(u->dir, name, O_RDWR);
	if (u->fd < 0)
		return errno == ENOENT ? 1 : -1;
	if (!own_lock(u->fd))
		return errno == EAGAIN || errno == EACCES ? 1 : -1;
	return fd_append(u->fd, &u->text, SIZE_MAX) < 0 ? -1 : 0;
}

int undo_stale_next(struct undo_stale *stale, struct undo *u, struct diags *diags)
{
	struct dirent *entry;

	if (!stale->entries)
		return 1;
	while (errno = 0, entry = readdir(stale->entries)) {
		const char *suffix = strrchr(entry->d_name, '.');
		int ret;

		if (!suffix || strcmp(suffix, SUFFIX) != 0)
			continue;
		ret = open_stale(u, stale, entry->d_name);
		if (ret == 0)
			return 0;
		if (ret < 0)
			diags_error(diags, 0, "cannot read the journal %s/%s: %s", stale->path,
				    entry->d_name, strerror(errno));
		undo_keep(u);
		if (ret < 0)
			return -HIST_EIO;
	}
	if (!errno)
		return 1;
	diags_error(diags, 0, "cannot read %s: %s", stale->path, strerror(errno));
	/* the error may last: the next call must not find it again */
	closedir(stale->entries);
	stale->entries = NULL;
	return -HIST_EIO;
}

/* --- logging --- */

int undo_log(struct undo *u, struct span data, const char *key, ...)
{
	size_t from = u->text.len;
	va_list ap;

	va_start(ap, key);
	block_vadd(&u->text, data, key, ap);
	va_end(ap);
	if (u->text.failed)
		return -HIST_ENOMEM;
	if (u->fd < 0)
		return 0;
	return fd_write(u->fd, u->text.s + from, u->text.len - from) ? 0 : -HIST_EIO;
}

int undo_log_work(struct undo *u, const char *work, int dir, const char *instance)
{
	char inode[48];
	struct stat st;
	int err = undo_log(u, span_of(instance), "buffer");

	if (!err && fstat(dir, &st))
		err = -HIST_EIO;
	if (!err) {
		snprintf(inode, sizeof(inode), "%llu %llu", (unsigned long long)st.st_dev,
			 (unsigned long long)st.st_ino);
		err = undo_log(u, span_of(inode), "inode");
	}
	return err ? err : undo_log(u, span_of(work), "work");
}

/* --- undoing --- */

/* A block as strings for libtracefs, freed with the arena. */
struct undo_change {
	struct arena arena;
	const char *word[3]; /* the words of the key; NULL: missing */
	const char *data;
};

static bool change_init(struct undo_change *c, const struct manifest_block *block)
{
	struct span rest = block->key;

	*c = (struct undo_change){ .arena = ARENA_INIT };
	for (size_t i = 0; rest.s && i < ARRAY_SIZE(c->word); i++) {
		struct span word = i + 1 < ARRAY_SIZE(c->word) ? span_sep(&rest, " ") : rest;

		c->word[i] = arena_strndup(&c->arena, word.s, word.n);
		if (!c->word[i])
			return false;
	}
	c->data = arena_strndup(&c->arena, block->data.s, block->data.n);
	return c->data != NULL;
}

static int undo_in_instance(const struct undo_change *c)
{
	const char *file = c->word[2], *base = file ? strrchr(file, '/') : NULL;
	struct tracefs_instance *instance = NULL;
	bool top = strcmp(c->word[1], ".") == 0;
	int ret = top ? 1 : tracedir_has_instance(c->word[1]);

	/* the instance does not exist: there is nothing to restore */
	if (ret <= 0)
		return ret;
	if (!top && !(instance = tracefs_instance_alloc(NULL, c->word[1])))
		return -1;
	if (strcmp(c->word[0], "events") == 0) {
		struct span rest = span_of(c->data);

		ret = tracedir_write(instance, "events/enable", "0");
		while (rest.s) {
			struct span line = span_sep(&rest, "\n");
			char *name = line.n ? strndup(line.s, line.n) : NULL;

			if (name && tracedir_append(instance, "set_event", name))
				ret = -1;
			free(name);
		}
	} else if (!file) {
		ret = 0;
	} else if (strcmp(c->word[0], "trigger") == 0) {
		/* it may not exist yet, or any more */
		ret = tracedir_append(instance, file, c->data) && errno == EBUSY ? -1 : 0;
	} else {
		/* kernel: truncation removes hist triggers */
		ret = (base && strcmp(base, "/trigger") == 0 ? tracedir_append : tracedir_write)(
			instance, file, c->data);
	}
	if (instance)
		tracefs_instance_free(instance);
	return ret;
}

static int undo_one(const struct undo_change *c)
{
	if (strcmp(c->word[0], "instance") == 0)
		return tracedir_rmdir_instance(c->data);
	/* logged before it was created; maybe it was never created. Another recording that uses one
	 * of hist's own has logged its removal, too */
	if (strcmp(c->word[0], "probe") == 0)
		return tracedir_append(NULL, "dynamic_events", c->data) && errno != ENOENT &&
				       !(errno == EBUSY && !strncmp(c->data, "-:hist/", 7))
			       ? -1
			       : 0;
	if (strcmp(c->word[0], "umount") == 0)
		return umount(c->data) && errno != EBUSY ? -1 : 0;
	if (c->word[1] && (strcmp(c->word[0], "file") == 0 || strcmp(c->word[0], "events") == 0 ||
			   strcmp(c->word[0], "trigger") == 0))
		return undo_in_instance(c);
	return 0;
}

void undo_all(struct span text, struct diags *diags)
{
	scoped(free_scoped) ARRAY(struct manifest_block) blocks = ARRAY_INIT;
	struct manifest_block block;

	while (block_next(&text, &block))
		if (array_push(&blocks, block))
			diags_error(diags, 0, "out of memory while undoing a change");
	while (blocks.n) {
		struct undo_change c;

		if (!change_init(&c, &blocks.v[--blocks.n]))
			diags_error(diags, 0, "out of memory while undoing a change");
		else if (undo_one(&c))
			diags_add(diags, DIAG_WARNING, "cannot undo %s%s%s%s%s %s: %s", c.word[0],
				  c.word[1] ? " " : "", c.word[1] ? c.word[1] : "",
				  c.word[2] ? " " : "", c.word[2] ? c.word[2] : "", c.data,
				  strerror(errno));
		arena_release(&c.arena);
	}
}
