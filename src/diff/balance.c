// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Balance: how evenly a value is spread over the values of one key, before and after; other keys
 * are summed over. Work that is concentrated on one CPU has a large share.
 */
#include "diff/diff.h"

bool balance_is_wanted(const struct join *j, size_t key, const char *name)
{
	const char *is = j->keys[key].column.name;
	size_t n = strlen(is);

	if (name)
		return !strcmp(is, name);
	return n >= 3 && !strcmp(is + n - 3, "cpu") && (n == 3 || is[n - 4] == '_');
}

struct balance_row {
	const struct join *join;
	const struct diff_cell *cell;
	size_t key;
	double sum[2];
};

DEFINE_ORDER(compare_rows, struct balance_row,
	     key_compare(&x->join->keys[x->key], x->cell, y->cell))

static const struct balance_row *weigh(struct balance *b, const struct balance_row *rows, int side)
{
	const struct balance_row *largest = NULL;
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < b->n; i++) {
		sum += rows[i].sum[side];
		if (!largest || rows[i].sum[side] > largest->sum[side])
			largest = &rows[i];
	}
	mean = sum / (double)b->n;
	for (size_t i = 0; i < b->n; i++)
		squares += pow(rows[i].sum[side] - mean, 2);
	if (!(sum > 0))
		return NULL;
	b->largest[side] = largest->sum[side] / sum;
	b->variation[side] = sqrt(squares / (double)b->n) / mean;
	return largest;
}

int balance_init(struct balance *b, const struct comparison *c, size_t key, size_t value)
{
	const struct join *j = c->join;
	struct balance_row *rows = calloc(j->rows.n + 1, sizeof(*rows));
	size_t cut = 0, n = 0, kept = 0;

	*b = (struct balance){ .of_key = key, .value = value, .text = STRBUF_INIT };
	if (!rows)
		return HIST_NOMEM;
	array_each_ptr(const struct diff_row, row, &j->rows) {
		struct measure m;

		if (row->left_out)
			continue;
		m = measure_value(&c->meter, value, row);
		rows[n++] = (struct balance_row){
			j, &row->keys[key], key, { m.side[0].min, m.side[1].min }
		};
	}
	/* merge rows with the same key */
	if (n)
		qsort(rows, n, sizeof(*rows), compare_rows);
	for (size_t i = 0; i < n; i++) {
		if (kept && !compare_rows(&rows[kept - 1], &rows[i])) {
			rows[kept - 1].sum[0] += rows[i].sum[0];
			rows[kept - 1].sum[1] += rows[i].sum[1];
		} else {
			rows[kept++] = rows[i];
		}
	}
	b->n = kept;
	for (int side = 0; side < 2; side++) {
		const struct balance_row *largest = b->n ? weigh(b, rows, side) : NULL;

		if (largest)
			key_print(&c->join->keys[key], largest->cell, true, &b->text);
		cut = side ? cut : b->text.len;
	}
	free(rows);
	b->key[0] = (struct span){ b->text.s, cut };
	b->key[1] = (struct span){ b->text.s + cut, b->text.len - cut };
	return b->text.failed ? HIST_NOMEM : 0;
}

void balance_release(struct balance *b)
{
	strbuf_release(&b->text);
}
