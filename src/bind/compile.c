// SPDX-License-Identifier: LGPL-2.1-only
/* Compiles a bound trigger to its program. */
#include "bind/binding.h"
#include "program/entry.h"
#include "program/exemplars.h"
#include "program/program.h"

enum { DEPTH_MAX = 32 }; /* more nested histograms are a cycle */

struct compiler {
	struct hist_data *hd;
	const struct machine *machine;
	struct hist_program *prog;
	u32 vars_at;      /* in words of an entry */
	bool clock_in_ns; /* kernel: other times are not converted to microseconds */
};

/* --- values --- */

enum opcode load_code(u32 size, bool is_signed, bool big_endian)
{
	if (big_endian)
		return OP_LOAD_BIG;
	switch (size) {
	case 1:
		return is_signed ? OP_LOAD_S8 : OP_LOAD_U8;
	case 2:
		return is_signed ? OP_LOAD_S16 : OP_LOAD_U16;
	case 4:
		return is_signed ? OP_LOAD_S32 : OP_LOAD_U32;
	default:
		return OP_LOAD_64;
	}
}

static void compile_load(struct compiler *c, const struct event_field *f, struct value *v)
{
	v->code = load_code(f->size, f->is_signed, c->machine->big_endian);
	v->offset = f->offset;
	v->size = f->size;
	v->is_signed = f->is_signed;
	c->prog->min_size = max_t(u32, c->prog->min_size, f->offset + f->size);
}

static const struct value *compile_num(struct compiler *c, const struct hist_field *f);
static bool compile_node(struct compiler *c, const struct hist_field *f, struct value *v);

static enum opcode code_of(enum expr_op op)
{
	switch (op) {
	case EXPR_PLUS:
		return OP_PLUS;
	case EXPR_MINUS:
		return OP_MINUS;
	case EXPR_MULT:
		return OP_MULT;
	default:
		return OP_DIV;
	}
}

/* In an expression only strings are 0, not the values added to them. */
static const struct value *compile_operand(struct compiler *c, const struct hist_field *f)
{
	struct value *v;

	if (!(f->flags & HIST_FIELD_FL_EXPR))
		return compile_num(c, f);
	v = arena_alloc(&c->hd->arena, sizeof(*v));
	return v && compile_node(c, f, v) ? v : NULL;
}

static bool compile_expr(struct compiler *c, const struct hist_field *f, struct value *v)
{
	const struct hist_field *right = f->expr.operands[1];

	v->left = compile_operand(c, f->expr.operands[0]);
	if (!f->expr.op) {
		v->code = OP_NEGATE;
		return v->left;
	}
	if (f->expr.op == EXPR_DIV && f->expr.division != DIVIDE_PLAIN) {
		v->code = OP_DIV_CONST;
		v->division = f->expr.division;
		v->imm = right->expr.constant;
		v->multiplier = right->expr.multiplier;
		return v->left;
	}
	v->code = code_of(f->expr.op);
	v->right = compile_operand(c, right);
	return v->left && v->right;
}

/*
 * Return: false if out of memory.
 */
static bool compile_node(struct compiler *c, const struct hist_field *f, struct value *v)
{
	const u32 rounded = HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET;
	const u32 first = HIST_FIELD_FL_HITCOUNT | HIST_FIELD_FL_CONST | HIST_FIELD_FL_STACKTRACE |
			  HIST_FIELD_FL_VAR_REF | HIST_FIELD_FL_ALIAS;
	bool ok = true;

	if (f->flags & HIST_FIELD_FL_EXPR) {
		ok = compile_expr(c, f, v);
	} else if (f->flags & rounded && !(f->flags & first)) {
		v->left = compile_num(c, f->expr.operands[0]);
		v->code = f->flags & HIST_FIELD_FL_LOG2 ? OP_LOG2 : OP_BUCKET;
		v->imm = f->flags & HIST_FIELD_FL_LOG2 ? (c->hd->rules->log2_up_to_64 ? 127 : 63)
						       : f->buckets;
		if (f->ranges) {
			v->code = OP_RANGES;
			v->ranges = f->ranges;
		}
		ok = v->left;
	} else if (f->flags & HIST_FIELD_FL_WHO) {
		struct value *pid = arena_alloc(&c->hd->arena, sizeof(*pid));

		v->left = pid;
		v->code = OP_WHO;
		v->imm = f->who;
		ok = pid;
		if (ok) {
			compile_load(c, f->field, pid);
			pid->num = value_fn_of(pid);
		}
	} else if (f->flags & HIST_FIELD_FL_CODE) {
		struct code_question *q = arena_alloc(&c->hd->arena, sizeof(*q));

		if (q)
			*q = code_question_of(c->machine, c->hd->file->format, f->field, f->code);
		v->code = OP_CODE;
		v->question = q;
		ok = q;
	} else {
		bool usecs = c->hd->ts_in_usecs && c->clock_in_ns;

		v->code = OP_CONST;
		if (f->flags & (HIST_FIELD_FL_VAR_REF | HIST_FIELD_FL_ALIAS)) {
			v->code = OP_REF;
			v->offset = f->ref.idx;
		} else if (f->flags & HIST_FIELD_FL_HITCOUNT) {
			v->imm = 1;
		} else if (f->flags & HIST_FIELD_FL_CONST) {
			v->imm = f->expr.constant;
		} else if (f->flags & HIST_FIELD_FL_TIMESTAMP) {
			v->code = usecs ? OP_TS_USECS : OP_TS;
		} else if (f->flags & HIST_FIELD_FL_CPU) {
			v->code = OP_CPU_NR;
		} else if (f->field && !hist_field_is_address(f)) {
			compile_load(c, f->field, v);
		}
	}
	if (ok)
		v->num = value_fn_of(v);
	return ok;
}

