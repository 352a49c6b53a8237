/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * event: interprets the bytes of a record.
 *
 * Formats, symbols, comms and syscall names of one recording. A format is parsed when it is first
 * needed; kallsyms is indexed at the first lookup. All names and types are the kernel's.
 */
#pragma once
#include "base/base.h"

/* The kernel's filter classes; they decide how a field is fetched, compared and printed. */
enum event_field_class {
	FILTER_OTHER,
	FILTER_STATIC_STRING,
	FILTER_DYN_STRING,
	FILTER_RDYN_STRING,
	FILTER_PTR_STRING,
	FILTER_CPUMASK,
	FILTER_STACKTRACE,
	/* generic fields, which every event has but no record contains */
	FILTER_COMM,
	FILTER_CPU,
};

/* What a field of a derived event needs, if it is read: bits. */
enum {
	ASKS_COMM = 1,      /* a name that is looked up */
	ASKS_COMM_OPEN = 2, /* the same, with options.open_intervals */
	ASKS_REASON = 4,    /* all that happened meanwhile */
	ASKS_STACK = 8,     /* kernel stacks of other records */
	ASKS_CGROUP = 16,   /* of which cgroups tasks were */
};

struct event_field {
	const char *name;
	const char *type; /* the kernel's: "pid_t", "char[TASK_COMM_LEN]", "__data_loc char[]" */
	u32 offset;
	u32 size; /* 0: an array without a length, at the end of a record; or generic */
	bool is_signed;
	bool is_common;
	enum event_field_class filter_type;
	const char *time_unit; /* of a field that actions set to times; NULL: unknown */
	u8 asks;
};

/* A parsed format. */
struct event_format {
	const char *system;
	const char *name;
	u32 id;
	const char *print_fmt; /* the text after "print fmt: " */
	struct span text;      /* the whole format file */
	size_t n_common;
	size_t n_fields; /* including the common ones, which come first, in file order */
	const struct event_field *fields;
	u32 min_size; /* minimum size of a record: all fields above end within it */
};

struct event_db;

/* A format that is not parsed yet; borrowed from the creator of the list; ids fit in 16 bits. */
struct event_text {
	const char *system;
	struct span name;
	struct span text;
	u32 id;
};

/*
 * Callbacks for the other sections, called when needed; they return 0 or an error; absent spans
 * are valid. The spans are borrowed until event_db_free().
 */
struct event_sources {
	void *arg;
	int (*kallsyms)(void *arg, struct span *text);
	int (*printk)(void *arg, struct span *text);
	int (*cmdlines)(void *arg, struct span *text);
	int (*btf)(void *arg, struct span *bytes); /* may be NULL */
	/* called once for a format that cannot be parsed; may be NULL */
	void (*unparsable)(void *arg, const struct event_text *text);
	/* called once for a format with two fields of one name; may be NULL */
	void (*repeated)(void *arg, const struct event_text *text, const char *field);
};

/* The recorded machine. */
struct event_machine {
	bool big_endian;
	u32 long_size;        /* 4 or 8 */
	bool syscalls_decide; /* system calls without a format are unknown */
};

/**
 * event_db_new() - the events of one recording
 * @texts:   the list itself and what it points to are borrowed until event_db_free()
 * @sources: may be NULL
 *
 * Return:  0, -HIST_ENOMEM, -HIST_EINVAL (long_size)
 * Context: functions that take a non-const struct event_db * may parse or index at first use, so
 *          call them from one thread at a time; any thread may read their results
 */
int event_db_new(struct event_db **db, const struct event_text *texts, size_t n,
		 struct event_machine machine, const struct event_sources *sources);
void event_db_free(struct event_db *db);

/**
 * event_db_find() - look up the format of an event by the user's name for it
 *
 * Owns:   *@fmt is borrowed until event_db_free(), even after event_db_remove()
 * Return: 0, -HIST_ENOENT, -HIST_EFORMAT (its text cannot be parsed), -HIST_ENOMEM
 */
int event_db_find(struct event_db *db, const char *system, const char *name,
		  const struct event_format **fmt);
int event_db_find_id(struct event_db *db, u32 id, const struct event_format **fmt);

/*
 * Load what lookups of symbols, names and types load at first use, so that event_print(),
 * event_saved_comm(), event_printk() and event_symbol_at() may be called by any threads, without
 * plugins. Return: 0, -HIST_ENOMEM
 */
int event_db_share(struct event_db *db);

/* Whether a lookup failed because of memory. */
bool event_db_failed(const struct event_db *db);

/* The formats of the recording, parsed or not, in file order. */
const struct event_text *event_db_texts(const struct event_db *db, size_t *n);

/**
 * event_db_listed() - indices of event_db_texts() in the order of available_events
 *
 * Shape:  first events of modules and defined ones, newest first, then the kernel's own events,
 *         oldest first, including those of the ftrace system
 * Return: @n indices, valid until event_db_free(); NULL if out of memory
 * Source: __trace_early_add_events(), __add_event_to_tracers() @ v6.12
 */
const u32 *event_db_listed(struct event_db *db, size_t *n);

/**
 * event_db_add() - add an event that is not in a file, such as a synthetic one
 * @text: its format file; copied
 *
 * An event of the same name in the recording is hidden until event_db_remove().
 *
 * Return: 0, -HIST_EFORMAT, -HIST_ENOMEM
 */
int event_db_add(struct event_db *db, const char *system, const char *text, size_t len);

/* 0, or -HIST_ENOENT if the event was not added. */
int event_db_remove(struct event_db *db, const char *system, const char *name);

/*
 * Append a format file with only the fields of @fmt, in a form that is safe for libtraceevent,
 * which dies on some texts of recordings. Return: 0, -HIST_EFORMAT, -HIST_ENOMEM
 */
int event_format_shape(const struct event_format *fmt, struct strbuf *out);

enum event_generics { GENERICS_6_1, GENERICS_6_3 };

/**
 * event_find_field() - look up a field by name, as filters and hist triggers do
 * @generics: the generic fields that exist
 *
 * The event's own fields first (the last one of a name), then the generic ones (CPU cpu common_cpu
 * COMM comm, 6.3 stacktrace STACKTRACE), the common ones; NULL.
 * Source: trace_find_event_field(), trace_define_generic_fields() @ v6.12
 */
const struct event_field *event_find_field(const struct event_format *fmt, struct span name,
					   enum event_generics generics);

/*
 * The field with the text that the program had at the pointer @name, which newer kernels record for
 * system calls; NULL.
 */
const struct event_field *event_user_text(const struct event_format *fmt, const char *name);

/* The size of an element of an array, also of one that a __data_loc refers to; 0: unknown. */
u32 event_element_size(const struct event_db *db, const struct event_field *array);

/* Whether it has elements that are numbers, or a word that is their place. */
bool event_field_is_array(const struct event_field *f);

/* Whether two events have a field of the same name, type and size; or the same, or none. */
bool event_fields_alike(const struct event_field *a, const struct event_field *b);

/* Whether its value is one number: no text, no array, and of a size that a number can have. */
bool event_field_is_number(const struct event_field *f);

/* The filter class that the kernel derives from the name of a type. */
enum event_field_class event_filter_class(const char *type);

#include "event/event_print.h"
#include "event/event_scan.h"
#include "event/event_symbol.h"
