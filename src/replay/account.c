// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reports after a replay: lost events, damage, triggers without events, full histograms. Sums up
 * the streams' accounts and decides whether the result is doubtful.
 */
#include "replay/account.h"
#include "tracing/dynamic_event.h"

/* --- memory --- */

/* Out of memory, or of the memory that it may use. */
static int map_failed(const struct hist *h, const struct hist_count *hc, struct diags *diags)
{
	const double mb = (double)hc->hd->desc.max_memory / (1 << 20);
	const struct event_file *file = hc->hd->file;

	if (!hist_map(hc)->beyond)
		return HIST_NOMEM;
	return diags_error(
		diags, -HIST_ELIMIT,
		"%s:%s: %.3g MB of memory are not enough for more than %u rows: permit more with --memory, "
		"or count less (-f FILTER, %skeys with fewer values)",
		file->system, file->name, mb, hist_map(hc)->n_elts,
		h->feed ? "" : "--from and --to, ");
}

int replay_check_memory(const struct hist *h, struct diags *diags)
{
	const struct hist_count *hc;

	if (tracing_failed(h->tracing))
		return HIST_NOMEM;
	for (struct trace_array *tr = h->tracing->top; tr; tr = tr->next)
		for (struct event_file *file = tr->files; file; file = file->next)
			for (size_t i = 0; i < file->triggers.n; i++)
				if (file->triggers.v[i]->hist) {
					hc = hist_count_of(file->triggers.v[i]->hist);
					if (hist_map(hc)->failed)
						return map_failed(h, hc, diags);
				}
	return 0;
}

/* --- losses --- */

struct lost lost_of(const struct recording *rec, size_t buffer, u32 cpu)
{
	const char *name = rec->buffers[buffer].name;
	struct lost lost = { .stats = trace_dat_lost_of(rec->td, name, cpu) };
	struct caveat c = { .kind = CAVEAT_LOST };
	scoped(strbuf_release) struct strbuf of = STRBUF_INIT;

	/* what the writer of the file knew, such as hist record --recover */
	caveat_cpu(&of, cpu, name);
	if (caveat_find(recording_caveats(rec), CAVEAT_LOST, of.s, &c)) {
		lost.noted = c.n;
		lost.noted_unknown = !c.n;
	}
	return lost;
}

void replay_warn_damaged(struct replay_account *sum, const struct recording *rec, u32 cpu, u64 n,
			 struct diags *diags)
{
	sum->damaged_pages += n;
	if (n)
		diags_add(
			diags, DIAG_WARNING,
			"%s: CPU %u: %llu damaged sub-buffers; the data after the damage is missing",
			rec->path, cpu, (unsigned long long)n);
}

static void account_stream(const struct stream *s, struct replay_account *sum, struct diags *diags)
{
	const struct stream_account *a = &s->account;
	const char *in = s->tr->name[0] ? " of instance " : "";
	const struct lost lost = lost_of(s->of.rec, s->of.buffer, s->cpu);

	sum->missed = add_saturated(sum->missed, add_saturated(a->missed, lost_sum(&lost)));
	sum->missed_unknown |= a->missed_unknown || lost.noted_unknown;
	sum->short_records += a->short_records;
	if (a->missed)
		diags_add(diags, DIAG_WARNING, "%s: CPU %u%s%s lost %llu events%s", s->of.rec->path,
			  s->cpu, in, s->tr->name, a->missed,
			  a->missed_unknown ? " and more that were not counted" : "");
	else if (a->missed_unknown)
		diags_add(diags, DIAG_WARNING,
			  "%s: CPU %u%s%s lost events; the number was not recorded",
			  s->of.rec->path, s->cpu, in, s->tr->name);
	if (lost.stats.dropped)
		diags_add(diags, DIAG_WARNING,
			  "%s: CPU %u%s%s dropped %llu events because its buffer was full",
			  s->of.rec->path, s->cpu, in, s->tr->name, lost.stats.dropped);
	if (lost.stats.commit_overrun)
		diags_add(
			diags, DIAG_WARNING,
			"%s: CPU %u%s%s lost %llu events because its buffer was full of events that "
			"were being written (commit overrun)",
			s->of.rec->path, s->cpu, in, s->tr->name, lost.stats.commit_overrun);
	replay_warn_damaged(sum, s->of.rec, s->cpu, a->damaged, diags);
	if (trace_dat_unreadable(s->of.rec->td))
		recording_diagnose_chunks(s->of.rec, s->of.buffer, s->of.cpu, diags);
}