/* A value that is summed or used in an expression; false if out of memory. */
static bool compile_number(struct compiler *c, const struct hist_field *f, struct value *v)
{
	if (!hist_field_is_address(f))
		return compile_node(c, f, v);
	v->code = OP_CONST;
	v->num = value_fn_of(v);
	return true;
}

static const struct value *compile_num(struct compiler *c, const struct hist_field *f)
{
	struct value *v = arena_alloc(&c->hd->arena, sizeof(*v));

	return v && compile_number(c, f, v) ? v : NULL;
}

static enum value_kind text_kind(const struct hist_field *f)
{
	if (f->flags & HIST_FIELD_FL_COMM)
		return VALUE_TASK_COMM;
	if (!f->field || f->flags & HIST_FIELD_FL_EXECNAME)
		return VALUE_COMM;
	switch (f->field->filter_type) {
	case FILTER_DYN_STRING:
		return f->flags & HIST_FIELD_FL_SYM_TEXT ? VALUE_DYN_SYMBOL : VALUE_DYN;
	case FILTER_RDYN_STRING:
		return VALUE_RDYN;
	default:
		return VALUE_STATIC;
	}
}

static enum value_kind kind_of(const struct hist_field *f)
{
	if (f->flags & (HIST_FIELD_FL_VAR_REF | HIST_FIELD_FL_ALIAS | HIST_FIELD_FL_EXPR))
		return VALUE_NUM;
	if (f->flags & HIST_FIELD_FL_STACKTRACE)
		return f->field ? VALUE_STACK_FIELD : VALUE_STACK;
	return f->flags & HIST_FIELD_FL_STRING ? text_kind(f) : VALUE_NUM;
}

static int compile_value(struct compiler *c, const struct hist_field *f, struct value *v)
{
	v->kind = kind_of(f);
	if (v->kind == VALUE_NUM)
		return compile_node(c, f, v) ? 0 : HIST_NOMEM;
	if (f->field) {
		v->offset = f->field->offset;
		/* a string without a length, see is_open_text() */
		v->size = f->field->size || v->kind != VALUE_STATIC ? f->field->size : f->size;
	}
	return 0;
}

/* --- steps --- */

static enum key_kind key_kind(const struct compiler *c, const struct key_step *step)
{
	if (step->value.kind == VALUE_NUM && step->size == 8 && !c->machine->big_endian)
		return KEY_NUM;
	if (step->value.kind == VALUE_STATIC && step->value.size == step->size)
		return step->whole ? KEY_WHOLE : KEY_ARRAY;
	return KEY_ANY;
}

/* A key with .sym is the start of the symbol. */
static int compile_symbol(struct compiler *c, struct value *v)
{
	struct value *address = arena_alloc(&c->hd->arena, sizeof(*address));

	if (!address)
		return HIST_NOMEM;
	event_symbols_load(c->machine->db);
	*address = *v;
	*v = (struct value){
		.kind = VALUE_NUM, .code = OP_SYMBOL, .left = address, .db = c->machine->db
	};
	v->num = value_fn_of(v);
	return event_db_failed(c->machine->db) ? HIST_NOMEM : 0;
}

