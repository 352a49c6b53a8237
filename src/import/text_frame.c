// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Frames of perf script: ADDRESS SYMBOL+0xOFFSET (FILE), indented on lines of their own, or one at
 * the end of a sample's line. Names of functions and of files may contain blanks and parentheses.
 */
#include "import/text_cut.h"
#include "import/text_line.h"

/* perf prints addresses as %16llx. */
enum { WIDTH = 16 };

static const char hex[] = "0123456789abcdef";

/* Cut " (FILE)" off the end, where parentheses in FILE come in pairs. */
static struct span cut_file(struct span *text)
{
	const struct span all = *text;
	size_t at = all.n;
	int depth = 0;

	if (!all.n || all.s[all.n - 1] != ')')
		return (struct span){ NULL, 0 };
	while (at-- > 0) {
		depth += all.s[at] == ')' ? 1 : all.s[at] == '(' ? -1 : 0;
		if (!depth)
			break;
	}
	/* one that has no other, such as operator( */
	if (depth || (at && all.s[at - 1] != ' '))
		for (at = all.n - 1; at && (all.s[at] != '(' || all.s[at - 1] != ' '); at--)
			;
	if (all.s[at] != '(')
		return (struct span){ NULL, 0 };
	*text = span_trim((struct span){ all.s, at });
	return (struct span){ all.s + at + 1, all.n - at - 2 };
}

/* Cut +0xOFFSET off the end. */
static void cut_offset(struct text_frame *f)
{
	const char *plus = span_rchr(f->symbol, '+');
	struct span rest;

	if (!plus)
		return;
	rest = span_between(plus, f->symbol.s + f->symbol.n);
	if (!take_text(&rest, "+0x") || !span_digits(rest, 16, &f->offset))
		return;
	f->symbol.n = (size_t)(plus - f->symbol.s);
}

/* Take an address of that width, which is more than a word that happens to be a number. */
static bool take_address(struct span *rest, u64 *v)
{
	struct span text = *rest, word;
	size_t blanks = take_set(&text, " ").n;

	word = take_set(&text, hex);
	if (blanks + word.n < WIDTH || !span_digits(word, 16, v) || !span_starts(text, " "))
		return false;
	*rest = span_skip(text, 1);
	return true;
}

/* What follows the address: the symbol, the file, and what else perf was asked for. */
static void read_names(struct span rest, struct text_frame *f)
{
	static const char *const ends[] = { ") => ", ")  0x", ") 0x" };
	const char *at;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		if ((at = span_find(rest, span_of(ends[i]))))
			rest.n = (size_t)(at + 1 - rest.s);
	rest = span_trim(rest);
	f->file = cut_file(&rest);
	f->inlined = span_eq(f->file, "inlined");
	f->symbol = rest;
	cut_offset(f);
}

/* Cut the last word off, and the blanks before it. */
static struct span cut_word(struct span *text)
{
	const struct span all = span_trim(*text);
	const char *blank = span_rchr(all, ' ');

	*text = blank ? span_trim(span_between(all.s, blank)) : span_of("");
	return blank ? span_between(blank + 1, all.s + all.n) : all;
}

void text_frame_off(struct span *args)
{
	struct span rest = *args, address;
	u64 v;

	cut_file(&rest);
	cut_word(&rest);
	address = cut_word(&rest);
	if (rest.n && address.n >= 4 && span_digits(address, 16, &v) &&
	    (size_t)(address.s + address.n - (rest.s + rest.n)) > WIDTH)
		args->n = (size_t)(rest.s + rest.n - args->s);
}

bool text_frame_cut(struct span line, struct text_frame *f)
{
	struct span rest = line, address;
	const size_t blanks = take_set(&rest, " \t").n;
	const bool indented = blanks > 1 || span_starts(line, "\t");

	*f = (struct text_frame){ .inlined = false };
	while (rest.n && rest.s[rest.n - 1] == '\r')
		rest.n--;
	address = take_set(&rest, hex);
	if (!span_digits(address, 16, &f->addr) || (rest.n && rest.s[0] != ' '))
		return false;
	read_names(rest, f);
	/* more than a word that happens to be a number; some copies of a text are not indented */
	return indented ? blanks + address.n >= WIDTH || address.n >= 4 || f->file.s
			: address.n >= 8 && f->file.s;
}

bool text_frame_in(struct span args, struct text_frame *f, u64 *addr)
{
	struct span rest = args, word;
	u64 first;

	*f = (struct text_frame){ .inlined = false };
	*addr = 0;
	take_set(&rest, " ");
	word = take_set(&rest, hex);
	if (word.n < 4 || !span_digits(word, 16, &first) || (rest.n && !take_text(&rest, " ")))
		return false;
	f->addr = first;
	if (take_address(&rest, &f->addr))
		*addr = first;
	read_names(rest, f);
	return true;
}
