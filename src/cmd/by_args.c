// SPDX-License-Identifier: GPL-2.0-only
/*
 * Converts --by and --sum to a trigger "hist:keys=...", with the event's format.
 *
 * Rows are in descending order of the first sum or the counts; if the only key is a
 * distribution, in the order of that key. Text after the keys, as in KEYS:sort=..., is kept.
 */
#include <string.h>

#include "cmd/by_args.h"

static int add_format(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

/* Whether a line "field:TYPE NAME[SIZE];" of the format has this name. @type: set to the type. */
static bool find_field(const struct strbuf *format, struct span name, struct span *type)
{
	struct span rest = { format->s, format->len };

	while (rest.s) {
		struct span line = span_trim(span_sep(&rest, "\n"));
		const char *blank;

		if (!span_starts(line, "field:"))
			continue;
		line = span_sep(&line, ";[");
		blank = span_rchr(line, ' ');
		if (blank && span_same(span_between(blank + 1, line.s + line.n), name)) {
			*type = span_between(line.s, blank);
			return true;
		}
	}
	return false;
}

static bool has_field(const struct strbuf *format, struct span name)
{
	struct span type;

	return find_field(format, name, &type);
}

/* A field with this name that is not a string. */
static bool has_number(const struct strbuf *format, struct span name)
{
	struct span type;

	return find_field(format, name, &type) && !memmem(type.s, type.n, "char", 4);
}

/* Names of fields in bpftrace, perf and trace-cmd. */
static const char *word_here(struct span word, const struct strbuf *format)
{
	static const struct {
		const char *word, *here;
	} words[] = {
		{ "comm", "common_pid.execname" }, { "task", "common_pid.execname" },
		{ "pid", "common_pid" },           { "tid", "common_pid" },
		{ "kstack", "stacktrace" },        { "stack", "stacktrace" },
		{ "syscall", "id.syscall" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (span_eq(word, words[i].word) && !has_field(format, word) &&
		    (strcmp(words[i].word, "syscall") != 0 || has_field(format, span_of("id"))))
			return words[i].here;
	return NULL;
}

/* A field that contains the address of a function, by its usual names. */
static bool is_function(struct span key)
{
	static const char *const names[] = { "call_site", "func", "function", "ip", "parent_ip" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (span_eq(key, names[i]))
			return true;
	return false;
}

/* The argument of a function "NAME(x)"; absent if it is something else. */
static struct span argument(struct span key, const char *name)
{
	size_t n = strlen(name);

	if (span_starts(key, name) && key.n > n + 2 && key.s[n] == '(' && key.s[key.n - 1] == ')')
		return (struct span){ key.s + n + 1, key.n - n - 2 };
	return (struct span){ NULL, 0 };
}

static void add_key(struct span key, const struct strbuf *format, struct strbuf *out)
{
	const char *here = word_here(key, format);
	struct span of = argument(key, "hist");

	if (!of.s)
		of = argument(key, "log2");
	if (here)
		strbuf_addstr(out, here);
	else if (is_function(key) && has_number(format, key))
		strbuf_addf(out, "%.*s.sym", (int)key.n, key.s);
	else if (of.s)
		strbuf_addf(out, "%.*s.log2", (int)of.n, of.s);
	else
		strbuf_add(out, key.s, key.n);
}

/* The part of a list before its first comma, without its modifier. */
static struct span first_name(const char *list)
{
	return (struct span){ list, strcspn(list, ",.:") };
}

static void add_sort(const struct cmd_by *by, const char *keys, struct strbuf *out)
{
	bool ranges = (strstr(keys, ".log2") || strstr(keys, ".buckets")) && !strchr(keys, ',');
	struct span name = first_name(ranges ? keys : by->sum ? by->sum : "hitcount");

	strbuf_addf(out, ":sort=%.*s%s", (int)name.n, name.s, ranges ? "" : ".descending");
}

int cmd_by_trigger(const struct cmd_by *by, struct hist *h, const struct hist_script *script,
		   const char *path, struct strbuf *out)
{
	struct strbuf format = STRBUF_INIT, keys = STRBUF_INIT;
	struct diags ignored = DIAGS_INIT;
	struct span attributes = span_of(by->keys), list = span_sep(&attributes, ":");

	/* without a format the names are not replaced, and the trigger is rejected with a reason */
	hist_script_format(h, script, path, add_format, &format, &ignored);
	while (list.s) {
		if (keys.len)
			strbuf_addch(&keys, ',');
		add_key(span_sep(&list, ","), &format, &keys);
	}
	strbuf_addf(out, "hist:keys=%s", keys.s ? keys.s : "");
	if (by->sum)
		strbuf_addf(out, ":vals=%s", by->sum);
	if (attributes.s)
		strbuf_addf(out, ":%.*s", (int)attributes.n, attributes.s);
	if (!strstr(by->keys, ":sort="))
		add_sort(by, keys.s ? keys.s : "", out);
	if (by->filter)
		strbuf_addf(out, " if %s", by->filter);
	out->failed |= format.failed || keys.failed;
	strbuf_release(&format);
	strbuf_release(&keys);
	diags_release(&ignored);
	return out->failed ? HIST_NOMEM : 0;
}
