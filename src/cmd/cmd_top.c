// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist top: the answer of a question while its events are recorded.
 *
 * A script from the command line, as of hist report, is built with the events of this machine; what
 * it needs is recorded, as by hist record, but not kept (top/top.h).
 */
#include "cmd/record_flight.h"
#include "hist-ask.h"
#include "hist-save.h"
#include "top/top.h"

struct top_args {
	struct cmd_args a;
	struct record_plan plan;
	struct record_script script;
	struct top_options options;
	struct top *top;
	struct record_keep keep;
	bool no_stats;
};

static error_t store_interval(const struct cmd_option *o UNUSED, void *to, const char *arg,
			      struct argp_state *state)
{
	enum { LEAST_MS = 100, MOST_S = 86400 };
	u64 ns;

	if (!span_time(span_of(arg), &ns) || ns < LEAST_MS * 1000000ull ||
	    ns > MOST_S * 1000000000ull)
		argp_error(state, "-d takes a time from 100ms to 86400 (seconds), not '%s'", arg);
	*(u64 *)to = ns;
	return 0;
}

static error_t store_memory(const struct cmd_option *o UNUSED, void *to, const char *arg,
			    struct argp_state *state)
{
	if (!cmd_parse_size(arg, "KMGT", to))
		argp_error(state, "--memory takes a size, such as 500M or 4G, not '%s'", arg);
	return 0;
}

static const struct cmd_option options[] = {
	CMD_HEADING("The question:", 2),
	CMD_HEADING("How to record and count:", 3),
	CMD_HEADING("The output:", 5),
	{ "input", 'i', "FILE", OPTION_HIDDEN, NULL, 1, CMD_PARSE }, /* as of other verbs */
	{ "delay", 'd', "TIME", 0,
	  "Refresh after this time, such as 2 (seconds, default: 1), 200ms", 3,
	  CMD_CALL(struct top_args, options.interval, store_interval) },
	{ "duration", 0, "TIME", 0, "Stop after this time, such as 60 (seconds)", 3,
	  CMD_CALL(struct top_args, plan.duration_ns, record_store_time) },
	{ "buffer-size", 'b', "KB", 0, "Size of each CPU's kernel buffer, or as in 10M", 3,
	  CMD_CALL(struct top_args, plan.buffer_kb, record_store_kb) },
	{ "clock", 'C', "CLOCK", 0, "Use this trace clock, such as mono", 3,
	  CMD_TEXT(struct top_args, plan.clock) },
	{ "no-tasks", 0, NULL, 0, "Do not record which tasks were started, renamed and ended", 3,
	  CMD_TRUE(struct top_args, plan.no_tasks) },
	{ "memory", 0, "SIZE", 0,
	  "Memory that hist may use, such as 500M (default: 256M). If it needs more, this is an error",
	  3, CMD_CALL(struct top_args, options.memory, store_memory) },
	{ "stats", 0, NULL, 0, "With min, mean and quantiles of values, as by default", 3,
	  CMD_VALUE(struct top_args, no_stats, false) },
	{ "no-stats", 0, NULL, 0,
	  "Without min, mean and quantiles of values, which takes less time", 3,
	  CMD_TRUE(struct top_args, no_stats) },
	{ "plan", 0, "kernel|engine", 0,
	  "Who counts: the kernel, hist (default: the kernel if its answer is the same)", 3,
	  CMD_WORD_FROM(struct top_args, options.way, "kernel|engine", 1) },
	{ "explain", 0, NULL, 0,
	  "Show on stderr the triggers made from --by and --sql, and who counts", 2,
	  CMD_TRUE(struct cmd_args, input.options.explain) },
	{ "output", 'o', "FILE", 0,
	  "Write to FILE; with a format other than text and ndjson, replace it after each interval",
	  5, CMD_TEXT(struct top_args, options.output) },
	{ "format", 0, "FORMAT", 0,
	  "Of a pipe or FILE: text (a table after each interval) or ndjson; of a FILE that is "
	  "replaced: any other one of hist report, such as csv, html, openmetrics, prometheus",
	  5, CMD_TEXT(struct cmd_args, to.format) },
	{ "show", 0, "N", 0, "Only the Nth histogram", 5, CMD_TEXT(struct cmd_args, run.show) },
	{ "top", 0, "N", 0, "Only the N largest rows of each table (text: 20); 0: all", 5,
	  CMD_CALL(struct cmd_args, run.top, cmd_store_top) },
	{ "sort", 0, "BY", 0,
	  "Sort rows by change, a key, a value, or by n, min, max, mean, stddev, p50, p90, p99, p99.9",
	  5, CMD_TEXT(struct cmd_args, run.sort_stats) },
	{ 0 },
};

