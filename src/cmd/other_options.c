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
	KEY_TASKS
};

#define OTHER(name, key)                                                                \
	{                                                                               \
		name, key, "X", OPTION_HIDDEN | OPTION_ARG_OPTIONAL, NULL, 0, CMD_PARSE \
	}

static const struct cmd_option options[] = {
	OTHER("avg", KEY_STATISTIC),        OTHER("mean", KEY_STATISTIC),
	OTHER("max", KEY_STATISTIC),        OTHER("min", KEY_STATISTIC),
	OTHER("quantiles", KEY_STATISTIC),  OTHER("percentiles", KEY_STATISTIC),
	OTHER("percentile", KEY_STATISTIC), OTHER("p50", KEY_STATISTIC),
	OTHER("p90", KEY_STATISTIC),        OTHER("p95", KEY_STATISTIC),
	OTHER("p99", KEY_STATISTIC),        OTHER("median", KEY_STATISTIC),
	OTHER("head", KEY_FIRST),           OTHER("limit", KEY_FIRST),
	OTHER("order-by", KEY_ORDER),       OTHER("where", KEY_WHERE),
	OTHER("sort-by", KEY_ORDER),        OTHER("group-by", KEY_GROUP),
	OTHER("group", KEY_GROUP),          OTHER("percent", KEY_SHARE),
	OTHER("percentage", KEY_SHARE),     OTHER("stdio", KEY_TEXT),
	OTHER("tasks", KEY_TASKS),          { 0 },
};

static error_t parse(int key, const char *arg, struct argp_state *state)
{
	static const char *const here[] = {
		"--stats adds n, min, max, mean and quantiles of each value and numeric key: --by KEYS --sum FIELD --stats",
		"--top N prints the first N rows",
		"--sort COLUMN prints the largest first, --sort COLUMN.ascending the smallest",
		"filters are -e EVENT -f 'FIELD > 1 && FIELD ~ \"a*\"' --by KEYS",
		"use --by KEYS",
		"values have percentages: --by KEYS --sum hitcount.percent",
		"hist events -i FILE -e EVENT prints the events as text",
		"hist sql FILE 'SELECT * FROM tasks' lists the tasks",
	};

	(void)arg;
	if (key < KEY_STATISTIC || key > KEY_TASKS)
		return ARGP_ERR_UNKNOWN;
	argp_error(state, "hist has another option for this: %s", here[key - KEY_STATISTIC]);
	return EINVAL;
}

const struct cmd_options cmd_other_options = { .options = options, .parse = parse };
