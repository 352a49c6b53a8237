// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Converts text without formats, in two passes over the lines. Makes events whose fields are the
 * name=value parts of the text, what is before them (text), and the arguments of system calls.
 *
 * A field is a number if its value is a number in all lines; its size and sign follow from the
 * extreme values. Other fields are strings. This is a guess, so the result is marked inexact. A
 * line that lacks a field of its event is counted.
 */
#include "import/text.h"
#include "import/text_known.h"

enum { FIELDS_MAX = 64, FIRST_ID = 2000, COMMON_SIZE = 8, COMM_SIZE = 16, VALUE_MAX = 1024 };

struct infer_field {
	struct span name;
	bool text, hex, negative, wide; /* true if any value is */
	bool symbol;                    /* true if any value is NAME+0xOFFSET */
	bool other;                     /* true if any value is neither a name nor a number */
	enum text_known_kind known;     /* not TEXT_PLAIN: all values are of this kind */
	bool rest;                      /* buf of ftrace:print: extends to the end of the record */
	size_t longest;
	u32 offset, size;
	u64 seen; /* number of lines with it */
};

struct infer_event {
	struct span system, name;
	enum text_call call;
	u32 id, size;
	ARRAY(struct infer_field) fields;
	u64 lines;
};

struct text_infer {
	struct text_import *ti;
	INDEXED(struct infer_event) events; /* by name */
	struct strbuf rec;
	bool by_number, by_name_only; /* lines of system calls */
};

/* kernel: the option fields prints all numbers in two ways, as "0xffffffff (-1)" */
static struct span one_form(struct span text)
{
	struct span rest = text, hex = span_word(&rest), decimal = span_trim(rest);
	const bool minus = span_starts(decimal, "(-");
	u64 v;

	if (!span_starts(hex, "0x") || decimal.n < 3 || decimal.s[0] != '(' ||
	    decimal.s[decimal.n - 1] != ')')
		return text;
	decimal = span_between(decimal.s + 1, decimal.s + decimal.n - 1);
	/* an address is less readable with a sign */
	return span_digits(span_skip(decimal, minus), 10, &v) && (!minus || v <= INT32_MAX)
		       ? decimal
		       : hex;
}

/* kernel: arguments of system calls are hexadecimal, before 6.16 without 0x */
static bool read_value(enum text_call call, struct span whole, u64 *v, bool *hex, bool *minus)
{
	struct span text = one_form(whole);
	const char *unit;

	*minus = span_starts(text, "-");

	/* glibc: a pointer of 0; kernels wrote (null) */
	if (span_eq(text, "(nil)") || span_eq(text, "(null)")) {
		*v = 0;
		*hex = true;
		return true;
	}
	*hex = span_starts(text, "0x") || call != TEXT_NO_CALL;
	text = span_skip(text, span_starts(text, "0x") ? 2 : *minus);
	unit = span_rchr(text, ' ');
	if (unit && span_starts(span_between(unit, text.s + text.n), " [")) /* 542194 [ns] */
		text = span_between(text.s, unit);
	if (!span_digits(text, *hex ? 16 : 10, v) || (*minus && *v > INT64_MAX))
		return false;
	if (*minus)
		*v = 0 - *v;
	return true;
}

/* --- events --- */

static int find_event(struct text_infer *x, const struct text_line *line, struct infer_event **out)
{
	u32 hash = hash_bytes(line->call, line->name.s, line->name.n);
	struct infer_event e = { .name = line->name, .system = line->system, .call = line->call };

	*out = indexed_find(&x->events, hash, of,
			    span_same(of->name, line->name) && of->call == line->call &&
				    text_same_system(of->system, line->system));
	if (*out || FIRST_ID + x->events.n >= UINT16_MAX)
		return 0;
	e.id = FIRST_ID + (u32)x->events.n;
	*out = indexed_add(&x->events, hash, e);
	return *out ? 0 : HIST_NOMEM;
}

static struct infer_field *find_field(const struct infer_event *e, struct span name)
{
	for (size_t i = 0; i < e->fields.n; i++)
		if (span_same(e->fields.v[i].name, name))
			return &e->fields.v[i];
	return NULL;
}

/* Whether @text begins as the kernel prints an address as a symbol; @offset: with an offset. */
static bool is_symbol(struct span text, bool *offset)
{
	size_t n = 0;

	while (n < text.n && (is_word(text.s[n]) || text.s[n] == '.'))
		n++;
	*offset = n && !is_digit(*text.s) && span_starts(span_skip(text, n), "+0x");
	return *offset ||
	       (n && !is_digit(*text.s) && (n == text.n || span_starts(span_skip(text, n), " [")));
}

