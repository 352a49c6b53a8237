// SPDX-License-Identifier: LGPL-2.1-only
/* A recipe as a part of a script: its text with the values of its parameters, and changes of it. */
#include "hist-ask.h"
#include "recipe/recipe.h"

enum { MAX_TEXT = 4 << 20 };

/* The text of a file, or of a recipe by one of its names, to be freed; NULL with a diagnosis. */
static char *read_text(const char *name, bool shipped, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT, near = STRBUF_INIT;
	char *other;
	const int fd = recipe_open(name, shipped, &other);
	int err = errno;

	free(other);
	if (fd >= 0 && fd_append_close(fd, &text, MAX_TEXT))
		return strbuf_detach(&text);
	err = fd < 0 ? err : errno;
	recipe_suggest(name, &near);
	diags_error(diags, 0, "%s: %s%s", name, strerror(err), near.s ?: "");
	return NULL;
}

static int expand(struct hist *h, const struct hist_recipe *recipe, struct span text,
		  struct strbuf *out, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	scoped(free_scoped) recipe_defines defines = ARRAY_INIT;
	int err = 0;

	for (size_t i = 0; i < recipe->n_values && !err; i++)
		err = recipe_define_add(&defines, recipe->values[i]);
	if (err == -HIST_EINVAL)
		diags_error(diags, err, "%s: values of parameters are NAME=VALUE", recipe->name);
	if (!err)
		recipe_use_sampled(h, text, &defines);
	err = err
		      ?: recipe_expand(&(struct recipe_text){ recipe->name, text, RECIPE_ANSWER },
				       &defines, out, diags);
	recipe_param_names(text, &names);
	return err ?: recipe_defines_check(&defines, names.s ?: "", diags);
}

int hist_script_recipe(struct hist *h, struct hist_script *script, const struct hist_recipe *recipe,
		       struct diags *diags)
{
	const bool changes = recipe->change.keys || recipe->change.filter;
	scoped(free_scoped) char *text = read_text(recipe->name, recipe->shipped, diags);
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	int err = text ? expand(h, recipe, span_of(text), &out, diags) : -HIST_ENOENT;

	err = err ?: recipe_check_needs(h, recipe->name, strbuf_span(&out), false, diags);
	if (!err && changes)
		err = hist_script_regroup(script, &recipe->change);
	err = err ?: hist_script_parse(script, recipe->name, out.s, out.len, diags);
	if (!err && changes)
		err = hist_script_regroup(script, &(struct hist_table){ .keys = NULL });
	return err;
}
