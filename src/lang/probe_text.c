// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cuts the definition of a probe into its event, kind and fields, or finds the first complaint.
 *
 * Words are separated by white space, optional parts by ':'. Only properties that the text alone
 * determines are checked. Corresponds to trace_kprobe.c, trace_uprobe.c and trace_probe.c.
 */
#include "lang/probe_arg.h"
#include "lang/word_text.h"

bool complain_probe(struct probe_text *out, enum probe_err err, struct span text)
{
	if (!out->bad)
		out->bad_text = text;
	if (!out->bad)
		out->err = err;
	out->bad = true;
	return false;
}

bool complain_probe_silently(struct probe_text *out, struct span text, const char *hint)
{
	if (!out->bad)
		out->hint = hint;
	return complain_probe(out, PROBE_ERR_BAD_PROBE_ADDR, text);
}

/* --- arguments --- */

/* Whether another argument has this name, or each event of a probe. */
static bool is_taken(const struct probe_text *out, const char *name)
{
	static const char *const reserved[] = {
		"common_type", "common_flags", "common_preempt_count", "common_pid",
		"common_tgid", "__probe_ip",   "__probe_ret_ip",       "__probe_func",
	};

	for (size_t i = 0; i < out->n_args; i++)
		if (!strcmp(out->args[i].name, name))
			return true;
	return any_of(i, ARRAY_SIZE(reserved), !strcmp(name, reserved[i]));
}

static bool check_arg_name(struct span word, struct span name, const struct probe_arg *arg,
			   struct probe_text *out)
{
	if (name.s && !name.n)
		return complain_probe(out, PROBE_ERR_NO_ARG_NAME, word);
	if (strlen(arg->name) > PROBE_ARG_NAME_MAX)
		return complain_probe(out, PROBE_ERR_ARG_NAME_TOO_LONG, word);
	if (!is_good_name(span_of(arg->name)))
		return complain_probe(out, PROBE_ERR_BAD_ARG_NAME, word);
	if (is_taken(out, arg->name))
		return complain_probe(out, PROBE_ERR_USED_ARG_NAME, word);
	return true;
}

static int cut_arg(struct arena *arena, struct span word, const struct probe_rules *rules,
		   u32 *room, struct probe_text *out)
{
	struct probe_arg *arg = &out->args[out->n_args];
	const char *equals = span_chr(word, '=');
	struct span name = { NULL, 0 }, rest = word;

	*arg = (struct probe_arg){ .word = word, .body = word };
	if (equals) {
		name = span_between(word.s, equals);
		arg->body = span_between(equals + 1, word.s + word.n);
		arg->name = arena_strndup(arena, name.s, name.n);
	} else {
		name = span_sep(&rest, ":");
		/* a variable of the function, or a field of the event */
		arg->name = is_good_name(name) && !rules->plain_args
				    ? arena_strndup(arena, name.s, name.n)
				    : arena_printf(arena, "arg%zu", out->n_args + 1);
		name.s = NULL;
	}
	if (!arg->name)
		return HIST_NOMEM;
	if (!check_arg_name(word, name, arg, out))
		return 0;
	/* kernel: what follows is ignored */
	if (!equals && span_starts(word, "$arg*") && !rules->plain_args && !out->is_user &&
	    out->other != 'e') {
		/* all arguments of the function, which only BTF knows */
		for (size_t i = 0; i < out->n_args; i++)
			if (span_starts(out->args[i].word, "$arg*"))
				complain_probe(out, PROBE_ERR_DOUBLE_ARGS, word);
		arg->type = "u64";
		arg->fmt = "0x%Lx";
		arg->size = 8;
		out->n_args++;
	} else if (probe_arg_check(arg, rules, room, out)) {
		out->n_args++;
	}
	return 0;
}

int probe_text_cut_args(struct arena *arena, const struct probe_rules *rules,
			struct probe_text *out)
{
	struct span rest = out->words, word = rest;
	size_t n = count_words(rest);
	u32 room = PROBE_SIZE_MAX;
	int err = 0;

