// SPDX-License-Identifier: LGPL-2.1-only
/*
 * One record on one histogram. In this order: the key; the variables of other triggers,
 * and if one of them is not set nothing happens at all; the entry; values and variables;
 * the trigger's own variables; the actions.
 *
 * Answers to event_hist_trigger(), hist_trigger_elt_update(), resolve_var_refs().
 */
#include "engine/engine.h"
#include "engine/hist_run.h"
#include "engine/value.h"

enum { KEY_WORDS_MAX = 8192 / 8 };

/* --- the key --- */

/* Longs of the recording's machine, in its size and byte order. */
static void store_longs(u8 *to, const u64 *longs, size_t n, const struct hist_program *p)
{
	for (size_t i = 0; i < n; i++) {
		if (p->long_size == 8)
			store_u64(to + 8 * i, longs[i], p->big_endian);
		else
			store_u32(to + 4 * i, (u32)longs[i], p->big_endian);
	}
}

/* The text that a value stands for; kernel: of a fixed array its declared size counts. */
static struct span value_text(const struct value *v, const struct hit *hit, bool big)
{
	if (v->kind == VALUE_TASK_COMM)
		return span_of(hit->source->comm(hit->source->arg, hit));
	if (v->kind == VALUE_STATIC)
		return load_bytes(hit, v->offset, v->size);
	return load_dynamic(hit, v->offset, v->kind == VALUE_RDYN, big);
}

static void build_stack(u8 *key, const struct hit *hit, const struct hist_program *p)
{
	u64 entries[HIST_STACKTRACE_DEPTH];
	size_t n = hit->source->stack(hit->source->arg, entries, HIST_STACKTRACE_DEPTH);

	store_longs(key, entries, n, p);
}

/* A stack in the record: how many, then the entries. */
static void build_stack_field(u8 *key, const struct value *v, const struct hit *hit,
			      const struct hist_program *p)
{
	struct span data = load_dynamic(hit, v->offset, false, p->big_endian);
	size_t room = (size_t)HIST_STACKTRACE_DEPTH * p->long_size, n;

	if (data.n < p->long_size)
		return;
	n = (size_t)load_int((const u8 *)data.s, p->long_size, false, p->big_endian);
	data = span_skip(data, p->long_size);
	n = n < HIST_STACKTRACE_DEPTH ? n * p->long_size : room;
	memcpy(key, data.s, min_t(size_t, n, data.n));
}

/* kernel: a key is made before references are read; what it sees of them is chance. */
const u64 hist_unread_refs[TRACING_MAP_VARS_MAX];

static void build_key_part(const struct key_step *step, const struct hist_program *p,
			   const struct hit *hit, u8 *key)
{
	struct span text;

	switch (step->value.kind) {
	case VALUE_NUM:
		store_u64(key, value_num(&step->value, hit, hist_unread_refs), p->big_endian);
		return;
	case VALUE_STACK:
		build_stack(key, hit, p);
		return;
	case VALUE_STACK_FIELD:
		build_stack_field(key, &step->value, hit, p);
		return;
	default:
		text = value_text(&step->value, hit, p->big_endian);
		text_copy((char *)key, text.s, min_t(size_t, text.n, step->size - 1));
	}
}

static void build_key(const struct hist_data *hd, const struct hit *hit, u64 *key)
{
	const struct hist_program *p = hd->program;

	memset(key, 0, hd->key_size);
	for (u32 i = 0; i < p->n_keys; i++)
		build_key_part(&p->keys[i], p, hit, (u8 *)key + p->keys[i].offset);
}

/* --- the map --- */

static inline struct tracing_map *hist_map(const struct hist_data *hd, const struct hit *hit)
{
	return likely(!hit->shard) ? hd->map : hd->shards[hit->shard - 1];
}

/* --- references --- */

/* kernel: a variable is looked up with the key of the hit, whatever its owner's key is. */
static u32 ref_hash(const struct hist_hit_ctx *c, const struct tracing_map *map)
{
	return map->desc.key_size == c->hd->key_size ? c->hash : tracing_map_hash(map, c->key);
}

enum resolved { RESOLVED_NOTHING, RESOLVED_SOME, RESOLVED_ALL };

/* kernel: what was read once stays read, also when a later reference fails. */
static enum resolved resolve_other_refs(struct hist_hit_ctx *c)
{
	const struct hist_program *p = c->hd->program;

	for (u32 i = 0; i < p->n_other_refs; i++) {
		const struct ref_step *ref = &p->other_refs[i];
		struct tracing_map *map = hist_map(ref->owner, c->hit);
		struct tracing_map_elt *elt = tracing_map_lookup(map, c->key, ref_hash(c, map));

		if (!elt || !tracing_map_var_set(map, elt, ref->idx))
			return i ? RESOLVED_SOME : RESOLVED_NOTHING;
		if (ref->read_once)
			c->refs[ref->ref] = tracing_map_read_var_once(map, elt, ref->idx);
		else
			c->refs[ref->ref] = tracing_map_read_var(map, elt, ref->idx);
	}
	return RESOLVED_ALL;
}

