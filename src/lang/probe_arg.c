// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Checks one argument of a probe, EXPRESSION[:TYPE], as the kernel does before it fetches values.
 *
 * An expression is a register, a variable, an address, a symbol or an immediate value, or memory at
 * the address that another expression gives. It becomes a list of at most 15 steps; the type
 * decides how the last one stores its result. Corresponds to parse_probe_arg(),
 * finalize_fetch_insn() in trace_probe.c.
 */
#include "lang/probe_fetch.h"
#include "lang/word_text.h"

#define STRING_FMT "\\\"%s\\\""

enum { ARRAY_MAX = 64 };

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
	if (type &&
	    (f->rules->plain_args ? word_is_one_of(name, "char")
				  : f->out->is_user && word_is_one_of(name, "symbol symstr")))
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
