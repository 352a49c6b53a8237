// SPDX-License-Identifier: LGPL-2.1-only
/* The formats and modifiers of loaded plugins, by name. */
#include <string.h>

#include "plugin/plugin.h"

const struct hist_plugin_format *plugin_format(const struct plugins *plugins, const char *name)
{
	for (size_t i = 0; i < plugins->list.n; i++) {
		const struct hist_plugin *p = plugins->list.v[i].self;

		for (size_t f = 0; p && f < p->n_formats; f++)
			if (!strcmp(p->formats[f].name, name))
				return &p->formats[f];
	}
	return NULL;
}

const struct hist_plugin_modifier *plugin_modifier(const struct plugins *plugins, const char *name)
{
	for (size_t i = 0; i < plugins->list.n; i++) {
		const struct hist_plugin *p = plugins->list.v[i].self;

		for (size_t m = 0; p && m < p->n_modifiers; m++)
			if (!strcmp(p->modifiers[m].name, name))
				return &p->modifiers[m];
	}
	return NULL;
}

void plugin_format_names(const struct plugins *plugins, struct strbuf *out)
{
	for (size_t i = 0; i < plugins->list.n; i++) {
		const struct hist_plugin *p = plugins->list.v[i].self;

		for (size_t f = 0; p && f < p->n_formats; f++)
			strbuf_addf(out, ", %s", p->formats[f].name);
	}
}

void plugin_modifier_names(const struct plugins *plugins, struct strbuf *out)
{
	for (size_t i = 0; i < plugins->list.n; i++) {
		const struct hist_plugin *p = plugins->list.v[i].self;

		for (size_t m = 0; p && m < p->n_modifiers; m++)
			strbuf_addf(out, ", %s", p->modifiers[m].name);
	}
}
