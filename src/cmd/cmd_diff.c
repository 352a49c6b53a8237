// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist diff: shows what changed between recordings or saved results, with an exit status for
 * scripts.
 */
#include "cmd/cmd_diff.h"

enum { KEY_BEFORE = 0x400, KEY_AFTER, KEY_LABEL };

enum { TEXT_ROWS = 20 }; /* in a table of text */

static const struct cmd_option options[] = {
	CMD_HEADING("The recordings, and how they are read:", 1),
	CMD_HEADING("The question:", 2),
	CMD_HEADING("What to compare:", 3),
	CMD_HEADING("The verdict:", 4),
	CMD_HEADING("The output:", 5),
	{ "script", 'S', "SCRIPT", 0, "Replay recordings under the triggers of a script", 2,
	  CMD_PARSE },
	{ "input", 'i', "FILE", OPTION_HIDDEN, NULL, 2, CMD_PARSE }, /* as of other verbs */
	{ "before", KEY_BEFORE, NULL, 0, "The files that follow are the runs before the change", 3,
	  CMD_PARSE },
	{ "after", KEY_AFTER, NULL, 0, "The files that follow are the runs after the change", 3,
	  CMD_PARSE },
	{ "label", KEY_LABEL, "NAME", 0,
	  "The files that follow are the runs of side NAME; each side is compared with the first",
	  3, CMD_PARSE },
	{ "history", 0, "DIR", 0, "The saved results in DIR are the runs before", 3,
	  CMD_TEXT(struct diff, history) },
	{ "last", 0, "N", 0, "Use only the last N of them, sorted by name (default: 10)", 3,
	  CMD_NUMBER(struct diff, last, 1) },
	{ "show", 0, "EVENT|N", 0,
	  "Show only this event's histograms, or the Nth; 0: also those that text only names", 3,
	  CMD_TEXT(struct diff, options.show) },
	{ "drop-key", 0, "NAME", 0, "Add up the rows that differ only in this key", 3,
	  CMD_TEXTS(struct diff, drop_keys) },
	{ "only", 0, "KEYGLOB", 0, "Compare only the rows whose keys match this pattern", 3,
	  CMD_TEXTS(struct diff, only) },
	{ "metric", 0, "METRIC", 0,
	  "Compare only this number of each row, such as p90, us.p99 or hitcount", 3,
	  CMD_TEXT(struct diff, metric) },
	{ "rate", 0, NULL, 0, "Compare values per second of the recordings' time (the default)", 3,
	  CMD_VALUE(struct diff, options.mode, HIST_DIFF_RATE) },
	{ "share", 0, NULL, 0, "Compare each row's share of all rows, in per cent", 3,
	  CMD_VALUE(struct diff, options.mode, HIST_DIFF_SHARE) },
	{ "absolute", 0, NULL, 0, "Compare values as they are", 3,
	  CMD_VALUE(struct diff, options.mode, HIST_DIFF_ABSOLUTE) },
	{ "stats", 0, NULL, 0, "Also compare the distributions of values and variables", 3,
	  CMD_TRUE(struct diff, options.stats) },
	{ "unlimited", 0, NULL, 0, "Replay without the kernel's limits", 3,
	  CMD_TRUE(struct cmd_args, input.options.unlimited) },
	{ "fail-on", 0, "EXPR", 0,
	  "Exit with 1 only if EXPR is true: [KEY:]METRIC>+N or METRIC<-N for a change, METRIC>N for the value after; N may end in %, ns, us, ms or s",
	  4, CMD_TEXTS(struct diff, fail_on) },
	{ "noise", 0, "PCT", 0, "Values that differ by at most PCT per cent are the same", 4,
	  CMD_REAL(struct diff, options.noise, 1e6) },
	{ "min-count", 0, "N", 0, "Do not judge rows with fewer than N hits on both sides", 4,
	  CMD_NUMBER(struct diff, options.min_count, 0) },
	{ "ignore-new", 0, NULL, 0, "Leave out rows that occur only in the runs after the change",
	  4, CMD_TRUE(struct diff, options.ignore_new) },
	{ "ignore-gone", 0, NULL, 0, "Leave out rows that occur only in the runs before the change",
	  4, CMD_TRUE(struct diff, options.ignore_gone) },
	{ "allow-lost", 0, "PCT", 0, "Accept up to PCT per cent of lost or dropped events", 4,
	  CMD_REAL(struct diff, options.allow_lost, 100) },
	{ "alpha", 0, "P", 0,
	  "Probability of a false alarm (default: 0.03); 1: every difference counts", 4,
	  CMD_LEVEL(struct diff, options.alpha) },
	{ "unit", 0, "NAME=UNIT", 0, "The values of NAME are in ns, us, ms or s", 4,
	  CMD_TEXTS(struct diff, units) },
	{ "better", 0, "less|more", 0,
	  "Which values count as better in summaries: less (the default) or more", 5,
	  CMD_WORD(struct diff, options.more_is_better, "less|more") },
	{ "balance", 0, "KEY", 0,
	  "Report how evenly values are spread over KEY (default: keys that are a CPU)", 5,
	  CMD_TEXT(struct diff, options.balance) },
	{ "exemplars", 0, "N[:NAME]", 0,
	  "Show the N hits after with the largest value of NAME for rows that changed", 5,
	  CMD_CALL(struct cmd_args, exemplars, cmd_store_exemplars) },
	{ "sort", 0, "BY", 0,
	  "delta (the default), percent, before, after, key, or a number such as p99, "
	  "which alone is shown",
	  5, CMD_TEXT(struct diff, options.sort) },
	{ "top", 0, "N", 0, "Show only the first N rows; 0: all (default for text: 20)", 5,
	  CMD_CALL(struct diff, options.top, cmd_store_top) },
	{ "all", 0, NULL, 0, "Also show rows that did not change", 5,
	  CMD_TRUE(struct diff, options.all) },
	{ "format", 0, "FORMAT", 0,
	  "text (the default), json, csv, tsv, ndjson, parquet (one table), markdown, junit, html, folded or svg",
	  5, CMD_TEXT(struct diff, options.format) },
	{ "csv-safe", 0, NULL, 0,
	  "csv for a spreadsheet: put ' before texts that it would run as formulas", 5,
	  CMD_TRUE(struct cmd_args, to.csv_safe) },
	{ 0 },
};

