// SPDX-License-Identifier: LGPL-2.1-only
/* Layout of an entry's private area: the comm, strings, the time of save(), sketches, exemplars. */
#include "program/entry.h"
#include "program/hist_data.h"

struct first_hit *elt_first_hit(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return (void *)(elt->words + tracing_map_private_at(&hd->desc));
}

const char *elt_comm(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return hd->has_comm ? elt_first_hit(hd, elt)->comm : "(no comm)";
}

/* Offsets in bytes from the start of the entry. */
u32 elt_string_at(const struct hist_data *hd, u32 i)
{
	return tracing_map_private_at(&hd->desc) * 8 +
	       (hd->has_comm ? (u32)sizeof(struct first_hit) : 0) + i * hd->str_room;
}

u64 *elt_saved_at(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return elt->words + tracing_map_private_at(&hd->desc) + hd->private_at / 8;
}

u32 elt_sketches_word(const struct hist_data *hd)
{
	return tracing_map_private_at(&hd->desc) + hd->private_at / 8 + (hd->n_save_vars != 0);
}

u32 elt_exemplars_word(const struct hist_data *hd)
{
	return elt_sketches_word(hd) + (hd->stats != NULL);
}

struct sketch_row **elt_sketches(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return (struct sketch_row **)(void *)(elt->words + elt_sketches_word(hd));
}

struct exemplar_row **elt_exemplars(const struct hist_data *hd, struct tracing_map_elt *elt)
{
	return (struct exemplar_row **)(void *)(elt->words + elt_exemplars_word(hd));
}
