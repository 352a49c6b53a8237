/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `hist record` is asked with -R, -S and --synth: the script that goes into the file.
 */
#ifndef HIST_CMD_RECORD_SCRIPT_H
#define HIST_CMD_RECORD_SCRIPT_H

#include "cmd/cmd.h"
#include "record/record.h"

enum { RECORD_SCRIPT_SYNTH = CMD_SCRIPT_SYNTH };

/* A part of the script, in command-line order. */
struct record_script_piece {
	int key;           /* 'R', 'S', RECORD_SCRIPT_SYNTH, CMD_SCRIPT_SQL ... */
	const char *text;  /* what was given: for S the name of a file */
	const char *event; /* of -R */
	struct span file;  /* of S: what is in it */
};

/* An event with live histograms. */
struct record_gate {
	const char *event; /* "sched:sched_switch" */
	const char *file;  /* what the kernel prints in the end */
	bool free;         /* never paused: it counts nothing outside the marks, or cannot be */
	bool starts;       /* at the first mark */
};

struct record_script {
	struct record_plan *plan; /* to be completed */
	struct arena arena;
	ARRAY(struct record_script_piece) pieces;
	recipe_defines defines;
	ARRAY(const char *) defined; /* synthetic events of the script */
	bool explain;
	ARRAY(struct record_event) events; /* those of -e, and what the script needs */
	ARRAY(struct record_probe) probes;
	struct strbuf text; /* all pieces as lines of the script language */
	const char *clock;  /* that a line of the script sets */

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
 * record_script_plan() - read the scripts, and plan what must be there before they are judged
 *
 * Return: 0, -HIST_EREJECTED if a line is not of the language, another code for trouble
 */
int record_script_plan(struct record_script *rs, struct diags *diags);

/*
 * Judge the script by the events of this machine, and add what it needs to the plan; for
 * ->resolve of the plan, whose argument is the script.
 */
int record_script_resolve(void *arg, const char *machine, struct diags *diags);

/* Append echo 'TEXT' >> FILE, as a shell would take it. */
void record_script_line(struct strbuf *out, const char *file, const char *text);

/* --live: plan the triggers of @script for the kernel, too. */
int record_live_plan(struct record_script *rs, const struct hist_script *script,
		     struct diags *diags);

void record_script_release(struct record_script *rs);

#endif
