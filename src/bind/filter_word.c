// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Words in the filters of questions: what a person writes for a number.
 *
 * Times with units (10ms) are converted to the unit of the field, sizes (4K) to bytes, and names to
 * the numbers that the field has for them: those of its print fmt (prev_state == D), signals
 * (sig == SIGCHLD), system calls (id == openat), errors (ret == -EAGAIN) and devices (dev == 8:0).
 * Kernels accept none of them.
 */
#include "bind/filter_word.h"

/* --- times and sizes --- */

/* Nanoseconds per unit of a field: "runtime=%Lu [ns]" in the print fmt, or its name; 0: unknown. */
static u64 unit_of_field(const struct event_format *format, const struct event_field *f)
{
	scoped(strbuf_release) struct strbuf shown = STRBUF_INIT;
	struct span fmt = span_of(format->print_fmt ? format->print_fmt : ""), name;
	const char *at, *suffix = strrchr(f->name, '_');
	u64 unit = f->time_unit ? span_time_unit(span_of(f->time_unit)) : 0;

	strbuf_addf(&shown, "%s=%%", f->name);
	at = unit || shown.failed ? NULL : memmem(fmt.s, fmt.n, shown.s, shown.len);
	if (at) {
		name = span_between(at, fmt.s + fmt.n);
		name = span_sep(&name, " ,\""); /* the conversion */
		if (span_starts(span_between(name.s + name.n, fmt.s + fmt.n), " [")) {
			name = span_between(name.s + name.n + 2, fmt.s + fmt.n);
			unit = span_time_unit(span_sep(&name, "]"));
		}
	}
	name = span_of(suffix ? suffix + 1 : f->name);
	return unit ?: span_time_unit(name);
}

bool filter_word_is_ns(const struct event_format *format, const struct event_field *f)
{
	return unit_of_field(format, f) == 1;
}

/* A difference of times of a clock that does not measure time, such as x86-tsc. */
static bool is_count(const struct machine *m, const struct event_field *f)
{
	return f->time_unit && trace_clock_counts(m->clock);
}

/* Rounded up: at least 1500ns is at least 2 us. */
static bool time_word(const struct machine *m, const struct event_format *format,
		      const struct filter_word *w, u64 *out)
{
	const struct span word = w->text;
	u64 ns, unit = unit_of_field(format, w->field);

	if (!unit || !word.n || word.s[word.n - 1] != 's' || !span_time(word, &ns))
		return false;
	/* 0 has no unit; it is the default of recipes */
	if (ns && is_count(m, w->field))
		return false;
	*out = ns / unit + (ns % unit != 0);
	return true;
}

/* 4K, 4k, 4KB, 4KiB */
static bool size_word(struct span word, u64 *out)
{
	static const char letters[] = "KMGkmg";
	const char *letter;
	size_t digits = 0;
	struct span unit;
	u64 n;

	while (digits < word.n && is_digit(word.s[digits]))
		digits++;
	unit = span_skip(word, digits);
	word.n = digits;
	letter = unit.n && unit.s[0] ? strchr(letters, unit.s[0]) : NULL;
	if (!letter || !span_digits(word, 10, &n))
		return false;
	unit = span_skip(unit, 1);
	if (unit.n && !span_eq(unit, "B") && !span_eq(unit, "iB"))
		return false;
	return !__builtin_mul_overflow(n, 1ull << 10 * ((letter - letters) % 3 + 1), out);
}

/* --- names --- */

enum { ERRORS = 134, SYSCALLS = 600 };

/* kernel: a dev_t, as MKDEV() in include/linux/kdev_t.h */
static bool device_word(const struct event_field *f, struct span word, u64 *out)
{
	struct span minor = word, major = span_sep(&minor, ":,");
	u64 a, b;

	if (strcmp(f->type, "dev_t") != 0 || !minor.s || !span_digits(major, 10, &a) ||
	    !span_digits(minor, 10, &b) || a >= 1 << 12 || b >= 1 << 20)
		return false;
	*out = a << 20 | b;
	return true;
}

static bool syscall_word(const struct machine *m, const struct event_format *format,
			 const struct filter_word *w, u64 *out)
{
	const struct span word = w->text;
	char name[64];
	s64 nr;

	if (!event_field_is_syscall(format->system, w->field->name, true))
		return false;
	snprintf(name, sizeof(name), "%s%.*s", span_starts(word, "sys_") ? "" : "sys_",
		 (int)min_t(size_t, word.n, sizeof(name)), word.s);
	nr = event_syscall_number(m->arch, name);
	*out = (u64)nr;
	return nr >= 0;
}

/* A system call returns the negative number of an error. */
static bool error_word(const struct event_field *f, struct span word, u64 *out)
{
	bool negative = span_starts(word, "-");
	struct span name = span_skip(word, negative);

	for (int i = 1; i < ERRORS; i++) {
		const char *known = strerrorname_np(i);

		if (!known || !span_eq(name, known))
			continue;
		*out = negative || (f->is_signed && !strcmp(f->name, "ret")) ? 0 - (u64)i : (u64)i;
		return true;
	}
	return false;
}

