// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Defines and removes synthetic events, from lines of synthetic_events or dynamic_events.
 * Histograms and triggers can use them like recorded events.
 *
 * Corresponds to trace_events_synth.c and trace_dynevent.c.
 */
#include "bind/bind.h"
#include "bind/probe_bind.h"
#include "tracing/traced_queue.h"

enum { HEADER_SIZE = 8, SLOT_SIZE = 8, STRING_SLOT_SIZE = STR_VAR_LEN_MAX };

/* --- the event --- */

/* The fields that start every record, in all kernels with histograms. */
static const struct event_field common_fields[] = {
	{ .name = "common_type",
	  .type = "unsigned short",
	  .offset = 0,
	  .size = 2,
	  .is_common = true },
	{ .name = "common_flags",
	  .type = "unsigned char",
	  .offset = 2,
	  .size = 1,
	  .is_common = true },
	{ .name = "common_preempt_count",
	  .type = "unsigned char",
	  .offset = 3,
	  .size = 1,
	  .is_common = true },
	{ .name = "common_pid",
	  .type = "int",
	  .offset = 4,
	  .size = 4,
	  .is_signed = true,
	  .is_common = true },
};

static bool is_static_string(const struct synth_field_text *f)
{
	return f->is_string && !f->is_dynamic;
}

/* kernel: the brackets of an array move after the name, but these lose the length */
static void print_field(const struct event_field *f, struct strbuf *out)
{
	bool array = f->filter_type == FILTER_STATIC_STRING;
	int n = array ? (int)strcspn(f->type, "[") : (int)strlen(f->type);

	strbuf_addf(out, "\tfield:%.*s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", n, f->type,
		    f->name, array ? "[]" : "", f->offset, f->size, f->is_signed);
}

static void print_fmt(const struct synth_event *se, bool spaces, struct strbuf *out)
{
	const char *between = spaces ? " " : ", ";

	strbuf_addch(out, '"');
	for (size_t i = 0; i < se->n_fields; i++) {
		const struct synth_field_text *f = &se->fields[i].text;
		const bool address = se->derived && number_is_address(f->name);

		/* a stack would be several lines */
		if (se->derived && f->is_stack)
			continue;
		strbuf_addf(out, "%s%s=%s", i ? between : "", f->name,
			    address ? "0x%lx" : synth_field_fmt(f->type));
	}
	strbuf_addch(out, '"');
	for (size_t i = 0; i < se->n_fields; i++) {
		const struct synth_field_text *f = &se->fields[i].text;

		if (f->is_string && f->is_dynamic)
			strbuf_addf(out, ", __get_str(%s)", f->name);
		else if (f->is_stack && se->derived)
			continue;
		else if (f->is_stack)
			strbuf_addf(out, ", __get_stacktrace(%s)", f->name);
		else
			strbuf_addf(out, ", REC->%s", f->name);
	}
}

/* Write its format file. */
static int make_format_text(struct synth_event *se, const struct kernel_quirks *q)
{
	const struct event_field *fields = se->format.fields;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t fmt;
	char *text;

	strbuf_addf(&sb, "name: %s\nID: %u\nformat:\n", se->name, se->id);
	for (size_t i = 0; i < se->format.n_fields; i++) {
		if (i == ARRAY_SIZE(common_fields))
			strbuf_addch(&sb, '\n');
		print_field(&fields[i], &sb);
	}
	strbuf_addstr(&sb, "\nprint fmt: ");
	fmt = sb.len;
	print_fmt(se, q->synth_fmt_spaces, &sb);
	strbuf_addch(&sb, '\n');
	text = sb.failed ? NULL : arena_strndup(&se->arena, sb.s, sb.len);
	if (text) {
		se->format.text = (struct span){ text, sb.len };
		se->format.print_fmt = arena_strndup(&se->arena, text + fmt, sb.len - fmt - 1);
	}
	return text && se->format.print_fmt ? 0 : HIST_NOMEM;
}

static int make_format(struct synth_event *se, const struct machine *machine)
{
	size_t n_common = ARRAY_SIZE(common_fields), n = n_common + se->n_fields;
	struct event_field *fields = arena_alloc(&se->arena, n * sizeof(*fields));
	u32 offset = HEADER_SIZE;

	if (!fields)
		return HIST_NOMEM;
	memcpy(fields, common_fields, sizeof(common_fields));
	for (size_t i = 0; i < se->n_fields; i++) {
		const struct synth_field_text *f = &se->fields[i].text;

		se->fields[i].offset = offset;
		se->fields[i].kind = is_static_string(f) ? SYNTH_ARRAY
				     : f->is_string || f->is_stack || machine->big_endian
					     ? SYNTH_ANY
					     : SYNTH_NUM;
		se->fields[i].shift =
			f->size == 1 || f->size == 2 || f->size == 4 ? 64 - 8 * f->size : 0;
		fields[n_common + i] = (struct event_field){
			.name = f->name,
			.type = f->type,
			.offset = offset,
			.size = f->size,
			.is_signed = f->is_signed,
			.filter_type = f->is_stack ? FILTER_STACKTRACE
						   : event_filter_class(f->type),
		};
		se->fields[i].in_format = &fields[n_common + i];
		offset += !is_static_string(f) ? SLOT_SIZE
			  : se->derived        ? f->size
					       : STRING_SLOT_SIZE;
	}
	se->fixed_size = offset;
	se->format = (struct event_format){
		.system = se->derived ? "derived" : "synthetic",
		.name = se->name,
		.id = se->id,
		.n_common = n_common,
		.n_fields = n,
		.fields = fields,
		.min_size = offset,
	};
	return make_format_text(se, machine->quirks);
}

