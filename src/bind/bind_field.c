// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Binds an operand without operators: a hist_field with type, size, sign and display form.
 *
 * Corresponds to parse_atom(), parse_field(), create_hist_field() in trace_events_hist.c.
 */
#include "bind/binding.h"

/* Type, size and sign of a value that is not a plain field of the record; false if it is one. */
static bool describe_special(struct bind *b, struct hist_field *f)
{
	f->type = "u64";
	f->size = 8;
	if (f->flags & (HIST_FIELD_FL_HITCOUNT | HIST_FIELD_FL_CONST))
		return true;
	if (f->flags & HIST_FIELD_FL_CODE) {
		b->hd->asks_code = true;
		return true;
	}
	if (f->flags & HIST_FIELD_FL_STACKTRACE) {
		/* kernel: 6.1 sets neither */
		f->type = b->q->common_stacktrace ? "unsigned long[]" : NULL;
		f->size = b->q->common_stacktrace
				  ? b->t->machine.long_size * rules_stack_depth(b->q)
				  : 0;
		return true;
	}
	if (f->flags & (HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET)) {
		f->type = f->expr.operands[0]->type;
		f->size = f->expr.operands[0]->size;
		return true;
	}
	if (f->flags & HIST_FIELD_FL_TIMESTAMP)
		return true;
	if (f->flags & HIST_FIELD_FL_CPU) {
		f->type = "unsigned int";
		f->size = 4;
		return true;
	}
	if (f->flags & HIST_FIELD_FL_COMM) {
		f->flags |= HIST_FIELD_FL_STRING;
		f->type = "char[]";
		/* kernel: as long as any string; no name is */
		f->size = b->log->question ? TASK_COMM_LEN : MAX_FILTER_STR_VAL;
		return true;
	}
	if (f->flags & HIST_FIELD_FL_WHO) {
		f->type = "u64";
		f->is_signed = true;
		b->hd->asks_who = true;
		return true;
	}
	return false;
}

/* A field of the record; false if the kernel cannot load fields of that size. */
static bool describe_field(struct bind *b, struct hist_field *f)
{
	const struct event_field *field = f->field;

	if (!field)
		return false;
	f->type = field->type;
	f->size = MAX_FILTER_STR_VAL;
	if (field->filter_type == FILTER_STATIC_STRING || field->filter_type == FILTER_DYN_STRING ||
	    field->filter_type == FILTER_RDYN_STRING) {
		f->flags |= HIST_FIELD_FL_STRING;
		/* kernel: the last byte is not taken, which is 0 in the name of a task */
		if (field->filter_type == FILTER_STATIC_STRING && field->size)
			f->size = field->size + (b->log->question && !strstr(field->name, "comm"));
		return true;
	}
	/*
	 * kernel: 6.1 takes a stack in a field for a number of 8 bytes, where it is in the record
	 */
	if (field->filter_type == FILTER_STACKTRACE && b->q->common_stacktrace) {
		f->flags |= HIST_FIELD_FL_STACKTRACE;
		return true;
	}
	f->size = field->size;
	f->is_signed = field->is_signed;
	return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
}

static enum hist_kind kind_of(const struct hist_field *f)
{
	if (f->flags & HIST_FIELD_FL_STRING)
		return HIST_TEXT;
	return f->flags & HIST_FIELD_FL_STACKTRACE ? HIST_STACK : HIST_NUMBER;
}

static const char *label_of(struct bind *b, const struct hist_field *f)
{
	if (f->field)
		return f->field->name;
	/* kernel: a rounded value that is not a number, such as a stack, has no name */
	if (f->flags & (HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_ALIAS | HIST_FIELD_FL_BUCKET))
		return f->expr.operands[0] ? f->expr.operands[0]->label : "";
	if (f->flags & HIST_FIELD_FL_CPU)
		return "common_cpu";
	if (f->flags & HIST_FIELD_FL_COMM)
		return "common_comm";
	if (f->flags & HIST_FIELD_FL_TIMESTAMP)
		return "common_timestamp";
	if (f->flags & HIST_FIELD_FL_STACKTRACE)
		return b->q->common_stacktrace ? "common_stacktrace" : "";
	if (f->flags & HIST_FIELD_FL_HITCOUNT)
		return b->q->nohitcount ? "hitcount" : "";
	return "";
}

