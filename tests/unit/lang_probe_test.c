// SPDX-License-Identifier: LGPL-2.1-only
/* Definitions of probes. */
#include "lang_text.h"

/* Append [p|r][u][MAXACTIVE] GROUP/NAME WHERE(TYPE NAME[COUNT] BODY, ...), then an error. */
static void add_probe(struct strbuf *out, const struct probe_text *t)
{
	if (t->remove)
		strbuf_addch(out, '-');
	else
		strbuf_addf(out, "%c%s", t->is_return ? 'r' : 'p', t->is_user ? "u" : "");
	strbuf_add(out, t->maxactive.s, t->maxactive.s ? t->maxactive.n : 0);
	strbuf_addf(out, " %s/%s ", t->group ? t->group : "*", t->name ? t->name : "*");
	add_span(out, t->where);
	for (size_t i = 0; i < t->n_args && !t->bad; i++) {
		const struct probe_arg *a = &t->args[i];

		strbuf_addf(out, "%s%s %s", i ? ", " : "(", a->type, a->name);
		if (a->count)
			strbuf_addf(out, "[%u]", a->count);
		strbuf_addf(out, "%s ", a->typed ? "" : "?");
		add_span(out, a->body);
	}
	strbuf_addstr(out, t->n_args && !t->bad ? ")" : "");
	if (!t->bad)
		return;
	strbuf_reset(out);
	strbuf_addf(out, "%s '", t->hint ? t->hint : probe_err_text[t->err]);
	add_span(out, t->bad_text);
	strbuf_addch(out, '\'');
	if (t->bad_after)
		strbuf_addf(out, " +%zu", t->bad_after);
}

static void check_probe(const char *text, u32 long_size, const char *want)
{
	struct arena arena = ARENA_INIT;
	struct strbuf got = STRBUF_INIT;
	const struct probe_rules rules = { .long_size = long_size,
					   .arch = "x86_64",
					   .counts_args = true };
	struct probe_text t;

	assert_int_equal(probe_text_cut(&arena, span_of(text), &rules, &t), 0);
	add_probe(&got, &t);
	check_text(text, &got, want);
	arena_release(&arena);
}

static const char *const definitions[][2] = {
	{ "p do_sys_open", "p kprobes/p_do_sys_open_0 do_sys_open" },
	{ "p:x do_sys_open", "p kprobes/x do_sys_open" },
	{ " p:mine/x\tdo_sys_open+0x10 ", "p mine/x do_sys_open+0x10" },
	{ "p:mine.x do_sys_open", "p mine/x do_sys_open" },
	{ "p:mine/ do_x.part.0+16", "p mine/p_do_x_part_0_16 do_x.part.0+16" },
	{ "p kvm:kvm_exit", "p kprobes/p_kvm_exit_0 kvm:kvm_exit" },
	{ "r do_x $retval", "r kprobes/r_do_x_0 do_x(u64 arg1? $retval)" },
	{ "r8:x do_x rc=$retval:s32", "r8 kprobes/x do_x(s32 rc $retval:s32)" },
	{ "p:x do_x%return $retval", "r kprobes/x do_x%return(u64 arg1? $retval)" },
	{ "p:x do_x dfd=%ax %dx", "p kprobes/x do_x(u64 dfd? %ax, u64 arg2? %dx)" },
	{ "p:x f a=%ax:x8 b=%ax:x32 c=%ax:char",
	  "p kprobes/x f(u8 a %ax:x8, u32 b %ax:x32, u8 c %ax:char)" },
	{ "p:x f n=+0(%di):string c=$comm",
	  "p kprobes/x f(__data_loc char[] n +0(%di):string, __data_loc char[] c? $comm)" },
	{ "p:x f a=+0(%ax):u16[4]", "p kprobes/x f(u16 a[4] +0(%ax):u16[4])" },
	{ "p:x f s=%ax:symbol b=%ax:b4@2/16",
	  "p kprobes/x f(u64 s %ax:symbol, u16 b %ax:b4@2/16)" },
	{ "p:x f s=\\\"a,b\\\" t=\\\"a,b\\\":string",
	  "p kprobes/x f(__data_loc char[] s? \\\"a,b\\\", __data_loc char[] t \\\"a,b\\\":string)" },
	{ "p:x /bin/bash:0x4245c0 %ip", "pu uprobes/x /bin/bash:0x4245c0(u64 arg1? %ip)" },
	{ "r /usr/lib/libc.so.6:0x10", "ru uprobes/p_libc_0x10 /usr/lib/libc.so.6:0x10" },
	{ "-:x", "- */x -" },
	{ "-:kprobes/x", "- kprobes/x -" },
	{ "-:kprobes/", "- kprobes/ -" },
	{ "-:", "- */ -" },
	{ "-:a-b/1x", "- a-b/1x -" }, /* names are not checked when removing */
	{ "f vfs_read a b", "p fprobes/vfs_read__entry vfs_read(u64 a? a, u64 b? b)" },
	{ "f:x vfs_read%return $retval", "r fprobes/x vfs_read%return(u64 arg1? $retval)" },
	{ "f vfs_read a=$retval", "r fprobes/vfs_read__exit vfs_read(u64 a? $retval)" },
	{ "p:a-b/x f", "p a-b/x f" },
	{ "t:my/x sched_switch", "p my/x sched_switch" },
	{ "e syscalls/sys_enter_openat f=+0($filename):ustring",
	  "p eprobes/sys_enter_openat syscalls/sys_enter_openat" },
	{ "", "p */* -" },
};

