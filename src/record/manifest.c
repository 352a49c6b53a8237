// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Stores data from tracefs and /proc in the manifest of a recording, for a session whose events are
 * enabled; see workdir.h for the blocks.
 *
 * Formats are stored of the recorded events and of the ftrace system (stacks and texts of markers
 * are its events); also of all system calls if numbers are to be printed as names. kernel: a system
 * call that is not configured has no name. Symbols are stored only if a recorded event may contain
 * an address, or if the script needs them: they would be most of a small file and of the time to
 * open it.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>

#include <tracefs.h>

#include "record/manifest.h"
#include "record/cpu_reader.h"
#include "record/tracefs_text.h"
#include "record/tracedir.h"

/* Copy a file of the instance (NULL: of the top level) to a block; a missing file is skipped. */
static int copy_file(struct workdir *w, struct tracefs_instance *instance, const char *file,
		     const char *key)
{
	size_t n;
	char *text = tracedir_read(instance, file, &n);
	int err = text ? workdir_add(w, key, (struct span){ text, n }) : 0;

	free(text);
	return err;
}

/* --- formats --- */

static int copy_format(struct workdir *w, const char *system, const char *name, bool *addresses)
{
	struct strbuf file = STRBUF_INIT, key = STRBUF_INIT;
	char *text = NULL;
	size_t n;
	int err = -HIST_ENOMEM;

	strbuf_addf(&file, "events/%s/%s/format", system, name);
	strbuf_addf(&key, "format %s", system);
	if (!file.failed && !key.failed) {
		text = tracedir_read(NULL, file.s, &n);
		err = text ? workdir_add(w, key.s, (struct span){ text, n }) : -HIST_EIO;
	}
	if (text && addresses)
		*addresses |= format_has_address((struct span){ text, n });
	free(text);
	strbuf_release(&file);
	strbuf_release(&key);
	return err;
}

/*
 * Copy the formats of the ftrace system; only its directory lists them, available_events does not.
 */
static int copy_ftrace_formats(struct workdir *w)
{
	char **events = tracefs_system_events(NULL, "ftrace");
	int err = 0;

	for (size_t i = 0; !err && events && events[i]; i++)
		err = copy_format(w, "ftrace", events[i], NULL);
	tracefs_list_free(events);
	return err;
}

static bool is_selected(const struct selection *sel, const char *system, const char *name)
{
	for (size_t i = 0; i < sel->events.n; i++)
		if (!strcmp(sel->events.v[i].system, system) &&
		    (!name || !strcmp(sel->events.v[i].name, name)))
			return true;
	return false;
}

/* Copy the formats from which the names of system calls are derived. */
static int copy_syscall_formats(struct workdir *w, const struct selection *sel)
{
	char **events = tracefs_system_events(NULL, "syscalls");
	int err = 0;

	for (size_t i = 0; !err && events && events[i]; i++)
		if (!strncmp(events[i], "sys_enter_", 10) &&
		    !is_selected(sel, "syscalls", events[i]))
			err = copy_format(w, "syscalls", events[i], NULL);
	tracefs_list_free(events);
	return err;
}

static int copy_formats(struct workdir *w, const struct record_plan *plan,
			const struct selection *sel, bool *addresses, struct diags *diags)
{
	int err = copy_ftrace_formats(w);

	if (!err && (plan->syscalls || is_selected(sel, "raw_syscalls", NULL)))
		err = copy_syscall_formats(w, sel);
	for (size_t i = 0; !err && i < sel->events.n; i++) {
		const struct selected_event *ev = &sel->events.v[i];

		*addresses |= ev->stack;
		err = copy_format(w, ev->system, ev->name, addresses);
		if (err == -HIST_EIO)
			return tracedir_error(diags, errno, "cannot read the format of", ev->name);
	}
	return err;
}

/* --- symbols --- */

/* kernel: addresses read as zero without the privilege to see them (kptr_restrict). */
static bool has_addresses(struct span text)
{
	while (text.s) {
		struct span line = span_sep(&text, "\n");

		for (size_t i = 0; i < line.n && line.s[i] != ' '; i++)
			if (line.s[i] != '0')
				return true;
	}
	return false;
}

static int copy_kallsyms(struct workdir *w, struct diags *diags)
{
	size_t n;
	char *text = file_read("/proc/kallsyms", &n);
	int err = 0;

	if (text && has_addresses((struct span){ text, n }))
		err = workdir_add(w, "kallsyms", (struct span){ text, n });
	else
		diags_add(
			diags, DIAG_WARNING,
			"/proc/kallsyms shows no addresses, so the recording has no symbols: they need root or CAP_SYSLOG, and sysctl kernel.kptr_restrict below 2");
	free(text);
	return err;
}

