// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cuts a line of text into its parts:
 *
 *	TASK-PID [CPU] CONTEXT TIME: EVENT: ARGS	trace, trace_pipe, trace-cmd report
 *	TASK-PID CPUCONTEXT TIMEus : EVENT: ARGS	latency format, as ftrace_dump() prints it
 *	TASK-PID CPUCONTEXT SECONDS: EVENT: ARGS	trace-cmd report -l
 *	TASK PID CPU FLAGS DEPTH NR [US] TIMEms (+TIMEms): EVENT: ARGS	latency format, verbose
 *	TASK PID [CPU] TIME: SYSTEM:EVENT: ARGS	perf script, or without the CPU, the time
 *
 * possibly with a prefix of dmesg or a journal. Task names may contain blanks, brackets and dashes,
 * so all possible ends of the name are tried.
 */
#include "import/text_cut.h"
#include "import/text_line.h"

static const char digits[] = "0123456789";
static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

const char *const text_call_prefixes[] = { "", "sys_enter_", "sys_exit_",
					   "" }; /* ORDER text_call */

/* --- prefixes of a line --- */

/* Skip "[   12.345678]", then "[ T123]". */
static bool skip_stamp(struct span *line)
{
	struct span rest = *line, inside;

	if (!take_text(&rest, "["))
		return false;
	take_set(&rest, " ");
	inside = take_set(&rest, "0123456789.");
	if (!inside.n || !span_chr(inside, '.') || !take_text(&rest, "]"))
		return false;
	if (take_text(&rest, "[")) {
		take_set(&rest, " TC0123456789");
		if (!take_text(&rest, "]"))
			return false;
	}
	take_text(&rest, " ");
	*line = rest;
	return true;
}

static struct span without_prefix(struct span line)
{
	static const char journal[] = " kernel: ";
	struct span rest = line, level;
	const char *at;

	while (line.n && (line.s[line.n - 1] == '\r' || line.s[line.n - 1] == '\n'))
		line.n--;
	rest = line;
	if (take_text(&rest, "<")) {
		level = take_set(&rest, digits);
		/* "<7952>-7952" is a task */
		if (level.n && take_text(&rest, ">") &&
		    !(rest.n > 1 && *rest.s == '-' && is_digit(rest.s[1])))
			line = rest;
	}
	rest = line;
	if (skip_stamp(&rest))
		return rest;
	at = span_find((struct span){ line.s, min_t(size_t, line.n, 100) }, span_of(journal));
	if (!at)
		return line;
	rest = span_between(at + strlen(journal), line.s + line.n);
	skip_stamp(&rest);
	return rest;
}

/* --- columns --- */

/* Parse irqs-off, need-resched, interrupt, preempt-depth, and optionally migrate-disable. */
static bool read_context(struct span text, struct text_line *l)
{
	static const char irqs[] = "dDbX.", resched[] = ".nlbpNLB", interrupt[] = ".hsHzZ";
	static const u8 irqs_flags[] = { 0x01, 0x81, 0x80, 0x02, 0 };
	static const u8 interrupt_flags[] = { 0, 0x08, 0x10, 0x18, 0x40, 0x48 };
	const char *i, *r, *in;
	u8 depth[2] = { 0 };

	/* strchr() finds a NUL, too */
	if (text.n < 4 || text.n > 5 || memchr(text.s, 0, text.n) ||
	    !(i = strchr(irqs, text.s[0])) || !(r = strchr(resched, text.s[1])) ||
	    !(in = strchr(interrupt, text.s[2])))
		return false;
	for (size_t k = 3; k < text.n; k++) {
		char c = text.s[k];

		if (c != '.' && !is_digit(c) && !(c >= 'a' && c <= 'f'))
			return false;
		depth[k - 3] = (u8)(c == '.' ? 0 : is_digit(c) ? c - '0' : c - 'a' + 10);
	}
	l->flags = irqs_flags[i - irqs] | interrupt_flags[in - interrupt];
	l->flags |= (u8)((r - resched) & 1 ? 0x04 : 0);
	l->flags |= (u8)((r - resched) & 2 ? 0x02 : 0);
	l->flags |= (u8)((r - resched) & 4 ? 0x20 : 0);
	l->preempt = (u8)(depth[0] | depth[1] << 4);
	return true;
}

