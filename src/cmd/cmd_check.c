// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist check: checks whether a script would be accepted, or whether two readers return the same
 * records.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"

enum { KEY_READER = 0x400, KEY_EXPLAIN };

struct check_args {
	struct cmd_context *cx;
	struct cmd_input input;
	struct cmd_script script;
	bool reader;
};

static const struct argp_option options[] = {
	{ "reader", KEY_READER, NULL, 0,
	  "Compare the native reader with libtracecmd's, record by record, instead of checking a script",
	  3 },
	{ "explain", KEY_EXPLAIN, NULL, 0, "Show on stderr the triggers made from --sql", 3 },
	{ 0 },
};

/* NOLINTNEXTLINE(readability-non-const-parameter): argp requires this type */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct check_args *c = state->input;

	(void)arg;
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = state->child_inputs[1] = &c->input;
		state->child_inputs[2] = &c->script;
		state->child_inputs[3] = c->cx;
		return 0;
	case KEY_READER:
		c->reader = true;
		return 0;
	case KEY_EXPLAIN:
		c->input.options.explain = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child children[] = {
	{ .argp = &cmd_input_argp },
	{ .argp = &cmd_target_argp },
	{ .argp = &cmd_script_argp },
	{ .argp = &cmd_common_argp },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.children = children,
	.doc = "Checks a script against the event formats of a recording; nothing is replayed.\v"
	       "Exit status: 0, 1 if a line of the script was rejected or the readers differ, 2 on trouble.",
};

/* Every line is checked, even after an error. */
static int check_script(struct check_args *c, struct hist *h, struct hist_script *script)
{
	const struct hist_run_options every_line = { .keep_going = true, .check_only = true };
	int rejected = cmd_script_build(&c->script, h, script, c->cx->diags);
	struct cmd_output out;
	int err, closed;

	if (rejected && rejected != -HIST_EREJECTED)
		return rejected;
	err = cmd_output_open(&out, NULL, NULL, c->cx->diags);
	if (!err)
		err = hist_run(h, script, &every_line, cmd_output_write, &out, c->cx->diags);
	closed = cmd_output_close(&out, true, c->cx->diags);
	if (closed || (err && err != -HIST_EREJECTED))
		return closed ? closed : err;
	return err ? err : rejected;
}

static int check_readers(struct check_args *c)
{
	struct cmd_output out;
	int err, closed, result = 0;

	err = cmd_output_open(&out, NULL, NULL, c->cx->diags);
	for (size_t i = 0; i < c->input.options.n_inputs && !err; i++) {
		err = hist_check_reader(c->input.options.inputs[i], c->input.options.names[i],
					cmd_output_write, &out, c->cx->diags);
		if (err == 1) {
			result = CMD_REJECTED;
			err = 0;
		}
	}
	closed = cmd_output_close(&out, true, c->cx->diags);
	if (closed || err)
		return closed ? closed : err;
	return result;
}

static int check(struct check_args *c)
{
	struct hist_script *script = hist_script_new();
	struct hist *h = NULL;
	int err = script ? cmd_script_load(&c->script, c->cx->diags) : HIST_NOMEM;

	if (!err && c->reader && c->script.pieces.n)
		err = diags_error(c->cx->diags, -HIST_EINVAL,
				  "--reader takes recordings, not a script: %s",
				  c->script.pieces.v[0].name);
	c->input.options.strict_kernel = true;
	if (!err)
		err = cmd_input_open(&c->input, &h, c->cx->diags);
	if (!err)
		err = cmd_input_result(h,
				       c->reader ? check_readers(c) : check_script(c, h, script));
	hist_close(h);
	hist_script_free(script);
	return err;
}

/*
 * libtracecmd crashes on some damaged recordings, so another process compares the readers, and
 * prints and exits as usual. Return: its exit status, or a negative code.
 */
static int check_in_child(struct check_args *c)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		return check(c);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return diags_error(c->cx->diags, -HIST_EIO, "cannot run another process: %s",
				   strerror(errno));
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	return diags_error(
		c->cx->diags, -HIST_EUNSUPPORTED,
		"libtracecmd crashed (%s) while it read the recording, which may be damaged; hist dump --audit checks it",
		strsignal(WTERMSIG(status)));
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct check_args c = { .cx = cx,
				.input = CMD_INPUT_INIT,
				.script = CMD_SCRIPT_INIT(&c.input) };
	int err = cmd_parse(&argp, argc, argv, &c);

	if (!err)
		err = c.reader ? check_in_child(&c) : check(&c);
	cmd_script_release(&c.script);
	cmd_input_release(&c.input);
	return err;
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "checks whether a script would be accepted, without a replay",
	.run = run,
};
