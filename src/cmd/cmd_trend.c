// SPDX-License-Identifier: GPL-2.0-only
/* hist trend: shows each metric over saved results, and the result at which it changed. */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cmd/cmd_diff.h"

enum {
	KEY_LAST = 0x400,
	KEY_SHOW,
	KEY_DROP_KEY,
	KEY_ONLY,
	KEY_RATE,
	KEY_SHARE,
	KEY_ABSOLUTE,
	KEY_MIN_COUNT,
	KEY_UNIT,
	KEY_ALPHA,
	KEY_ALL,
	KEY_FORMAT,
};

struct trend {
	struct diff d;
	text_array arguments;
};

static const struct argp_option options[] = {
	{ "last", KEY_LAST, "N", 0, "Use only the last N results of each directory", 3 },
	{ "show", KEY_SHOW, "EVENT", 0, "Show only this event's histograms", 3 },
	{ "drop-key", KEY_DROP_KEY, "NAME", 0, "Add up the rows that differ only in this key", 3 },
	{ "only", KEY_ONLY, "KEYGLOB", 0, "Compare only the rows whose keys match this pattern",
	  3 },
	{ "rate", KEY_RATE, NULL, 0, "Show values per second of the recordings' time (the default)",
	  3 },
	{ "share", KEY_SHARE, NULL, 0, "Show each row's share of all rows, in per cent", 3 },
	{ "absolute", KEY_ABSOLUTE, NULL, 0, "Show values as they are", 3 },
	{ "unit", KEY_UNIT, "NAME=UNIT", 0, "The values of NAME are in ns, us, ms or s", 3 },
	{ "alpha", KEY_ALPHA, "P", 0,
	  "Significance level of each test for a change point (default: 0.05)", 4 },
	{ "all", KEY_ALL, NULL, 0, "Also show the values of each row", 5 },
	{ "min-count", KEY_MIN_COUNT, "N", 0, "Leave out rows with fewer than N hits in total", 5 },
	{ "format", KEY_FORMAT, "FORMAT", 0, "text (the default) or json", 5 },
	{ 0 },
};

static uint64_t parse_count(const char *arg, const char *option, struct argp_state *state)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(arg, &end, 10);
	if (*arg < '0' || *arg > '9' || *end || errno || !v)
		argp_error(state, "%s takes a number greater than 0, not '%s'", option, arg);
	return v;
}

static error_t parse_mode(int key, char *arg, struct argp_state *state)
{
	struct trend *t = state->input;
	struct hist_diff_options *o = &t->d.options;
	char *end;

	switch (key) {
	case KEY_RATE:
		o->mode = HIST_DIFF_RATE;
		return 0;
	case KEY_SHARE:
		o->mode = HIST_DIFF_SHARE;
		return 0;
	case KEY_ABSOLUTE:
		o->mode = HIST_DIFF_ABSOLUTE;
		return 0;
	case KEY_ALPHA:
		o->alpha = strtod(arg, &end);
		if (*end || end == arg || !(o->alpha > 0 && o->alpha < 1))
			argp_error(state, "--alpha takes a number between 0 and 1, not '%s'", arg);
		return 0;
	case KEY_MIN_COUNT:
		o->min_count = parse_count(arg, "--min-count", state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct trend *t = state->input;
	struct hist_diff_options *o = &t->d.options;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &t->d.to;
		state->child_inputs[1] = t->d.cx;
		return 0;
	case ARGP_KEY_ARG:
		return array_push(&t->arguments, arg) ? ENOMEM : 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state,
			   "no results are named: give a directory, or files in their order");
		return EINVAL;
	case KEY_LAST:
		t->d.last = parse_count(arg, "--last", state);
		return 0;
	case KEY_SHOW:
		o->show = arg;
		return 0;
	case KEY_DROP_KEY:
		return array_push(&t->d.drop_keys, arg) ? ENOMEM : 0;
	case KEY_ONLY:
		return array_push(&t->d.only, arg) ? ENOMEM : 0;
	case KEY_UNIT:
		return array_push(&t->d.units, arg) ? ENOMEM : 0;
	case KEY_ALL:
		o->all = true;
		return 0;
	case KEY_FORMAT:
		o->format = arg;
		return 0;
	default:
		return parse_mode(key, arg, state);
	}
}

