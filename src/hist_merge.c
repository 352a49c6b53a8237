// SPDX-License-Identifier: LGPL-2.1-only
/* Implements hist-merge.h: reads saved results, prints their sum in any format. */
#include "hist-merge.h"
#include "tracefs/tracefs.h"
#include "saved/saved.h"

struct hist_merge {
	struct result_merge merge;
	struct arena arena;
	ARRAY(struct merge_label) labels;
	bool broken; /* an error left an incomplete sum */
	bool doubtful;
};

struct hist_merge *hist_merge_new(void)
{
	return calloc(1, sizeof(struct hist_merge));
}

void hist_merge_free(struct hist_merge *m)
{
	if (!m)
		return;
	merge_release(&m->merge);
	array_release(&m->labels);
	arena_release(&m->arena);
	free(m);
}

int hist_merge_label(struct hist_merge *m, const char *label, struct diags *diags)
{
	const char *equals = strchr(label, '=');
	size_t n = equals ? (size_t)(equals - label) : strlen(label), i = 0;
	struct merge_label new = { .name = arena_strndup(&m->arena, label, n) };

	if (!n || strchr(label, '\n'))
		return diags_error(diags, -HIST_EINVAL, "a label is NAME=VALUE, not '%s'", label);
	if (equals)
		new.value = arena_strdup(&m->arena, equals + 1);
	if (!new.name || (equals && !new.value))
		return HIST_NOMEM;
	while (i < m->labels.n && strcmp(m->labels.v[i].name, new.name) != 0)
		i++;
	if (i == m->labels.n)
		return equals ? array_push(&m->labels, new) : 0;
	m->labels.v[i] = new;
	if (!equals) {
		memmove(&m->labels.v[i], &m->labels.v[i + 1],
			(m->labels.n - i - 1) * sizeof(*m->labels.v));
		m->labels.n--;
	}
	return 0;
}

int hist_merge_add(struct hist_merge *m, const char *name, const char *text, size_t len,
		   struct diags *diags)
{
	const struct merge_input in = { name, m->labels.v, m->labels.n };
	saved_array list = ARRAY_INIT;
	int err;

	if (m->broken)
		return diags_error(diags, -HIST_EINVAL, "%s: an earlier result could not be added",
				   name);
	err = saved_read(name, (struct span){ text, len }, &list, diags);
	err = err ?: merge_add(&m->merge, &in, &list, diags);
	saved_array_release(&list);
	m->broken = err != 0;
	return err;
}

/* --- printing --- */

/* The number of results that the format has room for: the first one, with a note, or all. */
static size_t count_room(const struct hist_merge *m, const struct output *o, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf events = STRBUF_INIT;

	if (!o->format || !o->format->one_table || o->options.directory || m->merge.results.n <= 1)
		return m->merge.results.n;
	for (size_t i = 0; i < m->merge.results.n; i++)
		strbuf_addf(&events, "%s%s", i ? ", " : "", m->merge.results.v[i]->event);
	output_note_others(o->format, events.s, diags);
	return 1;
}

/* A heading for each event, as in hist report for several histograms. */
static void print_heading(const struct hist_merge *m, size_t i, bool kernel_text, struct printer *p)
{
	const struct result *r = m->merge.results.v[i];
	const char *colon = strchr(r->event, ':'), *instance = r->instance ? r->instance : "";
	int n = colon ? (int)(colon - r->event) : 0;
	bool several = false;

	/* an answer has its own title */
	if (r->rules == RESULT_EXACT && !kernel_text)
		return;
	for (size_t k = 1; k < m->merge.results.n; k++)
		several |= strcmp(m->merge.results.v[0]->event, m->merge.results.v[k]->event) != 0;
	if (i && !strcmp(m->merge.results.v[i - 1]->event, r->event))
		strbuf_addstr(&p->buf, "\n\n");
	else if (several)
		strbuf_addf(&p->buf, "%s==> %s%s%sevents/%.*s/%s/hist <==\n", i ? "\n" : "",
			    *instance ? "instances/" : "", instance, *instance ? "/" : "", n,
			    r->event, colon ? colon + 1 : r->event);
}

/* Whether a key contains ids of tasks, which mean other tasks on another machine, or after a boot.
 */
static bool has_task_ids(const struct result_column *key)
{
	static const char *const ends[] = { "pid", "tgid", "task", "process" };
	const char *const texts[] = { key->name, key->modifier ? key->modifier : "" };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		for (size_t k = 0; k < ARRAY_SIZE(texts); k++) {
			size_t n = strlen(texts[k]), end = strlen(ends[i]);

			/* the modifier decides what a pid means */
			if (n >= end && !strcmp(texts[k] + n - end, ends[i]) &&
			    (k || !key->modifier))
				return true;
		}
	return false;
}

