// SPDX-License-Identifier: GPL-2.0-only
/* hist check: checks whether a script would be accepted. */
#include "cmd/cmd.h"

struct check_args {
	struct cmd_context *cx;
	struct cmd_input input;
	struct cmd_script script;
};

static const struct cmd_option options[] = {
	{ "explain", 0, NULL, 0, "Show on stderr the triggers made from --sql", 3,
	  CMD_TRUE(struct check_args, input.options.explain) },
	{ 0 },
};

static const struct cmd_shared shared[] = {
	{ &cmd_input_options, offsetof(struct check_args, input) },
	{ &cmd_target_options, offsetof(struct check_args, input) },
	{ &cmd_script_options, offsetof(struct check_args, script) },
	{ 0 },
};

static const struct cmd_options command_line = {
	.options = options,
	.shared = shared,
	.doc = "Checks a script against the event formats of a recording; nothing is replayed.\v"
	       "Exit status: 0, 1 if a line of the script was rejected, 2 on trouble.",
};

/* Every line is checked, even after an error. */
static int check_script(struct check_args *c, struct hist *h, struct hist_script *script)
{
	const struct hist_run_options every_line = { .keep_going = true, .check_only = true };
	int rejected = cmd_script_build(&c->script, h, script, c->cx->diags), err;

	if (rejected && rejected != -HIST_EREJECTED)
		return rejected;
	err = hist_run(h, script, &every_line, strbuf_sink, NULL, c->cx->diags);
	return err ? err : rejected;
}

static int run(struct cmd_context *cx, int argc, char **argv)
{
	struct check_args c = { .cx = cx,
				.input = CMD_INPUT_INIT,
				.script = CMD_SCRIPT_INIT(&c.input) };
	struct hist_script *script = hist_script_new();
	struct hist *h = NULL;
	int err = script ? cmd_parse(&command_line, cx, argc, argv, &c) : HIST_NOMEM;

	if (!err)
		err = cmd_script_load(&c.script, cx->diags);
	c.input.options.strict_kernel = true;
	if (!err)
		err = cmd_input_open(&c.input, &h, cx->diags);
	if (!err)
		err = cmd_input_result(h, check_script(&c, h, script));
	hist_close(h);
	hist_script_free(script);
	cmd_script_release(&c.script);
	cmd_input_release(&c.input);
	return err;
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "checks whether a script would be accepted, without a replay",
	.run = run,
};
