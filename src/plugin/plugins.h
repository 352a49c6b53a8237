/* SPDX-License-Identifier: LGPL-2.1-only */
/* Using plugins: their formats in addition to the others, their modifiers on results and text. */
#ifndef HIST_PLUGIN_PLUGINS_H
#define HIST_PLUGIN_PLUGINS_H

#include "hist-plugins.h"
#include "plugin/plugin.h"
#include "print/print.h"

struct hist_plugins {
	struct plugins plugins;
};

/**
 * plugin_formats_add() - add the formats of plugins to the built-in ones
 * @arena: memory for the formats; @diags receives their errors while they are used
 */
typedef ARRAY(struct format) format_array;
int plugin_formats_add(format_array *formats, const struct hist_plugins *plugins,
		       struct arena *arena, struct diags *diags);

/* --modifier FIELD=NAME, or names given with their numbers */
struct field_modifier {
	const char *field;
	const struct hist_plugin_modifier *plugin; /* NULL: ->names */
	const char *names;                         /* "NUMBER=NAME NUMBER=NAME ..." */
	bool used;                                 /* a histogram had that field */
};

struct modifiers {
	struct arena arena;
	ARRAY(struct field_modifier) list;
};

/* Add modifiers given as "FIELD=NAME"; -HIST_EINVAL with a diagnosis. */
int modifiers_init(struct modifiers *m, const char *const *texts, size_t n,
		   const struct hist_plugins *plugins, struct diags *diags);
/* "FIELD NUMBER=NAME ...", unless the field already has one; @text is borrowed. 0, -HIST_ENOMEM */
int modifiers_add_names(struct modifiers *m, const char *text);
void modifiers_release(struct modifiers *m);

/**
 * modified_result_new() - wrap @inner to add names of numbers
 *
 * For numeric keys and saved fields without a name of their own.
 * Owns: @inner is borrowed until modified_result_free()
 */
int modified_result_new(struct modifiers *m, const struct result *inner, struct result **out);
void modified_result_free(struct result *result);

/* Warn of fields that no histogram had. */
void modifiers_diagnose(const struct modifiers *m, struct diags *diags);

#endif
