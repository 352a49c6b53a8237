// SPDX-License-Identifier: GPL-2.0-only
/*
 * Plugins of the command line: --plugin, --modifier. The plugin directory is searched only if a
 * format or modifier is not known otherwise.
 */
#include <string.h>

#include "cmd/cmd.h"

static const struct cmd_option options[] = {
	{ "plugin", 0, "FILE", 0, "Load this plugin, of hist or of libtraceevent", 4,
	  CMD_TEXTS(struct cmd_args, plugin_files) },
	{ "modifier", 0, "FIELD=NAME", 0,
	  "Show names for the numbers of a key or saved value, as a plugin gives them", 4,
	  CMD_TEXTS(struct cmd_args, modifiers) },
	{ 0 },
};

const struct cmd_options cmd_plugin_options = { .options = options };

int cmd_load_plugins(struct cmd_args *a)
{
	int err = 0;

	a->plugins = hist_plugins_new();
	if (!a->plugins)
		return HIST_NOMEM;
	for (size_t i = 0; i < a->plugin_files.n && !err; i++) {
		const char *file = a->plugin_files.v[i];

		err = hist_plugins_load(a->plugins, file, a->diags);
		if (!err)
			err = input_files_add(&a->input.files, file, file);
	}
	if (!err &&
	    (a->modifiers.n || (a->run.format && !hist_has_format(a->plugins, a->run.format))))
		err = hist_plugins_load_dir(a->plugins, NULL, a->diags);
	a->run.plugins = a->plugins;
	a->run.modifiers = a->modifiers.v;
	a->run.n_modifiers = a->modifiers.n;
	return err;
}
