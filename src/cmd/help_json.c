// SPDX-License-Identifier: GPL-2.0-only
/* hist help --json: what a program can type, from the tables that parse it. */
#include <ctype.h>

#include "cmd/cmd.h"
#include "recipe/recipe.h"
#include "table/table.h"

static void add_option(struct json *j, const struct cmd_option *o)
{
	char key[] = "-x";

	key[1] = (char)o->key;
	json_object(j, NULL);
	if (o->name)
		json_str(j, "name", o->name);
	if (o->key > ' ' && o->key < 0x7f)
		json_str(j, "key", key);
	json_str_if(j, "argument", o->arg);
	json_bool(j, "argument_optional", o->flags & OPTION_ARG_OPTIONAL);
	json_str_if(j, "doc", o->doc);
	json_close(j, '}');
}

static void add_options(struct json *j, const struct cmd_options *options)
{
	const struct cmd_option *o = options->options;

	for (; o && (o->name || o->key || o->doc); o++)
		if ((o->name || o->key) && !(o->flags & OPTION_HIDDEN))
			add_option(j, o);
	for (size_t i = 0; options->shared && options->shared[i]; i++)
		add_options(j, options->shared[i]);
}

static void add_verb(struct json *j, const struct cmd *verb)
{
	static const char exits[] = "Exit status: ";
	const char *status = strstr(verb->line.doc, exits);

	json_object(j, NULL);
	json_str(j, "name", verb->name);
	json_str(j, "summary", verb->summary);
	json_str_if(j, "arguments", verb->line.args_doc);
	if (status)
		json_text(j, "exit_status", span_trim(span_of(status + sizeof(exits) - 1)));
	json_array(j, "options");
	add_options(j, &verb->line);
	json_close(j, ']');
	json_close(j, '}');
}

/* "min=1ms only longer ones" */
static void add_parameter(struct json *j, struct span text)
{
	const struct span name = span_sep(&text, "="), value = span_sep(&text, " ");

	json_object(j, NULL);
	json_text(j, "name", span_trim(name));
	json_text(j, "default", value.s ? value : (struct span){ "", 0 });
	if (text.s)
		json_text(j, "doc", span_trim(text));
	json_close(j, '}');
}

static int add_recipe(struct json *j, const char *name)
{
	scoped(free_scoped) char *text = recipe_read(name);
	struct span rest = span_of(text ? text : "");
	struct recipe_line line;

	if (!text)
		return HIST_NOMEM;
	json_object(j, NULL);
	json_str(j, "name", name);
	json_text(j, "question", recipe_question(rest));
	json_array(j, "parameters");
	while (recipe_header_line(&rest, &line))
		if (span_eq(line.word, "Parameter"))
			add_parameter(j, line.text);
	json_close(j, ']');
	json_close(j, '}');
	return 0;
}

/* The fields of a definition: "wait u64 ns; char kind[8]". */
static void add_derived(struct json *j, const char *event)
{
	struct span rest = span_of(hist_derived_fields(event));

	json_object(j, NULL);
	json_str(j, "name", event);
	json_array(j, "fields");
	while (rest.s) {
		struct span field = span_trim(span_sep(&rest, ";"));
		size_t at = field.n;

		while (at && field.s[at - 1] != ' ')
			at--;
		json_object(j, NULL);
		json_text(j, "type", span_trim((struct span){ field.s, at }));
		field = span_skip(field, at);
		json_text(j, "name", span_sep(&field, "["));
		json_close(j, '}');
	}
	json_close(j, ']');
	json_close(j, '}');
}

int cmd_help_json(const struct cmd *const *verbs, size_t n, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct json j = { .out = &out, .plain = true };
	scoped(recipe_names_release) recipe_names names = ARRAY_INIT;
	const char *event;
	int err = recipe_list(&names);

	json_object(&j, NULL);
	json_str(&j, "type", "hist_help");
	json_u64(&j, "schema", 1);
	json_str(&j, "version", HIST_VERSION);
	json_array(&j, "verbs");
	for (size_t i = 0; i < n; i++)
		add_verb(&j, verbs[i]);
	json_close(&j, ']');
	json_array(&j, "recipes");
	for (size_t i = 0; i < names.n && !err; i++)
		err = add_recipe(&j, names.v[i]);
	json_close(&j, ']');
	json_array(&j, "derived");
	for (size_t i = 0; (event = hist_derived_event(i)); i++)
		add_derived(&j, event);
	json_close(&j, ']');
	json_close(&j, '}');
	json_end_line(&j);
	err = err ?: out.failed ? HIST_NOMEM : 0;
	if (err)
		diags_error(diags, err, "%s", hist_strerror(err));
	else
		fwrite(out.s, 1, out.len, stdout);
	return err ? CMD_TROUBLE : CMD_OK;
}
