// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist record: records events of this machine to a trace.dat.
 *
 * Parses trace-cmd's options and the command into a plan for record/, and returns the exit status.
 * record_script.c adds the effects of -R and -S to the plan.
 */
#include <signal.h>
#include <sys/wait.h>

#include "cmd/record_flight.h"
#include "cmd/record_take.h"

enum { RECORD_TROUBLE = 125, RECORD_CANNOT_RUN = 126, RECORD_NOT_FOUND = 127 };

/* The key of an option without a letter. */
enum { CMD_RECORD_DEPTH = 0x500 };

/* --- the command line --- */

error_t record_store_kb(const struct cmd_option *o, void *to, const char *arg,
			struct argp_state *state)
{
	static const char units[] = "KMG";
	struct span number = span_of(arg);
	const char *unit = number.n ? strchr(units, number.s[number.n - 1]) : NULL;
	unsigned int shift = unit ? 10 * (unsigned int)(unit - units) : 0;
	u64 kb;

	number.n -= unit != NULL;
	if (!span_u64(number, &kb) || !kb || kb > UINT64_MAX / 2048 >> shift)
		argp_error(state,
			   "-%c takes kilobytes, or a number with K, M or G, such as 10M, not '%s'",
			   o->key, arg);
	*(u64 *)to = kb << shift;
	return 0;
}

static error_t store_pids(const struct cmd_option *o, void *to, const char *arg,
			  struct argp_state *state)
{
	struct record_args *rec = to;
	struct span rest = span_of(arg);

	while (rest.s) {
		u64 pid;

		if (!span_u64(span_sep(&rest, ","), &pid) || !pid || pid > INT32_MAX)
			argp_error(state, "-%c takes process ids separated by commas, not '%s'",
				   o->key, arg);
		if (array_push(&rec->pids, (s32)pid))
			return ENOMEM;
	}
	return 0;
}

