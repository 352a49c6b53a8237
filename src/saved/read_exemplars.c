// SPDX-License-Identifier: LGPL-2.1-only
/* Exemplars of a saved result: what they are, and those of a row. */
#include "saved/read.h"

bool read_exemplars_column(struct saved_reader *r)
{
	struct result_exemplars *e = &r->s->exemplars;

	if (!read_object(r, exemplars_members, EXEMPLARS_MEMBERS, e, NULL))
		return false;
	if (!e->name || !e->max || e->max > SAVED_EXEMPLARS_MAX)
		return json_in_fail(&r->in, "exemplars without a name, or too many");
	r->s->result.exemplars = e;
	free(r->exemplars);
	r->exemplars = exemplar_row_new(e->max);
	return r->exemplars || read_nomem(r);
}

/* Borrowed from the result; the same name is stored once in a row. */
static bool read_file(struct saved_reader *r, const char **file)
{
	const struct exemplar_row *row = r->exemplars;
	const char *known = row->n ? row->v[row->n - 1].file : NULL;
	struct span text;

	if (!json_in_text(&r->in, &text))
		return false;
	if (known && span_eq(text, known)) {
		*file = known;
		return true;
	}
	*file = arena_strndup(&r->s->arena, text.s, text.n);
	return *file || read_nomem(r);
}

static bool read_comm(struct saved_reader *r, struct exemplar *e)
{
	struct span text;

	if (!json_in_text(&r->in, &text))
		return false;
	if (text.n >= sizeof(e->comm))
		return json_in_fail(&r->in, "the name of a task is at most 15 bytes long");
	memcpy(e->comm, text.s, text.n);
	return true;
}

static bool read_small(struct saved_reader *r, bool is_signed, u32 *v)
{
	u64 n = 0;

	if (!json_in_number(&r->in, is_signed, &n))
		return false;
	*v = (u32)n;
	return is_signed ? (s64)n == (s32)*v : n == *v;
}

static bool read_member(struct saved_reader *r, struct span name, struct exemplar *e)
{
	u32 pid = 0;

	if (span_eq(name, "value"))
		return json_in_number(&r->in, r->s->exemplars.is_signed, &e->value);
	if (span_eq(name, "time"))
		return json_in_time(&r->in, r->s->info.clock_counts, &e->at);
	if (span_eq(name, "comm"))
		return read_comm(r, e);
	if (span_eq(name, "file"))
		return read_file(r, &e->file);
	if (span_eq(name, "cpu"))
		return read_small(r, false, &e->cpu) || json_in_fail(&r->in, "an unlikely CPU");
	if (span_eq(name, "pid")) {
		if (!read_small(r, true, &pid))
			return json_in_fail(&r->in, "an unlikely pid");
		e->pid = (s32)pid;
		return true;
	}
	return json_in_skip(&r->in);
}

static bool read_exemplar(struct saved_reader *r)
{
	struct exemplar e = { .value = 0 };
	struct span name;

	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name))
		if (!read_member(r, name, &e))
			return false;
	if (r->in.problem)
		return false;
	if (r->exemplars->n == r->exemplars->max)
		return json_in_fail(&r->in, "a row has more exemplars than announced");
	return exemplar_row_add(r->exemplars, &e, r->s->exemplars.is_signed);
}

bool read_exemplars(struct saved_reader *r)
{
	if (!r->s->result.exemplars)
		return json_in_skip(&r->in);
	json_in_open(&r->in, '[');
	while (json_in_element(&r->in))
		if (!read_exemplar(r))
			return false;
	return !r->in.problem;
}
