// SPDX-License-Identifier: GPL-2.0-only
/* hist record --keep TIME|SIZE --until EVENT, and --rotate: options, and their plan. */
#include "cmd/record_flight.h"

/* Keys of options without a letter. */
enum { FLIGHT_UNTIL = 0x580 };

enum { COMMAND_S = 60 };

error_t record_store_time(const struct cmd_option *o, void *to, const char *arg,
			  struct argp_state *state)
{
	u64 ns;

	if (!span_time(span_of(arg), &ns) || !ns || ns > 1000000000ull * 1000000000)
		argp_error(state, "--%s takes a time, such as 2 (seconds) or 100ms, not '%s'",
			   o->name, arg);
	*(u64 *)to = ns;
	return 0;
}

/* "500M": bytes; false if it has no unit of a size. */
static bool parse_size(const char *arg, u64 *bytes)
{
	return *arg && !is_digit(arg[strlen(arg) - 1]) && cmd_parse_size(arg, "KMGT", bytes);
}

static error_t store_keep(const struct cmd_option *o UNUSED, void *to, const char *arg,
			  struct argp_state *state)
{
	struct record_flight *f = to;

	f->options.keep_ns = f->max_bytes = 0;
	if (parse_size(arg, &f->max_bytes))
		return 0;
	if (!span_time(span_of(arg), &f->options.keep_ns) || !f->options.keep_ns ||
	    f->options.keep_ns > 1000000000ull * 1000000000)
		argp_error(state,
			   "--keep takes a time, such as 30s, or a size, such as 500M, not '%s'",
			   arg);
	return 0;
}

static error_t store_rotate(const struct cmd_option *o UNUSED, void *to, const char *arg,
			    struct argp_state *state)
{
	struct record_rotate *r = to;

	if (parse_size(arg, &r->bytes) && r->bytes)
		return 0;
	if (!span_time(span_of(arg), &r->ns) || !r->ns || r->ns > 1000000000ull * 1000000000)
		argp_error(state,
			   "--rotate takes a size, such as 1G, or a time, such as 10min, not '%s'",
			   arg);
	return 0;
}

static error_t store_memory(const struct cmd_option *o UNUSED, void *to, const char *arg,
			    struct argp_state *state)
{
	if (!parse_size(arg, to))
		argp_error(state, "--memory takes a size, such as 500M, not '%s'", arg);
	return 0;
}

static error_t store_percent(const struct cmd_option *o, void *to, const char *arg,
			     struct argp_state *state)
{
	char *end;
	double *percent = to;

	*percent = strtod(arg, &end);
	if (!(*percent > 0 && *percent < 1e6) || (*end && strcmp(end, "%") != 0))
		argp_error(state, "--%s takes a share of a CPU, such as 5%%, not '%s'", o->name,
			   arg);
	return 0;
}

static error_t store_min_free(const struct cmd_option *o, void *to, const char *arg,
			      struct argp_state *state)
{
	if (!parse_size(arg, to) || !*(u64 *)to)
		argp_error(state, "--%s takes a size, such as 1G, not '%s'", o->name, arg);
	return 0;
}

static error_t store_times(const struct cmd_option *o UNUSED, void *to, const char *arg,
			   struct argp_state *state)
{
	struct record_flight *f = to;

	if (!span_u64(span_of(arg), &f->options.times))
		argp_error(state, "--times takes a number of files, or 0 for no limit, not '%s'",
			   arg);
	f->times_given = true;
	return 0;
}

static error_t flight_parse(int key, const char *arg, struct argp_state *state)
{
	struct record_args *rec = state->input;

	if (key == FLIGHT_UNTIL) {
		const char *cut = strstr(arg, " if ");
		struct span event = span_trim(cut ? span_between(arg, cut) : span_of(arg));
		struct live_condition c = {
			.event = arena_strndup(&rec->a.input.arena, event.s, event.n),
			.filter = cut ? cut + 4 : NULL,
		};

		/* EVENT, or EVENT if FILTER */
		return c.event && !array_push(&rec->flight.conditions, c) ? 0 : ENOMEM;
	}
	if (key == ARGP_KEY_END)
		record_flight_check(rec, state);
	return key == ARGP_KEY_END ? 0 : ARGP_ERR_UNKNOWN;
}

