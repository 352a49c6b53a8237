// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Events as a trace of Perfetto, which ui.perfetto.dev and trace_processor read.
 *
 * Events of the kernel become bundles of a CPU, in messages of their own where Perfetto has one,
 * otherwise in such that the bundle describes. Intervals of derived events become slices and
 * counters, on tracks of their task or CPU. Packets may be in any order, so nothing is kept but the
 * last events of each CPU, and which tasks and tracks were described.
 */
#include "events/events_perfetto.h"

/* Numbers of fields of messages, by the message. */
enum { BUNDLE_CPU = 1, BUNDLE_EVENT, BUNDLE_LOST, BUNDLE_DESCRIPTION = 11 };
enum { EVENT_TIME = 1, EVENT_PID };
enum { TYPE_INT64 = 3, TYPE_UINT64, TYPE_STRING = 9, TYPE_BYTES = 12 };

enum { BUNDLE_BYTES = 1 << 16 };

enum { STATS_PHASE = 1, STATS_CPU, CPU_NUMBER = 1, CPU_OVERRUN = 3 };

void perfetto_out_write(struct perfetto_out *o)
{
	strbuf_reset(&o->part);
	perfetto_put_message(&o->part, TRACE_PACKET, &o->packet);
	if (o->part.failed)
		o->err = HIST_NOMEM;
	if (!o->err)
		o->err = o->print->sink(o->print->arg, o->part.s, o->part.len);
	strbuf_reset(&o->packet);
}

/* --- events of the kernel --- */

static const struct perfetto_known known_print = { PERFETTO_PRINT, "ftrace", "print",
						   "1L ip 2s buf" };

static const struct perfetto_known *find_known(const struct hist_event_type *type)
{
	for (const struct perfetto_known *k = perfetto_known; k->name; k++)
		if (!strcmp(k->name, type->name) && !strcmp(k->system, type->system))
			return k;
	return NULL;
}

/* Fields of a message of Perfetto; another field of the event is not in it. */
static int map_fields(struct out_type *t, const struct hist_event_type *type,
		      const struct perfetto_known *known)
{
	for (size_t i = 0; i < type->n_fields; i++) {
		struct span rest = span_of(known->fields);
		struct perfetto_known_field f;
		u32 number = 0;

		while ((f = perfetto_known_next(&rest)).type)
			if (span_eq(f.name, type->fields[i].name))
				number = f.number;
		if (array_push(&t->fields, number))
			return HIST_NOMEM;
	}
	t->number = known->number;
	return 0;
}

static u32 described_type(const struct hist_event_field *f)
{
	switch (f->kind) {
	case HIST_VALUE_TEXT:
		return TYPE_STRING;
	case HIST_VALUE_SIGNED:
		return TYPE_INT64;
	case HIST_VALUE_UNSIGNED:
	case HIST_VALUE_POINTER:
		return TYPE_UINT64;
	default:
		return TYPE_BYTES;
	}
}

/* A message that the trace describes: its number, name, system, and its fields. */
static int describe(struct perfetto_out *o, struct out_type *t, const struct hist_event_type *type)
{
	scoped(strbuf_release) struct strbuf fields = STRBUF_INIT, field = STRBUF_INIT;

	t->number = PERFETTO_DENSE + o->n_described++;
	perfetto_put_text(&fields, 1, type->name);
	for (size_t i = 0; i < type->n_fields; i++) {
		if (i == t->fields.n && array_push(&t->fields, (u32)i + 1))
			return HIST_NOMEM;
		strbuf_reset(&field);
		perfetto_put_text(&field, 1, type->fields[i].name);
		perfetto_put_number(&field, 3, t->fields.v[i]);
		perfetto_put_number(&field, 4, 1);
		perfetto_put_number(&field, 5, described_type(&type->fields[i]));
		perfetto_put_message(&fields, 2, &field);
	}
	strbuf_reset(&field);
	perfetto_put_number(&field, 1, t->number);
	perfetto_put_message(&field, 2, &fields);
	perfetto_put_text(&field, 3, type->system);
	strbuf_reset(&fields);
	perfetto_put_number(&fields, BUNDLE_CPU, 0);
	perfetto_put_message(&fields, BUNDLE_DESCRIPTION, &field);
	perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
	perfetto_put_message(&o->packet, PACKET_BUNDLE, &fields);
	perfetto_out_write(o);
	return 0;
}

