// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Events as a timeline: intervals of derived events become spans of the lanes of their CPU or task,
 * other events marks. Only derived events say what tasks and CPUs did.
 */
#include <fnmatch.h>

#include "events/events_print.h"
#include "timeline/timeline.h"
#include "program/tasks.h"
#include "hist-list.h"
#include "picture/picture.h"

/* The lanes of an event. An event may have several. */
struct timeline_source {
	const char *event;
	const char *lane;   /* a name for all; NULL: the text of ->by */
	const char *by;     /* a field: a lane for each of its texts */
	const char *name;   /* the field that names a span; NULL: the task does */
	const char *hidden; /* fields that are known from the lane */
	enum timeline_look look;
	enum timeline_group group;
	bool usual; /* shown unless others are chosen */
	bool runs;  /* only states of a task that runs */
};

static const struct timeline_source sources[] = {
	{ "derived:task_state", "", NULL, "comm",
	  " comm cpu state ns waker_pid waker_comm in_irq sleep_stack waker_stack open ",
	  TIMELINE_RUN, TIMELINE_OF_CPU, .usual = true, .runs = true },
	{ "derived:throttle", "throttled", NULL, "cgroup", " cgroup cpu ns open ", TIMELINE_ROWS,
	  TIMELINE_OF_CPU, .usual = true },
	{ "derived:irq", NULL, "kind", "name", " name kind cpu ns open ", TIMELINE_ROWS,
	  TIMELINE_OF_CPU, .usual = true },
	{ "derived:softirq_wait", "softirq waits", NULL, "name", " name cpu ns open ",
	  TIMELINE_ROWS, TIMELINE_OF_CPU, .usual = false },
	{ "derived:runqueue", "run queue", NULL, "depth", " depth cpu ns open ", TIMELINE_VALUE,
	  TIMELINE_OF_CPU, .usual = true },
	{ "derived:task_state", "", NULL, "state", " pid state ns sleep_stack waker_stack open ",
	  TIMELINE_STATE, TIMELINE_OF_TASK, .usual = true },
	{ "derived:slice", "slices", NULL, "name", " name ns pid tgid depth open ", TIMELINE_ROWS,
	  TIMELINE_OF_TASK, .usual = true },
	{ "derived:counter", NULL, "name", "value", " name value pid tgid open ", TIMELINE_VALUE,
	  TIMELINE_OF_TASK, .usual = true },
	{ "derived:syscall", "system calls", NULL, "name", " name ns pid open ", TIMELINE_ROWS,
	  TIMELINE_OF_TASK, .usual = true },
	{ "derived:lock_wait", "locks", NULL, "kind", " kind ns pid open ", TIMELINE_ROWS,
	  TIMELINE_OF_TASK, .usual = true },
	{ "derived:function", "functions", NULL, "func", " func ns pid depth open ", TIMELINE_ROWS,
	  TIMELINE_OF_TASK, .usual = false },
	{ "derived:block_io", NULL, "dev", "op", " dev op ns open ", TIMELINE_ROWS,
	  TIMELINE_OF_NONE, .usual = true },
};

/* Fields of a wait that its state has, too. */
enum { WAIT_REASON, WAIT_IDLE, N_WAIT };

/* Where the events of a type go. */
struct feed_view {
	u32 view;
	int ns, by, name, cpu; /* indices of fields; -1: there are none */
	ARRAY(int) fields;
	const struct timeline_source *of; /* NULL: of no kind that is known */
	u32 lane;                         /* a text */
	bool running, steps;
	bool waits; /* the values of the wait follow those of the fields */
};

struct feed_type {
	bool is_known;
	ARRAY(struct feed_view) views;
	int state, reason, idle; /* of derived:task_state and derived:wait */
};

typedef ARRAY(struct hist_event_choice) timeline_choices;

struct timeline_feed {
	struct lanes *t;
	struct hist_events *ev;
	const struct task_set *tasks;
	ARRAY(struct feed_type) types;
	struct {
		bool known;
		u32 view, lane;
	} waits; /* the view of states, whose waits have a reason */
	ARRAY(u64) values;
	struct strbuf text;
	struct arena arena;
};

/* --- types --- */

static const char *title_of(const struct hist_event_type *type)
{
	return ((const struct events_type *)(const void *)type)->title;
}

