// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Losses of a recording: sums up and reports the losses that a pass found in a CPU's sub-buffers,
 * and those in the kernel's statistics in the file (struct trace_dat_lost).
 */
#include "replay/lost.h"

/* Losses that the writer of the file knew, such as hist record --recover. */
static void add_noted(const struct recording *rec, const char *buffer, u32 cpu, struct lost *lost)
{
	struct caveat c = { .kind = CAVEAT_LOST };
	struct strbuf of = STRBUF_INIT;

	caveat_cpu(&of, cpu, buffer);
	if (caveat_find(recording_caveats(rec), CAVEAT_LOST, of.s, &c)) {
		lost->noted = c.n;
		lost->noted_unknown = !c.n;
	}
	strbuf_release(&of);
}

struct lost lost_of(const struct recording *rec, size_t buffer, u32 cpu)
{
	struct lost lost = { .stats = trace_dat_lost_of(rec->td, rec->buffers[buffer].name, cpu) };

	add_noted(rec, rec->buffers[buffer].name, cpu, &lost);
	return lost;
}

void say_damaged(struct replay_account *sum, const struct recording *rec, u32 cpu, u64 n,
		 struct diags *diags)
{
	sum->damaged_pages += n;
	if (n)
		diags_add(
			diags, DIAG_WARNING,
			"%s: CPU %u: %llu damaged sub-buffers; the data after the damage is missing",
			rec->path, cpu, (unsigned long long)n);
}

static void warn_dropped(const struct stream *s, const struct lost *lost, const char *in,
			 struct diags *diags)
{
	if (lost->stats.dropped)
		diags_add(diags, DIAG_WARNING,
			  "%s: CPU %u%s%s dropped %llu events because its buffer was full",
			  s->rec->path, s->cpu, in, s->tr->name,
			  (unsigned long long)lost->stats.dropped);
	if (lost->stats.commit_overrun)
		diags_add(
			diags, DIAG_WARNING,
			"%s: CPU %u%s%s lost %llu events because its buffer was full of events that "
			"were being written (commit overrun)",
			s->rec->path, s->cpu, in, s->tr->name,
			(unsigned long long)lost->stats.commit_overrun);
}

void account_stream(const struct stream *s, struct replay_account *sum, struct diags *diags)
{
	const struct stream_account *a = &s->account;
	const char *in = s->tr->name[0] ? " of instance " : "";
	const struct lost lost = lost_of(s->rec, s->buffer, s->cpu);

	sum->missed = add_saturated(sum->missed, add_saturated(a->missed, lost_sum(&lost)));
	sum->missed_unknown |= a->missed_unknown || lost.noted_unknown;
	sum->short_records += a->short_records;
	if (a->missed)
		diags_add(diags, DIAG_WARNING, "%s: CPU %u%s%s lost %llu events%s", s->rec->path,
			  s->cpu, in, s->tr->name, (unsigned long long)a->missed,
			  a->missed_unknown ? " and more that were not counted" : "");
	else if (a->missed_unknown)
		diags_add(diags, DIAG_WARNING,
			  "%s: CPU %u%s%s lost events; the number was not recorded", s->rec->path,
			  s->cpu, in, s->tr->name);
	warn_dropped(s, &lost, in, diags);
	say_damaged(sum, s->rec, s->cpu, a->damaged, diags);
	if (trace_dat_unreadable(s->rec->td))
		recording_diagnose_chunks(s->rec, s->buffer, s->cpu_index, diags);
}
