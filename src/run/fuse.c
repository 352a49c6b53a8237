// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Fuses a trace action with the only histogram that reads its event; see fuse.h.
 *
 * Two programs are compiled: that of the reader, which loads the references, and that of the
 * tracing histogram, which then does not copy a string to its entry only for the action.
 * tests/unit/run_fast_test.c compares with records.
 */
#include "run/key_build.h"
#include "run/run.h"

struct fuser {
	struct arena *arena;
	const struct synth_event *event;
	const u32 *refs;            /* of its fields; NULL: the values follow each other */
	const struct hist_data *hd; /* it traces; NULL: a deriver does */
	struct hist_program *own;   /* its new program */
	u64 read;                   /* a bit for each reference that the reader loads */
	bool reads_hit;             /* the reader needs the time, the CPU or the task, too */
};

/* The parameter at @offset in the event's record; NULL if there is none. */
static const struct synth_field *field_at(struct fuser *f, u32 offset, u32 *ref)
{
	for (u32 i = 0; i < f->event->n_fields; i++) {
		if (f->event->fields[i].offset != offset)
			continue;
		*ref = f->refs ? f->refs[i] : i;
		f->read |= *ref < REF_NONE ? 1ull << *ref : 0;
		return &f->event->fields[i];
	}
	return NULL;
}

/* --- values --- */

static bool move_number(struct fuser *f, struct value *v);

static const struct value *fuse_moved(struct fuser *f, const struct value *v)
{
	struct value *copy = arena_alloc(f->arena, sizeof(*copy));

	if (!copy)
		return NULL;
	*copy = *v;
	return move_number(f, copy) ? copy : NULL;
}

static bool move_number(struct fuser *f, struct value *v)
{
	f->reads_hit |= v->code == OP_TS || v->code == OP_TS_USECS || v->code == OP_CPU_NR ||
			v->code == OP_WHO || v->code == OP_CODE;
	if (value_is_leaf(v)) {
		const struct synth_field *field;
		u32 ref;

		if (v->code > OP_LOAD_BIG)
			return true;
		field = field_at(f, v->offset, &ref);
		if (!field || field->kind != SYNTH_NUM || field->text.size != v->size)
			return false;
		v->offset = ref * (u32)sizeof(u64);
		return true;
	}
	v->left = fuse_moved(f, v->left);
	if (!v->left || !v->right)
		return v->left;
	v->right = fuse_moved(f, v->right);
	return v->right;
}

/* --- keys --- */

/*
 * The step that copies a string from the record to the entry, if only this parameter uses the copy.
 * Steps of hidden variables are the last ones. Parts of the key that use the same parameter have
 * the same size.
 */
static struct update_step *copy_of(const struct fuser *f, u32 ref, const struct key_step *key)
{
	const struct update_list *updates;
	u32 uses = 0;

	for (size_t i = 0; i < f->event->n_fields && f->refs; i++)
		uses += f->refs[i] == ref;
	if (!f->hd || f->hd->n_users || key->kind != KEY_ARRAY || uses != 1)
		return NULL;
	updates = &f->own->updates;
	for (u32 i = updates->n - f->hd->n_field_vars; i < updates->n; i++) {
		struct update_step *step = &updates->steps[i];

		if ((step->kind == UPDATE_ARRAY || step->kind == UPDATE_LEND) && step->ref == ref &&
		    step->size == key->size)
			return step;
	}
	return NULL;
}

static bool move_text(struct fuser *f, struct key_step *key)
{
	const struct synth_field *field;
	struct update_step *copy;
	u32 ref;

	field = field_at(f, key->value.offset, &ref);
	/* zeros follow the NUL, also in a key that would include what follows */
	key->kind = key->kind == KEY_WHOLE ? KEY_ARRAY : key->kind;
	if (!field || !field->text.is_string ||
	    field->text.is_dynamic != (key->value.kind == VALUE_DYN))
		return false;
	copy = copy_of(f, ref, key);
	key->kind = copy ? KEY_LENT : KEY_POINTED;
	if (copy)
		copy->kind = UPDATE_LEND;
	key->value.size = min_t(u32, key->size - 1, STR_VAR_LEN_MAX - 1);
	if (!field->text.is_dynamic)
		key->value.size = min_t(u32, key->value.size, field->text.size);
	key->value.offset = ref * (u32)sizeof(u64);
	return true;
}

static bool move_keys(struct fuser *f, struct hist_program *p)
{
	struct key_step *keys = arena_alloc(f->arena, p->n_keys * sizeof(*keys));
	bool ok = keys;

	for (u32 i = 0; i < p->n_keys && ok; i++) {
		struct key_step *key = &keys[i];

		*key = p->keys[i];
		if (key->value.kind == VALUE_NUM)
			ok = move_number(f, &key->value);
		else
			ok = (key->value.kind == VALUE_STATIC || key->value.kind == VALUE_DYN) &&
			     move_text(f, key);
	}
	p->keys = keys;
	return ok;
}

