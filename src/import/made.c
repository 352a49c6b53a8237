// SPDX-License-Identifier: LGPL-2.1-only
/* Formats and records of events of which only names, types and values are known. */
#include "import/made.h"
#include "import/text_known.h"

enum { COMMON_SIZE = 8, ARGS = 6 };

static bool ends_with(const char *s, const char *end)
{
	const size_t n = strlen(s), k = strlen(end);

	return n >= k && !strcmp(s + n - k, end);
}

void made_field_set(struct made_field *f, char type, const char *name)
{
	static const char *const symbols[] = { "function", "caller", "location", "func" },
				 *const devices[] = { "dev", "s_dev", "old_dev" };

	*f = (struct made_field){ .name = name, .type = type };
	f->comm = type == 's' && ends_with(name, "comm");
	f->symbol |= any_of(i, ARRAY_SIZE(symbols), type == 'L' && !strcmp(name, symbols[i]));
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		f->device |= type == 'L' && !strcmp(name, devices[i]);
	f->plain = !f->symbol && !f->device && strchr("iulLx", type);
}

static void add_field(struct strbuf *sb, struct made_event *event, struct made_field *f)
{
	const bool state = !strcmp(f->name, "prev_state");
	const char *words = f->type == 'i'   ? (ends_with(f->name, "pid") ? "pid_t" : "int")
			    : f->type == 'u' ? "unsigned int"
			    : f->type == 'l' ? (state ? "long" : "s64")
			    : f->type == 'b' ? "__data_loc u8[]"
			    : f->type == 's' ? "__data_loc char[]"
					     : "u64";
	const char *array = "";

	f->size = f->type == 'l' || f->type == 'L' || f->type == 'x' ? 8 : 4;
	if (f->comm) {
		f->size = MADE_COMM_SIZE;
		words = "char";
		array = "[16]";
	} else if (f->type == 'A') {
		f->size = 8 * ARGS;
		words = "unsigned long";
		array = "[6]";
	} else if (f->device) {
		f->size = 4;
		words = "dev_t";
	}
	f->offset = (u16)ALIGN_UP(event->size, f->size == 4 || f->comm ? 4u : 8u);
	event->size = (u16)(f->offset + f->size);
	event->has_texts |= (f->type == 's' || f->type == 'b') && !f->comm;
	strbuf_addf(sb, "\tfield:%s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", words, f->name,
		    array, f->offset, f->size, f->type == 'i' || f->type == 'l');
}

/* How a field is printed; arguments are added to @args. */
static void add_print(struct strbuf *sb, const struct made_event *event, const struct made_field *f,
		      struct strbuf *args)
{
	if (!strcmp(f->name, "prev_state")) {
		strbuf_addstr(sb, "prev_state=%s%s ==>");
		strbuf_addstr(args, event->states ? event->states : text_known_state_args);
	} else if (!strcmp(f->name, "vec") && !strncmp(event->name, "softirq_", 8)) {
		strbuf_addstr(sb, "vec=%u [action=%s]");
		strbuf_addstr(args, text_known_softirq_args);
	} else if (f->type == 'A') {
		strbuf_addf(sb, "(%%lx, %%lx, %%lx, %%lx, %%lx, %%lx)");
		for (int i = 0; i < ARGS; i++)
			strbuf_addf(args, ", REC->%s[%d]", f->name, i);
	} else if (f->device) {
		strbuf_addf(sb, "%s=%%u,%%u", f->name);
		strbuf_addf(args,
			    ", ((unsigned int) ((REC->%s) >> 20)), ((unsigned int) ((REC->%s) & "
			    "((1U << 20) - 1)))",
			    f->name, f->name);
	} else if (f->type == 'b') {
		strbuf_addf(sb, "%s=%%s", f->name);
		strbuf_addf(args,
			    ", __print_hex(__get_dynamic_array(%s), "
			    "__get_dynamic_array_len(%s))",
			    f->name, f->name);
	} else {
		strbuf_addf(sb, "%s=%s", f->name,
			    f->type == 's'   ? "%s"
			    : f->symbol      ? "%ps"
			    : f->type == 'u' ? "%u"
			    : f->type == 'l' ? "%lld"
			    : f->type == 'L' ? "%llu"
			    : f->type == 'x' ? "0x%llx"
					     : "%d");
		if (f->type == 's' && !f->comm)
			strbuf_addf(args, ", __get_str(%s)", f->name);
		else
			strbuf_addf(args, f->symbol ? ", (void *)REC->%s" : ", REC->%s", f->name);
	}
}

