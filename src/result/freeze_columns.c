// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The columns of a histogram: keys, values, and the data of onmax and onchange; and the subjects of
 * statistics and exemplars.
 *
 * Numbers that the kernel's text hides (values that are expressions, hitcount under nohitcount)
 * have columns, too.
 */
#include "result/freezer.h"

static const u32 with_label = HIST_FIELD_FL_SYM | HIST_FIELD_FL_SYM_OFFSET |
			      HIST_FIELD_FL_EXECNAME | HIST_FIELD_FL_SYSCALL;
static const u32 rounded = HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET;

/* kernel: hist_trigger_print_key() checks in this order. */
static enum result_type key_type(const struct hist_field *f)
{
	if (hist_field_is_code(f))
		return f->code >= CODE_USTACK ? RESULT_STACK : RESULT_TEXT;
	if (hist_field_is_who_text(f))
		return RESULT_TEXT;
	if (f->flags & (with_label | HIST_FIELD_FL_HEX))
		return RESULT_NUMBER;
	if (f->flags & HIST_FIELD_FL_STACKTRACE)
		return RESULT_STACK;
	if (f->flags & rounded)
		return RESULT_RANGE;
	return f->flags & HIST_FIELD_FL_STRING ? RESULT_TEXT : RESULT_NUMBER;
}

static const char *unit_of(const struct freezer *f, const struct hist_field *field)
{
	return trace_clock_counts(f->machine->clock) ? NULL : time_unit_of(field);
}

/* A name that no other column of the role has; NULL if out of memory. */
static const char *own_name(struct freezer *f, const char *name)
{
	const char *copy = arena_strdup(&f->s->arena, name);

	return copy ? unique_names_add(&f->names, copy) : NULL;
}

static int add_column(struct freezer *f, struct result_column column, struct cell_source source)
{
	struct result *r = &f->s->result;
	size_t i = r->n_columns;

	if (!column.name || !column.label)
		return HIST_NOMEM;
	if (i && f->s->columns[i - 1].role != column.role)
		f->names.given.n = 0;
	column.name = own_name(f, column.name);
	column.label = arena_strdup(&f->s->arena, column.label);
	if (!column.name || !column.label)
		return HIST_NOMEM;
	f->s->columns[i] = column;
	f->sources[i] = source;
	r->n_columns++;
	return 0;
}

/* The name of a constant is its value. */
static const char *constant_name(struct freezer *f, const struct hist_field *field)
{
	return arena_printf(&f->s->arena, "%llu", field->expr.constant);
}

/* Whether the name of a key alone does not tell what it is. */
static bool needs_modifier(const struct freezer *f, const struct hist_field *field)
{
	bool same = hist_field_is_code(field) || field->flags & HIST_FIELD_FL_WHO;
	u32 i;

	for_each_hist_key_field(i, f->hd)
		same |= f->hd->rules->exact && f->hd->fields[i] != field &&
			!strcmp(f->hd->fields[i]->label, field->label);
	return same && hist_field_modifier(field);
}

static const char *key_name(struct freezer *f, const struct hist_field *field)
{
	if (needs_modifier(f, field))
		return arena_printf(&f->s->arena, "%s.%s", field->label,
				    hist_field_modifier(field));
	if (field->flags & HIST_FIELD_FL_STACKTRACE && !field->field)
		return f->hd->rules->common_stacktrace ? "common_stacktrace" : "stacktrace";
	return field->flags & HIST_FIELD_FL_CONST ? constant_name(f, field) : field->label;
}

/* The name with the text after it; kernel: the line continues after a field that is a stack. */
static const char *stack_label(struct freezer *f, const struct hist_field *field)
{
	if (hist_field_is_code(field))
		return arena_printf(&f->s->arena, "%s:\n", field->label);
	if (field->field)
		return arena_printf(&f->s->arena, "%s.stacktrace", field->field->name);
	if (hist_key_is_generic_stack(field))
		return arena_printf(&f->s->arena, "%s.stacktrace", field->label);
	return f->hd->rules->common_stacktrace ? "common_stacktrace:\n" : "stacktrace:\n";
}