static const struct cmd_option options[] = {
	CMD_HEADING("What to record:", 1),
	{ "event", 'e', "EVENT", 0, "system:event, event, system, glob, or several with commas", 1,
	  CMD_PARSE },
	{ "filter", 'f', "FILTER", 0, "Record events of the preceding -e only if FILTER matches", 1,
	  CMD_PARSE },
	{ "trigger", 'R', "TRIGGER", 0, "Store TRIGGER for the event of the preceding -e", 1,
	  CMD_PARSE },
	{ "synth", CMD_SCRIPT_SYNTH, "DEFINITION", 0, "Store the definition of a synthetic event",
	  1, CMD_PARSE },
	{ "script", 'S', "SCRIPT", 0, "Store a script, or the recipe of that name", 1, CMD_PARSE },
	{ "define", 'D', "NAME=VALUE", 0, "Set a parameter of a recipe", 1,
	  CMD_CALL(struct cmd_args, script.defines, cmd_store_define) },
	{ "sql", CMD_SCRIPT_SQL, "QUERY", 0, "Store the triggers of an SQL statement", 1,
	  CMD_PARSE },
	{ "by", CMD_SCRIPT_BY, "KEYS", 0,
	  "Store a histogram of the preceding -e, or of the result of the preceding --sql, by these "
	  "keys",
	  1, CMD_PARSE },
	{ "sum", CMD_SCRIPT_SUM, "FIELDS", 0,
	  "Add up these fields in the histograms of --by after -e", 1, CMD_PARSE },
	{ "slice-begin", CMD_SCRIPT_BEGIN, "EVENT[ if FILTER]", 0,
	  "Store that the slices of derived:slice begin with this event", 1, CMD_PARSE },
	{ "slice-end", CMD_SCRIPT_END, "EVENT[ if FILTER]", 0,
	  "Store that the slices of the preceding --slice-begin end with this event", 1,
	  CMD_PARSE },
	{ "on", CMD_SCRIPT_ON, "max:FIELD|change:FIELD", 0,
	  "Let the preceding --sql act only on a new maximum or a change", 1, CMD_PARSE },
	{ "do", CMD_SCRIPT_DO, "ACTION[,ACTION]", 0,
	  "Action for --on: trace, snapshot or save:FIELD[+FIELD]", 1, CMD_PARSE },
	{ "explain", 0, NULL, 0,
	  "Show on stderr the triggers made from --sql, and who evaluates --until", 1,
	  CMD_TRUE(struct cmd_args, input.options.explain) },
	{ "except", 'v', NULL, 0, "Do not record the events of the -e options that follow", 1,
	  CMD_TRUE(struct record_args, exclude) },
	{ "tracer", 'p', "TRACER", 0, "Use this tracer, such as function or function_graph", 1,
	  CMD_TEXT(struct record_args, plan.tracer) },
	{ "function", 'l', "FUNCTION", 0, "With -p: only these functions; a glob", 1, CMD_PARSE },
	{ "notrace", 'n', "FUNCTION", 0, "With -p: not these functions; a glob", 1, CMD_PARSE },
	{ "graph-function", 'g', "FUNCTION", 0,
	  "With -p function_graph: only these functions and what they call", 1, CMD_PARSE },
	{ "max-graph-depth", CMD_RECORD_DEPTH, "N", 0, "With -p function_graph: depth of calls", 1,
	  CMD_PARSE },
	{ "option", 'O', "OPTION", 0,
	  "Set an option of the trace, such as funcgraph-retval; noOPTION clears it", 1,
	  CMD_PARSE },
	{ NULL, 'M', "MASK", OPTION_HIDDEN, NULL, 1, CMD_PARSE }, /* of trace-cmd */
	{ NULL, 'r', "PRIORITY", OPTION_HIDDEN, NULL, 1, CMD_PARSE },
	{ NULL, 's', "USEC", OPTION_HIDDEN, NULL, 1, CMD_PARSE },
	{ "all", 'a', NULL, 0, "As in trace-cmd and perf: all CPUs, as without it", 1, CMD_PARSE },
	{ "stacks", 'T', NULL, 0, "Record a kernel stack with every event", 1,
	  CMD_TRUE(struct record_args, plan.stacks) },
	{ "pid", 'P', "PID", 0, "Record only these processes, such as 12,34", 1,
	  CMD_CALL(struct record_args, a, store_pids) },
	{ "only-command", 'F', NULL, 0, "Only COMMAND", 1,
	  CMD_TRUE(struct record_args, plan.only_command) },
	{ "children", 'c', NULL, 0, "With -F or -P, also record child processes", 1,
	  CMD_TRUE(struct record_args, plan.children) },
	CMD_HEADING("How:", 2),
	{ "output", 'o', "FILE", 0,
	  "Write to FILE (default: trace.dat); an existing one becomes FILE.old; - is a stream to standard output",
	  2, CMD_TEXT(struct record_args, plan.output) },
	{ "buffer-size", 'b', "KB", 0, "Size of each CPU's kernel buffer, or as in 10M", 2,
	  CMD_CALL(struct record_args, plan.buffer_kb, record_store_kb) },
	{ "max-size", 'm', "KB", 0, "Keep only the latest KB of each CPU", 2,
	  CMD_CALL(struct record_args, plan.max_kb, record_store_kb) },
	{ "clock", 'C', "CLOCK", 0, "Use this trace clock, such as mono", 2,
	  CMD_TEXT(struct record_args, plan.clock) },
	{ "buffer", 'B', "NAME", 0, "Record in this instance instead of a private one", 2,
	  CMD_TEXT(struct record_args, plan.instance) },
	{ "compression", 'z', "CODEC", 0, "Compression: none, zlib or zstd (the default)", 2,
	  CMD_WORD_FROM(struct record_args, codec, "none|zlib|zstd", 1) }, /* ORDER codec */
	{ "user", 0, "NAME", 0, "Run COMMAND as this user", 2,
	  CMD_TEXT(struct record_args, plan.user) },
	{ "duration", 0, "TIME", 0, "Stop after this time, such as 2 (seconds), 100ms", 2,
	  CMD_CALL(struct record_args, plan.duration_ns, record_store_time) },
	{ "no-tasks", 0, NULL, 0, "Do not record which tasks were started, renamed and ended", 2,
	  CMD_TRUE(struct record_args, plan.no_tasks) },
	{ "no-cmdline", 0, NULL, 0, "Do not store the arguments of programs, which can be secrets",
	  2, CMD_TRUE(struct record_args, plan.no_cmdline) },
	{ "no-overwrite", 0, NULL, 0, "Let a full buffer drop new events instead of old ones", 2,
	  CMD_TRUE(struct record_args, plan.no_overwrite) },
	{ "recover", 0, NULL, 0,
	  "Make a trace.dat from the data that a killed recording of FILE left", 2,
	  CMD_TRUE(struct record_args, recover) },
	{ "dump", 0, "DIR", 0,
	  "Do not record: copy the tracing directory (with -B: of an instance) and its events to DIR",
	  2, CMD_TEXT(struct record_args, dump) },
	{ "take", 0, "INSTANCE|top", 0,
	  "Do not record: write what this instance of tracefs, or the top level, holds", 2,
	  CMD_TEXT(struct record_args, take) },
	{ "live", 0, NULL, 0,
	  "Also let the kernel run the triggers; hist report --compare-live compares the results",
	  2, CMD_TRUE(struct record_args, plan.live) },
	{ "progress", 0, NULL, 0, "Show progress even while COMMAND runs", 2,
	  CMD_TRUE(struct record_args, progress) },
	{ 0 },
};

