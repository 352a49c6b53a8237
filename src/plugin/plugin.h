/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * plugin: shared objects that add output formats and modifiers, which are used like built-in ones:
 * formats in addition to the others, modifiers on results.
 */
#pragma once
#include "hist-plugin.h"
#include "hist-plugins.h"
#include "print/print.h"

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

struct hist_plugins {
	struct arena arena;
	ARRAY(struct plugin) list;
};

/* @plugins may be NULL: none. */
const struct hist_plugin_modifier *plugin_modifier(const struct hist_plugins *plugins,
						   const char *name);

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
	struct number_names names;
	bool used; /* a histogram had that field */
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
