// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Corresponds to hist_trigger_show(), hist_trigger_print_key() and hist_trigger_print_val(). The
 * text is read by the fields of the trigger, and not by separators, which may also be in names.
 */
#include <ctype.h>

#include "count/count.h"
#include "program/program.h"

/* Of a string and of a comm, in the file. */
enum { TEXT_WIDTH = 50, COMM_WIDTH = TASK_COMM_LEN };

static const u32 has_symbol = HIST_FIELD_FL_SYM | HIST_FIELD_FL_SYM_OFFSET;

/* What is printed of a key as a number. */
static const u32 as_number = has_symbol | HIST_FIELD_FL_HEX | HIST_FIELD_FL_EXECNAME |
			     HIST_FIELD_FL_SYSCALL;

static const char *key_lacks(const struct hist_data *hd, const struct hist_field *f)
{
	const struct kernel_quirks *kernel = hd->tracing->machine.quirks;

	if (f->flags & (HIST_FIELD_FL_WHO | HIST_FIELD_FL_CODE))
		return "a key is an answer about tasks or code";
	if (f->flags & HIST_FIELD_FL_STACKTRACE)
		return "a key is a stack";
	if (f->flags & (HIST_FIELD_FL_TIMESTAMP | HIST_FIELD_FL_TIMESTAMP_USECS))
		return "a key is the time";
	if (f->flags & (HIST_FIELD_FL_EXPR | HIST_FIELD_FL_CONST | HIST_FIELD_FL_VAR_REF |
			HIST_FIELD_FL_ALIAS))
		return "a key is computed";
	if (f->flags & HIST_FIELD_FL_STRING && !(f->flags & as_number) && f->size > TEXT_WIDTH + 1)
		return "a key may have strings of more than 50 bytes";
	if (f->ranges)
		return "a key has ranges below 0, or with a start, which no kernel has";
	if (f->flags & HIST_FIELD_FL_LOG2 && f->expr.operands[0]->size == 8 &&
	    kernel->log2_up_to_64 != hd->rules->log2_up_to_64)
		return "this kernel counts numbers above 2^63 as 1";
	return NULL;
}

static const char *value_lacks(const struct hist_field *f)
{
	if (f->flags & HIST_FIELD_FL_PARTS)
		return "a value is printed as a percentage or a bar";
	if (f->flags & (HIST_FIELD_FL_EXPR | HIST_FIELD_FL_CONST | HIST_FIELD_FL_VAR_REF |
			HIST_FIELD_FL_ALIAS | HIST_FIELD_FL_TIMESTAMP | HIST_FIELD_FL_STRING) ||
	    f->kind != HIST_NUMBER)
		return "a value is computed, a time or a string";
	return NULL;
}

const char *kernel_rows_lack(const struct hist_data *hd)
{
	const char *why = NULL;
	u32 i;

	if (hd->n_vars || hd->n_map_vars || hd->n_actions || hd->n_var_refs || hd->name)
		return "a trigger has variables, actions or a name";
	if (hd->is_sampled)
		return "quantiles and other statistics need each value (--no-stats)";
	if (hd->no_hitcount)
		return "nohitcount";
	for_each_hist_key_field(i, hd)
		why = why ?: key_lacks(hd, hd->fields[i]);
	for (i = HITCOUNT_IDX + 1; i < hd->n_vals; i++)
		why = why ?: value_lacks(hd->fields[i]);
	return why;
}

/* --- what is next in the text; false: it is something else --- */

static bool skip(struct span *text, const char *what)
{
	if (!span_starts(*text, what))
		return false;
	*text = span_skip(*text, strlen(what));
	return true;
}

/* @width bytes, without the spaces at their end */
static bool take_padded(struct span *text, size_t width, struct span *out)
{
	if (text->n < width)
		return false;
	*out = (struct span){ text->s, width };
	while (out->n && out->s[out->n - 1] == ' ')
		out->n--;
	*text = span_skip(*text, width);
	return true;
}

static bool take_number(struct span *text, unsigned int base, u64 *out)
{
	struct span digits = span_ltrim(*text);
	size_t n = 0;

	while (n < digits.n && (base == 16 ? isxdigit((unsigned char)digits.s[n])
					   : isdigit((unsigned char)digits.s[n])))
		n++;
	*text = span_skip(digits, n);
	return span_digits((struct span){ digits.s, n }, base, out);
}

/* Up to @end and including it, on this line. */
static bool skip_to(struct span *text, const char *end)
{
	const char *at = span_find(*text, span_of(end)), *line = span_chr(*text, '\n');

	if (!at || (line && line < at))
		return false;
	*text = span_skip(*text, (size_t)(at - text->s) + strlen(end));
	return true;
}

static bool take_label(struct span *text, const char *label)
{
	return skip(text, label) && skip(text, ": ");
}

/* --- rows --- */

struct row_reader {
	struct hist_count *hc;
	const struct hist_data *hd;
	struct span text;
	struct span comm;
	u64 *key;
	u64 hits; /* of the rows so far */
};

