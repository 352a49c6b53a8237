/* SPDX-License-Identifier: GPL-2.0-only */
/* The script of a verb, from the command line. */
#pragma once
#include "cmd/options.h"
#include "recipe/recipe.h"

struct cmd_input;

/* --- scripts: SCRIPT..., -x, -e, -R, -f, --synth, --sql, in command-line order --- */

/* Keys of options without a letter. */
enum {
	CMD_SCRIPT_SYNTH = 0x300,
	CMD_SCRIPT_SQL,
	CMD_SCRIPT_BY,
	CMD_SCRIPT_SUM,
	CMD_SCRIPT_BEGIN,
	CMD_SCRIPT_END,
	CMD_SCRIPT_ON,
	CMD_SCRIPT_DO,
};

struct cmd_script_piece {
	int key;          /* key of the option; ARGP_KEY_ARG for a SCRIPT */
	const char *name; /* of a SCRIPT, for messages */
	const char *text;
	size_t len;
	struct span recipe; /* of a SCRIPT: its text before parameters have values */
	bool only_script;   /* of -S: a recording is an error */
};

struct cmd_script {
	struct cmd_input *input; /* set to the arguments that turn out to be recordings */
	ARRAY(struct cmd_script_piece) pieces;
	recipe_defines defines;
	const char *alone;  /* the event of -f and --by without any; NULL: they need one */
	bool event;         /* after -e or --sql, so -R, -f and --by may follow */
	bool sql;           /* after --sql, so --on and --do may follow */
	bool slices;        /* after --slice-begin, so --slice-end must follow */
	bool live;          /* recipes have the form that kernels can run */
	bool stored;        /* hist record: recipes have both forms */
	bool only_triggers; /* hist events: -e enables nothing */
	bool machine;       /* hist top: the events are those of this kernel */
	bool only_recipes;  /* no other script is opened */
	/*
	 * hist record: called after each piece that was added to the script, and with NULL after
	 * what --sql shows; -e enables nothing, and -f filters nothing.
	 */
	int (*store)(void *arg, const struct cmd_script_piece *piece);
	void *store_arg;
};

/* The parser of these options, whose input is a struct cmd_args, and of SCRIPT arguments. */
error_t cmd_script_parse(int key, const char *arg, struct argp_state *state);

/* Whether this word is a recipe; a file of that name is a file. */
bool cmd_is_recipe(const char *arg);

/* -S SCRIPT. 0, ENOMEM */
error_t cmd_script_add_file(struct cmd_script *cs, const char *arg);

/* A cmd_store_fn of recipe_defines. */
error_t cmd_store_define(const struct cmd_option *o, void *to, const char *arg,
			 struct argp_state *state);

/* Read the SCRIPT arguments and separate the recordings; call before cmd_input_open(). */
int cmd_script_load(struct cmd_script *cs, struct diags *diags);

/*
 * Combine all pieces to one script; if there are none, use the stored one.
 *
 * Return: 0; -HIST_EREJECTED if parts are not in the language or name no event, with the rest in
 *         @script; another code for trouble
 */
int cmd_script_build(const struct cmd_script *cs, struct hist *h, struct hist_script *script,
		     struct diags *diags);

void cmd_script_release(struct cmd_script *cs);

/* Whether the options after a piece, up to the next such one, belong to it. */
bool cmd_begins_group(const struct cmd_script_piece *piece);

/* "12.000345678" of the trace clock; NULL if out of memory. */
const char *cmd_seconds_text(struct cmd_input *in, u64 ns);

/*
 * --mark[=N], a cmd_store_fn of a const char *, which gets N; and the time that it stands for, as
 * --around takes it
 */
error_t cmd_store_mark(const struct cmd_option *o, void *to, const char *arg,
		       struct argp_state *state);
const char *cmd_mark_time(struct cmd_input *in, const char *mark);

/* Make a span from "T[,CPU]" and "SEC" (NULL: a millisecond); the second one, also a script. */
int cmd_around_span(struct cmd_input *in, const char *around, const char *context,
		    struct diags *diags);
int cmd_around(struct cmd_script *cs, const char *around, const char *context, struct diags *diags);
