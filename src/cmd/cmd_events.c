// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist events: prints the events themselves.
 *
 * An -e without -R chooses events, with the filter of its -f; all else is a script, which is run
 * first and may make events.
 */
#include "cmd/events_hosts.h"

struct events_args {
	struct cmd_args a;
	struct hist_events_print print;
	const char *around, *mark, *context;
	ARRAY(struct hist_event_choice) choices;
	text_array labels;
	bool parquet;
};

/* "NAME=VALUE" of --label. */
static error_t store_label(const struct cmd_option *o, void *to, const char *arg,
			   struct argp_state *state)
{
	text_array *labels = to;

	if (!strchr(arg, '=') || *arg == '=')
		argp_error(state, "--%s takes NAME=VALUE, not '%s'", o->name, arg);
	return array_push(labels, arg) ? ENOMEM : 0;
}

static const struct cmd_option options[] = {
	CMD_HEADING("The recording, and how it is read:", 1),
	CMD_HEADING("Which events:", 2),
	CMD_HEADING("What is printed of them:", 3),
	CMD_HEADING("The output:", 5),
	{ "fields", 0, "LIST", 0,
	  "Print these columns, as csv unless --format names another one: time, ts, cpu, pid, comm, event, tgid, process, cmdline, cgroup, text, fields (all), names of fields, and names of code: ip.sym, ip.dso, ip.srcline, ustack, stack",
	  3, CMD_TEXT(struct events_args, print.fields) },
	{ "top", 'n', "N", 0, "Print only the first N events", 3,
	  CMD_NUMBER(struct events_args, print.max, 1) },
	{ "around", 0, "T[,CPU]", 0, "Print the events around this moment", 3,
	  CMD_TEXT(struct events_args, around) },
	{ "mark", CMD_MARK, "N", OPTION_ARG_OPTIONAL,
	  "Print the events around the Nth one for which hist record --until wrote the file", 3,
	  CMD_CALL(struct events_args, mark, cmd_store_mark) },
	{ "context", 0, "TIME", 0, "Time to print before and after it; default 1ms", 3,
	  CMD_TEXT(struct events_args, context) },
	{ "hosts", 0, NULL, 0,
	  "Each -i is of a machine of its own: print the events of all in the order of the time of day, with date and host",
	  1, CMD_TRUE(struct cmd_args, hosts) },
	{ "format", 0, "FORMAT", 0,
	  "text (that of trace-cmd report, the default), perfetto (a trace for ui.perfetto.dev), timeline (a page: who ran, who waited), " CMD_ROW_FORMATS
	  ": a file for each event in the directory of -o, or one event in the file NAME.parquet of -o",
	  5, CMD_TEXT(struct events_args, print.format) },
	{ "label", 0, "NAME=VALUE", 0, "parquet: a column that has this value in each row", 5,
	  CMD_CALL(struct events_args, labels, store_label) },
	{ "json-u64", 0, "number|string", 0,
	  "How json writes the numbers of fields: as they are, or quoted for readers that round above 2^53",
	  5, CMD_WORD(struct events_args, print.json_u64_as_string, "number|string") },
	{ "csv-safe", 0, NULL, 0,
	  "csv and tsv for a spreadsheet: put ' before texts that it would run as formulas", 5,
	  CMD_TRUE(struct cmd_args, to.csv_safe) },
	{ 0 },
};

static error_t events_parse(int key, const char *arg UNUSED, struct argp_state *state)
{
	struct events_args *e = state->input;

	if (key != ARGP_KEY_SUCCESS)
		return ARGP_ERR_UNKNOWN;
	/* text has no columns */
	if (e->print.fields && !e->print.format)
		e->print.format = "csv";
	e->print.format = cmd_format_of_name(&e->a, e->print.format, "timeline");
	e->parquet = e->print.format && !strcmp(e->print.format, "parquet");
	if (e->labels.n && !e->parquet)
		argp_error(state, "--label is for --format parquet");
	if (e->a.to.csv_safe)
		e->print.format = cmd_csv_safe(e->print.format, state);
	return 0;
}

