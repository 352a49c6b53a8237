// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A result as the kernel's text, without the recording that it was made of: for what was saved
 * and added up. Whatever print_hist.c does to a number of the engine is done here to a cell.
 */
#include "print/print.h"
#include "print/print_hist.h"
#include "print/stats.h"

struct result_printer {
	struct strbuf *out;
	const struct result *r;
	u64 *total, *max; /* of each value */
};

static bool is(const struct result_column *c, const char *modifier)
{
	return c->modifier && !strcmp(c->modifier, modifier);
}

/* The name without the #2 of one that came before: that is not the kernel's. */
static struct span name_of(const struct result *r, size_t i)
{
	struct span name = span_of(r->columns[i].name);
	const char *hash = strrchr(name.s, '#');

	for (size_t k = 0; k < i && hash; k++)
		if (r->columns[k].role == r->columns[i].role &&
		    span_eq(span_between(name.s, hash), r->columns[k].name))
			return span_between(name.s, hash);
	return name;
}

/* --- keys --- */

/* kernel: the power of two that is the upper end of a bucket */
static unsigned int log2_of(u64 max)
{
	return max > INT64_MAX    ? 64
	       : max == INT64_MAX ? 63
				  : (unsigned int)__builtin_ctzll(max | 1ull << 63);
}

static void print_number_key(struct result_printer *rp, const struct result_column *c,
			     struct span name, const struct result_cell *cell)
{
	struct strbuf *out = rp->out;
	unsigned long long n = cell->num;
	int width = is(c, "sym-offset") ? 55 : 45;

	strbuf_add(out, name.s, name.n);
	if (c->type == RESULT_RANGE && is(c, "log2"))
		strbuf_addf(out, ": ~ 2^%-2u", cell->max == 1 ? 0 : log2_of(cell->max));
	else if (c->type == RESULT_RANGE)
		strbuf_addf(out, ": ~ %llu-%llu", n, (unsigned long long)cell->max);
	else if (is(c, "hex"))
		strbuf_addf(out, ": %llx", n);
	else if (c->has_label && (is(c, "sym") || is(c, "sym-offset")))
		strbuf_addf(out, ": [%llx] %-*.*s", n, width, (int)cell->label.n, cell->label.s);
	else if (c->has_label && is(c, "execname"))
		strbuf_addf(out, ": %-16.*s[%10llu]", (int)cell->label.n, cell->label.s, n);
	else if (c->has_label)
		strbuf_addf(out,
			    c->is_signed && !is(c, "syscall") ? ": %-30.*s[%3lld]"
							      : ": %-30.*s[%3llu]",
			    (int)cell->label.n, cell->label.s, n);
	else
		strbuf_addf(out, ": %10llu", n);
}

static void print_stack_key(struct result_printer *rp, struct span name,
			    const struct result_cell *cell)
{
	bool common = span_eq(name, "common_stacktrace") || span_eq(name, "stacktrace");

	strbuf_add(rp->out, name.s, name.n);
	strbuf_addstr(rp->out, common ? ":\n" : ".stacktrace");
	for (size_t i = 0; i < cell->n_frames; i++) {
		strbuf_fill(rp->out, ' ', 9);
		strbuf_add(rp->out, cell->frames[i].symbol.s, cell->frames[i].symbol.n);
		strbuf_addch(rp->out, '\n');
	}
}

static void print_key(struct result_printer *rp, const struct result_cell *cells)
{
	bool multiline = false;

	strbuf_addstr(rp->out, "{ ");
	for (size_t i = 0; i < rp->r->n_keys; i++) {
		const struct result_column *c = &rp->r->columns[i];
		struct span name = name_of(rp->r, i);

		strbuf_addstr(rp->out, i ? ", " : "");
		if (c->type == RESULT_STACK) {
			print_stack_key(rp, name, &cells[i]);
			multiline = true;
		} else if (c->type == RESULT_TEXT) {
			strbuf_addf(rp->out, "%.*s: %-50.*s", (int)name.n, name.s,
				    (int)cells[i].text.n, cells[i].text.s);
		} else {
			print_number_key(rp, c, name, &cells[i]);
		}
	}
	strbuf_addstr(rp->out, multiline ? "}" : " }");
}

void print_result_key(struct printer *p, const struct result *r, const struct result_cell *cells)
{
	struct result_printer rp = { .out = &p->buf, .r = r };

	print_key(&rp, cells);
}

/* --- values --- */

