// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The forms in which programs print an event: its print fmt, and other forms, which are expressed
 * as print formats here.
 */
#include "import/text.h"

#define SWITCH_FORM(x10, x20, x40, x80)                                                            \
	"\"%s:%d [%d] %s ==> %s:%d [%d]\", REC->prev_comm, REC->prev_pid, REC->prev_prio, "        \
	"(REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, \"|\", { 0x1, \"S\" }, " \
	"{ 0x2, \"D\" }, { 0x4, \"T\" }, { 0x8, \"t\" }, { 0x10, \"" x10 "\" }, { 0x20, \"" x20    \
	"\" }, { 0x40, \"" x40 "\" }, { 0x80, \"" x80 "\" }) : \"R\", REC->next_comm, "            \
	"REC->next_pid, REC->next_prio"

/*
 * libtraceevent 1.7 and earlier print the letters of old kernels, whatever the print fmt of the
 * recording is; later versions those of Linux 4.14.
 */
static const char old_switch[] = SWITCH_FORM("Z", "X", "x", "W");
static const char new_switch[] = SWITCH_FORM("X", "Z", "P", "I");
static const char old_only[] = "xW", new_only[] = "PI", both[] = "ZX";

/* Print formats of libtraceevent's plugins, which trace-cmd report and perf script use. */
static const struct {
	const char *name, *print_fmt;
} plugins[] = {
	{ "sched_wak", "\"%s:%d [%d] CPU:%03d\", REC->comm, REC->pid, REC->prio, REC->target_cpu" },
	/* before Linux 5.14 */
	{ "sched_wak", "\"%s:%d [%d] success=%d CPU:%03d\", REC->comm, REC->pid, REC->prio, "
		       "REC->success, REC->target_cpu" },
	{ "sys_enter", "\"NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)\", REC->id, REC->args[0], "
		       "REC->args[1], REC->args[2], REC->args[3], REC->args[4], REC->args[5]" },
};

/* The print fmt with that text and these arguments, which are released; NULL: out of memory. */
static const char *print_fmt_of(struct arena *arena, struct strbuf *text, struct strbuf *args)
{
	const char *print_fmt = text->failed || args->failed
					? NULL
					: arena_printf(arena, "\"%s\"%s", text->s, args->s);

	strbuf_release(text);
	strbuf_release(args);
	return print_fmt;
}

/* kernel: system calls are printed by special functions, which name the arguments, with
 * options/verbose @types, too */
static const char *call_print_fmt(struct arena *arena, const struct event_format *fmt,
				  enum text_call call, bool types)
{
	struct strbuf text = STRBUF_INIT, args = STRBUF_INIT;
	const char *between = "";

	if (call == TEXT_SYS_EXIT)
		return "\"0x%lx\", REC->ret";
	for (size_t i = fmt->n_common + 1; i < fmt->n_fields; i++) {
		const struct event_field *f = &fmt->fields[i];

		if (f->filter_type == FILTER_DYN_STRING)
			continue;
		strbuf_addf(&text, "%s%s%s%s: %%lx", between, types ? f->type : "",
			    types ? " " : "", f->name);
		strbuf_addf(&args, ", REC->%s", f->name);
		between = ", ";
	}
	return print_fmt_of(arena, &text, &args);
}

/* kernel: addresses of probes are printed as symbols, contrary to their print fmt */
static const char *probe_print_fmt(struct arena *arena, const char *print_fmt)
{
	static const char on[] = "\"(%lx)", ret[] = "\"(%lx <- %lx)";
	static const char order[] = ", REC->__probe_func, REC->__probe_ret_ip";
	const char *args;

	if (!strncmp(print_fmt, on, strlen(on)))
		return arena_printf(arena, "\"(%%pS)%s", print_fmt + strlen(on));
	if (strncmp(print_fmt, ret, strlen(ret)) != 0)
		return NULL;
	print_fmt += strlen(ret);
	args = strstr(print_fmt, order);
	return args ? arena_printf(arena,
				   "\"(%%pS <- %%ps)%.*s, REC->__probe_ret_ip, REC->__probe_func%s",
				   (int)(args - print_fmt), print_fmt, args + strlen(order))
		    : NULL;
}

/* kernel: synthetic events are printed with blanks and without commas between fields */
static const char *synth_print_fmt(struct arena *arena, const struct event_format *fmt)
{
	const char *end = strstr(fmt->print_fmt, "\", REC");
	char *text;

	if (strcmp(fmt->system, "synthetic") != 0 || !end)
		return NULL;
	text = arena_strdup(arena, fmt->print_fmt);
	for (char *from = text, *to = text; text; from++) {
		bool comma = from < text + (end - fmt->print_fmt) && from[0] == ',' &&
			     from[1] == ' ';

		if (!comma)
			*to++ = *from;
		if (!*from)
			break;
	}
	return text;
}

/* libtraceevent: its plugin for kmem prints the caller before the text of the kernel */
static const char *call_site_print_fmt(struct arena *arena, const struct event_format *fmt)
{
	const char *end = strstr(fmt->print_fmt, "\", ");
	bool has = false;

	for (size_t i = fmt->n_common; i < fmt->n_fields; i++)
		has |= !strcmp(fmt->fields[i].name, "call_site");
	if (!has || !end || *fmt->print_fmt != '"')
		return NULL;
	return arena_printf(arena, "\"(%%pS) %.*s\", REC->call_site%s",
			    (int)(end - fmt->print_fmt - 1), fmt->print_fmt + 1, end + 1);
}