/* Whether it is a pointer without 0x, as kernels print it: a hash, or before 4.15 the address. */
static bool is_pointer(struct span text)
{
	u64 v;

	return text.n == 16 && (span_starts(text, "00000000") || span_starts(text, "ff")) &&
	       span_digits(text, 16, &v);
}

static bool ends_with(struct span name, const char *end)
{
	size_t n = strlen(end);

	return name.n >= n && !memcmp(name.s + name.n - n, end, n);
}

/* A text also if it reads as a number: tasks, interrupts and devices can have such names. */
static bool is_name(struct span field)
{
	return ends_with(field, "comm") || span_eq(field, "name") || span_eq(field, "rwbs");
}

static void learn_value(struct infer_field *f, enum text_call call, struct span text)
{
	bool hex = false, minus, offset;
	u64 v;

	if (f->known && !text_known_value(f->known, text, &v))
		f->known = TEXT_PLAIN;
	f->seen++;
	f->longest = max_t(size_t, f->longest, text.n);
	f->rest = call == TEXT_PRINT;
	if (f->rest || (call == TEXT_NO_CALL && is_name(f->name))) {
		f->text = true;
		return;
	}
	if (!read_value(call, text, &v, &hex, &minus)) {
		f->text = true;
		f->other |= !is_symbol(text, &offset);
		f->symbol |= offset;
		return;
	}
	f->hex |= hex;
	f->negative |= minus;
	f->wide |= hex || (s64)v > INT32_MAX || (s64)v < INT32_MIN;
}

int text_infer_learn(void *arg, const struct text_line *whole)
{
	struct text_infer *x = arg;
	const struct text_line call = text_as_call(whole), *line = &call;
	struct text_pairs pairs = text_pairs_of(line);
	struct infer_event *e;
	struct named_value pair;
	int err = find_event(x, line, &e);

	if (err || !e)
		return err;
	e->lines++;
	x->by_name_only |= *pairs.nr != '\0';
	x->by_number |= span_eq(line->name, "sys_enter") || span_eq(line->name, "sys_exit");
	while (text_take_pair(&pairs, &pair) && !err) {
		struct infer_field *f = find_field(e, pair.name);
		struct infer_field new = { .name = pair.name,
					   .known = text_known_kind(line->name, pair.name,
								    pairs.n_known) };

		if (!new.known && is_pointer(pair.value))
			new.known = TEXT_ADDRESS;

		if (!f && e->fields.n < FIELDS_MAX && pair.name.n < 64) {
			err = array_push(&e->fields, new);
			f = err ? NULL : &e->fields.v[e->fields.n - 1];
		}
		if (f)
			learn_value(f, line->call, pair.value);
	}
	return err;
}

/* --- formats --- */

/* How kernels declare and print fields with such names and values. */
struct infer_kind {
	const char *type, *array, *print;
	u32 size;
	bool is_signed, located;
	const char *names; /* arguments of the print fmt; NULL: only the field */
};

static const struct infer_kind *kind_of(const struct infer_field *f)
{
	static const struct infer_kind
		rest = { "char", "[]", "%s", 0, false, false, NULL },
		comm = { "char", "[16]", "%s", COMM_SIZE, false, false, NULL },
		text = { "__data_loc char[]", "", "%s", 4, false, true, NULL },
		hex = { "unsigned long", "", "0x%lx", 8, false, false, NULL },
		wide = { "s64", "", "%lld", 8, true, false, NULL },
		pid = { "pid_t", "", "%d", 4, true, false, NULL },
		number = { "int", "", "%d", 4, true, false, NULL };

	static const struct infer_kind known[] = {
		[TEXT_STATE] = { "long", "", "%s%s", 8, true, false, text_known_state_args },
		[TEXT_SOFTIRQ] = { "unsigned int", "", "%d [action=%s]", 4, false, false,
				   text_known_softirq_args },
		[TEXT_DEVICE] = { "dev_t", "", "%d,%d", 4, false, false, text_known_device_args },
		[TEXT_PRIORITY] = { "int", "", "%d", 4, true, false, NULL },
		[TEXT_LOCK_FLAGS] = { "unsigned int", "", "%s", 4, false, false,
				      text_known_lock_args },
		[TEXT_FUTEX_OP] = { "unsigned int", "", "0x%x", 4, false, false, NULL },
		[TEXT_ADDRESS] = { "unsigned long", "", "0x%lx", 8, false, false, NULL },
		[TEXT_LONG] = { "long", "", "%ld", 8, true, false, NULL },
	};

	if (f->rest)
		return &rest;
	if (f->known)
		return &known[f->known];
	if (f->text)
		return ends_with(f->name, "comm") && f->longest < COMM_SIZE ? &comm : &text;
	if (f->hex && !f->negative)
		return &hex;
	return f->wide ? &wide : ends_with(f->name, "pid") ? &pid : &number;
}

