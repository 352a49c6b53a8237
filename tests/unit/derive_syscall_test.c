// SPDX-License-Identifier: LGPL-2.1-only
/* Derived events of interrupts and system calls: known nesting, parts of calls, missing records. */
#include "replay_recording.h"

/* clang-format off */
#define NUMBERS(name, id, a, b) \
	"name: " name "\nID: " #id "\n" COMMON a b "\nprint fmt: \"%d\", REC->common_pid\n"
#define LONG(name, at) FIELD("long " name, at, 8, 1)
#define INT(name, at) FIELD("int " name, at, 4, 1)
#define FORMAT(id, system, name, a, b)                                                      \
	{                                                                                   \
		system, { name, sizeof(name) - 1 },                                         \
			{ NUMBERS(name, id, a, b), sizeof(NUMBERS(name, id, a, b)) - 1 }, id \
	}

static const char softirqs[] =
	"name: softirq_entry\nID: 122\n" COMMON
	FIELD("unsigned int vec", 8, 4, 0)
	"\nprint fmt: \"vec=%u [action=%s]\", REC->vec, __print_symbolic(REC->vec, "
	"{ 0, \"HI\" }, { 1, \"TIMER\" }, { 3, \"NET_RX\" })\n";

static const struct event_text formats[] = {
	FORMAT(120, "irq", "irq_handler_entry", INT("irq", 8),
	       FIELD("__data_loc char[] name", 12, 4, 0)),
	FORMAT(121, "irq", "irq_handler_exit", INT("irq", 8), INT("ret", 12)),
	{ "irq", { "softirq_entry", 13 }, { softirqs, sizeof(softirqs) - 1 }, 122 },
	FORMAT(123, "irq", "softirq_exit", FIELD("unsigned int vec", 8, 4, 0), ""),
	FORMAT(124, "irq_vectors", "local_timer_entry", INT("vector", 8), ""),
	FORMAT(125, "irq_vectors", "local_timer_exit", INT("vector", 8), ""),
	FORMAT(126, "nmi", "nmi_handler", FIELD("void * handler", 8, 8, 0), LONG("delta_ns", 16)),
	FORMAT(127, "raw_syscalls", "sys_exit", LONG("id", 8), LONG("ret", 16)),
	FORMAT(128, "syscalls", "sys_enter_read", INT("__syscall_nr", 8), INT("fd", 16)),
	FORMAT(129, "syscalls", "sys_exit_read", INT("__syscall_nr", 8), LONG("ret", 16)),
	{ .system = NULL },
};
/* clang-format on */

#define RECORD(event_, cpu_, ts, pid, text)                                                       \
	{                                                                                         \
		.event = event_, .cpu = (cpu_), .fields = "common_pid=" #pid " @ts=" #ts " " text \
	}
