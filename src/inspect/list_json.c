// SPDX-License-Identifier: LGPL-2.1-only
/* Lists the contents of a recording as json: an object for each file, see hist-formats(5). */
#include "hist-list.h"
#include "inspect/list.h"
#include "replay/replay.h"

enum { SCHEMA = 1 };

static void add_tasks(struct json *j, const struct recording *rec)
{
	struct task_journal tasks;

	task_journal_read(rec->td, &tasks);
	if (!tasks.version)
		return;
	json_object(j, "tasks");
	json_u64(j, "version", tasks.version);
	json_u64(j, "tasks", tasks.n_tasks);
	json_bool(j, "complete", tasks.complete);
	json_u64(j, "lost", tasks.lost);
	json_u64(j, "unseen", tasks.unseen);
	json_u64(j, "unread", tasks.unread);
	json_close(j, '}');
}

static void add_marks(struct json *j, const struct recording *rec)
{
	struct recording_mark mark;
	size_t n;

	for (n = 0; recording_mark(rec, n, &mark); n++) {
		if (!n)
			json_array(j, "marks");
		json_object(j, NULL);
		json_u64(j, "ts", mark.ts);
		json_u64(j, "cpu", mark.cpu);
		json_s64(j, "pid", mark.pid);
		json_text(j, "event", mark.event);
		json_text(j, "text", mark.text.s ? mark.text : span_of(""));
		json_close(j, '}');
	}
	if (n)
		json_close(j, ']');
}

void list_json_begin(struct list_out *l, const struct recording *rec)
{
	const struct trace_dat_info *info = rec->info;
	struct json *j = &l->json;
	struct span text;
	struct strbuf times = STRBUF_INIT;
	struct slimmed_line line;
	bool any;

	json_object(j, NULL);
	json_str(j, "type", "hist_list");
	json_u64(j, "schema", SCHEMA);
	json_str(j, "version", HIST_VERSION);
	json_str(j, "file", rec->path);
	json_u64(j, "trace_dat", (u64)info->version);
	json_str(j, "compression", list_codec_name(info->codec));
	json_u64(j, "bytes", list_bytes(rec));
	json_str_if(j, "imported_from", rec->imported_from);
	json_bool(j, "cut", info->cut);
	json_str(j, "uname", info->uname);
	json_u64(j, "cpus", info->cpu_count);
	json_u64(j, "long_size", (u64)info->long_size);
	json_bool(j, "big_endian", info->big_endian);
	json_str(j, "recorded_by", info->version_text);
	json_str(j, "clock", info->clock);
	json_bool(j, "clock_assumed", !info->clock_known);
	json_str_if(j, "time_of_day", recording_option(rec, TRACE_DAT_HIST_WALL));
	trace_dat_times_print(rec->td, &times);
	json_str_if(j, "times", times.s);
	strbuf_release(&times);
	json_u64(j, "formats", rec->n_formats);
	json_str(j, "script", recording_option(rec, TRACE_DAT_HIST_SCRIPT));
	add_tasks(j, rec);
	/* what hist_slim() selected; a member for each option, as in results */
	text = slimmed_text(rec);
	any = false;
	while (slimmed_next(&text, "selected ", 0, &line)) {
		if (!any)
			json_object(j, "selection");
		any = true;
		json_name(j, span_sep(&line.rest, " "));
		json_text(j, NULL, line.rest.s ? line.rest : span_of(""));
	}
	if (any)
		json_close(j, '}');
	add_marks(j, rec);
	json_limits(j, recording_option(rec, TRACE_DAT_HIST_LIMITS));
	json_array(j, "buffers");
}

/* What is missing is known after all was read. */
void list_json_end(struct list_out *l, const struct recording *rec)
{
	scoped(strbuf_release) struct strbuf caveats = STRBUF_INIT;
	const bool damaged = l->damaged || trace_dat_damaged(rec->td);

	json_close(&l->json, ']');
	json_bool(&l->json, "damaged", damaged);
	caveat_add_all(&caveats, recording_caveats(rec));
	if ((damaged || rec->info->cut) &&
	    !caveat_find(strbuf_span(&caveats), CAVEAT_DAMAGED, NULL, NULL))
		caveat_add(&caveats, &(struct caveat){ .kind = CAVEAT_DAMAGED, .n = 1 });
	json_caveats(&l->json, caveats.s ?: "");
	l->damaged = false;
	json_close(&l->json, '}');
	json_end_line(&l->json);
}

