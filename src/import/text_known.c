// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What is known of text without formats: the events that programs print without name=value, and
 * the letters of prev_state, which are bits of a number for whoever asks what a task waited for.
 */
#include "import/text_known.h"

/*
 * A name after '%' is a field: the text up to what follows in the form. The name of a task ends at
 * the last colon. What follows the last field of a form that does not end there is left out.
 */
static const struct {
	const char *event, *form;
} forms[] = {
	/* libtraceevent's plugins, which trace-cmd report and perf script use */
	{ "sched_switch", "%prev_comm:%prev_pid [%prev_prio] %prev_state ==> "
			  "%next_comm:%next_pid [%next_prio]" },
	{ "sched_waking", "%comm:%pid [%prio] CPU:%target_cpu" },
	{ "sched_wakeup", "%comm:%pid [%prio] CPU:%target_cpu" },
	{ "sched_wakeup_new", "%comm:%pid [%prio] CPU:%target_cpu" },
	/* the kernel */
	{ "sys_enter", "NR %id (" },
	{ "sys_exit", "NR %id = %ret" },
};

/* The literal text at the start of @form. */
static struct span literal(const char *form)
{
	return (struct span){ form, strcspn(form, "%") };
}

/* Cut the value of the first field of @form from @rest; false: the text has another form. */
static bool take_field(const char **form, struct span *rest, struct named_value *pair)
{
	size_t name = 1 + strspn(*form + 1, "abcdefghijklmnopqrstuvwxyz_");
	struct span end = literal(*form + name), next = { NULL, 0 };
	const char *at, *to = rest->s + rest->n;

	pair->name = (struct span){ *form + 1, name - 1 };
	*form += name + end.n;
	if (span_eq(end, ":") && **form == '%') {
		const char *after = *form + 1 + strspn(*form + 1, "abcdefghijklmnopqrstuvwxyz_");

		next = literal(after);
		to = memmem(rest->s, rest->n, next.s, next.n);
		at = to ? memrchr(rest->s, ':', (size_t)(to - rest->s)) : NULL;
	} else {
		at = end.n ? memmem(rest->s, rest->n, end.s, end.n) : to;
	}
	if (!at)
		return false;
	pair->value = span_trim(span_between(rest->s, at));
	*rest = span_skip(*rest, (size_t)(at - rest->s) + end.n);
	return true;
}

size_t text_known_pairs(const struct text_line *line, struct named_value *pairs)
{
	struct span rest = span_ltrim(line->args);
	const char *form = NULL;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(forms) && line->call == TEXT_NO_CALL; i++)
		if (span_eq(line->name, forms[i].event))
			form = forms[i].form;
	if (!form || !span_starts(rest, "NR ") != (*form == '%'))
		return 0;
	rest = span_skip(rest, literal(form).n);
	form += literal(form).n;
	while (*form)
		if (!take_field(&form, &rest, &pairs[n++]))
			return 0;
	return n;
}

/* --- states --- */

#define STATE_BITS                                                                                \
	"{ 0x1, \"S\" }, { 0x2, \"D\" }, { 0x4, \"T\" }, { 0x8, \"t\" }, { 0x10, \"X\" }, "       \
	"{ 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }, { 0x200, \"x\" }, { 0x400, \"K\" }, " \
	"{ 0x800, \"W\" }, { 0x1000, \"N\" }"

const char text_known_state_args[] =
	", (REC->prev_state & 0xfeff) ? __print_flags(REC->prev_state & 0xfeff, \"|\", " STATE_BITS
	") : \"R\", (REC->prev_state & 0x100) ? \"+\" : \"\"";

bool text_known_state(struct span text, u64 *state)
{
	static const char letters[] = "SDTtXZPI+xKWN";

	*state = 0;
	if (!text.n || span_eq(text, "R"))
		return text.n;
	for (size_t i = 0; i < text.n; i++) {
		const char *letter = text.s[i] ? strchr(letters, text.s[i]) : NULL;

		if (letter)
			*state |= 1ull << (letter - letters);
		else if (text.s[i] != '|' && text.s[i] != 'R')
			return false;
	}
	return true;
}
