// SPDX-License-Identifier: LGPL-2.1-only
/*
 * A table as the trigger of one event: its pieces, its text, and for each byte of the text where
 * the user typed what it is from.
 *
 * Rows are in descending order of the first sum or the counts; if the only key is a distribution,
 * in the order of that key.
 */
#include "ask/ask.h"

struct ask {
	const struct ask_table *table;
	const struct event_file *file;
	struct ask_trigger *out;
	struct diags *diags;
	struct strbuf word; /* the next one */
	struct {
		size_t at, n; /* of the text */
	} keys, vals, sort, worst, saved;
};

/* Append @text, which is made of @from: where both are the same, each byte has its place. */
static void put(struct ask *a, const char *text, struct span from)
{
	const size_t n = strlen(text), at = from.s ? (size_t)(from.s - a->table->source) : 0;
	const bool same = from.s && from.n == n && !memcmp(text, from.s, min_t(size_t, n, 8));

	strbuf_add(&a->out->text, text, n);
	for (size_t i = 0; i < n; i++)
		a->out->text.failed |= array_push(&a->out->offsets, (u32)(at + (same ? i : 0))) !=
				       0;
}

static void put_word(struct ask *a, struct span from)
{
	put(a, a->word.s ? a->word.s : "", from);
	a->out->text.failed |= a->word.failed;
	strbuf_reset(&a->word);
}

/* A part as it is. */
static void put_span(struct ask *a, struct span from)
{
	table_text_line(from, &a->word);
	put_word(a, from);
}

static int put_keys(struct ask *a, struct span list)
{
	const bool shared = a->table->shared;
	int err = 0;

	a->keys.at = a->out->text.len;
	while (list.s && !err) {
		struct span key = key_list_next(&list);
		const char *instead = ask_instead(key, a->file);
		struct diag *d;

		if (!shared)
			ask_note_pointer(key, a->file, a->diags);
		if (instead) {
			err = diags_error(a->diags, -HIST_EREJECTED, "--by %.*s is not a key: %s",
					  (int)key.n, key.s, instead);
			d = a->diags->list.n ? &a->diags->list.v[a->diags->list.n - 1] : NULL;
			if (d)
				d->at = (long)a->out->text.len;
		}
		if (a->out->text.len > a->keys.at)
			put(a, ",", key);
		ask_key(key, a->file, shared, &a->word);
		put_word(a, key);
	}
	a->keys.n = a->out->text.len - a->keys.at;
	return err;
}

static void put_sums(struct ask *a, struct span list)
{
	put(a, ":vals=", list);
	a->vals.at = a->out->text.len;
	while (list.s) {
		struct span field = span_sep(&list, ",");

		if (a->out->text.len > a->vals.at)
			put(a, ",", field);
		ask_sum(field, &a->word);
		put_word(a, span_trim(field));
	}
	a->vals.n = a->out->text.len - a->vals.at;
}

/* "worst=FIELD:onmax($worst).save(FIELDS)": the largest value and what it was for */
static void put_worst(struct ask *a, struct span field, struct span save)
{
	char name[16] = "worst";

	/* the variables of an event have different names; saved results have these two */
	if (a->table->n_worst == 1)
		snprintf(name, sizeof(name), "longest");
	else if (a->table->n_worst)
		snprintf(name, sizeof(name), "worst%u", a->table->n_worst + 1);
	put(a, ":", field);
	a->worst.at = a->out->text.len;
	put(a, name, field);
	put(a, "=", field);
	put_span(a, field);
	a->worst.n = a->out->text.len - a->worst.at;
	if (!save.s)
		return;
	put(a, ":", save);
	a->saved.at = a->out->text.len;
	put(a, "onmax($", save);
	put(a, name, save);
	put(a, ").save(", save);
	put_span(a, save);
	put(a, ")", save);
	a->saved.n = a->out->text.len - a->saved.at;
}

static struct span made(const struct ask *a, size_t at, size_t n)
{
	return (struct span){ n ? a->out->text.s + at : NULL, n };
}

static void put_sort(struct ask *a, struct span given)
{
	struct span keys, name;
	bool ranges;

	put(a, ":sort=", given);
	a->sort.at = a->out->text.len;
	/* spans of the text, which moves when it grows */
	keys = made(a, a->keys.at, a->keys.n);
	ranges = !span_chr(keys, ',') &&
		 (span_find(keys, span_of(".log2")) || span_find(keys, span_of(".buckets")) ||
		  span_find(keys, span_of(".lhist")));
	name = ranges ? keys : a->vals.n ? made(a, a->vals.at, a->vals.n) : span_of("hitcount");
	if (given.s) {
		put_span(a, given);
	} else {
		strbuf_add(&a->word, name.s, name.n);
		strbuf_cut(&a->word, strcspn(a->word.s ?: "", ",.:"));
		strbuf_addstr(&a->word, ranges ? "" : ".descending");
		put_word(a, a->table->text->parts[TABLE_KEYS]);
	}
	a->sort.n = a->out->text.len - a->sort.at;
}

