// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The second reading of a Perfetto trace: records of the bundles of each CPU, in order of time.
 *
 * Bundles whose times overlap are put together; so are the lists of a bundle: its events, and two
 * of compact ones, which lack what the event before them says (which task runs).
 */
#include "import/perfetto_event.h"

enum { COMM_SIZE = MADE_COMM_SIZE, NO_PID = -1 };

/* The flags of each sched_switch, which compact ones do not store. */
enum { IRQS_OFF = 1 };

struct bundle_item {
	u64 ts;
	u32 bundle, seq;
	enum { ITEM_EVENT, ITEM_SWITCH, ITEM_WAKING, ITEM_MARK } kind : 8;
	u32 flags : 8;
	u32 comm; /* of a compact event: index of a name */
	union {
		struct proto message;
		const struct perfetto_mark *mark;
		struct {
			s32 pid, prio, cpu;
			u64 state;
		} compact;
	};
};

/* The task that runs on the CPU; its pid may be known from an event of its own. */
struct running {
	bool known;
	s32 pid, prio;
	char comm[COMM_SIZE];
};

struct bundle_records {
	struct perfetto *pf;
	struct trace_dat_cpus *cpus; /* of the machine */
	ARRAY(struct bundle_item) items;
	ARRAY(struct span) comms;
	struct running running;
	size_t mark; /* the next one of the CPU */
	u64 holes, no_previous;
	struct made_record rec;
};

/* What threads share. */
struct bundles_put {
	struct perfetto *pf;
	ARRAY(size_t) cpus; /* their first bundles */
	size_t next;        /* atomic: index in ->cpus */
	int err, number;    /* errno */
};

/* --- records --- */

static void put_number(struct bundle_records *p, const struct made_field *f, u64 v)
{
	made_number(&p->rec, f, f->device ? perfetto_device_to_kernel(v) : v);
}

/* Numbers of an array. */
static void put_array(struct bundle_records *p, const struct made_field *f, struct proto values,
		      u32 *n)
{
	while (values.p < values.end && *n < f->size / 8)
		store_u64(p->rec.data + f->offset + 8 * (*n)++, proto_varint(&values), false);
}

/* A field that is more than a number. */
static void put_field(struct bundle_records *p, const struct made_field *f, u64 sequence,
		      struct proto_field value)
{
	if (f->type == 's' || f->type == 'b')
		made_text(&p->rec, f, proto_text(&value));
	else if (f->type && value.wire != PROTO_BYTES)
		put_number(p, f, f->symbol ? perfetto_symbol(p->pf, sequence, value.v) : value.v);
}

static void put_fields(struct bundle_records *p, const struct perfetto_type *type, u64 sequence,
		       struct proto body)
{
	struct proto_field value;
	u32 n_array = 0;

	while (proto_next(&body, &value)) {
		const struct made_field *f;

		if (value.number >= PERFETTO_FIELDS_MAX)
			continue;
		f = &type->fields[value.number];
		if (f->plain && value.wire == PROTO_VARINT)
			made_number(&p->rec, f, value.v);
		else if (f->type != 'A')
			put_field(p, f, sequence, value);
		else if (value.wire == PROTO_BYTES)
			put_array(p, f, proto_message(&value), &n_array);
		else if (n_array < f->size / 8)
			store_u64(p->rec.data + f->offset + 8 * n_array++, value.v, false);
	}
}

/* Fields with their names. */
static void put_generic(struct bundle_records *p, struct perfetto_type *type, struct proto body)
{
	struct proto_field f, part;

	while (proto_next(&body, &f)) {
		struct proto field = proto_message(&f);
		const struct proto_field name = proto_find(field, 1);
		const struct made_field *to =
			f.number == 2 ? perfetto_field_named(type, proto_text(&name)) : NULL;

		while (to && proto_next(&field, &part)) {
			if (part.number < 3 || part.number > 5)
				continue;
			if (to->type == 's')
				made_text(&p->rec, to, proto_text(&part));
			else if (part.wire != PROTO_BYTES)
				put_number(p, to, part.v);
		}
	}
}

