// SPDX-License-Identifier: GPL-2.0-only
/* --exemplars, which hist report and hist diff share. */
#include "cmd/cmd.h"

void cmd_parse_exemplars(const char *arg, unsigned int *n, const char **of,
			 struct argp_state *state)
{
	struct span name = span_of(arg), number = span_sep(&name, ":");
	u64 v;

	if (!span_u64(number, &v) || !v || v > HIST_EXEMPLARS_MAX || (name.s && !name.n))
		argp_error(state,
			   "--exemplars takes N or N:NAME, where N is at most %d and NAME is a "
			   "value, variable or key, not '%s'",
			   HIST_EXEMPLARS_MAX, arg);
	*n = (unsigned int)v;
	*of = name.s;
}
