// SPDX-License-Identifier: LGPL-2.1-only
/*
 * report --tracefs: writes the resulting tracing directory as files. Only files that the script can
 * have changed: events with triggers or filters, synthetic events, error_log.
 */
#include "tracefs/tracefs.h"

static int sink_fd(void *arg, const void *data, size_t len)
{
	return fd_write(*(const int *)arg, data, len) ? 0 : -HIST_EIO;
}

struct dir {
	struct hist *h;
	int fd;
	const char *path;
	struct diags *diags;
};

static int failed(const struct dir *d, const char *file)
{
	return diags_error(d->diags, -HIST_EIO, "%s/%s: %s", d->path, file, strerror(errno));
}

/* Write the contents of the file @name; without a directory only compute them. */
static int write_file(const struct dir *d, const char *name)
{
	struct printer p = { .buf = STRBUF_INIT, .sink = d->path ? sink_fd : strbuf_sink };
	int fd, err, end;

	if (!d->path) {
		err = files_read(d->h, name, &p, d->diags);
		end = printer_end(&p);
		return err ? err : end;
	}
	fd = own_file_create(d->fd, name);
	if (fd < 0)
		return failed(d, name);
	p.arg = &fd;
	err = files_read(d->h, name, &p, d->diags);
	end = printer_end(&p);
	if (!err && end)
		err = end == -HIST_EIO ? failed(d, name) : end;
	if (close(fd) && !err)
		err = failed(d, name);
	return err;
}

/* Write @file of an event, or of an instance. */
static int write_of(const struct dir *d, const struct trace_array *tr, const struct event_file *ev,
		    const char *file)
{
	scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

	if (ev)
		event_file_path(&name, ev, file);
	else
		strbuf_addf(&name, "%s%s%s%s", tr->name[0] ? "instances/" : "", tr->name,
			    tr->name[0] ? "/" : "", file);
	return name.failed ? HIST_NOMEM : write_file(d, name.s);
}

static int write_event(const struct dir *d, const struct event_file *ev)
{
	int err = 0;
	const bool hists = any_of(i, ev->triggers.n, ev->triggers.v[i]->hist != NULL);

	if (ev->triggers.n)
		err = write_of(d, NULL, ev, "trigger");
	if (!err && hists)
		err = write_of(d, NULL, ev, "hist");
	if (!err && hists)
		err = write_of(d, NULL, ev, "hist_debug");
	if (!err && ev->filter)
		err = write_of(d, NULL, ev, "filter");
	return err;
}

static int write_all(const struct dir *d)
{
	const struct tracing *t = d->h->tracing;
	int err = replay_if_needed(d->h, d->diags);
	bool refused = t->top->errors.n;

	for (struct trace_array *tr = t->top; tr && !err; tr = tr->next)
		for (struct event_file *file = tr->files; file && !err; file = file->next)
			err = write_event(d, file);
	if (!err && t->synth_events.n)
		err = write_file(d, "synthetic_events");
	for (size_t i = 0; i < t->synth_events.n && !err; i++) {
		scoped(strbuf_release) struct strbuf name = STRBUF_INIT;

		strbuf_addf(&name, "events/synthetic/%s/format", t->synth_events.v[i]->name);
		err = name.failed ? HIST_NOMEM : write_file(d, name.s);
	}
	if (!err && refused)
		err = write_file(d, "error_log");
	for (struct trace_array *tr = t->top; tr && !err; tr = tr->next) {
		err = write_of(d, tr, NULL, "trace");
		if (!err && tr->array_buffer.snapshot_taken)
			err = write_of(d, tr, NULL, "snapshot");
	}
	return err;
}

int tracefs_dir_write(struct hist *h, const char *path, struct diags *diags)
{
	struct dir d = { .h = h, .path = path, .diags = diags };
	int err;

	if (path)
		d.fd = out_dir_open(path, diags);
	if (path && d.fd < 0)
		return -HIST_EIO;
	directory_of(h)->writes_dir = true;
	err = write_all(&d);
	directory_of(h)->writes_dir = false;
	if (path)
		close(d.fd);
	return err;
}
