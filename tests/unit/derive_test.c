// SPDX-License-Identifier: LGPL-2.1-only
/* Derived events: waits, delays, states and run queues of known schedules; losses; all plans. */
#include "random.h"
#include "replay_recording.h"

#define SWITCH(cpu, ts, prev, state, next) SWITCH_(cpu, ts, prev, state, next)
#define SWITCH_(cpu_, ts, prev, state, next)                                            \
	{                                                                               \
		.event = "sched:sched_switch", .cpu = (cpu_),                           \
		.fields = "common_pid=" #prev " prev_pid=" #prev " prev_comm=t" #prev   \
			  " prev_state=" #state " next_pid=" #next " next_comm=t" #next \
			  " @ts=" #ts                                                   \
	}
#define WOKEN(event_, cpu_, ts, by, pid, on)                                           \
	{                                                                              \
		.event = "sched:" event_, .cpu = (cpu_),                               \
		.fields = "common_flags=1 common_pid=" #by " pid=" #pid " comm=t" #pid \
			  " target_cpu=" #on " @ts=" #ts                               \
	}
#define WAKING(cpu_, ts, by, pid, on) WOKEN("sched_waking", cpu_, ts, by, pid, on)
#define WAKEUP(cpu_, ts, by, pid, on) WOKEN("sched_wakeup", cpu_, ts, by, pid, on)

/* Values of prev_state: S, R+. */
#define SLEEPS    1
#define PREEMPTED 256

/* clang-format off */
static const char format_wakeup_new[] =
	"name: sched_wakeup_new\nID: 110\n" COMMON
	FIELD("char comm[16]", 8, 16, 0)
	FIELD("pid_t pid", 24, 4, 1)
	FIELD("int prio", 28, 4, 1)
	FIELD("int target_cpu", 32, 4, 1)
	"\nprint fmt: \"comm=%s\", REC->comm\n";

static const char format_fork[] =
	"name: sched_process_fork\nID: 111\n" COMMON
	FIELD("char parent_comm[16]", 8, 16, 0)
	FIELD("pid_t parent_pid", 24, 4, 1)
	FIELD("char child_comm[16]", 28, 16, 0)
	FIELD("pid_t child_pid", 44, 4, 1)
	"\nprint fmt: \"comm=%s\", REC->parent_comm\n";
/* clang-format on */

/* clang-format off */
static const char format_irq_entry[] =
	"name: irq_handler_entry\nID: 112\n" COMMON
	FIELD("int irq", 8, 4, 1)
	FIELD("__data_loc char[] name", 12, 4, 0)
	"\nprint fmt: \"irq=%d\", REC->irq\n";

static const char format_irq_exit[] =
	"name: irq_handler_exit\nID: 113\n" COMMON
	FIELD("int irq", 8, 4, 1)
	FIELD("int ret", 12, 4, 1)
	"\nprint fmt: \"irq=%d\", REC->irq\n";

static const char format_softirq_entry[] =
	"name: softirq_entry\nID: 114\n" COMMON
	FIELD("unsigned int vec", 8, 4, 0)
	"\nprint fmt: \"%s\", __print_symbolic(REC->vec, { 1, \"TIMER\" }, { 7, \"SCHED\" })\n";

static const char format_softirq_exit[] =
	"name: softirq_exit\nID: 115\n" COMMON
	FIELD("unsigned int vec", 8, 4, 0)
	"\nprint fmt: \"%u\", REC->vec\n";
/* clang-format on */

#define FORMAT(id, system, name, text)                                             \
	{                                                                          \
		system, { name, sizeof(name) - 1 }, { text, sizeof(text) - 1 }, id \
	}

static const struct event_text formats[] = {
	FORMAT(110, "sched", "sched_wakeup_new", format_wakeup_new),
	FORMAT(111, "sched", "sched_process_fork", format_fork),
	FORMAT(112, "irq", "irq_handler_entry", format_irq_entry),
	FORMAT(113, "irq", "irq_handler_exit", format_irq_exit),
	FORMAT(114, "irq", "softirq_entry", format_softirq_entry),
	FORMAT(115, "irq", "softirq_exit", format_softirq_exit),
	{ .system = NULL },
};

static const char print_waits[] = "echo 'hist:keys=pid,kind,migrated:vals=ns:sort=pid' > "
				  "events/derived/wait/trigger\n"
				  "cat events/derived/wait/hist\n";

