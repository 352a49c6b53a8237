// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Token recognition and quote removal of the shell (POSIX XCU 2.2, 2.3 and 2.6.7).
 *
 * Splits the text of a script into words, redirections and line ends. Invariant: a word delivered
 * without an error is the word that dash, bash and any other POSIX shell would pass on; wherever a
 * shell would expand something, or shells differ, there is an error at that character.
 *
 * At most one error is reported per line, so that the rest of a bad line does not cause more; its
 * words are still read to their ends.
 */
#include "lang/script_lex.h"

enum { MAX_WARNINGS = 20 };

void lex_say(struct lex *lx, enum diag_level level, u32 at, size_t len, const char *text)
{
	struct diag *d;

	if (lx->muted || (level == DIAG_WARNING && lx->n_warnings++ >= MAX_WARNINGS))
		return;
	d = diags_add(lx->diags, level, "%s", text);
	if (!d) {
		lx->nomem = true;
		return;
	}
	d->len = len;
	script_locate(&lx->where, at, d, lx->diags);
}

void lex_error(struct lex *lx, u32 at, size_t len, const char *fmt, ...)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	va_list ap;

	if (lx->muted)
		return;
	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	lex_say(lx, DIAG_ERROR, at, len, sb.s);
	lx->muted = true;
	lx->n_errors++;
}

void lex_release(struct lex *lx)
{
	strbuf_release(&lx->text);
	array_release(&lx->offsets);
}

/* The character @ahead of the cursor; at the end NUL, which a script cannot contain. */
static char peek(const struct lex *lx, u32 ahead)
{
	return ahead < lx->len - lx->at ? lx->where.source[lx->at + ahead] : '\0';
}

/* ASCII only, unlike base/ctype.h. */
static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool ends_word(char c)
{
	return is_blank(c) || (c == '\0' || strchr("\n;&|<>()", c));
}

/* Append the character under the cursor to the word. */
static void word_add(struct lex *lx)
{
	strbuf_addch(&lx->text, peek(lx, 0));
	if (array_push(&lx->offsets, lx->at))
		lx->nomem = true;
	lx->at++;
}

/* A `$` outside '...': literal only before a character that starts no expansion in any shell. */
static void read_dollar(struct lex *lx, bool quoted)
{
	char next = peek(lx, 1);
	u32 name = 0; /* its length */

	while (is_name(peek(lx, name + 1)) || is_digit(peek(lx, name + 1)))
		name++;
	if (is_digit(next) || (next && strchr("@*#?-!", next)))
		lex_error(lx, lx->at, 2,
			  "a shell would replace $%c: use single quotes, '...$%c...'", next, next);
	else if (next == '$')
		lex_error(lx, lx->at, 2,
			  "a shell would put its process id in place of '$$': "
			  "use single quotes");
	else if (name)
		lex_error(lx, lx->at, name + 1,
			  "a shell would replace $%.*s, most likely by nothing: "
			  "use single quotes, '...$%.*s...'",
			  (int)min_t(u32, name, 64), lx->where.source + lx->at + 1,
			  (int)min_t(u32, name, 64), lx->where.source + lx->at + 1);
	else if (next == '(')
		lex_error(lx, lx->at, 2,
			  "'$(' starts a command substitution, which is not part of a script: "
			  "use single quotes if it is meant literally");
	else if (next && strchr("{[", next))
		lex_error(lx, lx->at, 2,
			  "'$%c' starts an expansion: use single quotes if it is meant "
			  "literally",
			  next);
	else if (next == '\\' && peek(lx, 2) == '\n')
		lex_error(lx, lx->at, 1, "'$' at the end of the line: move it to the next line");
	else if (!quoted && next && strchr("'\"", next))
		lex_error(lx, lx->at, 2, "shells differ on '$%c': put the '$' in single quotes",
			  next);
	word_add(lx);
}

static void read_backquote(struct lex *lx)
{
	lex_error(lx, lx->at, 1,
		  "a backquote starts a command substitution, which is not part of a script: "
		  "use single quotes if it is meant literally");
	word_add(lx);
}

