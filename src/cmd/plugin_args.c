// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plugins of the command line: --plugin, --modifier. The plugin directory is searched only if a
 * format or modifier is not known otherwise.
 */
#include <string.h>

#include "cmd/cmd.h"

static const struct cmd_option options[] = {
	{ "plugin", 0, "FILE", 0, "Load this plugin, of hist or of libtraceevent", 4,
	  CMD_TEXTS(struct cmd_plugins, files) },
	{ "modifier", 0, "FIELD=NAME", 0,
	  "Show names for the numbers of a key or saved value, as a plugin gives them", 4,
	  CMD_TEXTS(struct cmd_plugins, modifiers) },
	{ 0 },
};

const struct cmd_options cmd_plugin_options = { .options = options };

int cmd_plugins_load(struct cmd_plugins *p, struct hist_run_options *run, struct diags *diags)
{
	int err = 0;

	p->loaded = hist_plugins_new();
	if (!p->loaded)
		return HIST_NOMEM;
	for (size_t i = 0; i < p->files.n && !err; i++)
		err = hist_plugins_load(p->loaded, p->files.v[i], diags);
	if (!err && (p->modifiers.n || (run->format && !hist_has_format(p->loaded, run->format))))
		err = hist_plugins_load_dir(p->loaded, NULL, diags);
	run->plugins = p->loaded;
	run->modifiers = p->modifiers.v;
	run->n_modifiers = p->modifiers.n;
	return err;
}

int cmd_plugins_files(const struct cmd_plugins *p, struct input_files *files)
{
	int err = 0;

	for (size_t i = 0; i < p->files.n && !err; i++)
		err = input_files_add(files, p->files.v[i], p->files.v[i]);
	return err;
}

void cmd_plugins_release(struct cmd_plugins *p)
{
	hist_plugins_free(p->loaded);
	array_release(&p->files);
	array_release(&p->modifiers);
}
