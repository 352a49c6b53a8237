// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Finds the intervals of a script: the records of the events that it enables, or whose histograms
 * it shows, with a field for a length. An interval ends at the time of its record.
 */
#include "hist-script.h"
#include "tracefs/tracefs.h"
#include "why/why.h"
#include "why/why_window.h"

/* An event whose records are intervals. */
struct why_target {
	struct event_file *file;
	const struct event_field *length, *pid;       /* ->pid NULL: the task of the record */
	const struct event_field *cpu;                /* NULL: the CPU of the record */
	const struct event_field *open;               /* NULL: it has none */
	const struct event_field *state;              /* NULL: it has none */
	const struct event_field *keys[WHY_KEYS_MAX]; /* of --all that are fields; others: NULL */
	u64 unit;                                     /* of ->length, in ns */
	const struct event_print *print;
	const struct filter *filter; /* of values; NULL: all pass */
	size_t n_triggers;           /* that get no values */
};

struct why_search {
	struct hist *h;
	const struct why_wanted *wanted;
	struct why_found *found;
	ARRAY(struct why_target) targets;
	struct arena arena;
	struct why_watch watch;
	bool bare; /* values of derived events are read, not records */
	bool met;  /* in a window of --at: all of an interval of the task was in it */
	int err;
};

/* --- which events --- */

static const struct event_format *format_of(const struct event_file *file)
{
	return file->synth ? &file->synth->format : file->format;
}

/* The unit of a field with such a name, in ns; 0: it is not a length. */
static u64 unit_of(const struct event_field *f)
{
	const char *tail = strrchr(f->name, '_');

	if (f->is_common || is_text_field(f))
		return 0;
	if (f->time_unit)
		return span_time_unit(span_of(f->time_unit));
	return span_time_unit(span_of(tail ? tail + 1 : f->name));
}

/* "ns" is the length; otherwise the first field that has a unit. */
static struct why_target target_of(struct event_file *file)
{
	const struct event_format *format = format_of(file);
	struct why_target t = { .file = file };

	array_each_of(const struct event_field, f, format->fields, format->n_fields) {
		u64 unit = unit_of(f);

		if (!strcmp(f->name, "pid") && !f->is_common)
			t.pid = f;
		if (!strcmp(f->name, "cpu") && !f->is_common && !is_text_field(f))
			t.cpu = f;
		if (!strcmp(f->name, "open") && is_text_field(f))
			t.open = f;
		if (!strcmp(f->name, "state") && is_text_field(f))
			t.state = f;
		if (unit && (!t.length || !strcmp(f->name, "ns"))) {
			t.length = f;
			t.unit = unit;
		}
	}
	return t;
}

static int add_target(struct why_search *s, struct event_file *file, struct diags *diags)
{
	struct why_target t = target_of(file);

	if (!t.length)
		return diags_error(
			diags, -HIST_EINVAL,
			"%s:%s is not an interval: none of its fields is a length, such as ns or us; "
			"derived events are, such as derived:wait or derived:syscall; hist list shows them",
			file->system, file->name);
	for (size_t i = 0; i < s->wanted->keys->n; i++) {
		const struct why_key_of *key = &s->wanted->keys->v[i];

		if (key->by != WHY_BY_FIELD)
			continue;
		t.keys[i] = event_find_field(format_of(file), span_of(key->name), GENERICS_6_1);
		if (!t.keys[i])
			return diags_error(
				diags, -HIST_EINVAL,
				"--by of --all takes what, by, in, reason and the fields of "
				"%s:%s, not '%s'",
				file->system, file->name, key->name);
	}
	t.print = event_print_parse(s->h->recordings.db, format_of(file), &s->arena);
	event_file_enable(file, true, false);
	return array_push(&s->targets, t);
}

static int add_targets(struct why_search *s, const struct script *script, struct diags *diags)
{
	scoped(free_scoped) event_file_array files = ARRAY_INIT;
	int err = files_shown(s->h, script, &files);
	bool hists = files.n;

	for (size_t i = 0; i < files.n && !err; i++) {
		const bool before = any_of(k, i, files.v[k] == files.v[i]);

		if (!before)
			err = add_target(s, files.v[i], diags);
	}
	for (struct event_file *f = s->h->tracing->top->files; f && !err && !hists; f = f->next)
		if (f->state.enabled)
			err = add_target(s, f, diags);
	if (!err && !s->targets.n)
		err = diags_error(
			diags, -HIST_EINVAL,
			"the script has no events; name one with -e, such as -e derived:wait");
	return err;
}

/* --- values --- */