/* A number, after which the cursor is at the next separator. */
static bool take_key_number(struct row_reader *r, const struct hist_field *f, u64 *out)
{
	struct span *text = &r->text;
	bool good;

	if (f->flags & HIST_FIELD_FL_HEX)
		return take_number(text, 16, out);
	if (f->flags & has_symbol) {
		good = skip(text, "[") && take_number(text, 16, out) && skip(text, "] ");
		/* the name of a symbol has no such characters */
		while (good && text->n && !span_chr(span_of(",}\n"), text->s[0]))
			*text = span_skip(*text, 1);
		/* the space before the brace */
		if (good && span_starts(*text, "}"))
			*text = (struct span){ text->s - 1, text->n + 1 };
		return good;
	}
	if (f->flags & HIST_FIELD_FL_EXECNAME)
		return take_padded(text, COMM_WIDTH, &r->comm) && skip(text, "[") &&
		       take_number(text, 10, out) && skip(text, "]");
	if (f->flags & HIST_FIELD_FL_SYSCALL)
		return skip_to(text, "[") && take_number(text, 10, out) && skip(text, "]");
	if (f->flags & HIST_FIELD_FL_LOG2) {
		good = skip(text, "~ 2^") && take_number(text, 10, out);
		/* the exponent has two places */
		if (good && *out < 10)
			good = skip(text, " ");
		return good;
	}
	if (f->flags & HIST_FIELD_FL_BUCKET) {
		u64 last;

		return skip(text, "~ ") && take_number(text, 10, out) && skip(text, "-") &&
		       take_number(text, 10, &last);
	}
	return take_number(text, 10, out);
}

static bool take_key(struct row_reader *r, const struct hist_field *f)
{
	u8 *to = (u8 *)r->key + f->offset;
	struct span string;
	u64 number = 0;

	if (!take_label(&r->text, f->label))
		return false;
	if (f->flags & HIST_FIELD_FL_STRING && !(f->flags & as_number)) {
		if (!take_padded(&r->text, TEXT_WIDTH, &string) || string.n >= f->size)
			return false;
		memcpy(to, string.s, string.n);
		return true;
	}
	if (!take_key_number(r, f, &number))
		return false;
	/* the kernel counts addresses */
	if (f->flags & HIST_FIELD_FL_SYM && r->hd->rules->symbol_keys)
		number = event_symbol_find_start(r->hd->tracing->machine.db, number);
	store_u64(to, number, r->hd->program->big_endian);
	return true;
}

static bool take_keys(struct row_reader *r)
{
	const struct hist_data *hd = r->hd;
	u32 i;

	memset(r->key, 0, hd->key_size);
	r->comm = span_of("");
	if (!skip(&r->text, "{ "))
		return false;
	for_each_hist_key_field(i, hd)
		if ((i > hd->n_vals && !skip(&r->text, ", ")) || !take_key(r, hd->fields[i]))
			return false;
	return skip(&r->text, " }");
}

static int add_row(struct row_reader *r, const u64 *sums)
{
	struct tracing_map *map = hist_map(r->hc);
	struct tracing_map_elt *elt;
	bool created;

	elt = tracing_map_insert(map, r->key, &created);
	if (!elt)
		return map->failed ? HIST_NOMEM : -HIST_EINVAL;
	for (u32 i = 0; i < r->hd->n_vals; i++)
		tracing_map_sums(elt)[i] += sums[i];
	r->hits += sums[HITCOUNT_IDX];
	if (created && r->hd->has_comm) {
		char *comm = elt_first_hit(r->hd, elt)->comm;

		/* NOLINTNEXTLINE(bugprone-not-null-terminated-result): zeros follow */
		memcpy(comm, r->comm.s, min_t(size_t, r->comm.n, TASK_COMM_LEN - 1));
	}
	return 0;
}

static int read_row(struct row_reader *r)
{
	u64 sums[MAX_VALS] = { 0 };
	bool good = take_keys(r);

	for (u32 i = 0; i < r->hd->n_vals && good; i++) {
		const struct hist_field *f = r->hd->fields[i];

		good = skip(&r->text, i ? "  " : " ") &&
		       take_label(&r->text, i ? f->label : "hitcount") &&
		       take_number(&r->text, i && f->flags & HIST_FIELD_FL_HEX ? 16 : 10, &sums[i]);
	}
	return good && skip(&r->text, "\n") ? add_row(r, sums) : -HIST_EINVAL;
}

/*
 * "Totals:" with hits, entries and drops; nothing follows. kernel: it counts while it prints the
 * rows, so their hits may be fewer than those.
 */
static bool read_totals(struct row_reader *r, struct tracing_map *map)
{
	struct span *text = &r->text;
	u64 hits, entries, drops;

	if (!skip(text, "\nTotals:\n    Hits: ") || !take_number(text, 10, &hits) ||
	    !skip(text, "\n    Entries: ") || !take_number(text, 10, &entries) ||
	    !skip(text, "\n    Dropped: ") || !take_number(text, 10, &drops) || !skip(text, "\n"))
		return false;
	map->hits = r->hits;
	map->drops = drops;
	return !span_trim(*text).n;
}

int kernel_rows_read(struct hist_count *hc, struct span text)
{
	struct row_reader r = { .hc = hc, .hd = hc->hd, .text = text };
	int err = 0;

	hist_count_clear(hc);
	r.key = calloc(1, hc->hd->key_size);
	if (!r.key)
		return HIST_NOMEM;
	while (!err && span_starts(r.text, "#"))
		err = skip_to(&r.text, "\n") ? 0 : -HIST_EINVAL;
	if (!err && !skip(&r.text, "\n"))
		err = -HIST_EINVAL;
	while (!err && span_starts(r.text, "{ "))
		err = read_row(&r);
	free(r.key);
	if (!err && !read_totals(&r, hist_map(hc)))
		err = -HIST_EINVAL;
	return err;
}
