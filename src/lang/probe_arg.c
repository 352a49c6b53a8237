// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Checks one argument of a probe, EXPRESSION[:TYPE], as the kernel does before it fetches values.
 *
 * An expression is a register, a variable, an address, a symbol or an immediate value, or memory at
 * the address that another expression gives. It becomes a list of at most 15 steps; the type
 * decides how the last one stores its result. Corresponds to parse_probe_arg(),
 * finalize_fetch_insn() in trace_probe.c.
 */
#include "lang/probe_arg.h"
#include "lang/word_text.h"

#define STRING_FMT "\\\"%s\\\""

enum { STEPS_MAX = 15, NESTED_MAX = 8, ARRAY_MAX = 64, STACK_ENTRIES_MAX = 2048 };

/* --- types --- */

static const struct probe_type {
	const char *name, *type;
	u32 size; /* 0: the size of an address */
	bool is_signed;
	const char *fmt;
} types[] = {
	{ "u8", "u8", 1, false, "%u" },
	{ "u16", "u16", 2, false, "%u" },
	{ "u32", "u32", 4, false, "%u" },
	{ "u64", "u64", 8, false, "%Lu" },
	{ "s8", "s8", 1, true, "%d" },
	{ "s16", "s16", 2, true, "%d" },
	{ "s32", "s32", 4, true, "%d" },
	{ "s64", "s64", 8, true, "%Ld" },
	{ "x8", "u8", 1, false, "0x%x" },
	{ "x16", "u16", 2, false, "0x%x" },
	{ "x32", "u32", 4, false, "0x%x" },
	{ "x64", "u64", 8, false, "0x%Lx" },
	{ "char", "u8", 1, false, "'%c'" },
	{ "symbol", "u64", 0, false, "%pS" },
	{ "string", "__data_loc char[]", 4, true, STRING_FMT },
	{ "ustring", "__data_loc char[]", 4, true, STRING_FMT },
	{ "symstr", "__data_loc char[]", 4, true, STRING_FMT },
	{ "%pd", "__data_loc char[]", 4, true, STRING_FMT },
	{ "%pD", "__data_loc char[]", 4, true, STRING_FMT },
};

static const struct probe_type *find_type(struct span name)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (span_eq(name, types[i].name))
			return &types[i];
	return NULL;
}

/* bWIDTH@OFFSET/CONTAINER is an unsigned number of CONTAINER bits. */
static const struct probe_type *bitfield_type(struct span name)
{
	static const char *const containers[] = { "u8", "u16", "u32", "u64" };
	const char *slash = span_chr(name, '/');
	u64 bits;

	if (!slash || !span_u64(span_between(slash + 1, name.s + name.n), &bits))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(containers); i++)
		if (bits == 8u << i)
			return find_type(span_of(containers[i]));
	return NULL;
}

/* --- the argument being checked --- */

/* What the last step gives. */
enum fetched {
	FETCHED_REGISTER,
	FETCHED_NUMBER, /* an entry of the stack, an argument, a return value */
	FETCHED_STACK,  /* its address */
	FETCHED_IMMEDIATE,
	FETCHED_COMM,
	FETCHED_TEXT,
	FETCHED_FIELD, /* of the event of an eprobe */
	FETCHED_MEMORY,
	FETCHED_USER_MEMORY,
	FETCHED_UNKNOWN, /* an argument by its name: only BTF has its type */
};

struct fetch {
	struct probe_text *out;
	const struct probe_rules *rules;
	struct span word, body; /* of the argument */
	size_t at;              /* where the kernel reports the next error, an offset in the body */
	u32 step, nested;
	enum fetched what;
	struct span operand;
	bool in_field; /* memory that the field points to, */
	u32 skip;      /* that many bytes further */
	bool no_field; /* the event lacks it, which old kernels check last */
};

