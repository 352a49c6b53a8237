// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Differences between kernel versions, and the versions that were compared.
 *
 * Maps the text of a version to the rules of that kernel. The exact rules are those of an ideal
 * kernel, without limits and faults. A row of changes[] is one change: the releases that introduced
 * it, and for each stable tree the patch level. "Observed" means on a booted kernel, see
 * tests/kernel/README.md; "read" means in its changelog.
 */
#include "program/version.h"

enum { TREES_MAX = 8 };

/* Where a change was made: the last entry is the mainline release, the others are stable trees. */
struct kernel_change {
	size_t flag;
	bool fault; /* exact rules do not have it; they have all others */
	struct kernel_version since[TREES_MAX]; /* ascending; ends with 0.0 */
};

#define CHANGE(name) .flag = offsetof(struct kernel_quirks, name)

static const struct kernel_change changes[] = {
	/* nohitcount: refused on 6.1.192, accepted on 6.12.43 to 7.3.4; 6.2 is read */
	{ CHANGE(nohitcount), .since = { { 6, 2, 0 } } },
	/* common_stacktrace: unknown on 6.1.192, known on 6.12.43 to 7.3.4; 6.3 is read */
	{ CHANGE(common_stacktrace), .since = { { 6, 3, 0 } } },
	/* .function, CPUS{}: not on 6.1.192, on 6.12.43 to 7.3.4; 6.4 and 6.6 are read */
	{ CHANGE(filter_function), .since = { { 6, 4, 0 } } },
	{ CHANGE(filter_cpus), .since = { { 6, 6, 0 } } },
	/* arguments of probes: 6.1.192 and 6.12.117 observed; that it is 6.5 is a guess */
	{ CHANGE(probe_btf), .since = { { 6, 5, 0 } } },
	/* typecasts: not on 6.17.13 and 7.2.13, on 7.3.4 */
	{ CHANGE(probe_casts), .since = { { 7, 3, 0 } } },
	/* heapsort: 6.1.192 and 6.12.107 observed; 6.11 is read */
	{ CHANGE(heapsort_pairs), .since = { { 6, 11, 0 } } },
	/* errors of trigger filters: not logged on 6.1.192, logged on 6.12.107 to 7.3.4 */
	{ CHANGE(trigger_filter_log), .since = { { 6, 12, 0 } } },
	/* [!x]: matches the end on 6.1.192, not on 6.12.107 to 7.3.4 */
	{ CHANGE(glob_class_ends), .since = { { 6, 12, 0 } } },
	/* "Move histogram trigger variables from stack to per CPU structure"; 6.12.34 is read */
	{ CHANGE(hist_pads), .fault = true, .since = { { 6, 12, 34 }, { 6, 16, 0 } } },
	/* flags b, B, l and L of trace: 6.16.12 to 7.3.4 observed; 6.13 is read */
	{ CHANGE(resched_lazy), .since = { { 6, 13, 0 } } },
	/* not on 6.19.14, on 7.0.13 and 7.3.4 */
	{ CHANGE(show_events), .since = { { 7, 0, 0 } } },
	/* :mod: of set_event; read, on 6.18.15 and 7.3.4 */
	{ CHANGE(set_event_mod), .since = { { 6, 14, 0 } } },
	/* from 6.12.107 to 6.16.12: observed */
	{ CHANGE(common_comm), .since = { { 6, 16, 0 } } },
	{ CHANGE(cpu_named_twice), true, { { 6, 16, 0 } } },
	{ CHANGE(whole_array_keys), true, { { 6, 16, 0 } } },
	{ CHANGE(synth_fmt_spaces), .since = { { 6, 16, 0 } } },
	/* not on 6.12.117, on 6.16.12 to 7.3.4 */
	{ CHANGE(probe_too_many), .since = { { 6, 16, 0 } } },
	{ CHANGE(fprobe_no_max), .since = { { 6, 16, 0 } } },
	/* not on 6.12.118 and 6.16.12, on 6.17.13 to 7.3.4 */
	{ CHANGE(fprobe_late), .since = { { 6, 17, 0 } } },
	/* empty on 6.1.192, not on 6.12.118 */
	{ CHANGE(nohash_texts), .since = { { 6, 12, 0 } } },
	/* EEXIST for a second t on a tracepoint: on 6.12.118, not on 6.18.15 */
	{ CHANGE(tprobes_share), .since = { { 6, 16, 0 } } },
	/* "Invalid $-valiable" on 6.16.12 to 7.0.13, not on 6.12.117, 7.1.13 and 7.3.4 */
	{ CHANGE(probe_valiable), .since = { { 6, 16, 0 } } },
	{ CHANGE(probe_variable), .since = { { 7, 1, 0 } } },
	/* not logged on 6.18.15, logged on 6.19.14 to 7.3.4 */
	{ CHANGE(dynevent_log), .since = { { 6, 19, 0 } } },
	/* at the argument on 6.16.12 to 6.19.14, at the variable on 6.12.117, 7.0.13 to 7.3.4 */
	{ CHANGE(eprobe_var_at), .since = { { 7, 0, 0 } } },
	/* not on 7.0.13, on 7.1.13 and 7.2.13 */
	{ CHANGE(eprobe_casts), .since = { { 7, 1, 0 } } },
	/* "Rebuild full_name on each hist_field_name() call": 6.1.175 and 6.12.91 are read */
	{ CHANGE(name_rebuilt), .since = { { 6, 1, 175 }, { 6, 12, 91 }, { 7, 0, 0 } } },
	/*
	 * "Let histogram values keep the percent and graph modifiers"; refused on 7.1.13
	 and 7.2.6, accepted on 7.2.9
	 */
	{ CHANGE(percent_values),
	  .since = { { 6, 1, 189 }, { 6, 12, 111 }, { 7, 2, 9 }, { 7, 3, 0 } } },
	/* "Fix memory corruption from a STACKTRACE histogram key" */
	{ CHANGE(stacktrace_is_key), .since = { { 6, 12, 112 }, { 7, 1, 0 } } },
	/* "Reject incomplete event filter expressions"; accepted on 7.2.13, refused on 7.3.4 */
	{ CHANGE(filter_needs_end), .since = { { 6, 1, 191 }, { 6, 12, 115 }, { 7, 3, 0 } } },
	/* "Fix fully-qualified variable reference printing in histograms"; 7.2.13 has it */
	{ CHANGE(dollar_inside), .since = { { 6, 12, 117 }, { 7, 1, 0 } } },
	/* "Bound histogram expression strings with seq_buf"; not on 7.2.13, on 7.3.4 */
	{ CHANGE(expr_text_checked), .since = { { 6, 12, 117 }, { 7, 3, 0 } } },
	/* "Fix NULL dereference when copying keys for a field variable" */
	{ CHANGE(typed_hidden_keys), .since = { { 6, 12, 117 }, { 7, 1, 0 } } },
	/*
	 * "Have syscall trace events show 0x for values greater than 10"; 6.18 is read, 7.3.4 has
	 it
	 */
	{ CHANGE(syscall_args_0x), .since = { { 6, 18, 0 } } },
	/* options/fields: not on 6.12.117, on 6.16.12 to 7.3.4 */
	{ CHANGE(fields_symbols), .since = { { 6, 16, 0 } } },
	/* not on 6.18.15, on 6.19.14 to 7.3.4 */
	{ CHANGE(fields_bytes), .since = { { 6, 19, 0 } } },
	/* pointers to texts are those into its copy of the record: not on 6.12.117, on 6.16.12 */
	{ CHANGE(fields_own_address), .since = { { 6, 16, 0 } } },
	{ CHANGE(deep_stacks), .since = { { 7, 0, 0 } } },
	{ CHANGE(function_in_debug), .since = { { 7, 0, 0 } } },
	{ CHANGE(buckets_in_expr), .since = { { 7, 3, 0 } } },
	/*
	 * 2^0 on 6.1.190, 6.12.113 and newer trees up to 7.2.12; 2^64 on 6.1.192, 6.12.115, 7.2.13
	 and 7.3.4
	 */
	{ CHANGE(log2_up_to_64),
	  .since = { { 6, 1, 191 }, { 6, 12, 115 }, { 7, 2, 13 }, { 7, 3, 0 } } },
	/* only exact rules */
	{ CHANGE(unlimited) },
	{ CHANGE(rows_by_key) },
	{ CHANGE(symbol_keys) },
};

