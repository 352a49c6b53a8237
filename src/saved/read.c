// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Reads results written by print_json.c, or by another program, and validates them: each row has
 * each column, the number of rows and the hits are as announced, and statistics are consistent.
 *
 * Members may come in any order (jq -S sorts them), so a line is first scanned for the positions
 * of its members. Rows usually are the last member, and then read without being scanned. Unknown
 * members are skipped: later versions may add some.
 */
#include "saved/read.h"

enum { SCHEMA = 1 };

static bool read_fail(struct saved_reader *r, int err, const char *problem)
{
	if (!r->in.problem)
		r->err = err;
	return json_in_fail(&r->in, problem);
}

bool read_nomem(struct saved_reader *r)
{
	return read_fail(r, HIST_NOMEM, "out of memory");
}

bool read_goto(struct saved_reader *r, const char *name)
{
	for (size_t i = 0; i < r->line.n && !r->in.problem; i++)
		if (span_eq(r->line.v[i].name, name)) {
			r->in.p = r->line.v[i].at;
			return true;
		}
	return false;
}

const char *read_string(struct saved_reader *r)
{
	struct span text;
	const char *copy;

	if (!json_in_text(&r->in, &text))
		return NULL;
	copy = arena_strndup(&r->s->arena, text.s, text.n);
	if (!copy)
		read_nomem(r);
	return copy;
}

const char *read_string_or_null(struct saved_reader *r)
{
	return json_in_null(&r->in) ? NULL : read_string(r);
}

/* --- members in a struct --- */

static bool read_word(struct saved_reader *r, const char *const *words, unsigned int *v)
{
	struct span text;

	if (!json_in_text(&r->in, &text))
		return false;
	for (*v = 0; words[*v]; ++*v)
		if (span_eq(text, words[*v]))
			return true;
	*v = 0;
	return json_in_fail(&r->in, "an unknown type of column");
}

bool read_value(struct saved_reader *r, const struct json_member *m, void *object)
{
	void *at = (char *)object + m->offset;
	u64 n = 0;

	switch (m->type) {
	case JSON_STR:
		*(const char **)at = read_string_or_null(r);
		break;
	case JSON_WORD:
		return read_word(r, m->words, at);
	case JSON_BOOL:
	case JSON_FLAG:
		return json_in_bool(&r->in, at);
	case JSON_U32:
		json_in_number(&r->in, false, &n);
		*(u32 *)at = (u32)min_t(u64, n, UINT32_MAX);
		break;
	default:
		return json_in_number(&r->in, false, at);
	}
	return !r->in.problem;
}

bool read_object(struct saved_reader *r, const struct json_member *members, size_t n, void *object,
		 bool (*other)(struct saved_reader *r, struct span name, void *object))
{
	struct span name;

	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		size_t i = 0;

		while (i < n && !span_eq(name, members[i].name))
			i++;
		if (i < n)
			read_value(r, &members[i], object);
		else if (other)
			other(r, name, object);
		else
			json_in_skip(&r->in);
	}
	return !r->in.problem;
}

/* --- a line --- */

/*
 * Find the positions of its members, and move past the object; or to its data, if @to_data and type
 * and totals, which are written before, were found. No known name has escapes.
 */
static bool take_apart(struct saved_reader *r, bool to_data)
{
	struct span name;
	bool totals = false, type = false;

	r->line.n = 0;
	r->at_data = false;
	json_in_open(&r->in, '{');
	while (json_in_member(&r->in, &name)) {
		const struct line_member m = { name, r->in.p };

		for (size_t i = 0; i < r->line.n; i++)
			if (span_same(r->line.v[i].name, name))
				return json_in_fail(&r->in, "a member is repeated");
		if (name.s != r->in.decoded.s && array_push(&r->line, m))
			return read_nomem(r);
		totals |= span_eq(name, "totals");
		type |= span_eq(name, "type");
		r->at_data = to_data && totals && type && span_eq(name, "data");
		if (r->at_data)
			return true;
		json_in_skip(&r->in);
	}
	return !r->in.problem;
}

static bool read_totals(struct saved_reader *r)
{
	struct result *result = &r->s->result;
	u64 entries = 0;

	if (!read_goto(r, "hits") || !json_in_number(&r->in, false, &result->hits) ||
	    !read_goto(r, "dropped") || !json_in_number(&r->in, false, &result->drops) ||
	    !read_goto(r, "entries") || !json_in_number(&r->in, false, &entries))
		return json_in_fail(&r->in, "the totals lack hits, entries or dropped");
	if (read_goto(r, "feeding_dropped") &&
	    !json_in_number(&r->in, false, &result->feeding_drops))
		return false;
	if (entries != result->n_rows)
		return json_in_fail(
			&r->in,
			"the number of rows differs from the totals: it was cut or changed");
	/* kernel: tracing_map_insert() counts a hit for each increment of an entry's hitcount */
	if (r->hits != result->hits && !(r->many_hits && result->hits == UINT64_MAX) &&
	    !(r->hits < result->hits &&
	      caveat_find(span_of(r->s->info.caveats ?: ""), CAVEAT_LEFT_OUT, NULL, NULL)))
		return json_in_fail(
			&r->in,
			"the sum of the hitcount column differs from the hits of the totals: it was changed");
	return !stored_end_rows(r->s) || read_nomem(r);
}