/* ftrace:print, whose text ends the record. */
static void put_print(struct bundle_records *p, struct perfetto_event ev, struct span text)
{
	enum { PRINT_ID = 5, TEXT_AT = 16 };
	struct proto_field f;

	made_begin(&p->rec, PRINT_ID, ev.flags, ev.pid, TEXT_AT);
	while (proto_next(&ev.body, &f)) {
		if (f.number == 1)
			store_u64(p->rec.data + 8, f.v, false);
		else if (f.number == 2)
			text = proto_text(&f);
	}
	text.n = min_t(size_t, text.n, MADE_RECORD_MAX - TEXT_AT - 8);
	while (text.n && text.s[text.n - 1] == '\0')
		text.n--;
	memcpy(p->rec.data + TEXT_AT, text.s, text.n);
	if (!text.n || text.s[text.n - 1] != '\n')
		p->rec.data[TEXT_AT + text.n++] = '\n';
	p->rec.data[TEXT_AT + text.n] = '\0';
	p->rec.len = TEXT_AT + (u32)text.n + 1;
}

/* Who runs from now on, after a plain switch. */
static void note_switch(struct bundle_records *p, const struct perfetto_type *type)
{
	p->running.known = true;
	p->running.pid = (s32)load_u32(p->rec.data + type->fields[6].offset, false);
	p->running.prio = (s32)load_u32(p->rec.data + type->fields[7].offset, false);
	memcpy(p->running.comm, p->rec.data + type->fields[5].offset, COMM_SIZE);
}

/* Who runs, as the first event of a CPU tells. */
static void note_task(struct bundle_records *p, u32 cpu, s32 pid)
{
	struct running *r = &p->running;

	if (r->pid != NO_PID)
		return;
	r->pid = pid;
	if (pid)
		return;
	snprintf(r->comm, sizeof(r->comm), "swapper/%u", cpu);
	r->prio = 120;
}

/* The task that runs has another name from now on. */
static void note_name(struct bundle_records *p, const struct perfetto_event *ev)
{
	enum { TASK = 1, NEW_NAME = 3 };
	const struct proto_field name = proto_find(ev->body, NEW_NAME);
	const struct span comm = proto_text(&name);
	const s32 pid = (s32)proto_number(ev->body, TASK) ?: ev->pid;

	if (pid == p->running.pid)
		snprintf(p->running.comm, COMM_SIZE, "%.*s", (int)min_t(size_t, comm.n, COMM_SIZE),
			 comm.s);
}

/* Sets its time. False: its type is unknown, or it is damaged. */
static bool make_event(struct bundle_records *p, const struct perfetto_bundle *b,
		       struct proto message, u8 flags, u64 *ts)
{
	struct perfetto_event ev;
	struct perfetto_type *type;

	if (!perfetto_event_read(message, &ev))
		return false;
	*ts = ev.ts + (u64)b->shift;
	ev.flags |= flags;
	type = ev.number == PERFETTO_PRINT ? NULL : perfetto_event_type(p->pf, b->sequence, &ev);
	if (ev.number == PERFETTO_PRINT || (type && type->prints)) {
		put_print(p, ev, (struct span){ "", 0 });
		note_task(p, b->cpu, ev.pid);
		return true;
	}
	if (!type || !type->id)
		return false;
	made_begin(&p->rec, type->id, ev.flags, ev.pid, type->size);
	if (ev.number == PERFETTO_GENERIC)
		put_generic(p, type, ev.body);
	else if (ev.number == PERFETTO_KPROBE)
		put_number(p, &type->fields[2], proto_number(ev.body, 2));
	else
		put_fields(p, type, b->sequence, ev.body);
	if (type->has_texts)
		made_end(&p->rec, &type->fields[1], type->n_fields);
	if (ev.number == PERFETTO_SWITCH)
		note_switch(p, type);
	else
		note_task(p, b->cpu, ev.pid);
	if (ev.number == PERFETTO_RENAME)
		note_name(p, &ev);
	return true;
}

/* common_flags of the next event of a bundle. */
static u8 next_flags(struct span *flags)
{
	if (!flags->n)
		return 0;
	*flags = span_skip(*flags, 1);
	return (u8)flags->s[-1];
}

static void make_switch(struct bundle_records *p, const struct bundle_item *item)
{
	const struct perfetto_type *type = perfetto_type_of(&p->pf->types, PERFETTO_SWITCH);
	const struct made_field *f = type->fields;
	struct running *r = &p->running;

	p->no_previous += !r->known;
	p->holes += r->known && r->pid == item->compact.pid;
	made_begin(&p->rec, type->id, IRQS_OFF, r->pid, type->size);
	made_text(&p->rec, &f[1], span_of(r->comm));
	put_number(p, &f[2], (u32)r->pid);
	put_number(p, &f[3], (u32)r->prio);
	put_number(p, &f[4], item->compact.state);
	made_text(&p->rec, &f[5], p->comms.v[item->comm]);
	put_number(p, &f[6], (u32)item->compact.pid);
	put_number(p, &f[7], (u32)item->compact.prio);
	note_switch(p, type);
}

