// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The comparison as JUnit XML for CI systems: a test case for each --fail-on on each row, or
 * without --fail-on for each histogram. An undecided case is an error, not a failure.
 */
#include "diff/tables.h"

static void add_attribute(struct strbuf *out, const char *name, struct strbuf *value)
{
	strbuf_addf(out, " %s=\"", name);
	markup_escape(out, (struct span){ value->s, value->len }, "&<>\"'\n\t");
	strbuf_addch(out, '"');
	out->failed |= value->failed;
	strbuf_release(value);
}

static void begin_case(struct strbuf *out, const struct comparison *of, struct strbuf *name)
{
	struct strbuf class = STRBUF_INIT;

	strbuf_addstr(&class, of ? of->join->event : "hist diff");
	strbuf_addstr(out, "    <testcase");
	add_attribute(out, "classname", &class);
	add_attribute(out, "name", name);
}

static void end_case(struct strbuf *out, const char *element, struct strbuf *message)
{
	if (!element) {
		strbuf_release(message);
		strbuf_addstr(out, "/>\n");
		return;
	}
	strbuf_addf(out, ">\n      <%s", element);
	add_attribute(out, "message", message);
	strbuf_addstr(out, "/>\n    </testcase>\n");
}

static void print_comparison(const struct hist_diff *d, const struct comparison *c,
			     struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT, message = STRBUF_INIT;

	strbuf_addstr(&name, c->join->trigger);
	if (d->n_sides > 2)
		strbuf_addf(&name, " in %s", d->labels[c->meter.after]);
	begin_case(out, c, &name);
	if (c->doubts.n)
		strbuf_addstr(&message, c->doubts.v[0]);
	else
		marks_add(&message, d, c);
	end_case(out, c->doubts.n ? "error" : comparison_differs(c) ? "failure" : NULL, &message);
}

struct counts {
	size_t tests, failures, errors;
};

static struct counts count(const struct hist_diff *d)
{
	const check_array *checks = &d->verdict.checks;
	struct counts n = { .tests = checks->n + 1, .errors = first_doubt(d) != NULL };

	for (size_t i = 0; i < checks->n; i++) {
		n.failures += checks->v[i].outcome == OUTCOME_HOLDS;
		n.errors += checks->v[i].outcome == OUTCOME_UNSURE;
	}
	if (d->options.n_fail_on)
		return n;
	n = (struct counts){ .tests = d->all.n };
	for (size_t i = 0; i < d->all.n; i++) {
		n.failures += !d->all.v[i].doubts.n && comparison_differs(&d->all.v[i]);
		n.errors += d->all.v[i].doubts.n > 0;
	}
	return n;
}

static int print_junit(const struct hist_diff *d, struct printer *p)
{
	const struct counts n = count(d);
	const struct join *j;

	strbuf_addstr(&p->buf, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	strbuf_addf(
		&p->buf,
		"  <testsuite name=\"hist diff\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n",
		n.tests, n.failures, n.errors);
	/* The runs, with what is missing or inexact in them. */
	j = d->joins.v[0];
	strbuf_addstr(&p->buf, "    <properties>\n");
	for (size_t i = 0; i < j->n_runs; i++) {
		struct strbuf name = STRBUF_INIT, run = STRBUF_INIT;

		strbuf_addf(&name, "run %zu", i + 1);
		run_add(&run, d, &j->runs[i]);
		strbuf_addstr(&p->buf, "      <property");
		add_attribute(&p->buf, "name", &name);
		add_attribute(&p->buf, "value", &run);
		strbuf_addstr(&p->buf, "/>\n");
	}
	strbuf_addstr(&p->buf, "    </properties>\n");
	if (d->options.n_fail_on) {
		/* doubts about the recordings are an error of their own */
		const char *doubt = first_doubt(d);
		struct strbuf *out = &p->buf;
		struct strbuf name = STRBUF_INIT, message = STRBUF_INIT;

		strbuf_addstr(&name, "the runs can be compared");
		begin_case(out, NULL, &name);
		if (doubt)
			strbuf_addstr(&message, doubt);
		end_case(out, doubt ? "error" : NULL, &message);
	}
	array_each(const struct fail_on_check, c, &d->verdict.checks) {
		/* ORDER enum outcome */
		static const char *const elements[] = { NULL, "failure", "error" };
		struct strbuf name = STRBUF_INIT, message = STRBUF_INIT;

		strbuf_addstr(&name, c->expr->text);
		if (c->of && c->row && c->expr->glob) {
			strbuf_addstr(&name, " of ");
			row_print_keys(c->of->join, c->row, ", ", false, &name);
		}
		if (d->n_sides > 2 && c->of)
			strbuf_addf(&name, " in %s", d->labels[c->of->meter.after]);
		begin_case(&p->buf, c->of, &name);
		check_add(&message, d, c);
		end_case(&p->buf, elements[c->outcome], &message);
		printer_flush(p);
	}
	for (size_t i = 0; i < d->all.n && !d->options.n_fail_on; i++)
		print_comparison(d, &d->all.v[i], &p->buf);
	strbuf_addstr(&p->buf, "  </testsuite>\n</testsuites>\n");
	return p->err;
}

const struct diff_printer diff_print_junit = { .name = "junit", .print = print_junit };
