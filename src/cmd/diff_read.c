// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the files of all sides, recordings and saved results, into one struct hist_diff, and prints
 * the comparison, or the trend.
 *
 * Saved results are read first, because their script is used for recordings if the command line
 * gives none. Only one recording is open at a time.
 */
#include "cmd/cmd_diff.h"

struct run_input {
	const char *name;
	bool is_recording;
	struct cmd_input input; /* of a recording */
	char *stored;           /* the script stored in it; NULL: none */
};

struct runs {
	struct diff *d;
	struct hist_diff *diff;
	ARRAY(struct run_input) list;
	const char *script; /* for recordings; NULL: from the command line */
};

/* --- saved results in a directory, as CI stores them: one file per build --- */

static bool is_saved(const char *name)
{
	size_t n = strlen(name);

	return name[0] != '.' && ((n > 5 && !strcmp(name + n - 5, ".json")) ||
				  (n > 7 && !strcmp(name + n - 7, ".ndjson")));
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

int history_list(struct diff *d, const char *path, const char *except, text_array *files)
{
	struct stat st, except_st;
	bool has_except = except && !stat(except, &except_st);
	size_t start = files->n, n;
	const struct dirent *entry;
	DIR *dir = opendir(path);
	int err = 0;

	if (!dir)
		return diags_error(d->a.diags, -HIST_EIO, "%s: %s", path, strerror(errno));
	while (!err && (entry = readdir(dir))) {
		const char *name;

		if (!is_saved(entry->d_name))
			continue;
		name = arena_printf(&d->a.input.arena, "%s/%s", path, entry->d_name);
		if (!name)
			err = HIST_NOMEM;
		else if (!has_except || stat(name, &st) || st.st_dev != except_st.st_dev ||
			 st.st_ino != except_st.st_ino)
			err = array_push(files, name);
	}
	closedir(dir);
	n = files->n - start;
	if (!err && !n)
		err = diags_error(
			d->a.diags, -HIST_EINVAL,
			"%s: contains no saved results (*.json); hist report --format json -o %s/NAME.json saves one",
			path, path);
	if (err)
		return err;
	qsort(files->v + start, n, sizeof(*files->v), compare_names);
	if (d->last && n > d->last) {
		memmove(files->v + start, files->v + files->n - d->last,
			d->last * sizeof(*files->v));
		files->n = start + d->last;
	}
	return 0;
}

/* --- files --- */

enum { MAX_SAVED = 1 << 30 };

static int read_more(struct strbuf *sb, size_t n, const char *name, int fd, struct diags *diags)
{
	if (fd_append(fd, sb, n) >= 0)
		return 0;
	return errno == ENOMEM ? HIST_NOMEM
			       : diags_error(diags, -HIST_EIO, "%s: %s", name, strerror(errno));
}

/* Read the rest of a saved result; a file that is not one is not read to its end. */
static int add_saved(struct runs *r, size_t run, int fd, struct strbuf *sb)
{
	const char *name = r->list.v[run].name;
	struct span text = span_ltrim((struct span){ sb->s, sb->len });
	struct diags *diags = r->d->a.diags;
	int err;

	if (!text.n || text.s[0] != '{')
		return diags_error(
			diags, -HIST_EFORMAT, "%s: %s", name,
			sb->len ? "neither a trace.dat nor a saved result: save one with hist report "
				  "--format json"
				: "is empty");
	err = read_more(sb, MAX_SAVED, name, fd, diags);
	if (!err && sb->len >= MAX_SAVED)
		err = diags_error(diags, -HIST_ELIMIT,
				  "%s: too large: a saved result has at most 1 GiB", name);
	err = err ?: hist_diff_start_run(r->diff, run, name, diags);
	return err ? err : hist_diff_add_saved(r->diff, sb->s, sb->len, diags);
}

static int add_file(struct runs *r, size_t at)
{
	struct run_input *run = &r->list.v[at];
	struct diags *diags = r->d->a.diags;
	bool is_stdin = !strcmp(run->name, "-");
	int fd = is_stdin ? STDIN_FILENO : open(run->name, O_RDONLY | O_CLOEXEC);
	int err = is_stdin ? cmd_input_take_stdin(&r->d->a.input, diags) : 0;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct stat st;

	if (fd < 0)
		return diags_error(diags, -HIST_EIO, "%s: %s%s", run->name, strerror(errno),
				   r->d->defaulted ? "; give BEFORE and AFTER" : "");
	if (is_stdin)
		run->name = "standard input";
	if (!err && !is_stdin && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
		/* no saved result is a directory; some recordings are */
		run->is_recording = true;
		close(fd);
		return array_push(&run->input.paths, run->name);
	}
	err = err ?: input_files_add_fd(&r->d->a.input.files, fd, run->name);
	err = err ?: read_more(&sb, CMD_HEAD_SIZE, run->name, fd, diags);
	run->is_recording = !err && hist_recognises(sb.s, sb.len);
	if (!err && !run->is_recording)
		err = add_saved(r, at, fd, &sb);
	else if (!err && !is_stdin && lseek(fd, 0, SEEK_SET) == 0)
		err = array_push(&run->input.paths, run->name);
	else if (!err)
		err = cmd_input_add_fd(&run->input, run->name, fd, (struct span){ sb.s, sb.len },
				       diags);
	if (!is_stdin)
		close(fd);
	return err;
}

/* --- the script --- */

static int find_stored(struct runs *r)
{
	array_each_while(struct run_input, run, &r->list, !r->script) {
		struct hist *h = NULL;
		size_t n_paths = run->input.paths.n;
		const char *stored;
		int err;

		if (!run->is_recording)
			continue;
		err = cmd_input_open(&run->input, &h, r->d->a.diags);
		run->input.paths.n = n_paths; /* opened again later */
		if (err)
			return err;
		stored = hist_stored_script(h);
		if (stored)
			run->stored = strdup(stored);
		r->script = run->stored;
		hist_close(h);
	}
	return 0;
}

/* The script of the command line; otherwise that of a saved result; otherwise the stored one. */
static int build_script(struct runs *r, const struct run_input *run, struct hist *h,
			struct hist_script *script)
{
	struct diags *diags = r->d->a.diags;
	const char *text = r->script, *name = "script of the saved result";
	const char *verb = r->d->options.trend ? "trend" : "diff";

	if (r->d->a.script.pieces.n)
		return cmd_script_build(&r->d->a.script, h, script, diags);
	if (!hist_diff_script(r->diff)) {
		name = "stored script";
		if (hist_stored_script(h))
			text = hist_stored_script(h);
	}
	if (!text) {
		const char *event = hist_recorded_event(h, 0);

		diags_error(
			diags, -HIST_EINVAL,
			"nothing to compare: %s contains no script; give -S SCRIPT, or -e EVENT -R TRIGGER",
			run->name);
		if (event)
			diags_add(
				diags, DIAG_NOTE,
				"for example: hist %s -e %s --by comm FILE FILE, or hist %s RECIPE FILE FILE, "
				"of those that hist recipe -i FILE lists; what takes more time than "
				"before: hist summary --baseline FILE FILE",
				verb, event, verb);
		return -HIST_EINVAL;
	}
	return hist_script_parse(script, name, text, strlen(text), diags);
}

/* --- recordings --- */

static int replay(struct runs *r, size_t at)
{
	struct run_input *run = &r->list.v[at];
	struct hist_script *script = hist_script_new();
	struct hist *h = NULL;
	int err = script ? cmd_input_open(&run->input, &h, r->d->a.diags) : HIST_NOMEM;

	err = err ?: build_script(r, run, h, script);
	err = err ?: hist_diff_start_run(r->diff, at, run->name, r->d->a.diags);
	err = err ?: hist_diff_add_recording(r->diff, h, script, r->d->a.diags);
	if (err == -HIST_EREJECTED && !r->d->a.script.pieces.n)
		diags_add(
			r->d->a.diags, DIAG_NOTE,
			"without a question, the stored script is compared; with one: hist %s "
			"on-cpu BEFORE AFTER; what takes more time: hist summary --baseline BEFORE AFTER",
			r->d->options.trend ? "trend" : "diff");
	hist_close(h);
	hist_script_free(script);
	return err;
}

static int read_all(struct runs *r)
{
	bool script = r->d->a.script.pieces.n;
	int err = 0;

	for (size_t i = 0; i < r->list.n && !err; i++)
		err = add_file(r, i);
	if (err)
		return err;
	if (!script)
		r->script = hist_diff_script(r->diff);
	if (!script && !r->script)
		err = find_stored(r);
	for (size_t i = 0; i < r->list.n && !err; i++)
		if (r->list.v[i].is_recording)
			err = replay(r, i);
	return err;
}

/* --- all steps --- */

int diff_compare(struct diff *d)
{
	enum hist_diff_verdict verdict = HIST_DIFF_INCONCLUSIVE;
	struct hist_diff_options *o = &d->options;
	struct runs r = { .d = d };
	int err;

	o->n_before = d->sides.v[0].files.n;
	o->drop_keys = d->drop_keys.v;
	o->n_drop_keys = d->drop_keys.n;
	o->only = d->only.v;
	o->n_only = d->only.n;
	o->units = d->units.v;
	o->n_units = d->units.n;
	err = hist_diff_new(o, &r.diff, d->a.diags);
	if (!err && d->metric)
		hist_diff_metric(r.diff, d->metric);
	for (size_t i = 0; i < d->sides.n && !err; i++)
		for (size_t k = 0; k < d->sides.v[i].files.n && !err; k++)
			err = array_push(
				&r.list,
				((struct run_input){ .name = d->sides.v[i].files.v[k],
						     .input.options = d->a.input.options,
						     .input.session = d->a.input.session,
						     .input.selection = d->a.input.selection }));
	err = err ?: read_all(&r);
	err = err ?: cmd_check_binary(&d->a, d->options.format);
	err = err ?: cmd_open_output(&d->a);
	if (!err)
		err = (o->trend ? hist_diff_print_trend : hist_diff_print)(
			r.diff, cmd_output_write, &d->a.out, &verdict, d->a.diags);
	hist_diff_free(r.diff);
	for (size_t i = 0; i < r.list.n; i++) {
		free(r.list.v[i].stored);
		cmd_input_release(&r.list.v[i].input);
	}
	array_release(&r.list);
	/* 1 only reports a difference */
	return err == -HIST_EREJECTED ? CMD_TROUBLE : err ? err : (int)verdict;
}

void diff_release(void *args)
{
	struct diff *d = args;

	for (size_t i = 0; i < d->sides.n; i++)
		array_release(&d->sides.v[i].files);
	array_release(&d->sides);
	array_release(&d->fail_on);
	array_release(&d->drop_keys);
	array_release(&d->only);
	array_release(&d->units);
}