int hist_field_new(struct bind *b, const struct event_field *field, u32 flags, const char *var_name,
		   struct hist_field **out)
{
	const u32 rounded = HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET;
	const u32 by_caller = HIST_FIELD_FL_EXPR | HIST_FIELD_FL_ALIAS | HIST_FIELD_FL_VAR_REF;
	const u32 before = by_caller | HIST_FIELD_FL_HITCOUNT | HIST_FIELD_FL_CONST |
			   HIST_FIELD_FL_STACKTRACE;
	struct hist_field *f = arena_alloc(&b->hd->arena, sizeof(*f));
	int err;

	if (!f)
		return HIST_NOMEM;
	f->flags = flags;
	f->field = field;
	f->hist_data = b->hd;
	f->var.name = var_name;
	f->who = N_WHO;
	f->code = N_CODE;
	f->label = "";
	if (flags & rounded && !(flags & before)) {
		err = hist_field_new(b, field, flags & ~rounded, NULL, &f->expr.operands[0]);
		if (err)
			return err;
	}
	if (!(flags & by_caller) && !describe_special(b, f) && !describe_field(b, f))
		return -HIST_EREJECTED;
	if (!(flags & by_caller)) {
		f->kind = kind_of(f);
		f->label = label_of(b, f);
	}
	*out = f;
	return 0;
}

static const u32 modifier_flag[] = {
	[MODIFIER_HEX] = HIST_FIELD_FL_HEX,
	[MODIFIER_SYM] = HIST_FIELD_FL_SYM,
	[MODIFIER_SYM_OFFSET] = HIST_FIELD_FL_SYM_OFFSET,
	[MODIFIER_EXECNAME] = HIST_FIELD_FL_EXECNAME,
	[MODIFIER_SYSCALL] = HIST_FIELD_FL_SYSCALL,
	[MODIFIER_STACKTRACE] = HIST_FIELD_FL_STACKTRACE,
	[MODIFIER_LOG2] = HIST_FIELD_FL_LOG2,
	[MODIFIER_USECS] = HIST_FIELD_FL_TIMESTAMP_USECS,
	[MODIFIER_BUCKETS] = HIST_FIELD_FL_BUCKET,
	[MODIFIER_LHIST] = HIST_FIELD_FL_BUCKET,
	[MODIFIER_PERCENT] = HIST_FIELD_FL_PERCENT,
	[MODIFIER_GRAPH] = HIST_FIELD_FL_GRAPH,
	[MODIFIER_SHARE] = HIST_FIELD_FL_SHARE,
	[MODIFIER_OF_CPU] = HIST_FIELD_FL_OF_CPU,
	[MODIFIER_MEAN] = HIST_FIELD_FL_MEAN,
	[MODIFIER_WHO] = HIST_FIELD_FL_WHO,
	[MODIFIER_CODE] = HIST_FIELD_FL_CODE,
};

#define MODIFIERS                                                                       \
	".hex .sym .sym-offset .execname .syscall .stacktrace .log2 .buckets=N .usecs " \
	".percent .graph"

/* Log the kernel's message, with a hint for the user. */
static int bad_modifier(struct bind *b, struct span text, const char *hint)
{
	int err = log_hist_err(b->log, HIST_ERR_BAD_FIELD_MODIFIER, text);

	diags_add(b->log->diags, DIAG_NOTE, "%s", hint);
	return err;
}

