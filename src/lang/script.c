// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The script language: parses the statements of a shell script into writes and reads of tracing
 * files.
 *
 * There is one struct script_cmd per echo and per operand of cat, with paths relative to the
 * tracing directory. Invariant: an accepted script means the same to every POSIX shell that is
 * started in the tracing directory; doubtful constructs are errors, or warnings where people rely
 * on one reading.
 */
#include "lang/script_lex.h"

enum {
	MAX_ERRORS = 20,        /* errors reported for one script */
	MAX_SCRIPT = 4 << 20,   /* bytes */
	MAX_SOURCE_LINE = 1000, /* of a line shown below a message */
};

#define KNOWN_COMMANDS                                                                                  \
	"a script can contain only echo WORD... > FILE, echo WORD... >> FILE, cat FILE..., cd DIR and " \
	"table EVENT by KEYS"

/* One simple command: its words and the target of its output. */
struct statement {
	ARRAY(struct word) words;
	struct word target; /* text NULL: no redirection */
	bool append;
	bool bad;
	u32 start; /* offset of its first token */
};

static const char title_word[] = "title ";

struct script_parser {
	bool questions; /* all commands are */
	struct script *script;
	struct lex lx;
	const char *cwd;   /* normalised, "" for the tracing directory */
	unsigned int line; /* line of the last counted offset; offsets only increase */
	u32 counted;
	bool warned_backslash;
};

/* --- paths --- */

/* The part of an absolute path below the tracing directory; NULL if the path is outside it. */
static const char *below_tracing(const char *path)
{
	static const char *const roots[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

	for (size_t i = 0; i < ARRAY_SIZE(roots); i++) {
		size_t n = strlen(roots[i]);

		if (!strncmp(path, roots[i], n) && (path[n] == '/' || !path[n]))
			return path + n;
	}
	return NULL;
}

/* Append @path to the normalised @out, component by component; false if it leaves the directory. */
static bool path_append(struct strbuf *out, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && path[0] == '.' && path[1] == '.') {
			char *slash = out->len ? strrchr(out->s, '/') : NULL;

			if (!out->len)
				return false;
			strbuf_cut(out, slash ? (size_t)(slash - out->s) : 0);
		} else if (n && !(n == 1 && path[0] == '.')) {
			strbuf_addstr(out, out->len ? "/" : "");
			strbuf_add(out, path, n);
		}
		path += n;
		path += *path == '/';
	}
	return true;
}

/* Whether a path can only name a directory, whatever exists. */
static bool names_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;

	return !*last || !strcmp(last, ".") || !strcmp(last, "..");
}

/* @w as a path relative to the tracing directory; NULL with an error. */
static const char *resolve(struct script_parser *p, const struct word *w, bool directory)
{
	struct lex *lx = &p->lx;
	const char *path = w->text, *below = below_tracing(path), *result = NULL;
	size_t len = w->end - w->start;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;

	if (!below)
		strbuf_addstr(&sb, p->cwd);
	if (!*path)
		lex_error(lx, w->start, len, "the file name is empty");
	else if (w->glob)
		lex_error(lx, w->start, len, "a file name contains a pattern: write each name out");
	else if (*path == '/' && !below)
		lex_error(lx, w->start, len,
			  "a path is relative to the tracing directory, or begins with "
			  "/sys/kernel/tracing/ or /sys/kernel/debug/tracing/");
	else if (!path_append(&sb, below ? below : path) && !sb.failed)
		lex_error(lx, w->start, len, "this path leaves the tracing directory");
	else if (!sb.failed && !directory && (names_directory(below ? below : path) || !sb.len))
		lex_error(lx, w->start, len, "this is a directory; a file name is needed");
	else if (sb.failed || !(result = arena_strndup(p->lx.arena, sb.s, sb.len)))
		lx->nomem = true;
	return result;
}

/* --- statements --- */

static unsigned int line_of(struct script_parser *p, u32 offset)
{
	const char *s = p->lx.where.source, *nl;

	while ((nl = memchr(s + p->counted, '\n', offset - p->counted))) {
		p->counted = (u32)(nl - s) + 1;
		p->line++;
	}
	return p->line;
}

