// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Stores data from tracefs and /proc in the manifest of a recording, for a session whose events are
 * enabled, or in a trace.dat without records; see workdir.h for the blocks.
 *
 * Formats are stored of the recorded events and of the ftrace system (stacks and texts of markers
 * are its events); also of all system calls if numbers are to be printed as names. kernel: a system
 * call that is not configured has no name. Symbols are stored only if a recorded event may contain
 * an address, or if the script needs them: they would be most of a small file and of the time to
 * open it.
 */
#include <sys/utsname.h>

#include <tracefs.h>

#include "record/steps.h"
#include "record/tracedir.h"

/* Add a file of the instance (NULL: of the top level); false with errno: it cannot be read. */
static bool add_file(struct strbuf *blocks, struct tracefs_instance *instance, const char *file,
		     const char *key)
{
	size_t n;
	scoped(free_scoped) char *text = tracedir_read(instance, file, &n);
	bool was_read = text;

	if (text)
		block_add(blocks, (struct span){ text, n }, "%s", key);
	return was_read;
}

static void add_number(struct strbuf *blocks, const char *key, u64 value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", value);
	block_add(blocks, span_of(text), "%s", key);
}

/* --- formats --- */

/* False with errno: it cannot be read. */
static bool add_format(struct strbuf *blocks, const char *system, const char *name, bool *addresses)
{
	scoped(strbuf_release) struct strbuf file = STRBUF_INIT;
	bool was_read;
	scoped(free_scoped) char *text = NULL;
	size_t n;

	strbuf_addf(&file, "events/%s/%s/format", system, name);
	text = file.failed ? NULL : tracedir_read(NULL, file.s, &n);
	was_read = text;
	if (text)
		block_add(blocks, (struct span){ text, n }, "format %s", system);
	if (text && addresses)
		*addresses |= format_has_address((struct span){ text, n });
	return was_read;
}

/* The events of a directory that begin with @start, except those of @sel (NULL: none). */
static int add_formats_of(struct strbuf *blocks, const char *system, const char *start,
			  const struct selection *sel)
{
	char **events = tracefs_system_events(NULL, (char *)system);
	int err = 0;

	for (size_t i = 0; !err && events && events[i]; i++)
		if (!strncmp(events[i], start, strlen(start)) &&
		    !(sel && selection_has(sel, system, events[i])) &&
		    !add_format(blocks, system, events[i], NULL))
			err = -HIST_EIO;
	tracefs_list_free(events);
	return err;
}

