// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Binds handlers and actions. The text of all actions is checked first; the actions are created
 * later, when keys and variables exist, with the references, hidden variables and hidden histograms
 * that they need.
 *
 * Corresponds to parse_actions(), create_actions() and their helpers in trace_events_hist.c.
 */
#include "bind/bind.h"
#include "bind/binding.h"
#include "program/program.h"

static const struct span nowhere = { NULL, 0 };

/* Hint: the events with similar names. */
static int unknown_event(struct bind *b, const struct action_text *at)
{
	int err = log_hist_err(b->log, HIST_ERR_INVALID_SUBSYS_EVENT, at->match_event);
	struct arena *arena = &b->log->diags->arena;
	const char *wanted = arena_strndup(arena, at->match_event.s, at->match_event.n);
	struct near near = NEAR_INIT(wanted ? wanted : "");
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	const struct event_text *texts;
	size_t n;

	texts = event_db_texts(b->t->machine.db, &n);
	for (size_t i = 0; i < n && wanted; i++) {
		const char *name = arena_strndup(arena, texts[i].name.s, texts[i].name.n);
		const char *shown = name ? arena_printf(arena, "%s.%s", texts[i].system, name)
					 : NULL;

		if (shown)
			near_offer(&near, name, shown);
	}
	near_text(&near, &names);
	if (names.len)
		diags_add(b->log->diags, DIAG_NOTE, "nearest: %s", names.s);
	return err;
}

int bind_action_texts(struct bind *b)
{
	struct hist_data *hd = b->hd;

	for (size_t i = 0; i < hd->text.n_actions; i++) {
		struct action_data *data = arena_alloc(&hd->arena, sizeof(*data));
		struct action_text *at;

		if (!data)
			return HIST_NOMEM;
		at = &data->text;
		action_text_cut(hd->text.actions[i], at);
		if (at->bad_handler.set)
			return log_complaint(b->log, &at->bad_handler);
		if (at->handler == HANDLER_ONMATCH &&
		    !event_file_find(b->file->tr, at->match_system, at->match_event))
			return unknown_event(b, at);
		if (at->bad_action.set) {
			int err = log_complaint(b->log, &at->bad_action);

			if (at->bad_action.err == HIST_ERR_INVALID_PARAM && !at->bad_action.text.n)
				diags_add(b->log->diags, DIAG_NOTE,
					  "a parameter is empty; a shell replaces $NAME in "
					  "double quotes: use single quotes");
			return err;
		}
		data->handler = at->handler;
		data->action = at->action;
		hd->actions[hd->n_actions++] = data;
	}
	return 0;
}

/* --- variables for fields --- */

static bool names_this_event(const struct bind *b, struct span system, struct span event)
{
	return !system.s || (span_eq(system, b->file->system) && span_eq(event, b->file->name));
}

/*
 * kernel: after it has parsed system.event.name as one operand, only "system" is left of the text.
 */
static struct span left_of_atom(struct span text)
{
	struct atom atom;

	atom_cut(text, &atom);
	return atom.system.s ? atom.system : text;
}

/*
 * A hidden variable on this event that is set to the field (or reference) @text at each hit.
 * kernel: its name is the remainder of the text after the field was parsed.
 */
static int create_field_var(struct bind *b, struct span text, struct field_var **out)
{
	struct span cut = left_of_atom(text);
	struct field_var *fv;
	int err;

	if (b->hd->n_field_vars >= SYNTH_FIELDS_MAX)
		return log_hist_err(b->log, HIST_ERR_TOO_MANY_FIELD_VARS, text);
	fv = arena_alloc(&b->hd->arena, sizeof(*fv));
	if (!fv)
		return HIST_NOMEM;
	err = bind_atom(b, text, HIST_FIELD_FL_VAR, NULL, &fv->val);
	if (err == -HIST_EREJECTED)
		return log_hist_err(b->log, HIST_ERR_FIELD_VAR_PARSE_FAIL, cut);
	if (err)
		return err;
	fv->var = create_var(b, cut, fv->val);
	if (!fv->var)
		return log_hist_err(b->log, HIST_ERR_VAR_CREATE_FIND_FAIL, cut);
	if (b->q->common_stacktrace)
		fv->var->flags |= fv->val->flags & HIST_FIELD_FL_STACKTRACE;
	*out = fv;
	return 0;
}

