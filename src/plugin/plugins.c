// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Loads plugins, one file or all of a directory, and checks that all their names and functions
 * exist, or reports why not. A plugin is code that runs as the user, and as trusted: the checks
 * find mistakes. The dynamic linker checks the file.
 */
#include <dlfcn.h>

#include "picture/picture.h"
#include "plugin/plugin.h"

#ifndef HIST_INSTALLED_PLUGINS
#define HIST_INSTALLED_PLUGINS "/usr/local/lib/hist/plugins"
#endif

/* Far more than any plugin needs; a larger number is an error. */
enum { NAME_MAX_LEN = 64, THINGS_MAX = 1000 };

/* --- formats and modifiers by name --- */

static const struct hist_plugin_format *plugin_format(const struct hist_plugins *plugins,
						      const char *name)
{
	for (size_t i = 0; plugins && i < plugins->list.n; i++) {
		const struct hist_plugin *p = plugins->list.v[i].self;

		for (size_t f = 0; p && f < p->n_formats; f++)
			if (!strcmp(p->formats[f].name, name))
				return &p->formats[f];
	}
	return NULL;
}

const struct hist_plugin_modifier *plugin_modifier(const struct hist_plugins *plugins,
						   const char *name)
{
	for (size_t i = 0; plugins && i < plugins->list.n; i++) {
		const struct hist_plugin *p = plugins->list.v[i].self;

		for (size_t m = 0; p && m < p->n_modifiers; m++)
			if (!strcmp(p->modifiers[m].name, name))
				return &p->modifiers[m];
	}
	return NULL;
}

bool hist_has_format(const struct hist_plugins *plugins, const char *name)
{
	struct format room;

	return !strcmp(name, "text") || !strcmp(name, "hist") || format_find(name, &room) ||
	       picture_format_find(name) || plugin_format(plugins, name);
}

/* --- descriptions --- */

static bool good_name(const char *name)
{
	size_t n = name ? strnlen(name, NAME_MAX_LEN + 1) : 0;

	for (size_t i = 0; i < n; i++)
		if (!is_alpha(name[i]) && !is_digit(name[i]) && name[i] != '-' && name[i] != '_')
			return false;
	return n && n <= NAME_MAX_LEN;
}

/* A format or a modifier. */
struct thing {
	const char *name;
	bool whole;
};

static struct thing thing_of(const struct hist_plugin *p, bool is_format, size_t i)
{
	const struct hist_plugin_format *f = is_format ? &p->formats[i] : NULL;
	const struct hist_plugin_modifier *m = is_format ? NULL : &p->modifiers[i];

	return f ? (struct thing){ f->name, f->print && f->summary }
		 : (struct thing){ m->name, m->render && m->summary };
}

static int check_things(const struct hist_plugins *plugins, const struct plugin *p, bool is_format,
			struct diags *diags)
{
	const char *what = is_format ? "format" : "modifier";
	const void *list = is_format ? (const void *)p->self->formats : p->self->modifiers;
	size_t n = is_format ? p->self->n_formats : p->self->n_modifiers;

	if (n > THINGS_MAX || (n && !list))
		return diags_error(diags, -HIST_EINVAL,
				   "%s: the plugin's list of %ss is missing or too long", p->path,
				   what);
	for (size_t i = 0; i < n; i++) {
		struct thing t = thing_of(p->self, is_format, i);
		bool exists;

		if (!good_name(t.name))
			return diags_error(diags, -HIST_EINVAL,
					   "%s: a %s of the plugin has no name, or an invalid one",
					   p->path, what);
		if (!t.whole)
			return diags_error(diags, -HIST_EINVAL,
					   "%s: %s %s of the plugin has no function or no summary",
					   p->path, what, t.name);
		exists = is_format ? hist_has_format(plugins, t.name)
				   : plugin_modifier(plugins, t.name) != NULL;
		exists |= any_of(k, i, !strcmp(thing_of(p->self, is_format, k).name, t.name));
		if (exists)
			return diags_error(diags, -HIST_EINVAL, "%s: the %s %s already exists",
					   p->path, what, t.name);
	}
	return 0;
}

static int check_self(const struct hist_plugins *plugins, const struct plugin *p,
		      struct diags *diags)
{
	if ((uintptr_t)p->self % _Alignof(struct hist_plugin))
		return diags_error(diags, -HIST_EINVAL,
				   "%s: the symbol hist_plugin is not a struct hist_plugin",
				   p->path);
	if (p->self->abi != HIST_PLUGIN_ABI)
		return diags_error(
			diags, -HIST_EINVAL,
			"%s is a plugin for version %u of the interface; this hist has version %u",
			p->path, p->self->abi, HIST_PLUGIN_ABI);
	if (!good_name(p->self->name))
		return diags_error(diags, -HIST_EINVAL,
				   "%s: the plugin has no name, or an invalid one", p->path);
	if (!p->self->n_formats && !p->self->n_modifiers)
		return diags_error(diags, -HIST_EINVAL,
				   "%s: the plugin has neither formats nor modifiers", p->path);
	return check_things(plugins, p, true, diags) ?: check_things(plugins, p, false, diags);
}

