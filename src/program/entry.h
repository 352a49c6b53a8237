/* SPDX-License-Identifier: LGPL-2.1-only */
/* The data of a map entry besides sums and variables. */
#ifndef HIST_PROGRAM_ENTRY_H
#define HIST_PROGRAM_ENTRY_H

#include "program/hist_data.h"

struct exemplar_row;
struct sketch_row;

/* Offsets in an entry's private area: of the comm of its task, and of string @i of a variable. */
const char *elt_comm(const struct hist_data *hd, struct tracing_map_elt *elt);
u32 elt_string_at(const struct hist_data *hd, u32 i);

/*
 * With save(): offset of the time of the last save. With statistics: of the sketches. With
 * exemplars: of the exemplars.
 */
u64 *elt_saved_at(const struct hist_data *hd, struct tracing_map_elt *elt);
struct sketch_row **elt_sketches(const struct hist_data *hd, struct tracing_map_elt *elt);
struct exemplar_row **elt_exemplars(const struct hist_data *hd, struct tracing_map_elt *elt);

#endif
