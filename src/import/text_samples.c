// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Samples of perf script, which become events perf:NAME as those of perf.data do (perf_samples.c),
 * and the stacks of all its events, as the records after them (perf_stacks.c).
 *
 * The text has the names of addresses, so they are facts of the recording. perf prints addresses in
 * stacks as places in their files, which several files have: the second one and later ones of an
 * address differ in the 16 highest bits.
 */
#include "import/perf_samples.h"
#include "import/text.h"

enum { FRAMES_MAX = 512, TAG_BIT = 48, TAGS_TRIED = 256 };
/* The mode of a sample: ORDER mode in perf_samples.c */
enum { MODE_UNKNOWN, MODE_KERNEL, MODE_USER, MODE_GUEST = 4 };

struct text_samples {
	struct text_import *ti;
	struct perf_file f; /* has only attributes, which are the events */
	struct strbuf facts, kallsyms;
	struct strbuf renames; /* facts: names of tasks */
	bool renamed;          /* one of them is a change */
	struct texts symbols;  /* lines of ->kallsyms */
	struct texts names;    /* address, functions, file */
	INDEXED(u64) addrs;    /* of ->names, different ones */
	INDEXED(s32) threads;  /* whose process is a fact */

	/* the event that is read */
	struct text_line line;
	struct perf_attr *attr; /* of a sample; else NULL */
	bool open;
	u32 skipped;
	struct perf_sample sample;
	u8 mode;
	u64 frames[FRAMES_MAX + 1]; /* [0]: PERF_CONTEXT_KERNEL */
	u32 n_kernel, n;
	struct strbuf inlined; /* functions of the next frame, with a NUL after each */
	u64 inlined_at;
};

/* --- events --- */

bool text_is_sample(const struct text_line *line)
{
	return line->perf && !line->call && !line->system.s && line->event.n;
}

static struct perf_attr *find_attr(struct text_samples *x, struct span event)
{
	return array_find(&x->f.attrs, e, span_same(e->name, event));
}

int text_samples_learn(struct text_samples *x, const struct text_line *line)
{
	struct perf_attr new = { .name = line->event };
	struct text_frame frame;
	u64 addr;

	x->attr = NULL;
	if (!text_is_sample(line))
		return 0;
	x->attr = find_attr(x, line->event);
	if (!x->attr) {
		if (array_push(&x->f.attrs, new))
			return HIST_NOMEM;
		x->attr = &x->f.attrs.v[x->f.attrs.n - 1];
	}
	x->ti->no_period += !line->period;
	if (text_frame_in(line->args, &frame, &addr))
		x->attr->sample_type |= PERF_IP | (addr ? PERF_ADDR : 0);
	return 0;
}

void text_samples_learn_frame(struct text_samples *x)
{
	if (x->attr)
		x->attr->sample_type |= PERF_IP;
	x->ti->has_stacks = true;
}

int text_samples_formats(struct text_samples *x)
{
	struct import_sink *sink = x->ti->job->sink;
	int err = x->ti->has_stacks ? perf_stacks_formats(sink, sink->machine.long_size) : 0;

	for (size_t i = 0; i < x->f.attrs.n && !err; i++)
		err = perf_samples_format(&x->f, &x->f.attrs.v[i], sink);
	return err;
}

/* --- names --- */

/* The last part of a path. */
static struct span base_of(struct span path)
{
	const char *slash = span_rchr(path, '/');

	return slash ? span_between(slash + 1, path.s + path.n) : path;
}

/* What perf means by the file of a frame; MODE_UNKNOWN: the address shows it. */
static u8 mode_of(const struct text_frame *f)
{
	static const char *const programs[] = { "[vdso", "[heap", "[stack", "[vsyscall",
						"[JIT",  "[anon", "[vvar",  "[uprobes" };
	const struct span base = base_of(f->file);

	if (!f->file.n || span_eq(f->file, "[unknown]") || f->inlined)
		return f->addr >> 63 ? MODE_KERNEL : MODE_UNKNOWN;
	for (size_t i = 0; i < ARRAY_SIZE(programs); i++)
		if (span_starts(f->file, programs[i]))
			return MODE_USER;
	if (span_starts(f->file, "[guest"))
		return MODE_GUEST;
	return f->file.s[0] == '[' || span_starts(base, "vmlinux") ||
			       span_starts(base, "bpf_prog_") || span_find(base, span_of(".ko"))
		       ? MODE_KERNEL
		       : MODE_USER;
}

