// SPDX-License-Identifier: LGPL-2.1-only
/* Trigger lines: commands, filters, tokens, sizes, variables. */
#include "lang_text.h"

/* --- the command --- */

static const char *const commands[][2] = {
	/* text, [!]NAME PARAM */
	{ "hist:keys=pid", "hist keys=pid" },
	{ "hist keys=pid", "hist keys=pid" },
	{ "hist\tkeys=pid", "hist keys=pid" },
	{ "hist: keys=pid", "hist keys=pid" },
	{ "hist:  \t keys=pid\n", "hist keys=pid" },
	{ "  hist:keys=pid \t\n", "hist keys=pid" },
	{ "hist::keys=pid", "hist :keys=pid" },
	{ "hist", "hist -" },
	{ "hist:", "hist -" },
	{ "hist: ", "hist -" },
	{ "!hist:keys=pid", "!hist keys=pid" },
	{ " !traceoff", "!traceoff -" },
	{ "! traceoff", "! traceoff" },
	{ "!!traceoff", "!!traceoff -" },
	{ "traceoff:5 if pid == 1", "traceoff 5 if pid == 1" },
	{ "hist:keys=pid\nhist:keys=prio", "hist keys=pid\nhist:keys=prio" },
	{ "", " -" },
	{ " \n", " -" },
	{ "\xa0hist\xa0", "hist -" }, /* kernel: isspace() knows Latin-1 */
};

static void test_command_word(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		struct strbuf got = STRBUF_INIT;
		struct trigger_text t;

		trigger_text_cut(span_of(commands[i][0]), &t);
		strbuf_addstr(&got, t.remove ? "!" : "");
		add_span(&got, t.name);
		strbuf_addch(&got, ' ');
		add_span(&got, t.param);
		check_text(commands[i][0], &got, commands[i][1]);
	}
}

/* --- parameter and filter of simple triggers --- */

static const struct {
	const char *text;
	bool required;
	const char *want; /* PARAM|FILTER */
} args[] = {
	{ "5", false, "5|-" },
	{ "5 if pid == 1", false, "5|if pid == 1" },
	{ "0x10\tif a", false, "0x10|if a" },
	{ "5:6 x", false, "5:6|x" },
	{ "if pid == 1", false, "-|if pid == 1" },
	{ "unlimited", false, "-|unlimited" },
	{ "sched:sched_switch", true, "sched:sched_switch|-" },
	{ "sched:sched_switch:5 if a == 1", true, "sched:sched_switch:5|if a == 1" },
	{ "sched:sched_switch   ", true, "sched:sched_switch|-" },
};

static void test_simple_arguments(void **state)
{
	struct trigger_args a;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		struct strbuf got = STRBUF_INIT;

		trigger_args_cut(span_of(args[i].text), args[i].required, &a);
		add_span(&got, a.param);
		strbuf_addch(&got, '|');
		add_span(&got, a.filter);
		check_text(args[i].text, &got, args[i].want);
	}
	trigger_args_cut((struct span){ NULL, 0 }, false, &a);
	assert_null(a.param.s);
	assert_null(a.filter.s);
}

static const char *const filters[][2] = {
	{ "if pid == 1", "pid == 1" },
	{ "if   pid == 1", "  pid == 1" }, /* one blank belongs to "if" */
	{ "if\tpid", "pid" },
	{ "if", "-" },
	{ "if ", "" },
	{ "ifx pid", "-" },
	{ "x if pid", "-" },
	{ "If pid", "-" },
};

static void test_filter_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
		struct strbuf got = STRBUF_INIT;

		add_span(&got, trigger_filter_text(span_of(filters[i][0])));
		check_text(filters[i][0], &got, filters[i][1]);
	}
}

/* --- hist triggers --- */

static void add_flags(struct strbuf *out, const struct hist_text *ht)
{
	if (ht->map_bits)
		strbuf_addf(out, " bits=%u", ht->map_bits);
	strbuf_addstr(out, ht->pause ? " pause" : "");
	strbuf_addstr(out, ht->cont ? " cont" : "");
	strbuf_addstr(out, ht->clear ? " clear" : "");
	strbuf_addstr(out, ht->no_hitcount ? " nohc" : "");
}

