// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The first reading of a Perfetto trace: where bundles are and which times they have, what types
 * and symbols sequences of packets describe, tasks, and what was lost.
 */
#include "import/perfetto_event.h"

u64 proto_varint_any(const u8 *p, const u8 *end, const u8 **rest)
{
	u64 v = 0;

	for (unsigned int shift = 0; shift < 70 && p < end; shift += 7) {
		const u8 byte = *p++;

		v |= shift < 64 ? (u64)(byte & 0x7f) << shift : 0;
		*rest = p;
		if (!(byte & 0x80))
			return v;
	}
	*rest = NULL;
	return 0;
}

u64 proto_number(struct proto message, u32 number)
{
	struct proto_field f;
	u64 v = 0;

	while (proto_next(&message, &f))
		if (f.number == number && f.wire != PROTO_BYTES)
			v = f.v;
	return v;
}

struct proto_field proto_find(struct proto message, u32 number)
{
	struct proto_field f, found = { .number = 0 };

	while (proto_next(&message, &f))
		if (f.number == number)
			found = f;
	return found;
}

bool proto_list_rest(struct proto_list *l, u64 *v)
{
	struct proto_field f;

	while (proto_next(&l->message, &f)) {
		if (f.number != l->number)
			continue;
		*v = f.v;
		if (f.wire != PROTO_BYTES)
			return true;
		l->packed = proto_message(&f);
		if (f.v)
			return proto_list_next(l, v);
	}
	return false;
}

/* --- sequences --- */

static struct perfetto_sequence *sequence_of(struct perfetto *pf, u32 id)
{
	return indexed_get(&pf->sequences, id, id, ((struct perfetto_sequence){ .id = id }));
}

/* Numbers of symbols are those of a sequence until its state is cleared. */
static u64 state_of(const struct perfetto_sequence *s)
{
	return s->cleared << 32 | s->id;
}

/* --- symbols --- */

u64 perfetto_symbol(const struct perfetto *pf, u64 sequence, u64 number)
{
	const struct perfetto_key *symbol = perfetto_keys_find(&pf->symbols.keys, sequence, number);

	return symbol ? pf->symbols.list.v[symbol->item].address : number;
}

/* Of a symbol without an address, one that stands for it. */
static int add_symbol(struct perfetto *pf, u64 sequence, struct proto symbol)
{
	const struct proto_field text = proto_find(symbol, SYMBOL_NAME);
	struct perfetto_key key = { .sequence = sequence,
				    .number = proto_number(symbol, SYMBOL_NUMBER) };
	struct perfetto_symbol s = { .address = proto_number(symbol, SYMBOL_ADDRESS),
				     .start = proto_number(symbol, SYMBOL_START) };
	const struct span name = proto_text(&text);
	const u32 hash = hash_bytes((u32)s.address, name.s, name.n);
	const struct perfetto_symbol *known;

	if (!name.n || span_chr(name, '\n') || span_chr(name, ' ') ||
	    perfetto_keys_find(&pf->symbols.keys, sequence, key.number))
		return 0;
	known = indexed_find(&pf->symbols.list, hash, e,
			     span_eq(name, e->name) && (!s.address || s.address == e->address));
	if (!known) {
		s.name = arena_strndup(&pf->types.arena, name.s, name.n);
		if (!s.address)
			s.address = s.start = 0xffffffff80000000ull + 16 * (u64)pf->symbols.list.n;
		known = s.name ? indexed_add(&pf->symbols.list, hash, s) : NULL;
		if (!known)
			return HIST_NOMEM;
	}
	key.item = (u32)(known - pf->symbols.list.v);
	return perfetto_keys_add(&pf->symbols.keys, &key);
}

/* A name of track events. */
static int add_name(struct perfetto *pf, u64 sequence, struct proto name)
{
	const struct proto_field text = proto_find(name, 2);
	const struct perfetto_key key = { .sequence = sequence,
					  .number = proto_number(name, 1),
					  .text = proto_text(&text) };

	return perfetto_keys_find(&pf->names, sequence, key.number)
		       ? 0
		       : perfetto_keys_add(&pf->names, &key);
}

