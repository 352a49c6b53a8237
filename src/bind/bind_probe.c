// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Binds definitions of probes.
 *
 * If a definition contradicts the recorded event, the recorded event is used and a warning is
 * logged. Corresponds to trace_kprobe.c, trace_uprobe.c, trace_probe.c and trace_dynevent.c.
 */
#include "bind/bind.h"
#include "bind/probe_bind.h"

/*
 * kernel: logs the words with a blank between them, and where the text is; unlike for histograms,
 * it does not search for it.
 */
static int log_probe_err_after(struct cmd_log *log, enum probe_err err, struct span text,
			       size_t after)
{
	struct cmd_log own = *log;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t pos = 0;

	for (const char *p = log->cmd;; p++) {
		if (p == text.s)
			pos = sb.len + after;
		if (!*p)
			break;
		if (!is_space(*p))
			strbuf_addch(&sb, *p);
		else if (!is_space(p[1]))
			strbuf_addch(&sb, ' ');
	}
	own.cmd = sb.failed ? "" : sb.s;
	return sb.failed ? HIST_NOMEM
			 : log_kernel_err(&own, probe_err_text[err], text, (unsigned int)pos);
}

static int log_probe_err(struct cmd_log *log, enum probe_err err, struct span text)
{
	return log_probe_err_after(log, err, text, 0);
}

static const char *loc_of(const struct probe_text *text)
{
	if (text->other)
		return text->other == 'e' ? "event_probe" : "trace_fprobe";
	return text->is_user ? "trace_uprobe" : "trace_kprobe";
}

/* --- comparison with the recorded event --- */

static bool same_field(const struct probe_arg *a, const struct event_field *f)
{
	if (strcmp(a->name, f->name))
		return false;
	/* if no type was given, the kernel may have chosen another one */
	return !a->typed || (probe_arg_size(a) == f->size && a->is_signed == f->is_signed);
}

static bool same_fields(const struct probe_text *text, const struct event_format *format)
{
	size_t first = probe_first_field(text, format);

	for (size_t i = 0; i < text->n_args; i++)
		if (probe_all_args(&text->args[i]))
			return true; /* the number of arguments of the function */
	if (format->n_fields != first + text->n_args)
		return false;
	return all_of(i, text->n_args, same_field(&text->args[i], &format->fields[first + i]));
}

/* Whether a recorded event cannot have been that of a probe. */
static bool is_tracepoint(const struct event_format *format)
{
	return event_find_field(format, span_of("__probe_ip"), GENERICS_6_1) == NULL &&
	       event_find_field(format, span_of("__probe_func"), GENERICS_6_1) == NULL;
}

/*
 * Compare with the recorded event, or create a format for an event without records. @out: the
 * recorded format, or NULL
 */
static int bind_probe(struct tracing *t, struct probe *p, const struct event_format **out,
		      struct cmd_log *log)
{
	const struct event_format *format;
	const struct probe *other = probe_find(t, span_of(p->text.group), span_of(p->text.name));
	int err = event_db_find(t->machine.db, p->text.group, p->text.name, &format);

	if (err == -HIST_ENOENT && other) {
		p->format = other->format;
		return 0;
	}
	if (err == -HIST_ENOENT)
		return probe_make_format(t, p);
	if (!err && (p->text.other == 'e'
			     ? strcmp(p->text.group, "eprobes") && !same_fields(&p->text, format)
			     : is_tracepoint(format)))
		return log_probe_err(log, PROBE_ERR_EVENT_EXIST, p->text.text);
	*out = err ? NULL : format;
	p->alike = !err && same_fields(&p->text, format);
	if (!err && !p->alike) {
		struct strbuf fields = STRBUF_INIT;
		struct diag *d;

		for (size_t i = format->n_common; i < format->n_fields; i++)
			strbuf_addf(&fields, "%s%s %s", i > format->n_common ? ", " : "",
				    format->fields[i].type, format->fields[i].name);
		d = diags_add(
			log->diags, DIAG_WARNING,
			"%s:%s was recorded with other fields; the recorded ones are used: %s",
			p->text.group, p->text.name, fields.s);
		if (d) {
			d->at = (long)log->cmd_at;
			d->len = p->text.text.n;
		}
		strbuf_release(&fields);
	}
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
	const struct span end = span_skip(text->text, text->text.n);

	if (i >= text->n_args)
		return log_probe_err_after(log, PROBE_ERR_DIFF_ARG_TYPE, end, 1);
	return log_probe_err(log, PROBE_ERR_DIFF_ARG_TYPE, text->args[i].word);
}

/* kernel: another location may be added to an event with the same fields */
static int check_same_name(const struct tracing *t, const struct probe_text *text,
			   struct cmd_log *log)
{
	const struct probe *first = probe_find(t, span_of(text->group), span_of(text->name));
	const struct probe_text *old = first ? &first->text : text;
	bool functions = old->other != 'e' && old->other && text->other;
	size_t different;

