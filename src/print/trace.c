// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The files trace and snapshot: a line for each record of a ring buffer, with the records of all
 * CPUs in time order, each with its task, CPU, context and time.
 *
 * The rings are read in place without consuming them, so the file can be read again.
 *
 * Corresponds to s_show(), print_trace_line() in trace.c, trace_print_context(),
 * trace_print_lat_context() in trace_output.c.
 */
#include "print/trace.h"
#include "ring_writer/ring_writer.h"
#include "ring_buffer/ring_buffer.h"

enum { BATCH = 64 };

/* The flags of a record's header. */
enum trace_flag {
	TRACE_FLAG_IRQS_OFF = 0x01,
	/* TRACE_FLAG_RESCHED_LAZY; before 6.13: it is not known whether interrupts are off */
	TRACE_FLAG_NEED_RESCHED = 0x04,
	TRACE_FLAG_HARDIRQ = 0x08,
	TRACE_FLAG_SOFTIRQ = 0x10,
	TRACE_FLAG_PREEMPT_RESCHED = 0x20,
	TRACE_FLAG_NMI = 0x40,
	TRACE_FLAG_BH_OFF = 0x80,
};

/* Iteration over rings of a buffer. */
struct rings {
	struct ring_buffer_walk *walks;
	struct ring_buffer_iter *iters;
	size_t n; /* number of iterators started */
	struct ring_buffer_merge merge;
	bool merging;
	u64 *shown; /* a bit for each CPU that has had a line */
};

/* --- the columns --- */

void trace_context(char text[CONTEXT_SIZE], u8 flags, u8 preempt, bool lazy)
{
	static const char digits[] = ".123456789abcdef";
	/* index: the sum of 1 for need-resched, 2 for its lazy kind, 4 for preempt-resched */
	static const char resched[] = ".nlbpNLB";
	bool off = flags & TRACE_FLAG_IRQS_OFF, bh = flags & TRACE_FLAG_BH_OFF;
	bool hard = flags & TRACE_FLAG_HARDIRQ, soft = flags & TRACE_FLAG_SOFTIRQ;
	bool unsure = !lazy && flags & TRACE_FLAG_RESCHED_LAZY;

	text[0] = off ? bh ? 'D' : 'd' : bh ? 'b' : unsure ? 'X' : '.';
	text[1] = resched[(flags & TRACE_FLAG_NEED_RESCHED ? 1 : 0) +
			  (lazy && flags & TRACE_FLAG_RESCHED_LAZY ? 2 : 0) +
			  (flags & TRACE_FLAG_PREEMPT_RESCHED ? 4 : 0)];
	text[2] = flags & TRACE_FLAG_NMI ? hard ? 'Z' : 'z'
		  : hard                 ? soft ? 'H' : 'h'
		  : soft                 ? 's'
					 : '.';
	text[3] = digits[preempt & 0xf];
	text[4] = digits[preempt >> 4];
	text[5] = '\0';
}

static void add_context(struct trace_printer *tp, const struct trace_line *line)
{
	char text[CONTEXT_SIZE];

	trace_context(text, line->rec[2], line->rec[3], tp->machine->quirks->resched_lazy);
	strbuf_add(&tp->p->buf, text, CONTEXT_SIZE - 1);
}

static const char *comm_of(const struct trace_printer *tp, s32 pid)
{
	const char *comm = event_saved_comm(tp->machine->db, pid);

	if (comm)
		return comm;
	return pid < 0 ? "<XXX>" : "<...>";
}

/* kernel: to the nearest microsecond */
static u64 usecs(u64 ns)
{
	return ns / 1000 + (ns % 1000 >= 500);
}

static void add_columns(struct trace_printer *tp, const struct trace_line *line)
{
	struct strbuf *out = &tp->p->buf;
	u64 us = usecs(line->ts);

	strbuf_addf(out, "%16s-%-7d ", comm_of(tp, line->pid), line->pid);
	if (trace_has(tp, TRACE_ITER_RECORD_TGID))
		strbuf_addstr(out, "(-------) ");
	tp->n_tgids += trace_has(tp, TRACE_ITER_RECORD_TGID);
	strbuf_addf(out, "[%03u] ", line->cpu);
	if (trace_has(tp, TRACE_ITER_IRQ_INFO))
		add_context(tp, line);
	if (tp->in_ns)
		strbuf_addf(out, " %5llu.%06llu: ", us / 1000000, us % 1000000);
	else
		strbuf_addf(out, " %12llu: ", line->ts);
}

