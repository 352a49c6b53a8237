// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Creates the probes of a plan, from lines for kprobe_events, uprobe_events, dynamic_events or
 * synthetic_events, and logs the lines that remove them in the journal.
 *
 * Files are never truncated, so probes of other users remain. Synthetic events of live triggers are
 * created in the same way.
 */

#include <tracefs.h>

#include "record/session.h"
#include "record/tracedir.h"

/* Log the removal of each probe of @after that is not in @before. */
static int log_new_lines(struct undo *undo, struct span before, struct span after)
{
	int err = 0;

	while (after.s && !err) {
		struct span line = span_sep(&after, "\n"), old = before, name = line;
		scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
		bool known = false;

		while (old.s && !known)
			known = span_same(span_sep(&old, "\n"), line);
		/* "p:kprobes/name ..." or "r8:..." is removed by "-:kprobes/name" */
		span_sep(&name, ":");
		name = span_sep(&name, " \t");
		if (!line.n || known || !name.n)
			continue;
		strbuf_addf(&sb, "-:%.*s", (int)name.n, name.s);
		err = sb.failed ? -HIST_EIO : undo_log(undo, span_of(sb.s), "probe");
	}
	return err;
}

static int probe_refused(const struct record_probe *probe, int err, struct diags *diags)
{
	if (err == EACCES || err == EPERM || err == EROFS ||
	    !tracefs_file_exists(NULL, probe->file))
		return tracedir_error(diags, err, "cannot create a probe", probe->file);
	return error_log_report(NULL, probe->file, probe->text, diags);
}

/* GROUP/NAME of the event that @probe creates; false if the kernel chooses the name. */
static bool probe_name(const struct record_probe *probe, struct strbuf *out)
{
	struct span rest = span_of(probe->text), name = span_sep(&rest, " \t"), group;

	if (strcmp(probe->file, "synthetic_events") == 0) {
		group = span_of("synthetic");
	} else {
		if (!span_chr(name, ':'))
			return false;
		span_sep(&name, ":");
		group = strcmp(probe->file, "uprobe_events") == 0 ? span_of("uprobes")
								  : span_of("kprobes");
		if (span_chr(name, '/'))
			group = span_sep(&name, "/");
	}
	strbuf_addf(out, "%.*s/%.*s", (int)group.n, group.s, (int)name.n, name.s);
	return name.n && !out->failed;
}

/* Create a probe whose name is chosen by the kernel: it is the new one in dynamic_events. */
static int create_unnamed(const struct record_probe *probe, struct undo *undo, struct diags *diags)
{
	size_t n_before, n_after;
	char *before = tracedir_read(NULL, "dynamic_events", &n_before), *after = NULL;
	int err = 0;

	if (!before)
		return tracedir_error(diags, errno, "this kernel does not support probes",
				      "dynamic_events");
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

static int create_named(const struct record_probe *probe, const char *name, struct undo *undo,
			struct diags *diags)
{
	struct strbuf removal = STRBUF_INIT, format = STRBUF_INIT;
	/* those of another recording, which may end first: the last one that ends removes them */
	const bool shared = !strncmp(name, "hist/", 5);
	bool exists;
	int err = 0;

	strbuf_addf(&format, "events/%s/format", name);
	strbuf_addf(&removal, "-:%s", name);
	exists = !format.failed && tracefs_file_exists(NULL, format.s);
	if (exists && !shared)
		diags_add(diags, DIAG_NOTE, "%s already exists and is used as it is: %s", name,
			  probe->text);
	else if (removal.failed || undo_log(undo, span_of(removal.s), "probe"))
		err = diags_error(diags, -HIST_EIO, "cannot write the journal %s", undo->path);
	else if (!exists && tracedir_append(NULL, probe->file, probe->text))
		err = probe_refused(probe, errno, diags);
	strbuf_release(&format);
	strbuf_release(&removal);
	return err;
}

int probes_create(const struct record_probe *probes, size_t n, struct undo *undo,
		  struct diags *diags)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

		err = probe_name(&probes[i], &name) ? create_named(&probes[i], name.s, undo, diags)
						    : create_unnamed(&probes[i], undo, diags);
	}
	return err;
}