/* Whether the entry stores a copy of the string or stack. */
static u32 needs_room(const struct field_var *fv)
{
	return (fv->val->flags & (HIST_FIELD_FL_STRING | HIST_FIELD_FL_STACKTRACE)) != 0;
}

/* --- hidden histograms: a field of another event --- */

static struct hist_field *find_synthetic_field_var(struct bind *b, struct span system,
						   struct span event, struct span name)
{
	char *synthetic = arena_printf(&b->hd->arena, "synthetic_%.*s", (int)name.n, name.s);

	return synthetic ? find_event_var(b, system, event, span_of(synthetic)) : NULL;
}

/* The command that creates it: the keys of @model, the field, the filter of @model. */
static char *hidden_command(struct bind *b, const struct trigger *model, struct span name,
			    bool *too_long)
{
	const struct hist_data *hd = model->hist;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	char *cmd = NULL;
	u32 i;

	strbuf_addstr(&sb, "keys=");
	for_each_hist_key_field(i, hd) {
		if (i > hd->n_vals)
			strbuf_addch(&sb, ',');
		if (b->q->typed_hidden_keys)
			hist_field_operand_text(hd->fields[i], b->q, &sb);
		else
			strbuf_addstr(&sb, hd->fields[i]->label);
	}
	strbuf_addf(&sb, ":synthetic_%.*s=%.*s", (int)name.n, name.s, (int)name.n, name.s);
	if (model->filter_text)
		strbuf_addf(&sb, " if %s", model->filter_text);
	*too_long = !sb.failed && sb.len >= MAX_FILTER_STR_VAL;
	if (!sb.failed && !*too_long)
		cmd = arena_strndup(&b->hd->arena, sb.s, sb.len);
	return cmd;
}

static int create_hidden(struct bind *b, struct event_file *file, const struct trigger *model,
			 struct span name)
{
	struct hist_data *hd = b->hd;
	bool too_long;
	char *cmd = hidden_command(b, model, name, &too_long);
	int err;

	if (!cmd && !too_long)
		return HIST_NOMEM;
	if (!cmd)
		return log_silent(
			b->log, name,
			"the hidden histogram for this field needs more than 255 characters");
	err = event_hist_trigger_parse(file, false, span_of(cmd), NULL, b->log);
	if (err == -HIST_EREJECTED)
		return log_hist_err(b->log, HIST_ERR_HIST_CREATE_FAIL, name);
	if (!err)
		hd->field_var_hists[hd->n_field_var_hists++] = (struct field_var_hist){ file, cmd };
	return err;
}

/*
 * The variable for field @name of another event. It belongs to a histogram with the keys of a
 * compatible histogram of that event; the histogram is created unless an earlier one is suitable.
 */
static int create_field_var_hist(struct bind *b, struct span system, struct span event,
				 struct span name, struct hist_field **out)
{
	const struct trigger *model;
	struct event_file *file;
	int err;

	if (b->hd->n_field_var_hists >= SYNTH_FIELDS_MAX)
		return log_hist_err(b->log, HIST_ERR_TOO_MANY_FIELD_VARS, name);
	file = event_file_find(b->file->tr, system, event);
	if (!file)
		return log_hist_err(b->log, HIST_ERR_EVENT_FILE_NOT_FOUND, name);
	model = find_compatible_hist(file, b->hd);
	if (!model)
		return log_hist_err(b->log, HIST_ERR_HIST_NOT_FOUND, name);
	*out = find_synthetic_field_var(b, system, event, name);
	if (*out)
		return 0;
	err = create_hidden(b, file, model, name);
	if (err)
		return err;
	*out = find_synthetic_field_var(b, system, event, name);
	return *out ? 0 : log_hist_err(b->log, HIST_ERR_SYNTH_VAR_NOT_FOUND, name);
}

