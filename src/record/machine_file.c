// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Writes this machine's event formats as a trace.dat without records, so that the code that reads
 * recordings can check a script before anything is recorded.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <tracefs.h>

#include "record/machine_file.h"
#include "record/tracefs_text.h"
#include "record/tracedir.h"
#include "trace_dat/trace_dat.h"

/* Texts of the machine, which the writer borrows until it has finished. */
struct machine_file {
	struct arena arena;
	struct trace_dat_writer *writer;
	struct trace_dat_machine dat;
	bool symbols;
};

/* Store a file of the top directory; absent if it does not exist. */
static struct span store(struct machine_file *m, char *text, size_t n)
{
	char *kept = text ? arena_strndup(&m->arena, text, n) : NULL;

	free(text);
	return (struct span){ kept, kept ? n : 0 };
}

static struct span keep_file(struct machine_file *m, const char *file)
{
	size_t n = 0;
	char *text = tracedir_read(NULL, file, &n);

	return store(m, text, n);
}

static int describe(struct machine_file *m, const char *clock, struct diags *diags)
{
	u16 one = 1;
	struct span clocks = keep_file(m, "trace_clock"), selected = clock_selected(clocks);

	m->dat = (struct trace_dat_machine){
		.version = 7,
		.codec = TRACE_DAT_NONE,
		.big_endian = load_u16(&one, false) != 1,
		.cpu_count = (u32)sysconf(_SC_NPROCESSORS_CONF),
		.header_page = keep_file(m, "events/header_page"),
		.header_event = keep_file(m, "events/header_event"),
		.clock = clock,
		.clocks = clocks,
	};
	if (!clock)
		m->dat.clock = arena_strndup(&m->arena, selected.s ? selected.s : "local",
					     selected.s ? selected.n : strlen("local"));
	if (header_page_parse(m->dat.header_page, &m->dat.page_size, &m->dat.long_size))
		return tracedir_error(diags, errno, "cannot read", "events/header_page");
	return m->dat.clock ? 0 : -HIST_ENOMEM;
}

/* Add a format; an event that has disappeared is skipped. */
static int add_format(struct machine_file *m, const char *system, const char *name)
{
	const char *file = arena_printf(&m->arena, "events/%s/%s/format", system, name);
	struct span text;

	if (!file)
		return -HIST_ENOMEM;
	text = keep_file(m, file);
	return text.n ? trace_dat_writer_format(m->writer, system, text) : 0;
}

static int add_formats(struct machine_file *m, const struct event_list *list)
{
	char **own = tracefs_system_events(NULL, "ftrace");
	int err = 0;

	for (size_t i = 0; !err && own && own[i]; i++)
		err = add_format(m, "ftrace", own[i]);
	tracefs_list_free(own);
	for (size_t i = 0; !err && i < list->all.n; i++)
		err = add_format(m, list->all.v[i].system, list->all.v[i].name);
	return err;
}

static int add_rest(struct machine_file *m)
{
	struct utsname u;
	size_t n = 0;
	char *text = m->symbols ? file_read("/proc/kallsyms", &n) : NULL;
	struct span symbols = store(m, text, n);
	const char *name;
	int err = 0;

	if (symbols.n)
		err = trace_dat_writer_section(m->writer, TRACE_DAT_KALLSYMS, symbols);
	if (err || uname(&u))
		return err;
	name = arena_printf(&m->arena, "%s %s %s %s", u.sysname, u.nodename, u.release, u.machine);
	if (!name)
		return -HIST_ENOMEM;
	err = trace_dat_writer_option(m->writer, TRACE_DAT_UNAME, name, (u32)strlen(name) + 1);
	return err ? err : trace_dat_writer_buffer(m->writer, "", m->dat.clock, m->dat.page_size);
}

int machine_write(const char *path, const struct event_list *list, const char *clock, bool symbols,
		  struct diags *diags)
{
	struct machine_file m = { .arena = ARENA_INIT, .symbols = symbols };
	int err = describe(&m, clock, diags);

	if (!err)
		err = trace_dat_writer_open(path, &m.dat, &m.writer, diags);
	if (!err)
		err = add_formats(&m, list);
	if (!err)
		err = add_rest(&m);
	if (!err)
		err = trace_dat_writer_finish(m.writer, diags);
	else if (m.writer)
		trace_dat_writer_abort(m.writer);
	arena_release(&m.arena);
	return err;
}