/* Append all parts by name, in one line. */
static void add_hist(struct strbuf *out, const struct hist_text *ht)
{
	const struct {
		const char *name;
		struct span value;
	} parts[] = {
		{ "keys", ht->keys },   { "vals", ht->vals }, { "sort", ht->sort },
		{ "clock", ht->clock }, { "name", ht->name }, { "filter", ht->filter },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].value.s)
			continue;
		strbuf_addf(out, " %s<", parts[i].name);
		add_span(out, parts[i].value);
		strbuf_addch(out, '>');
	}
	add_flags(out, ht);
	for (size_t i = 0; i < ht->n_assignments; i++) {
		strbuf_addstr(out, " var<");
		add_span(out, ht->assignments[i]);
		strbuf_addch(out, '>');
	}
	for (size_t i = 0; i < ht->n_actions; i++) {
		strbuf_addstr(out, " act<");
		add_span(out, ht->actions[i]);
		strbuf_addch(out, '>');
	}
	add_complaint(out, &ht->bad);
}

static void check_hist(const char *text, const char *want)
{
	struct strbuf got = STRBUF_INIT;
	struct hist_text ht;

	hist_text_cut(span_of(text), &ht);
	add_hist(&got, &ht);
	check_text(text, &got, want);
}

static const char *const hists[][2] = {
	{ "keys=pid", " keys<pid>" },
	{ "key=pid", " keys<pid>" },
	{ "keys=pid,prio.hex:vals=a,b:sort=pid.descending",
	  " keys<pid,prio.hex> vals<a,b> sort<pid.descending>" },
	{ "val=x:values=y:keys=k", " keys<k> vals<y>" },
	{ "keys=a:keys=b", " keys<b>" }, /* a repeated attribute replaces the previous one */
	{ "keys=pid:name=foo", " keys<pid> name<name=foo>" },
	{ "keys=pid:clock= mono ", " keys<pid> clock<mono>" },
	{ "keys= pid :vals=x ", " keys< pid > vals<x >" }, /* blanks are significant */
	{ "keys=a=b", " keys<a=b>" },
	{ "keys=pid:pause:cont:clear", " keys<pid> pause cont clear" },
	{ "keys=pid:continue:NOHC", " keys<pid> cont nohc" },
	{ "keys=pid:nohitcount", " keys<pid> nohc" },
	{ "keys=pid:ts0=common_timestamp.usecs,x=1",
	  " keys<pid> var<ts0=common_timestamp.usecs,x=1>" },
	{ "keys=pid:a=1:b=2", " keys<pid> var<a=1> var<b=2>" },
	{ "x=a=b:keys=pid", " keys<pid> var<x=a=b>" },
	{ "keys=pid:onmatch(a.b).trace(c,d):onmax($x).save(y):onchange($z).snapshot()",
	  " keys<pid> act<onmatch(a.b).trace(c,d)> act<onmax($x).save(y)> act<onchange($z).snapshot()>" },
	/* an action that contains '=' is parsed as an assignment */
	{ "keys=pid:onmatch(a.b).trace(c,d=1)", " keys<pid> var<onmatch(a.b).trace(c,d=1)>" },
	/* there are no quotes: every ':' is a separator */
	{ "keys=pid:x='a:b'", " keys<pid> var<x='a> error: silent 'b''" },
	{ "", " error: silent ''" },
	{ "vals=x", " vals<x> error: silent 'vals=x'" },
	{ "keys=", " error: Empty assignment 'keys='" },
	{ "keys=pid:sort=", " keys<pid> error: Empty assignment 'sort='" },
	{ "keys=pid:x=", " keys<pid> error: Empty assignment 'x='" },
	{ "keys=pid:=x", " keys<pid> var<=x>" },
	{ "keys=pid:x==", " keys<pid> var<x==>" },
	{ "keys=pid:", " keys<pid> error: silent ''" },
	{ "keys=pid::vals=x", " keys<pid> error: silent ''" },
	{ "pid", " error: silent 'pid'" },
	{ "keys=pid:Pause", " keys<pid> error: silent 'Pause'" },
	{ "keys=pid:pause ", " keys<pid> error: silent 'pause '" },
	{ "keys=pid:onmatch", " keys<pid> error: silent 'onmatch'" },
	{ "keys=pid:foo:sort=", " keys<pid> error: silent 'foo'" }, /* the first one is reported */
};

