// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Cuts a line of text into its parts, of which each may be missing or have another form:
 *
 *	TASK-PID (TGID) [CPU] CONTEXT TIME: (+DISTANCE) EVENT: ARGS	trace, trace-cmd report
 *	TASK-PID CPUCONTEXT TIMEus : EVENT: ARGS			the same, latency format
 *	TASK PID CPU FLAGS DEPTH NR [US] TIMEms (+TIMEms): EVENT: ARGS	the same, verbose
 *	TASK TGID/PID [CPU] MODE DAY TIME: PERIOD SYSTEM:EVENT: ARGS	perf script
 *
 * possibly after what loggers wrote (text_head.c). Task names may contain blanks, brackets and
 * dashes, so each number that may be a pid is tried.
 */
#include "import/text_cut.h"
#include "import/text_line.h"

/* Characters of a context; columns of a task's name, which has one less. */
enum { CONTEXT_MIN = 4, CONTEXT_MAX = 8, COMM_COLUMN = 16 };

static const char digits[] = "0123456789";
static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

const char *const text_call_prefixes[] = { "", "sys_enter_", "sys_exit_",
					   "" }; /* ORDER text_call */

/* --- columns --- */

/*
 * Parse irqs-off, need-resched, possibly need-resched-lazy, interrupt, preempt-depth, possibly
 * preempt-lazy-depth, and migrate-disable; @interrupt: the column of that
 */
static bool read_context_at(struct span text, size_t interrupt, struct text_line *l)
{
	static const char irqs[] = "dDbX.", resched[] = ".nlbpNLB", interrupts[] = ".hsHzZ";
	static const u8 irqs_flags[] = { 0x01, 0x81, 0x80, 0x02, 0 };
	static const u8 interrupt_flags[] = { 0, 0x08, 0x10, 0x18, 0x40, 0x48 };
	const char *i = strchr(irqs, text.s[0]), *r = strchr(resched, text.s[1]);
	const char *in = strchr(interrupts, text.s[interrupt]);
	u8 depth[CONTEXT_MAX] = { 0 };
	size_t n = 0;

	if (!i || !r || !in || (interrupt > 2 && !strchr(resched, text.s[2])))
		return false;
	for (size_t k = interrupt + 1; k < text.n; k++) {
		char c = text.s[k];

		if (c != '.' && !is_digit(c) && !(c >= 'a' && c <= 'f'))
			return false;
		depth[n++] = (u8)(c == '.' ? 0 : is_digit(c) ? c - '0' : c - 'a' + 10);
	}
	l->flags = irqs_flags[i - irqs] | interrupt_flags[in - interrupts];
	l->flags |= (u8)((r - resched) & 1 ? 0x04 : 0);
	l->flags |= (u8)((r - resched) & 2 || (interrupt > 2 && text.s[2] != '.') ? 0x02 : 0);
	l->flags |= (u8)((r - resched) & 4 ? 0x20 : 0);
	l->preempt = (u8)(depth[0] | (n > 1 ? depth[n - 1] : 0) << 4);
	return true;
}

/*
 * Contexts of kernels with PREEMPT_RT have more characters; trace-cmd report -R prints the flags as
 * "-0x11", old ones only with -l.
 */
static bool read_context(struct span text, struct text_line *l)
{
	u64 flags;

	if (take_text(&text, "-0x")) {
		l->preempt = 0;
		l->flags = (u8)(span_digits(text, 16, &flags) ? flags : 0);
		return span_digits(text, 16, &flags) && flags <= UINT8_MAX;
	}
	/* strchr() finds a NUL, too */
	if (text.n < CONTEXT_MIN || text.n > CONTEXT_MAX || memchr(text.s, 0, text.n))
		return false;
	return (text.n > 5 && read_context_at(text, 3, l)) || read_context_at(text, 2, l);
}