int synth_event_take_name(struct synth_event *se, size_t pos, const struct kernel_quirks *q)
{
	struct synth_field *f = &se->fields[pos];

	f->text.type = f->in_format->type = "__data_loc char[]";
	f->text.is_string = f->text.is_dynamic = f->text.is_signed = f->in_format->is_signed = true;
	f->in_format->filter_type = FILTER_DYN_STRING;
	f->kind = SYNTH_ANY;
	return make_format_text(se, q);
}

/* The id that the event had when it was recorded; otherwise an unused one. */
static u32 choose_id(struct tracing *t, const char *system, struct span name)
{
	const struct event_text *texts;
	size_t n;

	texts = event_db_texts(t->machine.db, &n);
	for (size_t i = 0; i < n; i++)
		if (span_same(texts[i].name, name) && !strcmp(texts[i].system, system))
			return texts[i].id;
	return dynamic_event_id(t);
}

/* An event that is not listed yet; the strings of the fields are moved with the arena. */
static struct synth_event *make(struct tracing *t, bool derived, const struct synth_text *st,
				struct arena *arena)
{
	struct synth_event *se = calloc(1, sizeof(*se));

	if (!se)
		return NULL;
	se->arena = *arena;
	*arena = (struct arena)ARENA_INIT;
	se->derived = derived;
	se->id = choose_id(t, derived ? "derived" : "synthetic", st->name);
	se->name = arena_strndup(&se->arena, st->name.s, st->name.n);
	se->fields = arena_alloc(&se->arena, st->n_fields * sizeof(*se->fields));
	if (se->name && se->fields) {
		se->n_fields = st->n_fields;
		for (size_t i = 0; i < se->n_fields; i++)
			se->fields[i].text = st->fields[i];
		if (!make_format(se, &t->machine))
			return se;
	}
	synth_event_free(se);
	return NULL;
}

struct synth_event *derived_event_define(struct tracing *t, const char *definition)
{
	struct arena arena = ARENA_INIT;
	struct synth_event *se = NULL;
	struct synth_text st;

	if (!synth_text_cut(&arena, span_of(definition), t->machine.long_size, &st) && !st.bad)
		se = make(t, true, &st, &arena);
	arena_release(&arena);
	if (se && !derived_event_add(t, se))
		return se;
	synth_event_free(se);
	t->failed = true;
	return NULL;
}

/* --- removing --- */

/* Whether an action or a hist trigger refers to it. */
static bool is_used(const struct synth_event *se)
{
	return se->refs > 0;
}

static bool is_on(const struct trace_array *tr, const struct synth_event *se)
{
	const struct event_file *file =
		event_file_known(tr, span_of("synthetic"), span_of(se->name));

	return file && file->state.enabled;
}

/* Whether it is the target of another trigger, or enabled in any instance (triggers enable it). */
static bool is_busy(struct tracing *t, const struct synth_event *se)
{
	if (is_used(se) || se->dyn_refs)
		return true;
	for (struct trace_array *tr = t->top; tr; tr = tr->next)
		if (is_on(tr, se))
			return true;
	return false;
}

static void delete (struct tracing *t, struct synth_event *se)
{
	traced_events_forget(t, se);
	for (struct trace_array *tr = t->top; tr; tr = tr->next)
		event_file_forget(tr, "synthetic", se->name);
	synth_event_remove(t, se);
}

static int remove_event(struct tracing *t, struct span name, struct cmd_log *log)
{
	struct synth_event *se = synth_event_find(t, name);

	if (!se)
		return log_silent(log, name,
				  "no synthetic event has this name: No such file or directory");
	if (is_busy(t, se))
		return log_silent(log, name, "the event is in use: Device or resource busy");
	delete (t, se);
	return 0;
}

/*
 * kernel: dyn_events_release_all() first checks whether any event is in use, but checks the other
 * reasons for being busy only at each removal, when the older events are already removed.
 */
int synth_events_truncate(struct tracing *t, struct diags *diags)
{
	for (size_t i = 0; i < t->synth_events.n; i++)
		if (is_used(t->synth_events.v[i]))
			return diags_error(
				diags, -HIST_EREJECTED,
				"synthetic event %s is in use, so none is removed: Device or resource busy",
				t->synth_events.v[i]->name);
	while (t->synth_events.n) {
		struct synth_event *oldest = t->synth_events.v[0];

		if (is_busy(t, oldest))
			return diags_error(
				diags, -HIST_EREJECTED,
				"synthetic event %s is enabled or the target of another trigger; it and the events defined after it are not removed: Device or resource busy",
				oldest->name);
		delete (t, oldest);
	}
	return 0;
}

