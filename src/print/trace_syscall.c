// SPDX-License-Identifier: LGPL-2.1-only
/*
 * System calls in trace: the text of a record of syscalls:sys_enter_NAME or sys_exit_NAME, with the
 * data that the kernel read from user space, which records contain from Linux 6.19 on in fields
 * named __ARGUMENT_val.
 *
 * Corresponds to print_syscall_enter() and print_syscall_exit() in trace_syscalls.c.
 */
#include "print/trace.h"

/* kernel: the name of the system call is that of its event without the prefix up to sys_ */
static void add_name(struct strbuf *out, const char *event)
{
	strbuf_addf(out, "sys_%s", strchr(event + strlen("sys_"), '_') + 1);
}

struct syscall {
	const struct trace_line *line;
	const struct event_field *args; /* the first of them */
	size_t n_args, n_fields;        /* with data read from user space */
};

static struct syscall syscall_of(const struct trace_line *line)
{
	struct syscall s = { .line = line };

	/* after the number of the call, which an imported text does not contain */
	s.args = trace_own_fields(line->type->format, &s.n_fields);
	if (s.n_fields && strstr(s.args[0].name, "nr")) {
		s.args++;
		s.n_fields--;
	}
	while (s.n_args < s.n_fields && (s.args[s.n_args].filter_type != FILTER_DYN_STRING ||
					 strncmp(s.args[s.n_args].name, "__", 2) != 0))
		s.n_args++;
	return s;
}

static u64 argument(struct trace_printer *tp, const struct syscall *s, size_t i)
{
	return i < s->n_args ? trace_number(tp, s->line, s->args[i].offset, s->args[i].size) : 0;
}

static struct span user_data(struct trace_printer *tp, const struct syscall *s,
			     const struct event_field *f)
{
	u32 loc = (u32)trace_number(tp, s->line, f->offset, 4);

	return trace_bytes(s->line, loc & 0xffff, loc >> 16);
}

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

/* Print the bytes; they are fewer than those of the call (@size) if it exceeds the limit. */
static void add_bytes(struct strbuf *out, struct span data, s32 size)
{
	bool printable = false, cut = (s64)data.n < size;

	strbuf_addstr(out, " (");
	for (size_t i = 0; i < data.n; i++) {
		printable |= is_printable(data.s[i]);
		strbuf_addf(out, "%s%02x", i ? ":" : "", (u8)data.s[i]);
	}
	strbuf_addstr(out, cut ? ", ...)" : ")");
	if (!printable)
		return;
	strbuf_addstr(out, " \"");
	for (size_t i = 0; i < data.n; i++)
		strbuf_addch(out, is_printable(data.s[i]) ? data.s[i] : '.');
	strbuf_addstr(out, cut ? "\"..." : "\"");
}

/* The data to which argument @i points: a string, or bytes whose number is the next argument. */
static void add_user_data(struct trace_printer *tp, const struct syscall *s, size_t i)
{
	const struct event_field *f = event_user_text(s->line->type->format, s->args[i].name);
	char bytes[128];

	if (!f)
		return;
	snprintf(bytes, sizeof(bytes), "__print_dynamic_array(%s,", f->name);
	if (strstr(s->line->type->format->print_fmt, bytes)) {
		add_bytes(&tp->p->buf, user_data(tp, s, f), (s32)argument(tp, s, i + 1));
	} else {
		strbuf_addstr(&tp->p->buf, " \"");
		trace_add_text(&tp->p->buf, user_data(tp, s, f));
		strbuf_addch(&tp->p->buf, '"');
	}
}

/* --- openat --- */

/*
 * kernel: this flag is not in the print fmt; together with O_DIRECTORY it is O_TMPFILE, so a
 * directory shows a mode
 */
enum { O_TMPFILE_ALONE = 0x400000 };

/* The next flag of a print fmt, { 0x40, "O_CREAT" }; false after the last one. */
static bool next_flag(const char **at, u64 *mask, struct span *name)
{
	char *end;

	*at = strstr(*at, "{ 0x");
	if (!*at)
		return false;
	*mask = strtoull(*at + 2, &end, 16);
	*at = end;
	if (strncmp(end, ", \"", 3) != 0)
		return false;
	*name = (struct span){ end + 3, strcspn(end + 3, "\"") };
	return true;
}

