// SPDX-License-Identifier: LGPL-2.1-only
/* Reads the events of this machine: all of them, or one by name; writes them to a file. */
#include <sys/mount.h>

#include "record/steps.h"
#include "record/tracedir.h"

int event_list_read(struct event_list *list, struct diags *diags)
{
	size_t n;
	scoped(free_scoped) char *text = tracedir_read(NULL, "available_events", &n);

	if (!text)
		return tracedir_error(diags, errno, "cannot read", "available_events");
	return event_list_parse(list, (struct span){ text, n });
}

static int find_path(const struct event_list *list, const char *name, char **path,
		     struct diags *diags)
{
	struct record_event request = { .pattern = name };
	scoped(selection_release) struct selection sel = SELECTION_INIT;
	int err = selection_make(&sel, list, &request, 1, diags);

	if (!err && sel.markers && !sel.events.n) {
		*path = strdup("events/ftrace/print");
		return *path ? 0 : -HIST_ENOMEM;
	}
	if (!err && sel.events.n != 1)
		err = diags_error(diags, -HIST_EINVAL, "%s is not the name of one event", name);
	if (!err &&
	    asprintf(path, "events/%s/%s", sel.events.v[0].system, sel.events.v[0].name) < 0)
		err = -HIST_ENOMEM;
	return err;
}

/* Find or mount tracefs, and read its events. */
static int open_machine(struct event_list *list, char **mounted, struct diags *diags)
{
	return tracedir_open(mounted, diags) ?: event_list_read(list, diags);
}

static void close_machine(struct event_list *list, char *mounted)
{
	if (mounted)
		umount(mounted);
	free(mounted);
	event_list_release(list);
}

int record_find_event(const char *name, char **path, struct diags *diags)
{
	const char *cut = strpbrk(name, ":/");
	struct event_list list = EVENT_LIST_INIT;
	char *mounted = NULL;
	int err;

	if (strpbrk(name, "*?[,"))
		return diags_error(diags, -HIST_EINVAL, "%s is not the name of one event", name);
	if (cut)
		return asprintf(path, "events/%.*s/%s", (int)(cut - name), name, cut + 1) < 0
			       ? -HIST_ENOMEM
			       : 0;
	err = open_machine(&list, &mounted, diags);
	err = err ?: find_path(&list, name, path, diags);
	close_machine(&list, mounted);
	return err;
}

int record_machine(const char *path, struct diags *diags)
{
	struct event_list list = EVENT_LIST_INIT;
	char *mounted = NULL;
	int err = open_machine(&list, &mounted, diags);

	err = err ?: machine_write(path, &list, NULL, false, diags);
	close_machine(&list, mounted);
	return err;
}
