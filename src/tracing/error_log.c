// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The kernel's log of refused commands: the last 8 entries, each with the column of the first
 * occurrence of the offending text in the command, which need not be the one that caused the error.
 * Our own diagnosis also has the actual position.
 *
 * Corresponds to tracing_log_err() in trace.c and to hist_err(), errpos().
 */
#include "tracing/error_log.h"
#include "tracing/tracing.h"

int error_log_add(struct error_log *log, const char *loc, const char *cmd, const char *text,
		  unsigned int pos)
{
	size_t n_loc = strlen(loc) + 1, n_cmd = strlen(cmd) + 1;
	char *copy = malloc(n_loc + n_cmd);

	if (!copy)
		return HIST_NOMEM;
	memcpy(copy, loc, n_loc);
	memcpy(copy + n_loc, cmd, n_cmd);
	if (log->n == TRACING_LOG_ERRS_MAX) {
		free((char *)log->entries[0].loc);
		memmove(log->entries, log->entries + 1, (log->n - 1) * sizeof(log->entries[0]));
		log->n--;
	}
	log->entries[log->n++] = (struct tracing_error){ copy, text, copy + n_loc, pos };
	return 0;
}

void error_log_clear(struct error_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		free((char *)log->entries[i].loc);
	log->n = 0;
}

/* The kernel's column: the first occurrence of @text in the command, otherwise 0. */
static unsigned int err_pos(const struct cmd_log *log, struct span text)
{
	const char *p = text.n ? span_find(span_of(log->cmd), text) : NULL;

	return p ? (unsigned int)(p - log->cmd) : 0;
}

/* The actual position of @text in the written text; otherwise that of the kernel's column. */
static long true_place(const struct cmd_log *log, struct span text, unsigned int pos)
{
	const struct span *p = &log->prepared;

	if (text.s && p->s && text.s >= p->s && text.s <= p->s + p->n)
		return (long)(log->prepared_at + (size_t)(text.s - p->s));
	if (text.s && text.s >= log->written.s && text.s <= log->written.s + log->written.n)
		return (long)(text.s - log->written.s);
	return (long)(log->cmd_at + pos);
}

/* One entry with its diagnosis; @pos is the kernel's column. */
int log_kernel_err(struct cmd_log *log, const char *message, struct span text, unsigned int pos)
{
	struct diag *d;

	if (!log->unlogged && error_log_add(&log->tr->errors, log->loc, log->cmd, message, pos))
		return HIST_NOMEM;
	d = diags_add(log->diags, DIAG_ERROR, "%s", message);
	if (!d)
		return HIST_NOMEM;
	d->loc = arena_strdup(&log->diags->arena, log->loc);
	d->cmd = arena_strdup(&log->diags->arena, log->cmd);
	d->pos = pos;
	d->at = true_place(log, text, pos);
	d->len = text.n ? text.n : 1;
	return -HIST_EREJECTED;
}

/* Hints on what to write instead, where the kernel's message gives none. */
static void note_what_to_do(const struct cmd_log *log, enum hist_err err)
{
	static const struct {
		enum hist_err err;
		const char *note;
	} notes[] = {
		{ HIST_ERR_INVALID_SORT_FIELD,
		  "sort= takes hitcount, a key or a value: sort=hitcount.descending" },
		{ HIST_ERR_INVALID_SORT_MODIFIER,
		  "sort= takes .ascending (the default) or .descending" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		if (notes[i].err == err)
			diags_add(log->diags, DIAG_NOTE, "%s", notes[i].note);
}

int log_hist_err(struct cmd_log *log, enum hist_err err, struct span text)
{
	int ret = log_kernel_err(log, hist_err_text[err], text, err_pos(log, text));

	note_what_to_do(log, err);
	return ret;
}

void note_fields(const struct cmd_log *log, const struct event_file *file, struct span unknown)
{
	const struct event_format *format = file->format;
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;
	const char *word = arena_strndup(&log->diags->arena, unknown.s ?: "", unknown.n);
	struct near near = NEAR_INIT(word ?: "");
	struct span name;

	for (size_t i = format->n_common; i < format->n_fields; i++) {
		strbuf_addf(&names, "%s%s", names.len ? ", " : "", format->fields[i].name);
		near_offer(&near, format->fields[i].name, format->fields[i].name);
	}
	if (near.n && near.best[0].distance * 2 <= unknown.n)
		diags_add(log->diags, DIAG_NOTE, "nearest: %s", near.best[0].shown);
	if (names.len)
		diags_add(log->diags, DIAG_NOTE,
			  "%s:%s has %s, and the fields common_*; the running task is "
			  "common_pid, by name common_pid.execname",
			  format->system, format->name, names.s);
	/*
	 * A name that the field has elsewhere: in columns of hist events, and that of the task in
	 * keys.
	 */
	name = span_skip(unknown, span_starts(unknown, "event_") ? 6 : 0);
	if (span_eq(unknown, "common_comm") || span_eq(unknown, "task"))
		diags_add(log->diags, DIAG_NOTE,
			  "the name of the running task is COMM in a filter, and comm in --by");
	for (size_t j = 0; j < format->n_fields && name.n < unknown.n; j++)
		if (span_eq(name, format->fields[j].name))
			diags_add(
				log->diags, DIAG_NOTE,
				"event_%s is the column of hist events for the field %s: write %s",
				format->fields[j].name, format->fields[j].name,
				format->fields[j].name);
}

int log_silent(struct cmd_log *log, struct span text, const char *fmt, ...)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct diag *d;
	va_list ap;

	va_start(ap, fmt);
	strbuf_vaddf(&sb, fmt, ap);
	va_end(ap);
	d = diags_add(log->diags, DIAG_ERROR, "%s (the kernel refuses this without a message)",
		      sb.s);
	if (!d)
		return HIST_NOMEM;
	if (text.s) {
		d->at = true_place(log, text, err_pos(log, text));
		d->len = text.n ? text.n : 1;
	}
	return -HIST_EREJECTED;
}

int log_complaint(struct cmd_log *log, const struct complaint *c)
{
	if (c->err == HIST_ERR_SILENT)
		return log_silent(log, c->text, "%s", c->hint ? c->hint : "Invalid argument");
	return log_hist_err(log, c->err, c->text);
}
