/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What an entry of a map has beside sums and variables.
 */
#ifndef HIST_PROGRAM_ENTRY_H
#define HIST_PROGRAM_ENTRY_H

#include "program/hist_data.h"

struct exemplar_row;
struct sketch_row;

/* The parts of an entry's private room: the comm of its task, and where text @i of a variable is.
 */
const char *elt_comm(const struct hist_data *hd, struct tracing_map_elt *elt);
u32 elt_string_at(const struct hist_data *hd, u32 i);

/*
 * With save(): when it was done last. With statistics: where its sketches are. With exemplars:
 * where they are.
 */
u64 *elt_saved_at(const struct hist_data *hd, struct tracing_map_elt *elt);
struct sketch_row **elt_sketches(const struct hist_data *hd, struct tracing_map_elt *elt);
struct exemplar_row **elt_exemplars(const struct hist_data *hd, struct tracing_map_elt *elt);

#endif
