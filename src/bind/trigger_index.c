// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Indices of triggers, so that thousands of them need not be compared one by one: per event, by the
 * properties that make two of them equal, by the variables that they define, and by the types of
 * their keys; per instance, by their variables; per directory, by their names.
 *
 * The tables contain ids of triggers, and hist triggers of an event have ids in the order of its
 * list: the first one is the one with the smallest id. Triggers with keys of the same types form
 * a ring, and only the first one of it is in the table.
 */
#include "bind/binding.h"

/* The kind of a key, which is part of its hash. */
enum trait { SAME_SWITCH = 1, SAME_HIST, VARIABLE, KEY_TYPES };

/* The next trigger in a table with this hash, or NULL. */
static struct trigger *next_of(const struct tracing *t, const struct hash_table *table,
			       struct hash_walk *walk)
{
	size_t id;

	return hash_next(table, walk, &id) ? t->triggers.v[id - 1] : NULL;
}

static struct trigger *older_of(struct trigger *a, struct trigger *b)
{
	return a && a->id < b->id ? a : b;
}

/* --- triggers that switch something --- */

static u32 hash_switch(enum trigger_kind kind, const struct event_file *target)
{
	u32 h = hash_number(((u64)SAME_SWITCH << 32) + trigger_kind_group(kind));

	return target ? hash_bytes(h, &target->id, sizeof(target->id)) : h;
}

struct trigger *find_same_switch(const struct event_file *file, enum trigger_kind kind,
				 const struct event_file *target)
{
	struct hash_walk walk = hash_walk(hash_switch(kind, target));
	struct trigger *test;

	while ((test = next_of(file->tr->tracing, &file->by_trait, &walk)))
		if (trigger_kind_group(test->kind) == trigger_kind_group(kind) &&
		    test->target == target)
			return test;
	return NULL;
}

/* --- the same histogram --- */

static u32 hash_same(const struct trigger *trigger, const struct trigger *named)
{
	return hash_number(((u64)SAME_HIST << 32) + hist_trigger_hash(trigger, named));
}

static const struct trigger *first_of_name(const struct trigger *trigger)
{
	if (!is_named_trigger(trigger))
		return NULL;
	return trigger->named_data ? trigger->named_data : trigger;
}

struct trigger *find_same_hist(const struct event_file *file, const struct trigger *trigger,
			       const struct trigger *named)
{
	struct hash_walk walk = hash_walk(hash_same(trigger, named));
	struct trigger *found = NULL, *test;

	while ((test = next_of(file->tr->tracing, &file->by_trait, &walk)))
		if (test->hist && hist_trigger_match(trigger, test, named, false))
			found = older_of(found, test);
	return found;
}

/* --- variables --- */

static u32 hash_variable(struct span name)
{
	return hash_bytes(VARIABLE, name.s, name.n);
}

struct hist_field *find_file_var(struct event_file *file, struct span name)
{
	struct hash_walk walk = hash_walk(hash_variable(name));
	struct trigger *found = NULL, *test;

	while ((test = next_of(file->tr->tracing, &file->by_trait, &walk)))
		if (test->hist && find_var_field(test->hist, name))
			found = older_of(found, test);
	return found ? find_var_field(found->hist, name) : NULL;
}

struct event_file *find_var_event(const struct trace_array *tr, struct span name, bool *several)
{
	struct hash_walk walk = hash_walk(hash_variable(name));
	struct event_file *found = NULL;
	const struct trigger *test;

	*several = false;
	while ((test = next_of(tr->tracing, &tr->var_names, &walk))) {
		if (test->hist->file == found || !find_var_field(test->hist, name))
			continue;
		*several = found != NULL;
		if (found)
			return NULL;
		found = test->hist->file;
	}
	return found;
}

/* --- keys of the same types --- */

/* kernel: a key without a type is compatible with none */
static bool hash_keys(const struct hist_data *hd, u32 *hash)
{
	u32 i, h = hash_number(((u64)KEY_TYPES << 32) + hd->n_keys);

	for_each_hist_key_field(i, hd) {
		const struct hist_field *f = hd->fields[i];
		const u32 numbers[] = { f->size, f->is_signed };

		if (!f->type)
			return false;
		h = hash_bytes(hash_bytes(h, f->type, strlen(f->type)), numbers, sizeof(numbers));
	}
	*hash = h;
	return true;
}

/* Same number of keys, each with the same type name, size and sign. */
static bool compatible_keys(const struct hist_data *a, const struct hist_data *b)
{
	if (a->n_keys != b->n_keys)
		return false;
	for (u32 i = 0; i < a->n_keys; i++) {
		const struct hist_field *fa = a->fields[a->n_vals + i];
		const struct hist_field *fb = b->fields[b->n_vals + i];

		if (!fa->type || !fb->type || strcmp(fa->type, fb->type) || fa->size != fb->size ||
		    fa->is_signed != fb->is_signed)
			return false;
	}
	return true;
}

