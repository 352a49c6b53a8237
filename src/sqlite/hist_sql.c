// SPDX-License-Identifier: LGPL-2.1-only
/* SQL in the process of a program: a session for the statements of one call. */
#include "hist-script.h"
#include "hist-session.h"
#include "hist-sql.h"
#include "sqlite/sqlite.h"

static int open_selected(const struct hist_sql_options *o, struct hist **h, struct diags *diags)
{
	int err = hist_session_open(o->session, o->recording, h, diags);

	if (!err && o->process)
		err = hist_select(*h, HIST_SELECT_PROCESS, o->process, diags);
	if (!err && o->cgroup)
		err = hist_select(*h, HIST_SELECT_CGROUP, o->cgroup, diags);
	return err;
}

/* An open of sqlite_source: of what the first one reported, only errors are reported again. */
static int open_again(void *arg, struct hist **h, struct diags *diags)
{
	scoped(diags_release) struct diags again = DIAGS_INIT;
	const int err = open_selected(arg, h, &again);

	if (err)
		diags_append(diags, &again);
	return err;
}

int hist_sql(const struct hist_sql_options *options, const char *statements, hist_sink_fn sink,
	     void *arg, struct diags *diags)
{
	const struct sqlite_session_options how = { .format = options->format ?: "json",
						    .timeout = options->timeout,
						    .sink = sink,
						    .arg = arg };
	struct sqlite_source source = { .open = open_again,
					.arg = (void *)options,
					.script = options->script,
					.diags = diags };
	struct sqlite_session *session = NULL;
	struct hist *h = NULL;
	int err = open_selected(options, &h, diags);

	source.cut = !err && hist_input_cut(h);
	hist_close(h);
	err = err ?: sqlite_session_open(&session, &source, &how, diags);
	err = err ?: sqlite_session_run(session, "SQL", statements, diags);
	sqlite_session_close(session);
	return err ?: source.cut;
}
