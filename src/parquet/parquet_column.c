// SPDX-License-Identifier: LGPL-2.1-only
/*
 * The values of a column: with a dictionary as long as there are few different ones. Its pages: the
 * dictionary, and one with all values.
 */
#include "parquet/parquet_column.h"
#include "parquet/parquet_pack.h"
#include "parquet/thrift.h"
#include "json/json.h"
#include "codec/codec.h"

enum {
	NUMBERS_MAX = 1 << 12, /* in a dictionary */
	TEXTS_MAX = 1 << 16,
	TEXT_BYTES_MAX = 1 << 20,
	LENGTH = 4,     /* bytes before a text */
	LIMIT_MAX = 64, /* bytes of the least and the greatest text that are stored */
};

/* Kinds of pages. */
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

void column_release(struct column_values *v)
{
	array_release(&v->numbers);
	array_release(&v->starts);
	array_release(&v->indices);
	array_release(&v->levels);
	strbuf_release(&v->texts);
	hash_release(&v->index);
}

static struct span text_at(const struct strbuf *texts, size_t at)
{
	return (struct span){ texts->s + at + LENGTH, load_u32(texts->s + at, false) };
}

static void add_plain_text(struct strbuf *out, struct span text)
{
	pack_bytes(out, text.n, LENGTH);
	strbuf_add(out, text.s, text.n);
}

/* --- values --- */

/* Replace the dictionary by the values. */
static int give_up_dictionary(struct column_values *v)
{
	typeof(v->numbers) numbers = ARRAY_INIT;
	struct strbuf texts = STRBUF_INIT;
	int err = 0;

	for (size_t i = 0; i < v->indices.n && !err; i++) {
		const u32 at = v->indices.v[i];

		if (column_is_text(v->of))
			add_plain_text(&texts, text_at(&v->texts, v->starts.v[at]));
		else
			err = array_push(&numbers, v->numbers.v[at]);
	}
	err = texts.failed ? HIST_NOMEM : err;
	array_release(&v->numbers);
	array_release(&v->starts);
	array_release(&v->indices);
	strbuf_release(&v->texts);
	hash_release(&v->index);
	v->index = (struct hash_table)HASH_TABLE_INIT;
	v->numbers = numbers;
	v->texts = texts;
	v->plain = true;
	return err;
}

static inline int add_number(struct column_values *v, u64 number)
{
	const u32 hash = hash_number(number);
	struct hash_walk walk = hash_walk(hash);
	size_t i = v->indices.n ? v->indices.v[v->indices.n - 1] : 0;

	if (v->plain)
		return array_push(&v->numbers, number);
	if (v->indices.n && v->numbers.v[i] == number)
		return array_push(&v->indices, (u32)i);
	while (hash_next(&v->index, &walk, &i))
		if (v->numbers.v[i] == number)
			return array_push(&v->indices, (u32)i);
	if (v->numbers.n == NUMBERS_MAX)
		return give_up_dictionary(v) ?: array_push(&v->numbers, number);
	if (hash_add(&v->index, hash, v->numbers.n) || array_push(&v->numbers, number))
		return HIST_NOMEM;
	return array_push(&v->indices, (u32)(v->numbers.n - 1));
}

int column_add_numbers(struct column_values *v, const u64 *numbers, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i++)
		err = add_number(v, numbers[i]);
	return err;
}

static bool is_text(const struct column_values *v, size_t i, struct span text)
{
	const struct span other = text_at(&v->texts, v->starts.v[i]);

	return other.n == text.n && !memcmp(other.s, text.s, text.n);
}

int column_add_text(struct column_values *v, struct span text)
{
	size_t i = v->indices.n ? v->indices.v[v->indices.n - 1] : 0;
	struct hash_walk walk;
	u32 hash;

	if (!v->plain && v->indices.n && is_text(v, i, text))
		return array_push(&v->indices, (u32)i);
	hash = v->plain ? 0 : hash_bytes(0, text.s, text.n);
	walk = hash_walk(hash);
	while (!v->plain && hash_next(&v->index, &walk, &i))
		if (is_text(v, i, text))
			return array_push(&v->indices, (u32)i);
	if (!v->plain && (v->starts.n == TEXTS_MAX || v->texts.len + text.n > TEXT_BYTES_MAX) &&
	    give_up_dictionary(v))
		return HIST_NOMEM;
	if (!v->plain &&
	    (hash_add(&v->index, hash, v->starts.n) || array_push(&v->indices, (u32)v->starts.n) ||
	     array_push(&v->starts, (u32)v->texts.len)))
		return HIST_NOMEM;
	add_plain_text(&v->texts, text);
	return v->texts.failed ? HIST_NOMEM : 0;
}