/*
 * Formats that newer kernels have changed: a line with both words, or none. Observed on 6.1.192,
 * 6.12.117, 6.16.12, 6.18.15, 6.19.14 and 7.3.4, which have the formats before or after the change;
 * "char buf" and success on 4.13 and 4.14.
 */
static const struct {
	const char *system, *name, *words[2];
	bool lacks;
	unsigned int major, minor; /* the newest with this format */
} old_formats[] = {
	{ "ftrace", "print", { "char buf;", "size:0;" }, false, 5, 4 },
	{ "sched", "sched_wakeup", { " success;", "" }, false, 6, 0 },
	{ "sched", "sched_waking", { " success;", "" }, false, 6, 0 },
	/* -funsigned-char; other machines than x86 had it before, too */
	{ "ftrace", "print", { "char buf[];", "signed:1;" }, false, 6, 1 },
	{ "sched", "sched_switch", { "char prev_comm[", "signed:1;" }, false, 6, 1 },
	{ "sched", "sched_waking", { "char comm[", "signed:1;" }, false, 6, 1 },
	{ "sched", "sched_wakeup", { "char comm[", "signed:1;" }, false, 6, 1 },
	{ "ftrace", "function", { " args[];", "" }, true, 6, 15 },
	{ "sched", "sched_process_fork", { "char parent_comm[16];", "" }, false, 6, 15 },
	{ "sched", "sched_migrate_task", { "char comm[16];", "" }, false, 6, 15 },
	{ "sched", "sched_stat_runtime", { "char comm[16];", "" }, false, 6, 15 },
	{ "sched", "sched_process_exit", { " group_dead;", "" }, true, 6, 15 },
	{ "task", "task_newtask", { "unsigned long clone_flags;", "" }, false, 6, 17 },
	{ "ftrace", "funcgraph_entry", { "int depth;", "" }, false, 6, 18 },
	{ "syscalls", "sys_enter_openat", { " __filename_val;", "" }, true, 6, 18 },
	{ "syscalls", "sys_enter_execve", { " __filename_val;", "" }, true, 6, 18 },
};