static error_t top_parse(int key, const char *arg, struct argp_state *state)
{
	struct top_args *t = state->input;
	u64 number;

	if (key == 'i')
		return cmd_script_parse(ARGP_KEY_ARG, arg, state);
	if (key != ARGP_KEY_END)
		return ARGP_ERR_UNKNOWN;
	if (!t->a.script.pieces.n)
		argp_error(state,
			   "nothing to count: name a recipe (hist recipe lists them), or give "
			   "-e EVENT --by KEYS");
	else if (t->a.run.show && (!span_u64(span_of(t->a.run.show), &number) || !number))
		argp_error(state, "--show takes the number of a histogram from 1, not '%s'",
			   t->a.run.show);
	else if (!t->options.output && t->a.to.format && strcmp(t->a.to.format, "text") != 0 &&
		 strcmp(t->a.to.format, "ndjson") != 0)
		argp_error(state,
			   "--format %s needs -o FILE, which is replaced after each interval",
			   t->a.to.format);
	return 0;
}

/* --- the recording --- */

/* Whether there are only events and what is counted of them. */
static bool is_plain(const struct cmd_script *cs)
{
	bool needed;

	array_each(const struct cmd_script_piece, p, &cs->pieces) {
		if (p->key != 'e' && p->key != 'f' && p->key != CMD_SCRIPT_BY &&
		    p->key != CMD_SCRIPT_SUM)
			return false;
		if (p->key == 'e' && hist_derived_input(p->text, 0, &needed))
			return false;
	}
	return true;
}

/* Report an event that this machine does not have. Of globs: later. */
static int check_events(struct top_args *t, struct hist *h, const struct hist_script *script)
{
	const struct cmd_script *cs = &t->a.script;
	int err = 0;

	for (size_t i = 0; i < cs->pieces.n && !err; i++) {
		char *path = NULL;

		if (cs->pieces.v[i].key != 'e' || strpbrk(cs->pieces.v[i].text, "*?[,"))
			continue;
		if (hist_script_find_event(h, script, cs->pieces.v[i].text, &path, NULL))
			err = record_find_event(cs->pieces.v[i].text, &path, t->a.diags);
		free(path);
	}
	return err;
}

/*
 * Each -e has one filter at most, and no event has two: then the kernel can leave out what -f does
 * not accept, if it knows the words of the filter. The triggers have it, too.
 */
static int add_filters(struct top_args *t)
{
	const struct cmd_script *cs = &t->a.script;
	const char *event = NULL;
	size_t n_events = 0, n_filters = 0;
	struct record_event ev = { .try_filter = true };

	for (size_t i = 0; i < cs->pieces.n; i++) {
		n_events += cs->pieces.v[i].key == 'e';
		n_filters += cs->pieces.v[i].key == 'f';
		if (cs->pieces.v[i].key == 'e')
			event = cs->pieces.v[i].text;
		else if (cs->pieces.v[i].key == 'f')
			ev.filter = cs->pieces.v[i].text;
	}
	ev.pattern = event;
	return n_events == 1 && n_filters == 1 ? array_push(&t->script.events, ev) : 0;
}

/* record_plan.resolve: the script, with the events of this machine. */
static int top_resolve(void *arg, const char *machine, struct diags *diags)
{
	struct top_args *t = arg;
	const struct hist_options open = { .inputs = &machine, .n_inputs = 1, .jobs = 1 };
	struct hist_script *script = hist_script_new();
	const bool plain = is_plain(&t->a.script);
	struct hist *h = NULL;
	scoped(free_scoped) char *text = NULL;
	int err = script ? hist_open(&open, &h, diags) : HIST_NOMEM;

	t->a.script.only_triggers = t->a.script.machine = true;
	if (!err && plain)
		err = check_events(t, h, script);
	err = err ?: cmd_script_build(&t->a.script, h, script, diags);
	err = err ?: record_script_needs(&t->script, h, script, diags);
	if (!err && plain) {
		size_t n = 0;

		/* Names of tasks are from the journal of tasks, so these events are not needed. */
		for (size_t i = 0; i < t->script.events.n; i++)
			if (!t->script.events.v[i].optional)
				t->script.events.v[n++] = t->script.events.v[i];
		t->script.events.n = n;
		err = add_filters(t);
		t->plan.events = t->script.events.v;
		t->plan.n_events = t->script.events.n;
	}
	if (!err && !t->script.events.n)
		err = diags_error(diags, -HIST_EREJECTED,
				  "the script counts nothing: -e EVENT --by KEYS does");
	if (!err) {
		const char *title = hist_script_title(script);

		t->options.question = title ? arena_strdup(&t->a.input.arena, title) : NULL;
		text = hist_script_text(script);
		err = text ? top_prepare(t->top, machine, span_of(text), diags) : HIST_NOMEM;
		t->keep.until = err ? NULL : top_until(t->top);
	}
	hist_close(h);
	hist_script_free(script);
	return err;
}

