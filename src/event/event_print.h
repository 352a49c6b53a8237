/* SPDX-License-Identifier: LGPL-2.1-only */
/* The text of a record, as the kernel prints it. Part of event.h; do not include it alone. */
#ifndef HIST_EVENT_EVENT_PRINT_H
#define HIST_EVENT_EVENT_PRINT_H

struct event_print;

/**
 * event_print_parse() - how records of an event are printed
 *
 * Owns:    lives in @arena and borrows @fmt
 * Return:  NULL if its print fmt asks the kernel for more than the record holds, or without
 *          memory
 * Context: as for all that takes a plain struct event_db *; so for event_print()
 */
struct event_print *event_print_parse(struct event_db *db, const struct event_format *fmt,
				      struct arena *arena);

/*
 * A plugin of libtraceevent: its tep_plugin_loader and tep_plugin_unloader, which get a struct
 * tep_handle. What it has a handler for is printed by that.
 */
struct event_plugin {
	int (*load)(void *tep);
	void (*unload)(void *tep); /* NULL: none */
};

/**
 * event_db_use_plugins() - instead of those that were used before
 * @plugins: borrowed until the next call or event_db_free()
 *
 * What event_print_parse() made before must not be used any more.
 * Return: 0, -HIST_ENOMEM
 */
int event_db_use_plugins(struct event_db *db, const struct event_plugin *plugins, size_t n);

/* The text of a record, without newline; false: it needs something that is not in the record. */
bool event_print(const struct event_print *print, const void *rec, u32 len, struct strbuf *out);

/*
 * Pointers (%p) printed so far as they were recorded, for which a kernel prints a hash whose key
 * it keeps to itself; it does not hash NULL and errors, nor anything when options/hash-ptr is 0.
 */
u64 event_db_unhashed(const struct event_db *db);

/**
 * event_print_packed() - the text of a trace_printk()
 * @fmt:  what event_printk() says of the record's fmt
 * @args: its buf
 *
 * Return: false: an argument is missing
 * Source: bstr_printf(), vbin_printf() @ v6.12
 */
bool event_print_packed(struct event_db *db, const char *fmt, const void *args, u32 len,
			struct strbuf *out);

#endif