static void test_hist_tokens(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hists); i++)
		check_hist(hists[i][0], hists[i][1]);
}

static const char *const ifs[][2] = {
	{ "keys=pid if prio > 5", " keys<pid> filter<if prio > 5>" },
	{ "keys=pid  if   prio > 5  ", " keys<pid> filter<if   prio > 5>" },
	{ "keys=pid\tif\tprio", " keys<pid> filter<if\tprio>" },
	{ " keys=pid if x", " keys<pid> filter<if x>" },
	/* without a filter nothing is trimmed, so the field is " pid" */
	{ "keys=ifx", " keys<ifx>" },
	{ "keys=x.if", " keys<x.if>" },
	{ "keys=pid ifxy", " keys<pid ifxy>" },
	{ "keys=pid ifx", " error: silent 'if'" }, /* kernel: too short for a filter */
	{ "keys=pid if x if y", " keys<pid> filter<if x if y>" },
	{ "keys=diff if x", " keys<diff> filter<if x>" },
	{ "keys=pid\nif x", " keys<pid\nif x>" },
	/* a filter may contain ':' */
	{ "keys=pid if comm == \"a:b\"", " keys<pid> filter<if comm == \"a:b\">" },
	{ "keys=pid:pause if x", " keys<pid> filter<if x> pause" },
	{ "ifx=1:keys=pid", " error: silent 'if'" },
	{ "if x", " error: silent 'if'" },
	{ "keys=pid if", " error: silent 'if'" },
	{ "keys=pid ifx if y", " keys<pid ifx> filter<if y>" },
};

static void test_hist_filter_split(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(ifs); i++)
		check_hist(ifs[i][0], ifs[i][1]);
}