/* --- trace --- */

/*
 * The event in which an unqualified parameter of onmatch is looked up if this event does not have
 * it.
 */
static void default_to_match(const struct action_data *data, struct span *system,
			     struct span *event)
{
	if (system->s || data->handler != HANDLER_ONMATCH)
		return;
	*system = data->text.match_system;
	*event = data->text.match_event;
}

static int trace_find_var(struct bind *b, const struct action_data *data,
			  const struct param_text *p, struct hist_field **out)
{
	struct span system = p->system, event = p->event, name = span_skip(p->name, 1);

	*out = names_this_event(b, system, event) ? find_var_field(b->hd, name) : NULL;
	if (*out)
		return 0;
	default_to_match(data, &system, &event);
	*out = find_event_var(b, system, event, name);
	return *out ? 0 : log_hist_err(b->log, HIST_ERR_PARAM_NOT_FOUND, name);
}

static int trace_find_field(struct bind *b, const struct action_data *data,
			    const struct param_text *p, struct hist_field **out)
{
	struct span system = p->system, event = p->event;
	struct hist_data *hd = b->hd;
	struct field_var *fv = NULL;
	int err = -HIST_EREJECTED;

	if (names_this_event(b, system, event))
		err = create_field_var(b, p->name, &fv);
	if (err == HIST_NOMEM)
		return err;
	if (!err) {
		hd->field_vars[hd->n_field_vars++] = fv;
		hd->n_field_var_str += needs_room(fv);
		/* kernel: taken by a function further in than that of keys and variables */
		hd->inner_frames |= (fv->val->flags & HIST_FIELD_FL_STACKTRACE) &&
				    !(fv->val->field && fv->val->field->offset);
		*out = fv->var;
		return 0;
	}
	default_to_match(data, &system, &event);
	if (!event.s)
		return -HIST_EREJECTED; /* logged by create_field_var() */
	return create_field_var_hist(b, system, event, p->name, out);
}

/*
 * kernel: compares the name of the type, then size and sign. A computed value has the type of
 * its left operand, and sizes may agree by chance, so a value that passes is not necessarily a
 * string or a number.
 */
static bool check_synth_field(const struct synth_event *se, const struct hist_field *f, size_t pos)
{
	const struct synth_field_text *st;

	if (pos >= se->n_fields)
		return false;
	st = &se->fields[pos].text;
	if (f->type && strstr(f->type, "char[") && st->is_string && st->is_dynamic)
		return true;
	if (!!(f->flags & HIST_FIELD_FL_STACKTRACE) != st->is_stack)
		return false;
	if (st->is_stack || (f->type && !strcmp(st->type, f->type)))
		return true;
	return st->size == f->size && (st->is_string || st->is_signed == f->is_signed);
}

/*
 * Whether a value matches the type of the field. kernel: does not check. It then uses a number
 * as the address of a string, which is mostly invalid, and an address as a number.
 */
static bool is_taken(struct bind *b, const struct hist_field *f, const struct synth_field_text *st)
{
	if (st->is_stack)
		return f->kind == HIST_STACK;
	if (!st->is_string) {
		b->hd->has_addresses |= f->kind != HIST_NUMBER;
		return f->kind == HIST_NUMBER;
	}
	if (f->kind == HIST_TEXT || f->kind == HIST_TEXT_PART)
		return true;
	diags_add(
		b->log->diags, DIAG_WARNING,
		"field %s is a string, but gets a number, which the kernel uses as the address of a string: it is shown as (fault)",
		st->name);
	return false;
}

