// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A copy of the tracing directory: events/SYSTEM/EVENT/format, per_cpu/cpuN/trace_pipe_raw,
 * saved_cmdlines and so on, as `hist record --dump` or a shell creates it, with kallsyms and uname
 * in the same directory. The raw files consist of the kernel's sub-buffers, which are copied to the
 * trace.dat unchanged.
 */
#include "import/symbols.h"

struct tracedir {
	struct import_job *job;
	struct strbuf path, text; /* of the last file read */
	struct import_machine machine;
	u64 pages, cut_bytes;
	u32 cpus;
	bool snapshot;
};

/* Read a file below the directory into ->text; false if it does not exist or cannot be read. */
static bool read_file(struct tracedir *t, const char *name)
{
	strbuf_reset(&t->path);
	strbuf_addf(&t->path, "%s/%s", t->job->in->path, name);
	if (!t->path.failed && dir_read_text(t->path.s, &t->text))
		return true;
	if (errno != ENOENT) {
		diags_add(t->job->diags, DIAG_WARNING,
			  "%s/%s: cannot read: %s; its text is missing", t->job->in->name, name,
			  strerror(t->path.failed ? ENOMEM : errno));
		t->job->result->cut = true;
	}
	return false;
}

/* --- strings --- */

static int add_all_formats(struct tracedir *t)
{
	const struct import_job *job = t->job;
	struct format_list *formats = &job->sink->formats;
	int err;

	strbuf_reset(&t->path);
	strbuf_addf(&t->path, "%s/events", job->in->path);
	err = t->path.failed ? HIST_NOMEM : format_list_add_dir(formats, t->path.s);
	if (format_list_warn(formats, job->in->name, job->diags))
		job->result->cut = true;
	if (!err && !formats->list.n && !job->options->formats)
		diags_add(job->diags, DIAG_WARNING,
			  "%s: contains no event formats (events/SYSTEM/EVENT/format)",
			  job->in->name);
	return err;
}

/* The contents of a file, valid as long as the input; absent if there is no such file. */
static int keep_file(struct tracedir *t, const char *name, struct span *text)
{
	*text = (struct span){ NULL, 0 };
	if (!read_file(t, name))
		return 0;
	text->n = t->text.len;
	text->s = arena_strndup(&t->job->sink->arena, t->text.s, text->n);
	return text->s ? 0 : HIST_NOMEM;
}

/*
 * Add the symbols of the boot that wrote the buffer. If that was an earlier boot, they are moved.
 */
static int add_symbols(struct tracedir *t)
{
	struct event_boot boot = { .kallsyms = { NULL, 0 } };
	scoped(strbuf_release) struct strbuf moved = STRBUF_INIT;
	int err = keep_file(t, "last_boot_info", &boot.info);

	if (err || !read_file(t, "kallsyms"))
		return err;
	if (!event_other_boot(boot.info))
		return import_sink_text(t->job->sink, TRACE_DAT_KALLSYMS, strbuf_span(&t->text));
	err = keep_file(t, "kallsyms", &boot.kallsyms);
	err = err ?: keep_file(t, "modules", &boot.modules);
	err = err ?: event_boot_symbols(&boot, t->job->in->name, &moved, t->job->diags);
	return err ?: import_sink_text(t->job->sink, TRACE_DAT_KALLSYMS, strbuf_span(&moved));
}

/* Lines "PID TGID" */
static int add_tgids(struct tracedir *t)
{
	struct task_fact fact = { .kind = TASK_VERSION, .n = { TASK_JOURNAL_VERSION } };
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	struct span rest = strbuf_span(&t->text);
	bool any = false;
	int err = 0;

	task_fact_print(&fact, &out);
	fact = (struct task_fact){ .kind = TASK_FROM, .text[0] = span_of("tracing directory") };
	task_fact_print(&fact, &out);
	while (rest.s) {
		struct span line = span_sep(&rest, "\n"), word = span_word(&line);
		u64 pid;

		fact = (struct task_fact){ .kind = TASK_OF };
		if (!span_u64(word, &pid) || !span_u64(span_trim(line), &fact.n[0]) || !pid ||
		    pid > INT32_MAX || !fact.n[0] || fact.n[0] > INT32_MAX)
			continue;
		fact.pid = (s32)pid;
		task_fact_print(&fact, &out);
		any = true;
	}
	if (out.failed)
		err = HIST_NOMEM;
	else if (any)
		err = import_sink_option(t->job->sink, TRACE_DAT_HIST_TASKS,
					 (struct span){ out.s, out.len });
	return err;
}

