// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Converts text with given formats: finds the records whose output is the line
 * (event/event_scan.h), and reports the bits that the text does not determine.
 *
 * A line does not name the system, so formats of all systems that have the event are tried, in all
 * forms that programs print (text_forms.c).
 */
#include "import/text.h"

struct exact_field {
	u64 known, part; /* records whose text determines any of its bits; only some */
};

struct exact_format {
	const struct event_format *fmt;
	struct exact_field *fields; /* ORDER fmt->fields */
	u64 records;
};

/* One way to read an event. */
struct exact_form {
	size_t format; /* index in ->formats */
	struct event_scan *scan;
};

/* The names by which lines refer to an event. */
struct exact_event {
	struct span system, name;
	enum text_call call;
	size_t first, n;  /* range in ->forms */
	bool is_function; /* not an event: a function that calls trace_printk() */
	u64 unread, several;
};

struct text_exact {
	struct text_import *ti;
	const struct format_list *from;
	struct event_db *db;
	struct arena arena;
	INDEXED(struct exact_event) events; /* by name */
	ARRAY(struct exact_form) forms;
	ARRAY(struct exact_format) formats;
	struct strbuf text; /* of a line of ftrace:print */
	ARRAY(size_t) used; /* for each of from->list, its index in ->formats + 1; 0: unused */
};

/* --- forms of an event --- */

static int format_index(struct text_exact *x, size_t i, const struct event_format *fmt, size_t *out)
{
	struct exact_format f = { .fmt = fmt };
	int err;

	while (x->used.n < x->from->list.n)
		if (array_push(&x->used, 0))
			return HIST_NOMEM;
	if (!x->used.v[i]) {
		f.fields = arena_alloc(&x->arena, (fmt->n_fields + 1) * sizeof(*f.fields));
		err = f.fields ? array_push(&x->formats, f) : HIST_NOMEM;
		if (err)
			return err;
		memset(f.fields, 0, fmt->n_fields * sizeof(*f.fields));
		x->used.v[i] = x->formats.n;
	}
	*out = x->used.v[i] - 1;
	return 0;
}

static int add_forms(struct text_exact *x, size_t i, const struct text_line *line)
{
	const struct event_text *text = &x->from->list.v[i];
	const struct event_format *fmt;
	struct text_forms forms;
	size_t format;
	int err = event_db_find_id(x->db, text->id, &fmt);

	if (err)
		return err == HIST_NOMEM ? err : 0;
	err = format_index(x, i, fmt, &format);
	if (err)
		return err;
	text_forms_of(&forms, fmt, line, text_old_letters(x->ti), &x->arena);
	for (size_t k = 0; k < forms.n && !err; k++) {
		struct exact_form form = { .format = format };

		form.scan = event_scan_new(x->db, x->formats.v[format].fmt, forms.v[k], &x->arena);
		err = form.scan ? array_push(&x->forms, form) : 0;
	}
	return err;
}

static int find_event(struct text_exact *x, const struct text_line *line, struct exact_event **out)
{
	const char *prefix = text_call_prefixes[line->call];
	u32 hash = hash_bytes(line->call, line->name.s, line->name.n);
	struct exact_event e = {
		.system = line->system, .name = line->name, .call = line->call, .first = x->forms.n
	};
	int err = 0;

	*out = indexed_find(&x->events, hash, of,
			    span_same(of->name, line->name) && of->call == line->call &&
				    text_same_system(of->system, line->system));
	if (*out)
		return 0;
	for (size_t i = 0; i < x->from->list.n && !err; i++) {
		const struct event_text *text = &x->from->list.v[i];

		if ((!e.system.s || span_eq(e.system, text->system)) &&
		    span_starts(text->name, prefix) &&
		    span_same(span_skip(text->name, strlen(prefix)), e.name))
			err = add_forms(x, i, line);
	}
	e.n = x->forms.n - e.first;
	e.is_function = !e.n && !line->call && !line->system.s &&
			event_symbol_find(x->db, line->name, &(struct event_symbol){ .addr = 0 });
	*out = err ? NULL : indexed_add(&x->events, hash, e);
	return err ?: *out ? 0 : HIST_NOMEM;
}

/* --- lines --- */

static void note_known(struct exact_format *f, const struct event_scanned_record *rec)
{
	f->records++;
	for (size_t i = f->fmt->n_common; i < f->fmt->n_fields; i++) {
		const struct event_field *field = &f->fmt->fields[i];
		u8 all = 0xff, any = 0;

		for (u32 k = 0; k < field->size && field->offset + k < rec->fixed; k++) {
			all &= rec->known[field->offset + k];
			any |= rec->known[field->offset + k];
		}
		f->fields[i].known += any || !field->size;
		f->fields[i].part += any && all != 0xff;
	}
}

