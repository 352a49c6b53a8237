/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: loading plugins, for the formats and modifiers of hist_run(). hist-plugin.h defines
 * plugins.
 */
#ifndef HIST_PLUGINS_H
#define HIST_PLUGINS_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct hist_plugins *hist_plugins_new(void);

/* Unload them; call after hist_close() of the runs that used them. */
void hist_plugins_free(struct hist_plugins *plugins);

/**
 * hist_plugins_load() - load one file: a plugin of hist, or one of libtraceevent
 *
 * Return: 0; -HIST_EINVAL: it is not a plugin, has another version, or a name in use; -HIST_EIO: it
 *         cannot be read or loaded
 */
int hist_plugins_load(struct hist_plugins *plugins, const char *file, struct diags *diags);

/*
 * Load every *.so of @dir. NULL: of the directory in the environment variable HIST_PLUGIN_DIR,
 * or else of the installed one. A plugin that cannot be loaded causes a warning. Return: 0;
 * -HIST_ENOMEM; -HIST_EIO if the directory does not exist (except the installed one).
 */
int hist_plugins_load_dir(struct hist_plugins *plugins, const char *dir, struct diags *diags);

/* Whether hist_run() supports the format; @plugins may be NULL. */
bool hist_has_format(const struct hist_plugins *plugins, const char *name);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
