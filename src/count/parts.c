// SPDX-License-Identifier: LGPL-2.1-only
/* The parts of a histogram: started for threads, joined, dropped. */
#include "count/count.h"
#include "program/exemplars.h"

void hist_parts_drop(struct hist_count *hc)
{
	for (; hc->n_parts; hc->n_parts--)
		hist_part_release(&hc->parts[hc->n_parts]);
}

void hist_count_clear(struct hist_count *hc)
{
	hist_part_clear(hc->parts);
	hist_parts_drop(hc);
}

int hist_parts_start(struct hist_count *hc, u32 n, bool frozen)
{
	struct hist_part *parts;

	hist_parts_drop(hc);
	parts = realloc(hc->parts, (n + 1) * sizeof(*parts));
	if (!parts)
		return HIST_NOMEM;
	hc->parts = parts;
	while (hc->n_parts < n) {
		struct hist_part *part = &parts[hc->n_parts + 1];

		if (hist_part_init(part, hc->hd))
			return HIST_NOMEM;
		hc->n_parts++;
		if (!frozen)
			tracing_map_let_spill(part->map);
		else if (!tracing_map_freeze(part->map, parts->map))
			return HIST_NOMEM;
	}
	return 0;
}

/* --- joining --- */

/* The first hits of a part's entries, if they are earlier than those of the own entries. */
static void join_first_hits(const struct hist_data *hd, struct tracing_map_elt *to,
			    struct tracing_map_elt *from)
{
	const struct first_hit *first = elt_first_hit(hd, from);

	if (first->at && first_hit_is_after(elt_first_hit(hd, to), first->ts, first->at))
		*elt_first_hit(hd, to) = *first;
}

static void join_exemplars(const struct hist_data *hd, struct tracing_map_elt *to,
			   struct tracing_map_elt *from)
{
	struct exemplar_row **at = elt_exemplars(hd, to), *row = *elt_exemplars(hd, from);

	if (row && !*at)
		*at = row;
	else if (row && *at != row)
		exemplar_row_merge(*at, row, exemplars_number(hd->exemplars->field)->is_signed);
}

/* What entries of the part have besides sums, samples and variables. */
static void join_entries(struct hist_count *hc, const struct tracing_map *map)
{
	const struct hist_data *hd = hc->hd;

	for (u32 i = 0; i < map->n_elts; i++) {
		struct tracing_map_elt *from = tracing_map_elt_at(map, i), *to;
		const u64 *key = tracing_map_key(map, from);

		to = tracing_map_lookup(hist_map(hc), key, tracing_map_hash(map, key));
		if (!to)
			continue;
		if (hd->has_comm)
			join_first_hits(hd, to, from);
		if (hd->exemplars)
			join_exemplars(hd, to, from);
	}
}

bool hist_part_join(struct hist_count *hc, struct hist_part *part)
{
	const struct hist_data *hd = hc->hd;

	if (!tracing_map_merge(hist_map(hc), part->map))
		return false;
	if (hd->has_comm || hd->exemplars)
		join_entries(hc, part->map);
	/* joined entries point to these rows from now on */
	for (; part->exemplars.n; part->exemplars.n--)
		if (array_push(&hc->parts->exemplars, part->exemplars.v[part->exemplars.n - 1]))
			return false;
	return true;
}

static bool unite_spilled(struct hist_count *hc, bool *done)
{
	scoped(free_scoped) struct tracing_map **maps =
		calloc(hc->n_parts + 1, sizeof(struct tracing_map *));
	bool ok = maps;

	*done = hist_map(hc)->spill;
	for (u32 i = 0; i < hc->n_parts && ok; i++) {
		maps[i] = hc->parts[i + 1].map;
		*done |= maps[i]->spill != NULL;
	}
	if (ok && *done)
		ok = tracing_map_unite(hist_map(hc), maps, hc->n_parts,
				       hc->hd->tracing->options.threads);
	return ok;
}

bool hist_parts_join(struct hist_count *hc)
{
	struct tracing_map *own;

	bool done, ok;

	/*
	 * If the map is empty, the first part replaces it, so its entries need not be added one by
	 * one.
	 */
	own = hist_map(hc);
	if (hc->n_parts && !hc->parts[1].map->sink && !own->n_elts && !own->hits && !own->drops) {
		hc->parts[0].map = hc->parts[1].map;
		hc->parts[1].map = own;
	}
	ok = unite_spilled(hc, &done);
	for (u32 i = 1; i <= hc->n_parts && ok && !done; i++)
		ok = hist_part_join(hc, &hc->parts[i]);
	if (ok)
		hist_parts_drop(hc);
	return ok;
}

/* --- keys that are kept --- */

void hist_keep_keys(struct hist_count *hc)
{
	const struct hist_data *hd = hc->hd;
	struct tracing_map *map = hist_map(hc);

	tracing_map_keep_keys(map);
	/* everything that hits leave in an entry, except the sums */
	for (u32 i = 0; i < map->n_elts; i++) {
		struct tracing_map_elt *elt = tracing_map_elt_at(map, i);

		if (hd->has_comm)
			*elt_first_hit(hd, elt) = (struct first_hit){ .at = 0 };
		if (hd->exemplars)
			*elt_exemplars(hd, elt) = NULL;
	}
	hist_part_release_exemplars(hc->parts);
}