/* The rows of the histograms that a script prints, without what is the same for all. */
static void rows_are(const struct recording_of *of, bool open, const char *script, const char *rows,
		     const char *said)
{
	static const enum hist_plan plans[] = { HIST_PLAN_AUTO, HIST_PLAN_ORDER, HIST_PLAN_PLAIN };

	recording_write("d.dat", of);
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct strbuf out = STRBUF_INIT, diags = STRBUF_INIT, got = STRBUF_INIT;
		struct run run = { .inputs = { "d.dat" },
				   .options = { .plan = plans[i], .jobs = 2, .unlimited = true },
				   .open_intervals = open,
				   .doubtful = strstr(said, "warning") };
		struct span rest;
		int err;

		err = run_text(&run, script, &out, &diags);
		rest = (struct span){ out.s, out.len };
		while (rest.s) {
			struct span line = span_sep(&rest, "\n");

			if (!span_starts(line, "{"))
				continue;
			for (size_t k = 0; k < line.n; k++)
				if (line.s[k] != ' ')
					strbuf_addch(&got, line.s[k]);
			strbuf_addch(&got, '\n');
		}
		if (err || !strstr(diags.s ? diags.s : "", said) || (!*said && diags.len))
			printf("%s\n", diags.s);
		assert_int_equal(err, 0);
		assert_string_equal(got.s ? got.s : "", rows);
		assert_non_null(strstr(diags.s ? diags.s : "", said));
		assert_true(*said || !diags.len);
		strbuf_release(&out);
		strbuf_release(&diags);
		strbuf_release(&got);
	}
}

#define RECORDING_OF(lines_) \
	(&(struct recording_of){ .lines = lines_, .n = ARRAY_SIZE(lines_), .formats = formats })

#define rows(lines, script, rows_, said) rows_are(RECORDING_OF(lines), false, script, rows_, said)

#define open_rows(lines, script, rows_, said) \
	rows_are(RECORDING_OF(lines), true, script, rows_, said)

static void test_waits(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 0, 0, 7),         WAKING(0, 1100, 7, 8, 0), /* waits for 7 */
		SWITCH(0, 1400, 7, PREEMPTED, 8),                           /* 8: 300 */
		SWITCH(0, 1900, 8, SLEEPS, 7),                              /* 7: 500 */
		WAKING(0, 2000, 7, 8, 1),                                   /* another CPU */
		SWITCH(1, 2250, 0, 0, 8),                                   /* 8: 250 */
		SWITCH(1, 2300, 8, SLEEPS, 0),    SWITCH(1, 2900, 0, 0, 8), /* nobody woke it */
	};

	(void)state;
	rows(lines, print_waits,
	     "{pid:7,kind:preempted,migrated:0}hitcount:1ns:500\n"
	     "{pid:8,kind:woken,migrated:0}hitcount:2ns:550\n",
	     "note 2: 1 interval was left out, because its beginning or end was not recorded");
}

/* A task that is woken while it runs goes on, or is woken on its way to sleep. */
static void test_woken_while_running(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 0, 0, 7),      WAKING(1, 1100, 0, 7, 0), /* it goes on */
		WAKEUP(1, 1110, 0, 7, 0),      SWITCH(0, 1200, 7, SLEEPS, 0),
		WAKING(0, 1500, 0, 7, 0),      SWITCH(0, 1600, 0, 0, 7), /* 100 */
		WAKING(1, 1690, 0, 7, 0),      /* while it is leaving the CPU */
		SWITCH(0, 1700, 7, SLEEPS, 9), /* runnable from now on */
		SWITCH(0, 1950, 9, SLEEPS, 7), /* 250 */
	};

	(void)state;
	rows(lines,
	     "echo 'hist:keys=pid,ns:sort=ns' > events/derived/wait/trigger\n"
	     "echo 'hist:keys=culprit_pid:vals=ns:sort=culprit_pid' > events/derived/delay/trigger\n"
	     "cat events/derived/wait/hist\n"
	     "cat events/derived/delay/hist\n",
	     "{pid:7,ns:100}hitcount:1\n{pid:7,ns:250}hitcount:1\n"
	     "{culprit_pid:0}hitcount:1ns:100\n{culprit_pid:9}hitcount:1ns:250\n",
	     "");
}

/* Without sched_waking, a wakeup begins with sched_wakeup. */
static void test_wakeup(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 7, SLEEPS, 0), WAKEUP(0, 1100, 0, 7, 0),
		SWITCH(0, 1300, 0, 0, 7),      WAKEUP(0, 1350, 0, 7, 0),
		SWITCH(0, 1400, 7, SLEEPS, 0), WAKEUP(0, 1900, 0, 7, 0),
		SWITCH(0, 1910, 0, 0, 7),
	};

	(void)state;
	rows(lines, print_waits, "{pid:7,kind:woken,migrated:0}hitcount:2ns:210\n",
	     "note 2: sched:sched_waking was not recorded: a task waits from sched:sched_wakeup on, so "
	     "waits are shorter by the time that waking takes");
}