static int add_formats(struct strbuf *blocks, const struct record_plan *plan,
		       const struct selection *sel, bool *addresses, struct diags *diags)
{
	/* only its directory lists the events of ftrace, available_events does not */
	int err = add_formats_of(blocks, "ftrace", "", NULL);

	/* the names of system calls are derived from these formats */
	if (!err && (plan->syscalls || selection_has(sel, "raw_syscalls", NULL)))
		err = add_formats_of(blocks, "syscalls", "sys_enter_", sel);
	for (size_t i = 0; !err && i < sel->events.n; i++) {
		const struct selected_event *ev = &sel->events.v[i];

		*addresses |= ev->stack;
		if (!add_format(blocks, ev->system, ev->name, addresses))
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

/* @diags NULL: no warning. */
static void add_kallsyms(struct strbuf *blocks, struct diags *diags)
{
	size_t n;
	scoped(free_scoped) char *text = file_read("/proc/kallsyms", &n);

	if (text && has_addresses((struct span){ text, n }))
		block_add(blocks, (struct span){ text, n }, "kallsyms");
	else if (diags)
		diags_add(
			diags, DIAG_WARNING,
			"/proc/kallsyms shows no addresses, so the recording has no symbols: they need root or CAP_SYSLOG, and sysctl kernel.kptr_restrict below 2");
}

/* --- other metadata --- */

static int add_uname(struct strbuf *blocks)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	struct utsname u;

	if (uname(&u))
		return -HIST_EIO;
	strbuf_addf(&sb, "%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
	blocks->failed |= sb.failed;
	block_add(blocks, (struct span){ sb.s, sb.len }, "uname");
	return 0;
}

/* @clock NULL: the current one. */
static int add_clock(struct strbuf *blocks, struct tracefs_instance *instance, const char *clock)
{
	size_t n;
	scoped(free_scoped) char *text = tracedir_read(instance, "trace_clock", &n);
	struct span clocks = { text, n }, selected;

	if (!text)
		return -HIST_EIO;
	selected = clock ? span_of(clock) : clock_selected(clocks);
	if (selected.s)
		block_add(blocks, selected, "clock");
	block_add(blocks, clocks, "clocks");
	return 0;
}

/*
 * The time of day at a time of the trace clock, which the kernel prints in microseconds: of a few
 * attempts the one that took least time. Without it, if the clock does not measure time.
 */
static void add_wall(struct strbuf *blocks, const struct session *s)
{
	enum { ATTEMPTS = 5, RESOLUTION = 1000 };
	u64 best = UINT64_MAX, ts = 0, wall = 0;
	char line[80];

	for (int i = 0; i < ATTEMPTS; i++) {
		struct timespec before, after;
		char *text, *now;
		u64 from, took, at;

		clock_gettime(CLOCK_REALTIME, &before);
		text = tracedir_stats(s->instance, s->cpus.v[0]);
		clock_gettime(CLOCK_REALTIME, &after);
		from = (u64)before.tv_sec * 1000000000 + (u64)before.tv_nsec;
		took = (u64)after.tv_sec * 1000000000 + (u64)after.tv_nsec - from;
		now = text ? strstr(text, "now ts: ") : NULL;
		if (now) {
			const struct span number = { now + 8, strcspn(now + 8, "\n") };

			if (span_chr(number, '.') && span_time(span_trim(number), &at) &&
			    took < best) {
				best = took;
				ts = at;
				wall = from + took / 2;
			}
		}
		free(text);
	}
	snprintf(line, sizeof(line), "%llu %llu %llu", ts, wall, best / 2 + RESOLUTION);
	if (best != UINT64_MAX)
		block_add(blocks, span_of(line), "wall");
}

static int collect(struct strbuf *blocks, const struct session *s, const struct record_plan *plan,
		   const struct selection *sel, struct diags *diags)
{
	/* the text of a marker begins with a function */
	bool symbols = plan->symbols || plan->stacks || sel->markers;
	int err;

	/* a probe may fetch any value, including addresses */
	symbols |= any_of(i, plan->n_probes, strcmp(plan->probes[i].file, "synthetic_events") != 0);
	add_number(blocks, "codec", plan->codec);
	add_number(blocks, "subbuf", s->subbuf_size);
	add_number(blocks, "long", s->long_size);
	add_number(blocks, "cpus", (u64)s->cpus.v[s->cpus.n - 1] + 1);
	add_number(blocks, "max", reader_ring_size(plan->max_kb, s->subbuf_size));
	add_number(blocks, "kept", plan->rotate ? 2 : plan->keep != NULL);
	block_add(blocks, span_of(plan->instance ? plan->instance : ""), "buffer");
	block_add(blocks, span_of(plan->version), "version");
	add_file(blocks, s->instance, "events/header_page", "header_page");
	add_file(blocks, s->instance, "events/header_event", "header_event");
	add_file(blocks, NULL, "printk_formats", "printk");
	add_file(blocks, NULL, "saved_cmdlines", "cmdlines");
	if (plan->script.s)
		block_add(blocks, plan->script, "script");
	err = add_uname(blocks);
	err = err ?: add_clock(blocks, s->instance, NULL);
	add_wall(blocks, s);
	err = err ?: add_formats(blocks, plan, sel, &symbols, diags);
	if (!err && symbols)
		add_kallsyms(blocks, diags);
	return err;
}

int manifest_write(struct workdir *w, const struct session *s, const struct record_plan *plan,
		   const struct selection *sel, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf blocks = STRBUF_INIT;
	size_t before = diags->list.n;
	int err = collect(&blocks, s, plan, sel, diags);

	block_add(&blocks, span_of(""), "ready");
	err = err ?: workdir_append(w, &blocks);
	if (err && !diags_has_error(diags, before))
		diags_error(diags, 0, "cannot write %s: %s%s", w->path, strerror(errno),
			    errno == ENOSPC ? "; choose another disk with -o FILE" : "");
	return err;
}

int manifest_write_limits(struct workdir *w, const struct record_plan *plan,
			  const struct selection *sel, const s32 *pids, size_t n_pids)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
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
		strbuf_addf(&sb, "max-size %llu\n", plan->max_kb);
	err = sb.failed ? -HIST_ENOMEM : workdir_add(w, (struct span){ sb.s, sb.len }, "limits");
	return err;
}

void manifest_add_cmdlines(struct strbuf *blocks)
{
	add_file(blocks, NULL, "saved_cmdlines", "cmdlines");
}

int manifest_write_cmdlines(struct workdir *w)
{
	scoped(strbuf_release) struct strbuf blocks = STRBUF_INIT;

	manifest_add_cmdlines(&blocks);
	return workdir_append(w, &blocks);
}

int manifest_write_stats(struct workdir *w, const struct session *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < s->cpus.n; i++) {
		scoped(free_scoped) char *text = tracedir_stats(s->instance, s->cpus.v[i]);

		if (text)
			err = workdir_add(w, span_of(text), "stats %u", s->cpus.v[i]);
	}
	return err;
}