static int add_key(struct freezer *f, const struct hist_field *field)
{
	enum result_type type = key_type(field);
	struct result_column column = {
		.name = key_name(f, field),
		.label = type == RESULT_STACK ? stack_label(f, field) : field->label,
		.role = RESULT_KEY,
		.type = type,
		.is_signed = field->flags & rounded && field->expr.operands[0]
				     ? field->expr.operands[0]->is_signed
				     : field->is_signed,
		.has_label = field->flags & with_label,
		.modifier = hist_field_modifier(field),
		.unit = unit_of(f, field),
		.width = field->flags & HIST_FIELD_FL_BUCKET && !field->ranges ? field->buckets : 0,
	};

	return add_column(f, column, (struct cell_source){ .field = field });
}

static int add_value(struct freezer *f, u32 i)
{
	const struct hist_field *field = f->hd->fields[i];
	const char *label = i == HITCOUNT_IDX ? "hitcount" : field->label;
	struct result_column column = {
		.name = field->flags & HIST_FIELD_FL_CONST ? constant_name(f, field) : label,
		.label = label,
		.role = RESULT_VALUE,
		.is_signed = field->is_signed,
		/* kernel: the value of an expression is not printed */
		.hidden = i == HITCOUNT_IDX
				  ? f->hd->no_hitcount
				  : field->flags & HIST_FIELD_FL_EXPR && !f->hd->rules->exact,
		.modifier = hist_field_modifier(field),
		.unit = unit_of(f, field),
	};

	return add_column(f, column, (struct cell_source){ .field = field, .idx = i });
}

/* The values that onmax and onchange track. */
static int add_track(struct freezer *f, const struct action_data *data)
{
	const char *name = data->handler == HANDLER_ONMAX ? "max" : "changed";
	struct result_column column = {
		.name = name, .label = name, .role = RESULT_SAVED, .tracked = true
	};
	struct cell_source source = { .field = data->var_ref };

	if (data->action == ACTION_SNAPSHOT || data->handler == HANDLER_ONMATCH)
		return 0;
	column.is_signed = data->var_ref->is_signed;
	column.unit = unit_of(f, data->var_ref);
	source.idx = data->track_var->var.idx;
	return add_column(f, column, source);
}

static enum result_type saved_type(const struct hist_field *val)
{
	if (val->flags & HIST_FIELD_FL_STRING)
		return RESULT_TEXT;
	return val->flags & HIST_FIELD_FL_STACKTRACE ? RESULT_STACK : RESULT_NUMBER;
}

/* By the exact rules two columns of a row have two names: bytes and max_bytes. */
static const char *saved_name(struct freezer *f, const char *name)
{
	const struct result *r = &f->s->result;
	const struct result_column *columns = f->s->columns;
	const size_t first = result_first(r, RESULT_SAVED);

	for (size_t i = 0; i < first && f->hd->rules->exact && r->n_columns > first; i++)
		if (columns[first].tracked && !strcmp(columns[i].name, name))
			return arena_printf(&f->s->arena, "%s_%s", columns[first].name, name);
	return name;
}

static int add_columns(struct freezer *f)
{
	const struct hist_data *hd = f->hd;
	struct result *r = &f->s->result;
	int err = 0;
	u32 i;

	for_each_hist_key_field(i, hd)
		err = err ? err : add_key(f, hd->fields[i]);
	r->n_keys = r->n_columns;
	for (i = 0; i < hd->n_vals - hd->n_vars && !err; i++)
		err = add_value(f, i);
	r->n_values = r->n_columns - r->n_keys;
	for (i = 0; i < hd->n_actions && !err; i++)
		err = add_track(f, hd->actions[i]);
	for (i = 0; i < hd->n_save_vars && !err; i++) {
		/* the values that save() stores */
		const struct field_var *fv = hd->save_vars[i];
		struct result_column column = { .name = saved_name(f, fv->var->var.name),
						.label = fv->var->var.name,
						.role = RESULT_SAVED,
						.type = saved_type(fv->val),
						.is_signed = fv->val->is_signed,
						.modifier = hist_field_modifier(fv->val),
						.unit = unit_of(f, fv->val) };

		err = add_column(f, column,
				 (struct cell_source){ .field = fv->val, .idx = fv->var->var.idx });
	}
	return err;
}

