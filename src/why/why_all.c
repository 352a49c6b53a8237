// SPDX-License-Identifier: LGPL-2.1-only
/*
 * What many intervals consisted of: the pieces of all of them, added up by what they are and by
 * the task or interrupt that ran meanwhile or woke the task.
 */
#include "table/table.h"
#include "why/why.h"

enum { SCHEMA = 1 };

/* Its keys, in their order. The texts are borrowed from an arena; "" is none. */
struct why_sum {
	const char *of[WHY_KEYS_MAX];
	u64 ns, longest;
	u64 in_last; /* of interval ->last, which is counted in ->intervals */
	size_t intervals, last;
};

/* --- adding up --- */

static bool has_keys(const struct why_sum *r, const struct why_sum *key, size_t n)
{
	while (n && !strcmp(r->of[n - 1], key->of[n - 1]))
		n--;
	return !n;
}

static struct why_sum *find_sum(struct why_sums *all, const struct why_sum *key)
{
	const size_t n = all->keys->n;
	struct why_sum row = *key, *known;
	u32 hash = 0;
	size_t k;

	for (k = 0; k < n; k++)
		hash = hash_bytes(hash, key->of[k], strlen(key->of[k]) + 1);
	known = indexed_find(&all->rows, hash, r, has_keys(r, key, n));
	if (known)
		return known;
	for (k = 0; k < n; k++)
		row.of[k] = arena_strdup(&all->arena, key->of[k]);
	return all->arena.failed ? NULL : indexed_add(&all->rows, hash, row);
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

/* What of a part its row has. */
struct why_texts {
	const char *what, *by, *in, *reason;
};

/* @what: of the wait that it is in; NULL: none */
static struct why_texts texts_of(const struct why_store *s, const struct why_key *k,
				 const char *what)
{
	struct why_texts t = { .what = what, .by = "", .in = why_word(s, k->call), .reason = "" };

	switch (k->kind) {
	case WHY_RUNNING:
		t.what = "running";
		break;
	case WHY_IRQ:
		t.what = what ? what : "interrupted";
		t.by = why_word(s, k->word);
		t.reason = !what ? "" : !strncmp(t.by, "softirq ", 8) ? "softirq" : "irq";
		break;
	case WHY_CULPRIT:
		t.by = who(s, k);
		t.reason = "task";
		break;
	case WHY_IDLE:
		t.by = "(idle CPU)";
		t.reason = "idle";
		break;
	case WHY_HELD:
		t.by = why_word(s, k->word);
		t.reason = "throttled";
		break;
	case WHY_BLOCKED:
		t.what = why_word(s, k->word);
		t.by = k->continues          ? "(not recorded)"
		       : k->in_irq && k->irq ? why_word(s, k->irq)
		       : k->in_irq           ? "(interrupt)"
		       : !k->pid             ? "(idle CPU)"
					     : who(s, k);
		break;
	default:
		t.what = what ? what : "unknown";
		t.by = what ? "(unknown)" : why_reason_text(k->reason);
		t.reason = what ? "unknown" : "";
		break;
	}
	return t;
}

/* The row of a part of the current interval; NULL: out of memory. */
static struct why_sum *row_of(struct why_sums *all, const struct why_texts *t)
{
	struct span fields = span_of(why_word(&all->fields->texts, all->of));
	struct why_sum row = { .ns = 0 };