/* The fields that a click on a span shows. */
static int add_fields(struct timeline_feed *f, struct feed_view *v, struct timeline_view *view,
		      const struct hist_event_type *type)
{
	struct timeline_field *fields =
		arena_alloc(&f->arena, (type->n_fields + N_WAIT) * sizeof(*fields));

	if (!fields)
		return HIST_NOMEM;
	for (size_t i = 0; i < type->n_fields; i++) {
		const struct hist_event_field *field = &type->fields[i];
		char word[128];
		enum timeline_kind kind = field->kind == HIST_VALUE_SIGNED     ? TIMELINE_SIGNED
					  : field->kind == HIST_VALUE_UNSIGNED ? TIMELINE_UNSIGNED
									       : TIMELINE_TEXT;

		/* unsigned longs may be addresses */
		if (kind == TIMELINE_UNSIGNED && strstr(field->type, "long"))
			kind = TIMELINE_TEXT;
		snprintf(word, sizeof(word), " %s ", field->name);
		if (strstr(field->name, "_stack") || (v->of && strstr(v->of->hidden, word)))
			continue;
		if (array_push(&v->fields, (int)i))
			return HIST_NOMEM;
		fields[view->n_fields++] = (struct timeline_field){ field->name, kind };
	}
	if (v->waits) {
		fields[view->n_fields++] = (struct timeline_field){ "reason", TIMELINE_TEXT };
		fields[view->n_fields++] =
			(struct timeline_field){ "other_idle_ns", TIMELINE_UNSIGNED };
	}
	view->fields = fields;
	return 0;
}

static int field_of(const struct hist_event_type *type, const char *name)
{
	return name ? hist_event_field(type, name) : -1;
}

static int add_view(struct timeline_feed *f, struct feed_type *t,
		    const struct hist_event_type *type, const struct timeline_source *s)
{
	struct timeline_view view = { .event = arena_strdup(&f->arena, title_of(type)) };
	struct feed_view v = { .view = (u32)f->t->views.n,
			       .ns = hist_event_field(type, "ns"),
			       .by = s ? field_of(type, s->by) : -1,
			       .name = s ? field_of(type, s->name) : -1,
			       .cpu = hist_event_field(type, "cpu"),
			       .of = s,
			       .running = s && s->runs };
	int err = view.event ? 0 : HIST_NOMEM;

	view.rank = s ? (size_t)(s - sources) : ARRAY_SIZE(sources) + type->number;
	view.look = s ? s->look : v.ns >= 0 ? TIMELINE_ROWS : TIMELINE_MARK;
	view.group = s ? s->group : v.ns >= 0 ? TIMELINE_OF_TASK : TIMELINE_OF_NONE;
	v.steps = view.look == TIMELINE_VALUE && v.ns < 0;
	v.waits = view.look == TIMELINE_STATE;
	err = err ?: timeline_text(f->t, span_of(s ? s->lane ?: "" : view.event), &v.lane);
	if (v.waits) {
		f->waits.known = true;
		f->waits.view = v.view;
		f->waits.lane = v.lane;
	}
	err = err ?: add_fields(f, &v, &view, type);
	err = err ?: array_push(&f->t->views, view);
	err = err ?: array_push(&t->views, v);
	if (err)
		array_release(&v.fields);
	return err;
}

/* Return: NULL: out of memory */
static struct feed_type *type_of(struct timeline_feed *f, const struct hist_event_type *type)
{
	struct feed_type *t;
	int err = 0;

