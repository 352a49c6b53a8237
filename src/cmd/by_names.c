// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names for the numbers of --by keys, such as vectors of softirqs and states of tasks: those in the
 * print fmt of the event. Names belong to keys, whichever histogram they are in, so only one event
 * gets them.
 */
#include <stdlib.h>

#include "cmd/by_args.h"
#include "cmd/cmd.h"
#include "cmd/script_args.h"

/* The only -e, if nothing else has histograms; NULL: there is another one. */
static const char *only_event(const struct cmd_script *cs)
{
	const char *event = NULL;

	for (size_t i = 0; i < cs->pieces.n; i++) {
		int key = cs->pieces.v[i].key;

		if (key == 'R' || key == CMD_SCRIPT_SQL || key == (int)ARGP_KEY_ARG ||
		    (key == 'e' && event))
			return NULL;
		if (key == 'e')
			event = cs->pieces.v[i].text;
	}
	return event;
}

/* "KEY SYSTEM:EVENT.KEY" for each key that is only a name. */
static int add_keys(struct cmd_script *cs, const char *path, const char *keys)
{
	struct span rest = span_of(keys), list = span_sep(&rest, ":");
	struct span event, system;
	int err = 0;

	cmd_split_event(path, &system, &event);
	while (list.s && !err) {
		struct span key = cmd_by_field(span_sep(&list, ","));
		const char *names;

		if (!key.n || span_chr(key, '.') || span_chr(key, '('))
			continue;
		names = arena_printf(&cs->input->arena, "%.*s %.*s:%.*s.%.*s", (int)key.n, key.s,
				     (int)system.n, system.s, (int)event.n, event.s, (int)key.n,
				     key.s);
		err = names ? array_push(&cs->key_names, names) : HIST_NOMEM;
	}
	return err;
}

int cmd_by_names(struct cmd_script *cs, struct hist *h)
{
	const char *event = only_event(cs);
	struct diags ignored = DIAGS_INIT;
	char *path = NULL;
	int err = 0;

	if (event && !hist_find_event(h, event, &path, &ignored))
		for (size_t i = 0; i < cs->pieces.n && !err; i++)
			if (cs->pieces.v[i].key == CMD_SCRIPT_BY && cs->pieces.v[i].text)
				err = add_keys(cs, path, cs->pieces.v[i].text);
	free(path);
	diags_release(&ignored);
	return err;
}