	if ((first && text->other == 'e') || old->is_user != text->is_user ||
	    (old->other != text->other && !functions) ||
	    (!strcmp(text->group, "synthetic") && synth_event_find(t, span_of(text->name))))
		return log_probe_err(log, PROBE_ERR_EVENT_EXIST, text->text);
	if (old->is_return != text->is_return || old->other != text->other)
		return log_probe_err(log, PROBE_ERR_DIFF_PROBE_TYPE, text->text);
	different = different_arg(old, text);
	if (different != SIZE_MAX)
		return refuse_arg(text, different, log);
	return probe_find_same(t, text) ? log_probe_err(log, PROBE_ERR_SAME_PROBE, text->text) : 0;
}

/*
 * kernel: validate_ref_ctr_offset(); and before 6.16 register_fprobe_event() registers a stub once
 * for each tracepoint.
 */
static int check_same_place(const struct tracing *t, const struct probe_text *text,
			    struct cmd_log *log)
{
	for (size_t i = 0; i < t->probes.n; i++) {
		const struct probe_text *old = &t->probes.v[i]->text;

		if (text->other == 't' && old->other == 't' && span_same(old->where, text->where) &&
		    !t->machine.quirks->tprobes_share)
			return log_silent(log, text->where,
					  "another probe is on this tracepoint: File exists");
		if (text->is_user && old->is_user && span_same(old->path, text->path) &&
		    span_same(old->offset, text->offset) &&
		    (old->refs.n != text->refs.n ||
		     (text->refs.n && !span_same(old->refs, text->refs))))
			return log_silent(log, text->where,
					  "another uprobe at this place has another reference "
					  "counter: Invalid argument");
	}
	return 0;
}

/* What an eprobe traces; if it was not recorded, warn of arguments that no recording contains. */
static int bind_eprobe(struct tracing *t, struct probe *p, struct cmd_log *log)
{
	const struct probe_text *text = &p->text;
	const struct event_file *file = event_file_find(t->top, text->system, text->event);
	struct diag *d;
	int err = 0;

	p->fields = arena_alloc(&p->arena, (text->n_args + 1) * sizeof(struct event_field *));
	if (!file || !p->fields)
		return HIST_NOMEM;
	if (text->filter.s)
		err = filter_new(file, text->filter, false, log, &p->filter);
	for (size_t i = 0; i < text->n_args && !err; i++) {
		struct probe_arg *a = &text->args[i];
		const struct event_field *f =
			event_find_field(file->format, a->operand, GENERICS_6_1);
		bool is_text = f && (f->filter_type == FILTER_STATIC_STRING ||
				     f->filter_type == FILTER_DYN_STRING ||
				     f->filter_type == FILTER_RDYN_STRING);
		bool is_number = f && f->filter_type == FILTER_OTHER && f->size <= 8 &&
				 !(f->size & (f->size - 1));

		p->fields[i] = f;
		if ((a->source == PROBE_FIELD && !(is_string(a) ? is_text : is_number)) ||
		    (a->source == PROBE_IN_FIELD && !is_text))
			a->source = PROBE_MEMORY;
		if (a->source != PROBE_MEMORY || !p->made)
			continue;
		d = diags_add(
			log->diags, DIAG_WARNING,
			"argument %s needs memory of the machine, which is not recorded: it is %s",
			a->name, is_string(a) ? "empty" : "0");
		probe_mark(d, a->word, log);
	}
	return err;
}

/* @line is a copy in @arena, owned by the probe. */
static int create(struct tracing *t, const struct probe_text *text, struct arena *arena,
		  struct cmd_log *log)
{
	const struct event_format *recorded = NULL;
	struct probe *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return HIST_NOMEM;
	p->arena = *arena;
	*arena = (struct arena)ARENA_INIT;
	p->text = *text;
	err = bind_probe(t, p, &recorded, log);
	err = err ?: probe_make_line(p, recorded, t->machine.long_size, t->machine.nr_cpus);
	if (!err)
		probe_warn_unknown(text, recorded != NULL, log);
	p->made = p->format && text->other == 'e';
	if (!err && text->other == 'e')
		err = bind_eprobe(t, p, log);
	err = err ?: probe_add(t, p);
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

/* Whether the words after the name in a removal begin the probe's own. */
static bool is_removed(const struct probe *p, const struct probe_text *removal)
{
	struct span own = span_of(p->line), rest = removal->words, word;

	span_word(&own);
	while ((word = span_word(&rest)).n) {
		struct span mine = span_word(&own);
		const char *slash = span_chr(word, '/');
		bool first = word.s == removal->words.s;

		if (!first || p->text.other != 'e' || !slash) {
			if (!span_same(word, mine))
				return false;
		} else if (mine.n != word.n || memcmp(mine.s, word.s, (size_t)(slash - word.s)) ||
			   !span_same(span_between(slash + 1, word.s + word.n),
				      span_skip(mine, (size_t)(slash - word.s) + 1))) {
			return false;
		}
	}
	return true;
}

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
		if (span_eq(group, p->text.group) && is_removed(p, removal))
			err = array_push(out, p);
	while (name.n && !err && (first = probe_next_event(t, group, name, &walk))) {
		p = first;
		do {
			if (!err && probe_belongs(p, file) && is_removed(p, removal))
				err = array_push(out, p);
			p = p->next;
		} while (p != first);
	}
	return err;
}

