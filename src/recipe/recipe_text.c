// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The header of a recipe, and its parameters.
 *
 * A value is inserted in quoted text of the script, so it must neither end the quotes nor start
 * an expansion of the shell or of the script language. The default determines which values are
 * valid: times if it is a number with a unit (0us), which become numbers of that unit; numbers if
 * it is a number, names if it is a name or a list of names, otherwise any other string.
 */
#include "recipe/recipe.h"

/* --- the header --- */

bool recipe_header_line(struct span *rest, struct recipe_line *line)
{
	struct span text, after;
	bool is_word;

	do {
		if (!rest->s || !span_starts(*rest, "#"))
			return false;
		text = span_skip(span_sep(rest, "\n"), 1);
	} while (span_starts(text, "!") || span_starts(text, " SPDX-"));
	if (span_starts(text, " "))
		text = span_skip(text, 1);
	after = text;
	line->word = span_sep(&after, ":");
	line->text = span_trim(text);
	is_word = line->word.n && line->word.s[0] >= 'A' && line->word.s[0] <= 'Z';
	for (size_t i = 1; i < line->word.n; i++)
		is_word &= line->word.s[i] >= 'a' && line->word.s[i] <= 'z';
	if (!is_word || !after.s)
		line->word = (struct span){ NULL, 0 };
	else
		line->text = span_trim(after);
	return true;
}

struct span recipe_aliases(struct span text)
{
	struct recipe_line line;

	while (recipe_header_line(&text, &line))
		if (line.word.s && span_eq(line.word, "Alias"))
			return line.text;
	return (struct span){ NULL, 0 };
}

bool recipe_has_alias(struct span text, const char *name)
{
	struct span rest = recipe_aliases(text);
	bool found = false;

	while (rest.s && !found)
		found = span_eq(span_trim(span_sep(&rest, ",")), name);
	return found;
}

struct span recipe_question(struct span text)
{
	struct span none = { NULL, 0 };
	struct recipe_line line;

	if (!recipe_header_line(&text, &line) || line.word.s)
		return none;
	span_sep(&line.text, ":");
	return line.text.s ? span_trim(line.text) : none;
}

/* --- its scripts --- */

/* What follows the comments at the start. */
static struct span after_header(struct span text)
{
	while (text.s && (span_starts(text, "#") || span_starts(text, "\n")))
		span_sep(&text, "\n");
	return text;
}

/* From the line "# Live:" on; absent if there is none. */
static struct span live_part(struct span text)
{
	struct span rest = text;

	while (rest.s && !span_starts(rest, "# Live:"))
		span_sep(&rest, "\n");
	return rest;
}

bool recipe_lacks_live(struct span text)
{
	return !live_part(text).s && (span_find(text, span_of("events/derived/")) ||
				      span_find(text, span_of("\ntable derived:")));
}

/* --- parameters --- */

struct param {
	struct span name, value;
};

/* Step to the next line "Parameter: NAME=DEFAULT text". */
static bool next_param(struct span *header, struct param *p)
{
	struct recipe_line line;

	while (recipe_header_line(header, &line)) {
		if (!line.word.s || !span_eq(line.word, "Parameter"))
			continue;
		p->value = span_sep(&line.text, " \t");
		p->name = span_sep(&p->value, "=");
		if (p->value.s && p->name.n)
			return true;
	}
	return false;
}

struct span recipe_default(struct span text, const char *name)
{
	struct param p = { .value = { NULL, 0 } };

	while (next_param(&text, &p))
		if (span_eq(p.name, name))
			return p.value;
	return (struct span){ NULL, 0 };
}

static bool all_are(struct span text, bool names)
{
	for (size_t i = 0; i < text.n; i++) {
		char c = text.s[i];
		bool digit = is_digit(c);
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			      (c && strchr("_.,-", c));

		if (!digit && !(names && letter))
			return false;
	}
	return text.n > 0;
}

/* Nanoseconds per unit of a parameter whose default is 0us; 0: it is not a time. */
static u64 unit_of(const struct param *p)
{
	size_t n = 0;

	while (n < p->value.n && is_digit(p->value.s[n]))
		n++;
	return n ? span_time_unit(span_skip(p->value, n)) : 0;
}

