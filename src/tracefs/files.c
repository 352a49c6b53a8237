// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The files of the tracing directory: one table that maps a path to its writer and reader.
 *
 * If events change the contents of a file, reading it first replays the recording.
 */
#include "tracefs/files.h"

int target_ignore(struct target *to UNUSED, struct span text UNUSED)
{
	return 0;
}

bool target_number(const struct target *to, struct span text, u64 max, const char *wants, u64 *v)
{
	/* kernel: kstrtoul_from_user() reads a sign, 64 binary digits and a newline; up to a NUL */
	struct span digits = { text.s, strnlen(text.s, min_t(size_t, text.n, 66)) };
	size_t n;
	bool ok;

	digits = span_skip(digits, span_starts(digits, "+"));
	for (n = 0; n < digits.n && is_digit(digits.s[n]);)
		n++;
	ok = span_digits(span_between(digits.s, digits.s + n), 10, v) &&
	     (to->t->machine.long_size == 8 || *v <= UINT32_MAX);
	/* kernel: of two mistakes, that it is too large is the first */
	if (ok && *v <= max && (n == digits.n || (n + 1 == digits.n && digits.s[n] == '\n')))
		return true;
	diags_error(to->diags, -HIST_EREJECTED, "%s: %s", wants,
		    n && !ok ? "Numerical result out of range" : "Invalid argument");
	return false;
}

/* --- paths --- */

static const struct file_ops *find_ops(const struct file_ops *ops, struct span name)
{
	for (; ops->name; ops++)
		if (span_eq(name, ops->name))
			return ops;
	return NULL;
}

/* @ops: the existing files, for a hint. Returns NULL, with @to->err. */
static const struct file_ops *no_such_file(struct target *to, const char *path,
					   const struct file_ops *ops)
{
	struct near near = NEAR_INIT(path_base(path));
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

	for (const struct file_ops *o = ops; o && o->name; o++)
		near_offer(&near, o->name, o->name);
	for (const struct file_ops *o = buffer_files; ops == instance_files && o->name; o++)
		near_offer(&near, o->name, o->name);
	near_text(&near, &names);
	diags_error(to->diags, 0, "%s: No such file or directory%s%s", path,
		    names.len ? "; nearest: " : "", names.s);
	to->err = -HIST_ENOENT;
	return NULL;
}

/* events/FILE; events/SYSTEM/FILE, where @rest is absent */
static const struct file_ops *find_system_file(struct target *to, struct span system,
					       struct span name, const char *path)
{
	const struct file_ops *ops = find_ops(system_files, name.s ? name : system);

	if (!name.s)
		return ops && !strcmp(ops->name, "enable") ? ops : no_such_file(to, path, NULL);
	if (!ops || span_eq(system, "ftrace") || !system_exists(to->t, system))
		return no_such_file(to, path, NULL);
	to->system = arena_strndup(&to->t->arena, system.s, system.n);
	to->err = to->system ? 0 : HIST_NOMEM;
	return to->system ? ops : NULL;
}

/* events/... */
static const struct file_ops *find_event_file(struct target *to, struct span rest, const char *path)
{
	const struct file_ops *ops;
	struct span system = span_sep(&rest, "/"), name = span_sep(&rest, "/");

	if (!rest.s)
		return find_system_file(to, system, name, path);
	to->file = event_file_find(to->tr, system, name);
	if (!to->file) {
		to->err = tracing_failed(to->t) ? HIST_NOMEM
						: events_unknown(to->h, system, name, to->diags);
		return NULL;
	}
	ops = find_ops(event_files, rest);
	if (!ops || !event_has_file(to->file, ops->name))
		return no_such_file(to, path, ops ? NULL : event_files);
	return ops;
}

