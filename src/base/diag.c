// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The list of diagnoses, and their text form.
 *
 * Texts, names and source lines may come from a hostile file: the text form contains no control
 * characters, and the caret stays within its line.
 */
#include "base/base.h"

static const char *const level_name[] = { "note", "warning", "error" };
static const char *const level_colour[] = { "\033[36m", "\033[35m", "\033[1;31m" };

static struct diag *diags_vadd(struct diags *ds, enum diag_level level, const char *fmt, va_list ap)
{
	struct strbuf sb = STRBUF_INIT;
	struct diag d = { .level = level, .at = DIAG_NOWHERE };

	strbuf_vaddf(&sb, fmt, ap);
	d.text = sb.failed ? NULL : arena_strndup(&ds->arena, sb.s, sb.len);
	strbuf_release(&sb);
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

/*
 * Text from files and scripts must not control the terminal: control characters are printed as '?'.
 */
static void add_visible(struct strbuf *out, const char *s)
{
	for (char last = 0; *s; last = *s++)
		strbuf_addch(out, is_control(*s, last) ? '?' : *s);
}

/* Width of the bytes [@from, @to) of @s in columns; UTF-8 continuation bytes have none. */
static size_t columns(const char *s, size_t from, size_t to)
{
	size_t n = 0;

	for (size_t i = from; i < to; i++)
		n += ((u8)s[i] & 0xc0) != 0x80;
	return n;
}

static void print_line(const char *line, struct strbuf *out)
{
	strbuf_addstr(out, "    ");
	add_visible(out, line);
	strbuf_addch(out, '\n');
}

/* A tab is placed below a tab, so that the caret is right for any tab width. */
static void print_caret(const char *line, size_t at, size_t len, const char *colour,
			struct strbuf *out)
{
	size_t n = strlen(line);

	at = min_t(size_t, at, n);
	print_line(line, out);
	strbuf_addstr(out, "    ");
	for (size_t i = 0; i < at; i++)
		strbuf_fill(out, line[i] == '\t' ? '\t' : ' ', columns(line, i, i + 1));
	strbuf_addf(out, "%s^", colour ? colour : "");
	if (at < n && len > 1)
		strbuf_fill(out, '~', columns(line, at + 1, at + min_t(size_t, len, n - at)));
	strbuf_addstr(out, colour ? "\033[0m\n" : "\n");
}

static void print_place(const struct diag *d, const char *colour, struct strbuf *out)
{
	if (d->source && d->col)
		print_caret(d->source, d->col - 1, d->len, colour, out);
	else if (d->source && d->level != DIAG_NOTE)
		print_line(d->source, out);
	else if (d->cmd)
		print_caret(d->cmd, d->pos, 1, colour, out);
}

void diag_print(const struct diag *d, const char *prog, bool colour, struct strbuf *out)
{
	const char *on = colour ? level_colour[d->level] : "";
	const char *off = colour ? "\033[0m" : "";

	add_visible(out, d->file ? d->file : prog);
	if (d->file && d->line)
		strbuf_addf(out, ":%u", d->line);
	if (d->file && d->line && d->col)
		strbuf_addf(out, ":%u", d->col);
	strbuf_addf(out, ": %s%s:%s ", on, level_name[d->level], off);
	if (d->loc) {
		add_visible(out, d->loc);
		strbuf_addstr(out, ": ");
	}
	add_visible(out, d->text);
	strbuf_addch(out, '\n');
	print_place(d, colour ? on : NULL, out);
}

void diags_release(struct diags *ds)
{
	array_release(&ds->list);
	arena_release(&ds->arena);
	ds->failed = false;
}
