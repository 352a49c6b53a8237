// SPDX-License-Identifier: GPL-2.0-only
/*
 * The recordings that a verb works on, and the selected part of them: opens a struct hist from
 * options and arguments.
 *
 * A recording is mapped, so data from a pipe is first copied to an unnamed temporary file; the
 * library opens it by its descriptor.
 */
#include "cmd/cmd.h"
#include "hist-session.h"

/* "recording", "exact", or a version, which starts like 6.1, 6.1.55, 6.12-rc1. */
static error_t store_rules(const struct cmd_option *o, void *to, const char *arg,
			   struct argp_state *state)
{
	static const char digits[] = "0123456789";
	size_t major = strspn(arg, digits), minor = 0;
	const char *end = arg + major;

	if (major && *end == '.') {
		minor = strspn(end + 1, digits);
		end += 1 + minor;
	}
	if ((!minor || (*end && *end != '.' && *end != '-')) && strcmp(arg, "recording") != 0 &&
	    strcmp(arg, "exact") != 0)
		argp_error(state, "--%s takes recording, exact, or a version such as 6.1, not '%s'",
			   o->name, arg);
	*(const char **)to = arg;
	return 0;
}

bool cmd_parse_size(const char *arg, const char *units, u64 *bytes)
{
	struct span number = span_of(arg);
	const char *unit = number.n ? strchr(units, number.s[number.n - 1]) : NULL;
	unsigned int shift = unit ? 10 * (unsigned int)(unit - units + 1) : 0;
	u64 n;

	number.n -= unit != NULL;
	if (!span_u64(number, &n) || !n || n > UINT64_MAX >> shift)
		return false;
	*bytes = n << shift;
	return true;
}

static error_t store_size(const struct cmd_option *o, void *to, const char *arg,
			  struct argp_state *state)
{
	if (!cmd_parse_size(arg, "KMG", to))
		argp_error(state, "--%s takes a size such as 500M or 4G, not '%s'", o->name, arg);
	return 0;
}

static const struct cmd_option input_options[] = {
	{ "input", 'i', "FILE", 0,
	  "Read this recording (trace.dat, or an input of hist import); - is standard input; several -i form one timeline",
	  1, CMD_TEXTS(struct cmd_args, input.paths) },
	{ "kallsyms", 0, "FILE", 0,
	  "Symbols for an imported recording: a copy of its machine's /proc/kallsyms", 1,
	  CMD_TEXT(struct cmd_args, input.options.kallsyms) },
	{ "formats", 0, "FILE|DIR", 0,
	  "Event formats for an imported recording: a copy of its machine's events directory", 1,
	  CMD_TEXT(struct cmd_args, input.options.formats) },
	{ 0 },
};

static const struct cmd_option buffer_options[] = {
	{ "buffer", 'B', "NAME", 0,
	  "Use this instance of the recording; default: the top buffer, or the only one with events",
	  1, CMD_TEXT(struct cmd_args, input.options.buffer) },
	{ 0 },
};

static const struct cmd_option kernel_options[] = {
	{ "kernel", 0, "RULES", 0,
	  "Count by these rules: recording (those of its kernel), exact (nothing is dropped), or those of a version, such as 6.1 or 6.12.107; default: recording for triggers, exact for recipes, --by and --sql",
	  1, CMD_CALL(struct cmd_args, input.options.kernel, store_rules) },
	{ 0 },
};

static const struct cmd_option symbol_options[] = {
	{ "symfs", 0, "DIR", 0,
	  "Look for the files of programs, whose symbols are keys, in this copy of the recorded machine's files",
	  1, CMD_TEXT(struct cmd_args, input.selection.files.symfs) },
	{ "buildid-dir", 0, "DIR", 0,
	  "Look for the files of programs in this cache of perf; default: ~/.debug", 1,
	  CMD_TEXT(struct cmd_args, input.selection.files.buildid_dir) },
	{ "debuginfod", 0, NULL, 0,
	  "Ask the servers in DEBUGINFOD_URLS for files of programs that are not here", 1,
	  CMD_TRUE(struct cmd_args, input.selection.files.debuginfod) },
	{ "no-inline", 0, NULL, 0,
	  "Leave functions out of stacks of programs that are inlined into their callers", 1,
	  CMD_TRUE(struct cmd_args, input.selection.files.no_inline) },
	{ 0 },
};

