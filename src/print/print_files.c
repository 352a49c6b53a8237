// SPDX-License-Identifier: LGPL-2.1-only
/* The small files: error_log, filter, enable, trigger, format, those of dynamic events. */
#include "print/print.h"

enum { LOG_LOC_MAX = 128 };

/* Corresponds to tracing_err_log_seq_show(). */
void print_error_log(struct printer *p, const struct trace_array *tr)
{
	u64 ts = tr->tracing->first_ts;

	array_each_of(const struct tracing_error, e, tr->errors.entries, tr->errors.n) {
		char loc[LOG_LOC_MAX];

		/* kernel: a long location is truncated, together with the following word */
		snprintf(loc, sizeof(loc), "%s: error: ", e->loc);
		strbuf_addf(&p->buf, "[%5llu.%06u] %s", ts / 1000000000,
			    (u32)(ts % 1000000000 / 1000), loc);
		strbuf_addf(&p->buf, "%s\n  Command: %s\n", e->text, e->cmd);
		strbuf_fill(&p->buf, ' ', strlen("  Command: ") + e->pos);
		strbuf_addstr(&p->buf, "^\n");
	}
	printer_flush(p);
}

void print_filter(struct printer *p, const struct event_file *file)
{
	strbuf_addf(&p->buf, "%s\n", file->filter ? file->filter->text : "none");
}

void print_trigger(struct printer *p, const struct event_file *file)
{
	const bool any = any_of(i, file->triggers.n, file->triggers.v[i]->kind != TRIGGER_EPROBE);

	if (!any)
		strbuf_addstr(
			&p->buf,
			"# Available triggers:\n# traceon traceoff snapshot stacktrace enable_event "
			"disable_event enable_hist disable_hist hist\n");
	for (size_t i = 0; i < file->triggers.n; i++)
		trigger_text(&p->buf, file->triggers.v[i]);
	printer_flush(p);
}

/* SYSTEM:EVENT, and blanks up to the column of the text */
static void add_event_name(struct printer *p, const struct event_file *file)
{
	size_t len = strlen(file->system) + 1 + strlen(file->name);

	strbuf_addf(&p->buf, "%s:%s", file->system, file->name);
	strbuf_fill(&p->buf, ' ', len < 32 ? 32 - len : 1);
}

void print_event_filter(struct printer *p, const struct event_file *file)
{
	if (!file->filter)
		return;
	add_event_name(p, file);
	print_filter(p, file);
}

void print_event_triggers(struct printer *p, const struct event_file *file)
{
	for (size_t i = 0; i < file->triggers.n; i++) {
		add_event_name(p, file);
		trigger_text(&p->buf, file->triggers.v[i]);
	}
}

/* kernel: the newest first */
void print_mod_events(struct printer *p, const struct trace_array *tr)
{
	for (size_t i = tr->mod_events.n; i-- > 0;) {
		const struct mod_event *e = &tr->mod_events.v[i];
		struct span any = span_of("*"), system = e->system.s ? e->system : any,
			    event = e->event.s ? e->event : any;

		if (e->either.s)
			strbuf_addf(&p->buf, "%.*s", (int)e->either.n, e->either.s);
		else
			strbuf_addf(&p->buf, "%.*s:%.*s", (int)system.n, system.s, (int)event.n,
				    event.s);
		strbuf_addf(&p->buf, ":mod:%s\n", e->module);
	}
}

void print_enable(struct printer *p, const struct event_file *file)
{
	const struct event_state *s = &file->state;

	strbuf_addch(&p->buf, s->enabled && !s->soft_disabled ? '1' : '0');
	strbuf_addstr(&p->buf, s->soft_disabled || s->soft_mode ? "*\n" : "\n");
}

void print_format(struct printer *p, const struct event_file *file)
{
	strbuf_add(&p->buf, file->format->text.s, file->format->text.n);
	printer_flush(p);
}

/* Corresponds to __synth_event_show(): "__data_loc " is only in the format file. */
static void print_synthetic_event(struct printer *p, const struct synth_event *se)
{
	static const char loc[] = "__data_loc ";

	strbuf_addf(&p->buf, "%s\t", se->name);
	for (size_t j = 0; j < se->n_fields; j++) {
		const struct synth_field_text *f = &se->fields[j].text;
		const char *in = strstr(f->type, loc);

		strbuf_addf(&p->buf, "%s%s %s", j ? "; " : "", in ? in + strlen(loc) : f->type,
			    f->name);
	}
	strbuf_addch(&p->buf, '\n');
}

void print_synthetic_events(struct printer *p, const struct tracing *t)
{
	for (size_t i = 0; i < t->synth_events.n; i++)
		print_synthetic_event(p, t->synth_events.v[i]);
	printer_flush(p);
}

void print_probe_events(struct printer *p, const struct tracing *t, enum probe_file file)
{
	const struct probe *probe;
	size_t i = 0;

	while ((probe = probe_next(t, file, &i)))
		strbuf_addf(&p->buf, "%s\n", probe->line);
	printer_flush(p);
}

/* All in the order of creation. */
void print_dynamic_events(struct printer *p, const struct tracing *t)
{
	size_t s = 0, i = 0;

	while (s < t->synth_events.n || i < t->probes.n) {
		if (s == t->synth_events.n ||
		    (i < t->probes.n && t->probes.v[i]->order < t->synth_events.v[s]->order)) {
			strbuf_addf(&p->buf, "%s\n", t->probes.v[i++]->line);
		} else {
			strbuf_addstr(&p->buf, "s:synthetic/");
			print_synthetic_event(p, t->synth_events.v[s++]);
		}
	}
	printer_flush(p);
}