/* Add a symbol of the kernel, for kernel_stack. */
static int add_symbol(struct text_samples *x, const struct text_frame *f, u64 addr)
{
	const u64 start = addr == f->addr && f->offset <= addr ? addr - f->offset : addr;
	const bool module = f->file.n && f->file.s[0] == '[' && !span_starts(f->file, "[kernel");
	const size_t known = x->symbols.v.n;
	scoped(strbuf_release) struct strbuf line = STRBUF_INIT;
	u32 number;
	int err;

	if (!f->symbol.n || memchr(f->symbol.s, ' ', f->symbol.n) || span_starts(f->symbol, "["))
		return 0;
	strbuf_addf(&line, "%016llx t %.*s", start, (int)f->symbol.n, f->symbol.s);
	if (module)
		strbuf_addf(&line, "\t%.*s", (int)f->file.n, f->file.s);
	strbuf_addch(&line, '\n');
	err = line.failed ? HIST_NOMEM : texts_number(&x->symbols, strbuf_span(&line), &number);
	if (!err && number == known)
		strbuf_add(&x->kallsyms, line.s, line.len);
	return err;
}

static int add_name(struct text_samples *x, const struct text_frame *f, struct span functions,
		    bool kernel)
{
	const struct task_fact name = { .kind = TASK_CODE, .text = { functions, f->file } };
	struct task_fact fact = name;
	const u64 number = x->addrs.n; /* that few others of this address have tried */
	u64 addr = f->addr;

	for (u64 i = 0; indexed_has(&x->addrs, addr) && i < TAGS_TRIED; i++)
		addr = f->addr ^ ((number + i) % UINT16_MAX + 1) << TAG_BIT;
	fact.n[0] = addr;
	task_fact_print(&fact, &x->facts);
	if (!indexed_add(&x->addrs, hash_number(addr), addr))
		return HIST_NOMEM;
	return kernel ? add_symbol(x, f, addr) : 0;
}

/*
 * The address in records for a frame: another one if a frame with this address had other names.
 * Functions that are inlined into that of the frame are before it.
 */
static int place_of(struct text_samples *x, const struct text_frame *f, bool kernel, u64 *addr)
{
	const struct span functions = strbuf_span(&x->inlined);
	scoped(strbuf_release) struct strbuf key = STRBUF_INIT;
	u32 number;
	int err;

	*addr = f->addr;
	if (!functions.n)
		return 0;
	strbuf_addf(&key, "%llx %.*s\n", f->addr, (int)f->file.n, f->file.s ? f->file.s : "");
	/* a text has no NUL */
	for (size_t i = 0; i < functions.n; i++)
		strbuf_addch(&key, functions.s[i] ? functions.s[i] : '\n');
	err = key.failed || x->inlined.failed ? HIST_NOMEM : 0;
	err = err ?: texts_number(&x->names, strbuf_span(&key), &number);
	if (!err && number == x->addrs.n)
		err = add_name(x, f, functions, kernel);
	if (!err)
		*addr = x->addrs.v[number];
	return err;
}

/* --- frames --- */

static int add_frame(struct text_samples *x, const struct text_frame *f)
{
	const u8 mode = mode_of(f) ?: MODE_USER;
	/* the order stays: a program's frames follow those of the kernel */
	const bool kernel = mode != MODE_USER && x->n == x->n_kernel;
	u64 addr;
	int err = place_of(x, f, mode != MODE_USER, &addr);

	strbuf_reset(&x->inlined);
	if (err)
		return err;
	if (!x->n) {
		x->sample.ip = addr;
		x->mode = mode;
	}
	if (x->n == FRAMES_MAX)
		return 0;
	x->frames[++x->n] = addr;
	x->n_kernel += kernel;
	return 0;
}

/* Functions whose frame the text does not have. */
static int end_inlined(struct text_samples *x)
{
	const struct text_frame none = { .addr = x->inlined_at };

	return x->inlined.len ? add_frame(x, &none) : 0;
}

int text_samples_frame(struct text_samples *x, const struct text_frame *f)
{
	int err = x->inlined.len && x->inlined_at != f->addr ? end_inlined(x) : 0;

	if (!x->open || err)
		return err;
	if (f->symbol.n || f->file.n) {
		strbuf_add(&x->inlined, f->symbol.n ? f->symbol.s : "[unknown]",
			   f->symbol.n ? f->symbol.n : strlen("[unknown]"));
		strbuf_addch(&x->inlined, '\0');
	}
	x->inlined_at = f->addr;
	return f->inlined ? 0 : add_frame(x, f);
}

/* --- records --- */

