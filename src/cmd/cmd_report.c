// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist report: replays a recording under the triggers of a script and prints what the kernel would
 * print.
 */
#include "cmd/cmd.h"
#include "cmd/tty.h"

enum {
	KEY_TRACEFS = 0x400,
	KEY_SAVE_EVENTS,
	KEY_SHOW,
	KEY_STRICT,
	KEY_STATS,
	KEY_SORT,
	KEY_EXEMPLARS,
	KEY_TOP,
	KEY_INTERVAL,
	KEY_UNLIMITED,
	KEY_COMPARE_LIVE,
	KEY_STRICT_KERNEL,
	KEY_AROUND,
	KEY_CONTEXT,
	KEY_OTHER
};

struct report {
	struct cmd_context *cx;
	struct cmd_input input;
	struct cmd_script script;
	struct cmd_plugins plugins;
	struct hist_run_options run;
	struct cmd_output_args to;
	const char *around, *context;
	bool strict, compare_live;
};

static const struct argp_option options[] = {
	{ "save-events", KEY_SAVE_EVENTS, "FILE", 0,
	  "Save the events that the script enabled, and the synthetic ones, as a trace.dat", 3 },
	{ "tracefs", KEY_TRACEFS, "DIR", 0,
	  "Write the resulting tracing directory to DIR, which must be new or empty", 3 },
	{ "show", KEY_SHOW, "EVENT|N", 0, "Show only this event's histograms, or the Nth", 3 },
	{ "stats", KEY_STATS, NULL, 0,
	  "Add n, min, max, mean, stddev and quantiles of values, variables and numeric keys", 3 },
	{ "exemplars", KEY_EXEMPLARS, "N[:NAME]", 0,
	  "Add the N hits with the largest value, variable or key NAME, for each row and for all: time, CPU, task",
	  3 },
	{ "top", KEY_TOP, "N", 0,
	  "Print only the first N rows of each histogram and of each table of --stats (text)", 3 },
	{ "sort", KEY_SORT, "BY", 0,
	  "Sort the tables of --stats by n, min, max, mean, stddev, p50, p90, p99 or p99.9, the largest first (text)",
	  3 },
	{ "interval", KEY_INTERVAL, "TIME", 0,
	  "Print one histogram for each slice of this length, such as 0.5 (seconds), 10ms", 3 },
	{ "unlimited", KEY_UNLIMITED, NULL, 0,
	  "Lift the kernel's limits: up to 32 keys, 31 values, 8 sort keys, any number of entries, "
	  "stacks as deep as recorded",
	  3 },
	{ "keep-going", 'k', NULL, 0, "Continue after a rejected line, as a shell would", 3 },
	{ "compare-live", KEY_COMPARE_LIVE, NULL, 0,
	  "Replay the script of hist record --live, and compare with what the kernel printed; exit with 1 if something differs",
	  3 },
	{ "around", KEY_AROUND, "T[,CPU]", 0, "Show the trace around this moment", 3 },
	{ "context", KEY_CONTEXT, "TIME", 0, "Time to show before and after it; default 1ms", 3 },
	{ "strict-kernel", KEY_STRICT_KERNEL, NULL, 0,
	  "Refuse what the kernel would refuse, such as triggers on ftrace:function", 3 },
	{ "strict", KEY_STRICT, NULL, 0,
	  "Exit with 2 if the result is uncertain: events were lost or dropped, needed events were not recorded, or the recording has another caveat",
	  3 },
	{ 0 },
};

static void parse_top(struct report *r, const char *arg, struct argp_state *state)
{
	u64 n;

	if (!span_u64(span_of(arg), &n) || !n || n > SIZE_MAX)
		argp_error(state, "--top takes a number greater than 0, not '%s'", arg);
	r->run.top = (size_t)n;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): argp requires this type */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report *r = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		for (int i = 0; i < 3; i++)
			state->child_inputs[i] = &r->input;
		state->child_inputs[3] = &r->script;
		state->child_inputs[4] = &r->plugins;
		state->child_inputs[5] = &r->to;
		state->child_inputs[6] = r->cx;
		return 0;
	case KEY_SAVE_EVENTS:
		r->run.save_events = arg;
		return 0;
	case KEY_TRACEFS:
		r->run.tracefs = arg;
		return 0;
	case KEY_SHOW:
		r->run.show = arg;
		return 0;
	case KEY_STATS:
		r->run.stats = true;
		return 0;
	case KEY_EXEMPLARS:
		cmd_parse_exemplars(arg, &r->run.exemplars, &r->run.exemplars_of, state);
		return 0;
	case KEY_TOP:
		parse_top(r, arg, state);
		return 0;
	case KEY_SORT:
		r->run.sort_stats = arg;
		return 0;
	case KEY_INTERVAL:
		r->run.interval = arg;
		return 0;
	case KEY_UNLIMITED:
		r->input.options.unlimited = true;
		return 0;
	case 'k':
		r->run.keep_going = true;
		return 0;
	case KEY_AROUND:
		r->around = arg;
		return 0;
	case KEY_CONTEXT:
		r->context = arg;
		return 0;
	case KEY_STRICT_KERNEL:
		r->input.options.strict_kernel = true;
		return 0;
	case KEY_STRICT:
		r->strict = true;
		return 0;
	case KEY_COMPARE_LIVE:
		r->compare_live = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ .argp = &cmd_input_argp },  { .argp = &cmd_target_argp }, { .argp = &cmd_select_argp },
	{ .argp = &cmd_script_argp }, { .argp = &cmd_plugin_argp }, { .argp = &cmd_result_argp },
	{ .argp = &cmd_common_argp }, { .argp = &cmd_other_argp },  { 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.doc = "Replays a recording under hist triggers and prints what the kernel would have "
	       "printed.\vA SCRIPT is what you would type in /sys/kernel/tracing: echo TEXT >> "
	       "FILE, cat FILE. Without cat, the hist file of each event with hist triggers is "
	       "printed. Without a script, the one stored in the recording is used.\n"
	       "\n"
	       "  hist recipe -i FILE          (questions with ready scripts)\n"
	       "  hist report -i FILE wakeup-latency\n"
	       "  hist report -i FILE -e sched_switch --by next_comm\n"
	       "  hist report -i FILE -e sched_switch -R 'hist:keys=next_comm'\n"
	       "  hist report -i FILE wakeup.script\n"
	       "\n"
	       "Exit status: 0, 1 if a line of a script was rejected, 2 on trouble.",
};

