// SPDX-License-Identifier: LGPL-2.1-only
/*
 * After a run: reports a selection that leaves out events which the script needs.
 *
 * A selection of which nothing was counted prints an empty histogram, as a recording without such
 * events would. Only then the reason is searched.
 */
#include "count/count.h"
#include "print/print.h"
#include "result/result.h"
#include "tracefs/diagnose_selection.h"
#include "tracefs/tracefs.h"

/* --- nothing is selected --- */

static bool has_hists(const struct hist *h, bool *counted)
{
	bool any = false;

	*counted = h->output->counted;
	for (size_t i = 0; i < h->tracing->triggers.n; i++) {
		const struct trigger *t = h->tracing->triggers.v[i];
		const struct hist_count *hc;

		if (!t || !t->hist)
			continue;
		any = true;
		hc = hist_count_find(t->hist);
		*counted |= hc && (hist_map(hc)->hits || hist_map(hc)->drops);
	}
	return any;
}

/* Of the whole buffer; damage was reported by the replay. */
static bool find_times(struct hist *h, struct recordings_times *times)
{
	struct diags ignored = DIAGS_INIT, *before = h->recordings.diags;
	int err;

	h->recordings.diags = &ignored;
	err = recordings_times(&h->recordings, h->buffer, times);
	h->recordings.diags = before;
	diags_release(&ignored);
	return !err;
}

/* Whether the span is outside the recording, which is reported. */
static bool report_span(struct hist *h, struct diags *diags)
{
	const bool counts = machine_clock_counts(h->recordings.machine.clock);
	struct strbuf text = STRBUF_INIT;
	struct recordings_times times;
	bool outside;

	if ((!h->span.from && h->span.to == UINT64_MAX) || h->span.from > h->span.to ||
	    !find_times(h, &times))
		return false;
	outside = times.last && (h->span.from > times.last || h->span.to < times.first);
	if (outside) {
		strbuf_addstr(&text, "nothing is selected: the recording is from ");
		text_add_time(&text, times.first, counts);
		strbuf_addstr(&text, " to ");
		text_add_time(&text, times.last, counts);
		diags_add(diags, DIAG_NOTE, "%s", text.s);
	}
	strbuf_release(&text);
	return outside;
}

static bool is_regex(struct span glob)
{
	for (size_t i = 0; i < glob.n; i++)
		if (strchr("^$|", glob.s[i]) ||
		    (glob.s[i] == '.' && i + 1 < glob.n && strchr("*+", glob.s[i + 1])))
			return true;
	return false;
}

static void report_nothing(const struct hist *h, struct diags *diags)
{
	struct strbuf text = STRBUF_INIT;
	const struct span comm = selection_find(h->selection, span_of("comm"));

	selection_print(h->selection, &text);
	diags_add(diags, DIAG_NOTE, "nothing was counted of what is selected: %s%s", text.s,
		  is_regex(comm) ? "; --comm is a glob such as 'cc*', not a regular expression"
				 : "");
	strbuf_release(&text);
}

static void report_empty(struct hist *h, struct diags *diags)
{
	bool counted, hists = has_hists(h, &counted);

	if (!h->selection[0] || counted)
		return;
	/* of CPUs and times without an event, the replay warns */
	if (!report_span(h, diags) && hists && h->recordings.machine.tasks)
		report_nothing(h, diags);
}

/* --- pairs of events --- */

/*
 * Whether the keys separate what the option separates. An event of a task is the event of another
 * one, too, only if it is a scheduler event.
 */
static bool is_separate(const struct hist_data *hd, const char *option)
{
	bool by_cpu = !strcmp(option, "cpu");

	if (!by_cpu && !strcmp(hd->file->system, "sched"))
		return false;
	for (u32 i = 0; i < hd->n_keys; i++) {
		const struct hist_field *f = hd->fields[hd->n_vals + i];

		if (by_cpu ? (f->flags & HIST_FIELD_FL_CPU) != 0
			   : f->field && !strcmp(f->field->name, "common_pid"))
			return true;
	}
	return false;
}

/* A histogram whose values @t uses, if the option can leave out a record of one of them. */
static const struct hist_data *cut_pair(const struct trigger *t, const char *option)
{
	for (u32 i = 0; t && t->hist && i < t->hist->n_var_refs; i++) {
		const struct hist_data *other = t->hist->var_refs[i]->var.hist_data;

		if (other != t->hist && !t->file->synth &&
		    !(is_separate(t->hist, option) && is_separate(other, option)))
			return other;
	}
	return NULL;
}

/*
 * If an event of a pair was left out with its CPU or task, the value is missing, or that of an
 * earlier one.
 */
static bool report_cut_pairs(struct hist *h, const char *option, struct diags *diags)
{
	const struct hist_data *other = NULL;
	const struct event_file *file;
	size_t i;

	for (i = 0; i < h->tracing->triggers.n && !other; i++)
		other = cut_pair(h->tracing->triggers.v[i], option);
	if (!other)
		return false;
	file = h->tracing->triggers.v[i - 1]->file;
	h->doubtful = true;
	if (other->file == file)
		diags_add(
			diags, DIAG_WARNING,
			"%s:%s uses values of earlier events: --%s leaves out some of them, so results may be wrong or missing; count all events, and limit the rows with a key or a filter (if)",
			file->system, file->name, option);
	else
		diags_add(
			diags, DIAG_WARNING,
			"%s:%s uses values of %s:%s: --%s leaves out events of both, so results may be wrong or missing; count all events, and limit the rows with a key or a filter (if)",
			file->system, file->name, other->file->system, other->file->name, option);
	return true;
}

static void report_selected_pairs(struct hist *h, struct diags *diags)
{
	static const char *const options[] = { "cpu", "pid", "comm", "tree" };

	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (selection_find(h->selection, span_of(options[i])).s &&
		    report_cut_pairs(h, options[i], diags))
			return;
}

void selection_diagnose(struct hist *h, struct diags *diags)
{
	report_empty(h, diags);
	report_selected_pairs(h, diags);
}