static struct script_cmd *add_cmd(struct script_parser *p, const struct statement *st,
				  const struct word *path)
{
	struct script_cmd cmd = p->lx.where;
	const char *resolved = resolve(p, path, false);

	if (!resolved)
		return NULL;
	cmd.line = line_of(p, st->start);
	cmd.line_offset = p->counted;
	cmd.path = resolved;
	cmd.path_offset = path->start;
	if (array_push(&p->script->cmds, cmd)) {
		p->lx.nomem = true;
		return NULL;
	}
	return &p->script->cmds.v[p->script->cmds.n - 1];
}

/* An option of bash's echo that other shells print as text: -e, -E and any bundle with n. */
static bool is_bash_option(const char *word)
{
	return word[0] == '-' && word[1] && !word[1 + strspn(word + 1, "neE")];
}

/* The expansion of a pattern depends on the files that exist. */
static void check_pattern(struct script_parser *p, const struct word *w)
{
	static const char in_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789_.-/*?[]!";
	u32 len = w->end - w->start;

	if (w->text[strspn(w->text, in_names)])
		return; /* no tracing file has a name that matches */
	if (w->text[strspn(w->text, "*")])
		lex_say(&p->lx, DIAG_WARNING, w->start, len,
			"taken literally; a shell would look for files that match: quote it");
	else
		lex_error(&p->lx, w->start, len,
			  "a shell would replace '%.64s' by all file names: quote it", w->text);
}

/*
 * POSIX leaves a backslash in echo's text undefined: dash takes \n for a new line, bash does not.
 */
static void check_backslash(struct script_parser *p, const struct word *w)
{
	const char *bs = memchr(w->text, '\\', w->len);

	if (!bs || p->warned_backslash)
		return;
	lex_say(&p->lx, DIAG_WARNING, w->offsets[bs - w->text], 1,
		"echo gets a backslash, which shells treat differently; it is taken literally, as bash does");
	p->warned_backslash = true;
}

/* Typographic quotes, as word processors and web pages put them in place of ' and ". */
static void check_quotes(struct script_parser *p, const struct word *w)
{
	const char *c = w->text;

	while ((c = strstr(c, "\342\200"))) {
		if (c[2] >= '\230' && c[2] <= '\235') {
			lex_say(&p->lx, DIAG_WARNING, w->offsets[c - w->text], 3,
				"a shell takes a typographic quote literally; use ' or \"");
			return;
		}
		c += 2;
	}
}

/* The words from @first, joined by single spaces, with the script offset of each byte. */
static void join_words(struct script_parser *p, const struct statement *st, size_t first,
		       bool newline, struct script_cmd *cmd)
{
	u32 end = st->words.v[st->words.n - 1].end;
	size_t room = 2, n = 0;
	char *text;
	u32 *offsets;

	for (size_t i = first; i < st->words.n; i++)
		room += st->words.v[i].len + 1;
	text = arena_alloc(p->lx.arena, room);
	offsets = arena_alloc(p->lx.arena, room * sizeof(*offsets));
	if (!text || !offsets) {
		p->lx.nomem = true;
		return;
	}
	for (size_t i = first; i < st->words.n; i++) {
		const struct word *w = &st->words.v[i];

		if (i > first) {
			offsets[n] = w[-1].end;
			text[n++] = ' ';
		}
		memcpy(text + n, w->text, w->len);
		memcpy(offsets + n, w->offsets, w->len * sizeof(*offsets));
		n += w->len;
	}
	offsets[n] = end;
	if (newline)
		text[n++] = '\n';
	offsets[n] = end;
	cmd->text = text;
	cmd->offsets = offsets;
	cmd->len = n;
}