/* Where a field is in the values of a derived event. */
static bool move_field(struct why_search *s, const struct synth_event *event,
		       const struct event_field **field)
{
	struct event_field *moved = *field ? arena_alloc(&s->arena, sizeof(*moved)) : NULL;

	for (u32 i = 0; i < event->n_fields && moved; i++)
		if (event->fields[i].in_format == *field) {
			*moved = **field;
			moved->offset = i * (u32)sizeof(u64);
			*field = moved;
			return true;
		}
	return !*field;
}

/* Whether the intervals can be found by lengths alone, and the texts of one in a window then. */
static bool can_be_bare(const struct why_search *s)
{
	const struct why_wanted *w = s->wanted;
	const struct trace_array *tr = s->h->tracing->top;
	bool can = !w->texts && !w->same && !w->all && !s->h->window.on && tr->initially_on &&
		   replay_span_is_whole(&s->h->span) && replay_window_fits(s->h);
	size_t n = 0;

	for (const struct event_file *f = tr->files; f && can; f = f->next) {
		if (!f->triggers.n && !f->initial.enabled)
			continue;
		n++;
		/* what ends at a time may be of any of them */
		can = f->synth && f->synth->derived && (!f->filter || !f->triggers.n) &&
		      (!w->at || f->triggers.n < 2);
		for (size_t i = 0; i < f->triggers.n; i++)
			can &= f->triggers.v[i]->hist != NULL;
	}
	return can && n == s->targets.n;
}

static const struct filter *filter_of(const struct event_file *file)
{
	return file->triggers.n ? file->triggers.v[0]->filter : file->filter;
}

static bool read_values(struct why_search *s)
{
	bool bare = can_be_bare(s);

	for (size_t i = 0; i < s->targets.n && bare; i++) {
		struct why_target *t = &s->targets.v[i];
		const struct event_file *file = t->file;

		bare = event_fuse_filter(file, filter_of(file), &s->arena, &t->filter) &&
		       move_field(s, file->synth, &t->length) &&
		       move_field(s, file->synth, &t->pid) && move_field(s, file->synth, &t->cpu);
	}
	return bare;
}

/* Derivers are asked for what filters read. */
static void leave_triggers_out(struct why_target *t)
{
	const struct filter *filter = filter_of(t->file);

	t->n_triggers = t->file->triggers.n;
	t->file->triggers.n = 0;
	t->file->reads = filter ? filter->reads : 0;
}

/* --- which records --- */

/*
 * Whether the first histogram of the event, which has the answer, counts the record; of one that
 * ends at the time of --at, any of them, as it may be an example of any table.
 */
static bool is_counted(const struct why_wanted *w, const struct hit *hit)
{
	const bool any = w->at && *w->at == hit->ts;
	const struct trigger *first = NULL;

	array_each_ptr(const struct trigger, t, &hit->file->triggers) {
		if (!t->hist || (first && !any))
			continue;
		first = first ?: t;
		if (!t->filter || filter_match(t->filter, hit))
			return true;
	}
	return !first;
}

bool why_interval_like(const struct why_interval *a, const struct why_interval *b)
{
	return a->from == b->from && a->to == b->to && a->pid == b->pid && a->cpu == b->cpu &&
	       a->of_cpu == b->of_cpu;
}

static bool is_wanted(const struct why_wanted *w, const struct why_interval *v)
{
	return (!w->same || why_interval_like(v, w->same)) && v->to - v->from >= w->min &&
	       (!w->pid || v->pid == *w->pid) &&
	       (!w->cpu || v->cpu == *w->cpu || v->of_cpu == *w->cpu) &&
	       (!w->at || (v->from <= *w->at && *w->at <= v->to));
}

/* The text of the record that ends it, and the name of its task. 0, -HIST_ENOMEM */
static int add_texts(const struct why_target *t, const struct hit *hit, struct why_interval *v)
{
	struct strbuf text = STRBUF_INIT;
	bool known = t->print && event_print(t->print, hit->rec, hit->len, &text);
	bool named = v->pid == hit->pid;

	v->text = known ? strbuf_detach(&text) : NULL;
	v->comm = named ? strdup(hit->context->comm(hit->context->arg, hit)) : NULL;
	if (!known)
		strbuf_release(&text);
	return (known && !v->text) || (named && !v->comm) ? HIST_NOMEM : 0;
}

/* The fields that are keys, as a word. */
static u32 fields_of(struct why_search *s, const struct why_target *t, const struct hit *hit)
{
	const bool big = s->h->tracing->machine.big_endian;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	u32 word;

	for (size_t i = 0; i < s->wanted->keys->n; i++) {
		const struct event_field *f = t->keys[i];
		struct span value;

		if (!f)
			continue;
		value = is_text_field(f) ? load_text(f, hit, big) : (struct span){ 0 };
		if (value.s)
			strbuf_add(&text, value.s, value.n);
		else
			strbuf_addf(&text, f->is_signed ? "%lld" : "%llu",
				    load_number(f, hit, big));
		strbuf_addstr(&text, WHY_FIELDS_END);
	}
	word = why_store_word(&s->found->texts, strbuf_span(&text));
	if (text.failed || s->found->texts.words.arena.failed)
		s->err = HIST_NOMEM;
	return word;
}

