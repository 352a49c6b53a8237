/* SPDX-License-Identifier: LGPL-2.1-only */
/* A terminal whose screen is drawn, with keys that are read one by one. */
#pragma once
#include <termios.h>

#include "base/base.h"

/* Keys that are not characters. */
enum {
	TOP_KEY_NONE,
	TOP_KEY_UP = 0x100,
	TOP_KEY_DOWN,
	TOP_KEY_PAGE_UP,
	TOP_KEY_PAGE_DOWN,
	TOP_KEY_HOME,
	TOP_KEY_END,
	TOP_KEY_ESCAPE,
	TOP_KEY_GONE, /* there is no terminal any more */
};

struct top_terminal {
	int in, out; /* -1: not open */
	struct termios before;
	unsigned char held[16]; /* read, but not yet taken */
	size_t n;
};

#define TOP_TERMINAL_INIT           \
	{                           \
		.in = -1, .out = -1 \
	}

/* Whether standard output is one, and keys can be read. */
bool top_terminal_found(void);

/* Switch to another screen, and read keys without waiting for a line. 0, -1 with errno */
int top_terminal_open(struct top_terminal *t);

/* Back to what was there before. */
void top_terminal_close(struct top_terminal *t);

void top_terminal_size(const struct top_terminal *t, unsigned int *width, unsigned int *height);

/* Wait up to @ms for a key. */
int top_terminal_key(struct top_terminal *t, int ms);

/* The key at the start of @bytes, of which @used are taken. TOP_KEY_NONE: it is not complete */
int top_key(const unsigned char *bytes, size_t n, size_t *used);
