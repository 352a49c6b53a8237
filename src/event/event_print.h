/* SPDX-License-Identifier: LGPL-2.1-only */
/* The text of a record, as the kernel prints it. Part of event.h; do not include it alone. */
#pragma once

struct event_print;

/**
 * event_print_parse() - prepare printing the records of an event
 *
 * Owns:    allocated in @arena; borrows @fmt
 * Return:  NULL if its print fmt needs more than the record contains, or if out of memory
 * Context: one thread at a time, like all functions with a non-const struct event_db *; the same
 *          for event_print()
 */
struct event_print *event_print_parse(struct event_db *db, const struct event_format *fmt,
				      struct arena *arena);

/* The same; @lists: bitmasks are lists of ranges, as with options/bitmask-list. */
struct event_print *event_print_parse_as(struct event_db *db, const struct event_format *fmt,
					 bool lists, struct arena *arena);

/*
 * The first %s shows nothing, and nothing is shown if the text begins with it. kernel: with
 * options/nohash-ptr, trace_check_vprintf() up to 6.12 overwrites the format that it reads.
 */
void event_print_lose_text(struct event_print *print);

/*
 * A plugin of libtraceevent: its tep_plugin_loader and tep_plugin_unloader, which receive a struct
 * tep_handle. It prints the events for which it has a handler.
 */
struct event_plugin {
	int (*load)(void *tep);
	void (*unload)(void *tep); /* NULL: none */
};

/**
 * event_db_use_plugins() - replace the plugins in use
 * @plugins: borrowed until the next call or event_db_free()
 *
 * Earlier results of event_print_parse() become invalid.
 * Return: 0, -HIST_ENOMEM
 */
int event_db_use_plugins(struct event_db *db, const struct event_plugin *plugins, size_t n);

/* The text of a record, without newline; false if it needs data that is not in the record. */
bool event_print(const struct event_print *print, const void *rec, u32 len, struct strbuf *out);

/*
 * Append the names that the print fmt of an event has for numbers of @field, "NUMBER=NAME " each,
 * after "| " if they are flags; those of signals; "MAJOR:MINOR " for a device; nothing if it has
 * none, or the recording has no such event. Return: 0, -HIST_ENOMEM
 */
int event_field_names(struct event_db *db, const char *system, const char *name, struct span field,
		      struct strbuf *out);

/*
 * The field whose value the text of an event shows with "NAME=", such as name for dev in
 * "dev=eth0"; NULL if there is none, several, or another value made of it.
 */
const struct event_field *event_find_shown(struct event_db *db, const struct event_format *fmt,
					   struct span name);

/*
 * Number of pointers (%p) printed as recorded, for which a kernel prints a hash with a secret key;
 * it does not hash NULL and errors, and nothing if options/hash-ptr is 0.
 */
u64 event_db_unhashed(const struct event_db *db);

/**
 * event_print_packed() - the text of a trace_printk()
 * @fmt:  result of event_printk() for the record's fmt
 * @args: its buf
 *
 * Return: false: an argument is missing
 * Source: bstr_printf(), vbin_printf() @ v6.12
 */
bool event_print_packed(struct event_db *db, const char *fmt, const void *args, u32 len,
			struct strbuf *out);
