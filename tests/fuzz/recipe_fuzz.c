// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Arbitrary bytes as a recipe: lines NAME=VALUE for -D up to a NUL, then the text. Without values
 * the result is the same as with the defaults as values, and the resulting script is parsed.
 */
#include "fuzz.h"

#include <string.h>

#include "recipe/recipe.h"
#include "hist.h"

static void add_defines(struct span lines, recipe_defines *defines, struct arena *arena)
{
	while (lines.s) {
		struct span line = span_sep(&lines, "\n");
		char *arg = arena_strndup(arena, line.s, line.n);

		MUST(arg);
		recipe_define_add(defines, arg);
	}
}

static int expand(struct span text, enum recipe_form form, recipe_defines *defines,
		  struct strbuf *out)
{
	const struct recipe_text recipe = { "fuzz", text, form };
	struct diags diags = DIAGS_INIT;
	int err = recipe_expand(&recipe, defines, out, &diags);

	MUST(!err == !diags_has_error(&diags, 0));
	recipe_defines_check(defines, "", &diags);
	diags_release(&diags);
	return err;
}

static void read_header(struct span text)
{
	struct span rest = text, question = recipe_question(text);
	struct recipe_line line;

	MUST(!question.s || (question.s >= text.s && question.s + question.n <= text.s + text.n));
	while (recipe_header_line(&rest, &line))
		MUST(line.text.s >= text.s && line.text.s + line.text.n <= text.s + text.n);
	recipe_has_alias(text, "biolatency");
}

static void parse(const struct strbuf *text)
{
	struct hist_script *script = hist_script_new();
	struct diags *diags = hist_diags_new();
	int err;

	MUST(script && diags);
	err = hist_script_parse(script, "fuzz", text->s, text->len, diags);
	MUST(!err || hist_diags_count(diags));
	hist_script_free(script);
	hist_diags_free(diags);
}

/* Print the defaults of the header as lines for add_defines(). */
static void print_defaults(struct span text, struct strbuf *out)
{
	struct recipe_line line;

	while (recipe_header_line(&text, &line)) {
		struct span define = line.text;

		if (!line.word.s || !span_eq(line.word, "Parameter"))
			continue;
		define = span_sep(&define, " \t");
		if (!span_chr(define, '='))
			continue;
		strbuf_add(out, define.s, define.n);
		strbuf_addch(out, '\n');
	}
}

/* A value that equals the default does not change the result, if it is accepted. */
static void check_defaults(struct span text, const struct strbuf *plain, struct arena *arena)
{
	struct strbuf lines = STRBUF_INIT, out = STRBUF_INIT;
	recipe_defines one = ARRAY_INIT;
	struct span rest, first;

	print_defaults(text, &lines);
	rest = (struct span){ lines.s, lines.len };
	first = rest.s ? span_sep(&rest, "\n") : rest;
	/* the first of several parameters with the same name has the default */
	if (first.s && first.n && !memchr(first.s, 0, first.n)) {
		add_defines(first, &one, arena);
		if (!expand(text, RECIPE_WHOLE, &one, &out))
			MUST(out.len == plain->len && !memcmp(out.s, plain->s, out.len));
	}
	array_release(&one);
	strbuf_release(&lines);
	strbuf_release(&out);
}

/* The first script is the beginning of all, that for kernels the end, or the same. */
static void check_forms(struct span text, const struct strbuf *plain)
{
	struct strbuf answer = STRBUF_INIT, live = STRBUF_INIT;
	const struct span execname = span_of("common_pid.execname");
	const struct span question = recipe_question(text);
	const bool asks = recipe_asks(question) && !span_find(text, span_of("\ntable "));
	recipe_defines none = ARRAY_INIT;
	size_t rest, first;

	MUST(!expand(text, RECIPE_ANSWER, &none, &answer));
	MUST(!expand(text, RECIPE_LIVE, &none, &live));
	first = answer.len - (asks ? strlen("title \n") + question.n : 0);
	/* the last line may have had no end */
	if (asks && first == plain->len + 1)
		first--;
	/* in a question, other names are shorter */
	if (!asks || !span_find((struct span){ plain->s, plain->len }, execname)) {
		MUST(first <= plain->len && !memcmp(answer.s, plain->s, first));
		rest = plain->len - first;
		MUST(rest ? live.len >= rest &&
				     !memcmp(live.s + live.len - rest, plain->s + first, rest)
			  : live.len == plain->len);
	}
	strbuf_release(&answer);
	strbuf_release(&live);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *nul = memchr(data, 0, size);
	size_t n = nul ? (size_t)(nul - (const char *)data) : 0;
	struct span text = { (const char *)data + n, size - n };
	struct strbuf plain = STRBUF_INIT, out = STRBUF_INIT;
	recipe_defines defines = ARRAY_INIT, none = ARRAY_INIT;
	struct arena arena = ARENA_INIT;

	if (nul)
		text = span_skip(text, 1);
	if (!text.n)
		return 0;
	read_header(text);
	MUST(!expand(text, RECIPE_WHOLE, &none, &plain));
	parse(&plain);
	check_defaults(text, &plain, &arena);
	check_forms(text, &plain);
	add_defines((struct span){ (const char *)data, n }, &defines, &arena);
	if (!expand(text, RECIPE_WHOLE, &defines, &out))
		parse(&out);
	array_release(&defines);
	strbuf_release(&plain);
	strbuf_release(&out);
	arena_release(&arena);
	return 0;
}
