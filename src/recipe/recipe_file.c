// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds recipes: first in the directories of $HIST_RECIPES, then in the one next to the program,
 * then in the installed one. The first file with a name hides later ones.
 */
#include "recipe/recipe.h"

#ifndef HIST_INSTALLED_RECIPES
#define HIST_INSTALLED_RECIPES "/usr/local/share/hist/recipes"
#endif

static const char suffix[] = ".hist";
enum { MAX_RECIPE = 1 << 20 };

/* --- directories --- */

/* The directories, separated by colons. */
static void search_path(struct strbuf *dirs)
{
	const char *env = secure_getenv("HIST_RECIPES");
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (env && *env)
		strbuf_addf(dirs, "%s:", env);
	exe[n > 0 ? n : 0] = '\0';
	slash = strrchr(exe, '/');
	if (slash)
		strbuf_addf(dirs, "%.*s/share/hist/recipes:%.*s/../share/hist/recipes:",
			    (int)(slash - exe), exe, (int)(slash - exe), exe);
	strbuf_addstr(dirs, HIST_INSTALLED_RECIPES);
}

static bool is_plain_name(const char *name)
{
	return *name && *name != '.' && !strchr(name, '/');
}

/* The file @name in the first directory that has it. */
static int open_file(const char *name)
{
	scoped(strbuf_release) struct strbuf dirs = STRBUF_INIT, path = STRBUF_INIT;
	struct span rest;
	int fd = -1;

	search_path(&dirs);
	rest = (struct span){ dirs.s, dirs.len };
	while (fd < 0 && !dirs.failed && rest.s) {
		struct span dir = span_sep(&rest, ":");

		strbuf_reset(&path);
		strbuf_addf(&path, "%.*s/%s", (int)dir.n, dir.s, name);
		if (dir.n && !path.failed)
			fd = open(path.s, O_RDONLY | O_CLOEXEC);
	}
	return fd;
}

static int open_recipe(const char *name)
{
	scoped(strbuf_release) struct strbuf file = STRBUF_INIT;
	int fd = -1;

	strbuf_addf(&file, "%s%s", name, suffix);
	if (!file.failed && is_plain_name(name))
		fd = open_file(file.s);
	return fd;
}

int recipe_open(const char *name, bool shipped, char **other)
{
	int fd = shipped ? -1 : open(name, O_RDONLY | O_CLOEXEC), err = shipped ? ENOENT : errno;
	struct stat st;

	*other = NULL;
	if (fd >= 0 && !fstat(fd, &st) && !S_ISDIR(st.st_mode))
		return fd;
	if (fd >= 0) {
		close(fd);
		err = EISDIR;
	}
	fd = err == ENOENT || err == EISDIR ? open_recipe(name) : -1;
	if (fd < 0 && err == ENOENT && (*other = recipe_by_alias(name)))
		fd = open_recipe(*other);
	if (fd < 0)
		errno = err;
	return fd;
}

/* The text of @fd, which is closed. */
static char *read_all(int fd)
{
	struct strbuf sb = STRBUF_INIT;
	bool ok = fd_append_close(fd, &sb, MAX_RECIPE);

	if (!ok)
		strbuf_release(&sb);
	return ok ? strbuf_detach(&sb) : NULL;
}

char *recipe_read(const char *name)
{
	return read_all(open_recipe(name));
}

/* --- names --- */

/* Add a name, unless an earlier directory has it. */
static int add_name(recipe_names *names, const char *file, size_t n)
{
	char *name = strndup(file, n);

	for (size_t i = 0; name && i < names->n; i++)
		if (!strcmp(names->v[i], name)) {
			free(name);
			return 0;
		}
	if (!name || array_push(names, name)) {
		free(name);
		return HIST_NOMEM;
	}
	return 0;
}

static int add_dir(recipe_names *names, const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int err = 0;

	while (dir && !err && (entry = readdir(dir))) {
		const char *dot = strrchr(entry->d_name, '.');

		if (dot && dot != entry->d_name && entry->d_name[0] != '.' && !strcmp(dot, suffix))
			err = add_name(names, entry->d_name, (size_t)(dot - entry->d_name));
	}
	if (dir)
		closedir(dir);
	return err;
}

static int cmp_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int recipe_list(recipe_names *names)
{
	scoped(strbuf_release) struct strbuf dirs = STRBUF_INIT;
	char *dir, *rest;
	int err = 0;

	search_path(&dirs);
	if (dirs.failed)
		err = HIST_NOMEM;
	rest = dirs.s;
	while (!err && (dir = strsep(&rest, ":")))
		err = *dir ? add_dir(names, dir) : 0;
	if (!err && names->n)
		qsort(names->v, names->n, sizeof(*names->v), cmp_names);
	return err;
}

void recipe_names_release(recipe_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->v[i]);
	array_release(names);
}

/* Tables of hist sql have underscores in their names. */
static bool is_same_name(const char *recipe, const char *name)
{
	while (*recipe && (*recipe == *name || (*recipe == '-' && *name == '_'))) {
		recipe++;
		name++;
	}
	return !*recipe && !*name;
}