/* --- programs --- */

static bool copy_updates(const struct fuser *f, struct update_list *list)
{
	struct update_step *steps = arena_alloc(f->arena, (list->n + 1) * sizeof(*steps));

	if (!steps)
		return false;
	for (u32 i = 0; i < list->n; i++)
		steps[i] = list->steps[i];
	list->steps = steps;
	return true;
}

static bool move_updates(struct fuser *f, struct update_list *list)
{
	bool ok = copy_updates(f, list);

	for (u32 i = 0; i < list->n && ok; i++)
		ok = list->steps[i].kind <= UPDATE_VAR && move_number(f, &list->steps[i].value);
	return ok;
}

/* Whether all that follows an update is save() of numbers, for a new extreme of a value. */
static bool only_saves(const struct fuser *f, const struct hist_data *hd)
{
	return !f->refs && !hd->is_sampled &&
	       all_of(i, hd->n_actions,
		      hd->actions[i]->action == ACTION_SAVE &&
			      hd->actions[i]->handler != HANDLER_ONMATCH);
}

/* Whether this trigger needs no more of the records of the event than their fields. */
static bool is_fusible(const struct fuser *f, const struct trigger *reader)
{
	const struct tracing *t = reader->file->tr->tracing;

	/* an observer of synthetic events gets records */
	if (t->context && t->context->synthetic)
		return false;
	if (HOST_IS_BIG || t->machine.big_endian || (reader->filter && f->refs) ||
	    reader->hist == f->hd ||
	    (reader->hist->program->is_followed && !only_saves(f, reader->hist)) ||
	    hist_reads_loose_bytes(reader->hist))
		return false;
	for (size_t i = 0; i < f->event->n_fields && f->refs; i++)
		if (f->event->fields[i].text.is_stack)
			return false;
	return true;
}

/* --- filters --- */

static bool move_pred(struct fuser *f, struct filter_pred *p)
{
	const struct synth_field *field;
	u32 ref;

	switch (p->kind) {
	case PRED_NEVER:
		return true;
	case PRED_CPU:
	case PRED_CPU_CPUS:
		f->reads_hit = true;
		return true;
	case PRED_NUM:
	case PRED_RANGE:
	case PRED_NUM_CPUS:
		field = field_at(f, p->offset, &ref);
		if (!field || field->kind != SYNTH_NUM || field->text.size != p->size)
			return false;
		break;
	case PRED_STRING:
		field = field_at(f, p->offset, &ref);
		if (!field || field->kind != SYNTH_ARRAY || !p->pattern.ends_at_nul)
			return false;
		p->kind = PRED_POINTED;
		break;
	default:
		return false;
	}
	p->offset = ref * (u32)sizeof(u64);
	return true;
}

static bool move_filter(struct fuser *f, const struct filter *filter, const struct filter **to)
{
	struct filter *copy;
	bool ok;

	if (!filter || filter->failed)
		return true;
	copy = arena_alloc(f->arena, sizeof(*copy));
	if (!copy)
		return false;
	*copy = *filter;
	copy->min_size = 0;
	copy->insns = arena_alloc(f->arena, filter->n_insns * sizeof(*copy->insns));
	ok = copy->insns;
	for (size_t i = 0; i < filter->n_insns && ok; i++) {
		copy->insns[i] = filter->insns[i];
		ok = move_pred(f, &copy->insns[i].pred);
	}
	*to = copy;
	return ok;
}

bool event_fuse_filter(const struct event_file *file, const struct filter *filter,
		       struct arena *arena, const struct filter **to)
{
	struct fuser f = { .arena = arena, .event = file->synth };

	*to = NULL;
	return !HOST_IS_BIG && !file->tr->tracing->machine.big_endian &&
	       move_filter(&f, filter, to);
}

/* NULL: not possible, or out of memory */
static struct fused_trace *fuse_reader(struct fuser *f, const struct trigger *reader)
{
	struct fused_trace *fused;

	if (!reader || !is_fusible(f, reader))
		return NULL;
	fused = arena_alloc(f->arena, sizeof(*fused));
	if (!fused)
		return NULL;
	fused->reader = reader;
	fused->count = hist_count_of(reader->hist);
	fused->program = *reader->hist->program;
	if (!copy_updates(f, &fused->program.updates) || !move_keys(f, &fused->program))
		return NULL;
	f->reads_hit |= fused->program.is_followed;
	if (!move_updates(f, &fused->program.updates) || !move_updates(f, &fused->program.saves) ||
	    !move_filter(f, reader->filter, &fused->filter))
		return NULL;
	fused->read = f->read;
	fused->reads_hit = f->reads_hit;
	return fused;
}

