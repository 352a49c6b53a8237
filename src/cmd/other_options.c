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
	KEY_FORMAT,
	KEY_TIMELINE,
	KEY_STACKS,
	KEY_LONGEST,
	KEY_LAST
};

#define OTHER(name, key)                                                                \
	{                                                                               \
		name, key, "X", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, NULL, 0, CMD_PARSE \
	}

/* clang-format off */
static const struct cmd_option options[] = {
	OTHER("avg", KEY_STATISTIC),          OTHER("mean", KEY_STATISTIC),
	OTHER("max", KEY_STATISTIC),          OTHER("min", KEY_STATISTIC),
	OTHER("quantiles", KEY_STATISTIC),    OTHER("percentiles", KEY_STATISTIC),
	OTHER("percentile", KEY_STATISTIC),   OTHER("p50", KEY_STATISTIC),
	OTHER("p90", KEY_STATISTIC),          OTHER("p95", KEY_STATISTIC),
	OTHER("p99", KEY_STATISTIC),          OTHER("median", KEY_STATISTIC),
	OTHER("head", KEY_FIRST),             OTHER("limit", KEY_FIRST),
	OTHER(NULL, 'n'),                     OTHER("order-by", KEY_ORDER),
	OTHER("where", KEY_WHERE),            OTHER(NULL, 'F'),
	OTHER("sort-by", KEY_ORDER),          OTHER("group-by", KEY_GROUP),
	OTHER("group", KEY_GROUP),            OTHER(NULL, 's'),
	OTHER("percent", KEY_SHARE),          OTHER("percentage", KEY_SHARE),
	OTHER("stdio", KEY_TEXT),             OTHER("tasks", KEY_TASKS),
	OTHER("task", KEY_TASKS),             OTHER("tid", KEY_TASKS),
	OTHER("thread", KEY_TASKS),           OTHER("since", KEY_TIME),
	OTHER("last", KEY_TIME),              OTHER("time", KEY_TIME),
	OTHER("start", KEY_TIME),             OTHER("histogram", KEY_RANGES),
	OTHER("log2", KEY_RANGES),            OTHER("buckets", KEY_RANGES),
	OTHER("bins", KEY_RANGES),            OTHER("json", KEY_FORMAT),
	OTHER("csv", KEY_FORMAT),             OTHER("html", KEY_FORMAT),
	OTHER("svg", KEY_FORMAT),             OTHER("timeline", KEY_TIMELINE),
	OTHER("gui", KEY_TIMELINE),           OTHER("call-graph", KEY_STACKS),
	OTHER("flamegraph", KEY_STACKS),      OTHER("stacks", KEY_STACKS),
	OTHER(NULL, 'g'),
	{ 0 },
};

/* of hist events, which prints in the order of time */
static const struct cmd_option events_options[] = {
	OTHER("sort", KEY_LONGEST),           OTHER("sort-by", KEY_LONGEST),
	OTHER("order-by", KEY_LONGEST),       OTHER("tail", KEY_LAST),
	OTHER("last", KEY_LAST),              OTHER("head", KEY_FIRST),
	OTHER("limit", KEY_FIRST),            { 0 },
};
/* clang-format on */

static error_t parse(int key, const char *arg UNUSED, struct argp_state *state)
{
	static const char *const here[] = {
		"--stats adds n, min, max, mean and quantiles of each value and numeric key: --by KEYS --sum FIELD --stats",
		"--top N prints the first N rows",
		"--sort COLUMN prints the largest first, --sort COLUMN.ascending the smallest",
		"filters are -e EVENT -f 'FIELD > 1 && FIELD ~ \"a*\"' --by KEYS",
		"use --by KEYS",
		"values have percentages: --by KEYS --sum hitcount.percent",
		"hist events -i FILE -e EVENT prints the events as text",
		"--comm NAME and --pid PID select tasks; hist sql FILE 'SELECT * FROM tasks' lists them",
		"--from TIME --to TIME select a part; +0.5 counts from its start",
		"ranges are keys: --by FIELD.log2, or --by FIELD.buckets=10us",
		"--format NAME, such as csv, json, markdown; html and svg with -o FILE",
		"hist events -i FILE --format timeline -o page.html",
		"stacks are keys: --by stack, as a flame graph with --format svg -o FILE",
		"events are in the order of time; hist sql FILE 'SELECT * FROM \"EVENT\" ORDER BY FIELD DESC LIMIT 9' prints the largest",
		"--from TIME selects the end of a recording, and tail(1) keeps the last lines",
	};

	key = key == 'n'   ? KEY_FIRST
	      : key == 'F' ? KEY_WHERE
	      : key == 's' ? KEY_GROUP
	      : key == 'g' ? KEY_STACKS
			   : key;
	if (key < KEY_STATISTIC || key > KEY_LAST)
		return ARGP_ERR_UNKNOWN;
	argp_error(state, "hist has another option for this: %s", here[key - KEY_STATISTIC]);
	return EINVAL;
}

const struct cmd_options cmd_other_options = { .options = options, .parse = parse };
const struct cmd_options cmd_other_events = { .options = events_options, .parse = parse };