/* --- other metadata --- */

int meta_write_limits(struct workdir *w, const struct record_plan *plan,
		      const struct selection *sel, const s32 *pids, size_t n_pids)
{
	struct strbuf sb = STRBUF_INIT;
	int err;

	for (size_t i = 0; i < sel->events.n; i++)
		if (sel->events.v[i].filter)
			strbuf_addf(&sb, "filter %s:%s %s\n", sel->events.v[i].system,
				    sel->events.v[i].name, sel->events.v[i].filter);
	if (n_pids) {
		strbuf_addstr(&sb, "pids");
		for (size_t i = 0; i < n_pids; i++)
			strbuf_addf(&sb, " %d", pids[i]);
		strbuf_addstr(&sb, plan->children ? "\nchildren\n" : "\n");
	}
	if (plan->max_kb)
		strbuf_addf(&sb, "max-size %llu\n", (unsigned long long)plan->max_kb);
	err = sb.failed ? -HIST_ENOMEM : workdir_add(w, "limits", (struct span){ sb.s, sb.len });
	strbuf_release(&sb);
	return err;
}

static int write_uname(struct workdir *w)
{
	struct strbuf sb = STRBUF_INIT;
	struct utsname u;
	int err;

	if (uname(&u))
		return -HIST_EIO;
	strbuf_addf(&sb, "%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
	err = sb.failed ? -HIST_ENOMEM : workdir_add(w, "uname", (struct span){ sb.s, sb.len });
	strbuf_release(&sb);
	return err;
}

static int write_clock(struct workdir *w, const struct session *s)
{
	size_t n;
	char *text = tracedir_read(s->instance, "trace_clock", &n);
	struct span clocks = { text, n }, clock;
	int err = 0;

	if (!text)
		return -HIST_EIO;
	clock = clock_selected(clocks);
	if (clock.s)
		err = workdir_add(w, "clock", clock);
	if (!err)
		err = workdir_add(w, "clocks", clocks);
	free(text);
	return err;
}

static int write_numbers(struct workdir *w, const struct session *s, const struct record_plan *plan)
{
	const struct {
		const char *key;
		u64 value;
	} numbers[] = {
		{ "codec", plan->codec },
		{ "subbuf", s->subbuf_size },
		{ "long", s->long_size },
		{ "cpus", (u64)s->cpus.v[s->cpus.n - 1] + 1 },
		{ "max", reader_ring_size(plan->max_kb, s->subbuf_size) },
	};
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(numbers); i++)
		err = workdir_add_number(w, numbers[i].key, numbers[i].value);
	return err;
}

/* A probe may fetch any value, including addresses. */
static bool has_probes(const struct record_plan *plan)
{
	for (size_t i = 0; i < plan->n_probes; i++)
		if (strcmp(plan->probes[i].file, "synthetic_events") != 0)
			return true;
	return false;
}

static int write_all(struct workdir *w, const struct session *s, const struct record_plan *plan,
		     const struct selection *sel, struct diags *diags)
{
	bool symbols = plan->symbols || plan->stacks || has_probes(plan);
	int err = write_numbers(w, s, plan);

	if (!err)
		err = workdir_add(w, "buffer", span_of(plan->instance ? plan->instance : ""));
	if (!err)
		err = workdir_add(w, "version", span_of(plan->version));
	if (!err)
		err = write_uname(w);
	if (!err)
		err = write_clock(w, s);
	if (!err)
		err = copy_file(w, s->instance, "events/header_page", "header_page");
	if (!err)
		err = copy_file(w, s->instance, "events/header_event", "header_event");
	if (!err)
		err = copy_formats(w, plan, sel, &symbols, diags);
	if (!err && symbols)
		err = copy_kallsyms(w, diags);
	if (!err)
		err = copy_file(w, NULL, "printk_formats", "printk");
	if (!err && plan->script.s)
		err = workdir_add(w, "script", plan->script);
	return err;
}

int meta_write(struct workdir *w, const struct session *s, const struct record_plan *plan,
	       const struct selection *sel, struct diags *diags)
{
	size_t before = diags->list.n;
	int err = write_all(w, s, plan, sel, diags);

	if (!err)
		err = meta_write_cmdlines(w);
	if (!err)
		err = workdir_add(w, "ready", span_of(""));
	if (err && !diags_has_error(diags, before))
		diags_error(diags, 0, "cannot write %s: %s%s", w->path, strerror(errno),
			    errno == ENOSPC ? "; choose another disk with -o FILE" : "");
	return err;
}

int meta_write_cmdlines(struct workdir *w)
{
	return copy_file(w, NULL, "saved_cmdlines", "cmdlines");
}