static error_t start_side(struct diff *d, const char *label)
{
	d->side = d->sides.n;
	return array_push(&d->sides, ((struct diff_side){ .label = label })) ? ENOMEM : 0;
}

/* --before and --after, in any order. */
static error_t choose_side(struct diff *d, size_t side)
{
	while (d->sides.n < 2)
		if (start_side(d, NULL))
			return ENOMEM;
	d->side = side;
	return 0;
}

/* Select one way to name the sides; files named before it belong to no side. */
static void choose_how(struct diff *d, enum diff_how how, struct argp_state *state)
{
	if (d->how == SIDES_PLAIN && d->sides.n)
		argp_error(state, "'%s' is not on either side: put it after --before or --after",
			   d->sides.v[0].files.v[0]);
	if (d->how != SIDES_PLAIN && d->how != how)
		argp_error(
			state,
			"use only one way to name the sides: --before and --after, --label, or --");
	d->how = how;
}

int diff_add_script(struct diff *d, const char *arg)
{
	return cmd_script_add_file(&d->a.script, arg);
}

static error_t add_file(struct diff *d, const char *arg, struct argp_state *state)
{
	bool dashes = d->sides.n && (d->how == SIDES_PLAIN || d->how == SIDES_DASHES) &&
		      state->quoted;
	error_t err = 0;

	/* a -- after files starts another side: A... -- B... */
	if (dashes && (!strcmp(arg, "--") || state->next == state->quoted + 1)) {
		d->how = SIDES_DASHES;
		err = start_side(d, NULL);
		if (err || !strcmp(arg, "--"))
			return err;
	}
	if (!d->sides.n)
		err = start_side(d, NULL);
	return err || array_push(&d->sides.v[d->side].files, arg) ? ENOMEM : 0;
}

/* BEFORE AFTER, or no files: the two files that two runs of hist record leave. */
static error_t sort_plain(struct diff *d, struct argp_state *state)
{
	scoped(free_scoped) text_array plain = ARRAY_INIT;
	error_t err;

	if (d->sides.n)
		plain = d->sides.v[0].files;
	if (plain.n != 0 && plain.n != 2)
		argp_error(
			state,
			plain.n == 1
				? "nothing to compare '%s' with: give BEFORE and AFTER"
				: "more than two files ('%s'): use --before A... --after B...; a script follows -S",
			plain.v[plain.n == 1 ? 0 : 2]);
	d->defaulted = !plain.n;
	d->sides.n = 0;
	err = choose_side(d, SIDE_BEFORE);
	if (!err && array_push(&d->sides.v[0].files, plain.n ? plain.v[0] : "trace.dat.old"))
		err = ENOMEM;
	if (!err && array_push(&d->sides.v[1].files, plain.n ? plain.v[1] : "trace.dat"))
		err = ENOMEM;
	return err;
}

