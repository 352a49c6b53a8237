// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Binds definitions of probes. For events that were not recorded, creates the format that they
 * would have had.
 *
 * If a definition contradicts the recorded event, the recorded event is used and a warning is
 * logged. Corresponds to trace_kprobe.c, trace_uprobe.c, trace_probe.c and trace_dynevent.c.
 */
#include <stdlib.h>

#include "bind/bind.h"
#include "bind/binding.h"

/* kernel: logs where the text is; unlike for histograms, it does not search for it. */
static int log_probe_err_after(struct cmd_log *log, enum probe_err err, struct span text,
			       size_t after)
{
	uintptr_t cmd = (uintptr_t)log->cmd, at = (uintptr_t)text.s;
	bool inside = at >= cmd && at <= cmd + strlen(log->cmd);

	return log_kernel_err(log, probe_err_text(err), text,
			      inside ? (unsigned int)(at - cmd + after) : 0);
}

static int log_probe_err(struct cmd_log *log, enum probe_err err, struct span text)
{
	return log_probe_err_after(log, err, text, 0);
}

static const char *loc_of(const struct probe_text *text)
{
	return text->is_user ? "trace_uprobe" : "trace_kprobe";
}

/* --- the format of an event that was not recorded --- */

static const char common[] =
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";

static void add_address(struct strbuf *out, const char *name, u32 long_size, u32 *offset)
{
	strbuf_addf(out, "\tfield:unsigned long %s;\toffset:%u;\tsize:%u;\tsigned:0;\n", name,
		    *offset, long_size);
	*offset += long_size;
}

static u32 field_size(const struct probe_arg *a)
{
	return a->size * (a->count ? a->count : 1);
}

static bool is_string(const struct probe_arg *a)
{
	return a->type[0] == '_';
}

static void add_fields(struct strbuf *out, const struct probe_text *text, u32 long_size)
{
	u32 offset = 8;

	add_address(out, text->is_return ? "__probe_func" : "__probe_ip", long_size, &offset);
	if (text->is_return)
		add_address(out, "__probe_ret_ip", long_size, &offset);
	for (size_t i = 0; i < text->n_args; i++) {
		const struct probe_arg *a = &text->args[i];

		/* kernel: char[][N] for several strings, which libtraceevent cannot parse */
		strbuf_addf(out, "\tfield:%s %s", a->type, a->name);
		if (a->count && !is_string(a))
			strbuf_addf(out, "[%u]", a->count);
		strbuf_addf(out, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", offset, field_size(a),
			    a->is_signed);
		offset += field_size(a);
	}
}

static void add_print_fmt(struct strbuf *out, const struct probe_text *text)
{
	strbuf_addstr(out,
		      text->is_return ? "\nprint fmt: \"(%lx <- %lx)" : "\nprint fmt: \"(%lx)");
	for (size_t i = 0; i < text->n_args; i++) {
		const struct probe_arg *a = &text->args[i];

		strbuf_addf(out, " %s=%s%s", a->name, a->count ? "{" : "", a->fmt);
		for (u32 n = 1; n < a->count; n++)
			strbuf_addf(out, ",%s", a->fmt);
		strbuf_addstr(out, a->count ? "}" : "");
	}
	strbuf_addstr(out, text->is_return ? "\", REC->__probe_func, REC->__probe_ret_ip"
					   : "\", REC->__probe_ip");
	for (size_t i = 0; i < text->n_args; i++) {
		const struct probe_arg *a = &text->args[i];

		for (u32 n = 0; n < a->count; n++)
			strbuf_addf(out, is_string(a) ? ", __get_str(%s[%u])" : ", REC->%s[%u]",
				    a->name, n);
		if (!a->count)
			strbuf_addf(out, is_string(a) ? ", __get_str(%s)" : ", REC->%s", a->name);
	}
	strbuf_addch(out, '\n');
}

