// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The headers of trace and snapshot: names of the columns, and the number of records; for an empty
 * snapshot, how to take one.
 *
 * Corresponds to s_show(), print_func_help_header_irq(), print_trace_header() and
 * print_snapshot_help() in trace.c.
 */
#include "print/trace.h"

static const char columns_latency[] = "#                    _------=> CPU#            \n"
				      "#                   / _-----=> irqs-off/BH-disabled\n"
				      "#                  | / _----=> need-resched    \n"
				      "#                  || / _---=> hardirq/softirq \n"
				      "#                  ||| / _--=> preempt-depth   \n"
				      "#                  |||| / _-=> migrate-disable \n"
				      "#                  ||||| /     delay           \n"
				      "#  cmd     pid     |||||| time  |   caller     \n"
				      "#     \\   /        ||||||  \\    |    /       \n";

static const char snapshot_main[] =
	"# echo 0 > snapshot : Clears and frees snapshot buffer\n"
	"# echo 1 > snapshot : Allocates snapshot buffer, if not already allocated.\n"
	"#                      Takes a snapshot of the main buffer.\n"
	"# echo 2 > snapshot : Clears snapshot buffer (but does not allocate or free)\n";

/* kernel: the text of kernels without CONFIG_RING_BUFFER_ALLOW_SWAP, which is rarely set */
static const char snapshot_cpu[] =
	"# echo 0 > snapshot : Invalid for per_cpu snapshot file.\n"
	"# echo 1 > snapshot : Not supported with this kernel.\n"
	"#                     Must use main snapshot file to allocate.\n"
	"# echo 2 > snapshot : Clears this cpu's snapshot buffer (but does not allocate)\n";

static const char snapshot_other[] =
	"#                      (Doesn't have to be '2' works with any number that\n"
	"#                       is not a '0' or '1')\n";

static void add_columns(struct trace_printer *tp)
{
	struct strbuf *out = &tp->p->buf;
	static const char *const marks[] = {
		"_-----=> irqs-off/BH-disabled", "/ _----=> need-resched",
		"| / _---=> hardirq/softirq",    "|| / _--=> preempt-depth",
		"||| / _-=> migrate-disable",    "|||| /     delay"
	};
	static const u8 indents[] = { 32, 31, 30, 30, 30, 30 };
	/* columns are wider with options/record-tgid */
	bool irq = trace_has(tp, TRACE_ITER_IRQ_INFO);
	bool tgid = trace_has(tp, TRACE_ITER_RECORD_TGID);
	const char *names = tgid ? "       TGID    " : "     ";
	const char *bars = tgid ? "       |       " : "     ";

	if (trace_has(tp, TRACE_ITER_VERBOSE))
		return;
	strbuf_addf(out, "# entries-in-buffer/entries-written: %llu/%llu   #P:%u\n#\n", tp->entries,
		    tp->written, tp->machine->nr_cpus);
	for (size_t i = 0; i < ARRAY_SIZE(marks) && irq; i++)
		strbuf_addf(out, "#%*s%s\n", indents[i] + (tgid ? 10 : 0), "", marks[i]);
	strbuf_addf(out, "#           TASK-PID%sCPU#  %s  TIMESTAMP  FUNCTION\n", names,
		    irq ? "|||||" : " ");
	strbuf_addf(out, "#              | |    %s|   %s     |         |\n", bars,
		    irq ? "|||||" : " ");
}

void print_trace_header(struct trace_printer *tp)
{
	static const char rule[] =
		"--------------------------------------------------------------------";
	struct strbuf *out = &tp->p->buf;

	strbuf_addstr(out, "# tracer: nop\n#\n");
	if (tp->snapshot && !tp->entries) {
		strbuf_addf(out, "#\n# * Snapshot is %s *\n#\n",
			    tp->tr->array_buffer.snapshot_allocated ? "allocated" : "freed");
		strbuf_addstr(out, "# Snapshot commands:\n");
		strbuf_addstr(out, tp->cpu == ARRAY_BUFFER_ALL_CPUS ? snapshot_main : snapshot_cpu);
		strbuf_addstr(out, snapshot_other);
	} else if (trace_has(tp, TRACE_ITER_CONTEXT_INFO) &&
		   !trace_has(tp, TRACE_ITER_LATENCY_FMT)) {
		add_columns(tp);
	} else if (trace_has(tp, TRACE_ITER_CONTEXT_INFO) && tp->entries) {
		/*
		 * kernel: names its preemption model, which a recording does not contain, and a
		 * task, here none
		 */
		strbuf_addf(out, "# nop latency trace v1.1.5 on %s\n# %s\n", tp->machine->release,
			    rule);
		strbuf_addf(
			out,
			"# latency: 0 us, #%llu/%llu, CPU#0 | (M:unknown VP:0, KP:0, SP:0 HP:0 #P:%u)\n",
			tp->entries, tp->written, tp->machine->nr_cpus);
		strbuf_addstr(out, "#    -----------------\n"
				   "#    | task: -0 (uid:0 nice:0 policy:0 rt_prio:0)\n"
				   "#    -----------------\n#\n");
		if (!trace_has(tp, TRACE_ITER_VERBOSE))
			strbuf_addstr(out, columns_latency);
	}
}
