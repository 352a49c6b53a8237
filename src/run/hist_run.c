// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Updates one histogram with one record. In this order: the key; the variables of other triggers
 * (if one of them is not set, the hit has no effect); the entry; values and variables; the
 * trigger's own variables; the actions.
 *
 * Corresponds to event_hist_trigger(), hist_trigger_elt_update(), resolve_var_refs().
 */
#include "run/key_build.h"
#include "tracing/trigger.h"

/* --- references --- */

enum resolved { RESOLVED_NOTHING, RESOLVED_SOME, RESOLVED_ALL };

/*
 * kernel: a variable is looked up with the key of the hit, whatever its owner's key is; and a
 * value remains marked as read even if a later reference fails.
 */
static inline __attribute__((always_inline)) enum resolved resolve_other_refs(
	struct hist_hit_ctx *c, const struct hist_program *p, u32 words, u32 hash, bool only)
{
	const struct ref_step *end = p->other_refs + p->n_other_refs;
	struct hist_count *const *owner = c->hc->owners;

	for (const struct ref_step *ref = p->other_refs; ref < end; ref++, owner++) {
		struct tracing_map *map = (*owner)->parts[c->hit->part].map;
		bool alike = only || likely(map->key_words == words);
		struct tracing_map_elt *elt =
			tracing_map_lookup_words(map, c->key, alike ? words : map->key_words,
						 alike ? hash : tracing_map_hash(map, c->key));

		if (!elt || !tracing_map_var_set(map, elt, ref->idx))
			return ref > p->other_refs ? RESOLVED_SOME : RESOLVED_NOTHING;
		c->refs[ref->ref] = elt->words[ref->word];
		if (ref->read_once)
			tracing_map_unset_var(map, elt, ref->idx);
	}
	return RESOLVED_ALL;
}

/* The trigger's own variables, except those that the update set. */
static inline bool resolve_own_refs(struct hist_hit_ctx *c)
{
	const struct hist_program *p = c->hd->program;

	for (u32 i = 0; i < p->n_own_refs; i++) {
		if (!tracing_map_var_set(c->map, c->elt, p->own_refs[i].idx))
			return false;
		c->refs[p->own_refs[i].ref] = c->elt->words[p->own_refs[i].word];
	}
	return true;
}

/* --- the entry --- */

/*
 * Strings that must outlive the record are copied to the entry, and the variable points to the
 * copy. kernel: copies up to the NUL and ignores the length of a dynamic string, so an empty one (a
 * kprobe could not read it) becomes the string that follows it in memory.
 */
static void keep_text(struct hist_hit_ctx *c, const struct update_step *step, char *to)
{
	bool big = c->hd->program->big_endian, relative = step->value.kind == VALUE_RDYN;
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
}

u64 hist_keep_any(struct hist_hit_ctx *c, const struct update_step *step)
{
	char *to = (char *)c->elt + step->offset;
	u64 *longs = (u64 *)(void *)to, at;
	u32 max = c->hd->program->stack_depth;

	if (step->kind == UPDATE_PART) {
		/*
		 * kernel: calculates with addresses. After the end of a string there are zeros or
		 * the rest of a longer one; before its start and far after it, undefined bytes.
		 */
		to = (char *)(uintptr_t)c->refs[step->text];
		at = value_num(&step->value, c->hit, c->refs);
		return to && at < STR_VAR_LEN_MAX ? (u64)(uintptr_t)(to + strnlen(to, at)) : 0;
	}
	if (step->kind == UPDATE_STACK) {
		/* the count, the entries, and a zero after them where the kernel writes one */
		longs[0] = c->hit->context->stack(c->hit->context->arg, longs + 1, max);
		if (longs[0] < max - 1)
			longs[1 + longs[0]] = 0;
	} else {
		keep_text(c, step, to);
	}
	return (u64)(uintptr_t)to;
}

/* The same, with a shorter way for a string of fixed size. */
static __attribute__((noinline)) u64 hist_keep(struct hist_hit_ctx *c,
					       const struct update_step *step)
{
	const struct hit *hit = c->hit;
	char *to = (char *)c->elt + step->offset;

	if (step->kind != UPDATE_ARRAY || step->value.offset + step->size > hit->len)
		return hist_keep_any(c, step);
	text_copy_array(to, (const char *)hit->rec + step->value.offset, step->size);
	return (u64)(uintptr_t)to;
}

static inline __attribute__((always_inline)) void hist_update(struct hist_hit_ctx *c, u64 *words,
							      const struct update_list *list)
{
	const struct update_step *end = list->steps + list->n;

	for (const struct update_step *step = list->steps; step < end; step++) {
		u64 v;

		if (likely(step->kind == UPDATE_VAR)) {
			v = value_num(&step->value, c->hit, c->refs);
		} else if (step->kind == UPDATE_SUM) {
			words[step->word] += value_num(&step->value, c->hit, c->refs);
			continue;
		} else if (step->kind == UPDATE_LEND &&
			   likely(step->value.offset + step->size <= c->hit->len)) {
			c->refs[step->ref] = (u64)(uintptr_t)(c->hit->rec + step->value.offset);
			continue;
		} else {
			v = hist_keep(c, step);
		}
		words[step->word] = v;
		c->refs[step->ref] = v;
	}
	if (list->set)
		words[list->set_at] |= list->set;
}

