// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What many intervals consisted of: the parts of all their trees, added up by what they are and by
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

static int add_sum(struct why_sums *all, const struct why_sum *key, u64 ns)
{
	struct why_sum *r = sum_of(all, key);

	if (!r)
		return HIST_NOMEM;
	if (!r->intervals || r->last != all->n) {
		r->intervals++;
		r->last = all->n;
		r->in_last = 0;
	}
	r->ns += ns;
	r->in_last += ns;
	r->longest = max_t(u64, r->longest, r->in_last);
	return 0;
}

/* The name of a task, not its number: that would be another one in each interval. */
static const char *who(const struct why_answer *a, const struct why_key *k)
{
	const char *comm = k->comm ? why_word(a->store, k->comm) : why_store_comm(a->store, k->pid);

	return *comm ? comm : "(unknown)";
}

static int add_part(struct why_sums *all, const struct why_answer *a, u32 i, const char *what)
{
	const struct why_part *p = &a->tree->parts.v[i];
	const struct why_key *k = &p->key;
	struct why_sum row = { .what = what, .by = "", .call = why_word(a->store, k->call) };

	switch (k->kind) {
	case WHY_RUNNING:
		row.what = "running";
		break;
	case WHY_IRQ:
		row.what = what ? what : "interrupted";
		row.by = why_word(a->store, k->word);
		break;
	case WHY_CULPRIT:
		row.by = who(a, k);
		break;
	case WHY_IDLE:
		row.by = "(idle CPU)";
		break;
	case WHY_BLOCKED:
		row.what = why_word(a->store, k->word);
		row.by = p->end == WHY_NOT_YET ? "(not recorded)"
			 : k->in_irq && k->irq ? why_word(a->store, k->irq)
			 : k->in_irq           ? "(interrupt)"
			 : !k->pid             ? "(idle CPU)"
					       : who(a, k);
		break;
	default:
		row.what = what ? what : "unknown";
		row.by = what ? "(unknown)" : why_reason_text(k->reason);
		break;
	}
	return add_sum(all, &row, p->ns);
}

int why_sums_add(struct why_sums *all, const struct why_answer *a)
{
	int err = 0;

	all->ns += a->tree->parts.v[0].ns;
	all->n++;
	why_for_each_part(i, a->tree, 0)
	{
		const struct why_key *k = &a->tree->parts.v[i].key;
		char what[64];

		if (k->kind != WHY_WAITING) {
			err = err ?: add_part(all, a, i, NULL);
			continue;
		}
		snprintf(what, sizeof(what), "waiting (%s)", why_word(a->store, k->word));
		why_for_each_part(c, a->tree, i) err = err ?: add_part(all, a, c, what);
	}
	return err;
}

void why_sums_release(struct why_sums *all)
{
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
	strbuf_addf(&t.title, "%s: %zu intervals", all->event, all->n);
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

void why_sums_print(struct why_sums *all, const struct hist_why_options *o, struct strbuf *out)
{
	if (all->rows.n)
		qsort(all->rows.v, all->rows.n, sizeof(*all->rows.v), compare_sums);
	if (o->format && !strcmp(o->format, "json"))
		sums_json(all, out);
	else
		sums_text(all, o->top, out);
}
