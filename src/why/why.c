// SPDX-License-Identifier: LGPL-2.1-only
/*
 * hist_why(): finds the interval in a first replay, what happened around it in a second one, and
 * explains it.
 */
#include "events/events.h"
#include "hist-list.h"
#include "hist-script.h"
#include "program/tasks.h"
#include "tracefs/tracefs.h"
#include "why/why.h"
#include "why/why_window.h"

enum { DEPTH = 5, ALL_MAX = 1 << 22, WINDOW_MOST = 4 };

struct why {
	struct hist *h;
	const struct hist_why_options *o;
	struct why_wanted wanted;
	s32 pid;
	u64 at;
	u32 cpu;
	struct why_keys keys;
	struct arena arena; /* of ->keys */
	struct why_found found;
	struct why_interval given;
	struct why_answer answer;
	char event[128];
	why_printer print;
	struct recordings_times times;
	struct diags *diags;
};

static const struct why_format {
	const char *name;
	why_printer print;
} formats[] = { { "text", why_text },
		{ "json", why_json },
		{ "svg", why_svg },
		{ "html", why_html },
		{ "perfetto", why_perfetto } };

/* ORDER enum why_by */
static const char *const keys[] = { "what", "by", "in", "reason" };

/* The words of --by. */
static int parse_keys(struct why *w)
{
	struct span rest = span_of(w->o->by ? w->o->by : "what,by,in,reason");

	while (rest.s) {
		struct span word = span_trim(span_sep(&rest, ","));
		struct why_key_of key = { .by = WHY_BY_FIELD, .detail = false };

		for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
			if (span_eq(word, keys[i]) || (i == WHY_BY_IN && span_eq(word, "syscall")))
				key = (struct why_key_of){ keys[i], (enum why_by)i,
							   i == WHY_BY_REASON && !w->o->by };
		if (w->keys.n == WHY_KEYS_MAX)
			return diags_error(w->diags, -HIST_EINVAL, "--all has at most %u keys",
					   WHY_KEYS_MAX);
		if (key.by == WHY_BY_FIELD)
			key.name = arena_strndup(&w->arena, word.s, word.n);
		if (!key.name)
			return HIST_NOMEM;
		w->keys.v[w->keys.n++] = key;
	}
	return 0;
}

/* "T[,CPU]" */
static int parse_at(struct why *w)
{
	struct span cpu = span_of(w->o->at), moment = span_sep(&cpu, ",");
	char *text = strndup(moment.s, moment.n);
	u64 n = 0;
	int err;

	if (!text)
		return HIST_NOMEM;
	err = recordings_start(&w->h->recordings, w->h->buffer, &w->times);
	w->at = w->times.first;
	err = err ?: recordings_moment(&w->h->recordings, text, &w->at, w->diags);
	free(text);
	if (!err && cpu.s && (!span_u64(cpu, &n) || n >= UINT32_MAX))
		return diags_error(w->diags, -HIST_EINVAL,
				   "--at takes a time and optionally a CPU, such as 12.345678,3 or "
				   "+1.5,3, not '%s'",
				   w->o->at);
	w->wanted.at = &w->at;
	w->cpu = (u32)n;
	if (cpu.s)
		w->wanted.cpu = &w->cpu;
	return err;
}

static int parse(struct why *w)
{
	const char *format = w->o->format ? w->o->format : "text";
	int err;

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		if (!strcmp(format, formats[i].name))
			w->print = formats[i].print;
	if (w->o->all && !row_format_find(format))
		return row_format_unknown(format, "", w->diags);
	if (!w->o->all && !w->print)
		return diags_error(
			w->diags, -HIST_EINVAL,
			"an interval has no format '%s', but text, json, svg and html; --all prints a table",
			format);
	if (trace_clock_counts(w->h->recordings.machine.clock))
		return diags_error(
			w->diags, -HIST_EINVAL,
			"the clock of the recording, %s, does not measure time, so no interval has a length",
			w->h->recordings.machine.clock);
	if (w->o->exemplar > HIST_EXEMPLARS_MAX)
		return diags_error(w->diags, -HIST_EINVAL,
				   "only the %u longest intervals can be explained",
				   HIST_EXEMPLARS_MAX);
	w->pid = w->o->pid;
	w->wanted.pid = w->o->has_pid ? &w->pid : NULL;
	w->wanted.all = w->o->all;
	w->wanted.max = w->o->all ? ALL_MAX : w->o->exemplar ? w->o->exemplar : 1;
	if (w->o->min && !span_time(span_of(w->o->min), &w->wanted.min))
		return diags_error(w->diags, -HIST_EINVAL,
				   "--min takes a time such as 1ms, not '%s'", w->o->min);
	w->wanted.keys = &w->keys;
	err = w->o->all ? parse_keys(w) : 0;
	return err || !w->o->at ? err : parse_at(w);
}

