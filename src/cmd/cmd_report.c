// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist report: replays a recording under the triggers of a script and prints what the kernel would
 * print.
 */
#include <unistd.h>

#include "cmd/cmd.h"

enum { KEY_EXEMPLARS = 0x400 };

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

static const struct cmd_option options[] = {
	{ "save-events", 0, "FILE", 0,
	  "Save the events that the script enabled, and the synthetic ones, as a trace.dat", 3,
	  CMD_TEXT(struct report, run.save_events) },
	{ "tracefs", 0, "DIR", 0,
	  "Write the resulting tracing directory to DIR, which must be new or empty", 3,
	  CMD_TEXT(struct report, run.tracefs) },
	{ "show", 0, "EVENT|N", 0, "Show only this event's histograms, or the Nth", 3,
	  CMD_TEXT(struct report, run.show) },
	{ "stats", 0, NULL, 0,
	  "Add n, min, max, mean, stddev and quantiles of values, variables and numeric keys", 3,
	  CMD_TRUE(struct report, run.stats) },
	{ "exemplars", KEY_EXEMPLARS, "N[:NAME]", 0,
	  "Add the N hits with the largest value, variable or key NAME, for each row and for all: time, CPU, task",
	  3, CMD_PARSE },
	{ "top", 0, "N", 0,
	  "Print only the first N rows of each histogram and of each table of --stats (text)", 3,
	  CMD_NUMBER(struct report, run.top, 1) },
	{ "sort", 0, "BY", 0,
	  "Sort the tables of --stats by n, min, max, mean, stddev, p50, p90, p99 or p99.9, the largest first (text)",
	  3, CMD_TEXT(struct report, run.sort_stats) },
	{ "interval", 0, "TIME", 0,
	  "Print one histogram for each slice of this length, such as 0.5 (seconds), 10ms", 3,
	  CMD_TEXT(struct report, run.interval) },
	{ "unlimited", 0, NULL, 0,
	  "Lift the kernel's limits: up to 32 keys, 31 values, 8 sort keys, any number of entries, "
	  "stacks as deep as recorded",
	  3, CMD_TRUE(struct report, input.options.unlimited) },
	{ "keep-going", 'k', NULL, 0, "Continue after a rejected line, as a shell would", 3,
	  CMD_TRUE(struct report, run.keep_going) },
	{ "compare-live", 0, NULL, 0,
	  "Replay the script of hist record --live, and compare with what the kernel printed; exit with 1 if something differs",
	  3, CMD_TRUE(struct report, compare_live) },
	{ "around", 0, "T[,CPU]", 0, "Show the trace around this moment", 3,
	  CMD_TEXT(struct report, around) },
	{ "context", 0, "TIME", 0, "Time to show before and after it; default 1ms", 3,
	  CMD_TEXT(struct report, context) },
	{ "strict-kernel", 0, NULL, 0,
	  "Refuse what the kernel would refuse, such as triggers on ftrace:function", 3,
	  CMD_TRUE(struct report, input.options.strict_kernel) },
	{ "strict", 0, NULL, 0,
	  "Exit with 2 if the result is uncertain: events were lost or dropped, needed events were not recorded, or the recording has another caveat",
	  3, CMD_TRUE(struct report, strict) },
	{ 0 },
};

static error_t parse(int key, const char *arg, struct argp_state *state)
{
	struct report *r = state->input;

	if (key != KEY_EXEMPLARS)
		return ARGP_ERR_UNKNOWN;
	cmd_parse_exemplars(arg, &r->run.exemplars, &r->run.exemplars_of, state);
	return 0;
}

static const struct cmd_shared shared[] = {
	{ &cmd_input_options, offsetof(struct report, input) },
	{ &cmd_target_options, offsetof(struct report, input) },
	{ &cmd_select_options, offsetof(struct report, input) },
	{ &cmd_script_options, offsetof(struct report, script) },
	{ &cmd_plugin_options, offsetof(struct report, plugins) },
	{ &cmd_result_options, offsetof(struct report, to) },
	{ &cmd_other_options, 0 },
	{ 0 },
};

static const struct cmd_options command_line = {
	.options = options,
	.parse = parse,
	.shared = shared,
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
	int err = cmd_by_names(&r->script, h);

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
	err = cmd_output_close(&out, !err || (err == -HIST_EREJECTED && r->run.keep_going), err,
			       diags);
	if (err && err != -HIST_EREJECTED)
		return err;
	if (r->strict && hist_doubtful(h))
		return CMD_TROUBLE;
	return err ? err : rejected;
}

static int compare_live(struct report *r, struct hist *h)
{
	struct cmd_output out;
	int err;

	if (r->script.pieces.n)
		return diags_error(
			r->cx->diags, -HIST_EINVAL,
			"--compare-live replays the stored script and takes no other script");
	err = cmd_output_open(&out, r->to.path, &r->input.files, r->cx->diags);
	if (!err)
		err = cmd_compare_live(h, cmd_output_write, &out, r->cx->diags);
	err = cmd_output_close(&out, err >= 0, err, r->cx->diags);
	if (err < 0)
		return err;
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

	err = script ? cmd_parse(&command_line, cx, argc, argv, &r) : HIST_NOMEM;
	r.run.format = r.to.format;
	r.run.json_u64_as_string = r.to.json_u64_as_string;
	r.run.colour = cmd_is_colourful(cx, r.to.path ? -1 : STDOUT_FILENO);
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