/* Parse "SECONDS.FRACTION:" or "NUMBER:". */
static bool take_time(struct span *rest, struct text_line *l)
{
	struct span text = *rest, fraction = { NULL, 0 };
	u64 whole, part = 0;

	if (!take_number(&text, UINT64_MAX, &whole))
		return false;
	if (take_text(&text, ".")) {
		fraction = take_set(&text, digits);
		if (!fraction.n || fraction.n > 9 || !span_digits(fraction, 10, &part))
			return false;
	}
	if (!take_text(&text, ":"))
		return false;
	l->digits = (u32)fraction.n;
	for (size_t i = fraction.n; i < 9; i++)
		part *= 10;
	l->ts = whole;
	if (fraction.n && (__builtin_mul_overflow(whole, 1000000000, &l->ts) ||
			   __builtin_add_overflow(l->ts, part, &l->ts)))
		return false;
	*rest = text;
	return true;
}

/* Remove the digits at the end of @text and return their value. */
static bool cut_number(struct span *text, u64 max, u64 *v)
{
	size_t n = text->n;

	while (n && is_digit(text->s[n - 1]))
		n--;
	if (!span_digits(span_skip(*text, n), 10, v) || *v > max)
		return false;
	text->n = n;
	return true;
}

static void cut_blanks(struct span *text)
{
	while (text->n && text->s[text->n - 1] == ' ')
		text->n--;
}

/* Parse TASK-PID, or perf's TASK PID and TASK PID/TID; a thread group in parentheses may follow. */
static bool read_task(struct span text, struct text_line *l)
{
	u64 pid;

	cut_blanks(&text);
	if (text.n && text.s[text.n - 1] == ')') {
		const char *open = span_rchr(text, '(');

		if (!open)
			return false;
		text.n = (size_t)(open - text.s);
		cut_blanks(&text);
	}
	if (!cut_number(&text, INT32_MAX, &pid) || !text.n)
		return false;
	l->pid = (s32)pid;
	if (text.s[text.n - 1] == '/') {
		text.n--;
		if (!cut_number(&text, INT32_MAX, &pid) || !text.n)
			return false;
		l->tgid = (s32)pid;
	}
	l->perf = text.s[text.n - 1] == ' ';
	if (text.s[text.n - 1] != '-' && !l->perf)
		return false;
	text.n--;
	l->comm = span_ltrim(text);
	if (text.s[text.n] == ' ')
		cut_blanks(&l->comm);
	/* the name of a task may be empty */
	return l->comm.n > 0 || text.s[text.n] == '-';
}

/* --- the event --- */

/* Parse sys_NAME(ARGS) and sys_NAME -> ARGS. */
static bool read_call(struct span rest, struct text_line *l)
{
	struct span name = take_set(&rest, word);

	if (!span_starts(name, "sys_"))
		return false;
	l->name = span_skip(name, strlen("sys_"));
	l->call = TEXT_SYS_EXIT;
	if (take_text(&rest, "(")) {
		l->call = TEXT_SYS_ENTER;
		if (!rest.n || rest.s[rest.n - 1] != ')')
			return false;
		rest.n--;
	} else if (!take_text(&rest, " -> ")) {
		return false;
	}
	l->args = rest;
	return l->name.n > 0;
}

/*
 * Parse IP: TEXT, an event of ftrace:print, with IP also as options/sym-offset and sym-addr print
 * it: FUNCTION, FUNCTION+0x1/0x2, FUNCTION [MODULE], FUNCTION <ADDRESS>, 0xADDRESS, 0. A plain
 * FUNCTION may also be the name of an event, unless @named or if it is the one that writes markers.
 */
