// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The trace action: builds a record of the synthetic event from a hit and its references, in all
 * instances in which the event is enabled.
 */
#include "program/synth_record.h"
#include "run/run.h"

enum {
	FIELD_MAX = 8 + 8 * (1 + HIST_STACKTRACE_DEPTH_MAX), /* its slot, and a stack */
	RECORD_MAX = 8 + SYNTH_FIELDS_MAX * FIELD_MAX + 4096,
};

/* kernel: writing the record disables preemption once more. */
static inline u8 nested_preempt(u8 count, const struct event_file *file)
{
	u32 n = (count & 0xfu) + event_count_of(file)->nested_preempt;

	return (u8)((count & 0xf0) | min_t(u32, n, 0xf));
}

void trace_synth(const struct hist_data *from, struct synth_event *se, const u64 *var_ref_vals,
		 const u32 *var_ref_idx, const struct hit *hit)
{
	u8 rec[RECORD_MAX];
	struct synth_record r = { .event = se,
				  .machine = &from->tracing->machine,
				  .text_max = STR_VAR_LEN_MAX,
				  .stack_max = from->program->stack_depth,
				  .rec = rec };
	const struct event_count *receiver = *count_receivers(from->tracing, se);
	struct hit own;

	if (!receiver)
		return;
	synth_record_start(&r, hit->rec + SYNTH_COMMON_AT);
	rec[SYNTH_PREEMPT_AT] = nested_preempt(rec[SYNTH_PREEMPT_AT], hit->file);
	for (const struct synth_field *f = se->fields, *end = f + se->n_fields; f < end; f++)
		synth_record_put(&r, f, var_ref_vals[*var_ref_idx++]);
	if (se->loose_bytes && hit->context->loose_bytes)
		hit->context->loose_bytes(hit->context->arg, se, rec, r.len);
	own = *hit;
	own.rec = rec;
	own.len = r.len;
	own.depth++;
	for (; receiver; receiver = receiver->next_receiver) {
		own.file = receiver->file;
		if (event_hit(receiver, &own) && hit->context->synthetic)
			hit->context->synthetic(hit->context->arg, receiver->file, &own);
	}
}
