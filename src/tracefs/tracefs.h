/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * tracefs: the simulated tracing directory. Its files, the scripts that are run on it, and
 * histograms in formats for programs.
 */
#pragma once
#include "bind/bind.h"
#include "tracefs/output.h"
#include "tracing/event_pid.h"
#include "tracing/set_event.h"

/* What the library's struct hist really is; hist_open() makes it. */
struct directory {
	struct hist hist;
	struct arena texts;      /* of the options */
	struct output output;    /* of hist_run() */
	struct tracing *defined; /* the events that a script defines; defined.c */
	u64 defined_by;          /* the id of that script */
	size_t n_defined;        /* its commands that were run */
	bool writes_dir;         /* files are not shown, but written to a directory */
	bool drop_tasks;         /* see hist_slim_drop_tasks() */
	struct held_event *held; /* by the program, see dynevent/dynevent.h */
};

static inline struct directory *directory_of(const struct hist *h)
{
	return (struct directory *)(uintptr_t)h;
}

/* --- files.c --- */

/* One write(2), after open(2) with or without O_TRUNC. */
struct file_write {
	const char *path;
	struct span text;
	bool truncate;
	bool question; /* see struct script_cmd */
};

int files_write(struct hist *h, struct tracing *t, const struct file_write *write,
		struct diags *diags);
int files_read(struct hist *h, const char *path, struct printer *p, struct diags *diags);

/* Whether files_read() would find the file in a directory that is not replayed. */
int files_check_read(struct hist *h, struct tracing *t, const char *path, struct diags *diags);

/* Whether the file shows recorded events, so that a replay must record. */
bool files_needs_record(const char *path);

/* --- run_script.c --- */

const struct script *hist_script_commands(const struct hist_script *script);

/* Make the writes of a script; its output is only checked. Return: as hist_run() */
int hist_script_apply(struct hist *h, const struct hist_script *script, struct diags *diags);

/* Tells it from other scripts, even from a freed one with its address; 0: unknown. */
u64 hist_script_id(const struct hist_script *script);

/* Start again with a new directory, in which nothing is written yet. Return: 0, -HIST_ENOMEM */
int directory_restart(struct hist *h);

/*
 * Enable all events with a format that can be parsed, also those of the system ftrace; @derived:
 * and all that can be derived from them. Return: 0, -HIST_ENOMEM
 */
int directory_enable_all(struct hist *h, bool derived);

/* --- event_paths.c --- */

/* The event "events/SYSTEM/NAME" of @t, whose parts are set; NULL: there is none. */
struct event_file *event_file_at(struct tracing *t, const char *path, struct span *system,
				 struct span *name);

/*
 * The instance at the start of the path, with *rest set to the path after instances/NAME/; NULL if
 * unknown.
 */
struct trace_array *files_instance(struct hist *h, struct tracing *t, const char *path,
				   const char **rest, struct diags *diags);

/* Append [instances/NAME/]events/SYSTEM/EVENT/ and @file. */
void event_file_path(struct strbuf *sb, const struct event_file *ev, const char *file);

/* The path after instances/NAME/, if it starts with that; absent: there is nothing after it. */
struct span path_in_instance(struct span path);

/* Add a note with our name for another tool's term, or where to look. */
void events_note_word(const char *name, struct diags *diags);
int events_unknown(struct hist *h, struct span system, struct span name, struct diags *diags);

/* --- defined.c --- */

/* A directory with what the script defines, owned by @h; NULL if out of memory. */
struct tracing *script_definitions(struct hist *h, const struct hist_script *script);

/* --- choose_tasks.c --- */

/*
 * Fill in options.tasks as --pid, --comm and --tree select them. Return: 0, -HIST_EINVAL,
 * -HIST_ENOENT, another code
 */
int tasks_choose(struct hist *h, const struct hist_options *options, struct diags *diags);

/* --- selected.c --- */

/* Fill in h->selection. Return: 0, -HIST_ENOMEM */
int selection_describe(struct hist *h, const struct hist_options *options);

/* Add what the option @name selected after that. */
int selection_add(struct hist *h, const char *name, const char *text);

/*
 * After a run: a selection of which nothing was counted is a note; one
 * that cuts pairs of events is a warning, and the result doubtful.
 */
void selection_diagnose(struct hist *h, struct diags *diags);

/* --- tracefs_dir.c --- */

/* @dir NULL: everything is computed, but not written. */
int tracefs_dir_write(struct hist *h, const char *dir, struct diags *diags);

/*
 * Event files with hist triggers, in the order in which they got their first one; not those that
 * only help questions.
 */
typedef ARRAY(struct event_file *) event_file_array;

/* --- event_paths.c --- */

/* The event "events/SYSTEM/NAME" of @t, whose parts are set; NULL: there is none. */
struct event_file *event_file_at(struct tracing *t, const char *path, struct span *system,
				 struct span *name);

/* The event whose file hist is at @path, in @t; NULL: it is another file. */
struct event_file *files_hist_file(struct hist *h, struct tracing *t, const char *path,
				   struct diags *diags);

/* Append it, unless it is in the list. Return: 0, -HIST_ENOMEM */
int event_files_add(event_file_array *list, struct event_file *file);

/*
 * Event files whose histograms the script shows: by cat, also repeatedly; those of tables; without
 * cat, all that do not only help questions. Return: 0, -HIST_ENOMEM
 */
int files_shown(struct hist *h, const struct script *script, event_file_array *out);
