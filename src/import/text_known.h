/* SPDX-License-Identifier: LGPL-2.1-only */
/* Events and values whose text is known without formats. */
#pragma once
#include "import/text_line.h"

enum { TEXT_KNOWN_MAX = 9, TEXT_COMM_MAX = 15 }; /* fields of a line; bytes of a task's name */

struct named_value {
	struct span name, value;
};

/**
 * text_known_pairs() - the fields of a line that has no name=value
 * @pairs: of TEXT_KNOWN_MAX; names are static, values are part of the line
 *
 * Return: their number; 0: not such a line
 */
size_t text_known_pairs(const struct text_line *line, struct named_value *pairs);

/* The field of an event that is printed by this name. */
struct span text_known_field(struct span event, struct span printed);

static inline bool is_word(char c)
{
	return c == '_' || (is_alnum(c) && (u8)c < 0x80);
}

/* The pairs of a line. */
struct text_pairs {
	enum text_call call;
	struct span event;
	struct span rest, before; /* @before: text before the first pair */
	struct named_value known[TEXT_KNOWN_MAX];
	size_t n_known, next;
	char nr[24];     /* number of the system call; empty: it has none */
	char array[256]; /* the value of the last pair, if the line has its bytes */
};

struct text_pairs text_pairs_of(const struct text_line *line);
/* Take the next pair according to the kind of line. */
bool text_take_pair(struct text_pairs *p, struct named_value *pair);

/*
 * Events of single system calls as perf script and trace-cmd report print them (NAME: VALUE, and
 * the result) as the kernel's text of them.
 */
struct text_line text_as_call(const struct text_line *line);

/* The field of text before the first pair; the machine of the numbers of system calls. */
extern const char text_field_name[], text_call_machine[];

/*
 * What numbers are of which a text has names: prev_state, vec of softirqs, dev of block; and
 * priorities of tasks, which libtraceevent prints without a sign: 4294967295 is -1, of a deadline
 * task.
 */
enum text_known_kind {
	TEXT_PLAIN,
	TEXT_STATE,
	TEXT_OLD_STATE, /* with the letters of libtraceevent 1.7 and earlier, see text_old_letters()
			 */
	TEXT_SOFTIRQ,
	TEXT_DEVICE,
	TEXT_PRIORITY,
	TEXT_LOCK_FLAGS,
	TEXT_ADDRESS, /* the kernel prints hashes of pointers without 0x */
	TEXT_FUTEX_OP,
	TEXT_LONG, /* number and result of a system call */
};

/* @known: the line is one of text_known_pairs(). */
enum text_known_kind text_known_kind(struct span event, struct span field, bool known);

/* "R+", "S", "D|W"; "9"; "8,0"; "120": as a number; false: it is none */
bool text_known_value(enum text_known_kind kind, struct span text, u64 *v);

/* The arguments of a print fmt that print it: "%s%s", "%d [action=%s]", "%d,%d". */
extern const char text_known_state_args[], text_known_softirq_args[], text_known_device_args[],
	text_known_lock_args[];