/* Those that end in a part of the recording, from a window. Return: as why_find() */
static int find_in(struct why *w, const struct hist_script *script, struct why_piece part,
		   const struct why_wanted *wanted, struct why_found *found)
{
	const struct replay_span chosen = w->h->span;
	int err;

	w->h->span = (struct replay_span){ .from = part.from, .to = part.to, .own = true };
	err = why_find(w->h, script, wanted, found, w->diags);
	w->h->span = chosen;
	return err;
}

/* The text of the interval, and the name of its task. Return: as find_in() */
static int find_texts(struct why *w, const struct hist_script *script)
{
	struct why_interval *v = &w->found.best.v[w->wanted.max - 1];
	struct why_wanted same = { .same = v, .max = 1, .keys = &w->keys };
	struct why_found one = { .n = 0 };
	int err = directory_restart(w->h);

	for (size_t i = 0; i + 1 < w->wanted.max; i++)
		same.max += why_interval_like(&w->found.best.v[i], v);
	err = err ?: find_in(w, script, (struct why_piece){ v->from, v->to }, &same, &one);
	if (!err) {
		*v = one.best.v[--one.best.n];
		w->found.bare = false;
	}
	why_found_release(&one);
	return err;
}

/* The intervals that end at the time of --at. Return: as find_in() */
static int find_ends(struct why *w, const struct hist_script *script)
{
	const size_t said = w->diags->list.n;
	int err;

	/* what still runs ends with the recording */
	if (!w->wanted.at || w->at >= w->times.last || w->wanted.all || w->h->window.on ||
	    !replay_span_is_whole(&w->h->span))
		return -HIST_ENOENT;
	err = find_in(w, script, (struct why_piece){ w->at, w->at }, &w->wanted, &w->found);
	if (err == -HIST_ENOENT) {
		w->diags->list.n = said;
		err = directory_restart(w->h) ?: -HIST_ENOENT;
	}
	return err;
}

/* Those of the whole recording. */
static int find_any(struct why *w, const struct hist_script *script)
{
	int err = why_find(w->h, script, &w->wanted, &w->found, w->diags);

	return err || !w->found.bare ? err : find_texts(w, script);
}

static int find(struct why *w, const struct hist_script *script)
{
	const struct event_file *file;
	int err = find_ends(w, script);

	err = err == -HIST_ENOENT ? find_any(w, script) : err;
	if (err == -HIST_ENOENT && w->found.bare) {
		why_found_release(&w->found);
		w->wanted.texts = true;
		err = directory_restart(w->h);
		err = err ?: why_find(w->h, script, &w->wanted, &w->found, w->diags);
	}
	if (err)
		return err;
	w->answer.interval = &w->found.best.v[w->wanted.all ? 0 : w->wanted.max - 1];
	file = w->answer.interval->file;
	snprintf(w->event, sizeof(w->event), "%s:%s", file->system, file->name);
	w->answer.event = w->event;
	w->answer.rank = w->wanted.max;
	w->answer.of = w->answer.rank <= w->found.ends ? w->found.ends : w->found.n;
	return 0;
}

static int given(struct why *w)
{
	const struct replay_span *span = &w->h->span;

	if (!w->o->has_pid)
		return diags_error(w->diags, -HIST_EINVAL,
				   "name the task whose time is to be explained");
	w->given = (struct why_interval){ .from = span->from, .to = span->to, .pid = w->pid };
	w->answer.interval = &w->given;
	return 0;
}

/* What happened in a part of the recording, to all tasks and on all CPUs. */
static int collect(struct why *w, struct why_piece span, struct why_store *s)
{
	const struct replay_span chosen = w->h->span;
	u64 from, to;
	int err;

	if (slimmed_part(&w->h->recordings.files.v[0], &from, &to) && span.from < from)
		diags_add(w->diags, DIAG_WARNING,
			  "before %llu.%06llu s, this recording has only what the question of hist "
			  "slim needs: parts that began before that may be missing or too long",
			  from / 1000000000, from % 1000000000 / 1000);
	w->h->span = (struct replay_span){ .to = UINT64_MAX };
	err = why_collect(w->h, span, s, w->diags);
	w->h->span = chosen;
	return err;
}

