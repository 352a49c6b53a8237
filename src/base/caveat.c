// SPDX-License-Identifier: LGPL-2.1-only
/* The only place that reads and writes the text of caveats, and describes them. */
#include "base/caveat.h"
#include "base/types.h"

/* More than any recording has: of more, .of is dropped, so that hostile texts stay small. */
enum { MAX_CAVEATS = 256 };

/* ORDER enum caveat_kind */
static const char *const kinds[N_CAVEATS] = {
	"sampled", "damaged",   "lost",     "unsaved",  "names",
	"tasks",   "saturated", "left_out", "switches",
};

bool caveat_next(struct span *lines, struct caveat *c)
{
	while (lines->s) {
		struct span line = span_sep(lines, "\n"), name = span_sep(&line, " ");
		struct span n = line.s ? span_sep(&line, " ") : line;

		*c = (struct caveat){ .name = name, .of = line };
		while (c->kind < N_CAVEATS && !span_eq(name, kinds[c->kind]))
			c->kind++;
		if (name.n && n.n && span_u64(n, &c->n)) {
			c->of = line.s ? line : span_of("");
			return true;
		}
	}
	return false;
}

bool caveat_find(struct span lines, enum caveat_kind kind, const char *of, struct caveat *c)
{
	struct caveat ignored = { .n = 0 };

	c = c ? c : &ignored;
	while (caveat_next(&lines, c))
		if (c->kind == kind && (!of || span_eq(c->of, of)))
			return true;
	return false;
}

static void add_line(struct strbuf *lines, const struct caveat *c)
{
	strbuf_addf(lines, "%.*s %llu%s", (int)c->name.n, c->name.s, c->n, c->of.n ? " " : "");
	for (size_t i = 0; i < c->of.n; i++)
		strbuf_addch(lines, c->of.s[i] == '\n' || !c->of.s[i] ? '?' : c->of.s[i]);
	strbuf_addch(lines, '\n');
}

void caveat_add(struct strbuf *lines, const struct caveat *c)
{
	struct span rest = { lines->s, lines->len };
	struct strbuf sum = STRBUF_INIT;
	struct caveat add = *c, old;
	size_t n = 0;

	if (c->kind < N_CAVEATS)
		add.name = span_of(kinds[c->kind]);
	while (caveat_next(&rest, &old))
		n++;
	if (n >= MAX_CAVEATS)
		add.of = span_of("");
	rest = (struct span){ lines->s, lines->len };
	while (caveat_next(&rest, &old)) {
		if (!span_same(old.name, add.name) || !span_same(old.of, add.of))
			add_line(&sum, &old);
		/* an unknown number stays unknown */
		else if (add.kind == CAVEAT_LOST && (!old.n || !add.n))
			add.n = 0;
		else
			add.n = add_saturated(add.n, old.n);
	}
	add_line(&sum, &add);
	sum.failed |= lines->failed;
	strbuf_release(lines);
	*lines = sum;
}

void caveat_add_all(struct strbuf *lines, struct span more)
{
	struct caveat c;

	while (caveat_next(&more, &c))
		caveat_add(lines, &c);
}

void caveat_cpu(struct strbuf *of, u32 cpu, const char *instance)
{
	strbuf_addf(of, "%u%s%s", cpu, *instance ? " of instance " : "", instance);
}

void caveat_print(const struct caveat *c, struct strbuf *out)
{
	const unsigned long long n = c->n;
	const int len = (int)c->of.n;

	switch (c->kind) {
	case CAVEAT_SAMPLED:
		strbuf_addf(out, "%.*s was sampled: the counts are those of samples, not of events",
			    len, c->of.s);
		break;
	case CAVEAT_DAMAGED:
		if (n == 1)
			strbuf_addstr(out, "parts of the recording are missing or damaged");
		else
			strbuf_addf(out, "parts of %llu recordings are missing or damaged", n);
		break;
	case CAVEAT_LOST:
		strbuf_addf(out, n == 1 ? "%llu event" : n ? "%llu events" : "events", n);
		strbuf_addf(out, "%s%.*s %s lost%s", len ? " of CPU " : "", len, c->of.s,
			    n == 1 ? "was" : "were", n ? "" : "; the number was not recorded");
		break;
	case CAVEAT_UNSAVED:
		if (n)
			strbuf_addf(out, "up to %llu bytes", n);
		else
			strbuf_addstr(out, "the last events");
		strbuf_addf(out, " of CPU %.*s may be missing: the recording was interrupted", len,
			    c->of.s);
		break;
	case CAVEAT_NAMES:
		strbuf_addf(out,
			    n == 1 ? "the name of the task of %llu event is a guess"
				   : "the names of tasks of %llu events are guesses",
			    n);
		break;
	case CAVEAT_TASKS:
		strbuf_addf(
			out,
			n == 1 ? "the process or cgroup of the task of %llu event is not known"
			       : "the process or cgroup of the tasks of %llu events is not known",
			n);
		break;
	case CAVEAT_SATURATED:
		strbuf_addf(out, "%.*s: %llu %s 64 bits; the largest number is shown", len, c->of.s,
			    n, n == 1 ? "sum exceeds" : "sums exceed");
		break;
	case CAVEAT_LEFT_OUT:
		strbuf_addf(out, "%llu row%s left out when the result was saved (--top)", n,
			    plural_were(n));
		break;
	case CAVEAT_SWITCHES:
		strbuf_addf(out,
			    "%llu sched_switch do not follow the one before on their CPU: a filter "
			    "or a pause left switches out, or the kernel did not trace them, and "
			    "times of tasks may be too long",
			    n);
		break;
	default:
		strbuf_addf(out, "a later version of hist reports: %.*s %llu %.*s", (int)c->name.n,
			    c->name.s, n, len, c->of.s);
	}
}

void caveats_diagnose(struct span lines, const char *name, struct diags *diags)
{
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	struct caveat c;

	while (caveat_next(&lines, &c)) {
		strbuf_reset(&text);
		caveat_print(&c, &text);
		diags_add(diags, DIAG_WARNING, "%s%s%s", name ? name : "", name ? ": " : "",
			  text.s);
	}
}
