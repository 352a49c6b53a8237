// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cuts the definition of a synthetic event: its name and its fields with their types, sizes and
 * signs; or finds the first complaint.
 *
 * Fields are separated by ';'; within a piece, words are separated by white space, and a piece may
 * contain several "type name" pairs (the oldest form). Brackets may belong to either word.
 * Corresponds to trace_events_synth.c.
 */
#include "lang/synth_text.h"
#include "lang/word_text.h"

static const struct {
	const char *name;
	u32 size; /* 0: size of the kernel's long */
	const char *fmt;
} types[] = {
	{ "s64", 8, "%lld" }, { "u64", 8, "%llu" },
	{ "s32", 4, "%d" },   { "u32", 4, "%u" },
	{ "s16", 2, "%d" },   { "u16", 2, "%u" },
	{ "s8", 1, "%d" },    { "u8", 1, "%u" },
	{ "char", 1, "%d" },  { "unsigned char", 1, "%u" },
	{ "int", 4, "%d" },   { "unsigned int", 4, "%u" },
	{ "long", 0, "%ld" }, { "unsigned long", 0, "%lu" },
	{ "bool", 1, "%d" },  { "pid_t", 4, "%d" },
	{ "gfp_t", 4, "%x" },
};

const char *synth_field_fmt(const char *type)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(type, types[i].name))
			return types[i].fmt;
	return "%s";
}

static void complain_synth(struct synth_text *out, enum synth_err err, struct span text)
{
	if (out->bad)
		return;
	out->bad = true;
	out->err = err;
	out->bad_text = text;
}

/* Size of a type: 0 if dynamic or unknown, -1 if the length of a string is invalid. */
static int type_size(struct span type, u32 long_size, struct synth_field_text *f)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (span_eq(type, types[i].name))
			return (int)(types[i].size ? types[i].size : long_size);
	f->is_string = span_find(type, span_of("char[")) != NULL;
	if (f->is_string) {
		const char *open = span_find(type, span_of("char["));
		const char *close = span_chr(type, ']');
		struct span digits;
		u64 size;

		/* The number in "char[16]"; 0 for "char[]", -1 if it is invalid. */
		if (!open || !close)
			return -1;
		open += strlen("char[");
		if (close < open || close + 1 != type.s + type.n)
			return -1;
		digits = span_between(open, close);
		if (!digits.n)
			return 0;
		if (digits.n > 3 || !span_u64(digits, &size) || size > 256)
			return -1;
		return (int)size;
	}
	f->is_stack = span_find(type, span_of("long[")) != NULL;
	return 0;
}

/* Parse one field from the words in @rest; false after a complaint. */
static bool cut_field(struct arena *arena, struct span *rest, u32 long_size, struct synth_text *out)
{
	struct synth_field_text f = { .type = NULL };
	struct span type = span_word(rest), name, array = { "", 0 };
	const char *prefix = "", *bracket;
	int size;

	if (span_eq(type, "unsigned")) {
		if (count_words(*rest) < 2) {
			complain_synth(out, SYNTH_ERR_INCOMPLETE_TYPE, type);
			return false;
		}
		prefix = "unsigned ";
		type = span_word(rest);
	}
	name = span_word(rest);
	if (!name.n) {
		complain_synth(out, SYNTH_ERR_INVALID_FIELD, type);
		return false;
	}
	bracket = span_chr(name, '[');
	if (bracket)
		array = span_between(bracket, name.s + name.n);
	f.name = arena_strndup(arena, name.s, name.n - array.n);
	f.type = arena_printf(arena, "%s%.*s%.*s", prefix, (int)type.n, type.s, (int)array.n,
			      array.s);
	if (!f.name || !f.type)
		return false;
	if (!is_good_name((struct span){ name.s, name.n - array.n })) {
		complain_synth(out, SYNTH_ERR_BAD_NAME, name);
		return false;
	}
	size = type_size(span_of(f.type), long_size, &f);
	if (size < 0 || (!size && !f.is_string && !f.is_stack)) {
		complain_synth(out,
			       size < 0 && bracket ? SYNTH_ERR_INVALID_ARRAY_SPEC
						   : SYNTH_ERR_INVALID_TYPE,
			       size < 0 && bracket ? name : type);
		return false;
	}
	f.is_dynamic = !size;
	f.size = size ? (u32)size : 8;
	if (f.is_dynamic)
		f.type = arena_printf(arena, "__data_loc %s", f.type);
	if (!f.type)
		return false;
	f.is_signed = f.type[0] != 'u' && strcmp(f.type, "gfp_t") != 0;
	if (out->n_fields == SYNTH_FIELDS_MAX) {
		complain_synth(out, SYNTH_ERR_TOO_MANY_FIELDS, (struct span){ NULL, 0 });
		return false;
	}
	out->fields[out->n_fields++] = f;
	return true;
}

