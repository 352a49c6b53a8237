// SPDX-License-Identifier: GPL-2.0-only
/*
 * hist report --compare-live: compares a replay with the kernel's output stored by `hist record
 * --live`, for each histogram, and prints the lines that differ.
 *
 * The kernel ran the script in the form that is replayed here: with the triggers that start and
 * stop all histograms at two records of the recording.
 */
#include <stdlib.h>

#include "cmd/cmd.h"

struct live_compare {
	struct hist *h;
	hist_sink_fn sink;
	void *arg;
	struct diags *diags;
	size_t same, different;
	int err; /* of the sink */
};

static void say(struct live_compare *c, struct strbuf *sb)
{
	if (!c->err)
		c->err = sb->failed ? HIST_NOMEM : c->sink(c->arg, sb->s, sb->len);
	strbuf_reset(sb);
}

/* --- the replay --- */

static int write_script(struct live_compare *c, const char *text)
{
	struct hist_script *script = hist_script_new();
	const char *path, *line;
	int err = script ? hist_script_parse(script, "live script", text, strlen(text), c->diags)
			 : HIST_NOMEM;

	for (size_t i = 0; !err && hist_script_get(script, i, &path, &line); i++)
		err = hist_write(c->h, path, line, strlen(line), HIST_APPEND, c->diags);
	hist_script_free(script);
	return err;
}

static int to_strbuf(void *arg, const void *data, size_t len)
{
	struct strbuf *sb = arg;

	strbuf_add(sb, data, len);
	return sb->failed ? HIST_NOMEM : 0;
}

/* --- one file --- */

/* The lines of a histogram, sorted, because rows may only have changed places. */
struct lines {
	ARRAY(struct span) v;
};

static int by_text(const void *a, const void *b)
{
	const struct span *x = a, *y = b;
	int order = memcmp(x->s, y->s, x->n < y->n ? x->n : y->n);

	return order ? order : (x->n > y->n) - (x->n < y->n);
}

static int cut_lines(struct lines *out, struct span text)
{
	while (text.s) {
		struct span line = span_sep(&text, "\n");

		if (line.n && array_push(&out->v, line))
			return HIST_NOMEM;
	}
	if (out->v.n)
		qsort(out->v.v, out->v.n, sizeof(out->v.v[0]), by_text);
	return 0;
}

/* Print lines of one side only; false if both sides have the same lines. */
static bool show_difference(struct live_compare *c, const struct lines *kernel,
			    const struct lines *replay)
{
	struct strbuf sb = STRBUF_INIT;
	bool any = false;
	size_t k = 0, r = 0;

	while (k < kernel->v.n || r < replay->v.n) {
		int order = k == kernel->v.n   ? 1
			    : r == replay->v.n ? -1
					       : by_text(&kernel->v.v[k], &replay->v.v[r]);
		const struct span *line = order < 0 ? &kernel->v.v[k] : &replay->v.v[r];

		if (order)
			strbuf_addf(&sb, "  %s %.*s\n", order < 0 ? "kernel" : "replay",
				    (int)line->n, line->s);
		any |= order != 0;
		k += order <= 0;
		r += order >= 0;
	}
	say(c, &sb);
	strbuf_release(&sb);
	return any;
}

/*
 * Whether a result can depend on the order of two events on different CPUs: variables, actions,
 * time stamps, names of tasks. @text is the kernel's, with the trigger in its head; synthetic
 * events are made by actions.
 */
static bool order_matters(const char *path, const char *text)
{
	static const char *const signs[] = { "$", ":on", "common_timestamp", "COMM", ".execname" };

	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (strstr(text, signs[i]))
			return true;
	return strncmp(path, "events/synthetic/", 17) == 0;
}

static int tell_difference(struct live_compare *c, const char *path, struct span kernel,
			   struct span replay)
{
	struct lines k = { .v = ARRAY_INIT }, r = { .v = ARRAY_INIT };
	struct strbuf sb = STRBUF_INIT;
	int err = cut_lines(&k, kernel);

	if (!err)
		err = cut_lines(&r, replay);
	strbuf_addf(&sb, "%s: different\n", path);
	if (order_matters(path, kernel.s))
		strbuf_addstr(&sb,
			      "  the result depends on the order of events on different CPUs\n");
	else if (hist_doubtful(c->h))
		strbuf_addstr(&sb, "  events were lost, or are not in the recording\n");
	say(c, &sb);
	if (!err && !show_difference(c, &k, &r)) {
		strbuf_addstr(&sb, "  the lines are the same, in another order\n");
		say(c, &sb);
	}
	strbuf_release(&sb);
	array_release(&k.v);
	array_release(&r.v);
	return err;
}

static int compare_file(struct live_compare *c, const char *path, const char *text)
{
	struct strbuf replay = STRBUF_INIT, sb = STRBUF_INIT;
	struct span kernel = span_of(text);
	int err = hist_read(c->h, path, to_strbuf, &replay, c->diags);

	if (err) {
		strbuf_release(&replay);
		return err;
	}
	if (replay.len == kernel.n && (!kernel.n || !memcmp(replay.s, kernel.s, kernel.n))) {
		c->same++;
		strbuf_addf(&sb, "%s: identical\n", path);
		say(c, &sb);
	} else {
		c->different++;
		err = tell_difference(c, path, kernel, (struct span){ replay.s, replay.len });
	}
	strbuf_release(&replay);
	strbuf_release(&sb);
	return err;
}

int cmd_compare_live(struct hist *h, hist_sink_fn sink, void *arg, struct diags *diags)
{
	struct live_compare c = { .h = h, .sink = sink, .arg = arg, .diags = diags };
	const char *script = NULL, *path, *text;
	int err = 0;

	for (size_t i = 0; (text = hist_live_file(h, i, &path)); i++)
		if (!strcmp(path, "script"))
			script = text;
	if (!script)
		return diags_error(
			diags, -HIST_ENOENT,
			"the recording does not contain the kernel's output: record with hist record --live");
	err = write_script(&c, script);
	for (size_t i = 0; !err && !c.err && (text = hist_live_file(h, i, &path)); i++)
		if (strcmp(path, "script"))
			err = compare_file(&c, path, text);
	if (err || c.err)
		return err ? err : c.err;
	return c.different ? CMD_REJECTED : 0;
}
