// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Binds the tokens of a hist trigger in the kernel's order: text of the actions, definitions of
 * variables, values, variables, keys, sort keys.
 *
 * Corresponds to create_hist_data() and its helpers in trace_events_hist.c.
 */
#include "bind/binding.h"

enum { HIST_KEY_SIZE_UNLIMITED = 8192 };

static int add_field(struct bind *b, struct hist_field *f)
{
	struct hist_data *hd = b->hd;

	if (hd->n_fields >= HIST_FIELDS_MAX)
		return -HIST_ELIMIT;
	hd->fields[hd->n_fields++] = f;
	return 0;
}

/* --- values and variables --- */

static int bind_val(struct bind *b, struct span text, u32 flags, const char *var_name)
{
	const u32 not_var = HIST_FIELD_FL_PARTS | HIST_FIELD_FL_BUCKET | HIST_FIELD_FL_LOG2;
	u32 not_val = HIST_FIELD_FL_BUCKET | HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_SYM |
		      HIST_FIELD_FL_SYM_OFFSET | HIST_FIELD_FL_SYSCALL | HIST_FIELD_FL_STACKTRACE;
	struct hist_field *f;
	int err = bind_expr(b, text, flags, var_name, &f);

	if (err)
		return err;
	if (!b->q->percent_values)
		not_val |= HIST_FIELD_FL_PERCENT | HIST_FIELD_FL_GRAPH;
	if (f->flags & (f->flags & HIST_FIELD_FL_VAR ? not_var : not_val)) {
		err = log_hist_err(b->log, HIST_ERR_BAD_FIELD_MODIFIER,
				   cut_by_kernel(&b->hd->arena, text));
		if (!(f->flags & HIST_FIELD_FL_VAR) &&
		    f->flags & (HIST_FIELD_FL_PERCENT | HIST_FIELD_FL_GRAPH))
			diags_add(
				b->log->diags, DIAG_NOTE,
				"values of this kernel do not take .percent and .graph (those of 6.1.189, 6.12.111, 7.2.9 and 7.3 do); --kernel 7.3 uses the rules of a kernel that does");
		return err;
	}
	b->hd->n_vals++;
	b->hd->has_addresses |= !(f->flags & HIST_FIELD_FL_VAR) && hist_field_is_address(f);
	return add_field(b, f);
}

static int bind_hitcount(struct bind *b)
{
	struct hist_field *f;
	int err = hist_field_new(b, NULL, HIST_FIELD_FL_HITCOUNT, NULL, &f);

	if (err)
		return err;
	b->hd->n_vals++;
	return add_field(b, f);
}

/* A mean over time needs the sum of the times, .cpu a time. */
static int bind_mean(struct bind *b)
{
	const struct hist_data *hd = b->hd;
	const struct hist_field *mean = NULL;
	bool ns = false;

	for (u32 i = 0; i < hd->n_vals; i++) {
		const struct hist_field *f = hd->fields[i];

		if (f->flags & HIST_FIELD_FL_OF_CPU && !(time_unit_of(f) && f->label[0] != 'u'))
			return log_silent(b->log, hd->text.vals,
					  "%s is not a time in ns, of which "
					  ".cpu would be a part of",
					  f->label);
		if (f->flags & HIST_FIELD_FL_MEAN)
			mean = f;
		ns |= !strcmp(f->label, "ns");
	}
	return !mean || ns ? 0
			   : log_silent(b->log, hd->text.vals,
					"%s.mean is over the time ns: sum ns, too", mean->label);
}

