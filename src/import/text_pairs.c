// SPDX-License-Identifier: LGPL-2.1-only
/* The names and values on a line, for fields of events without formats. */
#include "event/event.h"
#include "import/text_cut.h"
#include "import/text_known.h"

const char text_field_name[] = "text", text_call_machine[] = "x86_64";

/* Find the next "name="; @value: one begins @text, which may have a '='. False: there is none. */
static bool find_key(struct span text, bool value, struct span *name)
{
	const char *from = text.s, *at;

	while ((at = span_chr(span_between(from, text.s + text.n), '='))) {
		const char *start = at;

		while (start > text.s && is_word(start[-1]))
			start--;
		from = at + 1;
		if (start == at || is_digit(*start))
			continue;
		if (start == text.s ? value : !strchr(" ,([{|;", start[-1]))
			continue;
		*name = span_between(start, at);
		return true;
	}
	return false;
}

/*
 * The value of a field that may contain anything, up to the last place where the one that the
 * kernel prints after it can begin: for a task's name, also " pid=3". Empty: there is no such
 * place.
 */
static struct span value_before(struct span event, struct span name, struct span rest)
{
	static const struct {
		const char *event, *name,
			*next; /* @event: the beginning of its name; @next: NULL: none */
	} order[] = {
		{ "task_newtask", "comm", "clone_flags" },
		{ "task_rename", "oldcomm", "newcomm" },
		{ "task_rename", "newcomm", "oom_score_adj" },
		{ "oom_score_adj_update", "comm", "oom_score_adj" },
		{ "sched_process_exec", "filename", "pid" },
		{ "sched_prepare_exec", "comm", NULL },
		{ "cgroup_", "comm", NULL },
		{ "irq_handler_entry", "name", NULL },
		{ "", "comm", "pid" },
		{ "", "prev_comm", "prev_pid" },
		{ "", "next_comm", "next_pid" },
		{ "", "child_comm", "child_pid" },
		{ "", "parent_comm", "parent_pid" },
	};
	const size_t max = span_eq(name, "filename") ? rest.n : TEXT_COMM_MAX;
	struct span value = { NULL, 0 };
	char next[24];
	size_t i = 0;

	while (i < ARRAY_SIZE(order) &&
	       !(span_starts(event, order[i].event) && span_eq(name, order[i].name)))
		i++;
	if (i == ARRAY_SIZE(order))
		return value;
	if (!order[i].next)
		return span_trim(rest);
	snprintf(next, sizeof(next), " %s=", order[i].next);
	for (size_t n = 0; n <= max && n < rest.n; n++)
		if (span_starts(span_skip(rest, n), next))
			value = (struct span){ rest.s, n };
	return value;
}

/* Trim commas, brackets, and trailing words without letters or digits, such as ==>. */
static struct span trim_value(struct span value)
{
	for (;;) {
		size_t n = value.n;
		bool words = false;

		while (n && value.s[n - 1] == ' ')
			n--;
		value.n = n;
		while (n && value.s[n - 1] != ' ')
			words |= is_word(value.s[--n]);
		if (words || !value.n || !n)
			break;
		value.n = n;
	}
	/* a bracket that the value opened is its own: comm=(sd-pam) */
	while (value.n && strchr(",;)", value.s[value.n - 1]) &&
	       (value.s[value.n - 1] != ')' || !memchr(value.s, '(', value.n)))
		value.n--;
	/* plugins of trace-cmd print the offset of a function also if it is 0 */
	if (value.n > 4 && is_word(value.s[0]) && !memcmp(value.s + value.n - 4, "/0x0", 4))
		value.n -= 4;
	return value;
}

/* The text before the first name=value, without what separates them. */
static struct span before_pairs(struct span text)
{
	struct span name, before = text;

	if (find_key(text, false, &name))
		before = span_between(text.s, name.s);
	before = span_trim(before);
	while (before.n && strchr(" ,:;([{|", before.s[before.n - 1]))
		before.n--;
	for (size_t i = 0; i < before.n; i++)
		if (is_word(before.s[i]) || (u8)before.s[i] >= 0x80)
			return before;
	return span_of("");
}

struct text_pairs text_pairs_of(const struct text_line *line)
{
	struct text_pairs p = { .call = line->call, .event = line->name, .rest = line->args };
	char name[64];
	s64 nr = -1;

