// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What is known of text without formats: the events that programs print without name=value, the
 * letters of prev_state, which are bits of a number for whoever asks what a task waited for, and
 * the names of softirqs.
 */
#include "import/text_cut.h"
#include "import/text_known.h"

/*
 * A name after '%' is a field: the text up to what follows in the form; a name before letters ends
 * at '`'. The name of a task ends at the last colon. What follows the last field of a form that
 * does not end there is left out.
 */
/* From Linux 6.10 on, requests have a priority before the brackets. */
#define BLOCK(event, what, last)                                                  \
	{ event, "%dev %rwbs " what "%sector + %nr_sector %ioprio [%" last "]" }, \
	{                                                                         \
		event, "%dev %rwbs " what "%sector + %nr_sector [%" last "]"      \
	}
#define BLOCK_TASK(event, what)  BLOCK(event, what, "comm")
#define BLOCK_ERROR(event, what) BLOCK(event, what, "error")

/* Before Linux 5.14 wakeups have the field success. */
#define WAKEUP(event)                                                     \
	{ event, "%comm:%pid [%prio] success=%success CPU:%target_cpu" }, \
		{ event, "%comm:%pid [%prio] CPU:%target_cpu" },          \
		{ event, "%comm:%pid [%prio] success=%success" },         \
	{                                                                 \
		event, "%comm:%pid [%prio]"                               \
	}

static const struct {
	const char *event, *form;
} forms[] = {
	/* libtraceevent's plugins, which trace-cmd report and perf script use */
	{ "sched_switch", "%prev_comm:%prev_pid [%prev_prio] %prev_state ==> "
			  "%next_comm:%next_pid [%next_prio]" },
	WAKEUP("sched_waking"),
	WAKEUP("sched_wakeup"),
	WAKEUP("sched_wakeup_new"),
	/* the kernel */
	{ "sys_enter", "NR %id (" },
	{ "sys_exit", "NR %id = %ret" },
	{ "softirq_raise", "vec=%vec [action=" },
	{ "softirq_entry", "vec=%vec [action=" },
	{ "softirq_exit", "vec=%vec [action=" },
	BLOCK_TASK("block_rq_insert", "%bytes (%cmd) "),
	BLOCK_TASK("block_rq_issue", "%bytes (%cmd) "),
	BLOCK_TASK("block_rq_merge", "%bytes (%cmd) "),
	BLOCK_ERROR("block_rq_complete", "(%cmd) "),
	BLOCK_ERROR("block_rq_requeue", "(%cmd) "),
	BLOCK_ERROR("block_rq_error", "(%cmd) "),
	BLOCK_ERROR("block_bio_complete", ""),
	BLOCK_TASK("block_bio_queue", ""),
	BLOCK_TASK("block_bio_backmerge", ""),
	BLOCK_TASK("block_bio_frontmerge", ""),
	BLOCK_TASK("block_getrq", ""),
	{ "kfree_skb", "skbaddr=%skbaddr rx_sk=%rx_sk protocol=%protocol location=%location "
		       "reason: %reason" },
	{ "kfree_skb", "skbaddr=%skbaddr protocol=%protocol location=%location reason: %reason" },
	{ "mark_victim", "pid=%pid comm=%comm total-vm=%total_vm`kB anon-rss=%anon_rss`kB "
			 "file-rss:%file_rss`kB shmem-rss:%shmem_rss`kB uid=%uid "
			 "pgtables=%pgtables`kB oom_score_adj=%oom_score_adj" },
	{ "contention_begin", "%lock_addr (flags=%flags)" },
	{ "contention_end", "%lock_addr (ret=%ret)" },
	{ "workqueue_execute_start", "work struct %work: function %function" },
	{ "workqueue_execute_end", "work struct %work: function %function" },
	{ "workqueue_activate_work", "work struct %work" },
	{ "workqueue_queue_work", "work struct=%work function=%function workqueue=%workqueue "
				  "req_cpu=%req_cpu cpu=%cpu" },
};

/* Fields that the kernel prints by another name. */
static const struct {
	const char *event, *printed, *field; /* @event: the beginning of its name */
} renamed[] = {
	{ "net", "dev", "name" },
	{ "napi", "dev", "dev_name" },
	{ "sched_process_fork", "comm", "parent_comm" },
	{ "sched_process_fork", "pid", "parent_pid" },
	{ "signal_generate", "grp", "group" },
	{ "signal_generate", "res", "result" },
	{ "inet_sock_set_state", "saddrv6", "saddr_v6" },
	{ "inet_sock_set_state", "daddrv6", "daddr_v6" },
	{ "tcp_", "saddrv6", "saddr_v6" },
	{ "tcp_", "daddrv6", "daddr_v6" },
};

struct span text_known_field(struct span event, struct span printed)
{
	for (size_t i = 0; i < ARRAY_SIZE(renamed); i++)
		if (span_eq(printed, renamed[i].printed) && span_starts(event, renamed[i].event))
			return span_of(renamed[i].field);
	return printed;
}