static int add_event(struct record_args *rec, const char *pattern)
{
	struct record_event ev = { .pattern = pattern, .exclude = rec->exclude };
	bool needed;

	rec->derived = hist_derived_input(pattern, 0, &needed);
	for (size_t i = 0; (ev.pattern = hist_derived_input(pattern, i, &needed)); i++) {
		ev.optional = !needed;
		if (array_push(&rec->script.events, ev))
			return ENOMEM;
	}
	ev.pattern = pattern;
	if (rec->derived)
		return 0;
	return array_push(&rec->script.events, ev) ? ENOMEM : 0;
}

/* If one -e has several -f, all of them must match. */
static int add_filter(struct record_args *rec, const char *filter, struct argp_state *state)
{
	struct record_event *ev =
		rec->script.events.n ? &rec->script.events.v[rec->script.events.n - 1] : NULL;

	if (rec->derived)
		argp_error(state,
			   "-f is not for a derived event, which is made when it is reported");
	else if (!ev || ev->exclude)
		argp_error(
			state,
			"-f needs an -e EVENT before it, which it filters; the answer of a recipe is "
			"filtered later: hist report RECIPE -f FILTER");
	else if (ev->filter)
		ev->filter = arena_printf(&rec->a.input.arena, "(%s)&&(%s)", ev->filter, filter);
	else
		ev->filter = filter;
	return ev && ev->filter ? 0 : ENOMEM;
}

/*
 * -l, -g, -n and --max-graph-depth are texts for a file of the instance. kernel: it looks at a word
 * when white space follows, or at the end, when it can no longer refuse it.
 */
static error_t add_setting(struct record_args *rec, int key, const char *arg,
			   struct argp_state *state)
{
	const bool off = !strncmp(arg, "no", 2) && strcmp(arg, "nohash-ptr") != 0;
	struct record_write w = { .path = key == 'l'   ? "set_ftrace_filter"
					  : key == 'n' ? "set_ftrace_notrace"
					  : key == 'g' ? "set_graph_function"
						       : "max_graph_depth" };

	if (key == 'O' && (!*arg || strchr(arg, '/')))
		argp_error(state,
			   "-O takes the name of a file of options/, or no before it, not '%s'",
			   arg);
	if (key == 'O')
		w.path = arena_printf(&rec->a.input.arena, "options/%s", off ? arg + 2 : arg);
	w.text = key == 'O' ? (off ? "0" : "1") : arena_printf(&rec->a.input.arena, "%s\n", arg);
	return w.path && w.text && !array_push(&rec->settings, w) ? 0 : ENOMEM;
}

