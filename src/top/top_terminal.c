// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Escape sequences that every terminal since the VT100 has, and the second screen of xterm. Ctrl-C
 * stays a signal, which ends the recording; Ctrl-Z is off, because a stopped program would leave
 * the terminal as it is.
 */
#include <poll.h>
#include <sys/ioctl.h>

#include "top/top_terminal.h"

static void put_text(const struct top_terminal *t, const char *text)
{
	size_t n = strlen(text);

	while (n) {
		ssize_t written = write(t->out, text, n);

		if (written < 0 && errno != EINTR)
			return;
		text += written > 0 ? written : 0;
		n -= written > 0 ? (size_t)written : 0;
	}
}

bool top_terminal_found(void)
{
	int fd;

	if (!isatty(STDOUT_FILENO))
		return false;
	if (isatty(STDIN_FILENO))
		return true;
	fd = open("/dev/tty", O_RDONLY | O_CLOEXEC);
	fd_close(fd);
	return fd >= 0;
}

int top_terminal_open(struct top_terminal *t)
{
	struct termios raw;

	t->in = isatty(STDIN_FILENO) ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				     : open("/dev/tty", O_RDONLY | O_CLOEXEC);
	if (t->in < 0)
		return -1;
	if (tcgetattr(t->in, &t->before)) {
		fd_close(t->in);
		t->in = -1;
		return -1;
	}
	t->out = STDOUT_FILENO;
	raw = t->before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
	raw.c_cc[VMIN] = 0;
	raw.c_cc[VTIME] = 0;
	raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	tcsetattr(t->in, TCSAFLUSH, &raw);
	/* the other screen, no cursor, no wrapping */
	put_text(t, "\033[?1049h\033[?25l\033[?7l\033[2J");
	return 0;
}

void top_terminal_close(struct top_terminal *t)
{
	if (t->in < 0)
		return;
	put_text(t, "\033[?7h\033[?25h\033[?1049l");
	tcsetattr(t->in, TCSAFLUSH, &t->before);
	fd_close(t->in);
	t->in = t->out = -1;
}

void top_terminal_size(const struct top_terminal *t, unsigned int *width, unsigned int *height)
{
	struct winsize size;

	*width = 80;
	*height = 24;
	if (ioctl(t->out, TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		return;
	*width = size.ws_col;
	*height = size.ws_row;
}

/* ESC [ LETTER, ESC O LETTER, ESC [ NUMBER ~ */
static int sequence_key(const unsigned char *s, size_t n, size_t *used)
{
	static const struct {
		const char *text;
		int key;
	} keys[] = {
		{ "A", TOP_KEY_UP },    { "B", TOP_KEY_DOWN },     { "H", TOP_KEY_HOME },
		{ "F", TOP_KEY_END },   { "5~", TOP_KEY_PAGE_UP }, { "6~", TOP_KEY_PAGE_DOWN },
		{ "1~", TOP_KEY_HOME }, { "7~", TOP_KEY_HOME },    { "4~", TOP_KEY_END },
		{ "8~", TOP_KEY_END },
	};
	size_t end = 2;

	while (end < n && s[end] < 0x40)
		end++;
	if (end == n) {
		*used = n;
		return TOP_KEY_NONE;
	}
	*used = end + 1;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (strlen(keys[i].text) == end - 1 && !memcmp(keys[i].text, s + 2, end - 1))
			return keys[i].key;
	return TOP_KEY_NONE;
}

int top_key(const unsigned char *bytes, size_t n, size_t *used)
{
	*used = 0;
	if (!n)
		return TOP_KEY_NONE;
	*used = 1;
	if (bytes[0] != '\033')
		return bytes[0] ? bytes[0] : TOP_KEY_NONE;
	if (n == 1)
		return TOP_KEY_ESCAPE;
	if (bytes[1] != '[' && bytes[1] != 'O')
		return TOP_KEY_ESCAPE;
	return sequence_key(bytes, n, used);
}

int top_terminal_key(struct top_terminal *t, int ms)
{
	struct pollfd fd = { .fd = t->in, .events = POLLIN };
	size_t used;
	ssize_t n;
	int key;

	if (!t->n) {
		if (poll(&fd, 1, ms) <= 0)
			return TOP_KEY_NONE;
		n = read(t->in, t->held, sizeof(t->held));
		if (n <= 0)
			return n < 0 && errno == EINTR ? TOP_KEY_NONE : TOP_KEY_GONE;
		t->n = (size_t)n;
	}
	key = top_key(t->held, t->n, &used);
	t->n -= used;
	memmove(t->held, t->held + used, t->n);
	return key;
}