static const char *const refused[][2] = {
	{ "p: f", "Event name is not specified ''" },
	{ "p:x f%none", "Invalid probed address suffix '%none'" },
	{ "p:x f-4", "Invalid probed address or symbol 'f-4'" },
	{ "p8:x f", "Maxactive is only for function exit '8'" },
	{ "r1x:x f", "Invalid maxactive number '1x'" },
	{ "r4097:x f", "Maxactive is too big '4097'" },
	{ "p:/x f", "Group name is not specified '/x'" },
	{ "p:1a/x f", "Group name must follow the same rules as C identifiers '1a/x'" },
	{ "p:a-b f", "Event name must follow the same rules as C identifiers 'a-b'" },
	{ "p:x f $retval", "$retval is not available on probe '$retval'" },
	{ "p:x f =%ax", "Argument name is not specified '=%ax'" },
	{ "p:x f a-b=%ax", "Argument name must follow the same rules as C identifiers 'a-b=%ax'" },
	{ "p:x f a=%ax a=%dx", "This argument name is already used 'a=%dx'" },
	{ "p:x f a=", "No argument expression ''" },
	{ "p:x f a=%ax:u65", "Unknown type is specified 'u65'" },
	{ "p:x f a=%ax:", "Unknown type is specified ''" },
	{ "p:x f a=%ax:b4@2/17", "Unknown type is specified 'b4@2/17'" },
	{ "p:x f a=%ax:u8[0]", "Invalid array size '0]'" },
	/* kernel: the caret is too far right by the length of what precedes the brace */
	{ "p:x f a=+0(%ax):b9@0/8", "Invalid bitfield '0/8'" },
	{ "p:x f a=+0(%ax):u8[4] b=+u0(%ax):u8[4]", "String accepts only memory argument '4]'" },
	{ "p:x f a=+0(%ax):symstr[2]", "String accepts only memory argument 'str[2]'" },
	{ "p:x f a=$comm:u8", "$comm and immediate-string only accepts string type 'u8'" },
	{ "p:x f a=%rax", "Invalid register name '%rax'" },
	{ "p:x f $arg* $arg*", "$arg* can be used only once in the parameters '$arg*'" },
	{ "f:x f a=%ax", "Invalid $-variable specified '%ax'" },
	{ "f:x f%none", "Invalid probed address suffix '%none'" },
	{ "t:x a-b", "Invalid character in tracepoint name '-b'" },
	{ "t:x a b=+0($retval)", "$retval is not available on probe '$retval)'" },
	{ "e:x sched_waking p=$pid",
	  "This requires both group and event name to attach 'sched_waking'" },
	{ "p:x f a=%ax:u8[2]x", "Array has wrong suffix 'x'" },
	{ "p:x f a=%ax:u8[2", "Array is not closed ''" },
	{ "p:x f a=%ax:u8[65]", "Array number is too big '65]'" },
	{ "p:x f abcdefghijklmnopqrstuvwxyz0123456=%ax",
	  "Argument name is too long 'abcdefghijklmnopqrstuvwxyz0123456=%ax'" },
};

static void test_definitions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(definitions); i++)
		check_probe(definitions[i][0], 8, definitions[i][1]);
	check_probe("p:x f a=%ax s=%ax:symbol", 4, "p kprobes/x f(u32 a? %ax, u32 s %ax:symbol)");
}

static void test_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		check_probe(refused[i][0], 8, refused[i][1]);
}

static void test_long_names(void **state)
{
	char line[128] = "p:", want[256];

	(void)state;
	memset(line + 2, 'n', 64);
	memcpy(line + 66, " f", 3);
	snprintf(want, sizeof(want), "Event name is too long '%.64s'", line + 2);
	check_probe(line, 8, want);
	memcpy(line + 66, "/x f", 5);
	snprintf(want, sizeof(want), "Group name is too long '%.66s'", line + 2);
	check_probe(line, 8, want);
}

static void test_too_many_arguments(void **state)
{
	struct strbuf line = STRBUF_INIT;

	(void)state;
	strbuf_addstr(&line, "p:x f");
	for (int i = 0; i <= PROBE_ARGS_MAX; i++)
		strbuf_addf(&line, " a%d=%%ax", i);
	check_probe(line.s, 8, "Too many arguments are specified 'a0=%ax'");
	strbuf_release(&line);
}

static void test_no_probe(void **state)
{
	static const char *const others[] = { "s:x u64 y", "x", "p", "f:x", "e:" };
	const struct probe_rules rules = { .long_size = 8 };
	struct arena arena = ARENA_INIT;
	struct probe_text t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_int_equal(probe_text_cut(&arena, span_of(others[i]), &rules, &t),
				 -HIST_ENOENT);
	arena_release(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_definitions),        TEST(test_refused),  TEST(test_long_names),
		TEST(test_too_many_arguments), TEST(test_no_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