/* A time in the unit of its parameter, rounded up; a number without a unit has that unit. */
static bool convert_time(struct span text, u64 unit, u64 *out)
{
	u64 ns;

	if (span_digits(text, 10, out))
		return true;
	if (!text.n || text.s[text.n - 1] != 's' || !span_time(text, &ns))
		return false;
	*out = ns / unit + (ns % unit != 0);
	return true;
}

/* The place of a mistake in "NAME=VALUE", if that is what was typed. */
static void set_place(struct diag *d, const struct recipe_define *define, struct span at,
		      struct diags *diags)
{
	const struct span text = span_between(define->name.s, define->value.s + define->value.n);

	if (define->name.s + define->name.n + 1 == define->value.s)
		diag_in_option(diags, d, "-D", text, at);
}

static int check_value(const struct param *p, const struct recipe_define *define,
		       struct diags *diags)
{
	const struct span value = define->value;
	const u64 unit = unit_of(p);
	const char *wants = NULL;
	bool harmless = true;
	u64 number;

	for (size_t i = 0; i < value.n; i++)
		harmless &= (unsigned char)value.s[i] >= ' ' && value.s[i] != 127 &&
			    !strchr("'\"\\$`", value.s[i]);
	if (unit && !convert_time(value, unit, &number))
		wants = "a time such as 10ms or 500us";
	else if (all_are(p->value, false) && !span_digits(value, 10, &number))
		wants = "a number";
	else if (!unit && !all_are(p->value, false) && all_are(p->value, true) &&
		 !all_are(value, true))
		wants = "a name, or several with commas";
	else if (!harmless)
		wants = "text without quotes, backslashes, '$', '`' and control characters";
	if (!wants)
		return 0;
	set_place(diags_add(diags, DIAG_ERROR, "%.*s takes %s, not '%.*s'", (int)p->name.n,
			    p->name.s, wants, (int)value.n, value.s),
		  define, (struct span){ value.s, 0 }, diags);
	return -HIST_EINVAL;
}

static struct recipe_define *find_define(recipe_defines *defines, struct span name)
{
	/* the last one wins */
	for (size_t i = defines->n; i-- > 0;)
		if (span_same(name, defines->v[i].name))
			return &defines->v[i];
	return NULL;
}

static void replace(struct span header, struct span text, recipe_defines *defines,
		    struct strbuf *out)
{
	struct span rest, value;
	struct param p;
	bool found;
	u64 number;

	while (text.n) {
		const char *at = span_chr(text, '@');
		size_t plain = at ? (size_t)(at - text.s) : text.n;
		const struct recipe_define *define;

		strbuf_add(out, text.s, plain);
		if (!at)
			break;
		text = (struct span){ at, text.n - plain };
		/* the parameter whose @NAME@ starts here */
		rest = header;
		do
			found = next_param(&rest, &p);
		while (found && (text.n < p.name.n + 2 || text.s[p.name.n + 1] != '@' ||
				 memcmp(text.s + 1, p.name.s, p.name.n) != 0));
		if (!found) {
			strbuf_addch(out, '@');
			text = span_skip(text, 1);
			continue;
		}
		define = find_define(defines, p.name);
		value = define ? define->value : p.value;
		if (unit_of(&p) && convert_time(value, unit_of(&p), &number))
			strbuf_addf(out, "%llu", number);
		else
			strbuf_add(out, value.s, value.n);
		text = span_skip(text, p.name.n + 2);
	}
}

/* --- stored scripts: the second form follows the first one, in comments --- */

static const char live_mark[] = "#| ";

static void store_live(struct span header, struct span live, recipe_defines *defines,
		       struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf lines = STRBUF_INIT;
	struct span rest;

	replace(header, live, defines, &lines);
	for (rest = strbuf_span(&lines); rest.n;) {
		struct span line = span_sep(&rest, "\n");

		strbuf_addf(out, "%s%.*s\n", live_mark, (int)line.n, line.s);
	}
	out->failed |= lines.failed;
}

void recipe_stored_live(struct span stored, struct strbuf *out)
{
	size_t answer = 0; /* where the last recipe began in @out */
	bool live = false;

	while (stored.n) {
		struct span line = span_sep(&stored, "\n"), question = recipe_question(line);

		if (recipe_asks(question))
			answer = out->len;
		if (!live && span_starts(line, live_mark))
			strbuf_cut(out, answer);
		live = span_starts(line, live_mark);
		if (live)
			line = span_skip(line, sizeof(live_mark) - 1);
		strbuf_addf(out, "%.*s\n", (int)line.n, line.s);
	}
}