	p.n_known = text_known_pairs(line, p.known);
	if (line->call == TEXT_NO_CALL && !p.n_known)
		p.before = before_pairs(line->args);
	snprintf(name, sizeof(name), "sys_%.*s", (int)min_t(size_t, line->name.n, 48),
		 line->name.s);
	if (line->call == TEXT_SYS_ENTER || line->call == TEXT_SYS_EXIT)
		nr = event_syscall_number(text_call_machine, name);
	if (nr >= 0)
		snprintf(p.nr, sizeof(p.nr), "0x%llx", nr);
	return p;
}

/* Parse NAME: VALUE up to the next one after a comma. */
static bool take_argument(struct span *rest, struct named_value *pair)
{
	struct span text = span_ltrim(*rest), after;

	pair->name =
		take_set(&text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	if (!pair->name.n || !take_text(&text, ":"))
		return false;
	pair->value = after = text;
	for (*rest = (struct span){ NULL, 0 }; span_sep(&after, ",").s && after.s;) {
		struct span next = span_ltrim(after);

		if (!take_set(&next, "abcdefghijklmnopqrstuvwxyz_0123456789").n ||
		    !span_starts(next, ": "))
			continue;
		pair->value = span_between(text.s, after.s - 1);
		*rest = after;
		break;
	}
	pair->value = span_trim(pair->value);
	return true;
}

/*
 * trace-cmd report -R prints the texts of a field, from the first one on that is not ASCII, as
 * "ARRAY[73, 68, 00, 00]".
 */
static void read_array(struct text_pairs *p, struct named_value *pair)
{
	static const char *const texts[] = { "comm", "name", "path" }; /* ends of fields */
	struct span rest = span_skip(pair->value, strlen("ARRAY["));
	size_t n = 0;
	u64 byte;
	bool is =
		any_of(i, ARRAY_SIZE(texts),
		       pair->name.n >= 4 && !memcmp(pair->name.s + pair->name.n - 4, texts[i], 4));

	while (is && n < sizeof(p->array) &&
	       span_digits(take_set(&rest, "0123456789abcdef"), 16, &byte) && byte) {
		p->array[n++] = (char)byte;
		is = byte <= UINT8_MAX && take_text(&rest, ", ");
	}
	if (is)
		pair->value = (struct span){ p->array, n };
}

bool text_take_pair(struct text_pairs *p, struct named_value *pair)
{
	const enum text_call call = p->call;
	struct span *rest = &p->rest, after, next;

	if (p->n_known) {
		if (p->next < p->n_known)
			*pair = p->known[p->next];
		return p->next++ < p->n_known;
	}
	if (!p->next++ && (p->before.n || *p->nr)) {
		*pair = *p->nr ? (struct named_value){ span_of("__syscall_nr"), span_of(p->nr) }
			       : (struct named_value){ span_of(text_field_name), p->before };
		return true;
	}
	if (!rest->s)
		return false;
	if (call == TEXT_SYS_ENTER)
		return take_argument(rest, pair);
	if (call == TEXT_SYS_EXIT || call == TEXT_PRINT) {
		*pair = call == TEXT_PRINT
				? (struct named_value){ span_of("buf"), *rest }
				: (struct named_value){ span_of("ret"), span_trim(*rest) };
		*rest = (struct span){ NULL, 0 };
		return true;
	}
	if (!find_key(*rest, false, &pair->name))
		return false;
	*rest = after = span_between(pair->name.s + pair->name.n + 1, rest->s + rest->n);
	pair->value = value_before(p->event, pair->name, after);
	if (!pair->value.s) {
		if (find_key(after, true, &next))
			after.n = (size_t)(next.s - after.s);
		pair->value = trim_value(after);
	}
	*rest = span_between(pair->value.s + pair->value.n, rest->s + rest->n);
	pair->name = text_known_field(p->event, pair->name);
	if (span_starts(pair->value, "ARRAY["))
		read_array(p, pair);
	return true;
}

struct text_line text_as_call(const struct text_line *line)
{
	struct text_line l = *line;
	struct span name;

	if (line->call || (line->system.s && !span_eq(line->system, "syscalls")) ||
	    find_key(line->args, false, &name))
		return l;
	for (int call = TEXT_SYS_ENTER; call <= TEXT_SYS_EXIT; call++)
		if (span_starts(l.name, text_call_prefixes[call]) && !l.call) {
			l.name = span_skip(l.name, strlen(text_call_prefixes[call]));
			l.call = l.name.n ? (enum text_call)call : TEXT_NO_CALL;
		}
	return l.call ? l : *line;
}
