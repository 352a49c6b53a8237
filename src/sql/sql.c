// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Translates a statement to writes to the tracing directory, by the formats of its events.
 *
 * libtracefs generates the text of the triggers only while it "creates" the synthetic event. So it
 * gets a directory with empty files that have the kernel's names; no kernel is involved. Texts of a
 * recording never reach it.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <tracefs.h>
#include <unistd.h>

#include "event/event.h"
#include "sql/sql_text.h"

struct sql {
	const struct sql_request *request;
	struct arena *arena;
	struct diags *diags;
	struct strbuf query, exchanged;
	struct tep_handle *tep;
	ARRAY(const struct sql_event *) events; /* those that libtracefs knows */
	struct tracefs_synth *synth;
	char dir[64];
};

/* --- the formats --- */

/* In a statement, a stack is a field. */
static const char stack_field[] =
	"\tfield:unsigned long STACKTRACE;\toffset:0;\tsize:8;\tsigned:0;\n";

/*
 * Offer an event to libtracefs. It gets the fields as event/ has parsed them, never the text of the
 * recording: its parser evaluates print fmts, and dies on some. An event whose format is damaged,
 * or whose name is not that of a file, is left out.
 */
static int add_format(struct sql *s, struct event_db *db, const struct sql_event *ev)
{
	static const char before[] = "\nprint fmt:";
	struct strbuf shape = STRBUF_INIT, text = STRBUF_INIT;
	const struct event_format *fmt;
	int err = event_db_add(db, ev->system, ev->format.s, ev->format.n);
	const char *at;

	err = err ?: event_db_find(db, ev->system, ev->name, &fmt);
	err = err ?: event_format_shape(fmt, &shape);
	at = err ? NULL : strstr(shape.s, before);
	if (at) {
		strbuf_add(&text, shape.s, (size_t)(at - shape.s));
		strbuf_addf(&text, "%s%s", stack_field, at);
		/* a name that libtraceevent cannot read has the error of missing memory, too */
		if (text.failed)
			err = HIST_NOMEM;
		else if (!tep_parse_event(s->tep, text.s, text.len, ev->system))
			err = array_push(&s->events, ev);
	}
	strbuf_release(&shape);
	strbuf_release(&text);
	return err == HIST_NOMEM ? err : 0;
}

static int add_formats(struct sql *s)
{
	const struct event_machine machine = { .long_size = 8 };
	struct event_db *db;
	int err = event_db_new(&db, NULL, 0, machine, NULL);

	if (err)
		return err;
	s->tep = tep_alloc();
	if (!s->tep)
		err = HIST_NOMEM;
	else
		tep_set_loglevel(TEP_LOG_NONE);
	if (!err)
		tep_set_long_size(s->tep, 8);
	for (size_t i = 0; i < s->request->n_events && !err; i++)
		err = add_format(s, db, &s->request->events[i]);
	event_db_free(db);
	return err;
}

/* --- the directory --- */

