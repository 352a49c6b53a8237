/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The script language: the part of POSIX sh that people use in the tracing directory.
 *
 *	echo [-n] WORD... > FILE	echo [-n] WORD... >> FILE	cat FILE...	cd DIR
 *
 * plus comments, blank lines, ';', '...', "...", backslash. Every accepted script means
 * the same to sh. Anything else is an error with line and column.
 *
 * A line "table ..." asks a question (table_text.h); lines after it that begin with a blank
 * continue it. "filter ..." and "group ..." change what the lines after it show. "ask" writes as
 * echo does, for a question: the text may use what kernels refuse.
 *
 * A script whose first comment is "# NAME: What ...?" and that has a table is a question with that
 * title, and so is one with a line "title What ...?": all that it writes is for it. A comment "#
 * Names: KEY NUMBER=NAME ..." has names for the numbers of a key; lines after it that begin with "#
 *    " continue it.
 *
 * Scripts of older versions have the comments "# question" at the end of an echo instead of "ask",
 * and "# questions" instead of a title.
 */
#pragma once
#include "lang/table_text.h"

enum script_verb { SCRIPT_ECHO, SCRIPT_CAT, SCRIPT_NAMES, SCRIPT_TABLE, SCRIPT_CHANGE };

/* One write, one file to show, names for the numbers of a key (only ->text), a table, a change. */
struct script_cmd {
	enum script_verb verb;
	const char *
		path; /* relative to the tracing directory, normalised: no "./", no "..", no "//" */
	bool append;  /* echo with >> */
	bool question;    /* what is written may use what kernels refuse */
	const char *text; /* what echo writes, with a newline unless -n; NUL-terminated */
	size_t len;
	const char *file;   /* name of the script */
	unsigned int line;  /* of the command's first word */
	u32 line_offset;    /* offset in the script of that line */
	const u32 *offsets; /* for each byte of text (and one past it): offset in the script; NULL:
			     none */
	u32 path_offset;    /* offset in the script of the path's word */
	const char *source; /* the whole script text, NUL-terminated, for offsets; NULL: none */
	const struct table_text *table;  /* of SCRIPT_TABLE; of SCRIPT_CHANGE, NULL: it ends */
	const char *const *source_names; /* of the lines of ->source: options; NULL: ->file */
};

struct script {
	struct arena arena;
	const char *title; /* what its only question is; "": several, or it has none; NULL: no
			      question */
	ARRAY(struct script_cmd) cmds;
};

#define SCRIPT_INIT                          \
	{                                    \
		ARENA_INIT, NULL, ARRAY_INIT \
	}

/**
 * script_parse() - append the commands of a script
 * @name: its name in messages ("wakeup.sh", "-x")
 *
 * Constructs on which shells differ cause a warning. Every script starts in the tracing directory.
 *
 * Return: 0; -HIST_EINVAL with a diagnosis for every line that is not in the language, up to a
 *         limit (the other commands are still appended); -HIST_ELIMIT if it is too long to be a
 *         script; -HIST_ENOMEM
 */
int script_parse(struct script *script, const char *name, const char *text, size_t len,
		 struct diags *diags);

/* Append one write from another source, such as -R; it is copied and is its own source text. */
int script_write(struct script *script, const char *origin, const char *path, const char *text,
		 bool append);

/*
 * Append a table, or a change, from options; NULL: the end of a change. @names: of the parts, in
 * messages. Return: 0, -HIST_ENOMEM
 */
int script_table(struct script *script, enum script_verb verb, const struct table_text *table,
		 const char *const *names);

/*
 * File, line, column and source line of a byte of the command or of what follows it in the script,
 * into @d; copied to @diags' arena.
 */
void script_locate(const struct script_cmd *cmd, u32 offset, struct diag *d, struct diags *diags);

void script_release(struct script *script);

/* The question in the first comment, "# NAME: What ...?"; absent: it is not a question. */
struct span script_title(struct span text);

/* What follows "# Kernels:" in the script of the command; absent: no such comment. */
struct span script_kernels(const struct script_cmd *cmd);

/*
 * Whether a line, with those that continue it, is a table or a change. @text: set to these lines,
 * without the last newline
 */
bool script_declared(const char *line, enum script_verb *verb, struct span *text);

/* Complete its command; what is wrong with the lines and where, or NULL. */
const char *script_declare(struct script_cmd *cmd, struct span text, struct arena *arena,
			   struct span *bad);