static void make_waking(struct bundle_records *p, const struct bundle_item *item)
{
	const struct perfetto_type *type = perfetto_type_of(&p->pf->types, PERFETTO_WAKING);

	made_begin(&p->rec, type->id, item->flags, p->running.pid, type->size);
	made_text(&p->rec, &type->fields[1], p->comms.v[item->comm]);
	put_number(p, &type->fields[2], (u32)item->compact.pid);
	put_number(p, &type->fields[3], (u32)item->compact.prio);
	put_number(p, &type->fields[5], (u32)item->compact.cpu);
}

/* --- lists of a bundle --- */

/* Compact events: a list of each member. */
struct compact_lists {
	struct proto_list members[16];
	size_t comms; /* index of the first name */
	size_t n_comms;
};

/* A list that is too short lacks numbers of names, or zeros. */
static s64 take(struct compact_lists *c, u32 member)
{
	u64 v;

	return proto_list_next(&c->members[member], &v)                         ? (s64)v
	       : member == COMPACT_SWITCH_COMM || member == COMPACT_WAKING_COMM ? (s64)c->n_comms
										: 0;
}

static int add_compact(struct bundle_records *p, struct compact_lists *c, struct bundle_item item,
		       bool wakes)
{
	struct proto_list *times = &c->members[wakes ? COMPACT_WAKING_TIME : COMPACT_SWITCH_TIME];
	u64 more;

	item.kind = wakes ? ITEM_WAKING : ITEM_SWITCH;
	while (proto_list_next(times, &more)) {
		u64 comm;

		item.ts += more;
		item.seq = (u32)p->items.n;
		item.compact.pid = (s32)take(c, wakes ? 8 : 3);
		item.compact.prio = (s32)take(c, wakes ? 10 : 4);
		item.compact.state = wakes ? 0 : (u64)take(c, 2);
		item.compact.cpu = wakes ? (s32)take(c, 9) : 0;
		item.flags = wakes ? (u8)take(c, 12) : 0;
		comm = (u64)take(c, wakes ? COMPACT_WAKING_COMM : COMPACT_SWITCH_COMM);
		/* the last one is "" */
		item.comm = (u32)(c->comms + min_t(u64, comm, c->n_comms));
		if (array_push(&p->items, item))
			return HIST_NOMEM;
	}
	return 0;
}

static int add_compacts(struct bundle_records *p, struct bundle_item item, struct proto compact)
{
	struct compact_lists c = { .comms = p->comms.n };
	struct proto_field f;
	int err = 0;

	for (u32 i = 0; i < ARRAY_SIZE(c.members); i++)
		c.members[i] = proto_list_of(compact, i);
	while (!err && proto_next(&compact, &f))
		if (f.number == 5)
			err = array_push(&p->comms, proto_text(&f));
	c.n_comms = p->comms.n - c.comms;
	err = err ?: array_push(&p->comms, ((struct span){ "", 0 }));
	err = err ?: add_compact(p, &c, item, false);
	return err ?: add_compact(p, &c, item, true);
}

static u64 time_of(struct proto event)
{
	struct proto rest = event;
	struct proto_field f;

	return proto_next(&rest, &f) && f.number == 1 ? f.v : proto_number(event, 1);
}

static int add_items(struct bundle_records *p, u32 bundle)
{
	const struct perfetto_bundle *b = &p->pf->bundles.v[bundle];
	struct proto rest = proto_of(b->p, b->len);
	struct span flags = { "", 0 };
	struct proto_field f;
	int err = 0;

	while (!err && proto_next(&rest, &f)) {
		struct bundle_item item = { .ts = (u64)b->shift,
					    .bundle = bundle,
					    .seq = (u32)p->items.n };

		if (f.number == 4)
			err = add_compacts(p, item, proto_message(&f));
		if (f.number == BUNDLE_FLAGS)
			flags = proto_text(&f);
		if (f.number != 2)
			continue;
		item.flags = next_flags(&flags);
		item.message = proto_message(&f);
		item.ts += time_of(item.message);
		err = array_push(&p->items, item);
	}
	return err;
}

DEFINE_ORDER(compare_items, struct bundle_item, cmp_int(x->ts, y->ts) ?: cmp_int(x->seq, y->seq))

static bool are_sorted(const struct bundle_records *p)
{
	for (size_t i = 1; i < p->items.n; i++)
		if (p->items.v[i].ts < p->items.v[i - 1].ts)
			return false;
	return true;
}