static int events_prepare(void *args)
{
	struct events_args *e = args;
	const struct cmd_script *cs = &e->a.script;

	if (e->mark)
		e->around = cmd_mark_time(&e->a.input, e->mark);
	for (size_t i = 0; i < cs->pieces.n; i++)
		if (cs->pieces.v[i].key == CMD_SCRIPT_BY || cs->pieces.v[i].key == CMD_SCRIPT_SUM)
			return diags_error(
				e->a.diags, -HIST_EINVAL,
				"hist events prints events one by one; hist report counts "
				"them with --by and --sum");
	if (e->a.hosts && (e->print.fields || e->parquet))
		return diags_error(e->a.diags, -HIST_EINVAL,
				   "--hosts prints date, host, ts, cpu, pid, comm, event and text; "
				   "--fields and parquet are for one machine");
	if (e->parquet && cmd_parquet_place(&e->a, &e->print.directory))
		return -HIST_EINVAL;
	if (cmd_check_binary(&e->a, e->print.format))
		return -HIST_EINVAL;
	return e->around ? cmd_around_span(&e->a.input, e->around, e->context, e->a.diags) : 0;
}

/* Whether the -e at @i has a trigger, so that it belongs to the script. */
static bool has_trigger(const struct cmd_script *cs, size_t i)
{
	while (++i < cs->pieces.n && cs->pieces.v[i].key != 'e' &&
	       cs->pieces.v[i].key != CMD_SCRIPT_SQL && cs->pieces.v[i].key != (int)ARGP_KEY_ARG)
		if (cs->pieces.v[i].key == 'R')
			return true;
	return false;
}

/* Separate the chosen events from the script. */
static int choose(struct events_args *e)
{
	struct cmd_script *cs = &e->a.script;
	bool chosen = false;
	size_t n = 0;
	int err = 0;

	for (size_t i = 0; i < cs->pieces.n && !err; i++) {
		const struct cmd_script_piece piece = cs->pieces.v[i];
		const struct hist_event_choice choice = { .event = piece.text };

		if (piece.key == 'e')
			chosen = !has_trigger(cs, i);
		else if (piece.key == CMD_SCRIPT_SQL || piece.key == (int)ARGP_KEY_ARG)
			chosen = false;
		if (chosen && piece.key == 'e')
			err = array_push(&e->choices, choice);
		else if (chosen && piece.key == 'f')
			e->choices.v[e->choices.n - 1].filter = piece.text;
		else
			cs->pieces.v[n++] = piece;
	}
	cs->pieces.n = n;
	return err;
}

static int events_main(void *args)
{
	struct events_args *e = args;
	struct hist_events_options how = { .script = NULL };
	int err = choose(e);

	e->a.script.only_triggers = true;
	if (!err && e->a.script.pieces.n) {
		err = cmd_script_build(&e->a.script, e->a.h, e->a.lines, e->a.diags);
		how.script = e->a.lines;
	}
	if (!e->print.directory)
		err = err ?: cmd_open_output(&e->a);
	if (err)
		return err;
	how.choices = e->choices.v;
	how.n_choices = e->choices.n;
	e->print.labels = e->labels.v;
	e->print.n_labels = e->labels.n;
	e->print.sink = cmd_output_write;
	e->print.arg = &e->a.out;
	e->print.command = e->a.cx->command;
	if (e->a.hosts)
		return events_print_hosts(&e->a, &how, &e->print);
	return hist_events_print(e->a.h, &how, &e->print, e->a.diags);
}

static void events_release(void *args)
{
	struct events_args *e = args;

	array_release(&e->choices);
	array_release(&e->labels);
}

const struct cmd cmd_events = {
	.name = "events",
	.summary = "prints the events themselves",
	.uses = CMD_RECORDING,
	.size = sizeof(struct events_args),
	.alone = "all",
	.line = {
		.options = options,
		.parse = events_parse,
		.shared = CMD_SHARED(&cmd_input_options, &cmd_buffer_options, &cmd_kernel_options,
				     &cmd_symbol_options, &cmd_part_options, &cmd_select_options,
				     &cmd_script_options, &cmd_output_options,
				     &cmd_other_events),
		.args_doc = "[SCRIPT...]",
		.doc = "Prints the events of a recording: all, those of -e, or those that a script or recipe makes.\v"
		       "  hist events -i FILE\n"
		       "  hist events -i FILE -e sched_switch -f 'next_prio < 100' --format csv\n"
		       "  hist events -i FILE wakeup-latency --format ndjson\n\n"
		       "Exit status: 0, 1 if a line of a script was rejected, 2 on trouble.",
	},
	.prepare = events_prepare,
	.main = events_main,
	.release = events_release,
};