int text_exact_event(void *arg, const struct text_line *line)
{
	struct text_exact *x = arg;
	enum event_scanned scanned = SCANNED_NONE;
	struct event_scanned_record rec;
	struct text_line as_print = *line;
	struct exact_event *e;
	const struct exact_form *form = NULL;
	struct span args = text_args(x->ti, line);
	int err = find_event(x, line, &e);

	if (!err && e->is_function) {
		as_print.call = TEXT_PRINT;
		as_print.ip = line->name;
		as_print.name = span_of("print");
		return text_exact_event(x, &as_print);
	}
	/* the text of ftrace:print ends with a newline, with which the kernel also ends the line */
	if (!err && line->call == TEXT_PRINT) {
		args = span_between(line->ip.s ? line->ip.s : line->args.s,
				    line->args.s + line->args.n);
		strbuf_reset(&x->text);
		strbuf_add(&x->text, args.s, args.n);
		strbuf_addch(&x->text, '\n');
		args = strbuf_span(&x->text);
		err = x->text.failed ? HIST_NOMEM : 0;
	}
	if (err)
		return err;
	for (size_t i = 0; i < e->n && !scanned; i++) {
		if (line->call == TEXT_PRINT && i == e->n - 1) /* without the address */
			args = span_skip(args, args.n - 1 - line->args.n);
		form = &x->forms.v[e->first + i];
		scanned = event_scan(form->scan, args, &rec);
		if (!scanned)
			scanned = event_scan(form->scan, span_trim(args), &rec);
	}
	if (!scanned) {
		e->unread++;
		return 0;
	}
	e->several += scanned == SCANNED_SEVERAL || text_letters_unclear(x->ti, line);
	note_known(&x->formats.v[form->format], &rec);
	text_put_common(line, x->formats.v[form->format].fmt, rec.bytes);
	return text_put(x->ti, line, rec.bytes, rec.len);
}

/* --- fields that no text determined --- */

/* Whether a print fmt uses the field. */
static bool is_printed(const char *print_fmt, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = print_fmt; (at = strstr(at, name)); at += n) {
		char before = at > print_fmt ? at[-1] : ' ', after = at[n];

		if (!is_alnum(before) && before != '_' && !is_alnum(after) && after != '_')
			return true;
	}
	return false;
}

/* Append a print fmt for the remaining fields if the original one uses an omitted field. */
static void add_print_fmt(struct strbuf *sb, const struct exact_format *f, struct span line)
{
	scoped(strbuf_release) struct strbuf args = STRBUF_INIT;
	const char *between = "";
	bool lacks = false;

	for (size_t i = f->fmt->n_common; i < f->fmt->n_fields; i++)
		lacks |= !f->fields[i].known &&
			 is_printed(f->fmt->print_fmt, f->fmt->fields[i].name);
	if (!lacks) {
		strbuf_addf(sb, "%.*s\n", (int)line.n, line.s);
		return;
	}
	strbuf_addstr(sb, "print fmt: \"");
	for (size_t i = f->fmt->n_common; i < f->fmt->n_fields; i++) {
		const struct event_field *field = &f->fmt->fields[i];
		bool text = field->filter_type == FILTER_STATIC_STRING;
		bool located = field->filter_type == FILTER_DYN_STRING;

		if (!f->fields[i].known || (strchr(field->type, '[') && !text && !located))
			continue;
		strbuf_addf(sb, "%s%s=%s", between, field->name, text || located ? "%s" : "%lld");
		strbuf_addf(&args,
			    located ? ", __get_str(%s)"
			    : text  ? ", REC->%s"
				    : ", (long long)REC->%s",
			    field->name);
		between = " ";
	}
	strbuf_addf(sb, "\"%s\n", args.s);
	sb->failed |= args.failed;
}

/* Pass the format to the sink without the fields that no text determined. */
static int pass_format(struct text_exact *x, const struct exact_format *f)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct span rest = f->fmt->text;
	size_t i = 0;

	while (rest.s) {
		struct span line = span_sep(&rest, "\n");
		bool is_field = span_starts(span_ltrim(line), "field:");
		bool absent = is_field && i < f->fmt->n_fields && i >= f->fmt->n_common &&
			      !f->fields[i].known;

		i += is_field;
		if (span_starts(line, "print fmt:"))
			add_print_fmt(&sb, f, line);
		else if (!absent && line.s && (line.n || rest.s))
			strbuf_addf(&sb, "%.*s\n", (int)line.n, line.s);
	}
	return sb.failed ? HIST_NOMEM
			 : import_sink_format(x->ti->job->sink, f->fmt->system, strbuf_span(&sb));
}

