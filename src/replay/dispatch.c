// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Builds the table that tells a replay what to do with the records of each id, from the tracing
 * directory and the formats of a file.
 */
#include "replay/dispatch.h"
#include "count/count.h"
#include "program/synth_event.h"
#include "replay/packed.h"
#include "replay/replay.h"
#include "tracing/array_buffer.h"
#include "tracing/dynamic_event.h"
#include "tracing/event_pid.h"

/* NULL: the file does not have the event. */
static struct dispatch *dispatch_of(const struct dispatch_table *table, const struct recording *rec,
				    const struct event_format *format)
{
	u32 id = recording_event_id(rec, format);

	return id && id < table->n ? &table->by_id[id] : NULL;
}

/* Return: the addresses in its records; NULL if the recording has no such event */
static const struct event_field *note_stack(struct hist *h, struct dispatch_table *table,
					    const char *name, enum stack_kind kind)
{
	const struct event_format *format;
	const struct event_field *caller;
	struct dispatch *d;

	if (event_db_find(h->recordings.db, "ftrace", name, &format) || format->id >= table->n)
		return NULL;
	caller = event_find_field(format, span_of("caller"), GENERICS_6_1);
	if (!caller)
		return NULL;
	d = &table->by_id[format->id];
	d->stack = kind;
	d->special |= h->tracing->record;
	table->stack_hits |= d->file != NULL;
	return caller;
}

/* Whether triggers of another event record it: a synthetic event, or an eprobe. */
static bool is_nested(const struct tracing *t, const struct trace_dat_format *event)
{
	const struct probe *probe = probe_find(t, span_of(event->system), event->name);

	return probe ? probe->text.other == 'e'
		     : !strcmp(event->system, "synthetic") || !strcmp(event->system, "eprobes");
}

static void note_stacks(struct hist *h, const struct recording *rec, struct dispatch_table *table)
{
	const struct event_field *caller;

	for (size_t i = 0; i < rec->n_formats; i++)
		if (rec->formats[i].id < table->n)
			table->by_id[rec->formats[i].id].is_nested =
				is_nested(h->tracing, &rec->formats[i]);
	caller = note_stack(h, table, "kernel_stack", KERNEL_STACK);
	table->stack_at = caller ? caller->offset : 0;
	caller = note_stack(h, table, "user_stack", USER_STACK);
	table->user_stack_at = caller ? caller->offset : 0;
}

static bool same_layout(const struct event_format *a, const struct event_format *b)
{
	bool same = a->n_fields == b->n_fields;

	for (size_t i = 0; i < a->n_fields && same; i++)
		same = a->fields[i].offset == b->fields[i].offset;
	return same;
}

/* The recorded synthetic events whose records have the layout of those of the script. */
static void note_synths(struct hist *h, const struct recording *rec, struct dispatch_table *table)
{
	for (size_t i = 0; i < h->tracing->synth_events.n; i++) {
		const struct synth_event *se = h->tracing->synth_events.v[i];
		const struct event_format *format;
		struct dispatch *d;

		if (!se->loose_bytes || !se->generators ||
		    event_db_find(h->recordings.db, "synthetic", se->name, &format))
			continue;
		d = dispatch_of(table, rec, format);
		if (d && same_layout(format, &se->format)) {
			d->synth = se;
			table->has_synth = true;
		}
	}
}

static int note_names(struct hist *h, const struct recording *rec, struct dispatch_table *table,
		      struct arena *arena)
{
	size_t next = 0;

	for (;;) {
		struct name_event *event = arena_alloc(arena, sizeof(*event));
		const struct event_format *format;
		struct dispatch *d;

		if (!event)
			return HIST_NOMEM;
		format = name_event_next(&h->recordings.machine, &next, event);
		if (!format)
			return 0;
		d = dispatch_of(table, rec, format);
		if (d)
			d->names = event;
	}
}

/* With options/event-fork: where tasks fork and exit. */
static int note_changes(struct hist *h, const struct recording *rec, struct dispatch_table *table,
			struct arena *arena)
{
	static const char *const names[] = { "sched_process_fork", "sched_process_free" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct task_change *change = arena_alloc(arena, sizeof(*change));
		const struct event_format *format;
		struct dispatch *d;

		if (!change)
			return HIST_NOMEM;
		if (event_db_find(h->recordings.db, "sched", names[i], &format))
			continue;
		change->freed_at = i ? event_pid_offset(format, "pid") : 0;
		change->parent_at = event_pid_offset(format, "parent_pid");
		change->child_at = event_pid_offset(format, "child_pid");
		d = dispatch_of(table, rec, format);
		if (!d || !(change->freed_at || change->child_at))
			continue;
		d->change = change;
		d->min_size = max_t(u32, EVENT_HEADER_SIZE, format->min_size);
	}
	return 0;
}

static u32 marker_at(const struct event_format *format)
{
	const struct event_field *buf;

	if (strcmp(format->system, "ftrace") || strcmp(format->name, "print"))
		return 0;
	buf = event_find_field(format, span_of("buf"), GENERICS_6_1);
	return buf ? buf->offset : 0;
}