static const struct cmd_option options[] = {
	CMD_HEADING("Waiting for an event, and long recordings:", 3),
	{ "keep", 0, "TIME|SIZE", 0,
	  "Keep only the last part, such as 30s, or 500M of all CPUs; write it when --until matches",
	  3, CMD_CALL(struct record_args, flight, store_keep) },
	{ "until", FLIGHT_UNTIL, "EVENT[ if FILTER]", 0,
	  "A recorded, synthetic or derived event; with several of them any", 3, CMD_PARSE },
	{ "arm", 0, "TIME", 0, "Ignore events in this time after the start", 3,
	  CMD_CALL(struct record_args, flight.options.arm_ns, record_store_time) },
	{ "after", 0, "TIME", 0, "Record this time after the event, too", 3,
	  CMD_CALL(struct record_args, flight.options.after_ns, record_store_time) },
	{ "times", 0, "N", 0,
	  "Write N files (default: 1; 0: until Ctrl-C), with -o slow-%n.dat; with --rotate, keep the N newest",
	  3, CMD_CALL(struct record_args, flight, store_times) },
	{ "cooldown", 0, "TIME", 0, "Ignore events in this time after the last one", 3,
	  CMD_CALL(struct record_args, flight.options.cooldown_ns, record_store_time) },
	{ "exec", 0, "COMMAND", 0,
	  "Run COMMAND for each file, with HIST_FILE, HIST_EVENT and HIST_TIME in its environment",
	  3, CMD_TEXT(struct record_args, flight.options.command) },
	{ "exec-limit", 0, "TIME", 0, "Kill a COMMAND of --exec after this time (default: 60)", 3,
	  CMD_CALL(struct record_args, flight.options.command_ns, record_store_time) },
	{ "memory", 0, "SIZE", 0, "Keep it in memory, not on the disk: at most SIZE", 3,
	  CMD_CALL(struct record_args, flight.memory, store_memory) },
	{ "plan", 0, "kernel|engine", 0,
	  "Who evaluates --until: the kernel, hist (default: the kernel if it can)", 3,
	  CMD_WORD_FROM(struct record_args, flight.way, "kernel|engine", 1) },
	{ "write-last", 0, NULL, 0, "When the recording ends, write what is kept", 3,
	  CMD_TRUE(struct record_args, flight.options.write_last) },
	{ "rotate", 0, "SIZE|TIME", 0,
	  "Write one file after the other, a new one after 1G of events, or 10min, with -o trace-%n.dat",
	  3, CMD_CALL(struct record_args, flight.rotate, store_rotate) },
	{ "max-cpu", 0, "PERCENT", 0,
	  "End the recording when hist takes more of a CPU, such as 5%, over some seconds", 3,
	  CMD_CALL(struct record_args, plan.max_cpu, store_percent) },
	{ "min-free", 0, "SIZE", 0,
	  "End the recording when the disk has less free space, such as 1G", 3,
	  CMD_CALL(struct record_args, plan.min_free, store_min_free) },
	{ 0 },
};

const struct cmd_options cmd_flight_options = { .options = options, .parse = flight_parse };

static bool is_flight(const struct record_args *rec)
{
	return rec->flight.options.keep_ns || rec->flight.max_bytes;
}

static bool is_rotated(const struct record_args *rec)
{
	return rec->flight.rotate.bytes || rec->flight.rotate.ns;
}

void record_flight_check(const struct record_args *rec, struct argp_state *state)
{
	const struct record_flight *f = &rec->flight;
	const struct live_options *o = &f->options;
	const char *name = rec->plan.output ? rec->plan.output : "trace.dat";
	const char *slash = strrchr(name, '/'), *number = strstr(name, "%n");
	const bool rotates = is_rotated(rec);

	if (!strcmp(name, "-") && (is_flight(rec) || rotates || rec->plan.max_kb ||
				   rec->plan.live || rec->recover || rec->dump || rec->take))
		argp_error(
			state,
			"-o - takes no --keep, --rotate, -m, --live, --recover, --dump and --take");
	if (!is_flight(rec)) {
		if (f->conditions.n || f->memory || o->arm_ns || o->after_ns || o->cooldown_ns ||
		    o->command || o->write_last || f->way || (f->times_given && !rotates))
			argp_error(
				state,
				"--until, --arm, --after, --times, --cooldown, --exec, --memory, --plan and --write-last need --keep TIME or --keep SIZE");
		if (!rotates)
			return;
	}
	if (rec->take && (rotates || is_flight(rec)))
		argp_error(state,
			   "--take writes what was recorded: it takes no --keep and --rotate");
	if (rotates) {
		if (is_flight(rec) || rec->plan.max_kb || rec->plan.live || rec->recover ||
		    rec->dump)
			argp_error(state,
				   "--rotate takes no --keep, -m, --live, --recover and --dump");
		else if (rec->plan.output && !number)
			argp_error(state,
				   "--rotate needs -o with %%n for the number of the file, such as "
				   "-o trace-%%n.dat");
		else if (number && slash && number < slash)
			argp_error(state,
				   "-o: %%n must be in the name of the file, not of its directory");
		return;
	}
	if (!f->conditions.n)
		argp_error(state, "--keep needs --until 'EVENT if FILTER': when to write a file");
	else if (rec->plan.max_kb || rec->plan.live || rec->recover || rec->dump)
		argp_error(state, "--keep takes no -m, --live, --recover and --dump");
	else if (f->times_given && o->times != 1 && !number)
		argp_error(state, "--times needs -o with %%n for the number of the file, such as "
				  "-o slow-%%n.dat");
	else if (number && slash && number < slash)
		argp_error(state, "-o: %%n must be in the name of the file, not of its directory");
}

