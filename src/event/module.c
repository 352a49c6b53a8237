// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The modules of events, and the order in which events are listed, from the text of kallsyms.
 *
 * No file of the tracing directory contains the module, but each tracepoint has its own function
 * that calls its probes, __traceiter_NAME, and kallsyms lists the module of that function.
 */
#include "event/event_db.h"

struct owner {
	struct span event, module;
};

struct event_modules {
	ARRAY(struct owner) list; /* by event */
};

DEFINE_ORDER(compare_owners, struct owner, span_cmp(x->event, y->event))

/* Lines "ADDR T __traceiter_NAME\t[MODULE]" */
static int read_owners(struct event_modules *m, struct span text)
{
	static const char prefix[] = " __traceiter_";
	const char *p = text.s, *end = text.s + text.n;
	int err = 0;

	while (!err && (p = memmem(p, (size_t)(end - p), prefix, strlen(prefix)))) {
		struct span line = span_between(p + strlen(prefix), end), event;

		line = span_sep(&line, "\n");
		p = line.s;
		event = span_sep(&line, "\t");
		if (line.n >= 3 && line.s[0] == '[' && line.s[line.n - 1] == ']')
			err = array_push(&m->list,
					 ((struct owner){ event, { line.s + 1, line.n - 2 } }));
	}
	if (m->list.n)
		qsort(m->list.v, m->list.n, sizeof(struct owner), compare_owners);
	return err;
}

/* If out of memory, no modules are known. */
struct span event_module(struct event_db *db, struct span name)
{
	struct span text = { NULL, 0 };
	struct owner key = { .event = name };
	const struct owner *found = NULL;

	if (!db->modules) {
		db->modules = calloc(1, sizeof(*db->modules));
		if (db->modules && db->sources.kallsyms &&
		    !db->sources.kallsyms(db->sources.arg, &text) && text.s &&
		    read_owners(db->modules, text))
			array_release(&db->modules->list);
	}
	if (db->modules && db->modules->list.n)
		found = bsearch(&key, db->modules->list.v, db->modules->list.n,
				sizeof(struct owner), compare_owners);
	return found ? found->module : (struct span){ NULL, 0 };
}

void event_modules_free(struct event_modules *m)
{
	if (m)
		array_release(&m->list);
	free(m);
}

/* An event that did not exist when the kernel booted. */
static bool is_late(struct event_db *db, const struct event_text *text)
{
	static const char *const systems[] = { "synthetic", "kprobes", "uprobes",
					       "eprobes",   "fprobes", "user_events" };

	for (size_t i = 0; i < ARRAY_SIZE(systems); i++)
		if (!strcmp(text->system, systems[i]))
			return true;
	return span_find(text->text, span_of("\tfield:unsigned long __probe_")) ||
	       event_module(db, text->name).s;
}

struct listed {
	u32 index, id;
	bool late;
};

DEFINE_ORDER(compare_listed, struct listed,
	     cmp_int(y->late, x->late)
		     ?: x->late ? cmp_int(y->id, x->id)
				: cmp_int(x->id, y->id))

const u32 *event_db_listed(struct event_db *db, size_t *n)
{
	struct listed *list;

	*n = db->n_texts;
	if (db->listed)
		return db->listed;
	list = calloc(db->n_texts + 1, sizeof(*list));
	db->listed = list ? calloc(db->n_texts + 1, sizeof(*db->listed)) : NULL;
	for (size_t i = 0; db->listed && i < db->n_texts; i++)
		list[i] = (struct listed){ (u32)i, db->texts[i].id, is_late(db, &db->texts[i]) };
	if (db->listed)
		qsort(list, db->n_texts, sizeof(*list), compare_listed);
	for (size_t i = 0; db->listed && i < db->n_texts; i++)
		db->listed[i] = list[i].index;
	free(list);
	return db->listed;
}