static u64 flag_named(const char *fmt, const char *want)
{
	struct span name;
	u64 mask;

	while (next_flag(&fmt, &mask, &name))
		if (span_eq(name, want))
			return mask;
	return 0;
}

static void add_flags(struct strbuf *out, const char *fmt, u64 flags, u64 tmpfile)
{
	const char *between = "";
	struct span name;
	u64 mask;

	if ((flags & tmpfile) == tmpfile) {
		strbuf_addstr(out, "O_TMPFILE");
		between = "|";
		flags &= ~tmpfile;
	}
	while (next_flag(&fmt, &mask, &name)) {
		if ((flags & mask) != mask)
			continue;
		strbuf_addstr(out, between);
		strbuf_add(out, name.s, name.n);
		between = "|";
		flags &= ~mask;
	}
	if (flags)
		strbuf_addf(out, "%s0x%llx", between, flags);
}

/* kernel: a special function, unless verbose: names of flags, and the mode if it is used */
static void add_openat(struct trace_printer *tp, const struct syscall *s)
{
	const char *fmt = s->line->type->format->print_fmt;
	u64 access = flag_named(fmt, "O_WRONLY") | flag_named(fmt, "O_RDWR");
	u64 tmpfile = flag_named(fmt, "O_DIRECTORY") | O_TMPFILE_ALONE;
	u64 creates = flag_named(fmt, "O_CREAT") | tmpfile;
	s64 flags = (s32)argument(tp, s, 2);
	struct strbuf *out = &tp->p->buf;

	for (size_t i = 0; i < 2; i++) {
		strbuf_addf(out, "%s%s: %llu", i ? ", " : "", s->args[i].name, argument(tp, s, i));
		add_user_data(tp, s, i);
	}
	strbuf_addstr(out, ", flags: ");
	if (!((u64)flags & access))
		strbuf_addstr(out, flags ? "O_RDONLY|" : "O_RDONLY");
	if (flags)
		add_flags(out, fmt, (u64)flags, tmpfile);
	if ((u64)flags & creates)
		strbuf_addf(out, ", %s: 0%03o", s->args[3].name, (u32)argument(tp, s, 3));
}

static bool is_openat(const struct trace_printer *tp, const struct syscall *s)
{
	return !trace_has(tp, TRACE_ITER_VERBOSE) && s->n_args == 4 && s->n_fields > s->n_args &&
	       !strcmp(s->line->type->format->name, "sys_enter_openat") &&
	       strstr(s->line->type->format->print_fmt, "\"O_CREAT\"");
}

/* --- */

void print_trace_syscall_enter(struct trace_printer *tp, const struct trace_line *line)
{
	struct syscall s = syscall_of(line);

	add_name(&tp->p->buf, line->type->format->name);
	strbuf_addch(&tp->p->buf, '(');
	if (is_openat(tp, &s)) {
		add_openat(tp, &s);
	} else {
		bool prefixed = tp->machine->quirks->syscall_args_0x;
		struct strbuf *out = &tp->p->buf;

		for (size_t i = 0; i < s.n_args; i++) {
			unsigned long long v = argument(tp, &s, i);

			strbuf_addstr(out, i ? ", " : "");
			if (trace_has(tp, TRACE_ITER_VERBOSE))
				strbuf_addf(out, "%s ", s.args[i].type);
			strbuf_addf(out, prefixed && v >= 10 ? "%s: 0x%llx" : "%s: %llx",
				    s.args[i].name, v);
			add_user_data(tp, &s, i);
		}
	}
	strbuf_addstr(&tp->p->buf, ")\n");
}

void print_trace_syscall_exit(struct trace_printer *tp, const struct trace_line *line)
{
	const struct event_field *ret =
		event_find_field(line->type->format, span_of("ret"), GENERICS_6_1);
	u64 v = ret ? trace_number(tp, line, ret->offset, ret->size) : 0;

	add_name(&tp->p->buf, line->type->format->name);
	strbuf_addf(&tp->p->buf, " -> 0x%llx\n", v);
}
