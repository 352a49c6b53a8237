// SPDX-License-Identifier: GPL-2.0-only
/* hist trend: shows each metric over recordings or saved results, and where it changed. */
#include "cmd/cmd_diff.h"

struct trend {
	struct diff d;
	text_array arguments;
};

static const struct cmd_option options[] = {
	{ "script", 'S', "SCRIPT", 0, "Replay recordings under the triggers of a script", 2,
	  CMD_PARSE },
	{ "last", 0, "N", 0, "Use only the last N results of each directory", 3,
	  CMD_NUMBER(struct trend, d.last, 1) },
	{ "show", 0, "EVENT|N", 0, "Show only this event's histograms, or the Nth", 3,
	  CMD_TEXT(struct trend, d.options.show) },
	{ "drop-key", 0, "NAME", 0, "Add up the rows that differ only in this key", 3,
	  CMD_TEXTS(struct trend, d.drop_keys) },
	{ "only", 0, "KEYGLOB", 0, "Compare only the rows whose keys match this pattern", 3,
	  CMD_TEXTS(struct trend, d.only) },
	{ "rate", 0, NULL, 0, "Show values per second of the recordings' time (the default)", 3,
	  CMD_VALUE(struct trend, d.options.mode, HIST_DIFF_RATE) },
	{ "share", 0, NULL, 0, "Show each row's share of all rows, in per cent", 3,
	  CMD_VALUE(struct trend, d.options.mode, HIST_DIFF_SHARE) },
	{ "absolute", 0, NULL, 0, "Show values as they are", 3,
	  CMD_VALUE(struct trend, d.options.mode, HIST_DIFF_ABSOLUTE) },
	{ "unit", 0, "NAME=UNIT", 0, "The values of NAME are in ns, us, ms or s", 3,
	  CMD_TEXTS(struct trend, d.units) },
	{ "alpha", 0, "P", 0,
	  "Probability of a false alarm, for all metrics together (default: 0.03)", 4,
	  CMD_LEVEL(struct trend, d.options.alpha) },
	{ "top", 0, "N", 0, "Also show the values of the N largest rows; 0: of all", 5,
	  CMD_CALL(struct trend, d.options.top, cmd_store_top) },
	{ "all", 0, NULL, 0, "Also show the values of each row", 5,
	  CMD_TRUE(struct trend, d.options.all) },
	{ "min-count", 0, "N", 0, "Leave out rows with fewer than N hits in total", 5,
	  CMD_NUMBER(struct trend, d.options.min_count, 1) },
	{ "allow-lost", 0, "PCT", 0, "Accept up to PCT per cent of lost or dropped events", 4,
	  CMD_REAL(struct trend, d.options.allow_lost, 100) },
	{ "format", 0, "FORMAT", 0,
	  "text (the default), html (a page with charts), json (an object), or " CMD_ROW_FORMATS, 5,
	  CMD_TEXT(struct trend, d.options.format) },
	{ 0 },
};

static error_t trend_parse(int key, const char *arg, struct argp_state *state)
{
	struct trend *t = state->input;

	if (key == 'S' || (key == ARGP_KEY_ARG && cmd_is_recipe(arg)))
		return diff_add_script(&t->d, arg);
	if (key == ARGP_KEY_ARG)
		return array_push(&t->arguments, arg) ? ENOMEM : 0;
	if (key != ARGP_KEY_END || t->arguments.n)
		return ARGP_ERR_UNKNOWN;
	argp_error(
		state,
		"no results are named: give a directory, or files in their order; recordings after a recipe");
	return EINVAL;
}

static int trend_main(void *args)
{
	struct trend *t = args;
	int err = array_push(&t->d.sides, ((struct diff_side){ .label = NULL }));

	for (size_t i = 0; i < t->arguments.n && !err; i++) {
		text_array *files = &t->d.sides.v[0].files;
		const char *name = t->arguments.v[i];
		struct stat st;

		if (!stat(name, &st) && S_ISDIR(st.st_mode))
			err = history_list(&t->d, name, NULL, files);
		else
			err = array_push(files, name);
	}
	t->d.options.trend = true;
	return err ? err : diff_compare(&t->d);
}

static void trend_release(void *args)
{
	struct trend *t = args;

	array_release(&t->arguments);
	diff_release(&t->d);
}

const struct cmd cmd_trend = {
	.name = "trend",
	.summary = "shows metrics over recordings or saved results and where they changed",
	.size = sizeof(struct trend),
	.alone = "all",
	.line = {
		.options = options,
		.parse = trend_parse,
		.shared = CMD_SHARED(&cmd_buffer_options, &cmd_kernel_options, &cmd_symbol_options, &cmd_part_options,
				     &cmd_select_options, &cmd_line_options, &cmd_output_options, &cmd_other_options),
		.args_doc = "DIR\nFILE...\nRECIPE FILE...",
		.doc = "Prints each metric over recordings or saved results, and where it changed permanently.\v"
		       "The results of a directory are sorted by name, with numbers compared as numbers; files are used in the order given. A change is found if other orders of the results rarely have as large a one in any metric; that needs 8 results.\n\n"
		       "  hist trend results/\n"
		       "  hist trend --unit lat=us build-*.json\n"
		       "  hist trend run-queue-wait monday.dat tuesday.dat wednesday.dat\n\n"
		       "Exit status: 0 no change, 1 a metric changed, 2 on trouble.",
	},
	.main = trend_main,
	.release = trend_release,
};