/* Encode texts as UTF-8, each once; what differs still does. */
static int encode_texts(struct column_values *v)
{
	struct strbuf texts = STRBUF_INIT, one = STRBUF_INIT;
	bool failed;
	size_t n = 0;

	for (size_t at = 0; at < v->texts.len; n++) {
		const struct span text = text_at(&v->texts, at);

		at += LENGTH + text.n;
		if (!v->plain)
			v->starts.v[n] = (u32)texts.len;
		strbuf_reset(&one);
		text_add_encoded(&one, text);
		add_plain_text(&texts, strbuf_span(&one));
	}
	failed = texts.failed || one.failed;
	strbuf_release(&one);
	strbuf_release(&v->texts);
	v->texts = texts;
	return failed ? HIST_NOMEM : 0;
}

static bool needs_encoding(const struct column_values *v)
{
	for (size_t at = 0; v->of->kind == PARQUET_TEXT && at < v->texts.len;) {
		const struct span text = text_at(&v->texts, at);

		if (text_plain_length(text) < text.n)
			return true;
		at += LENGTH + text.n;
	}
	return false;
}

/* --- the least and the greatest value --- */

static int compare_numbers(const struct parquet_column *c, u64 a, u64 b)
{
	if (c->kind == PARQUET_SIGNED || c->kind == PARQUET_TIME)
		return ((s64)a > (s64)b) - ((s64)a < (s64)b);
	return (a > b) - (a < b);
}

static int compare_texts(struct span a, struct span b)
{
	return memcmp(a.s, b.s, min_t(size_t, a.n, b.n)) ?: (a.n > b.n) - (a.n < b.n);
}

static void find_number_limits(const struct column_values *v, struct column_chunk *chunk)
{
	const size_t size = column_is_wide(v->of) ? 8 : 4;
	u64 min = v->numbers.v[0], max = min;

	for (size_t i = 1; i < v->numbers.n; i++) {
		const u64 n = v->numbers.v[i];

		min = compare_numbers(v->of, n, min) < 0 ? n : min;
		max = compare_numbers(v->of, n, max) > 0 ? n : max;
	}
	pack_bytes(&chunk->min, min, size);
	pack_bytes(&chunk->max, max, size);
}

static void find_text_limits(const struct column_values *v, struct column_chunk *chunk)
{
	struct span min = text_at(&v->texts, 0), max = min;

	for (size_t at = 0; at < v->texts.len; at += LENGTH + text_at(&v->texts, at).n) {
		const struct span text = text_at(&v->texts, at);

		min = compare_texts(text, min) < 0 ? text : min;
		max = compare_texts(text, max) > 0 ? text : max;
	}
	if (min.n > LIMIT_MAX || max.n > LIMIT_MAX)
		return;
	strbuf_add(&chunk->min, min.s, min.n);
	strbuf_add(&chunk->max, max.s, max.n);
}

/* --- pages --- */

struct page {
	int kind;
	enum parquet_encoding encoding;
	u64 n;
	struct strbuf body; /* to be compressed */
};

/* Append a page, and count its bytes. */
static int add_page(struct page *page, void *encoder, struct strbuf *out,
		    struct column_chunk *chunk)
{
	const size_t room = codec_zstd.bound(page->body.len), start = out->len;
	scoped(strbuf_release) struct strbuf packed = STRBUF_INIT;
	struct thrift t = { .out = out };
	size_t len = room;
	int err = page->body.failed || !strbuf_grow(&packed, room) ? HIST_NOMEM : 0;

	err = err ?: codec_zstd.encode(encoder, strbuf_span(&page->body), (u8 *)packed.s, &len);
	if (!err) {
		thrift_begin(&t, 0);
		thrift_i32(&t, 1, page->kind);
		thrift_i32(&t, 2, (s64)page->body.len);
		thrift_i32(&t, 3, (s64)len);
		thrift_begin(&t, page->kind == PAGE_DATA ? 5 : 7);
		thrift_i32(&t, 1, (s64)page->n);
		thrift_i32(&t, 2, page->encoding);
		if (page->kind == PAGE_DATA) {
			thrift_i32(&t, 3, ENCODING_RLE);
			thrift_i32(&t, 4, ENCODING_RLE);
		}
		thrift_end(&t);
		thrift_end(&t);
		chunk->plain_len += out->len - start + page->body.len;
		strbuf_add(out, packed.s, len);
		chunk->len += out->len - start;
		err = out->failed ? HIST_NOMEM : 0;
	}
	strbuf_release(&page->body);
	return err;
}