/* Check for conflicting options. */
static void check_usage(const struct record_args *rec, struct argp_state *state)
{
	const struct record_plan *plan = &rec->plan;
	const bool filters =
		any_of(i, rec->script.events.n, rec->script.events.v[i].filter != NULL);

	if (rec->recover && (rec->script.events.n || plan->command))
		argp_error(state, "--recover does not record: it takes no -e and no COMMAND");
	else if (rec->dump && (rec->recover || rec->script.events.n || plan->command))
		argp_error(state, "--dump does not record: it takes no -e and no COMMAND");
	else if (rec->take && (rec->recover || rec->dump || rec->script.events.n || plan->command ||
			       plan->instance || record_script_given(&rec->a.script)))
		argp_error(
			state,
			"--take writes what was recorded: it takes no -e, -S, -B and no COMMAND");
	else if (plan->only_command && !plan->command)
		argp_error(state, "-F needs a COMMAND");
	else if (plan->user && !plan->command)
		argp_error(state, "--user needs a COMMAND");
	else if (plan->children && !plan->only_command && !rec->pids.n)
		argp_error(state, "-c needs -F or -P");
	else if (plan->live && !record_script_given(&rec->a.script))
		argp_error(state, "--live needs a hist trigger: -R or -S");
	else if (plan->live && (filters || plan->max_kb))
		argp_error(
			state,
			"--live must record every event that the kernel counts: it takes no -f and no -m");
	else if (rec->settings.n && !plan->tracer &&
		 strncmp(rec->settings.v[0].path, "options/", 8) != 0)
		argp_error(
			state,
			"-l, -n, -g and --max-graph-depth need a tracer: -p function or -p function_graph");
	else if (!rec->recover && !rec->dump && !rec->take && !rec->script.events.n &&
		 !rec->flight.conditions.n && !plan->tracer &&
		 !record_script_given(&rec->a.script)) {
		char *recipe = plan->command ? cmd_find_recipe(plan->command[0]) : NULL;

		argp_error(
			state,
			"nothing to record: name events with -e EVENT (hist list --live lists them)%s%s",
			recipe ? ", or the question: -S " : "", recipe ?: "");
	}
}

static error_t record_parse(int key, const char *arg, struct argp_state *state)
{
	struct record_args *rec = state->input;

	switch (key) {
	case 'e': {
		scoped(free_scoped) char *recipe = strchr(arg, '-') ? cmd_find_recipe(arg) : NULL;

		if (recipe)
			argp_error(state, "%s is a question, not an event: -S %s", arg, recipe);
		if (add_event(rec, arg))
			return ENOMEM;
		rec->a.script.event = false;
		return rec->exclude ? 0 : cmd_script_parse(key, arg, state);
	}
	case 'f':
		return add_filter(rec, arg, state) ?: cmd_script_parse(key, arg, state);
	case 'a':
		return 0;
	case 'M':
		argp_error(state,
			   "all CPUs are recorded; hist report --cpu LIST counts those of some");
		return EINVAL;
	case 'r':
	case 's':
		argp_error(state,
			   "-%c is not needed: a real-time thread for each CPU waits until a part "
			   "of its buffer is full",
			   key);
		return EINVAL;
	case 'l':
	case 'n':
	case 'g':
	case 'O':
	case CMD_RECORD_DEPTH:
		return add_setting(rec, key, arg, state);
	case 'S':
		return cmd_script_add_file(&rec->a.script, arg);
	case ARGP_KEY_ARG:
		/* the command; all following arguments belong to it */
		rec->plan.command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	case ARGP_KEY_END:
		rec->a.script.live = rec->plan.live;
		rec->a.script.stored = true;
		check_usage(rec, state);
		return 0;
	default:
		return cmd_script_parse(key, arg, state);
	}
}

/* --- progress --- */

static const char *size_text(char *text, size_t n, double bytes)
{
	static const char units[] = "BKMGT";
	size_t unit = 0;

	for (; bytes >= 1000 && units[unit + 1]; unit++)
		bytes /= 1024;
	snprintf(text, n, unit ? "%.1f %ciB" : "%.0f %c", bytes, units[unit]);
	return text;
}