/* With its NUL. */
static struct span text_option(const struct strbuf *text)
{
	return (struct span){ text->s, text->len + 1 };
}

static int add_texts(struct tracedir *t)
{
	static const struct symbols_kernel unknown = { .build_id_len = 0 };
	struct import_sink *s = t->job->sink;
	int err = 0;

	if (read_file(t, "saved_cmdlines"))
		err = import_sink_cmdlines(s, strbuf_span(&t->text));
	if (!err && read_file(t, "saved_tgids"))
		err = add_tgids(t);
	if (!err && read_file(t, "printk_formats"))
		err = import_sink_text(s, TRACE_DAT_PRINTK, strbuf_span(&t->text));
	/* of hist record --dump */
	if (!err && read_file(t, "script"))
		err = import_sink_option(s, TRACE_DAT_HIST_SCRIPT, text_option(&t->text));
	if (!err && read_file(t, "limits"))
		err = import_sink_option(s, TRACE_DAT_HIST_LIMITS, text_option(&t->text));
	if (!err && t->job->options->kallsyms)
		err = symbols_add(t->job, &unknown);
	else if (!err)
		err = add_symbols(t);
	if (!err && read_file(t, "uname")) {
		struct span line = strbuf_span(&t->text), name = span_sep(&line, "\n");

		t->text.s[name.n] = '\0';
		if (span_starts(name, "Linux "))
			err = import_sink_option(s, TRACE_DAT_UNAME,
						 (struct span){ name.s, name.n + 1 });
	}
	return err;
}

static int read_clock(struct tracedir *t)
{
	struct span clock;

	t->machine.clock = "local";
	if (!read_file(t, "trace_clock"))
		return 0;
	clock = clock_selected(strbuf_span(&t->text));
	if (!clock.s || clock.n >= 64)
		return 0;
	t->machine.clock = arena_strndup(&t->job->sink->arena, clock.s, clock.n);
	return t->machine.clock ? 0 : HIST_NOMEM;
}

/* --- sub-buffers --- */

static int read_layout(struct tracedir *t)
{
	u32 long_size, size;

	t->machine.long_size = 8;
	t->machine.subbuf_size = 4096;
	if (!read_file(t, "events/header_page")) {
		diags_add(t->job->diags, DIAG_WARNING,
			  "%s: has no events/header_page; assuming a 64-bit kernel with "
			  "sub-buffers of 4096 bytes",
			  t->job->in->name);
		return 0;
	}
	if (header_page_parse(strbuf_span(&t->text), &size, &long_size) || size & 7)
		return diags_error(t->job->diags, -HIST_EFORMAT,
				   "%s/events/header_page does not describe a sub-buffer",
				   t->job->in->name);
	t->machine.long_size = long_size;
	t->machine.subbuf_size = size;
	t->machine.header_page =
		(struct span){ arena_strndup(&t->job->sink->arena, t->text.s, t->text.len),
			       t->text.len };
	return t->machine.header_page.s ? 0 : HIST_NOMEM;
}

/*
 * Map the raw file of a CPU that contains data: the buffer, otherwise the snapshot. A file that
 * cannot be read is reported, and the CPU is left out.
 */
static int map_cpu(struct tracedir *t, const char *cpu, struct mapped *m)
{
	static const char *const files[] = { "trace_pipe_raw", "snapshot_raw" };
	int err = 0;

	*m = (struct mapped){ .p = NULL };
	for (size_t i = 0; i < ARRAY_SIZE(files) && !m->size && !err; i++) {
		strbuf_reset(&t->path);
		strbuf_addf(&t->path, "%s/per_cpu/%s/%s", t->job->in->path, cpu, files[i]);
		if (t->path.failed)
			return HIST_NOMEM;
		if (access(t->path.s, F_OK) && errno == ENOENT)
			continue;
		err = mapped_open_path(m, t->path.s, t->path.s, t->job->diags);
		t->snapshot |= i && m->size;
	}
	t->job->result->cut |= err != 0;
	return err == HIST_NOMEM ? err : 0;
}

static bool cpu_number(const char *name, u32 *cpu)
{
	u64 n;

	if (strncmp(name, "cpu", 3) != 0 || !span_u64(span_of(name + 3), &n) ||
	    n >= IMPORT_MAX_CPUS)
		return false;
	*cpu = (u32)n;
	return true;
}

