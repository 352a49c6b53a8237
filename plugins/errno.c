// SPDX-License-Identifier: LGPL-2.1-only
/*
 * errno: names of negative return values of system calls. `--modifier ret=errno` shows -2 as
 * ENOENT.
 *
 * The numbers are those of this machine; on other architectures numbers above 34 differ.
 */
#include <string.h>

#include "hist-plugin.h"

enum { MAX_ERRNO = 4095 };

/* Errors that are internal to the kernel; system calls return them before they are restarted. */
static const struct {
	int number;
	const char *name;
} internal[] = {
	{ 512, "ERESTARTSYS" },
	{ 513, "ERESTARTNOINTR" },
	{ 514, "ERESTARTNOHAND" },
	{ 515, "ENOIOCTLCMD" },
	{ 516, "ERESTART_RESTARTBLOCK" },
	{ 517, "EPROBE_DEFER" },
	{ 518, "EOPENSTALE" },
	{ 519, "ENOPARAM" },
	{ 521, "EBADHANDLE" },
	{ 522, "ENOTSYNC" },
	{ 523, "EBADCOOKIE" },
	{ 524, "ENOTSUPP" },
	{ 525, "ETOOSMALL" },
	{ 526, "ESERVERFAULT" },
	{ 527, "EBADTYPE" },
	{ 528, "EJUKEBOX" },
	{ 529, "EIOCBQUEUED" },
	{ 530, "ERECALLCONFLICT" },
};

static const char *name_of(int number)
{
	for (size_t i = 0; i < sizeof(internal) / sizeof(internal[0]); i++)
		if (internal[i].number == number)
			return internal[i].name;
	return strerrorname_np(number);
}

/* An unsigned field of 64 bits may also contain a negative number. */
static size_t render(uint64_t num, int is_signed, char *buf, size_t size)
{
	int64_t value = (int64_t)num;
	const char *name;
	size_t n;

	(void)is_signed;
	if (value >= 0 || value < -MAX_ERRNO)
		return 0;
	name = name_of((int)-value);
	n = name ? strlen(name) : 0;
	if (n > size)
		return 0;
	memcpy(buf, name ? name : "", n);
	return n;
}

static const struct hist_plugin_modifier modifiers[] = {
	{ .name = "errno", .summary = "names negative return values", .render = render },
};

const struct hist_plugin hist_plugin = {
	.abi = HIST_PLUGIN_ABI,
	.name = "errno",
	.modifiers = modifiers,
	.n_modifiers = 1,
};