static struct why_question question(const struct why *w, const struct why_interval *v)
{
	return (struct why_question){ .pid = v->pid,
				      .from = v->from,
				      .to = v->to,
				      .first = w->times.first,
				      .last = w->times.last,
				      .depth = w->o->depth ? w->o->depth : DEPTH };
}

static int explain(struct why *w, struct why_store *s, struct why_tree *tree)
{
	struct why_question q;
	int err;

	if (!w->answer.event) {
		w->given.from = max_t(u64, w->given.from, w->times.first);
		w->given.to = max_t(u64, min_t(u64, w->given.to, w->times.last), w->given.from);
	}
	q = question(w, w->answer.interval);
	err = collect(w, (struct why_piece){ q.from, q.to }, s);
	if (w->answer.interval->comm)
		q.comm = why_store_word(s, span_of(w->answer.interval->comm));
	return err ?: why_tree_build(s, &q, tree);
}

/* --- all intervals --- */

static int add_intervals(struct why *w, const struct why_store *s, struct why_sums *all,
			 const struct why_interval *v, size_t n)
{
	int err = why_sums_begin(all, s);

	for (size_t i = 0; i < n && !err; i++) {
		const struct why_question q = question(w, &v[i]);

		err = why_sums_add(all, &q, v[i].fields);
	}
	return err ?: why_sums_end(all);
}

/* As many of them at once as memory allows; the recording is replayed each time. */
static int sum_up(struct why *w, struct why_store *s, struct why_sums *all)
{
	const struct why_interval *v = w->found.best.v;
	size_t n = w->found.best.n, some = n;
	int err = 0;

	for (size_t i = 0; i < n && !err;) {
		struct why_piece span = { UINT64_MAX, 0 };

		some = min_t(size_t, some, n - i);
		for (size_t k = i; k < i + some; k++) {
			span.from = min_t(u64, span.from, v[k].from);
			span.to = max_t(u64, span.to, v[k].to);
		}
		err = collect(w, span, s);
		if (err == -HIST_ELIMIT && some > 1) {
			some /= 2;
			err = 0;
			continue;
		}
		err = err ? err : add_intervals(w, s, all, &v[i], some);
		i += some;
	}
	return err;
}

/* --- output --- */

static int print(const struct strbuf *out, hist_sink_fn sink, void *arg)
{
	return out->failed ? HIST_NOMEM : sink(arg, out->s, out->len);
}

/* A timeline of the interval and a little more, with the tasks of its parts. */
static int add_timeline(struct why *w, const struct why_tree *tree, struct strbuf *out)
{
	const u64 more = (tree->to - tree->from) / 4;
	const struct hist_events_options asked = {
		.from = tree->from - min_t(u64, more, tree->from), .to = tree->to + more
	};
	const struct replay_span chosen = w->h->span;
	struct task_set tasks = { .n_pids = 1 << 22 }; /* kernel: PID_MAX_LIMIT */
	struct diags ignored = DIAGS_INIT;             /* they were about the same recording */
	u64 n;
	int err = directory_restart(w->h);

	tasks.pids = calloc(tasks.n_pids / 64, sizeof(*tasks.pids));
	if (!tasks.pids)
		return HIST_NOMEM;
	for (size_t i = 0; i < tree->parts.n; i++) {
		const s32 pid = tree->parts.v[i].key.pid;

		if (pid > 0 && (u32)pid < tasks.n_pids)
			bits_add(tasks.pids, (size_t)pid);
	}
	w->h->span = (struct replay_span){ .to = UINT64_MAX };
	err = err ?: events_timeline_add(w->h, &asked, &tasks, out, &n, &ignored);
	w->h->span = chosen;
	diags_release(&ignored);
	free(tasks.pids);
	return err == HIST_NOMEM ? err : 0;
}

/* @found: the interval; otherwise it is found first. > 0: in a window, the answer is not certain.
 */
static int answer_in(struct why *w, const struct hist_script *script, bool found,
		     struct why_store *s, struct strbuf *out)
{
	scoped(strbuf_release) struct strbuf timeline = STRBUF_INIT;
	struct why_tree tree = { .from = 0 };
	bool unsure = false;
	int err = found ? 0 : directory_restart(w->h);

