// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What many intervals consisted of: the pieces of all of them, added up by what they are and by
 * the task or interrupt that ran meanwhile or woke the task.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table/table.h"
#include "why/why.h"

enum { SCHEMA = 1 };

/* The texts are borrowed from an arena; "" is none. */
struct why_sum {
	const char *what, *by, *call;
	u64 ns, longest;
	u64 in_last; /* of interval ->last, which is counted in ->intervals */
	size_t intervals, last;
};

/* --- adding up --- */

static u32 hash_sum(const struct why_sum *r)
{
	u32 hash = hash_text(r->what);

	hash = hash_bytes(hash, r->by, strlen(r->by));
	return hash_bytes(hash, r->call, strlen(r->call));
}

static struct why_sum *sum_of(struct why_sums *all, const struct why_sum *key)
{
	struct why_sum row = *key;
	u32 hash = hash_sum(key);
	struct hash_walk walk = hash_walk(hash);
	size_t i;

	while (hash_next(&all->by_key, &walk, &i)) {
		struct why_sum *r = &all->rows.v[i];

		if (!strcmp(r->what, key->what) && !strcmp(r->by, key->by) &&
		    !strcmp(r->call, key->call))
			return r;
	}
	row.what = arena_strdup(&all->arena, key->what);
	row.by = arena_strdup(&all->arena, key->by);
	row.call = arena_strdup(&all->arena, key->call);
	if (!row.what || !row.by || !row.call || array_push(&all->rows, row) ||
	    hash_add(&all->by_key, hash, all->rows.n - 1))
		return NULL;
	return &all->rows.v[all->rows.n - 1];
}

static void add_ns(struct why_sums *all, struct why_sum *r, u64 ns)
{
	if (!r->intervals || r->last != all->n) {
		r->intervals++;
		r->last = all->n;
		r->in_last = 0;
	}
	r->ns += ns;
	r->in_last += ns;
	r->longest = max_t(u64, r->longest, r->in_last);
}

/* The name of a task, not its number: that would be another one in each interval. */
static const char *who(const struct why_store *s, const struct why_key *k)
{
	const char *comm = k->comm ? why_word(s, k->comm) : why_store_comm(s, k->pid);

	return *comm ? comm : "(unknown)";
}

/* The row of a part; NULL: out of memory. @what: of the wait that it is in; NULL: none */
static struct why_sum *row_of(struct why_sums *all, const struct why_key *k, const char *what)
{
	const struct why_store *s = all->store;
	struct why_sum row = { .what = what, .by = "", .call = why_word(s, k->call) };

	switch (k->kind) {
	case WHY_RUNNING:
		row.what = "running";
		break;
	case WHY_IRQ:
		row.what = what ? what : "interrupted";
		row.by = why_word(s, k->word);
		break;
	case WHY_CULPRIT:
		row.by = who(s, k);
		break;
	case WHY_IDLE:
		row.by = "(idle CPU)";
		break;
	case WHY_BLOCKED:
		row.what = why_word(s, k->word);
		row.by = k->continues          ? "(not recorded)"
			 : k->in_irq && k->irq ? why_word(s, k->irq)
			 : k->in_irq           ? "(interrupt)"
			 : !k->pid             ? "(idle CPU)"
					       : who(s, k);
		break;
	default:
		row.what = what ? what : "unknown";
		row.by = what ? "(unknown)" : why_reason_text(k->reason);
		break;
	}
	return sum_of(all, &row);
}

/* What of a part determines its row. */
struct why_sum_key {
	u32 parent, kind, word, call, comm, irq, who;
	u32 row;
};

