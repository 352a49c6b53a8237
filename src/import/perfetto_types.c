// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The types of events of a Perfetto trace, and the formats that they get in the trace.dat.
 *
 * Perfetto stores what it knows of an event of the kernel in a message of its own; the table
 * perfetto_format/perfetto_format.h has them. Others come with their names, or are described by the
 * trace.
 */
#include "import/perfetto.h"
#include "import/text_known.h"

/* --- types --- */

static void set_field(struct perfetto_type *type, u32 number, char kind, const char *name)
{
	made_field_set(&type->fields[number], kind, name);
	type->n_fields = (u8)max_t(u32, type->n_fields, number);
}

static struct perfetto_type *new_type(struct perfetto_types *t, const char *system,
				      const char *name)
{
	struct perfetto_type *type = arena_alloc(&t->arena, sizeof(*type));

	if (!type || !name || array_push(&t->list, type)) {
		t->arena.failed = true;
		return NULL;
	}
	type->system = system;
	type->name = name;
	return type;
}

struct perfetto_type *perfetto_type_known(struct perfetto_types *t, u64 number)
{
	const struct perfetto_known *known = perfetto_known_of(number);
	struct perfetto_type *type = perfetto_type_of(t, number);
	struct perfetto_known_field f;
	struct span rest;

	if (type || !known)
		return type;
	type = new_type(t, known->system, known->name);
	rest = span_of(known->fields);
	while (type && (f = perfetto_known_next(&rest)).type) {
		const char *name = arena_strndup(&t->arena, f.name.s, f.name.n);

		if (!name)
			return NULL;
		set_field(type, f.number, f.type, name);
		type->fields[f.number].optional = f.optional;
		type->n_unseen += f.optional;
	}
	t->known_types[number] = type;
	return type;
}

void perfetto_types_release(struct perfetto_types *t)
{
	array_release(&t->list);
	perfetto_keys_release(&t->described);
	hash_release(&t->by_name);
	arena_release(&t->arena);
}

struct made_field *perfetto_field_named(struct perfetto_type *type, struct span name)
{
	for (size_t i = 1; i <= type->n_fields; i++)
		if (type->fields[i].type && span_eq(name, type->fields[i].name))
			return &type->fields[i];
	return NULL;
}

/* --- described types --- */

/* By the number of a type in a FieldDescriptorProto; 0: kernels have no such field. */
static const char described_kinds[] = {
	[3] = 'l', [4] = 'L',  [5] = 'i',  [6] = 'L',  [7] = 'u',  [8] = 'u',
	[9] = 's', [12] = 'b', [13] = 'u', [14] = 'i', [15] = 'i', [16] = 'l'
};

static bool is_name(struct span name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!is_word(name.s[i]))
			return false;
	return name.n > 0 && name.n < 64 && !is_digit(name.s[0]);
}

static int describe_field(struct perfetto_types *t, struct perfetto_type *type, struct proto field)
{
	struct span name = { NULL, 0 };
	u64 number = 0, type_number = 0;
	bool repeated = false;
	struct proto_field f;
	char *copy;

	while (proto_next(&field, &f)) {
		if (f.number == 1)
			name = proto_text(&f);
		else if (f.number == 3)
			number = f.v;
		else if (f.number == 4)
			repeated = f.v == 3;
		else if (f.number == 5)
			type_number = f.v;
	}
	if (!number || number >= PERFETTO_FIELDS_MAX || !is_name(name) || repeated ||
	    type_number >= ARRAY_SIZE(described_kinds) || !described_kinds[type_number] ||
	    perfetto_field_named(type, name))
		return 0;
	copy = arena_strndup(&t->arena, name.s, name.n);
	if (!copy)
		return HIST_NOMEM;
	set_field(type, (u32)number, described_kinds[type_number], copy);
	return 0;
}

