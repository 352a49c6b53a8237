// SPDX-License-Identifier: LGPL-2.1-only
/* Names of fields in output: modifiers and operands. */
#include "program/hist_data.h"

static const struct {
	u32 flag;
	const char *text;
} modifiers[] = {
	/* the first match is shown */
	{ HIST_FIELD_FL_HEX, "hex" },
	{ HIST_FIELD_FL_SYM, "sym" },
	{ HIST_FIELD_FL_SYM_OFFSET, "sym-offset" },
	{ HIST_FIELD_FL_SYM_TEXT, "sym" },
	{ HIST_FIELD_FL_EXECNAME, "execname" },
	{ HIST_FIELD_FL_SYSCALL, "syscall" },
	{ HIST_FIELD_FL_LOG2, "log2" },
	{ HIST_FIELD_FL_BUCKET, "buckets" },
	{ HIST_FIELD_FL_TIMESTAMP_USECS, "usecs" },
	{ HIST_FIELD_FL_PERCENT, "percent" },
	{ HIST_FIELD_FL_GRAPH, "graph" },
	{ HIST_FIELD_FL_SHARE, "share" },
	{ HIST_FIELD_FL_OF_CPU, "cpu" },
	{ HIST_FIELD_FL_MEAN, "mean" },
	{ HIST_FIELD_FL_STACKTRACE, "stacktrace" },
};

const char *hist_field_modifier(const struct hist_field *f)
{
	/* fields such as common_process have no modifier */
	if (f->flags & HIST_FIELD_FL_WHO)
		return f->label == f->field->name ? who_word(f->who) : NULL;
	if (f->flags & HIST_FIELD_FL_CODE)
		return f->field ? code_word(f->code) : NULL;
	if (f->ranges && f->ranges->bounded)
		return "lhist";
	for (size_t i = 0; i < ARRAY_SIZE(modifiers); i++)
		if (f->flags & modifiers[i].flag)
			return modifiers[i].text;
	return NULL;
}

bool hist_key_is_generic_stack(const struct hist_field *f)
{
	return !f->field && f->flags & HIST_FIELD_FL_STACKTRACE && f->label[0] &&
	       strcmp(f->label, "common_stacktrace");
}

void hist_field_operand_text(const struct hist_field *f, const struct kernel_quirks *q,
			     struct strbuf *out)
{
	const char *modifier = hist_field_modifier(f);

	if (f->flags & HIST_FIELD_FL_VAR_REF) {
		if (!f->ref.system || !q->dollar_inside)
			strbuf_addch(out, '$');
		strbuf_addstr(out, f->label);
		return;
	}
	if (f->flags & HIST_FIELD_FL_CONST)
		strbuf_addf(out, "%llu", f->expr.constant);
	strbuf_addstr(out, f->label);
	if (modifier)
		strbuf_addf(out, ".%s", modifier);
	if (f->buckets && q->buckets_in_expr)
		strbuf_addf(out, "=%llu", f->buckets);
}
