/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Filters: predicates joined by &&, ||, ! and parentheses.
 *
 * The kernel reads from left to right and binds each predicate as it finds it. The predicates are
 * listed in that order; bind them one by one, then report the complaint about the rest, if there is
 * one.
 */
#pragma once
#include "lang/expr.h"

/* ORDER filter_ops[] in filter_text.c: an operator comes before its prefixes */
enum filter_op { OP_GLOB, OP_NE, OP_EQ, OP_LE, OP_LT, OP_GE, OP_GT, OP_BAND, OP_NONE };

enum filter_operand {
	OPERAND_NONE,            /* none of the following */
	OPERAND_NUMBER,          /* 12, -3, 0xff */
	OPERAND_STRING,          /* "..." or '...' */
	OPERAND_CPUS,            /* CPUS{0-3} */
	OPERAND_FUNCTION,        /* a name, after .function */
	OPERAND_FUNCTION_NUMBER, /* an address, after .function */
	OPERAND_WORD,            /* openat, 10ms, -EAGAIN, kworker*: of questions */
};

/*
 * A predicate: FIELD[.WHO|.CODE][.ustring][.function] OP OPERAND. Positions are offsets in the
 * filter's text. In a truncated predicate .op or .operand is NONE, or .err is the error of the
 * operand itself.
 */
struct filter_pred_text {
	struct span field; /* empty: the kernel found no field name */
	bool ustring, function;
	enum who_what who;   /* N_WHO: none */
	enum code_what code; /* CODE_SYM to CODE_SRCLINE; N_CODE: none */
	enum filter_op op;
	enum filter_operand operand;
	struct span value; /* without quotes and braces */
	size_t start, field_end, op_at, operand_at;
	enum filt_err err; /* FILT_ERR_NONE, or found after the checks of field and operator */
	size_t err_at;
};

enum filter_node_kind { FILTER_PRED, FILTER_NOT, FILTER_AND, FILTER_OR };

struct filter_node {
	enum filter_node_kind kind;
	size_t pred;                      /* of FILTER_PRED: index into preds */
	struct filter_node *left, *right; /* FILTER_NOT: left only */
};

struct filter_text {
	struct span text;
	size_t n_preds;
	struct filter_pred_text *preds;
	struct filter_node *root; /* NULL if there is a complaint */
	bool bad;                 /* a complaint reported after binding the predicates */
	enum filt_err err;        /* FILT_ERR_ERRNO: the kernel logs nothing */
	size_t err_at;
};

/* Filter features that depend on the kernel version. */
struct filter_syntax {
	bool cpus;     /* CPUS{} */
	bool function; /* .function */
	bool who;      /* .process, .dso and the like, which no kernel has */
	bool open_end; /* a last && or || without a predicate is ignored */
	bool words;    /* names and units for numbers, which no kernel has */
};

/**
 * filter_cut() - cut a filter into predicates and their combination
 *
 * Return: 0 (also for a malformed filter), -HIST_ENOMEM
 * Source: calc_stack(), predicate_parse(), parse_pred() @ v6.12
 */
int filter_cut(struct arena *arena, struct span text, const struct filter_syntax *syntax,
	       struct filter_text *out);

/*
 * Set the bits of the CPUs in a list of ranges between commas or blanks; false if one is malformed
 * or beyond the last CPU.
 */
bool cpu_list_parse(struct span list, u64 *cpus, u32 nr_cpus);

/* How to match the pattern of a '~'; the kernel's MATCH_* */
enum filter_match { MATCH_FULL, MATCH_FRONT_ONLY, MATCH_MIDDLE_ONLY, MATCH_END_ONLY, MATCH_GLOB };

struct filter_pattern {
	enum filter_match match;
	struct span text; /* without the stars that .match implies */
	bool negated;     /* a leading '!' */
	bool ends_at_nul; /* exact rules: whatever follows the NUL of the field */
};

/* @exact: by the exact rules */
void filter_pattern_cut(struct span text, bool exact, struct filter_pattern *out);
