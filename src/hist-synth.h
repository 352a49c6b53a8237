/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: defining synthetic events and tracing them into a replay, with the kernel's interface
 * for modules. The rules of hist-dynevent.h for names, results and THIS_MODULE apply here, too.
 *
 *	struct synth_field_desc fields[] = { { "u64", "lat" }, { "char[16]", "comm" } };
 *	struct trace_event_file *file;
 *
 *	synth_event_create("slow", fields, 2, h);
 *	file = trace_get_event_file(NULL, "synthetic", "slow", h);
 *	trace_array_set_clr_event(file->tr, "synthetic", "slow", true);
 *	hist_trace_at(h, ts, cpu, pid);
 *	synth_event_trace(file, 2, lat, (uint64_t)comm);
 *	trace_put_event_file(file);
 */
#ifndef HIST_SYNTH_H
#define HIST_SYNTH_H

#include "hist-dynevent.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#ifndef ENOTSUPP
#define ENOTSUPP 524 /* the kernel's own */
#endif

/* Whether a pointer is an error, and its negative errno. */
#ifndef IS_ERR
#define IS_ERR(ptr)  ((uintptr_t)(ptr) >= (uintptr_t)-4095)
#define PTR_ERR(ptr) ((long)(intptr_t)(ptr))
#endif

/* --- defining them --- */

/* As in synthetic_events: "u64", "unsigned int", "char[16]", "char[]"; [n] may follow the name. */
struct synth_field_desc {
	const char *type, *name;
};

/**
 * synth_event_create() - define a synthetic event in one step
 *
 * Return: 0, -EINVAL (see error_log; an unknown type or more than 64 fields have no message),
 *         -EEXIST, -ENOENT (@name has more than a name: what the text defines remains), -E2BIG (as
 * text longer than MAX_DYNEVENT_CMD_LEN), -ENOMEM Source: trace_events_synth.c @ v6.12, as of
 * everything here
 */
int synth_event_create(const char *name, struct synth_field_desc *fields, unsigned int n_fields,
		       struct hist *h);

/*
 * Traced events of it are removed, too. 0, -ENOENT, or -EBUSY if it is enabled, used by a
 * trigger, or not put.
 */
int synth_event_delete(const char *name, struct hist *h);

/*
 * The same in several steps: init, one of the two start functions, any number of adds, end. In
 * gen_cmd_start() pairs of type and name follow @h.
 *
 * Return: 0, -EINVAL for a command of another type, an unknown type, a string that is NULL, or
 *         too many fields, -E2BIG; of end: as synth_event_create()
 */
void synth_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen);
int __synth_event_gen_cmd_start(struct dynevent_cmd *cmd, const char *name, struct hist *h, ...);
#define synth_event_gen_cmd_start(cmd, name, h, ...) \
	__synth_event_gen_cmd_start(cmd, name, h, ##__VA_ARGS__, NULL)
int synth_event_gen_cmd_array_start(struct dynevent_cmd *cmd, const char *name, struct hist *h,
				    struct synth_field_desc *fields, unsigned int n_fields);
int synth_event_add_field(struct dynevent_cmd *cmd, const char *type, const char *name);
int synth_event_add_field_str(struct dynevent_cmd *cmd, const char *type_name);
int synth_event_add_fields(struct dynevent_cmd *cmd, struct synth_field_desc *fields,
			   unsigned int n_fields);
#define synth_event_gen_cmd_end(cmd) dynevent_create(cmd)

/* --- the event of an instance --- */

struct trace_array;

struct trace_event_file {
	struct trace_array *tr; /* its instance */
	struct hist *hist;
};

/**
 * trace_get_event_file() - get an event of an instance, protected from deletion
 * @instance: NULL: the one for which the struct hist was opened
 *
 * Owns:   released by trace_put_event_file(), at the latest by hist_close()
 * Return: never NULL; for IS_ERR(): -ENOENT no such instance, -EINVAL no such event, -ENOMEM
 */
struct trace_event_file *trace_get_event_file(const char *instance, const char *system,
					      const char *event, struct hist *h);
void trace_put_event_file(struct trace_event_file *file);

/*
 * Enable or disable events. NULL: all systems, all events. 0, -EINVAL: no match, -ENOENT: no @tr.
 */
int trace_array_set_clr_event(struct trace_array *tr, const char *system, const char *event,
			      bool enable);

/* --- tracing them --- */

#define HIST_AT_END UINT64_MAX

/**
 * hist_trace_at() - set the time, CPU and task of the next traced events
 * @ts: in the unit of the recording's clock. The event follows all records of that time and events
 *    traced at it earlier. HIST_AT_END, the initial state: after the last record, with its time.
 *
 * Initially: CPU 0, pid 0.
 */
void hist_trace_at(struct hist *h, uint64_t ts, unsigned int cpu, int pid);

/**
 * synth_event_trace() - trace an event
 * @n_vals: number of values that follow, one for each field: numbers, and pointers to strings, as
 *          u64
 *
 * Does nothing (0) while the event is neither enabled nor has triggers. Strings are copied.
 * Histograms and files include the event from the next replay on; a finished replay is repeated.
 *
 * Return: 0, -EINVAL: @n_vals is not the number of fields (then nothing is traced), or the record
 *         is too large for any buffer, or a field is a stack; -ENOMEM
 */
int synth_event_trace(struct trace_event_file *file, unsigned int n_vals, ...);
int synth_event_trace_array(struct trace_event_file *file, uint64_t *vals, unsigned int n_vals);

/* In C values need no cast, and their number is checked. */
#ifndef __cplusplus
#define synth_event_trace(file, n_vals, ...)                                            \
	(sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t) == (size_t)(n_vals)     \
		 ? synth_event_trace_array(file, (uint64_t[]){ __VA_ARGS__ }, (n_vals)) \
		 : -EINVAL)
#endif

struct synth_event;
struct traced_event;

/* An event between start and end; all members are private. */
struct synth_event_trace_state {
	struct traced_event *entry;
	struct synth_event *event;
	unsigned int cur_field;
	bool disabled, add_next, add_name;
};

/*
 * Piece by piece: start, the values, end (always needed; it traces the event, fields without a
 * value are 0). Values are added either all in order or all by name
 * (NULL is the next one). kernel: the last field takes the value of an unknown name.
 *
 * Return: 0, -ENOTSUPP: the event has a dynamic field; -EINVAL: both ways mixed, too many values,
 *         a string that is NULL; start: as synth_event_trace()
 */
int synth_event_trace_start(struct trace_event_file *file,
			    struct synth_event_trace_state *trace_state);
int synth_event_add_next_val(uint64_t val, struct synth_event_trace_state *trace_state);
int synth_event_add_val(const char *field_name, uint64_t val,
			struct synth_event_trace_state *trace_state);
int synth_event_trace_end(struct synth_event_trace_state *trace_state);

#ifdef THIS_MODULE
#define synth_event_delete(name) (synth_event_delete)(name, THIS_MODULE)
#define trace_get_event_file(instance, system, event) \
	(trace_get_event_file)(instance, system, event, THIS_MODULE)
#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