/* --- the file --- */

static int open_file(struct plugin *p, struct diags *diags)
{
	const char *why;

	p->handle = dlopen(p->path, RTLD_NOW | RTLD_LOCAL);
	if (!p->handle) {
		why = dlerror(); /* names the file */
		return diags_error(diags, -HIST_EIO, "cannot load the plugin %s",
				   why ? why : p->path);
	}
	p->self = dlsym(p->handle, "hist_plugin");
	/* ISO C cannot convert an object pointer to a function pointer; POSIX permits it */
	if (!p->self) {
		*(void **)&p->tep_loader = dlsym(p->handle, "tep_plugin_loader");
		*(void **)&p->tep_unloader = dlsym(p->handle, "tep_plugin_unloader");
	}
	if (!p->self && !p->tep_loader)
		return diags_error(
			diags, -HIST_EINVAL,
			"%s is not a plugin: it has neither hist_plugin nor tep_plugin_loader",
			p->path);
	return 0;
}

static int load(struct hist_plugins *plugins, struct plugin *p, struct diags *diags)
{
	int err = open_file(p, diags);

	for (size_t i = 0; i < plugins->list.n && !err; i++)
		if (plugins->list.v[i].handle == p->handle)
			return 1;
	if (!err && p->self)
		err = check_self(plugins, p, diags);
	return err ?: array_push(&plugins->list, *p);
}

int hist_plugins_load(struct hist_plugins *plugins, const char *file, struct diags *diags)
{
	/* without a slash dlopen() would search other directories */
	struct plugin p = { .path = arena_printf(&plugins->arena, "%s%s",
						 strchr(file, '/') ? "" : "./", file) };
	int ret = p.path ? load(plugins, &p, diags) : HIST_NOMEM;

	if (ret && p.handle)
		dlclose(p.handle);
	return ret < 0 ? ret : 0;
}

struct hist_plugins *hist_plugins_new(void)
{
	return calloc(1, sizeof(struct hist_plugins));
}

void hist_plugins_free(struct hist_plugins *plugins)
{
	if (!plugins)
		return;
	for (size_t i = 0; i < plugins->list.n; i++)
		dlclose(plugins->list.v[i].handle);
	array_release(&plugins->list);
	arena_release(&plugins->arena);
	free(plugins);
}

/* --- a directory --- */

/* For a file that the user did not name, an error becomes a warning. */
static int load_of_dir(struct hist_plugins *plugins, const char *dir, const char *name,
		       struct diags *diags)
{
	scoped(diags_release) struct diags own = DIAGS_INIT;
	scoped(strbuf_release) struct strbuf path = STRBUF_INIT;
	int err;

	strbuf_addf(&path, "%s/%s", dir, name);
	err = path.failed ? HIST_NOMEM : hist_plugins_load(plugins, path.s, &own);
	for (size_t i = 0; i < own.list.n; i++)
		diags_add(diags, DIAG_WARNING, "%s (left out)", own.list.v[i].text);
	return err == HIST_NOMEM ? err : 0;
}

static int is_plugin(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 3 && entry->d_name[0] != '.' && !strcmp(entry->d_name + n - 3, ".so");
}

/* Where `make` puts them, next to the program in the source tree: build/plugins, or O=DIR's. */
static bool built_dir(struct strbuf *dir)
{
	static const char *const below[] = { "build/plugins", "plugins" };
	char exe[4096];
	const ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe));
	const char *slash = n > 0 ? memrchr(exe, '/', (size_t)n) : NULL;

	for (size_t i = 0; i < ARRAY_SIZE(below) && slash; i++) {
		struct dirent **entries;
		int found;

		strbuf_reset(dir);
		strbuf_addf(dir, "%.*s/%s", (int)(slash - exe), exe, below[i]);
		found = dir->failed ? -1 : scandir(dir->s, &entries, is_plugin, NULL);
		for (int k = 0; k < found; k++)
			free(entries[k]);
		if (found >= 0)
			free(entries);
		if (found > 0)
			return true;
	}
	return false;
}

int hist_plugins_load_dir(struct hist_plugins *plugins, const char *dir, struct diags *diags)
{
	const char *from_env = secure_getenv("HIST_PLUGIN_DIR");
	bool installed = !dir && !from_env;
	scoped(strbuf_release) struct strbuf built = STRBUF_INIT;
	struct dirent **entries;
	int n, err = 0;

	if (!dir)
		dir = from_env ? from_env : built_dir(&built) ? built.s : HIST_INSTALLED_PLUGINS;
	n = scandir(dir, &entries, is_plugin, alphasort);
	if (n < 0 && !(installed && errno == ENOENT))
		err = diags_error(diags, -HIST_EIO, "plugins of %s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		err = err ?: load_of_dir(plugins, dir, entries[i]->d_name, diags);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	return err;
}
