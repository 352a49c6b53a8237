// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cuts the definition of a probe into its event, kind and fields, or finds the first complaint.
 *
 * Words are separated by white space, optional parts by ':'. Only properties that the text alone
 * determines are checked. Corresponds to trace_kprobe.c, trace_uprobe.c and trace_probe.c.
 */
#include "lang/probe_text.h"
#include "lang/word_text.h"

#define STRING_FMT "\\\"%s\\\""

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

static bool complain_probe(struct probe_text *out, enum probe_err err, struct span text)
{
	if (!out->bad)
		out->bad_text = text;
	if (!out->bad)
		out->err = err;
	out->bad = true;
	return false;
}

/* --- the type of an argument --- */

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

	if (!span_starts(name, "b") || !slash ||
	    !span_u64(span_between(slash + 1, name.s + name.n), &bits))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(containers); i++)
		if (bits == 8u << i)
			return find_type(span_of(containers[i]));
	return NULL;
}

/* The text after the ':' that ends the expression; quoted text may contain ':' itself. */
static struct span type_of(struct span body)
{
	const char *from = body.s, *quote = span_rchr(body, '"'), *colon;

	if (quote && span_starts(body, "\\\""))
		from = quote;
	colon = span_chr(span_between(from, body.s + body.n), ':');
	return colon ? span_between(colon + 1, body.s + body.n) : (struct span){ NULL, 0 };
}

/*
 * kernel: task names and quoted text are strings, everything else is a number of the size of an
 * address
 */
static const char *default_type(struct span body, u32 long_size)
{
	if (span_eq(body, "$comm") || span_eq(body, "$COMM") || span_starts(body, "\\\""))
		return "string";
	return long_size == 8 ? "x64" : "x32";
}

static bool cut_type(struct probe_arg *arg, u32 long_size, struct probe_text *out)
{
	struct span name = type_of(arg->body), count = name;
	const struct probe_type *type;
	u64 n = 0;

	arg->typed = name.s != NULL;
	if (!arg->typed)
		name = span_of(default_type(arg->body, long_size));
	else
		name = span_sep(&count, "[");
	if (arg->typed && count.s) {
		struct span number = span_sep(&count, "]");

		if (!count.s || count.n || !span_u64(number, &n) || !n)
			return complain_probe(out, PROBE_ERR_BAD_ARRAY_NUM, number);
		if (n > 64)
			return complain_probe(out, PROBE_ERR_ARRAY_TOO_BIG, number);
	}
	type = find_type(name);
	if (!type)
		type = bitfield_type(name);
	if (!type)
		return complain_probe(out, PROBE_ERR_BAD_TYPE, name);
	arg->type = type->size || long_size == 8 ? type->type : "u32";
	arg->fmt = type->fmt;
	arg->size = type->size ? type->size : long_size;
	arg->count = (u32)n;
	arg->is_signed = type->is_signed;
	return true;
}

/* --- arguments --- */

static bool is_taken(const struct probe_text *out, const char *name)
{
	for (size_t i = 0; i < out->n_args; i++)
		if (!strcmp(out->args[i].name, name))
			return true;
	return false;
}

static bool check_arg(struct span word, struct span name, const struct probe_arg *arg,
		      struct probe_text *out)
{
	if (name.s && !name.n)
		return complain_probe(out, PROBE_ERR_NO_ARG_NAME, word);
	if (strlen(arg->name) >= PROBE_ARG_NAME_MAX)
		return complain_probe(out, PROBE_ERR_ARG_NAME_TOO_LONG, word);
	if (!is_good_name(span_of(arg->name)))
		return complain_probe(out, PROBE_ERR_BAD_ARG_NAME, word);
	if (is_taken(out, arg->name))
		return complain_probe(out, PROBE_ERR_USED_ARG_NAME, word);
	if (!arg->body.n)
		return complain_probe(out, PROBE_ERR_NO_ARG_BODY, arg->body);
	if (!out->is_return && span_starts(arg->body, "$retval"))
		return complain_probe(out, PROBE_ERR_RETVAL_ON_PROBE, arg->body);
	return true;
}

