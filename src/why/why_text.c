// SPDX-License-Identifier: LGPL-2.1-only
/* An explained interval as text: a tree with a line for each part. */
#include "table/table.h"
#include "why/why.h"

struct tree_text {
	const struct why_answer *a;
	const struct hist_why_options *o;
	u32 digits; /* of the unit: nanoseconds are its fraction */
	int width;  /* of numbers */
	struct strbuf indent;
	struct strbuf *out;
};

static void add_numbers(const struct tree_text *t, u64 ns)
{
	u64 whole = t->a->tree->to - t->a->tree->from;
	u64 unit = t->digits == 3 ? 1000 : 1000000;

	strbuf_addf(t->out, "%*llu.%0*llu", t->width, ns / unit, (int)t->digits, ns % unit);
	strbuf_addf(t->out, " %6.1f  ", whole ? 100.0 * (double)ns / (double)whole : 100.0);
}

static void add_parts(struct tree_text *t, u32 of);

/* One line, and those of its parts. */
static void add_part(struct tree_text *t, u32 i, bool last)
{
	const char *branch = t->o->colour ? (last ? "└─ " : "├─ ") : (last ? "`- " : "|- ");
	const char *stem = t->o->colour ? (last ? "   " : "│  ") : (last ? "   " : "|  ");
	size_t len = t->indent.len;

	add_numbers(t, t->a->tree->parts.v[i].ns);
	strbuf_addf(t->out, "%s%s", t->indent.s, branch);
	why_part_text(t->a, i, t->out);
	strbuf_addch(t->out, '\n');
	strbuf_addstr(&t->indent, stem);
	if (t->a->tree->parts.v[i].key.stack) {
		struct span rest = span_of(why_word(t->a->store, t->a->tree->parts.v[i].key.stack));
		bool first = true;

		/* " at FRAME < CALLER < ...", below the numbers of a block. */
		strbuf_fill(t->out, ' ', (size_t)t->width + 1 + t->digits + 9);
		strbuf_addf(t->out, "%s   at ", t->indent.s);
		while (rest.s) {
			struct span frame = span_sep(&rest, "\n");

			strbuf_addf(t->out, "%s%.*s", first ? "" : " < ", (int)frame.n, frame.s);
			first = false;
		}
		strbuf_addch(t->out, '\n');
	}
	add_parts(t, i);
	strbuf_cut(&t->indent, len);
}

/* The largest parts, and a line for the others, so that all add up. */
static void add_parts(struct tree_text *t, u32 of)
{
	const struct why_part *parts = t->a->tree->parts.v;
	size_t n = parts[of].n_parts, shown = t->o->top && t->o->top < n ? t->o->top : n, at = 0;
	u64 rest = 0;

	/* a line for one part would be as long */
	if (shown + 1 == n)
		shown = n;
	why_for_each_part(i, t->a->tree, of)
	{
		if (at++ < shown)
			add_part(t, i, at == n);
		else
			rest += parts[i].ns;
	}
	if (shown == n)
		return;
	add_numbers(t, rest);
	strbuf_addf(t->out, "%s%s%zu other parts (--top 0 shows all)\n", t->indent.s,
		    t->o->colour ? "└─ " : "`- ", n - shown);
}

/* "longest chain of wakers, 1.234 ms: init-1 < sh-12 < irq 5: ata" */
static void add_chain(const struct why_answer *a, struct strbuf *out)
{
	const struct why_part *parts = a->tree->parts.v;
	u32 n, end = why_tree_chain(a->tree, &n);
	struct strbuf chain = STRBUF_INIT, longer = STRBUF_INIT;

	if (n < 2)
		return;
	for (u32 i = end; i; i = parts[i].key.parent) {
		const struct why_key *k = &parts[i].key;

		if (k->kind != WHY_BLOCKED)
			continue;
		strbuf_reset(&longer);
		strbuf_addstr(&longer, " < ");
		if (k->in_irq)
			strbuf_addstr(&longer,
				      k->irq ? why_word(a->store, k->irq) : "an interrupt");
		else
			why_task_text(a, k->pid, k->comm, &longer);
		strbuf_add(&longer, chain.s, chain.len);
		strbuf_reset(&chain);
		strbuf_add(&chain, longer.s, longer.len);
	}
	strbuf_addstr(out, "\nlongest chain of wakers, ");
	people_text(out, (double)parts[end].ns, "ns");
	strbuf_addstr(out, ": ");
	why_task_text(a, parts[0].key.pid, parts[0].key.comm, out);
	strbuf_add(out, chain.s, chain.len);
	strbuf_addstr(out, parts[end].end == WHY_DEEP ? " < ... (--depth)\n" : "\n");
	out->failed |= chain.failed || longer.failed;
	strbuf_release(&chain);
	strbuf_release(&longer);
}

/* Fields of a record, "NAME=TEXT, ...", in lines of @width columns; 0: in one line. */
static void add_fields(const char *text, size_t width, struct strbuf *out)
{
	const char *const end = text + strlen(text);
	size_t at = 1;

	strbuf_addch(out, ' ');
	while (text < end) {
		const char *stop = text;
		size_t n;

		/* a field ends before a word with '=': texts may contain spaces */
		do {
			stop += strcspn(stop, " ");
			stop += *stop == ' ';
		} while (*stop && !memchr(stop, '=', strcspn(stop, " ")));
		n = text_width((struct span){ text, (size_t)(stop - text) });
		if (width && at > 1 && at + n + (*stop == '\0') > width) {
			while (out->len && out->s[out->len - 1] == ' ')
				strbuf_cut(out, out->len - 1);
			strbuf_addstr(out, "\n ");
			at = 1;
		}
		strbuf_addf(out, "%s%.*s", at == 1 ? " " : "", (int)(stop - text), text);
		at += n + (at == 1);
		text = stop;
	}
	strbuf_addch(out, '\n');
}

void why_text(const struct why_answer *a, const struct hist_why_options *o, struct strbuf *out)
{
	u64 whole = a->tree->to - a->tree->from;
	struct tree_text t = { .a = a,
			       .o = o,
			       .digits = whole < 10000000000 ? 3 : 6,
			       .indent = STRBUF_INIT,
			       .out = out };
	const struct why_interval *v;

	for (u64 n = whole / (t.digits == 3 ? 1000 : 1000000); n >= 10; n /= 10)
		t.width++;
	t.width = max_t(int, t.width + 1, 6);
	/* "derived:wait, the longest of 2317" */
	v = t.a->interval;
	if (t.a->event) {
		strbuf_addf(t.out, "%s", t.a->event);
		if (t.a->rank)
			strbuf_addf(t.out, ", number %zu of %zu by length", t.a->rank, t.a->of);
		strbuf_addch(t.out, '\n');
		if (v->text)
			add_fields(v->text, o->width, out);
	}
	strbuf_addstr(t.out, "  from ");
	text_add_time(t.out, v->from, false);
	strbuf_addstr(t.out, " to ");
	text_add_time(t.out, v->to, false);
	if (t.a->event)
		strbuf_addf(t.out, ", where it ended on CPU %u", v->cpu);
	strbuf_addstr(t.out, "\n\n");
	strbuf_addf(out, "%*s      %%\n", t.width + 1 + (int)t.digits, t.digits == 3 ? "us" : "ms");
	add_numbers(&t, whole);
	why_task_text(a, a->tree->parts.v[0].key.pid, a->tree->parts.v[0].key.comm, out);
	strbuf_addch(out, '\n');
	add_parts(&t, 0);
	add_chain(a, out);
	out->failed |= t.indent.failed;
	strbuf_release(&t.indent);
}