/* Append the fields, after the common ones, and the print fmt. */
static void add_fields(struct strbuf *sb, struct infer_event *e)
{
	scoped(strbuf_release) struct strbuf args = STRBUF_INIT;

	e->size = COMMON_SIZE;
	array_each(struct infer_field, f, &e->fields) {
		const struct infer_kind *kind = kind_of(f);
		struct span name = f->name;

		f->size = kind->size;
		f->offset = ALIGN_UP(e->size, f->size == 8 ? 8u : 4u);
		e->size = f->offset + f->size;
		strbuf_addf(sb, "\tfield:%s %.*s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n",
			    kind->type, (int)name.n, name.s, kind->array, f->offset, f->size,
			    kind->is_signed);
	}
	strbuf_addstr(sb, "\nprint fmt: \"");
	for (size_t i = 0; i < e->fields.n; i++) {
		const struct infer_kind *kind = kind_of(&e->fields.v[i]);
		struct span name = e->fields.v[i].name;

		if (span_eq(name, text_field_name))
			name.n = 0;
		strbuf_addf(sb, "%s%.*s%s%s", i ? " " : "", (int)name.n, name.s, name.n ? "=" : "",
			    kind->print);
		name = e->fields.v[i].name;
		if (kind->names)
			strbuf_addstr(&args, kind->names);
		else
			strbuf_addf(&args, kind->located ? ", __get_str(%.*s)" : ", REC->%.*s",
				    (int)name.n, name.s);
	}
	strbuf_addf(sb, "\"%s\n", args.s);
	sb->failed |= args.failed;
}

/* Numbers of system calls are those of a machine, of which a text does not tell. */
static int name_machine(struct text_import *ti)
{
	static const char uname[] = "Linux (none) unknown x86_64";

	diags_add(ti->job->diags, DIAG_NOTE,
		  "%s: system calls have the numbers of %s: the text has only their names",
		  ti->job->in->name, text_call_machine);
	return import_sink_option(ti->job->sink, TRACE_DAT_UNAME,
				  (struct span){ uname, sizeof(uname) });
}

int text_infer_formats(struct text_infer *x)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	/* the names of the numbers that calls were given */
	int err = x->by_name_only && !x->by_number ? name_machine(x->ti) : text_uname(x->ti);

	array_each_while(struct infer_event, e, &x->events, !err) {
		strbuf_reset(&sb);
		strbuf_addf(&sb, "name: %s%.*s\nID: %u\nformat:\n" FORMAT_COMMON,
			    text_call_prefixes[e->call], (int)e->name.n, e->name.s, e->id);
		add_fields(&sb, e);
		err = sb.failed ? HIST_NOMEM
				: format_list_add(&x->ti->job->sink->formats, e->system,
						  strbuf_span(&sb));
	}
	return err;
}

/* --- records --- */

static void put_number(struct strbuf *rec, u32 at, u32 size, u64 v)
{
	for (u32 i = 0; i < size; i++)
		rec->s[at + i] = (char)(v >> 8 * i);
}

/* @plugin: the line has the form of a plugin, not of the kernel */
static void put_value(struct text_infer *x, const struct infer_event *e,
		      const struct named_value *pair, bool plugin)
{
	const struct infer_field *f = find_field(e, pair->name);
	const bool old = plugin && f && f->known == TEXT_STATE && text_old_letters(x->ti);
	struct span text = { pair->value.s, min_t(size_t, pair->value.n, VALUE_MAX) };
	bool hex, minus;
	u64 v;

	if (!f)
		return;
	if (f->rest) {
		strbuf_add(&x->rec, pair->value.s, min_t(size_t, pair->value.n, UINT16_MAX / 2));
		strbuf_add(&x->rec, "\n", 2); /* with which the kernel ends it */
	} else if (f->size == COMM_SIZE) {
		memcpy(x->rec.s + f->offset, text.s, text.n);
	} else if (f->known) {
		if (text_known_value(old ? TEXT_OLD_STATE : f->known, text, &v))
			put_number(&x->rec, f->offset, f->size, v);
	} else if (f->text) {
		if (x->rec.len + text.n >= UINT16_MAX)
			return;
		put_number(&x->rec, f->offset, 4, (u64)(text.n + 1) << 16 | x->rec.len);
		strbuf_add(&x->rec, text.s, text.n);
		strbuf_fill(&x->rec, '\0', 1);
	} else if (read_value(e->call, pair->value, &v, &hex, &minus)) {
		put_number(&x->rec, f->offset, f->size, v);
	}
}