/* The delays of a wait add up to it; a task that moves is delayed by those of its new CPU. */
static void test_delays(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 0, 0, 5),
		SWITCH(1, 1000, 0, 0, 6),
		WAKING(0, 1100, 5, 7, 0),
		SWITCH(0, 1300, 5, PREEMPTED, 8), /* 7: 200 because of 5 */
		WAKEUP(1, 1350, 6, 7, 1),         /* 50 of 8, from now on on CPU 1 */
		SWITCH(1, 1850, 6, SLEEPS, 9),    /* 500 of 6 */
		SWITCH(1, 1900, 9, SLEEPS, 0),    /* 50 of 9 */
		SWITCH(1, 1907, 0, 0, 7),         /* 7 of the idle CPU */
	};

	(void)state;
	rows(lines,
	     "echo 'hist:keys=culprit_comm:vals=ns:sort=culprit_comm if victim_pid == 7' > events/derived/delay/trigger\n"
	     "echo 'hist:keys=migrated,cpu:vals=ns if pid == 7' > events/derived/wait/trigger\n"
	     "cat events/derived/delay/hist\n"
	     "cat events/derived/wait/hist\n",
	     /* CPU 1 has 7 on its run queue, and chose to be idle */
	     "{culprit_comm:real-time,deduced}hitcount:1ns:7\n{culprit_comm:t5}hitcount:1ns:200\n"
	     "{culprit_comm:t6}hitcount:1ns:500\n{culprit_comm:t8}hitcount:1ns:50\n"
	     "{culprit_comm:t9}hitcount:1ns:50\n"
	     "{migrated:1,cpu:1}hitcount:1ns:807\n",
	     "");
}

#define PRIO_SWITCH(ts, prev, prio, state, next, next_prio)                            \
	{                                                                              \
		.event = "sched:sched_switch",                                         \
		.fields = "common_pid=" #prev " prev_pid=" #prev " prev_comm=t" #prev  \
			  " prev_prio=" #prio " prev_state=" #state " next_pid=" #next \
			  " next_comm=t" #next " next_prio=" #next_prio " @ts=" #ts    \
	}

/* A CPU that runs tasks of lower classes does so because those of higher ones may not run. */
static void test_budgets(void **state)
{
	static const struct event_line lines[] = {
		PRIO_SWITCH(1000, 0, 120, 0, 7, -1),
		PRIO_SWITCH(1100, 7, -1, 256, 5, 120), /* 7 is held from now on */
		PRIO_SWITCH(1400, 5, 120, 1, 0, 120),
		PRIO_SWITCH(1500, 0, 120, 0, 6, 49),
		PRIO_SWITCH(1600, 6, 49, 256, 7, -1), /* 6 is not: 7 is of a higher class */
		PRIO_SWITCH(1650, 7, -1, 1, 6, 49),
		PRIO_SWITCH(1700, 6, 49, 1, 8, 120),
		PRIO_SWITCH(1800, 8, 120, 256, 9, 120), /* one of the same class */
		PRIO_SWITCH(1900, 9, 120, 1, 8, 120),
		WAKING(0, 1910, 8, 7, 0), /* 7 is not on the run queue yet */
		PRIO_SWITCH(1920, 8, 120, 1, 10, 120),
		PRIO_SWITCH(1950, 10, 120, 1, 7, -1),
	};

	(void)state;
	rows(lines,
	     "echo 'hist:keys=victim_pid,culprit_kind,culprit_comm,reason,culprit_prio:vals=ns:sort=victim_pid,ns' > "
	     "events/derived/delay/trigger\n"
	     "cat events/derived/delay/hist\n",
	     "{victim_pid:6,culprit_kind:task,culprit_comm:t7,reason:task,culprit_prio:-1}hitcount:1ns:50\n"
	     "{victim_pid:7,culprit_kind:task,culprit_comm:t8,reason:task,culprit_prio:120}hitcount:1ns:10\n"
	     "{victim_pid:7,culprit_kind:task,culprit_comm:t10,reason:task,culprit_prio:120}hitcount:1ns:30\n"
	     "{victim_pid:7,culprit_kind:budget,culprit_comm:deadline,deduced,reason:throttled,culprit_prio:0}"
	     "hitcount:1ns:500\n"
	     "{victim_pid:8,culprit_kind:task,culprit_comm:t9,reason:task,culprit_prio:120}hitcount:1ns:100\n",
	     "");
	rows(lines,
	     "echo 'hist:keys=pid,reason,waker_pid,waker_comm:vals=ns:sort=pid,ns' > events/derived/wait/trigger\n"
	     "cat events/derived/wait/hist\n",
	     "{pid:6,reason:task,waker_pid:0,waker_comm:}hitcount:1ns:50\n"
	     "{pid:7,reason:task,waker_pid:8,waker_comm:t8}hitcount:1ns:40\n"
	     "{pid:7,reason:throttled,waker_pid:0,waker_comm:}hitcount:1ns:500\n"
	     "{pid:8,reason:task,waker_pid:0,waker_comm:}hitcount:1ns:100\n",
	     "");
}