/* The newest compared version of each tree; the oldest tree comes first. */
static const struct kernel_version trees[] = {
	{ 6, 1, 192 }, { 6, 12, 117 }, { 6, 16, 12 }, { 6, 17, 13 }, { 6, 18, 15 },
	{ 6, 19, 14 }, { 7, 0, 13 },   { 7, 1, 13 },  { 7, 2, 13 },  { 7, 3, 4 },
};

/* Debian 12 numbers its packages of 6.1: the first number of each patch level. */
static const struct {
	unsigned int number, patch;
} debian_6_1[] = {
	{ 1, 4 },    { 9, 27 },   { 13, 55 },  { 18, 76 },  { 22, 94 },  { 28, 119 },
	{ 34, 135 }, { 37, 140 }, { 38, 147 }, { 39, 148 }, { 40, 153 }, { 41, 158 },
	{ 42, 159 }, { 43, 162 }, { 44, 164 }, { 45, 170 }, { 48, 172 }, { 49, 174 },
	{ 50, 176 }, { 51, 177 }, { 52, 180 }, { 53, 187 }, { 54, 190 }, { 55, 192 },
};

/* Order of the trees of @a and @b: > 0, < 0, or 0 if they are the same. */
static int compare_trees(struct kernel_version a, struct kernel_version b)
{
	if (a.major != b.major)
		return a.major < b.major ? -1 : 1;
	return (a.minor > b.minor) - (a.minor < b.minor);
}

/* The version at the start of @p; 0.0 if there is none. */
static struct kernel_version parse_word(const char *p)
{
	struct kernel_version v = { .patch = KERNEL_PATCH_NEWEST };
	char *end;
	unsigned long major = strtoul(p, &end, 10);

