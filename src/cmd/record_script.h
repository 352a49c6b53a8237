/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `hist record` is asked with -R, -S and --synth: the script that goes into the file.
 */
#ifndef HIST_CMD_RECORD_SCRIPT_H
#define HIST_CMD_RECORD_SCRIPT_H

#include "cmd/cmd.h"
#include "record/record.h"

enum { RECORD_SCRIPT_SYNTH = 0x300 };

/* A part of the script, in command-line order. */
struct record_script_piece {
	int key;           /* 'R', 'S' or RECORD_SCRIPT_SYNTH */
	const char *text;  /* what was given: for S the name of a file */
	const char *event; /* of -R */
	struct span file;  /* of S: what is in it */
};

struct record_script {
	struct record_plan *plan; /* to be completed */
	struct arena arena;
	ARRAY(struct record_script_piece) pieces;
	ARRAY(struct record_event) events; /* those of -e, and what the script needs */
	ARRAY(struct record_probe) probes;
	struct strbuf text; /* all pieces as lines of the script language */
	const char *clock;  /* that a line of the script sets */
};

#define RECORD_SCRIPT_INIT                                                       \
	{                                                                        \
		.arena = ARENA_INIT, .pieces = ARRAY_INIT, .events = ARRAY_INIT, \
		.probes = ARRAY_INIT, .text = STRBUF_INIT                        \
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

void record_script_release(struct record_script *rs);

#endif