static int replay(struct report *r, struct hist *h, struct hist_script *script)
{
	struct diags *diags = r->cx->diags;
	int rejected = cmd_script_build(&r->script, h, script, diags);
	struct cmd_output out;
	int err = cmd_by_names(&r->script, h), closed;

	if (err)
		return err;
	r->run.names = r->script.key_names.v;
	r->run.n_names = r->script.key_names.n;
	if (rejected && (rejected != -HIST_EREJECTED || !r->run.keep_going))
		return rejected;
	if (r->input.options.unlimited)
		diags_add(diags, DIAG_NOTE, "--unlimited: counting without the kernel's limits");
	if (r->run.save_events)
		err = cmd_output_check_file(r->run.save_events, diags);
	if (!err && r->to.path && r->run.save_events)
		err = out_places_differ(r->to.path, r->run.save_events, diags);
	if (err)
		return err;
	err = cmd_output_open(&out, r->to.path, &r->input.files, diags);
	if (!err)
		err = input_files_check_output(&r->input.files, r->run.save_events, diags);
	if (!err)
		err = hist_run(h, script, &r->run, cmd_output_write, &out, diags);
	closed = cmd_output_close(&out, !err || (err == -HIST_EREJECTED && r->run.keep_going),
				  diags);
	if (closed || (err && err != -HIST_EREJECTED))
		return closed ? closed : err;
	if (r->strict && hist_doubtful(h))
		return CMD_TROUBLE;
	return err ? err : rejected;
}

static int compare_live(struct report *r, struct hist *h)
{
	struct cmd_output out;
	int err, closed;

	if (r->script.pieces.n)
		return diags_error(
			r->cx->diags, -HIST_EINVAL,
			"--compare-live replays the stored script and takes no other script");
	err = cmd_output_open(&out, r->to.path, &r->input.files, r->cx->diags);
	if (!err)
		err = cmd_compare_live(h, cmd_output_write, &out, r->cx->diags);
	closed = cmd_output_close(&out, !err || err == CMD_REJECTED, r->cx->diags);
	if (closed || err < 0)
		return closed ? closed : err;
	return r->strict && hist_doubtful(h) ? CMD_TROUBLE : err;
}

/* --top and --sort change only text: other formats are for programs. */
static int check_rows(const struct hist_run_options *run, struct diags *diags)
{
	const char *option = run->top ? "--top" : run->sort_stats ? "--sort" : NULL;

	if (option && run->format && strcmp(run->format, "text") != 0)
		return diags_error(
			diags, -HIST_EINVAL,
			"%s works only for text; --format %s prints all rows in the order of the histogram",
			option, run->format);
	if (run->sort_stats && !run->stats)
		return diags_error(diags, -HIST_EINVAL,
				   "--sort sorts the tables of --stats; the rows of a histogram "
				   "are sorted by its trigger: sort=...");
	return 0;
}

static bool prints_exemplars(const char *format)
{
	static const char *const formats[] = { "text", "json",     "ndjson",   "csv",
					       "tsv",  "csv-safe", "tsv-safe", "html" };

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (strcmp(format, formats[i]) == 0)
			return true;
	return false;
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct report r = { .cx = cx,
			    .input = CMD_INPUT_INIT,
			    .script = CMD_SCRIPT_INIT(&r.input),
			    .plugins = CMD_PLUGINS_INIT };
	struct hist_script *script = hist_script_new();
	struct hist *h = NULL;
	int err;

	err = script ? cmd_parse(&argp, argc, argv, &r) : HIST_NOMEM;
	r.run.format = r.to.format;
	r.run.json_u64_as_string = r.to.json_u64_as_string;
	r.run.colour = cmd_is_colourful(cx, r.to.path);
	r.run.width = cmd_columns(r.to.path);
	r.run.command = cx->command;
	if (!err)
		err = cmd_plugins_load(&r.plugins, &r.run, cx->diags);
	if (!err)
		err = cmd_plugins_files(&r.plugins, &r.input.files);
	if (!err)
		err = cmd_script_load(&r.script, cx->diags);
	if (!err)
		err = check_rows(&r.run, cx->diags);
	if (!err && r.run.exemplars && r.run.format && !prints_exemplars(r.run.format))
		diags_add(
			cx->diags, DIAG_NOTE,
			"--exemplars is for text, json, ndjson, csv, tsv and html; --format %s omits them",
			r.run.format);
	if (!err && r.around)
		err = cmd_around(&r.script, r.around, r.context, cx->diags);
	if (!err)
		err = cmd_input_open(&r.input, &h, cx->diags);
	if (!err)
		err = cmd_input_result(h, r.compare_live ? compare_live(&r, h)
							 : replay(&r, h, script));
	hist_close(h);
	hist_script_free(script);
	cmd_plugins_release(&r.plugins);
	cmd_script_release(&r.script);
	cmd_input_release(&r.input);
	return err;
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "replays a trace.dat under hist triggers, prints histograms",
	.run = run,
};
