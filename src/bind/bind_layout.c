// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A question whose histogram several events share: the fields of each event are read where that
 * event has them.
 *
 * kernel: reads those of all events where the first one has them, as triggers do here, too.
 */
#include "bind/binding.h"
#include "program/event_layout.h"

struct layout_pairs {
	struct arena *arena;
	struct event_layout layout;
	const char *bad; /* a field that differs */
	bool moved, failed;
};

static void add_pair(struct layout_pairs *p, const struct event_field *own,
		     const struct event_field *first)
{
	struct event_layout *l = &p->layout;
	const bool relative = strstr(first->type, "__rel_loc");
	struct layout_field *fields;

	for (u32 i = 0; i < l->n; i++)
		if (l->fields[i].to == first)
			return;
	if (!event_fields_alike(own, first) || !first->size ||
	    first->offset + first->size > LAYOUT_RECORD_MAX) {
		p->bad = own->name;
		return;
	}
	fields = arena_alloc(p->arena, (l->n + 1) * sizeof(*fields));
	if (!fields) {
		p->failed = true;
		return;
	}
	if (l->n)
		memcpy(fields, l->fields, l->n * sizeof(*fields));
	fields[l->n++] = (struct layout_field){
		.from = own,
		.to = first,
		.is_relative = relative,
		.is_dynamic = relative || strstr(first->type, "__data_loc"),
	};
	l->fields = fields;
	l->size = max_t(u32, l->size, first->offset + first->size);
	p->moved |= own->offset != first->offset;
}

static void add_pairs(struct layout_pairs *p, const struct hist_field *own,
		      const struct hist_field *first)
{
	if (own->field && first->field)
		add_pair(p, own->field, first->field);
	for (int i = 0; i < 2; i++)
		if (own->expr.operands[i] && first->expr.operands[i])
			add_pairs(p, own->expr.operands[i], first->expr.operands[i]);
}

int bind_layout(struct bind *b, struct trigger *trigger, const struct hist_data *first)
{
	const struct hist_data *own = b->hd;
	struct layout_pairs p = { .arena = &trigger->arena,
				  .layout.big_endian = b->t->machine.big_endian };
	u32 i;

	if (!own->question || own->file == first->file)
		return 0;
	for_each_hist_field(i, own)
		add_pairs(&p, own->fields[i], first->fields[i]);
	if (p.bad)
		return log_silent(b->log, span_of(p.bad),
				  "%s of %s:%s is not of the type that %s:%s has for it", p.bad,
				  own->file->system, own->file->name, first->file->system,
				  first->file->name);
	if (p.failed)
		return HIST_NOMEM;
	if (!p.moved)
		return 0;
	p.layout.record = arena_alloc(p.arena, LAYOUT_RECORD_MAX);
	trigger->layout = arena_alloc(p.arena, sizeof(*trigger->layout));
	if (!trigger->layout || !p.layout.record)
		return HIST_NOMEM;
	*trigger->layout = p.layout;
	return 0;
}