/* The trigger's own variables are in the entry of the hit. */
static bool resolve_own_refs(struct hist_hit_ctx *c)
{
	const struct hist_program *p = c->hd->program;
	const struct tracing_map *map = c->hd->map;

	for (u32 i = 0; i < p->n_own_refs; i++) {
		if (!tracing_map_var_set(map, c->elt, p->own_refs[i].idx))
			return false;
		c->refs[p->own_refs[i].ref] = tracing_map_read_var(map, c->elt, p->own_refs[i].idx);
	}
	return true;
}

/* --- the entry --- */

/*
 * Texts that must outlive the record: copied into the entry, the variable points to them.
 * kernel: it copies up to the NUL and never looks at the length of a dynamic one, so that one
 * without a byte (a kprobe could not read its string) is the text that happens to follow it.
 */
static u64 keep_text(struct hist_hit_ctx *c, const struct update_step *step)
{
	bool big = c->hd->program->big_endian, relative = step->value.kind == VALUE_RDYN;
	char *to = elt_string(c->hd, c->elt, step->str);
	struct span text;
	size_t n;

	if (step->value.kind == VALUE_COMM)
		text = span_of(elt_comm(c->hd, c->elt));
	else if (step->value.kind == VALUE_STATIC || step->value.kind == VALUE_TASK_COMM)
		text = value_text(&step->value, c->hit, big);
	else
		text = load_dynamic_string(c->hit, step->value.offset, relative, big);
	n = text_copy(to, text.s, min_t(size_t, text.n, step->size ? step->size - 1 : 0));
	to[n] = '\0';
	return (u64)(uintptr_t)to;
}

/* Count, entries, and a zero behind them where the kernel writes one. */
static u64 keep_stack(struct hist_hit_ctx *c, const struct update_step *step)
{
	u64 *to = (u64 *)(void *)elt_string(c->hd, c->elt, step->str);
	size_t n = c->hit->source->stack(c->hit->source->arg, to + 1, HIST_STACKTRACE_DEPTH);

	to[0] = n;
	if (n < HIST_STACKTRACE_DEPTH - 1)
		to[1 + n] = 0;
	return (u64)(uintptr_t)to;
}

/* A text or a stack, which the variable then points to. */
static u64 keep(struct hist_hit_ctx *c, const struct update_step *step)
{
	return step->kind == UPDATE_STRING ? keep_text(c, step) : keep_stack(c, step);
}

static inline void update(struct hist_hit_ctx *c, const struct update_list *list)
{
	u64 *words = c->elt->words;

	for (u32 i = 0; i < list->n; i++) {
		const struct update_step *step = &list->steps[i];
		u64 v = step->kind >= UPDATE_STRING ? keep(c, step)
						    : value_num(&step->value, c->hit, c->refs);

		words[step->word] = step->kind == UPDATE_SUM ? words[step->word] + v : v;
	}
	if (list->set)
		words[c->hd->map->set_at] |= list->set;
}

void hist_save(struct hist_hit_ctx *c)
{
	update(c, &c->hd->program->saves);
}

/* A new entry remembers the task that made it. */
static void init_elt(struct hist_hit_ctx *c)
{
	const struct run_source *source = c->hit->source;
	const char *comm;

	if (!c->hd->has_comm)
		return;
	comm = c->hit->pid < 0 ? "<XXX>"
	       : c->hit->pid   ? source->comm(source->arg, c->hit)
			       : "<idle>";
	memcpy(tracing_map_private(c->hd->map, c->elt), comm, strnlen(comm, TASK_COMM_LEN - 1));
}

/* Whether anything changed: without its references a hit leaves all as it was. */
static inline bool hit_key(struct hist_hit_ctx *c)
{
	const struct hist_program *p = c->hd->program;
	enum resolved resolved;
	bool created;

	c->hash = tracing_map_hash(c->hd->map, c->key);
	if (p->n_other_refs && (resolved = resolve_other_refs(c)) != RESOLVED_ALL)
		return resolved == RESOLVED_SOME;
	c->elt = tracing_map_insert_hashed(hist_map(c->hd, c->hit), c->key, c->hash, &created);
	if (!c->elt)
		return true;
	if (created)
		init_elt(c);
	tracing_map_sums(c->elt)[HITCOUNT_IDX]++;
	update(c, &p->updates);
	if (unlikely(c->hd->stats))
		hist_stats_hit(c->hd, c->elt, c->hit, c->refs);
	if (c->hd->n_actions && resolve_own_refs(c))
		hist_actions(c);
	return true;
}

static __attribute__((noinline)) bool hit_any_key(struct hist_hit_ctx *c)
{
	u64 key[KEY_WORDS_MAX];

	build_key(c->hd, c->hit, key);
	c->key = key;
	return hit_key(c);
}

bool hist_hit(struct hist_data *hd, const struct hit *hit)
{
	const struct hist_program *p = hd->program;
	struct hist_hit_ctx c; /* ->refs are set when they are resolved */
	u64 key;

	if (hit->depth >= hd->tracing->depth_max)
		return false;
	c.hd = hd;
	c.hit = hit;
	if (unlikely(!p->num_key))
		return hit_any_key(&c);
	key = value_num(&p->keys[0].value, hit, hist_unread_refs);
	c.key = &key;
	return hit_key(&c);
}

u32 hist_key_hash(const struct hist_data *hd, const struct hit *hit)
{
	u64 key[KEY_WORDS_MAX];

	build_key(hd, hit, key);
	return tracing_map_hash(hd->map, key);
}