/* @at may be after the end of the body. */
static bool complain_at(struct fetch *f, enum probe_err err, size_t at)
{
	size_t start = min_t(size_t, at, f->body.n);

	if (!f->out->bad)
		f->out->bad_after = at - start;
	return complain_probe(f->out, err, span_skip(f->body, start));
}

static bool next_step(struct fetch *f)
{
	return ++f->step < STEPS_MAX || complain_at(f, PROBE_ERR_TOO_MANY_OPS, f->at);
}

static bool bad_var(struct fetch *f)
{
	return complain_at(f, f->rules->valiable ? PROBE_ERR_BAD_VALIABLE : PROBE_ERR_BAD_VAR,
			   f->at);
}

static bool fetched(struct fetch *f, enum fetched what)
{
	f->what = what;
	return true;
}

/* --- expressions --- */

static bool is_decimal(struct span text, u64 *n)
{
	for (size_t i = 0; i < text.n; i++)
		if (!is_digit(text.s[i]))
			return false;
	while (text.n > 1 && text.s[0] == '0')
		text = span_skip(text, 1);
	return span_u64(text, n);
}

/* A number with a sign. */
static bool is_number(struct span text)
{
	u64 n;

	if (span_starts(text, "-"))
		return text.n > 1 && is_digit(text.s[1]) && span_u64(span_skip(text, 1), &n);
	return span_u64(text, &n);
}

static bool is_one_of(struct span name, const char *names)
{
	struct span rest = span_of(names), word;

	while ((word = span_word(&rest)).n)
		if (span_same(word, name))
			return true;
	return false;
}

/* Of machines whose registers are not listed here, all names are accepted. */
static bool is_register(struct span name, const char *arch)
{
	static const char common[] = "bx cx dx si di bp ax orig_ax ip cs flags sp ss";
	u64 n;

	if (arch && !strcmp(arch, "x86_64"))
		return is_one_of(name, common) || is_one_of(name, "r8 r9 r10 r11 r12 r13 r14 r15");
	if (arch && arch[0] == 'i' && !strcmp(arch + 2, "86"))
		return is_one_of(name, common) || is_one_of(name, "ds es fs gs");
	if (arch && !strcmp(arch, "aarch64"))
		return is_one_of(name, "lr sp pc pstate") ||
		       (span_starts(name, "x") && is_decimal(span_skip(name, 1), &n) && n <= 30);
	return true;
}

static bool fetch_register(struct fetch *f, struct span name)
{
	if (f->out->other) {
		f->out->again = f->rules->two_errors;
		f->out->again_err = PROBE_ERR_BAD_FETCH_ARG;
		f->out->again_text = span_skip(f->body, min_t(size_t, f->at, f->body.n));
		return bad_var(f);
	}
	if (!is_register(name, f->rules->arch))
		return complain_at(f, PROBE_ERR_BAD_REG_NAME, f->at);
	return fetched(f, FETCHED_REGISTER);
}

static bool fetch_stack(struct fetch *f, struct span number)
{
	u64 n;

	if (!number.n)
		return fetched(f, FETCHED_STACK);
	if (!is_decimal(number, &n))
		return bad_var(f);
	if (!f->out->is_user && n > STACK_ENTRIES_MAX)
		return complain_at(f, PROBE_ERR_BAD_STACK_NUM, f->at);
	return fetched(f, FETCHED_NUMBER);
}

/* $argN; whether the probe is at the start of a function is only known for uprobes, which are not
 */
static bool fetch_arg(struct fetch *f, struct span number)
{
	bool old = f->rules->plain_args;
	u64 n;

	if ((old && (f->out->is_user || f->out->is_return)) || !is_decimal(number, &n))
		return bad_var(f);
	if (!n || n > STACK_ENTRIES_MAX)
		return complain_at(f, PROBE_ERR_BAD_ARG_NUM, f->at);
	if (f->out->is_user)
		return complain_at(f, PROBE_ERR_NOFENTRY_ARGS, f->at);
	return fetched(f, FETCHED_NUMBER);
}

