/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options as tables: an entry is that of argp, and where its value is stored in the struct of the
 * verb. Only options with rules of their own have code, the ->parse of their table.
 */
#pragma once
#include <argp.h>

#include "base/base.h"

typedef ARRAY(const char *) text_array;

enum cmd_store {
	CMD_PARSED,
	CMD_STORE_TEXT,
	CMD_STORE_TEXTS,
	CMD_STORE_VALUE,
	CMD_STORE_WORD,
	CMD_STORE_CHOICE,
	CMD_STORE_NUMBER,
	CMD_STORE_REAL,
	CMD_STORE_CALL,
};

struct cmd_option;

/* Stores the argument of an option in a member; a wrong one is an argp_error(). 0, ENOMEM */
typedef error_t (*cmd_store_fn)(const struct cmd_option *o, void *to, const char *arg,
				struct argp_state *state);

struct cmd_target {
	enum cmd_store how;
	size_t offset, size; /* of the member */
	u64 value;           /* what is stored; the least number; 1: a double must not be 0 */
	double max;          /* 0: none */
	const char *words;   /* separated by '|' */
	cmd_store_fn call;
};

#define CMD_STORE(kind, type, member)                              \
	.how = CMD_STORE_##kind, .offset = offsetof(type, member), \
	.size = sizeof(((type *)NULL)->member)

/* clang-format off */
/* by the ->parse of the table */
#define CMD_PARSE { .how = CMD_PARSED }
/* a const char * */
#define CMD_TEXT(type, member) { CMD_STORE(TEXT, type, member) }
/* a text_array, to which each use adds */
#define CMD_TEXTS(type, member) { CMD_STORE(TEXTS, type, member) }
/* a bool, an enum: of an option without an argument */
#define CMD_VALUE(type, member, v) { CMD_STORE(VALUE, type, member), .value = (v) }
#define CMD_TRUE(type, member) CMD_VALUE(type, member, true)
/* a bool, an enum: the index of the argument in "WORD|WORD", or the index after that of @first */
#define CMD_WORD(type, member, w) CMD_WORD_FROM(type, member, w, 0)
#define CMD_WORD_FROM(type, member, w, first) \
	{ CMD_STORE(WORD, type, member), .words = (w), .value = (first) }
/* a const char *: one of "WORD|WORD" */
#define CMD_CHOICE(type, member, w) { CMD_STORE(CHOICE, type, member), .words = (w) }
/* a number of 32 or 64 bits, @least or more; @least to @most */
#define CMD_NUMBER(type, member, least) CMD_RANGE(type, member, least, 0)
#define CMD_RANGE(type, member, least, most) \
	{ CMD_STORE(NUMBER, type, member), .value = (least), .max = (most) }
/* a double from 0 to @most; above 1, it may be followed by % */
#define CMD_REAL(type, member, most) { CMD_STORE(REAL, type, member), .max = (most) }
/* a double greater than 0, up to 1 */
#define CMD_LEVEL(type, member) { CMD_STORE(REAL, type, member), .max = 1, .value = 1 }
/* by a function for this member */
#define CMD_CALL(type, member, fn) { CMD_STORE(CALL, type, member), .call = (fn) }
/* a heading of the options of a group */
#define CMD_HEADING(text, group) { NULL, 0, NULL, 0, text, group, CMD_PARSE }
/* clang-format on */

struct cmd_option {
	/* as in struct argp_option; without ->name and ->key it is a heading */
	const char *name;
	int key; /* may be 0 if the value is stored */
	const char *arg;
	int flags;
	const char *doc;
	int group;
	struct cmd_target to;
};

/* An argp parser; state->input is the struct that the options belong to. */
typedef error_t (*cmd_parse_fn)(int key, const char *arg, struct argp_state *state);

struct cmd_options {
	const struct cmd_option *options; /* { 0 } ends them */
	cmd_parse_fn parse;               /* options that are not stored, arguments; NULL: none */
	const struct cmd_options *const *shared; /* of several verbs; CMD_SHARED() */
	size_t arguments; /* offset of the text_array with the arguments; 0: ->parse gets them */
	bool command;     /* the arguments are a command, with options of its own */
	const char *args_doc;
	const char *doc; /* must not end in a line of 79 columns: glibc would read past its end */
	char *(*help_filter)(int key, const char *text, void *input);
};

#define CMD_SHARED(...) ((const struct cmd_options *const[]){ __VA_ARGS__, NULL })

struct cmd_context;

/*
 * Parse options and arguments in command-line order; those that every verb has (--color, -q) are
 * stored in @cx, the others in @input. Usage errors, --help and --version exit.
 * Return: 0, -HIST_ENOMEM
 */
int cmd_parse(const struct cmd_options *options, struct cmd_context *cx, int argc, char **argv,
	      void *input);

/* --exemplars=N[:NAME] */
struct cmd_exemplars {
	unsigned int n;
	const char *of; /* NULL without a name */
};

/* A cmd_store_fn of a struct cmd_exemplars. */
error_t cmd_store_exemplars(const struct cmd_option *o, void *to, const char *arg,
			    struct argp_state *state);

/* A cmd_store_fn of a size_t: --top N; 0 is stored as SIZE_MAX. */
error_t cmd_store_top(const struct cmd_option *o, void *to, const char *arg,
		      struct argp_state *state);
