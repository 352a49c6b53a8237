/* SPDX-License-Identifier: LGPL-2.1-only */
/* Event formats that are not in the input but in a directory, a file or another recording. */
#ifndef HIST_IMPORT_FORMAT_LIST_H
#define HIST_IMPORT_FORMAT_LIST_H

#include "event/event.h"
#include "import/sink.h"

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

/* The system that kernels put an event of this name into, guessed from the name. */
const char *format_system_of(struct span name);

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

/* Pass the formats that the sink does not have to the sink. */
int format_list_pass(const struct format_list *f, struct import_sink *sink);

#endif