static int bind_vals(struct bind *b)
{
	const u32 max = b->q->unlimited ? MAX_VALS : TRACING_MAP_VALS_MAX;
	struct span rest = b->hd->text.vals;
	u32 n_hitcount = 0, n = 1;
	int err = bind_hitcount(b);

	for (u32 i = 0; i < max && n < max && rest.s && !err; i++) {
		struct span text = span_sep(&rest, ",");

		/* kernel: the first hitcount only names the existing one; 6.1: each of them does */
		if (span_eq(text, "hitcount") && (!n_hitcount++ || !b->q->nohitcount))
			continue;
		n++;
		err = bind_val(b, text, 0, NULL);
	}
	if (!err && rest.s && !span_eq(rest, "hitcount"))
		err = log_silent(b->log, rest, "more than %u values in addition to hitcount",
				 max - 1);
	err = err ?: bind_mean(b);
	if (n == 1 && b->hd->no_hitcount)
		err = log_hist_err(b->log, HIST_ERR_NEED_NOHC_VAL, (struct span){ NULL, 0 });
	return err;
}

static int bind_var(struct bind *b, const struct var_text *v)
{
	struct hist_data *hd = b->hd;
	struct hist_field *f;
	const char *name;
	int err;
	static const char *const parts[] = { "key",  "keys", "val",  "vals", "values",
					     "sort", "size", "name", "clock" };
	struct span trimmed;

	if (find_var(hd, b->file, v->name) && !hd->remove)
		return log_hist_err(b->log, HIST_ERR_DUPLICATE_VAR, v->name);
	/* " sort=..." defines a variable, since the kernel does not trim the names of parts. */
	trimmed = span_trim(v->name);
	for (size_t i = 0; i < ARRAY_SIZE(parts) && trimmed.n != v->name.n; i++)
		if (span_eq(trimmed, parts[i]))
			diags_add(
				b->log->diags, DIAG_WARNING,
				"this defines a variable \"%.*s\": remove the blank before or after %s",
				(int)v->name.n, v->name.s, parts[i]);
	hd->n_vars++;
	name = arena_strndup(&hd->arena, v->name.s, v->name.n);
	if (!name)
		return HIST_NOMEM;
	err = bind_val(b, v->expr, HIST_FIELD_FL_VAR, name);
	if (err)
		return err;
	f = hd->fields[hd->n_fields - 1];
	if (f->flags & HIST_FIELD_FL_EXECNAME) {
		/* kernel: an execname variable contains the string of the comm */
		f->flags = HIST_FIELD_FL_STRING | HIST_FIELD_FL_VAR | HIST_FIELD_FL_EXECNAME;
		f->kind = HIST_TEXT;
		f->size = MAX_FILTER_STR_VAL;
		f->is_signed = false;
		f->type = "char[]";
	}
	if (!(f->flags & HIST_FIELD_FL_ALIAS) &&
	    f->flags & (HIST_FIELD_FL_STRING | HIST_FIELD_FL_STACKTRACE))
		f->var.str_idx = hd->n_var_str++;
	return 0;
}

/* --- keys --- */

static int add_key(struct bind *b, struct span text, struct hist_field *f)
{
	/* kernel: HIST_KEY_SIZE_MAX, a string and a stack */
	const u32 limit = MAX_FILTER_STR_VAL + 8 * kernel_stack_depth(b->q);
	const u32 max = b->q->unlimited ? HIST_KEY_SIZE_UNLIMITED : limit;
	struct hist_data *hd = b->hd;

	f->size = ALIGN_UP(f->size, 8u);
	f->offset = hd->key_size;
	hd->key_size += f->size;
	if (hd->key_size > max)
		return log_silent(b->log, text, "the keys need %u bytes; the limit is %u",
				  hd->key_size, max);
	hd->n_keys++;
	return add_field(b, f);
}

static int bind_key(struct bind *b, struct span text)
{
	struct hist_field *f;
	int err;

	if (span_eq(text, "stacktrace")) {
		err = hist_field_new(b, NULL, HIST_FIELD_FL_KEY | HIST_FIELD_FL_STACKTRACE, NULL,
				     &f);
		if (err)
			return err;
		f->size = b->t->machine.long_size * rules_stack_depth(b->q);
		return add_key(b, text, f);
	}
	err = bind_expr(b, text, HIST_FIELD_FL_KEY, NULL, &f);
	if (err)
		return err;
	if (field_has_hist_vars(f, 0))
		return log_hist_err(b->log, HIST_ERR_INVALID_REF_KEY,
				    cut_by_kernel(&b->hd->arena, text));
	return add_key(b, text, f);
}