static int remove_probes(struct tracing *t, const struct probe_text *removal, enum probe_file file,
			 struct cmd_log *log)
{
	scoped(free_scoped) probe_array found = ARRAY_INIT;
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

/* kernel: neither kprobes, uprobes nor eprobes */
static bool is_attachable(const struct tracing *t, const struct event_file *file)
{
	const struct probe *p = probe_find(t, span_of(file->system), span_of(file->name));

	if (!event_file_can_enable(file))
		return false;
	if (p)
		return p->text.other && p->text.other != 'e';
	return is_tracepoint(file->format)
		       ? strcmp(file->system, "eprobes") != 0
		       : !strcmp(file->system, "fprobes") || !strcmp(file->system, "tracepoints");
}

/* Attach an eprobe: check its event and filter, then its arguments. */
static int cut_eprobe(struct tracing *t, struct arena *arena, struct probe_rules *rules,
		      struct probe_text *text, struct cmd_log *log)
{
	struct event_file *file = event_file_find(t->top, text->system, text->event);
	const char **fields;
	struct filter *filter = NULL;
	size_t n = 0;
	int err = 0;

	if (!file || !is_attachable(t, file))
		return log_probe_err(log, PROBE_ERR_BAD_ATTACH_EVENT, text->where);
	if (text->filter.s && !text->filter.n)
		return log_probe_err_after(log, PROBE_ERR_NO_EP_FILTER,
					   span_skip(text->text, text->text.n), 1);
	if (text->filter.s)
		err = filter_new(file, text->filter, true, log, &filter);
	filter_free(filter);
	fields = arena_alloc(arena, (file->format->n_fields + 1) * sizeof(*fields));
	if (err || !fields)
		return err ? err : HIST_NOMEM;
	for (size_t i = file->format->n_common; i < file->format->n_fields; i++)
		fields[n++] = file->format->fields[i].name;
	fields[n] = NULL;
	rules->fields = fields;
	err = probe_text_cut_args(arena, rules, text);
	if (!err && !text->bad && (text->bad_symbol || text->bad_offset))
		err = log_silent(log, text->words, "no symbol has this name");
	return err;
}

/* Refuse probes that are defined in another file. */
static int check_file(enum probe_file file, const struct probe_text *text, struct cmd_log *log)
{
	if (text->remove || file == PROBE_FILE_ALL)
		return 0;
	if (text->other)
		return log_silent(log, text->text,
				  "probes of this kind are defined in dynamic_events");
	if (text->is_user != (file == PROBE_FILE_UPROBES))
		return log_silent(log, text->where,
				  "uprobes need PATH:OFFSET, kprobes a symbol or an address");
	return 0;
}

/* A line that was cut; the arena of its pieces becomes the probe's. */
static int run_cut(struct tracing *t, enum probe_file file, struct probe_text *text,
		   struct arena *arena, struct cmd_log *log)
{
	int err;

	if (text->bad && text->hint)
		return log_silent(log, text->bad_text, "%s", text->hint);
	if (text->bad) {
		err = log_probe_err_after(log, text->err, text->bad_text, text->bad_after);
		return text->again ? log_probe_err(log, text->again_err, text->again_text) : err;
	}
	if (text->remove)
		return remove_probes(t, text, file, log);
	err = check_same_name(t, text, log);
	err = err ?: check_same_place(t, text, log);
	return err ? err : create(t, text, arena, log);
}

int probe_write_line(struct tracing *t, enum probe_file file, struct span line, struct cmd_log *log)
{
	struct arena arena = ARENA_INIT;
	struct span text = span_trim(line);
	const struct kernel_quirks *q = t->machine.quirks;
	struct probe_rules rules = {
		.long_size = t->machine.long_size,
		.arch = t->machine.arch,
		.plain_args = !q->probe_btf,
		.casts = q->probe_casts,
		.counts_args = q->probe_too_many,
		.valiable = q->probe_valiable && !q->probe_variable,
		.no_returns = q->fprobe_no_max,
		.late = q->fprobe_late,
		.event_casts = q->eprobe_casts,
		.two_errors = !q->probe_casts,
		.var_at_word = q->probe_valiable && !q->eprobe_var_at,
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
	if (err == -HIST_ENOENT && file == PROBE_FILE_ALL)
		err = dynevent_refuse(t, line, pt.hint, log);
	else if (err == -HIST_ENOENT)
		err = log_silent(log, text, "%s",
				 pt.hint ? pt.hint : "a probe begins with p, r, e, f, t or -");
	else if (!err && pt.text.n) {
		log->loc = loc_of(&pt);
		err = check_file(file, &pt, log);
		if (!err && pt.other == 'e' && !pt.bad)
			err = cut_eprobe(t, &arena, &rules, &pt, log);
		err = err ?: run_cut(t, file, &pt, &arena, log);
	}
	arena_release(&arena);
	if (err == -HIST_EFORMAT) /* the format cannot be parsed */
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
