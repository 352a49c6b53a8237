/* SPDX-License-Identifier: LGPL-2.1-only */
/* Runs one script under every plan: output, diagnoses and result must be the same. */
#ifndef TESTS_PLAN_CHECK_H
#define TESTS_PLAN_CHECK_H

#include <stdlib.h>

#include "hist.h"
#include "replay/plan.h"
#include "unit.h"

/* A script and its recording. */
struct plan_case {
	const char *const *inputs;
	size_t n_inputs;
	const char *script; /* text of a script */
	const char *kernel; /* version for the rules; NULL: that of the recording */
	bool stats;         /* with statistics */
	bool unlimited;     /* without the kernel's limits */
	unsigned int exemplars;
	const char *interval;
	const char *format; /* NULL: the kernel's text */
	const char *what;   /* description for messages */
};

/* The result of a run. */
struct plan_outcome {
	struct strbuf out; /* standard output, then the diagnoses */
	int err;
	bool doubtful, cut;
	u8 ways; /* plans that were used */
};

static inline int plan_add_output(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

static inline void plan_add_diags(const struct diags *diags, struct strbuf *out)
{
	for (size_t i = 0; i < hist_diags_count(diags); i++) {
		char *text = hist_diags_text(diags, i, "hist", false);

		strbuf_addstr(out, text);
		free(text);
	}
}

static inline void plan_run(const struct plan_case *c, enum hist_plan plan, unsigned int jobs,
			    struct plan_outcome *o)
{
	const struct hist_options options = { .inputs = c->inputs,
					      .n_inputs = c->n_inputs,
					      .kernel = c->kernel,
					      .plan = plan,
					      .unlimited = c->unlimited,
					      .jobs = jobs };
	const struct hist_run_options run = { .keep_going = true,
					      .stats = c->stats,
					      .exemplars = c->exemplars,
					      .interval = c->interval,
					      .format = c->format };
	struct hist_script *script = hist_script_new();
	struct diags *diags = hist_diags_new();
	struct hist *h = NULL;

	*o = (struct plan_outcome){ .out = STRBUF_INIT };
	assert_non_null(script);
	assert_non_null(diags);
	hist_script_parse(script, "script", c->script, strlen(c->script), diags);
	o->err = hist_open(&options, &h, diags);
	if (!o->err) {
		o->err = hist_run(h, script, &run, plan_add_output, &o->out, diags);
		o->doubtful = hist_doubtful(h);
		o->cut = hist_input_cut(h);
		o->ways = h->ways;
	}
	plan_add_diags(diags, &o->out);
	hist_close(h);
	hist_script_free(script);
	hist_diags_free(diags);
}

/* Whether the plan was rejected: it does not support the script. */
static inline bool plan_refused(const struct plan_outcome *o)
{
	return o->err && strstr(o->out.s, " cannot be counted by ");
}

/* How often each plan was used, so that a test can require it. */
struct plan_counts {
	unsigned int ran[HIST_PLAN_PLAIN + 1], fell_back, rejected;
};

/* Print from the first line that differs, or from later: print_error() prints at most 1,000
 * characters. */
static inline void plan_print_difference(const struct plan_case *c, const char *want,
					 const char *got)
{
	size_t line = 0, i;

	for (i = 0; want[i] && want[i] == got[i]; i++)
		if (want[i] == '\n')
			line = i + 1;
	/* a json line is long */
	if (i - line > 200)
		line = i - 200;
	print_error("# script:\n%s\n", c->script);
	print_error("# plain:\n%.500s\n# otherwise:\n%.400s\n", want + line, got + line);
}

static inline void plan_compare(const struct plan_case *c, const struct plan_outcome *want,
				enum hist_plan plan, unsigned int jobs, struct plan_counts *counts)
{
	static const u8 bits[] = { 0, 1 << WAY_ORDER, 1 << WAY_RANGE };
	struct plan_outcome got;

	plan_run(c, plan, jobs, &got);
	if (!plan_refused(&got)) {
		bool same = !strcmp(want->out.s, got.out.s) && want->err == got.err &&
			    want->doubtful == got.doubtful && want->cut == got.cut;

		if (!same)
			print_error("# %s, plan %d, %u threads: %d %d %d, not %d %d %d\n", c->what,
				    plan, jobs, got.err, got.doubtful, got.cut, want->err,
				    want->doubtful, want->cut);
		if (!same)
			plan_print_difference(c, want->out.s, got.out.s);
		assert_true(same);
		if (plan == HIST_PLAN_AUTO || got.ways & bits[plan])
			counts->ran[plan]++;
		else if (got.ways == 1 << WAY_ORDER)
			counts->fell_back++;
		else
			assert_int_equal(got.ways, 0); /* there was nothing to count */
	}
	strbuf_release(&got.out);
}

/* Run by the specification, then with all other plans. */
static inline void plan_check(const struct plan_case *c, struct plan_counts *counts)
{
	static const unsigned int jobs[] = { 1, 2, 7 };
	struct plan_outcome want;

	plan_run(c, HIST_PLAN_PLAIN, 1, &want);
	counts->rejected += want.err != 0;
	for (size_t i = 0; i < ARRAY_SIZE(jobs); i++)
		for (int plan = HIST_PLAN_AUTO; plan <= HIST_PLAN_RANGE; plan++)
			plan_compare(c, &want, (enum hist_plan)plan, jobs[i], counts);
	strbuf_release(&want.out);
}

#endif