/*
 * The database parses it and then drops its name, because the event belongs only to this directory.
 */
static int make_format(struct tracing *t, struct probe *p)
{
	struct event_db *db = t->machine.db;
	struct strbuf text = STRBUF_INIT;
	int err;

	strbuf_addf(&text, "name: %s\nID: %u\nformat:\n%s", p->text.name, dynamic_event_id(t),
		    common);
	add_fields(&text, &p->text, t->machine.long_size);
	add_print_fmt(&text, &p->text);
	err = text.failed ? HIST_NOMEM : event_db_add(db, p->text.group, text.s, text.len);
	if (!err) {
		err = event_db_find(db, p->text.group, p->text.name, &p->format);
		event_db_remove(db, p->text.group, p->text.name);
	}
	strbuf_release(&text);
	return err;
}

/* --- comparison with the recorded event --- */

static bool same_field(const struct probe_arg *a, const struct event_field *f)
{
	if (strcmp(a->name, f->name))
		return false;
	/* if no type was given, the kernel may have chosen another one */
	return !a->typed || (field_size(a) == f->size && a->is_signed == f->is_signed);
}

static bool same_fields(const struct probe_text *text, const struct event_format *format)
{
	size_t first = format->n_common + (text->is_return ? 2 : 1);

	for (size_t i = 0; i < text->n_args; i++)
		if (span_eq(text->args[i].body, "$arg*"))
			return true; /* the number of arguments of the function */
	if (format->n_fields != first + text->n_args)
		return false;
	for (size_t i = 0; i < text->n_args; i++)
		if (!same_field(&text->args[i], &format->fields[first + i]))
			return false;
	return true;
}

static void warn_other_fields(const struct probe *p, const struct event_format *format,
			      struct cmd_log *log)
{
	struct strbuf fields = STRBUF_INIT;
	struct diag *d;

	for (size_t i = format->n_common; i < format->n_fields; i++)
		strbuf_addf(&fields, "%s%s %s", i > format->n_common ? ", " : "",
			    format->fields[i].type, format->fields[i].name);
	d = diags_add(log->diags, DIAG_WARNING,
		      "%s:%s was recorded with other fields; the recorded ones are used: %s",
		      p->text.group, p->text.name, fields.s);
	if (d) {
		d->at = (long)log->cmd_at;
		d->len = p->text.text.n;
	}
	strbuf_release(&fields);
}

/* Whether a recorded event cannot have been that of a probe. */
static bool is_tracepoint(const struct event_format *format)
{
	return event_find_field(format, span_of("__probe_ip"), GENERICS_6_1) == NULL &&
	       event_find_field(format, span_of("__probe_func"), GENERICS_6_1) == NULL;
}

/* Compare with the recorded event, or create a format for an event without records. */
static int bind_probe(struct tracing *t, struct probe *p, struct cmd_log *log)
{
	const struct event_format *format;
	const struct probe *other = probe_find(t, span_of(p->text.group), span_of(p->text.name));
	int err = event_db_find(t->machine.db, p->text.group, p->text.name, &format);

	if (err == -HIST_ENOENT && p->text.other)
		return log_silent(
			log, p->text.text,
			"not recorded, and this line alone does not determine its fields");
	if (err == -HIST_ENOENT && other) {
		p->format = other->format;
		return 0;
	}
	if (err == -HIST_ENOENT)
		return make_format(t, p);
	if (!err && !p->text.other && is_tracepoint(format))
		return log_probe_err(log, PROBE_ERR_EVENT_EXIST, span_of(p->text.name));
	if (!err && !p->text.other && !same_fields(&p->text, format))
		warn_other_fields(p, format, log);
	return err == HIST_NOMEM ? err : 0;
}

/* --- adding --- */

static bool same_arg(const struct probe_arg *a, const struct probe_arg *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->type, b->type) && a->count == b->count;
}

