// SPDX-License-Identifier: LGPL-2.1-only
/* Handlers, actions and their parameters. */
#include "lang_text.h"

static void add_handler(struct strbuf *out, const struct action_text *a)
{
	static const char *const names[] = { "?", "onmatch", "onmax", "onchange" };

	strbuf_addstr(out, names[a->handler]);
	strbuf_addch(out, '<');
	if (a->handler == HANDLER_ONMATCH) {
		add_span(out, a->match_system);
		strbuf_addch(out, '|');
		add_span(out, a->match_event);
	} else {
		add_span(out, a->var);
	}
	strbuf_addch(out, '>');
	add_complaint(out, &a->bad_handler);
}

/*
 * Append HANDLER<...>, and if it is complete: ACTION<PARAM><PARAM>, with the event of trace first.
 */
static void add_action(struct strbuf *out, const struct action_text *a)
{
	static const char *const names[] = { "-", "save", "trace", "snapshot" };

	add_handler(out, a);
	if (a->bad_handler.set)
		return;
	strbuf_addf(out, " %s", names[a->action]);
	if (a->action == ACTION_TRACE) {
		strbuf_addf(out, "%s(", a->use_trace_keyword ? "*" : "");
		add_span(out, a->synth_event);
		strbuf_addch(out, ')');
	}
	for (size_t i = 0; i < a->n_params; i++) {
		strbuf_addch(out, '<');
		add_span(out, a->params[i]);
		strbuf_addch(out, '>');
	}
	add_complaint(out, &a->bad_action);
}

static const char *const actions[][2] = {
	{ "onmatch(sched.sched_waking).lat($lat,pid)",
	  "onmatch<sched|sched_waking> trace(lat)<$lat><pid>" },
	{ "onmatch(sched.sched_waking).trace(lat,$lat,pid)",
	  "onmatch<sched|sched_waking> trace*(lat)<$lat><pid>" },
	{ "onmax($x).save(aa,bb.hex)", "onmax<$x> save<aa><bb.hex>" },
	{ "onchange($x).snapshot()", "onchange<$x> snapshot" },
	{ "onmax($x).lat($x)", "onmax<$x> trace(lat)<$x>" },
	{ "onmax(x).save(aa)", "onmax<x> save<aa>" },
	{ "onmax().save(aa)", "onmax<> save<aa>" },
	/* blanks around parameters are removed, those inside are not */
	{ "onmax($x).save( aa ,\tb b )", "onmax<$x> save<aa><b b>" },
	{ "onmatch( a.b ).i1(xx)", "onmatch< a|b > trace(i1)<xx>" },
	/* kernel: only the beginning of words is compared */
	{ "onmax($x).savefoo(aa)", "onmax<$x> save<aa>" },
	{ "onmax($x).snapshotty()", "onmax<$x> snapshot" },
	{ "onmax($x).tracexyz(lat,aa)", "onmax<$x> trace*(lat)<aa>" },
	/* kernel: text between ')' and '.' is skipped, and the last ')' may be missing */
	{ "onmatch(a.b)i1.trace(i1, prio )", "onmatch<a|b> trace*(i1)<prio>" },
	{ "onmatch(a.b).i1($rr", "onmatch<a|b> trace(i1)<$rr>" },
	{ "onmax($x).save(aa", "onmax<$x> save<aa>" },
	{ "onmatch(a.b).i1(xx)yy", "onmatch<a|b> trace(i1)<xx>" },
	{ "onmatch(a.b.c).i1(xx)", "onmatch<a|b.c> trace(i1)<xx>" },
	{ "onmatch(.b).i1(xx)", "onmatch<|b> trace(i1)<xx>" },
	{ "onmatch(a.).i1(xx)", "onmatch<a|> trace(i1)<xx>" },
	{ "onmatch(a.b).(xx)", "onmatch<a|b> trace()<xx>" },
};

