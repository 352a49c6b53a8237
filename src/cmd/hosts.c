// SPDX-License-Identifier: GPL-2.0-only
/*
 * Recordings of several machines: their CPUs, tasks and clocks stay apart. What they share is the
 * time of day.
 */
#include "cmd/hosts.h"

/* The names that it may have: its own, that of its file, the path. */
static const char *name_of(const struct cmd_host *host, int i)
{
	return i == 0 ? host->is.name : i == 1 ? path_base(host->path) : host->path;
}

/* The first one that no other machine may have. */
static void choose_name(const cmd_hosts *hosts, struct cmd_host *host)
{
	bool known = true;

	for (int i = 0; i < 3 && known; i++) {
		host->name = name_of(host, i);
		known = !*host->name;
		array_each(const struct cmd_host, other, hosts)
			for (int k = 0; k < 3 && other != host; k++)
				known |= !strcmp(name_of(other, k), host->name);
	}
}

static int open_host(struct cmd_args *a, const char *path, cmd_hosts *hosts)
{
	struct cmd_host host = { .path = path,
				 .input = { .options = a->input.options,
					    .selection = a->input.selection,
					    .session = a->input.session } };
	int err = array_push(&host.input.paths, path) ?: array_push(hosts, host);

	if (err) {
		cmd_input_release(&host.input);
		return err;
	}
	return cmd_input_open(&hosts->v[hosts->n - 1].input, &hosts->v[hosts->n - 1].h, a->diags);
}

int cmd_hosts_open(struct cmd_args *a, bool dated, cmd_hosts *hosts)
{
	const struct cmd_host first = { .h = a->h, .path = a->input.paths.v[0] };
	int err = array_push(hosts, first);

	for (size_t i = 0; i < a->others.n && !err; i++)
		err = open_host(a, a->others.v[i], hosts);
	array_each_while(struct cmd_host, host, hosts, !err)
		hist_host(host->h, &host->is);
	array_each_while(struct cmd_host, host, hosts, !err) {
		choose_name(hosts, host);
		if (dated && !host->is.wall[0])
			err = diags_error(
				a->diags, -HIST_EINVAL,
				"%s does not have the time of day, by which events of several machines are merged: hist record stores it",
				host->path);
	}
	array_each_while(const struct cmd_host, host, hosts, !err)
		diags_add(a->diags, DIAG_NOTE, "%s, %s: %s", host->path, host->name,
			  host->is.wall[0] ? host->is.wall : "the time of day is unknown");
	return err;
}

void cmd_hosts_release(cmd_hosts *hosts)
{
	for (size_t i = 0; i < hosts->n; i++) {
		if (i)
			hist_close(hosts->v[i].h);
		cmd_input_release(&hosts->v[i].input);
	}
	array_release(hosts);
}
