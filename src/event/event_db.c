// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The formats of one recording. Enters: the list of format texts. Leaves: a parsed format
 * for each event that somebody asks for, always the same one.
 *
 * Making the database costs one pass over the names; the texts themselves are not read
 * before they are asked for. Ids are indexed at the first lookup by id.
 *
 * A synthetic event that a script defines is a format that was added: it is looked at
 * before those of the recording, so it hides a recorded event of the same name.
 */
#include <stdlib.h>

#include "event/event_db.h"

static u32 hash_bytes(u32 h, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h = (h ^ (u8)s[i]) * 16777619u;
	return h;
}

static u32 hash_name(const char *system, struct span name)
{
	u32 h = hash_bytes(2166136261u, name.s, name.n);

	h = hash_bytes(h, system, strlen(system));
	return h ^ h >> 15;
}

static u32 hash_id(u32 id)
{
	return id * 2654435769u >> 7;
}

static int index_init(struct event_index *ix, size_t n)
{
	size_t slots = 16;

	if (n > UINT32_MAX / 4)
		return HIST_NOMEM;
	while (slots < n * 2)
		slots *= 2;
	ix->slots = calloc(slots, sizeof(*ix->slots));
	if (!ix->slots)
		return HIST_NOMEM;
	ix->mask = (u32)(slots - 1);
	return 0;
}

static bool is_named(const struct event_text *t, const char *system, struct span name)
{
	return t->name.n == name.n && (!name.n || !memcmp(t->name.s, name.s, name.n)) &&
	       !strcmp(t->system, system);
}

/* The slot that holds that event, or the empty one that would. */
static u32 *slot_of_name(const struct event_db *db, const char *system, struct span name)
{
	const struct event_index *ix = &db->by_name;
	u32 h = hash_name(system, name);

	while (ix->slots[h & ix->mask] &&
	       !is_named(&db->texts[ix->slots[h & ix->mask] - 1], system, name))
		h++;
	return &ix->slots[h & ix->mask];
}

static u32 *slot_of_id(const struct event_db *db, u32 id)
{
	const struct event_index *ix = &db->by_id;
	u32 h = hash_id(id);

	while (ix->slots[h & ix->mask] && db->texts[ix->slots[h & ix->mask] - 1].id != id)
		h++;
	return &ix->slots[h & ix->mask];
}

/* Of several events with one name or id the first is meant. */
static void index_add(u32 *slot, size_t text)
{
	if (!*slot)
		*slot = (u32)text + 1;
}

static int build_name_index(struct event_db *db)
{
	if (index_init(&db->by_name, db->n_texts))
		return HIST_NOMEM;
	for (size_t i = 0; i < db->n_texts; i++)
		index_add(slot_of_name(db, db->texts[i].system, db->texts[i].name), i);
	return 0;
}

static int build_id_index(struct event_db *db)
{
	if (index_init(&db->by_id, db->n_texts)) {
		db->failed = true;
		return HIST_NOMEM;
	}
	for (size_t i = 0; i < db->n_texts; i++)
		index_add(slot_of_id(db, db->texts[i].id), i);
	return 0;
}

int event_db_new(struct event_db **dbp, const struct event_text *texts, size_t n,
		 struct event_machine machine, const struct event_sources *sources)
{
	struct event_db *db;

	*dbp = NULL;
	if (machine.long_size != 4 && machine.long_size != 8)
		return -HIST_EINVAL;
	db = calloc(1, sizeof(*db));
	if (!db)
		return HIST_NOMEM;
	db->texts = texts;
	db->n_texts = n;
	db->machine = machine;
	if (sources)
		db->sources = *sources;
	db->parsed = calloc(n ? n : 1, sizeof(const struct event_format *));
	if (!db->parsed || build_name_index(db)) {
		event_db_free(db);
		return HIST_NOMEM;
	}
	*dbp = db;
	return 0;
}

void event_db_free(struct event_db *db)
{
	if (!db)
		return;
	event_tep_free(db->tep);
	event_symbols_free(db->symbols);
	event_names_free(db->comms);
	event_names_free(db->printk);
	event_modules_free(db->modules);
	free(db->listed);
	array_release(&db->added);
	free(db->by_name.slots);
	free(db->by_id.slots);
	free(db->parsed);
	arena_release(&db->arena);
	free(db);
}

bool event_db_failed(const struct event_db *db)
{
	return db->failed;
}

const struct event_text *event_db_texts(const struct event_db *db, size_t *n)
{
	*n = db->n_texts;
	return db->texts;
}

/* Stands for a text that was tried once and is none. */
static const struct event_format unparsable;

static int parsed_text(struct event_db *db, size_t i, const struct event_format **fmt)
{
	int err = 0;

	if (!db->parsed[i])
		err = event_format_parse(db, &db->texts[i], &db->parsed[i]);
	db->failed |= err == HIST_NOMEM;
	if (err == -HIST_EFORMAT)
		db->parsed[i] = &unparsable;
	else if (err)
		return err;
	*fmt = db->parsed[i];
	return *fmt == &unparsable ? -HIST_EFORMAT : 0;
}

u32 event_db_recorded(const struct event_db *db, const char *system, struct span name)
{
	return *slot_of_name(db, system, name);
}

static struct event_added *find_added(struct event_db *db, const char *system, const char *name)
{
	for (size_t i = db->added.n; i-- > 0;) {
		struct event_added *a = &db->added.v[i];

		if (!a->removed && !strcmp(a->fmt->name, name) && !strcmp(a->fmt->system, system))
			return a;
	}
	return NULL;
}

int event_db_find(struct event_db *db, const char *system, const char *name,
		  const struct event_format **fmt)
{
	const struct event_added *a = find_added(db, system, name);
	u32 slot;

	if (a) {
		*fmt = a->fmt;
		return 0;
	}
	slot = *slot_of_name(db, system, span_of(name));
	return slot ? parsed_text(db, slot - 1, fmt) : -HIST_ENOENT;
}

int event_db_find_id(struct event_db *db, u32 id, const struct event_format **fmt)
{
	u32 slot;

	for (size_t i = db->added.n; i-- > 0;) {
		if (!db->added.v[i].removed && db->added.v[i].fmt->id == id) {
			*fmt = db->added.v[i].fmt;
			return 0;
		}
	}
	if (!db->by_id.mask && build_id_index(db))
		return HIST_NOMEM;
	slot = *slot_of_id(db, id);
	return slot ? parsed_text(db, slot - 1, fmt) : -HIST_ENOENT;
}

int event_db_add(struct event_db *db, const char *system, const char *text, size_t len)
{
	struct event_text src = { .system = arena_strdup(&db->arena, system) };
	char *copy = arena_strndup(&db->arena, text, len);
	struct event_added added = { NULL, false };
	int err;

	if (!src.system || !copy)
		return HIST_NOMEM;
	src.text = (struct span){ copy, len };
	err = event_format_header(src.text, &src.name, &src.id);
	if (!err)
		err = event_format_parse(db, &src, &added.fmt);
	return err ? err : array_push(&db->added, added);
}

int event_db_remove(struct event_db *db, const char *system, const char *name)
{
	struct event_added *a = find_added(db, system, name);

	if (!a)
		return -HIST_ENOENT;
	a->removed = true;
	return 0;
}