/* A deadline task that is held back at the end of a wait was so from its begin on. */
static void test_spent_budget(void **state)
{
	static const struct event_line lines[] = {
		PRIO_SWITCH(1000, 0, 120, 0, 7, -1),
		PRIO_SWITCH(1100, 7, -1, 256, 11, -1),
		PRIO_SWITCH(1200, 11, -1, 1, 5, 120), /* 7 is held, since 1100 */
		PRIO_SWITCH(1300, 5, 120, 256, 13, -1),
		PRIO_SWITCH(1400, 13, -1, 1, 5, 120), /* and still is */
		PRIO_SWITCH(1500, 5, 120, 256, 12, -1),
		PRIO_SWITCH(1600, 12, -1, 1, 7, -1),
		PRIO_SWITCH(1700, 7, -1, 256, 14, -1),
		PRIO_SWITCH(1800, 14, -1, 1, 7, -1), /* it was not */
		PRIO_SWITCH(1900, 7, -1, 256, 6, 49),
		PRIO_SWITCH(2000, 6, 49, 256, 15, -1),
		PRIO_SWITCH(2100, 15, -1, 1, 5, 120), /* 6 was allowed to run before this */
		PRIO_SWITCH(2200, 5, 120, 256, 6, 49),
		WAKING(0, 2290, 6, 9, 0),
		PRIO_SWITCH(2300, 6, 49, 1, 7, -1),
	};

	(void)state;
	rows(lines,
	     "echo 'hist:keys=victim_pid,culprit_kind,culprit_comm:vals=ns:sort=victim_pid,ns' > events/derived/delay/trigger\n"
	     "cat events/derived/delay/hist\n",
	     "{victim_pid:5,culprit_kind:task,culprit_comm:t12}hitcount:1ns:100\n"
	     "{victim_pid:5,culprit_kind:task,culprit_comm:t13}hitcount:1ns:100\n"
	     "{victim_pid:5,culprit_kind:task,culprit_comm:t14}hitcount:1ns:100\n"
	     "{victim_pid:5,culprit_kind:task,culprit_comm:t15}hitcount:1ns:100\n"
	     "{victim_pid:5,culprit_kind:task,culprit_comm:t6}hitcount:1ns:100\n"
	     "{victim_pid:5,culprit_kind:task,culprit_comm:t7}hitcount:1ns:200\n"
	     "{victim_pid:6,culprit_kind:budget,culprit_comm:real-time,deduced}hitcount:1ns:100\n"
	     "{victim_pid:6,culprit_kind:task,culprit_comm:t15}hitcount:1ns:100\n"
	     "{victim_pid:7,culprit_kind:task,culprit_comm:t12}hitcount:1ns:100\n"
	     "{victim_pid:7,culprit_kind:task,culprit_comm:t14}hitcount:1ns:100\n"
	     "{victim_pid:7,culprit_kind:budget,culprit_comm:deadline,deduced}hitcount:2ns:800\n",
	     "");
}

#define IRQ(event_, ts, pid, fields_)                                                        \
	{                                                                                    \
		.event = "irq:" event_, .fields = "common_pid=" #pid " " fields_ " @ts=" #ts \
	}

