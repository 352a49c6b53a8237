// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The list of diagnoses, and their text form.
 *
 * Texts, names and source lines may come from a hostile file: the text form contains no control
 * characters and is not long, and the caret stays within its line.
 */
#include "base/base.h"

static const char *const level_name[] = { "note", "warning", "error" };
static const char *const level_colour[] = { "\033[36m", "\033[35m", "\033[1;31m" };

static struct diag *diags_vadd(struct diags *ds, enum diag_level level, const char *fmt, va_list ap)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct diag d = { .level = level, .at = DIAG_NOWHERE };

	if (!ds)
		return NULL;
	strbuf_vaddf(&sb, fmt, ap);
	d.text = sb.failed ? NULL : arena_strndup(&ds->arena, sb.s, sb.len);
	if (!d.text || array_push(&ds->list, d)) {
		ds->failed = true;
		return NULL;
	}
	return &ds->list.v[ds->list.n - 1];
}

struct diag *diags_add(struct diags *ds, enum diag_level level, const char *fmt, ...)
{
	struct diag *d;
	va_list ap;

	va_start(ap, fmt);
	d = diags_vadd(ds, level, fmt, ap);
	va_end(ap);
	return d;
}

void diag_in_option(struct diags *ds, struct diag *d, const char *option, struct span text,
		    struct span at)
{
	if (!d)
		return;
	d->file = option;
	d->line = 1;
	d->col = (unsigned int)(at.s - text.s) + 1;
	d->len = at.n;
	d->source = arena_strndup(&ds->arena, text.s, text.n);
}

void diags_add_once(struct diags *ds, enum diag_level level, const char *text)
{
	array_each(const struct diag, d, &ds->list) {
		if (text && d->level == level && !strcmp(d->text, text))
			return;
	}
	diags_add(ds, level, "%s", text ? text : "out of memory");
}

int diags_error(struct diags *ds, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diags_vadd(ds, DIAG_ERROR, fmt, ap);
	va_end(ap);
	return err;
}

void diags_append(struct diags *ds, const struct diags *from)
{
	for (size_t i = 0; i < from->list.n; i++)
		diags_add(ds, from->list.v[i].level, "%s", from->list.v[i].text);
	ds->failed |= from->failed;
}

bool diags_has_error(const struct diags *ds, size_t from)
{
	for (size_t i = from; i < ds->list.n; i++)
		if (ds->list.v[i].level == DIAG_ERROR)
			return true;
	return false;
}

const char *diags_first_error(const struct diags *ds)
{
	for (size_t i = 0; i < ds->list.n; i++)
		if (ds->list.v[i].level == DIAG_ERROR)
			return ds->list.v[i].text;
	return NULL;
}

/* Limits of what is quoted from files and scripts, in bytes. */
enum { LINE_SHOWN = 300, TEXT_SHOWN = 4096 };

/*
 * Text from files and scripts must not control the terminal: control characters are printed as '?'
 * or \uNNNN, those that turn the direction as \uNNNN. @out may be NULL. Returns the columns: UTF-8
 * continuation bytes have none.
 */
static size_t add_visible(struct strbuf *out, struct span s)
{
	char room[UTF8_ROOM];
	struct span shown;
	size_t n = 0;

	while (s.n) {
		s = span_skip(s, utf8_harmless(s, room, &shown));
		if (out)
			strbuf_add(out, shown.s, shown.n);
		n += shown.n == 6 ? 6 : ((u8)*shown.s & 0xc0) != 0x80;
	}
	return n;
}

static size_t columns(struct span s)
{
	return add_visible(NULL, s);
}

/* Print a line, or of a long one the part around @at. Returns this part. */
static struct span print_line(const char *line, size_t at, struct strbuf *out)
{
	struct span part = span_of(line);
	const size_t n = part.n;

	if (n > LINE_SHOWN) {
		size_t from = at > LINE_SHOWN / 2 ? at - LINE_SHOWN / 2 : 0;

		while (from && ((u8)line[from] & 0xc0) == 0x80)
			from--;
		part = (struct span){ line + from, min_t(size_t, LINE_SHOWN, n - from) };
	}
	strbuf_addstr(out, part.s > line ? "    ..." : "    ");
	add_visible(out, part);
	strbuf_addstr(out, part.s + part.n < line + n ? "...\n" : "\n");
	return part;
}

/* A tab is placed below a tab, so that the caret is right for any tab width. */
static void print_caret(const char *line, size_t at, size_t len, const char *colour,
			struct strbuf *out)
{
	struct span part, before;

	at = min_t(size_t, at, strlen(line));
	part = print_line(line, at, out);
	before = span_between(part.s, line + at);
	strbuf_addstr(out, part.s > line ? "       " : "    ");
	while (before.n) {
		const char *tab = span_chr(before, '\t');
		struct span text = { before.s, tab ? (size_t)(tab - before.s) : before.n };

		strbuf_fill(out, ' ', columns(text));
		strbuf_addstr(out, tab ? "\t" : "");
		before = span_skip(before, text.n + (tab != NULL));
	}
	strbuf_addf(out, "%s^", colour ? colour : "");
	part = span_skip(part, (size_t)(line + at - part.s));
	if (part.n && len > 1)
		strbuf_fill(out, '~',
			    columns((struct span){ part.s + 1, min_t(size_t, len, part.n) - 1 }));
	strbuf_addstr(out, colour ? "\033[0m\n" : "\n");
}

void diag_print(const struct diag *d, const char *prog, bool colour, struct strbuf *out)
{
	const char *on = colour ? level_colour[d->level] : "";
	const char *off = colour ? "\033[0m" : "";
	struct span text = span_of(d->text);

	add_visible(out, span_of(d->file ? d->file : prog));
	if (d->file && d->line)
		strbuf_addf(out, ":%u", d->line);
	if (d->file && d->line && d->col)
		strbuf_addf(out, ":%u", d->col);
	strbuf_addf(out, ": %s%s:%s ", on, level_name[d->level], off);
	if (d->loc) {
		add_visible(out, span_of(d->loc));
		strbuf_addstr(out, ": ");
	}
	/* it may quote anything: the middle of a long one is left out; notes can be pasted */
	if (text.n > TEXT_SHOWN && d->level != DIAG_NOTE) {
		add_visible(out, (struct span){ text.s, TEXT_SHOWN / 2 });
		strbuf_addf(out, " ...(%zu bytes)... ", text.n - TEXT_SHOWN);
		text = span_skip(text, text.n - TEXT_SHOWN / 2);
	}
	add_visible(out, text);
	strbuf_addch(out, '\n');
	on = colour ? on : NULL;
	if (d->source && d->col)
		print_caret(d->source, d->col - 1, d->len, on, out);
	else if (d->source && d->level != DIAG_NOTE)
		print_line(d->source, 0, out);
	else if (d->cmd)
		print_caret(d->cmd, d->pos, 1, on, out);
}

void diags_release(struct diags *ds)
{
	array_release(&ds->list);
	arena_release(&ds->arena);
	ds->failed = false;
}