/* The flag of the modifier; an error if it is unknown. */
static int bind_modifier(struct bind *b, struct span text, const struct field_text *ft, u32 *flags)
{
	struct span modifier = span_skip(text, ft->name.n + (ft->modifier != MODIFIER_NONE));
	enum modifier m = ft->modifier;

	if (m == MODIFIER_NONE)
		return 0;
	if (m == MODIFIER_BAD && b->q->exact && span_starts(ft->bad, "lhist"))
		return bad_modifier(
			b, ft->bad,
			"lhist(FIELD,MIN,MAX,SIZE) takes three numbers, and SIZE is not 0");
	if (m == MODIFIER_BAD ||
	    ((ft->timed || m == MODIFIER_LHIST) && !b->log->question && !b->q->exact) ||
	    (m >= MODIFIER_SHARE && m <= MODIFIER_MEAN &&
	     (!b->q->exact || b->t->options.strict_kernel)))
		return bad_modifier(
			b, ft->bad,
			b->t->options.strict_kernel
				? "known modifiers: " MODIFIERS
				: "known modifiers: " MODIFIERS
				  "; of pids .task .process .tgid .cgroup .cmdline; of addresses "
				  ".dso .srcline");
	if ((m == MODIFIER_WHO || m == MODIFIER_CODE) && b->t->options.strict_kernel)
		return bad_modifier(b, ft->bad, "no kernel has it");
	if ((m == MODIFIER_LHIST || ft->timed) && !b->q->exact)
		return bad_modifier(b, ft->bad,
				    "no kernel has ranges with a start, an end or a unit; without "
				    "--kernel and --strict-kernel they are counted");
	if (m == MODIFIER_EXECNAME && !span_eq(ft->name, "common_pid"))
		return bad_modifier(b, modifier, "only common_pid takes .execname");
	if (modifier_flag[m] & HIST_FIELD_FL_PARTS && *flags & HIST_FIELD_FL_KEY)
		return bad_modifier(b, modifier, "values take .percent and .graph, keys do not");
	if ((m == MODIFIER_STACKTRACE && !b->q->common_stacktrace) ||
	    (modifier_flag[m] & HIST_FIELD_FL_PARTS && *flags & HIST_FIELD_FL_VAR))
		return log_hist_err(b->log, HIST_ERR_BAD_FIELD_MODIFIER, modifier);
	*flags |= modifier_flag[m];
	return 0;
}

/* Names with a meaning in every event; true if @name is one of them. */
static bool bind_special_name(struct bind *b, struct span name, u32 *flags)
{
	if (span_eq(name, "common_timestamp")) {
		*flags |= HIST_FIELD_FL_TIMESTAMP;
		b->hd->enable_timestamps = true;
		if (*flags & HIST_FIELD_FL_TIMESTAMP_USECS)
			b->hd->ts_in_usecs = true;
		return true;
	}
	if (span_eq(name, "common_stacktrace") && b->q->common_stacktrace) {
		*flags |= HIST_FIELD_FL_STACKTRACE;
		return true;
	}
	if (span_eq(name, "common_cpu")) {
		*flags |= HIST_FIELD_FL_CPU;
		return true;
	}
	if (span_eq(name, "common_comm") &&
	    (b->q->common_comm || (b->log->question && !b->t->options.strict_kernel))) {
		*flags |= HIST_FIELD_FL_COMM;
		return true;
	}
	if (span_eq(name, "hitcount") && b->q->nohitcount) {
		*flags |= HIST_FIELD_FL_HITCOUNT;
		return true;
	}
	return false;
}

/*
 * The text at the end of an ftrace record. The kernel does not accept that of print as a field, so
 * only questions do, and has no triggers for the other events.
 */
static bool is_open_text(const struct bind *b, const struct event_field *f)
{
	return !b->t->options.strict_kernel && f->filter_type == FILTER_STATIC_STRING &&
	       !strcmp(b->file->system, "ftrace") &&
	       (b->log->question || strcmp(b->file->name, "print") != 0);
}

/*
 * A question about the task of a pid: PID.process, or common_process of the current task. It is an
 * extension, and only its answer's number can be a value.
 */