static bool is_comm(struct span name)
{
	return span_eq(name, "comm") || span_eq(name, "COMM");
}

static bool is_field(struct fetch *f, struct span name)
{
	for (size_t i = 0; f->rules->fields[i]; i++) {
		if (!span_eq(name, f->rules->fields[i]))
			continue;
		f->operand = name;
		return fetched(f, FETCHED_FIELD);
	}
	return false;
}

/* Of an eprobe. */
static bool fetch_event_variable(struct fetch *f, struct span name)
{
	if (is_field(f, name))
		return true;
	if (is_comm(name))
		return fetched(f, FETCHED_COMM);
	f->no_field = f->rules->plain_args;
	if (f->no_field)
		return fetched(f, FETCHED_FIELD);
	return f->rules->var_at_word ? complain_probe(f->out, PROBE_ERR_BAD_VALIABLE, f->word)
				     : bad_var(f);
}

static bool fetch_variable(struct fetch *f, struct span name)
{
	if (f->out->other == 'e')
		return fetch_event_variable(f, name);
	if (f->rules->plain_args ? span_eq(name, "retval") : span_starts(name, "retval"))
		return f->out->is_return ? fetched(f, FETCHED_NUMBER)
					 : complain_at(f, PROBE_ERR_RETVAL_ON_PROBE, f->at);
	if (span_starts(name, "stack"))
		return fetch_stack(f, span_skip(name, 5));
	if (is_comm(name))
		return fetched(f, FETCHED_COMM);
	/* the task; what follows -> is of its type in BTF */
	if (f->rules->casts && span_starts(name, "current") && !f->out->is_user) {
		if (name.n == strlen("current"))
			return fetched(f, FETCHED_NUMBER);
		return name.s[strlen("current")] == '-' ? fetched(f, FETCHED_UNKNOWN) : bad_var(f);
	}
	if (span_starts(name, "arg"))
		return fetch_arg(f, span_skip(name, 3));
	return bad_var(f);
}

bool is_symbol(struct span name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!is_alpha(name.s[i]) && !(i && is_digit(name.s[i])) &&
		    !strchr("_.$:*?", name.s[i]))
			return false;
	return name.n > 0;
}

/* Memory at an address or a symbol, or at an offset in the file of a uprobe. */
static bool fetch_address(struct fetch *f, struct span place)
{
	struct span symbol; /* with an offset */
	u64 n;

	if (place.n && is_digit(place.s[0])) {
		if (!span_u64(place, &n))
			return complain_at(f, PROBE_ERR_BAD_MEM_ADDR, f->at);
	} else if (span_starts(place, "+")) {
		if (!f->out->is_user)
			return complain_at(f,
					   f->rules->casts ? PROBE_ERR_FILE_ON_KERNEL_PROBE
							   : PROBE_ERR_FILE_ON_KPROBE,
					   f->at);
		if (!is_number(span_skip(place, 1)))
			return complain_at(f, PROBE_ERR_BAD_FILE_OFFS, f->at);
	} else {
		if (f->out->is_user)
			return complain_at(f, PROBE_ERR_SYM_ON_UPROBE, f->at);
		if (!next_step(f))
			return false;
		symbol = span_sep(&place, "+-");
		f->out->bad_symbol |= !is_symbol(symbol);
		f->out->bad_offset |= place.s && !is_number(place);
	}
	return next_step(f) && fetched(f, FETCHED_MEMORY);
}

static bool fetch_immediate(struct fetch *f, struct span value)
{
	if (span_starts(value, "\"")) {
		if (value.n < 2 || value.s[value.n - 1] != '"')
			return complain_at(f, PROBE_ERR_IMMSTR_NO_CLOSE, f->at + 1 + value.n);
		f->operand = (struct span){ value.s + 1, value.n - 2 };
		return fetched(f, FETCHED_TEXT);
	}
	if (!value.n || !(is_digit(value.s[0]) || value.s[0] == '-' || value.s[0] == '+') ||
	    !is_number(span_starts(value, "+") ? span_skip(value, 1) : value))
		return complain_at(f, PROBE_ERR_BAD_IMM, f->at + 1);
	f->operand = value;
	return fetched(f, FETCHED_IMMEDIATE);
}

