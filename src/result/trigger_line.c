// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The lines of the file trigger, as the kernel prints them. Corresponds to
 * event_hist_trigger_print(), event_trigger_print(), trigger_show().
 */
#include "program/hist_data.h"
#include "result/store.h"
#include "tracing/trigger.h"
#include "tracing/tracing.h"

/* "=MIN_MAX_SIZE", in which a minus is the letter m */
static void print_lhist(struct strbuf *out, const struct key_ranges *ranges)
{
	const u64 ends[] = { ranges->from ^ ranges->sign, ranges->to ^ ranges->sign };

	strbuf_addch(out, '=');
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		const bool minus = ranges->sign && ends[i] >> 63;

		strbuf_addf(out, "%s%llu_", minus ? "m" : "", minus ? 0 - ends[i] : ends[i]);
	}
	strbuf_addf(out, "%llu", ranges->size);
}

static void print_hist_field(struct strbuf *out, const struct hist_field *f,
			     const struct kernel_quirks *q)
{
	const u32 plain = HIST_FIELD_FL_VAR_REF | HIST_FIELD_FL_EXPR;
	u32 unshown = q->common_stacktrace ? plain | HIST_FIELD_FL_STACKTRACE : plain;
	const char *modifier = hist_field_modifier(f);

	if (f->var.name)
		strbuf_addf(out, "%s=", f->var.name);
	if (f->flags & HIST_FIELD_FL_CPU) {
		/* kernel: the test for a comm that came after it lost its "else" */
		strbuf_addf(out, "common_cpu%s", q->cpu_named_twice ? f->label : "");
	} else if (f->flags & HIST_FIELD_FL_COMM) {
		strbuf_addstr(out, "common_comm");
	} else if (f->flags & HIST_FIELD_FL_CONST) {
		strbuf_addf(out, "%llu", f->expr.constant);
	} else {
		if (f->flags & (HIST_FIELD_FL_VAR_REF | HIST_FIELD_FL_ALIAS) &&
		    (!f->ref.system || !q->dollar_inside))
			strbuf_addch(out, '$');
		strbuf_addstr(out, f->label);
	}
	if (modifier && !(f->flags & unshown))
		strbuf_addf(out, ".%s", modifier);
	if (f->ranges && f->ranges->bounded)
		print_lhist(out, f->ranges);
	else if (f->buckets)
		strbuf_addf(out, "=%ld", (long)f->buckets);
}

static void print_action_args(struct strbuf *out, const struct hist_data *hd,
			      const struct action_data *data)
{
	const struct action_text *at = &data->text;
	bool comma = at->use_trace_keyword;

	if (data->action == ACTION_SAVE)
		for (u32 i = 0; i < hd->n_save_vars; i++)
			strbuf_addf(out, "%s%s", i ? "," : "", hd->save_vars[i]->var->var.name);
	if (data->action != ACTION_TRACE)
		return;
	if (at->use_trace_keyword)
		strbuf_add(out, at->synth_event.s, at->synth_event.n);
	for (size_t i = 0; i < at->n_params; i++) {
		if (comma)
			strbuf_addch(out, ',');
		comma = true;
		strbuf_add(out, at->params[i].s, at->params[i].n);
	}
}

static void print_action(struct strbuf *out, const struct hist_data *hd,
			 const struct action_data *data)
{
	const struct action_text *at = &data->text;

	if (data->handler == HANDLER_ONMATCH)
		strbuf_addf(out, ":onmatch(%.*s.%.*s)", (int)at->match_system.n, at->match_system.s,
			    (int)at->match_event.n, at->match_event.s);
	else
		strbuf_addf(out, ":%s(%.*s)", data->handler == HANDLER_ONMAX ? "onmax" : "onchange",
			    (int)at->var.n, at->var.s);
	strbuf_addf(out, ".%.*s(", (int)at->word.n, at->word.s);
	print_action_args(out, hd, data);
	strbuf_addch(out, ')');
}

static void print_hist_line(struct strbuf *out, const struct trigger *t)
{
	const struct hist_data *hd = t->hist;
	const struct kernel_quirks *q = hd->rules;
	u32 i, n_sums;
	bool first;
	char sep;

	strbuf_addstr(out, "hist:");
	if (t->name)
		strbuf_addf(out, "%s:", t->name);
	strbuf_addstr(out, "keys=");
	for_each_hist_key_field(i, hd) {
		const struct hist_field *f = hd->fields[i];

		if (i > hd->n_vals)
			strbuf_addch(out, ',');
		if (!(f->flags & HIST_FIELD_FL_STACKTRACE))
			print_hist_field(out, f, q);
		else if (f->field)
			strbuf_addf(out, "%s.stacktrace", f->field->name);
		else if (hist_key_is_generic_stack(f))
			strbuf_addf(out, "%s.stacktrace", f->label);
		else
			strbuf_addstr(out,
				      q->common_stacktrace ? "common_stacktrace" : "stacktrace");
	}
	strbuf_addstr(out, ":vals=");
	first = true;
	for_each_hist_val_field(i, hd) {
		if (hd->fields[i]->flags & HIST_FIELD_FL_VAR ||
		    (i == HITCOUNT_IDX && hd->no_hitcount))
			continue;
		if (!first)
			strbuf_addch(out, ',');
		first = false;
		if (i == HITCOUNT_IDX)
			strbuf_addstr(out, "hitcount");
		else
			print_hist_field(out, hd->fields[i], q);
	}
	sep = ':';
	for_each_hist_val_field(i, hd) {
		if (!(hd->fields[i]->flags & HIST_FIELD_FL_VAR))
			continue;
		strbuf_addch(out, sep);
		sep = ',';
		print_hist_field(out, hd->fields[i], q);
	}
	strbuf_addstr(out, ":sort=");
	n_sums = hd->n_vals - hd->n_vars;
	for (size_t j = 0; j < hd->n_sort_keys; j++) {
		u32 idx = hd->sort_keys[j].field_idx;

		if (j)
			strbuf_addch(out, ',');
		if (idx == HITCOUNT_IDX)
			strbuf_addstr(out, "hitcount");
		else
			print_hist_field(out, hd->fields[idx < n_sums ? idx : idx + hd->n_vars], q);
		if (hd->sort_keys[j].descending)
			strbuf_addstr(out, ".descending");
	}
	strbuf_addf(out, ":size=%u", 1u << hd->map_bits);
	if (hd->enable_timestamps)
		strbuf_addf(out, ":clock=%s", hd->clock);
	if (hd->no_hitcount)
		strbuf_addstr(out, ":nohitcount");
	for (i = 0; i < hd->n_actions; i++)
		print_action(out, hd, hd->actions[i]);
	if (t->filter_text)
		strbuf_addf(out, " if %s", t->filter_text);
	strbuf_addstr(out, t->paused ? " [paused]\n" : " [active]\n");
}

void trigger_text(struct strbuf *out, const struct trigger *t)
{
	if (t->kind == TRIGGER_HIST) {
		print_hist_line(out, t);
		return;
	}
	if (t->kind == TRIGGER_EPROBE) /* kernel: not even the end of a line */
		return;
	strbuf_addstr(out, trigger_kind_name(t->kind));
	if (t->target)
		strbuf_addf(out, ":%s:%s", t->target->system, t->target->name);
	if (t->count == COUNT_UNLIMITED)
		strbuf_addstr(out, ":unlimited");
	else
		strbuf_addf(out, ":count=%lld", t->count);
	if (t->filter_text)
		strbuf_addf(out, " if %s", t->filter_text);
	strbuf_addch(out, '\n');
}