	if (*end != '.' || !is_digit(end[1]))
		return (struct kernel_version){ 0 };
	v.major = (unsigned int)major;
	v.minor = (unsigned int)strtoul(end + 1, &end, 10);
	if (*end != '.' || !is_digit(end[1]))
		return v;
	v.patch = (unsigned int)strtoul(end + 1, &end, 10);
	if (v.major == 6 && v.minor == 1 && !v.patch && *end == '-' && is_digit(end[1])) {
		unsigned int n = (unsigned int)strtoul(end + 1, NULL, 10), patch = 0;

		/* "6.1.0-56-amd64": the patch level of package 56 of Debian's 6.1.0. */
		for (size_t i = 0; i < ARRAY_SIZE(debian_6_1) && debian_6_1[i].number <= n; i++)
			patch = debian_6_1[i].patch;
		v.patch = patch;
	}
	return v;
}

struct kernel_version kernel_version_parse(const char *text)
{
	struct kernel_version v = { 0 }, word;

	/* the last such word, because a host name may be 10.0.0.1 */
	for (const char *p = text; p && *p; p++) {
		if (!is_digit(*p) || (p > text && !is_space(p[-1])))
			continue;
		word = parse_word(p);
		if (word.major || word.minor)
			v = word;
	}
	return v;
}

/* The version whose rules apply to @v: itself, or the nearest known one. */
static struct kernel_version kernel_version_known(struct kernel_version v)
{
	struct kernel_version oldest = trees[0], newest = trees[ARRAY_SIZE(trees) - 1];

	oldest.patch = newest.patch = KERNEL_PATCH_NEWEST;
	if (!v.major || compare_trees(v, newest) > 0)
		return newest;
	return compare_trees(v, oldest) < 0 ? oldest : v;
}

static bool has_line(struct span text, const char *const words[2])
{
	while (text.s) {
		struct span line = span_sep(&text, "\n");

		if (span_find(line, span_of(words[0])) && span_find(line, span_of(words[1])))
			return true;
	}
	return false;
}

struct kernel_version kernel_version_of_formats(const struct event_text *texts, size_t n,
						const struct event_text **proof)
{
	/* from the oldest on */
	for (size_t k = 0; k < ARRAY_SIZE(old_formats); k++)
		for (size_t i = 0; i < n; i++)
			if (span_eq(texts[i].name, old_formats[k].name) &&
			    !strcmp(texts[i].system, old_formats[k].system) &&
			    has_line(texts[i].text, old_formats[k].words) != old_formats[k].lacks) {
				*proof = &texts[i];
				return (struct kernel_version){ old_formats[k].major,
								old_formats[k].minor,
								KERNEL_PATCH_NEWEST };
			}
	return (struct kernel_version){ 0 };
}

bool kernel_version_between(struct kernel_version v, struct kernel_version *below,
			    struct kernel_version *above)
{
	for (size_t i = 1; i < ARRAY_SIZE(trees); i++) {
		if (compare_trees(v, trees[i]) >= 0)
			continue;
		*below = trees[i - 1];
		*above = trees[i];
		return compare_trees(v, *below) > 0;
	}
	return false;
}

static bool has_change(const struct kernel_change *c, struct kernel_version v)
{
	struct kernel_version mainline = { 0 };

	for (size_t i = 0; i < TREES_MAX && c->since[i].major; i++) {
		mainline = c->since[i];
		if (!compare_trees(v, mainline))
			return v.patch >= mainline.patch;
	}
	return mainline.major && compare_trees(v, mainline) > 0;
}

void kernel_quirks_init(struct kernel_quirks *q, struct kernel_version v)
{
	*q = (struct kernel_quirks){ .version = kernel_version_known(v) };
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		*(bool *)((char *)q + changes[i].flag) = has_change(&changes[i], q->version);
}

void kernel_quirks_exact(struct kernel_quirks *q)
{
	kernel_quirks_init(q, (struct kernel_version){ 0 });
	q->exact = true;
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		*(bool *)((char *)q + changes[i].flag) = !changes[i].fault;
}

enum event_generics kernel_generics(const struct kernel_quirks *q)
{
	return q->common_stacktrace ? GENERICS_6_3 : GENERICS_6_1;
}