static bool fetch_expression(struct fetch *f, struct span text);

/* [u]OFFSET(EXPRESSION), after the sign; what follows the last ')' is ignored. */
static bool fetch_memory(struct fetch *f, char sign, struct span text)
{
	bool user = span_starts(text, "u");
	struct span number = user ? span_skip(text, 1) : text, inner = number;
	const char *brace = span_chr(number, '('), *end;
	size_t before = f->at, inside;
	u64 skip = 0;

	if (!brace)
		return complain_at(f, PROBE_ERR_DEREF_NEED_BRACE, f->at);
	number = span_sep(&inner, "(");
	if (sign == '-' ? !number.n || !is_digit(number.s[0]) || !is_number(number)
			: !is_number(number))
		return complain_at(f, PROBE_ERR_BAD_DEREF_OFFS, f->at);
	/* kernel: it does not count the u */
	f->at += number.n + 1 + !(sign == '+' && number.s[0] == '-');
	end = span_rchr(inner, ')');
	if (!end)
		return complain_at(f, PROBE_ERR_DEREF_OPEN_BRACE, f->at + inner.n);
	text = (struct span){ inner.s, (size_t)(end - inner.s) };
	inside = f->at;
	if (!fetch_expression(f, text))
		return false;
	f->at = inside;
	if (f->what == FETCHED_COMM || f->what == FETCHED_TEXT)
		return complain_at(f, PROBE_ERR_COMM_CANT_DEREF, f->at);
	if (!next_step(f))
		return false;
	f->in_field = f->what == FETCHED_FIELD && sign == '+' && !user && span_u64(number, &skip) &&
		      skip <= PROBE_SIZE_MAX;
	f->skip = (u32)skip;
	/* kernel: later errors are this much further right, except in old ones */
	if (f->rules->plain_args)
		f->at = before;
	return fetched(f, user ? FETCHED_USER_MEMORY : FETCHED_MEMORY);
}

/* An argument of the function by its name: BTF has it, or not. */
static bool fetch_named(struct fetch *f, struct span name)
{
	if (f->rules->casts && f->out->other == 'e')
		return is_field(f, name) || complain_at(f, PROBE_ERR_NO_EVENT_FIELD, f->at);
	if (f->rules->plain_args)
		return complain_at(f, PROBE_ERR_BAD_FETCH_ARG, f->at);
	if (f->out->is_user || f->out->other == 'e')
		return complain_at(f, PROBE_ERR_NOSUP_BTFARG, f->at);
	return fetched(f, FETCHED_UNKNOWN);
}

static bool fetch_expression(struct fetch *f, struct span text)
{
	char first = text.n ? text.s[0] : '\0';
	struct span rest = text.n ? span_skip(text, 1) : text;

	if (f->rules->casts && first && strchr("+-(", first) && ++f->nested > NESTED_MAX)
		return complain_at(f, PROBE_ERR_TOO_MANY_NESTED, f->at);
	switch (first) {
	case '$':
		return fetch_variable(f, rest);
	case '%':
		return fetch_register(f, rest);
	case '@':
		return fetch_address(f, rest);
	case '+':
	case '-':
		return fetch_memory(f, first, rest);
	case '\\':
		return fetch_immediate(f, rest);
	}
	if (is_alpha(first) || first == '_')
		return fetch_named(f, text);
	if (first != '(' || (!f->rules->casts && !f->rules->event_casts))
		return complain_at(f, PROBE_ERR_BAD_FETCH_ARG, f->at);
	/* a type of BTF, and a field of it */
	if (!f->rules->casts && f->out->other != 'e')
		return complain_at(f, PROBE_ERR_TYPECAST_NOT_EVENT, f->at);
	if (!span_chr(text, ')'))
		return complain_at(f, PROBE_ERR_DEREF_OPEN_BRACE, f->at + text.n);
	return fetched(f, FETCHED_UNKNOWN);
}