static bool read_print(struct span rest, bool named, struct text_line *l)
{
	const char *start = rest.s;
	struct span name = take_set(&rest, word);
	bool is = named || span_eq(name, "0") || span_starts(name, "0x") ||
		  span_eq(name, "tracing_mark_write");

	if (take_text(&rest, "+0x"))
		is = take_set(&rest, "0123456789abcdefx/").n;
	if (take_text(&rest, " ["))
		is = take_set(&rest, word).n && take_text(&rest, "]");
	if (take_text(&rest, " <"))
		is = take_set(&rest, "0123456789abcdef").n && take_text(&rest, ">");
	l->ip = span_between(start, rest.s);
	if (!name.n || !is || !take_text(&rest, ":"))
		return false;
	take_text(&rest, " ");
	l->system = (struct span){ NULL, 0 };
	l->name = span_of("print");
	l->call = TEXT_PRINT;
	l->args = rest;
	return true;
}

/* Parse [SYSTEM:]NAME[:MODIFIERS]: and, of perf, PMU/.../[MODIFIERS]: */
static bool read_name(struct span *rest, struct text_line *l)
{
	static const char modifiers[] = "ukhGHpPSDWeI";
	const char *start = rest->s, *slash;

	l->name = take_set(rest, word);
	if (l->perf && l->name.n && take_text(rest, "/") && (slash = span_chr(*rest, '/'))) {
		*rest = span_between(slash + 1, rest->s + rest->n);
		take_set(rest, modifiers);
		l->name = span_between(start, rest->s);
	}
	if (!l->name.n || !take_text(rest, ":"))
		return false;
	if (rest->n && *rest->s != ' ' && strchr(word, *rest->s)) {
		const struct span first = l->name;

		l->name = take_set(rest, word);
		if (!take_text(rest, ":"))
			return false;
		/* perf: "cycles:ppp" is an event with modifiers */
		if (take_set(&(struct span){ l->name.s, l->name.n }, modifiers).n == l->name.n)
			l->name = first;
		else
			l->system = first;
	}
	l->event = span_between(start, rest->s - 1);
	return true;
}

/* Parse [PERIOD] [SYSTEM:]NAME: ARGS, and IP: ARGS. */
static bool read_named_event(struct span rest, struct text_line *l)
{
	struct span period;

	rest = span_ltrim(rest);
	if (read_call(rest, l) || read_print(rest, false, l))
		return true;
	period = rest;
	if (take_number(&period, UINT64_MAX, &l->period) && take_text(&period, " "))
		rest = span_ltrim(period);
	else
		l->period = 0;
	l->call = TEXT_NO_CALL;
	if (!read_name(&rest, l))
		return false;
	/* trace-cmd: the events that the kernel prints without their names */
	if (span_eq(l->name, "print") || span_eq(l->name, "bprint") || span_eq(l->name, "bputs")) {
		rest = span_ltrim(rest);
		if (read_print(rest, true, l))
			return true;
		l->system = (struct span){ NULL, 0 };
		l->name = span_of("print");
		l->call = TEXT_PRINT;
		l->ip = (struct span){ NULL, 0 };
	} else {
		take_text(&rest, " ");
	}
	l->args = rest;
	return true;
}

/* Parse what follows the time: an event, or the line of a tracer. */
static bool read_event(struct span rest, struct text_line *l)
{
	bool is = read_named_event(rest, l);

	l->has_time = true;
	return is;
}

/* Whether it is the mode of a sample, which perf script prints with -F misc. */
static bool is_mode(struct span text, const struct text_line *l)
{
	return l->perf && text.n == 1 && strchr("KUHGg", text.s[0]);
}

/* Parse what follows the CPU number: an optional context, the time, the event. */
static bool read_rest(struct span rest, struct text_line *l)
{
	struct span context;

	rest = span_ltrim(rest);
	if (!take_time(&rest, l)) {
		context = span_sep(&rest, " ");
		if (!rest.s || (!is_mode(context, l) && !read_context(context, l)))
			return false;
		rest = span_ltrim(rest);
		if (!take_time(&rest, l))
			return false;
	}
	return read_event(rest, l);
}