const char *made_states(struct arena *arena, struct span release)
{
	static const char letters[] = "SDTtXZxKWPNn";
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	u64 major = 0, minor = 0, v;
	int bits;

	if (!span_u64(span_sep(&release, "."), &major) ||
	    !span_u64(span_sep(&release, ".-"), &minor))
		return NULL;
	v = major * 100 + minor;
	if (v >= 414)
		return NULL;
	bits = v < 309 ? 9 : v < 402 ? 10 : v < 408 ? 11 : 12;
	strbuf_addf(&sb, ", (REC->prev_state & 0x%x) ? __print_flags(REC->prev_state & 0x%x, \"|\"",
		    (1 << bits) - 1, (1 << bits) - 1);
	for (int i = 0; i < bits; i++) {
		char letter = letters[i];

		if (v < 314 && (letter == 'X' || letter == 'Z'))
			letter = letter == 'X' ? 'Z' : 'X';
		strbuf_addf(&sb, ", { 0x%x, \"%c\" }", 1 << i, letter);
	}
	strbuf_addf(&sb, ") : \"R\", (REC->prev_state & 0x%x) ? \"+\" : \"\"", 1 << bits);
	return sb.failed ? NULL : arena_strdup(arena, sb.s);
}

int made_format(struct made_event *event, struct import_sink *sink)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT, args = STRBUF_INIT;
	bool first = true;
	int err;

	event->size = COMMON_SIZE;
	strbuf_addf(&sb, "name: %s\nID: %u\nformat:\n" FORMAT_COMMON, event->name, event->id);
	for (size_t i = 0; i < event->n; i++)
		if (event->fields[i].type)
			add_field(&sb, event, &event->fields[i]);
	strbuf_addstr(&sb, "\nprint fmt: \"");
	for (size_t i = 0; i < event->n; i++) {
		if (!event->fields[i].type)
			continue;
		strbuf_addstr(&sb, first ? "" : " ");
		add_print(&sb, event, &event->fields[i], &args);
		first = false;
	}
	strbuf_addf(&sb, "\"%s\n", args.s ? args.s : "");
	err = sb.failed || args.failed ? HIST_NOMEM
				       : format_list_add(&sink->formats,
							 event->system ? span_of(event->system)
								       : (struct span){ NULL, 0 },
							 strbuf_span(&sb));
	return err;
}

void made_begin(struct made_record *rec, u32 id, u32 flags, s32 pid, u32 size)
{
	memset(rec->data, 0, size);
	store_u16(rec->data, (u16)id, false);
	rec->data[2] = (u8)flags;
	store_u32(rec->data + 4, (u32)pid, false);
	rec->len = size;
}

void made_text(struct made_record *rec, const struct made_field *f, struct span text)
{
	const u32 end = f->type == 's';

	if (f->comm) {
		memset(rec->data + f->offset, 0, MADE_COMM_SIZE);
		memcpy(rec->data + f->offset, text.s, min_t(size_t, text.n, MADE_COMM_SIZE - 1));
		return;
	}
	if (rec->len + 2 > MADE_RECORD_MAX)
		return;
	text.n = min_t(size_t, text.n, MADE_RECORD_MAX - 2 - rec->len);
	store_u32(rec->data + f->offset, (u32)(text.n + end) << 16 | rec->len, false);
	memcpy(rec->data + rec->len, text.s, text.n);
	rec->data[rec->len + text.n] = '\0';
	rec->len += (u32)text.n + end;
}

void made_end(struct made_record *rec, const struct made_field *fields, size_t n)
{
	array_each_of(const struct made_field, f, fields, n) {
		if ((f->type == 's' || f->type == 'b') && !f->comm &&
		    !load_u32(rec->data + f->offset, false))
			made_text(rec, f, (struct span){ "", 0 });
	}
}