#define SWITCH(cpu, ts, prev, state, next) SWITCH_(cpu, ts, prev, state, next)
#define SWITCH_(cpu, ts, prev, state, next)                                                    \
	RECORD("sched:sched_switch", cpu, ts, prev,                                            \
	       "prev_pid=" #prev " prev_state=" #state " next_pid=" #next " prev_comm=t" #prev \
	       " next_comm=t" #next)
#define WAKING(cpu, ts, by, pid, on) \
	RECORD("sched:sched_waking", cpu, ts, by, "pid=" #pid " comm=t" #pid " target_cpu=" #on)
#define IRQ(cpu, ts, pid, nr) \
	RECORD("irq:irq_handler_entry", cpu, ts, pid, "irq=" #nr " name=eth" #nr)
#define IRQ_END(cpu, ts, pid, nr)  RECORD("irq:irq_handler_exit", cpu, ts, pid, "irq=" #nr)
#define SOFT(cpu, ts, pid, nr)     RECORD("irq:softirq_entry", cpu, ts, pid, "vec=" #nr)
#define SOFT_END(cpu, ts, pid, nr) RECORD("irq:softirq_exit", cpu, ts, pid, "vec=" #nr)
#define ENTER(cpu, ts, pid, id)    RECORD("raw_syscalls:sys_enter", cpu, ts, pid, "id=" #id)
#define LEAVE(cpu, ts, pid, id, ret) \
	RECORD("raw_syscalls:sys_exit", cpu, ts, pid, "id=" #id " ret=" #ret)
#define READ(cpu, ts, pid) RECORD("syscalls:sys_enter_read", cpu, ts, pid, "__syscall_nr=0")
#define READ_END(cpu, ts, pid, ret) \
	RECORD("syscalls:sys_exit_read", cpu, ts, pid, "__syscall_nr=0 ret=" #ret)

#define SLEEPS 1

static void check(const struct event_line *lines, size_t n, const struct run *how, const char *keys,
		  const char *rows, const char *said)
{
	static const enum hist_plan plans[] = { HIST_PLAN_ORDER, HIST_PLAN_PLAIN };
	struct run run = *how;
	char script[512];

	recording_write("s.dat",
			&(struct recording_of){ .lines = lines, .n = n, .formats = formats });
	snprintf(script, sizeof(script),
		 "echo 'hist:%s:sort=ns:size=256' > events/derived/%s/trigger\n"
		 "cat events/derived/%s/hist\n",
		 strchr(keys, ':') + 1, strncmp(keys, "irq", 3) ? "syscall" : "irq",
		 strncmp(keys, "irq", 3) ? "syscall" : "irq");
	run.inputs[0] = "s.dat";
	run.options.unlimited = true;
	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		run.options.plan = plans[i];
		run_script(&run, script, rows, said);
	}
}

#define IRQS  "irq:keys=kind,name,ns,self_ns,pid"
#define PARTS "syscall:keys=name,ret,ns,running_ns,waiting_ns,sleeping_ns,irq_ns,unknown_ns,open"

static void test_nested_irqs(void **state)
{
	static const struct event_line lines[] = {
		SOFT(0, 1000, 7, 1),
		IRQ(0, 1100, 7, 5),
		IRQ_END(0, 1150, 7, 5),
		RECORD("nmi:nmi_handler", 0, 1180, 7, "handler=0xffffffff81001004 delta_ns=10"),
		SOFT_END(0, 1300, 7, 1),
		IRQ(1, 1400, 0, 6),
		RECORD("irq_vectors:local_timer_entry", 1, 1401, 0, "vector=236"),
		RECORD("irq_vectors:local_timer_exit", 1, 1409, 0, "vector=236"),
		IRQ_END(1, 1411, 0, 6),
		SOFT(1, 1420, 0, 9),
		SOFT_END(1, 1421, 0, 9),
	};

	(void)state;
	check(lines, ARRAY_SIZE(lines), &(struct run){ .want = 0 }, IRQS,
	      "{ kind: softirq , name: 9 , ns: 1, self_ns: 1, pid: 0 } hitcount: 1 "
	      "{ kind: vector , name: local_timer , ns: 8, self_ns: 8, pid: 0 } hitcount: 1 "
	      "{ kind: nmi , name: do_one , ns: 10, self_ns: 10, pid: 7 } hitcount: 1 "
	      "{ kind: irq , name: eth6 , ns: 11, self_ns: 3, pid: 0 } hitcount: 1 "
	      "{ kind: irq , name: eth5 , ns: 50, self_ns: 50, pid: 7 } hitcount: 1 "
	      "{ kind: softirq , name: TIMER , ns: 300, self_ns: 240, pid: 7 } hitcount: 1 | 6 6 0",
	      "");
}

/* An interrupt whose exit is missing, and one whose entry is missing. */
static void test_missing_irqs(void **state)
{
	static const struct event_line lines[] = {
		IRQ(0, 1000, 7, 5),     IRQ(0, 2000, 7, 5),  IRQ_END(0, 2100, 7, 5),
		IRQ_END(0, 2500, 7, 6), IRQ(0, 3000, 7, 5),  SWITCH(0, 3100, 7, SLEEPS, 8),
		IRQ_END(0, 3200, 8, 5), SOFT(0, 4000, 8, 3),
	};

	(void)state;
	check(lines, ARRAY_SIZE(lines), &(struct run){ .want = 0 }, IRQS,
	      "{ kind: irq , name: eth5 , ns: 100, self_ns: 100, pid: 7 } hitcount: 1 | 1 1 0",
	      "note 2: 4 intervals were left out, because their beginning or end was not recorded");
	check(lines, ARRAY_SIZE(lines), &(struct run){ .open_intervals = true },
	      "irq:keys=kind,name,ns,self_ns,pid,open",
	      "{ kind: softirq , name: NET_RX , ns: 0, self_ns: 0, pid: 8, open: end } hitcount: 1 "
	      "{ kind: irq , name: eth5 , ns: 100, self_ns: 100, pid: 7, open: no } hitcount: 1 | 2 2 0",
	      "note 2: 4 intervals were left out, because their beginning or end was not recorded");
}

/* The parts of a call add up to it; the second one begins before any switch to its task. */
static void test_parts(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 900, 0, 0, 7),
		ENTER(0, 1000, 7, 0),
		SWITCH(1, 1010, 0, 0, 3),
		ENTER(2, 1020, 8, 1),
		IRQ(2, 1030, 8, 5),
		IRQ_END(2, 1035, 8, 5),
		SWITCH(2, 1050, 8, SLEEPS, 0),
		SWITCH(0, 1100, 7, SLEEPS, 0),
		WAKING(0, 1250, 0, 8, 1),
		WAKING(1, 1500, 3, 7, 0),
		SWITCH(0, 1600, 0, 0, 7),
		IRQ(0, 1650, 7, 5),
		IRQ_END(0, 1670, 7, 5),
		LEAVE(0, 1700, 7, 0, 16),
		SWITCH(1, 1800, 3, SLEEPS, 8),
		IRQ(1, 1850, 8, 5),
		IRQ_END(1, 1860, 8, 5),
		LEAVE(1, 1900, 8, 1, -11),
	};

	(void)state;
	check(lines, ARRAY_SIZE(lines), &(struct run){ .want = 0 }, PARTS,
	      "{ name: read , ret: 16, ns: 700, running_ns: 180, waiting_ns: 100, sleeping_ns: 400, "
	      "irq_ns: 20, unknown_ns: 0, open: no } hitcount: 1 "
	      "{ name: write , ret: -11, ns: 880, running_ns: 115, waiting_ns: 550, "
	      "sleeping_ns: 200, irq_ns: 15, unknown_ns: 0, open: no } hitcount: 1 | 2 2 0",
	      "");
}

/* A task that slept as far as is known, and then is in a call: what it did is unknown. */
static void test_contradiction(void **state)
{
	static const struct event_line lines[] = {
		SWITCH(0, 900, 0, 0, 7),  ENTER(0, 1000, 7, 0),     SWITCH(0, 1100, 7, SLEEPS, 0),
		LEAVE(0, 1300, 7, 0, 16), SWITCH(1, 1400, 0, 0, 3), IRQ(0, 1500, 7, 5),
	};

	(void)state;
	check(lines, ARRAY_SIZE(lines), &(struct run){ .want = 0 }, PARTS,
	      "{ name: read , ret: 16, ns: 300, running_ns: 100, waiting_ns: 0, sleeping_ns: 0, "
	      "irq_ns: 0, unknown_ns: 200, open: no } hitcount: 1 | 1 1 0",
	      "");
}

static const char no_parts[] =
	"note 2: irq:irq_handler_entry was not recorded, so what derived:syscall contains from it is "
	"unknown or 0; note 2: sched:sched_switch was not recorded, so what derived:syscall contains "
	"from it is unknown or 0";

/* Calls recorded twice, that do not return, of new tasks, begun before; rt_sigreturn. */
static void test_calls(void **state)
{
	static const struct event_line lines[] = {
		LEAVE(0, 1000, 6, 7, 1), /* poll, begun before */
		ENTER(0, 1010, 7, 0),
		READ(0, 1011, 7),
		LEAVE(0, 1020, 7, 0, 1),
		READ_END(0, 1021, 7, 1),
		READ(0, 1030, 7),
		READ_END(0, 1041, 7, 2), /* only its own events */
		READ(0, 1050, 7),
		ENTER(0, 1051, 7, 0),
		READ_END(0, 1062, 7, 3),
		LEAVE(0, 1063, 7, 0, 3),
		ENTER(0, 1100, 7, 15),
		LEAVE(0, 1113, 7, -1, 0), /* rt_sigreturn */
		ENTER(0, 1200, 7, 231),   /* exit_group; then another task with its pid */
		LEAVE(0, 1300, 7, 56, 0),
		ENTER(0, 1310, 7, 39),
		LEAVE(0, 1324, 7, 39, 7),
		ENTER(0, 1400, 7, 1),
		ENTER(0, 1420, 7, 2000), /* the exit of write is missing */
		LEAVE(0, 1435, 7, 2000, -38),
		ENTER(0, 1500, 7, 202),
	};

	(void)state;
	check(lines, ARRAY_SIZE(lines), &(struct run){ .want = 0 },
	      "syscall:keys=name,id,ret,ns,unknown_ns",
	      "{ name: read , id: 0, ret: 1, ns: 10, unknown_ns: 10 } hitcount: 1 "
	      "{ name: read , id: 0, ret: 2, ns: 11, unknown_ns: 11 } hitcount: 1 "
	      "{ name: read , id: 0, ret: 3, ns: 12, unknown_ns: 12 } hitcount: 1 "
	      "{ name: rt_sigreturn , id: 15, ret: 0, ns: 13, unknown_ns: 13 } hitcount: 1 "
	      "{ name: getpid , id: 39, ret: 7, ns: 14, unknown_ns: 14 } hitcount: 1 "
	      "{ name: 2000 , id: 2000, ret: -38, ns: 15, unknown_ns: 15 } hitcount: 1 | 6 6 0",
	      "note 2: irq:irq_handler_entry was not recorded, so what derived:syscall contains from "
	      "it is unknown or 0; note 2: sched:sched_switch was not recorded, so what "
	      "derived:syscall contains from it is unknown or 0; note 2: 1 interval was left out, "
	      "because its beginning or end was not recorded");
}

/* An end with another number, larger or smaller, is not that of the call. */
static void test_other_ends(void **state)
{
	static const struct event_line lines[] = {
		ENTER(0, 1000, 7, 1),    LEAVE(0, 1010, 7, 3, 0), ENTER(0, 1020, 7, 3),
		LEAVE(0, 1031, 7, 1, 0), ENTER(0, 1040, 7, 3),    LEAVE(0, 1052, 7, 3, 0),
	};

	(void)state;
	check(lines, ARRAY_SIZE(lines), &(struct run){ .want = 0 },
	      "syscall:keys=name,id,ret,ns,unknown_ns",
	      "{ name: close , id: 3, ret: 0, ns: 12, unknown_ns: 12 } hitcount: 1 | 1 1 0",
	      "note 2: irq:irq_handler_entry was not recorded, so what derived:syscall contains from "
	      "it is unknown or 0; note 2: sched:sched_switch was not recorded, so what "
	      "derived:syscall contains from it is unknown or 0; note 2: 2 intervals were left out, "
	      "because their beginning or end was not recorded");
}

/* What began before the recording, or still runs at its end. */
static void test_open_calls(void **state)
{
	static const struct event_line lines[] = {
		ENTER(1, 1000, 5, 0),    LEAVE(0, 1100, 6, 7, 1), LEAVE(0, 1200, 7, 56, 0),
		LEAVE(0, 1300, 6, 7, 1), ENTER(0, 1350, 8, 60),   ENTER(0, 1400, 6, 1),
		LEAVE(0, 1450, 6, 1, 2),
	};

	(void)state;
	check(lines, ARRAY_SIZE(lines), &(struct run){ .open_intervals = true },
	      "syscall:keys=name,ret,ns,pid,open",
	      "{ name: write , ret: 2, ns: 50, pid: 6, open: no } hitcount: 1 "
	      "{ name: poll , ret: 1, ns: 100, pid: 6, open: start } hitcount: 1 "
	      "{ name: read , ret: 0, ns: 450, pid: 5, open: end } hitcount: 1 | 3 3 0",
	      no_parts);
}

/* Nothing is derived from what spans a loss. */
static void test_losses(void **state)
{
	static const struct event_line lines[] = {
		ENTER(0, 1000, 7, 0),    ENTER(1, 1010, 8, 1),   IRQ(1, 1020, 8, 5),
		{ .cpu = 1, .lost = 3 }, IRQ_END(1, 1050, 8, 5), LEAVE(0, 1060, 7, 0, 1),
		LEAVE(1, 1070, 8, 1, 1), ENTER(1, 1080, 8, 0),   LEAVE(1, 1089, 8, 0, 9),
	};
	struct run run = { .doubtful = true };

	(void)state;
	check(lines, ARRAY_SIZE(lines), &run, "syscall:keys=name,ret,ns",
	      "{ name: read , ret: 9, ns: 9 } hitcount: 1 | 1 1 0",
	      "note 2: sched:sched_switch was not recorded, so what derived:syscall contains from it "
	      "is unknown or 0; warning 2: 2 intervals were left out, because they span lost events; "
	      "warning 2: DIR/s.dat: CPU 1 lost 3 events");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested_irqs), cmocka_unit_test(test_missing_irqs),
		cmocka_unit_test(test_parts),       cmocka_unit_test(test_contradiction),
		cmocka_unit_test(test_calls),       cmocka_unit_test(test_open_calls),
		cmocka_unit_test(test_other_ends),  cmocka_unit_test(test_open_calls),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests(tests, recording_make_dir, recording_remove_dir);
}