/* --- options/fields --- */

/*
 * Append NAME=VALUE as the kernel prints a field of that type; false if the text does not contain
 * all of it.
 */
static bool add_field(struct strbuf *text, const char *before, struct strbuf *args,
		      const struct event_field *f)
{
	bool number = f->size == 2 || f->size == 4 || f->size == 8;

	/* the blank before the first field is part of the name of the event */
	strbuf_addf(text, "%s%s=", before, f->name);
	switch (f->filter_type) {
	case FILTER_STATIC_STRING:
		strbuf_addstr(text, "%s");
		strbuf_addf(args, ", REC->%s", f->name);
		return f->size > 0;
	case FILTER_DYN_STRING:
		strbuf_addstr(text, "%s");
		strbuf_addf(args, ", __get_str(%s)", f->name);
		return true;
	case FILTER_PTR_STRING:
		strbuf_addstr(text, "(0x%lx)");
		strbuf_addf(args, ", REC->%s", f->name);
		return true;
	default:
		break;
	}
	if (!number || f->filter_type != FILTER_OTHER || strchr(f->type, '['))
		return false;
	strbuf_addstr(text, f->size == 8 ? "0x%llx (%lld)" : "0x%x (%d)");
	strbuf_addf(args,
		    f->size == 2 ? ", (unsigned short)REC->%s, (unsigned short)REC->%s"
				 : ", REC->%s, REC->%s",
		    f->name, f->name);
	return true;
}

static const char *fields_print_fmt(struct arena *arena, const struct event_format *fmt)
{
	struct strbuf text = STRBUF_INIT, args = STRBUF_INIT;
	const char *print_fmt;
	bool all = fmt->n_fields > fmt->n_common;

	for (size_t i = fmt->n_common; i < fmt->n_fields && all; i++)
		all = add_field(&text, i > fmt->n_common ? " " : "", &args, &fmt->fields[i]);
	print_fmt = print_fmt_of(arena, &text, &args);
	return all ? print_fmt : NULL;
}

/* --- states of tasks --- */

/* The letters of the plugin, as in "COMM:PID [PRIO] S|D ==> ..."; absent: another form. */
static struct span letters_of(const struct text_line *line)
{
	struct span before = { NULL, 0 };
	const char *at = span_find(line->args, span_of(" ==> "));

	if (!span_eq(line->name, "sched_switch") || !at)
		return before;
	before = span_between(line->args.s, at);
	at = span_rchr(before, ' ');
	if (!at || at == before.s || at[-1] != ']')
		return (struct span){ NULL, 0 };
	return span_between(at + 1, before.s + before.n);
}

static bool has_any(struct span text, const char *letters)
{
	for (; *letters; letters++)
		if (span_chr(text, *letters))
			return true;
	return false;
}

void text_note_letters(struct text_import *ti, const struct text_line *line)
{
	struct span letters = letters_of(line);

	ti->old_letters |= has_any(letters, old_only);
	ti->new_letters |= has_any(letters, new_only);
}

bool text_old_letters(const struct text_import *ti)
{
	return ti->old_letters && !ti->new_letters;
}

bool text_letters_unclear(const struct text_import *ti, const struct text_line *line)
{
	return ti->old_letters == ti->new_letters && has_any(letters_of(line), both);
}

/* --- all forms --- */

static void add_form(struct text_forms *forms, const char *print_fmt)
{
	if (print_fmt && forms->n < ARRAY_SIZE(forms->v))
		forms->v[forms->n++] = print_fmt;
}

void text_forms_of(struct text_forms *forms, const struct event_format *fmt,
		   const struct text_line *line, bool old_letters, struct arena *arena)
{
	enum text_call call = line->call;

	*forms = (struct text_forms){ .n = 0 };
	if (call == TEXT_PRINT) {
		add_form(forms, fmt->print_fmt);
		add_form(forms, "\"%ld: %s\", REC->ip, REC->buf");
		add_form(forms, "\"0x%lx: %s\", REC->ip, REC->buf");
		add_form(forms, "\"%pS: %s\", REC->ip, REC->buf");
		add_form(forms, "\"%s\", REC->buf");
		return;
	}
	if (call) {
		add_form(forms, call_print_fmt(arena, fmt, call, false));
		if (call == TEXT_SYS_ENTER)
			add_form(forms, call_print_fmt(arena, fmt, call, true));
		return;
	}
	add_form(forms, fmt->print_fmt);
	add_form(forms, probe_print_fmt(arena, fmt->print_fmt));
	add_form(forms, synth_print_fmt(arena, fmt));
	add_form(forms, call_site_print_fmt(arena, fmt));
	if (!strcmp(fmt->name, "sched_switch")) {
		add_form(forms, old_letters ? old_switch : new_switch);
		add_form(forms, old_letters ? new_switch : old_switch);
	}
	for (size_t k = 0; k < ARRAY_SIZE(plugins); k++)
		if (!strncmp(fmt->name, plugins[k].name, strlen(plugins[k].name)))
			add_form(forms, plugins[k].print_fmt);
	add_form(forms, fields_print_fmt(arena, fmt));
}