/* The number of the symbol of an address; 0: it has none. */
static u32 find_symbol(const struct perfetto_out *o, u64 address)
{
	const u64 *known = indexed_find(&o->addresses, hash_number(address), e, *e == address);

	return known ? (u32)(known - o->addresses.v) + 1 : 0;
}

/* Write the symbol of an address before it is used. */
static void intern_symbol(struct perfetto_out *o, u64 address)
{
	scoped(strbuf_release) struct strbuf symbol = STRBUF_INIT, data = STRBUF_INIT;
	struct event_symbol sym;

	if (!address || find_symbol(o, address) ||
	    !event_symbol_at(o->ev->h->recordings.db, address, &sym))
		return;
	if (!indexed_add(&o->addresses, hash_number(address), address))
		o->err = HIST_NOMEM;
	perfetto_put_number(&symbol, SYMBOL_NUMBER, o->addresses.n);
	perfetto_put_bytes(&symbol, SYMBOL_NAME, sym.name.s, sym.name.n);
	perfetto_put_number(&symbol, SYMBOL_ADDRESS, address);
	perfetto_put_number(&symbol, SYMBOL_START, sym.addr);
	perfetto_put_message(&data, INTERNED_SYMBOL, &symbol);
	perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
	perfetto_put_message(&o->packet, PACKET_INTERNED, &data);
	perfetto_out_write(o);
}

/* An address of the kernel, on the machines that have 64 bits. */
static bool may_be_symbol(const struct hist_value *v)
{
	return (v->kind == HIST_VALUE_UNSIGNED || v->kind == HIST_VALUE_POINTER) &&
	       v->number >> 48 == 0xffff;
}

static void intern_symbols(struct perfetto_out *o, const struct hist_event *e)
{
	struct hist_value v;

	for (size_t i = 0; i < e->type->n_fields; i++) {
		hist_event_value(e, i, &v);
		if (may_be_symbol(&v))
			intern_symbol(o, v.number);
	}
}

static void put_value(struct perfetto_out *o, const struct hist_event *e, size_t i,
		      const struct out_type *t)
{
	const u32 number = t->fields.v[i];
	struct strbuf *sb = &o->part;
	struct hist_value v;
	u32 symbol;

	hist_event_value(e, i, &v);
	if (v.kind == HIST_VALUE_LIST && v.len && t->number < PERFETTO_DENSE) {
		for (size_t k = 0; k < v.len; k++)
			perfetto_put_number(sb, number, hist_value_element(&v, k));
		return;
	}
	if (v.kind >= HIST_VALUE_TEXT) {
		perfetto_put_bytes(sb, number, v.data, v.len);
	} else if (v.kind != HIST_VALUE_ABSENT) {
		if (!strcmp(e->type->fields[i].type, "dev_t"))
			v.number = perfetto_device_of_kernel(v.number);
		symbol = t->symbols && may_be_symbol(&v) ? find_symbol(o, v.number) : 0;
		perfetto_put_number(sb, number, symbol ? symbol : v.number);
	}
}

static void flush_cpu(struct perfetto_out *o, u32 cpu)
{
	struct out_cpu *c = o->cpus.v[cpu];
	scoped(strbuf_release) struct strbuf bundle = STRBUF_INIT;
	size_t n;

	if (!c || (!c->events.len && !c->n_names))
		return;
	perfetto_put_number(&bundle, BUNDLE_CPU, cpu);
	if (c->lost)
		perfetto_put_number(&bundle, BUNDLE_LOST, 1);
	for (n = c->flags.len; n && !c->flags.s[n - 1];)
		n--;
	if (n)
		perfetto_put_bytes(&bundle, BUNDLE_FLAGS, c->flags.s, n);
	strbuf_add(&bundle, c->events.s, c->events.len);
	bundle.failed |= c->events.failed || c->flags.failed;
	perfetto_compact_flush(c, &bundle);
	perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
	perfetto_put_message(&o->packet, PACKET_BUNDLE, &bundle);
	perfetto_out_write(o);
	strbuf_reset(&c->events);
	strbuf_reset(&c->flags);
	c->lost = false;
}

