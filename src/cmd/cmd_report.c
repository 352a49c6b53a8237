// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist report: replays a recording under the triggers of a script and prints what the kernel would
 * print.
 */
#include <signal.h>

#include "cmd/hosts.h"
#include "hist-ask.h"
#include "hist-merge.h"
#include "live/live.h"

enum { PAGE_EXEMPLARS = 8 };

struct report {
	struct cmd_args a;
	const char *around, *mark, *context;
	bool strict, compare_live, follow, over_time;
	u64 refresh;
	struct follow_options stream;
	struct follow *following;
	int machine;       /* descriptor: the beginning of the stream */
	u64 answers;       /* before the last one */
	const char *alone; /* the event of -e alone; NULL: there is a question */
};

/* Ctrl-C: the last answer of --follow */
static volatile sig_atomic_t stopped;

static error_t store_refresh(const struct cmd_option *o, void *to, const char *arg,
			     struct argp_state *state)
{
	if (!span_time(span_of(arg), to) || !*(u64 *)to)
		argp_error(state, "--%s takes a time, such as 1 (second) or 500ms, not '%s'",
			   o->name, arg);
	return 0;
}

static const struct cmd_option options[] = {
	CMD_HEADING("The recording, and how it is read:", 1),
	CMD_HEADING("The question:", 2),
	CMD_HEADING("The answer:", 3),
	CMD_HEADING("The output:", 5),
	{ "hosts", 0, NULL, 0,
	  "Each -i is of a machine of its own: one answer, with the key host; dates for --from and --to are the same time of all",
	  1, CMD_TRUE(struct cmd_args, hosts) },
	{ "save-events", 0, "FILE", 0,
	  "Save the events that the script enabled, and the synthetic ones, as a trace.dat", 3,
	  CMD_TEXT(struct cmd_args, run.save_events) },
	{ "tracefs", 0, "DIR", 0,
	  "Write the resulting tracing directory to DIR, which must be new or empty", 3,
	  CMD_TEXT(struct cmd_args, run.tracefs) },
	{ "stats", 0, NULL, 0,
	  "Add n, min, max, mean, stddev and quantiles of values, variables and numeric keys", 3,
	  CMD_TRUE(struct cmd_args, run.stats) },
	{ "exemplars", 0, "N[:NAME]", 0,
	  "Add the N hits with the largest value, variable or key NAME, for each row and for all: time, CPU, task",
	  3, CMD_CALL(struct cmd_args, exemplars, cmd_store_exemplars) },
	{ "interval", 0, "TIME", 0,
	  "Print one histogram for each slice of this length, such as 0.5 (seconds), 10ms", 3,
	  CMD_TEXT(struct cmd_args, run.interval) },
	{ "over-time", 0, NULL, 0,
	  "With --interval: one table, with a row for each slice: hits, p50, p90, p99 and max", 3,
	  CMD_TRUE(struct report, over_time) },
	{ "unlimited", 0, NULL, 0,
	  "Lift the kernel's limits: up to 32 keys, 31 values, 8 sort keys, any number of entries, "
	  "stacks as deep as recorded",
	  3, CMD_TRUE(struct cmd_args, input.options.unlimited) },
	{ "keep-going", 'k', NULL, 0, "Continue after a rejected line, as a shell would", 3,
	  CMD_TRUE(struct cmd_args, run.keep_going) },
	{ "compare-live", 0, NULL, 0,
	  "Replay the script of hist record --live, and compare with what the kernel printed; exit with 1 if something differs",
	  3, CMD_TRUE(struct report, compare_live) },
	{ "around", 0, "T[,CPU]", 0,
	  "Show the trace around this moment; after a recipe or --by, answer for that time", 3,
	  CMD_TEXT(struct report, around) },
	{ "mark", CMD_MARK, "N", OPTION_ARG_OPTIONAL,
	  "Show the trace around the Nth event for which hist record --until wrote the file", 3,
	  CMD_CALL(struct report, mark, cmd_store_mark) },
	{ "context", 0, "TIME", 0, "Time to show before and after it; default 1ms", 3,
	  CMD_TEXT(struct report, context) },
	{ "follow", 0, NULL, 0,
	  "Read a stream of hist record -o - while it comes, and print the answer every second and at the end",
	  3, CMD_TRUE(struct report, follow) },
	{ "refresh", 0, "TIME", 0, "With --follow: print the answer at this interval", 3,
	  CMD_CALL(struct report, refresh, store_refresh) },
	{ "strict-kernel", 0, NULL, 0,
	  "Refuse what the kernel would refuse, such as triggers on ftrace:function", 3,
	  CMD_TRUE(struct cmd_args, input.options.strict_kernel) },
	{ "strict", 0, NULL, 0,
	  "Exit with 2 if the result is uncertain: events were lost or dropped, needed events were not recorded, or the recording has another caveat",
	  3, CMD_TRUE(struct report, strict) },
	{ 0 },
};