/* "TYPE NAME; TYPE NAME"; 0 or -HIST_ENOMEM */
static int cut_fields(struct arena *arena, struct span fields, u32 long_size,
		      struct synth_text *out)
{
	while (fields.s && !out->bad) {
		struct span piece = span_sep(&fields, ";");

		while (count_words(piece))
			if (!cut_field(arena, &piece, long_size, out))
				return out->bad ? 0 : HIST_NOMEM;
	}
	if (!out->n_fields)
		complain_synth(out, SYNTH_ERR_INVALID_CMD, (struct span){ NULL, 0 });
	return 0;
}

/* Before the first ';' there must be at least a name, a type and a field. */
static bool has_three_words(struct span command)
{
	struct span rest = command;

	return count_words(span_sep(&rest, ";")) >= 3;
}

static int cut_definition(struct arena *arena, struct span fields, u32 long_size,
			  struct synth_text *out)
{
	if (!is_good_name(out->name)) {
		complain_synth(out, out->name.n ? SYNTH_ERR_BAD_NAME : SYNTH_ERR_INVALID_CMD,
			       out->name);
		out->early = true;
		return 0;
	}
	return cut_fields(arena, fields, long_size, out);
}

int synth_text_cut(struct arena *arena, struct span line, u32 long_size, struct synth_text *out)
{
	struct span command = span_ltrim(line);
	struct span rest = command, name = span_sep(&rest, " \t");

	memset(out, 0, sizeof(*out));
	out->text = command;
	if (!command.n)
		return 0;
	out->remove = command.s[0] == '!';
	if (!out->remove && (!has_three_words(command) || !rest.s)) {
		complain_synth(out, SYNTH_ERR_INVALID_CMD, (struct span){ NULL, 0 });
		out->early = true;
		return 0;
	}
	out->name = out->remove ? span_skip(name, 1) : name;
	return out->remove ? 0 : cut_definition(arena, span_ltrim(rest), long_size, out);
}

int synth_text_cut_dynamic(struct arena *arena, struct span line, u32 long_size,
			   struct synth_text *out)
{
	struct span command = span_ltrim(line), rest = command, name;

	memset(out, 0, sizeof(*out));
	out->text = command;
	if (!command.n)
		return 0;
	if (!span_starts(command, "s:"))
		return -HIST_ENOENT;
	out->early = true;
	span_sep(&rest, " \t");
	name = span_skip(command, 2);
	if (!rest.s) {
		complain_synth(out, SYNTH_ERR_INVALID_CMD, (struct span){ NULL, 0 });
		return 0;
	}
	if (span_starts(name, "synthetic/")) {
		name = span_skip(name, strlen("synthetic/"));
	} else if (span_chr(name, '/')) {
		complain_synth(out, SYNTH_ERR_INVALID_DYN_CMD, (struct span){ NULL, 0 });
		return 0;
	}
	/*
	 * kernel: treats '!' as a removal, which needs no fields, and detects the bad name only
	 * then
	 */
	if (!span_starts(name, "!") && !has_three_words(name)) {
		complain_synth(out, SYNTH_ERR_INVALID_CMD, (struct span){ NULL, 0 });
		return 0;
	}
	out->early = false;
	out->name = span_sep(&name, " \t");
	return cut_definition(arena, span_ltrim(rest), long_size, out);
}