/* "NUMBER=NAME ", as event_field_names() writes them. */
static bool listed_name(const struct strbuf *names, struct span word, u64 *out)
{
	struct span rest = { names->s, names->len };

	while (rest.s) {
		struct span name = span_sep(&rest, " "), number = span_sep(&name, "=");

		if (name.s && span_same(name, word) && span_s64(number, (s64 *)out))
			return true;
	}
	return false;
}

/* A name, or the names of several flags: GFP_KERNEL|__GFP_ZERO */
static bool listed_word(const struct strbuf *names, struct span word, u64 *out)
{
	bool flags = names->len && names->s[0] == '|';
	u64 flag;

	if (listed_name(names, word, out))
		return true;
	if (!flags)
		return false;
	for (*out = 0; word.s; *out |= flag)
		if (!listed_name(names, span_sep(&word, "|"), &flag))
			return false;
	return true;
}

int filter_word(const struct machine *m, const struct event_format *format,
		const struct filter_word *w, u64 *out, struct strbuf *names)
{
	int err;

	if (time_word(m, format, w, out) ||
	    (!unit_of_field(format, w->field) && size_word(w->text, out)) ||
	    device_word(w->field, w->text, out))
		return 0;
	err = event_field_names(m->db, format->system, format->name, span_of(w->field->name),
				names);
	if (err)
		return err;
	return listed_word(names, w->text, out) || syscall_word(m, format, w, out) ||
			       error_word(w->field, w->text, out)
		       ? 0
		       : -HIST_ENOENT;
}

/* A misspelled error: the nearest names. */
static bool note_error_word(struct span word, struct diags *diags)
{
	scoped(free_scoped) char *name =
		strndup(word.s + (*word.s == '-'), word.n - (*word.s == '-'));
	struct near near = NEAR_INIT(name ?: "");
	scoped(strbuf_release) struct strbuf nearest = STRBUF_INIT;

	for (int i = 1; i < ERRORS && name; i++)
		if (strerrorname_np(i))
			near_offer(&near, strerrorname_np(i), strerrorname_np(i));
	near_text(&near, &nearest);
	if (nearest.len)
		diags_add(diags, DIAG_NOTE, "there is no error %s; nearest: %s", name, nearest.s);
	return near.n;
}

/* A misspelled system call: the nearest names. */
static void note_syscall_word(const struct machine *m, struct span word, struct diags *diags)
{
	const size_t prefix = span_starts(word, "sys_") ? 4 : 0;
	scoped(free_scoped) char *name = strndup(word.s + prefix, word.n - prefix);
	struct near near = NEAR_INIT(name ?: "");
	scoped(strbuf_release) struct strbuf nearest = STRBUF_INIT;
	const char *known;

	for (u64 nr = 0; nr < SYSCALLS && name; nr++)
		if ((known = event_syscall_name(m->db, m->arch, nr)) && !strncmp(known, "sys_", 4))
			near_offer(&near, known + 4, known + 4);
	near_text(&near, &nearest);
	diags_add(diags, DIAG_NOTE, "there is no system call %s%s%s", name ?: "",
		  nearest.len ? "; nearest: " : "", nearest.len ? nearest.s : "");
}

void filter_word_note(const struct machine *m, const struct event_format *format,
		      const struct filter_word *w, const struct strbuf *names, struct diags *diags)
{
	const struct event_field *f = w->field;
	/* a mark of flags comes before the names */
	size_t skip = names->len > 2 && names->s[0] == '|' ? 2 : 0;

	if (event_find_field(format, w->text, GENERICS_6_3))
		diags_add(
			diags, DIAG_NOTE,
			"a filter compares a field with a number or a text; hist sql compares two "
			"fields: SELECT count(*) FROM \"%s:%s\" WHERE %s = %.*s",
			format->system, format->name, f->name, (int)w->text.n, w->text.s);
	else if (!strcmp(f->type, "dev_t"))
		diags_add(diags, DIAG_NOTE,
			  "%s is the number of a device, major:minor, as in lsblk: %s == 8:0",
			  f->name, f->name);
	else if (names->len)
		diags_add(diags, DIAG_NOTE, "%s is a number, or one of the names %.*s", f->name,
			  (int)(names->len - 1 - skip), names->s + skip);
	else if (is_count(m, f))
		diags_add(diags, DIAG_NOTE,
			  "%s is in units of the clock %s, which does not measure time: a number, "
			  "without a unit",
			  f->name, m->clock);
	else if (unit_of_field(format, f))
		diags_add(diags, DIAG_NOTE,
			  "%s is a time: a number, or one with a unit: 10ms, 500us, 20ns, 1.5s",
			  f->name);
	else if (event_field_is_syscall(format->system, f->name, false))
		note_syscall_word(m, w->text, diags);
	else if (!(span_starts(span_skip(w->text, *w->text.s == '-'), "E") &&
		   note_error_word(w->text, diags)))
		diags_add(diags, DIAG_NOTE,
			  "%s is a number without names and units that the recording knows; "
			  "texts are quoted: comm == \"bash\"",
			  f->name);
}
