// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist diff: shows what changed between recordings or saved results, with an exit status for
 * scripts.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd_diff.h"
#include "cmd/tty.h"

enum {
	KEY_BEFORE = 0x400,
	KEY_AFTER,
	KEY_FAIL_ON,
	KEY_NOISE,
	KEY_ALPHA,
	KEY_ALLOW_LOST,
	KEY_MIN_COUNT,
	KEY_IGNORE_NEW,
	KEY_IGNORE_GONE,
	KEY_SORT,
	KEY_TOP,
	KEY_ALL,
	KEY_UNIT,
	KEY_DROP_KEY,
	KEY_ONLY,
	KEY_RATE,
	KEY_SHARE,
	KEY_ABSOLUTE,
	KEY_FORMAT,
	KEY_CSV_SAFE,
	KEY_STATS,
	KEY_SHOW,
	KEY_UNLIMITED,
	KEY_LABEL,
	KEY_BETTER,
	KEY_BALANCE,
	KEY_HISTORY,
	KEY_LAST,
	KEY_EXEMPLARS,
};

static const struct argp_option options[] = {
	{ "script", 'S', "SCRIPT", 0, "Replay recordings under the triggers of a script", 2 },
	{ "before", KEY_BEFORE, NULL, 0, "The files that follow are the runs before the change",
	  3 },
	{ "after", KEY_AFTER, NULL, 0, "The files that follow are the runs after the change", 3 },
	{ "label", KEY_LABEL, "NAME", 0,
	  "The files that follow are the runs of side NAME; each side is compared with the first",
	  3 },
	{ "history", KEY_HISTORY, "DIR", 0, "The saved results in DIR are the runs before", 3 },
	{ "last", KEY_LAST, "N", 0, "Use only the last N of them, sorted by name (default: 10)",
	  3 },
	{ "show", KEY_SHOW, "EVENT", 0, "Show only this event's histograms", 3 },
	{ "drop-key", KEY_DROP_KEY, "NAME", 0, "Add up the rows that differ only in this key", 3 },
	{ "only", KEY_ONLY, "KEYGLOB", 0, "Compare only the rows whose keys match this pattern",
	  3 },
	{ "rate", KEY_RATE, NULL, 0,
	  "Compare values per second of the recordings' time (the default)", 3 },
	{ "share", KEY_SHARE, NULL, 0, "Compare each row's share of all rows, in per cent", 3 },
	{ "absolute", KEY_ABSOLUTE, NULL, 0, "Compare values as they are", 3 },
	{ "stats", KEY_STATS, NULL, 0, "Also compare the distributions of values and variables",
	  3 },
	{ "unlimited", KEY_UNLIMITED, NULL, 0, "Replay without the kernel's limits", 3 },
	{ "fail-on", KEY_FAIL_ON, "EXPR", 0,
	  "Exit with 1 only if EXPR is true: [KEY:]METRIC>+N or METRIC<-N for a change, METRIC>N for the value after; N may end in %, ns, us, ms or s",
	  4 },
	{ "noise", KEY_NOISE, "PCT", 0, "Values that differ by at most PCT per cent are the same",
	  4 },
	{ "min-count", KEY_MIN_COUNT, "N", 0,
	  "Do not judge rows with fewer than N hits on both sides", 4 },
	{ "ignore-new", KEY_IGNORE_NEW, NULL, 0,
	  "Leave out rows that occur only in the runs after the change", 4 },
	{ "ignore-gone", KEY_IGNORE_GONE, NULL, 0,
	  "Leave out rows that occur only in the runs before the change", 4 },
	{ "allow-lost", KEY_ALLOW_LOST, "PCT", 0,
	  "Accept up to PCT per cent of lost or dropped events", 4 },
	{ "alpha", KEY_ALPHA, "P", 0,
	  "Significance level of the tests, which need at least 4 runs on each side (default: 0.05)",
	  4 },
	{ "unit", KEY_UNIT, "NAME=UNIT", 0, "The values of NAME are in ns, us, ms or s", 4 },
	{ "better", KEY_BETTER, "less|more", 0,
	  "Which values count as better in summaries: less (the default) or more", 5 },
	{ "balance", KEY_BALANCE, "KEY", 0,
	  "Report how evenly values are spread over KEY (default: keys that are a CPU)", 5 },
	{ "exemplars", KEY_EXEMPLARS, "N[:NAME]", 0,
	  "Show the N hits after with the largest value of NAME for rows that changed", 5 },
	{ "sort", KEY_SORT, "BY", 0, "delta (the default), percent, before, after or key", 5 },
	{ "top", KEY_TOP, "N", 0, "Show only the first N rows", 5 },
	{ "all", KEY_ALL, NULL, 0, "Also show rows that did not change", 5 },
	{ "format", KEY_FORMAT, "FORMAT", 0,
	  "text (the default), json, csv, markdown, junit, html, folded or svg", 5 },
	{ "csv-safe", KEY_CSV_SAFE, NULL, 0,
	  "csv for a spreadsheet: put ' before texts that it would run as formulas", 5 },
	{ 0 },
};

