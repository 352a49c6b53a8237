/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: loading plugins, for the formats and modifiers of hist_run(). What a plugin is says
 * hist-plugin.h.
 */
#ifndef HIST_PLUGINS_H
#define HIST_PLUGINS_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct hist_plugins *hist_plugins_new(void);

/* Unloads them: after hist_close() of what was run with them. */
void hist_plugins_free(struct hist_plugins *plugins);

/**
 * hist_plugins_load() - load one file: a plugin of hist, or one of libtraceevent
 *
 * Return: 0; -HIST_EINVAL: it is no plugin, of another version, or has a name that is taken;
 *         -HIST_EIO: it cannot be read or loaded
 */
int hist_plugins_load(struct hist_plugins *plugins, const char *file, struct diags *diags);

/*
 * Load every *.so of @dir. NULL: of the directory that HIST_PLUGIN_DIR names in the environment,
 * or else where they are installed. What cannot be loaded draws a warning.
 * Return: 0; -HIST_ENOMEM; -HIST_EIO if there is no such directory (but the installed one).
 */
int hist_plugins_load_dir(struct hist_plugins *plugins, const char *dir, struct diags *diags);

/* Whether hist_run() would take that format; @plugins may be NULL. */
bool hist_has_format(const struct hist_plugins *plugins, const char *name);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