static void do_echo(struct script_parser *p, const struct statement *st)
{
	const struct word *w = st->words.v;
	bool newline = st->words.n == 1 || strcmp(w[1].text, "-n");
	size_t first = newline ? 1 : 2;
	const bool ask = !strcmp(w->text, "ask");
	struct script_cmd *cmd;

	if (!st->target.text) {
		lex_error(&p->lx, w->start, w->end - w->start, "%s needs > FILE or >> FILE",
			  w->text);
		return;
	}
	if (!ask && st->words.n > first && is_bash_option(w[first].text))
		lex_error(&p->lx, w[first].start, w[first].end - w[first].start,
			  "shells differ on echo %.64s: use only one -n, as the first word",
			  w[first].text);
	for (size_t i = first; i < st->words.n && !ask; i++) {
		if (w[i].glob)
			check_pattern(p, &w[i]);
		check_backslash(p, &w[i]);
		check_quotes(p, &w[i]);
	}
	if (p->lx.muted)
		return;
	cmd = add_cmd(p, st, &st->target);
	if (!cmd)
		return;
	cmd->verb = SCRIPT_ECHO;
	cmd->question |= ask;
	cmd->append = st->append;
	join_words(p, st, first, newline, cmd);
}

static bool refuse_redirection(struct script_parser *p, const struct statement *st)
{
	if (st->target.text)
		lex_error(&p->lx, st->target.start, st->target.end - st->target.start,
			  "the output of %s cannot be redirected in a script", st->words.v[0].text);
	return st->target.text;
}

static void do_cat(struct script_parser *p, const struct statement *st)
{
	const struct word *w = st->words.v;

	if (refuse_redirection(p, st))
		return;
	if (st->words.n == 1)
		lex_error(&p->lx, w->start, w->end - w->start, "cat needs a file name");
	for (size_t i = 1; i < st->words.n; i++) {
		struct script_cmd *cmd;

		if (w[i].text[0] == '-') {
			lex_error(&p->lx, w[i].start, w[i].end - w[i].start,
				  "cat takes neither options nor standard input in a script");
			return;
		}
		cmd = add_cmd(p, st, &w[i]);
		if (!cmd)
			return;
		cmd->verb = SCRIPT_CAT;
	}
}

static void do_cd(struct script_parser *p, const struct statement *st)
{
	const struct word *w = st->words.v;
	const char *dir;

	if (refuse_redirection(p, st))
		return;
	if (st->words.n != 2 || w[1].text[0] == '-') {
		lex_error(&p->lx, w->start, w->end - w->start, "cd takes one directory");
		return;
	}
	dir = resolve(p, &w[1], true);
	if (dir)
		p->cwd = dir;
}

static void unknown_command(struct script_parser *p, const struct word *w)
{
	const char *last = w->len ? &w->text[w->len - 1] : "";
	u32 len = w->end - w->start;

	if (w->assignment)
		lex_error(&p->lx, w->start, len,
			  "a script has no variables: write the value where it is used");
	else if (*last == '$' || (*last == '#' && w->len > 1))
		lex_error(&p->lx, w->start, len,
			  "'%.64s' looks like the prompt of a shell: remove it", w->text);
	else
		lex_error(&p->lx, w->start, len, "'%.64s' is not a command of a script: %s",
			  w->text, KNOWN_COMMANDS);
}

static void run_statement(struct script_parser *p, const struct statement *st)
{
	const struct word *w = st->words.v;

	if (st->bad || p->lx.muted)
		return;
	if (!st->words.n)
		lex_error(&p->lx, st->start, 1,
			  "a redirection without a command: write echo > FILE");
	else if (w->assignment)
		unknown_command(p, w);
	else if (!strcmp(w->text, "echo") || !strcmp(w->text, "ask"))
		do_echo(p, st);
	else if (!strcmp(w->text, "cat"))
		do_cat(p, st);
	else if (!strcmp(w->text, "cd"))
		do_cd(p, st);
	else
		unknown_command(p, w);
}

/* The file after > or >>. */
static void read_target(struct script_parser *p, struct statement *st, bool append)
{
	struct lex *lx = &p->lx;
	u32 at = lx->at - 1, resume = lx->at;
	enum token t = lex_next(lx);

	if (t != TOKEN_WORD) {
		lex_error(lx, at, 1, "a file name is missing after '>'");
		if (t != TOKEN_END)
			lx->at = resume; /* the line end belongs to the statement */
		st->bad = true;
		return;
	}
	if (st->target.text)
		lex_error(lx, lx->word.start, lx->word.end - lx->word.start,
			  "a second redirection: a shell would open both files, and write to one");
	st->target = lx->word;
	st->append = append;
}

