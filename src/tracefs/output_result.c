// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Prints one result, of a replay or a merge: with the names of its numbers, and only the rows that
 * --top and --sort choose.
 */
#include "tracefs/tracefs.h"

/* Rows of an answer for people, unless --top has another number. */
enum { ANSWER_ROWS = 40 };

/*
 * Whether the format itself applies --top, since its numbers are those of all rows: pictures do,
 * and a distribution for people, or in the metrics of a plugin, has all of its buckets.
 */
static bool needs_all(const struct format *format, const struct result *r, bool answers)
{
	if (answers && r->n_keys == 1 && r->columns[0].type == RESULT_RANGE)
		return true;
	if (!format || (format->finish && !format->joins_slices))
		return format;
	return format->whole_ranges && any_of(i, r->n_keys, r->columns[i].type == RESULT_RANGE);
}

/* Note what the output lacks, if it does not say so itself. */
static void note_left_out(struct output *o, const struct result *r, struct diags *diags)
{
	if (!r->left_out || !o->format || o->format->counts_left_out || o->noted_left_out)
		return;
	o->noted_left_out = true;
	diags_add(diags, DIAG_NOTE, "%s: %zu rows of %s are left out; --top 0 prints all",
		  o->format->name, r->left_out, r->event);
}

static void note_order(struct output *o, const struct result *r)
{
	const bool has = result_has_order(r, o->options.sort);

	o->sorted |= has;
	if (has || o->names.len)
		return;
	for (size_t i = 0; i < r->n_columns; i++)
		if (r->columns[i].type != RESULT_STACK)
			strbuf_addf(&o->names, "%s%s", o->names.len ? ", " : "",
				    r->columns[i].name);
	for (size_t i = 0; i < STAT_NUMBERS && r->n_row_stats; i++)
		strbuf_addf(&o->names, ", %s", stat_number_name(i));
	if (!r->n_row_stats && stat_number_find(o->options.sort) < STAT_NUMBERS)
		strbuf_addstr(&o->names, "; statistics are of numbers: --stats with --sum FIELD");
}

int output_check_sort(const struct output *output, struct diags *diags)
{
	if (!output->names.len || output->sorted)
		return 0;
	return result_no_order(output->options.sort, output->names.s, diags);
}

int output_ask(struct output *o, const struct trigger *trigger)
{
	const size_t i = trigger->order - o->before - 1;
	const char *source = i < o->sources.n ? o->sources.v[i] : NULL;
	const bool own = o->several || o->source; /* options after a recipe ask something else */
	struct span title;

	if (source == o->source)
		return 0;
	title = script_title(span_of(source ?: ""));
	o->source = source;
	o->titled = false;
	o->card = source && strstr(source, "\n# Tables: all\n");
	if (own)
		o->options.title = arena_strndup(&o->arena, title.s ?: "", title.n);
	return own && !o->options.title ? HIST_NOMEM : 0;
}

/*
 * Whether a table of a question is only named: the first one is what the question is about, and
 * --show N shows another.
 */
static bool is_other_table(const struct output *o)
{
	const char *title = o->options.title;

	return title && *title && o->titled && o->options.number && !o->table && !o->all_tables &&
	       !o->card && !o->interval;
}

/* What the tables answer, before the first one; a line between them. */
static void begin_answer(struct output *o, const struct format *format, struct printer *p)
{
	const char *title = o->options.title ?: "";
	const bool other = is_other_table(o);

	if (o->n_answers++ && !(other && o->named))
		strbuf_addch(&p->buf, '\n');
	if (!o->titled && *title) {
		const size_t start = p->buf.len;

		if (format)
			markdown_add(&p->buf, title);
		else
			strbuf_addstr(&p->buf, title);
		text_wrap(&p->buf, start, 0, format ? 0 : o->options.width, 0);
		strbuf_addch(&p->buf, '\n');
	}
	o->titled = true;
	o->named = other;
}

int output_result(struct output *o, const struct format *format, const struct result *r,
		  struct printer *p)
{
	const bool answers = format ? format->for_people
				    : r->rules == RESULT_EXACT && !o->kernel_text;
	const size_t top = o->options.top ?: answers ? ANSWER_ROWS : 0;
	struct row_choice choice = { .top = top, .sort = o->options.sort };
	struct result *modified = NULL, *chosen = NULL;
	int err = modified_result_new(&o->modifiers, r, &modified);

	/* a table without the column that sorts it is not begun */
	if (!err && choice.sort && format && format->one_table &&
	    !result_has_order(modified, choice.sort)) {
		note_order(o, modified);
		err = output_check_sort(o, o->diags);
	}
	if (!err && needs_all(format, modified, answers))
		choice.top = 0;
	/* what combines slices of time sorts the rows of all */
	if (!err && !(o->options.sliced && format && format->finish && !format->joins_slices))
		err = result_choose(modified, &choice, &chosen);
	/* if no table has the column that sorts it, none is printed */
	if (o->options.sort && !err)
		note_order(o, r);
	p->held = o->names.len && !o->sorted;
	if (!err && !p->err && answers)
		begin_answer(o, format, p);
	if (err || p->err) {
		p->err = p->err ?: err;
	} else if (answers && o->named) {
		print_answer_name(p, chosen ?: modified, format, &o->options);
	} else if (format) {
		format->print(format, chosen ?: modified, &o->options, p);
		note_left_out(o, chosen ?: modified, o->diags);
	} else if (answers) {
		print_answer(p, chosen ?: modified, &o->options);
	} else {
		print_hist(p, chosen ?: modified, &o->options);
	}
	chosen_free(chosen);
	modified_result_free(modified);
	return p->err;
}
