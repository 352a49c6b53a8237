/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Names of numbers, as a text "NUMBER=NAME NUMBER=NAME ...". A word "|" before them says that they
 * are flags, and "MAJOR:MINOR" that the numbers are those of devices.
 */
#pragma once
#include "base/arena.h"
#include "base/array.h"
#include "base/span.h"

struct number_name {
	u64 number;
	struct span name;
};

struct number_names {
	struct number_name *v; /* in the order of the text: the first name of a number wins */
	size_t n;
	bool flags, devices;
};

/* The names of a text, which is copied. 0, -HIST_ENOMEM */
int number_names_read(struct number_names *names, struct span text, struct arena *arena);

static inline bool number_names_any(const struct number_names *names)
{
	return names->n || names->devices;
}

/*
 * The name of a number in @buf: that of the list, those of its flags if each of them has one, or
 * the two numbers of a device. Return: its length, at most @room; 0: it has none
 */
size_t number_name(const struct number_names *names, u64 v, char *buf, size_t room);

/* Whether a number with this name is the id of a task or CPU, or an address: these have no mean. */
bool number_is_id(const char *name);

/* Whether it is an address, which people read as hexadecimal. */
bool number_is_address(const char *name);
