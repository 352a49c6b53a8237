// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A filter of a question as kernels take it: names and units become the numbers that they stand
 * for, and words that are compared with texts get quotes; a text of the program is compared as such
 * (.ustring). What else kernels know is not changed, nor is what they refuse for another reason.
 */
#include "bind/bind.h"
#include "bind/filter_word.h"

/* kernel: without .ustring, it takes the address for one of its own, and nothing matches. */
static bool is_user_text(const struct event_file *file, const struct filter_pred_text *pt,
			 const struct event_field *f)
{
	return f->filter_type == FILTER_PTR_STRING && !pt->ustring &&
	       (pt->operand == OPERAND_STRING || pt->operand == OPERAND_WORD) &&
	       !strcmp(file->system, "syscalls");
}

/* Append what stands for @word in a kernel's filter. */
static int add_word(const struct event_file *file, const struct filter_word *w, struct strbuf *out)
{
	const struct machine *m = &file->tr->tracing->machine;
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	int err = 0;
	u64 number;

	if (w->field->filter_type != FILTER_OTHER) {
		strbuf_addf(out, "\"%.*s\"", (int)w->text.n, w->text.s);
		return 0;
	}
	err = filter_word(m, file->format, w, &number, &names);
	if (!err && w->field->is_signed)
		strbuf_addf(out, "%lld", number);
	else if (!err)
		strbuf_addf(out, "%llu", number);
	return err;
}

int event_filter_for_kernel(struct event_file *file, struct span text, struct strbuf *out,
			    struct diags *diags)
{
	const struct filter_syntax syntax = { .words = true, .cpus = true, .function = true };
	struct arena arena = { 0 };
	struct filter_text cut;
	const char *at = text.s;
	int err = filter_cut(&arena, text, &syntax, &cut);

	for (size_t i = 0; !err && i < cut.n_preds; i++) {
		const struct filter_pred_text *pt = &cut.preds[i];
		const struct filter_word word = {
			event_find_field(file->format, pt->field, GENERICS_6_3), pt->value
		};

		if (word.field && is_user_text(file, pt, word.field)) {
			strbuf_add(out, at, (size_t)(pt->field.s + pt->field.n - at));
			strbuf_addstr(out, ".ustring");
			at = pt->field.s + pt->field.n;
		}
		if (pt->operand != OPERAND_WORD || !word.field)
			continue;
		strbuf_add(out, at, (size_t)(pt->value.s - at));
		err = add_word(file, &word, out);
		at = pt->value.s + pt->value.n;
	}
	strbuf_add(out, at, (size_t)(text.s + text.n - at));
	arena_release(&arena);
	if (err != -HIST_ENOENT)
		return err ?: out->failed ? HIST_NOMEM : 0;
	/* reports which word it is, and what can be compared with the field */
	return event_filter_write(file, text, true, diags) ?: -HIST_EREJECTED;
}