/*
 * The format of the records of an event. The replay makes the records of synthetic events; those
 * that no trigger of the script generates were injected, or generated by other triggers: they are
 * taken from the recording.
 */
static const struct event_format *recorded_format(const struct hist *h,
						  const struct event_file *file)
{
	const struct event_format *format;

	if (!file->synth)
		return file->format;
	if (file->synth->generators || file->synth->derived ||
	    event_db_find(h->recordings.db, "synthetic", file->name, &format) ||
	    !same_layout(format, &file->synth->format))
		return NULL;
	return format;
}

static int note_dynamic(struct dispatch *d, const struct event_format *format, bool big_endian,
			struct arena *arena)
{
	struct dynamic_field *dynamic = arena_alloc(arena, format->n_fields * sizeof(*dynamic) + 1);

	if (!dynamic)
		return HIST_NOMEM;
	for (size_t i = 0; i < format->n_fields; i++) {
		const struct event_field *f = &format->fields[i];
		bool relative = strstr(f->type, "__rel_loc") != NULL;

		if (f->size == 4 && (relative || strstr(f->type, "__data_loc")))
			dynamic[d->n_dynamic++] =
				(struct dynamic_field){ f->offset, relative ? f->offset + 4 : 0 };
	}
	d->dynamic = dynamic;
	d->big_endian = big_endian;
	return 0;
}

bool dispatch_points_outside(const struct dispatch *d, const u8 *data, u32 len)
{
	for (u32 i = 0; i < d->n_dynamic; i++) {
		const struct dynamic_field *f = &d->dynamic[i];
		u32 loc = load_u32(data + f->at, d->big_endian), n = loc >> 16;

		if (n && f->base + (loc & 0xffff) + n > len)
			return true;
	}
	return false;
}

static int note_file(struct hist *h, const struct recording *rec, struct dispatch_table *table,
		     struct event_file *file, struct arena *arena)
{
	const struct event_format *format = recorded_format(h, file);
	struct dispatch *d;

	bool listed = h->observer && h->observer->event && file->state.enabled;

	if (!format || (!file->triggers.n && !array_buffer_sees(file) && !listed))
		return 0;
	d = dispatch_of(table, rec, format);
	if (!d)
		return 0;
	d->file = file;
	d->min_size = max_t(u32, EVENT_HEADER_SIZE, format->min_size);
	d->marker_at = marker_at(file->format);
	d->packed = file->triggers.n || listed ? packed_text_new(h, file->format, arena) : NULL;
	d->renumbered = (size_t)(d - table->by_id) != file->format->id && array_buffer_sees(file);
	d->special = d->marker_at || d->packed || d->renumbered;
	return note_dynamic(d, format, rec->info->big_endian, arena);
}

/* Events that are always in the buffer, even if no event is enabled. */
static void note_writes(struct hist *h, const struct recording *rec, const struct trace_array *tr,
			struct dispatch_table *table)
{
	static const char *const names[] = { "print", "bprint", "bputs", "raw_data" };

	for (size_t i = 0; i < ARRAY_SIZE(names) && h->tracing->record; i++) {
		const struct event_format *format;
		struct dispatch *d;

		if (event_db_find(h->recordings.db, "ftrace", names[i], &format))
			continue;
		d = dispatch_of(table, rec, format);
		if (!d)
			continue;
		d->marker_at = marker_at(format);
		if (!d->file)
			d->file = event_file_known(tr, span_of("ftrace"), span_of(names[i]));
		d->copied = !d->marker_at;
		d->special = true;
	}
}

struct dispatch_table *dispatch_table_new(struct hist *h, const struct recording *rec,
					  const struct trace_array *tr,
					  const struct run_needs *needs, struct arena *arena)
{
	struct dispatch_table *table = arena_alloc(arena, sizeof(*table));

	if (!table)
		return NULL;
	for (size_t i = 0; i < rec->n_formats; i++)
		table->n = max_t(u32, table->n, min_t(u32, rec->formats[i].id, UINT16_MAX));
	table->n++;
	table->by_id = arena_alloc(arena, table->n * sizeof(*table->by_id));
	table->keep = arena_alloc(arena, table->n);
	table->slots = arena_alloc(arena, table->n * sizeof(*table->slots));
	if (!table->by_id || !table->keep || !table->slots)
		return NULL;
	for (u32 id = 0; id < table->n; id++)
		table->by_id[id].min_size = EVENT_HEADER_SIZE;
	for (struct event_file *file = tr->files; file; file = file->next)
		if (note_file(h, rec, table, file, arena))
			return NULL;
	note_writes(h, rec, tr, table);
	for (u32 id = 0; id < table->n; id++)
		if (table->by_id[id].file)
			table->by_id[id].event = event_count_of(table->by_id[id].file);
	if (needs->stack)
		note_stacks(h, rec, table);
	if (needs->synth)
		note_synths(h, rec, table);
	if (needs->comm && note_names(h, rec, table, arena))
		return NULL;
	if (event_pid_follows(tr) && note_changes(h, rec, table, arena))
		return NULL;
	for (u32 id = 0; id < table->n; id++)
		table->by_id[id].sure_size = table->by_id[id].n_dynamic ? UINT32_MAX
									: table->by_id[id].min_size;
	return table;
}
