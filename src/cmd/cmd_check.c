// SPDX-License-Identifier: GPL-2.0-only
/* hist check: checks whether a script would be accepted. */
#include "cmd/cmd.h"

enum { KEY_EXPLAIN = 0x400 };

struct check_args {
	struct cmd_context *cx;
	struct cmd_input input;
	struct cmd_script script;
};

static const struct argp_option options[] = {
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
	       "Exit status: 0, 1 if a line of the script was rejected, 2 on trouble.",
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

static int check(struct check_args *c)
{
	struct hist_script *script = hist_script_new();
	struct hist *h = NULL;
	int err = script ? cmd_script_load(&c->script, c->cx->diags) : HIST_NOMEM;

	c->input.options.strict_kernel = true;
	if (!err)
		err = cmd_input_open(&c->input, &h, c->cx->diags);
	if (!err)
		err = cmd_input_result(h, check_script(c, h, script));
	hist_close(h);
	hist_script_free(script);
	return err;
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct check_args c = { .cx = cx,
				.input = CMD_INPUT_INIT,
				.script = CMD_SCRIPT_INIT(&c.input) };
	int err = cmd_parse(&argp, argc, argv, &c);

	if (!err)
		err = check(&c);
	cmd_script_release(&c.script);
	cmd_input_release(&c.input);
	return err;
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "checks whether a script would be accepted, without a replay",
	.run = run,
};