static int bind_who(struct bind *b, struct field_text *ft, u32 *flags)
{
	const struct event_field *f;

	if (ft->modifier == MODIFIER_NONE && !b->t->options.strict_kernel &&
	    !event_find_field(b->file->format, ft->name, kernel_generics(b->q))) {
		ft->who = who_find_common(ft->name);
		if (ft->who < N_WHO) {
			*flags |= HIST_FIELD_FL_WHO;
			ft->name = span_of("common_pid");
		}
	}
	if (!(*flags & HIST_FIELD_FL_WHO))
		return 0;
	f = event_find_field(b->file->format, ft->name, kernel_generics(b->q));
	if (f && (f->filter_type != FILTER_OTHER || (f->size != 4 && f->size != 8)))
		return log_silent(b->log, ft->name, "%s is not the pid of a task", f->name);
	if (!who_is_number(ft->who) && !(*flags & HIST_FIELD_FL_KEY))
		return log_silent(b->log, ft->name,
				  "texts about tasks can be keys and in filters, but not values");
	return 0;
}

/*
 * A question about the code at an address: FIELD.dso; common_ustack of the current record; and
 * FIELD.sym of a sample, which may be an address of a program. It is an extension, and can only be
 * a key.
 */
static int bind_code(struct bind *b, struct field_text *ft, u32 *flags)
{
	const struct event_format *format = b->file->format;
	const bool plain = ft->modifier == MODIFIER_NONE && !b->t->options.strict_kernel;
	const struct event_field *f = event_find_field(format, ft->name, kernel_generics(b->q));

	if (plain && !f && span_starts(ft->name, "common_")) {
		ft->code = code_find_stack(ft->name);
		if (ft->code < N_CODE)
			*flags |= HIST_FIELD_FL_CODE;
	} else if (ft->modifier == MODIFIER_SYM && *flags & HIST_FIELD_FL_KEY &&
		   b->q->symbol_keys && !strcmp(b->file->system, "perf")) {
		*flags &= ~(u32)HIST_FIELD_FL_SYM;
		*flags |= HIST_FIELD_FL_CODE;
		ft->code = CODE_SYM;
	}
	if (!(*flags & HIST_FIELD_FL_CODE))
		return 0;
	if (!(*flags & HIST_FIELD_FL_KEY))
		return log_silent(b->log, ft->name, "names of code can be keys, but not values");
	if (ft->modifier == MODIFIER_NONE && b->file->synth)
		return log_silent(b->log, ft->name, "only recorded events have stacks");
	if (ft->modifier != MODIFIER_NONE && f && (f->filter_type != FILTER_OTHER || f->size != 8))
		return log_silent(b->log, ft->name, "%s is not an address", f->name);
	return 0;
}