void hist_save(struct hist_hit_ctx *c)
{
	hist_update(c, c->elt->words, c->saves);
}

/* A new entry stores the name of the current task. */
static __attribute__((noinline)) void init_elt(struct hist_hit_ctx *c)
{
	if (c->hd->has_comm)
		hist_first_hit(elt_first_hit(c->hd, c->elt), c->hit);
}

__attribute__((noinline)) void hist_follow(struct hist_hit_ctx *c)
{
	if (c->hd->is_sampled && c->hd->stats)
		hist_samples_hit(c->hc, c->elt, c->hit, c->refs);
	if (c->hd->is_sampled && c->hd->exemplars)
		hist_exemplars_hit(c->hc, c->elt, c->hit, c->refs);
	if (c->hd->n_actions && resolve_own_refs(c))
		hist_actions(c);
}

/*
 * The trace action fused with the only histogram on its event: a hit on the references. Otherwise
 * like event_hit() after trace_synth().
 */
static inline void hit_reader(struct hist_hit_ctx *c, const struct fused_trace *fused)
{
	const struct trigger *reader = fused->reader;
	struct hit hit = *c->hit;

	if (reader->paused)
		return;
	c->refs[REF_NULL] = 0;
	hit.file = reader->file;
	hit.rec = (const u8 *)c->refs;
	hit.len = sizeof(c->refs);
	hit.depth++;
	hist_hit_by(fused->count, &fused->program, &hit);
}

/*
 * Whether the hit changed anything: with unset references it has no effect. The key has @words
 * words; @only: as has every other key that is looked up.
 */
static inline __attribute__((always_inline)) bool hit_key(struct hist_hit_ctx *c,
							  const struct hist_program *p,
							  const u64 *key, u32 words, bool only)
{
	u32 hash = tracing_map_hash_words(key, words);
	struct tracing_map *map = c->map;
	struct tracing_map_elt *elt;
	enum resolved resolved;

	c->key = key;
	c->saves = &p->saves;
	if (p->n_other_refs &&
	    (resolved = resolve_other_refs(c, p, words, hash, only)) != RESOLVED_ALL)
		return resolved == RESOLVED_SOME;
	elt = c->elt = tracing_map_lookup_words(map, key, words, hash);
	if (likely(elt != NULL)) {
		map->hits++;
	} else {
		elt = c->elt = tracing_map_insert_new(map, key, hash);
		if (!elt)
			return true;
		init_elt(c);
	}
	tracing_map_sums(elt)[HITCOUNT_IDX]++;
	hist_update(c, elt->words, &p->updates);
	if (!p->is_followed)
		return true;
	if (p->fused)
		hit_reader(c, p->fused);
	else if (p->trace)
		hist_trace(c, p->trace);
	else
		hist_follow(c);
	return true;
}

static inline void hist_start(struct hist_hit_ctx *c, const struct hist_count *hc,
			      const struct hit *hit)
{
	/* ->refs are set when they are resolved */
	c->hd = hc->hd;
	c->hc = hc;
	c->hit = hit;
	c->map = hc->parts[hit->part].map;
}

/* The most common key: one number. */
static __attribute__((noinline)) bool hit_number(struct hist_count *hc,
						 const struct hist_program *p,
						 const struct hit *hit)
{
	const struct value *v = &p->keys[0].value;
	/* a pid, without a call */
	bool is_int = v->code == OP_LOAD_S32 && v->offset + 4 <= hit->len;
	const u64 key = is_int ? value_load(OP_LOAD_S32, v, hit->rec + v->offset)
			       : value_num(v, hit, hist_unread_refs);
	struct hist_hit_ctx c;

	hist_start(&c, hc, hit);
	return hit_key(&c, p, &key, 1, true);
}

static __attribute__((noinline)) bool hit_any(struct hist_count *hc, const struct hist_program *p,
					      const struct hit *hit)
{
	u64 key[HIST_KEY_WORDS_MAX]; /* the rest of the buffer is not accessed */
	struct hist_hit_ctx c;

	hist_start(&c, hc, hit);
	hist_key_build(p, hit, key);
	/* a name of a task and a number: without loops over words */
	if (c.map->key_words == 3)
		return hit_key(&c, p, key, 3, false);
	return hit_key(&c, p, key, c.map->key_words, false);
}

/* --- values of a deriver --- */

static inline u64 number_of(const struct fused_value *v, const struct hit *hit)
{
	return v->number ? value_num(v->number, hit, hist_unread_refs)
			 : load_u64(hit->rec + v->at, false);
}

/*
 * Whether the text is this part of a key, which has only zeros after a NUL. Nothing after the word
 * with its NUL is read.
 */
static inline bool is_text(const u64 *part, u64 text, u32 words)
{
	const char *at = (const char *)(uintptr_t)text;
	u64 word;

	if (unlikely(!text || text & 7))
		return false;
	do {
		memcpy(&word, at, sizeof(word));
		if (word != *part++)
			return false;
		at += sizeof(word);
	} while (--words && !text_zeros(word));
	return true;
}

