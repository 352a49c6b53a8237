// SPDX-License-Identifier: GPL-2.0-only
/* Properties of the terminal of standard output. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/tty.h"

bool cmd_is_colourful(const struct cmd_context *cx, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (cx->colour != CMD_COLOUR_AUTO)
		return cx->colour == CMD_COLOUR_ALWAYS;
	return fd >= 0 && isatty(fd) && !(no_color && *no_color) && term &&
	       strcmp(term, "dumb") != 0;
}

unsigned int cmd_columns(const char *output)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	char *end;
	long n = columns ? strtol(columns, &end, 10) : 0;

	if (columns && end != columns && !*end && n > 0 && n < 10000)
		return (unsigned int)n;
	if (!output && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return size.ws_col;
	return 0;
}