static const char *const bad_actions[][2] = {
	{ "onmatch(a.b", "onmatch<-|-> error: No closing paren found 'a.b'" },
	{ "onmatch(ab).i1(xx)", "onmatch<ab|-> error: Missing subsystem 'ab'" },
	{ "onmatch().i1(xx)", "onmatch<|-> error: Missing subsystem ''" },
	{ "onmax($x.save(aa", "onmax<$x.save(aa> error: silent '$x.save(aa'" },
	{ "onmatch(a.b)", "onmatch<a|b> - error: No action found '-'" },
	{ "onmatch(a.b).", "onmatch<a|b> - error: No action found '-'" },
	{ "onmatch(a.b).i1", "onmatch<a|b> - error: No action found '-'" },
	{ "onmax($x)save(aa)", "onmax<$x> - error: No action found '-'" },
	{ "onmax($x).save()", "onmax<$x> save error: Invalid action param ''" },
	{ "onmax($x).save(a)", "onmax<$x> save error: Invalid action param 'a'" },
	{ "onmax($x).save(aa,,bb)", "onmax<$x> save<aa> error: Invalid action param ''" },
	{ "onmax($x).save(aa,)", "onmax<$x> save<aa> error: Invalid action param ''" },
	{ "onmatch(a.b).i1()", "onmatch<a|b> trace(i1) error: Invalid action param ''" },
	{ "onmatch(a.b).trace(l)", "onmatch<a|b> trace*(trace) error: Invalid action param 'l'" },
	{ "onmatch(a.b).trace(lat)", "onmatch<a|b> trace*(lat)" }, /* too few are detected later */
	{ "onmax($x).snapshot(", "onmax<$x> snapshot error: No closing paren found ''" },
	{ "onmatch(a.b).save(aa)",
	  "onmatch<a|b> save<aa> error: Handler doesn't support action 'save'" },
	{ "onmatch(a.b).snapshot()",
	  "onmatch<a|b> snapshot error: Handler doesn't support action 'snapshot'" },
	/* parameters first */
	{ "onmatch(a.b).save(x)", "onmatch<a|b> save error: Invalid action param 'x'" },
};

static void check_action(const char *text, const char *want)
{
	struct strbuf got = STRBUF_INIT;
	struct action_text a;

	action_text_cut(span_of(text), &a);
	add_action(&got, &a);
	check_text(text, &got, want);
}

static void test_actions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		check_action(actions[i][0], actions[i][1]);
}

static void test_bad_actions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad_actions); i++)
		check_action(bad_actions[i][0], bad_actions[i][1]);
}

static void test_too_many_params(void **state)
{
	struct strbuf text = STRBUF_INIT;
	struct action_text a;

	(void)state;
	strbuf_addstr(&text, "onmatch(a.b).trace(ev");
	for (int i = 0; i < SYNTH_FIELDS_MAX; i++)
		strbuf_addf(&text, ",p%d", i);
	action_text_cut(span_of(text.s), &a);
	assert_false(a.bad_action.set);
	assert_int_equal(a.n_params, SYNTH_FIELDS_MAX);
	strbuf_addstr(&text, ",last)");
	action_text_cut(span_of(text.s), &a);
	assert_int_equal(a.bad_action.err, HIST_ERR_TOO_MANY_PARAMS);
	assert_null(a.bad_action.text.s);
	strbuf_release(&text);
}

/* SYSTEM|EVENT|NAME */
static const char *const params[][2] = {
	{ "pid", "-|-|pid" },
	{ "$lat", "-|-|$lat" },
	{ "a.b.c", "a|b|c" },
	{ "a.b.$c", "a|b|$c" },
	{ "a.b.c.hex", "a|b|c.hex" },
	{ "a.b", "bad" },
	{ "common_timestamp.usecs", "bad" },
};

static void test_params(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(params); i++) {
		struct strbuf got = STRBUF_INIT;
		struct param_text p;

		param_text_cut(span_of(params[i][0]), &p);
		if (p.bad) {
			strbuf_addstr(&got, "bad");
		} else {
			add_span(&got, p.system);
			strbuf_addch(&got, '|');
			add_span(&got, p.event);
			strbuf_addch(&got, '|');
			add_span(&got, p.name);
		}
		check_text(params[i][0], &got, params[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_actions),
		TEST(test_bad_actions),
		TEST(test_too_many_params),
		TEST(test_params),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