static void test_hist_size(void **state)
{
	static const struct {
		const char *size;
		unsigned int bits; /* 0: rejected */
	} sizes[] = {
		{ "65", 7 },    { "128", 7 },    { "129", 8 },     { "256", 8 },
		{ "2048", 11 }, { "2049", 12 },  { "131072", 17 }, { "0x100", 8 },
		{ "0400", 8 },  { "+256", 8 },   { "0", 0 },       { "1", 0 },
		{ "64", 0 },    { "131073", 0 }, { "-1", 0 },      { "x", 0 },
		{ "256x", 0 },  { " 256", 0 },   { "0x", 0 },      { "18446744073709551616", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		char text[64];
		struct hist_text ht;

		snprintf(text, sizeof(text), "keys=pid:size=%s", sizes[i].size);
		hist_text_cut(span_of(text), &ht);
		assert_int_equal(ht.bad.set, sizes[i].bits == 0);
		if (ht.bad.set)
			assert_int_equal(ht.bad.err, HIST_ERR_SILENT);
		else
			assert_int_equal(ht.map_bits, sizes[i].bits);
	}
}

/* The number of tokens of one kind is limited; the message names the first excess one. */
static void test_hist_limits(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct hist_text ht;

	(void)state;
	strbuf_addstr(&text, "keys=pid");
	for (int i = 0; i < TRACING_MAP_VARS_MAX; i++)
		strbuf_addf(&text, ":v%d=1", i);
	hist_text_cut(span_of(text.s), &ht);
	assert_false(ht.bad.set);
	assert_int_equal(ht.n_assignments, TRACING_MAP_VARS_MAX);
	strbuf_addstr(&text, ":last=1");
	hist_text_cut(span_of(text.s), &ht);
	assert_int_equal(ht.bad.err, HIST_ERR_TOO_MANY_VARS);
	assert_true(span_eq(ht.bad.text, "last=1"));

	strbuf_reset(&text);
	strbuf_addstr(&text, "keys=pid");
	for (int i = 0; i < HIST_ACTIONS_MAX; i++)
		strbuf_addstr(&text, ":onmax($v).snapshot()");
	hist_text_cut(span_of(text.s), &ht);
	assert_false(ht.bad.set);
	assert_int_equal(ht.n_actions, HIST_ACTIONS_MAX);
	strbuf_addstr(&text, ":onmax($v).snapshot()");
	hist_text_cut(span_of(text.s), &ht);
	assert_int_equal(ht.bad.err, HIST_ERR_SILENT);
	strbuf_release(&text);
}

/* The '-' of .sym-offset must not be parsed as an operator; filters are not changed. */
static void test_sym_offset(void **state)
{
	static const char *const texts[][2] = {
		{ "keys=ip.sym-offset", "keys=ip.symXoffset" },
		{ "keys=a.sym-offset,b.sym-offset-c", "keys=a.symXoffset,b.symXoffset-c" },
		{ "keys=sym-offset", "keys=sym-offset" },
		{ "keys=pid if x.sym-offset", "keys=pid if x.sym-offset" },
		{ "keys=ip.sym-offset if a.sym-offset", "keys=ip.symXoffset if a.sym-offset" },
		{ "keys=ip.sym-offse", "keys=ip.sym-offse" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s", texts[i][0]);
		hist_text_prepare(text, strlen(text));
		assert_string_equal(text, texts[i][1]);
	}
}

/* --- variables --- */

static const char *const variables[][2] = {
	{ "keys=k:a=1", "a<1>" },
	{ "keys=k:a=1,b=x+1:c=$d", "a<1>b<x+1>c<$d>" },
	{ "keys=k:a=b=c", "a<b=c>" },
	{ "keys=k:a=1,b=", "a<1>b<>" },
	{ "keys=k:=1", "<1>" },
	{ "keys=k:a=1,b", "a<1> error: Malformed assignment 'b'" },
	{ "keys=k:a=1,,b=2", "a<1> error: Malformed assignment ''" },
	{ "keys=k:a=1,b:c=1", "a<1> error: Malformed assignment 'b'" },
};

static void test_variables(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(variables); i++) {
		struct strbuf got = STRBUF_INIT;
		struct hist_text ht;
		struct var_texts vars;

		hist_text_cut(span_of(variables[i][0]), &ht);
		assert_false(ht.bad.set);
		var_texts_cut(&ht, &vars);
		for (size_t k = 0; k < vars.n; k++)
			strbuf_addf(&got, "%.*s<%.*s>", (int)vars.v[k].name.n, vars.v[k].name.s,
				    (int)vars.v[k].expr.n, vars.v[k].expr.s);
		add_complaint(&got, &vars.bad);
		check_text(variables[i][0], &got, variables[i][1]);
	}
}

/*
 * kernel: within one token the 17th part and later are ignored; over several tokens this is an
 * error.
 */
static void test_too_many_variables(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct hist_text ht;
	struct var_texts vars;

	(void)state;
	strbuf_addstr(&text, "keys=k:v0=0");
	for (int i = 1; i < 20; i++)
		strbuf_addf(&text, ",v%d=%d", i, i);
	hist_text_cut(span_of(text.s), &ht);
	var_texts_cut(&ht, &vars);
	assert_false(vars.bad.set);
	assert_int_equal(vars.n, TRACING_MAP_VARS_MAX);
	assert_true(span_eq(vars.v[15].name, "v15"));

	strbuf_addstr(&text, ":w=1");
	hist_text_cut(span_of(text.s), &ht);
	var_texts_cut(&ht, &vars);
	assert_int_equal(vars.bad.err, HIST_ERR_TOO_MANY_VARS);
	assert_true(span_eq(vars.bad.text, "w"));
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_command_word),       TEST(test_simple_arguments),  TEST(test_filter_text),
		TEST(test_hist_tokens),        TEST(test_hist_filter_split), TEST(test_hist_size),
		TEST(test_hist_limits),        TEST(test_sym_offset),        TEST(test_variables),
		TEST(test_too_many_variables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
