/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of the kernel's functions for modules that define and trace events, with good and bad
 * arguments. calls.c runs them in a kernel, tests/unit/dynevent_module_test.c with libhist: both
 * print the same. Who includes this header defines say(), which prints like printf(), show(), which
 * prints a file of the tracing directory, and put(), which writes a text to one.
 *
 * Calls that crash the kernel or read memory at random are missing: the end of an event that is
 * disabled, a dynamic string that is NULL, fields without a value.
 */
#define CALL(...) say("%s = %d\n", #__VA_ARGS__, (int)(__VA_ARGS__))
#define S(text)   ((u64)(long)(text))

static char buf[MAX_DYNEVENT_CMD_LEN], long_name[300];
static struct dynevent_cmd cmd;
static struct synth_field_desc many[65];
static char names[65][16];
static struct synth_event_trace_state st;

static struct synth_field_desc two[] = { { "u64", "nr" }, { "char[16]", "comm" } };
static struct synth_field_desc kinds[] = {
	{ "u64", "a" },      { "s64", "b" },    { "u32", "c" },   { "int", "d" },
	{ "u16", "e" },      { "s8", "f" },     { "bool", "g" },  { "pid_t", "h" },
	{ "char[16]", "i" }, { "char[]", "j" }, { "gfp_t", "k" }, { "long", "l" },
};
static struct synth_field_desc fixed[] = {
	{ "u64", "a" },
	{ "char[8]", "b" },
	{ "s16", "c" },
	{ "u8", "d" },
};
static struct synth_field_desc bad[] = {
	{ "u65", "a" },     { "u64", "a-b" },     { NULL, "a" }, { "u64", NULL },
	{ "char[0]", "a" }, { "char[300]", "a" }, { "", "a" },   { "unsigned", "a" },
	{ "u64", "" },      { "char[3", "a" },
};

static void synth_create(void)
{
	int i;

	CALL(synth_event_create("m_two", two, 2, THIS_MODULE));
	CALL(synth_event_create("m_one", two, 1, THIS_MODULE));
	CALL(synth_event_create("m_kinds", kinds, 12, THIS_MODULE));
	CALL(synth_event_create("m_fixed", fixed, 4, THIS_MODULE));
	show("synthetic_events");
	CALL(synth_event_create("m_two", two, 2, THIS_MODULE));
	CALL(synth_event_create("m_two", two, 0, THIS_MODULE));
	CALL(synth_event_create("m-two", two, 2, THIS_MODULE));
	CALL(synth_event_create("", two, 2, THIS_MODULE));
	show("error_log");
	for (i = 0; i < 10; i++) {
		say("bad field %d\n", i);
		CALL(synth_event_create("m_bad", &bad[i], 1, THIS_MODULE));
	}
	show("error_log");
	for (i = 0; i < 65; i++) {
		snprintf(names[i], sizeof(names[i]), "f%d", i);
		many[i].type = "u8";
		many[i].name = names[i];
	}
	CALL(synth_event_create("m_many", many, 65, THIS_MODULE));
	CALL(synth_event_create("m_many", many, 64, THIS_MODULE));
	/* the name is not that of the event that the text defines */
	CALL(synth_event_create("m_words u64 first;", two, 1, THIS_MODULE));
	CALL(synth_event_create(NULL, two, 2, THIS_MODULE));
	show("synthetic_events");
	show("error_log");
}

