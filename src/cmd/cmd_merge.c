// SPDX-License-Identifier: GPL-2.0-only
/* hist merge: adds up results of many recordings that were saved as json. */
#include "cmd/cmd.h"
#include "hist-merge.h"

enum { KEY_LABEL = 0x700, KEY_KEY_BY, KEY_FILES0 };

/* The steps of the command line, in order. */
struct step {
	int key; /* KEY_LABEL, KEY_FILES0, ARGP_KEY_ARG */
	const char *text;
};

/* The results that were read with the same labels. */
struct label_group {
	char *labels; /* lines NAME=VALUE */
	struct input_files files;
};

struct merge {
	struct cmd_args a;
	ARRAY(struct step) steps;
	bool by_file, strict;
	ARRAY(const char *) labels; /* NAME=VALUE, that results get now */
	ARRAY(struct label_group) groups;
	struct label_group *group; /* of these labels; NULL: not known yet */
	struct hist_merge *sum;
};

static const struct cmd_option options[] = {
	{ "label", KEY_LABEL, "NAME=VALUE", 0,
	  "Add a key NAME, with VALUE for the results that follow", 1, CMD_PARSE },
	{ "key-by", KEY_KEY_BY, "file", 0, "Add a key with the name of the result's file", 1,
	  CMD_PARSE },
	{ "files0-from", KEY_FILES0, "FILE", 0,
	  "Also add the results that FILE lists, each name terminated by a NUL; - is standard input",
	  1, CMD_PARSE },
	{ "strict", 0, NULL, 0,
	  "Exit with 2 if the sum is uncertain: events were lost or dropped, or a RESULT has another caveat",
	  1, CMD_TRUE(struct merge, strict) },
	{ 0 },
};

static int add_step(struct merge *m, int key, const char *text)
{
	struct step step = { key, text };

	return array_push(&m->steps, step) ? ENOMEM : 0;
}

static error_t merge_parse(int key, const char *arg, struct argp_state *state)
{
	struct merge *m = state->input;

	switch (key) {
	case KEY_LABEL:
		if (!strchr(arg, '=') || *arg == '=')
			argp_error(state, "--label takes NAME=VALUE, not '%s'", arg);
		return add_step(m, key, arg);
	case KEY_FILES0:
	case ARGP_KEY_ARG:
		return add_step(m, key, arg);
	case KEY_KEY_BY:
		if (strcmp(arg, "file") != 0)
			argp_error(state, "--key-by takes only 'file', not '%s'", arg);
		m->by_file = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* --- reading --- */

/* Read everything; if a file is to be a @result but cannot be one, read only its start. */
static int read_all(int fd, bool result, struct strbuf *text)
{
	enum { STEP = 1 << 16, MAX_RESULT = 1 << 30, MAX_NAMES = 1 << 26 };
	const size_t max = result ? MAX_RESULT : MAX_NAMES;
	struct span begin;
	ssize_t n;

	do {
		n = fd_append(fd, text, STEP);
		begin = span_ltrim((struct span){ text->s, text->len });
	} while (n == STEP && text->len <= max && (!result || !begin.n || begin.s[0] == '{'));
	if (n < 0)
		return errno;
	return text->len > max ? EFBIG : 0;
}

/* The group of the current labels, which is made if it is new. */
static int find_group(struct merge *m)
{
	struct label_group new = { .labels = NULL };
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < m->labels.n; i++)
		strbuf_addf(&sb, "%s\n", m->labels.v[i]);
	new.labels = strbuf_detach(&sb);
	for (size_t i = 0; new.labels &&i < m->groups.n && !m->group; i++)
		if (!strcmp(m->groups.v[i].labels, new.labels))
			m->group = &m->groups.v[i];
	if (m->group || !new.labels || array_push(&m->groups, new)) {
		free(new.labels);
		return m->group ? 0 : HIST_NOMEM;
	}
	m->group = &m->groups.v[m->groups.n - 1];
	return 0;
}

/* A result can be added only once, except with different labels. */
static int note_result(struct merge *m, int fd, const char *name)
{
	int err = m->group ? 0 : find_group(m);
	const char *other = err ? NULL : input_files_find_fd(&m->group->files, fd);

	if (other)
		return diags_error(m->a.diags, -HIST_EINVAL,
				   "%s and %s are the same file; name it only once", other, name);
	return err ? err : input_files_add_fd(&m->group->files, fd, name);
}

/* Read @path, or standard input for -. */
static int read_file(struct merge *m, const char *path, bool result, struct strbuf *text)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "standard input" : path;
	int fd = STDIN_FILENO, err, noted;

	if (is_stdin && cmd_input_take_stdin(&m->a.input, m->a.diags))
		return -HIST_EINVAL;
	if (!is_stdin)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	err = fd < 0 ? errno : read_all(fd, result, text);
	noted = !err && result ? note_result(m, fd, name) : 0;
	if (!err && !noted)
		noted = input_files_add_fd(&m->a.input.files, fd, name);
	if (fd >= 0 && !is_stdin)
		close(fd);
	return err ? diags_error(m->a.diags, -HIST_EIO, "%s: %s", name, strerror(err)) : noted;
}

