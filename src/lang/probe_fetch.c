// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The expression of an argument of a probe: a register, a variable, an address, a symbol or an
 * immediate value, or memory at the address that another expression gives. It becomes a list of at
 * most 15 steps. Corresponds to parse_probe_arg() in trace_probe.c.
 */
#include "lang/probe_fetch.h"
#include "lang/word_text.h"

enum { STACK_ENTRIES_MAX = 2048 };

bool complain_at(struct fetch *f, enum probe_err err, size_t at)
{
	size_t start = min_t(size_t, at, f->body.n);

	if (!f->out->bad)
		f->out->bad_after = at - start;
	return complain_probe(f->out, err, span_skip(f->body, start));
}

bool next_step(struct fetch *f)
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

/* Of machines whose registers are not listed here, all names are accepted. */
static bool is_register(struct span name, const char *arch)
{
	static const char common[] = "bx cx dx si di bp ax orig_ax ip cs flags sp ss";
	u64 n;

	if (arch && !strcmp(arch, "x86_64"))
		return word_is_one_of(name, common) ||
		       word_is_one_of(name, "r8 r9 r10 r11 r12 r13 r14 r15");
	if (arch && arch[0] == 'i' && !strcmp(arch + 2, "86"))
		return word_is_one_of(name, common) || word_is_one_of(name, "ds es fs gs");
	if (arch && !strcmp(arch, "aarch64"))
		return word_is_one_of(name, "lr sp pc pstate") ||
		       (span_starts(name, "x") && is_decimal(span_skip(name, 1), &n) && n <= 30);
	return true;
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

/*
 * $argN; whether the probe is at the start of a function is only known for uprobes, which are not
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

/*
 * A variable whose type is in BTF, and members of what it points to, with -> and . between them; or
 * only the members. BTF itself is not known. ->at is where they begin.
 */
static bool fetch_members(struct fetch *f, struct span names, bool variable, bool arrows)
{
	for (;; variable = false) {
		struct span name = span_sep(&names, ".-");
		bool arrow = names.s && name.s[name.n] == '-', dot = names.s && !arrow;

		if (arrow && !span_starts(names, ">"))
			return complain_at(f, PROBE_ERR_BAD_HYPHEN, f->at + name.n);
		if (variable && dot)
			return complain_at(f, PROBE_ERR_NOSUP_DAT_ARG, f->at + name.n + 1);
		if (!name.n)
			return complain_at(f, PROBE_ERR_NO_BTF_FIELD, f->at);
		if (arrow && !arrows)
			return complain_at(f, PROBE_ERR_TYPECAST_BAD_ARROW, f->at + name.n);
		if (!variable && !dot && !next_step(f))
			return false;
		if (!names.s)
			return fetched(f, FETCHED_UNKNOWN);
		f->at += name.n + 1 + arrow;
		names = span_skip(names, arrow);
	}
}

static bool fetch_variable(struct fetch *f, struct span name)
{
	const struct span whole = span_between(name.s - 1, name.s + name.n);

	if (f->out->other == 'e')
		return fetch_event_variable(f, name);
	if (f->rules->plain_args ? span_eq(name, "retval") : span_starts(name, "retval")) {
		if (!f->out->is_return)
			return complain_at(f, PROBE_ERR_RETVAL_ON_PROBE, f->at);
		return span_eq(name, "retval") || f->out->is_user
			       ? fetched(f, FETCHED_NUMBER)
			       : fetch_members(f, whole, true, true);
	}
	if (span_starts(name, "stack"))
		return fetch_stack(f, span_skip(name, 5));
	if (is_comm(name))
		return fetched(f, FETCHED_COMM);
	/* the task; what follows -> is of its type in BTF */
	if (f->rules->casts && span_starts(name, "current") && !f->out->is_user) {
		if (name.n == strlen("current"))
			return fetched(f, FETCHED_NUMBER);
		return name.s[strlen("current")] == '-' ? fetch_members(f, whole, true, true)
							: bad_var(f);
	}
	return span_starts(name, "arg") ? fetch_arg(f, span_skip(name, 3)) : bad_var(f);
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
static bool fetch_address(struct fetch *f, struct span text)
{
	struct span symbol; /* with an offset */
	s64 offset;
	u64 n;

	if (text.n && is_digit(text.s[0])) {
		if (!span_u64(text, &n))
			return complain_at(f, PROBE_ERR_BAD_MEM_ADDR, f->at);
	} else if (span_starts(text, "+")) {
		if (!f->out->is_user)
			return complain_at(f,
					   f->rules->casts ? PROBE_ERR_FILE_ON_KERNEL_PROBE
							   : PROBE_ERR_FILE_ON_KPROBE,
					   f->at);
		if (!span_s64(span_skip(text, 1), &offset))
			return complain_at(f, PROBE_ERR_BAD_FILE_OFFS, f->at);
	} else {
		if (f->out->is_user)
			return complain_at(f, PROBE_ERR_SYM_ON_UPROBE, f->at);
		if (!next_step(f))
			return false;
		if (f->rules->late && (f->out->other == 'f' || f->out->other == 't'))
			return next_step(f) && fetched(f, FETCHED_MEMORY);
		symbol = span_sep(&text, "+-");
		f->out->bad_symbol |= !is_symbol(symbol);
		f->out->bad_offset |= text.s && !span_s64(text, &offset);
	}
	return next_step(f) && fetched(f, FETCHED_MEMORY);
}

static bool fetch_immediate(struct fetch *f, struct span value)
{
	s64 number;
	u64 n;

	if (span_starts(value, "\"")) {
		if (value.n < 2 || value.s[value.n - 1] != '"')
			return complain_at(f, PROBE_ERR_IMMSTR_NO_CLOSE, f->at + 1 + value.n);
		f->operand = (struct span){ value.s + 1, value.n - 2 };
		return fetched(f, FETCHED_TEXT);
	}
	if (!value.n || !strchr("+-0123456789", value.s[0]) ||
	    !(is_digit(value.s[0]) ? span_u64(value, &n)
				   : span_s64(span_skip(value, value.s[0] == '+'), &number)))
		return complain_at(f, PROBE_ERR_BAD_IMM, f->at + 1);
	f->operand = value;
	return fetched(f, FETCHED_IMMEDIATE);
}

/* An address, up to the last ')'; ->at is where it begins. */
static bool fetch_inside(struct fetch *f, struct span text)
{
	const char *end = span_rchr(text, ')');
	const size_t start = f->at;

	if (!end)
		return complain_at(f, PROBE_ERR_DEREF_OPEN_BRACE, f->at + text.n);
	if (!fetch_expression(f, span_between(text.s, end)))
		return false;
	f->at = start;
	return (f->what != FETCHED_COMM && f->what != FETCHED_TEXT) ||
	       complain_at(f, PROBE_ERR_COMM_CANT_DEREF, f->at);
}

/* [u]OFFSET(EXPRESSION), after the sign; what follows the last ')' is ignored. */
static bool fetch_memory(struct fetch *f, char sign, struct span text)
{
	bool user = span_starts(text, "u");
	struct span number = user ? span_skip(text, 1) : text, inner = number;
	size_t before = f->at;
	s64 offset;

	number = span_sep(&inner, "(");
	if (!inner.s)
		return complain_at(f, PROBE_ERR_DEREF_NEED_BRACE, f->at);
	if (!span_s64(number, &offset) || (sign == '-' && !is_digit(number.s[0])))
		return complain_at(f, PROBE_ERR_BAD_DEREF_OFFS, f->at);
	/* kernel: it does not count the u */
	f->at += number.n + 1 + !(sign == '+' && number.s[0] == '-');
	if (!fetch_inside(f, inner) || !next_step(f))
		return false;
	f->in_field = f->what == FETCHED_FIELD && sign == '+' && !user && offset >= 0 &&
		      offset <= PROBE_SIZE_MAX;
	f->skip = (u32)offset;
	/* kernel: later errors are this much further right, except in old ones */
	if (f->rules->plain_args)
		f->at = before;
	return fetched(f, user ? FETCHED_USER_MEMORY : FETCHED_MEMORY);
}

static bool is_this_cpu(struct span text)
{
	return span_starts(text, "this_cpu_ptr(") || span_starts(text, "this_cpu_read(");
}

/* Where the -> after the variable of a cast must be; complains if braces are wrong. */
static size_t cast_variable_end(struct fetch *f, struct span text)
{
	const bool nested = span_starts(text, "+") || span_starts(text, "-") || is_this_cpu(text);
	const char *at = span_chr(text, nested || span_starts(text, "(") ? '(' : '-');
	struct span rest = text;
	size_t depth = 0;

	if (!nested && !span_starts(text, "(")) {
		span_sep(&rest, "+-");
		if (span_starts(text, "@") && rest.n && is_digit(rest.s[0]))
			complain_at(f, PROBE_ERR_TYPECAST_SYM_OFFSET, f->at);
		return at && at + 1 < text.s + text.n && at[1] == '>' ? (size_t)(at - text.s)
								      : text.n;
	}
	if (!at)
		return complain_at(f, PROBE_ERR_DEREF_NEED_BRACE, f->at);
	for (size_t n = (size_t)(at - text.s); n < text.n; n++) {
		depth += text.s[n] == '(';
		if (text.s[n] == ')' && !--depth)
			return n + 1;
	}
	return complain_at(f, PROBE_ERR_DEREF_OPEN_BRACE, f->at + (nested ? text.n : 0));
}

/* (TYPE[,MEMBER])VARIABLE->MEMBER; kernel: checks the variable before the type */
static bool fetch_cast(struct fetch *f, struct span text)
{
	struct span rest = span_skip(text, 1), member = span_sep(&rest, ")"), type;
	const size_t start = f->at, braces = span_starts(rest, "(");
	size_t end;

	if (f->out->is_user)
		return complain_at(f, PROBE_ERR_NOSUP_BTFARG, f->at);
	if (!rest.s)
		return complain_at(f, PROBE_ERR_DEREF_OPEN_BRACE, f->at + text.n);
	f->at += member.n + 2;
	end = cast_variable_end(f, rest);
	if (!f->out->bad && !span_starts(span_skip(rest, end), "->"))
		return complain_at(f, PROBE_ERR_TYPECAST_REQ_FIELD, f->at + end);
	f->at += braces;
	if (f->out->bad ||
	    !fetch_expression(f, span_between(rest.s + braces, rest.s + end - braces)))
		return false;
	type = span_sep(&member, ",");
	f->at = start + 1;
	if (type.n && !is_good_name(type))
		return complain_at(f, PROBE_ERR_NO_PTR_STRCT, f->at);
	f->at += type.n + 1;
	if (member.s && !fetch_members(f, member, false, false))
		return false;
	f->at = start + (size_t)(rest.s - text.s) + end + 2;
	return fetch_members(f, span_skip(rest, end + 2), false, true);
}

bool fetch_expression(struct fetch *f, struct span text)
{
	char first = text.n ? text.s[0] : '\0';
	struct span rest = text.n ? span_skip(text, 1) : text;

	if (f->rules->casts && first && (strchr("+-(", first) || is_this_cpu(text)) &&
	    ++f->nested > NESTED_MAX)
		return complain_at(f, PROBE_ERR_TOO_MANY_NESTED, f->at);
	switch (first) {
	case '$':
		return fetch_variable(f, rest);
	case '%':
		if (f->out->other) {
			f->out->again = f->rules->two_errors;
			f->out->again_err = PROBE_ERR_BAD_FETCH_ARG;
			f->out->again_text = span_skip(f->body, min_t(size_t, f->at, f->body.n));
			return bad_var(f);
		}
		if (!is_register(rest, f->rules->arch))
			return complain_at(f, PROBE_ERR_BAD_REG_NAME, f->at);
		return fetched(f, FETCHED_REGISTER);
	case '@':
		return fetch_address(f, rest);
	case '+':
	case '-':
		return fetch_memory(f, first, rest);
	case '\\':
		return fetch_immediate(f, rest);
	}
	if (f->rules->casts && is_this_cpu(text)) {
		struct span inner = text;
		const bool is_read = span_sep(&inner, "(").n == strlen("this_cpu_read");

		/* The address of this CPU's copy of a variable, or what is there. */
		if (f->out->is_user || f->out->other == 'e')
			return complain_at(f, PROBE_ERR_NOSUP_PERCPU, f->at);
		f->at += strlen("this_cpu_ptr(") + is_read;
		if (!fetch_inside(f, inner) || (!span_starts(inner, "@") && !next_step(f)) ||
		    (is_read && !next_step(f)))
			return false;
		return fetched(f, is_read ? FETCHED_MEMORY : FETCHED_STACK);
	}
	if (is_alpha(first) || first == '_') {
		/* An argument of the function by its name: BTF has it, or not. */
		if (f->rules->casts && f->out->other == 'e')
			return is_field(f, text) || complain_at(f, PROBE_ERR_NO_EVENT_FIELD, f->at);
		if (f->rules->plain_args)
			return complain_at(f, PROBE_ERR_BAD_FETCH_ARG, f->at);
		if (f->out->is_user || f->out->other == 'e')
			return complain_at(f, PROBE_ERR_NOSUP_BTFARG, f->at);
		return fetch_members(f, text, true, true);
	}
	if (f->rules->casts && first == '(')
		return fetch_cast(f, text);
	if (first != '(' || !f->rules->event_casts)
		return complain_at(f, PROBE_ERR_BAD_FETCH_ARG, f->at);
	/* a type of BTF, and a field of it */
	if (f->out->other != 'e')
		return complain_at(f, PROBE_ERR_TYPECAST_NOT_EVENT, f->at);
	if (!span_chr(text, ')'))
		return complain_at(f, PROBE_ERR_DEREF_OPEN_BRACE, f->at + text.n);
	return fetched(f, FETCHED_UNKNOWN);
}
