/* SPDX-License-Identifier: LGPL-2.1-only */
/* Event formats: those of a result, and those of a directory, a file or another recording. */
#pragma once
#include "event/event.h"

struct format_list {
	struct arena arena;
	ARRAY(struct event_text) list; /* unique ids; names unique within a system */
	bool long_is_4;                /* the formats are from a 32-bit kernel */
	struct span kallsyms;          /* of a recording; absent for other sources */
	const char *uname;             /* of that recording; NULL: not stored there */
	size_t unreadable;             /* that cannot be read, or lack a name or id */
};

/* Parse the name and id of a format; false if it lacks one of them. */
bool format_header(struct span text, struct span *name, u32 *id);

/*
 * Add a format, of a system that is guessed if @system is absent; only the first of a name and of
 * an id, only if it has both. Return: 0, -HIST_ENOMEM
 */
int format_list_add(struct format_list *f, struct span system, struct span text);

/* The format of an event, by its name or its id; NULL if there is none. */
struct event_text *format_list_find(const struct format_list *f, const char *system,
				    struct span name);
struct event_text *format_list_find_id(const struct format_list *f, u64 id);

/* Add all DIR/SYSTEM/EVENT/format; 0, -HIST_ENOMEM */
int format_list_add_dir(struct format_list *f, const char *dir);

/* Warn that formats of @name cannot be read; false: all can. */
bool format_list_warn(const struct format_list *f, const char *name, struct diags *diags);

/**
 * format_list_load() - load the argument of --formats
 * @path: a copy of the tracing directory or of its events, a trace.dat, or one file with all
 *        formats
 *
 * Return: 0; -HIST_EFORMAT if @path has no formats, -HIST_EIO and others; each with a diagnosis
 */
int format_list_load(struct format_list *f, const char *path, struct diags *diags);
/* Add the format of ftrace:print, with its id in every kernel, if the list has none. */
int format_list_add_print(struct format_list *f);
void format_list_release(struct format_list *f);