/* "3 h"; NULL if it is never, or not soon. */
static const char *left_text(char *text, size_t n, double s)
{
	if (s < 0 || s > 1000 * 86400.0)
		return NULL;
	if (s < 120)
		snprintf(text, n, "%.0f s", s);
	else if (s < 120 * 60)
		snprintf(text, n, "%.0f min", s / 60);
	else if (s < 48 * 3600)
		snprintf(text, n, "%.0f h", s / 3600);
	else
		snprintf(text, n, "%.0f days", s / 86400);
	return text;
}

static void show_progress(void *arg, const struct record_progress *p)
{
	struct record_args *rec = arg;
	char size[16], done[16], left[16];

	rec->flight.drawn = true;
	if (p->phase == RECORD_RUNNING) {
		fprintf(stderr, "\r%llu events (%.0f/s), %s (%.1f MiB/s), %llu lost, %.0f s",
			p->events, p->event_rate, size_text(size, sizeof(size), (double)p->bytes),
			p->byte_rate / (1 << 20), p->lost, p->seconds);
		if (left_text(left, sizeof(left), p->disk_s))
			fprintf(stderr, "; disk %s in %s",
				rec->plan.min_free ? "at --min-free" : "full", left);
		if (left_text(left, sizeof(left), p->limit_s))
			fprintf(stderr, "; %s in %s",
				rec->plan.rotate ? "next file" : "at --max-size", left);
		fputs("\033[K", stderr);
	} else
		fprintf(stderr, "\rwriting: %s of %s\033[K",
			size_text(done, sizeof(done), (double)p->bytes_done),
			size_text(size, sizeof(size), (double)p->bytes));
}

static void report_result(const struct record_args *rec, const struct record_result *result)
{
	char data[16], file[16], missing[16];
	scoped(strbuf_release) struct strbuf kept = STRBUF_INIT;

	if (rec->plan.max_kb)
		strbuf_addf(&kept, " (the latest %llu KB of each CPU were kept)", rec->plan.max_kb);
	if (result->vanished)
		strbuf_addf(&kept, ", %s of events missing",
			    size_text(missing, sizeof(missing), (double)result->vanished));
	if (rec->plan.rotate)
		diags_add(
			rec->a.cx->diags, DIAG_NOTE,
			"%zu file%s: %llu event%s of %zu CPU%s in %.2f s, %llu lost; %s, %s in the files",
			result->files, plural(result->files), (unsigned long long)result->events,
			plural(result->events), result->n_cpus, plural(result->n_cpus),
			result->seconds, (unsigned long long)result->lost,
			size_text(data, sizeof(data), (double)result->bytes),
			size_text(file, sizeof(file), (double)result->file_size));
	else if (rec->plan.keep)
		diags_add(rec->a.cx->diags, DIAG_NOTE,
			  "%llu event%s of %zu CPU%s in %.2f s, %llu lost", result->events,
			  plural(result->events), result->n_cpus, plural(result->n_cpus),
			  result->seconds, result->lost);
	else
		diags_add(
			rec->a.cx->diags, DIAG_NOTE,
			"%s: %llu event%s of %zu CPU%s in %.2f s, %llu lost%s; %s, %s in the file",
			rec->plan.stream ? "standard output"
			: result->output ? result->output
					 : rec->plan.output,
			(unsigned long long)result->events, plural(result->events), result->n_cpus,
			plural(result->n_cpus), result->seconds, (unsigned long long)result->lost,
			kept.s, size_text(data, sizeof(data), (double)result->bytes),
			size_text(file, sizeof(file), (double)result->file_size));
}

/* --- running --- */

/* What the tracer records cannot be enabled. osnoise is a system of other events, too. */
static bool is_of_tracer(const char *pattern, const char *tracer)
{
	const bool full = !strncmp(pattern, "ftrace:", 7);
	const char *name = full ? pattern + 7 : pattern;

	if (!strcmp(name, tracer))
		return full || strcmp(name, "osnoise") != 0;
	return full ? !strncmp(name, "func", 4) : !strcmp(name, "function");
}

