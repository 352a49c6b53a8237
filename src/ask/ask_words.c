// SPDX-License-Identifier: LGPL-2.1-only
/* The words of keys and sums, in this tool and in others, and the fields of an event that they are.
 */
#include "ask/ask.h"
#include "program/synth_event.h"

static const struct event_field *find_field(const struct event_file *file, struct span name)
{
	const struct event_format *format = file->format;

	for (size_t i = 0; i < format->n_fields; i++)
		if (span_eq(name, format->fields[i].name))
			return &format->fields[i];
	return NULL;
}

/* "__NAME_val", which has the text that NAME points to, where the kernel recorded that (6.19) */
static const char *text_of_pointer(const struct event_file *file, struct span name)
{
	for (size_t i = 0; i < file->format->n_fields; i++) {
		struct span field = span_of(file->format->fields[i].name);

		if (span_starts(field, "__") && field.n == name.n + 6 &&
		    !memcmp(field.s + 2, name.s, name.n) && !strcmp(field.s + 2 + name.n, "_val"))
			return field.s;
	}
	return NULL;
}

/* The argument of a function "NAME(x)"; absent if it is something else. */
static struct span argument(struct span key, const char *name)
{
	size_t n = strlen(name);

	if (span_starts(key, name) && key.n > n + 2 && key.s[n] == '(' && key.s[key.n - 1] == ')')
		return (struct span){ key.s + n + 1, key.n - n - 2 };
	return (struct span){ NULL, 0 };
}

struct span ask_plain_field(struct span key)
{
	key = span_trim(key);
	if (span_starts(key, "args."))
		return span_skip(key, 5);
	return span_starts(key, "args->") ? span_skip(key, 6) : key;
}

/*
 * The name of the running task: at that time; and where only what kernels accept is a key, as this
 * one has it.
 */
static const char *running_task(const struct event_file *file, bool pid)
{
	const struct machine *m = &file->tr->tracing->machine;

	if (file->tr->tracing->options.strict_kernel &&
	    (pid || !machine_rules(m, true)->common_comm))
		return "common_pid.execname";
	return pid ? "common_task" : "common_comm";
}

/* Names of fields in bpftrace, perf and trace-cmd; several events have their common fields in
 * common. */
static const char *word_here(struct span word, const struct event_file *file, bool shared)
{
	static const struct {
		const char *word, *here, *field; /* NULL: of each event */
	} words[] = {
		{ "comm", "common_comm", NULL },     { "task", "common_task", NULL },
		{ "thread", "common_task", NULL },   { "process", "common_process", NULL },
		{ "cgroup", "common_cgroup", NULL }, { "cmdline", "common_cmdline", NULL },
		{ "tgid", "common_tgid", NULL },     { "uid", "common_uid", NULL },
		{ "pid", "common_pid", NULL },       { "tid", "common_pid", NULL },
		{ "kstack", "stacktrace", NULL },    { "stack", "stacktrace", NULL },
		{ "ustack", "common_ustack", NULL }, { "syscall", "id.syscall", "id" },
		{ "dso", "ip.dso", "ip" },           { "sym", "ip.sym", "ip" },
		{ "symbol", "ip.sym", "ip" },        { "function", "ip.sym", "ip" },
		{ "srcline", "ip.srcline", "ip" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!span_eq(word, words[i].word) || (!shared && find_field(file, word)))
			continue;
		if (words[i].field && (shared || !find_field(file, span_of(words[i].field))))
			continue;
		return i < 3 ? running_task(file, i) : words[i].here;
	}
	return NULL;
}

/* "lhist(x,min,max,step)" of bpftrace; false: another key */
static bool add_lhist(struct span key, const struct event_file *file, bool shared,
		      struct strbuf *out)
{
	struct span list, field;
	const char *here;

	if (!span_starts(key, "lhist("))
		return false;
	list = span_skip(key, 6);
	list.n -= list.n && list.s[list.n - 1] == ')';
	field = ask_plain_field(span_sep(&list, ","));
	here = word_here(field, file, shared);
	field = here ? span_of(here) : field;
	strbuf_addf(out, "%.*s.lhist", (int)field.n, field.s);
	for (int i = 0; i < 3 && list.s; i++) {
		struct span number = span_trim(i < 2 ? span_sep(&list, ",") : list);

		strbuf_addstr(out, i ? "_" : "=");
		if (span_starts(number, "-"))
			strbuf_addch(out, 'm');
		number = span_skip(number, span_starts(number, "-"));
		strbuf_add(out, number.s, number.n);
	}
	return true;
}

/* Whether it contains the address of a function, by its usual names. */
static bool is_function(struct span key)
{
	static const char *const names[] = { "call_site", "func", "function", "ip", "parent_ip" };

	return any_of(i, ARRAY_SIZE(names), span_eq(key, names[i]));
}