/* Interrupts delay, too: their own time, without that of those in them. */
static void test_interrupts(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 0, 0, 5),
		IRQ("softirq_entry", 1050, 5, "vec=1"),
		WAKING(0, 1100, 5, 7, 0),
		IRQ("irq_handler_entry", 1110, 5, "irq=9 name=disk"),
		IRQ("irq_handler_exit", 1117, 5, "irq=9"),
		IRQ("softirq_exit", 1160, 5, "vec=1"), /* 10 + 43 of TIMER, 7 of disk */
		IRQ("softirq_entry", 1170, 5, "vec=7"),
		WAKEUP(0, 1190, 5, 7, 1), /* it is moved in the interrupt: 10 of 5, 20 of SCHED */
		IRQ("softirq_exit", 1200, 5, "vec=7"),
		SWITCH(1, 1290, 0, 0, 7), /* 100 of the idle CPU */
		WAKING(0, 1300, 5, 8, 0),
		IRQ("softirq_entry", 1310, 5, "vec=7"), /* its end is missing: 90 are unknown */
		SWITCH(0, 1400, 5, SLEEPS, 8),
	};

	(void)state;
	rows(lines,
	     "echo 'hist:keys=victim_pid,culprit_kind,culprit_comm,culprit_pid:vals=ns:sort=victim_pid,ns' > "
	     "events/derived/delay/trigger\n"
	     "echo 'hist:keys=pid:vals=ns:sort=pid' > events/derived/wait/trigger\n"
	     "cat events/derived/delay/hist\n"
	     "cat events/derived/wait/hist\n",
	     "{victim_pid:7,culprit_kind:irq,culprit_comm:disk,culprit_pid:0}hitcount:1ns:7\n"
	     "{victim_pid:7,culprit_kind:task,culprit_comm:t5,culprit_pid:5}hitcount:1ns:10\n"
	     "{victim_pid:7,culprit_kind:softirq,culprit_comm:SCHED,culprit_pid:0}hitcount:1ns:20\n"
	     "{victim_pid:7,culprit_kind:softirq,culprit_comm:TIMER,culprit_pid:0}hitcount:1ns:53\n"
	     "{victim_pid:7,culprit_kind:idle,culprit_comm:swapper,culprit_pid:0}hitcount:1ns:100\n"
	     "{victim_pid:8,culprit_kind:task,culprit_comm:t5,culprit_pid:5}hitcount:1ns:10\n"
	     "{victim_pid:8,culprit_kind:unknown,culprit_comm:unknown,culprit_pid:0}hitcount:1ns:90\n"
	     "{pid:7}hitcount:1ns:190\n{pid:8}hitcount:1ns:100\n",
	     "");
}

/* A switch is missing: it is unknown who ran, and the depth is right after it. */
static void test_missing_switch(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 7, SLEEPS, 0), WAKING(0, 1100, 0, 8, 0),
		SWITCH(0, 1400, 5, SLEEPS, 8),                                /* but it was idle */
		WAKING(0, 1500, 8, 9, 0),      SWITCH(0, 1600, 6, SLEEPS, 9), /* but 8 ran */
		SWITCH(0, 1700, 9, SLEEPS, 0), WAKING(0, 1800, 0, 9, 0),
	};

	(void)state;
	rows(lines,
	     "echo 'hist:keys=victim_pid,culprit_comm:vals=ns:sort=victim_pid' > events/derived/delay/trigger\n"
	     "echo 'hist:keys=depth,ns:sort=depth,ns' > events/derived/runqueue/trigger\n"
	     "cat events/derived/delay/hist\n"
	     "cat events/derived/runqueue/hist\n",
	     "{victim_pid:8,culprit_comm:unknown}hitcount:1ns:300\n"
	     "{victim_pid:9,culprit_comm:unknown}hitcount:1ns:100\n"
	     "{depth:0,ns:100}hitcount:2\n{depth:1,ns:100}hitcount:2\n",
	     "3 intervals were left out, because their beginning or end was not recorded");
}

/* A task runs elsewhere than it waited, and no event moved it: who delayed it is unknown. */
static void test_unknown_move(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 0, 0, 7),
		SWITCH(1, 1100, 0, 0, 8),
		SWITCH(0, 1200, 7, PREEMPTED, 9),
		SWITCH(1, 1500, 8, SLEEPS, 7),
	};

	(void)state;
	rows(lines,
	     "echo 'hist:keys=victim_pid,culprit_kind,culprit_comm:vals=ns' > events/derived/delay/trigger\n"
	     "cat events/derived/delay/hist\n",
	     "{victim_pid:7,culprit_kind:unknown,culprit_comm:unknown}hitcount:1ns:300\n",
	     "sched:sched_waking was not recorded");
}

/* A task that waits is not woken again before it ran: then a switch was not recorded, as with -F.
 */
static void test_woken_twice(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 7, SLEEPS, 5),
		WAKING(0, 1100, 5, 7, 0),
		WAKING(0, 5000, 5, 7, 0),
		SWITCH(0, 5300, 5, PREEMPTED, 7),
	};

	(void)state;
	rows(lines, print_waits, "{pid:7,kind:woken,migrated:0}hitcount:1ns:300\n",
	     "1 interval was left out, because its beginning or end was not recorded");
}