static void report_format(const struct text_exact *x, const struct exact_format *f)
{
	struct text_names absent = { STRBUF_INIT, 0 }, part = absent, some = absent;
	struct diags *diags = x->ti->job->diags;
	const char *in = x->ti->job->in->name;

	for (size_t i = f->fmt->n_common; i < f->fmt->n_fields; i++) {
		struct span name = span_of(f->fmt->fields[i].name);

		if (!f->fields[i].known)
			text_names_add(&absent, name);
		else if (f->fields[i].known < f->records)
			text_names_add(&some, name);
		else if (f->fields[i].part)
			text_names_add(&part, name);
	}
	if (absent.n)
		diags_add(diags, DIAG_NOTE, "%s: %s has no %s: its text does not contain it", in,
			  f->fmt->name, absent.sb.s);
	if (part.n)
		diags_add(diags, DIAG_NOTE,
			  "%s: the text of %s shows only some bits of %s; the others are 0", in,
			  f->fmt->name, part.sb.s);
	if (some.n) {
		diags_add(diags, DIAG_WARNING,
			  "%s: not every line of %s contains %s; it is 0 in the others", in,
			  f->fmt->name, some.sb.s);
		x->ti->job->result->inexact = true;
	}
	strbuf_release(&absent.sb);
	strbuf_release(&part.sb);
	strbuf_release(&some.sb);
}

static void report_events(const struct text_exact *x)
{
	struct text_names unread = { STRBUF_INIT, 0 }, unknown = unread, several = unread;
	unsigned long long n_unread = 0, n_unknown = 0, n_several = 0;
	struct import_job *job = x->ti->job;

	array_each(const struct exact_event, e, &x->events) {
		if (e->unread)
			text_names_add(e->n ? &unread : &unknown, e->name);
		*(e->n ? &n_unread : &n_unknown) += e->unread;
		if (e->several)
			text_names_add(&several, e->name);
		n_several += e->several;
	}
	if (n_unknown)
		diags_add(job->diags, DIAG_WARNING,
			  "%s: %llu line%s left out: --formats does not contain %s", job->in->name,
			  n_unknown, n_unknown == 1 ? " is" : "s are", unknown.sb.s);
	if (n_unread)
		diags_add(
			job->diags, DIAG_WARNING,
			n_unread == 1
				? "%s: %llu line is left out: it does not match the print format: %s "
				  "(trace-cmd report -N prints that of the kernel)"
				: "%s: %llu lines are left out: they do not match the print formats: %s "
				  "(trace-cmd report -N prints those of the kernel)",
			job->in->name, n_unread, unread.sb.s);
	if (n_several)
		diags_add(job->diags, DIAG_WARNING,
			  "%s: %llu line%s ambiguous; the first interpretation is used: %s",
			  job->in->name, n_several, n_several == 1 ? " is" : "s are", several.sb.s);
	job->result->cut |= n_unread > 0;
	job->result->inexact |= n_several > 0;
	strbuf_release(&unread.sb);
	strbuf_release(&unknown.sb);
	strbuf_release(&several.sb);
}

int text_exact_end(struct text_exact *x)
{
	int err = event_db_failed(x->db) ? HIST_NOMEM : 0;

	for (size_t i = 0; i < x->formats.n && !err; i++) {
		if (!x->formats.v[i].records)
			continue;
		report_format(x, &x->formats.v[i]);
		err = pass_format(x, &x->formats.v[i]);
	}
	report_events(x);
	return err;
}

/* --- all lines --- */

static int kallsyms(void *arg, struct span *text)
{
	*text = ((const struct import_sink *)arg)->kallsyms;
	return 0;
}

struct text_exact *text_exact_new(struct text_import *ti, const struct format_list *formats)
{
	const struct event_sources sources = { .arg = ti->job->sink, .kallsyms = kallsyms };
	const struct event_machine machine = { .long_size = formats->long_is_4 ? 4 : 8 };
	struct text_exact *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->ti = ti;
	x->text = (struct strbuf)STRBUF_INIT;
	x->from = formats;
	if (!event_db_new(&x->db, formats->list.v, formats->list.n, machine, &sources))
		return x;
	free(x);
	return NULL;
}

void text_exact_free(struct text_exact *x)
{
	if (!x)
		return;
	event_db_free(x->db);
	indexed_release(&x->events);
	array_release(&x->forms);
	array_release(&x->formats);
	array_release(&x->used);
	strbuf_release(&x->text);
	arena_release(&x->arena);
	free(x);
}
