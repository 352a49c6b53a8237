/* SPDX-License-Identifier: GPL-2.0-only */
/* hist diff: what its two files share. */
#ifndef HIST_CMD_DIFF_H
#define HIST_CMD_DIFF_H

#include "cmd/cmd.h"
#include "hist-diff.h"

enum diff_side { SIDE_NONE, SIDE_BEFORE, SIDE_AFTER };

typedef ARRAY(const char *) text_array;

struct diff {
	struct cmd_context *cx;
	struct cmd_input input; /* the options of every recording */
	struct cmd_script script;
	enum diff_side side; /* of the files that follow */
	text_array before, after, plain;
	text_array fail_on, drop_keys, units;
	struct hist_diff_options options;
	const char *output;
};

/* Give all runs of both sides to @diff. 0, or < 0 with a diagnosis */
int diff_read_runs(struct diff *d, struct hist_diff *diff);

#endif