/* Index of the first different argument, or SIZE_MAX. kernel: it first compares their number. */
static size_t different_arg(const struct probe_text *a, const struct probe_text *b)
{
	if (a->n_args != b->n_args)
		return min_t(size_t, a->n_args, b->n_args);
	for (size_t i = 0; i < a->n_args; i++)
		if (!same_arg(&a->args[i], &b->args[i]))
			return i;
	return SIZE_MAX;
}

/* kernel: the caret is at the argument, or two columns after the command if it is missing */
static int refuse_arg(const struct probe_text *text, size_t i, struct cmd_log *log)
{
	const char *error = probe_err_text(PROBE_ERR_DIFF_ARG_TYPE);
	struct span word;

	if (i >= text->n_args)
		return log_kernel_err(log, error, text->text, (unsigned int)text->text.n + 1);
	word = text->args[i].body;
	while (word.s > log->cmd && !is_space(word.s[-1])) {
		word.s--;
		word.n++;
	}
	return log_probe_err(log, PROBE_ERR_DIFF_ARG_TYPE, word);
}

/* kernel: another location may be added to an event with the same fields */
static int check_same_name(const struct tracing *t, const struct probe_text *text,
			   struct cmd_log *log)
{
	const struct probe *first = probe_find(t, span_of(text->group), span_of(text->name));
	const struct probe_text *old = first ? &first->text : text;
	size_t different;

	if (old->is_user != text->is_user || old->is_return != text->is_return ||
	    old->other != text->other)
		return log_probe_err(log, PROBE_ERR_DIFF_PROBE_TYPE, text->text);
	different = different_arg(old, text);
	if (different != SIZE_MAX)
		return refuse_arg(text, different, log);
	return probe_find_same(t, text) ? log_probe_err(log, PROBE_ERR_SAME_PROBE, text->text) : 0;
}

/* kernel: offsets into a file are in base 16, into a function in base 10, omitted if 0 */
static void add_where(struct strbuf *sb, const struct probe_text *text, u32 long_size)
{
	struct span rest = text->where, offset = span_sep(&rest, "%"), place;
	u64 n = 0;

	if (text->is_user) {
		span_u64(text->offset, &n);
		strbuf_addf(sb, "%.*s:0x%0*llx", (int)text->path.n, text->path.s,
			    (int)(2 * long_size), (unsigned long long)n);
		if (text->refs.s)
			strbuf_addf(sb, "(%.*s", (int)text->refs.n, text->refs.s);
		return;
	}
	place = span_sep(&offset, "+");
	strbuf_add(sb, place.s, place.n);
	if (offset.s && span_u64(offset, &n) && n)
		strbuf_addf(sb, "+%llu", (unsigned long long)n);
}

/* kernel: without a number, there is room for ten returns, or two for each possible CPU */
static void add_maxactive(struct strbuf *sb, const struct probe_text *text, u32 nr_cpus)
{
	if (text->is_return && !text->is_user && !text->other && !text->maxactive.n)
		strbuf_addf(sb, "%u", 2 * nr_cpus > 10 ? 2 * nr_cpus : 10);
	else
		strbuf_add(sb, text->maxactive.s, text->maxactive.n);
}

/* The line as the files show it. */
static int make_line(struct probe *p, u32 long_size, u32 nr_cpus)
{
	const struct probe_text *text = &p->text;
	struct strbuf sb = STRBUF_INIT;

	strbuf_addch(&sb, text->other ? text->other : text->is_return ? 'r' : 'p');
	add_maxactive(&sb, text, nr_cpus);
	strbuf_addf(&sb, ":%s/%s ", text->group, text->name);
	if (text->other == 'e')
		probe_add_event(&sb, text);
	else if (text->other)
		strbuf_add(&sb, text->where.s, text->where.n);
	else
		add_where(&sb, text, long_size);
	for (size_t i = 0; i < text->n_args; i++)
		strbuf_addf(&sb, " %s=%.*s", text->args[i].name, (int)text->args[i].body.n,
			    text->args[i].body.s);
	if (text->other && text->rest.n)
		strbuf_addf(&sb, " %.*s", (int)text->rest.n, text->rest.s);
	p->line = sb.failed ? NULL : arena_strndup(&p->arena, sb.s, sb.len);
	strbuf_release(&sb);
	return p->line ? 0 : HIST_NOMEM;
}