/* Append what comes nearest to a tool that no recipe replaces: "NAME: text" of a list. */
static bool add_nearest(const char *name, struct strbuf *out)
{
	scoped(free_scoped) char *text = read_all(open_file("other-tools"));
	struct span rest = text ? span_of(text) : (struct span){ NULL, 0 };
	bool found = false;

	while (rest.s && !found) {
		struct span line = span_sep(&rest, "\n"), tool;

		if (span_starts(line, "#"))
			continue;
		tool = span_sep(&line, ":");
		found = line.s && span_eq(tool, name);
		if (found)
			strbuf_addf(out, "; nearest: %.*s", (int)span_trim(line).n,
				    span_trim(line).s);
	}
	return found;
}

/* Without the ending of a plural or a past: disks, failed. */
static struct span stem_of(struct span word)
{
	static const char *const endings[] = { "ing", "ies", "ed", "s" };

	for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
		const size_t n = strlen(endings[i]);

		if (word.n >= n + 4 && !strncmp(word.s + word.n - n, endings[i], n))
			return (struct span){ word.s, word.n - n };
	}
	return word;
}

static bool has_word(struct span text, struct span stem)
{
	bool found = false;

	while (text.s && !found) {
		struct span word = span_sep(&text, " -,?()");

		found = word.n >= stem.n && !strncasecmp(word.s, stem.s, stem.n);
	}
	return found;
}

/* Whether a word of @text is @stem, with any ending. */
static bool has_stem(struct span text, struct span stem)
{
	bool found = false;

	while (text.s && !found)
		found = span_same(stem_of(span_sep(&text, " -,?()")), stem);
	return found;
}

/* Whether its name, its aliases or its question have all words of @words. */
static bool has_words(const char *recipe, struct span text, struct span words)
{
	bool all = true;

	while (all && words.s) {
		const struct span stem = stem_of(span_sep(&words, " -_"));

		all = stem.n > 2 &&
		      (has_stem(span_of(recipe), stem) || has_stem(recipe_question(text), stem) ||
		       has_stem(recipe_aliases(text), stem));
	}
	return all;
}

char *recipe_by_alias(const char *name)
{
	scoped(strbuf_release) struct strbuf nearest = STRBUF_INIT;
	const bool tool = add_nearest(name, &nearest);
	recipe_names names = ARRAY_INIT;
	char *found[2] = { NULL }; /* that has the name, and that has its words */
	size_t n[2] = { 0 };

	if (is_plain_name(name) && !recipe_list(&names))
		for (size_t i = 0; i < names.n; i++) {
			scoped(free_scoped) char *read = recipe_read(names.v[i]);
			const struct span text = span_of(read ?: "");
			const bool exact = is_same_name(names.v[i], name) ||
					   recipe_has_alias(text, name);

			if ((exact || (!tool && has_words(names.v[i], text, span_of(name)))) &&
			    !n[!exact]++)
				found[!exact] = strdup(names.v[i]);
		}
	recipe_names_release(&names);
	for (int i = 0; i < 2; i++)
		if (n[i] > 1 || (i && n[0])) {
			free(found[i]);
			found[i] = NULL;
		}
	return found[0] ?: found[1];
}

/* Recipes in whose question or name a word begins so. */
static bool add_about(struct span word, const recipe_names *names, struct strbuf *out)
{
	const struct span stem = stem_of(word);
	const size_t before = out->len;

	for (size_t i = 0; i < names->n && stem.n > 2; i++) {
		scoped(free_scoped) char *text = recipe_read(names->v[i]);
		struct span question = text ? recipe_question(span_of(text)) : span_of("");

		if (has_word(question, stem) || has_word(span_of(names->v[i]), stem))
			strbuf_addf(out, "%s%s",
				    out->len > before ? ", " : "; recipes about it: ", names->v[i]);
	}
	return out->len > before;
}

void recipe_suggest(const char *name, struct strbuf *out)
{
	recipe_names names = ARRAY_INIT;
	struct near near = NEAR_INIT(name), words = NEAR_INIT(name);

	if (*name && strchr("=!<>&|~", *name))
		strbuf_addstr(out, "; a filter is one argument: -f 'FIELD == VALUE'");
	else if (is_plain_name(name) && !add_nearest(name, out) && !recipe_list(&names)) {
		struct span parts = span_of(name);
		bool about = add_about(parts, &names, out);

		for (size_t i = 0; i < names.n && !about; i++)
			near_offer(&near, names.v[i], names.v[i]);
		/* or near the first word of one */
		for (size_t i = 0; i < names.n && !near.n && !about && strlen(name) > 3; i++) {
			scoped(free_scoped) char *word =
				strndup(names.v[i], strcspn(names.v[i], "-"));

			if (word)
				near_offer(&words, word, names.v[i]);
		}
		/* of several words, the first that is known */
		while (!near.n && !words.n && !about && parts.s)
			about = add_about(span_sep(&parts, " -"), &names, out);
		if (near.n || words.n)
			strbuf_addstr(out, "; recipes of similar names: ");
		else if (!about && !strchr(name, '.'))
			strbuf_addstr(
				out,
				"; hist recipe lists the recipes, an event goes after -e, a field after --by or --sum, a task after --comm");
		near_text(near.n ? &near : &words, out);
	}
	recipe_names_release(&names);
}
