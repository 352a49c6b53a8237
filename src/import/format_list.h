/* SPDX-License-Identifier: LGPL-2.1-only */
/* Event formats that are not in the input: of a directory, a file, or a recording. */
#ifndef HIST_IMPORT_FORMAT_LIST_H
#define HIST_IMPORT_FORMAT_LIST_H

#include "event/event.h"
#include "import/sink.h"

struct format_list {
	struct arena arena;
	ARRAY(struct event_text) list; /* each id once, each name of a system once */
	bool long_is_4;                /* the formats are of a 32-bit kernel */
	struct span kallsyms;          /* of a recording; absent: of no recording */
	const char *uname;             /* of that; NULL: it does not say */
};

/* The name and id of a format; false: it has none. */
bool format_header(struct span text, struct span *name, u32 *id);

/* The system that an event of that name has in kernels, as far as names tell. */
const char *format_system_of(struct span name);

/* All of DIR/SYSTEM/EVENT/format; 0, -HIST_ENOMEM */
int format_list_add_dir(struct format_list *f, const char *dir);

/**
 * format_list_load() - what --formats names
 * @path: a copy of the tracing directory or of its events, a trace.dat, or one file of all
 *
 * Return: 0; -HIST_EIO and others, -HIST_EFORMAT if it has none; each with a diagnosis
 */
int format_list_load(struct format_list *f, const char *path, struct diags *diags);
void format_list_release(struct format_list *f);

/* Give the sink those that it does not have. */
int format_list_give(const struct format_list *f, struct import_sink *sink);

#endif