/* --- which form --- */

int recipe_expand(const struct recipe_text *r, recipe_defines *defines, struct strbuf *out,
		  struct diags *diags)
{
	struct span header = r->text, live = live_part(r->text), first = r->text;
	const bool declared = span_find(r->text, span_of("\ntable "));
	const struct span asked = recipe_question(r->text);
	struct param p;

	while (next_param(&header, &p)) {
		const struct recipe_define *define = find_define(defines, p.name);
		int err = define ? check_value(&p, define, diags) : 0;

		if (err) {
			diags_add(diags, DIAG_NOTE, "%s: the default value of %.*s is %.*s",
				  r->name, (int)p.name.n, p.name.s, (int)p.value.n, p.value.s);
			return err;
		}
		for (size_t i = 0; i < defines->n; i++)
			defines->v[i].used |= span_same(p.name, defines->v[i].name);
	}
	if (live.s && (r->form == RECIPE_ANSWER || r->form == RECIPE_STORED))
		first = span_between(r->text.s, live.s);
	if (live.s && r->form == RECIPE_LIVE)
		first = span_between(r->text.s, after_header(r->text).s ?: live.s);
	replace(r->text, first, defines, out);
	/* one without tables is a question, too; at its end, so that lines keep their numbers */
	if (!declared && (r->form == RECIPE_ANSWER || r->form == RECIPE_STORED) &&
	    recipe_asks(asked))
		strbuf_addf(out, "%stitle %.*s\n",
			    out->len && out->s[out->len - 1] == '\n' ? "" : "\n", (int)asked.n,
			    asked.s);
	if (live.s && r->form == RECIPE_LIVE)
		replace(r->text, live, defines, out);
	if (live.s && r->form == RECIPE_STORED)
		store_live(r->text, live, defines, out);
	return out->failed ? HIST_NOMEM : 0;
}

int recipe_define_add(recipe_defines *defines, const char *arg)
{
	struct span value = span_of(arg), name = span_sep(&value, "="), event = value, system;

	if (!value.s || !name.n)
		return -HIST_EINVAL;
	/* "event=SYSTEM:EVENT" is both parameters */
	system = span_sep(&event, ":");
	if (span_eq(name, "event") && event.s) {
		value = event;
		if (array_push(defines, ((struct recipe_define){ .name = span_of("system"),
								 .value = system })))
			return HIST_NOMEM;
	}
	return array_push(defines, ((struct recipe_define){ .name = name, .value = value }));
}

void recipe_param_names(struct span text, struct strbuf *out)
{
	struct param p;

	while (next_param(&text, &p))
		strbuf_addf(out, "%s%.*s", out->len ? ", " : "", (int)p.name.n, p.name.s);
}

/* What was meant instead of an unknown parameter: a similar one, or a field of the answer. */
static void note_define(const struct recipe_define *d, const char *names, struct diags *diags)
{
	char *name = strndup(d->name.s, d->name.n), *list = strdup(names), *rest = list, *param;
	struct near near = NEAR_INIT(name ?: "");
	scoped(strbuf_release) struct strbuf nearest = STRBUF_INIT;

	while (name && rest && (param = strsep(&rest, ", ")))
		/* min is not nearer to max than a field */
		if (*param && !strncmp(param, name, 2))
			near_offer(&near, param, param);
	near_text(&near, &nearest);
	if (near.n)
		diags_add(diags, DIAG_NOTE, "nearest: -D %s=%.*s", nearest.s, (int)d->value.n,
			  d->value.s);
	else
		diags_add(diags, DIAG_NOTE,
			  "a filter on the answer, by its fields: -f '%.*s == %.*s'",
			  (int)d->name.n, d->name.s, (int)d->value.n, d->value.s);
	free(list);
	free(name);
}

int recipe_defines_check(const recipe_defines *defines, const char *names, struct diags *diags)
{
	array_each(const struct recipe_define, d, defines) {
		if (d->used)
			continue;
		set_place(diags_add(diags, DIAG_ERROR, "no script has a parameter '%.*s'%s%s",
				    (int)d->name.n, d->name.s, *names ? "; there are " : "", names),
			  d, d->name, diags);
		note_define(d, names, diags);
		return -HIST_EINVAL;
	}
	return 0;
}
