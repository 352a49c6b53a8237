/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * recipe: questions in files, which are shipped with hist and found by name.
 *
 * A recipe is NAME.hist in a directory of $HIST_RECIPES or in the installed one. Its first comment
 * is a header: a line "NAME: question", then fields such as "Needs: EVENT, EVENT" and "Parameter:
 * NAME=DEFAULT text"; an indented line continues a field. @NAME@ in the script is replaced by the
 * value of that parameter.
 *
 * A recipe whose script uses what kernels do not have, such as derived events, can have a second
 * script, which kernels can run: it follows a line "# Live: how it differs", up to the end of the
 * file, and has the same header.
 */
#pragma once
#include "base/base.h"
#include "hist.h"

/* A value of -D. */
struct recipe_define {
	struct span name, value; /* borrowed */
	bool used;
};

typedef ARRAY(struct recipe_define) recipe_defines;

/* A line of the header, without its '#'. */
struct recipe_line {
	struct span word; /* "Needs"; absent if it continues the previous line, or is plain text */
	struct span text;
};

/* Read the next line of the header at the start of @rest; false at its end. */
bool recipe_header_line(struct span *rest, struct recipe_line *line);

/* Its names in other tools, "runqlat, perf-sched" of the line "Alias: runqlat, perf-sched". */
struct span recipe_aliases(struct span text);

/* Whether @name is one of these names. */
bool recipe_has_alias(struct span text, const char *name);

/* The text after "NAME: " in the first line of the header; absent if there is none. */
struct span recipe_question(struct span text);

/* Whether it is one: any other script may have a comment of that form. */
static inline bool recipe_asks(struct span question)
{
	return question.n && question.s[question.n - 1] == '?';
}

enum recipe_form {
	RECIPE_WHOLE,
	RECIPE_ANSWER, /* header and first script, which has a title if it has no table */
	RECIPE_LIVE,   /* header and the script for kernels, which is the first one if there is no
			  other */
	RECIPE_STORED, /* as RECIPE_ANSWER, then the script for kernels as comments */
};

struct recipe_text {
	const char *name; /* in messages */
	struct span text;
	enum recipe_form form; /* what of @text is used */
};

/* Whether a script for kernels is missing: the only one has derived events. */
bool recipe_lacks_live(struct span text);

/**
 * recipe_expand() - replace the parameters of a script by their values
 * @defines: parameters of the script are marked as used
 *
 * Return: 0; -HIST_EINVAL if a value is not valid in a script
 */
int recipe_expand(const struct recipe_text *text, recipe_defines *defines, struct strbuf *out,
		  struct diags *diags);

/* What kernels can run of stored scripts: the second form of the recipes that have one. */
void recipe_stored_live(struct span stored, struct strbuf *out);

/* The value of a parameter whose header has "Parameter: NAME=DEFAULT"; absent: it has none. */
struct span recipe_default(struct span text, const char *name);

/* Store NAME=VALUE of -D. Return: 0, -HIST_EINVAL if it has another form, -HIST_ENOMEM */
int recipe_define_add(recipe_defines *defines, const char *arg);

/* Append the names of the parameters in the header of a script: "comm, min". */
void recipe_param_names(struct span text, struct strbuf *out);

/* Report definitions that no script has used. @names: of the parameters that there are */
int recipe_defines_check(const recipe_defines *defines, const char *names, struct diags *diags);

/*
 * Open a script for reading: the file @name, unless @shipped, otherwise the recipe with that name
 * here, or in other tools: then @other is set to its name here, to be freed. -1 with errno.
 */
int recipe_open(const char *name, bool shipped, char **other);

/* Names of all recipes, sorted, without duplicates. */
typedef ARRAY(char *) recipe_names;
int recipe_list(recipe_names *names);
void recipe_names_release(recipe_names *names);

/*
 * The only recipe with the name @name in other tools, or with underscores in its name; or else the
 * only one in whose name, other names and question all words of @name are. To be freed; NULL if
 * there is none, or if out of memory.
 */
char *recipe_by_alias(const char *name);

/*
 * Suggest the nearest recipes for an unknown name: "; nearest: TEXT" for a known tool, otherwise
 * recipes of similar names, or how to list them.
 */
void recipe_suggest(const char *name, struct strbuf *out);

/* The text of a recipe, NUL-terminated, to be freed; NULL with errno if it cannot be read. */
char *recipe_read(const char *name);

/* --- recipe_needs.c: the recipes that a recording can answer --- */

/**
 * recipe_answers() - whether a recording can answer a recipe
 * @text: text of the recipe, with its parameters
 * @why:  set to the missing events, or to why this kernel's events do not fit the script
 *
 * Return: 1 it can, 0 it cannot, or a negative code
 */
int recipe_answers(struct hist *h, const char *name, struct span text, struct strbuf *why);

/*
 * Whether the events that a recipe needs have a format, or its script does without them. Otherwise
 * report them, and how to record them. @text: without parameters; @recording: @h has the events of
 * this machine. Return: 0, -HIST_EREJECTED, -HIST_ENOMEM
 */
int recipe_check_needs(struct hist *h, const char *name, struct span text, bool recording,
		       struct diags *diags);

/* What was sampled, at best by time on a CPU: "cpu-clock"; NULL: nothing. */
const char *recipe_sampled(struct hist *h);

/*
 * A recipe about samples of cycles is asked of those that the recording has, if it has none of
 * cycles and no definition names them: append that definition. Return: the event, "cpu-clock";
 * NULL: nothing was appended
 */
const char *recipe_use_sampled(struct hist *h, struct span text, recipe_defines *defines);

/* Append the names of all recipes that the recording can answer: "off-cpu, on-cpu". */
int recipe_answers_names(struct hist *h, struct strbuf *out);

/* The same, wrapped, for hist list. */
int recipe_answers_text(struct hist *h, const char *input, struct strbuf *out);