/* per_cpu/cpuN/FILE */
static const struct file_ops *find_cpu_file(struct target *to, struct span rest, const char *path)
{
	const struct file_ops *ops;
	struct span dir = span_sep(&rest, "/");
	u64 cpu = 0;

	if (!rest.s || !span_starts(dir, "cpu") || dir.n == 3 || !is_digit(dir.s[3]) ||
	    !span_u64(span_skip(dir, 3), &cpu) || cpu >= to->t->machine.nr_cpus)
		return no_such_file(to, path, NULL);
	to->cpu = (u32)cpu;
	ops = find_ops(cpu_files, rest);
	return ops ? ops : no_such_file(to, path, cpu_files);
}

static const struct file_ops *find_target(struct target *to, const char *path)
{
	const struct file_ops *ops;
	const char *rest;
	struct span name;

	to->cpu = ARRAY_BUFFER_ALL_CPUS;
	to->tr = files_instance(to->h, to->t, path, &rest, to->diags);
	if (!to->tr) {
		to->err = tracing_failed(to->t) ? HIST_NOMEM : -HIST_ENOENT;
		return NULL;
	}
	name = span_of(rest);
	if (span_starts(name, "events/"))
		return find_event_file(to, span_skip(name, strlen("events/")), path);
	if (span_starts(name, "per_cpu/"))
		return find_cpu_file(to, span_skip(name, strlen("per_cpu/")), path);
	if (span_starts(name, "options/")) {
		to->option = trace_option_find(to->tr, span_skip(name, strlen("options/")));
		return to->option ? option_files : no_such_file(to, path, NULL);
	}
	ops = find_ops(instance_files, name);
	if (ops && ops->since_7_0 && !to->t->machine.quirks->show_events)
		return no_such_file(to, path, NULL);
	if (!ops)
		ops = find_ops(buffer_files, name);
	return ops ? ops : no_such_file(to, path, instance_files);
}

/* --- writing and reading --- */

bool files_needs_record(const char *path)
{
	const struct file_ops *ops = find_ops(cpu_files, span_of(path_base(path)));

	return ops && ops->recorded;
}

int files_write(struct hist *h, struct tracing *t, const struct file_write *write,
		struct diags *diags)
{
	struct target to = { .h = h, .t = t, .diags = diags };
	const struct file_ops *ops = find_target(&to, write->path);
	int err = 0;

	if (!ops)
		return to.err;
	if (!ops->write)
		return diags_error(diags, -HIST_EREJECTED, "%s can only be read: Permission denied",
				   write->path);
	to.ops = ops;
	to.question = write->question;
	if (write->truncate && ops->truncate)
		err = ops->truncate(&to);
	err = err ?: ops->write(&to, write->text);
	err = err ?: tracing_limit_to_tasks(t);
	return tracing_failed(t) ? HIST_NOMEM : err;
}

static const struct file_ops *find_readable(struct target *from, const char *path)
{
	const struct file_ops *ops = find_target(from, path);

	from->ops = ops;
	if (!ops || ops->read || ops->print || ops->text)
		return ops;
	from->err = diags_error(from->diags, -HIST_EREJECTED, "%s cannot be read: Invalid argument",
				path);
	return NULL;
}

int files_check_read(struct hist *h, struct tracing *t, const char *path, struct diags *diags)
{
	struct target from = { .h = h, .t = t, .diags = diags };

	return find_readable(&from, path) ? 0 : from.err;
}

int files_read(struct hist *h, const char *path, struct printer *p, struct diags *diags)
{
	struct target from = { .h = h, .t = h->tracing, .diags = diags };
	const struct file_ops *ops = find_readable(&from, path);
	int err = 0;

	if (!ops)
		return tracing_failed(h->tracing) ? HIST_NOMEM : from.err;
	if (ops->recorded && !h->tracing->record) {
		h->tracing->record = true;
		h->replayed = false;
	}
	err = tracing_limit_to_tasks(h->tracing);
	if (ops->live && !err)
		err = replay_if_needed(h, diags);
	if (!err && ops->read)
		ops->read(&from, p);
	else if (!err && ops->print)
		ops->print(p, from.file);
	else if (!err)
		strbuf_addstr(&p->buf, ops->text);
	return tracing_failed(h->tracing) ? HIST_NOMEM : err;
}