static bool read_start(struct saved_reader *r)
{
	u64 schema = 0;

	r->hits = 0;
	r->many_hits = false;
	r->s = stored_new();
	if (!r->s)
		return read_nomem(r);
	if (!read_goto(r, "schema") || !json_in_number(&r->in, false, &schema))
		return json_in_fail(&r->in, "it does not name its schema");
	if (schema != SCHEMA)
		return read_fail(r, -HIST_EUNSUPPORTED,
				 "its schema is not 1, which this hist reads and writes");
	if (!read_head(r) || !read_columns(r))
		return false;
	return (!stored_begin_rows(r->s, 0) || read_nomem(r)) && read_snapshot(r);
}

static bool finish(struct saved_reader *r, saved_array *list)
{
	if (!read_totals(r))
		return false;
	if (array_push(list, r->s))
		return read_nomem(r);
	r->s = NULL;
	return true;
}

static bool read_data(struct saved_reader *r)
{
	if (!read_start(r))
		return false;
	if (!read_goto(r, "data"))
		return json_in_fail(&r->in, "it has no data");
	if (json_in_open(&r->in, '['))
		while (json_in_element(&r->in))
			read_row(r);
	return !r->in.problem;
}

/* json: everything in one object, from @start on to @end, which is set if it was not known. */
static bool read_whole(struct saved_reader *r, saved_array *list, const char *start,
		       const char **end)
{
	struct span name;
	bool ok = read_data(r);

	if (r->at_data && (!ok || json_in_member(&r->in, &name))) {
		/* what is after the rows may describe them */
		stored_free(r->s);
		r->s = NULL;
		r->err = 0;
		r->in.problem = NULL;
		r->in.depth = 0;
		r->in.p = start;
		ok = take_apart(r, false);
		*end = r->in.p;
		ok = ok && read_data(r);
	} else if (ok && r->at_data) {
		*end = r->in.p;
	}
	if (!ok || r->in.problem)
		return false;
	if (!read_goto(r, "totals"))
		return json_in_fail(&r->in, "it has no totals");
	return take_apart(r, false) && finish(r, list);
}

static bool is_type(struct saved_reader *r, const char *type)
{
	const char *end = r->in.p;
	struct span text = { NULL, 0 };

	if (read_goto(r, "type"))
		json_in_text(&r->in, &text);
	if (!r->in.problem)
		r->in.p = end;
	return text.s && span_eq(text, type);
}

static bool read_line(struct saved_reader *r, saved_array *list)
{
	const char *start = r->in.p, *end;
	bool ok;

	if (!take_apart(r, !r->s))
		return false;
	end = r->in.p;
	if (!r->s && is_type(r, "hist_trigger")) {
		ok = read_whole(r, list, start, &end);
	} else if (!r->s && is_type(r, "hist_head") && !r->at_data) {
		ok = read_start(r);
	} else if (r->s && is_type(r, "hist_row")) {
		r->in.p = start;
		ok = read_row(r);
	} else if (r->s && is_type(r, "hist_totals")) {
		ok = finish(r, list);
	} else {
		return json_in_fail(
			&r->in, r->s ? "the totals after the rows are missing"
				     : "it is not a result of hist report --format json or ndjson");
	}
	if (ok)
		r->in.p = end;
	return ok;
}

/* --- all lines --- */

int saved_read(const char *name, struct span text, saved_array *list, struct diags *diags)
{
	struct saved_reader *r;
	int err = 0;

	if (text.n > 10 && !memcmp(text.s, "\x17\x08\x44tracing", 10))
		return diags_error(
			diags, -HIST_EFORMAT,
			"%s is a recording, not a result; hist report -i %s --format json makes one",
			name, name);
	r = calloc(1, sizeof(*r));
	if (!r)
		return HIST_NOMEM;
	r->in = json_in_of(text);
	while (!r->in.problem && !json_in_at_end(&r->in))
		read_line(r, list);
	if (r->s)
		json_in_fail(&r->in, "the totals after the rows are missing");
	if (r->in.problem)
		err = diags_error(diags, r->err ? r->err : -HIST_EFORMAT, "%s:%u: %s", name,
				  json_in_line(&r->in), r->in.problem);
	stored_free(r->s);
	array_release(&r->line);
	array_release(&r->frames);
	array_release(&r->frames_at);
	array_release(&r->values);
	free(r->exemplars);
	json_in_release(&r->in);
	free(r);
	return err;
}

void saved_array_release(saved_array *list)
{
	for (size_t i = 0; i < list->n; i++)
		stored_free(list->v[i]);
	array_release(list);
}
