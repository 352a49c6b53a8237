/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: the events of a recording, one by one in the order of time: recorded ones, synthetic
 * ones that a script makes, and derived ones.
 *
 *	struct hist_events_options options = { .comm = true };
 *	struct hist_events *events;
 *	struct hist_event e;
 *
 *	err = hist_events_open(h, &options, &events, diags);
 *	while (!err && (err = hist_events_next(events, &e)) > 0)
 *		puts(e.type->name);
 *	err = hist_events_close(events, err);
 *
 * Nothing is allocated for an event, and a field is decoded when it is asked for. Text of a
 * recording is any bytes.
 */
#ifndef HIST_EVENTS_H
#define HIST_EVENTS_H

#include "hist.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct hist_events;

/* What a field contains, and the member of struct hist_value that has it. */
enum hist_value_kind {
	HIST_VALUE_ABSENT,   /* the record is too short */
	HIST_VALUE_UNSIGNED, /* number */
	HIST_VALUE_SIGNED,   /* number, sign-extended */
	HIST_VALUE_POINTER,  /* number, an address */
	HIST_VALUE_TEXT,     /* data, len: up to its NUL, which is not in len */
	HIST_VALUE_LIST,     /* len numbers, see hist_value_element() */
	HIST_VALUE_BYTES,    /* data, len: a structure */
};

struct hist_event_field {
	const char *name;
	const char *column;           /* its name beside those of all events: "event_pid" */
	const char *type;             /* as in the format of the event, such as "pid_t" */
	enum hist_value_kind kind;    /* never HIST_VALUE_ABSENT */
	enum hist_value_kind element; /* of a list */
	uint32_t size;                /* bytes of a number or an element of a list; otherwise 0 */
};

/* An event, as long as the iterator is open. */
struct hist_event_type {
	const char *system, *name;
	size_t number; /* of the types that are open, from 0 */
	size_t n_fields;
	const struct hist_event_field *fields; /* its own, without those that all events have */
};

/* Valid until the next call of hist_events_next(). */
struct hist_event {
	const struct hist_event_type *type;
	uint64_t ts; /* ns, or units of a clock that counts */
	uint32_t cpu;
	int32_t pid;
	uint64_t lost;      /* events lost on its CPU since the last event from there */
	bool lost_unknown;  /* and more */
	const void *record; /* its bytes, in the byte order of the recorded machine */
	size_t size;
	struct hist_events *events;
	uint64_t place; /* of its record, which no other record of the recording has */
};

struct hist_value {
	enum hist_value_kind kind;
	uint64_t number;
	const void *data;
	size_t len;
	enum hist_value_kind element;
	uint32_t size;
	bool big_endian;
};

/* An event, or several: see hist_script_find_events(). */
struct hist_event_choice {
	const char *event;
	const char *filter; /* as in its filter file; NULL: all */
};

struct hist_events_options {
	/* its writes are made first; what it shows is ignored; NULL: none */
	const struct hist_script *script;
	/* NULL: with a script, what it enables and the synthetic events that it makes; else all */
	const struct hist_event_choice *choices;
	size_t n_choices;
	/* only these times, both inclusive (.to 0: all), within those of struct hist_options */
	uint64_t from, to;
	const uint32_t *cpu; /* only this CPU; NULL: those of struct hist_options */
	bool comm;   /* hist_event_comm() will be called, which needs the names of all tasks */
	bool who;    /* hist_event_who() will be called */
	bool code;   /* hist_event_code() will be called */
	bool stacks; /* fields of derived events that are stacks will be read */
};

/**
 * hist_events_open() - start to read events
 * @h: of which nothing was replayed; it is not used otherwise until hist_events_close()
 *
 * Owns:    borrows @options only during the call, @diags until hist_events_close()
 * Return:  0; -HIST_EREJECTED if the kernel would refuse a write; -HIST_ENOENT for an unknown
 *          event; another code of an error
 * Context: the caller's thread reads, whenever it calls hist_events_next()
 */
int hist_events_open(struct hist *h, const struct hist_events_options *options,
		     struct hist_events **events, struct diags *diags);

/**
 * hist_events_next() - the next event
 *
 * Return: 1; 0 after the last one; < 0 an error
 */
int hist_events_next(struct hist_events *events, struct hist_event *event);

/**
 * hist_events_close() - end, at any time
 * @err: the last result of hist_events_next(); 0: losses and damage are reported
 *
 * Return: @err if it is an error, otherwise 0 or an error
 */
int hist_events_close(struct hist_events *events, int err);

/* The types of events that are open: all that may occur; NULL from their number on. */
const struct hist_event_type *hist_events_type(const struct hist_events *events, size_t i);

/* The index of the field @name; -1: the event has none. */
int hist_event_field(const struct hist_event_type *type, const char *name);

/* Decode the @i-th field. Owns: data is borrowed from the event */
void hist_event_value(const struct hist_event *event, size_t i, struct hist_value *value);

/* Append a value as text, as csv has it. Return: 0, what @sink returned, -HIST_ENOMEM */
int hist_value_text(const struct hist_value *value, hist_sink_fn sink, void *arg);

/* The @i-th number of a list. */
uint64_t hist_value_element(const struct hist_value *value, size_t i);

/* The name of its task at that time; "" if it is unknown. options.comm must have been set. */
const char *hist_event_comm(const struct hist_event *event);

enum hist_who {
	HIST_WHO_PROCESS, /* the name of the leader of its process */
	HIST_WHO_CMDLINE,
	HIST_WHO_CGROUP,
};

/*
 * Who its task was at that time; NULL if it is unknown. options.who must have been set. Borrowed
 * until the next call.
 */
const char *hist_event_who(const struct hist_event *event, enum hist_who what);

/* Its process id; -1 if it is unknown. options.who must have been set. */
int32_t hist_event_tgid(const struct hist_event *event);

/**
 * hist_event_text() - append the text of an event's fields, as its print fmt describes it
 * @sink: gets the text, without a newline at its end
 *
 * Return: 0, what @sink returned, -HIST_ENOMEM
 */
int hist_event_text(const struct hist_event *event, hist_sink_fn sink, void *arg);

struct hist_events_print {
	/* text, csv, tsv, csv-safe, tsv-safe, json, ndjson, parquet, perfetto, timeline, or NULL */
	const char *format;
	const char *fields; /* columns, separated by commas; NULL: all */
	uint64_t max;       /* only the first events; 0: all */
	bool json_u64_as_string;
	/* parquet: the new or empty directory that gets a file for each event; NULL: ->sink */
	const char *directory;
	const char *const *labels; /* parquet: "NAME=VALUE", columns with one value */
	size_t n_labels;
	hist_sink_fn sink;
	void *arg;
	const char *command; /* timeline: what repeats it in a shell; NULL: not shown */
};

/**
 * hist_events_print() - print events in a format
 * @options: ->comm and ->who are ignored
 *
 * Return: as hist_events_open(), or what @print->sink returned
 */
int hist_events_print(struct hist *h, const struct hist_events_options *options,
		      const struct hist_events_print *print, struct diags *diags);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
