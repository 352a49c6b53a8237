// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The selection in force: --cpu, --from and --to, --pid, --comm, --tree as they were given, and
 * those with which hist_slim() made the recording smaller.
 *
 * Saved results contain it, so that a part is not taken for the whole.
 */
#include "recording/recording.h"
#include "tracefs/describe_selection.h"

/* Texts of one option, which all apply. */
struct chosen {
	const char *name;
	struct strbuf text;
};

static void add(struct chosen *c, struct span text)
{
	size_t start = c->text.len;

	if (!text.n || span_eq(text, c->text.s))
		return;
	strbuf_addstr(&c->text, start ? " and " : "");
	start = c->text.len;
	strbuf_add(&c->text, text.s, text.n);
	for (size_t i = start; i < c->text.len; i++)
		if (c->text.s[i] == '\n')
			c->text.s[i] = '?';
}

/* The line "selected NAME TEXT" of a smaller recording; absent: there is none. */
static struct span slimmed_of(const struct recording *rec, const char *name)
{
	struct span text = slimmed_text(rec);
	struct slimmed_line line;

	while (slimmed_next(&text, "selected ", 0, &line))
		if (span_eq(span_sep(&line.rest, " "), name) && line.rest.s)
			return line.rest;
	return (struct span){ NULL, 0 };
}

/* Of several recordings, the CPUs can differ: "0; 1", "0; all". */
static void add_slimmed(struct chosen *c, const struct recordings *r)
{
	struct strbuf all = STRBUF_INIT;
	bool any = false, differ = false;

	for (size_t i = 0; i < r->files.n; i++) {
		const struct span text = slimmed_of(&r->files.v[i], c->name);

		any |= text.s != NULL;
		differ |= !span_same(text, slimmed_of(&r->files.v[0], c->name));
		strbuf_addf(&all, "%s%.*s", i ? "; " : "", text.s ? (int)text.n : 3,
			    text.s ? text.s : "all");
	}
	if (any)
		add(c,
		    differ ? (struct span){ all.s, all.len } : slimmed_of(&r->files.v[0], c->name));
	c->text.failed |= all.failed;
	strbuf_release(&all);
}

static void add_times(struct chosen *c, const struct hist_options *o)
{
	struct strbuf text = STRBUF_INIT;

	if (o->from)
		strbuf_addf(&text, "from %s%s", o->from, o->to ? " " : "");
	if (o->to)
		strbuf_addf(&text, "to %s", o->to);
	add(c, (struct span){ text.s, text.len });
	c->text.failed |= text.failed;
	strbuf_release(&text);
}

int selection_describe(struct hist *h, const struct hist_options *options)
{
	/* ORDER texts */
	static const char *const names[] = { "cpu", "time", "pid", "comm", "tree" };
	const char *const texts[] = { options->cpus, NULL, options->pids, options->comm,
				      options->tree };
	struct strbuf lines = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct chosen c = { .name = names[i], .text = STRBUF_INIT };

		add_slimmed(&c, &h->recordings);
		if (texts[i])
			add(&c, span_of(texts[i]));
		else if (!strcmp(c.name, "time"))
			add_times(&c, options);
		if (c.text.len)
			strbuf_addf(&lines, "%s %s\n", c.name, c.text.s);
		lines.failed |= c.text.failed;
		strbuf_release(&c.text);
	}
	if (!lines.failed)
		h->selection = arena_strdup(&h->recordings.arena, lines.s);
	strbuf_release(&lines);
	return h->selection ? 0 : HIST_NOMEM;
}