/* At the closing quote of the one at @open, or at the end of the script. */
static void end_quotes(struct lex *lx, u32 open)
{
	char c = lx->where.source[open];

	if (peek(lx, 0)) {
		if (!lx->spanning && memchr(lx->where.source + open, '\n', lx->at - open))
			lx->spanning = open + 1;
		lx->at++;
		return;
	}
	/* the mistake may be an earlier quote */
	if (lx->spanning && lx->spanning - 1 < open && !lx->muted)
		lex_say(lx, DIAG_NOTE, lx->spanning - 1, 1,
			"this quoted text continues past the end of its line; is a quote missing here?");
	lex_error(lx, open, 1, "unterminated %s quote: a closing %c is missing",
		  c == '"' ? "double" : "single", c);
}

static void read_single_quotes(struct lex *lx)
{
	u32 open = lx->at++;

	while (peek(lx, 0) && peek(lx, 0) != '\'')
		word_add(lx);
	end_quotes(lx, open);
}

static void read_double_quotes(struct lex *lx)
{
	u32 open = lx->at++;
	char c;

	while ((c = peek(lx, 0)) && c != '"') {
		if (c == '\\' && peek(lx, 1) == '\n') {
			lx->at += 2;
		} else if (c == '\\' && peek(lx, 1) && strchr("$`\"\\", peek(lx, 1))) {
			lx->at++;
			word_add(lx);
		} else if (c == '$') {
			read_dollar(lx, true);
		} else if (c == '`') {
			read_backquote(lx);
		} else {
			word_add(lx);
		}
	}
	end_quotes(lx, open);
}

static void read_backslash(struct lex *lx)
{
	if (peek(lx, 1) == '\n') {
		lx->at += 2;
	} else if (!peek(lx, 1)) {
		lex_error(lx, lx->at, 1, "a backslash at the end of the script");
		lx->at++;
	} else {
		lx->at++;
		word_add(lx);
	}
}

/* What the unquoted characters of a word have shown so far. */
struct unquoted {
	bool bracket; /* a [ that may start a pattern */
	bool brace;   /* a { that bash may expand */
	bool comma;   /* followed by a , or .. */
	bool name;    /* only NAME so far */
	char before;  /* the preceding unquoted character; NUL: none, or it was quoted */
	u32 brace_at;
};

/* Process an unquoted ordinary character: check whether a shell would interpret it. */
static void read_plain(struct lex *lx, struct unquoted *u)
{
	char c = peek(lx, 0);

	if (c == '~' && (!lx->offsets.n || u->before == '=' || u->before == ':'))
		lex_error(lx, lx->at, 1,
			  "a shell would take '~' for a home directory: quote it, '~'");
	if (c == '*' || c == '?' || (c == ']' && u->bracket))
		lx->word.glob = true;
	if (c == '[')
		u->bracket = true;
	if (c == '{' && !u->brace) {
		u->brace = true;
		u->brace_at = lx->at;
	}
	if (u->brace && (c == ',' || (c == '.' && u->before == '.')))
		u->comma = true;
	if (c == '}' && u->comma)
		lex_error(lx, u->brace_at, lx->at + 1 - u->brace_at,
			  "bash would expand the braces: quote them");
	if (c == '=' && u->name && lx->offsets.n)
		lx->word.assignment = true;
	if (!is_name(c) && !(is_digit(c) && lx->offsets.n))
		u->name = false;
	u->before = c;
	word_add(lx);
}

/*
 * Digits directly before a redirection name a file descriptor, as in 2>; in bash {NAME} does, too.
 * Shells ignore a backslash-newline in between.
 */
static void check_io_number(struct lex *lx)
{
	const char *s = lx->where.source;
	u32 start = lx->word.start, len = lx->at - start;
	char c = peek(lx, 0);
	bool number = true;

	if (c != '<' && c != '>')
		return;
	for (u32 i = start; i < lx->at; i++) {
		if (s[i] == '\\' && s[i + 1] == '\n')
			i++;
		else if (!is_digit(s[i]))
			number = false;
	}
	if (number || (s[start] == '{' && lx->text.len && lx->text.s[lx->text.len - 1] == '}'))
		lex_error(lx, start, len + 1,
			  "a shell takes '%.*s%c' for the redirection of a file "
			  "descriptor: put a space before the '%c'",
			  (int)min_t(u32, len, 64), s + start, c, c);
}

static enum token read_word(struct lex *lx)
{
	struct unquoted u = { .name = true };
	char c;
	struct word *w;
	u32 *offsets;