/* The literal text at the start of @form. */
static struct span literal(const char *form)
{
	return (struct span){ form, strcspn(form, "%") };
}

/*
 * The last colon after a task's name that a number and @next follow: names may have colons, blanks
 * and brackets.
 */
static const char *find_pid(struct span rest, struct span next)
{
	const char *at = NULL;

	for (size_t i = 0; i < rest.n && i <= TEXT_COMM_MAX; i++) {
		struct span after = span_skip(rest, i);

		if (take_text(&after, ":") && take_set(&after, "0123456789").n &&
		    after.n >= next.n && !memcmp(after.s, next.s, next.n))
			at = rest.s + i;
	}
	return at;
}

/* Cut the value of the first field of @form from @rest; false: the text has another form. */
static bool take_field(const char **form, struct span *rest, struct named_value *pair)
{
	size_t name = 1 + strspn(*form + 1, "abcdefghijklmnopqrstuvwxyz_");
	const char *at, *to = rest->s + rest->n;
	struct span end;
	bool is_name;

	pair->name = (struct span){ *form + 1, name - 1 };
	name += (*form)[name] == '`';
	end = literal(*form + name);
	*form += name + end.n;
	is_name = span_eq(end, ":") && **form == '%';
	if (is_name) {
		const char *after = *form + 1 + strspn(*form + 1, "abcdefghijklmnopqrstuvwxyz_");

		at = find_pid(*rest, literal(after));
	} else {
		at = end.n ? memmem(rest->s, rest->n, end.s, end.n) : to;
		/* a name in brackets at the end of a line may have one */
		if (at && span_eq(end, "]"))
			at = span_rchr(*rest, ']');
	}
	if (!at)
		return false;
	pair->value = span_between(rest->s, at);
	if (!is_name)
		pair->value = span_trim(pair->value);
	*rest = span_skip(*rest, (size_t)(at - rest->s) + end.n);
	return true;
}

/* The fields of a line of this form; 0: it has another one */
static size_t take_form(const char *form, struct span rest, struct named_value *pairs)
{
	const struct span first = literal(form);
	size_t n = 0;

	if (rest.n < first.n || memcmp(rest.s, form, first.n))
		return 0;
	rest = span_skip(rest, first.n);
	form += first.n;
	while (*form)
		if (!take_field(&form, &rest, &pairs[n++]))
			return 0;
	return n;
}

size_t text_known_pairs(const struct text_line *line, struct named_value *pairs)
{
	const struct span args = span_ltrim(line->args);
	size_t n = 0;

	/* the kernel's form, in which names of tasks may have what the plugins print after them */
	if (line->call != TEXT_NO_CALL || span_starts(args, "prev_comm=") ||
	    span_starts(args, "comm="))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(forms) && !n; i++)
		if (span_eq(line->name, forms[i].event))
			n = take_form(forms[i].form, args, pairs);
	return n;
}

/* --- numbers --- */

#define STATE_BITS                                                                                \
	"{ 0x1, \"S\" }, { 0x2, \"D\" }, { 0x4, \"T\" }, { 0x8, \"t\" }, { 0x10, \"X\" }, "       \
	"{ 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }, { 0x200, \"x\" }, { 0x400, \"K\" }, " \
	"{ 0x800, \"W\" }, { 0x1000, \"N\" }"

const char text_known_state_args[] =
	", (REC->prev_state & 0xfeff) ? __print_flags(REC->prev_state & 0xfeff, \"|\", " STATE_BITS
	") : \"R\", (REC->prev_state & 0x100) ? \"+\" : \"\"";

const char text_known_lock_args[] =
	", __print_flags(REC->flags, \"|\", { 1, \"SPIN\" }, { 2, \"READ\" }, { 4, \"WRITE\" }, "
	"{ 8, \"RT\" }, { 16, \"PERCPU\" }, { 32, \"MUTEX\" })";

const char text_known_softirq_args[] =
	", REC->vec, __print_symbolic(REC->vec, { 0, \"HI\" }, { 1, \"TIMER\" }, { 2, \"NET_TX\" }, "
	"{ 3, \"NET_RX\" }, { 4, \"BLOCK\" }, { 5, \"IRQ_POLL\" }, { 6, \"TASKLET\" }, "
	"{ 7, \"SCHED\" }, { 8, \"HRTIMER\" }, { 9, \"RCU\" })";

const char text_known_device_args[] = ", ((unsigned int) ((REC->dev) >> 20)), "
				      "((unsigned int) ((REC->dev) & ((1U << 20) - 1)))";