static int put_record(struct bundle_records *p, u32 cpu, u64 ts)
{
	return trace_dat_cpus_record(
		p->cpus, cpu,
		&(struct ring_buffer_record){
			.ts = ts, .data = p->rec.data, .len = p->rec.len, .type_len = 1 });
}

static int put_items(struct bundle_records *p, u32 cpu)
{
	int err = 0;

	if (!are_sorted(p))
		qsort(p->items.v, p->items.n, sizeof(*p->items.v), compare_items);
	array_each_while(const struct bundle_item, item, &p->items, !err) {
		u64 ts;

		if (item->kind == ITEM_SWITCH)
			make_switch(p, item);
		else if (item->kind == ITEM_WAKING)
			make_waking(p, item);
		else if (item->kind == ITEM_MARK)
			put_print(p, (struct perfetto_event){ .pid = item->mark->pid },
				  item->mark->text);
		else if (!make_event(p, &p->pf->bundles.v[item->bundle], item->message, item->flags,
				     &ts))
			continue;
		err = put_record(p, cpu, item->ts);
	}
	p->items.n = p->comms.n = 0;
	return err;
}

/* The events of a bundle, which are in order. */
static int put_sorted(struct bundle_records *p, const struct perfetto_bundle *b)
{
	struct proto rest = proto_of(b->p, b->len);
	struct span flags = { "", 0 };
	struct proto_field f;
	int err = 0;
	u64 ts;

	while (!err && proto_next(&rest, &f))
		if (f.number == BUNDLE_FLAGS)
			flags = proto_text(&f);
		else if (f.number == 2 &&
			 make_event(p, b, proto_message(&f), next_flags(&flags), &ts))
			err = put_record(p, b->cpu, ts);
	return err;
}

/* --- bundles --- */

DEFINE_ORDER(compare_bundles, struct perfetto_bundle,
	     cmp_int(x->machine, y->machine) ?:
	     cmp_int(x->cpu, y->cpu) ?:
	     cmp_int(x->first, y->first) ?:
	     cmp_int(x->p, y->p))

static bool is_same_cpu(const struct perfetto_bundle *a, const struct perfetto_bundle *b)
{
	return a->machine == b->machine && a->cpu == b->cpu;
}

/* Whether the CPU has a mark before a time; those of other machines have none. */
static bool has_mark(const struct bundle_records *p, u32 cpu, u64 before)
{
	const struct perfetto *pf = p->pf;

	return p->cpus == &pf->job->sink->cpus && p->mark < pf->marks.n &&
	       pf->marks.v[p->mark].cpu == cpu && pf->marks.v[p->mark].ts < before;
}

static int add_marks(struct bundle_records *p, u32 cpu, u64 before)
{
	int err = 0;

	while (has_mark(p, cpu, before) && !err) {
		const struct perfetto_mark *m = &p->pf->marks.v[p->mark];
		const struct bundle_item item = {
			.ts = m->ts, .seq = (u32)p->items.n, .kind = ITEM_MARK, .mark = m
		};

		err = array_push(&p->items, item);
		p->mark++;
	}
	return err;
}

/* The bundles from @i on that overlap. *@end: the first one that does not */
static int put_bundles(struct bundle_records *p, size_t i, size_t *end)
{
	const struct perfetto_bundle *b = p->pf->bundles.v;
	const u32 cpu = b[i].cpu;
	u64 last = b[i].last, before;
	bool lost = b[i].lost;
	size_t n = i + 1;
	int err = 0;

	/* at least one, also if the times of its clock are beyond 64 bits */
	for (; n < p->pf->bundles.n && is_same_cpu(&b[n], &b[i]) && b[n].first <= last; n++) {
		last = max_t(u64, last, b[n].last);
		lost |= b[n].lost;
	}
	*end = n;
	err = add_marks(p, cpu, b[i].first);
	err = err ?: put_items(p, cpu);
	if (!err && lost) {
		const struct perfetto_cpu *c = &p->pf->machines.v[b[i].machine].cpus.v[cpu];

		/* the kernel counted all, which is the number at the only place */
		err = trace_dat_cpus_lost(p->cpus, cpu, b[i].first,
					  c->lost_marks == 1 && c->overrun[1] > c->overrun[0]
						  ? (s64)(c->overrun[1] - c->overrun[0])
						  : -1);
	}
	before = n < p->pf->bundles.n && is_same_cpu(&b[n], &b[n - 1]) ? b[n].first : UINT64_MAX;
	if (!err && n == i + 1 && !b[i].unsorted && !has_mark(p, cpu, before))
		return put_sorted(p, &b[i]);
	for (; i < n && !err; i++)
		err = add_items(p, (u32)i);
	err = err ?: add_marks(p, cpu, before);
	return err ?: put_items(p, cpu);
}