static void free_texts(struct why_interval *v)
{
	free(v->text);
	free(v->comm);
}

/*
 * Whether @a comes before @b: it ends at the time of --at, there on the CPU of --at, or is longer;
 * the first one of equals.
 */
static bool is_before(const struct why_wanted *w, const struct why_interval *a,
		      const struct why_interval *b)
{
	if (w->at && (a->to == *w->at) != (b->to == *w->at))
		return a->to == *w->at;
	if (w->cpu && (a->cpu == *w->cpu) != (b->cpu == *w->cpu))
		return a->cpu == *w->cpu;
	return a->to - a->from >= b->to - b->from;
}

/* Insert it where it belongs; of those after the last place, the last is dropped. */
static int keep(struct why_search *s, const struct why_target *t, const struct why_interval *v,
		const struct hit *hit)
{
	struct why_found *found = s->found;
	struct why_interval *best;
	size_t rank = partition_point(i, found->best.n, is_before(s->wanted, &found->best.v[i], v));

	found->n++;
	found->ends += s->wanted->at && v->to == *s->wanted->at;
	if (s->wanted->all)
		return found->n > s->wanted->max ? -HIST_ELIMIT : array_push(&found->best, *v);
	if (rank >= s->wanted->max)
		return 0;
	if (found->best.n == s->wanted->max)
		free_texts(&found->best.v[--found->best.n]);
	if (array_reserve(&found->best))
		return HIST_NOMEM;
	best = &found->best.v[rank];
	memmove(best + 1, best, (found->best.n++ - rank) * sizeof(*best));
	*best = *v;
	return s->bare ? 0 : add_texts(t, hit, best);
}

/*
 * In a window of --at: whether an interval of the task at that time, or a text of it, is not
 * certain. (In others, all are.) A task that is woken may have been ready before.
 */
static bool is_unsure(struct why_search *s, const struct why_target *t, const struct hit *hit,
		      u64 from)
{
	const struct why_wanted *w = s->wanted;
	const bool big = s->h->tracing->machine.big_endian, met = s->met;
	scoped(strbuf_release) struct strbuf text = STRBUF_INIT;
	bool opens;

	if (!s->h->window.on || !w->at || s->h->span.own ||
	    (w->pid ? (s32)load_number(t->pid, hit, big) != *w->pid : hit->cpu != *w->cpu))
		return false;
	opens = why_window_opens(&s->h->window, load_text(t->open, hit, big));
	s->met |= !opens;
	if (*w->at < from || *w->at > hit->ts)
		return false;
	return opens || !why_watch_knows(&s->watch, from) ||
	       !event_print(t->print, hit->rec, hit->len, &text) || strstr(text.s, NAMES_UNSURE) ||
	       (!met && (strstr(text.s, " state=woken,") || strstr(text.s, " kind=woken,")));
}

static void recorded(void *arg, struct trace_array *tr UNUSED, const struct hit *hit)
{
	struct why_search *s = arg;
	const struct why_target *t = NULL;
	const bool big = s->h->tracing->machine.big_endian;
	struct why_interval v;
	u64 ns;

	for (size_t i = 0; i < s->targets.n && !t; i++)
		t = s->targets.v[i].file == hit->file ? &s->targets.v[i] : NULL;
	if (!t || s->err)
		return;
	ns = load_number(t->length, hit, big);
	if (__builtin_mul_overflow(ns, t->unit, &ns) || ns > hit->ts)
		return; /* not a length of time */
	s->found->unsure |= is_unsure(s, t, hit, hit->ts - ns);
	if (s->bare ? t->filter && !filter_match(t->filter, hit) : !is_counted(s->wanted, hit))
		return;
	v = (struct why_interval){ .file = hit->file,
				   .from = hit->ts - ns,
				   .to = hit->ts,
				   .pid = t->pid ? (s32)load_number(t->pid, hit, big) : hit->pid,
				   .cpu = hit->cpu,
				   .of_cpu = t->cpu ? (u32)load_number(t->cpu, hit, big)
						    : hit->cpu };
	if (!is_wanted(s->wanted, &v))
		return;
	v.fields = s->wanted->all ? fields_of(s, t, hit) : 0;
	s->err = s->err ?: keep(s, t, &v, hit);
}

static void read_value(void *arg, const struct hit *hit)
{
	recorded(arg, NULL, hit);
}

/* --- the replay --- */

