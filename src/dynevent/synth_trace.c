// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Traces synthetic events: builds a record from values, at once or piece by piece. The next replay
 * reaches it at the position set by hist_trace_at().
 *
 * Bytes of a record that the kernel leaves uninitialised are 0 here. A call that the kernel rejects
 * after it has reserved the record traces nothing. Corresponds to trace_events_synth.c.
 */
#include "dynevent/dynevent.h"

#undef synth_event_trace

void hist_trace_at(struct hist *h, uint64_t ts, unsigned int cpu, int pid)
{
	h->tracing->place = (struct traced_place){ .ts = ts, .cpu = cpu, .pid = pid };
}

static struct event_file *event_file_of(struct trace_event_file *pub)
{
	return ((struct held_event *)pub)->file;
}

/*
 * Check the file. -EINVAL: not a synthetic event. *@on is set if it is enabled or has triggers;
 * otherwise there is nothing to do.
 */
static int check_file(const struct event_file *file, bool *on)
{
	*on = file->state.enabled;
	return file->synth ? 0 : -EINVAL;
}

static int reserve(struct trace_event_file *pub, u32 dynamic, struct traced_event **te)
{
	int err = traced_event_reserve(event_file_of(pub), dynamic, te);

	if (!err)
		pub->hist->changed |= pub->hist->replayed;
	return dynevent_errno(err);
}

/*
 * Copy a value. A string of fixed size is copied eight bytes at a time, so it is not read directly
 * from the program's memory.
 */
static void put(struct traced_event *te, const struct synth_field *f, uint64_t val)
{
	const char *s = (const char *)(uintptr_t)val;
	char text[STR_VAR_LEN_MAX] = "";

	if (!f->text.is_string || f->text.is_dynamic || !s) {
		synth_record_put(&te->record, f, val);
		return;
	}
	memcpy(text, s, strnlen(s, sizeof(text) - 1));
	synth_record_put(&te->record, f, (uintptr_t)text);
}

/* --- all values at once --- */

/* Size of the strings outside the slots; < 0: a field that programs cannot fill. */
static s64 dynamic_size(const struct synth_event *se, const uint64_t *vals)
{
	s64 size = 0;

	for (size_t i = 0; i < se->n_fields; i++) {
		const struct synth_field_text *f = &se->fields[i].text;

		if (f->is_stack)
			return -1;
		if (f->is_string && f->is_dynamic)
			size += synth_record_text_size((const char *)(uintptr_t)vals[i],
						       TRACED_TEXT_MAX);
	}
	return size;
}

int synth_event_trace_array(struct trace_event_file *pub, uint64_t *vals, unsigned int n_vals)
{
	const struct event_file *file = event_file_of(pub);
	const struct synth_event *se = file->synth;
	struct traced_event *te;
	bool on;
	s64 size;
	int err = check_file(file, &on);

	if (err || !on)
		return err;
	if (n_vals != se->n_fields)
		return -EINVAL;
	size = dynamic_size(se, vals);
	if (size < 0)
		return -EINVAL;
	err = reserve(pub, (u32)size, &te);
	if (err)
		return err;
	for (size_t i = 0; i < se->n_fields; i++)
		put(te, &se->fields[i], vals[i]);
	traced_event_commit(te);
	return 0;
}

int synth_event_trace(struct trace_event_file *pub, unsigned int n_vals, ...)
{
	uint64_t vals[SYNTH_FIELDS_MAX] = { 0 };
	va_list ap;

	va_start(ap, n_vals);
	for (unsigned int i = 0; i < n_vals && i < SYNTH_FIELDS_MAX; i++)
		vals[i] = va_arg(ap, uint64_t);
	va_end(ap);
	return synth_event_trace_array(pub, vals, n_vals);
}

/* --- piece by piece --- */

int synth_event_trace_start(struct trace_event_file *pub, struct synth_event_trace_state *state)
{
	const struct event_file *file = event_file_of(pub);
	bool on;
	int err = check_file(file, &on);

	if (!state || err)
		return -EINVAL;
	*state = (struct synth_event_trace_state){ .disabled = !on };
	if (!on)
		return 0;
	state->event = file->synth;
	for (size_t i = 0; i < state->event->n_fields; i++)
		if (state->event->fields[i].text.is_dynamic)
			return -ENOTSUPP;
	return reserve(pub, 0, &state->entry);
}

static int set_field(struct synth_event_trace_state *state, const struct synth_field *f,
		     uint64_t val)
{
	if (f->text.is_string && !val)
		return -EINVAL;
	put(state->entry, f, val);
	return 0;
}

int synth_event_add_next_val(uint64_t val, struct synth_event_trace_state *state)
{
	if (!state || state->add_name)
		return -EINVAL;
	state->add_next = true;
	if (state->disabled)
		return 0;
	if (!state->entry || state->cur_field >= state->event->n_fields)
		return -EINVAL;
	return set_field(state, &state->event->fields[state->cur_field++], val);
}

int synth_event_add_val(const char *field_name, uint64_t val, struct synth_event_trace_state *state)
{
	const struct synth_field *f = NULL;

	if (!field_name)
		return synth_event_add_next_val(val, state);
	if (!state || state->add_next)
		return -EINVAL;
	state->add_name = true;
	if (state->disabled)
		return 0;
	/* kernel: the last field takes the value of an unknown name */
	for (size_t i = 0; state->entry && i < state->event->n_fields; i++) {
		f = &state->event->fields[i];
		if (!strcmp(f->text.name, field_name))
			break;
	}
	return f ? set_field(state, f, val) : -EINVAL;
}

int synth_event_trace_end(struct synth_event_trace_state *state)
{
	if (!state)
		return -EINVAL;
	if (state->entry)
		traced_event_commit(state->entry);
	state->entry = NULL;
	return 0;
}