static const struct argp_child children[] = {
	{ .argp = &cmd_output_argp },
	{ .argp = &cmd_common_argp },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.args_doc = "DIR\nFILE...",
	.doc = "Prints each metric over saved results, and where it changed permanently.\v"
	       "The results of a directory are sorted by name, with numbers compared as numbers; files are used in the order given. Changes are found by Pettitt's test, which needs 8 results.\n\n"
	       "  hist trend results/\n"
	       "  hist trend --unit lat=us build-*.json\n\n"
	       "Exit status: 0 no change, 1 a metric changed, 2 on trouble.",
};

/* --- all steps --- */

static int find_files(struct trend *t)
{
	struct diff_side *side = &t->d.sides.v[0];
	int err = 0;

	for (size_t i = 0; i < t->arguments.n && !err; i++) {
		const char *name = t->arguments.v[i];
		struct stat st;

		if (!stat(name, &st) && S_ISDIR(st.st_mode))
			err = history_list(name, t->d.last, NULL, &side->files, &t->d.arena,
					   t->d.cx->diags);
		else
			err = array_push(&side->files, name);
	}
	return err;
}

static int print(struct diff *d, struct hist_diff *diff, enum hist_diff_verdict *verdict)
{
	struct cmd_output out;
	int err = cmd_output_open(&out, d->to.path, &d->input.files, d->cx->diags), closed;

	if (err)
		return err;
	err = hist_diff_print_trend(diff, cmd_output_write, &out, verdict, d->cx->diags);
	closed = cmd_output_close(&out, !err, d->cx->diags);
	return closed ? closed : err;
}

static int show(struct trend *t)
{
	enum hist_diff_verdict verdict = HIST_DIFF_INCONCLUSIVE;
	struct hist_diff_options *o = &t->d.options;
	struct hist_diff *diff = NULL;
	int err;

	o->trend = true;
	o->n_before = t->d.sides.v[0].files.n;
	o->drop_keys = t->d.drop_keys.v;
	o->n_drop_keys = t->d.drop_keys.n;
	o->only = t->d.only.v;
	o->n_only = t->d.only.n;
	o->units = t->d.units.v;
	o->n_units = t->d.units.n;
	err = hist_diff_new(o, &diff, t->d.cx->diags);
	if (!err)
		err = diff_read_runs(&t->d, diff);
	if (!err)
		err = print(&t->d, diff, &verdict);
	hist_diff_free(diff);
	return err == -HIST_EREJECTED ? CMD_TROUBLE : err ? err : (int)verdict;
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct trend t = {
		.d = { .cx = cx, .input = CMD_INPUT_INIT, .script = CMD_SCRIPT_INIT(&t.d.input) }
	};
	int err = cmd_parse(&argp, argc, argv, &t);

	if (!err)
		err = array_push(&t.d.sides, ((struct diff_side){ .label = NULL }));
	if (!err)
		err = find_files(&t);
	if (!err)
		err = show(&t);
	for (size_t i = 0; i < t.d.sides.n; i++)
		array_release(&t.d.sides.v[i].files);
	array_release(&t.d.sides);
	array_release(&t.arguments);
	array_release(&t.d.drop_keys);
	array_release(&t.d.only);
	array_release(&t.d.units);
	arena_release(&t.d.arena);
	cmd_script_release(&t.d.script);
	cmd_input_release(&t.d.input);
	return err;
}

const struct cmd cmd_trend = {
	.name = "trend",
	.summary = "shows metrics over saved results and where they changed",
	.run = run,
};
