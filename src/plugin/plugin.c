// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Loads a plugin and checks that all its names and functions exist, or reports why not.
 *
 * A plugin is code that runs as the user; the checks protect against mistakes, not against
 * malice.
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#include "plugin/elf.h"
#include "plugin/plugin.h"

/* Far more than any plugin needs; a larger number is an error. */
enum { NAME_MAX_LEN = 64, THINGS_MAX = 1000 };

static bool good_name(const char *name)
{
	size_t n = name ? strnlen(name, NAME_MAX_LEN + 1) : 0;

	for (size_t i = 0; i < n; i++)
		if (!is_alpha(name[i]) && !is_digit(name[i]) && name[i] != '-' && name[i] != '_')
			return false;
	return n && n <= NAME_MAX_LEN;
}

/* --- descriptions --- */

static int check_list(const struct plugin *p, const void *list, size_t n, const char *what,
		      struct diags *diags)
{
	if (n > THINGS_MAX || (n && !list))
		return diags_error(diags, -HIST_EINVAL,
				   "%s: the plugin's list of %s is missing or too long", p->path,
				   what);
	return 0;
}

static int check_thing(const struct plugin *p, const char *what, const char *name, bool whole,
		       struct diags *diags)
{
	if (!good_name(name))
		return diags_error(diags, -HIST_EINVAL,
				   "%s: a %s of the plugin has no name, or an invalid one", p->path,
				   what);
	if (!whole)
		return diags_error(diags, -HIST_EINVAL,
				   "%s: %s %s of the plugin has no function or no summary", p->path,
				   what, name);
	return 0;
}

static int clash(const struct plugin *p, const char *what, const char *name, struct diags *diags)
{
	return diags_error(diags, -HIST_EINVAL, "%s: the %s %s already exists", p->path, what,
			   name);
}

static bool is_taken(const struct plugins *plugins, const char *format)
{
	return plugins->format_taken && plugins->format_taken(format);
}

static int check_formats(const struct plugins *plugins, const struct plugin *p, struct diags *diags)
{
	const struct hist_plugin_format *f = p->self->formats;
	int err = check_list(p, f, p->self->n_formats, "formats", diags);

	for (size_t i = 0; i < p->self->n_formats && !err; i++) {
		err = check_thing(p, "format", f[i].name, f[i].print && f[i].summary, diags);
		for (size_t j = 0; j < i && !err; j++)
			if (!strcmp(f[j].name, f[i].name))
				err = clash(p, "format", f[i].name, diags);
		if (!err && (plugin_format(plugins, f[i].name) || is_taken(plugins, f[i].name)))
			err = clash(p, "format", f[i].name, diags);
	}
	return err;
}

static int check_modifiers(const struct plugins *plugins, const struct plugin *p,
			   struct diags *diags)
{
	const struct hist_plugin_modifier *m = p->self->modifiers;
	int err = check_list(p, m, p->self->n_modifiers, "modifiers", diags);

	for (size_t i = 0; i < p->self->n_modifiers && !err; i++) {
		err = check_thing(p, "modifier", m[i].name, m[i].render && m[i].summary, diags);
		for (size_t j = 0; j < i && !err; j++)
			if (!strcmp(m[j].name, m[i].name))
				err = clash(p, "modifier", m[i].name, diags);
		if (!err && plugin_modifier(plugins, m[i].name))
			err = clash(p, "modifier", m[i].name, diags);
	}
	return err;
}

/* Size of the object hist_plugin; 0 if there is none. */
static size_t size_of_self(const struct plugin *p)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!dladdr1(p->self, &info, (void **)&symbol, RTLD_DL_SYMENT) || !symbol ||
	    info.dli_saddr != (const void *)p->self || (symbol->st_info & 0xf) != STT_OBJECT)
		return 0;
	return symbol->st_size;
}

static int not_itself(const struct plugin *p, struct diags *diags)
{
	return diags_error(diags, -HIST_EINVAL, "%s: hist_plugin is not a struct hist_plugin",
			   p->path);
}

static int check_self(const struct plugins *plugins, const struct plugin *p, struct diags *diags)
{
	size_t size = size_of_self(p);
	int err;

	if (size < sizeof(p->self->abi))
		return not_itself(p, diags);
	if (p->self->abi != HIST_PLUGIN_ABI)
		return diags_error(
			diags, -HIST_EINVAL,
			"%s is a plugin for version %u of the interface; this hist has version %u",
			p->path, p->self->abi, HIST_PLUGIN_ABI);
	if (size < sizeof(*p->self))
		return not_itself(p, diags);
	if (!good_name(p->self->name))
		return diags_error(diags, -HIST_EINVAL,
				   "%s: the plugin has no name, or an invalid one", p->path);
	if (!p->self->n_formats && !p->self->n_modifiers)
		return diags_error(diags, -HIST_EINVAL,
				   "%s: the plugin has neither formats nor modifiers", p->path);
	err = check_formats(plugins, p, diags);
	return err ? err : check_modifiers(plugins, p, diags);
}

/* --- the file --- */

/* NULL (with nothing to release) or the handle. */
static int open_file(struct plugin *p, struct diags *diags)
{
	const char *why;
	int err = elf_check(p->path, diags);

	if (err)
		return err;
	p->handle = dlopen(p->path, RTLD_NOW | RTLD_LOCAL);
	if (!p->handle) {
		why = dlerror();
		return diags_error(diags, -HIST_EIO, "cannot load %s", why ? why : p->path);
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

static bool is_loaded(const struct plugins *plugins, const struct plugin *p)
{
	for (size_t i = 0; i < plugins->list.n; i++)
		if (plugins->list.v[i].handle == p->handle)
			return true;
	return false;
}

static int load(struct plugins *plugins, struct plugin *p, struct diags *diags)
{
	int err = open_file(p, diags);

	if (err || is_loaded(plugins, p))
		return err ? err : 1;
	if (p->self)
		err = check_self(plugins, p, diags);
	return err ? err : array_push(&plugins->list, *p);
}

int plugin_load(struct plugins *plugins, const char *path, struct diags *diags)
{
	/* without a slash dlopen() would search other directories */
	struct plugin p = { .path = arena_printf(&plugins->arena, "%s%s",
						 strchr(path, '/') ? "" : "./", path) };
	int ret = p.path ? load(plugins, &p, diags) : HIST_NOMEM;

	if (ret && p.handle)
		dlclose(p.handle);
	return ret < 0 ? ret : 0;
}

void plugins_release(struct plugins *plugins)
{
	for (size_t i = 0; i < plugins->list.n; i++)
		dlclose(plugins->list.v[i].handle);
	array_release(&plugins->list);
	arena_release(&plugins->arena);
}
