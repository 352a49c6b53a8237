/* SPDX-License-Identifier: LGPL-2.1-only */
/* The ring buffer of a CPU, mapped: what it holds can be read without taking it out. */
#ifndef HIST_RECORD_RING_MAP_H
#define HIST_RECORD_RING_MAP_H

#include "base/base.h"

/**
 * ring_map_copy() - write the sub-buffers of a CPU, in order
 * @raw: its trace_pipe_raw
 * @out: the file to append to
 * @bytes: the number of bytes is added
 *
 * Nothing may be recorded meanwhile. A sub-buffer that a reader has begun is complete.
 *
 * Return: 0; 1 if it cannot be mapped, and nothing was written; -1 with errno
 * Source: kernel: since 6.10, unless the instance has a snapshot;
 * Documentation/trace/ring-buffer-map.rst
 */
int ring_map_copy(int raw, int out, u64 *bytes);

#endif