/* --- the plan --- */

static bool is_requested(const struct record_args *rec, const char *event)
{
	return any_of(i, rec->script.events.n,
		      !rec->script.events.v[i].exclude &&
			      !strcmp(rec->script.events.v[i].pattern, event));
}

int record_flight_add_events(struct record_args *rec)
{
	const char *event;
	bool needed;
	int err = 0;

	for (size_t i = 0; i < rec->flight.conditions.n && !err; i++) {
		struct record_event ev = { .pattern = rec->flight.conditions.v[i].event };

		if (!hist_derived_input(ev.pattern, 0, &needed) && !is_requested(rec, ev.pattern))
			err = array_push(&rec->script.events, ev);
		for (size_t k = 0; !err && (event = hist_derived_input(ev.pattern, k, &needed));
		     k++)
			err = array_push(
				&rec->script.events,
				((struct record_event){ .pattern = event, .optional = !needed }));
	}
	return err;
}

/* After the script was resolved: what it defines can be waited for. */
static int resolve(void *arg, const char *machine, struct diags *diags)
{
	struct record_args *rec = arg;
	const struct record_plan *plan = &rec->plan;
	int err = record_script_resolve(&rec->script, machine, diags);

	if (!err && plan->clock && trace_clock_counts(plan->clock))
		return diags_error(diags, -HIST_EINVAL,
				   "--keep needs a clock of nanoseconds, such as mono, not -C %s",
				   plan->clock);
	err = err ?: live_prepare(rec->flight.live, machine, plan->script, diags);
	if (!err)
		rec->flight.keep.until = live_until(rec->flight.live);
	return err;
}

static void report_line(void *arg, const char *line)
{
	const struct record_args *rec = arg;

	if (!rec->a.cx->quiet)
		fprintf(stderr, "%s%s\n", rec->flight.drawn ? "\r\033[K" : "", line);
}

/*
 * -o -: only the stream is written to standard output; what the command prints there goes to
 * standard error
 */
int record_stream_plan(struct record_args *rec)
{
	struct record_plan *plan = &rec->plan;
	const char *dir = getenv("TMPDIR");

	if (!plan->output || strcmp(plan->output, "-") != 0)
		return 0;
	if (isatty(STDOUT_FILENO))
		return diags_error(
			rec->a.cx->diags, -HIST_EINVAL,
			"-o - writes a stream to standard output, which is a terminal: redirect it to a file or a pipe");
	plan->stream_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (plan->stream_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return diags_error(rec->a.cx->diags, -HIST_EIO, "cannot use standard output: %s",
				   strerror(errno));
	plan->stream = true;
	plan->output =
		arena_printf(&rec->a.input.arena, "%s/hist-stream", dir && *dir ? dir : "/tmp");
	return plan->output ? 0 : HIST_NOMEM;
}

int record_flight_plan(struct record_args *rec)
{
	struct record_flight *f = &rec->flight;
	struct live_options *o = &f->options;
	int err;

	if (is_rotated(rec)) {
		f->rotate.times = o->times;
		f->rotate.report = report_line;
		f->rotate.arg = rec;
		rec->plan.rotate = &f->rotate;
	}
	if (!is_flight(rec))
		return 0;
	/* hist report leaves them out, from the list of tasks that the finished file has */
	for (size_t i = 0; i < f->conditions.n; i++)
		if (!strncmp(f->conditions.v[i].event, "derived:", 8) &&
		    (rec->plan.only_command || rec->plan.n_pids)) {
			diags_add(rec->a.cx->diags, DIAG_WARNING,
				  "--until %s: only events of some tasks are recorded (-F, -P), so "
				  "derived events of other tasks can be wrong; name the task: && "
				  "comm == NAME",
				  f->conditions.v[i].event);
			break;
		}
	o->conditions = f->conditions.v;
	o->n_conditions = f->conditions.n;
	o->output = rec->plan.output;
	o->times = f->times_given ? o->times : 1;
	o->command_ns = o->command_ns ? o->command_ns : COMMAND_S * 1000000000ull;
	o->report = report_line;
	o->arg = rec;
	err = live_new(o, &f->live, rec->a.cx->diags);
	if (err)
		return err;
	f->keep = live_keep(f->live);
	f->keep.memory = f->memory;
	f->keep.max_bytes = f->max_bytes && f->memory ? min_t(u64, f->max_bytes, f->memory)
						      : f->max_bytes + f->memory;
	rec->plan.keep = &f->keep;
	o->explain = rec->a.input.options.explain;
	o->memory = f->memory;
	o->way = (enum live_way)f->way;
	rec->plan.resolve = resolve;
	rec->plan.resolve_arg = rec;
	return 0;
}

int record_flight_end(struct record_args *rec, int err)
{
	if (!err && rec->flight.live)
		err = live_summarize(rec->flight.live, rec->a.cx->diags);
	live_close(rec->flight.live);
	rec->flight.live = NULL;
	array_release(&rec->flight.conditions);
	return err;
}