/* options/latency-format with verbose: all columns, in numbers */
static void add_verbose_columns(struct trace_printer *tp, const struct trace_line *line)
{
	struct strbuf *out = &tp->p->buf;
	u64 since = line->ts - tp->start, delay = line->next_ts - line->ts;

	strbuf_addf(out, "%16s %7d %3u %d %08x %08llx ", comm_of(tp, line->pid), line->pid,
		    line->cpu, line->rec[2], line->rec[3] & 0xf, line->number - 1);
	if (!tp->in_ns) {
		strbuf_addf(out, "[%016llx] %lld (+%lld): ", line->ts, since, delay);
		return;
	}
	since = usecs(since);
	delay = usecs(delay);
	strbuf_addf(out, "[%08llx] %llu.%03llums (+%llu.%03llums): ", usecs(line->ts), since / 1000,
		    since % 1000, delay / 1000, delay % 1000);
}

/* The time until the next record: a letter for each power of ten above 10 us. */
static char delay_mark(u64 us)
{
	static const char marks[] = "+!#*@$";
	u64 than = 10;
	char mark = ' ';

	for (size_t i = 0; marks[i] && us > than; i++, than *= 10)
		mark = marks[i];
	return mark;
}

static void add_line(struct trace_printer *tp, const struct trace_line *line)
{
	tp->line_start = tp->p->buf.len;
	if (!trace_has(tp, TRACE_ITER_CONTEXT_INFO)) {
		;
	} else if (!trace_has(tp, TRACE_ITER_LATENCY_FMT)) {
		add_columns(tp, line);
	} else if (trace_has(tp, TRACE_ITER_VERBOSE)) {
		add_verbose_columns(tp, line);
	} else {
		/* options/latency-format: since the first record, and a mark for a long delay */
		struct strbuf *out = &tp->p->buf;
		u64 since = line->ts - tp->start;

		strbuf_addf(out, "%8.8s-%-7d %3u", comm_of(tp, line->pid), line->pid, line->cpu);
		add_context(tp, line);
		if (tp->in_ns)
			strbuf_addf(out, " %4lluus%c: ", usecs(since),
				    delay_mark(usecs(line->next_ts - line->ts)));
		else
			strbuf_addf(out, " %4llu: ", since);
	}
	print_trace_event(tp, line);
}

/* --- the rings --- */

static int rings_start(struct rings *r, const struct trace_printer *tp)
{
	const struct ring_buffer_layout layout = {
		.big_endian = tp->machine->big_endian,
		.long_size = tp->machine->long_size,
		.subbuf_size = ring_buffer_subbuf_size_get(tp->buffer),
	};
	u32 first = tp->cpu == ARRAY_BUFFER_ALL_CPUS ? 0 : tp->cpu;
	u32 end = tp->cpu == ARRAY_BUFFER_ALL_CPUS ? tp->machine->nr_cpus : tp->cpu + 1;
	int err;

	r->walks = calloc(end - first, sizeof(*r->walks));
	r->iters = calloc(end - first, sizeof(*r->iters));
	r->shown = calloc(bits_words(end), sizeof(*r->shown));
	if (!r->walks || !r->iters || !r->shown)
		return HIST_NOMEM;
	for (u32 cpu = first; cpu < end; cpu++) {
		struct ring_buffer_stats stats;

		ring_buffer_stats(tp->buffer, cpu, &stats);
		if (!stats.entries)
			continue;
		r->walks[r->n] = (struct ring_buffer_walk){ .buffer = tp->buffer, .cpu = cpu };
		ring_buffer_iter_init(&r->iters[r->n], &layout, cpu, ring_buffer_walk_page,
				      &r->walks[r->n]);
		r->n++;
	}
	err = ring_buffer_merge_init(&r->merge, r->iters, r->n);
	r->merging = !err;
	return err;
}

/* A record is printed when the time of the next one is known; its bytes are in its ring's copy. */
struct waiting {
	struct trace_line line;
	struct strbuf bytes;
	bool any;
};

static void print_waiting(struct trace_printer *tp, struct rings *r, struct waiting *w, u64 next_ts)
{
	if (!w->any)
		return;
	w->line.next_ts = next_ts;
	trace_find_type(tp, &w->line);
	if (!(trace_has(tp, TRACE_ITER_PRINTK) && trace_has(tp, TRACE_ITER_PRINTK_MSGONLY) &&
	      print_trace_message(tp, &w->line)) &&
	    !print_trace_raw(tp, &w->line)) {
		/* kernel: marks the first line of a CPU if records were overwritten */
		const struct trace_line *line = &w->line;

		if (!bits_has(r->shown, line->cpu)) {
			bits_add(r->shown, line->cpu);
			if (trace_has(tp, TRACE_ITER_ANNOTATE) && tp->entries != tp->written &&
			    line->number > 2)
				strbuf_addf(&tp->p->buf, "##### CPU %u buffer started ####\n",
					    line->cpu);
		}
		add_line(tp, &w->line);
	}
	printer_flush(tp->p);
	w->any = false;
}