static void add_type(struct strbuf *sb, const char *type, bool is_signed, u32 size)
{
	if (type && *type)
		strbuf_addstr(sb, type);
	else
		strbuf_addf(sb, "a number of %u bytes, %s", size,
			    is_signed ? "signed" : "unsigned");
}

/* The types that do not match, after the kernel's message, which does not name them. */
static void note_types(const struct bind *b, const struct synth_event *se,
		       const struct hist_field *f, struct span name, size_t pos)
{
	scoped(strbuf_release) struct strbuf given = STRBUF_INIT, wanted = STRBUF_INIT;
	const struct synth_field_text *st;

	if (pos >= se->n_fields) {
		diags_add(b->log->diags, DIAG_NOTE, "%s has only %zu fields", se->name,
			  se->n_fields);
		return;
	}
	st = &se->fields[pos].text;
	add_type(&given, f->type, f->is_signed, f->size);
	add_type(&wanted, st->type, st->is_signed, st->size);
	diags_add(b->log->diags, DIAG_NOTE, "%.*s is %s, but field %s of %s is %s", (int)name.n,
		  name.s, given.s, st->name, se->name, wanted.s);
}

/*
 * The unit of a field is that of the values that all actions pass; if that is unknown, as of fields
 * of timers, the one that is its name.
 */
static void pass_unit(struct synth_field *field, const struct hist_field *value)
{
	const char *name = field->text.name, **known = &field->in_format->time_unit;
	const bool named = !strcmp(name, "ns") || !strcmp(name, "us") || !strcmp(name, "ms");
	const char *unit = time_unit_of(value) ?: named ? name : NULL;

	if (!field->is_passed)
		*known = unit;
	else if (*known && (!unit || strcmp(unit, *known) != 0))
		*known = NULL;
	field->is_passed = true;
}

/*
 * Types that were guessed from a text of a trace are not the kernel's: any number fits into the
 * field of a number, and a field for an address takes its name, if the text has that.
 */
static int take_guessed(struct bind *b, struct synth_event *se, const struct hist_field *f,
			size_t pos, bool *taken)
{
	const struct synth_field *field = &se->fields[pos];

	*taken = b->t->machine.types_guessed && pos < se->n_fields && !field->text.is_string &&
		 !field->text.is_stack &&
		 (f->kind == HIST_NUMBER || (f->kind == HIST_TEXT && !field->is_passed));
	return *taken && f->kind == HIST_TEXT ? synth_event_take_name(se, pos, b->q) : 0;
}

static int bind_param(struct bind *b, struct action_data *data, struct synth_event *se, size_t i)
{
	struct hist_field *var = NULL, *ref;
	struct param_text p;
	bool guessed;
	int err;

	param_text_cut(data->text.params[i], &p);
	if (p.bad)
		return log_silent(b->log, data->text.params[i], "write NAME or SYSTEM.EVENT.NAME");
	if (p.name.n && p.name.s[0] == '$')
		err = trace_find_var(b, data, &p, &var);
	else
		err = trace_find_field(b, data, &p, &var);
	if (err)
		return err;
	if (take_guessed(b, se, var, i, &guessed))
		return HIST_NOMEM;
	if (!guessed && !check_synth_field(se, var, i)) {
		err = log_hist_err(b->log, HIST_ERR_SYNTH_TYPE_MISMATCH, p.name);
		note_types(b, se, var, p.name, i);
		return err;
	}
	ref = create_var_ref(b, var, p.system, p.event);
	if (!ref)
		return log_silent(b->log, p.name, "a trigger can refer to at most 16 variables");
	pass_unit(&se->fields[i], var);
	data->var_ref_idx[i] = is_taken(b, var, &se->fields[i].text) ? ref->ref.idx : REF_NULL;
	return 0;
}