static int add_file(struct merge *m, const char *path)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT, label = STRBUF_INIT;
	int err = read_file(m, path, true, &text);

	strbuf_addf(&label, "file=%s", path);
	if (!err && m->by_file)
		err = label.failed ? HIST_NOMEM : hist_merge_label(m->sum, label.s, m->a.diags);
	return err ?: hist_merge_add(m->sum, name, text.s, text.len, m->a.diags);
}

/* Split names that are terminated by NULs; the last one may be missing. */
static int add_files_from(struct merge *m, const char *list)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	int err = read_file(m, list, false, &names);

	for (const char *p = names.s; !err && p < names.s + names.len; p += strlen(p) + 1)
		err = *p ? add_file(m, p)
			 : diags_error(m->a.diags, -HIST_EINVAL, "%s: contains an empty file name",
				       list);
	return err;
}

/* --- the steps in order --- */

/* A label without results after it has no effect: report it as a mistake. */
static int check_steps(const struct merge *m)
{
	const struct step *last;
	const bool any = any_of(i, m->steps.n, m->steps.v[i].key != KEY_LABEL);

	if (!any)
		return diags_error(
			m->a.diags, -HIST_EINVAL,
			"no RESULT is named; hist report --format json -o FILE saves one");
	last = &m->steps.v[m->steps.n - 1];
	if (last->key != KEY_LABEL)
		return 0;
	return diags_error(
		m->a.diags, -HIST_EINVAL,
		"--label %s has no effect: it labels the results that follow it, and none follows",
		last->text);
}

/* A later label with the same name replaces it. */
static int set_label(struct merge *m, const char *text)
{
	size_t i = 0, name = (size_t)(strchr(text, '=') - text) + 1;

	m->group = NULL;
	while (i < m->labels.n && strncmp(m->labels.v[i], text, name) != 0)
		i++;
	if (i == m->labels.n && array_push(&m->labels, text))
		return HIST_NOMEM;
	m->labels.v[i] = text;
	return hist_merge_label(m->sum, text, m->a.diags);
}

static int merge_main(void *args)
{
	struct merge *m = args;
	int err = check_steps(m);

	m->sum = hist_merge_new();
	if (!err && !m->sum)
		err = HIST_NOMEM;
	array_each_while(const struct step, step, &m->steps, !err) {
		if (step->key == KEY_LABEL)
			err = set_label(m, step->text);
		else if (step->key == KEY_FILES0)
			err = add_files_from(m, step->text);
		else
			err = add_file(m, step->text);
	}
	err = err ?: cmd_open_output(&m->a);
	err = err ?: hist_merge_print(m->sum, &m->a.run, cmd_output_write, &m->a.out, m->a.diags);
	m->a.uncertain = !err && m->strict && hist_merge_doubtful(m->sum);
	return err;
}

static void merge_release(void *args)
{
	struct merge *m = args;

	hist_merge_free(m->sum);
	for (size_t i = 0; i < m->groups.n; i++) {
		input_files_release(&m->groups.v[i].files);
		free(m->groups.v[i].labels);
	}
	array_release(&m->groups);
	array_release(&m->labels);
	array_release(&m->steps);
}

const struct cmd cmd_merge = {
	.name = "merge",
	.summary = "adds up saved results of many recordings",
	.uses = CMD_RESULTS,
	.size = sizeof(struct merge),
	.line = {
		.options = options,
		.parse = merge_parse,
		.shared = CMD_SHARED(&cmd_plugin_options, &cmd_output_options, &cmd_result_options),
		.args_doc = "RESULT...",
		.doc = "Adds up results of hist report --format json (or ndjson) and prints the sum.\v"
		       "A RESULT is a file, or - for standard input. All must come from the same triggers on the same events, with the same clock. The sum does not depend on the order, and as json it can be merged again.\n\n"
		       "  hist merge host-*.json\n"
		       "  hist merge --label host=a a.json --label host=b b.json --format csv\n\n"
		       "Exit status: 0, 2 on trouble.",
	},
	.main = merge_main,
	.release = merge_release,
};
