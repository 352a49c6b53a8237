// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Modifiers of plugins, and names of numbers, from "FIELD=NAME" and "FIELD NUMBER=NAME ...": they
 * add names to numbers, but do not change counts and order.
 *
 * They are options, not part of the trigger: the kernel would not accept a trigger with .errno.
 */
#include "plugin/plugin.h"

enum { LABEL_MAX = 256 };

/* --- which --- */

static int add(struct modifiers *m, const char *text, const struct hist_plugins *plugins,
	       struct diags *diags)
{
	const char *equals = strrchr(text, '=');
	struct field_modifier modifier;

	if (!equals || equals == text || !equals[1])
		return diags_error(diags, -HIST_EINVAL, "--modifier takes FIELD=NAME, not '%s'",
				   text);
	modifier = (struct field_modifier){
		.field = arena_strndup(&m->arena, text, (size_t)(equals - text)),
		.plugin = plugin_modifier(plugins, equals + 1),
	};
	if (!modifier.plugin) {
		scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

		for (size_t i = 0; plugins && i < plugins->list.n; i++) {
			const struct hist_plugin *p = plugins->list.v[i].self;

			for (size_t n = 0; p && n < p->n_modifiers; n++)
				strbuf_addf(&names, ", %s", p->modifiers[n].name);
		}
		diags_error(diags, 0, "no plugin offers the modifier %s%s%s", equals + 1,
			    names.len ? "; there is " : "", names.len ? names.s + 2 : "");
		return -HIST_EINVAL;
	}
	return modifier.field ? array_push(&m->list, modifier) : HIST_NOMEM;
}

int modifiers_init(struct modifiers *m, const char *const *texts, size_t n,
		   const struct hist_plugins *plugins, struct diags *diags)
{
	int err = 0;

	modifiers_release(m);
	for (size_t i = 0; i < n && !err; i++)
		err = add(m, texts[i], plugins, diags);
	return err;
}

void modifiers_release(struct modifiers *m)
{
	array_release(&m->list);
	arena_release(&m->arena);
}

static struct field_modifier *find(struct modifiers *m, const char *field)
{
	return array_find(&m->list, e, !strcmp(e->field, field));
}

void modifiers_diagnose(const struct modifiers *m, struct diags *diags)
{
	for (size_t i = 0; i < m->list.n; i++)
		if (!m->list.v[i].used && m->list.v[i].plugin)
			diags_add(
				diags, DIAG_WARNING,
				"--modifier %s=%s: no printed histogram has this key, or saves this number",
				m->list.v[i].field, m->list.v[i].plugin->name);
}

/* --- names --- */

int modifiers_add_names(struct modifiers *m, const char *text)
{
	struct span rest = span_of(text), field = span_sep(&rest, " ");
	struct field_modifier modifier = { .field = arena_strndup(&m->arena, field.s, field.n) };

	if (!modifier.field)
		return HIST_NOMEM;
	if (find(m, modifier.field) || !rest.s)
		return 0;
	return number_names_read(&modifier.names, rest, &m->arena)
		       ?: array_push(&m->list, modifier);
}

static size_t render(const struct field_modifier *m, u64 v, bool is_signed, char *buf)
{
	size_t n = m->plugin ? m->plugin->render(v, is_signed, buf, LABEL_MAX)
			     : number_name(&m->names, v, buf, LABEL_MAX);

	return n <= LABEL_MAX ? n : 0;
}

/* --- results --- */

/* The names of a column's numbers; .modifier NULL: unchanged. */
struct modified_column {
	const struct field_modifier *modifier;
	char label[LABEL_MAX];
};

struct modified_result {
	struct result result;
	struct result_snapshot snapshot;
	struct arena arena;
	const struct result *inner;
	struct result_column *columns;
	struct modified_column *modified;
	struct result_cell *cells, *snapshot_keys;
};

/* A number without a name is shown as itself. */
static void set_labels(struct modified_result *r, struct result_cell *cells, size_t n_cells)
{
	for (size_t c = 0; c < n_cells; c++) {
		struct modified_column *m = &r->modified[c];
		bool is_signed = r->columns[c].is_signed;
		size_t n;

		if (!m->modifier || cells[c].absent)
			continue;
		n = render(m->modifier, cells[c].num, is_signed, m->label);
		cells[c].unnamed = !n;
		if (!n)
			n = (size_t)snprintf(m->label, LABEL_MAX, is_signed ? "%lld" : "%llu",
					     cells[c].num);
		cells[c].label = (struct span){ m->label, n };
	}
}

static void row(const struct result *result, size_t i, struct result_row *out)
{
	struct modified_result *r = result->arg;

	r->inner->row(r->inner, i, out);
	memcpy(r->cells, out->cells, result->n_columns * sizeof(*r->cells));
	set_labels(r, r->cells, result->n_columns);
	out->cells = r->cells;
}

static void modify_column(struct modified_result *r, size_t i, struct modifiers *m)
{
	struct result_column *column = &r->columns[i];
	struct field_modifier *modifier = find(m, column->name);

	if (!modifier)
		modifier = find(m, column->label);
	if (!modifier || column->role == RESULT_VALUE || column->type != RESULT_NUMBER ||
	    column->has_label)
		return;
	modifier->used = true;
	r->modified[i].modifier = modifier;
	column->has_label = true;
	if (modifier->plugin)
		column->modifier = modifier->plugin->name;
}

static int modify(struct modified_result *r, struct modifiers *m)
{
	const struct result_snapshot *s = r->inner->snapshot;
	size_t n = r->inner->n_columns;
	bool failed = false;

	r->columns = arena_alloc(&r->arena, n * sizeof(*r->columns));
	r->modified = arena_alloc(&r->arena, n * sizeof(*r->modified));
	r->cells = arena_alloc(&r->arena, n * sizeof(*r->cells));
	r->snapshot_keys = arena_alloc(&r->arena, n * sizeof(*r->snapshot_keys));
	if (!r->columns || !r->modified || !r->cells || !r->snapshot_keys)
		return HIST_NOMEM;
	memcpy(r->columns, r->inner->columns, n * sizeof(*r->columns));
	for (size_t i = 0; i < n; i++)
		modify_column(r, i, m);
	r->result.columns = r->columns;
	r->result.row = row;
	r->result.row_in = NULL;
	r->result.arg = r;
	if (!s)
		return 0;
	memcpy(r->snapshot_keys, s->keys, r->result.n_keys * sizeof(*s->keys));
	set_labels(r, r->snapshot_keys, r->result.n_keys);
	for (size_t i = 0; i < r->result.n_keys; i++) {
		/* labels of rows change with each row, so they are copied */
		struct span *label = &r->snapshot_keys[i].label;

		label->s = arena_strndup(&r->arena, label->s, label->n);
		failed |= !label->s;
	}
	r->snapshot = *s;
	r->snapshot.keys = r->snapshot_keys;
	r->result.snapshot = &r->snapshot;
	return failed ? HIST_NOMEM : 0;
}

int modified_result_new(struct modifiers *m, const struct result *inner, struct result **out)
{
	struct modified_result *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return HIST_NOMEM;
	r->result = *inner;
	r->inner = inner;
	err = modify(r, m);
	if (err)
		modified_result_free(&r->result);
	else
		*out = &r->result;
	return err;
}

void modified_result_free(struct result *result)
{
	struct modified_result *r;

	if (!result)
		return;
	r = container_of(result, struct modified_result, result);
	arena_release(&r->arena);
	free(r);
}