static u32 hash_key(const struct why_sum_key *k)
{
	u64 words[sizeof(*k) / 8], hash = 0;

	memcpy(words, k, sizeof(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull;
	return (u32)(hash >> 32);
}

static int add_piece(void *arg, const struct why_key *k, u64 ns)
{
	struct why_sums *all = arg;
	struct why_sum_key key = (struct why_sum_key){
		.parent = k->parent,
		.kind = k->kind | (u32)k->in_irq << 8 | (u32)k->continues << 9 | k->reason << 10,
		.word = k->word,
		.call = k->call,
		.comm = k->comm,
		.irq = k->irq,
		.who = k->comm ? k->pid != 0 : (u32)k->pid,
	};
	u32 hash = hash_key(&key);
	struct hash_walk walk = hash_walk(hash);
	const struct why_sum *r;
	char what[64];
	size_t i;

	while (hash_next(&all->by_part, &walk, &i))
		if (!memcmp(&all->keys.v[i], &key, offsetof(struct why_sum_key, row))) {
			add_ns(all, &all->rows.v[all->keys.v[i].row], ns);
			return 0;
		}
	if (k->parent)
		snprintf(what, sizeof(what), "waiting (%s)", why_word(all->store, k->parent));
	r = row_of(all, k, k->parent ? what : NULL);
	if (!r)
		return HIST_NOMEM;
	key.row = (u32)(r - all->rows.v);
	add_ns(all, &all->rows.v[key.row], ns);
	return array_push(&all->keys, key) ?: hash_add(&all->by_part, hash, all->keys.n - 1);
}

static void forget_keys(struct why_sums *all)
{
	array_release(&all->keys);
	hash_release(&all->by_part);
	all->by_part = (struct hash_table){ 0 };
}

void why_sums_begin(struct why_sums *all, const struct why_store *s)
{
	forget_keys(all);
	all->store = s;
}

int why_sums_add(struct why_sums *all, const struct why_question *q)
{
	all->ns += q->to - q->from;
	all->n++;
	return why_tree_pieces(all->store, q, add_piece, all);
}

void why_sums_release(struct why_sums *all)
{
	forget_keys(all);
	array_release(&all->rows);
	hash_release(&all->by_key);
	arena_release(&all->arena);
}

/* --- output --- */

static int compare_sums(const void *one, const void *other)
{
	const struct why_sum *a = one, *b = other;
	int order;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	order = strcmp(a->what, b->what);
	order = order ? order : strcmp(a->by, b->by);
	return order ? order : strcmp(a->call, b->call);
}

static void add_us(struct table *t, u64 ns)
{
	table_addf(t, "%llu.%03llu", (unsigned long long)(ns / 1000),
		   (unsigned long long)(ns % 1000));
}

static void add_row(struct table *t, const struct why_sums *all, const struct why_sum *r)
{
	table_add(t, r->what);
	table_add(t, r->by);
	table_add(t, r->call);
	add_us(t, r->ns);
	table_addf(t, "%.1f", all->ns ? 100 * (double)r->ns / (double)all->ns : 100.0);
	if (r->intervals) {
		table_addf(t, "%zu", r->intervals);
		add_us(t, r->longest);
	}
	table_end_row(t);
}

static void sums_text(const struct why_sums *all, size_t top, struct strbuf *out)
{
	static const char *const names[] = { "what", "by",        "in",        "us",
					     "%",    "intervals", "longest us" };
	struct table t = TABLE_INIT;
	struct why_sum others = { .what = "(others)", .by = "", .call = "" };
	size_t shown = top && top < all->rows.n ? top : all->rows.n;

	t.columns[1].left = t.columns[2].left = true;
	strbuf_addf(&t.title, "%s: %zu interval%s", all->event, all->n, plural(all->n));
	if (all->min)
		strbuf_addf(&t.title, " of at least %llu.%03llu us",
			    (unsigned long long)(all->min / 1000),
			    (unsigned long long)(all->min % 1000));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		table_add(&t, names[i]);
	table_end_row(&t);
	for (size_t i = 0; i < all->rows.n; i++) {
		if (i < shown)
			add_row(&t, all, &all->rows.v[i]);
		else
			others.ns += all->rows.v[i].ns;
	}
	if (shown < all->rows.n)
		add_row(&t, all, &others);
	add_row(&t, all, &(struct why_sum){ .what = "(all)", .by = "", .call = "", .ns = all->ns });
	strbuf_addf(out, "%s\n\n", t.title.s);
	table_text(&t, out);
	out->failed |= t.title.failed;
	table_release(&t);
}

static void sums_json(const struct why_sums *all, struct strbuf *out)
{
	struct json j = { .out = out };

	json_object(&j, NULL);
	json_str(&j, "type", "why_all");
	json_u64(&j, "schema", SCHEMA);
	json_str(&j, "version", HIST_VERSION);
	json_str(&j, "event", all->event);
	json_u64_if(&j, "min_ns", all->min);
	json_u64(&j, "intervals", all->n);
	json_u64(&j, "ns", all->ns);
	json_array(&j, "parts");
	for (size_t i = 0; i < all->rows.n; i++) {
		const struct why_sum *r = &all->rows.v[i];

		json_object(&j, NULL);
		json_str(&j, "what", r->what);
		json_str_if(&j, "by", *r->by ? r->by : NULL);
		json_str_if(&j, "syscall", *r->call ? r->call : NULL);
		json_u64(&j, "ns", r->ns);
		json_u64(&j, "intervals", r->intervals);
		json_u64(&j, "longest_ns", r->longest);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_caveats(&j, all->caveats);
	json_close(&j, '}');
	json_end_line(&j);
}

static int sums_rows(const struct why_sums *all, const struct row_format *format,
		     struct strbuf *out)
{
	static const struct row_column columns[] = {
		{ .name = "what", .kind = CELL_TEXT },
		{ .name = "by", .kind = CELL_TEXT },
		{ .name = "syscall", .kind = CELL_TEXT },
		{ .name = "ns", .kind = CELL_UNSIGNED },
		{ .name = "intervals", .kind = CELL_UNSIGNED },
		{ .name = "longest_ns", .kind = CELL_UNSIGNED },
	};
	struct row_writer w = { .format = format, .out = out };

	rows_begin(&w, columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < all->rows.n; i++) {
		const struct why_sum *r = &all->rows.v[i];

		rows_str(&w, r->what);
		rows_str(&w, *r->by ? r->by : NULL);
		rows_str(&w, *r->call ? r->call : NULL);
		rows_number(&w, CELL_UNSIGNED, r->ns);
		rows_number(&w, CELL_UNSIGNED, r->intervals);
		rows_number(&w, CELL_UNSIGNED, r->longest);
		rows_end_row(&w);
	}
	return rows_end(&w, true);
}

int why_sums_print(struct why_sums *all, const struct hist_why_options *o, struct strbuf *out)
{
	const char *format = o->format ?: "text";

	if (all->rows.n)
		qsort(all->rows.v, all->rows.n, sizeof(*all->rows.v), compare_sums);
	if (!strcmp(format, "text"))
		sums_text(all, o->top, out);
	else if (!strcmp(format, "json"))
		sums_json(all, out);
	else
		return sums_rows(all, row_format_find(format), out);
	return 0;
}
