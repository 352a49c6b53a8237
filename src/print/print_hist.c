// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The hist file: prints a result as the kernel does. Corresponds to hist_trigger_show(),
 * hist_trigger_print_key(), hist_trigger_print_val(), __get_percentage().
 */
#include "print/print_hist.h"

/* How the cells of a column are shown. */
enum style {
	STYLE_NUMBER,
	STYLE_HEX,
	STYLE_SYMBOL,
	STYLE_TASK,
	STYLE_NAMED, /* system calls, and names from a plugin */
	STYLE_LOG2,
	STYLE_BUCKET,
	STYLE_TEXT,
	STYLE_STACK,
	STYLE_PERCENT,
	STYLE_GRAPH,
};

struct column_style {
	enum style style;
	const char *label;
	size_t label_len;
	bool is_signed; /* kernel: only of STYLE_NAMED */
	u64 width;      /* width of a symbol, in characters; or of a bucket */
	u64 total, max; /* sum or maximum over all rows, for a percentage or a bar */
};

struct hist_printer {
	struct printer *p;
	struct strbuf *out;
	const struct result *r;
	struct column_style *styles;
	const struct format_options *options;
};

/* --- .percent and .graph: a value relative to the sum or the maximum of its column --- */

enum { BAR_WIDTH = 20, PERCENT_ERROR = -1 };

/* Hundredths of a percent, in 32 bits as in the kernel; PERCENT_ERROR for a sum of 0. */
static s64 percentage(u64 val, u64 total)
{
	if (total && val < UINT64_MAX / 10000)
		return (u32)(val * 10000 / total);
	total /= 10000;
	if (!total)
		return val ? PERCENT_ERROR : 0;
	return (u32)(val / total);
}

static void add_graph(struct strbuf *out, const char *label, u64 val, u64 max)
{
	s64 pc = percentage(val, max);
	u32 len;

	if (pc == PERCENT_ERROR || pc == UINT32_MAX) {
		strbuf_addf(out, " %s: %20s", label, "[ERROR]");
		return;
	}
	len = min_t(u32, (u32)pc * BAR_WIDTH / 10000, BAR_WIDTH);
	strbuf_addf(out, " %s: ", label);
	strbuf_fill(out, '#', len);
	strbuf_fill(out, ' ', BAR_WIDTH - len);
}

static void add_percent(struct strbuf *out, const char *label, u64 val, u64 total)
{
	s64 pc = percentage(val, total);

	if (pc == PERCENT_ERROR || pc == UINT32_MAX)
		strbuf_addf(out, " %s (%%):[ERROR]", label);
	else
		strbuf_addf(out, " %s (%%): %3u.%02u", label, (u32)pc / 100, (u32)pc % 100);
}

/* --- exemplars: lines that start with '#'; report --around accepts this form of time and CPU ---
 */

static void add_exemplars(struct strbuf *out, const struct result *r, const struct exemplar_row *of)
{
	for (u32 i = 0; of && i < of->n; i++) {
		const struct exemplar *e = &of->v[i];

		strbuf_addf(out,
			    r->exemplars->is_signed ? "# %s: %10lld  at " : "# %s: %10llu  at ",
			    r->exemplars->name, e->value);
		text_add_time(out, e->at, r->info->clock_counts);
		strbuf_addf(out, ",%u  %.*s-%d", e->cpu, EXEMPLAR_COMM_LEN, e->comm, e->pid);
		if (e->file && r->info->n_files > 1)
			strbuf_addf(out, "  in %s", e->file);
		strbuf_addch(out, '\n');
	}
}

/* --- columns --- */

static enum style modifier_style(const char *modifier)
{
	static const struct {
		const char *modifier;
		enum style style;
	} styles[] = {
		{ "hex", STYLE_HEX },           { "sym", STYLE_SYMBOL },
		{ "sym-offset", STYLE_SYMBOL }, { "execname", STYLE_TASK },
		{ "percent", STYLE_PERCENT },   { "graph", STYLE_GRAPH },
	};

	for (size_t i = 0; modifier && i < ARRAY_SIZE(styles); i++)
		if (!strcmp(modifier, styles[i].modifier))
			return styles[i].style;
	return STYLE_NUMBER;
}

static enum style style_of(const struct result_column *c)
{
	enum style style = modifier_style(c->modifier);
	bool shows_label = style == STYLE_SYMBOL || style == STYLE_TASK;