static int add_interned(struct perfetto *pf, u64 sequence, struct proto interned)
{
	struct proto_field f;
	int err = 0;

	while (!err && proto_next(&interned, &f)) {
		if (f.number == INTERNED_SYMBOL)
			err = add_symbol(pf, sequence, proto_message(&f));
		else if (f.number == INTERNED_NAME)
			err = add_name(pf, sequence, proto_message(&f));
	}
	return err;
}

/* --- events --- */

struct perfetto_event perfetto_event_read_any(struct proto message)
{
	struct perfetto_event ev = { .ts = 0 };
	struct proto_field f;

	while (proto_next(&message, &f)) {
		if (f.number == 1)
			ev.ts = f.v;
		else if (f.number == 2)
			ev.pid = (s32)f.v;
		else if (f.number == 5 && f.wire == PROTO_VARINT)
			ev.flags = (u32)f.v;
		else if (f.wire == PROTO_BYTES) {
			ev.number = f.number;
			ev.body = proto_message(&f);
		}
	}
	if (message.bad)
		ev.number = 0;
	return ev;
}

struct perfetto_type *perfetto_event_other(struct perfetto *pf, u64 sequence, u32 number,
					   struct proto body)
{
	const struct perfetto_key *described;
	struct perfetto_type *known;

	if (number == PERFETTO_GENERIC || number == PERFETTO_KPROBE)
		return perfetto_type_generic(&pf->types, body, number == PERFETTO_KPROBE);
	known = perfetto_type_known(&pf->types, number);
	described = known ? NULL : perfetto_keys_find(&pf->types.described, (u32)sequence, number);
	return described ? pf->types.list.v[described->item] : known;
}

/* Fields that only some kernels have. */
static void note_optional(struct perfetto_type *type, struct proto body)
{
	struct proto_field f;

	while (proto_next(&body, &f)) {
		struct made_field *field = f.number <= type->n_fields ? &type->fields[f.number]
								      : NULL;

		if (!field || !field->optional || field->seen)
			continue;
		field->seen = true;
		type->n_unseen--;
	}
}

static void note_time(struct perfetto_bundle *b, u64 ts)
{
	if (unlikely(ts < b->first))
		b->first = ts;
	if (likely(ts >= b->last))
		b->last = ts;
	else
		b->unsorted = true;
	b->n++;
}

static int scan_event(struct perfetto *pf, struct perfetto_bundle *b, struct proto message)
{
	struct perfetto_event ev;
	struct perfetto_type *type;

	if (!perfetto_event_read(message, &ev)) {
		pf->n_damaged++;
		return 0;
	}
	if (ev.number != PERFETTO_PRINT) {
		type = perfetto_event_type(pf, b->sequence, &ev);
		if (!type && pf->types.arena.failed)
			return HIST_NOMEM;
		if (!type) {
			pf->first_unknown = pf->n_unknown++ ? pf->first_unknown : ev.number;
			return 0;
		}
		if (ev.number == PERFETTO_GENERIC && perfetto_type_learn(&pf->types, type, ev.body))
			return HIST_NOMEM;
		if (type->n_unseen)
			note_optional(type, ev.body);
		type->used = true;
	}
	note_time(b, ev.ts);
	return 0;
}

/* Times of compact events are differences, the first one is absolute. */
static void scan_compact(struct perfetto *pf, struct perfetto_bundle *b, struct proto compact)
{
	static const u32 types[][2] = { { COMPACT_SWITCH_TIME, PERFETTO_SWITCH },
					{ COMPACT_WAKING_TIME, PERFETTO_WAKING } };

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct proto_list times = proto_list_of(compact, types[i][0]);
		struct perfetto_type *type;
		u64 ts = 0, more;
		bool any = false;

		for (; proto_list_next(&times, &more); any = true) {
			ts += more;
			note_time(b, ts);
		}
		if (!any)
			continue;
		b->unsorted = true;
		type = perfetto_type_known(&pf->types, types[i][1]);
		if (type)
			type->used = true;
	}
}

