/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The answer of a recipe, or of another script, with a filter of -f or the keys of --by.
 *
 * -f belongs to the triggers of the events whose histograms the script prints; --by replaces these
 * triggers by its own, with their filter and values.
 */
#ifndef HIST_CMD_RECIPE_EDIT_H
#define HIST_CMD_RECIPE_EDIT_H

#include "cmd/sql_args.h"

/* An event whose histograms a script prints. */
struct recipe_table {
	struct cmd_sql_answer answer;
	const char *file; /* "' >> events/SYSTEM/EVENT/trigger" */
	bool left_out;    /* it has no fields for -f, or --by */
};

struct recipe_edit {
	struct hist *h;
	struct arena *arena;
	struct diags *diags;
	const char *name; /* of the script */
	struct span text;
	const char *filter;                /* -f; NULL: --by groups the result */
	const struct recipe_table *only;   /* NULL: all that are not left out */
	ARRAY(struct recipe_table) tables; /* the caller releases it */
};

/* Find the tables. Return: 0, -HIST_EREJECTED: there is none, -HIST_ENOMEM */
int recipe_edit_tables(struct recipe_edit *e);

/*
 * Set table->left_out if the filter, or the trigger @by for its event, is rejected.
 * Return: 0, -HIST_ENOMEM
 */
int recipe_table_check(struct recipe_edit *e, struct recipe_table *table, const char *by);

/*
 * The script: the triggers of its tables have the filter, too, and other tables are not printed;
 * without a filter these triggers and the output are missing.
 */
void recipe_edit_text(const struct recipe_edit *e, struct strbuf *out);

#endif
