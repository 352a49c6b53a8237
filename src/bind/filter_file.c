// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The filter files of an event and of a system. A write sets a filter, removes it ("0"), or leaves
 * an inactive filter that shows an error text.
 *
 * Corresponds to apply_event_filter(), process_system_preds() in trace_events_filter.c.
 */
#include "bind/bind.h"
#include "bind/binding.h"
#include "tracing/set_event.h"

/* A filter on a string at a pointer is accepted, although not all of them are recorded. */
void warn_unknowable(const struct filter *filter, struct diags *diags)
{
	if (filter && filter->unknowable)
		diags_add(diags, DIAG_WARNING, "%s", filter->unknowable);
}

static struct span event_filter_text(struct span written)
{
	struct span text = { written.s, strnlen(written.s, written.n) };

	while (text.n && is_space(text.s[text.n - 1]))
		text.n--;
	return text;
}

int event_filter_write(struct event_file *file, struct span written, bool question,
		       struct diags *diags)
{
	struct cmd_log log = {
		.tr = file->tr, .diags = diags, .written = written, .question = question
	};
	struct span text = event_filter_text(written);
	struct filter *filter = NULL;
	int err = 0;

	if (!written.n)
		return 0;
	if (written.n >= TRIGGER_TEXT_MAX)
		return diags_error(diags, -HIST_EREJECTED,
				   "at most 4095 bytes can be written at once");
	if (!span_eq(span_ltrim(text), "0")) {
		err = filter_new(file, text, true, &log, &filter);
		if (!filter)
			return err;
	}
	warn_unknowable(filter, diags);
	filter_free(file->filter);
	file->filter = filter;
	return err;
}

/* kernel: for any error it only logs that the event does not accept the filter */
static int refuse_for_system(struct event_file *file, struct filter *filter, struct span text)
{
	const char *message = filt_err_text[FILT_ERR_BAD_SUBSYS_FILTER];
	char *cmd = arena_strndup(&filter->arena, text.s, text.n);

	filter->text = arena_printf(&filter->arena, "%.*s\n^\nparse_error: %s\n", (int)text.n,
				    text.s, message);
	if (!filter->text || !cmd ||
	    error_log_add(&file->tr->errors, "event filter parse error", cmd, message, 0))
		return HIST_NOMEM;
	return -HIST_EREJECTED;
}

/* The filter that a system's filter file sets for one of its events. */
static int event_filter_set_for_system(struct event_file *file, struct span text)
{
	struct filter *filter = NULL;
	int err = 0;

	if (!span_eq(span_ltrim(text), "0"))
		err = filter_new(file, text, true, NULL, &filter);
	if (err == -HIST_EREJECTED)
		err = refuse_for_system(file, filter, text);
	if (err && err != -HIST_EREJECTED) {
		filter_free(filter);
		return err;
	}
	filter_free(file->filter);
	file->filter = filter;
	return err;
}

const char system_filter_text[] =
	"### global filter ###\n"
	"# Use this to set filters for multiple events.\n"
	"# Only events with the given fields will be affected.\n"
	"# If no events are modified, an error message will be displayed here\n";

int system_filter_write(struct trace_array *tr, const char *system, struct span written,
			struct diags *diags)
{
	scoped(free_scoped) event_entry_array entries = ARRAY_INIT;
	struct span text = event_filter_text(written);
	size_t set = 0, refused = 0;
	int err;

	if (!written.n)
		return 0;
	if (written.n >= TRIGGER_TEXT_MAX)
		return diags_error(diags, -HIST_EREJECTED,
				   "at most 4095 bytes can be written at once");
	err = event_entries(tr->tracing, false, &entries);

	array_each_while(const struct event_entry, e, &entries, !err) {
		struct event_file *file;

		if (strcmp(system, e->system))
			continue;
		file = event_file_find(tr, span_of(e->system), e->name);
		if (file)
			err = event_filter_set_for_system(file, text);
		set += file && !err;
		refused += err == -HIST_EREJECTED;
		err = err == -HIST_EREJECTED ? 0 : err;
	}
	if (!err && refused)
		diags_add(diags, DIAG_WARNING,
			  "%zu of the %zu events of %s do not accept this filter and now have none",
			  refused, set + refused, system);
	return err;
}
