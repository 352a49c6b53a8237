/* SPDX-License-Identifier: LGPL-2.1-only */
/* Private to tracefs: the state of a script that runs. */
#pragma once
#include "hist-script.h"
#include "tracefs/tracefs.h"

struct hist_script {
	struct script script;
	u64 id;
};

struct script_run {
	struct hist *h;
	struct tracing *t; /* that of @h, or a scratch directory */
	const struct hist_script *of;
	const struct script *script;
	const struct hist_run_options *options;
	struct printer *p; /* NULL: nothing is printed, only tried */
	bool to_record;    /* what it shows is not looked at */
	struct diags *diags;

	size_t change;   /* the first SCRIPT_CHANGE in effect, as an index plus 1; 0: none */
	size_t n_change; /* there are others directly after it: a table for each */
	u32 since;       /* the number of the last histogram that it does not concern */
	bool applied;    /* to what came before a cat */
	ARRAY(u32) made; /* for each histogram, the index of its command */
	u32 before;      /* histograms before the first of them */
};

/* What a table's parts are called in messages if they are from options. ORDER enum table_part */
extern const char *const script_option_names[];

/*
 * Bind all commands in a directory of their own, which is not replayed. @run->t: set, to be freed
 * after an error, too. Return: as hist_run()
 */
int script_judge(struct script_run *run);

/* Set the positions of the diagnoses from @from on: in the written text, or in its path. */
void script_locate_diags(const struct script_cmd *cmd, const u32 *offsets, size_t len,
			 struct diags *diags, size_t from);

/* --- run_table.c --- */

/* Bind a table to its events. Return: as hist_run() */
int run_table(struct script_run *run, const struct script_cmd *cmd);

/*
 * Apply the change in effect to the histograms that the script shows, as far as they were made
 * since. Return: as hist_run(); an error names what it cannot be applied to
 */
int run_change(struct script_run *run);
