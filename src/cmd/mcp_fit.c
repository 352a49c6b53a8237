// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes a text fit that a model reads.
 *
 * Answers are tables, separated by blank lines, with the largest rows first. So each table keeps
 * its first lines, as many as all of them can have, and a small one all, as quantiles are; only if
 * there is no room for a few of each, the last tables are left out.
 */
#include "cmd/mcp_tools.h"

enum {
	LINE_MAX_SHOWN = 400,
	NOTE_MAX = 60,
	NOTE_TOKENS = 8,
	LAST_TOKENS = 24,
	FEW = 3,
	SMALL = 12
};

/* What a byte is to a tokeniser: they cut where this changes. */
static int kind_of(char c)
{
	return is_digit(c)                          ? 0
	       : (c | 32) >= 'a' && (c | 32) <= 'z' ? 1
	       : c == ' ' || c == '\n'              ? 2
						    : 3;
}

/*
 * About three digits or four letters are a token; the last blank before a word is a part of it. Of
 * texts as verbs print them, the tokenisers of models make at most an eighth more.
 */
size_t mcp_tokens(struct span text)
{
	static const size_t bytes[] = { 3, 4, SIZE_MAX, 1 };
	size_t tokens = 0, n = 0;

	for (size_t i = 0; i < text.n; i += n) {
		const int kind = kind_of(text.s[i]);

		for (n = 1; i + n < text.n && n < bytes[kind] && kind_of(text.s[i + n]) == kind;)
			n++;
		tokens += kind != 2 || n > 1;
		tokens += kind == 2 && (i + n == text.n || kind_of(text.s[i + n]) != 1);
	}
	return tokens + tokens / 8;
}

struct fitting {
	struct strbuf *out; /* NULL: tokens are added up */
	size_t tokens, left_out;
};

static void put(struct fitting *f, struct span text)
{
	f->tokens += mcp_tokens(text);
	if (f->out)
		strbuf_add(f->out, text.s, text.n);
}

static void put_line(struct fitting *f, struct span line)
{
	struct span shown = { line.s, min_t(size_t, line.n, LINE_MAX_SHOWN) };

	while (shown.n < line.n && shown.n && ((unsigned char)line.s[shown.n] & 0xc0) == 0x80)
		shown.n--;
	put(f, shown);
	if (shown.n < line.n)
		put(f, span_of(" [...]"));
	put(f, span_of("\n"));
}

/* @full: there is no more room, not even for notes on parts. */
static void end_part(struct fitting *f, size_t lines, size_t shown, bool full)
{
	char note[NOTE_MAX];

	if (lines <= shown)
		return;
	f->left_out += lines - shown;
	if (full)
		return;
	snprintf(note, sizeof(note), "[... %zu more line%s]\n", lines - shown,
		 plural(lines - shown));
	put(f, span_of(note));
}

static size_t lines_of_part(struct span text)
{
	size_t lines = 0;

	while (text.n && span_trim(span_sep(&text, "\n")).n)
		lines++;
	return lines;
}

/*
 * The first @most lines of each part, and parts of up to @small lines, as far as they fit into
 * @room.
 */
static void put_parts(struct fitting *f, struct span text, size_t most, size_t small, size_t room)
{
	size_t lines = 0, shown = 0, limit = 0;
	bool full = false;

	while (text.n) {
		const size_t part = lines ? 0 : lines_of_part(text);
		const struct span line = span_sep(&text, "\n");
		const bool ends = !span_trim(line).n;

		if (ends) {
			end_part(f, lines, shown, full);
			lines = shown = 0;
		} else {
			limit = lines ? limit : part <= small ? part : most;
			lines++;
		}
		full |= f->tokens + mcp_tokens(line) + NOTE_TOKENS > room;
		if (lines > limit || full)
			continue;
		put_line(f, line);
		shown += !ends;
	}
	end_part(f, lines, shown, full);
}

static size_t tokens_of(struct span text, size_t most, size_t small)
{
	struct fitting f = { .out = NULL };

	put_parts(&f, text, most, small, SIZE_MAX / 2);
	return f.tokens;
}

void mcp_fit(struct strbuf *out, struct span text, size_t room, bool more)
{
	size_t few = 0, many = text.n + 1; /* lines of each part: these fit, these do not */
	struct fitting f = { .out = out };
	size_t small;

	if (mcp_tokens(text) <= room && !more) {
		strbuf_add(out, text.s, text.n);
		return;
	}
	room -= min_t(size_t, room, LAST_TOKENS);
	small = tokens_of(text, FEW, SMALL) <= room ? SMALL : 0;
	if (tokens_of(text, many, small) <= room)
		few = many;
	while (few + 1 < many) {
		const size_t half = few + (many - few) / 2;

		if (tokens_of(text, half, small) <= room)
			few = half;
		else
			many = half;
	}
	put_parts(&f, text, few < FEW ? FEW : few, small, room);
	strbuf_addf(out, "left out: %s%zu line%s; tokens=N shows more, and ",
		    more ? "what follows, and " : "", f.left_out, plural(f.left_out));
	strbuf_addstr(out, "filter, top, from and to choose\n");
}
