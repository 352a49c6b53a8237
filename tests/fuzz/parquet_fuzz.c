// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Columns and rows of a Parquet file from the input: its bytes are the same when it is written
 * again, and a reader that shares no code with the writer finds each value, null and list.
 */
#include "fuzz.h"

#include "parquet/parquet.h"
#include "parquet_reader.h"
#include "table/table.h"

enum { COLUMNS_MAX = 6, GROUPS_MAX = 3 };

/* The input, as a source of choices; after its end, zeros. */
struct choices {
	const uint8_t *p, *end;
};

static uint64_t choose(struct choices *c, size_t bytes)
{
	uint64_t v = 0;

	for (size_t i = 0; i < bytes && c->p < c->end; i++)
		v |= (uint64_t)*c->p++ << 8 * i;
	return v;
}

/* What was written: of each column of each group, levels (0: null) and values. */
struct expected {
	ARRAY(uint8_t) levels; /* 0: null, 1: an empty list, 2: a value, 3: one more of a list */
	ARRAY(uint64_t) numbers;
	ARRAY(struct span) texts;
};

struct written {
	struct parquet_column columns[COLUMNS_MAX];
	size_t n_columns, n_groups;
	struct expected of[GROUPS_MAX][COLUMNS_MAX];
	struct strbuf bytes;
	struct arena arena;
};

static int sink(void *arg, const void *data, size_t len)
{
	strbuf_add(arg, data, len);
	return 0;
}

static bool is_text(const struct parquet_column *c)
{
	return c->kind == PARQUET_TEXT || c->kind == PARQUET_BYTES;
}

/* As a column stores it: with few values often, with many now and then. */
static uint64_t number_of(struct choices *c, const struct parquet_column *column)
{
	const uint64_t form = choose(c, 1);
	uint64_t v = choose(c, form & 1 ? 1 : form & 2 ? column->size : 2);

	v = form & 4 ? -v : v;
	switch (column->size) {
	case 1:
		return column->kind == PARQUET_SIGNED ? (uint64_t)(int8_t)v : (uint8_t)v;
	case 2:
		return column->kind == PARQUET_SIGNED ? (uint64_t)(int16_t)v : (uint16_t)v;
	case 4:
		return column->kind == PARQUET_SIGNED ? (uint64_t)(int32_t)v : (uint32_t)v;
	default:
		return v;
	}
}

static void add_number(struct choices *c, struct parquet_group *g, struct expected *e, size_t i,
		       bool element)
{
	const uint64_t v = number_of(c, &g->columns[i]);

	MUST(!array_push(&e->numbers, v));
	if (element)
		parquet_add_element(g, i, v);
	else
		parquet_add_number(g, i, v);
}

static void add_value(struct choices *c, struct written *w, struct parquet_group *g,
		      struct expected *e, size_t i)
{
	const struct parquet_column *column = &g->columns[i];
	const uint64_t form = choose(c, 1);

	if (form < 16) {
		parquet_add_null(g, i);
		MUST(!array_push(&e->levels, 0));
	} else if (column->list) {
		const size_t n = form % 5;

		parquet_add_list(g, i, n);
		if (!n)
			MUST(!array_push(&e->levels, 1));
		for (size_t k = 0; k < n; k++) {
			MUST(!array_push(&e->levels, k ? 3 : 2));
			add_number(c, g, e, i, true);
		}
	} else if (is_text(column)) {
		const size_t n = (size_t)(c->end - c->p) < form % 7 ? (size_t)(c->end - c->p)
								    : form % 7;
		const struct span text = { arena_strndup(&w->arena, (const char *)c->p, n), n };

		c->p += n;
		MUST(text.s && !array_push(&e->texts, text) && !array_push(&e->levels, 2));
		parquet_add_text(g, i, text);
	} else {
		MUST(!array_push(&e->levels, 2));
		add_number(c, g, e, i, false);
	}
}

/* Rows of a group; some are repeated, so that a group can be large. */
static void fill(struct choices *c, struct written *w, struct parquet_group *g, struct expected *of)
{
	size_t n = choose(c, 1), times = 1 + (choose(c, 1) & 31);

	for (; n--; g->n_rows += times)
		for (size_t i = 0; i < w->n_columns; i++) {
			const struct choices before = *c;
			struct choices after = before;

			for (size_t k = 0; k < times; k++) {
				after = before;
				add_value(&after, w, g, &of[i], i);
			}
			*c = after;
		}
}

static void write_file(struct choices c, struct written *w)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
	struct parquet_file f = PARQUET_FILE_INIT;

	w->n_columns = 1 + choose(&c, 1) % COLUMNS_MAX;
	for (size_t i = 0; i < w->n_columns; i++) {
		const uint64_t v = choose(&c, 1);
		struct parquet_column *column = &w->columns[i];

		*column = (struct parquet_column){ .name = names[i],
						   .kind = v % 6,
						   .size = 1u << v / 8 % 4 };
		if (column->kind == PARQUET_TIME || column->kind == PARQUET_DOUBLE)
			column->size = 8;
		column->list = column->kind <= PARQUET_UNSIGNED && v & 0x40;
	}
	f.columns = w->columns;
	f.n_columns = w->n_columns;
	f.sink = sink;
	f.arg = &w->bytes;
	MUST(!parquet_file_begin(&f));
	w->n_groups = choose(&c, 1) % (GROUPS_MAX + 1);
	for (size_t k = 0; k < w->n_groups; k++) {
		struct parquet_group g;

		MUST(!parquet_group_init(&g, w->columns, w->n_columns));
		fill(&c, w, &g, w->of[k]);
		MUST(!parquet_group_encode(&g) && !parquet_file_add(&f, &g));
		parquet_group_release(&g);
	}
	MUST(!parquet_file_end(&f, "fuzz"));
	parquet_file_release(&f);
}