/* Read the tokens of one statement; returns the one that ended it. */
static enum token read_statement(struct script_parser *p, struct statement *st)
{
	struct lex *lx = &p->lx;
	bool started = false;

	for (;;) {
		enum token t = lex_next(lx);

		if (t == TOKEN_END || t == TOKEN_NEWLINE)
			return t;
		if (t == TOKEN_SEMICOLON) {
			if (!started)
				lex_error(lx, lx->at - 1, 1, "a command is missing before ';'");
			return t;
		}
		if (!started)
			st->start = t == TOKEN_WORD ? lx->word.start
						    : lx->at - (t == TOKEN_APPEND ? 2 : 1);
		started = true;
		if (t == TOKEN_TRUNCATE || t == TOKEN_APPEND)
			read_target(p, st, t == TOKEN_APPEND);
		else if (t == TOKEN_BAD)
			st->bad = true;
		else if (array_push(&st->words, lx->word))
			lx->nomem = true;
		if (lx->nomem)
			return TOKEN_END;
	}
}

/* Whether a table or a change is next, which has lines of its own; it is read then. */
static bool read_declared(struct script_parser *p)
{
	struct lex *lx = &p->lx;
	const char *line = lx->where.source + lx->at;
	struct script_cmd cmd = lx->where;
	struct span text, bad;
	const char *why;

	if (lx->at && line[-1] != '\n')
		return false;
	if (!strncmp(line, title_word, strlen(title_word))) {
		lx->at += (u32)strcspn(line, "\n");
		return true;
	}
	if (!script_declared(line, &cmd.verb, &text))
		return false;
	cmd.line = line_of(p, lx->at);
	cmd.line_offset = p->counted;
	lx->at = (u32)(text.s + text.n - lx->where.source);
	why = script_declare(&cmd, text, lx->arena, &bad);
	if (why)
		lex_error(lx, (u32)(bad.s - cmd.source), bad.n, "%s", why);
	else if (lx->arena->failed || array_push(&p->script->cmds, cmd))
		lx->nomem = true;
	return true;
}

static void read_statements(struct script_parser *p)
{
	struct statement st = { .words = ARRAY_INIT };
	enum token end;

	do {
		if (read_declared(p)) {
			end = TOKEN_NEWLINE;
			continue;
		}
		st.words.n = 0;
		st.target = (struct word){ .text = NULL };
		st.bad = false;
		p->lx.where.question = p->questions;
		end = read_statement(p, &st);
		if (st.words.n || st.target.text)
			run_statement(p, &st);
		if (end == TOKEN_NEWLINE)
			p->lx.muted = false;
	} while (end != TOKEN_END && p->lx.n_errors < MAX_ERRORS && !p->lx.nomem);
	if (end != TOKEN_END && p->lx.n_errors >= MAX_ERRORS)
		diags_add(p->lx.diags, DIAG_NOTE, "%s: too many errors; the rest was not checked",
			  p->lx.where.file);
	array_release(&st.words);
}

/* --- a whole script --- */

/* Check the bytes of the script, independently of their meaning; true if they are valid. */
static bool check_bytes(struct lex *lx)
{
	const char *s = lx->where.source;
	const char *nul = memchr(s, '\0', lx->len), *crlf = strstr(s, "\r\n");

	if (lx->len >= 3 && !memcmp(s, "\357\273\277", 3))
		lex_error(lx, 0, 3, "the script begins with a byte order mark: remove it");
	else if (nul)
		lex_error(lx, (u32)(nul - s), 1,
			  "the text contains a NUL byte: this is not a script");
	else if (crlf)
		lex_error(lx, (u32)(crlf - s), 1,
			  "the line ends in CR LF, and a shell would take the CR literally: "
			  "remove it, as with sed 's/\\r$//'");
	if (nul && lx->diags->list.n)
		lx->diags->list.v[lx->diags->list.n - 1].source = NULL; /* nothing to look at */
	return !lx->n_errors;
}