/* @line is a copy in @arena, owned by the probe. */
static int create(struct tracing *t, const struct probe_text *text, struct arena *arena,
		  struct cmd_log *log)
{
	struct probe *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return HIST_NOMEM;
	p->arena = *arena;
	*arena = (struct arena)ARENA_INIT;
	p->text = *text;
	err = make_line(p, t->machine.long_size, t->machine.nr_cpus);
	if (!err)
		err = bind_probe(t, p, log);
	if (!err)
		err = probe_add(t, p);
	if (err)
		probe_free(p);
	return err;
}

/* --- removing --- */

static bool is_busy(const struct tracing *t, const struct probe *p)
{
	if (p->refs)
		return true;
	for (const struct trace_array *tr = t->top; tr; tr = tr->next) {
		const struct event_file *file =
			event_file_known(tr, span_of(p->text.group), span_of(p->text.name));

		if (file && file->state.enabled)
			return true;
	}
	return false;
}

static void delete (struct tracing *t, struct probe *p)
{
	/* the recorded event remains */
	for (struct trace_array *tr = t->top; tr && p->format; tr = tr->next)
		event_file_forget(tr, p->text.group, p->text.name);
	probe_remove(t, p);
}

typedef ARRAY(struct probe *) probe_array;

/*
 * The probes of that file that match a removal; omitted parts match everything. 0 or -HIST_ENOMEM
 */
static int find_probes(const struct tracing *t, const struct probe_text *removal,
		       enum probe_file file, probe_array *out)
{
	const struct span group = removal->group ? span_of(removal->group)
						 : (struct span){ NULL, 0 };
	const struct span name = span_of(removal->name);
	struct hash_walk walk = probe_walk(name);
	struct probe *first, *p;
	size_t i = 0;
	int err = 0;

	while (!name.n && !err && (p = probe_next(t, file, &i)))
		if (span_eq(group, p->text.group))
			err = array_push(out, p);
	while (name.n && !err && (first = probe_next_event(t, group, name, &walk))) {
		p = first;
		do {
			if (!err && probe_belongs(p, file))
				err = array_push(out, p);
			p = p->next;
		} while (p != first);
	}
	return err;
}

static int remove_probes(struct tracing *t, const struct probe_text *removal, enum probe_file file,
			 struct cmd_log *log)
{
	probe_array found = ARRAY_INIT;
	int err;

	if (!removal->group && !removal->name[0])
		return log_silent(log, removal->text, "write -:[GROUP/]EVENT: Invalid argument");
	err = find_probes(t, removal, file, &found);
	if (!err && !found.n)
		err = log_silent(log, removal->text,
				 "no probe has this name: No such file or directory");
	for (size_t i = 0; !err && i < found.n; i++)
		if (is_busy(t, found.v[i]))
			err = log_silent(log, removal->text,
					 "the event is in use: Device or resource busy");
	for (size_t i = 0; !err && i < found.n; i++)
		delete (t, found.v[i]);
	array_release(&found);
	return err;
}

int probe_events_truncate(struct tracing *t, enum probe_file file, struct diags *diags)
{
	for (size_t i = 0; i < t->probes.n; i++)
		if (probe_belongs(t->probes.v[i], file) && is_busy(t, t->probes.v[i]))
			return diags_error(
				diags, -HIST_EREJECTED,
				"probe %s is in use, so none is removed: Device or resource busy",
				t->probes.v[i]->text.name);
	for (size_t i = t->probes.n; i-- > 0;)
		if (probe_belongs(t->probes.v[i], file))
			delete (t, t->probes.v[i]);
	return 0;
}