/* --- reading again --- */

static bool same_number(const struct parquet_column *c, uint64_t stored, uint64_t want)
{
	return c->size == 8 ? stored == want : (uint32_t)stored == (uint32_t)want;
}

static void check_text(const struct parquet_column *c, struct pq stored, struct span want)
{
	struct strbuf text = STRBUF_INIT;

	if (c->kind == PARQUET_TEXT)
		text_add_encoded(&text, want);
	else
		strbuf_add(&text, want.s, want.n);
	MUST(text.len == (size_t)(stored.end - stored.p) && !memcmp(text.s, stored.p, text.len));
	strbuf_release(&text);
}

static uint32_t length_at(struct pq *r)
{
	const struct pq at = pq_part(r, 4);

	return (uint32_t)pq_bits(&at, 0, 32);
}

/* The @n values that plain encoding has at @r. */
static void check_plain(const struct parquet_column *c, struct pq r, const struct expected *e,
			const uint64_t *index, uint64_t n)
{
	const unsigned int size = c->size == 8 ? 8 : 4;

	for (uint64_t i = 0; i < n; i++) {
		struct pq at = index ? r : (struct pq){ r.p, r.end };

		if (is_text(c)) {
			for (uint64_t k = index ? index[i] : 0; k; k--)
				pq_part(&at, length_at(&at));
			check_text(c, pq_part(&at, length_at(&at)), e->texts.v[i]);
		} else {
			pq_part(&at, index ? index[i] * size : 0);
			MUST(same_number(c, pq_bits(&at, 0, size * 8), e->numbers.v[i]));
			pq_part(&at, size);
		}
		r = index ? r : at;
	}
}

static void check_levels(const struct parquet_column *c, const uint64_t *repeated,
			 const uint64_t *defined, const struct expected *e)
{
	for (size_t i = 0; i < e->levels.n; i++) {
		const uint8_t level = e->levels.v[i];

		MUST(repeated[i] == (level == 3));
		MUST(defined[i] == (c->list ? (level > 2 ? 2 : level) : level == 2));
	}
}

static void check_column(struct pq file, struct pq meta, const struct parquet_column *c,
			 const struct expected *e)
{
	const uint64_t n = (uint64_t)pq_number(meta, 5),
		       values = is_text(c) ? e->texts.n : e->numbers.n;
	uint64_t *numbers = calloc(3 * n + values + 1, sizeof(*numbers));
	uint64_t *const levels[] = { numbers + values, numbers + values + n };
	const int64_t dictionary = pq_number(meta, 11);
	struct pq at = file, words = { 0 }, head, body, kind;
	uint8_t *page, *dictionary_page = NULL;

	MUST(numbers && n == e->levels.n);
	pq_part(&at, (uint64_t)(dictionary >= 0 ? dictionary : pq_number(meta, 9)));
	if (dictionary >= 0)
		dictionary_page = pq_page(&at, &head, &words);
	MUST((uint64_t)(at.p - file.p) == (uint64_t)pq_number(meta, 9));
	page = pq_page(&at, &head, &body);
	for (int definition = !c->list; definition <= 1; definition++)
		pq_runs(pq_part(&body, length_at(&body)), levels[definition], n,
			definition && c->list ? 2 : 1);
	check_levels(c, levels[0], levels[1], e);
	kind = head;
	MUST(pq_find(&kind, 5));
	switch (pq_number(kind, 2)) {
	case 8:
		if (values)
			pq_runs((struct pq){ body.p + 1, body.end }, numbers, values, body.p[0]);
		check_plain(c, words, e, numbers, values);
		break;
	case 5:
		pq_deltas(body, numbers, values);
		for (uint64_t i = 0; i < values; i++)
			MUST(same_number(c, numbers[i], e->numbers.v[i]));
		break;
	default:
		MUST(pq_number(kind, 2) == 0);
		check_plain(c, body, e, NULL, values);
	}
	free(page);
	free(dictionary_page);
	free(numbers);
}

static void check_file(const struct written *w)
{
	const struct pq file = { (const uint8_t *)w->bytes.s,
				 (const uint8_t *)w->bytes.s + w->bytes.len };
	struct pq tail = { file.end - 8, file.end }, meta;

	MUST(w->bytes.len > 12 && !memcmp(file.p, "PAR1", 4) && !memcmp(file.end - 4, "PAR1", 4));
	meta = (struct pq){ file.end - 8 - length_at(&tail), file.end - 8 };
	for (size_t k = 0; k < w->n_groups; k++)
		for (size_t i = 0; i < w->n_columns; i++) {
			struct pq chunk = pq_element(pq_element(meta, 4, k), 1, i);

			MUST(pq_find(&chunk, 3));
			check_column(file, chunk, &w->columns[i], &w->of[k][i]);
		}
}

static void release(struct written *w)
{
	for (size_t k = 0; k < GROUPS_MAX; k++)
		for (size_t i = 0; i < COLUMNS_MAX; i++) {
			array_release(&w->of[k][i].levels);
			array_release(&w->of[k][i].numbers);
			array_release(&w->of[k][i].texts);
		}
	strbuf_release(&w->bytes);
	arena_release(&w->arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct written w = { .bytes = STRBUF_INIT }, again = { .bytes = STRBUF_INIT };
	const struct choices c = { data, data + size };

	write_file(c, &w);
	write_file(c, &again);
	MUST(w.bytes.len == again.bytes.len && !memcmp(w.bytes.s, again.bytes.s, w.bytes.len));
	check_file(&w);
	release(&w);
	release(&again);
	return 0;
}