/* --- sort keys --- */

static int bind_order(struct bind *b, struct span order, bool *descending)
{
	*descending = span_eq(order, "descending");
	if (!order.s || *descending || span_eq(order, "ascending"))
		return 0;
	return log_hist_err(b->log, HIST_ERR_INVALID_SORT_MODIFIER, order);
}

/*
 * The number of the field shown as @name, counting values and keys; 0 is hitcount. kernel: of a
 * value and a key with that name, the value; by the exact rules a distribution is in its own order,
 * which ascends.
 */
static int find_sort_field(struct bind *b, struct span name, bool descending, u32 *idx)
{
	const u32 rounded = b->q->exact && !descending ? HIST_FIELD_FL_LOG2 | HIST_FIELD_FL_BUCKET
						       : 0;
	const struct hist_data *hd = b->hd;
	u32 n = 0;

	*idx = 0;
	if (span_eq(name, "hitcount"))
		return 0;
	for (u32 i = 1; i < hd->n_fields; i++) {
		if (hd->fields[i]->flags & HIST_FIELD_FL_VAR)
			continue;
		n++;
		if (span_eq(name, hd->fields[i]->label) &&
		    (!*idx || hd->fields[i]->flags & rounded))
			*idx = n;
	}
	return *idx ? 0 : log_hist_err(b->log, HIST_ERR_INVALID_SORT_FIELD, name);
}

static int bind_sort(struct bind *b)
{
	const size_t max = b->q->unlimited ? MAX_SORT_KEYS : TRACING_MAP_SORT_KEYS_MAX;
	struct hist_data *hd = b->hd;
	struct span rest = hd->text.sort;
	size_t i;

	hd->n_sort_keys = 1;
	if (!rest.s)
		return 0;
	for (i = 0; i < max && rest.s; i++) {
		struct span text = span_sep(&rest, ",");
		int err;
		struct span order, name;

		if (text.n && i == max - 1 && rest.s)
			return log_hist_err(b->log, HIST_ERR_TOO_MANY_SORT_FIELDS,
					    span_of("sort="));
		order = text;
		name = span_sep(&order, ".");
		if (!name.n)
			return log_hist_err(b->log, HIST_ERR_EMPTY_SORT_FIELD, span_of("sort="));
		/* kernel: of two mistakes, that in the name is reported */
		err = find_sort_field(b, name, span_eq(order, "descending"),
				      &b->hd->sort_keys[i].field_idx);
		err = err ?: bind_order(b, order, &b->hd->sort_keys[i].descending);
		if (err)
			return err;
	}
	hd->n_sort_keys = i;
	return 0;
}

/* Assign the indices of variables in the map; the kernel does so when all fields are known. */
static void number_vars(struct hist_data *hd)
{
	u32 i;

	for_each_hist_val_field(i, hd) {
		if (!(hd->fields[i]->flags & HIST_FIELD_FL_VAR))
			continue;
		hd->fields[i]->var.idx = hd->n_map_vars++;
		hd->fields[i]->var.hist_data = hd;
	}
}

int bind_hist(struct bind *b)
{
	int err = bind_action_texts(b);

	if (err)
		return err;
	var_texts_cut(&b->hd->text, &b->vars);
	if (b->vars.bad.set)
		return log_complaint(b->log, &b->vars.bad);
	err = bind_vals(b);
	for (size_t i = 0; i < b->vars.n && !err; i++)
		err = bind_var(b, &b->vars.v[i]);
	if (!err) {
		const u32 max = b->q->unlimited ? MAX_KEYS : TRACING_MAP_KEYS_MAX;
		struct span rest = b->hd->text.keys;

		for (u32 j = 0; j < max && rest.s && !err; j++)
			err = bind_key(b, span_sep(&rest, ","));
		if (!err && rest.s)
			err = log_silent(b->log, rest, "more than %u keys", max);
	}
	b->vars.n = 0;
	err = err ?: bind_sort(b);
	if (!err)
		number_vars(b->hd);
	return err;
}