static bool read_bracketed(struct span line, struct text_line *l)
{
	struct span rest = line;
	const char *at;
	u64 cpu;

	while ((at = span_chr(rest, '['))) {
		struct span after;

		rest = span_between(at + 1, line.s + line.n);
		after = rest;
		if (!take_number(&after, UINT16_MAX, &cpu) || !take_text(&after, "] "))
			continue;
		*l = (struct text_line){ .cpu = (u32)cpu };
		if (read_task(span_between(line.s, at), l) && read_rest(after, l))
			return true;
	}
	return false;
}

/* Parse NUMBERus and a mark for a delay; a clock that counts has no unit. */
static bool take_latency_time(struct span *rest, struct text_line *l)
{
	u64 us;

	take_set(rest, " ");
	if (take_time(rest, l))
		return take_text(rest, " ");
	if (!take_number(rest, UINT64_MAX / 1000, &us))
		return false;
	l->ts = us;
	if (!take_text(rest, "us"))
		return take_text(rest, ": ");
	l->ts = us * 1000;
	l->digits = 6;
	*rest = span_skip(*rest, rest->n ? 1 : 0);
	return take_text(rest, ": ");
}

static bool read_latency(struct span line, struct text_line *l)
{
	struct span rest = line;
	const char *at;
	u64 pid, cpu;

	while ((at = span_chr(rest, '-'))) {
		struct span after, context;

		rest = span_between(at + 1, line.s + line.n);
		after = rest;
		*l = (struct text_line){ .comm = span_ltrim(span_between(line.s, at)) };
		if (!take_number(&after, INT32_MAX, &pid) || !take_set(&after, " ").n ||
		    !take_number(&after, UINT16_MAX, &cpu) || after.n < 6)
			continue;
		context = span_sep(&after, " ");
		if (!after.s || !read_context(context, l) || !take_latency_time(&after, l))
			continue;
		l->pid = (s32)pid;
		l->cpu = (u32)cpu;
		l->short_comm = l->comm.n >= 8;
		return read_event(after, l);
	}
	return false;
}

/* Parse a hexadecimal number. */
static bool take_hex(struct span *rest, u64 *v)
{
	return span_digits(take_set(rest, "0123456789abcdef"), 16, v);
}

/* Parse "[US] TIMEms (+TIMEms):" or, for a clock that counts, "NUMBER:". */
static bool take_verbose_time(struct span *rest, struct text_line *l)
{
	u64 us;

	take_set(rest, " ");
	if (!take_text(rest, "["))
		return take_number(rest, UINT64_MAX, &l->ts) && take_text(rest, ": ");
	if (!take_hex(rest, &us) || us > UINT64_MAX / 1000 || !take_text(rest, "] "))
		return false;
	l->ts = us * 1000;
	l->digits = 6;
	take_set(rest, "0123456789.-");
	if (!take_text(rest, "ms (+"))
		return false;
	take_set(rest, "0123456789.-");
	return take_text(rest, "ms): ");
}

/* Parse PID CPU FLAGS DEPTH NR after the name. */
static bool take_verbose_columns(struct span *rest, struct text_line *l)
{
	u64 pid, cpu, flags, depth, nr;

	if (!take_number(rest, INT32_MAX, &pid) || !take_set(rest, " ").n ||
	    !take_number(rest, UINT16_MAX, &cpu) || !take_text(rest, " ") ||
	    !take_number(rest, UINT8_MAX, &flags) || !take_text(rest, " ") ||
	    !take_hex(rest, &depth) || !take_text(rest, " ") || !take_hex(rest, &nr) ||
	    !take_text(rest, " "))
		return false;
	l->pid = (s32)pid;
	l->cpu = (u32)cpu;
	l->flags = (u8)flags;
	l->preempt = (u8)depth;
	return true;
}