static void test_states(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 0, 0, 7), SWITCH(0, 1200, 7, SLEEPS, 8), WAKING(0, 1700, 8, 7, 0),
		SWITCH(0, 1800, 8, 2, 7), SWITCH(0, 1900, 7, 16, 0),
	};

	(void)state;
	rows(lines,
	     "echo 'hist:keys=pid,state,next_state:vals=ns:sort=pid,ns' > "
	     "events/derived/task_state/trigger\n"
	     "echo 'hist:keys=waker_comm' >> events/derived/task_state/trigger\n"
	     "cat events/derived/task_state/hist\n",
	     "{pid:7,state:running,next_state:dead}hitcount:1ns:100\n"
	     "{pid:7,state:woken,next_state:running}hitcount:1ns:100\n"
	     "{pid:7,state:running,next_state:sleeping}hitcount:1ns:200\n"
	     "{pid:7,state:sleeping,next_state:woken}hitcount:1ns:500\n"
	     "{pid:8,state:running,next_state:disk}hitcount:1ns:600\n"
	     "{waker_comm:t8}hitcount:1\n{waker_comm:}hitcount:4\n",
	     "");
}

/* Known from the first time at which the CPU was idle. */
static void test_runqueue(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 7, SLEEPS, 0),    WAKING(0, 1100, 0, 8, 0),      /* 0: 100 */
		SWITCH(0, 1150, 0, 0, 8),         WAKING(0, 1200, 8, 9, 0),      /* 1: 100 */
		SWITCH(0, 1500, 8, PREEMPTED, 9),                                /* 2: 800 */
		SWITCH(0, 2000, 9, SLEEPS, 8),    SWITCH(0, 2600, 8, SLEEPS, 0), /* 1: 600 */
		WAKING(0, 2650, 0, 8, 0),                                        /* 0: 50 */
	};

	(void)state;
	rows(lines,
	     "echo 'hist:keys=cpu,depth:vals=ns:sort=depth' > events/derived/runqueue/trigger\n"
	     "cat events/derived/runqueue/hist\n",
	     "{cpu:0,depth:0}hitcount:2ns:150\n{cpu:0,depth:1}hitcount:2ns:700\n"
	     "{cpu:0,depth:2}hitcount:1ns:800\n",
	     "");
}

/* Nothing is derived from what spans a loss, up to the next record of the CPU that lost events. */
static void test_losses(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 0, 0, 5),
		WAKING(0, 1100, 5, 7, 1),
		SWITCH(1, 1200, 0, 0, 7),
		/* after 1300, CPU 1 loses events: 7 may have run there */
		SWITCH(1, 1300, 7, SLEEPS, 0),
		{ .cpu = 1, .lost = 3 },
		WAKING(0, 1250, 5, 8, 1), /* waits: spans the loss */
		WAKING(0, 1400, 5, 7, 0),
		SWITCH(0, 1500, 5, PREEMPTED, 7),
		SWITCH(1, 2000, 8, SLEEPS, 0),
		WAKING(0, 2100, 7, 8, 1),
		SWITCH(1, 2150, 0, 0, 8),
	};

	(void)state;
	rows(lines, print_waits,
	     "{pid:7,kind:woken,migrated:0}hitcount:1ns:100\n"
	     "{pid:8,kind:woken,migrated:0}hitcount:1ns:50\n",
	     "warning 2: 2 intervals were left out, because they span lost events; ");
}

static const char print_open[] =
	"echo 'hist:keys=pid,state,next_state,ns,open:sort=pid,ns,next_state' > "
	"events/derived/task_state/trigger\n"
	"echo 'hist:keys=pid,kind,cpu,ns,open:sort=pid,ns' > events/derived/wait/trigger\n"
	"echo 'hist:keys=victim_pid,culprit_pid,ns,open:sort=victim_pid,ns,culprit_pid' > "
	"events/derived/delay/trigger\n"
	"echo 'hist:keys=cpu,depth,ns,open:sort=cpu,ns if open != \"no\"' > "
	"events/derived/runqueue/trigger\n"
	"cat events/derived/task_state/hist\n"
	"cat events/derived/wait/hist\n"
	"cat events/derived/delay/hist\n"
	"cat events/derived/runqueue/hist\n";

