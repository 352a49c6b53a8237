/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * libhist: building commands that define events, piece by piece, and definitions of kprobes: the
 * kernel's interface for modules (trace_dynevent.h, trace_events.h), for programs.
 *
 * Names, rules and results are the kernel's: functions return 0 or a negative errno, and error_log
 * explains a rejected definition. Differences:
 *
 * - A module uses the kernel in which it runs, a program uses a struct hist. It replaces the
 * kernel's struct module, or comes last if the kernel has no such parameter. A program that defines
 * THIS_MODULE as its struct hist before it includes this header makes the same calls as a module.
 * - A probe is only defined: it is compared with the recorded event, if there is one, and
 *   kprobe_events shows the line that a script for `hist record -S` needs.
 */
#ifndef HIST_DYNEVENT_H
#define HIST_DYNEVENT_H

#include <errno.h>

#include "hist.h"

#ifdef __cplusplus
#define HIST_OPERATOR operator_ /* a keyword of C++ */
extern "C" {
#else
#define HIST_OPERATOR operator
#endif
#pragma GCC visibility push(default)

/* --- commands, piece by piece --- */

#define MAX_DYNEVENT_CMD_LEN (2048)

enum dynevent_type { DYNEVENT_TYPE_SYNTH = 1, DYNEVENT_TYPE_KPROBE, DYNEVENT_TYPE_NONE };

/* @buffer contains @len bytes and a NUL; @len exceeds @size after an argument that did not fit. */
struct seq_buf {
	char *buffer;
	size_t size, len;
};

struct dynevent_cmd;
typedef int (*dynevent_create_fn_t)(struct dynevent_cmd *cmd);
typedef int (*dynevent_check_arg_fn_t)(void *data);

struct dynevent_cmd {
	struct seq_buf seq;
	const char *event_name;
	unsigned int n_fields;
	enum dynevent_type type;
	dynevent_create_fn_t run_command;
	void *private_data; /* argument of run_command, often a struct hist */
};

/* Formatted as " STR" and the separator, which is a space unless another one is set. */
struct dynevent_arg {
	const char *str;
	char separator;
	dynevent_check_arg_fn_t check_arg; /* for dynevent_arg_add() without one */
};

/* Formatted as " LHS", the operator, "RHS" and the separator; both are spaces unless set. */
struct dynevent_arg_pair {
	const char *lhs, *rhs;
	char HIST_OPERATOR, separator;
	dynevent_check_arg_fn_t check_arg;
};

/* @buf is the caller's, with room for @maxlen bytes. */
void dynevent_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen, enum dynevent_type type,
		       dynevent_create_fn_t run_command);
void dynevent_arg_init(struct dynevent_arg *arg, char separator);
void dynevent_arg_pair_init(struct dynevent_arg_pair *pair, char op, char separator);

/**
 * dynevent_arg_add() - append an argument
 * @check_arg: called first with @arg, may refuse it; NULL: none
 *
 * Return: 0, what @check_arg returned, -E2BIG if @cmd is full, -EINVAL if a string is NULL
 * Source: trace_dynevent.c @ v6.12
 */
int dynevent_arg_add(struct dynevent_cmd *cmd, struct dynevent_arg *arg,
		     dynevent_check_arg_fn_t check_arg);
int dynevent_arg_pair_add(struct dynevent_cmd *cmd, struct dynevent_arg_pair *pair,
			  dynevent_check_arg_fn_t check_arg);

/* Append @str as it is. */
int dynevent_str_add(struct dynevent_cmd *cmd, const char *str);

/* Run the command; returns the result of its run_command. */
int dynevent_create(struct dynevent_cmd *cmd);

/* --- kprobes and kretprobes --- */

/**
 * kprobe_event_cmd_init() - start the definition of a probe in @buf, which has @maxlen bytes
 * @h: NULL: gen_cmd_end() only checks the text, which is the line for kprobe_events
 */
void kprobe_event_cmd_init(struct dynevent_cmd *cmd, char *buf, int maxlen, struct hist *h);

/*
 * Call one of the two start functions, any number of add functions, and end. Fields such as
 * "dfd=%ax", "$retval", "count=%dx:u32" follow @loc, a symbol with or without an offset. Of @name
 * 53 characters are used. Only the text is checked, not whether the machine has such registers and
 * symbols.
 *
 * Return: 0, -EINVAL for a command of another type or too many fields, -E2BIG; of end: 0,
 *         -EINVAL (what error_log says), -EEXIST, -ENOMEM
 * Source: trace_kprobe.c @ v6.12
 */
int __kprobe_event_gen_cmd_start(struct dynevent_cmd *cmd, bool kretprobe, const char *name,
				 const char *loc, ...);
#define kprobe_event_gen_cmd_start(cmd, name, loc, ...) \
	__kprobe_event_gen_cmd_start(cmd, false, name, loc, ##__VA_ARGS__, NULL)
#define kretprobe_event_gen_cmd_start(cmd, name, loc, ...) \
	__kprobe_event_gen_cmd_start(cmd, true, name, loc, ##__VA_ARGS__, NULL)
int __kprobe_event_add_fields(struct dynevent_cmd *cmd, ...);
#define kprobe_event_add_fields(cmd, ...)    __kprobe_event_add_fields(cmd, ##__VA_ARGS__, NULL)
#define kretprobe_event_add_fields(cmd, ...) __kprobe_event_add_fields(cmd, ##__VA_ARGS__, NULL)
#define kprobe_event_gen_cmd_end(cmd)        dynevent_create(cmd)
#define kretprobe_event_gen_cmd_end(cmd)     dynevent_create(cmd)

/*
 * @name may be GROUP/NAME. 0, -ENOENT, -EINVAL if it is empty, or -EBUSY if it is enabled, used by
 * a trigger, or not put.
 */
int kprobe_event_delete(const char *name, struct hist *h);

#ifdef THIS_MODULE
#define kprobe_event_cmd_init(cmd, buf, maxlen) \
	(kprobe_event_cmd_init)(cmd, buf, maxlen, THIS_MODULE)
#define kprobe_event_delete(name) (kprobe_event_delete)(name, THIS_MODULE)
#endif

/*
 * The kernel's documentation passes the check function to init, its source to add: in C both
 * compile.
 */
#ifndef __cplusplus
#define HIST_4TH(a, b, c, d, ...)          d
#define HIST_ADD(fn, cmd, arg, check, ...) (fn)(cmd, arg, check)
#define HIST_INIT_2(fn, arg, separator)    (fn)(arg, separator)
#define HIST_INIT_3(fn, arg, check, separator) \
	((fn)(arg, separator), (void)((arg)->check_arg = (check)))
#define HIST_PAIR_3(fn, arg, op, separator) (fn)(arg, op, separator)
#define HIST_PAIR_4(fn, arg, check, op, separator) \
	((fn)(arg, op, separator), (void)((arg)->check_arg = (check)))
#define dynevent_arg_add(cmd, ...)      HIST_ADD(dynevent_arg_add, cmd, __VA_ARGS__, NULL, )
#define dynevent_arg_pair_add(cmd, ...) HIST_ADD(dynevent_arg_pair_add, cmd, __VA_ARGS__, NULL, )
#define dynevent_arg_init(...) \
	HIST_4TH(__VA_ARGS__, HIST_INIT_3, HIST_INIT_2, )(dynevent_arg_init, __VA_ARGS__)
#define dynevent_arg_pair_init(arg, ...) \
	HIST_4TH(__VA_ARGS__, HIST_PAIR_4, HIST_PAIR_3, )(dynevent_arg_pair_init, arg, __VA_ARGS__)
#endif

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