static int find_missing(const struct perfetto_out *o, u32 cpu, struct coverage *missing)
{
	const struct hist *h = o->ev->h;
	struct recording *rec = h->recordings.files.v;
	size_t b;
	int err = 0;

	if (h->recordings.files.n != 1 || !recording_find_buffer(rec, h->buffer, &b))
		return 0;
	for (size_t i = 0; i < rec->buffers[b].n_cpus && !err; i++)
		if (rec->buffers[b].cpus[i].cpu == cpu)
			err = recording_coverage(&(struct recording_cpu){ rec, b, i }, false,
						 missing);
	return err;
}

static int cpu_of(struct perfetto_out *o, u32 cpu, struct out_cpu **c)
{
	while (o->cpus.n <= cpu)
		if (array_push(&o->cpus, NULL))
			return HIST_NOMEM;
	*c = o->cpus.v[cpu];
	if (*c)
		return o->err;
	*c = o->cpus.v[cpu] = calloc(1, sizeof(**c));
	if (!*c)
		return HIST_NOMEM;
	(*c)->events = (*c)->flags = (struct strbuf)STRBUF_INIT;
	for (u32 i = 0; i < OUT_LISTS; i++)
		(*c)->lists[i] = (struct strbuf)STRBUF_INIT;
	return o->err = o->err ?: find_missing(o, cpu, &(*c)->missing);
}

static void put_message(struct perfetto_out *o, struct out_cpu *c, const struct hist_event *e,
			const struct out_type *t, u32 flags)
{
	intern_symbols(o, e);
	strbuf_reset(&o->part);
	for (size_t i = 0; i < e->type->n_fields; i++)
		if (t->fields.v[i])
			put_value(o, e, i, t);
	strbuf_reset(&o->message);
	perfetto_put_number(&o->message, EVENT_TIME, e->ts);
	perfetto_put_number(&o->message, EVENT_PID, (u64)(s64)e->pid);
	strbuf_addch(&c->flags, (char)flags);
	perfetto_put_message(&o->message, t->number, &o->part);
	perfetto_put_message(&c->events, BUNDLE_EVENT, &o->message);
	if (t->compact && t->number == PERFETTO_SWITCH)
		perfetto_compact_note(c, e);
	if (t->number == PERFETTO_RENAME)
		perfetto_compact_rename(c, e);
}

static int put_event(struct perfetto_out *o, const struct hist_event *e, const struct out_type *t)
{
	const u32 flags = t->flags ? ((const u8 *)e->record)[t->flags] : 0;
	bool in_list, lost = e->lost || e->lost_unknown;
	struct out_cpu *c;
	int err = cpu_of(o, e->cpu, &c);

	if (err)
		return err;
	while (c->hole < c->missing.holes.n && c->missing.holes.v[c->hole].to <= e->ts) {
		lost = true;
		c->hole++;
	}
	if (lost) {
		flush_cpu(o, e->cpu);
		c->lost = true;
		c->n_lost += e->lost;
	}
	if (c->events.len + 8 * c->lists[1].len >= BUNDLE_BYTES || c->n_names >= OUT_NAMES)
		flush_cpu(o, e->cpu);
	/* lists and messages of a bundle have no order but that of time */
	if (e->ts == c->last && (t->compact || c->in_list))
		flush_cpu(o, e->cpu);
	in_list = perfetto_compact_put(c, e, t, flags);
	if (!in_list)
		put_message(o, c, e, t, flags);
	c->in_list = in_list;
	c->last = e->ts;
	return c->events.failed ? HIST_NOMEM : o->err;
}