enum text_known_kind text_known_kind(struct span event, struct span field, bool known)
{
	/* kernel: %lx */
	if (span_eq(field, "clone_flags") || span_eq(field, "sa_handler") ||
	    span_eq(field, "sa_flags"))
		return TEXT_ADDRESS;
	if (span_eq(event, "sys_enter_futex") && span_eq(field, "op"))
		return TEXT_FUTEX_OP;
	if (span_eq(field, "prev_state"))
		return TEXT_STATE;
	if (span_eq(field, "vec") && span_starts(event, "softirq_"))
		return TEXT_SOFTIRQ;
	if (known &&
	    (span_eq(field, "prio") || span_eq(field, "prev_prio") || span_eq(field, "next_prio")))
		return TEXT_PRIORITY;
	if (known && span_eq(field, "flags"))
		return TEXT_LOCK_FLAGS;
	if (known && (span_eq(field, "lock_addr") || span_eq(field, "work")))
		return TEXT_ADDRESS;
	if (known && (span_eq(field, "id") || span_eq(field, "ret")))
		return TEXT_LONG;
	return known && span_eq(field, "dev") ? TEXT_DEVICE : TEXT_PLAIN;
}

static bool read_device(struct span text, u64 *dev)
{
	struct span minor = text, major = span_sep(&minor, ",");
	u64 a, b;

	if (!minor.s || !span_digits(major, 10, &a) || !span_digits(minor, 10, &b) ||
	    a >= 1 << 12 || b >= 1 << 20)
		return false;
	*dev = a << 20 | b;
	return true;
}

/* @letters: of the bits from 1 on */
static bool read_state(struct span text, const char *letters, u64 *state)
{
	*state = 0;
	if (!text.n || span_eq(text, "R"))
		return text.n;
	/* kernel: the option fields prints the number, as 0x80 (128) */
	if (span_starts(text, "0x"))
		return span_digits(span_skip(span_word(&text), 2), 16, state);
	for (size_t i = 0; i < text.n; i++) {
		const char *letter = text.s[i] ? strchr(letters, text.s[i]) : NULL;

		if (letter)
			*state |= 1ull << (letter - letters);
		else if (text.s[i] != '|' && text.s[i] != 'R')
			return false;
	}
	return true;
}

struct named_bits {
	const char *name;
	u64 bits;
};

/* kernel: SPIN|READ, or nothing, of contention_begin */
static const struct named_bits lock_flags[] = { { "SPIN", 1 }, { "READ", 2 },    { "WRITE", 4 },
						{ "RT", 8 },   { "PERCPU", 16 }, { "MUTEX", 32 },
						{ NULL, 0 } };

/* libtraceevent's plugin for futexes */
static const struct named_bits futex_ops[] = { { "FUTEX_WAIT", 0 },
					       { "FUTEX_WAKE", 1 },
					       { "FUTEX_FD", 2 },
					       { "FUTEX_REQUEUE", 3 },
					       { "FUTEX_CMP_REQUEUE", 4 },
					       { "FUTEX_WAKE_OP", 5 },
					       { "FUTEX_LOCK_PI", 6 },
					       { "FUTEX_UNLOCK_PI", 7 },
					       { "FUTEX_TRYLOCK_PI", 8 },
					       { "FUTEX_WAIT_BITSET", 9 },
					       { "FUTEX_WAKE_BITSET", 10 },
					       { "FUTEX_WAIT_REQUEUE_PI", 11 },
					       { "FUTEX_CMP_REQUEUE_PI", 12 },
					       { "FUTEX_LOCK_PI2", 13 },
					       { "FUTEX_PRIVATE_FLAG", 128 },
					       { "FUTEX_CLOCK_REALTIME", 256 },
					       { NULL, 0 } };

static bool read_names(struct span text, const struct named_bits *names, u64 *v)
{
	*v = 0;
	while (text.n) {
		struct span name = span_sep(&text, "|");
		const struct named_bits *bits = names;

		while (bits->name && !span_eq(name, bits->name))
			bits++;
		if (!bits->name)
			return false;
		*v |= bits->bits;
	}
	return true;
}

static bool read_number(struct span text, u64 max, u64 *v)
{
	const bool negative = text.n && *text.s == '-';

	if (!span_digits(span_skip(text, negative), 10, v) || *v > max)
		return false;
	*v = negative ? -*v : *v;
	return true;
}

static bool read_priority(struct span text, u64 *prio)
{
	if (!read_number(text, UINT32_MAX, prio))
		return false;
	*prio = (u64)(s64)(s32)*prio;
	return true;
}

bool text_known_value(enum text_known_kind kind, struct span text, u64 *v)
{
	if (kind == TEXT_STATE)
		return read_state(text, "SDTtXZPI+xKWN", v);
	if (kind == TEXT_OLD_STATE)
		return read_state(text, "SDTtZXxW", v);
	if (kind == TEXT_PRIORITY)
		return read_priority(text, v);
	if (kind == TEXT_LOCK_FLAGS)
		return read_names(text, lock_flags, v);
	if (kind == TEXT_FUTEX_OP)
		return read_names(text, futex_ops, v);
	if (kind == TEXT_ADDRESS) {
		take_text(&text, "0x");
		return span_digits(text, 16, v);
	}
	if (kind == TEXT_LONG)
		return read_number(text, UINT64_MAX, v);
	return kind == TEXT_DEVICE ? read_device(text, v) : span_digits(text, 10, v);
}
