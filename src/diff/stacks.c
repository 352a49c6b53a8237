// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A comparison of stacks: two numbers for each stack, for flame graph tools (folded); and the
 * differential flame graph itself (svg).
 *
 * Frames are the keys; keys that are not stacks come first, as in --format folded of report.
 */
#include "diff/diff.h"
#include "diff/function_name.h"

/* Split a joined stack, which consists of lines with the innermost frame first. */
static size_t add_stack(struct span text, struct span *frames)
{
	size_t n = 0;

	while (text.s && text.n)
		frames[n++] = span_sep(&text, "\n");
	for (size_t i = 0; i < n / 2; i++) {
		struct span t = frames[i];

		frames[i] = frames[n - 1 - i];
		frames[n - 1 - i] = t;
	}
	if (!n)
		frames[n++] = span_of("[no stack]");
	return n;
}

/* The frames of a row; @texts stores the keys that are numbers. */
static size_t frames_of(const struct join *j, const struct diff_row *row, struct span *frames,
			struct arena *texts)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n_keys; i++) {
		struct strbuf sb = STRBUF_INIT;
		const char *text;

		if (j->keys[i].column.type == RESULT_STACK)
			continue;
		key_print(&j->keys[i], &row->keys[i], false, &sb);
		text = arena_take(texts, &sb);
		frames[n++] = span_of(text ? text : "?");
	}
	for (size_t i = 0; i < j->n_keys; i++)
		if (j->keys[i].column.type == RESULT_STACK)
			n += add_stack(row->keys[i].text, frames + n);
	return n;
}

/*
 * The value for the frames: the last value of the trigger, because the sort value is not known
 * here.
 */
static size_t value_of(const struct join *j)
{
	return j->n_values - 1;
}

bool join_has_stack(const struct join *j)
{
	return any_of(i, j->n_keys, j->keys[i].column.type == RESULT_STACK);
}

/*
 * Call @fn for each stack with the last value of the histogram. 0, -HIST_ENOMEM, the result of @fn
 */
static int diff_each_stack(const struct comparison *c, diff_stack_fn fn, void *arg)
{
	const struct join *j = c->join;
	int err = 0;

	for (size_t i = 0; i < j->rows.n && !err; i++) {
		const struct diff_row *row = j->rows.v[i];
		scoped(arena_release) struct arena texts = ARENA_INIT;
		struct span *frames;
		struct measure m;
		size_t n = j->n_keys;

		if (row->left_out)
			continue;
		for (size_t k = 0; k < j->n_keys; k++) {
			struct span text = row->keys[k].text;

			for (size_t at = 0; j->keys[k].column.type == RESULT_STACK && at < text.n;
			     at++)
				n += text.s[at] == '\n';
		}
		frames = calloc(n + 1, sizeof(*frames));
		m = measure_value(&c->meter, value_of(j), row);
		err = frames ? fn(arg, frames, frames_of(j, row, frames, &texts), &m) : HIST_NOMEM;
		free(frames);
	}
	return err;
}

static int add_to_flame(void *arg, const struct span *frames, size_t n, const struct measure *m)
{
	return flame_add(arg, frames, n, m->side[0].min, m->side[1].min);
}

int diff_flame_draw(const struct comparison *c, size_t max_frames, bool alone, size_t *hidden,
		    struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf what = STRBUF_INIT, title = STRBUF_INIT,
					     legend = STRBUF_INIT;
	scoped(flame_release) struct flame f = {
		.both = true,
		.alone = alone,
		.inexact = join_is_inexact(c->join, 0) || join_is_inexact(c->join, c->meter.after)
	};
	int err;

	strbuf_addf(&what, "%s%s", c->join->values[value_of(c->join)].name,
		    mode_suffixes[c->meter.mode]);
	f.what = what.s;
	strbuf_addf(&title, "%s", c->join->question ?: c->join->event);
	for (size_t i = 0; i < c->join->n_runs; i++)
		if (meter_side(&c->meter, i) >= 0)
			strbuf_addf(&legend, "%s%s", legend.len ? " \u2192 " : "",
				    path_base(c->join->runs[i].name));
	strbuf_addf(&legend, " \u00b7 %s: red grew, blue shrank \u00b7 ", what.s);
	f.title = title.s;
	f.legend = legend.s;
	err = what.failed || title.failed || legend.failed ? HIST_NOMEM
							   : diff_each_stack(c, add_to_flame, &f);
	err = err ?: flame_draw(&f, max_frames, out);
	*hidden = f.hidden;
	return err;
}

/* --- folded --- */

struct folder {
	struct printer *p;
	size_t n_before, n_after; /* number of runs; if there are several, prints the mean */
	size_t n_plain;           /* frames that are keys, not functions */
	struct function_names names;
};

static int add_names(void *arg, const struct span *frames, size_t n, const struct measure *m UNUSED)
{
	struct folder *f = arg;

	for (size_t i = f->n_plain; i < n; i++)
		if (function_names_add(&f->names, frames[i].s, frames[i].n))
			return HIST_NOMEM;
	return 0;
}

static double mean(u64 sum, size_t n)
{
	return n ? round((double)sum / (double)n) : 0;
}

static int print_stack(void *arg, const struct span *frames, size_t n, const struct measure *m)
{
	const struct folder *f = arg;
	struct strbuf *out = &f->p->buf;

	for (size_t i = 0; i < n; i++) {
		struct span name = frames[i];

		if (i >= f->n_plain)
			name.n = function_names_length(&f->names, name.s, name.n);
		if (i)
			strbuf_addch(out, ';');
		/* without the separators of frames and lines */
		for (size_t k = 0; k < name.n; k++) {
			char c = name.s[k];

			if (i < f->n_plain || (c != '"' && c != '\''))
				strbuf_addch(out, c == ';'                 ? ':'
						  : c == '\n' || c == '\r' ? ' '
									   : c);
		}
	}
	strbuf_addf(out, " %.0f %.0f\n", mean(m->count[0], f->n_before),
		    mean(m->count[1], f->n_after));
	printer_flush(f->p);
	return f->p->err;
}

static int print_folded(const struct hist_diff *d, struct printer *p)
{
	const struct comparison *c = &d->all.v[0];
	struct folder f = { .p = p,
			    .n_before = meter_runs(&c->meter, 0),
			    .n_after = meter_runs(&c->meter, 1) };
	int err;

	for (size_t i = 0; i < c->join->n_keys; i++)
		f.n_plain += c->join->keys[i].column.type != RESULT_STACK;
	err = diff_each_stack(c, add_names, &f);
	function_names_sort(&f.names);
	err = err ?: diff_each_stack(c, print_stack, &f);
	function_names_release(&f.names);
	return err;
}

/* --- svg --- */

enum { SVG_MAX_FRAMES = 10000 };

static int print_svg(const struct hist_diff *d, struct printer *p)
{
	size_t hidden;

	return diff_flame_draw(&d->all.v[0], SVG_MAX_FRAMES, true, &hidden, &p->buf);
}

const struct diff_printer diff_print_folded = {
	.name = "folded", .one_table = true, .one_pair = true, .print = print_folded
};
const struct diff_printer diff_print_svg = {
	.name = "svg", .one_table = true, .one_pair = true, .print = print_svg
};
