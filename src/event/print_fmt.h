/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Private to event: the "print fmt" of an event as a format and a tree for each argument.
 *
 * A print fmt is C code from the kernel's sources: casts, arithmetic, conditions, and a dozen
 * macros that name flags or print arrays. The kernel compiles it; here it is parsed once
 * (print_parse.c) and evaluated for each record (print_eval.c, printf.c).
 */
#pragma once
#include "event/event_db.h"

enum print_op {
	PRINT_UNKNOWN, /* data that no recording contains */
	PRINT_NUMBER,
	PRINT_STRING,
	PRINT_FIELD,       /* its value; for an array its memory */
	PRINT_MEMORY,      /* &REC->field */
	PRINT_LOC,         /* the word of a __data_loc or __rel_loc field */
	PRINT_DYNAMIC,     /* the memory to which such a field points */
	PRINT_DYNAMIC_LEN, /* and its length */
	PRINT_UNARY,
	PRINT_BINARY,
	PRINT_COND,
	PRINT_CAST,
	PRINT_INDEX,
	PRINT_DEREF,
	PRINT_FLAGS,    /* __print_flags(a, delimiter, names) */
	PRINT_SYMBOLIC, /* __print_symbolic(a, names) */
	PRINT_HEX,      /* __print_hex(a, b) */
	PRINT_HEX_STR,
	PRINT_ARRAY,   /* __print_array(a, b, c) */
	PRINT_BITMASK, /* __get_bitmask() of the memory a */
	PRINT_BITMASK_LIST,
	PRINT_SWAP, /* a with its bytes swapped */
};

struct print_type {
	u8 size; /* 0: that of the value */
	bool is_signed;
	u8 element; /* for a pointer: the size of its target; 0 if unknown */
	bool is_pointer;
};

struct print_name {
	u64 value;
	const char *text;
};

struct print_expr {
	enum print_op op;
	char oper;              /* of PRINT_UNARY and PRINT_BINARY, see print_parse.c */
	struct print_type type; /* of a cast, of a number, of a field (print_type_of()) */
	bool is_memory;         /* of a field: an array, or a structure */
	u64 number;
	const char *text; /* of a string; delimiter of flags */
	const struct event_field *field;
	const struct print_expr *a, *b, *c;
	size_t n_names;
	const struct print_name *names;
	bool names_unknown; /* there are more names, with unknown values */
};

/* A conversion, the text after a '%'. */
struct printf_spec {
	bool left, plus, space, alternate, zero;
	bool upper, is_signed;
	bool plain; /* of a number: only its digits, and the sign of a negative one */
	u8 base;
	u8 size;                       /* of an integer, in bytes */
	char conversion;               /* its letter; NUL at the end of the format */
	int width, precision;          /* -1: none */
	bool width_arg, precision_arg; /* '*': the next argument */
};

/* A part of a format: text, then a conversion, except after the last one. */
struct printf_piece {
	const char *percent; /* the end of the text */
	const char *after;   /* the conversion */
	struct printf_spec spec;
};

struct event_print {
	struct event_db *db;
	const struct tep_event *handled; /* printed by a plugin; NULL: none */
	u32 min_size;                    /* fields that a plugin may rely on */
	const char *format;              /* NULL: only the plugin can print it */
	size_t n_pieces;
	const struct printf_piece *pieces; /* of the format */
	size_t n_args;
	const struct print_expr *const *args;
	bool loses_text; /* see event_print_lose_text() */
	const struct event_field
		*call; /* arguments of the function that args[0] names; NULL: none */
};

/* A two-character operator as one number. */
enum {
	OPER_SHL = 'l',
	OPER_SHR = 'r',
	OPER_LE = '(',
	OPER_GE = ')',
	OPER_EQ = '=',
	OPER_NE = '#',
	OPER_AND = 'a',
	OPER_OR = 'o'
};

/* --- evaluating --- */

enum print_kind { PRINTED_UNKNOWN, PRINTED_NUMBER, PRINTED_MEMORY, PRINTED_TEXT };

struct print_value {
	enum print_kind kind;
	u64 number; /* sign- or zero-extended */
	struct print_type type;
	struct span bytes; /* memory of the record, or text */
};

struct print_ctx {
	struct event_db *db;
	const u8 *rec; /* NULL: constants only */
	u32 len;
	struct strbuf text; /* output of the macros */
};

/* The value of an implicitly known kernel constant; false for other names. */
bool print_constant(struct event_db *db, struct span name, u64 *value);

void print_eval(struct print_ctx *ctx, const struct print_expr *e, struct print_value *v);

/* As print_field_number(), of an element of an array in a field whose index is a constant. */
bool print_element_number(const struct print_ctx *ctx, const struct print_expr *e, u64 *number);

/* The number of a field, extended by its sign; false: it is not one, or not in the record. */
static inline bool print_field_number(const struct print_ctx *ctx, const struct print_expr *e,
				      u64 *number)
{
	const struct event_field *f = e->field;
	unsigned int shift;

	if (e->op == PRINT_INDEX)
		return print_element_number(ctx, e, number);
	if (e->op != PRINT_FIELD || e->is_memory || !ctx->rec ||
	    (u64)f->offset + f->size > ctx->len)
		return false;
	shift = 64 - 8 * f->size;
	*number = load_uint(ctx->rec + f->offset, f->size, ctx->db->machine.big_endian) << shift;
	*number = e->type.is_signed ? (u64)((s64)*number >> shift) : *number >> shift;
	return true;
}

void print_set_field(const struct event_db *db, struct print_expr *e,
		     const struct event_field *field);

/* --- print_type.c --- */

/* The type of a field in memory; for an array the type of its elements. */
struct print_type print_type_of(const struct event_db *db, const struct event_field *field);
/* Of the elements of an array, also of one that __data_loc or __rel_loc has. */
struct print_type print_element_type(const struct event_db *db, const struct event_field *array);

/* The type with that name, such as "unsigned long"; ->size is 0 if it is unknown. */
struct print_type print_type_named(const struct event_db *db, struct span name);

/* --- printf.c, printf_put.c, printf_ptr.c: the kernel's vsprintf() --- */

/* Cut a conversion; returns the text after it, which for %p begins with more letters. */
const char *printf_cut(const char *p, u32 long_size, struct printf_spec *spec);

/* Cut a format into pieces. Return: 0, -HIST_ENOMEM */
int printf_cut_all(struct event_print *print, struct arena *arena);

/*
 * kernel: a probe's string of no bytes, not even the NUL, could not be read: (fault) without the
 * quotes around it. Strings of other events contain a NUL.
 */
bool printf_may_fault(const struct print_expr *arg, const struct strbuf *before, const char *after);

void printf_number(struct strbuf *out, const struct printf_spec *spec, u64 v);
/* All of the text, NUL bytes, too. */
void printf_padded(struct strbuf *out, const struct printf_spec *spec, struct span text);
void printf_text(struct strbuf *out, const struct printf_spec *spec, struct span text);

/* %p and the letters after it; returns the number of letters used. */
size_t printf_pointer(struct strbuf *out, const struct print_ctx *ctx, struct printf_spec spec,
		      const char *letters, const struct print_value *v);