/* --- events and triggers --- */

struct accounting {
	struct hist *h;
	const struct stream *streams;
	size_t n;
	struct diags *diags;
};

static u64 count_of(const struct accounting *a, const struct event_file *file)
{
	const struct dispatch_table *last = NULL;
	u64 n = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct dispatch_table *table = a->streams[i].table;

		for (u32 id = 0; table != last && id < table->n; id++)
			if (table->by_id[id].file == file)
				n += table->by_id[id].count;
		last = table;
	}
	return n;
}

static bool is_live(const struct accounting *a)
{
	return a->h->feed && a->h->feed->live;
}

/* Warn of triggers whose event was not recorded. */
static void account_event(const struct accounting *a, const struct event_file *file)
{
	const struct recordings *r = &a->h->recordings;
	const struct probe *probe =
		probe_find(file->tr->tracing, span_of(file->system), span_of(file->name));
	bool uses_records = false, question = false;
	const char *part = a->h->span.cpus || a->h->span.from || a->h->span.to != UINT64_MAX
				   ? "selected part of the "
				   : "";

	/* an eprobe that was recorded has records of its own */
	array_each_ptr(const struct trigger, t, &file->triggers) {
		uses_records |= t->kind != TRIGGER_EPROBE || t->probe->made;
		question |= t->hist && t->hist->question;
	}
	/* made in the replay, if the other event was recorded */
	if (is_live(a) || (probe && probe->made) || file->synth || !uses_records ||
	    count_of(a, file))
		return;
	/* hist slim left it out */
	for (size_t i = 0; i < r->files.n; i++)
		if (slimmed_count(&r->files.v[i], file->system, file->name))
			return;
	a->h->doubtful = true;
	diags_add(a->diags, DIAG_WARNING,
		  question ? "no %s:%s event is in the %srecording; hist list shows which are"
			   : "no %s:%s event is in the %srecording, but the event has a trigger",
		  file->system, file->name, part);
}

/* A question to which the answer is "none" is often a filter with a wrong word. */
static void note_filters(const struct accounting *a, const struct event_file *file)
{
	const char *noted = NULL;

	/* slices of time begin with empty histograms */
	for (size_t i = 0; i < file->triggers.n && !a->h->timer; i++) {
		const struct trigger *t = file->triggers.v[i];

		if (!t->hist || !t->hist->question || !t->filter || !t->filter->text ||
		    t->named_data || hist_map(hist_count_of(t->hist))->hits ||
		    (noted && !strcmp(noted, t->filter->text)) ||
		    (strcmp(file->system, "derived") != 0 && !count_of(a, file)))
			continue;
		noted = t->filter->text;
		diags_add(a->diags, DIAG_NOTE, "no %s:%s event passes the filter %s", file->system,
			  file->name, noted);
	}
}

/* Whether a histogram has a number that --stats describes: a value, or a key that is a quantity. */
static bool has_numbers(const struct hist_data *hd)
{
	const u32 others = HIST_FIELD_FL_STRING | HIST_FIELD_FL_STACKTRACE | HIST_FIELD_FL_SYM |
			   HIST_FIELD_FL_SYM_OFFSET | HIST_FIELD_FL_EXECNAME |
			   HIST_FIELD_FL_SYSCALL | HIST_FIELD_FL_HEX;
	u32 i;

	for_each_hist_key_field(i, hd)
		if (!(hd->fields[i]->flags & others) && !hist_field_is_who_text(hd->fields[i]) &&
		    !hist_field_is_code(hd->fields[i]) && !number_is_id(hd->fields[i]->label))
			return true;
	return hd->n_vals > 1;
}

/* A question for statistics of texts. */
static void note_no_numbers(const struct accounting *a, const struct event_file *file)
{
	array_each_ptr(const struct trigger, t, &file->triggers) {
		/* while events are recorded, they were not asked for */
		if (!t->hist || !t->hist->question || has_numbers(t->hist) || is_live(a))
			continue;
		diags_add(a->diags, DIAG_NOTE,
			  "%s:%s: statistics describe numbers, and there is none: --sum FIELD adds "
			  "one",
			  file->system, file->name);
		return;
	}
}

