/* SPDX-License-Identifier: GPL-2.0-only */
/* The script of `hist record`, from -R, --by, -S and --synth, which is stored in the file. */
#ifndef HIST_CMD_RECORD_SCRIPT_H
#define HIST_CMD_RECORD_SCRIPT_H

#include "cmd/cmd.h"
#include "record/record.h"

enum { RECORD_SCRIPT_SYNTH = CMD_SCRIPT_SYNTH };

/* A part of the script, in command-line order. */
struct record_script_piece {
	int key;           /* 'R', 'S', RECORD_SCRIPT_SYNTH, CMD_SCRIPT_SQL ... */
	const char *text;  /* its argument: for S a file name */
	const char *event; /* of -R, and of --by and --sum after -e */
	struct span file;  /* of S: the text of the file */
};

/* An event with live histograms. */
struct record_gate {
	const char *event; /* "sched:sched_switch" */
	const char *file;  /* files to print in the end */
	bool free;         /* never paused: counts only between the marks, or cannot be */
	bool starts;       /* enabled at the first mark */
};

struct record_script {
	struct record_plan *plan; /* to be completed here */
	struct arena arena;
	ARRAY(struct record_script_piece) pieces;
	recipe_defines defines;
	ARRAY(const char *) defined; /* synthetic events of the script */
	bool explain;
	ARRAY(struct record_event) events; /* the events of -e, and those that the script needs */
	ARRAY(struct record_probe) probes;
	struct strbuf text; /* all pieces as lines of the script language */
	const char *clock;  /* options that a line of the script sets */

	/* with plan->live, see record_live.c */
	ARRAY(struct record_gate) gates;
	ARRAY(struct record_write) live;
	ARRAY(const char *) live_files;
	struct strbuf live_text;
};

#define RECORD_SCRIPT_INIT                                                          \
	{                                                                           \
		.arena = ARENA_INIT, .pieces = ARRAY_INIT, .events = ARRAY_INIT,    \
		.probes = ARRAY_INIT, .defines = ARRAY_INIT, .defined = ARRAY_INIT, \
		.text = STRBUF_INIT                                                 \
	}

/**
 * record_script_plan() - read the scripts, and plan the probes and events that must exist before
 * they are checked
 *
 * Return: 0, -HIST_EREJECTED if a line is not in the language, another code for trouble
 */
int record_script_plan(struct record_script *rs, struct diags *diags);

/*
 * Check the script with the events of this machine, and add what it needs to the plan; this is
 * ->resolve of the plan, with the script as its argument.
 */
int record_script_resolve(void *arg, const char *machine, struct diags *diags);

/* Append echo 'TEXT' >> FILE, quoted for a shell. */
void record_script_line(struct strbuf *out, const char *file, const char *text,
			enum hist_write_mode mode);

/* --live: plan the triggers of @script for the kernel. */
int record_live_plan(struct record_script *rs, const struct hist_script *script,
		     struct diags *diags);

void record_script_release(struct record_script *rs);

#endif
