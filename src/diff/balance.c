// SPDX-License-Identifier: LGPL-2.1-only
/*
 * Balance: how evenly a value is spread over the values of one key, before and after; other keys
 * are summed over. Work that is concentrated on one CPU has a large share.
 */
#include <math.h>
#include <stdlib.h>

#include "diff/diff.h"

bool balance_is_wanted(const struct join *j, size_t key, const char *name)
{
	const char *is = j->keys[key].column.name;
	size_t n = strlen(is);

	if (name)
		return !strcmp(is, name);
	return n >= 3 && !strcmp(is + n - 3, "cpu") && (n == 3 || is[n - 4] == '_');
}

struct balance_part {
	const struct join *join;
	const struct diff_cell *cell;
	size_t key;
	double sum[2];
};

static int compare_parts(const void *a, const void *b)
{
	const struct balance_part *x = a, *y = b;

	return key_compare(&x->join->keys[x->key], x->cell, y->cell);
}

static const struct balance_part *weigh(struct balance *b, const struct balance_part *parts,
					int side)
{
	const struct balance_part *largest = NULL;
	double sum = 0, squares = 0, mean;

	for (size_t i = 0; i < b->n; i++) {
		sum += parts[i].sum[side];
		if (!largest || parts[i].sum[side] > largest->sum[side])
			largest = &parts[i];
	}
	mean = sum / (double)b->n;
	for (size_t i = 0; i < b->n; i++)
		squares += pow(parts[i].sum[side] - mean, 2);
	if (!(sum > 0))
		return NULL;
	b->largest[side] = largest->sum[side] / sum;
	b->variation[side] = sqrt(squares / (double)b->n) / mean;
	return largest;
}

int balance_init(struct balance *b, const struct comparison *c, size_t key, size_t value)
{
	const struct join *j = c->join;
	struct balance_part *parts = calloc(j->rows.n + 1, sizeof(*parts));
	size_t cut = 0, n = 0, kept = 0;

	*b = (struct balance){ .of_key = key, .value = value, .text = STRBUF_INIT };
	if (!parts)
		return HIST_NOMEM;
	for (size_t i = 0; i < j->rows.n; i++) {
		const struct diff_row *row = j->rows.v[i];
		struct measure m;

		if (row->left_out)
			continue;
		m = measure_value(&c->meter, value, row);
		parts[n++] = (struct balance_part){
			j, &row->keys[key], key, { m.side[0].min, m.side[1].min }
		};
	}
	/* merge parts with the same key */
	if (n)
		qsort(parts, n, sizeof(*parts), compare_parts);
	for (size_t i = 0; i < n; i++) {
		if (kept && !compare_parts(&parts[kept - 1], &parts[i])) {
			parts[kept - 1].sum[0] += parts[i].sum[0];
			parts[kept - 1].sum[1] += parts[i].sum[1];
		} else {
			parts[kept++] = parts[i];
		}
	}
	b->n = kept;
	for (int side = 0; side < 2; side++) {
		const struct balance_part *largest = b->n ? weigh(b, parts, side) : NULL;

		if (largest)
			key_print(&c->join->keys[key], largest->cell, true, &b->text);
		cut = side ? cut : b->text.len;
	}
	free(parts);
	b->key[0] = (struct span){ b->text.s, cut };
	b->key[1] = (struct span){ b->text.s + cut, b->text.len - cut };
	return b->text.failed ? HIST_NOMEM : 0;
}

void balance_release(struct balance *b)
{
	strbuf_release(&b->text);
}
