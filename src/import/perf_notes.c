// SPDX-License-Identifier: LGPL-2.1-only
/* Imports of perf.data: warnings and notes about what was read, and caveats of the recording. */
#include "import/perf_import.h"
#include "import/perf_samples.h"

static void note_attr(struct perf_import *p, const struct perf_attr *a, const char *name)
{
	const char *in = p->job->in->name;
	unsigned long long n = a->samples;
	const struct event_text *format =
		a->type == PERF_TYPE_TRACEPOINT || !a->event_id
			? NULL
			: format_list_find_id(&p->job->sink->formats, a->event_id);
	char event[128];

	if (a->type == PERF_TYPE_TRACEPOINT && !(a->sample_type & PERF_RAW))
		diags_add(p->job->diags, DIAG_WARNING,
			  "%s: %llu samples of %s are left out: perf record stores their "
			  "fields only with -R",
			  in, n, name);
	else if (a->type == PERF_TYPE_TRACEPOINT &&
		 !format_list_find_id(&p->job->sink->formats, a->config))
		diags_add(p->job->diags, DIAG_WARNING,
			  "%s: the format of %s is missing; its %llu events can only be counted",
			  in, name, n);
	if (!(a->sample_type & PERF_TIME))
		diags_add(p->job->diags, DIAG_WARNING,
			  "%s: samples of %s have no times; all get time 0", in, name);
	if (!(a->sample_type & PERF_CPU))
		diags_add(p->job->diags, DIAG_WARNING,
			  "%s: samples of %s have no CPU; all are assigned to CPU 0", in, name);
	if (a->sample_type & PERF_READ && a->read_format & PERF_FORMAT_GROUP)
		diags_add(p->job->diags, DIAG_WARNING,
			  "%s: samples of %s also have counts of the other events of its group, "
			  "which are left out",
			  in, name);
	if (!a->freq && a->period <= 1)
		return;
	diags_add(p->job->diags, DIAG_WARNING,
		  "%s: %s was sampled%s; the counts are those of samples, not of events", in, name,
		  a->freq ? " at a frequency" : " once in several events");
	if (format)
		snprintf(event, sizeof(event), "%s:%.*s", format->system,
			 (int)min_t(size_t, format->name.n, 100), format->name.s);
	caveat_add(&p->job->sink->caveats,
		   &(struct caveat){
			   .kind = CAVEAT_SAMPLED, .n = n, .of = span_of(format ? event : name) });
}

static void note_attrs(struct perf_import *p)
{
	array_each(const struct perf_attr, a, &p->f.attrs) {
		const struct event_text *format =
			a->type == PERF_TYPE_TRACEPOINT
				? format_list_find_id(&p->job->sink->formats, a->config)
				: NULL;
		char name[128];

		if (!a->samples)
			continue;
		if (!a->name.n && format)
			snprintf(name, sizeof(name), "%s:%.*s", format->system,
				 (int)min_t(size_t, format->name.n, 60), format->name.s);
		else if (!a->name.n && a->type == PERF_TYPE_TRACEPOINT)
			snprintf(name, sizeof(name), "an event of type %u, config %#llx", a->type,
				 a->config);
		else
			perf_attr_name(a, name, sizeof(name));
		note_attr(p, a, name);
	}
}

void perf_report(struct perf_import *p)
{
	struct diags *diags = p->job->diags;
	const char *in = p->job->in->name;
	static const char *const ends[] = {
		/* ORDER perf_end */
		"%s: truncated; the rest of the data is missing",
		"%s: damaged; the data from the damage on is missing",
		("%s: text is among the data, such as messages of perf or the output of its "
		 "command; the data from there on is missing: perf record -o FILE keeps them apart"),
	};

	p->job->result->cut = p->f.cut || p->f.no_features || p->scan.counts.unknown ||
			      p->scan.counts.damaged;
	diags_add(diags, DIAG_NOTE, "%s: perf.data: %llu samples were converted to events", in,
		  p->scan.counts.taken);
	if (p->tasks.renames.n > p->tasks.n_off)
		diags_add(diags, DIAG_NOTE,
			  "%s: %zu changes of task names were converted to task:task_rename events",
			  in, p->tasks.renames.n - p->tasks.n_off);
	if (p->tasks.n_off)
		diags_add(
			diags, DIAG_NOTE,
			"%s: %zu times in which a task did not run were converted to perf:off_cpu events",
			in, p->tasks.n_off);
	if (p->tasks.pids.differ)
		diags_add(diags, DIAG_NOTE,
			  "%s: perf ran in a pid namespace; names belong to the pids of the kernel "
			  "that samples have with the pids of the namespace, other tasks have none",
			  in);
	note_attrs(p);
	if (perf_lost_more(p)) {
		diags_add(diags, DIAG_WARNING,
			  "%s: %llu more samples were lost; their CPU and time are not known", in,
			  (unsigned long long)perf_lost_more(p));
		caveat_add(&p->job->sink->caveats,
			   &(struct caveat){ .kind = CAVEAT_LOST, .n = perf_lost_more(p) });
	}
	if (p->scan.counts.unknown)
		diags_add(diags, DIAG_WARNING,
			  "%s: %llu samples are left out: the file does not describe their event",
			  in, p->scan.counts.unknown);
	if (p->scan.counts.damaged)
		diags_add(diags, DIAG_WARNING, "%s: %llu damaged records are left out", in,
			  p->scan.counts.damaged);
	if (p->f.no_features)
		diags_add(
			diags, DIAG_WARNING,
			"%s: perf record did not finish the file; the part that it writes at the end is missing",
			in);
	else if (p->f.cut)
		diags_add(diags, DIAG_WARNING, ends[p->f.end], in);
}