static int run_plan(struct record_args *rec)
{
	bool terminal = isatty(STDERR_FILENO) && !rec->a.cx->quiet;
	struct record_result result;
	int err;
	size_t n = 0;

	if (record_flight_add_events(rec))
		return HIST_NOMEM;
	for (size_t i = 0; i < rec->script.events.n; i++) {
		const struct record_event ev = rec->script.events.v[i];

		if (!rec->plan.tracer || !is_of_tracer(ev.pattern, rec->plan.tracer))
			rec->script.events.v[n++] = ev;
	}
	rec->script.events.n = n;
	rec->plan.events = rec->script.events.v;
	rec->plan.n_events = rec->script.events.n;
	rec->plan.pids = rec->pids.v;
	rec->plan.n_pids = rec->pids.n;
	rec->plan.settings = rec->settings.v;
	rec->plan.n_settings = rec->settings.n;
	rec->plan.symbols |= rec->plan.tracer != NULL;
	err = record_script_plan(&rec->script, rec->a.cx->diags);
	err = err ?: record_flight_plan(rec);
	err = err ?: record_stream_plan(rec);
	if (err)
		return err;
	/* the command may use the terminal itself */
	if (rec->progress || (terminal && !rec->plan.command)) {
		rec->plan.progress = show_progress;
		rec->plan.arg = rec;
	}
	if (terminal && !rec->plan.command && !rec->plan.duration_ns)
		fputs("recording; Ctrl-C stops it\n", stderr);
	err = record_run(&rec->plan, &result, rec->a.cx->diags);
	if (rec->flight.drawn)
		fputs("\r\033[K", stderr);
	if (!err)
		report_result(rec, &result);
	err = record_flight_end(rec, err);
	if (result.command_errno)
		return result.command_errno == ENOENT ? RECORD_NOT_FOUND : RECORD_CANNOT_RUN;
	if (err > 0)
		return 128 + result.signal;
	if (err || !result.complete)
		return RECORD_TROUBLE;
	if (!rec->plan.command)
		return 0;
	if (!result.command_ended)
		return 128 + result.signal;
	return WIFSIGNALED(result.wait_status) ? 128 + WTERMSIG(result.wait_status)
					       : WEXITSTATUS(result.wait_status);
}

static int record_main(void *args)
{
	struct record_args *rec = args;
	struct record_plan *plan = &rec->plan;
	int err;

	if (!plan->output)
		plan->output = rec->flight.rotate.bytes || rec->flight.rotate.ns ? "trace-%n.dat"
										 : "trace.dat";
	plan->version = "hist " HIST_VERSION;
	plan->codec = rec->codec ? (enum codec)(rec->codec - 1) : CODEC_ZSTD;
	rec->script.plan = plan;
	rec->script.a = &rec->a;
	rec->script.arena = &rec->a.input.arena;
	if (!rec->recover && !rec->dump)
		cmd_make_directories(plan->output);
	if (rec->recover)
		err = record_recover(plan->output, rec->codec ? &plan->codec : NULL, rec->a.diags);
	else if (rec->dump)
		err = record_dump_to(rec->dump, plan->instance, rec->a.diags);
	else if (rec->take)
		err = record_take(rec->take, plan, rec->a.diags);
	else
		err = run_plan(rec);
	if (err < 0 && !diags_has_error(rec->a.diags, 0))
		diags_error(rec->a.diags, err, "%s: %s", plan->output, hist_strerror(err));
	return err < 0 ? RECORD_TROUBLE : err;
}

static void record_release(void *args)
{
	struct record_args *rec = args;

	record_flight_end(rec, 1);
	array_release(&rec->pids);
	array_release(&rec->settings);
	record_script_release(&rec->script);
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "records events of this machine into a trace.dat",
	.trouble = RECORD_TROUBLE,
	.size = sizeof(struct record_args),
	.line = {
		.options = options,
		.parse = record_parse,
		.shared = CMD_SHARED(&cmd_flight_options),
		.command = true,
		.args_doc = "[COMMAND [ARG...]]",
		.doc = "Records events of this machine into a trace.dat until COMMAND ends or Ctrl-C "
		       "is pressed.\vExit status: COMMAND's own, 128+N if signal N killed it; 0 if "
		       "Ctrl-C or --duration ends a recording without COMMAND; 125 if the recording "
		       "failed, 126 if COMMAND cannot be run, 127 if it is not found.",
	},
	.main = record_main,
	.release = record_release,
};