static struct perfetto_cpu *cpu_of(struct perfetto *pf, u64 cpu)
{
	struct perfetto_machine *m = &pf->machines.v[pf->machine];

	while (m->cpus.n <= cpu && cpu < IMPORT_MAX_CPUS)
		if (array_push(&m->cpus, ((struct perfetto_cpu){ .known = false })))
			return NULL;
	return cpu < IMPORT_MAX_CPUS ? &m->cpus.v[cpu] : NULL;
}

/* The head of a bundle: its CPU and clock, and the types that it describes. */
static int scan_head(struct perfetto *pf, struct perfetto_sequence *s, struct proto bundle,
		     struct perfetto_bundle *b, u64 *before)
{
	u64 ftrace_ts = 0, boot_ts = 0;
	struct proto_field f;
	int err = 0;

	while (!err && proto_next(&bundle, &f)) {
		if (likely(f.number == 2))
			continue;
		if (f.number == 1)
			b->cpu = (u32)min_t(u64, f.v, UINT32_MAX);
		else if (f.number == 3)
			b->lost = f.v;
		else if (f.number == 5)
			b->clock = (u32)f.v;
		else if (f.number == 6)
			ftrace_ts = f.v;
		else if (f.number == 7)
			boot_ts = f.v;
		else if (f.number == 9 || f.number == 10)
			*before = f.v;
		else if (f.number == 11)
			err = perfetto_types_describe(&pf->types, (u32)b->sequence,
						      proto_message(&f));
	}
	if (b->clock && ftrace_ts)
		s->shift = (s64)(boot_ts - ftrace_ts);
	if (b->clock && s->shift) {
		b->shift = s->shift;
		b->clock = 0;
	}
	pf->n_damaged += bundle.bad;
	return err;
}

static int scan_bundle(struct perfetto *pf, struct perfetto_sequence *s, struct proto bundle)
{
	struct perfetto_bundle b = { .p = bundle.p,
				     .len = (u32)(bundle.end - bundle.p),
				     .first = UINT64_MAX,
				     .machine = pf->machine,
				     .sequence = state_of(s) };
	struct perfetto_cpu *c;
	struct proto_field f;
	u64 before = 0;
	int err = scan_head(pf, s, bundle, &b, &before);

	if (err || b.cpu >= IMPORT_MAX_CPUS) {
		pf->n_damaged += !err;
		return err;
	}
	while (!err && proto_next(&bundle, &f)) {
		if (f.number == 2)
			err = scan_event(pf, &b, proto_message(&f));
		else if (f.number == 4)
			scan_compact(pf, &b, proto_message(&f));
	}
	c = cpu_of(pf, b.cpu);
	if (err || !c || pf->types.arena.failed)
		return HIST_NOMEM;
	b.lost |= c->known && c->sequence == s->id && c->dropped != s->dropped;
	c->sequence = s->id;
	c->dropped = s->dropped;
	if (!c->known)
		c->before = before;
	c->known = true;
	c->lost_marks += b.lost;
	/* a loss before nothing is one before what follows */
	if (b.first > b.last) {
		c->dropped -= b.lost;
		return 0;
	}
	b.first += (u64)b.shift;
	b.last += (u64)b.shift;
	pf->n_events += b.n;
	return array_push(&pf->bundles, b);
}

/* --- other packets --- */

/* What the kernel's counters had at the start or the end. */
static void scan_ftrace_stats(struct perfetto *pf, struct proto stats)
{
	const u64 phase = proto_number(stats, 1);
	struct proto_field f;

	while (proto_next(&stats, &f)) {
		struct perfetto_cpu *c;

		if (f.number != 2)
			continue;
		c = cpu_of(pf, proto_number(proto_message(&f), 1));
		if (c && (phase == 1 || phase == 2))
			c->overrun[phase - 1] = proto_number(proto_message(&f), 3);
	}
}