static void print_fields(struct hist *h, struct json *j, const struct trace_dat_format *f)
{
	const struct event_format *format;
	scoped(free_scoped) char *name = strndup(f->name.s, f->name.n);

	json_array(j, "fields");
	if (name && !event_db_find(h->recordings.db, f->system, name, &format))
		array_each_of(const struct event_field, field, format->fields, format->n_fields) {
			json_object(j, NULL);
			json_str(j, "name", field->name);
			json_str(j, "type", field->type);
			json_u64(j, "size", field->size);
			json_bool(j, "signed", field->is_signed);
			json_close(j, '}');
		}
	json_close(j, ']');
}

static void print_events(struct list_out *l, const struct recording *rec,
			 const struct buffer_count *c)
{
	struct json *j = &l->json;
	u64 known = 0;

	json_array(j, "events");
	array_each_of(const struct trace_dat_format, f, rec->formats, rec->n_formats) {
		u64 n = f->id < c->n_ids ? c->by_id[f->id] : 0;

		known += n;
		if (!n && !(l->flags & HIST_LIST_FULL))
			continue;
		json_object(j, NULL);
		json_str(j, "system", f->system);
		json_text(j, "name", f->name);
		json_u64(j, "id", f->id);
		json_u64(j, "count", n);
		if (l->flags & HIST_LIST_EVENTS)
			print_fields(l->h, j, f);
		json_close(j, '}');
	}
	json_close(j, ']');
	json_u64(j, "unknown_events", c->events > known ? c->events - known : 0);
}

/* When records of a CPU may be missing; json readers want all of these times. */
static void print_holes(struct json *j, const struct buffer_count *c, u32 cpu, bool counts)
{
	json_array(j, "holes");
	array_each(const struct coverage_hole, hole, &c->coverage.holes) {
		if (!list_shows_hole(hole, c, cpu))
			continue;
		json_object(j, NULL);
		json_str(j, "reason", coverage_word(hole->reason));
		if (hole->from > c->first)
			json_time(j, "from", hole->from, counts);
		if (hole->to <= c->last)
			json_time(j, "to", hole->to, counts);
		json_u64_if(j, "events", hole->n);
		json_close(j, '}');
	}
	json_close(j, ']');
}

void list_json_buffer(struct list_out *l, const struct recording *rec, size_t b,
		      const struct buffer_count *c)
{
	struct json *j = &l->json;
	const struct trace_dat_buffer *buffer = &rec->buffers[b];
	bool counts = trace_clock_counts(rec->info->clock);

	json_object(j, NULL);
	json_str(j, "instance", buffer->name[0] ? buffer->name : NULL);
	json_bool(j, "text", buffer->text);
	json_u64(j, "subbuf_size", buffer->subbuf_size);
	json_u64(j, "count", c->events);
	if (c->events) {
		json_object(j, "span");
		json_time(j, "from", c->first, counts);
		json_time(j, "to", c->last, counts);
		json_close(j, '}');
	}
	json_array(j, "cpus");
	for (size_t i = 0; i < buffer->n_cpus; i++) {
		const struct cpu_count *cpu = &c->cpus[i];

		json_object(j, NULL);
		json_u64(j, "cpu", buffer->cpus[i].cpu);
		json_u64(j, "events", cpu->events);
		json_u64(j, "lost_events", cpu->missed);
		json_flag(j, "lost_unknown", cpu->missed_unknown);
		json_u64_if(j, "dropped_events", cpu->stats.dropped);
		json_u64_if(j, "commit_overrun", cpu->stats.commit_overrun);
		json_u64_if(j, "damaged", cpu->damaged);
		json_u64_if(j, "unread_chunks", cpu->unread);
		json_u64_if(j, "unread_subbufs", cpu->unread_subbufs);
		json_u64_if(j, "missing_about", cpu->about);
		json_u64_if(j, "missing_bytes", buffer->cpus[i].missing);
		l->damaged |= cpu->damaged || cpu->unread || buffer->cpus[i].missing;
		if (cpu->gap_from != UINT64_MAX) {
			json_object(j, "missing");
			if (cpu->gap_from)
				json_time(j, "from", cpu->gap_from, counts);
			if (cpu->gap_to != UINT64_MAX)
				json_time(j, "to", cpu->gap_to, counts);
			json_close(j, '}');
		}
		print_holes(j, c, buffer->cpus[i].cpu, counts);
		json_close(j, '}');
	}
	json_close(j, ']');
	print_events(l, rec, c);
	json_close(j, '}');
}
