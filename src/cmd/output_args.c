// SPDX-License-Identifier: GPL-2.0-only
/*
 * Options for the output of a verb, its format, and plugins. The plugin directory is searched only
 * if a format or modifier is not known otherwise.
 */
#include "cmd/cmd.h"

static const struct cmd_option output_options[] = {
	{ "output", 'o', "FILE", 0, "Write to FILE; it appears under this name when it is complete",
	  5, CMD_TEXT(struct cmd_args, to.path) },
	{ 0 },
};

static const struct cmd_option result_options[] = {
	{ "format", 0, "FORMAT", 0,
	  "text (the default: of a trigger the kernel's bytes, of a question a table), hist (the kernel's "
	  "layout for both), markdown (as tables of text), json, ndjson, csv, tsv; parquet: a file for each histogram in the directory of -o, or one in the file NAME.parquet of -o; html (a page), svg (a flame "
	  "graph), heat, plot (for a terminal); or a plugin's",
	  5, CMD_TEXT(struct cmd_args, to.format) },
	{ "show", 0, "EVENT|N", 0,
	  "Show only this event's histograms, or the Nth; 0: also those that text only names", 5,
	  CMD_TEXT(struct cmd_args, run.show) },
	{ "top", 0, "N", 0, "Only the N largest rows of each table; 0: all, the default", 5,
	  CMD_CALL(struct cmd_args, run.top, cmd_store_top) },
	{ "sort", 0, "BY", 0,
	  "Sort rows by a key, a value, or with --stats by n, min, max, mean, stddev, p50, p90, p99, p99.9 "
	  "or NAME.p99: numbers from the largest, texts by letters",
	  5, CMD_TEXT(struct cmd_args, run.sort_stats) },
	{ "json-u64", 0, "number|string", 0,
	  "How json writes numbers of keys and values: as they are, or quoted for readers that round above 2^53",
	  5, CMD_WORD(struct cmd_args, to.json_u64_as_string, "number|string") },
	{ "csv-safe", 0, NULL, 0,
	  "csv and tsv for a spreadsheet: put ' before texts that it would run as formulas", 5,
	  CMD_TRUE(struct cmd_args, to.csv_safe) },
	{ 0 },
};

const char *cmd_csv_safe(const char *format, struct argp_state *state)
{
	if (format && !strcmp(format, "csv"))
		return "csv-safe";
	if (format && !strcmp(format, "tsv"))
		return "tsv-safe";
	argp_error(state, "--csv-safe needs --format csv or tsv");
	return format;
}

static error_t parse(int key, const char *arg UNUSED, struct argp_state *state)
{
	struct cmd_args *a = state->input;

	if (key == ARGP_KEY_SUCCESS && a->to.csv_safe)
		a->to.format = cmd_csv_safe(a->to.format, state);
	return key == ARGP_KEY_SUCCESS ? 0 : ARGP_ERR_UNKNOWN;
}

const struct cmd_options cmd_output_options = { .options = output_options };
const struct cmd_options cmd_result_options = { .options = result_options, .parse = parse };

bool cmd_prints_rows(const char *format)
{
	return format && strcmp(format, "text") != 0 && strcmp(format, "json") != 0;
}

int cmd_check_binary(const struct cmd_args *a, const char *format)
{
	if (!format || a->to.path || !isatty(STDOUT_FILENO))
		return 0;
	if (!strcmp(format, "perfetto"))
		return diags_error(
			a->diags, -HIST_EINVAL,
			"a trace of Perfetto is not for a terminal; name a file with -o");
	if (strcmp(format, "parquet") != 0)
		return 0;
	return diags_error(
		a->diags, -HIST_EINVAL,
		"Parquet is not for a terminal; name a directory, or a file NAME.parquet, with -o");
}

int cmd_parquet_place(struct cmd_args *a, const char **directory)
{
	static const char suffix[] = ".parquet";
	const char *path = a->to.path;
	const size_t n = path ? strlen(path) : 0, end = sizeof(suffix) - 1;

	if (cmd_check_binary(a, "parquet"))
		return -HIST_EINVAL;
	if (!path || !strcmp(path, "-") || (n > end && !strcmp(path + n - end, suffix)))
		return 0;
	*directory = path;
	a->to.path = NULL;
	return 0;
}

static const struct cmd_option plugin_options[] = {
	{ "plugin", 0, "FILE", 0, "Load this plugin, of hist or of libtraceevent", 5,
	  CMD_TEXTS(struct cmd_args, plugin_files) },
	{ "modifier", 0, "FIELD=NAME", 0,
	  "Show names for the numbers of a key or saved value, as a plugin gives them", 5,
	  CMD_TEXTS(struct cmd_args, modifiers) },
	{ 0 },
};

const struct cmd_options cmd_plugin_options = { .options = plugin_options };

int cmd_load_plugins(struct cmd_args *a)
{
	int err = 0;

	a->plugins = hist_plugins_new();
	if (!a->plugins)
		return HIST_NOMEM;
	for (size_t i = 0; i < a->plugin_files.n && !err; i++) {
		const char *file = a->plugin_files.v[i];

		err = hist_plugins_load(a->plugins, file, a->diags);
		err = err ?: input_files_add(&a->input.files, file, file);
	}
	if (!err &&
	    (a->modifiers.n || (a->run.format && !hist_has_format(a->plugins, a->run.format))))
		err = hist_plugins_load_dir(a->plugins, NULL, a->diags);
	a->run.plugins = a->plugins;
	a->run.modifiers = a->modifiers.v;
	a->run.n_modifiers = a->modifiers.n;
	return err;
}
