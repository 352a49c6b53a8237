// SPDX-License-Identifier: GPL-2.0-only
/* The steps that all verbs have: options, plugins, scripts, recordings, the output, and the end. */
#include "cmd/cmd.h"

/* Results as Parquet, in a directory or a file. */
static int choose_parquet(struct cmd_args *a)
{
	const char *directory = NULL;
	int err = 0;

	if (a->run.format && !strcmp(a->run.format, "parquet"))
		err = cmd_parquet_place(a, &directory);
	if (!err && directory) {
		a->run.format = arena_printf(&a->input.arena, "parquet:%s", directory);
		err = a->run.format ? 0 : HIST_NOMEM;
	}
	return err;
}

/* --hosts: what follows the first recording is opened by itself. */
static int take_others(struct cmd_args *a)
{
	text_array *paths = &a->input.paths;
	int err = 0;

	for (size_t i = 0; i < paths->n && !err; i++) {
		const char *path = paths->v[i], *same = input_files_find(&a->input.files, path);

		if (same)
			return diags_error(a->diags, -HIST_EINVAL,
					   "%s and %s are the same recording; name it only once",
					   same, path);
		err = input_files_add(&a->input.files, path, path);
		err = err ?: i ? array_push(&a->others, path) : 0;
	}
	paths->n = min_t(size_t, paths->n, 1);
	return err;
}

static int prepare(const struct cmd *cmd, struct cmd_args *a)
{
	int err = 0;

	if (cmd->uses & CMD_RESULTS) {
		a->run.format = a->to.format = cmd_format_of_name(a, a->to.format, "html");
		a->run.json_u64_as_string = a->to.json_u64_as_string;
		a->run.colour = cmd_is_colourful(a->cx, a->to.path ? -1 : STDOUT_FILENO);
		a->run.width = cmd_columns(a->to.path);
		a->run.command = a->cx->command;
		a->run.exemplars = a->exemplars.n;
		a->run.exemplars_of = a->exemplars.of;
		err = cmd_load_plugins(a);
		err = err ?: choose_parquet(a);
	}
	a->script.alone = cmd->alone;
	err = err ?: cmd_script_load(&a->script, a->diags);
	if (!err && cmd->prepare)
		err = cmd->prepare(a);
	if (!err && a->hosts)
		err = take_others(a);
	if (err || !(cmd->uses & CMD_RECORDING))
		return err;
	a->lines = hist_script_new();
	return a->lines ? cmd_input_open(&a->input, &a->h, a->diags) : HIST_NOMEM;
}

static void release(const struct cmd *cmd, struct cmd_args *a)
{
	hist_close(a->h);
	hist_script_free(a->lines);
	if (cmd->release)
		cmd->release(a);
	hist_plugins_free(a->plugins);
	array_release(&a->plugin_files);
	array_release(&a->modifiers);
	array_release(&a->others);
	cmd_script_release(&a->script);
	cmd_input_release(&a->input);
	free(a);
}

/* Flush data first, so that messages and data keep their order if both go to the same place. */
void cmd_print_diagnoses(const struct cmd_context *cx)
{
	bool colour = cmd_is_colourful(cx, STDERR_FILENO);

	fflush(stdout);
	for (size_t i = 0; i < hist_diags_count(cx->diags); i++) {
		char *text;

		if (cx->quiet && hist_diags_level(cx->diags, i) != HIST_ERROR)
			continue;
		text = hist_diags_text(cx->diags, i, "hist", colour);
		fputs(text ? text : "hist: error: out of memory for a message\n", stderr);
		free(text);
	}
	if (cx->diags->failed)
		fputs("hist: error: out of memory; some messages are missing\n", stderr);
}

int cmd_main(const struct cmd *cmd, struct cmd_context *cx, int argc, char **argv)
{
	struct cmd_args *a = calloc(1, cmd->size);
	int err;

	if (!a)
		return HIST_NOMEM;
	a->cx = cx;
	a->diags = cx->diags;
	a->script.input = &a->input;
	a->script.only_recipes = cx->session != NULL;
	if (cx->session) {
		a->input.session = cx->session->kept;
		a->input.selection.files.symfs = a->input.selection.files.buildid_dir =
			cx->session->symfs;
	}
	err = cmd_parse(&cmd->line, cx, argc, argv, a);
	err = err ?: prepare(cmd, a);
	err = err ?: cmd->main(a);
	if (a->out.name)
		err = cmd_output_close(&a->out,
				       err >= 0 || (err == -HIST_EREJECTED && a->run.keep_going),
				       err, a->diags);
	if (a->uncertain && (err >= 0 || err == -HIST_EREJECTED))
		err = CMD_TROUBLE;
	err = cmd_input_result(a->h, err);
	release(cmd, a);
	return err;
}