/* Two questions have no common title. */
static int set_title(struct script *script, struct span title)
{
	script->title = script->title ? "" : arena_strndup(&script->arena, title.s, title.n);
	return script->title ? 0 : HIST_NOMEM;
}

/* The comments with names, in front of the commands, and that about all of these; the title. */
static int read_comments(struct script_parser *p)
{
	struct script *script = p->script;
	const struct lex *lx = &p->lx;
	static const char first[] = "# Names: ", more[] = "#    ";
	struct span rest = { lx->where.source, lx->len }, line = span_sep(&rest, "\n");
	struct span title = script_title((struct span){ lx->where.source, lx->len });
	const bool headed = title.n;
	int err = title.n ? set_title(script, title) : 0;

	while (line.s && !err) {
		struct script_cmd cmd = { .verb = SCRIPT_NAMES,
					  .path = "",
					  .file = lx->where.file };
		bool names = span_starts(line, first);
		scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;

		p->questions |= span_eq(line, "# questions") ||
				(headed && span_starts(line, "table "));
		if (span_starts(line, title_word)) {
			const struct span words = span_trim(span_skip(line, strlen(title_word)));

			p->questions = true;
			err = span_same(words, title) ? 0 : set_title(script, words);
			title = words;
		}
		if (names)
			line = span_skip(line, sizeof(first) - 1);
		do {
			line = span_trim(line);
			strbuf_addf(&sb, "%s%.*s", sb.len ? " " : "", (int)line.n, line.s);
			line = span_sep(&rest, "\n");
			if (names && span_starts(line, more))
				line = span_skip(line, sizeof(more) - 1);
			else
				break;
		} while (line.s);
		if (names) {
			cmd.len = sb.len;
			cmd.text = sb.failed ? NULL : arena_strndup(&script->arena, sb.s, sb.len);
			err = cmd.text ? array_push(&script->cmds, cmd) : HIST_NOMEM;
		}
	}
	return err;
}

int script_parse(struct script *script, const char *name, const char *text, size_t len,
		 struct diags *diags)
{
	struct script_parser p = { .script = script, .cwd = "", .line = 1 };
	struct lex *lx = &p.lx;

	if (len > MAX_SCRIPT)
		return diags_error(diags, -HIST_ELIMIT,
				   "%s: longer than %d MiB: this is not a script", name,
				   MAX_SCRIPT >> 20);
	*lx = (struct lex){ .arena = &script->arena,
			    .diags = diags,
			    .len = (u32)len,
			    .text = STRBUF_INIT,
			    .offsets = ARRAY_INIT };
	lx->where.line = 1;
	lx->where.file = arena_strdup(&script->arena, name);
	lx->where.source = arena_strndup(&script->arena, text, len);
	if (!lx->where.file || !lx->where.source)
		return HIST_NOMEM;
	if (check_bytes(lx)) {
		lx->nomem = read_comments(&p) != 0;
		read_statements(&p);
	}
	lex_release(lx);
	if (lx->nomem)
		return HIST_NOMEM;
	return lx->n_errors ? -HIST_EINVAL : 0;
}

void script_locate(const struct script_cmd *cmd, u32 offset, struct diag *d, struct diags *diags)
{
	const char *s = cmd->source, *start = s, *nl;
	size_t len;

	d->file = arena_strdup(&diags->arena, cmd->file);
	d->line = cmd->line;
	d->col = 0;
	if (!s)
		return;
	start += cmd->line_offset;
	while ((nl = memchr(start, '\n', (size_t)(s + offset - start)))) {
		start = nl + 1;
		d->line++;
	}
	if (cmd->source_names) {
		d->line = min_t(u32, d->line, N_TABLE_PARTS);
		d->file = arena_strdup(&diags->arena, cmd->source_names[d->line - 1]);
		d->line = 1;
	}
	d->col = (unsigned int)(s + offset - start) + 1;
	len = strcspn(start, "\n");
	if (len <= MAX_SOURCE_LINE)
		d->source = arena_strndup(&diags->arena, start, len);
}

void script_release(struct script *script)
{
	array_release(&script->cmds);
	arena_release(&script->arena);
}
