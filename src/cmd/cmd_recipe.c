// SPDX-License-Identifier: GPL-2.0-only
/* hist recipe: lists the recipes, shows one of them, or lists those that a recording can answer. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/recipe_answer.h"

struct recipe {
	struct cmd_context *cx;
	struct cmd_input input;
	recipe_defines defines;
	const char *name;
};

static const struct cmd_option options[] = {
	{ "define", 'D', "NAME=VALUE", 0, "Set a parameter, and show the script with its value", 2,
	  CMD_PARSE },
	{ 0 },
};

static error_t parse(int key, const char *arg, struct argp_state *state)
{
	struct recipe *r = state->input;
	int err;

	switch (key) {
	case 'D':
		err = recipe_define_add(&r->defines, &r->input.arena, arg);
		if (err == -HIST_EINVAL)
			argp_error(state, "-D takes NAME=VALUE, not '%s'", arg);
		return err ? ENOMEM : 0;
	case ARGP_KEY_ARG:
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

static const struct cmd_shared shared[] = {
	{ &cmd_input_options, offsetof(struct recipe, input) },
	{ &cmd_buffer_options, offsetof(struct recipe, input) },
	{ 0 },
};

static const struct cmd_options command_line = {
	.options = options,
	.parse = parse,
	.shared = shared,
	.args_doc = "[NAME]",
	.doc = "Lists the recipes: scripts that answer common questions, for hist report, record, check and diff.\v"
	       "With NAME, shows that recipe. With -i, lists the recipes that the recording can answer, and what the others need.\n\n"
	       "  hist recipe\n"
	       "  hist recipe -i trace.dat\n"
	       "  hist report wakeup-latency -i trace.dat -D 'comm=kworker*'\n\n"
	       "Exit status: 0; 1 if the recording cannot answer NAME, 2 on trouble.",
};

/* --- all recipes --- */

static void add_line(struct strbuf *out, const char *name, struct span text)
{
	struct span question = recipe_question(text);

	strbuf_addstr(out, "  ");
	strbuf_addpad(out, name, 24);
	strbuf_addf(out, " %.*s\n", (int)question.n, question.n ? question.s : "");
}

static int add_answer(struct hist *h, const char *name, struct span text, struct strbuf *can,
		      struct strbuf *cannot)
{
	struct strbuf why = STRBUF_INIT;
	int err = recipe_answers(h, name, text, &why);

	if (err > 0) {
		add_line(can, name, text);
	} else if (!err) {
		strbuf_addstr(cannot, "  ");
		strbuf_addpad(cannot, name, 24);
		strbuf_addf(cannot, " %s\n", why.s);
	}
	strbuf_release(&why);
	return err < 0 ? err : 0;
}

static int list_all(struct hist *h, struct strbuf *out, struct diags *diags)
{
	recipe_names names = ARRAY_INIT;
	struct strbuf cannot = STRBUF_INIT;
	int err = recipe_list(&names);

	if (!err && !names.n)
		err = diags_error(diags, -HIST_ENOENT,
				  "there are no recipes: set HIST_RECIPES to their directory");
	for (size_t i = 0; i < names.n && !err; i++) {
		char *text = recipe_read(names.v[i]);

		if (!text)
			diags_add(diags, DIAG_WARNING, "%s.hist cannot be read", names.v[i]);
		else if (h)
			err = add_answer(h, names.v[i], span_of(text), out, &cannot);
		else
			add_line(out, names.v[i], span_of(text));
		free(text);
	}
	if (h && !out->len)
		strbuf_addstr(out, "The recording cannot answer any of the recipes.\n");
	if (cannot.len)
		strbuf_addf(out, "\nThe others need:\n%s", cannot.s);
	strbuf_release(&cannot);
	recipe_names_release(&names);
	return err;
}

/* --- one recipe --- */

/* The text of a recipe, which may be given by its name in other tools; to be freed. */
static char *read_recipe(struct recipe *r)
{
	char *text = recipe_read(r->name), *name;

	if (text)
		return text;
	name = recipe_by_alias(r->name);
	if (!name)
		return NULL;
	diags_add(r->cx->diags, DIAG_NOTE, "%s: using the recipe %s", r->name, name);
	text = recipe_read(name);
	free(name);
	return text;
}

static int show_one(struct recipe *r, struct hist *h, struct strbuf *out)
{
	struct diags *diags = r->cx->diags;
	struct strbuf why = STRBUF_INIT;
	char *text = read_recipe(r);
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
		err = recipe_expand(r->name, span_of(text), &r->defines, out, diags);
		if (!err)
			err = recipe_defines_check(&r->defines, diags);
	} else {
		strbuf_addstr(out, text);
	}
	strbuf_release(&why);
	free(text);
	return err;
}

static int print(struct recipe *r, struct hist *h)
{
	struct strbuf text = STRBUF_INIT;
	struct cmd_output out;
	int err = cmd_output_open(&out, NULL, NULL, r->cx->diags);

	if (!err)
		err = r->name ? show_one(r, h, &text) : list_all(h, &text, r->cx->diags);
	if (err >= 0 && text.failed)
		err = HIST_NOMEM;
	if (err >= 0)
		cmd_output_write(&out, text.s, text.len);
	strbuf_release(&text);
	return cmd_output_close(&out, true, err, r->cx->diags);
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct recipe r = { .cx = cx, .input = CMD_INPUT_INIT, .defines = ARRAY_INIT };
	struct hist *h = NULL;
	int err = cmd_parse(&command_line, cx, argc, argv, &r);

	if (!err && r.input.paths.n)
		err = cmd_input_open(&r.input, &h, cx->diags);
	if (!err)
		err = cmd_input_result(h, print(&r, h));
	/* recipes are tried without messages */
	if (h && hist_input_cut(h) && !cx->diags->list.n)
		diags_add(cx->diags, DIAG_WARNING,
			  "the recording is damaged; hist list and hist report tell where");
	hist_close(h);
	array_release(&r.defines);
	cmd_input_release(&r.input);
	return err;
}

const struct cmd cmd_recipe = {
	.name = "recipe",
	.summary = "lists scripts that answer common questions",
	.run = run,
};