/* --- values of derivers --- */

static void add_number(struct fused_value *to, const struct value *v)
{
	to->at = v->offset;
	to->number = v->code == OP_LOAD_64 ? NULL : v;
}

static bool add_recent_key(struct fused_recent *r, const struct key_step *key)
{
	struct fused_value *to = &r->parts[r->n_parts++];

	if (key->kind == KEY_NUM) {
		add_number(to, &key->value);
		return true;
	}
	to->at = key->value.offset;
	to->words = hist_key_is_pointed_words(key) ? key->size / 8 : 0;
	return key->kind == KEY_POINTED;
}

/* Whether all parts of the key are numbers and texts that fill them, and all updates are sums. */
static bool add_recent(struct fused_recent *r, const struct hist_program *p)
{
	const struct update_list *updates = &p->updates;
	bool ok = !p->n_other_refs && !p->n_own_refs && !updates->set && !p->is_followed &&
		  p->n_keys <= FUSED_PARTS_MAX && updates->n <= FUSED_PARTS_MAX;

	for (u32 i = 0; i < p->n_keys && ok; i++)
		ok = add_recent_key(r, &p->keys[i]);
	for (u32 i = 0; i < updates->n && ok; i++) {
		r->sums[r->n_sums].word = updates->steps[i].word;
		add_number(&r->sums[r->n_sums++], &updates->steps[i].value);
		ok = updates->steps[i].kind == UPDATE_SUM;
	}
	return ok;
}

/* Whether the texts of keys, too, are compared by words. */
static bool is_of_words(const struct fused_recent *r, const struct hist_program *p)
{
	u32 size = 0;
	bool ok = true;

	for (u32 i = 0; i < p->n_keys; i++) {
		size += p->keys[i].size;
		ok &= p->keys[i].kind == KEY_NUM || r->parts[i].words;
	}
	return ok && size == p->key_read;
}

static struct fused_trace *fuse_values(const struct event_file *file, const struct trigger *reader,
				       struct arena *arena)
{
	struct fuser f = { .arena = arena, .event = file->synth };
	struct fused_trace *fused = fuse_reader(&f, reader);
	struct fused_recent *r;

	if (!fused)
		return NULL;
	r = arena_alloc(arena, sizeof(*r));
	if (!r || !add_recent(r, &fused->program))
		return fused;
	fused->values = r;
	if (!is_of_words(r, &fused->program))
		return fused;
	r->entries = arena_alloc(arena, sizeof(u32) << FUSED_RECENT_SHIFT);
	fused->recent = r->entries ? r : NULL;
	return fused;
}

const struct fused_trace *event_fuse(const struct event_file *file, struct arena *arena)
{
	struct fused_trace *first = NULL, *fused;

	if (!event_count_of(file)->histograms)
		return NULL;
	for (size_t i = file->triggers.n; i--; first = fused) {
		fused = fuse_values(file, file->triggers.v[i], arena);
		/* what one reads of another is as of the same event */
		if (!fused || (file->triggers.n > 1 && fused->program.n_other_refs))
			return NULL;
		fused->next = first;
	}
	return first;
}

bool hist_fuse(struct hist_count *hc, struct arena *arena)
{
	const struct hist_program *p = hc->hd->program;
	const struct event_count *first;
	struct fuser f = { .arena = arena, .hd = hc->hd };
	struct fused_trace *fused;

	if (!p->trace)
		return true;
	f.event = p->trace->synth_event;
	f.refs = p->trace->var_ref_idx;
	first = *count_receivers(hc->hd->tracing, f.event);
	if (!first || first->next_receiver || !first->only)
		return true;
	f.own = arena_alloc(arena, sizeof(*f.own));
	if (!f.own)
		return false;
	*f.own = *p;
	fused = copy_updates(&f, &f.own->updates) ? fuse_reader(&f, first->only) : NULL;
	if (fused) {
		struct update_list *list = &f.own->updates;
		u32 hidden = list->n - f.hd->n_field_vars, n = hidden;

		/* Hidden variables that neither another trigger nor the reader uses are not set. */
		for (u32 i = hidden; i < list->n && !f.hd->n_users; i++)
			if (list->steps[i].ref < REF_NONE && f.read >> list->steps[i].ref & 1)
				list->steps[n++] = list->steps[i];
		list->n = f.hd->n_users ? list->n : n;
		f.own->fused = fused;
		hc->program = f.own;
	}
	return !arena->failed;
}
