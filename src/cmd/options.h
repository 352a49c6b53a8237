/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Options as tables: an entry is that of argp, and where its value is stored in the struct of the
 * verb. Only options with rules of their own have code, the ->parse of their table.
 */
#ifndef HIST_CMD_OPTIONS_H
#define HIST_CMD_OPTIONS_H

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
};

struct cmd_target {
	enum cmd_store how;
	size_t offset, size; /* of the member */
	u64 value;           /* what is stored; the least number; 1: a double must not be 0 */
	double max;
	const char *words; /* separated by '|' */
};

#define CMD_TARGET(type, member) \
	.offset = offsetof(type, member), .size = sizeof(((type *)NULL)->member)

/* by the ->parse of the table */
#define CMD_PARSE                 \
	{                         \
		.how = CMD_PARSED \
	}
/* a const char * */
#define CMD_TEXT(type, member)                                  \
	{                                                       \
		.how = CMD_STORE_TEXT, CMD_TARGET(type, member) \
	}
/* a text_array, to which each use adds */
#define CMD_TEXTS(type, member)                                  \
	{                                                        \
		.how = CMD_STORE_TEXTS, CMD_TARGET(type, member) \
	}
/* a bool, an enum: of an option without an argument */
#define CMD_VALUE(type, member, v)                                             \
	{                                                                      \
		.how = CMD_STORE_VALUE, CMD_TARGET(type, member), .value = (v) \
	}
#define CMD_TRUE(type, member) CMD_VALUE(type, member, true)
/* a bool, an enum: the index of the argument in "WORD|WORD" */
#define CMD_WORD(type, member, w)                                             \
	{                                                                     \
		.how = CMD_STORE_WORD, CMD_TARGET(type, member), .words = (w) \
	}
/* a const char *: one of "WORD|WORD" */
#define CMD_CHOICE(type, member, w)                                             \
	{                                                                       \
		.how = CMD_STORE_CHOICE, CMD_TARGET(type, member), .words = (w) \
	}
/* a number of 32 or 64 bits, @least or more */
#define CMD_NUMBER(type, member, least)                                             \
	{                                                                           \
		.how = CMD_STORE_NUMBER, CMD_TARGET(type, member), .value = (least) \
	}
/* a double from 0 to @most; above 1, it may be followed by % */
#define CMD_REAL(type, member, most)                                           \
	{                                                                      \
		.how = CMD_STORE_REAL, CMD_TARGET(type, member), .max = (most) \
	}

/* a double greater than 0, up to 1 */
#define CMD_LEVEL(type, member)                                                       \
	{                                                                             \
		.how = CMD_STORE_REAL, CMD_TARGET(type, member), .max = 1, .value = 1 \
	}

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
	/* options that several verbs have, and the member that is their struct; { 0 } ends them */
	const struct cmd_shared {
		const struct cmd_options *options;
		size_t offset;
	} * shared;
	const char *args_doc;
	const char *doc; /* must not end in a line of 79 columns: glibc would read past its end */
	char *(*help_filter)(int key, const char *text, void *input);
};

struct cmd_context;

/*
 * Parse options and arguments in command-line order; those that every verb has (--color, -q) are
 * stored in @cx, the others in @input. Usage errors, --help and --version exit.
 * Return: 0, -HIST_ENOMEM
 */
int cmd_parse(const struct cmd_options *options, struct cmd_context *cx, int argc, char **argv,
	      void *input);

/* --exemplars=N[:NAME]: @of is NULL without a name, and borrowed. */
void cmd_parse_exemplars(const char *arg, unsigned int *n, const char **of,
			 struct argp_state *state);

#endif
