// SPDX-License-Identifier: LGPL-2.1-only
/*
 * hist slim --from of derived events. Of the records before the span of time, it chooses those near
 * it, and the last ones of each CPU and task, from which follows what these do when it begins.
 * Whether that is enough is tried: the script is run on the smaller recording.
 */
#include "slim/slim.h"

/* The last record for a key, which is of the event and a CPU, or a task in one of its fields. */
struct latest {
	u64 key, ts;
	size_t cpu, index; /* in ->kept */
};

struct window {
	struct slim *s;
	u64 since;
	size_t cpu, next; /* the CPU, and the index of its next record */
	INDEXED(struct latest) latest;
};

static int note_latest(struct window *w, const struct latest *l)
{
	struct latest *known = indexed_get(&w->latest, key, l->key, *l);

	if (known && l->ts >= known->ts)
		*known = *l;
	return known ? 0 : HIST_NOMEM;
}

static int choose_record(void *arg, const struct ring_buffer_record *rec)
{
	enum { OF_CPU = 1, OF_FIELD };
	struct window *w = arg;
	struct slim *s = w->s;
	const bool big = s->rec->info->big_endian;
	const u32 id = load_u16(rec->data, big);
	const bool leave = w->since && s->derived[id] &&
			   (rec->ts < w->since || rec->ts > s->h->span.to);
	struct latest l = { .ts = rec->ts, .cpu = w->cpu, .index = w->next++ };
	u64 *place = &s->cpus[l.cpu].kept.v[l.index];
	int err;

	*place = (*place & ~(u64)SLIM_LEFT_OUT) | (leave ? SLIM_LEFT_OUT : 0);
	if (!leave || rec->ts > s->h->span.to)
		return 0;
	slim_find_pids(s, id);
	l.key = (u64)id << 48 | (u64)OF_CPU << 32 | w->cpu;
	err = note_latest(w, &l);
	array_each_while(const struct pid_field, f, &s->pid_fields, !err) {
		if (f->id != id || f->at + 4 > rec->len)
			continue;
		l.key = (u64)id << 48 | (u64)(OF_FIELD + f->at) << 32 |
			load_u32(rec->data + f->at, big);
		err = note_latest(w, &l);
	}
	return err;
}

int slim_window_choose(struct slim *s, u64 since)
{
	struct window w = { .s = s, .since = since };
	const struct slim_visitor v = { .arg = &w, .record = choose_record, .all = true };
	int err = 0;

	s->since = since;
	s->with_trace = true;
	for (size_t b = 0; b < s->rec->n_buffers; b++)
		for (size_t c = 0; c < s->rec->buffers[b].n_cpus && !err; c++) {
			w.cpu = s->first_cpu[b] + c;
			w.next = 0;
			err = slim_visit(s, b, c, &v);
		}
	for (size_t i = 0; i < w.latest.n; i++)
		s->cpus[w.latest.v[i].cpu].kept.v[w.latest.v[i].index] &= ~(u64)SLIM_LEFT_OUT;
	indexed_release(&w.latest);
	return err;
}

/* Of the lines, whose order can depend on the names of other tasks. */
static u64 sum_lines(const struct strbuf *text)
{
	struct span rest = strbuf_span(text);
	u64 sum = 0;

	while (rest.n) {
		struct span line = span_sep(&rest, "\n");

		sum += slim_hash(line.s, line.n);
	}
	return sum;
}

static void add_derived(void *arg, const struct replay_place *place UNUSED, const struct hit *hit)
{
	(void)slim_derived_add(arg, hit);
}

/* Whether the derived events of a smaller recording are the same. */
static bool derives_same(const struct slim *s, struct hist *h, struct diags *ignored)
{
	struct slim_derived d = { 0 };
	const struct replay_observer observer = { .arg = &d, .event = add_derived };
	int err = directory_enable_all(h, true);

	h->observer = &observer;
	err = err ?: hist_replay(h, ignored);
	h->observer = NULL;
	return !err && d.n == s->derived_events.n && d.sum == s->derived_events.sum;
}

bool slim_window_answers(const struct slim *s, const struct hist_script *script)
{
	const struct hist_options options = { .inputs = &s->options->output,
					      .n_inputs = 1,
					      .buffer = s->h->buffer,
					      .jobs = s->h->jobs };
	const struct hist_run_options how = { .keep_going = s->options->keep_going,
					      .format = "hist" };
	scoped(strbuf_release) struct strbuf answer = STRBUF_INIT;
	scoped(diags_release) struct diags ignored = DIAGS_INIT;
	struct hist *h = NULL;
	bool same = false;

	if (!hist_open(&options, &h, &ignored)) {
		h->cgroup_depth = s->h->cgroup_depth;
		h->cgroup_hierarchy = s->h->cgroup_hierarchy;
		h->tracing->machine.rules = s->h->tracing->machine.rules;
		h->recordings.options.max_memory = s->h->tracing->options.max_memory;
		if (s->all)
			same = derives_same(s, h, &ignored);
		else
			hist_run(h, script, &how, strbuf_sink, &answer, &ignored);
		same = s->all ? same
			      : !answer.failed && !s->answer.failed &&
					answer.len == s->answer.len &&
					sum_lines(&answer) == sum_lines(&s->answer);
		hist_close(h);
	}
	return same;
}