static void take_record(struct trace_printer *tp, struct rings *r, struct waiting *w,
			const struct ring_buffer_merged *m)
{
	const struct ring_buffer_record *rec = m->rec;

	print_waiting(tp, r, w, rec->ts);
	if (rec->len < 8)
		return;
	if (!w->line.number)
		tp->start = rec->ts;
	strbuf_reset(&w->bytes);
	strbuf_add(&w->bytes, rec->data, rec->len);
	if (w->bytes.failed) {
		tp->p->err = HIST_NOMEM;
		return;
	}
	w->line = (struct trace_line){
		.rec = (const u8 *)w->bytes.s,
		.len = rec->len,
		.cpu = r->iters[m->index].cpu,
		.ts = rec->ts,
		.number = w->line.number + 1,
		.pid = (s32)load_u32(rec->data + 4, tp->machine->big_endian),
	};
	w->any = true;
}

static int print_buffer(struct trace_printer *tp)
{
	struct rings rings = { .n = 0 };
	int err = rings_start(&rings, tp);

	if (!err) {
		struct ring_buffer_merged some[BATCH];
		struct waiting w = { .bytes = STRBUF_INIT };
		int n;

		for (u32 cpu = 0; cpu < tp->machine->nr_cpus; cpu++) {
			struct ring_buffer_stats stats;

			ring_buffer_stats(tp->buffer, cpu, &stats);
			tp->entries += stats.entries;
			tp->written += stats.entries + stats.overrun;
		}
		print_trace_header(tp);
		n = 0;
		while (!tp->p->err && (n = ring_buffer_merge_next(&rings.merge, some, BATCH)) > 0)
			for (int i = 0; i < n; i++)
				take_record(tp, &rings, &w, &some[i]);
		print_waiting(tp, &rings, &w, w.line.ts);
		strbuf_release(&w.bytes);
		err = n < 0 ? n : 0;
	}
	if (rings.merging)
		ring_buffer_merge_release(&rings.merge);
	free(rings.walks);
	free(rings.iters);
	free(rings.shown);
	return err;
}

/* @unhashed: pointers that a kernel would have hashed */
static void say_what_differs(const struct trace_printer *tp, u64 unhashed, struct diags *diags)
{
	if (tp->n_fields)
		diags_add(
			diags, DIAG_NOTE,
			"%llu lines, such as those of %s, show the fields of the event, because its print fmt needs more than a recording contains",
			tp->n_fields, tp->fields_name);
	if (tp->n_nowhere)
		diags_add(
			diags, DIAG_NOTE,
			"%llu lines of event probes, such as %s, show (?) for the attached event: only the line that defined the probe names it, so write that line to dynamic_events first",
			tp->n_nowhere, tp->nowhere_name);
	if (tp->n_pointers)
		diags_add(
			diags, DIAG_NOTE,
			"%llu pointers to strings are shown as recorded; the kernel shows another address, or a text that the recording does not contain",
			(unsigned long long)tp->n_pointers);
	if (tp->n_tgids)
		diags_add(
			diags, DIAG_WARNING,
			"%llu thread groups are shown as (-------): a recording does not contain saved_tgids",
			tp->n_tgids);
	if (unhashed && trace_has(tp, TRACE_ITER_HASH_PTR))
		diags_add(
			diags, DIAG_NOTE,
			"%llu pointers (%%p) are shown as recorded; the kernel shows a hash that only it can compute, unless echo 0 > options/hash-ptr",
			(unsigned long long)unhashed);
}

int print_trace(struct printer *p, struct trace_print *print, struct diags *diags)
{
	struct trace_array *tr = print->tr;
	struct trace_printer tp = {
		.p = p,
		.tr = tr,
		.machine = &tr->tracing->machine,
		.cpu = print->cpu,
		.snapshot = print->snapshot,
		.in_ns = !trace_clock_counts(tr->tracing->machine.clock),
	};
	u64 unhashed = event_db_unhashed(tp.machine->db);
	int err = 0;

	tp.buffer = tp.snapshot ? tr->array_buffer.max_buffer : tr->array_buffer.buffer;
	if (tp.buffer)
		err = print_buffer(&tp);
	else
		print_trace_header(&tp);
	print->entries = tp.entries;
	print->written = tp.written;
	say_what_differs(&tp, event_db_unhashed(tp.machine->db) - unhashed, diags);
	arena_release(&tp.arena);
	free(tp.types);
	printer_flush(p);
	return err;
}
