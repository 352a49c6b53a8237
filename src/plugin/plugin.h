/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * plugin: shared objects that add output formats and modifiers. A file is checked before it is
 * loaded, and its descriptions before they are used.
 */
#ifndef HIST_PLUGIN_PLUGIN_H
#define HIST_PLUGIN_PLUGIN_H

#include "base/base.h"
#include "hist-plugin.h"

/* The object with which a plugin of libtraceevent registers itself: a struct tep_handle. */
typedef int (*plugin_tep_loader_fn)(void *tep);
typedef void (*plugin_tep_unloader_fn)(void *tep);

struct plugin {
	void *handle; /* of dlopen() */
	const char *path;
	const struct hist_plugin *self;  /* NULL: a plugin of libtraceevent */
	plugin_tep_loader_fn tep_loader; /* NULL: one of hist */
	plugin_tep_unloader_fn tep_unloader;
};

struct plugins {
	struct arena arena;
	bool (*format_taken)(const char *name); /* names of built-in ones; NULL: none */
	ARRAY(struct plugin) list;
};

#define PLUGINS_INIT                                    \
	{                                               \
		.arena = ARENA_INIT, .list = ARRAY_INIT \
	}

void plugins_release(struct plugins *plugins);

/**
 * plugin_load() - load one file
 *
 * A plugin that is loaded already is not loaded again.
 * Return: 0; -HIST_EINVAL: it is not a plugin, has another version, or is invalid; -HIST_EIO: it
 *         cannot be read or loaded; -HIST_ENOMEM
 */
int plugin_load(struct plugins *plugins, const char *path, struct diags *diags);

const struct hist_plugin_format *plugin_format(const struct plugins *plugins, const char *name);
const struct hist_plugin_modifier *plugin_modifier(const struct plugins *plugins, const char *name);

/* Append ", NAME" for each. */
void plugin_format_names(const struct plugins *plugins, struct strbuf *out);
void plugin_modifier_names(const struct plugins *plugins, struct strbuf *out);

#endif