static const struct cmd_option part_options[] = {
	{ "cpu", 0, "LIST", 0, "Read only these CPUs, such as 0,2-3", 1,
	  CMD_TEXT(struct cmd_args, input.options.cpus) },
	{ "from", 0, "T", 0,
	  "Start at T: seconds of the trace clock, +SECONDS after the first event, a date, or a time of day",
	  1, CMD_TEXT(struct cmd_args, input.options.from) },
	{ "to", 0, "T", 0, "End at T", 1, CMD_TEXT(struct cmd_args, input.options.to) },
	{ 0 },
};

static const struct cmd_option select_options[] = {
	{ "pid", 0, "LIST", 0, "Limit triggers and trace to events of these tasks, such as 12,34",
	  1, CMD_TEXT(struct cmd_args, input.options.pids) },
	{ "comm", 0, "LIST|GLOB", 0,
	  "Limit triggers and trace to events of tasks with these names, such as sh,cc*", 1,
	  CMD_TEXT(struct cmd_args, input.options.comm) },
	{ "tree", 0, "PID|COMM", 0,
	  "Limit triggers and trace to events of this task and all its descendants", 1,
	  CMD_TEXT(struct cmd_args, input.options.tree) },
	{ "process", 0, "LIST|GLOB", 0,
	  "Limit triggers and trace to events of these processes: names or globs of names, process ids",
	  1, CMD_TEXT(struct cmd_args, input.selection.process) },
	{ "cgroup", 0, "GLOB", 0,
	  "Limit triggers and trace to events of tasks in these cgroups and those below, such as /system.slice",
	  1, CMD_TEXT(struct cmd_args, input.selection.cgroup) },
	{ "cgroup-depth", 0, "N", 0, "Use only the first N components of the paths of cgroups", 1,
	  CMD_NUMBER(struct cmd_args, input.selection.cgroup_depth, 1) },
	{ "cgroup-hierarchy", 0, "N", 0,
	  "Cgroups are those of this hierarchy, as /proc/self/cgroup numbers them; 0: of version 2",
	  1, CMD_TEXT(struct cmd_args, input.selection.hierarchy) },
	{ "open-intervals", 0, NULL, 0,
	  "Derived events: also those whose beginning or end is not in the recording", 1,
	  CMD_TRUE(struct cmd_args, input.selection.open_intervals) },
	{ "clip", 0, NULL, 0,
	  "Derived events: cut intervals at --from and --to, so that times add up to the span", 1,
	  CMD_TRUE(struct cmd_args, input.selection.clip) },
	{ "jobs", 'j', "N", 0,
	  "Use N threads; default: the number of CPUs. The output does not change", 1,
	  CMD_RANGE(struct cmd_args, input.options.jobs, 1, 1024) },
	{ "memory", 0, "SIZE", 0,
	  "Memory for histograms that are not limited, such as 500M or 4G; default: half of the machine's. If they need more, this is an error",
	  1, CMD_CALL(struct cmd_args, input.selection.memory, store_size) },
	{ "explain", 0, NULL, 0,
	  "Report on stderr the triggers made from --sql, and how and why each histogram is counted in that way",
	  1, CMD_TRUE(struct cmd_args, input.options.explain) },
	{ "plan", 0, "WAY", 0,
	  "For diagnosis: count all histograms in this way (order, range; plain: slowly, by the code that defines the result), or fail with the reason; default: auto",
	  1,
	  CMD_WORD(struct cmd_args, input.options.plan,
		   "auto|order|range|key|plain") }, /* ORDER hist_plan; key: see hist.h */
	{ 0 },
};

const struct cmd_options cmd_input_options = { .options = input_options };
const struct cmd_options cmd_buffer_options = { .options = buffer_options };
const struct cmd_options cmd_symbol_options = { .options = symbol_options };
const struct cmd_options cmd_kernel_options = { .options = kernel_options };
const struct cmd_options cmd_part_options = { .options = part_options };
const struct cmd_options cmd_select_options = { .options = select_options };