int manifest_write_sizes(struct workdir *w, const struct readers *rs)
{
	int err = 0;

	for (size_t i = 0; !err && i < rs->n; i++) {
		char key[24];

		snprintf(key, sizeof(key), "size %u", rs->v[i].cpu);
		err = workdir_add_number(w, key, reader_file_size(&rs->v[i]));
	}
	return err;
}

/* --- without records --- */

static int collect_machine(struct strbuf *blocks, const struct event_list *list, const char *clock,
			   bool symbols, struct diags *diags)
{
	u32 subbuf, long_size;
	struct span page;

	add_file(blocks, NULL, "events/header_page", "header_page");
	add_file(blocks, NULL, "events/header_event", "header_event");
	page = block_find((struct span){ blocks->s, blocks->len }, "header_page");
	if (header_page_parse(page, &subbuf, &long_size))
		return tracedir_error(diags, errno, "cannot read", "events/header_page");
	add_number(blocks, "codec", CODEC_NONE);
	add_number(blocks, "subbuf", subbuf);
	add_number(blocks, "long", long_size);
	add_number(blocks, "cpus", (u64)sysconf(_SC_NPROCESSORS_CONF));
	if (add_clock(blocks, NULL, clock))
		block_add(blocks, span_of(clock ? clock : "local"), "clock");
	/* an event that has disappeared is skipped */
	add_formats_of(blocks, "ftrace", "", NULL);
	for (size_t i = 0; i < list->all.n; i++)
		add_format(blocks, list->all.v[i].system, list->all.v[i].name, NULL);
	if (symbols)
		add_kallsyms(blocks, NULL);
	add_uname(blocks);
	block_add(blocks, span_of(""), "ready");
	return blocks->failed ? HIST_NOMEM : 0;
}

int machine_write(const char *path, const struct event_list *list, const char *clock, bool symbols,
		  struct diags *diags)
{
	scoped(strbuf_release) struct strbuf blocks = STRBUF_INIT;
	scoped(description_release) struct description m = { .arena = ARENA_INIT };
	struct trace_dat_writer *w = NULL;
	int err = collect_machine(&blocks, list, clock, symbols, diags);

	if (!err)
		err = description_parse(&m, (struct span){ blocks.s, blocks.len });
	err = err ?: trace_dat_writer_open(path, &m.machine, &w, diags);
	err = err ?: description_write(&m, w);
	err = err ?: trace_dat_writer_buffer(w, "", m.machine.clock, m.machine.page_size);
	if (w && (!err || trace_dat_writer_failed(w)))
		err = trace_dat_writer_finish(w, diags);
	else if (w)
		trace_dat_writer_abort(w);
	return err;
}