static void account_triggers(const struct accounting *a, const struct event_file *file)
{
	array_each_ptr(const struct trigger, t, &file->triggers) {
		u64 drops;

		/* already reported when the trigger was written */
		a->h->doubtful |= t->filter && t->filter->unknowable;
		a->h->doubtful |= t->hist && (t->hist->has_addresses || t->hist->inner_frames);
		drops = t->hist && !t->named_data ? hist_map(hist_count_of(t->hist))->drops : 0;
		if (!drops)
			continue;
		a->h->doubtful = true;
		diags_add(
			a->diags, DIAG_WARNING,
			"%s:%s: %llu hits were dropped because the histogram is full, as in the kernel; "
			"--unlimited lifts the limit, size= in a trigger raises it to 131072 at most",
			file->system, file->name, (unsigned long long)drops);
	}
}

/* An event of which none was recorded, if a key would include bytes that only a record has. */
static void account_unrecorded(const struct accounting *a, const struct event_file *file)
{
	for (size_t i = 0; i < file->triggers.n; i++) {
		const struct hist_data *hd = file->triggers.v[i]->hist;

		/* with slices, the hits are those of the last one */
		if (!hd || !hist_keys_loose_bytes(hd) || hist_reads_loose_bytes(hd) ||
		    !(a->h->timer || hist_map(hist_count_of(hd))->hits))
			continue;
		diags_add(
			a->diags, DIAG_NOTE,
			"%s:%s was not recorded: this kernel's keys include the bytes after the end of a string, so it may show several rows where hist shows one",
			file->system, file->name);
		return;
	}
}

