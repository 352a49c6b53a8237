// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The index of event formats: one pass over FTRACE_EVENTS and EVENT_FORMATS that locates each text
 * and reads its first two lines, "name: NAME" and "ID: N". The texts are not copied; event/
 * parses those that are needed.
 */
#include "trace_dat/internal.h"

/* The rest of the line of @text that starts with @key; consumes the line. */
static bool head_line(struct span *text, const char *key, struct span *value)
{
	struct span line = span_sep(text, "\n");

	if (!span_starts(line, key))
		return false;
	*value = span_trim(span_skip(line, strlen(key)));
	return true;
}

/* The offset of a text in the file, or that of the compressed block that contains it. */
static u64 text_pos(const struct trace_dat *td, const char *text)
{
	u64 at = (u64)((uintptr_t)text - (uintptr_t)td->map);
	const struct trace_dat_meta *events = &td->meta[TRACE_DAT_EVENT_FORMATS - META_FIRST];

	return at < td->info.file_size ? at : events->pos;
}

void trace_dat_format_damaged(struct trace_dat *td, size_t i, struct diags *diags)
{
	const struct trace_dat_format *f = &td->formats.v[i];

	trace_dat_corrupt(td, diags, text_pos(td, f->text.s),
			  "the format of event %s:%.*s cannot be parsed", f->system, (int)f->name.n,
			  f->name.s);
}

/* Index @count blocks, each preceded by its size. A text without a possible name or id is left out.
 */
static int index_texts(struct trace_dat *td, struct bytes *b, const char *system, u32 count,
		       struct diags *diags)
{
	for (; count; count--) {
		struct trace_dat_format f = { .system = system };
		u64 n = bytes_u64(b), id;
		struct span rest = { (const char *)bytes_take(b, n), n }, number;

		if (b->bad)
			return -HIST_EFORMAT;
		f.text = rest;
		/* the event is a directory: --tracefs and --sql make paths of these names */
		if (!head_line(&rest, "name:", &f.name) || !head_line(&rest, "ID:", &number) ||
		    !span_u64(number, &id) || id > UINT32_MAX || !span_is_file_name(f.name) ||
		    !span_is_file_name(span_of(f.system))) {
			trace_dat_corrupt(
				td, diags, text_pos(td, f.text.s),
				"a format of system %s has no name or ID that an event can have",
				system);
			continue;
		}
		f.id = (u32)id;
		if (array_push(&td->formats, f))
			return HIST_NOMEM;
	}
	return 0;
}

static int index_block(struct trace_dat *td, enum trace_dat_option_id id, struct diags *diags)
{
	const struct trace_dat_meta *m = trace_dat_meta(td, id);
	struct bytes b;
	const u8 *start;
	u32 n;
	int err = m->found ? trace_dat_meta_body(td, id, &b, diags) : 1;

	if (err)
		return err > 0 ? 0 : err;
	start = b.p;
	n = bytes_u32(&b);
	if (id == TRACE_DAT_FTRACE_EVENTS && !b.bad)
		err = index_texts(td, &b, "ftrace", n, diags);
	for (; id == TRACE_DAT_EVENT_FORMATS && n && !b.bad && !err; n--) {
		const char *system = bytes_str(&b);
		u32 count = bytes_u32(&b);

		if (!b.bad)
			err = index_texts(td, &b, system, count, diags);
	}
	if (b.bad && !err)
		err = -HIST_EFORMAT;
	if (err == -HIST_EFORMAT && m->compressed)
		trace_dat_corrupt(td, diags, m->pos,
				  "the event formats end early (at byte %zu when inflated)",
				  (size_t)(b.p - start));
	else if (err == -HIST_EFORMAT)
		trace_dat_corrupt(td, diags, trace_dat_pos(td, &b), "the event formats end early");
	return err;
}

int trace_dat_formats(struct trace_dat *td, const struct trace_dat_format **formats, size_t *n,
		      struct diags *diags)
{
	if (!td->have_formats) {
		int first = index_block(td, TRACE_DAT_FTRACE_EVENTS, diags);
		int second = index_block(td, TRACE_DAT_EVENT_FORMATS, diags);

		td->have_formats = true;
		td->formats_err = first ? first : second;
	}
	*formats = td->formats.v;
	*n = td->formats.n;
	return td->formats_err;
}