/* --- inputs that cannot be mapped --- */

static int copy_rest(struct cmd_input *in, const char *name, int from, int to, struct diags *diags)
{
	enum { SIZE = 1 << 18 };
	char *buf = arena_alloc(&in->arena, SIZE);
	ssize_t n;

	if (!buf)
		return HIST_NOMEM;
	while ((n = fd_read(from, buf, SIZE)) > 0)
		if (!fd_write(to, buf, (size_t)n))
			return diags_error(diags, -HIST_EIO,
					   "%s: copying it to a temporary file: %s", name,
					   strerror(errno));
	return n < 0 ? diags_error(diags, -HIST_EIO, "%s: %s", name, strerror(errno)) : 0;
}

static int add_descriptor(struct cmd_input *in, const char *name, int fd)
{
	const char *path = arena_printf(&in->arena, "/proc/self/fd/%d", fd);
	struct cmd_descriptor d = { path, name };

	return !path || array_push(&in->descriptors, d) ? HIST_NOMEM : array_push(&in->paths, path);
}

int cmd_input_add_fd(struct cmd_input *in, const char *name, int fd, struct span head,
		     struct diags *diags)
{
	char first[CMD_HEAD_SIZE];
	struct stat st;
	int to;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && fd == STDIN_FILENO)
		return add_descriptor(in, name, fd);
	if (!head.s) {
		ssize_t n = fd_read(fd, first, sizeof(first));

		if (n < 0)
			return diags_error(diags, -HIST_EIO, "%s: %s", name, strerror(errno));
		head = (struct span){ first, (size_t)n };
	}
	if (!hist_recognises(head.s, head.n)) /* do not read more from an endless input */
		return diags_error(diags, -HIST_ENOTTRACE, "%s: %s", name,
				   !head.n           ? "is empty, not a trace.dat file"
				   : file_kind(head) ? file_kind(head)
						     : FILE_KIND_UNKNOWN);
	to = fd_unnamed("hist-input");
	if (to < 0 || array_push(&in->spooled, to) || !fd_write(to, head.s, head.n))
		return diags_error(diags, -HIST_EIO, "%s: cannot create a temporary file: %s", name,
				   strerror(errno));
	return copy_rest(in, name, fd, to, diags) ?: add_descriptor(in, name, to);
}

/* --- open --- */

int cmd_input_take_stdin(struct cmd_input *in, struct diags *diags)
{
	if (in->stdin_taken)
		return diags_error(diags, -HIST_EINVAL, "standard input can be used only once");
	in->stdin_taken = true;
	return 0;
}

/* A path of -i: mapped directly, unless it is a pipe. */
static int add_path(struct cmd_input *in, const char *path, struct diags *diags)
{
	bool is_stdin = !strcmp(path, "-");
	struct stat st;
	int fd = STDIN_FILENO, err = is_stdin ? cmd_input_take_stdin(in, diags) : 0;

	if (err)
		return err;
	if (!is_stdin && (stat(path, &st) ||
			  !(S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode) || S_ISSOCK(st.st_mode))))
		return array_push(&in->paths, path);
	if (!is_stdin)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return diags_error(diags, -HIST_EIO, "%s: %s", path, strerror(errno));
	err = cmd_input_add_fd(in, is_stdin ? "standard input" : path, fd, (struct span){ NULL, 0 },
			       diags);
	if (!is_stdin)
		close(fd);
	return err;
}