/* Whether --sort names a number of --stats: "p99", "ns.p99.ascending". */
static bool sorts_by_statistic(const struct report *r)
{
	static const char *const names[] = { "min", "mean", "stddev", "p50",
					     "p90", "p99",  "p99.9",  "max" };
	const struct cmd_script *cs = &r->a.script;
	struct span sort = span_of(r->a.run.sort_stats ?: ""), number = sort;
	const bool grouped = any_of(i, cs->pieces.n, cs->pieces.v[i].key == CMD_SCRIPT_BY);

	if (span_find(sort, span_of(".ascending")) || span_find(sort, span_of(".descending")))
		sort = span_between(sort.s, span_rchr(sort, '.'));
	number = sort;
	span_sep(&number, ".");
	/* a recipe may have a column max of its own */
	return any_of(i, ARRAY_SIZE(names),
		      (span_eq(sort, names[i]) && (grouped || strcmp(names[i], "max") != 0)) ||
			      span_eq(number, names[i]));
}

/* A page answers with quantiles and the worst ones, without being asked. */
static void use_question(struct report *r)
{
	struct hist_run_options *run = &r->a.run;
	const bool question = hist_script_title(r->a.lines);

	run->stats |= question && sorts_by_statistic(r);
	if (question && !r->over_time && run->format && !strcmp(run->format, "html")) {
		run->stats = true;
		run->exemplars = run->exemplars ?: PAGE_EXEMPLARS;
	}
}

/* What else can be asked about the event of -e alone, which is counted by task. */
static void note_alone(struct report *r)
{
	struct cmd_args *a = &r->a;
	const struct hist_event_choice choice = { .event = r->alone };
	const struct hist_events_options how = { .choices = &choice, .n_choices = 1 };
	scoped(strbuf_release) struct strbuf file = STRBUF_INIT, name = STRBUF_INIT,
					     fields = STRBUF_INIT;
	scoped(diags_release) struct diags none = DIAGS_INIT; /* what is wrong is reported later */
	const struct hist_event_type *type;
	struct hist_events *events;

	if (r->following || hist_events_open(a->h, &how, &events, &none))
		return;
	type = hist_events_type(events, 0);
	for (size_t i = 0; type && !hist_events_type(events, 1) && i < type->n_fields; i++)
		strbuf_addf(&fields, "%s%s", i ? ", " : "; it has ", type->fields[i].name);
	hist_events_close(events, -HIST_EINVAL);
	strbuf_addword(&file, a->input.paths.n ? a->input.paths.v[0] : "trace.dat");
	strbuf_addword(&name, r->alone);
	diags_add(a->diags, DIAG_NOTE,
		  "%s is counted %s, for want of --by FIELD%s; the events: hist events -i %s -e %s",
		  r->alone, r->over_time ? "in each slice" : "by comm", fields.s ?: "", file.s,
		  name.s);
}