/* --- the files --- */

static int log_synth_err(struct cmd_log *log, enum synth_err err, struct span text)
{
	const char *p = text.n ? span_find(span_of(log->cmd), text) : NULL;

	return log_kernel_err(log, synth_err_text[err], text, p ? (unsigned int)(p - log->cmd) : 0);
}

/* One definition or removal, already cut. */
static int run_line(struct tracing *t, const struct synth_text *st, struct arena *arena,
		    struct cmd_log *log)
{
	struct synth_event *se;
	int err;

	if (st->bad && st->early)
		return log_synth_err(log, st->err, st->bad_text);
	if (st->remove)
		return remove_event(t, st->name, log);
	if (synth_event_find(t, st->name))
		return log_synth_err(log, SYNTH_ERR_EVENT_EXISTS, st->name);
	if (st->bad)
		return log_synth_err(log, st->err, st->bad_text);
	se = make(t, false, st, arena);
	err = se ? synth_event_add(t, se) : HIST_NOMEM;
	if (err)
		synth_event_free(se);
	return err;
}

int dynevent_refuse(const struct tracing *t, struct span line, const char *hint,
		    struct cmd_log *log)
{
	static const char message[] =
		"only synthetic events (s:NAME ...) and probes (p:NAME ..., r:NAME ...) can be defined here";
	int err;

	/* kernel: removals do not reach the types */
	if (!t->machine.quirks->dynevent_log || strchr("!-", span_trim(line).s[0]))
		return log_silent(log, span_trim(line), "%s", hint ? hint : message);
	log->loc = "dynevent";
	log->cmd = strndup(line.s, line.n);
	log->cmd_at = (size_t)(line.s - log->written.s);
	err = log->cmd ? log_kernel_err(log, "No matching dynamic event type", line, 0)
		       : HIST_NOMEM;
	free((char *)log->cmd);
	log->cmd = "";
	return err;
}

static int write_line(struct tracing *t, struct span line, bool dynamic, struct cmd_log *log)
{
	scoped(arena_release) struct arena arena = ARENA_INIT;
	struct synth_text st;
	int err;

	if (dynamic)
		err = synth_text_cut_dynamic(&arena, line, t->machine.long_size, &st);
	else
		err = synth_text_cut(&arena, line, t->machine.long_size, &st);
	if (err == -HIST_ENOENT)
		err = dynevent_refuse(t, line, NULL, log);
	else if (!err && st.text.n) {
		log->cmd = arena_strndup(&arena, st.text.s, st.text.n);
		log->cmd_at = (size_t)(st.text.s - log->written.s);
		err = log->cmd ? run_line(t, &st, &arena, log) : HIST_NOMEM;
	}
	return err;
}

/* In dynamic_events: -:NAME. kernel: so does !TEXT:NAME, whatever TEXT is. */
static bool is_removal(struct span line)
{
	struct span rest = span_ltrim(line), word = span_sep(&rest, " \t");

	return span_starts(word, "-:") || (span_starts(word, "!") && span_chr(word, ':'));
}

/* -:[synthetic/]NAME in dynamic_events */
static int remove_dynamic(struct tracing *t, struct span line, struct cmd_log *log)
{
	struct span rest = span_ltrim(line), name = span_sep(&rest, " \t");

	span_sep(&name, ":");
	if (span_starts(name, "synthetic/"))
		name = span_skip(name, strlen("synthetic/"));
	return remove_event(t, name, log);
}

/* A line of dynamic_events that is for a probe. */
static int write_probe(struct tracing *t, struct span line, const struct cmd_log *log)
{
	struct cmd_log own = *log;

	return probe_write_line(t, PROBE_FILE_ALL, line, &own);
}

int synth_events_write(struct tracing *t, struct span text, bool dynamic, struct diags *diags)
{
	struct cmd_log log = {
		.tr = t->top, .diags = diags, .written = text, .loc = "synthetic_events", .cmd = ""
	};
	struct span rest = { text.s, strnlen(text.s, text.n) };
	int err = 0;

	/* kernel: lines before the failing one stay in effect */
	while (rest.s && !err) {
		struct span line = span_sep(&rest, "\n"), comment = line;

		line = span_sep(&comment, "#");
		if (dynamic && probe_takes_line(t, line))
			err = write_probe(t, line, &log);
		else if (dynamic && is_removal(line))
			err = remove_dynamic(t, line, &log);
		else
			err = write_line(t, line, dynamic, &log);
	}
	return err;
}

int synth_event_run_command(struct tracing *t, const char *command, struct diags *diags)
{
	struct span text = span_of(command);
	struct cmd_log log = {
		.tr = t->top, .diags = diags, .written = text, .loc = "synthetic_events", .cmd = ""
	};

	return write_line(t, text, false, &log);
}
