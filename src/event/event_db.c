// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The formats of one recording: parses each format text at the first lookup of its event.
 *
 * Creating the database takes one pass over the names; the texts themselves are not read. Ids are
 * indexed at the first lookup by id.
 *
 * A synthetic event that a script defines is an added format: added formats are searched before
 * those of the recording, so they hide recorded events with the same name.
 */
#include "event/btf.h"

static u32 hash_name(const char *system, struct span name)
{
	return hash_bytes(hash_bytes(0, name.s, name.n), system, strlen(system));
}

u32 event_db_recorded(const struct event_db *db, const char *system, struct span name)
{
	hash_each(i, &db->by_name, hash_name(system, name)) {
		const struct event_text *t = &db->texts[i];

		if (t->name.n == name.n && (!name.n || !memcmp(t->name.s, name.s, name.n)) &&
		    !strcmp(t->system, system))
			return (u32)i + 1;
	}
	return 0;
}

/* Index + 1 of the recording's format with this id; 0 if there is none. */
static u32 recorded_id(const struct event_db *db, u32 id)
{
	hash_each(i, &db->by_id, hash_number(id))
		if (db->texts[i].id == id)
			return (u32)i + 1;
	return 0;
}

/* If several events have the same name or id, the first is used. */
static int build_index(struct event_db *db, bool by_id)
{
	int err = 0;

	for (size_t i = 0; !err && i < db->n_texts; i++) {
		const struct event_text *t = &db->texts[i];

		if (by_id && !recorded_id(db, t->id))
			err = hash_add(&db->by_id, hash_number(t->id), i);
		else if (!by_id && !event_db_recorded(db, t->system, t->name))
			err = hash_add(&db->by_name, hash_name(t->system, t->name), i);
	}
	return err;
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
	if (!db->parsed || build_index(db, false)) {
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
	event_btf_free(db->btf);
	free(db->listed);
	array_release(&db->added);
	hash_release(&db->added_by_name);
	hash_release(&db->added_by_id);
	hash_release(&db->by_name);
	hash_release(&db->by_id);
	free(db->parsed);
	arena_release(&db->arena);
	free(db);
}

int event_db_share(struct event_db *db)
{
	event_symbols_load(db);
	event_printk(db, 0);
	event_saved_comm(db, 1);
	return db->failed ? HIST_NOMEM : 0;
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

/* Marks a format that could not be parsed. */
static const struct event_format unparsable;

static int parsed_text(struct event_db *db, size_t i, const struct event_format **fmt)
{
	int err = 0;

	if (!db->parsed[i])
		err = event_format_parse(db, &db->texts[i], &db->parsed[i]);
	db->failed |= err == HIST_NOMEM;
	if (err && err != -HIST_EFORMAT)
		return err;
	if (err) {
		db->parsed[i] = &unparsable;
		if (db->sources.unparsable)
			db->sources.unparsable(db->sources.arg, &db->texts[i]);
	}
	*fmt = db->parsed[i];
	return *fmt == &unparsable ? -HIST_EFORMAT : 0;
}

/* Index + 1 of the last added event with this name, or with this id if @system is NULL; 0: none. */
static size_t find_added(const struct event_db *db, const char *system, const char *name, u32 id)
{
	struct hash_walk walk =
		hash_walk(system ? hash_name(system, span_of(name)) : hash_number(id));
	size_t found = 0, i;

	while (hash_next(system ? &db->added_by_name : &db->added_by_id, &walk, &i)) {
		const struct event_format *fmt = db->added.v[i];

		if (system ? !strcmp(fmt->name, name) && !strcmp(fmt->system, system)
			   : fmt->id == id)
			found = max_t(size_t, found, i + 1);
	}
	return found;
}

int event_db_find(struct event_db *db, const char *system, const char *name,
		  const struct event_format **fmt)
{
	size_t added = find_added(db, system, name, 0);
	u32 text;

	if (added) {
		*fmt = db->added.v[added - 1];
		return 0;
	}
	text = event_db_recorded(db, system, span_of(name));
	return text ? parsed_text(db, text - 1, fmt) : -HIST_ENOENT;
}

int event_db_find_id(struct event_db *db, u32 id, const struct event_format **fmt)
{
	size_t added = find_added(db, NULL, NULL, id);
	u32 text;

	if (added) {
		*fmt = db->added.v[added - 1];
		return 0;
	}
	if (!db->by_id_built && build_index(db, true)) {
		hash_release(&db->by_id);
		db->failed = true;
		return HIST_NOMEM;
	}
	db->by_id_built = true;
	text = recorded_id(db, id);
	return text ? parsed_text(db, text - 1, fmt) : -HIST_ENOENT;
}

static void hide_added(struct event_db *db, size_t i)
{
	const struct event_format *fmt = db->added.v[i];

	hash_remove(&db->added_by_name, hash_name(fmt->system, span_of(fmt->name)), i);
	hash_remove(&db->added_by_id, hash_number(fmt->id), i);
}

int event_db_add(struct event_db *db, const char *system, const char *text, size_t len)
{
	struct event_text src = { .system = arena_strdup(&db->arena, system) };
	char *copy = arena_strndup(&db->arena, text, len);
	const struct event_format *fmt;
	size_t i = db->added.n;
	int err;

	if (!src.system || !copy)
		return HIST_NOMEM;
	src.text = (struct span){ copy, len };
	err = event_format_header(src.text, &src.name, &src.id);
	err = err ?: event_format_parse(db, &src, &fmt);
	err = err ?: array_push(&db->added, fmt);
	if (err)
		return err;
	if (hash_add(&db->added_by_name, hash_name(fmt->system, span_of(fmt->name)), i) ||
	    hash_add(&db->added_by_id, hash_number(fmt->id), i)) {
		hide_added(db, i);
		db->added.n--;
		return HIST_NOMEM;
	}
	return 0;
}

int event_db_remove(struct event_db *db, const char *system, const char *name)
{
	size_t added = find_added(db, system, name, 0);

	if (!added)
		return -HIST_ENOENT;
	hide_added(db, added - 1);
	return 0;
}
