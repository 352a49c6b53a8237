// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The hist_debug file: the internals of every histogram of the event.
 *
 * Where the kernel shows hashed pointers, hist prints numbers that identify the histograms in the
 * order of their creation. Corresponds to hist_trigger_debug_show().
 */
#include "print/print.h"
#include "program/hist_data.h"

static void print_pointer(struct strbuf *out, const struct hist_data *hd)
{
	strbuf_addf(out, "%016x\n", hd->serial);
}

static void print_flags(struct strbuf *out, u32 flags)
{
	strbuf_addstr(out, "      flags:\n");
	if (flags & HIST_FIELD_FL_KEY)
		strbuf_addstr(out, "        HIST_FIELD_FL_KEY\n");
	else if (flags & HIST_FIELD_FL_HITCOUNT)
		strbuf_addstr(out, "        VAL: HIST_FIELD_FL_HITCOUNT\n");
	else if (flags & HIST_FIELD_FL_VAR)
		strbuf_addstr(out, "        HIST_FIELD_FL_VAR\n");
	else if (flags & HIST_FIELD_FL_VAR_REF)
		strbuf_addstr(out, "        HIST_FIELD_FL_VAR_REF\n");
	else
		strbuf_addstr(out, "        VAL: normal u64 value\n");
	if (flags & HIST_FIELD_FL_ALIAS)
		strbuf_addstr(out, "        HIST_FIELD_FL_ALIAS\n");
	else if (flags & HIST_FIELD_FL_CONST)
		strbuf_addstr(out, "        HIST_FIELD_FL_CONST\n");
}

static void print_var(struct strbuf *out, const struct hist_field *f)
{
	strbuf_addf(out, "      var.name: %s\n", f->var.name);
	strbuf_addf(out, "      var.idx (into tracing_map_elt.vars[]): %u\n", f->var.idx);
}

static void print_type(struct strbuf *out, const struct hist_field *f)
{
	strbuf_addf(out, "      type: %s\n", f->type ? f->type : "(null)");
	strbuf_addf(out, "      size: %u\n", f->size);
	strbuf_addf(out, "      is_signed: %u\n", f->is_signed);
}

static void print_field(struct strbuf *out, const struct hist_field *f)
{
	print_flags(out, f->flags);
	if (f->field)
		strbuf_addf(out, "      ftrace_event_field name: %s\n", f->field->name);
	if (f->flags & HIST_FIELD_FL_VAR)
		print_var(out, f);
	if (f->flags & HIST_FIELD_FL_CONST)
		strbuf_addf(out, "      constant: %llu\n", f->expr.constant);
	if (f->flags & HIST_FIELD_FL_ALIAS)
		strbuf_addf(out, "      var_ref_idx (into hist_data->var_refs[]): %u\n",
			    f->ref.idx);
	if (f->flags & HIST_FIELD_FL_VAR_REF) {
		strbuf_addf(out, "      name: %s\n", f->name);
		strbuf_addf(out, "      var.idx (into tracing_map_elt.vars[]): %u\n", f->var.idx);
		strbuf_addstr(out, "      var.hist_data: ");
		print_pointer(out, f->var.hist_data);
		strbuf_addf(out, "      var_ref_idx (into hist_data->var_refs[]): %u\n",
			    f->ref.idx);
		if (f->ref.system)
			strbuf_addf(out, "      system: %s\n", f->ref.system);
		if (f->ref.event_name)
			strbuf_addf(out, "      event_name: %s\n", f->ref.event_name);
	}
	print_type(out, f);
}

/*
 * Returns false if the kernel ends the output of the trigger here, because the value is not a
 * field.
 */
static bool print_field_vars(struct strbuf *out, const char *what, struct field_var *const *vars,
			     u32 n)
{
	for (u32 i = 0; i < n; i++) {
		const struct hist_field *var = vars[i]->var, *val = vars[i]->val;

		strbuf_addf(out, "\n    hist_data->%s[%u]:\n\n      %s[%u].var:\n", what, i, what,
			    i);
		print_flags(out, var->flags);
		print_var(out, var);
		strbuf_addf(out, "\n      %s[%u].val:\n", what, i);
		if (!val->field)
			return false;
		strbuf_addf(out, "      ftrace_event_field name: %s\n", val->field->name);
		print_type(out, val);
	}
	return true;
}

static void print_action(struct strbuf *out, const struct action_data *data, u32 i)
{
	const struct action_text *at = &data->text;

	if (data->handler == HANDLER_ONMATCH) {
		strbuf_addf(out, "\n    hist_data->actions[%u].match_data.event_system: %.*s\n", i,
			    (int)at->match_system.n, at->match_system.s);
		strbuf_addf(out, "    hist_data->actions[%u].match_data.event: %.*s\n", i,
			    (int)at->match_event.n, at->match_event.s);
		return;
	}
	strbuf_addf(out, "\n    hist_data->actions[%u].track_data.var_ref:\n", i);
	print_field(out, data->var_ref);
	strbuf_addf(out, "\n    hist_data->actions[%u].track_data.track_var:\n", i);
	print_field(out, data->track_var);
}

static void print_one(struct strbuf *out, const struct trigger *t)
{
	const struct hist_data *hd = t->hist;
	u32 i;

	strbuf_addstr(out, "# event histogram\n#\n# trigger info: ");
	trigger_text(out, t);
	strbuf_addstr(out, "#\n\nhist_data: ");
	print_pointer(out, hd);
	strbuf_addch(out, '\n');
	strbuf_addf(out, "  n_vals: %u\n  n_keys: %u\n  n_fields: %u\n", hd->n_vals, hd->n_keys,
		    hd->n_fields);
	strbuf_addstr(out, "\n  val fields:\n");
	for_each_hist_field(i, hd) {
		if (i == hd->n_vals)
			strbuf_addstr(out, "\n  key fields:\n");
		strbuf_addf(out, "\n    hist_data->fields[%u]:\n", i);
		print_field(out, hd->fields[i]);
	}
	if (hd->n_var_refs)
		strbuf_addstr(out, "\n  variable reference fields:\n");
	for (i = 0; i < hd->n_var_refs; i++) {
		strbuf_addf(out, "\n    hist_data->var_refs[%u]:\n", i);
		print_field(out, hd->var_refs[i]);
	}
	if (hd->n_field_vars)
		strbuf_addstr(out, "\n  field variables:\n");
	if (print_field_vars(out, "field_vars", hd->field_vars, hd->n_field_vars)) {
		if (hd->n_actions)
			strbuf_addstr(
				out,
				"\n  action tracking variables (for onmax()/onchange()/onmatch()):\n");
		for (i = 0; i < hd->n_actions; i++)
			print_action(out, hd->actions[i], i);
		if (hd->n_save_vars)
			strbuf_addstr(out, "\n  save action variables (save() params):\n");
		print_field_vars(out, "save_vars", hd->save_vars, hd->n_save_vars);
	}
}

void print_hist_debug(struct printer *p, const struct event_file *file)
{
	bool first = true;

	array_each_ptr(const struct trigger, t, &file->triggers) {
		if (!t->hist)
			continue;
		strbuf_addstr(&p->buf, first ? "" : "\n\n");
		first = false;
		print_one(&p->buf, t);
		printer_flush(p);
	}
}
