// SPDX-License-Identifier: LGPL-2.1-only
/* Questions in a script: its title, its tables, and changes of what it shows; commands from
 * options. */
#include "lang/script_lex.h"

/* The question in the first comment, "# NAME: What ...?"; absent: it is not a question. */
struct span script_title(struct span text)
{
	struct span line;

	do
		line = span_sep(&text, "\n");
	while (span_starts(line, "#!") || span_starts(line, "# SPDX-"));
	if (!span_starts(line, "# ") || line.s[line.n - 1] != '?')
		return (struct span){ NULL, 0 };
	span_sep(&line, ":");
	return line.s ? span_trim(line) : line;
}

struct span script_kernels(const struct script_cmd *cmd)
{
	static const char word[] = "\n# Kernels:";
	const char *at = strstr(cmd->source ?: "", word);

	return at ? span_trim((struct span){ at + strlen(word), strcspn(at + strlen(word), "\n") })
		  : (struct span){ NULL, 0 };
}

/* Texts in quotes may contain newlines. */
static const char *end_of_line(const char *s)
{
	for (; *s && *s != '\n'; s++)
		if (*s == '"' || *s == '\'')
			s = strchr(s + 1, *s) ?: s;
	return s;
}

bool script_declared(const char *line, enum script_verb *verb, struct span *text)
{
	static const struct {
		const char *word;
		enum script_verb verb;
	} words[] = { { "table", SCRIPT_TABLE },
		      { "filter", SCRIPT_CHANGE },
		      { "group", SCRIPT_CHANGE } };
	const struct span word = { line, strcspn(line, " \t\n") };
	const char *end = line;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!span_eq(word, words[i].word))
			continue;
		do
			end = end_of_line(end);
		while (*end && (end[1] == ' ' || end[1] == '\t') && *++end);
		*verb = words[i].verb;
		*text = span_between(line, end);
		return true;
	}
	return false;
}

const char *script_declare(struct script_cmd *cmd, struct span text, struct arena *arena,
			   struct span *bad)
{
	struct table_text *table = arena_alloc(arena, sizeof(*table));
	struct span words = span_trim(text), word = span_sep(&words, " \t\n");

	words = words.s ? span_trim(words) : (struct span){ text.s, 0 };
	*bad = words.n ? words : text;
	cmd->path = cmd->text = "";
	if (!table)
		return NULL;
	cmd->table = cmd->verb == SCRIPT_TABLE || words.n ? table : NULL;
	if (span_eq(word, "filter"))
		*table = (struct table_text){ .parts[TABLE_FILTER] = words };
	else if (!table_text_cut(words, cmd->verb == SCRIPT_TABLE, table, bad))
		return cmd->verb == SCRIPT_TABLE
			       ? "a table is: table EVENT[,EVENT...] by KEYS [sum FIELDS] [worst FIELD "
				 "[save FIELDS]] [sort FIELDS] [if FILTER]"
			       : "this is: group by KEYS [sum FIELDS] [if FILTER]";
	return NULL;
}

int script_table(struct script *script, enum script_verb verb, const struct table_text *table,
		 const char *const *names)
{
	struct table_text *copy = arena_alloc(&script->arena, sizeof(*copy));
	struct script_cmd cmd = { .verb = verb,
				  .path = "",
				  .text = "",
				  .file = names[0],
				  .line = 1,
				  .table = table ? copy : NULL,
				  .source_names = names };
	struct strbuf sb = STRBUF_INIT;
	size_t at[N_TABLE_PARTS];

	if (!copy)
		return HIST_NOMEM;
	/* one line for each part; the last one, the filter, may have more */
	for (size_t i = 0; table && i < N_TABLE_PARTS; i++) {
		at[i] = sb.len;
		for (size_t n = 0; n < table->parts[i].n; n++) {
			const char c = table->parts[i].s[n];

			strbuf_addch(&sb, c == '\n' && i != TABLE_FILTER ? ' ' : c);
		}
		strbuf_addch(&sb, '\n');
	}
	cmd.source = arena_take(&script->arena, &sb);
	if (!cmd.source)
		return HIST_NOMEM;
	for (size_t i = 0; table && i < N_TABLE_PARTS; i++)
		copy->parts[i] = table->parts[i].s
					 ? (struct span){ cmd.source + at[i], table->parts[i].n }
					 : table->parts[i];
	return array_push(&script->cmds, cmd);
}

int script_write(struct script *script, const char *origin, const char *path, const char *text,
		 bool append)
{
	size_t len = strlen(text);
	u32 *offsets = arena_alloc(&script->arena, (len + 1) * sizeof(*offsets));
	struct script_cmd cmd = {
		.verb = SCRIPT_ECHO,
		.append = append,
		.line = 1,
		.len = len,
		.offsets = offsets,
		.path = arena_strdup(&script->arena, path),
		.text = arena_strndup(&script->arena, text, len),
		.file = arena_strdup(&script->arena, origin),
	};

	if (!offsets || !cmd.path || !cmd.text || !cmd.file)
		return HIST_NOMEM;
	for (size_t i = 0; i <= len; i++)
		offsets[i] = (u32)i;
	cmd.source = cmd.text;
	return array_push(&script->cmds, cmd);
}