/* What was going on at the start and is at the end, as far as it is in the recording. */
static void test_open(void **state)
{
	static const struct event_line lines[] = {
		WAKING(0, 1000, 5, 7, 0),      /* 7 runs elsewhere, or sleeps */
		SWITCH(0, 1100, 5, SLEEPS, 7), /* 5 ran for 100 */
		WOKEN("sched_wakeup_new", 0, 1150, 7, 9, 0),
		WAKING(0, 1200, 7, 8, 0),         /* it slept: CPU 0 runs 7 */
		SWITCH(0, 1300, 7, PREEMPTED, 6), /* 6 waited for 300 */
		SWITCH(0, 1600, 6, 16, 0),        /* 6 exits */
		SWITCH(0, 1700, 0, 0, 9),         /* CPU 0 was idle: 7, 8 wait */
		WAKEUP(1, 2000, 4, 3, 1),
	};

	(void)state;
	open_rows(lines, print_open,
		  "{pid:3,state:woken,next_state:unknown,ns:0,open:both}hitcount:1\n"
		  "{pid:5,state:running,next_state:sleeping,ns:100,open:start}hitcount:1\n"
		  "{pid:5,state:sleeping,next_state:unknown,ns:900,open:end}hitcount:1\n"
		  "{pid:6,state:running,next_state:dead,ns:300,open:no}hitcount:1\n"
		  "{pid:6,state:unknown,next_state:running,ns:300,open:start}hitcount:1\n"
		  "{pid:7,state:woken,next_state:running,ns:100,open:no}hitcount:1\n"
		  "{pid:7,state:running,next_state:preempted,ns:200,open:no}hitcount:1\n"
		  "{pid:7,state:preempted,next_state:unknown,ns:700,open:end}hitcount:1\n"
		  "{pid:8,state:unknown,next_state:woken,ns:200,open:start}hitcount:1\n"
		  "{pid:8,state:woken,next_state:unknown,ns:800,open:end}hitcount:1\n"
		  "{pid:9,state:running,next_state:unknown,ns:300,open:end}hitcount:1\n"
		  "{pid:9,state:new,next_state:running,ns:550,open:no}hitcount:1\n"
		  "{pid:3,kind:woken,cpu:1,ns:0,open:both}hitcount:1\n"
		  "{pid:6,kind:unknown,cpu:0,ns:300,open:start}hitcount:1\n"
		  "{pid:7,kind:woken,cpu:0,ns:100,open:no}hitcount:1\n"
		  "{pid:7,kind:preempted,cpu:0,ns:700,open:end}hitcount:1\n"
		  "{pid:8,kind:woken,cpu:0,ns:800,open:end}hitcount:1\n"
		  "{pid:9,kind:new,cpu:0,ns:550,open:no}hitcount:1\n"
		  "{victim_pid:7,culprit_pid:0,ns:100,open:end}hitcount:1\n"
		  "{victim_pid:7,culprit_pid:5,ns:100,open:no}hitcount:1\n"
		  "{victim_pid:7,culprit_pid:6,ns:300,open:end}hitcount:1\n"
		  "{victim_pid:7,culprit_pid:9,ns:300,open:end}hitcount:1\n"
		  "{victim_pid:8,culprit_pid:0,ns:100,open:end}hitcount:1\n"
		  "{victim_pid:8,culprit_pid:7,ns:100,open:end}hitcount:1\n"
		  "{victim_pid:8,culprit_pid:6,ns:300,open:end}hitcount:1\n"
		  "{victim_pid:8,culprit_pid:9,ns:300,open:end}hitcount:1\n"
		  "{victim_pid:9,culprit_pid:0,ns:100,open:no}hitcount:1\n"
		  "{victim_pid:9,culprit_pid:7,ns:150,open:no}hitcount:1\n"
		  "{victim_pid:9,culprit_pid:6,ns:300,open:no}hitcount:1\n"
		  "{cpu:0,depth:3,ns:400,open:end}hitcount:1\n",
		  "");
	rows(lines,
	     "echo 'hist:keys=open' > events/derived/task_state/trigger\n"
	     "cat events/derived/task_state/hist\n",
	     "{open:no}hitcount:4\n", "");
}

/* A task is woken, and the next record is that it stops running: it ran, or its switch is missing.
 */
static void test_open_woken(void **state)
{
	static const struct event_line lines[] = {
		WAKEUP(1, 1000, 0, 7, 0), SWITCH(0, 1300, 7, SLEEPS, 6),
		SWITCH(0, 1400, 6, SLEEPS, 7), /* 6: without wakeups of new tasks, unknown */
	};

	(void)state;
	open_rows(lines, print_open,
		  "{pid:6,state:sleeping,next_state:unknown,ns:0,open:end}hitcount:1\n"
		  "{pid:6,state:running,next_state:sleeping,ns:100,open:no}hitcount:1\n"
		  "{pid:7,state:running,next_state:unknown,ns:0,open:end}hitcount:1\n"
		  "{cpu:0,depth:1,ns:100,open:end}hitcount:1\n",
		  "3 intervals were left out, because their beginning or end was not recorded");
}

