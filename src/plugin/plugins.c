// SPDX-License-Identifier: LGPL-2.1-only
/* Loading plugins: one file, or all of a directory. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

#include "picture/picture.h"
#include "plugin/plugins.h"

#ifndef HIST_INSTALLED_PLUGINS
#define HIST_INSTALLED_PLUGINS "/usr/local/lib/hist/plugins"
#endif

struct hist_plugins *hist_plugins_new(void)
{
	return calloc(1, sizeof(struct hist_plugins));
}

void hist_plugins_free(struct hist_plugins *plugins)
{
	if (!plugins)
		return;
	plugins_release(&plugins->plugins);
	free(plugins);
}

bool hist_has_format(const struct hist_plugins *plugins, const char *name)
{
	return !strcmp(name, "text") || format_find(name) || picture_format_find(name) ||
	       (plugins && plugin_format(&plugins->plugins, name));
}

/* Reserved names. */
static bool is_built_in(const char *name)
{
	return hist_has_format(NULL, name);
}

int hist_plugins_load(struct hist_plugins *plugins, const char *file, struct diags *diags)
{
	plugins->plugins.format_taken = is_built_in;
	return plugin_load(&plugins->plugins, file, diags);
}

/* For a file that the user did not name, an error becomes a warning. */
static int load_of_dir(struct hist_plugins *plugins, const char *dir, const char *name,
		       struct diags *diags)
{
	struct diags own = DIAGS_INIT;
	struct strbuf path = STRBUF_INIT;
	int err;

	strbuf_addf(&path, "%s/%s", dir, name);
	err = path.failed ? HIST_NOMEM : hist_plugins_load(plugins, path.s, &own);
	for (size_t i = 0; i < own.list.n; i++)
		diags_add(diags, DIAG_WARNING, "%s (left out)", own.list.v[i].text);
	diags_release(&own);
	strbuf_release(&path);
	return err == HIST_NOMEM ? err : 0;
}

static int is_plugin(const struct dirent *entry)
{
	size_t n = strlen(entry->d_name);

	return n > 3 && entry->d_name[0] != '.' && !strcmp(entry->d_name + n - 3, ".so");
}

int hist_plugins_load_dir(struct hist_plugins *plugins, const char *dir, struct diags *diags)
{
	const char *from_env = secure_getenv("HIST_PLUGIN_DIR");
	bool installed = !dir && !from_env;
	struct dirent **entries;
	int n, err = 0;

	if (!dir)
		dir = from_env ? from_env : HIST_INSTALLED_PLUGINS;
	n = scandir(dir, &entries, is_plugin, alphasort);
	if (n < 0 && installed && errno == ENOENT) {
		diags_add(diags, DIAG_NOTE,
			  "no plugins are installed: the directory %s does not exist", dir);
		return 0;
	}
	if (n < 0)
		return diags_error(diags, -HIST_EIO, "plugins of %s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		if (!err)
			err = load_of_dir(plugins, dir, entries[i]->d_name, diags);
		free(entries[i]);
	}
	free(entries);
	return err;
}
