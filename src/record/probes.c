// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Probes for the time of a recording. Enters: lines for kprobe_events, uprobe_events or
 * dynamic_events. Leaves: the probes, and in the journal the lines that remove them.
 *
 * The kernel makes up names that a line does not give; so what to remove is what
 * dynamic_events shows after the write and did not show before. Nothing is ever
 * truncated: probes of others stay.
 */
#include <errno.h>

#include <tracefs.h>

#include "record/error_log.h"
#include "record/session.h"
#include "record/tracedir.h"

static bool has_line(struct span text, struct span line)
{
	while (text.s)
		if (span_same(span_sep(&text, "\n"), line))
			return true;
	return false;
}

/* "p:kprobes/name ..." or "r8:..." is removed by "-:kprobes/name". */
static int log_removal(struct undo *undo, struct span line)
{
	struct span rest = line, name;
	struct strbuf sb = STRBUF_INIT;
	int err;

	span_sep(&rest, ":");
	name = span_sep(&rest, " \t");
	if (!name.n)
		return 0;
	strbuf_addf(&sb, "-:%.*s", (int)name.n, name.s);
	err = sb.failed ? -HIST_ENOMEM : undo_log_probe(undo, sb.s);
	strbuf_release(&sb);
	return err;
}

static int log_new_lines(struct undo *undo, struct span before, struct span after)
{
	while (after.s) {
		struct span line = span_sep(&after, "\n");

		if (line.n && !has_line(before, line) && log_removal(undo, line))
			return -HIST_EIO;
	}
	return 0;
}

static int probe_refused(const struct record_probe *probe, int err, struct diags *diags)
{
	if (err == EACCES || err == EPERM || err == EROFS ||
	    !tracefs_file_exists(NULL, probe->file))
		return tracedir_error(diags, err, "cannot create a probe", probe->file);
	return error_log_tell(NULL, probe->file, probe->text, diags);
}

/* "p:GROUP/NAME ..." whose event is there already. Without a name the kernel makes up a new one. */
static bool exists(const struct record_probe *probe)
{
	struct span rest = span_of(probe->text), name, group;
	struct strbuf sb = STRBUF_INIT;
	bool there;

	if (!span_chr(span_sep(&rest, " \t"), ':'))
		return false;
	rest = span_of(probe->text);
	span_sep(&rest, ":");
	name = span_sep(&rest, " \t");
	group = span_chr(name, '/')                         ? span_sep(&name, "/")
		: strcmp(probe->file, "uprobe_events") == 0 ? span_of("uprobes")
							    : span_of("kprobes");
	strbuf_addf(&sb, "events/%.*s/%.*s/format", (int)group.n, group.s, (int)name.n, name.s);
	there = name.n && !sb.failed && tracefs_file_exists(NULL, sb.s);
	strbuf_release(&sb);
	return there;
}

static int create_one(const struct record_probe *probe, struct undo *undo, struct diags *diags)
{
	size_t n_before, n_after;
	char *before, *after = NULL;
	int err = 0;

	if (exists(probe)) {
		diags_add(diags, DIAG_NOTE, "%s: there already, used as it is: %s", probe->file,
			  probe->text);
		return 0;
	}
	before = tracedir_read(NULL, "dynamic_events", &n_before);
	if (!before)
		return tracedir_error(diags, errno, "this kernel has no probes", "dynamic_events");
	if (tracedir_append(NULL, probe->file, probe->text))
		err = probe_refused(probe, errno, diags);
	after = err ? NULL : tracedir_read(NULL, "dynamic_events", &n_after);
	if (after &&
	    log_new_lines(undo, (struct span){ before, n_before }, (struct span){ after, n_after }))
		err = diags_error(diags, -HIST_EIO, "cannot write the journal %s", undo->path);
	free(before);
	free(after);
	return err;
}

int probes_create(const struct record_plan *plan, struct undo *undo, struct diags *diags)
{
	int err = 0;

	for (size_t i = 0; !err && i < plan->n_probes; i++)
		err = create_one(&plan->probes[i], undo, diags);
	return err;
}
