// SPDX-License-Identifier: GPL-2.0-only
/* hist check: checks whether a script would be accepted. */
#include "cmd/cmd.h"

static const struct cmd_option options[] = {
	{ "explain", 0, NULL, 0, "Show on stderr the triggers made from --sql", 3,
	  CMD_TRUE(struct cmd_args, input.options.explain) },
	{ 0 },
};

/* The rules, and which form of a recipe is checked, are those of kernels. */
static error_t check_parse(int key, const char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_END)
		((struct cmd_args *)state->input)->input.options.strict_kernel = true;
	return cmd_script_parse(key, arg, state);
}

/* Every line is checked, even after an error. */
static int check_main(void *args)
{
	struct cmd_args *a = args;
	int rejected = cmd_script_build(&a->script, a->h, a->lines, a->diags);

	if (rejected && rejected != -HIST_EREJECTED)
		return rejected;
	return hist_script_check(a->h, a->lines, true, a->diags) ?: rejected;
}

const struct cmd cmd_check = {
	.name = "check",
	.summary = "checks whether a script would be accepted, without a replay",
	.uses = CMD_RECORDING,
	.size = sizeof(struct cmd_args),
	.line = {
		.options = options,
		.parse = check_parse,
		.shared = CMD_SHARED(&cmd_input_options, &cmd_buffer_options, &cmd_kernel_options,
				     &cmd_script_options),
		.args_doc = "[SCRIPT...]",
		.doc = "Checks a script against the event formats of a recording; nothing is replayed.\v"
		       "Exit status: 0, 1 if a line of the script was rejected, 2 on trouble.",
	},
	.main = check_main,
};