/*
 * Whether the byte order is plausible. No file names it, but in the wrong order the commit sizes
 * are invalid, or 0 if they have 64 bits.
 */
static bool is_order(const struct tracedir *t, const struct mapped *m, bool big)
{
	const struct ring_buffer_layout layout = { big, t->machine.long_size,
						   t->machine.subbuf_size };
	struct ring_buffer_page page;

	return m->size < layout.subbuf_size ||
	       (!ring_buffer_page_open(&page, &layout, m->p, layout.subbuf_size) &&
		page.p < page.end);
}

/* Read the CPU's statistics from the kernel: events lost because the buffer was full. */
static int add_stats(struct tracedir *t, const char *name, u32 cpu)
{
	scoped(strbuf_release) struct strbuf sb = STRBUF_INIT;
	int err = 0;

	strbuf_addf(&sb, "per_cpu/%s/stats", name);
	if (!sb.failed && read_file(t, sb.s)) {
		strbuf_reset(&sb);
		strbuf_addf(&sb, "CPU: %u\n", cpu);
		strbuf_add(&sb, t->text.s, t->text.len + 1);
		err = sb.failed ? HIST_NOMEM
				: import_sink_option(t->job->sink, TRACE_DAT_CPUSTAT,
						     strbuf_span(&sb));
	}
	return err;
}

static int add_buffer(struct tracedir *t, const struct dir_names *cpus)
{
	const u32 size = t->machine.subbuf_size;
	bool known = false;
	struct mapped m;
	u32 cpu;
	int err = 0;

	for (int i = 0; i < cpus->n; i++)
		if (cpu_number(cpus->v[i]->d_name, &cpu))
			t->machine.cpu_count = max_t(u32, t->machine.cpu_count, cpu + 1);
	for (int i = 0; i < cpus->n && !err; i++) {
		if (!cpu_number(cpus->v[i]->d_name, &cpu))
			continue;
		err = map_cpu(t, cpus->v[i]->d_name, &m);
		if (!err && m.size && !known) {
			t->machine.big_endian = !is_order(t, &m, false) && is_order(t, &m, true);
			known = true;
			err = import_sink_machine(t->job->sink, &t->machine);
		}
		for (u64 at = 0; at + size <= m.size && !err; at += size, t->pages++)
			err = trace_dat_cpus_page(&t->job->sink->cpus, cpu, m.p + at);
		t->cut_bytes += m.size % size;
		mapped_close(&m);
		err = err ?: add_stats(t, cpus->v[i]->d_name, cpu);
		t->cpus++;
	}
	return err || known ? err : import_sink_machine(t->job->sink, &t->machine);
}

static bool recognises_dir(const char *path)
{
	return dir_has(path, "per_cpu") && dir_has(path, "events");
}

static int run(struct import_job *job)
{
	struct tracedir t = { .job = job, .path = STRBUF_INIT, .text = STRBUF_INIT };
	struct dir_names cpus;
	int err;

	strbuf_addf(&t.path, "%s/per_cpu", job->in->path);
	cpus = dir_names_of(t.path.failed ? "" : t.path.s);
	err = read_layout(&t);

	err = err ?: read_clock(&t);
	err = err ?: add_all_formats(&t);
	err = err ?: add_texts(&t);
	if (!err && cpus.n < 0)
		err = diags_error(job->diags, -HIST_EIO, "%s/per_cpu: cannot be listed",
				  job->in->name);
	err = err ?: add_buffer(&t, &cpus);
	if (!err)
		diags_add(job->diags, DIAG_NOTE,
			  "%s: a tracing directory: %llu sub-buffers of %u CPUs%s", job->in->name,
			  t.pages, t.cpus, t.snapshot ? ", some of them from the snapshot" : "");
	if (!err && t.cut_bytes) {
		diags_add(job->diags, DIAG_WARNING,
			  "%s: raw files end within a sub-buffer; %llu bytes are left out",
			  job->in->name, t.cut_bytes);
		job->result->cut = true;
	}
	dir_names_release(&cpus);
	strbuf_release(&t.path);
	strbuf_release(&t.text);
	return err;
}

const struct importer import_tracedir = {
	.what = "tracing directory",
	.recognises_dir = recognises_dir,
	.run = run,
};