/* At a loss all ends, and begins after it with the next record of the CPU that lost events. */
static void test_open_lost(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 0, 0, 5),         WAKING(0, 1100, 5, 7, 1),
		SWITCH(1, 1300, 0, 0, 6),         { .cpu = 1, .lost = 3 },
		SWITCH(0, 1500, 5, PREEMPTED, 9), /* only CPU 0 can end that */
		SWITCH(1, 2000, 0, 0, 8),         SWITCH(0, 2100, 9, SLEEPS, 0),
	};

	(void)state;
	open_rows(lines,
		  "echo 'hist:keys=pid,state,ns,open:sort=pid,ns' > "
		  "events/derived/task_state/trigger\n"
		  "cat events/derived/task_state/hist\n",
		  "{pid:5,state:running,ns:500,open:no}hitcount:1\n"
		  "{pid:6,state:running,ns:0,open:end}hitcount:1\n"
		  "{pid:7,state:woken,ns:200,open:end}hitcount:1\n"
		  "{pid:8,state:running,ns:100,open:end}hitcount:1\n"
		  "{pid:9,state:sleeping,ns:0,open:end}hitcount:1\n"
		  "{pid:9,state:running,ns:600,open:no}hitcount:1\n",
		  "warning 2: ");
}

/* A pid that is used again is another task, also where nothing but its exit or creation tells. */
static void test_reused_pid(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 1000, 0, 0, 7),
		SWITCH(0, 1100, 7, 16, 0), /* 7 exits */
		SWITCH(0, 1900, 0, 0, 7),  /* another one: its creation was not recorded */
		SWITCH(0, 2000, 7, SLEEPS, 5),
		{ .event = "sched:sched_process_fork",
		  .fields = "common_pid=5 child_pid=7 @ts=2100" },
		SWITCH(0, 2200, 5, SLEEPS, 7), /* it did not sleep since 2000 */
		WAKING(0, 2250, 7, 5, 0),
		SWITCH(0, 2300, 7, PREEMPTED, 5),
		WOKEN("sched_wakeup_new", 0, 2400, 5, 7, 0), /* nor was it preempted since 2300 */
		SWITCH(0, 2500, 5, SLEEPS, 7),
	};

	(void)state;
	open_rows(lines,
		  "echo 'hist:keys=pid,state,next_state,ns:sort=pid,ns,next_state if pid == 7' > "
		  "events/derived/task_state/trigger\n"
		  "cat events/derived/task_state/hist\n",
		  "{pid:7,state:running,next_state:unknown,ns:0}hitcount:1\n"
		  "{pid:7,state:running,next_state:dead,ns:100}hitcount:1\n"
		  "{pid:7,state:running,next_state:preempted,ns:100}hitcount:1\n"
		  "{pid:7,state:new,next_state:running,ns:100}hitcount:1\n"
		  "{pid:7,state:running,next_state:sleeping,ns:100}hitcount:1\n",
		  "");
}

/* An event of a CPU that the recording does not have cannot be in its buffer. */
static void test_foreign_cpu(void **state)
{
	static const struct event_line lines[] = { SWITCH(0, 1000, 0, 0, 5),
						   WAKING(0, 1100, 5, 7, 100),
						   SWITCH(0, 1300, 5, SLEEPS, 6) };

	(void)state;
	open_rows(lines,
		  "echo 1 > events/derived/wait/enable\n"
		  "echo 'hist:keys=pid,cpu,ns,open' > events/derived/wait/trigger\n"
		  "cat trace events/derived/wait/hist\n",
		  "{pid:7,cpu:100,ns:200,open:end}hitcount:1\n", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waits),          cmocka_unit_test(test_woken_while_running),
		cmocka_unit_test(test_wakeup),         cmocka_unit_test(test_delays),
		cmocka_unit_test(test_unknown_move),   cmocka_unit_test(test_states),
		cmocka_unit_test(test_runqueue),       cmocka_unit_test(test_losses),
		cmocka_unit_test(test_open),           cmocka_unit_test(test_open_woken),
		cmocka_unit_test(test_open_lost),      cmocka_unit_test(test_reused_pid),
		cmocka_unit_test(test_missing_switch), cmocka_unit_test(test_woken_twice),
		cmocka_unit_test(test_budgets),        cmocka_unit_test(test_spent_budget),
		cmocka_unit_test(test_interrupts),     cmocka_unit_test(test_foreign_cpu),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