	if (!found) {
		err = err ?: find(w, script);
		unsure = w->found.unsure;
	}
	err = err || unsure ? err : explain(w, s, &tree);
	unsure |= !err && tree.unsure;
	/* all records are counted: a larger window knows whether there are others of these */
	if (!err && unsure && (s->part_calls || s->part_freqs))
		(void)hist_recorded_event(w->h, 0);
	if (!err && !unsure && w->print == why_html)
		err = add_timeline(w, &tree, &timeline);
	if (!err && !unsure) {
		w->answer.timeline = timeline.len ? &timeline : NULL;
		w->answer.store = s;
		w->answer.tree = &tree;
		w->answer.caveats = w->h->caveats.s;
		w->answer.messages = w->diags;
		w->print(&w->answer, w->o, out);
	}
	why_tree_release(&tree);
	return err < 0 ? err : unsure;
}

/*
 * Windows around the time, until two give the same answer. > 0: there is no such window; the
 * recording is to be read.
 */
static int answer_in_windows(struct why *w, const struct hist_script *script, bool found,
			     struct why_store *s, struct strbuf *out)
{
	const struct why_interval *v = found ? w->answer.interval : NULL;
	const struct why_piece around = { v ? v->from : w->at, v ? v->to : w->at };
	struct strbuf last = STRBUF_INIT;
	size_t said = w->diags->list.n;
	bool same = false;
	struct window_margins margins = { .most = WINDOW_MOST };
	int err = 0;

	if (!replay_windows_fit(w->h) || (w->print != why_text && w->print != why_json))
		return 1;
	while (!same && err >= 0 &&
	       replay_window_next(&w->h->window, &margins, around.from, around.to, &w->times)) {
		strbuf_reset(out);
		err = answer_in(w, script, found, s, out);
		if (err)
			w->diags->list.n = said;
		same = !err && last.len && last.len == out->len &&
		       !memcmp(last.s, out->s, out->len);
		strbuf_reset(&last);
		strbuf_add(&last, out->s, err ? 0 : out->len);
		/* there is no interval, or a wrong question: as the recording tells */
		err = err == HIST_NOMEM || !err ? err : 1;
	}
	w->h->window.on = false;
	strbuf_release(&last);
	if (!same)
		strbuf_reset(out);
	return err < 0 ? err : !same;
}

static int answer_one(struct why *w, const struct hist_script *script, struct why_store *s,
		      struct strbuf *out)
{
	int err = script && replay_span_is_whole(&w->h->span) && w->wanted.at &&
				  (w->wanted.pid || w->wanted.cpu)
			  ? answer_in_windows(w, script, false, s, out)
			  : 1;

	if (err <= 0)
		return err;
	if (script)
		err = directory_restart(w->h) ?: find(w, script);
	else
		err = given(w);
	err = err ?: answer_in_windows(w, script, true, s, out);
	return err > 0 ? answer_in(w, script, true, s, out) : err;
}

static int answer_all(struct why *w, const struct hist_script *script, struct why_store *s,
		      struct strbuf *out)
{
	struct why_sums all = {
		.event = w->event, .min = w->wanted.min, .keys = &w->keys, .fields = &w->found
	};
	int err = (script ? find(w, script) : given(w)) ?: sum_up(w, s, &all);

	all.caveats = w->h->caveats.s;
	err = err ?: why_sums_print(&all, w->o, out);
	why_sums_release(&all);
	return err;
}

/* NOLINTNEXTLINE(readability-function-size): script, options, output and diagnoses */
int hist_why(struct hist *h, const struct hist_script *script,
	     const struct hist_why_options *options, hist_sink_fn sink, void *arg,
	     struct diags *diags)
{
	struct why w = { .h = h, .o = options, .diags = diags };
	struct strbuf out = STRBUF_INIT;
	size_t said = diags->list.n, n;
	struct why_store store;
	int err = parse(&w);

	err = err ?: why_store_init(&store, 0);
	if (err) {
		arena_release(&w.arena);
		return err;
	}
	err = recordings_times(&h->recordings, h->buffer, &w.times);
	if (!err)
		err = options->all ? answer_all(&w, script, &store, &out)
				   : answer_one(&w, script, &store, &out);
	if (err == -HIST_ELIMIT)
		diags_error(diags, err,
			    "the interval contains too many events; choose a shorter one");
	/* The two replays report the same about the recording: the second report is dropped. */
	n = said;
	for (size_t i = said; i < diags->list.n; i++) {
		bool known = false;

		for (size_t k = said; k < n && !known; k++)
			known = !strcmp(diags->list.v[k].text, diags->list.v[i].text);
		if (!known)
			diags->list.v[n++] = diags->list.v[i];
	}
	diags->list.n = n;
	err = err ?: print(&out, sink, arg);
	strbuf_release(&out);
	why_store_release(&store);
	why_found_release(&w.found);
	arena_release(&w.arena);
	return err;
}
