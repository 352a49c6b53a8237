// SPDX-License-Identifier: GPL-2.0-only
/* Hidden options that users of other tools try. Each is an error that names our equivalent. */
#include "cmd/cmd.h"

enum {
	KEY_STATISTIC = 0x600,
	KEY_FIRST,
	KEY_ORDER,
	KEY_WHERE,
	KEY_GROUP,
	KEY_SHARE,
	KEY_TEXT,
	KEY_TASKS,
	KEY_TIME,
	KEY_RANGES,
	KEY_TIMELINE,
	KEY_STACKS,
	KEY_LARGEST,
	KEY_LAST,
	KEY_LIMIT,
	KEY_LONGEST,
	KEY_SELF,
	KEY_UNIT,
	KEY_BASELINE,
	KEY_COLUMNS,
	KEY_END
};

#define OTHER(name, key)                                                                \
	{                                                                               \
		name, key, "X", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, NULL, 0, CMD_PARSE \
	}

/* clang-format off */
static const struct cmd_option options[] = {
	OTHER("avg", KEY_STATISTIC),          OTHER("mean", KEY_STATISTIC),
	OTHER("max", KEY_LIMIT),              OTHER("min", KEY_LIMIT),
	OTHER("threshold", KEY_LIMIT),        OTHER("min-duration", KEY_LIMIT),
	OTHER("slowest", KEY_LONGEST),        OTHER("longest", KEY_LONGEST),
	OTHER("worst", KEY_LONGEST),          OTHER("children", KEY_SELF),
	OTHER("no-children", KEY_SELF),       OTHER("unit", KEY_UNIT),
	OTHER("units", KEY_UNIT),             OTHER("baseline", KEY_BASELINE),
	OTHER("fields", KEY_COLUMNS),         OTHER("columns", KEY_COLUMNS),
	OTHER("reverse", KEY_ORDER),          OTHER("desc", KEY_ORDER),
	OTHER("quantiles", KEY_STATISTIC),    OTHER("percentiles", KEY_STATISTIC),
	OTHER("percentile", KEY_STATISTIC),   OTHER("p50", KEY_STATISTIC),
	OTHER("p90", KEY_STATISTIC),          OTHER("p95", KEY_STATISTIC),
	OTHER("p99", KEY_STATISTIC),          OTHER("median", KEY_STATISTIC),
	OTHER(NULL, 'n'),                     OTHER(NULL, 'F'),
	OTHER(NULL, 's'),                     OTHER("percent", KEY_SHARE),
	OTHER("percentage", KEY_SHARE),       OTHER("stdio", KEY_TEXT),
	OTHER("tasks", KEY_TASKS),            OTHER("last", KEY_TIME),
	OTHER("time", KEY_TIME),              OTHER("histogram", KEY_RANGES),
	OTHER("log2", KEY_RANGES),            OTHER("buckets", KEY_RANGES),
	OTHER("bins", KEY_RANGES),            OTHER("timeline", KEY_TIMELINE),
	OTHER("gui", KEY_TIMELINE),           OTHER("call-graph", KEY_STACKS),
	OTHER("flamegraph", KEY_STACKS),      OTHER("stacks", KEY_STACKS),
	OTHER(NULL, 'g'),
	{ 0 },
};

/* of hist events, which prints in the order of time */
static const struct cmd_option events_options[] = {
	OTHER("sort", KEY_LARGEST),           OTHER("sort-by", KEY_LARGEST),
	OTHER("order-by", KEY_LARGEST),       OTHER("tail", KEY_LAST),
	OTHER("last", KEY_LAST),              OTHER("max", KEY_FIRST),
	OTHER("reverse", KEY_LARGEST),        OTHER("time", KEY_TIME),
	{ 0 },
};
/* clang-format on */

static error_t parse(int key, const char *arg UNUSED, struct argp_state *state)
{
	static const char *const here[] = {
		"--stats adds n, min, max, mean, p50, p90, p99 of each value and numeric key: --by KEYS --sum FIELD --stats; others: hist sql FILE 'SELECT quantile_cont(FIELD, 0.95) FROM \"EVENT\"'",
		"--top N prints the first N rows, --duration TIME ends hist top",
		"--sort COLUMN prints the largest first, --sort COLUMN.ascending the smallest",
		"filters are -e EVENT -f 'FIELD > 1 && FIELD ~ \"a*\"' --by KEYS",
		"use --by KEYS",
		"values have percentages: --by KEYS --sum hitcount.percent",
		"hist events -i FILE -e EVENT prints the events as text",
		"--comm NAME and --pid PID select tasks; hist sql FILE 'SELECT * FROM tasks' lists them",
		"--from TIME --to TIME select a part; +0.5 counts from its start",
		"ranges are keys: --by FIELD.log2, or --by FIELD.buckets=10us",
		"hist events -i FILE --format timeline -o page.html",
		"stacks are keys: --by stack, as a flame graph with --format svg -o FILE",
		"events are in the order of time; hist sql FILE 'SELECT * FROM \"EVENT\" ORDER BY FIELD DESC LIMIT 9' prints the largest",
		"--from TIME selects the end of a recording, and tail(1) keeps the last lines",
		"a recipe takes a limit as -D min=1ms, an event as -f 'FIELD >= 1ms'; --stats adds min, max, mean and quantiles",
		"hist why QUESTION explains the longest interval, hist why --all QUESTION lists them; --sort max sorts rows",
		"hist report profile has the time of each function itself, with --by stack that of its callers",
		"text has the unit that fits each time, csv and json have nanoseconds",
		"recordings are arguments: hist diff QUESTION BEFORE AFTER, or hist summary --baseline BEFORE AFTER",
		"columns are those of --by KEYS --sum FIELDS, with --stats also quantiles; hist events --fields prints fields",
	};

	key = key == 'n'   ? KEY_FIRST
	      : key == 'F' ? KEY_WHERE
	      : key == 's' ? KEY_GROUP
	      : key == 'g' ? KEY_STACKS
			   : key;
	if (key < KEY_STATISTIC || key >= KEY_END)
		return ARGP_ERR_UNKNOWN;
	argp_error(state, "hist has another option for this: %s", here[key - KEY_STATISTIC]);
	return EINVAL;
}

const struct cmd_options cmd_other_options = { .options = options, .parse = parse };
const struct cmd_options cmd_other_events = { .options = events_options, .parse = parse };
