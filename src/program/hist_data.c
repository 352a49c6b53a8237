// SPDX-License-Identifier: LGPL-2.1-only
/* Clears a histogram: the map, its parts, its samples. */
#include <stdlib.h>

#include "program/hist_data.h"
#include "program/exemplars.h"
#include "program/samples.h"

void hist_parts_drop(struct hist_data *hd)
{
	for (u32 i = 0; i < hd->n_parts; i++)
		tracing_map_free(hd->parts[i]);
	free(hd->parts);
	hd->parts = NULL;
	hd->n_parts = 0;
	if (hd->stats)
		hist_stats_drop_parts(hd->stats);
	if (hd->exemplars)
		hist_exemplars_drop_parts(hd->exemplars);
}

void hist_data_reset(struct hist_data *hd)
{
	if (hd->stats)
		hist_stats_clear(hd->stats);
	if (hd->exemplars)
		hist_exemplars_clear(hd->exemplars);
	tracing_map_clear(hd->map);
}

void hist_data_clear(struct hist_data *hd)
{
	hist_data_reset(hd);
	hist_parts_drop(hd);
}