/* --- numbers in options --- */

/* From 0 to @max, optionally followed by %. */
static double parse_number(const char *arg, double max, const char *option,
			   struct argp_state *state)
{
	char *end;
	double v = strtod(arg, &end);

	end += *end == '%' && max > 1;
	if ((*arg != '.' && (*arg < '0' || *arg > '9')) || *end || !(v >= 0 && v <= max))
		argp_error(state, "%s takes a number from 0 to %g, not '%s'", option, max, arg);
	return v;
}

static uint64_t parse_count(const char *arg, const char *option, struct argp_state *state)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno)
		argp_error(state, "%s takes a number, not '%s'", option, arg);
	return v;
}

/* --- options --- */

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

/* A -- after files starts another side: A... -- B... */
static bool is_dashes(const struct diff *d, const char *arg, const struct argp_state *state)
{
	if (!d->sides.n || (d->how != SIDES_PLAIN && d->how != SIDES_DASHES) || !state->quoted)
		return false;
	return !strcmp(arg, "--") || state->next == state->quoted + 1;
}

static error_t add_file(struct diff *d, const char *arg, struct argp_state *state)
{
	error_t err = 0;

	if (is_dashes(d, arg, state)) {
		d->how = SIDES_DASHES;
		err = start_side(d, NULL);
		if (err || !strcmp(arg, "--"))
			return err;
	}
	if (!d->sides.n)
		err = start_side(d, NULL);
	return err || array_push(&d->sides.v[d->side].files, arg) ? ENOMEM : 0;
}

/* Check the sides named by options: at least two, none of them empty. */
static void check_sides(const struct diff *d, struct argp_state *state)
{
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
}

/* BEFORE AFTER, or no files: the two files that two runs of hist record leave. */
static error_t sort_plain(struct diff *d, struct argp_state *state)
{
	text_array plain = ARRAY_INIT;
	error_t err;

	if (d->sides.n)
		plain = d->sides.v[0].files;
	if (plain.n != 0 && plain.n != 2)
		argp_error(state,
			   plain.n == 1
				   ? "nothing to compare '%s' with: give BEFORE and AFTER"
				   : "more than two files ('%s'): use --before A... --after B...",
			   plain.v[plain.n == 1 ? 0 : 2]);
	d->defaulted = !plain.n;
	d->sides.n = 0;
	err = choose_side(d, SIDE_BEFORE);
	if (!err && array_push(&d->sides.v[0].files, plain.n ? plain.v[0] : "trace.dat.old"))
		err = ENOMEM;
	if (!err && array_push(&d->sides.v[1].files, plain.n ? plain.v[1] : "trace.dat"))
		err = ENOMEM;
	array_release(&plain);
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
	if (array_push(&d->sides, before) || array_push(&d->sides, after))
		return ENOMEM;
	return 0;
}

static error_t sort_files(struct diff *d, struct argp_state *state)
{
	if (d->history)
		return sort_history(d, state);
	if (d->how == SIDES_PLAIN)
		return sort_plain(d, state);
	check_sides(d, state);
	return 0;
}

