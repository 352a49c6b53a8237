// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The definition of a probe as the files show it: dynamic_events, kprobe_events, uprobe_events.
 *
 * Corresponds to trace_kprobe_show(), trace_uprobe_show(), trace_fprobe_show(),
 * eprobe_dyn_event_show(), traceprobe_expand_meta_args().
 */
#include "bind/probe_bind.h"

bool probe_all_args(const struct probe_arg *a)
{
	return span_starts(a->word, "$arg*");
}

size_t probe_first_field(const struct probe_text *text, const struct event_format *format)
{
	return format->n_common + (text->other == 'e' ? 0 : text->is_return ? 2 : 1);
}

void probe_mark(struct diag *d, struct span text, const struct cmd_log *log)
{
	if (!d)
		return;
	d->at = (long)(log->cmd_at + (size_t)(text.s - log->cmd));
	d->len = text.n;
}

/* kernel: offsets into a file are in base 16, into a function in base 10, omitted if 0 */
static void add_where(struct strbuf *sb, const struct probe_text *text, u32 long_size)
{
	struct span rest = text->where, offset = span_sep(&rest, "%"), symbol;
	u64 n = 0;

	if (text->is_user) {
		span_u64(text->offset, &n);
		strbuf_addf(sb, "%.*s:0x%0*llx", (int)text->path.n, text->path.s,
			    (int)(2 * long_size), n);
		if (text->refs.s)
			strbuf_addf(sb, "(%.*s", (int)text->refs.n, text->refs.s);
		return;
	}
	if (probe_address(text, &n)) {
		strbuf_addf(sb, "0x%0*llx", (int)(2 * long_size), n);
		return;
	}
	symbol = span_sep(&offset, "+");
	strbuf_add(sb, symbol.s, symbol.n);
	if (offset.s && span_u64(offset, &n) && n)
		strbuf_addf(sb, "+%llu", n);
}

int probe_make_line(struct probe *p, const struct event_format *format, u32 long_size, u32 nr_cpus)
{
	const struct probe_text *text = &p->text;
	struct span symbol = text->where;
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	size_t field;

	strbuf_addch(&sb, text->other ? text->other : text->is_return ? 'r' : 'p');
	/* kernel: without a number, there is room for ten returns, or two for each possible CPU */
	if (text->is_return && !text->is_user && !text->other && !text->maxactive.n)
		strbuf_addf(&sb, "%u", 2 * nr_cpus > 10 ? 2 * nr_cpus : 10);
	else
		strbuf_add(&sb, text->maxactive.s, text->maxactive.n);
	strbuf_addf(&sb, ":%s/%s ", text->group, text->name);
	if (text->other == 'e')
		probe_add_event(&sb, text);
	else if (text->other)
		strbuf_addf(&sb, "%.*s%s", (int)span_sep(&symbol, "%").n, text->where.s,
			    text->is_return ? "%return" : "");
	else
		add_where(&sb, text, long_size);
	/* kernel: $arg* becomes the arguments of the function, which the recorded format names. */
	field = format ? probe_first_field(text, format) : 0;
	for (size_t i = 0; i < text->n_args; i++) {
		const struct probe_arg *a = &text->args[i];
		size_t end = format ? format->n_fields - (text->n_args - i - 1) : 0;

		if (!format || !probe_all_args(a)) {
			strbuf_addf(&sb, " %s=%.*s", a->name, (int)a->body.n, a->body.s);
			field++;
			continue;
		}
		for (; field < end && field < format->n_fields; field++)
			strbuf_addf(&sb, " %s=%s", format->fields[field].name,
				    format->fields[field].name);
	}
	p->line = sb.failed ? NULL : arena_strndup(&p->arena, sb.s, sb.len);
	return p->line ? 0 : HIST_NOMEM;
}

void probe_warn_unknown(const struct probe_text *text, bool recorded, struct cmd_log *log)
{
	struct diag *d;
	u64 address;

	if (probe_address(text, &address)) {
		d = diags_add(
			log->diags, DIAG_NOTE,
			"the address is shown as written; the kernel shows a hash that only it can compute");
		probe_mark(d, text->where, log);
	}
	array_each_of(const struct probe_arg, a, text->args, text->n_args) {
		const char *type = a->word.n > 4 ? a->word.s + a->word.n - 4 : "";

		if (probe_all_args(a) && !recorded)
			d = diags_add(
				log->diags, DIAG_WARNING,
				"$arg* stands for the arguments of the function, whose types were not recorded");
		else if (!strncmp(type, ":%pd", 4) || !strncmp(type, ":%pD", 4))
			d = diags_add(
				log->diags, DIAG_WARNING,
				"%.*s is shown as written; the kernel shows the offsets of its types, which were not recorded",
				4, type);
		else
			continue;
		probe_mark(d, a->word, log);
	}
}