int text_samples_end(struct text_samples *x)
{
	struct text_line *line = &x->line;
	u8 rec[PERF_SAMPLE_RECORD] = { 0, 0, line->flags, line->preempt };
	const bool big = x->ti->job->sink->machine.big_endian;
	struct perf_stack stack = { .common = rec, .skipped = x->skipped, .tgid = line->tgid };
	int err = end_inlined(x);

	if (!x->open || err)
		return err;
	x->open = false;
	store_u32(rec + 4, (u32)line->pid, false);
	if (x->attr) {
		const u32 len = perf_samples_record(&x->f, &x->sample, line->pid, x->mode, rec);

		err = text_put(x->ti, line, rec, len);
	}
	/* the line has the only frame of a sample without a call chain */
	if (err || !x->n || (x->attr && span_trim(line->args).n))
		return err;
	x->frames[0] = PERF_CONTEXT_KERNEL;
	for (u32 i = 0; i <= x->n_kernel; i++) /* as in a file */
		store_u64(&x->frames[i], x->frames[i], big);
	stack.ips = (const u8 *)x->frames;
	stack.n_ips = x->n_kernel ? x->n_kernel + 1 : 0;
	stack.user = x->frames + 1 + x->n_kernel;
	stack.n_user = x->n - x->n_kernel;
	stack.ts = x->ti->cpus.v[line->cpu].ts;
	return perf_stacks_put(x->ti->job->sink, line->cpu, &stack);
}

int text_samples_begin(struct text_samples *x, const struct text_line *line)
{
	struct text_frame frame;

	x->attr = text_is_sample(line) ? find_attr(x, line->event) : NULL;
	x->line = *line;
	x->open = true;
	x->skipped = x->attr ? 2 : 1;
	x->sample = (struct perf_sample){ .attr = x->attr,
					  .tgid = line->tgid,
					  .period = line->period ? line->period : 1 };
	x->mode = MODE_UNKNOWN;
	x->n = x->n_kernel = 0;
	return x->attr && text_frame_in(line->args, &frame, &x->sample.addr)
		       ? text_samples_frame(x, &frame)
		       : 0;
}

int text_samples_process(struct text_samples *x, const struct text_line *line)
{
	const struct task_fact fact = { .kind = TASK_OF,
					.pid = line->pid,
					.n = { (u64)line->tgid } };

	if (indexed_has(&x->threads, line->pid))
		return 0;
	task_fact_print(&fact, &x->facts);
	return indexed_add(&x->threads, hash_number((u64)line->pid), line->pid) ? 0 : HIST_NOMEM;
}

/* perf script prints the name that a task had then, also before it executes its first program. */
void text_samples_task(struct text_samples *x, const struct text_line *line, u64 ts)
{
	const struct span old = comm_table_get(&x->ti->job->sink->comms, line->pid);
	const struct task_fact fact = { .kind = TASK_NAME,
					.ts = ts ? ts - 1 : 0,
					.pid = line->pid,
					.text = { old.s ? old : line->comm, line->comm } };

	if (!line->perf || (old.s && span_same(old, line->comm)))
		return;
	x->renamed |= old.s != NULL;
	task_fact_print(&fact, &x->renames);
}

/* --- all --- */

int text_samples_names(struct text_samples *x)
{
	struct task_fact fact = { .kind = TASK_VERSION, .n = { TASK_JOURNAL_VERSION } };
	struct import_sink *sink = x->ti->job->sink;
	scoped(strbuf_release) struct strbuf out = STRBUF_INIT;
	int err = 0;

	if (!x->facts.len && !x->renamed)
		return 0;
	task_fact_print(&fact, &out);
	fact = (struct task_fact){ .kind = TASK_FROM, .text[0] = span_of("text") };
	task_fact_print(&fact, &out);
	strbuf_add(&out, x->facts.s, x->facts.len);
	if (x->renamed)
		strbuf_add(&out, x->renames.s, x->renames.len);
	if (out.failed || x->facts.failed || x->renames.failed || x->kallsyms.failed)
		err = HIST_NOMEM;
	err = err ?: import_sink_option(sink, TRACE_DAT_HIST_TASKS, strbuf_span(&out));
	if (!err && x->kallsyms.len && !sink->kallsyms.n)
		err = import_sink_text(sink, TRACE_DAT_KALLSYMS, strbuf_span(&x->kallsyms));
	return err;
}

struct text_samples *text_samples_new(struct text_import *ti)
{
	struct text_samples *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->ti = ti;
	x->facts = x->renames = x->kallsyms = x->inlined = (struct strbuf)STRBUF_INIT;
	return x;
}

void text_samples_free(struct text_samples *x)
{
	if (!x)
		return;
	array_release(&x->f.attrs);
	texts_release(&x->symbols);
	texts_release(&x->names);
	indexed_release(&x->addrs);
	indexed_release(&x->threads);
	strbuf_release(&x->facts);
	strbuf_release(&x->renames);
	strbuf_release(&x->kallsyms);
	strbuf_release(&x->inlined);
	free(x);
}