	out->args = arena_alloc(arena, (n + 1) * sizeof(*out->args));
	if (!out->args)
		return HIST_NOMEM;
	if (n > PROBE_ARGS_MAX && rules->counts_args)
		complain_probe(out, PROBE_ERR_TOO_MANY_ARGS, span_word(&word));
	else if (n > PROBE_ARGS_MAX && !rules->plain_args)
		complain_probe_silently(out, rest, "a probe has at most 128 arguments");
	/* kernel: older ones ignore the others */
	while (!err && !out->bad && out->n_args < PROBE_ARGS_MAX && (word = span_word(&rest)).n)
		err = cut_arg(arena, word, rules, &room, out);
	return err;
}

/* --- the name --- */

bool probe_address(const struct probe_text *probe, u64 *address)
{
	struct span where = probe->where;

	if (probe->is_user || probe->other)
		return false;
	return span_u64(span_starts(where, "+") ? span_skip(where, 1) : where, address);
}

/*
 * The name that the kernel derives from SYMBOL[+OFFSET] or PATH:OFFSET. f: SYMBOL__entry or
 * SYMBOL__exit; e: the event of SYSTEM.EVENT; t: the tracepoint
 */
static char *made_name(struct arena *arena, const struct probe_text *out)
{
	struct span symbol, offset, file;
	const char *slash, *at;
	char *name;
	u64 n = 0;

	if (out->other == 'e')
		return arena_strndup(arena, out->event.s, out->event.n);
	if (out->other) {
		offset = out->where;
		symbol = span_sep(&offset, "%");
		if (out->other == 'f')
			return arena_printf(arena, "%.*s__%s", (int)symbol.n, symbol.s,
					    out->is_return ? "exit" : "entry");
		return arena_printf(arena, "%s%.*s", symbol.n && is_digit(symbol.s[0]) ? "_" : "",
				    (int)symbol.n, symbol.s);
	}
	if (out->is_user) {
		slash = span_rchr(out->path, '/');
		file = span_between(slash ? slash + 1 : out->path.s, out->path.s + out->path.n);
		symbol = span_sep(&file, "-.");
		span_u64(out->offset, &n);
		name = arena_printf(arena, "p_%.*s_0x%llx", (int)symbol.n, symbol.s, n);
	} else if (probe_address(out, &n)) {
		name = arena_printf(arena, "%c_0x%016llx", out->is_return ? 'r' : 'p', n);
	} else {
		offset = out->where;
		symbol = span_sep(&offset, "+%");
		if (offset.s)
			span_u64(offset, &n);
		at = span_chr(symbol, ':');
		if (at)
			symbol = span_between(at + 1, symbol.s + symbol.n);
		name = arena_printf(arena, "%c_%.*s_%llu", out->is_return ? 'r' : 'p',
				    (int)symbol.n, symbol.s, n);
	}
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

/* kernel: a system may contain hyphens */
static bool is_good_system_name(struct span name)
{
	return all_of(i, name.n,
		      is_alpha(name.s[i]) || name.s[i] == '_' ||
			      (i && (is_digit(name.s[i]) || name.s[i] == '-')));
}

static void check_name(struct span group, struct span name, struct span written,
		       struct probe_text *out)
{
	if (written.s && !written.n)
		complain_probe(out, PROBE_ERR_NO_EVENT_NAME, written);
	if (group.s && !group.n)
		complain_probe(out, PROBE_ERR_NO_GROUP_NAME, written);
	else if (group.n >= PROBE_NAME_MAX)
		complain_probe(out, PROBE_ERR_GROUP_TOO_LONG, written);
	else if (group.n && !is_good_system_name(group))
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
	char *made;

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
	if (name.n || out->remove) {
		out->name = arena_strndup(arena, name.s, name.n);
	} else {
		made = made_name(arena, out);
		/* characters valid in C */
		for (char *p = made; p && *p; p++)
			if (!is_alpha(*p) && !is_digit(*p))
				*p = '_';
		out->name = made;
	}
	return out->name && (out->group || !slash) ? 0 : HIST_NOMEM;
}

/* --- the line --- */

static void check_maxactive(const struct probe_rules *rules, struct probe_text *out)
{
	u64 n;

	if (!out->maxactive.n)
		return;
	if (!out->is_return && !out->other)
		complain_probe(out,
			       rules->plain_args ? PROBE_ERR_NOT_FOR_KPROBE
						 : PROBE_ERR_BAD_MAXACT_TYPE,
			       out->maxactive);
	else if (!span_u64(out->maxactive, &n) || !n)
		complain_probe(out, PROBE_ERR_BAD_MAXACT, out->maxactive);
	else if (n > 4096)
		complain_probe(out, PROBE_ERR_MAXACT_TOO_BIG, out->maxactive);
}

/* kernel: a probe with $retval is one of the return of the function. */
static void find_retval(struct probe_text *out)
{
	struct span rest = out->words, word;

	while ((word = span_word(&rest)).n) {
		const char *at = span_find(word, span_of("$retval"));
		struct span after = at ? span_between(at + strlen("$retval"), word.s + word.n)
				       : word;

		if (!at || (after.n &&
			    (is_alpha(after.s[0]) || is_digit(after.s[0]) || after.s[0] == '_')))
			continue;
		if (out->other == 't')
			complain_probe(out, PROBE_ERR_RETVAL_ON_PROBE,
				       span_between(at, word.s + word.n));
		out->is_return = true;
		return;
	}
}

/* SYMBOL[%return], or a tracepoint */
static void check_function(const struct probe_rules *rules, struct span kind,
			   struct probe_text *out)
{
	struct span suffix = out->where, symbol = span_sep(&suffix, "%");

	if (rules->no_returns && kind.n > 1)
		complain_probe(out, PROBE_ERR_BAD_MAXACT, span_skip(kind, 1));
	check_maxactive(rules, out);
	out->is_return = suffix.s && out->other == 'f' && span_eq(suffix, "return");
	if (suffix.s && !out->is_return)
		complain_probe(out, PROBE_ERR_BAD_ADDR_SUFFIX,
			       span_between(suffix.s - 1, suffix.s + suffix.n));
	for (size_t i = 0; out->other == 't' && i < symbol.n; i++)
		if (!is_alpha(symbol.s[i]) && !is_digit(symbol.s[i]) && symbol.s[i] != '_')
			complain_probe(out, PROBE_ERR_BAD_TP_NAME, span_skip(symbol, i));
	if (!out->is_return && !out->bad)
		find_retval(out);
	if (out->other == 'f' && !is_symbol(symbol))
		*(rules->no_returns ? &out->bad_symbol : &out->bad_offset) = true;
	if (out->maxactive.n && !out->is_return)
		complain_probe(out, PROBE_ERR_BAD_MAXACT_TYPE, out->maxactive);
}

/* SYSTEM.EVENT of an eprobe, and the filter after its arguments */
static void cut_attached(struct probe_text *out)
{
	struct span rest = out->words, word;
	const char *sep = span_chr(out->where, '/');

	sep = sep ? sep : span_chr(out->where, '.');
	out->system = sep ? span_between(out->where.s, sep) : (struct span){ NULL, 0 };
	out->event = sep ? span_between(sep + 1, out->where.s + out->where.n) : out->where;
	while ((word = span_word(&rest)).n) {
		if (!span_eq(word, "if"))
			continue;
		out->words = span_between(out->words.s, word.s);
		out->filter = span_trim(rest);
		break;
	}
}

/* kernel: a malformed name has two messages */
static void check_attached(struct probe_text *out)
{
	if (out->bad)
		return;
	check_name(out->system, out->event, out->where, out);
	if (out->bad) {
		out->again = true;
		out->again_err = PROBE_ERR_NO_EVENT_INFO;
		out->again_text = out->where;
	} else if (!out->system.s || !out->event.n) {
		complain_probe(out, PROBE_ERR_NO_EVENT_INFO, out->where);
	}
}

/* SYMBOL[+OFFSET][%return], or an address; only its form, because the machine has the symbols */
static void check_where(struct probe_text *out)
{
	struct span offset = out->where, symbol = span_sep(&offset, "%");
	const char *sign;
	u64 n;

	if (probe_address(out, &n)) {
		out->bad_offset = !n; /* kernel: nothing can be probed there */
		return;
	}
	if (offset.s && !span_eq(offset, "return")) {
		complain_probe(out, PROBE_ERR_BAD_ADDR_SUFFIX,
			       span_between(offset.s - 1, offset.s + offset.n));
		return;
	}
	sign = span_chr(symbol, '+');
	if (span_chr(symbol, '-') && (!sign || span_chr(symbol, '-') < sign))
		sign = span_chr(symbol, '-');
	if (sign && (*sign == '-' || !span_u64(span_between(sign + 1, symbol.s + symbol.n), &n)))
		complain_probe(out, PROBE_ERR_BAD_PROBE_ADDR, out->where);
	else if (!sign)
		out->bad_symbol = !is_symbol(symbol);
}

static void check_location(struct probe_text *out)
{
	const struct span refs = out->refs, suffix = out->suffix;
	const char *end = refs.s ? span_chr(refs, ')') : NULL;
	u64 n;

	if (refs.s && !end)
		complain_probe(out, PROBE_ERR_REFCNT_OPEN_BRACE, span_skip(refs, refs.n));
	else if (refs.s && end + 1 != refs.s + refs.n)
		complain_probe(out, PROBE_ERR_BAD_REFCNT_SUFFIX,
			       span_between(end + 1, refs.s + refs.n));
	else if (refs.s && !span_u64(span_between(refs.s, end), &n))
		complain_probe(out, PROBE_ERR_BAD_REFCNT, refs);
	if (suffix.s && !span_eq(suffix, "return"))
		complain_probe(out, PROBE_ERR_BAD_ADDR_SUFFIX,
			       span_between(suffix.s - 1, suffix.s + suffix.n));
	else if (!span_u64(out->offset, &n))
		complain_probe(out, PROBE_ERR_BAD_UPROBE_OFFS, out->offset);
}

int probe_text_cut(struct arena *arena, struct span line, const struct probe_rules *rules,
		   struct probe_text *out)
{
	struct span rest = span_trim(line), name, kind;
	int err;
	const char *colon;

	*out = (struct probe_text){ .text = rest };
	if (!rest.n)
		return 0;
	name = span_word(&rest);
	kind = span_sep(&name, ":");
	out->remove = span_eq(kind, "-");
	out->is_return = span_starts(kind, "r");
	/* kernel: without BTF, only events can be probed */
	out->other = kind.n && strchr(rules->plain_args ? "e" : "eft", kind.s[0]) ? kind.s[0]
										  : '\0';
	if (!out->remove && !out->is_return && !out->other && !span_starts(kind, "p"))
		return -HIST_ENOENT;
	out->words = span_trim(rest);
	if (out->remove)
		return cut_name(arena, name.s ? name : (struct span){ "", 0 }, out);
	out->where = span_word(&rest);
	out->words = span_trim(rest);
	/* a symbol may have a module before it, but must not contain a slash */
	out->is_user = !out->other && span_chr(out->where, '/') && span_chr(out->where, ':');
	/* PATH:OFFSET[%return][(REFERENCES)] of a uprobe; of other kinds only %return is used */
	colon = out->is_user ? span_rchr(out->where, ':') : NULL;
	out->refs = out->where;
	if (colon) {
		out->path = span_between(out->where.s, colon);
		out->refs = span_between(colon + 1, out->where.s + out->where.n);
	}
	out->suffix = span_sep(&out->refs, "(");
	out->offset = span_sep(&out->suffix, "%");
	out->is_return |= out->suffix.s && span_eq(out->suffix, "return");
	/* a number after the kind; anything else there is ignored */
	out->maxactive = span_skip(kind, 1);
	if (out->is_user || out->other == 'e' || !out->maxactive.n ||
	    !is_digit(out->maxactive.s[0]))
		out->maxactive.n = 0;
	if (out->is_user && kind.n > 1) /* kernel: the name is that after the second character */
		name = (struct span){ NULL, 0 };
	/* kernel: the words of a definition that lacks a location are those of no probe */
	if (!out->where.n || (out->is_user && !(out->offset.n && is_digit(out->offset.s[0])))) {
		out->hint = "a probe needs SYMBOL[+OFFSET] or PATH:OFFSET";
		return -HIST_ENOENT;
	}
	if (out->other == 'e') {
		cut_attached(out);
		err = cut_name(arena, name, out);
		check_attached(out);
		return err;
	}
	if (out->other)
		check_function(rules, kind, out);
	else
		check_maxactive(rules, out);
	if (out->is_user)
		check_location(out);
	else if (!out->other)
		check_where(out);
	err = cut_name(arena, name, out);
	if (err || out->bad)
		return err;
	err = probe_text_cut_args(arena, rules, out);
	if (!err && out->bad_offset)
		complain_probe(out, PROBE_ERR_FAIL_REG_PROBE, out->where);
	else if (!err && out->bad_symbol)
		complain_probe(out, PROBE_ERR_BAD_PROBE_ADDR, out->where);
	return err;
}