static int cut_arg(struct arena *arena, struct span word, u32 long_size, struct probe_text *out)
{
	struct probe_arg *arg = &out->args[out->n_args];
	const char *equals = span_chr(word, '=');
	struct span name = { NULL, 0 };

	*arg = (struct probe_arg){ .body = word };
	if (equals) {
		name = span_between(word.s, equals);
		arg->body = span_between(equals + 1, word.s + word.n);
		arg->name = arena_strndup(arena, name.s, name.n);
	} else {
		arg->name = arena_printf(arena, "arg%zu", out->n_args + 1);
	}
	if (!arg->name)
		return HIST_NOMEM;
	if (check_arg(word, name, arg, out) && cut_type(arg, long_size, out))
		out->n_args++;
	return 0;
}

static size_t count_words(struct span text)
{
	size_t n = 0;

	while (next_word(&text).n)
		n++;
	return n;
}

static int cut_args(struct arena *arena, struct span rest, u32 long_size, struct probe_text *out)
{
	size_t n = count_words(rest);
	struct span word;
	int err = 0;

	out->args = arena_alloc(arena, (n + 1) * sizeof(*out->args));
	if (!out->args)
		return HIST_NOMEM;
	while (!err && !out->bad && (word = next_word(&rest)).n) {
		/* kernel: the error points at the argument that exceeds the limit */
		if (out->n_args == PROBE_ARGS_MAX)
			complain_probe(out, PROBE_ERR_TOO_MANY_ARGS, word);
		else
			err = cut_arg(arena, word, long_size, out);
	}
	return err;
}

/* --- the name --- */

/* f: SYMBOL__entry or SYMBOL__exit; e: the event of GROUP.EVENT; t: the tracepoint */
static char *made_other_name(struct arena *arena, const struct probe_text *out)
{
	struct span rest = out->where, name = span_sep(&rest, out->other == 'e' ? "./" : "%");

	if (out->other == 'f')
		return arena_printf(arena, "%.*s__%s", (int)name.n, name.s,
				    out->is_return ? "exit" : "entry");
	if (out->other == 'e' && rest.s)
		name = rest;
	return arena_strndup(arena, name.s, name.n);
}

/*
 * The name that the kernel derives from SYMBOL[+OFFSET] or PATH:OFFSET, in characters valid in C.
 */
static char *made_name(struct arena *arena, const struct probe_text *out)
{
	struct span where = out->where, symbol, offset, file;
	const char *slash, *at;
	char *name;
	u64 n = 0;

	if (out->is_user) {
		slash = span_rchr(where, '/');
		offset = slash ? span_between(slash + 1, where.s + where.n) : where;
		file = span_sep(&offset, ":");
		symbol = span_sep(&file, "-.");
		span_u64(span_sep(&offset, "(%"), &n);
		name = arena_printf(arena, "%c_%.*s_0x%llx", out->is_return ? 'r' : 'p',
				    (int)symbol.n, symbol.s, (unsigned long long)n);
	} else {
		offset = where;
		symbol = span_sep(&offset, "+%");
		if (offset.s)
			span_u64(offset, &n);
		at = span_chr(symbol, ':');
		if (at)
			symbol = span_between(at + 1, symbol.s + symbol.n);
		name = arena_printf(arena, "%c_%.*s_%llu", out->is_return ? 'r' : 'p',
				    (int)symbol.n, symbol.s, (unsigned long long)n);
	}
	for (char *p = name; p && *p; p++)
		if (!is_alpha(*p) && !is_digit(*p))
			*p = '_';
	return name;
}

static const char *default_group(const struct probe_text *out)
{
	switch (out->other) {
	case 'e':
		return "eprobes";
	case 'f':
		return "fprobes";
	case 't':
		return "tracepoints";
	default:
		return out->is_user ? "uprobes" : "kprobes";
	}
}

