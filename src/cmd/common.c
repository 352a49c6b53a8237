// SPDX-License-Identifier: GPL-2.0-only
/* Shared by all verbs: common options, and parsing of a command line. */
#include <string.h>

#include "cmd/cmd.h"

enum { KEY_COLOR = 0x100 };

static const struct argp_option options[] = {
	{ "color", KEY_COLOR, "WHEN", 0, "Colour in messages: auto (on a terminal), always, never",
	  -2 },
	{ "quiet", 'q', NULL, 0, "Show errors only, no warnings and notes", -2 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct cmd_context *cx = state->input;

	switch (key) {
	case KEY_COLOR:
		if (!strcmp(arg, "auto"))
			cx->colour = CMD_COLOUR_AUTO;
		else if (!strcmp(arg, "always"))
			cx->colour = CMD_COLOUR_ALWAYS;
		else if (!strcmp(arg, "never"))
			cx->colour = CMD_COLOUR_NEVER;
		else
			argp_error(state, "--color takes auto, always or never, not '%s'", arg);
		return 0;
	case 'q':
		cx->quiet = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp cmd_common_argp = { .options = options, .parser = parse };

int cmd_parse(const struct argp *argp, int argc, char **argv, void *input)
{
	error_t err = argp_parse(argp, argc, argv, ARGP_IN_ORDER, NULL, input);

	return err ? HIST_NOMEM : 0;
}