	while (f->types.n <= type->number)
		if (array_push(&f->types,
			       ((struct feed_type){ .state = -1, .reason = -1, .idle = -1 })))
			return NULL;
	t = &f->types.v[type->number];
	if (t->is_known)
		return t;
	t->is_known = true;
	if (!strcmp(type->system, "derived")) {
		if (!strcmp(type->name, "delay")) /* parts, which have no time of their own */
			return t;
		t->state = hist_event_field(type, "state");
		if (!strcmp(type->name, "wait")) {
			t->reason = hist_event_field(type, "reason");
			t->idle = hist_event_field(type, "other_idle_ns");
			return t;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(sources) && !err; i++)
		if (!strcmp(sources[i].event, title_of(type)))
			err = add_view(f, t, type, &sources[i]);
	if (!t->views.n && !err)
		err = add_view(f, t, type, NULL);
	return err ? NULL : t;
}

/* --- events --- */

/* A field as a text: functions have their names. */
static int text_of(struct timeline_feed *f, const struct hist_event *e, int field, u32 *text)
{
	struct hist_value v;

	hist_event_value(e, (size_t)field, &v);
	strbuf_reset(&f->text);
	if (v.kind == HIST_VALUE_TEXT)
		return timeline_text(f->t, (struct span){ v.data, v.len }, text);
	if ((v.kind == HIST_VALUE_UNSIGNED || v.kind == HIST_VALUE_POINTER) && v.number >> 47)
		event_print_symbol(f->ev->h->recordings.db, v.number, false, &f->text);
	else if (hist_value_text(&v, strbuf_sink, &f->text))
		return HIST_NOMEM;
	return f->text.failed ? HIST_NOMEM : timeline_text(f->t, strbuf_span(&f->text), text);
}

/* A wait follows its state, which gets its reason. */
static int take_wait(struct timeline_feed *f, const struct feed_type *t, const struct hist_event *e)
{
	const struct timeline_span *last;
	struct timeline_lane *lane;
	struct hist_value idle;
	u32 reason;
	size_t at;
	int err;

	if (!f->waits.known)
		return 0;
	err = timeline_lane(f->t, f->waits.view, (u32)e->pid, f->waits.lane, &at);
	err = err ?: text_of(f, e, t->reason, &reason);
	lane = err ? NULL : &f->t->lanes.v[at];
	if (!lane || !lane->spans.n)
		return err;
	last = &lane->spans.v[lane->spans.n - 1];
	hist_event_value(e, (size_t)t->idle, &idle);
	if (last->from + last->ns == e->ts) {
		lane->values.v[lane->values.n - N_WAIT + WAIT_REASON] = reason;
		lane->values.v[lane->values.n - N_WAIT + WAIT_IDLE] = idle.number;
	}
	return 0;
}

/* Tasks by number and name; others were chosen by the replay. */
static bool is_chosen(const struct timeline_feed *f, const struct hist_event *e)
{
	for (const struct task_set *set = f->tasks; set; set = set->and) {
		struct span rest = span_of(set->comm ?: "");
		bool found = !set->comm;

		if (set->pids && !task_set_has(set, (u32)e->pid))
			return false;
		while (!found && rest.s) {
			const struct span glob = span_sep(&rest, ",");
			char text[64];

			snprintf(text, sizeof(text), "%.*s", (int)glob.n, glob.s);
			found = !fnmatch(text, hist_event_comm(e), 0);
		}
		if (!found)
			return false;
	}
	return true;
}

static int add_values(struct timeline_feed *f, const struct feed_view *v,
		      const struct hist_event *e)
{
	const struct timeline_view *view = &f->t->views.v[v->view];
	struct hist_value value;
	u32 text;
	int err = 0;

	f->values.n = 0;
	for (size_t i = 0; i < v->fields.n && !err; i++) {
		if (view->fields[i].kind == TIMELINE_TEXT) {
			err = text_of(f, e, v->fields.v[i], &text);
			value.number = text;
		} else {
			hist_event_value(e, (size_t)v->fields.v[i], &value);
		}
		err = err ?: array_push(&f->values, value.number);
	}
	for (size_t i = 0; i < N_WAIT && v->waits && !err; i++)
		err = array_push(&f->values, 0);
	return err;
}

static int add_event(struct timeline_feed *f, const struct feed_view *v, const struct hist_event *e)
{
	const enum timeline_group group = f->t->views.v[v->view].group;
	struct timeline_span span = { .from = e->ts };
	struct hist_value ns, cpu = { .number = e->cpu };
	struct timeline_owner *owner;
	u32 sub = v->lane;
	size_t lane;
	int err = 0;

	if (v->ns >= 0) {
		hist_event_value(e, (size_t)v->ns, &ns);
		span.ns = min_t(u64, ns.number, e->ts);
		span.from -= span.ns;
	}
	if (v->cpu >= 0) /* a wakeup changes the queue of another one */
		hist_event_value(e, (size_t)v->cpu, &cpu);
	if (v->by >= 0)
		err = text_of(f, e, v->by, &sub);
	if (v->name >= 0)
		err = err ?: text_of(f, e, v->name, &span.name);
	else
		err = err ?: timeline_text(f->t, span_of(hist_event_comm(e)), &span.name);
	err = err
		      ?: timeline_lane(f->t, v->view,
				       group == TIMELINE_OF_CPU    ? (u32)cpu.number
				       : group == TIMELINE_OF_TASK ? (u32)e->pid
								   : 0,
				       sub, &lane);
	err = err ?: add_values(f, v, e);
	if (err)
		return err;
	owner = &f->t->owners.v[f->t->lanes.v[lane].owner];
	if (group == TIMELINE_OF_TASK)
		err = timeline_text(f->t, span_of(hist_event_comm(e)), &owner->name);
	return err ?: timeline_add(f->t, lane, &span, f->values.v, v->steps);
}

static int take_event(struct timeline_feed *f, const struct hist_event *e)
{
	struct feed_type *t = type_of(f, e->type);
	int err = t ? 0 : HIST_NOMEM;

	if (t && t->reason >= 0)
		return is_chosen(f, e) ? take_wait(f, t, e) : 0;
	for (size_t i = 0; t && i < t->views.n && !err; i++) {
		const struct feed_view *v = &t->views.v[i];
		struct hist_value state = { .data = "", .len = 0 };

		if (v->running)
			hist_event_value(e, (size_t)t->state, &state);
		if (v->running && !span_eq((struct span){ state.data, state.len }, "running"))
			continue;
		if (f->t->views.v[v->view].group != TIMELINE_OF_CPU && !is_chosen(f, e))
			continue;
		err = add_event(f, v, e);
	}
	return err;
}

static void release_feed(struct timeline_feed *f)
{
	for (size_t i = 0; i < f->types.n; i++) {
		for (size_t k = 0; k < f->types.v[i].views.n; k++)
			array_release(&f->types.v[i].views.v[k].fields);
		array_release(&f->types.v[i].views);
	}
	array_release(&f->types);
	array_release(&f->values);
	strbuf_release(&f->text);
	arena_release(&f->arena);
}

/* --- all --- */

/* The chosen events, and those that say what CPUs and tasks did. */
static int choose(struct hist *h, const struct hist_events_options *from, timeline_choices *choices)
{
	static const char wait[] = "derived:wait";
	int err = 0;

	for (size_t i = 0; i < from->n_choices && !err; i++)
		err = array_push(choices, from->choices[i]);
	if (from->script && !from->n_choices)
		return 0;
	for (size_t i = 0; i <= ARRAY_SIZE(sources) && !err; i++) {
		const bool is_wait = i == ARRAY_SIZE(sources);
		const struct hist_event_choice choice = { is_wait ? wait : sources[i].event, NULL };
		bool known = !is_wait && !sources[i].usual;

		/* of those that were not chosen, only what says who ran and waited */
		known |= from->n_choices && !is_wait &&
			 strcmp(choice.event, "derived:task_state") != 0;
		known |= any_of(k, choices->n, !strcmp(choices->v[k].event, choice.event));
		if (!known && hist_can_derive(h, choice.event))
			err = array_push(choices, choice);
	}
	return err;
}

static int feed_all(struct timeline_feed *f, u64 *n)
{
	struct hist_event e;
	int err;

	while ((err = hist_events_next(f->ev, &e)) > 0) {
		++*n;
		err = take_event(f, &e);
		if (err)
			return err;
	}
	return err;
}

/* The events for which hist record --until wrote the recording. */
static int add_marks(struct hist *h, struct lanes *t)
{
	struct hist_mark mark;
	int found = 0;

	for (size_t i = 0; (found = hist_mark(h, i, &mark)) > 0; i++)
		if (mark.ts >= t->from && mark.ts <= t->to &&
		    array_push(&t->marks, ((struct timeline_mark){ mark.ts, mark.event })))
			return HIST_NOMEM;
	return found;
}

/* A recording without slices needs no notes about them. */
static void drop_notes(const struct lanes *t, struct diags *diags, size_t said)
{
	size_t n = said;

	for (size_t i = 0; i < t->views.n; i++)
		if (!strcmp(t->views.v[i].event, "derived:slice"))
			return;
	for (size_t i = said; i < diags->list.n; i++)
		if (diags->list.v[i].level != DIAG_NOTE || !strstr(diags->list.v[i].text, "slice"))
			diags->list.v[n++] = diags->list.v[i];
	diags->list.n = n;
}

static int begin(struct hist *h, const struct hist_events_options *asked, struct lanes *t)
{
	struct recordings_times times;
	int err = recordings_start(&h->recordings, h->buffer, &times);

	times.first = max_t(u64, times.first, max_t(u64, h->span.from, asked->from));
	times.last = min_t(u64, times.last, min_t(u64, h->span.to, asked->to ?: UINT64_MAX));
	return err ?: timeline_init(t, times.first, max_t(u64, times.first, times.last));
}

int events_timeline_add(struct hist *h, const struct hist_events_options *asked,
			const struct task_set *tasks, struct strbuf *out, u64 *n,
			struct diags *diags)
{
	const struct task_set *selected = h->tracing->options.tasks;
	struct hist_events_options options = *asked;
	scoped(timeline_release) struct lanes t = { .from = 0 };
	struct timeline_feed f = { .t = &t, .text = STRBUF_INIT, .tasks = tasks ?: selected };
	scoped(free_scoped) timeline_choices choices = ARRAY_INIT;
	scoped(strbuf_release) struct strbuf input = STRBUF_INIT;
	const size_t said = diags->list.n;
	int err = begin(h, asked, &t), end;