/* --- storing --- */

static bool check_bitfield(struct span name, const struct probe_type *type, struct probe_arg *arg)
{
	struct span offset = span_skip(name, 1), width = span_sep(&offset, "@"), rest = offset;
	u64 bits, at;

	if (!offset.s)
		return false;
	offset = span_sep(&rest, "/");
	if (!span_u64(width, &bits) || !bits || !span_u64(offset, &at) || at > 64 || bits > 64 ||
	    bits + at > 8 * (u64)type->size)
		return false;
	arg->bits = (u8)bits;
	arg->bits_at = (u8)at;
	return true;
}

static bool can_be_string(enum fetched what, bool is_symbol)
{
	if (what == FETCHED_FIELD)
		return true;
	if (is_symbol)
		return what == FETCHED_REGISTER || what == FETCHED_NUMBER || what == FETCHED_MEMORY;
	return what == FETCHED_MEMORY || what == FETCHED_USER_MEMORY || what == FETCHED_IMMEDIATE ||
	       what == FETCHED_COMM || what == FETCHED_TEXT;
}

/* Whether the type fits what was fetched. @at: the place of the type, or of the body without one */
static bool check_store(struct fetch *f, struct probe_arg *arg, struct span name,
			const struct probe_type *type, size_t at)
{
	bool is_string = type->type[0] == '_', is_symbol = !strcmp(type->name, "symstr");
	bool memory;

	if (type->name[0] == '%') /* the name of a dentry or a file, in memory */
		f->what = FETCHED_MEMORY;
	memory = f->what == FETCHED_MEMORY || f->what == FETCHED_USER_MEMORY;
	if (is_string && !can_be_string(f->what, is_symbol))
		return complain_at(f, is_symbol ? PROBE_ERR_BAD_SYMSTRING : PROBE_ERR_BAD_STRING,
				   at);
	if ((is_string ? is_symbol || !memory || arg->count : !memory) && !next_step(f))
		return false;
	if (arg->typed && span_starts(name, "b") &&
	    (!check_bitfield(name, type, arg) || ++f->step >= STEPS_MAX))
		return complain_at(f, PROBE_ERR_BAD_BITFIELD, at);
	if (!arg->count)
		return true;
	if (is_string ? is_symbol : f->what != FETCHED_MEMORY)
		return complain_at(f, PROBE_ERR_BAD_STRING, at);
	return next_step(f);
}

/* --- the type of an argument --- */

/* [COUNT], without its first bracket */
static bool check_count(struct fetch *f, struct span count, u32 *out)
{
	size_t at = (size_t)(count.s - f->body.s);
	const char *end = span_chr(count, ']');
	u64 n;

	if (!end)
		return complain_at(f, PROBE_ERR_ARRAY_NO_CLOSE, at + count.n);
	if (end + 1 != count.s + count.n)
		return complain_at(f, PROBE_ERR_BAD_ARRAY_SUFFIX, (size_t)(end + 1 - f->body.s));
	count.n--;
	if (!span_u64(count, &n) || !n || n > UINT32_MAX)
		return complain_at(f, PROBE_ERR_BAD_ARRAY_NUM, at);
	if (n > ARRAY_MAX)
		return complain_at(f, PROBE_ERR_ARRAY_TOO_BIG, at);
	*out = (u32)n;
	return true;
}