static bool is_first_alike(const struct trigger *trigger)
{
	return trigger->alike_prev && trigger->alike_prev->id >= trigger->id;
}

struct trigger *find_compatible_hist(const struct event_file *file, const struct hist_data *hd)
{
	struct hash_walk walk;
	struct trigger *test;
	u32 hash;

	if (!hash_keys(hd, &hash))
		return NULL;
	walk = hash_walk(hash);
	while ((test = next_of(file->tr->tracing, &file->by_trait, &walk)))
		if (test->hist && is_first_alike(test) && compatible_keys(test->hist, hd))
			return test;
	return NULL;
}

/* Append to the ring of triggers with keys of these types. */
static int add_alike(struct trigger *trigger)
{
	struct trigger *first = find_compatible_hist(trigger->file, trigger->hist);
	u32 hash;

	if (!hash_keys(trigger->hist, &hash))
		return 0;
	if (!first) {
		trigger->alike_next = trigger->alike_prev = trigger;
		return hash_add(&trigger->file->by_trait, hash, trigger->id);
	}
	trigger->alike_next = first;
	trigger->alike_prev = first->alike_prev;
	first->alike_prev->alike_next = trigger;
	first->alike_prev = trigger;
	return 0;
}

static void del_alike(struct trigger *trigger)
{
	struct hash_table *table = &trigger->file->by_trait;
	struct trigger *next = trigger->alike_next;
	u32 hash;

	if (!next || !hash_keys(trigger->hist, &hash))
		return;
	trigger->alike_prev->alike_next = next;
	next->alike_prev = trigger->alike_prev;
	if (!is_first_alike(trigger))
		return;
	hash_remove(table, hash, trigger->id);
	/* reuse the slot of a removed one */
	if (next != trigger)
		(void)hash_add(table, hash, next->id);
}

/* --- all of them --- */

static int add_variables(struct hash_table *table, const struct trigger *trigger)
{
	const struct hist_data *hd = trigger->hist;
	int err = 0;
	u32 i;

	for_each_hist_field(i, hd)
		if (!err && hd->fields[i]->flags & HIST_FIELD_FL_VAR)
			err = hash_add(table, hash_variable(span_of(hd->fields[i]->var.name)),
				       trigger->id);
	return err;
}

static void del_variables(struct hash_table *table, const struct trigger *trigger)
{
	const struct hist_data *hd = trigger->hist;
	u32 i;

	for_each_hist_field(i, hd)
		if (hd->fields[i]->flags & HIST_FIELD_FL_VAR)
			hash_remove(table, hash_variable(span_of(hd->fields[i]->var.name)),
				    trigger->id);
}

int trigger_index_add(struct trigger *trigger)
{
	struct hash_table *table = &trigger->file->by_trait;
	int err;

	if (!trigger->hist)
		return hash_add(table, hash_switch(trigger->kind, trigger->target), trigger->id);
	err = hash_add(table, hash_same(trigger, first_of_name(trigger)), trigger->id);
	err = err ?: add_variables(table, trigger);
	return err ?: add_alike(trigger);
}

void trigger_index_del(struct trigger *trigger)
{
	struct hash_table *table = &trigger->file->by_trait;

	if (!trigger->hist) {
		hash_remove(table, hash_switch(trigger->kind, trigger->target), trigger->id);
		return;
	}
	hash_remove(table, hash_same(trigger, first_of_name(trigger)), trigger->id);
	del_variables(table, trigger);
	del_alike(trigger);
}

/* --- what outlives the removal from the event's list: names, and variables of the instance --- */

struct trigger *find_named_trigger(const struct tracing *t, const char *name)
{
	struct hash_walk walk = hash_walk(name ? hash_text(name) : 0);
	struct trigger *test;

	while (name && (test = next_of(t, &t->trigger_names, &walk)))
		if (!strcmp(test->name, name))
			return test;
	return NULL;
}

int hist_index_add(const struct trigger *first)
{
	struct trace_array *tr = first->file->tr;
	int err = add_variables(&tr->var_names, first);

	if (!err && first->name)
		err = hash_add(&tr->tracing->trigger_names, hash_text(first->name), first->id);
	return err;
}

void hist_index_del(const struct trigger *first)
{
	struct trace_array *tr = first->file->tr;

	del_variables(&tr->var_names, first);
	if (first->name)
		hash_remove(&tr->tracing->trigger_names, hash_text(first->name), first->id);
}
