// SPDX-License-Identifier: LGPL-2.1-only
/* The only reader of the text of names of numbers, and what they mean. */
#include <stdio.h>

#include "base/error.h"
#include "base/number_names.h"
#include "base/types.h"

int number_names_read(struct number_names *names, struct span text, struct arena *arena)
{
	const char *copy = arena_strndup(arena, text.s, text.n);
	size_t room = 1;

	*names = (struct number_names){ .n = 0 };
	for (size_t i = 0; i < text.n; i++)
		room += text.s[i] == ' ';
	names->v = arena_alloc(arena, room * sizeof(*names->v));
	if (!copy || !names->v)
		return HIST_NOMEM;
	for (struct span rest = { copy, text.n }; rest.s;) {
		struct span name = span_sep(&rest, " "), digits = span_sep(&name, "=");
		struct number_name *to = &names->v[names->n];

		names->flags |= span_eq(digits, "|");
		names->devices |= span_eq(digits, "MAJOR:MINOR");
		to->name = name;
		names->n += name.n && span_u64(digits, &to->number);
	}
	return 0;
}

/* Append a name to the text of flags, if there is room for it. */
static size_t add_flag(char *buf, size_t room, size_t n, struct span name)
{
	if (n + name.n + 1 > room)
		return n;
	if (n)
		buf[n++] = '|';
	memcpy(buf + n, name.s, name.n);
	return n + name.n;
}

size_t number_name(const struct number_names *names, u64 v, char *buf, size_t room)
{
	size_t n = 0;
	u64 rest = v;

	/* kernel: MAJOR() and MINOR() */
	if (names->devices)
		return (size_t)snprintf(buf, room, "%u:%u", (unsigned int)(v >> 20),
					(unsigned int)(v & 0xfffff));
	for (size_t i = 0; i < names->n; i++)
		if (names->v[i].number == v)
			return add_flag(buf, room, 0, names->v[i].name);
	for (size_t i = 0; i < names->n && names->flags; i++) {
		const u64 flag = names->v[i].number;

		if (!flag || (rest & flag) != flag)
			continue;
		rest &= ~flag;
		n = add_flag(buf, room, n, names->v[i].name);
	}
	return rest ? 0 : n;
}

bool number_is_address(const char *name)
{
	const size_t n = strlen(name);

	return !strcmp(name, "lock") || !strcmp(name, "ip") ||
	       (n >= 4 && !strcmp(name + n - 4, "addr")) ||
	       (n >= 7 && !strcmp(name + n - 7, "address"));
}

bool number_is_id(const char *name)
{
	static const char *const ids[] = { "pid", "tgid", "cpu", "addr", "address", "port" };
	/* these are whole words */
	static const char *const words[] = { "code",     "dev",    "err",      "errno", "error",
					     "family",   "fd",     "flags",    "gid",   "id",
					     "ino",      "irq",    "newstate", "nr",    "oldstate",
					     "protocol", "reason", "sig",      "state", "type",
					     "uid",      "vec",    "vector" };
	size_t len = strlen(name);
	const char *word = strrchr(name, '_');

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(word ? word + 1 : name, words[i]))
			return true;

	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		size_t n = strlen(ids[i]);

		if (len >= n && !strcmp(name + len - n, ids[i]))
			return true;
	}
	return false;
}
