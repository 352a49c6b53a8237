/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Expressions: keys, values and the right-hand sides of variables.
 *
 * The tree has the shape in which the kernel evaluates: a - b - c is (a - b) - c. In a walk of
 * node, left, right, the first complaint is the one that the kernel reports.
 */
#pragma once
#include "lang/complaint.h"

enum expr_kind { EXPR_ATOM, EXPR_UNARY_MINUS, EXPR_BINARY, EXPR_BAD };

enum expr_op { EXPR_MINUS = '-', EXPR_PLUS = '+', EXPR_DIV = '/', EXPR_MULT = '*' };

struct expr {
	enum expr_kind kind;
	struct span text;
	enum expr_op op;           /* of EXPR_BINARY */
	struct expr *left, *right; /* EXPR_UNARY_MINUS: left only */
	struct complaint bad;      /* of EXPR_BAD */
};

/**
 * expr_cut() - cut @text into a tree
 *
 * Return: NULL only if out of memory
 * Source: contains_operator(), parse_expr(), parse_unary() @ v6.12
 */
struct expr *expr_cut(struct arena *arena, struct span text);

/* Whether the kernel sees an operator in @text. */
bool expr_has_operator(struct span text);

/* [SYSTEM.EVENT.]NAME, where NAME may be $VARIABLE or FIELD[.MODIFIER]. */
struct atom {
	struct span system, event; /* absent if there were fewer than two dots */
	struct span name;          /* the rest */
};

void atom_cut(struct span text, struct atom *out);

/* Whether @name has the form of a variable reference. */
static inline bool is_var_ref(struct span name)
{
	return name.n >= 2 && name.s[0] == '$';
}

/* What may be asked about the task of a pid. ORDER who_words in expr.c */
enum who_what {
	WHO_TGID,    /* the pid of its process; -1: unknown */
	WHO_UID,     /* the user of its process; -1: unknown */
	WHO_TASK,    /* its name and pid */
	WHO_PROCESS, /* the name of the leader of its process, and the pid of that */
	WHO_CGROUP,
	WHO_CMDLINE,
	N_WHO,
};

/* What may be asked about the code at an address, or of a stack. ORDER code_words in expr.c */
enum code_what {
	CODE_SYM, /* the function */
	CODE_DSO, /* the file that contains it */
	CODE_SRCLINE,
	CODE_USTACK, /* the functions that called it in the program */
	CODE_STACK,  /* the same, after those of the kernel */
	N_CODE,
};

enum modifier {
	MODIFIER_NONE,
	MODIFIER_HEX,
	MODIFIER_SYM,
	MODIFIER_SYM_OFFSET,
	MODIFIER_EXECNAME,
	MODIFIER_SYSCALL,
	MODIFIER_STACKTRACE,
	MODIFIER_LOG2,
	MODIFIER_USECS,
	MODIFIER_BUCKETS,
	MODIFIER_LHIST, /* no kernel has it */
	MODIFIER_PERCENT,
	MODIFIER_GRAPH,
	MODIFIER_SHARE, /* this and the next two: no kernel has them */
	MODIFIER_OF_CPU,
	MODIFIER_MEAN,
	MODIFIER_WHO,  /* of a pid: see enum who_what */
	MODIFIER_CODE, /* of an address: see enum code_what */
	MODIFIER_BAD,
};

/* FIELD[.MODIFIER] */
struct field_text {
	struct span name;
	enum modifier modifier;
	u64 buckets;  /* the size of ranges */
	u64 from, to; /* of MODIFIER_LHIST: where they start and end */
	bool timed;   /* numbers have units, and are ns; kernels know no units */
	enum who_what who;
	enum code_what code;
	struct span bad; /* of MODIFIER_BAD and those that no kernel has: the text that the kernel
			    marks */
};

void field_text_cut(struct span text, struct field_text *out);

/* The question with that name, such as "process"; N_WHO: none. */
enum who_what who_find(struct span word);

static inline bool who_is_number(enum who_what what)
{
	return what <= WHO_UID;
}

const char *who_word(enum who_what what);

/* The same about code, such as "dso"; N_CODE: none. */
enum code_what code_find(struct span word);
const char *code_word(enum code_what what);

/* The same of a field common_NAME, which every event has. */
enum who_what who_find_common(struct span name);

/* CODE_USTACK and CODE_STACK by these names, with common_ or without. */
enum code_what code_find_stack(struct span name);