/* --- statistics --- */

static int add_stat(struct freezer *f, struct result_stat stat)
{
	if (stat.name)
		stat.name = own_name(f, stat.name);
	if (!stat.name)
		return HIST_NOMEM;
	f->s->stats[f->s->result.n_stats++] = stat;
	return 0;
}

/* A numeric key needs no samples of its own: every hit has the key of its row. */
static int add_key_stat(struct freezer *f, size_t i)
{
	const struct result_column *c = &f->s->columns[i];

	if (c->has_label || (c->type != RESULT_NUMBER && c->type != RESULT_RANGE))
		return 0;
	return add_stat(f, (struct result_stat){ .name = key_name(f, f->sources[i].field),
						 .is_signed = c->is_signed,
						 .unit = c->unit,
						 .column = i });
}

static int add_stats(struct freezer *f)
{
	const struct hist_stats *stats = f->hd->stats;
	struct result *r = &f->s->result;
	u32 n = stats ? stats->n : 0;
	int err = 0;

	if (!f->options->stats)
		return 0;
	f->names.given.n = 0;
	r->stats = f->s->stats = arena_alloc(&f->s->arena, (n + r->n_keys) * sizeof(*f->s->stats));
	if (!f->s->stats)
		return HIST_NOMEM;
	for (u32 i = 0; i < n && !err; i++) {
		const struct hist_field *field = stats->v[i].field;

		err = add_stat(f, (struct result_stat){ .name = field->var.name ? field->var.name
										: field->label,
							.is_signed = field->is_signed,
							.unit = unit_of(f, field) });
	}
	r->n_row_stats = r->n_stats;
	for (size_t i = 0; i < r->n_keys && !err; i++)
		err = add_key_stat(f, i);
	return err;
}

/* --- exemplars --- */

int freeze_columns(struct freezer *f)
{
	size_t max = f->hd->n_fields + f->hd->n_actions + f->hd->n_save_vars;
	struct arena *arena = &f->s->arena;
	struct result_sort *sort = arena_alloc(arena, f->hd->n_sort_keys * sizeof(*sort));
	int err;
	const struct hist_data *hd;
	struct result *r;
	const struct hist_field *field;

	f->s->result.columns = f->s->columns = arena_alloc(arena, max * sizeof(*f->s->columns));
	f->sources = arena_alloc(arena, max * sizeof(*f->sources));
	if (!sort || !f->s->columns || !f->sources)
		return HIST_NOMEM;
	err = add_columns(f);
	if (err)
		return err;
	hd = f->hd;
	r = &f->s->result;
	for (size_t i = 0; i < hd->n_sort_keys; i++) {
		u32 idx = hd->sort_keys[i].field_idx;

		/* fields are numbered with values first, columns with keys first */
		sort[i].column = idx < r->n_values ? r->n_keys + idx : idx - r->n_values;
		sort[i].descending = hd->sort_keys[i].descending;
	}
	r->sort = sort;
	r->n_sort = hd->n_sort_keys;
	err = add_stats(f);
	if (err)
		return err;
	if (!f->hd->exemplars)
		return 0;
	field = f->hd->exemplars->field;
	f->s->exemplars = (struct result_exemplars){
		.name = arena_strdup(&f->s->arena, exemplars_name(field)),
		.unit = unit_of(f, exemplars_number(field)),
		.is_signed = exemplars_number(field)->is_signed,
		.max = f->hd->exemplars->max,
	};
	f->s->result.exemplars = &f->s->exemplars;
	return f->s->exemplars.name ? 0 : HIST_NOMEM;
}
