// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Builds the table that tells a replay what to do with the records of each id, from the tracing
 * directory and the formats of a file.
 */
#include "replay/dispatch.h"
#include "program/synth_event.h"
#include "replay/packed.h"
#include "replay/replay.h"
#include "tracing/array_buffer.h"
#include "tracing/event_pid.h"

static int max_id(const struct recording *rec)
{
	u32 id = 0;

	for (size_t i = 0; i < rec->n_formats; i++)
		id = max_t(u32, id, min_t(u32, rec->formats[i].id, UINT16_MAX));
	return (int)id;
}

static void note_stacks(struct hist *h, const struct recording *rec, struct dispatch_table *table)
{
	const struct event_format *format;
	const struct event_field *caller;

	for (size_t i = 0; i < rec->n_formats; i++)
		if (!strcmp(rec->formats[i].system, "synthetic") && rec->formats[i].id < table->n)
			table->by_id[rec->formats[i].id].is_synthetic = true;
	if (event_db_find(h->recordings.db, "ftrace", "kernel_stack", &format))
		return;
	caller = event_find_field(format, span_of("caller"), GENERICS_6_1);
	if (!caller || format->id >= table->n)
		return;
	table->stack_at = caller->offset;
	table->by_id[format->id].is_stack = true;
	table->by_id[format->id].special |= h->tracing->record;
}

/* The recorded synthetic events whose records have the layout of those of the script. */
static void note_synths(struct hist *h, const struct recording *rec, struct dispatch_table *table)
{
	for (size_t i = 0; i < h->tracing->synth_events.n; i++) {
		const struct synth_event *se = h->tracing->synth_events.v[i];
		const struct event_format *format;
		bool same;
		u32 id;

		if (!se->loose_bytes ||
		    event_db_find(h->recordings.db, "synthetic", se->name, &format))
			continue;
		same = format->n_fields == se->format.n_fields;
		for (size_t f = 0; f < se->format.n_fields && same; f++)
			same = format->fields[f].offset == se->format.fields[f].offset;
		id = recording_event_id(rec, format);
		if (same && id && id < table->n) {
			table->by_id[id].synth = se;
			table->has_synth = true;
		}
	}
}

static int note_comms(struct hist *h, const struct recording *rec, struct dispatch_table *table,
		      struct arena *arena)
{
	static const char *const names[] = { "sched:sched_switch",       "sched:sched_waking",
					     "sched:sched_wakeup",       "sched:sched_process_fork",
					     "sched:sched_process_exit", "sched:sched_process_exec",
					     "task:task_rename" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct span name = span_of(names[i]), system = span_sep(&name, ":");
		char *sys = arena_strndup(arena, system.s, system.n);
		struct comm_event *event = arena_alloc(arena, sizeof(*event));
		const struct event_format *format;
		u32 id;

		if (!sys || !event)
			return HIST_NOMEM;
		if (event_db_find(h->recordings.db, sys, name.s, &format) ||
		    !comm_event_find(format, event))
			continue;
		id = recording_event_id(rec, format);
		if (id && id < table->n)
			table->by_id[id].comm = event;
	}
	return 0;
}

/* With options/event-fork: where tasks fork and exit. */
static int note_changes(struct hist *h, const struct recording *rec, struct dispatch_table *table,
			struct arena *arena)
{
	static const char *const names[] = { "sched_process_fork", "sched_process_free" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct task_change *change = arena_alloc(arena, sizeof(*change));
		const struct event_format *format;
		u32 id;

		if (!change)
			return HIST_NOMEM;
		if (event_db_find(h->recordings.db, "sched", names[i], &format))
			continue;
		change->freed_at = i ? event_pid_offset(format, "pid") : 0;
		change->parent_at = event_pid_offset(format, "parent_pid");
		change->child_at = event_pid_offset(format, "child_pid");
		id = recording_event_id(rec, format);
		if (!id || id >= table->n || !(change->freed_at || change->child_at))
			continue;
		table->by_id[id].change = change;
		table->by_id[id].min_size = max_t(u32, EVENT_HEADER_SIZE, format->min_size);
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

static void note_file(struct hist *h, const struct recording *rec, struct dispatch_table *table,
		      struct event_file *file, struct arena *arena)
{
	u32 id;

	if (file->synth || (!file->triggers.n && !array_buffer_sees(file)))
		return;
	id = recording_event_id(rec, file->format);
	if (!id || id >= table->n)
		return;
	table->by_id[id].file = file;
	table->by_id[id].min_size = max_t(u32, EVENT_HEADER_SIZE, file->format->min_size);
	table->by_id[id].marker_at = marker_at(file->format);
	table->by_id[id].packed = file->triggers.n ? packed_text_new(h, file->format, arena) : NULL;
	table->by_id[id].renumbered = id != file->format->id && array_buffer_sees(file);
	table->by_id[id].special = table->by_id[id].marker_at || table->by_id[id].packed ||
				   table->by_id[id].renumbered;
}

/* Events that are always in the buffer, even if no event is enabled. */
static void note_writes(struct hist *h, const struct recording *rec, const struct trace_array *tr,
			struct dispatch_table *table)
{
	static const char *const names[] = { "print", "bprint", "bputs", "raw_data" };

	for (size_t i = 0; i < ARRAY_SIZE(names) && h->tracing->record; i++) {
		const struct event_format *format;
		u32 id;

		if (event_db_find(h->recordings.db, "ftrace", names[i], &format))
			continue;
		id = recording_event_id(rec, format);
		if (!id || id >= table->n)
			continue;
		table->by_id[id].marker_at = marker_at(format);
		if (!table->by_id[id].file)
			table->by_id[id].file =
				event_file_known(tr, span_of("ftrace"), span_of(names[i]));
		table->by_id[id].copied = !table->by_id[id].marker_at;
		table->by_id[id].special = true;
	}
}

struct dispatch_table *dispatch_table_new(struct hist *h, const struct recording *rec,
					  const struct trace_array *tr,
					  const struct run_needs *needs, struct arena *arena)
{
	struct dispatch_table *table = arena_alloc(arena, sizeof(*table));

	if (!table)
		return NULL;
	table->n = (u32)max_id(rec) + 1;
	table->by_id = arena_alloc(arena, table->n * sizeof(*table->by_id));
	table->keep = arena_alloc(arena, table->n);
	table->slots = arena_alloc(arena, table->n * sizeof(*table->slots));
	if (!table->by_id || !table->keep || !table->slots)
		return NULL;
	for (u32 id = 0; id < table->n; id++)
		table->by_id[id].min_size = EVENT_HEADER_SIZE;
	for (struct event_file *file = tr->files; file; file = file->next)
		note_file(h, rec, table, file, arena);
	note_writes(h, rec, tr, table);
	if (needs->stack)
		note_stacks(h, rec, table);
	if (needs->synth)
		note_synths(h, rec, table);
	if (needs->comm && note_comms(h, rec, table, arena))
		return NULL;
	if (event_pid_follows(tr) && note_changes(h, rec, table, arena))
		return NULL;
	return table;
}