static void synth_pieces(void)
{
	int i, err = 0;

	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(synth_event_gen_cmd_start(&cmd, "m_pieces", THIS_MODULE, "pid_t", "pid", "u64", "ts"));
	CALL(synth_event_add_field(&cmd, "u8", "x[4]"));
	CALL(synth_event_add_field(&cmd, "u8", "x"));
	CALL(synth_event_add_field(&cmd, NULL, "y"));
	CALL(synth_event_add_field(&cmd, "u8", NULL));
	CALL(synth_event_add_field_str(&cmd, "unsigned int y"));
	CALL(synth_event_add_field_str(&cmd, NULL));
	CALL(synth_event_add_fields(&cmd, fixed, 2));
	CALL(synth_event_add_fields(&cmd, bad + 2, 1));
	CALL(synth_event_add_fields(&cmd, NULL, 0));
	say("n_fields %u: %s\n", cmd.n_fields, buf);
	CALL(synth_event_gen_cmd_end(&cmd));
	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(synth_event_gen_cmd_start(&cmd, "m_pieces", THIS_MODULE, "pid_t", "pid", "u64"));
	CALL(synth_event_add_field_str(&cmd, "char text[8]"));
	CALL(synth_event_add_field(&cmd, "  s16 ", " z "));
	say("n_fields %u: %s\n", cmd.n_fields, buf);
	CALL(synth_event_gen_cmd_end(&cmd));
	CALL(synth_event_gen_cmd_end(&cmd));
	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(synth_event_gen_cmd_array_start(&cmd, "m_array", THIS_MODULE, two, 2));
	CALL(synth_event_gen_cmd_end(&cmd));
	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(synth_event_gen_cmd_array_start(&cmd, "m_array2", THIS_MODULE, many, 65));
	CALL(synth_event_gen_cmd_array_start(&cmd, "m_array2", THIS_MODULE, bad + 3, 1));
	say("n_fields %u: %s\n", cmd.n_fields, buf);
	synth_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(synth_event_gen_cmd_start(&cmd, "m_count", THIS_MODULE, "u8", "p", "u8", "q"));
	for (i = 0; i < 65 && !err; i++)
		err = synth_event_add_field(&cmd, "u8", names[i]);
	say("refused after %d: %d\n", i, err);
	CALL(synth_event_gen_cmd_end(&cmd));
	cmd.type = DYNEVENT_TYPE_KPROBE;
	CALL(synth_event_gen_cmd_start(&cmd, "m_type", THIS_MODULE));
	CALL(synth_event_gen_cmd_array_start(&cmd, "m_type", THIS_MODULE, two, 2));
	CALL(synth_event_add_field(&cmd, "u8", "x"));
	CALL(synth_event_add_field_str(&cmd, "u8 x"));
	CALL(synth_event_add_fields(&cmd, two, 2));
	show("synthetic_events");
	show("error_log");
	/* a buffer that is too short */
	synth_event_cmd_init(&cmd, buf, 20);
	CALL(synth_event_gen_cmd_start(&cmd, "m_short", THIS_MODULE));
	CALL(synth_event_add_field(&cmd, "u64", "abcdefgh"));
	say("%s\n", buf);
	CALL(synth_event_add_field(&cmd, "u8", "x"));
	CALL(synth_event_gen_cmd_end(&cmd));
	synth_event_cmd_init(&cmd, buf, 18);
	CALL(synth_event_gen_cmd_start(&cmd, "m_short", THIS_MODULE, "u8", "x"));
	CALL(synth_event_gen_cmd_end(&cmd));
	show("dynamic_events");
	show("error_log");
}

static void synth_trace(void)
{
	static u64 vals[12];
	struct trace_event_file *file = trace_get_event_file(NULL, "synthetic", "m_kinds");

	vals[0] = ~0ULL;
	vals[1] = (u64)-2;
	vals[2] = 0x123456789ULL;
	vals[3] = (u64)-3;
	vals[4] = 0x12345;
	vals[5] = 0x1ff;
	vals[6] = 3;
	vals[7] = 77;
	vals[8] = S("a comm of twenty ch.");
	vals[9] = S("any length at all");
	vals[10] = 0; /* names of flags depend on the kernel */
	vals[11] = (u64)-4;
	CALL(synth_event_trace_array(file, vals, 12)); /* still off */
	CALL(synth_event_trace_array(file, vals, 11));
	CALL(trace_array_set_clr_event(file->tr, "synthetic", "m_kinds", true));
	CALL(put("events/synthetic/m_kinds/trigger", "hist:keys=a,i,j:vals=b,c,e,h:sort=a"));
	CALL(put("events/synthetic/m_kinds/trigger", "hist:name=f:keys=d,f,g:vals=l:sort=d"));
	CALL(put("events/synthetic/m_kinds/trigger", "hist:keys=i:vals=a,b,c,e,h:sort=i"));
	CALL(put("events/synthetic/m_kinds/trigger", "hist:keys=j"));
	CALL(synth_event_trace_array(file, vals, 12));
	CALL(synth_event_trace_array(file, vals, 12));
	CALL(synth_event_trace(file, 12, 1ULL, 2ULL, 3ULL, 4ULL, 5ULL, 6ULL, 0ULL, 8ULL, S("c"),
			       S(""), 0ULL, 12ULL));
	vals[8] = 0; /* no address */
	CALL(synth_event_trace_array(file, vals, 12));
	vals[8] = S(long_name);
	vals[9] = S(long_name);
	CALL(synth_event_trace_array(file, vals, 12));
	show("trace");
	show("events/synthetic/m_kinds/hist");
	CALL(put("events/synthetic/m_kinds/trigger", "!hist:keys=j"));
	CALL(synth_event_trace_start(file, &st)); /* it has a dynamic field */
	CALL(synth_event_trace_start(file, NULL));
	CALL(synth_event_delete("m_kinds"));
	CALL(put("events/synthetic/m_kinds/trigger", "!hist:keys=a,i,j:vals=b,c,e,h:sort=a"));
	CALL(put("events/synthetic/m_kinds/trigger", "!hist:name=f:keys=d,f,g:vals=l:sort=d"));
	CALL(put("events/synthetic/m_kinds/trigger", "!hist:keys=i:vals=a,b,c,e,h:sort=i"));
	trace_put_event_file(file);
	CALL(synth_event_delete("m_kinds"));
	CALL(put("events/synthetic/m_kinds/enable", "0"));
	CALL(synth_event_delete("m_kinds"));
	CALL(synth_event_delete("m_kinds"));
	CALL(synth_event_delete("m_none"));
}

