/* SPDX-License-Identifier: GPL-2.0-only */
/* The script of `hist record` (script_args.h), which is stored in the file, and what it needs. */
#pragma once
#include "cmd/cmd.h"
#include "record/record.h"

/* An event with live histograms. */
struct record_gate {
	const char *event; /* "sched:sched_switch" */
	const char *file;  /* files to print in the end */
	bool free;         /* never paused: counts only between the marks, or cannot be */
	bool starts;       /* enabled at the first mark */
};

struct record_script {
	struct record_plan *plan; /* to be completed here */
	struct cmd_args *a;       /* its script */
	struct arena *arena;
	ARRAY(const char *) defined;       /* synthetic events of the script */
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

/* Whether there is more than events to record: triggers, definitions, a SCRIPT. */
bool record_script_given(const struct cmd_script *cs);

/**
 * record_script_plan() - plan the probes and events that must exist before the scripts are checked
 *
 * Return: 0, -HIST_EREJECTED if a line is not in the language, another code for trouble
 */
int record_script_plan(struct record_script *rs, struct diags *diags);

/*
 * record_plan.resolve: check the script with the events of this machine, and add what it needs to
 * the plan
 */
int record_script_resolve(void *rs, const char *machine, struct diags *diags);

/*
 * Check a script that was built with the events of this machine, which @h has, and add what it
 * needs to the plan. Return: as hist_run()
 */
int record_script_needs(struct record_script *rs, struct hist *h, const struct hist_script *script,
			struct diags *diags);

/* --live: plan the triggers of @script for the kernel. */
int record_live_plan(struct record_script *rs, struct hist *h, const struct hist_script *script,
		     struct diags *diags);

void record_script_release(struct record_script *rs);