/* A profile that is asked nothing; its keys may be those of --sort, as in perf. */
static int ask_profile(struct report *r)
{
	static const char *const columns[] = { "hits", "hitcount", "count", "period" };
	struct cmd_args *a = &r->a;
	const char *sort = a->run.sort_stats;
	struct cmd_script_piece by = { .key = CMD_SCRIPT_BY, .text = sort };
	int err;

	if (a->script.pieces.n || hist_stored_script(a->h) || !recipe_sampled(a->h))
		return 0;
	err = cmd_script_add_file(&a->script, "profile");
	err = err ?: cmd_script_load(&a->script, a->diags);
	if (err || !sort || sorts_by_statistic(r) ||
	    any_of(i, ARRAY_SIZE(columns), span_starts(span_of(sort), columns[i])))
		return err;
	a->run.sort_stats = NULL;
	by.len = strlen(sort);
	return array_push(&a->script.pieces, by);
}

static int replay(struct report *r)
{
	struct cmd_args *a = &r->a;
	int err = r->following ? follow_attach(r->following, a->h, a->diags) : 0, rejected;

	err = err ?: ask_profile(r);
	if (err)
		return err;
	rejected = cmd_script_build(&a->script, a->h, a->lines, a->diags);
	if (rejected && (rejected != -HIST_EREJECTED || !a->run.keep_going))
		return rejected;
	if (a->input.options.unlimited)
		diags_add(a->diags, DIAG_NOTE, "--unlimited: counting without the kernel's limits");
	if (r->over_time && !a->run.interval)
		return diags_error(a->diags, -HIST_EINVAL,
				   "--over-time needs the length of its slices: --interval TIME");
	if (a->run.interval && a->input.selection.clip)
		return diags_error(
			a->diags, -HIST_EINVAL,
			"--clip cuts at --from and --to, not at the slices of --interval: use one "
			"of them");
	if (a->run.save_events)
		err = cmd_output_check_file(a->run.save_events, a->diags);
	use_question(r);
	if (r->over_time) {
		a->run.stats = true;
		a->run.format =
			arena_printf(&a->input.arena, "over-time:%s", a->run.format ?: "text");
		err = err ?: a->run.format ? 0 : HIST_NOMEM;
	}
	if (!err && a->to.path && a->run.save_events)
		err = out_dests_differ(a->to.path, a->run.save_events, a->diags);
	err = err ?: cmd_open_output(a);
	err = err ?: input_files_check_output(&a->input.files, a->run.save_events, a->diags);
	if (!err && r->alone)
		note_alone(r);
	err = err ?: hist_run(a->h, a->lines, &a->run, cmd_output_write, &a->out, a->diags);
	a->uncertain = (r->strict && hist_doubtful(a->h)) || follow_was_cut(r->following);
	return err ? err : rejected;
}

/* --- --hosts --- */

/* The answer of a machine, as hist report --format json saves it, gets the key host. */
static int add_host(struct report *r, const struct cmd_host *host, struct hist_merge *sum)
{
	struct cmd_args *a = &r->a;
	struct hist_run_options run = a->run;
	struct hist_script *lines = hist_script_new();
	const size_t before = a->diags->list.n;
	scoped(strbuf_release) struct strbuf json = STRBUF_INIT, label = STRBUF_INIT;
	int err = lines ? cmd_script_build(&a->script, host->h, lines, a->diags) : HIST_NOMEM;

	run.format = "json";
	run.show = NULL;
	run.top = 0;
	strbuf_addf(&label, "host=%s", host->name);
	err = err ?: hist_run(host->h, lines, &run, strbuf_sink, &json, a->diags);
	for (size_t i = before; i < a->diags->list.n; i++) {
		struct diag *d = &a->diags->list.v[i];

		d->text = arena_printf(&a->diags->arena, "%s: %s", host->name, d->text) ?: d->text;
	}
	err = err ?: json.failed || label.failed ? HIST_NOMEM : 0;
	err = err ?: hist_merge_label(sum, label.s, a->diags);
	err = err ?: hist_merge_add(sum, host->path, json.s, json.len, a->diags);
	hist_script_free(lines);
	return err;
}

