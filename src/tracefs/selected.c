// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The selection in force: --cpu, --from and --to, --pid, --comm, --tree, --process and --cgroup as
 * they were given, and those with which hist_slim() made the recording smaller. Saved results
 * contain it, so that a part is not taken for the whole.
 *
 * After a run, a selection that leaves out events which the script needs is reported. A selection
 * of which nothing was counted prints an empty histogram, as a recording without such events would;
 * only then the reason is searched.
 */
#include "program/tasks.h"
#include "tracefs/tracefs.h"

/* Texts of one option, which all apply. */
struct chosen {
	const char *name;
	struct strbuf text;
};

static void add(struct chosen *c, struct span text)
{
	size_t start = c->text.len;

	if (!text.n || span_eq(text, c->text.s))
		return;
	strbuf_addstr(&c->text, start ? " and " : "");
	start = c->text.len;
	strbuf_add(&c->text, text.s, text.n);
	for (size_t i = start; i < c->text.len; i++)
		if (c->text.s[i] == '\n')
			c->text.s[i] = '?';
}

/* The line "selected NAME TEXT" of a smaller recording; absent: there is none. */
static struct span slimmed_of(const struct recording *rec, const char *name)
{
	struct span text = slimmed_text(rec);
	struct slimmed_line line;

	while (slimmed_next(&text, "selected ", 0, &line))
		if (span_eq(span_sep(&line.rest, " "), name) && line.rest.s)
			return line.rest;
	return (struct span){ NULL, 0 };
}

/* Of several recordings, the CPUs can differ: "0; 1", "0; all". */
static void add_slimmed(struct chosen *c, const struct recordings *r)
{
	scoped(strbuf_release) struct strbuf all = STRBUF_INIT;
	bool any = false, differ = false;

	for (size_t i = 0; i < r->files.n; i++) {
		const struct span text = slimmed_of(&r->files.v[i], c->name);

		any |= text.s != NULL;
		differ |= !span_same(text, slimmed_of(&r->files.v[0], c->name));
		strbuf_addf(&all, "%s%.*s", i ? "; " : "", text.s ? (int)text.n : 3,
			    text.s ? text.s : "all");
	}
	if (any)
		add(c,
		    differ ? (struct span){ all.s, all.len } : slimmed_of(&r->files.v[0], c->name));
	c->text.failed |= all.failed;
}

int selection_describe(struct hist *h, const struct hist_options *options)
{
	/* ORDER texts */
	static const char *const names[] = { "cpu",  "time",    "pid",   "comm",
					     "tree", "process", "cgroup" };
	const char *const texts[] = { options->cpus, NULL, options->pids, options->comm,
				      options->tree, NULL, NULL };
	scoped(strbuf_release) struct strbuf lines = STRBUF_INIT, times = STRBUF_INIT;

	if (options->from)
		strbuf_addf(&times, "from %s%s", options->from, options->to ? " " : "");
	if (options->to)
		strbuf_addf(&times, "to %s", options->to);
	lines.failed = times.failed;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct chosen c = { .name = names[i], .text = STRBUF_INIT };

		add_slimmed(&c, &h->recordings);
		if (texts[i])
			add(&c, span_of(texts[i]));
		else if (!strcmp(c.name, "time"))
			add(&c, (struct span){ times.s, times.len });
		if (c.text.len)
			strbuf_addf(&lines, "%s %s\n", c.name, c.text.s);
		lines.failed |= c.text.failed;
		strbuf_release(&c.text);
	}
	if (!lines.failed)
		h->selection = arena_strdup(&h->recordings.arena, lines.s);
	return h->selection ? 0 : HIST_NOMEM;
}

int selection_add(struct hist *h, const char *name, const char *text)
{
	struct chosen c = { .name = name, .text = STRBUF_INIT };
	struct span rest = span_of(h->selection), word, value;
	scoped(strbuf_release) struct strbuf lines = STRBUF_INIT;

	while (selection_next(&rest, &word, &value)) {
		if (span_eq(word, name))
			add(&c, value);
		else
			strbuf_addf(&lines, "%.*s %.*s\n", (int)word.n, word.s, (int)value.n,
				    value.s);
	}
	add(&c, span_of(text));
	strbuf_addf(&lines, "%s %s\n", name, c.text.s);
	if (!lines.failed && !c.text.failed)
		h->selection = arena_strdup(&h->recordings.arena, lines.s);
	else
		h->selection = NULL;
	strbuf_release(&c.text);
	return h->selection ? 0 : HIST_NOMEM;
}

/* --- nothing is selected --- */

static bool has_hists(const struct hist *h, bool *counted)
{
	bool any = false;

	*counted = directory_of(h)->output.counted;
	array_each_ptr(const struct trigger, t, &h->tracing->triggers) {
		const struct hist_count *hc;

		if (!t || !t->hist)
			continue;
		any = true;
		hc = hist_count_find(t->hist);
		*counted |= hc && (hist_map(hc)->hits || hist_map(hc)->drops);
	}
	return any;
}

static bool is_regex(struct span glob)
{
	return any_of(i, glob.n,
		      strchr("^$|", glob.s[i]) ||
			      (glob.s[i] == '.' && i + 1 < glob.n && strchr("*+", glob.s[i + 1])));
}

static void report_empty(struct hist *h, struct diags *diags)
{
	const struct span comm = selection_find(h->selection, span_of("comm"));
	bool counted, hists = has_hists(h, &counted);
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;

	if (!h->selection[0] || counted)
		return;
	/* of CPUs and times without an event, the replay warns */
	if (!hists || !h->recordings.options.tasks)
		return;
	selection_print(h->selection, &text);
	diags_add(diags, DIAG_NOTE, "nothing was counted of what is selected: %s%s", text.s,
		  is_regex(comm) ? "; --comm is a glob such as 'cc*', not a regular expression"
				 : "");
}

/* --- who is not known --- */

static void report_unknown(struct hist *h, struct diags *diags)
{
	const struct task_set *set = h->recordings.options.tasks;
	bool process = false, cgroup = false;

	for (; set; set = set->and) {
		process |= set->who[WHO_PROCESS] && set->who[WHO_PROCESS]->unknown;
		cgroup |= set->who[WHO_CGROUP] && set->who[WHO_CGROUP]->unknown;
	}
	if (process)
		diags_add(
			diags, DIAG_WARNING,
			"--process leaves out events of tasks whose process is not known; hist record stores who tasks are");
	if (cgroup)
		diags_add(
			diags, DIAG_WARNING,
			"--cgroup leaves out events of tasks whose cgroup is not known; hist record stores who tasks are");
	h->doubtful |= process || cgroup;
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
			"%s:%s uses values of earlier events: --%s leaves out some of them, so results may be wrong or missing; count all events, and limit the rows with a key, a filter (if) or a parameter of the recipe (-D comm=NAME)",
			file->system, file->name, option);
	else
		diags_add(
			diags, DIAG_WARNING,
			"%s:%s uses values of %s:%s: --%s leaves out events of both, so results may be wrong or missing; count all events, and limit the rows with a key, a filter (if) or a parameter of the recipe (-D comm=NAME)",
			file->system, file->name, other->file->system, other->file->name, option);
	return true;
}

void selection_diagnose(struct hist *h, struct diags *diags)
{
	static const char *const options[] = { "cpu", "pid", "comm", "tree", "process", "cgroup" };

	report_empty(h, diags);
	report_unknown(h, diags);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (selection_find(h->selection, span_of(options[i])).s &&
		    report_cut_pairs(h, options[i], diags))
			return;
}
