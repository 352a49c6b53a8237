// SPDX-License-Identifier: LGPL-2.1-only
/* What is done with the values of a derived event; see values.h. */
#include "derive/values.h"
#include "program/synth_record.h"
#include "run/run.h"

enum { STACK_MAX = HIST_STACKTRACE_DEPTH_MAX + 1, RECORD_MAX = 4096 + 2 * 8 * STACK_MAX };

/* The index of a field; event->n_fields: there is none of this name. */
static size_t field_of(const struct synth_event *event, const char *name)
{
	size_t i = 0;

	while (i < event->n_fields && strcmp(event->fields[i].text.name, name) != 0)
		i++;
	return i;
}

const struct derive_open_word derive_open_words[4] = {
	{ "no" }, { "start" }, { "end" }, { "both" }
};

u64 derive_values_begin(const struct synth_event *event, const u64 *values, u64 ts)
{
	const size_t ns = field_of(event, "ns");

	return ns < event->n_fields && ts > values[ns] ? ts - values[ns] : ts;
}

bool derive_cut(const struct synth_event *event, u64 from, u64 to, u64 *values, u64 *ts)
{
	static const char *const parts[] = { "running_ns", "waiting_ns", "sleeping_ns", "irq_ns",
					     "other_idle_ns" };
	u64 *ns = &values[field_of(event, "ns")];
	const u64 begin = *ts > *ns ? *ts - *ns : 0, end = min_t(u64, *ts, to);
	size_t unknown = field_of(event, "unknown_ns");

	if (begin > to || (*ns ? *ts <= from : *ts < from))
		return false;
	*ts = end;
	if (begin >= from && end - begin == *ns)
		return true;
	*ns = end - max_t(u64, begin, from);
	if (field_of(event, "depth_ns") < event->n_fields) {
		values[field_of(event, "depth_ns")] = values[field_of(event, "depth")] * *ns;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		size_t part = field_of(event, parts[i]);

		if (part < event->n_fields)
			values[part] = 0;
	}
	if (unknown < event->n_fields)
		values[unknown] = *ns;
	return true;
}

void derive_make_record(struct event_file *file, struct hit *hit)
{
	const u64 *values = (const u64 *)(const void *)hit->rec;
	const struct machine *machine = &file->tr->tracing->machine;
	u8 rec[RECORD_MAX], common[SYNTH_COMMON_SIZE] = { 0 };
	struct synth_record r = { .event = file->synth,
				  .machine = machine,
				  .text_max = STR_VAR_LEN_MAX,
				  .stack_max = STACK_MAX,
				  .rec = rec };

	store_u32(common + 2, (u32)hit->pid, machine->big_endian);
	synth_record_start(&r, common);
	for (size_t k = 0; k < file->synth->n_fields; k++)
		synth_record_put(&r, &file->synth->fields[k], values[k]);
	hit->rec = rec;
	hit->len = r.len;
	if (event_hit(event_count_of(file), hit) && hit->context->synthetic)
		hit->context->synthetic(hit->context->arg, file, hit);
}
