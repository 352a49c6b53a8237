// SPDX-License-Identifier: GPL-2.0-only
/*
 * Converts --by and --sum to a trigger "hist:keys=...", with the event's format.
 *
 * Rows are in descending order of the first sum or the counts; if the only key is a
 * distribution, in the order of that key. Text after the keys, as in KEYS:sort=..., is kept.
 *
 * Numbers of keys, such as vectors of softirqs and states of tasks, have names in the print fmt of
 * the event. Names belong to keys, whichever histogram they are in, so only one event gets them.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/by_args.h"
#include "cmd/cmd.h"

/* Whether a line "field:TYPE NAME[SIZE];" of the format has this name. @type: set to the type. */
static bool find_field(const struct strbuf *format, struct span name, struct span *type)
{
	struct span rest = { format->s, format->len };

	while (rest.s) {
		struct span line = span_trim(span_sep(&rest, "\n"));
		const char *blank;

		if (!span_starts(line, "field:"))
			continue;
		line = span_sep(&line, ";");
		if (line.n && line.s[line.n - 1] == ']')
			line.n = (size_t)(span_rchr(line, '[') - line.s);
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

/* Names of fields in bpftrace, perf and trace-cmd. */
static const char *word_here(struct span word, const struct strbuf *format)
{
	static const struct {
		const char *word, *here;
	} words[] = {
		{ "comm", "common_comm" },       { "task", "common_task" },
		{ "process", "common_process" }, { "cgroup", "common_cgroup" },
		{ "cmdline", "common_cmdline" }, { "tgid", "common_tgid" },
		{ "pid", "common_pid" },         { "tid", "common_pid" },
		{ "kstack", "stacktrace" },      { "stack", "stacktrace" },
		{ "ustack", "common_ustack" },   { "syscall", "id.syscall" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (span_eq(word, words[i].word) && !has_field(format, word) &&
		    (strcmp(words[i].word, "syscall") != 0 || has_field(format, span_of("id"))))
			return words[i].here;
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

void cmd_split_event(const char *path, struct span *system, struct span *event)
{
	struct span rest = span_of(path);

	span_sep(&rest, "/");
	*system = span_sep(&rest, "/");
	*event = span_sep(&rest, "/");
}

/* The field that a key of --by names, without "args." or "args->" of bpftrace. */
static struct span by_field(struct span key)
{
	key = span_trim(key);
	if (span_starts(key, "args."))
		return span_skip(key, 5);
	return span_starts(key, "args->") ? span_skip(key, 6) : key;
}

/* "lhist(x,min,max,step)" of bpftrace, whose commas are those of the list, too. */
static bool add_lhist(struct span key, const struct strbuf *format, struct span *list,
		      struct strbuf *out)
{
	struct span field, number;
	const char *here;

	if (!span_starts(key, "lhist("))
		return false;
	field = by_field(span_skip(key, 6));
	here = word_here(field, format);
	field = here ? span_of(here) : field;
	strbuf_addf(out, "%.*s.lhist", (int)field.n, field.s);
	for (int i = 0; i < 3 && list->s; i++) {
		number = span_trim(span_sep(list, ","));
		if (i == 2 && number.n && number.s[number.n - 1] == ')')
			number.n--;
		strbuf_addstr(out, i ? "_" : "=");
		if (span_starts(number, "-"))
			strbuf_addch(out, 'm');
		number = span_skip(number, span_starts(number, "-"));
		strbuf_addf(out, "%.*s", (int)number.n, number.s);
	}
	return true;
}

/* Whether it contains the address of a function, by its usual names. */
static bool is_function(struct span key)
{
	static const char *const names[] = { "call_site", "func", "function", "ip", "parent_ip" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (span_eq(key, names[i]))
			return true;
	return false;
}

/* Whether an argument of the print fmt is @text, and does not go on. */
static bool is_printed_as(const struct strbuf *format, const char *text)
{
	const char *fmt = strstr(format->s, "print fmt:"), *at = fmt ? strstr(fmt, text) : NULL;

	return at && strchr(", \n)", at[strlen(text)]);
}

/*
 * A field: a pointer to text is its text, where the kernel recorded that (from 6.19 on); other
 * pointers are hexadecimal; a function is its symbol, unless it is a string.
 */
static void add_field(struct span key, const struct strbuf *format, struct strbuf *out)
{
	struct strbuf text = STRBUF_INIT;
	struct span type = { NULL, 0 };
	bool known = find_field(format, key, &type), pointer = known && span_chr(type, '*');

	/* kernel: an address is printed by a conversion %p, of which there are many */
	strbuf_addf(&text, "(void *)REC->%.*s", (int)key.n, key.s);
	pointer |= known && !text.failed && is_printed_as(format, text.s);
	strbuf_reset(&text);
	strbuf_addf(&text, "__%.*s_val", (int)key.n, key.s);
	if (known && is_function(key) && !memmem(type.s, type.n, "char", 4))
		strbuf_addf(out, "%.*s.sym", (int)key.n, key.s);
	else if (pointer && !text.failed && has_field(format, (struct span){ text.s, text.len }))
		strbuf_add(out, text.s, text.len);
	else
		strbuf_addf(out, "%.*s%s", (int)key.n, key.s, pointer ? ".hex" : "");
	out->failed |= text.failed;
	strbuf_release(&text);
}

/* "name: sys_enter" of raw_syscalls, whose field id is the number of the system call. */
static bool is_system_call(const struct strbuf *format)
{
	return strstr(format->s, "name: sys_enter\n") || strstr(format->s, "name: sys_exit\n");
}

/* @synthetic: the event belongs to the task in its field pid, not to that which ran */
static void add_key(struct span key, const struct strbuf *format, const char *comm, bool synthetic,
		    struct strbuf *out)
{
	const char *here;
	struct span of = argument(key, "hist");

	if (!of.s)
		of = argument(key, "log2");
	if (of.s)
		of = by_field(of);
	key = by_field(key);
	here = word_here(key, format);
	if (here && span_eq(key, "comm"))
		here = comm;
	if (here && synthetic && !strncmp(here, "common_", 7) && strcmp(here, "common_pid") != 0 &&
	    has_field(format, span_of("pid")))
		strbuf_addf(out, "pid.%.*s", (int)key.n, key.s);
	else if (here)
		strbuf_addstr(out, here);
	else if (span_eq(key, "id") && is_system_call(format))
		strbuf_addstr(out, "id.syscall");
	else if (of.s)
		strbuf_addf(out, "%.*s.log2", (int)of.n, of.s);
	else
		add_field(key, format, out);
}

/* "sum(x)" and "args.x" of a list are fields. */
static void add_sums(const char *list, struct strbuf *out)
{
	struct span rest = span_of(list);

	while (rest.s) {
		struct span field = by_field(span_sep(&rest, ",")), of = argument(field, "sum");

		field = of.s ? by_field(of) : field;
		strbuf_addf(out, "%s%.*s", out->len ? "," : "", (int)field.n, field.s);
	}
}

static bool is_synthetic(const char *path)
{
	return !strncmp(path, "events/synthetic/", 17);
}

/* The name of the running task: at that time; --strict-kernel: as the recording's kernel has it. */
static const char *comm_here(struct hist *h, const struct hist_script *script, const char *path)
{
	return hist_script_accepts(h, script, path, "hist:keys=common_comm")
		       ? "common_comm"
		       : "common_pid.execname";
}

static void add_sort(const char *sum, const char *keys, struct strbuf *out)
{
	bool ranges =
		(strstr(keys, ".log2") || strstr(keys, ".buckets") || strstr(keys, ".lhist")) &&
		!strchr(keys, ',');
	const char *name = ranges ? keys : sum ? sum : "hitcount";

	strbuf_addf(out, ":sort=%.*s%s", (int)strcspn(name, ",.:"), name,
		    ranges ? "" : ".descending");
}

/* What to type for a key of other tools that groups nothing here; NULL: another key. */
static const char *instead_of_key(struct span key, const struct strbuf *format, bool synthetic)
{
	struct span modifier = key, name = span_sep(&modifier, ".");
	static const char *const statistics[] = { "p50(", "p90(",   "p95(",      "p99(",
						  "avg(", "mean(",  "min(",      "max(",
						  "sum(", "stats(", "quantize(", "quantile(" };

	for (size_t i = 0; i < ARRAY_SIZE(statistics); i++)
		if (span_starts(key, statistics[i]))
			return "--sum FIELD adds up a field in each row, and --stats prints its n, "
			       "min, max, mean and quantiles: --by comm --sum FIELD --stats";
	if (has_field(format, name))
		return NULL;
	if (span_eq(name, "count") || span_starts(key, "count(") || span_eq(name, "hitcount"))
		return "each row has its number of events, the hitcount: --by comm";
	if (span_eq(name, "name") && !synthetic)
		return "each event has its own table: -e EVENT --by comm; a table of all: --by event";
	if (span_eq(key, "time") || span_eq(key, "ts") || span_eq(key, "timestamp"))
		return "--interval TIME prints a table for each slice of time: --by comm --interval 1";
	return NULL;
}

/* The address of a text that was not recorded, which users of other tools do not expect. */
static void note_pointer(struct span key, const struct strbuf *format, struct diags *diags)
{
	struct strbuf text = STRBUF_INIT;
	struct span type;

	strbuf_addf(&text, "__%.*s_val", (int)key.n, key.s);
	if (find_field(format, key, &type) && memmem(type.s, type.n, "char *", 6) && !text.failed &&
	    !has_field(format, (struct span){ text.s, text.len }))
		diags_add(diags, DIAG_NOTE,
			  "%.*s is the address of a text of the task: the text was not recorded, "
			  "as kernels from 6.19 on do; for files that are opened, see hist recipe "
			  "file-opens-probe",
			  (int)key.n, key.s);
	strbuf_release(&text);
}

int cmd_by_sum_alone(const char *sum, struct diags *diags)
{
	return diags_error(
		diags, -HIST_EREJECTED,
		"--sum=%s adds up in the rows of a histogram: choose them with --by KEYS, "
		"such as --by comm",
		sum);
}

bool cmd_by_event(const char *keys)
{
	struct span rest = span_of(keys), list = span_sep(&rest, ":");
	bool is = false;

	while (list.s)
		is |= span_eq(span_trim(span_sep(&list, ",")), "event");
	return is;
}

const char *cmd_by_event_title(const struct cmd_script *cs, size_t i)
{
	size_t n = 1;

	while (i--)
		n += cs->pieces.v[i].key == CMD_SCRIPT_BY && cmd_by_event(cs->pieces.v[i].text);
	return n > 1 ? arena_printf(&cs->input->arena, "events_%zu", n) : "events";
}

void cmd_by_left_out_note(const struct cmd_script *cs, size_t i, struct diags *diags)
{
	const char *keys = cs->pieces.v[i].text;
	const char *other = NULL, *event = NULL;

	for (size_t k = 0; k < i; k++) {
		const struct cmd_script_piece *piece = &cs->pieces.v[k];

		if (piece->key == 'e') {
			other = event;
			event = piece->text;
		} else if (piece->key == CMD_SCRIPT_BY || piece->key == 'R') {
			event = NULL;
		}
	}
	if (other)
		diags_add(
			diags, DIAG_NOTE,
			cmd_by_event(keys)
				? "--by belongs to the -e before it: -e %s,%s --by %s counts both"
				: "--by belongs to the -e before it: -e %s,%s --by %s counts both, "
				  "each in a table of its own",
			other, event, keys);
}

int cmd_by_trigger(const struct cmd_by *by, struct hist *h, const struct hist_script *script,
		   const char *path, struct strbuf *out)
{
	struct strbuf own = STRBUF_INIT, none = STRBUF_INIT, keys = STRBUF_INIT, sums = STRBUF_INIT;
	/* several events have their common fields in common */
	const struct strbuf *format = by->name ? &none : &own;
	const char *comm = strstr(by->keys, "comm") ? comm_here(h, script, path) : NULL;
	struct diags ignored = DIAGS_INIT;
	struct span attributes = span_of(by->keys), list = span_sep(&attributes, ":"), key;
	int err = 0;

	/* without a format the names are not replaced, and the trigger is rejected with a reason */
	hist_script_format(h, script, path, strbuf_sink, &own, &ignored);
	while (list.s && !err) {
		const char *here;

		if (keys.len)
			strbuf_addch(&keys, ',');
		key = span_sep(&list, ",");
		note_pointer(by_field(key), format, by->diags);
		here = instead_of_key(by_field(key), &own, is_synthetic(path));
		if (here)
			err = diags_error(by->diags, -HIST_EREJECTED, "--by %.*s is not a key: %s",
					  (int)key.n, key.s, here);
		if (by->name && span_eq(span_trim(key), "event"))
			strbuf_addstr(&keys, "common_type");
		else if (!strncmp(path, "events/perf/", 12) && span_eq(span_trim(key), "stack"))
			strbuf_addstr(&keys,
				      "common_stack"); /* samples have that of the program, too */
		else if (!add_lhist(key, format, &list, &keys))
			add_key(key, format, comm, is_synthetic(path), &keys);
	}
	strbuf_addstr(out, "hist:");
	if (by->name)
		strbuf_addf(out, "name=%s:", by->name);
	strbuf_addf(out, "keys=%s", keys.s ? keys.s : "");
	if (by->sum) {
		add_sums(by->sum, &sums);
		strbuf_addf(out, ":vals=%s", sums.s ? sums.s : "");
	}
	if (attributes.s)
		strbuf_addf(out, ":%.*s", (int)attributes.n, attributes.s);
	if (!strstr(by->keys, ":sort="))
		add_sort(sums.len ? sums.s : NULL, keys.s ? keys.s : "", out);
	if (by->filter)
		strbuf_addf(out, " if %s", by->filter);
	out->failed |= own.failed || keys.failed || sums.failed;
	strbuf_release(&own);
	strbuf_release(&keys);
	strbuf_release(&sums);
	diags_release(&ignored);
	return out->failed ? HIST_NOMEM : err;
}

/* --- names for numbers --- */

/* The only -e, if nothing else has histograms; NULL: there is another one. */
static const char *only_event(const struct cmd_script *cs)
{
	const char *event = NULL;

	for (size_t i = 0; i < cs->pieces.n; i++) {
		int key = cs->pieces.v[i].key;

		if (key == 'R' || key == CMD_SCRIPT_SQL || key == (int)ARGP_KEY_ARG ||
		    (key == 'e' && event))
			return NULL;
		if (key == 'e')
			event = cs->pieces.v[i].text;
	}
	return event;
}

/* Add the lines of a text, which is released, to the script. */
static int add_names(struct hist_script *script, struct strbuf *text)
{
	struct diags ignored = DIAGS_INIT;
	int err = text->failed ? HIST_NOMEM : 0;

	if (!err && text->len)
		err = hist_script_parse(script, "--by", text->s, text->len, &ignored);
	strbuf_release(text);
	diags_release(&ignored);
	return err;
}

/* "NUMBER=SYSTEM:EVENT", the number in the format "ID: NUMBER". */
static void add_event_name(struct hist *h, const struct hist_script *script, const char *path,
			   struct strbuf *out)
{
	struct strbuf format = STRBUF_INIT;
	struct diags ignored = DIAGS_INIT;
	struct span system, event, id;
	const char *at;

	hist_script_format(h, script, path, strbuf_sink, &format, &ignored);
	at = strstr(format.s, "\nID: ");
	id = span_of(at ? at + 5 : "");
	id = span_sep(&id, "\n");
	cmd_split_event(path, &system, &event);
	if (id.n)
		strbuf_addf(out, " %.*s=%.*s:%.*s", (int)id.n, id.s, (int)system.n, system.s,
			    (int)event.n, event.s);
	out->failed |= format.failed;
	strbuf_release(&format);
	diags_release(&ignored);
}

int cmd_by_event_names(struct hist *h, struct hist_script *script, char *const *paths, size_t n)
{
	struct strbuf text = STRBUF_INIT;

	strbuf_addstr(&text, "# Names: common_type");
	for (size_t i = 0; i < n; i++)
		add_event_name(h, script, paths[i], &text);
	strbuf_addch(&text, '\n');
	return add_names(script, &text);
}

int cmd_by_names(const struct cmd_script *cs, struct hist_script *script, const char *path,
		 const char *keys)
{
	struct span rest = span_of(keys), list = span_sep(&rest, ":");
	struct strbuf text = STRBUF_INIT;
	struct span event, system;

	cmd_split_event(path, &system, &event);
	while (list.s && only_event(cs)) {
		struct span key = by_field(span_sep(&list, ","));

		if (key.n && !span_chr(key, '.') && !span_chr(key, '('))
			strbuf_addf(&text, "# Names: %.*s %.*s:%.*s.%.*s\n", (int)key.n, key.s,
				    (int)system.n, system.s, (int)event.n, event.s, (int)key.n,
				    key.s);
	}
	return add_names(script, &text);
}