/* Parse a verbose line; the name of the task may contain blanks and numbers. */
static bool read_verbose(struct span line, struct text_line *l)
{
	struct span start = span_ltrim(line), rest = start;
	const char *at;

	while ((at = span_chr(rest, ' '))) {
		struct span after = span_between(at, line.s + line.n);

		rest = span_skip(after, 1);
		take_set(&after, " ");
		*l = (struct text_line){ .comm = span_between(start.s, at) };
		cut_blanks(&l->comm);
		if (l->comm.n && take_verbose_columns(&after, l) && take_verbose_time(&after, l))
			return read_event(after, l);
	}
	return false;
}

/* --- other lines --- */

/* Frames of trace begin with " => ". */
static bool is_frame(struct span line)
{
	struct text_frame frame;

	return span_starts(span_ltrim(line), "=> ") || span_find(line, span_of("stack trace>")) ||
	       text_frame_cut(line, &frame);
}

/* Parse TASK PID TIME: EVENT, which perf script prints if samples have no CPU, or with -F. */
static bool read_no_cpu(struct span line, struct text_line *l)
{
	struct span rest = line;
	const char *at;

	while ((at = span_chr(rest, ' '))) {
		struct span after = rest = span_between(at + 1, line.s + line.n), task;

		*l = (struct text_line){ .cpu = 0 };
		if (!take_time(&after, l) || l->digits < 6 || !take_text(&after, " ") ||
		    !span_chr(after, ':'))
			continue;
		task = span_trim(span_between(line.s, at));
		l->perf = true;
		if (task.n > 2 && is_mode(span_skip(task, task.n - 1), l))
			task.n--;
		if (read_task(task, l) && read_event(after, l))
			return true;
	}
	return false;
}

/* Parse TASK PID [CPU] EVENT, a sample of which perf script was asked for no time. */
static bool read_no_time(struct span line, struct text_line *l)
{
	struct span rest = line;
	const char *at;

	while ((at = span_chr(rest, ' '))) {
		struct span after = span_ltrim(rest = span_between(at + 1, line.s + line.n));
		u64 cpu = 0;

		*l = (struct text_line){ .cpu = 0 };
		if (take_text(&after, "[") &&
		    (!take_number(&after, UINT16_MAX, &cpu) || !take_text(&after, "] ")))
			continue;
		l->cpu = (u32)cpu;
		if (read_task(span_between(line.s, at), l) && l->perf && read_event(after, l) &&
		    !l->system.s && !l->call && !is_digit(l->name.s[0]))
			return true;
	}
	return false;
}

static bool (*const forms[])(struct span, struct text_line *) = { read_bracketed, read_latency,
								  read_verbose };

static bool is_timeless(struct span line, struct span rest, struct text_line *l)
{
	struct text_frame frame;
	u64 addr;

	return read_no_time(line, l) &&
	       (span_trim(l->args).n ? text_frame_in(l->args, &frame, &addr)
				     : text_frame_cut(span_sep(&rest, "\n"), &frame));
}

enum text_kind text_line_next(struct span *rest, struct text_line *out)
{
	struct span line = without_prefix(span_sep(rest, "\n"));
	bool has_time = false;

	if (text_head_cut(line, out))
		return TEXT_HEAD;
	if (span_find(line, span_of(": PERF_RECORD_")))
		return TEXT_RECORD;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		if (!forms[i](line, out)) {
			has_time |= out->has_time;
			continue;
		}
		return span_eq(out->name, "kernel_stack") || span_eq(out->name, "user_stack")
			       ? TEXT_FRAME
			       : TEXT_EVENT;
	}
	if (text_lost_cut(line, out))
		return TEXT_LOST;
	if (!has_time && read_no_cpu(line, out))
		return TEXT_NO_CPU;
	if (!has_time && is_timeless(line, *rest, out))
		return TEXT_NO_TIME;
	*out = (struct text_line){ .cpu = 0 };
	if (is_frame(line))
		return TEXT_FRAME;
	return has_time ? TEXT_TRACER : TEXT_OTHER;
}