static void add_plain_numbers(const struct column_values *v, struct strbuf *out)
{
	const size_t size = column_is_wide(v->of) ? 8 : 4;

	for (size_t i = 0; i < v->numbers.n; i++)
		pack_bytes(out, v->numbers.v[i], size);
}

static int add_dictionary(const struct column_values *v, void *encoder, struct strbuf *out,
			  struct column_chunk *chunk)
{
	const bool text = column_is_text(v->of);
	struct page page = { PAGE_DICTIONARY, ENCODING_PLAIN, text ? v->starts.n : v->numbers.n,
			     STRBUF_INIT };
	int err;

	if (text)
		strbuf_add(&page.body, v->texts.s, v->texts.len);
	else
		add_plain_numbers(v, &page.body);
	err = add_page(&page, encoder, out, chunk);
	chunk->dictionary = chunk->len;
	return err;
}

/* Levels, after their length: of repetition, then of definition. */
static int add_levels(const struct column_values *v, u64 n, struct strbuf *out)
{
	const bool list = v->of->list;
	scoped(strbuf_release) struct strbuf runs = STRBUF_INIT;
	scoped(free_scoped) u32 *levels = calloc(n + 1, sizeof(*levels));
	bool failed = !levels;

	for (int definition = !list; definition <= 1 && levels; definition++) {
		for (u64 i = 0; i < n; i++) {
			const u32 level = v->levels.n ? v->levels.v[i] : LEVEL_VALUE;

			levels[i] = definition
					    ? min_t(u32, level, list ? LEVEL_ELEMENT : LEVEL_VALUE)
					    : level == LEVEL_NEXT;
		}
		strbuf_reset(&runs);
		pack_runs(&runs, levels, n, definition && list ? 2 : 1);
		pack_bytes(out, runs.len, LENGTH);
		strbuf_add(out, runs.s, runs.len);
		failed |= runs.failed;
	}
	return failed || out->failed ? HIST_NOMEM : 0;
}

static void add_values(const struct column_values *v, struct page *page)
{
	const size_t n = column_is_text(v->of) ? v->starts.n : v->numbers.n;
	const unsigned int bits = bits_of(n > 1 ? n - 1 : 1);

	if (!v->plain) {
		page->encoding = ENCODING_DICTIONARY;
		strbuf_addch(&page->body, (char)bits);
		pack_runs(&page->body, v->indices.v, v->indices.n, bits);
	} else if (column_is_text(v->of)) {
		page->encoding = ENCODING_PLAIN;
		strbuf_add(&page->body, v->texts.s, v->texts.len);
	} else if (v->of->kind == PARQUET_DOUBLE) {
		page->encoding = ENCODING_PLAIN;
		add_plain_numbers(v, &page->body);
	} else {
		page->encoding = ENCODING_DELTA;
		pack_deltas(&page->body, v->numbers.v, v->numbers.n, column_is_wide(v->of));
	}
}

int column_encode(struct column_values *v, void *encoder, struct strbuf *out,
		  struct column_chunk *chunk)
{
	struct page page = { .kind = PAGE_DATA, .body = STRBUF_INIT };
	int err = needs_encoding(v) ? encode_texts(v) : 0;

	page.n = v->levels.n ? v->levels.n : v->n_values;
	chunk->start = out->len;
	chunk->n_levels = page.n;
	chunk->n_nulls = v->n_nulls;
	if (err)
		return err;
	if (v->n_values && column_is_text(v->of))
		find_text_limits(v, chunk);
	else if (v->n_values && v->of->kind != PARQUET_DOUBLE)
		find_number_limits(v, chunk);
	/* a dictionary that is not much smaller than the values is of no use */
	if (!v->plain && (v->starts.n + v->numbers.n) * 2 > v->n_values)
		err = give_up_dictionary(v);
	if (!v->plain && !err)
		err = add_dictionary(v, encoder, out, chunk);
	err = err ?: add_levels(v, page.n, &page.body);
	if (!err)
		add_values(v, &page);
	chunk->encoding = page.encoding;
	err = err ?: add_page(&page, encoder, out, chunk);
	strbuf_release(&page.body);
	return err ? err : chunk->min.failed || chunk->max.failed ? HIST_NOMEM : 0;
}
