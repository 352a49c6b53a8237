// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The format of the event of a probe that was not recorded, as the kernel would have shown it.
 *
 * Corresponds to traceprobe_define_arg_fields(), traceprobe_set_print_fmt() in trace_probe.c.
 */
#include "bind/probe_bind.h"

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

u32 probe_arg_size(const struct probe_arg *a)
{
	return a->size * (a->count ? a->count : 1);
}

static void add_fields(struct strbuf *out, const struct probe_text *text, u32 long_size)
{
	u32 offset = 8;

	if (text->other != 'e')
		add_address(out, text->is_return ? "__probe_func" : "__probe_ip", long_size,
			    &offset);
	if (text->is_return)
		add_address(out, "__probe_ret_ip", long_size, &offset);
	array_each_of(const struct probe_arg, a, text->args, text->n_args) {
		strbuf_addf(out, "\tfield:%s", a->type);
		if (a->count && is_string(a))
			strbuf_addf(out, "[%u]", a->count);
		strbuf_addf(out, " %s%s", a->name, a->count && !is_string(a) ? "[]" : "");
		strbuf_addf(out, ";\toffset:%u;\tsize:%u;\tsigned:%d;\n", offset, probe_arg_size(a),
			    a->is_signed);
		offset += probe_arg_size(a);
	}
}

static void add_print_fmt(struct strbuf *out, const struct probe_text *text)
{
	strbuf_addstr(out, "\nprint fmt: \"");
	if (text->other != 'e')
		strbuf_addstr(out, text->is_return ? "(%lx <- %lx)" : "(%lx)");
	array_each_of(const struct probe_arg, a, text->args, text->n_args) {
		strbuf_addf(out, " %s=%s%s", a->name, a->count ? "{" : "", a->fmt);
		for (u32 n = 1; n < a->count; n++)
			strbuf_addf(out, ",%s", a->fmt);
		strbuf_addstr(out, a->count ? "}" : "");
	}
	strbuf_addch(out, '"');
	if (text->other != 'e')
		strbuf_addstr(out, text->is_return ? ", REC->__probe_func, REC->__probe_ret_ip"
						   : ", REC->__probe_ip");
	array_each_of(const struct probe_arg, a, text->args, text->n_args) {
		for (u32 n = 0; n < a->count; n++)
			strbuf_addf(out, is_string(a) ? ", __get_str(%s[%u])" : ", REC->%s[%u]",
				    a->name, n);
		if (!a->count)
			strbuf_addf(out, is_string(a) ? ", __get_str(%s)" : ", REC->%s", a->name);
	}
	strbuf_addch(out, '\n');
}

/* The database parses it and then drops its name: the event belongs only to this directory. */
int probe_make_format(struct tracing *t, struct probe *p)
{
	struct event_db *db = t->machine.db;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
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
	return err;
}