static void note_tasks(const struct hist_merge *m, const struct result *r, struct diags *diags)
{
	bool apart = m->merge.n_added < 2;
	const struct result_column *tasks = NULL;

	array_each_of(const struct result_column, key, r->columns, r->n_keys) {
		apart |= any_of(k, m->labels.n, !strcmp(key->name, m->labels.v[k].name));
		tasks = has_task_ids(key) ? key : tasks;
	}
	if (tasks && !apart)
		diags_add(
			diags, DIAG_NOTE,
			"%s: a row with %s adds up tasks of different recordings that had the same id: "
			"--key-by file keeps them apart, results by comm add up tasks by name",
			r->event, tasks->name);
}

static void diagnose(struct hist_merge *m, struct diags *diags)
{
	for (size_t i = 0; i < m->merge.results.n; i++) {
		const struct result *r = m->merge.results.v[i];

		m->doubtful |= r->drops || r->feeding_drops || r->info->lost_events ||
			       r->info->lost_unknown || r->info->inexact || *r->info->caveats;

		if (r->drops || r->feeding_drops)
			diags_add(
				diags, DIAG_WARNING,
				"%s: %llu hits were dropped because histograms were full; --unlimited or size= "
				"in the trigger makes room",
				r->event,
				(unsigned long long)add_saturated(r->drops, r->feeding_drops));
		note_tasks(m, r, diags);
		/* all histograms of a recording have the same caveats */
		if (!i || strcmp(r->info->caveats, m->merge.results.v[i - 1]->info->caveats) != 0)
			caveats_diagnose(span_of(r->info->caveats), NULL, diags);
		if (!i && (r->info->lost_events || r->info->lost_unknown))
			diags_add(diags, DIAG_WARNING, "%s%llu event%s lost while recording",
				  r->info->lost_unknown ? "more than " : "", r->info->lost_events,
				  plural_were(r->info->lost_events));
	}
}

/* Whether --show, an event or the number of a histogram, shows the @i-th one. */
static bool is_shown(const struct hist_merge *m, const struct hist_run_options *options, size_t i)
{
	const char *event = m->merge.results.v[i]->event, *name = strchr(event, ':');
	u64 number;

	if (!options->show)
		return true;
	if (output_shows_number(options, &number))
		return !number || number == i + 1;
	return !strcmp(event, options->show) || (name && !strcmp(name + 1, options->show));
}

/* Forget the results that are not shown. */
static int choose_shown(struct hist_merge *m, const struct hist_run_options *options,
			struct diags *diags)
{
	size_t n = 0, all = m->merge.results.n;

	for (size_t i = 0; i < all; i++)
		if (is_shown(m, options, i))
			m->merge.results.v[n++] = m->merge.results.v[i];
	m->merge.results.n = n;
	return n ? 0
		 : diags_error(diags, -HIST_EINVAL,
			       "--show %s: not an event of the results, nor a number from 1 to %zu",
			       options->show, all);
}

int hist_merge_print(struct hist_merge *m, const struct hist_run_options *options,
		     hist_sink_fn sink, void *arg, struct diags *diags)
{
	scoped(output_release) struct output o = { .arena = ARENA_INIT };
	struct printer p = { .buf = STRBUF_INIT, .sink = sink, .arg = arg };
	int err = 0, end;

	if (m->broken || !m->merge.n_added)
		err = diags_error(diags, -HIST_EINVAL, "nothing to merge");
	err = err ?: output_init(&o, options, NULL, diags);
	err = err ?: merge_end(&m->merge);
	err = err ?: choose_shown(m, options, diags);
	if (!err) {
		const size_t n = count_room(m, &o, diags);

		for (size_t i = 0; i < n && !err; i++) {
			if (!o.format)
				print_heading(m, i, o.kernel_text, &p);
			o.options.number = n > 1 ? i + 1 : 0;
			err = output_result(&o, o.format, m->merge.results.v[i], &p);
			printer_send(&p);
		}
		output_finish(&o, !err, &p);
		end = printer_end(&p);
		err = err ? err : end;
		err = err ?: output_check_sort(&o, diags);
		modifiers_diagnose(&o.modifiers, diags);
		diagnose(m, diags);
	}
	m->broken = true;
	return err;
}

bool hist_merge_doubtful(const struct hist_merge *m)
{
	return m->doubtful;
}