/* kernel: an address is printed by a conversion %p, of which there are many */
static bool is_printed_as_pointer(const struct event_file *file, struct span name)
{
	struct span rest = span_of(file->format->print_fmt ?: "");
	static const char cast[] = "(void *)REC->";
	const char *at = span_find(rest, span_of(cast));

	for (; at; at = span_find(rest, span_of(cast))) {
		rest = span_between(at + strlen(cast), rest.s + rest.n);
		if (rest.n >= name.n && !memcmp(rest.s, name.s, name.n))
			return rest.n == name.n || strchr(", \n)", rest.s[name.n]);
	}
	return false;
}

/*
 * A field: a pointer to text is its text, where the kernel recorded that; other pointers are
 * hexadecimal; a function is its symbol, unless it is a string.
 */
static void add_field(struct span key, const struct event_file *file, struct strbuf *out)
{
	const struct event_field *field = find_field(file, key);
	const bool pointer = field &&
			     (strchr(field->type, '*') || is_printed_as_pointer(file, key));
	const char *text = pointer ? text_of_pointer(file, key) : NULL;

	if (field && is_function(key) && !strstr(field->type, "char"))
		strbuf_addf(out, "%.*s.sym", (int)key.n, key.s);
	else if (text)
		strbuf_addstr(out, text);
	else if (field && field->filter_type == FILTER_STACKTRACE && field->size)
		strbuf_addf(out, "%.*s.stacktrace", (int)key.n, key.s);
	else
		strbuf_addf(out, "%.*s%s", (int)key.n, key.s, pointer ? ".hex" : "");
}

/* raw_syscalls, whose field id is the number of the system call */
static bool is_system_call(const struct event_file *file)
{
	return !strcmp(file->name, "sys_enter") || !strcmp(file->name, "sys_exit");
}

static bool is_synthetic(const struct event_file *file)
{
	return file->synth && !file->synth->derived;
}

void ask_key(struct span key, const struct event_file *file, bool shared, struct strbuf *out)
{
	struct span of = argument(key, "hist");
	const char *here;

	if (!of.s)
		of = argument(key, "log2");
	of = of.s ? ask_plain_field(of) : of;
	if (shared && span_eq(key, "event")) {
		strbuf_addstr(out, "common_type");
		return;
	}
	/* samples have that of the program, too */
	if (!strcmp(file->system, "perf") && span_eq(key, "stack")) {
		strbuf_addstr(out, "common_stack");
		return;
	}
	if (add_lhist(key, file, shared, out))
		return;
	key = ask_plain_field(key);
	here = word_here(key, file, shared);
	/* a synthetic event belongs to the task in its field pid, not to that which ran */
	if (here && !shared && is_synthetic(file) && !strncmp(here, "common_", 7) &&
	    strcmp(here, "common_pid") != 0 && find_field(file, span_of("pid")))
		strbuf_addf(out, "pid.%.*s", (int)key.n, key.s);
	else if (here)
		strbuf_addstr(out, here);
	else if (!shared && span_eq(key, "id") && is_system_call(file))
		strbuf_addstr(out, "id.syscall");
	else if (of.s)
		strbuf_addf(out, "%.*s.log2", (int)of.n, of.s);
	else if (shared)
		strbuf_add(out, key.s, key.n);
	else
		add_field(key, file, out);
}

void ask_sum(struct span field, struct strbuf *out)
{
	struct span of = argument(ask_plain_field(field), "sum");

	field = ask_plain_field(of.s ? of : field);
	strbuf_add(out, field.s, field.n);
}

const char *ask_instead(struct span key, const struct event_file *file)
{
	static const char *const statistics[] = { "p50(", "p90(",   "p95(",      "p99(",
						  "avg(", "mean(",  "min(",      "max(",
						  "sum(", "stats(", "quantize(", "quantile(" };
	struct span modifier, name;

	key = modifier = ask_plain_field(key);
	name = span_sep(&modifier, ".");
	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++)
		if (span_starts(key, statistics[i]))
			return "--sum FIELD adds up a field in each row, and --stats prints its n, "
			       "min, max, mean and quantiles: --by comm --sum FIELD --stats";
	if (find_field(file, name))
		return NULL;
	if (span_eq(name, "count") || span_starts(key, "count(") || span_eq(name, "hitcount"))
		return "each row has its number of events, the hitcount: --by comm";
	if (span_eq(name, "name") && !is_synthetic(file))
		return "each event has its own table: -e EVENT --by comm; a table of all: --by event";
	if (span_eq(key, "time") || span_eq(key, "ts") || span_eq(key, "timestamp"))
		return "--interval TIME prints a table for each slice of time: --by comm --interval 1";
	return NULL;
}

void ask_note_pointer(struct span key, const struct event_file *file, struct diags *diags)
{
	const struct event_field *field;

	key = ask_plain_field(key);
	field = find_field(file, key);
	if (field && strstr(field->type, "char *") && !text_of_pointer(file, key))
		diags_add(diags, DIAG_NOTE,
			  "%.*s is the address of a text of the task: the text was not recorded, "
			  "as kernels from 6.19 on do; for files that are opened, see hist recipe "
			  "file-opens-probe",
			  (int)key.n, key.s);
}