static void account_records(const struct accounting *a)
{
	const struct replay_account *found = &a->h->account;
	const struct {
		u64 n;
		const char *what;
	} missing[] = {
		{ found->hits.no_stack,
		  "hits needed a kernel stack that was not recorded; record with the stacktrace trigger or -T" },
		{ found->hits.no_user_stack,
		  "user stacks of trace were not recorded; record with echo 1 > options/userstacktrace" },
		{ a->h->tracing->beyond,
		  "times a filter compared a string that a probe could not read: the kernel compares what follows the record in its memory, which was not recorded" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(missing); i++)
		if (missing[i].n) {
			a->h->doubtful = true;
			diags_add(a->diags, DIAG_WARNING, "%llu %s", missing[i].n, missing[i].what);
		}
	if (found->hits.cut_stacks)
		diags_add(
			a->diags, DIAG_WARNING,
			found->hits.cut_depth == HIST_STACKTRACE_DEPTH_MAX
				? "%llu hits have a kernel stack of more than %u frames; the outer ones are left out"
				: "%llu hits have a kernel stack of more than %u frames; the outer ones are left out,"
				  " as in the kernel; --unlimited keeps them",
			(unsigned long long)found->hits.cut_stacks, found->hits.cut_depth);
	if (found->hits.no_synth)
		diags_add(
			a->diags, DIAG_NOTE,
			"%llu synthetic event%s not recorded: this kernel's keys include the bytes after the end of a string, so it may show several rows where hist shows one",
			found->hits.no_synth, plural_were(found->hits.no_synth));
	if (found->short_records)
		diags_add(
			a->diags, DIAG_WARNING,
			"%llu records are shorter than their format or a string in them says and were skipped",
			found->short_records);
	a->h->doubtful |= found->short_records || found->missed || found->missed_unknown ||
			  found->damaged_pages;
}

/* --- caveats --- */

static bool is_cut(const struct recording *rec)
{
	return rec->info->cut || trace_dat_shrank(rec->td) || trace_dat_damaged(rec->td) ||
	       (rec->imported_from &&
		caveat_find(recording_caveats(rec), CAVEAT_DAMAGED, NULL, NULL));
}

bool replay_input_cut(const struct hist *h)
{
	for (size_t i = 0; i < h->recordings.files.n; i++)
		if (is_cut(&h->recordings.files.v[i]))
			return true;
	return h->account.damaged_pages || h->account.short_records;
}

/* Recordings that are damaged, and were not made from a damaged one. */
static void add_damaged(const struct hist *h, struct strbuf *out)
{
	struct caveat damaged = { .kind = CAVEAT_DAMAGED };

	array_each(const struct recording, rec, &h->recordings.files)
		damaged.n += is_cut(rec) &&
			     !caveat_find(recording_caveats(rec), CAVEAT_DAMAGED, NULL, NULL);
	if (!damaged.n && (h->account.damaged_pages || h->account.short_records) &&
	    !caveat_find((struct span){ out->s, out->len }, CAVEAT_DAMAGED, NULL, NULL))
		damaged.n = 1;
	if (damaged.n)
		caveat_add(out, &damaged);
}

/* Those that the replay guessed, unless the recordings already have guesses of an original. */
static void add_names(const struct hist *h, struct strbuf *out)
{
	const struct caveat names = { .kind = CAVEAT_NAMES, .n = h->account.hits.guessed_names };

	if (names.n &&
	    !caveat_find((struct span){ h->recordings.caveats.s, h->recordings.caveats.len },
			 CAVEAT_NAMES, NULL, NULL))
		caveat_add(out, &names);
}

void replay_caveats(const struct hist *h, struct strbuf *out)
{
	caveat_add_all(out, (struct span){ h->recordings.caveats.s, h->recordings.caveats.len });
	add_damaged(h, out);
	add_names(h, out);
}

/* Whether the replay used records of the event "SYSTEM:NAME", or does not know it. */
static bool uses_event(const struct accounting *a, struct span name)
{
	const struct span system = span_sep(&name, ":");
	bool known = false;

	for (size_t i = 0; i < a->n; i++) {
		const struct recording *rec = a->streams[i].of.rec;

		array_each_of_while(const struct trace_dat_format, format, rec->formats,
				    rec->n_formats, name.s) {
			if (!span_same(format->name, name) || !span_eq(system, format->system))
				continue;
			known = true;
			if (format->id < a->streams[i].table->n &&
			    a->streams[i].table->by_id[format->id].file)
				return true;
		}
	}
	return !known;
}

/* Whether a caveat of the recordings concerns this replay. */
static bool concerns(const struct accounting *a, const struct caveat *c)
{
	struct run_needs needs;

	if (c->kind == CAVEAT_SAMPLED)
		return uses_event(a, c->of);
	if (c->kind == CAVEAT_NAMES)
		tracing_needs(a->h->tracing, &needs);
	/* lost events are counted */
	return c->kind == CAVEAT_NAMES ? needs.comm : c->kind != CAVEAT_LOST;
}

void replay_collect_caveats(struct hist *h, const struct stream *streams, size_t n)
{
	const struct accounting a = { .h = h, .streams = streams, .n = n };
	struct span rest = { h->recordings.caveats.s, h->recordings.caveats.len };
	struct caveat c;

	strbuf_reset(&h->caveats);
	while (caveat_next(&rest, &c))
		if (concerns(&a, &c))
			caveat_add(&h->caveats, &c);
	add_damaged(h, &h->caveats);
}

void replay_account_streams(struct hist *h, const struct stream *streams, size_t n,
			    struct diags *diags)
{
	struct span rest = { h->recordings.caveats.s, h->recordings.caveats.len };
	struct caveat c;

	array_each_of(const struct stream, s, streams, n) {
		account_stream(s, &h->account, diags);
		if (s->account.pages == s->n_pages && !trace_dat_is_part(s->of.rec->td))
			recordings_set_times(&h->recordings, &s->of,
					     s->account.pages ? s->account.first : UINT64_MAX,
					     s->account.last);
	}
	while (caveat_next(&rest, &c)) {
		/* those of a CPU are in the account of its stream */
		if (c.kind != CAVEAT_LOST || c.of.n)
			continue;
		h->account.missed = add_saturated(h->account.missed, c.n);
		h->account.missed_unknown |= !c.n;
	}
	recordings_diagnose_read(&h->recordings, diags);
	replay_collect_caveats(h, streams, n);
	add_names(h, &h->caveats);
	rest = (struct span){ h->caveats.s, h->caveats.len };
	if (caveat_find(rest, CAVEAT_NAMES, NULL, &c))
		diags_add(
			diags, DIAG_NOTE,
			"the names of tasks of %llu event%s are guesses, because the recording does not "
			"contain when the tasks were renamed or executed a program; record "
			"task:task_rename and sched:sched_process_exec, too",
			(unsigned long long)c.n, plural(c.n));
	c = (struct caveat){ .kind = CAVEAT_TASKS, .n = h->account.unknown_tasks };
	if (c.n) {
		caveat_add(&h->caveats, &c);
		diags_add(
			diags, DIAG_NOTE,
			"the process or cgroup of the tasks of %llu event%s is not known, because the "
			"recording has no journal of tasks, or an incomplete one (see hist list)",
			c.n, plural(c.n));
	}
	c = (struct caveat){ .kind = CAVEAT_SWITCHES, .n = h->account.apart };
	if (c.n)
		caveat_add(&h->caveats, &c);
	h->doubtful |= h->caveats.len > 0;
}

void replay_account(struct hist *h, const struct stream *streams, size_t n, struct diags *diags)
{
	const struct accounting a = { .h = h, .streams = streams, .n = n, .diags = diags };

	for (struct trace_array *tr = h->tracing->top; tr; tr = tr->next) {
		for (struct event_file *file = tr->files; file; file = file->next) {
			account_event(&a, file);
			account_triggers(&a, file);
			account_unrecorded(&a, file);
			/* with slices, the counts are those of the last one */
			if (!h->timer)
				note_filters(&a, file);
			if (h->tracing->options.stats_asked)
				note_no_numbers(&a, file);
		}
	}
	account_records(&a);
}

/* --- names of tasks --- */

/* Rows that show the name of a task at their first hit. */
static void account_rows(struct hist *h, struct names *names, const struct hist_count *hc)
{
	for (u32 i = 0; i < hist_map(hc)->n_elts; i++) {
		const struct first_hit *first =
			elt_first_hit(hc->hd, tracing_map_elt_at(hist_map(hc), i));
		const struct name_place place = { first->ts, first->at };

		if (first->at)
			h->account.hits.guessed_names +=
				names_guess_at(names, first->pid, first->cpu, place);
	}
}

/* Hits of rows whose task is in an unknown process or cgroup. */
static u64 unknown_hits(const struct hist_count *hc)
{
	const struct hist_program *p = hc->program;
	u64 n = 0;

	for (u32 i = 0; i < hist_map(hc)->n_elts; i++) {
		struct tracing_map_elt *elt = tracing_map_elt_at(hist_map(hc), i);
		bool unknown = false;

		for (u32 k = 0; k < p->n_keys; k++) {
			const u8 *at =
				(const u8 *)tracing_map_key(hist_map(hc), elt) + p->keys[k].offset;
			u64 answer = load_u64(at, p->big_endian);

			if (p->keys[k].value.code == OP_WHO)
				unknown |= who_is_number(p->keys[k].value.imm)
						   ? (s64)answer < 0
						   : answer >> 32 == WHO_UNKNOWN >> 32;
		}
		n += unknown ? tracing_map_sums(elt)[HITCOUNT_IDX] : 0;
	}
	return n;
}

static bool has_cgroup_key(const struct hist_program *p)
{
	return any_of(k, p->n_keys,
		      p->keys[k].value.code == OP_WHO && p->keys[k].value.imm == WHO_CGROUP);
}

void replay_account_names(struct hist *h, struct names *names, bool who, struct diags *diags)
{
	const struct count *count = h->tracing->count;
	const struct processes *p = &names->processes;
	const u32 others = p->hierarchies & ~(1u << (p->hierarchy & 31));
	const char *why = p->chosen      ? ""
			  : p->hierarchy ? ", which had the most at first"
					 : ", the unified one";
	const bool held = h->account.held && !p->chosen;
	bool shown = held || span_find(span_of(h->selection), span_of("cgroup ")) != NULL;

	for (size_t i = 0; i < count->n_hists && others; i++)
		shown |= count->hists[i] && has_cgroup_key(count->hists[i]->program);
	if (shown && others) {
		struct strbuf numbers = STRBUF_INIT;

		for (u32 i = 0; i < 32; i++)
			if (others >> i & 1)
				strbuf_addf(&numbers, "%s%u", numbers.len ? ", " : "", i);
		diags_add(diags, DIAG_NOTE,
			  "cgroups are those of hierarchy %u%s, as /proc/self/cgroup numbers them; "
			  "others have cgroups, too: --cgroup-hierarchy=N (%s)%s",
			  p->hierarchy, why, numbers.s,
			  held ? "; tasks are known to be held back or frozen only by those" : "");
		strbuf_release(&numbers);
	}
	for (size_t i = 0; i < count->n_hists && who; i++)
		if (count->hists[i] && count->hists[i]->hd->asks_who)
			h->account.unknown_tasks += unknown_hits(count->hists[i]);

	for (size_t i = 0; i < count->n_hists && names->guesses; i++)
		if (count->hists[i] && count->hists[i]->hd->has_comm)
			account_rows(h, names, count->hists[i]);
}
