/* SPDX-License-Identifier: LGPL-2.1-only */
/* libhist: questions as data. A question is a title and tables; what is asked is looked up when it
 * runs. */
#ifndef HIST_ASK_H
#define HIST_ASK_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * A table: hits of events, grouped by keys. All texts are as for hist report, see its -e, --by,
 * --sum and -f; NULL: without. Mistakes are reported at their places in these texts.
 */
struct hist_table {
	const char *events; /* "sched:sched_switch", "derived:wait", several with commas, a glob */
	const char *keys;   /* "comm,prio.log2"; with the key "event", events share a histogram */
	const char *sums;   /* fields that are added up in each row: "ns,bytes" */
	const char *worst;  /* a field: each row has the fields of ->save at its largest value */
	const char *save;
	const char *sort;   /* "ns.descending"; NULL: the first sum, or the number of hits */
	const char *filter; /* of the hits that are counted: "pid != 0" */
	bool sql;           /* the texts are of a statement, which is named in messages */
};

struct hist_question {
	const char *title; /* "How long do woken tasks wait?"; NULL: the tables have their own */
	const struct hist_table *tables;
	size_t n_tables;
};

/* Answer a question: its tables, as hist_run() prints them. Return: as hist_run() */
int hist_ask(struct hist *h, const struct hist_question *question,
	     const struct hist_run_options *options, hist_sink_fn sink, void *arg,
	     struct diags *diags);

/* --- questions in scripts --- */

/*
 * Append a table to a script. In a script's text it is a line "table EVENTS by KEYS sum FIELDS
 * worst FIELD save FIELDS sort FIELDS if FILTER". Return: 0, -HIST_ENOMEM
 */
int hist_script_ask(struct hist_script *script, const struct hist_table *table);

/*
 * Append a write that a question needs, such as the definition of an event: it may use what kernels
 * refuse. As hist_script_write().
 */
int hist_script_ask_write(struct hist_script *script, const char *origin, const char *path,
			  const char *text, enum hist_write_mode mode);

/*
 * Change what the commands show that are appended from now on, until the next change: ->filter is
 * one more for each histogram; with ->keys, one table by these keys takes the place of those of an
 * event. Without both, the change before ends here. What cannot be changed is an error when the
 * script runs. Return: 0, -HIST_ENOMEM
 */
int hist_script_regroup(struct hist_script *script, const struct hist_table *table);

/* A recipe, whose name may be that of a tool that it replaces, or the file of a script. */
struct hist_recipe {
	const char *name;
	bool shipped;              /* only a recipe: no file has this name */
	const char *const *values; /* of its parameters: "NAME=VALUE" */
	size_t n_values;
	struct hist_table change; /* of what it shows, as in hist_script_regroup(); zeros: none */
};

/*
 * Append a recipe, for the events that @h has. Return: 0; -HIST_ENOENT, -HIST_EINVAL: a value is
 * not valid; -HIST_EREJECTED: it needs events that were not recorded; -HIST_ENOMEM
 */
int hist_script_recipe(struct hist *h, struct hist_script *script, const struct hist_recipe *recipe,
		       struct diags *diags);

/* A trigger of a table, as kernels have it. */
struct hist_trigger {
	const char *path;   /* "events/SYSTEM/EVENT/trigger" */
	const char *text;   /* "hist:keys=...", without its filter */
	const char *filter; /* NULL: none */
};

typedef int (*hist_trigger_fn)(void *arg, const struct hist_trigger *trigger);

/*
 * Pass on the triggers of a script's tables. @prints: a kernel prints the histograms, so names of
 * tasks are as it has them (common_pid.execname). Return: 0, the first error of @fn, an error of a
 * table
 */
int hist_script_triggers(struct hist *h, const struct hist_script *script, bool prints,
			 hist_trigger_fn fn, void *arg, struct diags *diags);

/*
 * What a script asks: the title of its only question; "": it is a question without one, or several;
 * NULL: it is none.
 */
const char *hist_script_title(const struct hist_script *script);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