static void put_system(struct perfetto_out *o)
{
	const struct machine *m = &o->ev->h->tracing->machine;
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT, info = STRBUF_INIT;

	perfetto_put_text(&names, 1, "Linux");
	perfetto_put_text(&names, 3, m->release ?: "");
	perfetto_put_text(&names, 4, m->arch ?: "");
	perfetto_put_message(&info, 1, &names);
	/* the sequence begins: its symbols and descriptions are valid from here on */
	perfetto_put_number(&o->packet, PACKET_SEQUENCE, KNOWN_SEQUENCE);
	perfetto_put_number(&o->packet, PACKET_FLAGS, 1);
	perfetto_put_message(&o->packet, PACKET_SYSTEM, &info);
	perfetto_out_write(o);
}

/* The time of day. */
static void put_clocks(struct perfetto_out *o)
{
	struct hist *h = o->ev->h;
	scoped(strbuf_release) struct strbuf snapshot = STRBUF_INIT, clock = STRBUF_INIT;
	struct recordings_times times;
	u64 offset;

	if (h->recordings.files.n != 1 || trace_clock_counts(h->recordings.machine.clock) ||
	    !recordings_wall(&h->recordings, &offset) ||
	    recordings_times(&h->recordings, h->buffer, &times))
		return;
	for (u32 real = 0; real < 2; real++) {
		strbuf_reset(&clock);
		perfetto_put_number(&clock, 1, real ? CLOCK_REAL : CLOCK_BOOT);
		perfetto_put_number(&clock, 2, times.first + (real ? offset : 0));
		perfetto_put_message(&snapshot, 1, &clock);
	}
	perfetto_put_message(&o->packet, PACKET_CLOCKS, &snapshot);
	perfetto_out_write(o);
}

/* What the kernel counted as lost, at the begin and at the end. */
static void put_stats(struct perfetto_out *o)
{
	scoped(strbuf_release) struct strbuf stats = STRBUF_INIT, cpu = STRBUF_INIT;

	for (u32 phase = 1; phase <= 2; phase++) {
		strbuf_reset(&stats);
		perfetto_put_number(&stats, STATS_PHASE, phase);
		for (u32 i = 0; i < o->cpus.n; i++) {
			strbuf_reset(&cpu);
			perfetto_put_number(&cpu, CPU_NUMBER, i);
			perfetto_put_number(&cpu, CPU_OVERRUN,
					    phase == 2 && o->cpus.v[i] ? o->cpus.v[i]->n_lost : 0);
			perfetto_put_message(&stats, STATS_CPU, &cpu);
		}
		perfetto_put_message(&o->packet, PACKET_FTRACE_STATS, &stats);
		perfetto_out_write(o);
	}
}

/* --- all --- */

/* Fields that Perfetto has no place for. */
static void note_left_out(struct perfetto_out *o, const struct out_type *t,
			  const struct hist_event_type *type)
{
	scoped(strbuf_release) struct strbuf names = STRBUF_INIT;

	for (size_t i = 0; i < t->fields.n; i++)
		if (!t->fields.v[i])
			strbuf_addf(&names, "%s%s", names.len ? ", " : "", type->fields[i].name);
	if (names.len && !names.failed)
		diags_add(o->ev->diags, DIAG_NOTE,
			  "Perfetto has no place for these fields of %s:%s: %s", type->system,
			  type->name, names.s);
}

static void find_flags(struct out_type *t, const struct event_format *format)
{
	for (size_t i = 0; i < format->n_common; i++)
		if (!strcmp(format->fields[i].name, "common_flags") && format->fields[i].size == 1)
			t->flags = format->fields[i].offset;
}