static int compile_keys(struct compiler *c)
{
	const struct hist_data *hd = c->hd;
	int err = 0;

	c->prog->keys = arena_alloc(&c->hd->arena, hd->n_keys * sizeof(*c->prog->keys));
	if (!c->prog->keys)
		return HIST_NOMEM;
	for (u32 i = 0; i < hd->n_keys && !err; i++) {
		const struct hist_field *f = hd->fields[hd->n_vals + i];
		struct key_step *step = &c->prog->keys[c->prog->n_keys++];

		step->offset = f->offset;
		step->size = f->size;
		step->whole = c->hd->rules->whole_array_keys;
		err = compile_value(c, f, &step->value);
		if (!err && f->flags & HIST_FIELD_FL_SYM && step->value.kind == VALUE_NUM &&
		    hd->rules->symbol_keys)
			err = compile_symbol(c, &step->value);
		step->kind = key_kind(c, step);
	}
	return err;
}

static enum update_kind var_kind(const struct hist_field *f, const struct update_step *step)
{
	if (f->flags & HIST_FIELD_FL_ALIAS)
		return UPDATE_VAR;
	if (f->kind == HIST_TEXT_PART && f->flags & HIST_FIELD_FL_EXPR)
		return UPDATE_PART;
	if (f->flags & HIST_FIELD_FL_STACKTRACE && !(f->flags & HIST_FIELD_FL_STRING))
		return UPDATE_STACK;
	if (!(f->flags & HIST_FIELD_FL_STRING))
		return UPDATE_VAR;
	return step->value.kind == VALUE_STATIC && step->size && step->size % 8 == 0
		       ? UPDATE_ARRAY
		       : UPDATE_STRING;
}

/* The reference to the string that contains @f. */
static u32 text_of(const struct hist_field *f)
{
	while (f->flags & HIST_FIELD_FL_EXPR)
		f = f->expr.operands[f->expr.operands[0]->kind == HIST_NUMBER];
	return f->ref.idx;
}

/* Set variable @var to the value of @f; strings and stacks are stored at index @str. */
static int compile_var(struct compiler *c, struct update_list *list, const struct hist_field *var,
		       const struct hist_field *f, u32 str)
{
	struct update_step *step = &list->steps[list->n++];
	int err = compile_value(c, f, &step->value);

	list->set |= 1ull << var->var.idx;
	list->set_at = tracing_map_set_at(&c->hd->desc);
	step->ref = REF_NONE;
	step->idx = var->var.idx;
	step->word = c->vars_at + var->var.idx;
	step->offset = elt_string_at(c->hd, str);
	step->size = min_t(u32, f->size, STR_VAR_LEN_MAX);
	step->kind = var_kind(f, step);
	if (step->kind == UPDATE_PART)
		step->text = text_of(f);
	return err;
}

static int compile_field_vars(struct compiler *c, struct field_var *const *vars, u32 n,
			      struct update_list *list, u32 str)
{
	int err = 0;

	for (u32 i = 0; i < n && !err; i++) {
		err = compile_var(c, list, vars[i]->var, vars[i]->val, str);
		str += list->steps[list->n - 1].kind != UPDATE_VAR;
	}
	return err;
}

/* The updates of every hit; the hitcount needs no program. */
static int compile_vals(struct compiler *c, struct update_list *list, u32 own_str)
{
	const struct hist_data *hd = c->hd;
	int err = 0;

	for (u32 i = HITCOUNT_IDX + 1; i < hd->n_vals && !err; i++) {
		const struct hist_field *f = hd->fields[i];
		struct update_step *step;

		if (f->flags & HIST_FIELD_FL_VAR) {
			err = compile_var(c, list, f, f, own_str + f->var.str_idx);
			continue;
		}
		step = &list->steps[list->n++];
		step->idx = step->word = i;
		err = compile_number(c, f, &step->value) ? 0 : HIST_NOMEM;
	}
	return err;
}

/* Strings of hidden variables come first, then those of save(), then the trigger's own. */
static int compile_updates(struct compiler *c)
{
	struct hist_data *hd = c->hd;
	struct hist_program *p = c->prog;
	int err;

	p->updates.steps = arena_alloc(&hd->arena,
				       (hd->n_vals + hd->n_field_vars) * sizeof(*p->updates.steps));
	p->saves.steps = arena_alloc(&hd->arena, (hd->n_save_vars + 1) * sizeof(*p->saves.steps));
	if (!p->updates.steps || !p->saves.steps)
		return HIST_NOMEM;
	err = compile_vals(c, &p->updates, hd->n_field_var_str + hd->n_save_var_str);
	err = err ?: compile_field_vars(c, hd->field_vars, hd->n_field_vars, &p->updates, 0);
	if (!err)
		err = compile_field_vars(c, hd->save_vars, hd->n_save_vars, &p->saves,
					 hd->n_field_var_str);
	return err;
}

