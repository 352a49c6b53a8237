// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The table of kernel versions: each row holds from its version on, until the next.
 *
 * Observed on 6.1 (Debian 12's stable tree) and 6.12 (stable); the versions between were
 * read from their history. What a stable tree took over later counts as the version's.
 */
#include "engine/version.h"

/* What came with a version, on top of what was there: a row takes the line of its version. */
#define SINCE_6_2 .nohitcount = true
#define SINCE_6_3 SINCE_6_2, .common_stacktrace = true
#define SINCE_6_4 SINCE_6_3, .filter_function = true
#define SINCE_6_6 SINCE_6_4, .filter_cpus = true
#define SINCE_6_12                                                                              \
	SINCE_6_6, .dollar_inside = true, .typed_hidden_keys = true, .expr_text_checked = true, \
		   .trigger_filter_log = true, .glob_class_ends = true, .nesting_limit = true
#define SINCE_6_13 SINCE_6_12, .resched_lazy = true
#define SINCE_6_14 SINCE_6_13, .set_event_mod = true
#define SINCE_6_16 SINCE_6_14, .common_comm = true

static const struct kernel_quirks table[] = {
	{ .version = { 0, 0 }, .heapsort = HEAPSORT_6_1, .nested_preempt = 2 },
	{ .version = { 6, 2 }, .heapsort = HEAPSORT_6_1, .nested_preempt = 2, SINCE_6_2 },
	{ .version = { 6, 3 }, .heapsort = HEAPSORT_6_1, .nested_preempt = 2, SINCE_6_3 },
	{ .version = { 6, 4 }, .heapsort = HEAPSORT_6_1, .nested_preempt = 2, SINCE_6_4 },
	{ .version = { 6, 6 }, .heapsort = HEAPSORT_6_1, .nested_preempt = 2, SINCE_6_6 },
	{ .version = { 6, 11 }, .heapsort = HEAPSORT_6_12, .nested_preempt = 2, SINCE_6_6 },
	{ .version = { 6, 12 }, .heapsort = HEAPSORT_6_12, .nested_preempt = 3, SINCE_6_12 },
	{ .version = { 6, 13 }, .heapsort = HEAPSORT_6_12, .nested_preempt = 3, SINCE_6_13 },
	{ .version = { 6, 14 }, .heapsort = HEAPSORT_6_12, .nested_preempt = 3, SINCE_6_14 },
	{ .version = { 6, 16 }, .heapsort = HEAPSORT_6_12, .nested_preempt = 3, SINCE_6_16 },
};

static bool at_least(struct kernel_version v, struct kernel_version than)
{
	return v.major > than.major || (v.major == than.major && v.minor >= than.minor);
}

struct kernel_version kernel_version_parse(const char *text)
{
	struct kernel_version v = { 0, 0 };
	const char *p = text;

	/* the last such word: a host may be called 10.0.0.1 */
	for (; p && *p; p++) {
		char *end;
		unsigned long major;

		if (!is_digit(*p) || (p > text && !is_space(p[-1])))
			continue;
		major = strtoul(p, &end, 10);
		if (*end != '.' || !is_digit(end[1]))
			continue;
		v.major = (unsigned int)major;
		v.minor = (unsigned int)strtoul(end + 1, NULL, 10);
	}
	return v;
}

const struct kernel_quirks *kernel_quirks_of(struct kernel_version version)
{
	size_t i = ARRAY_SIZE(table) - 1;

	if (version.major)
		while (i && !at_least(version, table[i].version))
			i--;
	return &table[i];
}

enum event_generics kernel_generics(const struct kernel_quirks *q)
{
	if (q->common_comm)
		return GENERICS_6_16;
	return q->common_stacktrace ? GENERICS_6_3 : GENERICS_6_1;
}