static void synth_trace_pieces(void)
{
	struct trace_event_file *file = trace_get_event_file(NULL, "synthetic", "m_fixed");

	CALL(synth_event_trace_start(file, &st)); /* off */
	CALL(synth_event_add_next_val(1, &st));
	CALL(synth_event_add_val("a", 1, &st));
	/* a trigger is enough */
	CALL(put("events/synthetic/m_fixed/trigger", "hist:keys=a,c,d:sort=a"));
	CALL(synth_event_trace(file, 4, 1ULL, S("b"), 2ULL, 3ULL));
	show("trace");
	CALL(trace_array_set_clr_event(file->tr, "synthetic", "m_fixed", true));
	CALL(synth_event_trace_start(file, &st));
	CALL(synth_event_add_next_val(2, &st));
	CALL(synth_event_add_next_val(S("text"), &st));
	CALL(synth_event_add_val("c", 1, &st));
	CALL(synth_event_add_next_val((u64)-1, &st));
	CALL(synth_event_add_next_val(0x1ff, &st));
	CALL(synth_event_add_next_val(5, &st));
	CALL(synth_event_trace_end(&st));
	CALL(synth_event_trace_start(file, &st));
	CALL(synth_event_add_val("d", 4, &st));
	CALL(synth_event_add_val("b", S("longer than eight"), &st));
	CALL(synth_event_add_val("b", 0, &st));
	CALL(synth_event_add_next_val(6, &st));
	CALL(synth_event_add_val("a", 3, &st));
	CALL(synth_event_add_val("c", 7, &st));
	CALL(synth_event_add_val("none", 9, &st));
	CALL(synth_event_trace_end(&st));
	CALL(synth_event_trace_start(file, &st));
	CALL(synth_event_add_val(NULL, 4, &st)); /* the next one */
	CALL(synth_event_add_next_val(S("t"), &st));
	CALL(synth_event_add_val("c", 5, &st));
	CALL(synth_event_add_next_val(5, &st));
	CALL(synth_event_add_next_val(6, &st));
	CALL(synth_event_trace_end(&st));
	CALL(synth_event_trace_end(NULL));
	CALL(synth_event_add_next_val(1, NULL));
	CALL(synth_event_add_val("a", 1, NULL));
	show("trace");
	show("events/synthetic/m_fixed/hist");
	trace_put_event_file(file);
	CALL(put("events/synthetic/m_fixed/trigger", "!hist:keys=a,c,d:sort=a"));
	CALL(put("events/synthetic/m_fixed/enable", "0"));
	CALL(synth_event_delete("m_fixed"));
}

static void event_files(void)
{
	struct trace_event_file *file = trace_get_event_file(NULL, "synthetic", "m_two");

	CALL(PTR_ERR(trace_get_event_file(NULL, "synthetic", "m_none")));
	CALL(PTR_ERR(trace_get_event_file("m_none", "synthetic", "m_two")));
	CALL(trace_array_set_clr_event(file->tr, "synthetic", "m_none", true));
	CALL(trace_array_set_clr_event(file->tr, "m_none", NULL, true));
	CALL(trace_array_set_clr_event(NULL, "synthetic", "m_two", true));
	CALL(trace_array_set_clr_event(file->tr, NULL, "m_two", true));
	show("events/synthetic/m_two/enable");
	CALL(trace_array_set_clr_event(file->tr, "synthetic", NULL, false));
	show("events/synthetic/m_two/enable");
	CALL(synth_event_delete("m_two"));
	trace_put_event_file(file);
	CALL(synth_event_delete("m_two"));
}