static void check_name(struct span group, struct span name, struct span written,
		       struct probe_text *out)
{
	if (group.s && !group.n)
		complain_probe(out, PROBE_ERR_NO_GROUP_NAME, written);
	else if (group.n >= PROBE_NAME_MAX)
		complain_probe(out, PROBE_ERR_GROUP_TOO_LONG, written);
	else if (group.n && !is_good_name(group))
		complain_probe(out, PROBE_ERR_BAD_GROUP_NAME, written);
	if (name.n >= PROBE_NAME_MAX)
		complain_probe(out, PROBE_ERR_EVENT_TOO_LONG, name);
	else if (name.n && !is_good_name(name))
		complain_probe(out, PROBE_ERR_BAD_EVENT_NAME, name);
}

/*
 * [GROUP/][EVENT], with the checks of traceprobe_parse_event_name(). kernel: for a removal,
 * dyn_event_release() checks only whether the event exists.
 */
static int cut_name(struct arena *arena, struct span written, struct probe_text *out)
{
	const char *slash = written.s ? span_chr(written, '/') : NULL;
	struct span group = { NULL, 0 }, name = written;

	if (!slash && written.s)
		slash = span_chr(written, '.');
	if (slash) {
		group = span_between(written.s, slash);
		name = span_between(slash + 1, written.s + written.n);
		out->group = arena_strndup(arena, group.s, group.n);
	} else if (!out->remove) {
		out->group = default_group(out);
	}
	if (!out->remove)
		check_name(group, name, written, out);
	if (name.n || out->remove)
		out->name = arena_strndup(arena, name.s, name.n);
	else
		out->name = out->other ? made_other_name(arena, out) : made_name(arena, out);
	return out->name && (out->group || !slash) ? 0 : HIST_NOMEM;
}

/* --- the line --- */

static void check_maxactive(struct probe_text *out)
{
	u64 n;

	if (!out->maxactive.n)
		return;
	if (!out->is_return && out->other != 'f')
		complain_probe(out, PROBE_ERR_BAD_MAXACT_TYPE, out->maxactive);
	else if (!span_u64(out->maxactive, &n) || !n)
		complain_probe(out, PROBE_ERR_BAD_MAXACT, out->maxactive);
	else if (n > 4096)
		complain_probe(out, PROBE_ERR_MAXACT_TOO_BIG, out->maxactive);
}

int probe_text_cut(struct arena *arena, struct span line, u32 long_size, struct probe_text *out)
{
	struct span rest = span_trim(line), name, kind;
	int err;

	*out = (struct probe_text){ .text = rest };
	if (!rest.n)
		return 0;
	name = next_word(&rest);
	kind = span_sep(&name, ":");
	out->remove = span_eq(kind, "-");
	out->is_return = span_starts(kind, "r");
	out->other = kind.n && strchr("eft", kind.s[0]) ? kind.s[0] : '\0';
	if (!out->remove && !out->is_return && !out->other && !span_starts(kind, "p"))
		return -HIST_ENOENT;
	if (out->remove)
		return cut_name(arena, name.s ? name : (struct span){ "", 0 }, out);
	out->where = next_word(&rest);
	out->rest = span_trim(rest);
	/* a symbol may have a module before it, but must not contain a slash */
	out->is_user = !out->other && span_chr(out->where, '/') && span_chr(out->where, ':');
	out->is_return |= out->where.n > 7 &&
			  !memcmp(out->where.s + out->where.n - 7, "%return", 7);
	if (!out->where.n)
		complain_probe(out, PROBE_ERR_BAD_PROBE_ADDR, out->text);
	out->maxactive = span_skip(kind, 1);
	check_maxactive(out);
	err = cut_name(arena, name, out);
	if (err || out->bad || out->other)
		return err;
	return cut_args(arena, rest, long_size, out);
}
