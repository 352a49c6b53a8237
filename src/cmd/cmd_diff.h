/* SPDX-License-Identifier: GPL-2.0-only */
/* hist diff: shared by its files. */
#pragma once
#include "cmd/cmd.h"
#include "hist-diff.h"

/* How the command line assigns files to sides. */
enum diff_how { SIDES_PLAIN, SIDES_BEFORE_AFTER, SIDES_LABELLED, SIDES_DASHES };

enum { SIDE_BEFORE, SIDE_AFTER };

struct diff_side {
	const char *label; /* NULL: none was given */
	text_array files;
};

struct diff {
	struct cmd_args a; /* ->input: the options of every recording */
	enum diff_how how;
	ARRAY(struct diff_side) sides; /* .v[0]: before */
	size_t side;                   /* label of the files that follow */
	bool defaulted;                /* no file was named */
	const char *metric;            /* compare only this one; NULL: all */
	const char *history;           /* a directory of saved results, the runs before */
	size_t last;                   /* use this many of them; 0: all */
	text_array fail_on, drop_keys, units, only;
	struct hist_diff_options options;
};

/* Read the runs of all sides and print what changed. Return: the exit status, or < 0 */
int diff_compare(struct diff *d);
void diff_release(void *args);

/* Replay recordings under a script or recipe; --by and -f may follow. Return: 0, or an errno */
int diff_add_script(struct diff *d, const char *arg);

/**
 * history_list() - the saved results of a directory, sorted by name; only the last ->last of them
 * @except: a file to leave out, because it is the compared one; NULL: none
 *
 * Numbers in names are compared as numbers: run-9.json is before run-10.json.
 *
 * Return: 0, or < 0 with a diagnosis
 */
int history_list(struct diff *d, const char *dir, const char *except, text_array *files);