	*n = 0;
	err = err ?: choose(h, asked, &choices);
	if (!err && !choices.n && !asked->script)
		err = diags_error(
			diags, -HIST_EINVAL,
			"the recording has no events of which a timeline can be made: "
			"name some with -e, or record some with hist record -e derived:wait");
	options.choices = choices.v;
	options.n_choices = choices.n;
	options.comm = true;
	options.who = false;
	/* CPUs show all tasks, unless the replay has to know who a task is */
	if (!selected || (!selected->who[WHO_PROCESS] && !selected->who[WHO_CGROUP]))
		h->tracing->options.tasks = NULL;
	err = err ?: hist_events_open(h, &options, &f.ev, diags);
	h->tracing->options.tasks = selected;
	if (!err) {
		err = feed_all(&f, n);
		end = hist_events_close(f.ev, min_t(int, err, 0));
		err = err ?: end;
		if (!asked->n_choices)
			drop_notes(&t, diags, said);
	}
	/* The options that name the recording, for commands. */
	for (size_t i = 0; i < h->recordings.files.n; i++) {
		strbuf_addstr(&input, " -i ");
		strbuf_addword(&input, h->recordings.files.v[i].path);
	}
	t.input = input.s;
	t.no_time = trace_clock_counts(h->recordings.machine.clock);
	err = err ?: add_marks(h, &t);
	err = err ?: input.failed ? HIST_NOMEM : timeline_write(&t, out);
	release_feed(&f);
	return err;
}

int events_timeline_print(struct hist *h, const struct hist_events_options *options,
			  const struct hist_events_print *print, u64 *n, struct diags *diags)
{
	struct strbuf title = STRBUF_INIT, subtitle = STRBUF_INIT, body = STRBUF_INIT,
		      out = STRBUF_INIT;
	const struct machine *m = &h->recordings.machine;
	struct page_head head = { .command = print->command, .messages = diags, .timeline = true };
	int err = events_timeline_add(h, options, NULL, &body, n, diags);

	strbuf_addstr(&title, "Timeline");
	if (*m->release)
		strbuf_addf(&subtitle, "Linux %s, %u CPU%s; clock %s: ", m->release, m->nr_cpus,
			    plural(m->nr_cpus), m->clock);
	for (size_t i = 0; i < h->recordings.files.n; i++) {
		const char *path = h->recordings.files.v[i].path;

		strbuf_addf(&title, "%s %s", i ? "," : " of", path_base(path));
		strbuf_addf(&subtitle, "%s%s", i ? ", " : "", path);
	}
	head.title = title.s;
	head.subtitle = subtitle.s;
	if (!err) {
		page_begin(&out, &head);
		strbuf_add(&out, body.s, body.len);
		page_end(&head, &out);
		err = title.failed || subtitle.failed || body.failed || out.failed
			      ? HIST_NOMEM
			      : print->sink(print->arg, out.s, out.len);
	}
	strbuf_release(&title);
	strbuf_release(&subtitle);
	strbuf_release(&body);
	strbuf_release(&out);
	return err;
}