/* @typed, without the number of elements: NULL with a complaint. */
static const struct probe_type *type_of(struct fetch *f, struct span expression, struct span name,
					const struct probe_arg *arg)
{
	bool is_text = f->out->other != 'e' &&
		       (span_eq(expression, "$comm") || span_eq(expression, "$COMM") ||
			span_starts(expression, "\\\""));
	size_t at = arg->typed ? (size_t)(name.s - f->body.s) : 0;
	const struct probe_type *type;

	if (is_text && (arg->count || (arg->typed && !span_eq(name, "string")))) {
		if (f->rules->plain_args)
			complain_probe_silently(f->out, f->body, "its type must be string");
		else
			complain_at(f, PROBE_ERR_NEED_STRING_TYPE, at);
		return NULL;
	}
	if (!arg->typed)
		name = span_of(is_text ? "string" : f->rules->long_size == 8 ? "x64" : "x32");
	type = span_starts(name, "b") ? bitfield_type(name) : find_type(name);
	if (type && (f->rules->plain_args || f->out->is_user || f->out->other == 'e') && name.n &&
	    name.s[0] == '%')
		type = NULL; /* a dentry or a file: only of arguments of functions */
	if (type && (f->rules->plain_args ? is_one_of(name, "char")
					  : f->out->is_user && is_one_of(name, "symbol symstr")))
		type = NULL;
	if (!type)
		complain_at(f, PROBE_ERR_BAD_TYPE, at);
	return type;
}

static bool take_room(struct fetch *f, const struct probe_arg *arg, u32 *room)
{
	u32 size = arg->size * (arg->count ? arg->count : 1);

	if (size > *room)
		return complain_at(f, PROBE_ERR_EVENT_TOO_BIG, f->at);
	*room -= size;
	return true;
}

/* Strings and numbers of the record, the name of the task, constants. */
static void set_source(struct probe_arg *arg, const struct fetch *f, const struct probe_type *type)
{
	bool is_text = !strcmp(type->name, "string") || !strcmp(type->name, "ustring");

	if (arg->count || (type->type[0] == '_' && !is_text))
		return;
	arg->operand = f->operand;
	arg->skip = f->skip;
	if (f->what == FETCHED_FIELD)
		arg->source = PROBE_FIELD;
	else if (f->what == FETCHED_MEMORY && f->in_field && strcmp(type->name, "ustring") != 0)
		arg->source = PROBE_IN_FIELD;
	else if (f->what == FETCHED_IMMEDIATE && !is_text)
		arg->source = PROBE_NUMBER;
	else if (f->what == FETCHED_COMM && is_text)
		arg->source = PROBE_COMM;
	else if (f->what == FETCHED_TEXT && is_text)
		arg->source = PROBE_TEXT;
}

bool probe_arg_check(struct probe_arg *arg, const struct probe_rules *rules, u32 *room,
		     struct probe_text *out)
{
	struct fetch f = { .out = out, .rules = rules, .word = arg->word, .body = arg->body };
	struct span name = arg->body, expression = span_sep(&name, ":"), count = name;
	const struct probe_type *type;

	if (arg->body.n > (rules->casts ? 255 : 63))
		return complain_at(&f, PROBE_ERR_ARG_TOO_LONG, 0);
	if (!arg->body.n)
		return complain_at(&f, PROBE_ERR_NO_ARG_BODY, 0);
	arg->typed = name.s != NULL;
	if (arg->typed)
		name = span_sep(&count, "[");
	if (count.s && !check_count(&f, count, &arg->count))
		return false;
	type = type_of(&f, expression, name, arg);
	if (!type)
		return false;
	arg->type = type->size || rules->long_size == 8 ? type->type : "u32";
	arg->fmt = type->fmt;
	arg->size = type->size ? type->size : rules->long_size;
	arg->is_signed = type->is_signed;
	if (rules->plain_args && !take_room(&f, arg, room))
		return false;
	if (!fetch_expression(&f, expression))
		return false;
	set_source(arg, &f, type);
	if (!rules->plain_args && !take_room(&f, arg, room))
		return false;
	if (f.what != FETCHED_UNKNOWN &&
	    !check_store(&f, arg, name, type,
			 f.at + (arg->typed ? (size_t)(name.s - arg->body.s) : 0)))
		return false;
	return !f.no_field || complain_probe(out, PROBE_ERR_BAD_ATTACH_ARG, arg->word);
}
