/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * What a recording has about its coverage besides its sub-buffers: counters of the kernel, and what
 * limited it. See base/coverage.h.
 */
#pragma once
#include "recording/recording.h"

/**
 * recording_watch_coverage() - let an iterator add the holes of a CPU
 * @it: of this CPU, before its first sub-buffer; reads all of them
 * @c:  the holes are added to it as soon as the iterator is after them
 *
 * After the last sub-buffer, all are in @c. If an iterator starts later, there is a hole before.
 *
 * Return: 0, -HIST_ENOMEM
 */
int recording_watch_coverage(const struct recording_cpu *of, struct ring_buffer_iter *it,
			     struct coverage *c);

/* All holes of a CPU, by reading it; without @losses, those that its sub-buffers do not state. */
int recording_coverage(const struct recording_cpu *of, bool losses, struct coverage *c);
