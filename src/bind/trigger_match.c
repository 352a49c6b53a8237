// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Whether two hist triggers are the same: for removing, pausing, and refusing a duplicate.
 *
 * Compares the kinds of fields, but neither the contents of expressions nor the widths of buckets.
 * Corresponds to hist_trigger_match(), actions_match() in trace_events_hist.c.
 */
#include "bind/binding.h"

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool fields_match(const struct hist_data *a, const struct hist_data *b)
{
	u32 i;

	for_each_hist_field(i, a) {
		const struct hist_field *fa = a->fields[i], *fb = b->fields[i];

		if (fa->flags != fb->flags || !event_fields_alike(fa->field, fb->field) ||
		    fa->offset != fb->offset || fa->size != fb->size ||
		    fa->is_signed != fb->is_signed || fa->who != fb->who || fa->code != fb->code ||
		    hist_key_is_generic_stack(fa) != hist_key_is_generic_stack(fb) ||
		    !same_text(fa->var.name, fb->var.name))
			return false;
	}
	return true;
}

static bool sort_keys_match(const struct hist_data *a, const struct hist_data *b)
{
	return all_of(i, a->n_sort_keys,
		      a->sort_keys[i].field_idx == b->sort_keys[i].field_idx &&
			      a->sort_keys[i].descending == b->sort_keys[i].descending);
}

static bool action_matches(const struct action_text *a, const struct action_text *b)
{
	struct span name_a = a->use_trace_keyword ? a->synth_event : a->word;
	struct span name_b = b->use_trace_keyword ? b->synth_event : b->word;

	if (a->handler != b->handler || a->action != b->action || a->n_params != b->n_params)
		return false;
	for (size_t i = 0; i < a->n_params; i++)
		if (!span_same(a->params[i], b->params[i]))
			return false;
	if (!span_same(name_a, name_b))
		return false;
	if (a->handler == HANDLER_ONMATCH)
		return span_same(a->match_system, b->match_system) &&
		       span_same(a->match_event, b->match_event);
	return span_same(a->var, b->var);
}

static bool actions_match(const struct hist_data *a, const struct hist_data *b)
{
	if (a->n_actions != b->n_actions)
		return false;
	return all_of(i, a->n_actions, action_matches(&a->actions[i]->text, &b->actions[i]->text));
}

/* --- the same as a hash: what matches has the same --- */

static u32 hash_span(u32 h, struct span s)
{
	return s.s ? hash_bytes(h, s.s, s.n) : h;
}

static u32 hash_field(u32 h, const struct hist_field *f)
{
	const u32 numbers[] = { (u32)f->flags, f->offset, f->size, f->is_signed, (u32)f->who };

	h = hash_bytes(h, numbers, sizeof(numbers));
	if (f->field)
		h = hash_span(h, span_of(f->field->name));
	return f->var.name ? hash_span(h, span_of(f->var.name)) : h;
}

static u32 hash_action(u32 h, const struct action_text *a)
{
	h = hash_span(h, a->use_trace_keyword ? a->synth_event : a->word);
	for (size_t i = 0; i < a->n_params; i++)
		h = hash_span(h, a->params[i]);
	return hash_span(h, a->handler == HANDLER_ONMATCH ? a->match_event : a->var);
}

u32 hist_trigger_hash(const struct trigger *trigger, const struct trigger *named)
{
	const struct hist_data *hd = trigger->hist;
	const u32 numbers[] = { named ? named->id : 0, hd->n_vals, hd->n_fields,
				(u32)hd->n_sort_keys, hd->n_actions };
	u32 i, h = hash_bytes(0, numbers, sizeof(numbers));

	for_each_hist_field(i, hd)
		h = hash_field(h, hd->fields[i]);
	for (i = 0; i < hd->n_sort_keys; i++)
		h = hash_number(((u64)h << 32) + (hd->sort_keys[i].field_idx << 1) +
				hd->sort_keys[i].descending);
	for (i = 0; i < hd->n_actions; i++)
		h = hash_action(h, &hd->actions[i]->text);
	return trigger->filter_text ? hash_span(h, span_of(trigger->filter_text)) : h;
}

bool hist_trigger_match(const struct trigger *a, const struct trigger *b,
			const struct trigger *named, bool ignore_filter)
{
	const struct hist_data *ha = a->hist, *hb = b->hist;

	if (named ? named != b && named != b->named_data : is_named_trigger(b))
		return false;
	if (ha->n_vals != hb->n_vals || ha->n_fields != hb->n_fields ||
	    ha->n_sort_keys != hb->n_sort_keys)
		return false;
	return fields_match(ha, hb) && sort_keys_match(ha, hb) &&
	       (ignore_filter || same_text(a->filter_text, b->filter_text)) &&
	       actions_match(ha, hb);
}