	if (c->type == RESULT_TEXT)
		return STYLE_TEXT;
	if (c->type == RESULT_STACK)
		return STYLE_STACK;
	if (c->type == RESULT_RANGE)
		return c->modifier && !strcmp(c->modifier, "log2") ? STYLE_LOG2 : STYLE_BUCKET;
	if (c->role == RESULT_VALUE)
		return shows_label ? STYLE_NUMBER : style;
	if (c->has_label)
		return shows_label && c->role == RESULT_KEY ? style : STYLE_NAMED;
	return style == STYLE_HEX && c->role == RESULT_KEY ? STYLE_HEX : STYLE_NUMBER;
}

static struct column_style column_style(const struct result_column *c, bool exact)
{
	struct column_style s = { .style = style_of(c),
				  .label = c->label,
				  .label_len = strlen(c->label),
				  .width = c->width };

	if (s.style == STYLE_SYMBOL)
		s.width = !strcmp(c->modifier, "sym") ? 45 : 55;
	/* kernel: numbers of system calls are unsigned */
	s.is_signed = c->is_signed && (exact || s.style == STYLE_NAMED) &&
		      !(c->modifier && !strcmp(c->modifier, "syscall"));
	return s;
}

/* --- numbers --- */

/* "LABEL:          7" */
static void add_number(struct strbuf *out, const struct column_style *s, u64 v)
{
	strbuf_add(out, s->label, s->label_len);
	strbuf_add(out, ": ", 2);
	if (s->style != STYLE_NAMED && s->is_signed && v >> 63)
		strbuf_addf(out, "%10lld", v);
	else
		text_add_padded(out, v);
}

static void add_named(struct strbuf *out, const struct column_style *s,
		      const struct result_cell *cell)
{
	if (cell->absent || cell->unnamed)
		add_number(out, s, cell->num);
	else
		strbuf_addf(out, s->is_signed ? "%s: %-30.*s[%3lld]" : "%s: %-30.*s[%3llu]",
			    s->label, (int)cell->label.n, cell->label.s, cell->num);
}

/* --- keys --- */

/* kernel: the power of two that is the upper end of the bucket */
static unsigned int log2_of(u64 max)
{
	return max == UINT64_MAX  ? 64
	       : max == INT64_MAX ? 63
	       : max <= 1         ? 0
				  : (unsigned int)__builtin_ctzll(max);
}

static void print_key_cell(struct strbuf *out, const struct column_style *s,
			   const struct result_cell *cell)
{
	unsigned long long n = cell->num;

	switch (s->style) {
	case STYLE_HEX:
		strbuf_addf(out, "%s: %llx", s->label, n);
		return;
	case STYLE_SYMBOL:
		strbuf_addf(out, "%s: [%llx] %-*.*s", s->label, n, (int)s->width,
			    (int)cell->label.n, cell->label.s);
		return;
	case STYLE_TASK:
		strbuf_addf(out, "%s: %-16.*s[%10llu]", s->label, (int)cell->label.n, cell->label.s,
			    n);
		return;
	case STYLE_NAMED:
		add_named(out, s, cell);
		return;
	case STYLE_LOG2:
		strbuf_addf(out, "%s: ~ 2^%-2u", s->label, log2_of(cell->max));
		return;
	case STYLE_BUCKET:
		strbuf_addf(out, s->is_signed ? "%s: ~ %lld-%lld" : "%s: ~ %llu-%llu", s->label, n,
			    (s->width ? n + s->width - 1 : cell->max));
		return;
	case STYLE_TEXT:
		strbuf_addf(out, "%s: %-50.*s", s->label, (int)cell->text.n, cell->text.s);
		return;
	case STYLE_STACK:
		strbuf_addstr(out, s->label);
		for (size_t i = 0; i < cell->n_frames; i++) {
			strbuf_fill(out, ' ', 9);
			strbuf_add(out, cell->frames[i]->symbol.s, cell->frames[i]->symbol.n);
			strbuf_addch(out, '\n');
		}
		return;
	default:
		add_number(out, s, n);
	}
}

/* Keys in the form of entries: "{ pid:          7 }". */
static void print_key(const struct hist_printer *hp, const struct result_cell *cells,
		      struct strbuf *out)
{
	bool multiline = false;

	strbuf_add(out, "{ ", 2);
	for (size_t i = 0; i < hp->r->n_keys; i++) {
		if (i)
			strbuf_add(out, ", ", 2);
		print_key_cell(out, &hp->styles[i], &cells[i]);
		multiline |= hp->styles[i].style == STYLE_STACK;
	}
	strbuf_addstr(out, multiline ? "}" : " }");
}

/* --- values --- */

static void print_value(struct strbuf *out, const struct column_style *s, u64 val)
{
	switch (s->style) {
	case STYLE_PERCENT:
		add_percent(out, s->label, val, s->total);
		return;
	case STYLE_GRAPH:
		add_graph(out, s->label, val, s->max);
		return;
	case STYLE_HEX:
		strbuf_addf(out, " %s: %10llx", s->label, val);
		return;
	default:
		strbuf_addch(out, ' ');
		add_number(out, s, val);
	}
}