static int replay_hosts(struct report *r)
{
	struct cmd_args *a = &r->a;
	struct hist_merge *sum = hist_merge_new();
	cmd_hosts hosts = ARRAY_INIT;
	int err = sum ? cmd_hosts_open(a, false, &hosts) : HIST_NOMEM;

	use_question(r);
	array_each_while(const struct cmd_host, host, &hosts, !err)
		err = add_host(r, host, sum);
	err = err ?: cmd_open_output(a);
	err = err ?: hist_merge_print(sum, &a->run, cmd_output_write, &a->out, a->diags);
	a->uncertain = !err && r->strict && hist_merge_doubtful(sum);
	hist_merge_free(sum);
	cmd_hosts_release(&hosts);
	return err;
}

static int compare_live(struct report *r)
{
	int err;

	if (r->a.script.pieces.n)
		return diags_error(
			r->a.diags, -HIST_EINVAL,
			"--compare-live replays the stored script and takes no other script");
	err = cmd_open_output(&r->a);
	err = err ?: cmd_compare_live(r->a.h, cmd_output_write, &r->a.out, r->a.diags);
	r->a.uncertain = err >= 0 && r->strict && hist_doubtful(r->a.h);
	return err;
}

static int report_main(void *args)
{
	struct report *r = args;

	return r->compare_live ? compare_live(r) : r->a.hosts ? replay_hosts(r) : replay(r);
}

/* Pictures do not, nor do plugins. */
static bool prints_exemplars(const char *format)
{
	static const char *const pictures[] = { "svg", "heat", "plot" };

	for (size_t i = 0; i < ARRAY_SIZE(pictures); i++)
		if (!strcmp(format, pictures[i]))
			return false;
	return hist_has_format(NULL, format) || !strncmp(format, "parquet:", 8);
}

/* --- --follow --- */

static void stop(int signal UNUSED)
{
	stopped = 1;
}

/* The time distinguishes one table from the next. */
static int begin_answer(void *arg, bool last, u64 ns)
{
	struct report *r = arg;
	const char *format = r->a.run.format;
	char line[64];

	if (format && strcmp(format, "text") != 0 && strcmp(format, "hist") != 0)
		return 0;
	snprintf(line, sizeof(line), "%s--- after %.1f s%s\n\n", r->answers++ ? "\n" : "",
		 (double)ns / 1e9, last ? ", at the end" : "");
	return cmd_output_write(&r->a.out, line, strlen(line));
}

static int write_answer(void *arg, const void *data, size_t n)
{
	struct report *r = arg;

	return cmd_output_write(&r->a.out, data, n);
}

/* The beginning of the stream takes the place of the recording. */
static int follow_input(struct report *r)
{
	struct cmd_input *in = &r->a.input;
	const struct sigaction action = { .sa_handler = stop, .sa_flags = SA_RESETHAND };
	const char *path = in->paths.n == 1 ? in->paths.v[0] : "";
	const bool is_stdin = !strcmp(path, "-");
	struct cmd_descriptor d;
	int err;

	if (!*path || in->options.from || in->options.to || in->options.cpus || r->around ||
	    r->mark || r->compare_live || r->a.run.interval || r->a.run.save_events ||
	    r->a.run.tracefs)
		return diags_error(
			r->a.diags, -HIST_EINVAL,
			"--follow takes one -i, and no --from, --to, --cpu, --around, --mark, --compare-live, --interval, --save-events and --tracefs");
	r->stream = (struct follow_options){
		.fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC),
		.name = is_stdin ? "standard input" : path,
		.interval = r->refresh ? r->refresh : 1000000000,
		.stop = &stopped,
		.write = write_answer,
		.begin = begin_answer,
		.arg = r,
	};
	if (r->stream.fd < 0)
		return diags_error(r->a.diags, -HIST_ENOENT, "%s: cannot open: %s", path,
				   strerror(errno));
	sigaction(SIGINT, &action, NULL);
	in->options.jobs = 1;
	in->options.plan = HIST_PLAN_ORDER;
	err = is_stdin ? cmd_input_take_stdin(in, r->a.diags) : 0;
	err = err ?: follow_open(&r->stream, &r->following, &r->machine, r->a.diags);
	if (err)
		return err;
	d.path = arena_printf(&in->arena, "/proc/self/fd/%d", r->machine);
	d.name = r->stream.name;
	if (!d.path || array_push(&in->descriptors, d))
		return HIST_NOMEM;
	in->paths.v[0] = d.path;
	return 0;
}