static int create_trace(struct bind *b, struct action_data *data)
{
	struct span name = data->text.synth_event;
	struct synth_event *se = synth_event_find(b->t, name);
	int err = 0;

	if (!se)
		return log_hist_err(b->log, HIST_ERR_SYNTH_EVENT_NOT_FOUND, name);
	for (size_t i = 0; i < data->text.n_params && !err; i++)
		err = bind_param(b, data, se, i);
	if (!err && data->text.n_params != se->n_fields)
		err = log_hist_err(b->log, HIST_ERR_SYNTH_COUNT_MISMATCH, name);
	if (err)
		return err;
	data->synth_event = se;
	data->owner = b->hd;
	data->next = se->generators;
	data->link = &se->generators;
	if (data->next)
		data->next->link = &data->next;
	se->generators = data;
	se->refs++;
	return 0;
}

/* --- save, snapshot, and the values that they track --- */

static int create_save(struct bind *b, const struct action_data *data)
{
	struct hist_data *hd = b->hd;

	if (hd->n_save_vars)
		return log_hist_err(b->log, HIST_ERR_TOO_MANY_SAVE_ACTIONS, nowhere);
	for (size_t i = 0; i < data->text.n_params; i++) {
		struct span param = data->text.params[i];
		struct field_var *fv = NULL;
		int err = create_field_var(b, param, &fv);

		if (err == -HIST_EREJECTED)
			return log_hist_err(b->log, HIST_ERR_FIELD_VAR_CREATE_FAIL,
					    left_of_atom(param));
		if (err)
			return err;
		hd->save_vars[hd->n_save_vars++] = fv;
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): set if there is no error */
		hd->has_addresses |= !(fv->val->flags & HIST_FIELD_FL_STRING) &&
				     hist_field_is_address(fv->val);
		hd->n_save_var_str += needs_room(fv);
	}
	return 0;
}

static int create_snapshot(struct bind *b, struct action_data *data)
{
	struct trace_array *tr = b->file->tr;

	if (tr->snapshot)
		return log_silent(b->log, data->text.word,
				  "another trigger uses the snapshot of this buffer");
	tr->snapshot = calloc(1, sizeof(*tr->snapshot) + b->hd->key_size);
	if (!tr->snapshot || array_buffer_arm_snapshot(tr))
		return HIST_NOMEM;
	tr->snapshot->hist = b->hd;
	tr->snapshot->action = data;
	return 0;
}

static int create_action(struct bind *b, struct action_data *data)
{
	switch (data->action) {
	case ACTION_TRACE:
		return create_trace(b, data);
	case ACTION_SNAPSHOT:
		return create_snapshot(b, data);
	default:
		return create_save(b, data);
	}
}

static int create_tracked(struct bind *b, struct action_data *data)
{
	static const struct hist_field extreme = { .size = 8, .type = "u64" };
	struct span var = data->text.var;
	struct hist_field *f;

	if (!var.n || var.s[0] != '$')
		return log_hist_err(b->log, HIST_ERR_ONX_NOT_VAR, var);
	var = span_skip(var, 1);
	f = find_var_field(b->hd, var);
	if (!f)
		return log_hist_err(b->log, HIST_ERR_ONX_VAR_NOT_FOUND, var);
	data->var_ref = create_var_ref(b, f, nowhere, nowhere);
	if (!data->var_ref)
		return log_silent(b->log, var, "a trigger can refer to at most 16 variables");
	b->hd->has_addresses |= hist_field_is_address(data->var_ref);
	data->track_var = create_var(
		b, span_of(data->handler == HANDLER_ONMAX ? "__max" : "__change"), &extreme);
	if (!data->track_var)
		return log_hist_err(b->log, HIST_ERR_ONX_VAR_CREATE_FAIL, nowhere);
	return create_action(b, data);
}

int create_actions(struct bind *b)
{
	int err = 0;

	for (u32 i = 0; i < b->hd->n_actions && !err; i++) {
		struct action_data *data = b->hd->actions[i];

		err = data->handler == HANDLER_ONMATCH ? create_action(b, data)
						       : create_tracked(b, data);
	}
	return err;
}
