// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The tracer of a recording, such as function, with its functions and options.
 *
 * A private instance goes with all of them; in an existing one each file is logged in the journal
 * before it is changed for the first time, as are all settings.
 */

#include <tracefs.h>

#include "record/session.h"
#include "record/tracedir.h"

/*
 * Whether an earlier setting is in the same file, so that this one adds to it.
 */
static bool is_further(const struct record_plan *plan, size_t i)
{
	return any_of(k, i, !strcmp(plan->settings[k].path, plan->settings[i].path));
}

static int apply_setting(struct session *s, const struct record_plan *plan, size_t i,
			 struct diags *diags)
{
	const struct record_write *w = &plan->settings[i];
	int failed;

	if (!tracefs_file_exists(s->instance, w->path)) {
		if (!strncmp(w->path, "options/", 8))
			return diags_error(diags, -HIST_ENOENT,
					   "-O %s: this kernel has no such option, or has it only "
					   "for another tracer",
					   w->path + 8);
		return diags_error(
			diags, -HIST_ENOENT,
			"this kernel has %s only for its top buffer, which hist does not "
			"change; -l FUNCTION limits the function graph, too",
			w->path);
	}
	if (!strncmp(w->path, "options/", 8))
		failed = session_set_option(s, w->path, w->text);
	else if (is_further(plan, i))
		failed = tracedir_append(s->instance, w->path, w->text);
	else
		failed = session_set(s, w->path, w->text);
	if (!failed)
		return 0;
	if (errno == EINVAL && !strncmp(w->path, "set_", 4))
		return diags_error(diags, -HIST_EINVAL,
				   "no function of this kernel that can be traced matches '%.*s'; "
				   "available_filter_functions lists them",
				   (int)span_trim(span_of(w->text)).n, w->text);
	return tracedir_error(diags, errno, "cannot set", w->path);
}

static bool lists(const char *tracers, const char *tracer)
{
	struct span rest = span_of(tracers ? tracers : "");

	while (rest.s)
		if (span_eq(span_sep(&rest, " \n"), tracer))
			return true;
	return false;
}

/*
 * Whether the kernel has the tracer for instances; if not, it may lack the files of its settings,
 * too.
 */
static int check_tracer(struct session *s, const char *tracer, struct diags *diags)
{
	scoped(free_scoped) char *all = tracedir_read(NULL, "available_tracers", NULL);
	scoped(free_scoped) char *known = tracedir_read(s->instance, "available_tracers", NULL);
	int err = 0;

	if (!lists(known, tracer) && lists(all, tracer))
		err = diags_error(
			diags, -HIST_EINVAL,
			"this kernel has the tracer %s only for its top buffer, which hist does not change; "
			"trace-cmd record -p %s records it, and hist reads the file",
			tracer, tracer);
	else if (known && !lists(known, tracer))
		err = diags_error(diags, -HIST_ENOENT, "unknown tracer %s; this kernel has: %.*s%s",
				  tracer, (int)span_trim(span_of(known)).n, known,
				  is_digit(*tracer) ? "; -P is for a process"
				  : !strcmp(tracer, "function_graph") && lists(known, "function")
					  ? "; -p function records the calls, without their times"
					  : "");
	return err;
}

int session_set_tracer(struct session *s, const struct record_plan *plan, struct diags *diags)
{
	int err = plan->tracer ? check_tracer(s, plan->tracer, diags) : 0;

	if (!err && plan->tracer && s->existing &&
	    tracefs_file_exists(s->instance, "set_ftrace_pid") &&
	    session_set(s, "set_ftrace_pid", ""))
		return tracedir_error(diags, errno, "cannot lift the limits of", "set_ftrace_pid");
	/* functions before the tracer, so that it does not begin with all; options after it */
	for (size_t i = 0; i < plan->n_settings && !err; i++)
		if (strncmp(plan->settings[i].path, "options/", 8) != 0)
			err = apply_setting(s, plan, i, diags);
	if (!err && plan->tracer && session_set(s, "current_tracer", plan->tracer))
		err = tracedir_error(diags, errno, "cannot set the tracer", "current_tracer");
	for (size_t i = 0; i < plan->n_settings && !err; i++)
		if (!strncmp(plan->settings[i].path, "options/", 8))
			err = apply_setting(s, plan, i, diags);
	return err;
}