/* --- lines --- */

static int run_cut(struct tracing *t, enum probe_file file, const struct probe_text *text,
		   struct arena *arena, struct cmd_log *log)
{
	int err;

	log->loc = loc_of(text);
	if (text->bad && text->hint)
		return log_silent(log, text->bad_text, "%s", text->hint);
	if (text->bad)
		return log_probe_err_after(log, text->err, text->bad_text, text->bad_after);
	if (text->remove)
		return remove_probes(t, text, file, log);
	if (file != PROBE_FILE_ALL && text->other)
		return log_silent(log, text->text,
				  "probes of this kind are defined in dynamic_events");
	if (file != PROBE_FILE_ALL && text->is_user != (file == PROBE_FILE_UPROBES))
		return log_silent(log, text->where,
				  "uprobes need PATH:OFFSET, kprobes a symbol or an address");
	err = check_same_name(t, text, log);
	return err ? err : create(t, text, arena, log);
}

int probe_write_line(struct tracing *t, enum probe_file file, struct span line, struct cmd_log *log)
{
	struct arena arena = ARENA_INIT;
	struct span text = span_trim(line);
	const struct probe_rules rules = {
		.long_size = t->machine.long_size,
		.arch = t->machine.arch,
		.plain_args = !t->machine.quirks->probe_btf,
		.casts = t->machine.quirks->probe_casts,
		.counts_args = t->machine.quirks->dynevent_log,
	};
	struct probe_text pt;
	int err;

	/* pieces are spans of a copy that lives as long as the probe */
	log->cmd = arena_strndup(&arena, text.s, text.n);
	log->cmd_at = log->prepared_at = (size_t)(text.s - log->written.s);
	if (!log->cmd)
		return HIST_NOMEM;
	log->prepared = span_of(log->cmd);
	err = probe_text_cut(&arena, span_of(log->cmd), &rules, &pt);
	if (err == -HIST_ENOENT)
		err = log_silent(log, text, "a probe begins with p, r, e, f, t or -");
	else if (!err && pt.text.n)
		err = run_cut(t, file, &pt, &arena, log);
	arena_release(&arena);
	if (err == -HIST_EFORMAT) /* libtraceevent cannot parse the format */
		err = diags_error(log->diags, -HIST_EREJECTED,
				  "names of arguments that are not ASCII are not supported");
	return err;
}

bool probe_takes_line(const struct tracing *t, struct span line)
{
	struct span rest = span_trim(line), name;

	if (!span_starts(rest, "-:"))
		return rest.n && strchr("preft", rest.s[0]);
	rest = span_skip(rest, 2);
	name = span_sep(&rest, "/");
	return rest.s ? !span_eq(name, "synthetic")
		      : probe_find(t, (struct span){ NULL, 0 }, name) != NULL;
}

int probe_events_write(struct tracing *t, enum probe_file file, struct span text,
		       struct diags *diags)
{
	struct cmd_log log = {
		.tr = t->top, .diags = diags, .written = text, .loc = "trace_kprobe", .cmd = ""
	};
	struct span rest = { text.s, strnlen(text.s, text.n) };
	int err = 0;

	while (rest.s && !err) {
		struct span line = span_sep(&rest, "\n"), comment = line;

		line = span_sep(&comment, "#");
		if (span_trim(line).n)
			err = probe_write_line(t, file, line, &log);
	}
	return err;
}

int probe_event_run_command(struct tracing *t, const char *command, struct diags *diags)
{
	struct cmd_log log = { .tr = t->top,
			       .diags = diags,
			       .written = span_of(command),
			       .cmd = "",
			       .loc = "trace_kprobe" };

	return probe_write_line(t, PROBE_FILE_KPROBES, span_of(command), &log);
}