/* A reference to a variable of the same trigger: it usually gets its value in the same step. */
static void add_own_ref(struct hist_program *p, const struct ref_step *ref)
{
	array_each_of(struct update_step, step, p->updates.steps, p->updates.n) {
		if (step->kind != UPDATE_SUM && step->idx == ref->idx && step->ref == REF_NONE) {
			step->ref = ref->ref;
			return;
		}
	}
	p->own_refs[p->n_own_refs++] = *ref;
}

static int compile_refs(struct compiler *c)
{
	struct hist_data *hd = c->hd;
	struct hist_program *p = c->prog;

	p->other_refs = arena_alloc(&hd->arena, (hd->n_var_refs + 1) * sizeof(*p->other_refs));
	p->own_refs = arena_alloc(&hd->arena, (hd->n_var_refs + 1) * sizeof(*p->own_refs));
	if (!p->other_refs || !p->own_refs)
		return HIST_NOMEM;
	for (u32 i = 0; i < hd->n_var_refs; i++) {
		const struct hist_field *f = hd->var_refs[i];
		struct ref_step step = { .ref = i,
					 .idx = f->var.idx,
					 .word = tracing_map_vars_at(&f->var.hist_data->desc) +
						 f->var.idx,
					 .owner = f->var.hist_data,
					 .read_once = f->ref.read_once };

		p->key_read = max_t(u32, p->key_read, step.owner->key_size);
		if (step.owner == hd)
			add_own_ref(p, &step);
		else
			p->other_refs[p->n_other_refs++] = step;
	}
	return 0;
}

/* Whether the only action after the updates is a trace. */
static const struct action_data *only_trace(const struct hist_data *hd)
{
	if (hd->stats || hd->exemplars || hd->n_actions != 1 || hd->program->n_own_refs ||
	    hd->actions[0]->handler != HANDLER_ONMATCH)
		return NULL;
	return hd->actions[0];
}

/* The number that exemplars compare: for a rounded key, the number before rounding. */
static const struct value *exemplars_value(const struct hist_data *hd)
{
	const struct hist_field *f = hd->exemplars->field;
	const struct value *v;
	u32 i = 0;

	while (hd->fields[i] != f)
		i++;
	/* the steps are those of the fields after the hitcount */
	if (i < hd->n_vals)
		return &hd->program->updates.steps[i - 1].value;
	v = &hd->program->keys[i - hd->n_vals].value;
	return exemplars_number(f) != f ? v->left : v;
}

int hist_program_new(struct hist_data *hd)
{
	const struct machine *m = &hd->file->tr->tracing->machine;
	struct compiler c = { .hd = hd,
			      .machine = m,
			      .vars_at = tracing_map_vars_at(&hd->desc),
			      .clock_in_ns = !trace_clock_counts(m->clock) };
	int err;

	c.prog = hd->program = arena_alloc(&hd->arena, sizeof(*c.prog));
	if (!c.prog)
		return HIST_NOMEM;
	c.prog->big_endian = m->big_endian;
	c.prog->long_size = m->long_size;
	c.prog->stack_depth = rules_stack_depth(hd->rules);
	/* kernel: newer versions have room for four nested histograms per CPU */
	c.prog->depth_max = hd->rules->hist_pads ? 4 : DEPTH_MAX;
	c.prog->key_read = hd->key_size;
	err = compile_keys(&c);
	err = err ?: compile_updates(&c);
	err = err ?: compile_refs(&c);
	if (err)
		return err;
	c.prog->num_key = hd->n_keys == 1 && c.prog->keys[0].kind == KEY_NUM && !HOST_IS_BIG;
	hd->is_sampled = hd->stats || hd->exemplars;
	c.prog->is_followed = hd->is_sampled || hd->n_actions;
	if (hd->exemplars)
		hd->exemplars->value = exemplars_value(hd);
	c.prog->trace = only_trace(hd);
	c.prog->only_num_key = c.prog->num_key && c.prog->key_read == 8;
	return 0;
}