/* FIELD[.MODIFIER]: adds flags, and sets *field for a field of the record. */
static int bind_field(struct bind *b, struct span text, u32 *flags, struct field_text *cut,
		      const struct event_field **field)
{
	const struct event_field *f = NULL;
	struct field_text ft;
	int err;

	field_text_cut(text, &ft);
	err = bind_modifier(b, text, &ft, flags);
	err = err ?: bind_who(b, &ft, flags);
	err = err ?: bind_code(b, &ft, flags);
	*cut = ft;
	if (err || (*flags & HIST_FIELD_FL_CODE && ft.code >= CODE_USTACK))
		return err;
	if (!bind_special_name(b, ft.name, flags)) {
		f = event_find_field(b->file->format, ft.name, kernel_generics(b->q));
		if (!f && b->log->question && !b->t->options.strict_kernel)
			f = event_find_shown(b->t->machine.db, b->file->format, ft.name);
		if (f)
			b->file->reads |= f->asks;
		if (f && !f->size && f->filter_type == FILTER_CPU) {
			*flags |= HIST_FIELD_FL_CPU;
		} else if (f && !f->size && f->filter_type == FILTER_STACKTRACE) {
			*flags |= HIST_FIELD_FL_STACKTRACE;
			if (b->q->stacktrace_is_key)
				f = NULL;
		} else if (f && !f->size && f->filter_type == FILTER_COMM && b->q->common_comm) {
			*flags |= HIST_FIELD_FL_COMM;
		} else if (!f || (!f->size && !is_open_text(b, f))) {
			err = log_hist_err(b->log, HIST_ERR_FIELD_NOT_FOUND, ft.name);
			if (f)
				diags_add(
					b->log->diags, DIAG_NOTE,
					"kernels accept this text only in filters; as a question: "
					"-e %s --by %s",
					b->file->name, f->name);
			else if (who_find_common(ft.name) < N_WHO)
				diags_add(
					b->log->diags, DIAG_NOTE,
					"no kernel has it; it is refused because of --strict-kernel");
			else
				note_fields(b->log, b->file, ft.name);
			return err;
		}
	}
	/* what was a text has the symbol and the offset in it, instead of an address */
	if (f && b->q->symbol_keys && f->filter_type == FILTER_DYN_STRING) {
		if (*flags & HIST_FIELD_FL_SYM)
			*flags |= HIST_FIELD_FL_SYM_TEXT;
		*flags &= ~(u32)(HIST_FIELD_FL_SYM | HIST_FIELD_FL_SYM_OFFSET);
	}
	if (f && b->log->question && event_field_is_array(f))
		return log_silent(
			b->log, ft.name,
			"%s is an array, not a number: hist events and hist sql show its elements",
			f->name);
	if (ft.modifier == MODIFIER_STACKTRACE && (!f || f->filter_type != FILTER_STACKTRACE))
		return log_hist_err(b->log, HIST_ERR_BAD_FIELD_MODIFIER, text);
	*field = f;
	return 0;
}

static int bind_const(struct bind *b, struct span text, u32 flags, const char *var_name,
		      struct hist_field **out)
{
	u64 constant;
	int err;

	if (!span_u64(text, &constant))
		return log_hist_err(b->log, HIST_ERR_EXPECT_NUMBER, text);
	err = hist_field_new(b, NULL, flags | HIST_FIELD_FL_CONST, var_name, out);
	if (!err)
		(*out)->expr.constant = constant;
	return err;
}

void cut_definition(struct bind *b, const char *at)
{
	for (size_t i = 0; i < b->vars.n; i++) {
		struct span *expr = &b->vars.v[i].expr;

		if (at >= expr->s && at < expr->s + expr->n)
			expr->n = (size_t)(at - expr->s);
	}
}

/*
 * $NAME of a variable that this trigger defines by a plain field stands for that field; absent
 * if it does not. kernel: it uses the remains of the definition, so for an expression that was
 * already parsed (or is being parsed) its first operand is used.
 */
static struct span local_field(struct bind *b, const struct atom *atom)
{
	const struct event_file *file = b->hd->file;

	if (!is_var_ref(atom->name))
		return (struct span){ NULL, 0 };
	if (atom->system.s &&
	    (!span_eq(atom->system, file->system) || !span_eq(atom->event, file->name)))
		return (struct span){ NULL, 0 };
	array_each(const struct var_text, v, &b->vars) {
		if (span_same(v->name, span_skip(atom->name, 1)) && !expr_has_operator(v->expr) &&
		    !is_var_ref(v->expr))
			return v->expr;
	}
	return (struct span){ NULL, 0 };
}

/* A reference to another trigger's variable; 1 if @atom does not refer to a known one. */
static int bind_var_ref(struct bind *b, const struct atom *atom, const char *var_name,
			struct hist_field **out)
{
	struct hist_field *var, *ref = NULL;
	struct span name;