static int scan_system(struct perfetto *pf, struct proto info)
{
	const struct proto_field utsname = proto_find(info, 1);
	const struct proto names = proto_message(&utsname);
	const struct proto_field release = proto_find(names, 3), machine = proto_find(names, 4);

	pf->types.states = made_states(&pf->types.arena, proto_text(&release));
	return import_sink_uname(pf->job->sink, span_of("(none)"), proto_text(&release),
				 proto_text(&machine));
}

static void scan_trace_stats(struct perfetto *pf, struct proto stats)
{
	enum { BUFFERS = 1, OVERWRITTEN = 3 };
	struct proto_field f;

	while (proto_next(&stats, &f))
		if (f.number == BUFFERS)
			pf->overwritten = max_t(u64, pf->overwritten,
						proto_number(proto_message(&f), OVERWRITTEN));
}

static void count_other(struct perfetto *pf, u32 number)
{
	/* those that only say something of a packet, or of the trace */
	static const u8 known[] = { 1,  2,  3,  6,  8,  9,  10, 11, 12, 13, 33, 34, 35, 36,  41,
				    42, 44, 45, 58, 59, 60, 67, 69, 72, 79, 87, 89, 98, 120, 124 };

	if (!memchr(known, (int)min_t(u32, number, 255), sizeof(known)))
		pf->other_packets[number < ARRAY_SIZE(pf->other_packets) ? number : 0]++;
}

/* What the packets of a sequence have in common from now on. */
static void scan_defaults(struct perfetto_sequence *s, struct proto defaults)
{
	s->clock = (u32)min_t(u64, proto_number(defaults, PACKET_CLOCK), UINT32_MAX);
	s->track = proto_number(proto_part(defaults, PACKET_TRACK_EVENT), 11);
}

static int scan_contents(struct perfetto *pf, struct perfetto_sequence *s,
			 const struct perfetto_stamp *stamp, struct proto rest)
{
	struct proto_field f;
	int err = 0;

	while (!err && proto_next(&rest, &f)) {
		const struct proto message = proto_message(&f);

		if (f.number == PACKET_BUNDLE)
			err = scan_bundle(pf, s, message);
		else if (f.number == PACKET_FTRACE_STATS)
			scan_ftrace_stats(pf, message);
		if (pf->machine) /* only the events of others */
			continue;
		count_other(pf, f.number);
		if (f.number == PACKET_TREE)
			err = perfetto_tasks_add(pf, message, stamp);
		else if (f.number == PACKET_PROCESS_STATS)
			err = perfetto_tasks_stats(pf, message, stamp);
		else if (f.number == PACKET_RENAME)
			err = perfetto_tasks_rename(pf, message, stamp);
		else if (f.number == PACKET_TRACK)
			err = perfetto_track_describe(pf, message);
		else if (f.number == PACKET_THREAD)
			err = perfetto_track_thread(pf, s, message);
		else if (f.number == PACKET_TRACK_EVENT)
			err = perfetto_track_event(pf, s, state_of(s), stamp, message);
		else if (f.number == PACKET_TRACE_STATS)
			scan_trace_stats(pf, message);
		else if (f.number == PACKET_SYSTEM)
			err = scan_system(pf, message);
	}
	return err;
}

enum { MACHINES_MAX = 64 };

/* Set pf->machine; further ones are MACHINES_MAX. */
static int find_machine(struct perfetto *pf, u64 id)
{
	u32 i = 0;

	while (i < pf->machines.n && pf->machines.v[i].id != id)
		i++;
	pf->machine = i;
	return i < pf->machines.n || i == MACHINES_MAX
		       ? 0
		       : array_push(&pf->machines, ((struct perfetto_machine){ .id = id }));
}

