/* SPDX-License-Identifier: LGPL-2.1-only */
/* A bound field of a histogram: its kind, its operands, its name. */
#pragma once
#include "lang/lang.h"
#include "program/version.h"

/* Kinds of fields and display modifiers; several may be set. */
enum hist_field_flags {
	HIST_FIELD_FL_HITCOUNT = 1 << 0,
	HIST_FIELD_FL_KEY = 1 << 1,
	HIST_FIELD_FL_STRING = 1 << 2,
	HIST_FIELD_FL_HEX = 1 << 3,
	HIST_FIELD_FL_SYM = 1 << 4,
	HIST_FIELD_FL_SYM_OFFSET = 1 << 5,
	HIST_FIELD_FL_EXECNAME = 1 << 6,
	HIST_FIELD_FL_SYSCALL = 1 << 7,
	HIST_FIELD_FL_STACKTRACE = 1 << 8,
	HIST_FIELD_FL_LOG2 = 1 << 9,
	HIST_FIELD_FL_TIMESTAMP = 1 << 10,
	HIST_FIELD_FL_TIMESTAMP_USECS = 1 << 11,
	HIST_FIELD_FL_VAR = 1 << 12,
	HIST_FIELD_FL_EXPR = 1 << 13,
	HIST_FIELD_FL_VAR_REF = 1 << 14,
	HIST_FIELD_FL_CPU = 1 << 15,
	HIST_FIELD_FL_ALIAS = 1 << 16,
	HIST_FIELD_FL_BUCKET = 1 << 17,
	HIST_FIELD_FL_CONST = 1 << 18,
	HIST_FIELD_FL_PERCENT = 1 << 19,
	HIST_FIELD_FL_GRAPH = 1 << 20,
	HIST_FIELD_FL_COMM = 1 << 21,
	HIST_FIELD_FL_WHO = 1 << 22,      /* about the task whose pid ->field is */
	HIST_FIELD_FL_CODE = 1 << 23,     /* about the code at the address in ->field, or a stack */
	HIST_FIELD_FL_SYM_TEXT = 1 << 24, /* .sym of a text: up to the offset of SYMBOL+0xOFFSET */
	/* of values, and no kernel has them: parts of the rows that differ in the last key, of the
	 * time of a CPU, of ->ns of the row */
	HIST_FIELD_FL_SHARE = 1 << 25,
	HIST_FIELD_FL_OF_CPU = 1 << 26,
	HIST_FIELD_FL_MEAN = 1 << 27,
	HIST_FIELD_FL_PARTS = HIST_FIELD_FL_PERCENT | HIST_FIELD_FL_GRAPH | HIST_FIELD_FL_SHARE |
			      HIST_FIELD_FL_OF_CPU | HIST_FIELD_FL_MEAN,
};

/* The kind of a value, independent of the kernel's type. All except numbers are addresses. */
enum hist_kind {
	HIST_NUMBER,
	HIST_TEXT,
	HIST_TEXT_PART, /* a part of a string: the address of a string plus or minus a number */
	HIST_STACK,
	HIST_ADDRESS, /* computed from an address in another way: an invalid pointer */
};

/* How to divide; decided when the divisor is known to be constant. */
enum hist_division {
	DIVIDE_PLAIN,      /* divisor not constant */
	DIVIDE_POWER2,     /* shift */
	DIVIDE_NOT_POWER2, /* large constant: floor */
	DIVIDE_MULT_SHIFT, /* small constant: the kernel's approximation */
};

struct hist_data;

/*
 * The ranges of a rounded key that no kernel has: its number is the start of its range, with the
 * sign inverted, so that rows are in the order of their numbers.
 */
struct key_ranges {
	u64 sign;     /* the bit to invert: numbers are signed */
	u64 from;     /* the first range starts here; all numbers below are one, 0 */
	u64 to;       /* all numbers from here on are one range */
	bool bounded; /* .to is valid */
	u64 size;     /* 0: powers of two, and those below 0 are one range */
};

/* A key, a value, a variable, a reference or an operand of an expression. */
struct hist_field {
	u32 flags;
	const struct event_field *field; /* NULL: not a field of the record */
	enum hist_kind kind;
	const char *type; /* the kernel's type name; NULL prints as "(null)" */
	u32 size;         /* of a key: padded to 8 */
	bool is_signed;
	u32 offset; /* offset in the key */

	const char *label;               /* name in output and for sort=; never NULL */
	const char *name;                /* of a reference; text of an expression */
	u64 buckets;                     /* of .buckets */
	const struct key_ranges *ranges; /* NULL: as the kernel rounds */
	enum who_what who;               /* of HIST_FIELD_FL_WHO */
	enum code_what code;             /* of HIST_FIELD_FL_CODE */
	struct {                         /* the operands */
		enum expr_op op;         /* 0 with one operand: unary minus */
		struct hist_field *operands[2];
		enum hist_division division;
		u64 multiplier; /* for DIVIDE_MULT_SHIFT: derived from the divisor */
		u64 constant;
	} expr;
	struct {                                 /* of a reference or alias: the target variable */
		const char *system, *event_name; /* if qualified */
		u32 idx;                         /* index in the user's var_refs */
		bool read_once;                  /* reading unsets the variable */
	} ref;
	struct {
		const char *name; /* NULL: not a variable */
		u32 idx;          /* index in the owner's map */
		u32 str_idx;      /* of a string or stack: index among those of this trigger */
		struct hist_data *hist_data; /* the owner */
	} var;
	struct hist_data *hist_data; /* the trigger of this field */
};

/*
 * Whether the value of @f is the address of a string or stack, or computed from one. A recording
 * does not contain addresses: they are counted and shown as 0.
 */
static inline bool hist_field_is_address(const struct hist_field *f)
{
	return f->kind != HIST_NUMBER;
}

/* Whether the value of @f is the number of a text about a task. */
static inline bool hist_field_is_who_text(const struct hist_field *f)
{
	return f->flags & HIST_FIELD_FL_WHO && !who_is_number(f->who);
}

/* Whether the value of @f is the number of a text about code, or of several. */
static inline bool hist_field_is_code(const struct hist_field *f)
{
	return f->flags & HIST_FIELD_FL_CODE;
}

/* "ns" or "us"; NULL if @f is not a time, or its unit is not known. */
const char *time_unit_of(const struct hist_field *f);

/* "hex", "sym-offset", "buckets" ...; NULL without a modifier. */
const char *hist_field_modifier(const struct hist_field *f);

/* Whether a key is a stack with the name of a generic field, which older kernels show. */
bool hist_key_is_generic_stack(const struct hist_field *f);

/* Append [$]NAME[.MODIFIER], the form of an operand. */
void hist_field_operand_text(const struct hist_field *f, const struct kernel_quirks *q,
			     struct strbuf *out);