static void begin(void *arg)
{
	struct why_search *s = arg;

	why_found_release(s->found);
	s->err = why_store_init(&s->found->texts, 0);
}

static void each_stream(void *arg, const struct stream *stream)
{
	struct why_search *s = arg;

	why_watch_stream(&s->watch, stream);
}

static void before(void *arg, const struct observed *w)
{
	struct why_search *s = arg;

	why_watch_record(&s->watch, w);
}

static int nothing_found(const struct why_search *s, struct diags *diags)
{
	const struct why_wanted *w = s->wanted;
	const struct event_file *file = s->targets.v[0].file;
	const char *of = w->pid ? " of this task" : "", *at = w->at ? " at this time" : "";
	const char *min = w->min ? " that long" : "";

	if (s->found->n)
		return diags_error(diags, -HIST_ENOENT,
				   s->found->n == 1 ? "%s:%s: there is only %zu interval%s%s%s"
						    : "%s:%s: there are only %zu intervals%s%s%s",
				   file->system, file->name, s->found->n, min, of, at);
	return diags_error(diags, -HIST_ENOENT, "%s:%s: there are no intervals%s%s%s", file->system,
			   file->name, min, of, at);
}

/*
 * A task has one of these at a time, and so has a CPU of what it runs: no other one can be at that
 * time.
 */
static bool can_be_in_window(const struct why_search *s)
{
	const struct why_target *t = s->targets.v;
	bool state;

	if (s->targets.n != 1 || !s->wanted->at || !t->print || strcmp(t->file->system, "derived"))
		return false;
	state = !strcmp(t->file->name, "task_state");
	return s->wanted->pid
		       ? state || !strcmp(t->file->name, "wait")
		       : state && t->state &&
				 filter_is_text(t->file->filter, t->state, span_of("running"));
}

int why_find(struct hist *h, const struct hist_script *script, const struct why_wanted *wanted,
	     struct why_found *found, struct diags *diags)
{
	struct why_search s = { .h = h, .wanted = wanted, .found = found };
	const struct replay_observer observer = { .arg = &s,
						  .begin = begin,
						  .stream = each_stream,
						  .before = before,
						  .recorded = recorded,
						  .asks_comm = true };
	const struct values_reader reader = { .arg = &s, .hit = read_value };
	const bool open = h->recordings.options.open_intervals;
	struct diags ignored = DIAGS_INIT; /* they are about a part */
	int err = hist_script_apply(h, script, diags);

	err = err ?: add_targets(&s, hist_script_commands(script), diags);
	if (!err &&
	    ((h->window.on && !can_be_in_window(&s)) || (h->span.own && !replay_window_fits(h))))
		err = -HIST_ENOENT;
	why_watch_init(&s.watch, h);
	s.bare = !err && read_values(&s);
	/* what happened at a time may have begun before the recording, or not have ended in it */
	if (wanted->at && !h->span.own)
		hist_open_intervals(h);
	for (size_t i = 0; i < s.targets.n && s.bare; i++)
		leave_triggers_out(&s.targets.v[i]);
	if (s.bare)
		begin(&s);
	h->tracing->record = !s.bare;
	h->tracing->reader = s.bare ? &reader : NULL;
	h->observer = s.bare ? NULL : &observer;
	err = err ?: hist_replay(h, h->window.on ? &ignored : diags);
	h->observer = NULL;
	h->tracing->reader = NULL;
	h->recordings.options.open_intervals = open;
	for (size_t i = 0; i < s.targets.n && s.bare; i++)
		s.targets.v[i].file->triggers.n = s.targets.v[i].n_triggers;
	found->bare = s.bare;
	diags_release(&ignored);
	why_watch_release(&s.watch);
	err = err ?: s.err;
	if (!err && s.arena.failed)
		err = HIST_NOMEM;
	/* another one, which ends when this one begins, may have begun before the window */
	found->unsure |= h->window.on && !h->window.begins && wanted->at && found->best.n &&
			 found->best.v[0].from == *wanted->at;
	if (err == -HIST_ELIMIT)
		err = diags_error(diags, -HIST_EINVAL,
				  "there are more than %zu intervals; limit them with --min",
				  wanted->max);
	if (!err && (wanted->all ? !found->n : found->best.n < wanted->max))
		err = h->window.on || h->span.own ? -HIST_ENOENT : nothing_found(&s, diags);
	array_release(&s.targets);
	arena_release(&s.arena);
	return err;
}

void why_found_release(struct why_found *found)
{
	for (size_t i = 0; i < found->best.n; i++)
		free_texts(&found->best.v[i]);
	array_release(&found->best);
	why_store_release(&found->texts);
	found->texts = (struct why_store){ .n = 0 };
	found->n = found->ends = 0;
	found->unsure = found->bare = false;
}