/* --- CPUs --- */

/* The buffer of another machine than the first. */
static struct trace_dat_cpus *buffer_of(struct perfetto *pf, u32 machine)
{
	struct perfetto_machine *m = &pf->machines.v[machine];
	char name[32];

	if (!machine)
		return &pf->job->sink->cpus;
	snprintf(name, sizeof(name), "machine-%llu", m->id);
	if (!m->buffer)
		m->buffer = import_sink_buffer(pf->job->sink, name);
	return m->buffer;
}

/* Bytes of a record besides its texts, and those that a sub-buffer has for it. */
enum { PRINT_SIZE = 16, OVERHEAD = 24 };

/* Each CPU begins with nothing, so that threads may add its records. */
static int begin_cpus(struct bundles_put *all)
{
	struct perfetto *pf = all->pf;
	const struct perfetto_bundle *b = pf->bundles.v;
	u64 size = PRINT_SIZE;

	for (size_t i = 0; i < pf->types.list.n; i++)
		size = max_t(u64, size, pf->types.list.v[i]->size);
	trace_dat_cpus_direct(&pf->job->sink->cpus, pf->job->sink->direct,
			      (size + OVERHEAD) * (pf->n_events + pf->marks.n) + pf->whole.n);
	for (size_t i = 0; i < pf->bundles.n; i++) {
		struct trace_dat_cpus *buffer;

		if (i && is_same_cpu(&b[i], &b[i - 1]))
			continue;
		buffer = buffer_of(pf, b[i].machine);
		if (!buffer || array_push(&all->cpus, i) ||
		    trace_dat_cpus_lost(buffer, b[i].cpu, b[i].first, 0))
			return HIST_NOMEM;
	}
	return 0;
}

static int put_cpu(struct bundle_records *p, size_t i)
{
	struct perfetto *pf = p->pf;
	const struct perfetto_bundle *b = pf->bundles.v;
	const size_t begin = i;
	int err = 0;

	p->running = (struct running){ .pid = NO_PID, .comm = "<...>" };
	p->cpus = buffer_of(pf, b[i].machine);
	p->mark = 0;
	while (p->mark < pf->marks.n && pf->marks.v[p->mark].cpu < b[i].cpu)
		p->mark++;
	while (i < pf->bundles.n && is_same_cpu(&b[i], &b[begin]) && !err)
		err = put_bundles(p, i, &i);
	return err;
}

static void *put_cpus(void *arg)
{
	struct bundles_put *all = arg;
	scoped(free_scoped) struct bundle_records *p = calloc(1, sizeof(*p));
	int err = p ? 0 : HIST_NOMEM;
	size_t i;

	if (p)
		p->pf = all->pf;
	while (!err && !__atomic_load_n(&all->err, __ATOMIC_RELAXED) &&
	       (i = __atomic_fetch_add(&all->next, 1, __ATOMIC_RELAXED)) < all->cpus.n)
		err = put_cpu(p, all->cpus.v[i]);
	if (!err && !all->cpus.n) { /* there are only marks */
		p->cpus = buffer_of(all->pf, 0);
		err = add_marks(p, 0, UINT64_MAX) ?: put_items(p, 0);
	}
	if (err) {
		__atomic_store_n(&all->number, errno, __ATOMIC_RELAXED);
		__atomic_store_n(&all->err, err, __ATOMIC_RELAXED);
	}
	if (p) {
		__atomic_fetch_add(&all->pf->holes, p->holes, __ATOMIC_RELAXED);
		__atomic_fetch_add(&all->pf->no_previous, p->no_previous, __ATOMIC_RELAXED);
		array_release(&p->items);
		array_release(&p->comms);
	}
	return NULL;
}

int perfetto_put(struct perfetto *pf)
{
	struct bundles_put all = { .pf = pf };
	size_t n;

	if (pf->bundles.n)
		qsort(pf->bundles.v, pf->bundles.n, sizeof(*pf->bundles.v), compare_bundles);
	all.err = begin_cpus(&all);
	n = min_t(size_t, pf->job->options->threads, all.cpus.n);
	if (!all.err)
		threads_run(&(struct thread_job){ .work = put_cpus,
						  .elements = &all,
						  .n = (unsigned int)max_t(size_t, n, 1) });
	array_release(&all.cpus);
	errno = all.err ? all.number : errno;
	return all.err;
}
