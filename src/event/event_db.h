/* SPDX-License-Identifier: LGPL-2.1-only */
/* Private to event: the database. */
#pragma once
#include "event/event.h"

struct event_symbols;
struct event_names;
struct event_modules;
struct event_tep;
struct tep_event;

struct event_db {
	const struct event_text *texts;
	size_t n_texts;
	struct event_machine machine;
	struct event_sources sources;

	struct arena arena;               /* formats and names */
	struct hash_table by_name, by_id; /* of texts */
	bool by_id_built;
	const struct event_format **parsed; /* by index of the formats; NULL: not parsed yet */
	ARRAY(const struct event_format *) added;
	struct hash_table added_by_name, added_by_id; /* added and not removed */

	struct event_symbols *symbols; /* NULL: not loaded yet */
	struct event_names *comms, *printk;
	struct event_used *used; /* NULL: not recorded */
	struct event_modules *modules;
	struct event_btf *btf;
	struct event_tep *tep;                     /* plugins of libtraceevent; NULL: none */
	u32 *listed;                               /* see event_db_listed() */
	enum { UNKNOWN, NO, YES } syscall_formats; /* whether the recording has all system calls */
	const char **syscalls;                     /* names by number; NULL: not needed yet */
	unsigned int syscalls_of;                  /* the machine */
	bool failed;                               /* out of memory */
	u64 n_unhashed;                            /* see event_db_unhashed() */
	u64 n_named, n_nameless;                   /* kernel addresses that were looked up */
};

/**
 * event_format_parse() - parse one format file
 * @src: system, name, id and text
 *
 * Owns:   the data of *@fmt is in db->arena, except system and text, which are @src's
 * Return: 0, -HIST_EFORMAT, -HIST_ENOMEM
 */
int event_format_parse(struct event_db *db, const struct event_text *src,
		       const struct event_format **fmt);

/* --- tep_plugins.c --- */

/*
 * The event as libtraceevent knows it, if a plugin has a handler for it; valid until
 * event_db_use_plugins().
 */
const struct tep_event *event_tep_handled(struct event_db *db, const struct event_format *fmt);

/* Returns false if the handler refused the record. */
bool event_tep_print(struct event_db *db, const struct tep_event *ev, const void *rec, u32 len,
		     struct strbuf *out);
void event_tep_free(struct event_tep *et);

/* The values of the "name:" and "ID:" lines; -HIST_EFORMAT if they are missing. */
int event_format_header(struct span text, struct span *name, u32 *id);

/*
 * The hexadecimal address at the start of a line, such as those of kallsyms; returns its end, NULL
 * if there is none, more than 16 digits, or nothing after it.
 */
const char *symbol_cut_address(const char *line, const char *end, u64 *addr);

void event_symbols_free(struct event_symbols *syms);
void event_names_free(struct event_names *names);
void event_modules_free(struct event_modules *m);

/* Index + 1 of the recording's format with this system and name; 0 if there is none. */
u32 event_db_recorded(const struct event_db *db, const char *system, struct span name);