/* --- the whole file --- */

static void add_row(struct strbuf *out, const struct result_row *row, const void *arg)
{
	const struct hist_printer *hp = arg;

	const struct result *r = hp->r;
	size_t first = result_first(r, RESULT_SAVED), tracks = result_tracks(r);

	print_key(hp, row->cells, out);
	for (size_t i = r->n_keys; i < first; i++) {
		if (r->columns[i].hidden)
			continue;
		strbuf_addch(out, ' ');
		if (i > r->n_keys)
			print_value(out, &hp->styles[i], row->cells[i].num);
		else
			add_number(out, &hp->styles[i], row->cells[i].num);
	}
	/* data of onmax and onchange */

	for (size_t t = first; t < first + tracks; t++) {
		strbuf_add(out, "\n\t", 2);
		add_number(out, &hp->styles[t], row->cells[t].num);
		for (size_t i = first + tracks; i < r->n_columns; i++) {
			strbuf_add(out, "  ", 2);
			if (hp->styles[i].style == STYLE_TEXT && row->cells[i].absent)
				strbuf_addf(out, "%s: %-32s", hp->styles[i].label, "(null)");
			else if (hp->styles[i].style == STYLE_TEXT)
				strbuf_addf(out, "%s: %-32.*s", hp->styles[i].label,
					    (int)row->cells[i].text.n, row->cells[i].text.s);
			else if (hp->styles[i].style == STYLE_NAMED)
				add_named(out, &hp->styles[i], &row->cells[i]);
			else
				add_number(out, &hp->styles[i], row->cells[i].num);
		}
	}
	strbuf_addch(out, '\n');
	add_exemplars(out, hp->r, row->exemplars);
}

static void print_whole(struct hist_printer *hp)
{
	const struct result *r = hp->r, *whole = r->whole ?: r;
	struct result_row row;
	bool any;
	const struct result_snapshot *s;

	strbuf_addf(hp->out, "# event histogram\n#\n# trigger info: %s [%s]\n#\n\n", r->trigger,
		    r->paused ? "paused" : "active");
	/* the reference value of a percentage and a bar */
	any = false;
	for (size_t i = r->n_keys; i < r->n_keys + r->n_values; i++)
		any |= hp->styles[i].style == STYLE_PERCENT || hp->styles[i].style == STYLE_GRAPH;
	for (size_t i = 0; i < whole->n_rows && any; i++) {
		whole->row(whole, i, &row);
		for (size_t v = r->n_keys; v < r->n_keys + r->n_values; v++) {
			hp->styles[v].total += row.cells[v].num;
			hp->styles[v].max = max_t(u64, hp->styles[v].max, row.cells[v].num);
		}
	}
	print_rows(hp->p, r, r->n_rows, add_row, hp);
	if (r->left_out)
		strbuf_addf(hp->out, "# %zu more (--top)\n", r->left_out);
	s = hp->r->snapshot;
	if (s) {
		strbuf_addstr(hp->out, "\nSnapshot taken (see tracing/snapshot).  Details:\n");
		strbuf_addf(hp->out, "\ttriggering value { %s(%s) }: %10llu", s->handler,
			    s->variable, s->value);
		strbuf_addstr(hp->out, "\ttriggered by event with key: ");
		print_key(hp, s->keys, hp->out);
		strbuf_addch(hp->out, '\n');
	}
	strbuf_addf(hp->out, "\nTotals:\n    Hits: %llu\n    Entries: %zu\n    Dropped: %llu\n",
		    r->hits, r->n_rows + r->left_out, r->drops);
	if (r->exemplars) {
		strbuf_addf(hp->out, "\n# the largest %s", r->exemplars->name);
		if (r->exemplars->unit)
			strbuf_addf(hp->out, " in %s", r->exemplars->unit);
		strbuf_addstr(hp->out, ", at TIME,CPU (for hist report --around)\n");
		add_exemplars(hp->out, r, r->exemplars->all);
	}
	if (!hp->p->err)
		hp->p->err = print_stats(hp->p, r, hp->options);
}

void print_hist(struct printer *p, const struct result *r, const struct format_options *options)
{
	struct hist_printer hp = { .p = p,
				   .out = &p->buf,
				   .r = r,
				   .styles = calloc(r->n_columns, sizeof(*hp.styles)),
				   .options = options };

	if (!hp.styles) {
		p->err = HIST_NOMEM;
		return;
	}
	for (size_t i = 0; i < r->n_columns; i++)
		hp.styles[i] = column_style(&r->columns[i], r->rules == RESULT_EXACT);
	print_whole(&hp);
	free(hp.styles);
}
