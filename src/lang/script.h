/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * The script language: the part of POSIX sh that people use in the tracing directory.
 *
 *	echo [-n] WORD... > FILE	echo [-n] WORD... >> FILE	cat FILE...	cd DIR
 *
 * plus comments, blank lines, ';', '...', "...", backslash. Every accepted script means
 * the same to sh. Anything else is an error with line and column.
 *
 * The comment "# question" at the end of a command marks it, "# questions" all of them, so that
 * stored scripts and results keep the mark. So does "# Names: KEY NUMBER=NAME ..." with names for
 * the numbers of a key; lines after it that begin with "#    " continue it.
 */
#ifndef HIST_LANG_SCRIPT_H
#define HIST_LANG_SCRIPT_H

#include "base/base.h"

enum script_verb { SCRIPT_ECHO, SCRIPT_CAT, SCRIPT_NAMES };

/* One write, one file to show, or names for the numbers of a key: only ->text is set then. */
struct script_cmd {
	enum script_verb verb;
	const char *
		path; /* relative to the tracing directory, normalised: no "./", no "..", no "//" */
	bool append;  /* echo with >> */
	bool question;    /* of a recipe, --by or --sql: may use what kernels refuse */
	const char *text; /* what echo writes, with a newline unless -n; NUL-terminated */
	size_t len;
	const char *file;   /* name of the script */
	unsigned int line;  /* of the command's first word */
	u32 line_place;     /* offset in the script of that line */
	const u32 *place;   /* for each byte of text (and one past it): offset in the script; NULL:
			       none */
	u32 path_place;     /* offset in the script of the path's word */
	const char *source; /* the whole script text, NUL-terminated, for place; NULL: none */
};

struct script {
	struct arena arena;
	ARRAY(struct script_cmd) cmds;
};

#define SCRIPT_INIT                    \
	{                              \
		ARENA_INIT, ARRAY_INIT \
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
 * File, line, column and source line of a byte of the command or of what follows it in the script,
 * into @d; copied to @diags' arena.
 */
void script_place(const struct script_cmd *cmd, u32 offset, struct diag *d, struct diags *diags);

void script_release(struct script *script);

#endif
