// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The journal: "KEY ARG SIZE" blocks in /run/hist/PID.undo (root) or in the caller's own
 * runtime directory. Enters: changes about to be made. Leaves: the machine without them.
 *
 * A journal that somebody else could have written would make root write to tracefs what
 * he likes; so only files of the caller in a directory of the caller are believed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tracefs.h>

#include "record/blocks.h"
#include "record/tracedir.h"
#include "record/undo.h"

#define SUFFIX ".undo"

/* --- the file --- */

/* The directory of the journals, made if needed; NULL if there is none to be trusted. */
static char *state_dir(void)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");
	struct strbuf sb = STRBUF_INIT;
	struct stat st;

	if (geteuid() == 0)
		strbuf_addstr(&sb, "/run/hist");
	else if (runtime && runtime[0] == '/')
		strbuf_addf(&sb, "%s/hist", runtime);
	else
		strbuf_addf(&sb, "/tmp/hist-%u", (unsigned int)geteuid());
	if (!sb.failed && (mkdir(sb.s, 0700) == 0 || errno == EEXIST) && lstat(sb.s, &st) == 0 &&
	    S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022))
		return strbuf_detach(&sb);
	strbuf_release(&sb);
	return NULL;
}

/* Locks belong to the open file, so that closing another descriptor does not drop them. */
static bool lock_file(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/* Nobody may see the journal without its lock: it gets its name when it is locked. */
static void create_file(struct undo *u, const char *dir)
{
	struct strbuf tmp = STRBUF_INIT, path = STRBUF_INIT;

	strbuf_addf(&tmp, "%s/%d.new", dir, (int)getpid());
	strbuf_addf(&path, "%s/%d" SUFFIX, dir, (int)getpid());
	if (!tmp.failed && !path.failed) {
		u->fd = open(tmp.s, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
			     0600);
		if (u->fd >= 0 && lock_file(u->fd) && rename(tmp.s, path.s) == 0)
			u->path = strbuf_detach(&path);
	}
	if (!u->path && u->fd >= 0) {
		unlink(tmp.s);
		close(u->fd);
		u->fd = -1;
	}
	strbuf_release(&tmp);
	strbuf_release(&path);
}

void undo_open(struct undo *u)
{
	char *dir = state_dir();

	*u = (struct undo){ .fd = -1, .text = STRBUF_INIT };
	if (dir)
		create_file(u, dir);
	free(dir);
}

void undo_close(struct undo *u)
{
	if (u->path)
		unlink(u->path);
	if (u->fd >= 0)
		close(u->fd);
	free(u->path);
	strbuf_release(&u->text);
	*u = (struct undo){ .fd = -1, .text = STRBUF_INIT };
}

static bool read_file(struct undo *u)
{
	ssize_t n;

	do {
		if (!strbuf_grow(&u->text, 4096))
			return false;
		n = read(u->fd, u->text.s + u->text.len, 4096);
		if (n > 0)
			u->text.len += (size_t)n;
	} while (n > 0);
	if (n < 0)
		return false;
	u->text.s[u->text.len] = '\0';
	return true;
}

/* Open one journal; true if its owner is dead and it is ours to undo. */
static bool open_stale(struct undo *u, const char *path)
{
	struct stat st;

	*u = (struct undo){ .fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC),
			    .text = STRBUF_INIT };
	if (u->fd >= 0 && fstat(u->fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    st.st_nlink == 1 && lock_file(u->fd) && read_file(u)) {
		u->path = strdup(path);
		if (u->path)
			return true;
	}
	undo_close(u);
	return false;
}

int undo_next_stale(struct undo *u)
{
	char *dir = state_dir();
	DIR *d = dir ? opendir(dir) : NULL;
	struct dirent *entry;
	bool found = false;

	while (d && !found && (entry = readdir(d))) {
		const char *suffix = strrchr(entry->d_name, '.');
		struct strbuf path = STRBUF_INIT;

		if (!suffix || strcmp(suffix, SUFFIX) != 0)
			continue;
		strbuf_addf(&path, "%s/%s", dir, entry->d_name);
		found = !path.failed && open_stale(u, path.s);
		strbuf_release(&path);
	}
	if (d)
		closedir(d);
	free(dir);
	return found ? 0 : 1;
}

/* --- logging --- */

static int undo_log(struct undo *u, const char *key, struct span data)
{
	size_t from = u->text.len;
	ssize_t n;

	block_add(&u->text, key, data);
	if (u->text.failed)
		return -HIST_ENOMEM;
	if (u->fd < 0)
		return 0;
	n = write(u->fd, u->text.s + from, u->text.len - from);
	return n == (ssize_t)(u->text.len - from) ? 0 : -HIST_EIO;
}

int undo_log_instance(struct undo *u, const char *name)
{
	return undo_log(u, "instance", span_of(name));
}

int undo_log_probe(struct undo *u, const char *removal)
{
	return undo_log(u, "probe", span_of(removal));
}

int undo_log_umount(struct undo *u, const char *dir)
{
	return undo_log(u, "umount", span_of(dir));
}

int undo_log_file(struct undo *u, const char *instance, const char *file, struct span text)
{
	struct strbuf key = STRBUF_INIT;
	int err;

	strbuf_addf(&key, "file %s %s", instance ? instance : ".", file);
	err = key.failed ? -HIST_ENOMEM : undo_log(u, key.s, text);
	strbuf_release(&key);
	return err;
}

int undo_log_trigger(struct undo *u, const char *instance, const char *file, const char *text)
{
	struct strbuf key = STRBUF_INIT, removal = STRBUF_INIT;
	int err;

	strbuf_addf(&key, "trigger %s %s", instance, file);
	strbuf_addf(&removal, "!%s", text);
	err = key.failed || removal.failed ? -HIST_ENOMEM : undo_log(u, key.s, span_of(removal.s));
	strbuf_release(&key);
	strbuf_release(&removal);
	return err;
}

int undo_log_events(struct undo *u, const char *instance, struct span text)
{
	struct strbuf key = STRBUF_INIT;
	int err;

	strbuf_addf(&key, "events %s", instance);
	err = key.failed ? -HIST_ENOMEM : undo_log(u, key.s, text);
	strbuf_release(&key);
	return err;
}

int undo_log_work(struct undo *u, const char *work, const char *instance)
{
	int err = undo_log(u, "buffer", span_of(instance));

	return err ? err : undo_log(u, "work", span_of(work));
}

/* --- undoing --- */

/* Texts of a block that are handed to libtracefs; all gone with the arena. */
struct change {
	struct arena arena;
	const char *word[3]; /* the key, cut at its blanks; NULL: not there */
	const char *data;
};

static bool change_init(struct change *c, const struct block *block)
{
	struct span rest = block->key;

	*c = (struct change){ .arena = ARENA_INIT };
	for (size_t i = 0; rest.s && i < ARRAY_SIZE(c->word); i++) {
		struct span word = i + 1 < ARRAY_SIZE(c->word) ? span_sep(&rest, " ") : rest;

		c->word[i] = arena_strndup(&c->arena, word.s, word.n);
		if (!c->word[i])
			return false;
	}
	c->data = arena_strndup(&c->arena, block->data.s, block->data.n);
	return c->data != NULL;
}

static int restore_events(struct tracefs_instance *instance, const char *list)
{
	struct span rest = span_of(list);
	int ret = tracedir_write(instance, "events/enable", "0");

	while (rest.s) {
		struct span line = span_sep(&rest, "\n");
		char *name = line.n ? strndup(line.s, line.n) : NULL;

		if (name && tracedir_append(instance, "set_event", name))
			ret = -1;
		free(name);
	}
	return ret;
}

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

static int undo_in_instance(const struct change *c)
{
	struct tracefs_instance *instance = NULL;
	bool top = strcmp(c->word[1], ".") == 0;
	int ret;

	/* somebody removed the instance: there is nothing left to restore */
	if (!top && !tracefs_instance_exists(c->word[1]))
		return 0;
	if (!top && !(instance = tracefs_instance_alloc(NULL, c->word[1])))
		return -1;
	if (strcmp(c->word[0], "events") == 0)
		ret = restore_events(instance, c->data);
	else if (!c->word[2])
		ret = 0;
	else if (strcmp(c->word[0], "trigger") == 0) /* it may never have been, or be gone */
		ret = tracedir_append(instance, c->word[2], c->data) && errno == EBUSY ? -1 : 0;
	else if (ends_in(c->word[2], "/trigger")) /* kernel: truncation removes hist triggers */
		ret = tracedir_append(instance, c->word[2], c->data);
	else
		ret = tracedir_write(instance, c->word[2], c->data);
	if (instance)
		tracefs_instance_free(instance);
	return ret;
}

static int undo_one(const struct change *c)
{
	if (strcmp(c->word[0], "instance") == 0)
		return tracedir_rmdir_instance(c->data);
	/* it was logged before it was made; maybe it never was */
	if (strcmp(c->word[0], "probe") == 0)
		return tracedir_append(NULL, "dynamic_events", c->data) && errno != ENOENT ? -1 : 0;
	if (strcmp(c->word[0], "umount") == 0)
		return umount(c->data) && errno != EBUSY ? -1 : 0;
	if (c->word[1] && (strcmp(c->word[0], "file") == 0 || strcmp(c->word[0], "events") == 0 ||
			   strcmp(c->word[0], "trigger") == 0))
		return undo_in_instance(c);
	return 0;
}

void undo_all(struct span text, struct diags *diags)
{
	ARRAY(struct block) blocks = ARRAY_INIT;
	struct block block;

	while (block_next(&text, &block))
		if (array_push(&blocks, block))
			diags_error(diags, 0, "no memory to undo a change");
	while (blocks.n) {
		struct change c;

		if (!change_init(&c, &blocks.v[--blocks.n]))
			diags_error(diags, 0, "no memory to undo a change");
		else if (undo_one(&c))
			diags_add(diags, DIAG_WARNING, "cannot undo %s%s%s%s%s %s: %s", c.word[0],
				  c.word[1] ? " " : "", c.word[1] ? c.word[1] : "",
				  c.word[2] ? " " : "", c.word[2] ? c.word[2] : "", c.data,
				  strerror(errno));
		arena_release(&c.arena);
	}
	array_release(&blocks);
}