	if (!is_var_ref(atom->name))
		return 1;
	name = span_skip(atom->name, 1);
	var = find_event_var(b, atom->system, atom->event, name);
	if (var)
		ref = create_var_ref(b, var, atom->system, atom->event);
	if (!ref) {
		int err = log_hist_err(b->log, HIST_ERR_VAR_NOT_FOUND, name);

		return err == HIST_NOMEM ? err : 1;
	}
	if (var_name)
		return create_alias(b, ref, var_name, out);
	*out = ref;
	return 0;
}

/*
 * By the exact rules ranges are those of numbers with their sign; the kernel takes negative numbers
 * for large ones.
 */
static int bind_ranges(struct bind *b, struct span text, const struct field_text *cut,
		       struct hist_field *f)
{
	const struct hist_field *number = f->expr.operands[0];
	const char *unit = time_unit_of(number);
	struct key_ranges *r;

	if (cut->timed && (!unit || strcmp(unit, "ns") != 0))
		return log_silent(b->log, text, "a size with a unit of time is for fields in ns");
	if (!b->q->exact || !number || !(f->flags & (HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET)) ||
	    (!number->is_signed && cut->modifier != MODIFIER_LHIST))
		return 0;
	r = arena_alloc(&b->hd->arena, sizeof(*r));
	if (!r)
		return HIST_NOMEM;
	*r = (struct key_ranges){ .sign = number->is_signed ? 1ull << 63 : 0,
				  .size = cut->buckets,
				  .bounded = cut->modifier == MODIFIER_LHIST };
	if (r->bounded && !r->sign && cut->from >> 63)
		return log_silent(b->log, text, "the field is not signed: no number is below 0");
	/* without a start the ranges are multiples of their size; the least may be a part of one */
	r->from = r->sign ^ cut->from;
	if (!r->bounded && r->size)
		r->from = (1ull << 63) % r->size;
	r->to = r->sign ^ cut->to;
	if (r->bounded && r->from >= r->to)
		return log_silent(b->log, text, "the start of the ranges is not below their end");
	f->ranges = r;
	return 0;
}

int bind_atom(struct bind *b, struct span text, u32 flags, const char *var_name,
	      struct hist_field **out)
{
	const struct event_field *field = NULL;
	struct field_text cut;
	struct atom atom;
	struct span name;
	bool generic_stack;
	int err;

	if (text.n && is_digit(text.s[0]))
		return bind_const(b, text, flags, var_name, out);
	atom_cut(text, &atom);
	if (atom.system.s)
		cut_definition(b, atom.system.s + atom.system.n);
	name = local_field(b, &atom);
	if (!name.s) {
		err = bind_var_ref(b, &atom, var_name, out);
		if (err <= 0)
			return err;
		/* kernel: an unresolved reference is tried as a field */
		name = atom.name;
	}
	err = bind_field(b, name, &flags, &cut, &field);
	if (err)
		return err;
	generic_stack = field && !field->size && field->filter_type == FILTER_STACKTRACE;
	err = hist_field_new(b, generic_stack ? NULL : field, flags, var_name, out);
	if (err == -HIST_EREJECTED)
		return log_silent(b->log, name, "a field of %u bytes cannot be used",
				  field ? field->size : 0);
	if (err)
		return err;
	(*out)->buckets = cut.buckets;
	err = bind_ranges(b, name, &cut, *out);
	if (err)
		return err;
	(*out)->who = flags & HIST_FIELD_FL_WHO ? cut.who : N_WHO;
	(*out)->code = flags & HIST_FIELD_FL_CODE ? cut.code : N_CODE;
	if (flags & HIST_FIELD_FL_CODE && !field)
		(*out)->label = arena_printf(&b->hd->arena, "common_%s", code_word(cut.code));
	if (flags & HIST_FIELD_FL_WHO && cut.modifier == MODIFIER_NONE)
		(*out)->label = arena_printf(&b->hd->arena, "common_%s", who_word(cut.who));
	if (!(*out)->label)
		return HIST_NOMEM;
	if (generic_stack)
		(*out)->label = field->name;
	return 0;
}