static void print_value(struct result_printer *rp, size_t v, u64 val)
{
	size_t i = rp->r->n_keys + v;
	const struct result_column *c = &rp->r->columns[i];
	struct span name = name_of(rp->r, i);
	struct strbuf label = STRBUF_INIT;

	strbuf_add(&label, name.s, name.n);
	strbuf_addstr(rp->out, v ? "  " : " ");
	if (v && is(c, "percent")) {
		strbuf_cut(rp->out, rp->out->len - 1);
		print_hist_percent(rp->out, label.s, val, rp->total[v]);
	} else if (v && is(c, "graph")) {
		strbuf_cut(rp->out, rp->out->len - 1);
		print_hist_graph(rp->out, label.s, val, rp->max[v]);
	} else {
		strbuf_addf(rp->out, v && is(c, "hex") ? "%s: %10llx" : "%s: %10llu", label.s,
			    (unsigned long long)val);
	}
	rp->out->failed |= label.failed;
	strbuf_release(&label);
}

static int add_up(struct result_printer *rp)
{
	const struct result *r = rp->r;
	struct result_row row;
	int err = 0;

	for (size_t i = 0; i < r->n_rows && !err; i++) {
		err = r->row(r, i, &row);
		for (size_t v = 0; v < r->n_values && !err; v++) {
			u64 val = row.cells[r->n_keys + v].num;

			rp->total[v] += val;
			rp->max[v] = max_t(u64, rp->max[v], val);
		}
	}
	return err;
}

/* --- what onmax and onchange keep --- */

static void print_saved_cell(struct result_printer *rp, size_t i, const struct result_cell *cell)
{
	const struct result_column *c = &rp->r->columns[i];
	struct span name = name_of(rp->r, i);
	struct strbuf *out = rp->out;

	strbuf_addf(out, "  %.*s: ", (int)name.n, name.s);
	if (c->type == RESULT_TEXT && cell->absent)
		strbuf_addf(out, "%-32s", "(null)");
	else if (c->type == RESULT_TEXT)
		strbuf_addf(out, "%-32.*s", (int)cell->text.n, cell->text.s);
	else if (c->has_label && !cell->absent)
		strbuf_addf(out, c->is_signed ? "%-30.*s[%3lld]" : "%-30.*s[%3llu]",
			    (int)cell->label.n, cell->label.s, (unsigned long long)cell->num);
	else
		strbuf_addf(out, "%10llu", (unsigned long long)cell->num);
}

static void print_saved(struct result_printer *rp, const struct result_cell *cells)
{
	const struct result *r = rp->r;
	size_t first = r->n_keys + r->n_values, tracks = result_tracks(r);

	for (size_t t = 0; t < tracks; t++) {
		struct span name = name_of(r, first + t);

		strbuf_addf(rp->out, "\n\t%.*s: %10llu", (int)name.n, name.s,
			    (unsigned long long)cells[first + t].num);
		for (size_t i = first + tracks; i < r->n_columns; i++)
			print_saved_cell(rp, i, &cells[i]);
	}
}

/* --- the whole --- */

static int print_rows(struct printer *p, struct result_printer *rp)
{
	const struct result *r = rp->r;
	struct result_row row;
	int err = add_up(rp);

	for (size_t i = 0; i < r->n_rows && !err && !p->err; i++) {
		err = r->row(r, i, &row);
		if (err)
			break;
		print_key(rp, row.cells);
		for (size_t v = 0; v < r->n_values; v++)
			if (!r->columns[r->n_keys + v].hidden)
				print_value(rp, v, row.cells[r->n_keys + v].num);
		print_saved(rp, row.cells);
		strbuf_addch(rp->out, '\n');
		printer_flush(p);
	}
	return err;
}

static void print_snapshot(struct result_printer *rp)
{
	const struct result_snapshot *s = rp->r->snapshot;

	if (!s)
		return;
	strbuf_addstr(rp->out, "\nSnapshot taken (see tracing/snapshot).  Details:\n");
	strbuf_addf(rp->out, "\ttriggering value { %s(%s) }: %10llu", s->handler, s->variable,
		    (unsigned long long)s->value);
	strbuf_addstr(rp->out, "\ttriggered by event with key: ");
	print_key(rp, s->keys);
	strbuf_addch(rp->out, '\n');
}

void print_result(struct printer *p, const struct result *r)
{
	u64 *sums = calloc(2 * r->n_values, sizeof(*sums));
	struct result_printer rp = {
		.out = &p->buf, .r = r, .total = sums, .max = sums + r->n_values
	};
	int err = sums ? 0 : HIST_NOMEM;

	strbuf_addf(&p->buf, "# event histogram\n#\n# trigger info: %s [%s]\n#\n\n", r->trigger,
		    r->paused ? "paused" : "active");
	if (!err)
		err = print_rows(p, &rp);
	print_snapshot(&rp);
	strbuf_addf(&p->buf, "\nTotals:\n    Hits: %llu\n    Entries: %zu\n    Dropped: %llu\n",
		    (unsigned long long)r->hits, r->n_rows, (unsigned long long)r->drops);
	if (!err && !p->err)
		err = print_result_stats(p, r);
	if (err && !p->err)
		p->err = err;
	free(sums);
}