/* --history DIR AFTER...: the files before are listed once all options are known. */
static error_t sort_history(struct diff *d, struct argp_state *state)
{
	struct diff_side before = { .label = NULL }, after = { .label = NULL };

	if (d->how != SIDES_PLAIN)
		argp_error(
			state,
			"--history provides the runs before the change: name only the runs after it");
	if (d->sides.n)
		after = d->sides.v[0];
	else if (array_push(&after.files, "trace.dat"))
		return ENOMEM;
	d->sides.n = 0;
	return array_push(&d->sides, before) || array_push(&d->sides, after) ? ENOMEM : 0;
}

static error_t diff_parse(int key, const char *arg, struct argp_state *state)
{
	struct diff *d = state->input;

	switch (key) {
	case 'S':
		return diff_add_script(d, arg);
	case KEY_BEFORE:
	case KEY_AFTER:
		choose_how(d, SIDES_BEFORE_AFTER, state);
		return choose_side(d, key == KEY_BEFORE ? SIDE_BEFORE : SIDE_AFTER);
	case KEY_LABEL:
		choose_how(d, SIDES_LABELLED, state);
		return start_side(d, arg);
	case ARGP_KEY_ARG:
		return cmd_is_recipe(arg) ? diff_add_script(d, arg) : add_file(d, arg, state);
	case 'i':
		return add_file(d, arg, state);
	case ARGP_KEY_END:
		d->last = d->last ? d->last : 10;
		if (d->a.to.csv_safe)
			d->options.format = cmd_csv_safe(d->options.format, state);
		if (d->history)
			return sort_history(d, state);
		if (d->how == SIDES_PLAIN)
			return sort_plain(d, state);
		/* Check the sides named by options: at least two, none of them empty. */
		if (d->sides.n < 2)
			argp_error(state, "two sides are needed, and there is only one");
		for (size_t i = 0; i < d->sides.n; i++) {
			if (d->sides.v[i].files.n)
				continue;
			if (d->how == SIDES_BEFORE_AFTER)
				argp_error(state, "no files after %s", i ? "--after" : "--before");
			if (d->how == SIDES_LABELLED)
				argp_error(state, "no files after --label %s", d->sides.v[i].label);
			argp_error(state, "no files after --");
		}
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int diff_main(void *args)
{
	struct diff *d = args;
	struct hist_diff_options *o = &d->options;
	const text_array *after = &d->sides.v[1].files;
	size_t *more = arena_alloc(&d->a.input.arena, d->sides.n * sizeof(*more));
	const char **labels = arena_alloc(&d->a.input.arena, d->sides.n * sizeof(*labels));
	int err = more && labels ? 0 : HIST_NOMEM;

	if (!err && d->history)
		err = history_list(d, d->history, after->n == 1 ? after->v[0] : NULL,
				   &d->sides.v[0].files);
	if (err)
		return err;
	o->n_after = after->n;
	o->n_more = d->sides.n - 2;
	o->more = more;
	for (size_t i = 2; i < d->sides.n; i++)
		more[i - 2] = d->sides.v[i].files.n;
	for (size_t i = 0; i < d->sides.n; i++)
		labels[i] = d->sides.v[i].label;
	o->labels = d->how == SIDES_LABELLED ? labels : NULL;
	o->fail_on = d->fail_on.v;
	o->n_fail_on = d->fail_on.n;
	o->exemplars = d->a.exemplars.n;
	o->exemplars_of = d->a.exemplars.of;
	o->width = cmd_columns(d->a.to.path);
	if (!o->top && !o->all && (!o->format || !strcmp(o->format, "text")))
		o->top = TEXT_ROWS;
	o->command = d->a.cx->command;
	return diff_compare(d);
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "shows what changed between recordings or saved results",
	.size = sizeof(struct diff),
	.alone = "all",
	.line = {
		.options = options,
		.parse = diff_parse,
		.shared = CMD_SHARED(&cmd_buffer_options, &cmd_kernel_options, &cmd_symbol_options, &cmd_part_options,
				     &cmd_select_options, &cmd_line_options, &cmd_output_options,
				     &cmd_other_options),
		.args_doc =
			"[BEFORE AFTER]\n--before FILE... --after FILE...\nFILE... -- FILE... [-- FILE...]\n"
			"--label NAME FILE... --label NAME FILE...\n--history DIR [AFTER]",
		.doc = "Compares the histograms of recordings or of saved results (json).\vA file is a "
		       "trace.dat or a result that hist report --format json saved, which contains its "
		       "script. Without files, trace.dat.old and trace.dat are compared.\n"
		       "\n"
		       "  hist diff -e sys_enter -R 'hist:keys=id.syscall' old.dat new.dat\n"
		       "  hist diff --fail-on 'lat.p99>+10%' base.json new.dat\n"
		       "\n"
		       "Exit status: 0 same, 1 different, 2 inconclusive or on trouble.",
	},
	.main = diff_main,
	.release = diff_release,
};