/* Make an empty file below the directory, and the directories of its path. */
static int make_file(struct sql *s, const char *name)
{
	char *path = arena_printf(s->arena, "%s/%s", s->dir, name);
	int fd;

	if (!path)
		return HIST_NOMEM;
	for (char *slash = path + strlen(s->dir); (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	fd_close(fd);
	return fd < 0 ? diags_error(s->diags, -HIST_EIO, "%s: %s", s->dir, strerror(errno)) : 0;
}

static int make_dir(struct sql *s)
{
	const char *tmp = getenv("TMPDIR");
	int err = 0;

	if (snprintf(s->dir, sizeof(s->dir), "%s/hist.sql.XXXXXX",
		     tmp && *tmp && strlen(tmp) < 40 ? tmp : "/tmp") < 0 ||
	    !mkdtemp(s->dir)) {
		err = diags_error(s->diags, -HIST_EIO, "%s: %s", s->dir, strerror(errno));
		s->dir[0] = '\0';
		return err;
	}
	err = make_file(s, "synthetic_events") ?: make_file(s, "dynamic_events");
	for (size_t i = 0; i < s->events.n && !err; i++) {
		const char *trigger = arena_printf(s->arena, "events/%s/%s/trigger",
						   s->events.v[i]->system, s->events.v[i]->name);

		err = trigger ? make_file(s, trigger) : HIST_NOMEM;
	}
	return err;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* --- the result --- */

static int add_write(struct sql_result *result, const char *path, const char *text)
{
	struct sql_write *w = &result->writes[result->n++];

	w->path = path;
	w->text = text;
	return path && text ? 0 : HIST_NOMEM;
}

/* Copy @text with stable names of variables. */
static const char *renamed(struct sql *s, const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	sql_rename(text, s->request->name, &sb);
	return arena_take(s->arena, &sb);
}

/* Parse a plain histogram: "echo 'hist:...' > PATH". */
static int take_hist(struct sql *s, struct sql_result *result)
{
	struct tracefs_hist *hist = tracefs_synth_get_start_hist(s->synth);
	struct trace_seq seq;
	const char *from, *to, *text = NULL;
	int err = HIST_NOMEM;

	trace_seq_init(&seq);
	if (hist && !tracefs_hist_echo_cmd(&seq, NULL, hist, 0)) {
		trace_seq_terminate(&seq);
		from = strchr(seq.buffer, '\'');
		to = strstr(seq.buffer, "' > ");
		text = from && to && to > from
			       ? arena_strndup(s->arena, from + 1, (size_t)(to - from - 1))
			       : NULL;
		result->path = arena_printf(s->arena, "events/%s/%s", tracefs_hist_get_system(hist),
					    tracefs_hist_get_event(hist));
	}
	if (text && result->path)
		err = add_write(result, arena_printf(s->arena, "%s/trigger", result->path), text);
	trace_seq_destroy(&seq);
	return err;
}

/*
 * The fields of the synthetic event as in "pid_t pid; unsigned long stack;"; a stack is an array.
 */
static const char *fields_of(struct sql *s)
{
	struct span fields = span_of(tracefs_synth_show_event(s->synth)), stack;
	struct strbuf sb = STRBUF_INIT;

	stack = sql_stack_field(s->request->query);
	while (fields.s) {
		struct span field = span_trim(span_sep(&fields, ";"));
		const char *blank = span_rchr(field, ' ');
		struct span name = blank ? span_skip(field, (size_t)(blank - field.s) + 1) : field;

		if (!field.n)
			continue;
		strbuf_addstr(&sb, sb.len ? "; " : "");
		if (stack.s && span_same(name, stack))
			strbuf_addf(&sb, "unsigned long %.*s[]", (int)name.n, name.s);
		else
			strbuf_add(&sb, field.s, field.n);
	}
	return arena_take(s->arena, &sb);
}

/* The event after JOIN, with or without its system. */
static const struct sql_event *end_event(struct sql *s)
{
	struct span rest = sql_joined(s->query.s), system = { NULL, 0 };
	struct span name = span_sep(&rest, ".");

	if (rest.s) {
		system = name;
		name = rest;
	}
	for (size_t i = 0; i < s->events.n; i++) {
		const struct sql_event *ev = s->events.v[i];

		if (span_eq(name, ev->name) && (!system.s || span_eq(system, ev->system)))
			return ev;
	}
	return NULL;
}

/* Append "trace,snapshot,save:a+b" as actions of @handler. */
static int add_actions(struct sql *s, const char *handler, const char *args, struct strbuf *out)
{
	struct span rest = span_of(s->request->what ? s->request->what : "trace");

	while (rest.s) {
		struct span action = span_sep(&rest, ","), fields;

		if (span_eq(action, "trace")) {
			strbuf_addf(out, ":%s.trace(%s,%s", handler, s->request->name, args);
		} else if (span_eq(action, "snapshot")) {
			strbuf_addf(out, ":%s.snapshot()", handler);
		} else if (span_starts(action, "save:")) {
			strbuf_addf(out, ":%s.save(", handler);
			fields = span_skip(action, 5);
			for (size_t i = 0; i < fields.n; i++)
				strbuf_addch(out, fields.s[i] == '+' ? ',' : fields.s[i]);
			strbuf_addch(out, ')');
		} else {
			return diags_error(s->diags, -HIST_EREJECTED,
					   "--do takes trace, snapshot or save:FIELD+FIELD, "
					   "not '%.*s'",
					   (int)action.n, action.s);
		}
	}
	return 0;
}

/* Replace the actions of each match by actions at a new maximum or at a change. */
static const char *with_handler(struct sql *s, const char *end)
{
	struct span rest = span_of(s->request->on), kind = span_sep(&rest, ":"), variable;
	const char *match = strstr(end, ":onmatch("), *args, *after, *text = NULL;
	struct strbuf out = STRBUF_INIT, handler = STRBUF_INIT;
	bool max = span_eq(kind, "max");

	if (!rest.s || (!max && !span_eq(kind, "change"))) {
		diags_error(s->diags, -HIST_EREJECTED,
			    "--on takes max:FIELD or change:FIELD, not '%s'", s->request->on);
		return NULL;
	}
	/* the variable for a field of the synthetic event: NAME_FIELD_NUMBER */
	args = arena_printf(s->arena, "$%s_%s_", s->request->name, rest.s);
	variable = span_of(args && strstr(end, args) ? strstr(end, args) : "");
	variable.n = strcspn(variable.s, ",)");
	args = match ? strstr(match, ").") : NULL;
	args = args ? strchr(args, '(') : NULL;
	after = args ? strchr(args, ')') : NULL;
	if (!variable.n || !after) {
		diags_error(s->diags, -HIST_EREJECTED, "--on %s: the statement has no field %s",
			    s->request->on, rest.s);
		return NULL;
	}
	strbuf_add(&out, end, (size_t)(match - end));
	strbuf_addf(&handler, "on%s(%.*s)", max ? "max" : "change", (int)variable.n, variable.s);
	args = arena_strndup(s->arena, args + 1, (size_t)(after - args));
	if (args && !add_actions(s, handler.s, args, &out)) {
		strbuf_addstr(&out, after + 1);
		text = out.failed ? NULL : arena_strndup(s->arena, out.s, out.len);
	}
	strbuf_release(&out);
	strbuf_release(&handler);
	return text;
}

/*
 * These maps have an entry for each value that a JOIN compares, such as each sector of a disk, and
 * a full one loses pairs; so they have the size of those in the recipes.
 */
static int add_trigger(struct sql *s, struct sql_result *result, const char *system,
		       const char *event, const char *text)
{
	const char *filter = strstr(text, " if ");
	size_t n = filter ? (size_t)(filter - text) : strlen(text);

	return add_write(result, arena_printf(s->arena, "events/%s/%s/trigger", system, event),
			 arena_printf(s->arena, "%.*s:size=16384%s", (int)n, text, text + n));
}

static int take_synth(struct sql *s, struct sql_result *result)
{
	const struct sql_event *end_ev = end_event(s);
	struct tracefs_hist *hist = tracefs_synth_get_start_hist(s->synth);
	const char *start, *end;
	int err;

	if (tracefs_synth_create(s->synth) || !end_ev || !hist)
		return diags_error(s->diags, -HIST_EREJECTED,
				   "--sql: libtracefs cannot make triggers from the statement: %s",
				   s->request->query);
	result->fields = fields_of(s);
	result->path = arena_printf(s->arena, "events/synthetic/%s", s->request->name);
	start = renamed(s, tracefs_synth_show_start_hist(s->synth));
	end = sql_exchange(renamed(s, tracefs_synth_show_end_hist(s->synth)), s->request->name,
			   strbuf_span(&s->exchanged), s->arena);
	if (!result->fields || !result->path || !start || !end)
		return HIST_NOMEM;
	if (s->request->on)
		end = with_handler(s, end);
	if (!end)
		return -HIST_EREJECTED;
	err = add_write(result, "synthetic_events",
			arena_printf(s->arena, "%s %s", s->request->name, result->fields));
	err = err
		      ?: add_trigger(s, result, tracefs_hist_get_system(hist),
				     tracefs_hist_get_event(hist), start);
	return err ?: add_trigger(s, result, end_ev->system, end_ev->name, end);
}

static int translate(struct sql *s, struct sql_result *result)
{
	char *message = NULL;
	int err;

	s->synth = tracefs_sql(s->tep, s->request->name, s->query.s, &message);
	if (!s->synth) {
		err = sql_complain(s->query.s, message, s->diags);
		free(message);
		return err;
	}
	if (tracefs_synth_complete(s->synth))
		return take_synth(s, result);
	if (s->request->on)
		return diags_error(
			s->diags, -HIST_EREJECTED,
			"--on needs a statement with a JOIN; without one, the statement makes a histogram");
	return take_hist(s, result);
}

int sql_translate(const struct sql_request *request, struct arena *arena, struct sql_result *result,
		  struct diags *diags)
{
	struct sql s = {
		.request = request,
		.arena = arena,
		.diags = diags,
		.query = STRBUF_INIT,
		.exchanged = STRBUF_INIT,
	};
	struct strbuf modern = STRBUF_INIT;
	int err = sql_modernise(request->query, &modern);

	*result = (struct sql_result){ .n = 0 };
	/* the statement as libtracefs needs it */
	err = err ?: sql_order_operands(modern.s, &s.query, &s.exchanged, diags);
	strbuf_release(&modern);
	err = err ?: add_formats(&s);
	err = err ?: make_dir(&s);
	if (!err) {
		tracefs_set_tracing_dir(s.dir);
		err = translate(&s, result);
		tracefs_set_tracing_dir(NULL);
	}
	if (s.synth)
		tracefs_synth_free(s.synth);
	if (s.dir[0])
		nftw(s.dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	tep_free(s.tep);
	array_release(&s.events);
	strbuf_release(&s.query);
	strbuf_release(&s.exchanged);
	return err;
}