static void kprobes(void)
{
	int i, err = 0;

	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(kprobe_event_gen_cmd_start(&cmd, "m_open", "vfs_read", "a=%di", "b=%si"));
	CALL(kprobe_event_add_fields(&cmd, "c=%dx:u32", "d=%cx:x16", "%ax"));
	say("n_fields %u: %s\n", cmd.n_fields, buf);
	CALL(kprobe_event_gen_cmd_end(&cmd));
	CALL(kprobe_event_gen_cmd_end(&cmd));
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(kretprobe_event_gen_cmd_start(&cmd, "m_ret", "vfs_read", "$retval"));
	CALL(kprobe_event_add_fields(&cmd, "rc=$retval:s32"));
	CALL(kretprobe_event_gen_cmd_end(&cmd));
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(kprobe_event_gen_cmd_start(&cmd, "m_open", "vfs_read+4"));
	CALL(kprobe_event_gen_cmd_end(&cmd));
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(kprobe_event_gen_cmd_start(&cmd, "m-bad", "vfs_read"));
	CALL(kprobe_event_gen_cmd_end(&cmd));
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(kprobe_event_gen_cmd_start(&cmd, "m_bad", "vfs_read", "a=%di:u65"));
	CALL(kprobe_event_gen_cmd_end(&cmd));
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(kprobe_event_gen_cmd_start(&cmd, "m_bad", "vfs_read", "a=$retval"));
	CALL(kprobe_event_gen_cmd_end(&cmd));
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(kprobe_event_gen_cmd_start(&cmd, NULL, "vfs_read"));
	CALL(kprobe_event_gen_cmd_end(&cmd));
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(kprobe_event_gen_cmd_start(&cmd, "m_bad", NULL));
	show("kprobe_events");
	show("error_log");
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(kprobe_event_gen_cmd_start(&cmd, long_name + 220, "vfs_read"));
	say("%s\n", buf);
	CALL(kprobe_event_gen_cmd_end(&cmd));
	kprobe_event_cmd_init(&cmd, buf, sizeof(buf));
	CALL(kprobe_event_gen_cmd_start(&cmd, "m_fields", "vfs_read"));
	for (i = 0; i < 130 && !err; i++)
		err = kprobe_event_add_fields(&cmd, "%di");
	say("refused after %d: %d\n", i, err);
	CALL(kprobe_event_gen_cmd_end(&cmd));
	kprobe_event_cmd_init(&cmd, buf, 24);
	CALL(kprobe_event_gen_cmd_start(&cmd, "m_short", "vfs_read"));
	say("%s\n", buf);
	cmd.type = DYNEVENT_TYPE_SYNTH;
	CALL(kprobe_event_gen_cmd_start(&cmd, "m_type", "vfs_read"));
	CALL(kretprobe_event_gen_cmd_start(&cmd, "m_type", "vfs_read"));
	CALL(kprobe_event_add_fields(&cmd, "a=%di"));
	show("error_log");
}

static void kprobes_delete(void)
{
	struct trace_event_file *file = trace_get_event_file(NULL, "kprobes", "m_ret");

	CALL(trace_array_set_clr_event(file->tr, "kprobes", "m_ret", true));
	CALL(kprobe_event_delete("m_ret"));
	CALL(trace_array_set_clr_event(file->tr, "kprobes", "m_ret", false));
	CALL(kprobe_event_delete("m_ret"));
	trace_put_event_file(file);
	CALL(kprobe_event_delete("m_ret"));
	CALL(kprobe_event_delete("m_ret"));
	CALL(kprobe_event_delete("m_none"));
	CALL(kprobe_event_delete("other/m_open"));
	CALL(kprobe_event_delete("kprobes/m_open"));
	CALL(kprobe_event_delete(""));
	CALL(kprobe_event_delete(NULL));
	CALL(kprobe_event_delete(long_name + 220));
	CALL(kprobe_event_delete(long_name + 246));
	show("kprobe_events");
	show("error_log");
}

static void calls(void)
{
	memset(long_name, 'n', sizeof(long_name) - 1);
	synth_create();
	synth_pieces();
	synth_trace();
	synth_trace_pieces();
	event_files();
	kprobes();
	kprobes_delete();
	CALL(synth_event_delete("m_one"));
	CALL(synth_event_delete("m_many"));
	CALL(synth_event_delete("m_words"));
	CALL(synth_event_delete("m_pieces"));
	CALL(synth_event_delete("m_array"));
	CALL(synth_event_delete("m_count"));
	CALL(synth_event_delete("m_short"));
	show("dynamic_events");
}
