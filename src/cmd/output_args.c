// SPDX-License-Identifier: GPL-2.0-only
/* Options for the output of a verb and its format. */
#include <string.h>

#include "cmd/cmd.h"

enum { KEY_FORMAT = 0x800, KEY_JSON_U64, KEY_CSV_SAFE };

static const struct argp_option output_options[] = {
	{ "output", 'o', "FILE", 0, "Write to FILE; it appears under this name when it is complete",
	  5 },
	{ 0 },
};

static const struct argp_option result_options[] = {
	{ "format", KEY_FORMAT, "FORMAT", 0,
	  "text (the kernel's bytes, the default), json, ndjson, csv, tsv; html (a page), svg (a flame "
	  "graph), heat, plot (for a terminal); or a plugin's",
	  5 },
	{ "json-u64", KEY_JSON_U64, "number|string", 0,
	  "How json writes numbers of keys and values: as they are, or quoted for readers that round above 2^53",
	  5 },
	{ "csv-safe", KEY_CSV_SAFE, NULL, 0,
	  "csv and tsv for a spreadsheet: put ' before texts that it would run as formulas", 5 },
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

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct cmd_output_args *o = state->input;

	switch (key) {
	case 'o':
		o->path = arg;
		return 0;
	case KEY_FORMAT:
		o->format = arg;
		return 0;
	case KEY_JSON_U64:
		if (strcmp(arg, "number") != 0 && strcmp(arg, "string") != 0)
			argp_error(state, "--json-u64 takes number or string, not '%s'", arg);
		o->json_u64_as_string = !strcmp(arg, "string");
		return 0;
	case KEY_CSV_SAFE:
		o->csv_safe = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (o->csv_safe)
			o->format = cmd_csv_safe(o->format, state);
		return 0;
	case ARGP_KEY_INIT:
		state->child_inputs[0] = o;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_output(int key, char *arg, struct argp_state *state)
{
	return key == 'o' ? parse(key, arg, state) : ARGP_ERR_UNKNOWN;
}

const struct argp cmd_output_argp = { .options = output_options, .parser = parse_output };

static const struct argp_child output_child[] = { { .argp = &cmd_output_argp }, { 0 } };

const struct argp cmd_result_argp = {
	.options = result_options,
	.parser = parse,
	.children = output_child,
};