static void report_release(void *args)
{
	struct report *r = args;

	if (!r->follow)
		return;
	follow_close(r->following);
	if (r->machine > 0)
		close(r->machine);
	if (r->stream.fd > 0)
		close(r->stream.fd);
}

/*
 * -e EVENT and nothing that is done with it: its events are counted by task, and slices of
 * --interval are rows of one table.
 */
static int count_alone(struct report *r)
{
	static const struct cmd_script_piece by = { .key = CMD_SCRIPT_BY,
						    .text = "comm",
						    .len = 4 };
	struct cmd_script *cs = &r->a.script;
	const char *event = NULL;

	array_each(const struct cmd_script_piece, piece, &cs->pieces) {
		if (piece->key != 'e' && piece->key != 'f')
			return 0;
		event = piece->key == 'e' ? piece->text : event;
	}
	if (!event || r->a.run.save_events || r->a.run.tracefs || r->compare_live)
		return 0;
	/* several -e have a table each, and a filter is that of the event before it */
	for (size_t i = 1; i <= cs->pieces.n; i++)
		if (i == cs->pieces.n || cmd_begins_group(&cs->pieces.v[i])) {
			if (array_push(&cs->pieces, by))
				return HIST_NOMEM;
			memmove(&cs->pieces.v[i + 1], &cs->pieces.v[i],
				(cs->pieces.n - 1 - i) * sizeof(by));
			cs->pieces.v[i++] = by;
		}
	r->over_time |= r->a.run.interval != NULL;
	r->alone = event;
	return 0;
}

static int report_prepare(void *args)
{
	struct report *r = args;
	const char *format = r->a.run.format;

	if (r->a.run.exemplars && format && !prints_exemplars(format))
		diags_add(
			r->a.diags, DIAG_NOTE,
			"--exemplars is for text, markdown, json, ndjson, csv, tsv, parquet and html; --format %s omits them",
			format);
	if (r->a.hosts && (r->follow || r->compare_live || r->around || r->mark || r->over_time ||
			   r->a.run.interval || r->a.run.save_events || r->a.run.tracefs))
		return diags_error(
			r->a.diags, -HIST_EINVAL,
			"--hosts answers a question; --around, --mark, --interval, --follow, --compare-live, --save-events and --tracefs are for one machine");
	if (r->refresh && !r->follow)
		return diags_error(r->a.diags, -HIST_EINVAL, "--refresh needs --follow");
	if (r->follow)
		return follow_input(r);
	if (r->mark)
		r->around = cmd_mark_time(&r->a.input, r->mark);
	return r->around ? cmd_around(&r->a.script, r->around, r->context, r->a.diags)
			 : count_alone(r);
}

const struct cmd cmd_report = {
	.name = "report",
	.summary = "answers a question about a recording, or replays triggers",
	.uses = CMD_RECORDING | CMD_RESULTS,
	.size = sizeof(struct report),
	.alone = "all",
	.line = {
		.options = options,
		.shared = CMD_SHARED(&cmd_input_options, &cmd_buffer_options, &cmd_kernel_options, &cmd_symbol_options,
				     &cmd_part_options, &cmd_select_options, &cmd_script_options,
				     &cmd_plugin_options, &cmd_output_options, &cmd_result_options,
				     &cmd_other_options),
		.args_doc = "[SCRIPT...]",
		.doc = "Answers a question about a recording: a recipe, -e with --by, or --sql. Or replays it under hist triggers, and prints what the kernel would have "
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
	},
	.prepare = report_prepare,
	.main = report_main,
	.release = report_release,
};