/* The state of its sequence changes before its contents are read. */
static int scan_packet(struct perfetto *pf, struct proto packet)
{
	struct perfetto_stamp stamp = { .has = false };
	struct perfetto_sequence *s;
	struct proto rest = packet;
	struct proto_field f;
	u64 flags = 0, dropped = 0, sequence = 0, machine = 0;
	enum { CLEARED = 1, NEEDS_STATE = 2 };
	int err = 0;

	while (proto_next(&rest, &f)) {
		if (f.number == PACKET_MACHINE) {
			machine = f.v;
		} else if (f.number == PACKET_TIME) {
			stamp.ts = f.v;
			stamp.has = true;
		} else if (f.number == PACKET_CLOCK) {
			stamp.clock = (u32)min_t(u64, f.v, UINT32_MAX);
		} else if (f.number == PACKET_SEQUENCE) {
			sequence = f.v;
		} else if (f.number == PACKET_CLEARED || f.number == PACKET_FLAGS) {
			flags |= f.v;
		} else if (f.number == PACKET_DROPPED) {
			dropped |= f.v;
		}
	}
	if (rest.bad) {
		pf->n_damaged++;
		return 0;
	}
	s = sequence_of(pf, (u32)sequence);
	if (!s || find_machine(pf, machine))
		return HIST_NOMEM;
	if (pf->machine == MACHINES_MAX) {
		pf->n_machines++;
		return 0;
	}
	if (dropped && s->begun) {
		s->dropped++;
		s->whole = false;
	}
	/* what the state was after a dropped packet is not known */
	if (flags & CLEARED || (dropped && s->begun)) {
		s->cleared++;
		s->track = s->clock = 0;
	}
	s->whole |= flags & CLEARED;
	s->begun = true;
	for (rest = packet; !err && proto_next(&rest, &f);) {
		if (f.number == PACKET_INTERNED)
			err = add_interned(pf, state_of(s), proto_message(&f));
		else if (f.number == PACKET_DEFAULTS)
			scan_defaults(s, proto_message(&f));
		else if (f.number == PACKET_CLOCKS && !pf->machine)
			err = perfetto_clocks_add(pf, s, proto_message(&f));
	}
	if (flags & NEEDS_STATE && !s->whole)
		stamp.has = false;
	else if (stamp.has && !proto_find(packet, PACKET_CLOCKS).number)
		perfetto_clocks_stamp(pf, s, &stamp);
	return err ?: scan_contents(pf, s, &stamp, packet);
}

/* Bundles of another clock that do not tell how far it is from that since the boot. */
static void relate_bundles(struct perfetto *pf)
{
	enum { MONO_RAW = 4 };

	array_each(struct perfetto_bundle, b, &pf->bundles) {
		const struct perfetto_stamp stamp = { .clock = CLOCK_MONO_RAW, .ts = b->first };
		u64 ts;

		if (!b->clock)
			continue;
		if (b->clock == MONO_RAW && perfetto_clocks_boot(pf, &stamp, &ts)) {
			b->shift = (s64)(ts - b->first);
			b->first += (u64)b->shift;
			b->last += (u64)b->shift;
		} else {
			pf->n_unrelated++;
		}
	}
}

/* The machine whose events come first. */
static u64 machine_of(struct span whole)
{
	struct proto all = proto_of(whole.s, whole.n);
	struct proto_field f;

	while (proto_next(&all, &f)) {
		const struct proto packet = proto_message(&f);

		if (proto_find(packet, PACKET_BUNDLE).number)
			return proto_number(packet, PACKET_MACHINE);
	}
	return 0;
}

int perfetto_scan(struct perfetto *pf)
{
	struct proto all = proto_of(pf->whole.s, pf->whole.n);
	struct proto_field f;
	int err = 0;

	err = find_machine(pf, machine_of(pf->whole));
	while (!err && proto_next(&all, &f)) {
		if (f.number == 1 && f.wire == PROTO_BYTES)
			err = scan_packet(pf, proto_message(&f));
	}
	pf->cut |= all.bad;
	err = err ?: perfetto_clocks_finish(pf);
	if (err)
		return err;
	relate_bundles(pf);
	return perfetto_marks(pf);
}
