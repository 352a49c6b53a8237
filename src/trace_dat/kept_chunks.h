/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * Inflated chunks of recordings that are read several times, within a limit of memory. What they
 * are from is known by the file and its times: of a file that changed, nothing is used.
 */
#pragma once
#include "trace_dat/open.h"

struct stat;
struct kept_chunks;
struct kept_file;

/* @left: bytes of memory that they may take, see memory_take(). NULL: out of memory */
struct kept_chunks *kept_chunks_new(u64 *left);
/* After all files that use it were closed. */
void kept_chunks_free(struct kept_chunks *all);

/* Read @td with what is kept of it, and keep more; before cursors are opened. 0, -HIST_ENOMEM */
int trace_dat_keep(struct trace_dat *td, struct kept_chunks *all);

/* A number of the file, which it has as long as it does not change; 0: that is not known. */
u64 trace_dat_kept(const struct trace_dat *td);

/* --- for pages.c and open.c; any thread --- */

void kept_file_close(struct kept_file *file);

/* Chunk @chunk of the CPU whose data begins at @start; NULL: it is not kept. */
const u8 *kept_chunk(struct kept_file *file, u64 start, u32 chunk);
/* Room for @size bytes; NULL: there is no more. */
u8 *kept_chunk_room(struct kept_file *file, u32 size);
/* @data in such room is that chunk. Another thread may have been faster: the one that is used. */
const u8 *kept_chunk_add(struct kept_file *file, u64 start, u32 chunk, const u8 *data);
/* Whether all of @n chunks are kept. */
bool kept_chunks_all(struct kept_file *file, u64 start, u32 n);