int text_infer_event(void *arg, const struct text_line *whole)
{
	struct text_infer *x = arg;
	const struct text_line call = text_as_call(whole), *line = &call;
	struct text_pairs pairs = text_pairs_of(line);
	struct infer_event *e;
	struct named_value pair;
	int err = find_event(x, line, &e);

	if (err || !e)
		return err;
	strbuf_reset(&x->rec);
	strbuf_fill(&x->rec, '\0', e->size);
	if (x->rec.failed)
		return HIST_NOMEM;
	put_number(&x->rec, 0, 2, e->id);
	put_number(&x->rec, 2, 1, line->flags);
	put_number(&x->rec, 3, 1, line->preempt);
	put_number(&x->rec, 4, 4, (u32)line->pid);
	while (text_take_pair(&pairs, &pair))
		put_value(x, e, &pair, pairs.n_known);
	return x->rec.failed ? HIST_NOMEM : text_put(x->ti, line, x->rec.s, (u32)x->rec.len);
}

/* --- summary --- */

/*
 * Whether the kernel records an address where the text has names. Names without an offset may also
 * be ordinary strings, so the field must have a name that kernels use for addresses.
 */
static bool is_address(const struct infer_field *f)
{
	static const char *const names[] = { "call_site", "callsite", "caller",    "func",
					     "function",  "ip",       "parent_ip", "location" };

	if (f->known || !f->text || f->other)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (span_eq(f->name, names[i]))
			return true;
	return f->symbol;
}

/* The modifiers for addresses read the bytes of a string as a number, as in the kernel. */
static void report_addresses(const struct text_infer *x)
{
	struct text_names names = { STRBUF_INIT, 0 };
	char name[72];

	array_each(const struct infer_event, e, &x->events) {
		for (size_t k = 0; k < e->fields.n; k++) {
			struct span field = e->fields.v[k].name;

			if (!is_address(&e->fields.v[k]))
				continue;
			snprintf(name, sizeof(name), "%.*s.%.*s", (int)min_t(size_t, e->name.n, 32),
				 e->name.s, (int)min_t(size_t, field.n, 31), field.s);
			text_names_add(&names, span_of(name));
		}
	}
	if (names.n)
		diags_add(
			x->ti->job->diags, DIAG_WARNING,
			"%s: the names of symbols are text, not addresses: questions show them, "
			"triggers only without .sym, .sym-offset and .hex, which show letters as a "
			"number; --formats and --kallsyms give addresses: %s",
			x->ti->job->in->name, names.sb.s);
	strbuf_release(&names.sb);
}

int text_infer_end(struct text_infer *x)
{
	struct text_names lacking = { STRBUF_INIT, 0 }, bare = lacking;
	struct diags *diags = x->ti->job->diags;
	const char *in = x->ti->job->in->name;
	unsigned long long n_lacking = 0, n_bare = 0;
	size_t n_guessed = 0;

	array_each(const struct infer_event, e, &x->events) {
		u64 most = 0;

		for (size_t k = 0; k < e->fields.n; k++)
			if (!span_eq(e->fields.v[k].name, text_field_name))
				most = max_t(u64, most,
					     e->lines - min_t(u64, e->fields.v[k].seen, e->lines));
		n_guessed += e->call != TEXT_PRINT;
		if (e->fields.n == 1 && span_eq(e->fields.v[0].name, text_field_name)) {
			text_names_add(&bare, e->name);
			n_bare += e->lines;
		} else if (most) {
			text_names_add(&lacking, e->name);
		}
		n_lacking += most;
	}
	x->ti->job->result->inexact = n_guessed > 0;
	if (n_guessed)
		diags_add(
			diags, DIAG_WARNING,
			"%s: inexact: without --formats, the fields of %zu event%s and their types are "
			"guessed from the text",
			in, n_guessed, plural(n_guessed));
	if (n_lacking)
		diags_add(
			diags, DIAG_WARNING,
			n_lacking == 1
				? "%s: %llu line lacks a field that other lines of its event have; it is 0 "
				  "or empty there: %s"
				: "%s: %llu lines lack a field that other lines of their event have; it is 0 "
				  "or empty there: %s",
			in, n_lacking, lacking.sb.s);
	if (n_bare)
		diags_add(
			diags, DIAG_NOTE,
			n_bare == 1
				? "%s: %llu line has no name=value; it is the field text: %s"
				: "%s: %llu lines have no name=value; they are the field text: %s",
			in, n_bare, bare.sb.s);
	report_addresses(x);
	strbuf_release(&lacking.sb);
	strbuf_release(&bare.sb);
	return 0;
}

struct text_infer *text_infer_new(struct text_import *ti)
{
	struct text_infer *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->ti = ti;
	x->rec = (struct strbuf)STRBUF_INIT;
	return x;
}

void text_infer_free(struct text_infer *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->events.n; i++)
		array_release(&x->events.v[i].fields);
	indexed_release(&x->events);
	strbuf_release(&x->rec);
	free(x);
}