/* Whether it is the key of which the parts have these values. */
static inline bool is_key(const u64 *key, const struct fused_recent *r, const u64 *values)
{
	for (u32 i = 0; i < r->n_parts; i++) {
		const u32 words = r->parts[i].words;

		if (words ? !is_text(key, values[i], words) : *key != values[i])
			return false;
		key += words ? words : 1;
	}
	return true;
}

/* A hit on any entry, whose number is set. */
static __attribute__((noinline)) void hit_values(const struct fused_trace *fused,
						 const struct hit *hit, u32 *number)
{
	u64 key[HIST_KEY_WORDS_MAX];
	struct hist_hit_ctx c;

	hist_start(&c, fused->count, hit);
	hist_key_build(&fused->program, hit, key);
	hit_key(&c, &fused->program, key, c.map->key_words, false);
	*number = tracing_map_find(c.map, key, c.map->key_words, tracing_map_hash(c.map, key));
}

/* The entry of the last hit with these values, which mostly has the same key; NULL if it has not.
 */
static inline struct tracing_map_elt *recent_entry(const struct tracing_map *map,
						   const struct fused_recent *r, const u64 *values,
						   u32 number)
{
	struct tracing_map_elt *elt;

	if (unlikely(number - 1 >= map->n_elts))
		return NULL;
	elt = tracing_map_elt_of(map, number);
	return likely(is_key(elt->words + map->key_at, r, values)) ? elt : NULL;
}

/* Constant numbers of parts and sums avoid loops. */
static inline __attribute__((always_inline)) void hit_all(const struct fused_trace *fused,
							  const struct fused_recent *r,
							  struct hit *hit, size_t n)
{
	struct tracing_map *map = fused->count->parts[hit->part].map;

	for (; n; n--, hit->rec += hit->len) {
		u64 values[FUSED_PARTS_MAX], hash = 0;
		struct tracing_map_elt *elt;
		u32 *number;

		for (u32 i = 0; i < r->n_parts; i++) {
			values[i] = number_of(&r->parts[i], hit);
			/* of addresses at any distance, this factor makes different places */
			hash = (hash ^ values[i]) * 0xc2b2ae3d27d4eb4full;
		}
		number = &r->entries[hash >> (64 - FUSED_RECENT_SHIFT)];
		elt = recent_entry(map, r, values, *number);
		if (unlikely(!elt)) {
			hit_values(fused, hit, number);
			continue;
		}
		map->hits++;
		tracing_map_sums(elt)[HITCOUNT_IDX]++;
		for (u32 i = 0; i < r->n_sums; i++)
			elt->words[r->sums[i].word] += number_of(&r->sums[i], hit);
	}
}

static __attribute__((noinline)) void hit_sum(const struct fused_trace *fused, struct hit *hit,
					      size_t n)
{
	const struct fused_recent *r = fused->recent;
	const struct fused_recent one = { .n_parts = 1,
					  .n_sums = 1,
					  .parts[0] = r->parts[0],
					  .sums[0] = r->sums[0],
					  .entries = r->entries };

	hit_all(fused, &one, hit, n);
}

static __attribute__((noinline)) void hit_only(const struct fused_trace *fused, struct hit *hit,
					       size_t n)
{
	const struct fused_recent *r = fused->recent;
	const struct fused_recent one = { .n_parts = 1,
					  .parts[0] = r->parts[0],
					  .entries = r->entries };

	hit_all(fused, &one, hit, n);
}

void hist_hit_values(const struct fused_trace *fused, struct hit *hit, size_t n)
{
	const struct fused_recent *r = fused->recent;

	if (r->n_parts == 1 && r->n_sums == 1)
		hit_sum(fused, hit, n);
	else if (r->n_parts == 1 && !r->n_sums)
		hit_only(fused, hit, n);
	else
		hit_all(fused, r, hit, n);
}

u32 hist_hit_entry(const struct fused_trace *fused, const struct hit *hit)
{
	u32 number;

	hit_values(fused, hit, &number);
	return number - 1 < fused->count->parts[hit->part].map->n_elts ? number : 0;
}

void hist_add_hits(const struct fused_trace *fused, u16 part, u32 number, u64 n, const u64 *sums)
{
	struct tracing_map *map = fused->count->parts[part].map;
	struct tracing_map_elt *elt = tracing_map_elt_of(map, number);

	map->hits += n;
	tracing_map_sums(elt)[HITCOUNT_IDX] += n;
	for (u32 i = 0; i < fused->values->n_sums; i++)
		elt->words[fused->values->sums[i].word] += sums[i];
}

bool hist_hit_by(struct hist_count *hc, const struct hist_program *p, const struct hit *hit)
{
	if (hit->depth && hit->depth >= p->depth_max)
		return false;
	return likely(p->only_num_key) ? hit_number(hc, p, hit) : hit_any(hc, p, hit);
}

bool hist_hit(struct hist_count *hc, const struct hit *hit)
{
	return hist_hit_by(hc, hc->program, hit);
}