/* Parse "SECONDS.FRACTION:", "NUMBER:", or "NUMBERus" and a mark for a delay. */
static bool take_time(struct span *rest, struct text_line *l)
{
	struct span text = *rest, fraction = { NULL, 0 };
	u64 whole, part = 0, unit = 1;

	if (!take_number(&text, UINT64_MAX, &whole))
		return false;
	if (take_text(&text, ".")) {
		fraction = take_set(&text, digits);
		if (!fraction.n || fraction.n > 9 || !span_digits(fraction, 10, &part))
			return false;
		unit = 1000000000;
	} else if (take_text(&text, "us")) {
		unit = 1000;
		text = span_skip(text, text.n > 0);
	}
	l->digits = unit == 1000 ? 6 : (u32)fraction.n;
	if (!take_text(&text, ":") || (text.n && !is_blank(*text.s)))
		return false;
	for (size_t i = fraction.n; i < 9; i++)
		part *= 10;
	if (__builtin_mul_overflow(whole, unit, &l->ts) ||
	    __builtin_add_overflow(l->ts, part, &l->ts))
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

/*
 * Parse TASK-PID or, of perf script, TASK [TGID/]PID, without TASK if it was not asked for; before
 * the column of the name, which has 16 characters, may be what a logger wrote.
 */
static bool read_task(struct span text, struct text_line *l)
{
	u64 pid;

	if (!cut_number(&text, INT32_MAX, &pid))
		return false;
	l->pid = (s32)pid;
	if (text.n && text.s[text.n - 1] == '/') {
		text.n--;
		if (!cut_number(&text, INT32_MAX, &pid))
			return false;
		l->tgid = (s32)pid;
	}
	l->perf = !text.n || is_blank(text.s[text.n - 1]);
	if (!l->perf && text.s[text.n - 1] != '-')
		return false;
	text.n -= text.n > 0;
	if (l->perf) {
		while (text.n && is_blank(text.s[text.n - 1]))
			text.n--;
	} else if (span_eq(span_trim(text), ":-1")) { /* perf: it did not know the task */
		l->pid = -1;
		l->perf = true;
	}
	l->comm = skip_blanks(text);
	if (!l->perf && l->comm.n >= COMM_COLUMN) {
		const struct span name = skip_blanks(span_skip(text, text.n - COMM_COLUMN));

		if (name.n < COMM_COLUMN)
			l->comm = name;
	}
	return true;
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
	if (rest->n && !is_blank(*rest->s) && strchr(word, *rest->s)) {
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

	rest = skip_blanks(rest);
	if (read_call(rest, l) || read_print(rest, false, l))
		return true;
	period = rest;
	if (take_number(&period, UINT64_MAX, &l->period) && period.n && is_blank(*period.s))
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
		rest = span_skip(rest, rest.n && is_blank(*rest.s));
	}
	l->args = rest;
	return true;
}

/* --- columns between the task and the event --- */

/* Parse a context, which the time may follow without a blank. */
static bool take_context(struct span *rest, u32 *width, struct text_line *l)
{
	const u32 widths[] = { *width ?: 5, 5, 4, 6, 7, 8 };
	struct span text = *rest, context = span_sep(&text, " \t");

	if (text.s && read_context(context, l)) {
		*width = (u32)context.n;
		*rest = skip_blanks(text);
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(widths) && widths[i] < rest->n; i++) {
		struct text_line time;

		context = (struct span){ rest->s, widths[i] };
		text = span_skip(*rest, widths[i]);
		if (take_time(&text, &time) && read_context(context, l)) {
			*rest = span_skip(*rest, widths[i]);
			return true;
		}
	}
	return false;
}

/* Parse "(TGID)", or "(-----)" if it is unknown. */
static void take_tgid(struct span *rest, struct text_line *l)
{
	struct span text = *rest, inside;
	u64 tgid;

	if (!take_text(&text, "("))
		return;
	inside = span_trim(take_set(&text, " -0123456789"));
	if (!inside.n || !take_text(&text, ")"))
		return;
	if (span_digits(inside, 10, &tgid) && tgid <= INT32_MAX)
		l->tgid = (s32)tgid;
	*rest = skip_blanks(text);
}

/* Parse "[CPU]", or of latency formats CPU, which the context follows; so do flags in both. */
static bool take_cpu(struct span *rest, u32 *width, struct text_line *l)
{
	struct span text = *rest;
	const bool bracket = take_text(&text, "[");
	u64 cpu;

	if (!take_number(&text, UINT16_MAX, &cpu) || (bracket && !take_text(&text, "]")))
		return false;
	if (bracket && !span_starts(text, "-0x") ? text.n && !is_blank(*text.s)
						 : !take_context(&text, width, l))
		return false;
	l->cpu = (u32)cpu;
	l->has_cpu = true;
	l->bracket = bracket;
	l->padded = bracket && text.s - rest->s > 4; /* "[%03d]" */
	*rest = skip_blanks(text);
	return true;
}

/* Parse CPU and the time, as perf script -L prints them after a name cut to 8 characters. */
static bool take_bare_cpu(struct span *rest, struct text_line *l)
{
	struct span text = *rest;
	u64 cpu;

	if (!l->short_comm || !take_number(&text, UINT16_MAX, &cpu) || !take_text(&text, " "))
		return false;
	text = skip_blanks(text);
	if (!take_time(&text, l))
		return false;
	l->cpu = (u32)cpu;
	l->has_cpu = true;
	*rest = text;
	return true;
}

/* Parse the mode of a sample, which perf script prints with -F misc, and the day of -F tod. */
static void take_mode(struct span *rest, const struct text_line *l)
{
	if (l->perf && rest->n > 1 && strchr("KUHGg", *rest->s) && is_blank(rest->s[1]))
		*rest = skip_blanks(span_skip(*rest, 1));
	if (l->perf && text_take_date(rest))
		*rest = skip_blanks(*rest);
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

	if (!take_text(rest, "["))
		return take_time(rest, l);
	if (!take_hex(rest, &us) || us > UINT64_MAX / 1000 || !take_text(rest, "] "))
		return false;
	l->ts = us * 1000;
	l->digits = 6;
	take_set(rest, "0123456789.-");
	if (!take_text(rest, "ms (+"))
		return false;
	take_set(rest, "0123456789.-");
	return take_text(rest, "ms):");
}

/* Parse CPU FLAGS DEPTH NR and the time, of the latency format with options/verbose. */
static bool take_verbose(struct span *rest, struct text_line *l)
{
	struct span text = *rest;
	u64 cpu, flags, depth, nr;

	if (!take_number(&text, UINT16_MAX, &cpu) || !take_text(&text, " ") ||
	    !take_number(&text, UINT8_MAX, &flags) || !take_text(&text, " ") ||
	    !take_hex(&text, &depth) || !take_text(&text, " ") || !take_hex(&text, &nr) ||
	    !take_text(&text, " "))
		return false;
	text = skip_blanks(text);
	if (!take_verbose_time(&text, l))
		return false;
	l->cpu = (u32)cpu;
	l->has_cpu = true;
	l->perf = false;
	l->flags = (u8)flags;
	l->preempt = (u8)depth;
	*rest = text;
	return true;
}

/* Parse the columns after the task, and the time. */
static bool take_columns(struct span *rest, u32 *width, struct text_line *l)
{
	*rest = skip_blanks(*rest);
	take_tgid(rest, l);
	if (take_verbose(rest, l) || take_bare_cpu(rest, l))
		return true;
	take_cpu(rest, width, l);
	take_mode(rest, l);
	if (!take_time(rest, l) &&
	    (!l->bracket || !take_context(rest, width, l) || !take_time(rest, l)))
		return false;
	return l->has_cpu || l->digits >= 6;
}

/* trace-cmd report --ts-diff: "(+DISTANCE)" to the time of the event before */
static struct span skip_distance(struct span rest)
{
	struct span text = rest = skip_blanks(rest);

	return take_text(&text, "(") && take_set(&text, "+-0123456789.").n && take_text(&text, ")")
		       ? skip_blanks(text)
		       : rest;
}

/* Parse what follows a time and is not an event: the start of a stack, other records of perf. */
static enum text_kind read_other(struct span rest, struct text_line *l)
{
	u64 lost;

	if (span_find(rest, span_of("stack trace>")))
		return TEXT_FRAME;
	if (!take_text(&rest, "PERF_RECORD_"))
		return TEXT_TRACER;
	if (!take_text(&rest, "LOST"))
		return TEXT_RECORD;
	take_text(&rest, "_SAMPLES");
	if (!take_text(&rest, " lost ") || !take_number(&rest, INT64_MAX, &lost))
		return TEXT_RECORD;
	l->lost = (s64)lost;
	return TEXT_LOST;
}

static enum text_kind read_columns(struct span rest, u32 *width, struct text_line *l)
{
	if (!take_columns(&rest, width, l))
		return l->padded ? TEXT_COLUMNS : TEXT_OTHER;
	rest = skip_distance(rest);
	if (span_starts(rest, "PERF_RECORD_") || !read_named_event(rest, l))
		return read_other(rest, l);
	return l->has_cpu ? TEXT_EVENT : TEXT_NO_CPU;
}

/* Parse a line with a time: the first number that columns follow is the pid. */
static enum text_kind read_line(struct span line, u32 *width, struct text_line *l)
{
	bool columns = false;

	for (size_t i = 1; i <= line.n; i++) {
		enum text_kind kind;

		if (!is_digit(line.s[i - 1]) || (i < line.n && is_digit(line.s[i])))
			continue;
		*l = (struct text_line){ .cpu = 0 };
		if (!read_task((struct span){ line.s, i }, l))
			continue;
		/* perf script -L: in 8 columns, of which a blank at the start is cut off */
		l->short_comm = l->perf && l->comm.n &&
				l->comm.s + l->comm.n - line.s == (l->comm.n < 8 ? 7 : 8);
		kind = read_columns(span_skip(line, i), width, l);
		columns |= kind == TEXT_COLUMNS;
		if (kind == TEXT_OTHER || kind == TEXT_COLUMNS)
			continue;
		l->short_comm = l->has_cpu && !l->bracket && l->comm.n >= 8;
		if (l->perf && l->system.s && l->call != TEXT_PRINT)
			text_frame_off(&l->args);
		return kind;
	}
	for (size_t i = 0; i < line.n && !columns; i++) {
		if ((i && !is_blank(line.s[i - 1])) || (line.s[i] != '[' && !is_digit(line.s[i])))
			continue;
		*l = (struct text_line){ .perf = true };
		if (read_columns(span_skip(line, i), width, l) <= TEXT_NO_CPU)
			return TEXT_NO_TASK;
	}
	return columns ? TEXT_COLUMNS : TEXT_OTHER;
}

/* Parse TASK PID [CPU] EVENT, a sample of which perf script was asked for no time. */
static bool read_no_time(struct span line, u32 *width, struct text_line *l)
{
	for (size_t i = 1; i < line.n; i++) {
		struct span rest = span_skip(line, i);

		if (!is_blank(*rest.s) || !is_digit(rest.s[-1]))
			continue;
		*l = (struct text_line){ .cpu = 0 };
		if (!read_task((struct span){ line.s, i }, l) || !l->perf)
			continue;
		/* perf: pids have up to 7 columns, a period has 10 */
		if (!l->tgid && (!l->comm.n || rest.s - (l->comm.s + l->comm.n) > 8))
			continue;
		rest = skip_blanks(rest);
		if (span_starts(rest, "["))
			take_cpu(&rest, width, l);
		if (read_named_event(rest, l) && !l->system.s && !l->call &&
		    !is_digit(l->name.s[0]))
			return true;
	}
	return false;
}

/* --- other lines --- */

/* Frames of trace begin with " => ". */
static bool is_frame(struct span line)
{
	struct text_frame frame;

	return span_starts(span_ltrim(line), "=> ") || text_frame_cut(line, &frame);
}

static bool is_timeless(struct span line, u32 *width, struct span rest, struct text_line *l)
{
	struct text_frame frame;
	u64 addr;

	return read_no_time(line, width, l) &&
	       (span_trim(l->args).n ? text_frame_in(l->args, &frame, &addr)
				     : text_frame_cut(span_sep(&rest, "\n"), &frame));
}

enum text_kind text_line_next(struct span *rest, u32 *width, struct text_line *out)
{
	const struct span whole = span_sep(rest, "\n"), line = text_without_stamps(whole);
	/* a task can have such a name: names are right-aligned, after a blank at least */
	const bool comment = span_starts(line, "#") && !span_starts(whole, " #");
	enum text_kind kind;

	if (!line.n || comment)
		return text_head_cut(line, width, out) ? TEXT_HEAD : TEXT_OTHER;
	kind = read_line(line, width, out);
	if (kind >= TEXT_TRACER && line.s != whole.s)
		kind = read_line(whole, width, out);
	if (kind <= TEXT_NO_CPU &&
	    (span_eq(out->name, "kernel_stack") || span_eq(out->name, "user_stack")))
		return TEXT_FRAME;
	if (kind < TEXT_COLUMNS)
		return kind;
	if (text_lost_cut(line, out))
		return TEXT_LOST;
	if (is_timeless(line, width, *rest, out))
		return TEXT_NO_TIME;
	if (text_head_cut(line, width, out))
		return TEXT_HEAD;
	if (span_find(line, span_of(" PERF_RECORD_")))
		return TEXT_RECORD;
	return is_frame(line) ? TEXT_FRAME : kind;
}