static int type_of(struct perfetto_out *o, const struct hist_event *e, struct out_type **found)
{
	const struct perfetto_known *known;
	struct out_type *t;

	while (o->types.n <= e->type->number)
		if (array_push(&o->types, ((struct out_type){ .number = 0 })))
			return HIST_NOMEM;
	t = *found = &o->types.v[e->type->number];
	if (t->number)
		return 0;
	t->number = PERFETTO_PRINT;
	if (!strcmp(e->type->system, "derived")) {
		perfetto_out_choose(t, e->type);
		return 0;
	}
	if (!strcmp(e->type->name, "print") && !strcmp(e->type->system, "ftrace"))
		known = &known_print;
	else
		known = find_known(e->type);
	find_flags(t, events_type_of(e)->format);
	if (!known)
		return describe(o, t, e->type);
	if (map_fields(t, e->type, known))
		return HIST_NOMEM;
	/* those whose numbers of symbols Perfetto itself resolves */
	t->symbols = !strcmp(known->system, "workqueue") ||
		     !strcmp(known->name, "sched_blocked_reason") ||
		     !strncmp(known->name, "hrtimer_", 8) ||
		     !strncmp(known->name, "funcgraph_", 10);
	perfetto_compact_choose(t, e->type);
	note_left_out(o, t, e->type);
	if (t->number == PERFETTO_SWITCH && !*(o->ev->h->tracing->machine.release ?: ""))
		diags_add(
			o->ev->diags, DIAG_WARNING,
			"Perfetto reads states of tasks (prev_state) as the version of the kernel "
			"has them, which this recording does not tell: some may have wrong names");
	return 0;
}

/* A text of trace_marker that is none to Perfetto is in a message that the trace describes. */
static int choose_print(struct perfetto_out *o, const struct hist_event *e, struct out_type **t)
{
	const int at = hist_event_field(e->type, "buf");
	struct hist_value text = { .len = 0 };

	if (at >= 0)
		hist_event_value(e, (size_t)at, &text);
	if (perfetto_reads_marker((struct span){ text.data, text.len }))
		return 0;
	o->texts.flags = (*t)->flags;
	*t = &o->texts;
	if (o->texts.number)
		return 0;
	return map_fields(&o->texts, e->type, &known_print) ?: describe(o, &o->texts, e->type);
}

static int put_all(struct perfetto_out *o, u64 *printed)
{
	struct hist_event e;
	struct out_type *t;
	int err = 0;

	put_system(o);
	put_clocks(o);
	perfetto_out_marks(o);
	while (!err && (!o->print->max || *printed < o->print->max)) {
		err = hist_events_next(o->ev, &e);
		if (err <= 0)
			break;
		++*printed;
		err = type_of(o, &e, &t);
		err = err ?: perfetto_out_task(o, &e, t);
		if (!err && t->kind == OUT_EVENT && t->number == PERFETTO_PRINT)
			err = choose_print(o, &e, &t);
		if (!err && t->kind == OUT_EVENT)
			err = put_event(o, &e, t);
		else if (!err)
			err = perfetto_out_interval(o, &e, t);
	}
	for (u32 i = 0; i < o->cpus.n && !err; i++)
		flush_cpu(o, i);
	if (!err && o->cpus.n)
		put_stats(o);
	return err ?: o->err;
}

int events_perfetto_print(const struct hist_events_print *print, struct hist_events *ev,
			  u64 *printed)
{
	struct perfetto_out o = { .print = print,
				  .ev = ev,
				  .message = STRBUF_INIT,
				  .part = STRBUF_INIT,
				  .packet = STRBUF_INIT };
	int err;

	*printed = 0;
	err = put_all(&o, printed);
	for (size_t i = 0; i < o.types.n; i++)
		array_release(&o.types.v[i].fields);
	for (size_t i = 0; i < o.cpus.n; i++) {
		struct out_cpu *c = o.cpus.v[i];

		for (u32 k = 0; k < OUT_LISTS && c; k++)
			strbuf_release(&c->lists[k]);
		if (c) {
			strbuf_release(&c->events);
			strbuf_release(&c->flags);
			coverage_release(&c->missing);
		}
		free(c);
	}
	array_release(&o.texts.fields);
	array_release(&o.types);
	array_release(&o.cpus);
	indexed_release(&o.tracks);
	indexed_release(&o.tasks);
	indexed_release(&o.addresses);
	strbuf_release(&o.message);
	strbuf_release(&o.part);
	strbuf_release(&o.packet);
	return err;
}
