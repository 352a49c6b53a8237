// SPDX-License-Identifier: GPL-2.0-only
/* hist recipe: lists the recipes, shows one of them, or lists those that a recording can answer. */
#include "cmd/cmd.h"

struct recipe {
	struct cmd_args a;
	recipe_defines defines;
	const char *name;
};

static const struct cmd_option options[] = {
	{ "define", 'D', "NAME=VALUE", 0, "Set a parameter, and show the script with its value", 2,
	  CMD_CALL(struct recipe, defines, cmd_store_define) },
	{ 0 },
};

static error_t recipe_parse(int key, const char *arg, struct argp_state *state)
{
	struct recipe *r = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (!r->a.cx->session && !access(arg, F_OK)) /* no recipe has such a name */
			return array_push(&r->a.input.paths, arg) ? ENOMEM : 0;
		if (r->name)
			argp_error(state, "name only one recipe, %s or %s", r->name, arg);
		r->name = arg;
		return 0;
	case ARGP_KEY_END:
		if (r->defines.n && !r->name)
			argp_error(state, "-D needs the NAME of a recipe");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* A line for a recipe: its question, or what the recording lacks. */
static int add_recipe(struct hist *h, const char *name, struct strbuf *can, struct strbuf *cannot,
		      struct diags *diags)
{
	scoped(free_scoped) char *text = recipe_read(name);
	scoped(strbuf_release) struct strbuf why = STRBUF_INIT;
	struct span shown;
	int answers = 1;

	if (!text) {
		diags_add(diags, DIAG_WARNING, "%s.hist cannot be read", name);
		return 0;
	}
	if (h)
		answers = recipe_answers(h, name, span_of(text), &why);
	shown = answers > 0 ? recipe_question(span_of(text)) : (struct span){ why.s, why.len };
	if (answers >= 0) {
		struct strbuf *out = answers ? can : cannot;

		strbuf_addstr(out, "  ");
		strbuf_addpad(out, name, 24);
		strbuf_addf(out, " %.*s\n", (int)shown.n, shown.n ? shown.s : "");
	}
	return answers < 0 ? answers : 0;
}

static int list_all(const struct recipe *r, struct strbuf *out, struct diags *diags)
{
	struct hist *h = r->a.h;
	scoped(recipe_names_release) recipe_names names = ARRAY_INIT;
	scoped(strbuf_release) struct strbuf cannot = STRBUF_INIT;
	int err = recipe_list(&names);

	if (!err && !names.n)
		err = diags_error(diags, -HIST_ENOENT,
				  "there are no recipes: set HIST_RECIPES to their directory");
	for (size_t i = 0; i < names.n && !err; i++)
		err = add_recipe(h, names.v[i], out, &cannot, diags);
	if (h && !out->len)
		strbuf_addstr(out, "The recording cannot answer any of the recipes.\n");
	if (cannot.len && r->a.cx->session) /* it can ask about one of them */
		strbuf_addstr(out, "\nothers need what was not recorded: recipes {name}\n");
	else if (cannot.len)
		strbuf_addf(out, "\nThe others need:\n%s", cannot.s);
	return err;
}

char *cmd_find_recipe(const char *name)
{
	char *text = recipe_read(name), *found = text ? strdup(name) : recipe_by_alias(name);

	free(text);
	return found;
}

/* The text of a recipe, which may be given by its name in other tools; to be freed. */
static char *read_recipe(struct recipe *r)
{
	char *name = cmd_find_recipe(r->name), *text = name ? recipe_read(name) : NULL;

	if (text && strcmp(name, r->name) != 0)
		diags_add(r->a.diags, DIAG_NOTE, "%s: using the recipe %s", r->name, name);
	free(name);
	return text;
}

static int show_one(struct recipe *r, struct hist *h, struct strbuf *out)
{
	struct diags *diags = r->a.diags;
	scoped(strbuf_release) struct strbuf why = STRBUF_INIT, names = STRBUF_INIT;
	scoped(free_scoped) char *text = read_recipe(r);
	int err = 0;

	if (!text) {
		recipe_suggest(r->name, &why);
		err = diags_error(diags, -HIST_ENOENT, "there is no recipe %s%s", r->name, why.s);
	} else if (h) {
		err = recipe_answers(h, r->name, span_of(text), &why);
		if (err > 0)
			strbuf_addf(out, "%s: the recording can answer it\n", r->name);
		else if (!err)
			strbuf_addf(out, "%s: %s\n", r->name, why.s);
		err = err < 0 ? err : err ? 0 : CMD_REJECTED;
	} else if (r->defines.n) {
		err = recipe_expand(&(struct recipe_text){ r->name, span_of(text), RECIPE_WHOLE },
				    &r->defines, out, diags);
		recipe_param_names(span_of(text), &names);
		err = err ?: recipe_defines_check(&r->defines, names.s ? names.s : "", diags);
	} else {
		strbuf_addstr(out, text);
	}
	return err;
}

static int recipe_main(void *args)
{
	struct recipe *r = args;
	struct diags *diags = r->a.diags;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	int err = r->a.input.paths.n ? cmd_input_open(&r->a.input, &r->a.h, diags) : 0;

	err = err ?: cmd_open_output(&r->a);
	if (!err)
		err = r->name ? show_one(r, r->a.h, &text) : list_all(r, &text, diags);
	if (err >= 0 && text.failed)
		err = HIST_NOMEM;
	if (err >= 0)
		cmd_output_write(&r->a.out, text.s, text.len);
	/* recipes are tried without messages */
	if (r->a.h && hist_input_cut(r->a.h) && !diags->list.n)
		diags_add(diags, DIAG_WARNING,
			  "the recording is damaged; hist list and hist report tell where");
	return err;
}

static void recipe_release(void *args)
{
	array_release(&((struct recipe *)args)->defines);
}

const struct cmd cmd_recipe = {
	.name = "recipe",
	.summary = "lists scripts that answer common questions",
	.size = sizeof(struct recipe),
	.line = {
		.options = options,
		.parse = recipe_parse,
		.shared = CMD_SHARED(&cmd_input_options, &cmd_buffer_options),
		.args_doc = "[NAME]",
		.doc = "Lists the recipes: scripts that answer common questions, for hist report, record, check and diff.\v"
		       "With NAME, shows that recipe. With -i, lists the recipes that the recording can answer, and what the others need.\n\n"
		       "  hist recipe\n"
		       "  hist recipe -i trace.dat\n"
		       "  hist report wakeup-latency -i trace.dat -D 'comm=kworker*'\n\n"
		       "Exit status: 0; 1 if the recording cannot answer NAME, 2 on trouble.",
	},
	.main = recipe_main,
	.release = recipe_release,
};