/* What follows the keys, as in comm:sort=comm; true: an order is part of it */
static bool put_attributes(struct ask *a, struct span attributes)
{
	bool sorts = false;

	while (attributes.s) {
		struct span token = span_sep(&attributes, ":");

		sorts |= span_starts(token, "sort=");
		put(a, ":", token);
		put_span(a, token);
	}
	return sorts;
}

/* The pieces lie in the text, which no longer moves. */
static void cut(struct ask *a, size_t attributes_at, size_t attributes_n, size_t filter_at)
{
	struct hist_text *ht = &a->out->cut;
	struct span attributes = made(a, attributes_at, attributes_n);
	const struct span all = span_skip(strbuf_span(&a->out->text), strlen("hist:"));

	*ht = (struct hist_text){ .whole = all, .trigger = all };
	if (filter_at) {
		ht->filter = made(a, filter_at, a->out->text.len - filter_at);
		ht->trigger.n = (size_t)(ht->filter.s - 1 - all.s);
	}
	ht->keys = made(a, a->keys.at, a->keys.n);
	ht->vals = made(a, a->vals.at, a->vals.n);
	ht->sort = made(a, a->sort.at, a->sort.n);
	if (a->table->shared) {
		ht->name = all;
		ht->name.n = strlen("name=") + strlen(a->table->shared);
	}
	if (a->worst.n)
		ht->assignments[ht->n_assignments++] = made(a, a->worst.at, a->worst.n);
	if (a->saved.n)
		ht->actions[ht->n_actions++] = made(a, a->saved.at, a->saved.n);
	while (attributes.s && !ht->bad.set) {
		struct span token = span_sep(&attributes, ":");

		if (token.n)
			hist_token_cut(token, ht);
	}
}

int ask_trigger_make(const struct ask_table *table, const struct event_file *file,
		     struct ask_trigger *out, struct diags *diags)
{
	const struct span *parts = table->text->parts;
	struct span attributes = parts[TABLE_KEYS], keys = span_sep(&attributes, ":");
	struct ask a = {
		.table = table, .file = file, .out = out, .diags = diags, .word = STRBUF_INIT
	};
	size_t attributes_at, attributes_n, filter_at = 0;
	u32 filter_end;
	bool sorts;
	int err;

	*out = (struct ask_trigger){ .text = STRBUF_INIT, .offsets = ARRAY_INIT };
	put(&a, "hist:", keys);
	if (table->shared) {
		strbuf_addf(&a.word, "name=%s:", table->shared);
		put_word(&a, keys);
	}
	put(&a, "keys=", keys);
	err = put_keys(&a, keys);
	if (parts[TABLE_SUMS].n)
		put_sums(&a, parts[TABLE_SUMS]);
	if (parts[TABLE_WORST].n)
		put_worst(&a, parts[TABLE_WORST], parts[TABLE_SAVE]);
	attributes_at = out->text.len + 1;
	sorts = put_attributes(&a, attributes);
	attributes_n = attributes.s && out->text.len > attributes_at ? out->text.len - attributes_at
								     : 0;
	if (!sorts)
		put_sort(&a, parts[TABLE_SORT]);
	if (parts[TABLE_FILTER].n) {
		put(&a, " ", parts[TABLE_FILTER]);
		filter_at = out->text.len;
		put(&a, "if ", parts[TABLE_FILTER]);
		put_span(&a, parts[TABLE_FILTER]);
	}
	/* one past the end */
	filter_end = out->offsets.n ? out->offsets.v[out->offsets.n - 1] + 1 : 0;
	out->text.failed |= array_push(&out->offsets, filter_end) != 0;
	strbuf_release(&a.word);
	if (out->text.failed)
		return HIST_NOMEM;
	cut(&a, attributes_at, attributes_n, filter_at);
	return err;
}

void ask_trigger_release(struct ask_trigger *trigger)
{
	strbuf_release(&trigger->text);
	array_release(&trigger->offsets);
}

void ask_names(struct span keys, const struct event_file *file, struct strbuf *out)
{
	struct span list = span_sep(&keys, ":");

	while (list.s) {
		struct span key = key_list_next(&list);

		key = ask_plain_field(key);
		if (key.n && !span_chr(key, '.') && !span_chr(key, '('))
			strbuf_addf(out, "%.*s %s:%s.%.*s\n", (int)key.n, key.s, file->system,
				    file->name, (int)key.n, key.s);
	}
}