int perfetto_types_describe(struct perfetto_types *t, u64 sequence, struct proto message)
{
	struct span name = { NULL, 0 }, group = { NULL, 0 };
	struct proto fields = proto_of(NULL, 0), all;
	struct perfetto_type *type;
	struct perfetto_key key = { .sequence = sequence };
	struct proto_field f;
	int err = 0;

	while (proto_next(&message, &f)) {
		if (f.number == 1)
			key.number = f.v;
		else if (f.number == 2)
			fields = proto_message(&f);
		else if (f.number == 3)
			group = proto_text(&f);
	}
	for (all = fields; proto_next(&all, &f);)
		if (f.number == 1)
			name = proto_text(&f);
	if (!key.number || !span_is_file_name(name) || (group.n && !span_is_file_name(group)) ||
	    perfetto_keys_find(&t->described, sequence, key.number))
		return 0;
	type = new_type(t, group.n ? arena_strndup(&t->arena, group.s, group.n) : NULL,
			arena_strndup(&t->arena, name.s, name.n));
	key.item = (u32)t->list.n - 1;
	if (!type || (group.n && !type->system) || perfetto_keys_add(&t->described, &key))
		return HIST_NOMEM;
	while (proto_next(&fields, &f) && !err)
		if (f.number == 2)
			err = describe_field(t, type, proto_message(&f));
	/* a text of trace_marker that is none of Perfetto's, as hist writes it */
	type->prints = span_eq(group, "ftrace") && span_eq(name, "print") &&
		       perfetto_field_named(type, span_of("buf")) == &type->fields[2];
	return err;
}

/* --- types by name --- */

static struct perfetto_type *named(struct perfetto_types *t, struct span name, const char *system)
{
	const u32 hash = hash_bytes(0, name.s, name.n);
	struct perfetto_type *type;

	hash_each(i, &t->by_name, hash) {
		type = t->list.v[i];
		if (span_eq(name, type->name) && type->system == system)
			return type;
	}
	type = new_type(t, system, arena_strndup(&t->arena, name.s, name.n));
	if (type && hash_add(&t->by_name, hash, t->list.n - 1)) {
		t->arena.failed = true;
		return NULL;
	}
	return type;
}

/* A field of a generic event: its name, and a text, a signed or an unsigned number. */
static int learn_field(struct perfetto_types *t, struct perfetto_type *type, struct proto field)
{
	static const char kinds[] = "\0\0\0slL";
	struct span name = { NULL, 0 };
	struct proto_field f;
	char kind = '\0', *copy;

	while (proto_next(&field, &f)) {
		if (f.number == 1)
			name = proto_text(&f);
		else if (f.number >= 3 && f.number <= 5)
			kind = kinds[f.number];
	}
	if (!kind || !is_name(name) || perfetto_field_named(type, name) ||
	    type->n_fields + 1 >= PERFETTO_FIELDS_MAX)
		return 0;
	copy = arena_strndup(&t->arena, name.s, name.n);
	if (!copy)
		return HIST_NOMEM;
	set_field(type, type->n_fields + 1, kind, copy);
	return 0;
}

struct perfetto_type *perfetto_type_generic(struct perfetto_types *t, struct proto event,
					    bool kprobe)
{
	struct span name = { NULL, 0 };
	struct perfetto_type *type;
	struct proto_field f;

	while (proto_next(&event, &f))
		if (f.number == 1)
			name = proto_text(&f);
	if (!span_is_file_name(name))
		return NULL;
	type = named(t, name, kprobe ? "kprobes" : NULL);
	if (type && kprobe && !type->n_fields)
		set_field(type, 2, 'u', "type");
	return type;
}

int perfetto_type_learn(struct perfetto_types *t, struct perfetto_type *type, struct proto event)
{
	struct proto_field f;
	int err = 0;

	while (!err && proto_next(&event, &f))
		if (f.number == 2)
			err = learn_field(t, type, proto_message(&f));
	return err;
}

/* --- formats --- */

static int add_format(const struct perfetto_types *t, struct perfetto_type *type,
		      struct import_sink *sink)
{
	struct made_event event = { .system = type->system,
				    .name = type->name,
				    .id = type->id,
				    .fields = &type->fields[1],
				    .n = type->n_fields,
				    .states = t->states };
	int err;

	for (size_t i = 1; i <= type->n_fields; i++)
		if (type->fields[i].optional && !type->fields[i].seen)
			type->fields[i].type = 0;
	err = made_format(&event, sink);
	type->size = event.size;
	type->has_texts = event.has_texts;
	return err;
}

int perfetto_types_formats(struct perfetto_types *t, struct import_sink *sink)
{
	const size_t n_known = ARRAY_SIZE(t->known_types);
	int err = format_list_add_print(&sink->formats);
	u32 id = MADE_FIRST_ID;

	/* known ones by their number, then all others */
	for (size_t i = 0; i < n_known + t->list.n && !err; i++) {
		struct perfetto_type *type = i < n_known ? t->known_types[i]
							 : t->list.v[i - n_known];

		if (!type || !type->used || type->prints || type->id || id > MADE_LAST_ID)
			continue;
		type->id = id++;
		err = add_format(t, type, sink);
	}
	return err;
}