static error_t parse_judging(int key, char *arg, struct argp_state *state)
{
	struct diff *d = state->input;
	struct hist_diff_options *o = &d->options;

	switch (key) {
	case KEY_FAIL_ON:
		return array_push(&d->fail_on, arg) ? ENOMEM : 0;
	case KEY_UNIT:
		return array_push(&d->units, arg) ? ENOMEM : 0;
	case KEY_NOISE:
		o->noise = parse_number(arg, 1e6, "--noise", state);
		return 0;
	case KEY_ALPHA:
		o->alpha = parse_number(arg, 1, "--alpha", state);
		if (o->alpha <= 0)
			argp_error(state, "--alpha must be greater than 0");
		return 0;
	case KEY_ALLOW_LOST:
		o->allow_lost = parse_number(arg, 100, "--allow-lost", state);
		return 0;
	case KEY_MIN_COUNT:
		o->min_count = parse_count(arg, "--min-count", state);
		return 0;
	case KEY_IGNORE_NEW:
		o->ignore_new = true;
		return 0;
	case KEY_IGNORE_GONE:
		o->ignore_gone = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_showing(int key, char *arg, struct argp_state *state)
{
	struct diff *d = state->input;
	struct hist_diff_options *o = &d->options;

	switch (key) {
	case KEY_SORT:
		o->sort = arg;
		return 0;
	case KEY_TOP:
		o->top = parse_count(arg, "--top", state);
		if (!o->top)
			argp_error(state, "--top takes a number greater than 0");
		return 0;
	case KEY_ALL:
		o->all = true;
		return 0;
	case KEY_BETTER:
		if (strcmp(arg, "less") && strcmp(arg, "more"))
			argp_error(state, "--better takes less or more, not '%s'", arg);
		o->more_is_better = !strcmp(arg, "more");
		return 0;
	case KEY_BALANCE:
		o->balance = arg;
		return 0;
	case KEY_EXEMPLARS:
		cmd_parse_exemplars(arg, &o->exemplars, &o->exemplars_of, state);
		return 0;
	case KEY_FORMAT:
		o->format = arg;
		return 0;
	default:
		return parse_judging(key, arg, state);
	}
}

static error_t parse_sides(int key, char *arg, struct argp_state *state)
{
	struct diff *d = state->input;

	switch (key) {
	case KEY_BEFORE:
	case KEY_AFTER:
		choose_how(d, SIDES_BEFORE_AFTER, state);
		return choose_side(d, key == KEY_BEFORE ? SIDE_BEFORE : SIDE_AFTER);
	case KEY_LABEL:
		choose_how(d, SIDES_LABELLED, state);
		return start_side(d, arg);
	case KEY_HISTORY:
		d->history = arg;
		return 0;
	case KEY_LAST:
		d->last = parse_count(arg, "--last", state);
		if (!d->last)
			argp_error(state, "--last takes a number greater than 0");
		return 0;
	default:
		return parse_showing(key, arg, state);
	}
}

static error_t parse_input(int key, char *arg, struct argp_state *state)
{
	struct diff *d = state->input;

	switch (key) {
	case 'S':
		return array_push(&d->script.pieces,
				  ((struct cmd_script_piece){ .key = ARGP_KEY_ARG,
							      .name = arg,
							      .text = arg,
							      .len = strlen(arg) }))
			       ? ENOMEM
			       : 0;
	case KEY_SHOW:
		d->options.show = arg;
		return 0;
	case KEY_DROP_KEY:
		return array_push(&d->drop_keys, arg) ? ENOMEM : 0;
	case KEY_ONLY:
		return array_push(&d->only, arg) ? ENOMEM : 0;
	case KEY_UNLIMITED:
		d->input.options.unlimited = true;
		return 0;
	default:
		return parse_sides(key, arg, state);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct diff *d = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &d->input;
		state->child_inputs[2] = &d->script;
		state->child_inputs[3] = &d->to;
		state->child_inputs[4] = d->cx;
		return 0;
	case ARGP_KEY_ARG:
		return add_file(d, arg, state);
	case ARGP_KEY_END:
		if (d->to.csv_safe)
			d->options.format = cmd_csv_safe(d->options.format, state);
		return sort_files(d, state);
	case KEY_CSV_SAFE:
		d->to.csv_safe = true;
		return 0;
	case KEY_RATE:
		d->options.mode = HIST_DIFF_RATE;
		return 0;
	case KEY_SHARE:
		d->options.mode = HIST_DIFF_SHARE;
		return 0;
	case KEY_ABSOLUTE:
		d->options.mode = HIST_DIFF_ABSOLUTE;
		return 0;
	case KEY_STATS:
		d->options.stats = true;
		return 0;
	default:
		return parse_input(key, arg, state);
	}
}

static const struct argp_child children[] = {
	{ .argp = &cmd_target_argp },
	{ .argp = &cmd_select_argp },
	{ .argp = &cmd_line_argp },
	{ .argp = &cmd_output_argp },
	{ .argp = &cmd_common_argp },
	{ .argp = &cmd_other_argp },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
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
};

/* --- all steps --- */

/* @more, @labels: one element for each side */
static void fill_options(struct diff *d, size_t *more, const char **labels)
{
	struct hist_diff_options *o = &d->options;

	o->n_before = d->sides.v[0].files.n;
	o->n_after = d->sides.v[1].files.n;
	o->n_more = d->sides.n - 2;
	o->more = more;
	for (size_t i = 2; i < d->sides.n; i++)
		more[i - 2] = d->sides.v[i].files.n;
	for (size_t i = 0; i < d->sides.n; i++)
		labels[i] = d->sides.v[i].label;
	o->labels = d->how == SIDES_LABELLED ? labels : NULL;
	o->fail_on = d->fail_on.v;
	o->n_fail_on = d->fail_on.n;
	o->drop_keys = d->drop_keys.v;
	o->n_drop_keys = d->drop_keys.n;
	o->only = d->only.v;
	o->n_only = d->only.n;
	o->units = d->units.v;
	o->n_units = d->units.n;
	o->width = cmd_columns(d->to.path);
	o->command = d->cx->command;
}

static int find_history(struct diff *d)
{
	const text_array *after = &d->sides.v[1].files;

	if (!d->history)
		return 0;
	return history_list(d->history, d->last ? d->last : 10, after->n == 1 ? after->v[0] : NULL,
			    &d->sides.v[0].files, &d->arena, d->cx->diags);
}

static int print(struct diff *d, struct hist_diff *diff, enum hist_diff_verdict *verdict)
{
	struct cmd_output out;
	int err = cmd_output_open(&out, d->to.path, &d->input.files, d->cx->diags), closed;

	if (err)
		return err;
	err = hist_diff_print(diff, cmd_output_write, &out, verdict, d->cx->diags);
	closed = cmd_output_close(&out, !err, d->cx->diags);
	return closed ? closed : err;
}

static int compare(struct diff *d)
{
	enum hist_diff_verdict verdict = HIST_DIFF_INCONCLUSIVE;
	struct hist_diff *diff = NULL;
	size_t *more = arena_alloc(&d->arena, d->sides.n * sizeof(*more));
	const char **labels = arena_alloc(&d->arena, d->sides.n * sizeof(*labels));
	int err = more && labels ? find_history(d) : HIST_NOMEM;

	if (err)
		return err;
	fill_options(d, more, labels);
	err = hist_diff_new(&d->options, &diff, d->cx->diags);
	if (!err)
		err = diff_read_runs(d, diff);
	if (!err)
		err = print(d, diff, &verdict);
	hist_diff_free(diff);
	/* 1 only reports a difference */
	return err == -HIST_EREJECTED ? CMD_TROUBLE : err ? err : (int)verdict;
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct diff d = { .cx = cx, .input = CMD_INPUT_INIT, .script = CMD_SCRIPT_INIT(&d.input) };
	int err = cmd_parse(&argp, argc, argv, &d);

	if (!err)
		err = cmd_script_load(&d.script, cx->diags);
	if (!err && d.input.paths.n)
		err = diags_error(cx->diags, -HIST_EINVAL, "-S takes a script; %s is a recording",
				  d.input.paths.v[0]);
	if (!err)
		err = compare(&d);
	for (size_t i = 0; i < d.sides.n; i++)
		array_release(&d.sides.v[i].files);
	array_release(&d.sides);
	arena_release(&d.arena);
	array_release(&d.fail_on);
	array_release(&d.drop_keys);
	array_release(&d.only);
	array_release(&d.units);
	cmd_script_release(&d.script);
	cmd_input_release(&d.input);
	return err;
}

const struct cmd cmd_diff = {
	.name = "diff",
	.summary = "shows what changed between recordings or saved results",
	.run = run,
};