/* Where a recording has its files, of which there are hardly any: what is kept is in memory. */
static const char *work_place(struct top_args *t)
{
	const char *dir = getenv("TMPDIR");

	if (!dir || !*dir)
		dir = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	return arena_printf(&t->a.input.arena, "%s/hist-top", dir);
}

/* Count until the end. 0, < 0; 1: not to the end, see top_finish() */
static int run_once(struct top_args *t)
{
	struct record_result result;
	int err = top_new(&t->options, &t->top, t->a.diags);

	if (err)
		return err;
	t->keep = top_keep(t->top);
	t->plan.keep = &t->keep;
	t->plan.resolve = top_resolve;
	t->plan.resolve_arg = t;
	t->plan.progress = top_progress;
	t->plan.progress_ns = min_t(u64, t->options.interval / 2, 1000000000);
	t->plan.arg = t->top;
	err = record_run(&t->plan, &result, t->a.diags);
	/* a signal before the start */
	if (err > 0)
		return 0;
	return err ?: top_finish(t->top, t->a.diags);
}

static int run_plan(struct top_args *t)
{
	int err = record_script_plan(&t->script, t->a.diags);

	err = err ?: run_once(t);
	if (err <= 0)
		return err;
	top_close(t->top);
	t->top = NULL;
	t->script.events.n = 0;
	t->options.way = LIVE_ENGINE;
	return run_once(t);
}

static int top_main(void *args)
{
	struct top_args *t = args;
	struct top_options *o = &t->options;

	if (t->a.input.paths.n)
		return diags_error(
			t->a.diags, -HIST_EINVAL,
			"%s is a recording, and hist top records: hist report -i %s answers questions about it",
			t->a.input.paths.v[0], t->a.input.paths.v[0]);
	t->plan.output = work_place(t);
	t->plan.version = "hist " HIST_VERSION;
	t->plan.no_cmdline = true;
	/* keys have other names than in the script that is made of them */
	for (size_t i = 0; i < t->a.script.pieces.n; i++) {
		const char *text = t->a.script.pieces.v[i].text;

		t->plan.symbols |= strstr(text, "stack") || strstr(text, "func");
		t->plan.no_cmdline &= !strstr(text, "cmdline");
	}
	t->script.plan = &t->plan;
	t->script.a = &t->a;
	t->script.arena = &t->a.input.arena;
	o->run = t->a.run;
	o->run.stats = !t->no_stats;
	o->explain = t->a.input.options.explain;
	o->interval = o->interval ?: 1000000000;
	o->memory = o->memory ?: 256 << 20;
	o->colour = cmd_is_colourful(t->a.cx, STDOUT_FILENO);
	return t->plan.output ? run_plan(t) : HIST_NOMEM;
}

static void top_release(void *args)
{
	struct top_args *t = args;

	top_close(t->top);
	record_script_release(&t->script);
}

const struct cmd cmd_top = {
	.name = "top",
	.summary = "shows the answer of a question while its events are recorded",
	.uses = CMD_RESULTS,
	.size = sizeof(struct top_args),
	.line = {
		.options = options,
		.parse = top_parse,
		.shared = CMD_SHARED(&cmd_script_options, &cmd_plugin_options, &cmd_other_options),
		.args_doc = "[RECIPE...]",
		.doc = "Records events of this machine and counts them at the same time: shows the "
		       "largest rows, and what changed, after each interval. Nothing is kept.\vOn a "
		       "terminal: q quits, s sorts by the next column, / filters rows by text, p pauses, w "
		       "writes what is seen as a result for hist merge and hist diff, arrows and pages scroll. "
		       "Otherwise a table is printed after each interval.\n"
		       "\n"
		       "  hist top wakeup-latency\n"
		       "  hist top -e sched_switch --by next_comm\n"
		       "  hist top -e sys_enter_openat --by comm -d 5 --format ndjson\n"
		       "\n"
		       "Exit status: 0, 1 if a line of a script was rejected, 2 on trouble.",
	},
	.main = top_main,
	.release = top_release,
};