int cmd_input_resolve(struct cmd_input *in, struct diags *diags)
{
	struct hist_options *o = &in->options;
	size_t given = in->paths.n;
	const char **names;
	int err = 0;

	if (!given && access("trace.dat", F_OK))
		return diags_error(diags, -HIST_ENOENT,
				   "trace.dat: %s; name a recording with -i FILE", strerror(errno));
	if (!given)
		err = array_push(&in->paths, "trace.dat");
	/* resolved paths are appended in order; then the front is removed */
	for (size_t i = 0; i < given && !err; i++)
		err = add_path(in, in->paths.v[i], diags);
	if (err)
		return err;
	o->inputs = in->paths.v + given;
	o->n_inputs = in->paths.n - given;
	o->names = names = arena_alloc(&in->arena, o->n_inputs * sizeof(*names));
	if (!names)
		return HIST_NOMEM;
	/* for messages, because the path of a descriptor is meaningless */
	for (size_t i = 0; i < o->n_inputs && !err; i++) {
		names[i] = o->inputs[i];
		for (size_t d = 0; d < in->descriptors.n; d++)
			if (in->descriptors.v[d].path == names[i])
				names[i] = in->descriptors.v[d].name;
		err = input_files_add(&in->files, o->inputs[i], names[i]);
	}
	if (!err && o->kallsyms)
		err = input_files_add(&in->files, o->kallsyms, o->kallsyms);
	if (!err && o->formats)
		err = input_files_add(&in->files, o->formats, o->formats);
	return err;
}

int cmd_input_distinct(const struct cmd_input *in, struct diags *diags)
{
	const struct hist_options *o = &in->options;
	scoped(input_files_release) struct input_files seen = INPUT_FILES_INIT;
	int err = 0;

	for (size_t i = 0; i < o->n_inputs && !err; i++) {
		const char *other = input_files_find(&seen, o->inputs[i]);

		if (other)
			err = diags_error(diags, -HIST_EINVAL,
					  "%s and %s are the same recording; name it only once",
					  other, o->names[i]);
		else
			err = input_files_add(&seen, o->inputs[i], o->names[i]);
	}
	return err;
}

static int open_files(const struct cmd_input *in, struct hist **h, struct diags *diags)
{
	const char *hierarchy = in->selection.hierarchy;
	int err = hist_session_open(in->session, &in->options, h, diags);
	u64 number = 0;

	if (!err && hierarchy && (!span_u64(span_of(hierarchy), &number) || number > UINT16_MAX)) {
		hist_close(*h);
		*h = NULL;
		return diags_error(
			diags, -HIST_EINVAL,
			"--cgroup-hierarchy takes a number of /proc/self/cgroup, or 0 for version 2, "
			"not '%s'",
			hierarchy);
	}
	if (!err)
		hist_cgroup_depth(*h, in->selection.cgroup_depth);
	if (!err && hierarchy)
		hist_cgroup_hierarchy(*h, (unsigned int)number);
	if (!err && in->selection.memory)
		hist_limit_memory(*h, in->selection.memory);
	if (!err && in->selection.open_intervals)
		hist_open_intervals(*h);
	if (!err && in->selection.clip)
		hist_clip_intervals(*h);
	err = err ?: hist_symbol_files(*h, &in->selection.files);
	if (!err && in->selection.process)
		err = hist_select(*h, HIST_SELECT_PROCESS, in->selection.process, diags);
	if (!err && in->selection.cgroup)
		err = hist_select(*h, HIST_SELECT_CGROUP, in->selection.cgroup, diags);
	return err;
}

int cmd_input_open(struct cmd_input *in, struct hist **h, struct diags *diags)
{
	int err = cmd_input_resolve(in, diags);

	err = err ?: cmd_input_distinct(in, diags);
	return err ?: open_files(in, h, diags);
}

int cmd_input_reopen(const struct cmd_input *in, struct hist **h, struct diags *diags)
{
	scoped(diags_release) struct diags again = DIAGS_INIT;
	const int err = open_files(in, h, &again);

	if (err)
		diags_append(diags, &again);
	return err;
}

int cmd_input_result(const struct hist *h, int result)
{
	bool finished = result >= 0 || result == -HIST_EREJECTED;

	return h && finished && hist_input_cut(h) ? CMD_TROUBLE : result;
}

void cmd_input_release(struct cmd_input *in)
{
	for (size_t i = 0; i < in->spooled.n; i++)
		close(in->spooled.v[i]);
	array_release(&in->spooled);
	array_release(&in->descriptors);
	array_release(&in->paths);
	input_files_release(&in->files);
	arena_release(&in->arena);
}