	for (size_t i = 0; i < all->keys->n; i++) {
		struct span field;

		switch (all->keys->v[i].by) {
		case WHY_BY_WHAT:
			row.of[i] = t->what;
			break;
		case WHY_BY_BY:
			row.of[i] = t->by;
			break;
		case WHY_BY_IN:
			row.of[i] = t->in;
			break;
		case WHY_BY_REASON:
			row.of[i] = t->reason;
			break;
		case WHY_BY_FIELD:
			field = span_sep(&fields, WHY_FIELDS_END);
			row.of[i] = arena_strndup(&all->arena, field.s, field.n);
			break;
		}
	}
	return all->arena.failed ? NULL : find_sum(all, &row);
}

/* What of a part determines its row. */
struct why_sum_key {
	u32 parent, kind, word, call, comm, irq, who, fields;
	u32 row;
};

static u32 hash_key(const struct why_sum_key *k)
{
	u64 words[offsetof(struct why_sum_key, row) / 8], hash = 0;

	memcpy(words, k, sizeof(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull;
	return (u32)(hash >> 32);
}

/* The number of its row. */
static int row_of_part(struct why_sums *all, const struct why_key *k, u32 *row)
{
	struct why_sum_key key = (struct why_sum_key){
		.parent = k->parent,
		.kind = k->kind | (u32)k->in_irq << 8 | (u32)k->continues << 9 | k->reason << 10,
		.word = k->word,
		.call = k->call,
		.comm = k->comm,
		.irq = k->irq,
		.who = k->comm ? k->pid != 0 : (u32)k->pid,
		.fields = all->of,
	};
	const u32 hash = hash_key(&key);
	const struct why_sum_key *known;
	const struct why_sum *r;
	struct why_texts texts;
	char what[64];

	known = indexed_find(&all->parts, hash, e,
			     !memcmp(e, &key, offsetof(struct why_sum_key, row)));
	if (known) {
		*row = known->row;
		return 0;
	}
	if (k->parent)
		snprintf(what, sizeof(what), "waiting (%s)", why_word(all->store, k->parent));
	texts = texts_of(all->store, k, k->parent ? what : NULL);
	r = row_of(all, &texts);
	if (!r)
		return HIST_NOMEM;
	*row = key.row = (u32)(r - all->rows.v);
	return indexed_add(&all->parts, hash, key) ? 0 : HIST_NOMEM;
}

static int add_piece(void *arg, const struct why_key *k, u64 ns)
{
	struct why_sums *all = arg;
	u32 row;
	int err = row_of_part(all, k, &row);

	if (!err)
		add_ns(all, &all->rows.v[row], ns);
	return err;
}

/* The row of a lane, when it last ran during a wait. */
struct why_lane_row {
	u32 waiting, fields;
	u32 next; /* the number of the row after it; 0: none */
};

static int add_lanes(void *arg, u32 waiting, const struct why_span *lane, struct why_piece *t)
{
	struct why_sums *all = arg;
	const struct why_span *lanes = all->store->tracks[WHY_LANES].v;
	const struct why_span *end = lanes + all->store->tracks[WHY_LANES].n;
	const u32 cpu = lane->owner;
	int err = 0;

	do {
		struct why_lane_row *of = &all->lanes[lane - lanes];
		const u64 to = min_t(u64, lane->to, t->to);

		if (!of->next || of->waiting != waiting || of->fields != all->of) {
			const struct why_key key = why_lane_key(waiting, lane);
			u32 row;

			err = row_of_part(all, &key, &row);
			if (err)
				break;
			*of = (struct why_lane_row){ waiting, all->of, row + 1 };
		}
		add_ns(all, &all->rows.v[of->next - 1], to - t->from);
		t->from = to;
		lane++;
	} while (t->from < t->to && lane < end && lane->owner == cpu && lane->from == t->from);
	return err;
}

static void forget_parts(struct why_sums *all)
{
	indexed_release(&all->parts);
	free(all->lanes);
	all->lanes = NULL;
}

int why_sums_begin(struct why_sums *all, const struct why_store *s)
{
	forget_parts(all);
	all->store = s;
	all->lanes = calloc(s->tracks[WHY_LANES].n + 1, sizeof(*all->lanes));
	return all->lanes ? 0 : HIST_NOMEM;
}

int why_sums_add(struct why_sums *all, const struct why_question *q, u32 fields)
{
	const struct why_pieces to = { add_piece, add_lanes, all };

	all->of = fields;
	all->ns += q->to - q->from;
	all->n++;
	return why_tree_pieces(all->store, q, &to);
}

void why_sums_release(struct why_sums *all)
{
	forget_parts(all);
	indexed_release(&all->rows);
	arena_release(&all->arena);
}

/* --- output --- */

static int compare_sums(const void *one, const void *other)
{
	const struct why_sum *a = one, *b = other;
	int order = a->ns > b->ns ? -1 : a->ns < b->ns;

	for (size_t i = 0; i < WHY_KEYS_MAX && a->of[i] && !order; i++)
		order = strcmp(a->of[i], b->of[i]);
	return order;
}

static void add_us(struct table *t, u64 ns)
{
	table_addf(t, "%llu.%03llu", ns / 1000, ns % 1000);
}

/* @name: in place of its keys; NULL: those */
static void add_row(struct table *t, const struct why_sums *all, const struct why_sum *r,
		    const char *name)
{
	for (size_t i = 0, n = 0; i < all->keys->n; i++)
		if (!all->keys->v[i].detail)
			table_add(t, !name ? r->of[i] : n++ ? "" : name);
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
	static const char *const names[] = { "us", "%", "intervals", "longest us" };
	scoped(table_release) struct table t = TABLE_INIT;
	struct why_sum others = { .ns = 0 };
	size_t shown = top && top < all->rows.n ? top : all->rows.n;

	strbuf_addf(&t.title, "%s: %zu interval%s", all->event, all->n, plural(all->n));
	if (all->min)
		strbuf_addf(&t.title, " of at least %llu.%03llu us", all->min / 1000,
			    (all->min % 1000));
	for (size_t i = 0, n = 0; i < all->keys->n; i++)
		if (!all->keys->v[i].detail) {
			t.columns[n++].left = true;
			table_add(&t, all->keys->v[i].name);
		}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		table_add(&t, names[i]);
	table_end_row(&t);
	for (size_t i = 0; i < all->rows.n; i++) {
		if (i < shown)
			add_row(&t, all, &all->rows.v[i], NULL);
		else
			others.ns += all->rows.v[i].ns;
	}
	if (shown < all->rows.n)
		add_row(&t, all, &others, "(others)");
	add_row(&t, all, &(struct why_sum){ .ns = all->ns }, "(all)");
	strbuf_addf(out, "%s\n\n", t.title.s);
	table_text(&t, out);
	out->failed |= t.title.failed;
}

/* For programs. */
static const char *name_of(const struct why_key_of *k)
{
	return k->by == WHY_BY_IN ? "syscall" : k->name;
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
	array_each(const struct why_sum, r, &all->rows) {
		json_object(&j, NULL);
		for (size_t k = 0; k < all->keys->n; k++)
			json_str_if(&j, name_of(&all->keys->v[k]), *r->of[k] ? r->of[k] : NULL);
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
	struct row_column columns[WHY_KEYS_MAX + 3];
	struct row_writer w = { .format = format, .out = out };
	size_t n = all->keys->n;

	for (size_t i = 0; i < n; i++)
		columns[i] =
			(struct row_column){ .name = name_of(&all->keys->v[i]), .kind = CELL_TEXT };
	columns[n++] = (struct row_column){ .name = "ns", .kind = CELL_UNSIGNED };
	columns[n++] = (struct row_column){ .name = "intervals", .kind = CELL_UNSIGNED };
	columns[n++] = (struct row_column){ .name = "longest_ns", .kind = CELL_UNSIGNED };
	rows_begin(&w, columns, n);
	array_each(const struct why_sum, r, &all->rows) {
		for (size_t k = 0; k < all->keys->n; k++)
			rows_str(&w, *r->of[k] ? r->of[k] : NULL);
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