	strbuf_reset(&lx->text);
	lx->offsets.n = 0;
	lx->word = (struct word){ .start = lx->at };
	while (!ends_word(c = peek(lx, 0)) && !lx->nomem) {
		if (c != '\'' && c != '"' && c != '\\' && c != '$' && c != '`') {
			read_plain(lx, &u);
			continue;
		}
		if (c != '\\' || peek(lx, 1) != '\n') {
			u.before = '\0';
			u.name = false;
		}
		if (c == '\'')
			read_single_quotes(lx);
		else if (c == '"')
			read_double_quotes(lx);
		else if (c == '\\')
			read_backslash(lx);
		else if (c == '$')
			read_dollar(lx, false);
		else
			read_backquote(lx);
	}
	check_io_number(lx);
	w = &lx->word;
	offsets = arena_alloc(lx->arena, (lx->offsets.n + 1) * sizeof(*offsets));
	w->end = lx->at;
	w->len = lx->text.len;
	w->text = arena_strndup(lx->arena, lx->text.s, lx->text.len);
	if (!offsets || !w->text || lx->text.failed || lx->nomem) {
		lx->nomem = true;
		return TOKEN_END;
	}
	if (lx->offsets.n)
		memcpy(offsets, lx->offsets.v, lx->offsets.n * sizeof(*offsets));
	offsets[lx->offsets.n] = lx->at;
	w->offsets = offsets;
	return TOKEN_WORD;
}

/*
 * In scripts of older versions, "# question" is "ask" for the command before it; strchr() finds the
 * NUL at the end, too. A root prompt pasted with the command turns the command into a comment.
 */
static void skip_comment(struct lex *lx)
{
	const char *s = lx->where.source, *p = s + lx->at + 1;
	u32 before = lx->at;

	while (before && is_blank(s[before - 1]))
		before--;
	while (is_blank(*p))
		p++;
	if ((!before || s[before - 1] == '\n') && p > s + lx->at + 1 &&
	    (!strncmp(p, "echo", 4) || !strncmp(p, "cat", 3)) && ends_word(p[*p == 'e' ? 4 : 3]))
		lex_say(lx, DIAG_WARNING, lx->at, 1,
			"this line is a comment; if the '#' was the prompt of a root shell, remove it");
	lx->where.question |= !strncmp(p, "question", 8) &&
			      strchr("\n", p[8 + strspn(p + 8, " \t")]);
	while (peek(lx, 0) && peek(lx, 0) != '\n')
		lx->at++;
}

static void skip_blanks(struct lex *lx)
{
	for (;;) {
		if (is_blank(peek(lx, 0)))
			lx->at++;
		else if (peek(lx, 0) == '\\' && peek(lx, 1) == '\n')
			lx->at += 2;
		else if (peek(lx, 0) == '#')
			skip_comment(lx);
		else
			return;
	}
}

static enum token read_unknown(struct lex *lx)
{
	char c = peek(lx, 0);

	if (c == '|')
		lex_error(lx, lx->at, 1, "pipes are not part of a script: write echo TEXT > FILE");
	else if (c == '&')
		lex_error(lx, lx->at, 1,
			  "'&' is not part of a script: write one command per line, or use "
			  "';'; quote it if it is meant literally");
	else if (c == '<' && peek(lx, 1) == '<')
		lex_error(lx, lx->at, 2,
			  "here-documents are not part of a script: write echo TEXT > FILE");
	else
		lex_error(lx, lx->at, 1,
			  "'%c' is not part of a script: quote it if it is meant literally", c);
	/* the lines of a here-document are not commands */
	if (c == '<' && peek(lx, 1) == '<')
		lx->at = lx->len;
	else
		lx->at++;
	return TOKEN_BAD;
}

enum token lex_next(struct lex *lx)
{
	char next;

	skip_blanks(lx);
	next = peek(lx, 1);
	switch (peek(lx, 0)) {
	case '\0':
		return TOKEN_END;
	case '\n':
		lx->at++;
		return TOKEN_NEWLINE;
	case ';':
		lx->at++;
		return TOKEN_SEMICOLON;
	case '>':
		if (next != '&' && next != '|') {
			lx->at += next == '>' ? 2 : 1;
			return next == '>' ? TOKEN_APPEND : TOKEN_TRUNCATE;
		}
		lex_error(lx, lx->at, 2, "'>%c' is not part of a script: use > FILE or >> FILE",
			  next);
		lx->at += 2;
		return TOKEN_BAD;
	case '&':
	case '|':
	case '<':
	case '(':
	case ')':
		return read_unknown(lx);
	default:
		return read_word(lx);
	}
}
